"""Drops of hoap1 onto the springs of section IV-B; when they show the contrast of Fig. 6."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.errors import SimulationError, StabilityWarning
from stiction.papers.balanced.measured import leap
from stiction.papers.balanced.walks import FEET
from stiction.scenes import Scene, scene
from stiction.world.contact_points import SOLE_POINTS

LAWS: dict[str, Any] = {"Eq. (13)": st.SpringDamper, "Eq. (14)": st.ImplicitSpringDamper}
LONG = 0.0025  # the step of Fig. 6 [s]
SOLES = {4: (2, 2), 8: (4, 2), 16: (4, 4)}  # vertices of a sole, and how they are laid out
SERVOS = ((10.0, 0.1), (40.0, 0.5), (200.0, 2.0), (400.0, 4.0))  # [N m/rad, N m s/rad]
DAMPERS = (282.0, 141.0, 28.2, 2.82, 0.0)  # printed, and weaker [N s/m]
PITCHES = (0.0, 3.0)  # of the robot when it is dropped [degrees]
LEAPS, CALM = 0.010, 0.002  # clearance of a leap, and of a robot that stays [m]


class Case(NamedTuple):
    """A way to drop the robot; the values of the scene unless stated."""

    vertices: int = 4  # under each sole
    servo: tuple[float, float] = (40.0, 0.5)  # [N m/rad, N m s/rad]
    damping: float = 282.0  # of the floor, per vertex [N s/m]
    pitch: float = 0.0  # [degrees]
    stiffness: float = 4410.0  # of the floor, per vertex [N/m]
    unilateral: float = 1.0
    sticking: float = 1.0
    feet: float = 1.0  # mass of a foot over ours


PRINTED = Case()


def robot_with(vertices: int, feet: float = 1.0) -> st.Robot:
    """HOAP-1 with a number of vertices under each sole, and with heavier feet."""
    robot = st.robots.hoap1()
    if vertices != 4:  # a box has four corners
        for foot in FEET:
            robot = robot.with_sole_points(foot, *SOLES[vertices])
    heavier = np.where(np.isin(robot.link_name, FEET), feet, 1.0)
    return replace(robot, mass=heavier * robot.mass, inertia=heavier[:, None] * robot.inertia)


def drop(law: str, case: Case, dt: float) -> st.Motion:
    """Drop the robot as the scene does, with other feet, servos and floor."""
    one = scene("balanced-drop")
    world = st.World(robot_with(case.vertices, case.feet))
    state = world.standing()
    half = np.radians(case.pitch) / 2
    state.q[3:7] = np.cos(half), 0.0, np.sin(half), 0.0
    world.put_on_ground(state.q, one.robots[0].above)
    home = world.home().q
    servos = st.PDTracking(st.Reference([0.0, 1.0], [home, home]), *case.servo)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        return st.simulate(
            world,
            floor(law, one, case),
            duration=one.lasts(),
            dt=dt,
            state=state,
            controller=servos,
            integrator=one.integrator,
        )


def floor(law: str, one: Scene, case: Case) -> Any:
    """The springs of a case: each vertex has the whole stiffness, however many there are."""
    share = max(1.0, case.vertices / SOLE_POINTS)
    return LAWS[law](
        stiffness=share * case.stiffness,
        damping=share * case.damping,
        mu_kinetic=one.contact.mu_kinetic,
        unilateral=case.unilateral,
        sticking=case.sticking,
    )


def leap_of(law: str, case: Case, dt: float) -> float:
    """Clearance after the first touch [m]; infinite if the simulation diverges."""
    try:
        return leap(drop(law, case, dt))
    except SimulationError:
        return np.inf


def search() -> list[tuple[Case, float, float]]:
    """Feet, servos, dampers and attitudes with the leaps of Eq. (13) and Eq. (14) at 2.5 ms [m]."""
    cases = [Case(*one) for one in itertools.product(SOLES, SERVOS, DAMPERS, PITCHES)]
    cases += [
        Case(4, (40.0, 0.5), damping, 0.0, unilateral=one, sticking=other)
        for damping in DAMPERS
        for one, other in ((0.0, 1.0), (1.0, 0.0), (0.0, 0.0))
    ]
    usual, proposed = LAWS
    return [(one, leap_of(usual, one, LONG), leap_of(proposed, one, LONG)) for one in cases]


def contrasts(found: list[tuple[Case, float, float]]) -> list[Case]:
    """The cases in which Eq. (13) leaps and Eq. (14) leaps at most half as high."""
    return [case for case, one, other in found if one >= LEAPS and other <= one / 2]
