"""One line on the terminal that says what takes long."""
