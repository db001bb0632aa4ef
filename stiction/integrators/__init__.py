"""Integrators: how a state becomes the next one, as values that are passed to `simulate`."""
