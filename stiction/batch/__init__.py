"""Many worlds at once: the same robots, each world with its own state, parameters and control."""
