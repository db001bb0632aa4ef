"""Built-in robots and objects, defined in code."""

from stiction.robots.biped import biped10
from stiction.robots.hanavan import hanavan
from stiction.robots.of_papers import biped14, hoap1, hrp2
from stiction.robots.simple import ball, box, brick, rod

__all__ = ["ball", "biped10", "biped14", "box", "brick", "hanavan", "hoap1", "hrp2", "rod"]
