"""Controllers: what drives the coordinates, as values that are passed to `simulate`."""
