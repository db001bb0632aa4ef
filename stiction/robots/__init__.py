"""Built-in robots, objects and scenery, defined in code."""

from stiction.robots.biped import biped10
from stiction.robots.furniture import cart, table
from stiction.robots.hanavan import hanavan
from stiction.robots.of_papers import biped14, hoap1, hrp2
from stiction.robots.simple import ball, box, brick, rod
from stiction.robots.surroundings import plate, room, stairs

__all__ = [
    "ball",
    "biped10",
    "biped14",
    "box",
    "brick",
    "cart",
    "hanavan",
    "hoap1",
    "hrp2",
    "plate",
    "rod",
    "room",
    "stairs",
    "table",
]
