"""From a description to a robot: flat arrays, its file, its soles."""
