"""Test bodies for the laws, and states in which they land."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.robot.robot import Robot
from stiction.world.contact_points import contact_points_of
from stiction.world.world import State, World

GRIDS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2), 16: (4, 4), 64: (8, 8)}
TRIPOD = ((1.0, -1.0), (1.0, 1.0), (-1.0, 0.0))


def quaternion(axis: ArrayLike, angle: float) -> np.ndarray:
    """Quaternion of a rotation."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * unit)])


def plate(
    points: int,
    *,
    order: Iterable[int] | None = None,
    length: float = 1.0,
    mass: float = 1.0,
    size: Sequence[float] = (0.2, 0.1, 0.06),
    total_mass: float = 2.0,
) -> Robot:
    """A brick that touches with a grid of small spheres under it, in given units.

    On three points, a tripod, it is statically determinate, whatever the gaps below them. order:
    order in which the spheres are declared; length, mass: the new units in m and kg.
    """
    x, y, z = (side / length for side in size)
    m, radius = total_mass / mass, 0.005 / length
    inertia = (
        m * (y * y + z * z) / 12,
        0.0,
        0.0,
        m * (x * x + z * z) / 12,
        0.0,
        m * (x * x + y * y) / 12,
    )
    grid = [(u * x / 2, w * y / 2, -z / 2) for u, w in corners(points)]
    numbers = range(points) if order is None else order
    shapes = tuple(Shape(f"point{k}", "plate", "sphere", (radius,), grid[k]) for k in numbers)
    link = Link("plate", m, (0.0, 0.0, 0.0), inertia)
    free = Joint("free", "free", WORLD, "plate")
    return Robot.from_description(
        Description("plate", "stiction.promises", (link,), (free,), shapes)
    )


def corners(points: int) -> list[tuple[float, float]]:
    """Positions of the points of a plate, from -1 to 1 along and across."""
    if points == 3:
        return list(TRIPOD)
    lines = [np.linspace(-1, 1, n) if n > 1 else np.zeros(1) for n in GRIDS[points]]
    return [(u, w) for u in lines[0] for w in lines[1]]


def thrown(
    world: World,
    rng: np.random.Generator,
    *,
    tilt: float = 0.0,
    speed: float = 1.0,
    sinking: float = 0.5,
    spin: float = 2.0,
    joints: float = 0.0,
    above: float = 0.0,
) -> State:
    """A state in which every robot is about to land, slides and spins; numbers are magnitudes."""
    robots = []
    for k, robot in enumerate(world.robots):
        angle = rng.uniform(-tilt, tilt)
        heading = rng.uniform(0, 2 * np.pi)
        turn = quaternion((np.cos(heading), np.sin(heading), 0.3), angle)
        robots.append(robot.at((1.0 * k, 0.0, 0.0), turn) if robot.nq >= 7 else robot)
    state = World(*robots, ground=world.ground).standing(above=above)
    tree = world.tree
    for link in range(1, len(tree.parent)):
        first, last = tree.v_index[link], tree.v_index[link + 1]
        if last - first == 6:
            heading = rng.uniform(0, 2 * np.pi)
            state.v[first : first + 2] = speed * np.array([np.cos(heading), np.sin(heading)])
            state.v[first + 2] = -rng.uniform(0, sinking)
            state.v[first + 3 : last] = spin * rng.uniform(-1, 1, 3)
        else:
            q = tree.q_index[link]
            low, high = max(tree.lower[first], -1.0), min(tree.upper[first], 1.0)
            middle, half = (low + high) / 2, (high - low) / 2
            state.q[q] = middle + 0.8 * half * rng.uniform(-1, 1) if joints else state.q[q]
            state.v[first:last] = joints * rng.uniform(-1, 1)
    if joints:
        lower_to(world, state, above)
    return state


def lower_to(world: World, state: State, above: float) -> None:
    """Move a single free robot up or down until its lowest point is `above` the level ground."""
    position, _, radius = contact_points_at(world, state.q)
    state.q[2] += above - (position[:, 2] - radius).min()


def contact_points_at(world: World, q: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres (n, 3), links (n) and radii (n) of all contact points at a configuration."""
    contact_points, _, _ = contact_points_of(world)
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, np.array(q))
    origin = dynamics.origin[world.tree.root[contact_points.link]]
    arm = np.einsum("nij,nj->ni", dynamics.rotation[contact_points.link], contact_points.centre)
    return (
        origin + dynamics.position[contact_points.link] + arm,
        contact_points.link,
        contact_points.radius,
    )
