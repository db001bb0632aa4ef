"""Trials of one robot: it loads, stands for 5 s, and walks a planned pattern, under `Coulomb`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from stiction.contact.coulomb import Coulomb
from stiction.control.reference import Reference
from stiction.control.tracking import PDTracking
from stiction.errors import MissingRobot, StictionError
from stiction.motion.motion import Motion
from stiction.patterns.body import Body
from stiction.patterns.feedforward import carried_inertia
from stiction.patterns.pattern import Pattern
from stiction.patterns.stance import stance
from stiction.patterns.walking import walk
from stiction.robot.load import load
from stiction.robot.robot import Robot
from stiction.simulation.recording import Recording
from stiction.simulation.simulate import simulate
from stiction.world import mechanics
from stiction.world.ground import Plane
from stiction.world.soles import soles
from stiction.world.world import World

STANDS_FOR = 5.0  # [s]
STEPS = 4
FLOOR = Coulomb(mu_static=0.8, mu_kinetic=0.6)
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"inertia": "repair"}, {"unsimulated": "ignored"})
WALKS = (  # length of a step, height of the centre of mass and width, over the default ones
    *((1.0, 1.0, 1.0), (1.0, 0.95, 1.0), (1.0, 0.9, 1.0), (1.0, 0.85, 1.0)),
    *((0.5, 1.02, 1.0), (0.5, 1.0, 1.0), (0.5, 1.0, 1.3), (0.5, 0.95, 1.0), (0.5, 0.9, 1.0)),
    (0.25, 1.03, 1.0),
)
EVERY = Recording(every=10)
MOST_TILT = 10.0  # of the base off its plan, or off where it stood [degrees]
FARTHEST = 0.1  # of the base from there in the end, over the height of the centre of mass


def trial(name: str, two_feet: bool) -> dict[str, Any]:
    """What a robot does: `loads`, `stands`, `walks` (None: it has more than two feet).

    `with` lists what was asked for beyond `st.load(name)`, and `reason` says what failed. Raises
    MissingRobot for a robot that is not on this machine.
    """
    row: dict[str, Any] = {"loads": False, "stands": False, "walks": False if two_feet else None}
    row |= {"with": [], "reason": ""}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            robot = loaded(name, row["with"])
            row["loads"] = True
            robot = on_feet(robot, row["with"])
            stand(robot)
            row["stands"] = True
            if two_feet:
                follow(planned(robot, row["with"]))
                row["walks"] = True
        except MissingRobot:
            raise
        except (StictionError, _NotHeld) as error:
            row["reason"] = str(error)
    return row


class _NotHeld(Exception):  # noqa: N818 - it is no error, but an outcome
    """What went wrong in a simulation."""


def loaded(name: str, asked: list[str]) -> Robot:
    """The robot, read with the fewest of `OPTIONS`."""
    first: StictionError | None = None
    for options in OPTIONS:
        try:
            robot = load(name, **options)
        except MissingRobot:
            raise
        except StictionError as error:
            first = first or error
        else:
            asked += [f'{option}="{value}"' for option, value in options.items()]
            return robot
    assert first is not None
    raise first


def on_feet(robot: Robot, asked: list[str]) -> Robot:
    """The robot in a pose in which it can stand; if no feet collide, all shapes do."""
    if len(_feet(robot)) < 2 or 0 in _feet(robot):
        names = sorted(set(robot.shape_name[robot.shape_link >= 0].tolist()))
        if not names:
            raise _NotHeld("no link has a shape")
        robot = robot.with_colliding(*names)
        asked.append("with_colliding(all shapes)")
    try:
        posed = stance(robot)
    except StictionError:
        if len(_feet(robot)) < 2:
            raise
        return robot  # it may stand at home nevertheless
    if not np.array_equal(posed.home, robot.home):
        asked.append("stance()")
    return posed


def _feet(robot: Robot) -> set[int]:
    """Links that carry the robot at home."""
    names = [sole.link for sole in soles(robot)]
    return set(np.flatnonzero(np.isin(robot.link_name, names)).tolist())


def stand(robot: Robot) -> None:
    """Stand at home, all joints held by springs and dampers of the robot's own time scale."""
    world = World(robot, ground=Plane())
    state = world.standing()
    height = float(mechanics.centre_of_mass(world, state.q)[2])
    frequency = 4 * np.sqrt(9.81 / height)
    inertia = carried_inertia(world, state.q, _carrying(robot))
    single = _single(world)
    hold = PDTracking(
        Reference([0.0, STANDS_FOR], [state.q, state.q]),
        stiffness=frequency**2 * inertia[single],
        damping=2 * frequency * inertia[single],
    )
    motion = simulate(world, FLOOR, state=state, controller=hold, duration=STANDS_FOR, record=EVERY)
    judge(motion, np.tile(state.q, (len(motion.time), 1)), height, "standing")


