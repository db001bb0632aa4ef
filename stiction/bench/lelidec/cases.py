"""Scenes after Le Lidec et al., "Contact Models in Robotics: a Comparative Analysis" (2023).

Their scenes by kind; sizes, speeds and robots are ours. The quadruped is Unitree Go2, the humanoid
Unitree G1, which land on their feet while servos hold their joints. All engines can have these
robots once rotor inertia and friction of joints are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.data import G1, GO2, MENAGERIE, data_file

EDGE = 0.2  # of a cube [m]
MU, GRIP = 0.4, 0.9  # friction of cubes, and of robots
HEADING = math.radians(30.0)
SLIDE = (1.5, 2.0)  # speed [m/s] and angular speed [rad/s] of the sliding cube
DRAG = 1.3  # force on the dragged cube over mu m g
LIGHT, HEAVY = 1e-3, 1e3  # [kg]
LANDING = (0.3, 0.01)  # speed forward [m/s], height above the ground [m]
SERVO = {"Go2": (60.0, 2.0), "G1": (200.0, 5.0)}  # [N m/rad], [N m s/rad]
BUMPS = (0.01, 0.15)  # height and length of a bump [m]


class Scene(NamedTuple):
    """What all models and engines simulate."""

    name: str
    world: st.World
    state: st.State
    duration: float  # [s]
    mu: float
    mass: float  # on a contact point, for models whose parameters depend on it [kg]
    controller: Any = None
    forces: tuple[Any, ...] = ()


def sliding_cube() -> Scene:
    """A cube slides and turns until it stops."""
    world = st.World(st.robots.box((EDGE,) * 3, 1.0))
    state = world.standing()
    state.v[:2] = SLIDE[0] * np.array([math.cos(HEADING), math.sin(HEADING)])
    state.v[5] = SLIDE[1]
    return Scene("sliding cube", world, state, 0.6, MU, 0.25)


def dragged_cube() -> Scene:
    """A cube at rest is dragged by a force on its centre that is larger than its friction."""
    world = st.World(st.robots.box((EDGE,) * 3, 1.0))
    size = DRAG * MU * 9.81
    pull = np.array([size * math.cos(HEADING), size * math.sin(HEADING), 0.0])
    drag = st.TabulatedForce("box", (0.0, 0.0, 0.0), [0.0, 10.0], [pull, pull])
    return Scene("dragged cube", world, world.standing(), 0.6, MU, 0.25, forces=(drag,))


def stack() -> Scene:
    """A cube of 1000 kg on one of 1 g."""
    cubes = [
        st.robots.box((EDGE,) * 3, mass).at((0.0, 0.0, (k + 0.5) * EDGE))
        for k, mass in enumerate((LIGHT, HEAVY))
    ]
    world = st.World(*cubes)
    return Scene("stack 1e-3, 1e3 kg", world, world.home(), 0.4, MU, LIGHT / 4)


def quadruped(bumpy: bool) -> Scene:
    """Go2 lands on its four feet."""
    feet = ("FL", "FR", "RL", "RR")
    return landing("Go2", st.load(data_file(GO2, MENAGERIE)).with_colliding(*feet), 4, bumpy)


def humanoid(bumpy: bool) -> Scene:
    """G1 lands on its two feet."""
    soles = ("left_foot_box_collision", "right_foot_box_collision")
    return landing("G1", st.load(data_file(G1, MENAGERIE)).with_colliding(*soles), 8, bumpy)


def landing(name: str, robot: st.Robot, points: int, bumpy: bool) -> Scene:
    """A robot whose joints are held lands, moving forward, on flat or bumpy ground."""
    light = robot.with_joints(armature=0.0, friction=0.0)
    world = st.World(light, ground=bumps() if bumpy else st.Plane())
    state = world.standing(above=LANDING[1])
    state.v[0] = LANDING[0]
    stiffness, damping = SERVO[name]
    hold = st.PDTracking(st.Reference([0.0, 10.0], [state.q] * 2), stiffness, damping)
    mass = robot.total_mass / points
    told = f"{name}, {'bumpy' if bumpy else 'flat'}"
    return Scene(told, world, state, 0.4, GRIP, mass, controller=hold)


def bumps() -> st.HeightField:
    """Round bumps, 1 cm high and 15 cm long."""
    high, long = BUMPS
    x = np.linspace(-1.5, 1.5, 121)
    x, y = np.meshgrid(x, x)
    heights = high * np.sin(math.pi * x / long) ** 2 * np.sin(math.pi * y / long) ** 2
    return st.HeightField(heights, 3.0 / 120)


SCENES: dict[str, Callable[[], Scene]] = {
    "sliding cube": sliding_cube,
    "dragged cube": dragged_cube,
    "stack": stack,
    "quadruped": lambda: quadruped(False),
    "quadruped bumpy": lambda: quadruped(True),
    "humanoid": lambda: humanoid(False),
    "humanoid bumpy": lambda: humanoid(True),
}
