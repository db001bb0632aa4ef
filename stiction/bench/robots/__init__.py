"""Robots of public collections that have legs: which load, stand and walk."""
