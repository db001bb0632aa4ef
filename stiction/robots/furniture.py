"""Things that robots lean on, push and carry: table, cart. Their frames are on the floor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

from stiction.description.arguments import number
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.description.plain import vector
from stiction.description.rotation import joined, six
from stiction.errors import InputError
from stiction.robot.robot import Robot
from stiction.robots.simple import check_positive, edges
from stiction.robots.solids import Solid, body_of, shape_of

DECK = 0.03  # thickness of a cart's deck [m]
BAR = 0.015  # radius of a cart's handle [m]
OF_HANDLE, OF_CASTER = 0.1, 0.02  # of a cart's mass: the handle, and each caster
ALONG_Y = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # turns z into -y


def table(
    size: tuple[float, float, float] = (1.2, 0.7, 0.75),
    mass: float = 25.0,
    thickness: float = 0.04,
    leg: float = 0.05,
) -> Robot:
    """Homogeneous table on four square legs, free to move; `World(scenery=table())` fixes it.

    size: length, width and height [m]; mass [kg]; thickness of its top [m]; leg: the edge of a
    leg's section [m].
    """
    x, y, z = edges("table", size)
    check_positive("table", mass=mass, thickness=thickness, leg=leg)
    if thickness >= z or 2 * leg > min(x, y):
        raise InputError(
            f"table: size is {size} m, thickness {thickness} m, leg {leg} m; the top must be "
            "thinner than the table is high, and two legs must fit side by side"
        )
    under = z - thickness
    density = mass / (x * y * thickness + 4 * leg * leg * under)
    board = (x / 2, y / 2, thickness / 2)
    post = (leg / 2, leg / 2, under / 2)
    parts = {"top": Solid("box", board, density * x * y * thickness, (0.0, 0.0, z - thickness / 2))}
    for name, (side_x, side_y) in _corners().items():
        at = (side_x * (x - leg) / 2, side_y * (y - leg) / 2, under / 2)
        parts[f"leg_{name}"] = Solid("box", post, density * leg * leg * under, at)
    link, shapes = _rigid("table", parts)
    free = Joint("table_free", "free", WORLD, "table")
    return _made("table", (link,), (free,), shapes)


def cart(
    size: tuple[float, float, float] = (0.8, 0.5, 0.9),
    mass: float = 15.0,
    wheel: float = 0.05,
    damping: float = 0.0,
) -> Robot:
    """Cart with a flat deck on four ball casters, and a handle at its rear end.

    A caster is a ball on a spherical joint: it rolls in every direction, at any friction of the
    ground.

    size: length and width of the deck, height of the handle [m]; mass: in all [kg]; wheel: radius
    of a caster [m]; damping: of a caster that rolls [N m s/rad]. The cart then meets a resistance
    of 4 damping / wheel^2 times its speed.
    """
    x, y, z = edges("cart", size)
    check_positive("cart", mass=mass, wheel=wheel)
    number("cart: damping", damping, "N m s/rad", low=0)
    top = 2 * wheel + DECK
    if top + 2 * BAR >= z or 4 * wheel > min(x, y):
        raise InputError(
            f"cart: size is {size} m and wheel {wheel} m; the handle must be above the deck at "
            f"{top:g} m, and two casters must fit side by side"
        )
    posts, rail = z - top, y - 2 * BAR  # lengths
    per_length = OF_HANDLE * mass / (2 * posts + rail)
    deck = (1 - OF_HANDLE - 4 * OF_CASTER) * mass
    rear, middle = BAR - x / 2, top + posts / 2
    post, bar = (BAR, posts / 2), (BAR, rail / 2)
    parts = {
        "deck": Solid("box", (x / 2, y / 2, DECK / 2), deck, (0.0, 0.0, top - DECK / 2)),
        "post_left": Solid("capsule", post, per_length * posts, (rear, rail / 2, middle)),
        "post_right": Solid("capsule", post, per_length * posts, (rear, -rail / 2, middle)),
        "handle": Solid("capsule", bar, per_length * rail, (rear, 0.0, z), ALONG_Y),
    }
    body, shapes = _rigid("cart", parts)
    links, joints = [body], [Joint("cart_free", "free", WORLD, "cart")]
    for name, (side_x, side_y) in _corners().items():
        ball = Solid("sphere", (wheel,), OF_CASTER * mass)
        link, shape = _rigid(f"caster_{name}", {"ball": ball})
        at = (side_x * (x / 2 - wheel), side_y * (y / 2 - wheel), wheel)
        rolls = (f"{link.name}_joint", "spherical", "cart", link.name, at)
        joints.append(Joint(*rolls, damping=damping))
        links.append(link)
        shapes += shape
    return _made("cart", tuple(links), tuple(joints), shapes)


def _corners() -> dict[str, tuple[int, int]]:
    """The four corners by name, with the signs of their x and y."""
    names = (("front", 1), ("rear", -1)), (("left", 1), ("right", -1))
    return {f"{ends}_{sides}": (x, y) for (ends, x), (sides, y) in product(*names)}


def _rigid(name: str, parts: Mapping[str, Solid]) -> tuple[Link, list[Shape]]:
    """One link of several solids, and their shapes."""
    mass, centre, inertia = joined([body_of(solid) for solid in parts.values()])
    shapes = []
    for part, solid in parts.items():
        kind, size, vertices = shape_of(solid)
        placed = (solid.position, solid.quaternion)
        shapes.append(Shape(f"{name}_{part}", name, kind, size, *placed, vertices=vertices))
    return Link(name, mass, vector(centre), tuple(six(inertia).tolist())), shapes


def _made(
    name: str, links: tuple[Link, ...], joints: tuple[Joint, ...], shapes: list[Shape]
) -> Robot:
    source = f"stiction.robots.{name}"
    return Robot.from_description(Description(name, source, links, joints, tuple(shapes)))
