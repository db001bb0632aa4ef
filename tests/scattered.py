"""Worlds of many free and fixed shapes of all kinds, scattered at random or in difficult ways."""

import numpy as np

from stiction import Robot, World
from stiction.collision.broad_phase import BroadPhase, allocate_broad_phase
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.world.colliding_pairs import bounds_of, pair_filter_of

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "hull": 0}
INERTIA = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)


def turn(rng: np.random.Generator) -> tuple[float, ...]:
    """A random unit quaternion."""
    quaternion = rng.normal(size=4)
    return tuple((quaternion / np.linalg.norm(quaternion)).tolist())


def random_shape(rng: np.random.Generator, name: str, link: str, size: float) -> Shape:
    """A shape of random kind, size and pose in its link, and with one of three masks."""
    kind = str(rng.choice(list(SIZES)))
    sizes = tuple(rng.uniform(0.2 * size, size, SIZES[kind]).tolist())
    vertices = tuple(map(tuple, rng.normal(0.1, 0.5 * size, (8, 3)).tolist()))
    place = tuple(rng.normal(0.0, size, 3).tolist()) if link != WORLD else (0.0, 0.0, 0.0)
    return Shape(
        name,
        link,
        kind,
        sizes,
        position=place,
        quaternion=turn(rng),
        vertices=vertices if kind == "hull" else (),
        mask=(int(rng.choice([1, 2, 3])), int(rng.choice([1, 3]))),
    )


def scattered(rng: np.random.Generator, n: int, size: float = 0.1, fixed: int = 0) -> World:
    """A world of n free bodies of one shape each, after `fixed` random shapes on a huge floor."""
    links = tuple(Link(f"body_{i}", 1.0, (0.0, 0.0, 0.0), INERTIA) for i in range(n))
    joints = tuple(Joint(f"free_{i}", "free", WORLD, f"body_{i}") for i in range(n))
    shapes = [random_shape(rng, f"shape_{i}", f"body_{i}", size) for i in range(n)]
    if fixed:
        floor = Shape("floor", WORLD, "box", (50.0, 50.0, 1.0), position=(0.0, 0.0, -1.0))
        shapes = [floor, *(random_shape(rng, f"fixed_{i}", WORLD, size) for i in range(fixed))]
        shapes += [random_shape(rng, f"shape_{i}", f"body_{i}", size) for i in range(n)]
    robot = Robot.from_description(Description("many", "test", links, joints, tuple(shapes)))
    return World(robot)


def placed(world: World, positions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions q of a scattered world: bodies at the given places, turned at random."""
    q = np.zeros((len(positions), 7))
    q[:, :3] = positions
    q[:, 3:] = rng.normal(size=(len(positions), 4))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    assert q.size == world.nq
    return q.reshape(-1)


def broad_phase(world: World, capacity: int) -> BroadPhase:
    """The broad phase of a world, no pair near yet."""
    return allocate_broad_phase(bounds_of(world.robots), pair_filter_of(world.robots), capacity)


def instant(world: World, q: np.ndarray):
    """Dynamics with the poses of all links."""
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    return dynamics
