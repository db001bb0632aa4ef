"""Small mechanisms with known closed forms, for the tests."""

import os
import sys
from collections.abc import Callable

import numpy as np

from stiction.collision.detection import detect
from stiction.contact.spring_damper import SpringDamper
from stiction.description.description import WORLD, Description, Joint, Link
from stiction.kernels.kinematics import forward_kinematics, velocities
from stiction.kernels.tree import allocate
from stiction.robot.robot import Robot
from stiction.simulation.allocation import make_surface
from stiction.world.world import World

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def fewer(compiled: int, interpreted: int) -> int:
    """How many cases to run: without the compiler kernels are a hundred times slower."""
    return compiled if JIT else interpreted


def one_joint(kind: str, link: Link, **joint: float) -> Robot:
    """A link hanging on the world by one joint about, or along, y."""
    hinge = Joint("joint", kind, WORLD, link.name, axis=(0.0, 1.0, 0.0), **joint)
    return Robot.from_description(Description("mechanism", "tests", (link,), (hinge,)))


def pendulum(length: float = 0.5, mass: float = 1.2, **joint: float) -> Robot:
    """A point mass on a rod without mass, swinging about y; hangs down at zero."""
    return one_joint("revolute", Link("bob", mass, (0.0, 0.0, -length), (0.0,) * 6), **joint)


def slider(mass: float = 2.0, **joint: float) -> Robot:
    """A mass that slides along y."""
    return one_joint(
        "prismatic", Link("block", mass, (0.0, 0.0, 0.0), (0.01, 0, 0, 0.01, 0, 0.01)), **joint
    )


def top(
    mass: float = 0.8, height: float = 0.15, across: float = 0.004, along: float = 0.002
) -> Robot:
    """A symmetric top on a spherical joint at the origin; inertia about its centre of mass."""
    spinning = Link("top", mass, (0.0, 0.0, height), (across, 0.0, 0.0, across, 0.0, along))
    joint = Joint("tip", "spherical", WORLD, "top")
    return Robot.from_description(Description("top", "tests", (spinning,), (joint,)))


def chain(links: int, **joint: float) -> Robot:
    """Equal links in a row, hinged about axes that turn by a right angle from one to the next."""
    axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    bodies, joints = [], []
    for i in range(links):
        bodies.append(
            Link(f"link{i}", 0.5, (0.0, 0.02, -0.1), (0.004, 0.0, 0.0, 0.004, 0.0, 0.001))
        )
        parent, place = (WORLD, (0.0, 0.0, 0.0)) if i == 0 else (f"link{i - 1}", (0.0, 0.0, -0.2))
        joints.append(
            Joint(
                f"joint{i}",
                "revolute",
                parent,
                f"link{i}",
                position=place,
                axis=axes[i % 2],
                **joint,
            )
        )
    return Robot.from_description(Description("chain", "tests", tuple(bodies), tuple(joints)))


def held(robot: Robot, stiffness: float = 200.0, damping: float = 5.0, base: int = 6) -> Robot:
    """A robot whose hinges have springs and dampers that hold it in its home pose.

    They replace a controller: the robot takes the same compiled steps as one without. All
    coordinates but those of the base are hinges.
    """
    hinges = np.arange(robot.nv) >= base
    return robot.with_joints(
        stiffness=stiffness * hinges,
        damping=robot.damping + damping * hinges,
        spring_reference=np.append(np.zeros(base), World(robot).home().q[base - robot.nv :]),
    )


def turned(axis: tuple, angle: float) -> np.ndarray:
    """Quaternion of a rotation."""
    unit = np.array(axis) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * unit)])


def detected(world: World, q: np.ndarray, v: np.ndarray | None = None, reach_time: float = 0.0):
    """The rows of `Contact` that are in use after `detect`, by field, and the links that touch."""
    surface, _, _ = make_surface(world, SpringDamper())
    dynamics, contact = allocate(world.tree), surface.contact
    forward_kinematics(dynamics, q)
    velocities(dynamics, np.zeros(world.nv) if v is None else v)
    detect(surface.points, surface.ground, dynamics, contact, reach_time)
    fields = "point touching group pair body_a depth arm normal velocity".split()
    rows = {name: getattr(contact, name)[: contact.count[0]].copy() for name in fields}
    return rows | {"touching_link": contact.touching_link[: contact.touching_count[0]].copy()}


def calls_of(function: Callable[[], object]) -> int:
    """Number of function calls, of Python and of C, that a call makes: work, whatever the machine.

    Unlike time, it is the same on a busy machine.
    """
    count, before = 0, sys.getprofile()

    def tell(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tell)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def random_pose(rng: np.random.Generator, height: float) -> np.ndarray:
    """Positions of a free link at a height [m], turned any way."""
    quaternion = rng.normal(size=4)
    return np.array(
        [*rng.uniform(-0.3, 0.3, 2), height, *(quaternion / np.linalg.norm(quaternion))]
    )
