"""Rengifo et al. 2009: the ground controls the accelerations of the points in it."""
