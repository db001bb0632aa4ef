"""Things built of many bodies: walls, arches, houses of cards, loads on carts and plates."""

from __future__ import annotations

import numpy as np

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape

BRICK = (0.2, 0.1, 0.1)  # length, width and height [m]
JOINT = 1e-3  # gap between neighbours of a course [m]


def wall(courses, wide, mass=2.0):
    """Bricks in running bond; every second course ends with halves, so all are supported."""
    length, width, height = BRICK
    bricks = []
    for course in range(courses):
        if course % 2:
            cuts = np.arange(wide + 1) - wide / 2
        else:
            cuts = np.concatenate([[-wide / 2], np.arange(wide) - wide / 2 + 0.5, [wide / 2]])
        for k, (left, right) in enumerate(zip(cuts[:-1], cuts[1:], strict=True)):
            size = (length * (right - left) - JOINT, width, height)
            brick = st.robots.box(size, mass * (right - left)).named(f"brick_{course}_{k}")
            centre = (length * (left + right) / 2, 0.0, height * (course + 0.5))
            bricks.append(brick.at(centre))
    return bricks


def shot_wall(courses, wide, distance=0.3, speed=10.0, **options):
    """A wall, a ball of 10 kg that flies at its front, and the state."""
    radius = 0.1
    place = (0.03, -(BRICK[1] / 2 + radius + distance), BRICK[2] * courses / 2 + 0.01)
    ball = st.robots.ball(radius, 10.0).named("ball").at(place)
    world = st.World(*wall(courses, wide), ball, **options)
    state = world.home()
    state.v[-5] = speed
    return world, state


def wedge(name, corners, width, density=2000.0):
    """A prism with this outline in the x-z plane, free to move; its frame is its centre of mass."""
    corners = np.asarray(corners)
    x, z = corners.T
    x_next, z_next = np.roll(x, -1), np.roll(z, -1)
    each = x * z_next - x_next * z
    area = each.sum() / 2
    centre = np.array([((x + x_next) * each).sum(), ((z + z_next) * each).sum()]) / (6 * area)
    mass = density * abs(area) * width
    x, z = (corners - centre).T
    x_next, z_next = np.roll(x, -1), np.roll(z, -1)
    each = (x * z_next - x_next * z) / (2 * area)
    xx = ((x * x + x * x_next + x_next * x_next) * each).sum() / 6
    zz = ((z * z + z * z_next + z_next * z_next) * each).sum() / 6
    xz = ((2 * x * z + 2 * x_next * z_next + x * z_next + x_next * z) * each).sum() / 12
    yy = width * width / 12
    inertia = mass * np.array([yy + zz, 0.0, -xz, xx + zz, 0.0, xx + yy])
    vertices = tuple(
        (a, side * width / 2, b) for a, b in zip(x, z, strict=True) for side in (-1, 1)
    )
    link = Link(name, mass, (0.0, 0.0, 0.0), tuple(inertia))
    free = Joint(f"{name}_free", "free", WORLD, name)
    shape = Shape(name, name, "hull", (), vertices=vertices)
    robot = st.Robot.from_description(Description(name, "tests", (link,), (free,), (shape,)))
    return robot.at((centre[0], 0.0, centre[1]))


def arch(count, inner=0.5, thickness=0.15, width=0.2):
    """A semicircle of wedges on the ground."""
    angles = np.linspace(0.0, np.pi, count + 1)
    outer = inner + thickness
    stones = []
    for k, (a, b) in enumerate(zip(angles[:-1], angles[1:], strict=True)):
        corners = [
            (r * np.cos(t), r * np.sin(t))
            for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))
        ]
        stones.append(wedge(f"stone_{k}", corners, width))
    return st.World(*stones)


def card(name, centre, turn, thickness, length=0.09, width=0.06):
    """A card of 2 g per 9 cm, its long side along its z axis, turned about y."""
    body = st.robots.box((thickness, width, length), 2e-3 * length / 0.09).named(name)
    return body.at(centre, (np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0))


def card_house(storeys, lean=0.3, thickness=3e-4):
    """Pairs of cards that lean on each other, and shorter ones that lie on them."""
    length, gap = 0.09, 1e-4
    rise = length * np.cos(lean) + thickness * np.sin(lean)
    half = (length * np.sin(lean) + thickness * np.cos(lean)) / 2
    pitch = 4 * half + gap
    cards, low = [], 0.0
    for storey in range(storeys):
        tents = storeys - storey
        for k in range(tents):
            x = (k - (tents - 1) / 2) * pitch
            for side in (-1, 1):
                centre = (x + side * half, 0.0, low + rise / 2)
                cards.append(card(f"card_{storey}_{k}_{side}", centre, -side * lean, thickness))
        low += rise
        for k in range(tents - 1):
            x = (k - (tents - 2) / 2) * pitch
            centre = (x, 0.0, low + thickness / 2)
            flat = card(f"flat_{storey}_{k}", centre, np.pi / 2, thickness, length=pitch - gap)
            cards.append(flat)
        low += thickness
    return st.World(*cards)


def loaded_plate(count, edge=0.05):
    """A heavy plate on the ground, and cubes in a square on it: four points each."""
    side = int(np.ceil(np.sqrt(count)))
    plate = st.robots.box((2 * edge * side, 2 * edge * side, 0.02), 20.0).named("plate")
    members = [plate.at((0.0, 0.0, 0.01))]
    for k in range(count):
        x, y = (2 * edge * (n - (side - 1) / 2) for n in divmod(k, side))
        cube = st.robots.box((edge,) * 3, 0.5).named(f"cube_{k}")
        members.append(cube.at((x, y, 0.02 + edge / 2)))
    return st.World(*members)


def loaded_cart(boxes=3, edge=0.1):
    """A cart and boxes stacked on its deck."""
    cart = st.robots.cart()
    deck = 2 * 0.05 + 0.03
    members = [cart]
    for k in range(boxes):
        box = st.robots.box((edge,) * 3, 1.0).named(f"box_{k}")
        members.append(box.at((0.05, 0.0, deck + edge * (k + 0.5))))
    return st.World(*members)


def stack(count, size, mass):
    """Equal boxes on top of each other."""
    boxes = [st.robots.box(size, mass).named(f"box_{k}") for k in range(count)]
    return st.World(*(b.at((0.0, 0.0, size[2] * (k + 0.5))) for k, b in enumerate(boxes)))
