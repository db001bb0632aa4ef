"""Numerical methods that contact models share."""
