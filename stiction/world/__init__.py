"""Robots, objects and the ground as one forest of links, and the points that may touch."""
