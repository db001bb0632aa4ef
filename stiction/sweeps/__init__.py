"""Sweeps: a scene or a function at many points of its parameters, on all cores or a cluster."""
