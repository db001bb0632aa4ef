"""Sensors of a world: what they read at recorded states, with noise, bias and delay."""