def planned(robot: Robot, asked: list[str]) -> Pattern:
    """Four steps as by default, or lower or shorter ones where joints have less range."""
    first: StictionError | None = None
    for factors in WALKS:
        try:
            return _walk(robot, factors, asked)
        except StictionError as error:
            first = first or error
    assert first is not None
    raise first


def _walk(robot: Robot, factors: tuple[float, float, float], asked: list[str]) -> Pattern:
    if factors == WALKS[0]:
        return walk(robot, steps=STEPS)
    body = Body(robot)
    length = 0.15 * body.leg_length * factors[0]
    height, width = body.height_for(length) * factors[1], body.home_width() * factors[2]
    pattern = walk(robot, steps=STEPS, step_length=length, height=height, width=width)
    told = f"step_length={length:.3g}, height={height:.3g}"
    asked.append(f"walk({told})" if factors[2] == 1.0 else f"walk({told}, width={width:.3g})")
    return pattern


def follow(pattern: Pattern) -> None:
    """Walk a pattern, tracked with its torques."""
    world = World(pattern.robot, ground=Plane())
    motion = simulate(
        world,
        FLOOR,
        state=pattern.state,
        controller=pattern.tracking(),
        duration=pattern.duration,
        record=EVERY,
    )
    plan = np.array(
        [[np.interp(t, pattern.time, column) for column in pattern.q.T] for t in motion.time]
    )
    judge(motion, plan, float(pattern.centre_of_mass[0, 2]), "walking")


def judge(motion: Motion, plan: np.ndarray, height: float, doing: str) -> None:
    """Raise unless the base kept to its plan."""
    dots = np.abs((motion.q[:, 3:7] * plan[:, 3:7]).sum(axis=1))
    dots /= np.linalg.norm(plan[:, 3:7], axis=1)
    tilt = np.degrees(2 * np.arccos(np.clip(dots, 0, 1)))
    off = float(np.linalg.norm(motion.q[-1, :3] - plan[-1, :3])) / height
    if tilt.max() > MOST_TILT:
        when = motion.time[np.argmax(tilt > MOST_TILT)]
        raise _NotHeld(f"{doing}: tilts by {MOST_TILT:.0f} degrees at {when:.2f} s")
    if off > FARTHEST:
        raise _NotHeld(f"{doing}: ends {off * height:.3f} m from its plan")


def _single(world: World) -> list[int]:
    """Coordinates of the revolute and prismatic joints, in the order of `PDTracking`."""
    tree = world.tree
    sizes = np.diff(np.append(tree.v_index[1:], world.nv))
    return [int(d) for d, size in zip(tree.v_index[1:], sizes, strict=True) if size == 1]


def _carrying(robot: Robot) -> set[int]:
    """Links between the base (excluded) and the feet."""
    links = set()
    for link in _feet(robot):
        while link > 0:
            links.add(link)
            link = int(robot.parent[link])
    return links
