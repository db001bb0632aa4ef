"""Controllers: what drives the coordinates, as values to pass to `simulate`."""
