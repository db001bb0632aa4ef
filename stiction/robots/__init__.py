"""Robots and objects made by our own code."""

from stiction.robots.biped import biped10
from stiction.robots.of_papers import hoap1
from stiction.robots.simple import ball, box, brick, rod

__all__ = ["ball", "biped10", "box", "brick", "hoap1", "rod"]
