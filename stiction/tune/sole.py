"""Search for the number, spacing and parameters of the contact points of a sole.

Bruneau & Ouezdou, "Distributed Ground/Walking Robot Interaction", section 4, chose parameters by
trial so that a foot sinks by at most 1 cm and shifts by at most 1 mm, and left the number of points
on irregular ground to further work. Here

1. a level sole is lowered, at many seeded places and headings, onto waves of a given amplitude and
   wavelength until its first point touches; the result is the coarsest grid between whose points
   the ground rises through the sole by no more than allowed;
2. a box with the sole's points and the load on one foot is dropped and then pulled in the
   simulator under `Distributed`; bisection finds the stiffnesses for the desired depth and shift.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import stiction as st
from stiction.contact.contact_model import checked_model
from stiction.errors import InputError
from stiction.simulation.allocation import make_surface
from stiction.simulation.arguments import is_real
from stiction.simulation.stability import longest_step

Progress = Callable[[float], None]

GRAVITY = 9.81  # [m/s2]
PLACEMENTS = 200  # of a sole on rough ground
CELLS = 149  # of the ground along the longer edge; a prime, so that no coarser grid fits
MOST_ALONG = 64  # points of the finest grid tried
TOLERANCE = 0.01  # relative, of the desired interference
HALVINGS = 40
SPREAD = 1e4  # ratio of the stiffest to the softest spring tried
SETTLING = 0.4  # simulated time of a landing, and of a pull [s]
STEPS_A_BOUND = 8  # steps per longest stable step of the law; keeps errors below TOLERANCE
PULLED = 0.5  # pull over the force at which the foot would slide
ALPHA, BETA = 1.2, 1.0  # the paper's spring; its beta of 0.02 would make the force jump at landing


@dataclass(frozen=True)
class Task:
    """Requirements for a sole."""

    depth: float = 0.01  # desired largest normal interference [m]
    shift: float = 0.001  # desired largest tangential interference [m]
    amplitude: float = 0.005  # of the ground: heights are within this of its mean [m]
    wavelength: float = 0.1  # [m]
    unseen: float | None = None  # largest bump between points; None: a tenth of the amplitude [m]
    load: float | None = None  # on one foot; None: the weight of the robot [N]
    speed: float = 0.5  # of the landing [m/s]
    mu_static: float = 0.7
    mu_kinetic: float = 0.4
    damping_ratio: float = 1.0  # of both springs at half the interference
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise InputError for impossible values."""
        for name, value in vars(self).items():
            if value is None and name in ("unseen", "load"):
                continue
            free = name in ("amplitude", "seed", "mu_kinetic")
            if not is_real(value) or value < 0 or (value == 0 and not free):
                wanted = "a number of at least 0" if free else "a positive number"
                raise InputError(f"tune sole: {name} is {value!r}; give {wanted}")


def tune_sole(
    robot: st.Robot, foot: str, task: Task | None = None, progress: Progress = lambda part: None
) -> dict[str, Any]:
    """Return a grid of points and parameters for a foot, and how well they meet the task."""
    task = task or Task()
    length, width = sole_size(robot, foot)
    load = robot.total_mass * GRAVITY if task.load is None else task.load
    allowed = task.amplitude / 10 if task.unseen is None else task.unseen
    along, across, bump = coarsest_grid(length, width, task, allowed)
    progress(0.1)
    box = st.robots.box((length, width, width), load / GRAVITY)
    box, points = box.with_sole_points("box", along, across), along * across
    law, depth = find_normal(box, points, task, lambda part: progress(0.1 + 0.6 * part))
    law, shift = find_tangential(box, points, law, task, lambda part: progress(0.7 + 0.3 * part))
    robot_points = st.World(robot.with_sole_points(foot, along, across))
    found = [
        compared("unseen bump [m]", bump, allowed, bump <= allowed),
        compared("depth [m]", depth, task.depth, abs(depth / task.depth - 1) <= TOLERANCE),
        compared("shift [m]", shift, task.shift, abs(shift / task.shift - 1) <= TOLERANCE),
    ]
    return {
        "robot": robot.name,
        "foot": foot,
        "sole [m]": f"{length:g} x {width:g}",
        "load [N]": load,
        "points": {"along": along, "across": across},
        "spacing [m]": {"along": length / (along - 1), "across": width / (across - 1)},
        "largest": found,
        "parameters of Distributed": law._asdict(),
        "longest dt on the robot [s]": bearable_on(robot_points, law, task.depth),
        "holds": all(row["holds"] for row in found),
    }


def compared(what: str, found: float, wanted: float, holds: bool) -> dict[str, Any]:
    """Return a row of the result."""
    return {"what": what, "found": found, "wanted": wanted, "holds": bool(holds)}


def sole_size(robot: st.Robot, foot: str) -> tuple[float, float]:
    """Length and width [m] of the face under a foot."""
    first, along, across, _ = robot.with_sole_points(foot, 2, 2).vertices[-4:]
    return float(np.linalg.norm(along - first)), float(np.linalg.norm(across - first))


# ------------------------------------------------------------------------------------------- points


def coarsest_grid(
    length: float, width: float, task: Task, allowed: float
) -> tuple[int, int, float]:
    """Return numbers of evenly spaced points along and across, and the largest unseen bump [m]."""
    ground = rough_ground(task, np.random.default_rng(task.seed))
    highest = ground(*sole_points(length, width, CELLS + 1, 1 + round(CELLS * width / length)))
    bump = math.inf
    for along in range(2, MOST_ALONG + 1):
        across = max(2, 1 + round((along - 1) * width / length))
        felt = ground(*sole_points(length, width, along, across))
        bump = max(0.0, float((highest - felt).max()))
        if bump <= allowed:
            break
    return along, across, bump


def sole_points(length: float, width: float, along: int, across: int) -> list[np.ndarray]:
    """Both coordinates of a grid that covers a sole up to its edges [m]."""
    x, y = np.linspace(-length / 2, length / 2, along), np.linspace(-width / 2, width / 2, across)
    return [axis.ravel() for axis in np.meshgrid(x, y)]


def rough_ground(
    task: Task, rng: np.random.Generator
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a function: points of a sole -> highest ground under them per placement.

    The ground is two crossing waves; a placement is a heading and a phase of each.
    """
    heading, *phases = rng.uniform(0, 2 * math.pi, (3, PLACEMENTS, 1))
    k = 2 * math.pi / task.wavelength

    def highest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        u = x * np.cos(heading) + y * np.sin(heading)
        w = y * np.cos(heading) - x * np.sin(heading)
        waves = np.sin(k * u + phases[0]) + np.sin(k * w + phases[1])
        return task.amplitude / 2 * waves.max(axis=1)

    return highest


# --------------------------------------------------------------------------------------- parameters


def find_normal(
    box: st.Robot, points: int, task: Task, progress: Progress
) -> tuple[st.Distributed, float]:
    """Return a law with which the landing box sinks to the desired depth, and that depth [m]."""
    carried = box.total_mass / points  # [kg]
    softest = carried * GRAVITY / task.depth**ALPHA  # sinks to the desired depth at rest

    def law(stiffness: float) -> st.Distributed:
        half = task.depth / 2
        slope = ALPHA * stiffness * half ** (ALPHA - 1)
        damping = 2 * task.damping_ratio * math.sqrt(slope * carried) / half**BETA
        friction = {"mu_static": task.mu_static, "mu_kinetic": task.mu_kinetic}
        return st.Distributed(stiffness, damping, ALPHA, BETA, 0.0, 0.0, **friction)

    return bisect(law, lambda one: sinks(box, one, task), softest, task.depth, progress)


def find_tangential(
    box: st.Robot, points: int, law: st.Distributed, task: Task, progress: Progress
) -> tuple[st.Distributed, float]:
    """Return the law with tangential springs for the desired shift, and the shift [m]."""
    carried = box.total_mass / points
    pull = PULLED * task.mu_static * box.total_mass * GRAVITY

    def pulled(stiffness: float) -> st.Distributed:
        damping = 2 * task.damping_ratio * math.sqrt(stiffness * carried)
        return law._replace(tangential_stiffness=stiffness, tangential_damping=damping)

    softest = 0.5 * pull / points / task.shift  # twice the desired shift at rest
    return bisect(pulled, lambda one: shifts(box, one, pull, task), softest, task.shift, progress)


def bisect(
    law: Callable[[float], st.Distributed],
    measure: Callable[[st.Distributed], float],
    softest: float,
    wanted: float,
    progress: Progress,
) -> tuple[st.Distributed, float]:
    """Return the law, softest to SPREAD times stiffer, whose `measure` is `wanted`, and that."""
    low, high = math.log(softest), math.log(softest * SPREAD)
    for k in range(HALVINGS):
        progress(k / HALVINGS)
        middle = 0.5 * (low + high)
        found = measure(law(math.exp(middle)))
        if abs(found / wanted - 1) < TOLERANCE / 4:
            break
        low, high = (middle, high) if found > wanted else (low, middle)
    progress(1.0)
    return law(math.exp(middle)), found


def sinks(box: st.Robot, law: st.Distributed, task: Task) -> float:
    """Largest depth of a box that lands flat and comes to rest [m]."""
    state = st.World(box).standing()
    state.v[2] = -task.speed
    return float(simulated(box, law, state, task).depth[:-1].max())


def shifts(box: st.Robot, law: st.Distributed, pull: float, task: Task) -> float:
    """Displacement of a standing box under a pull along its sole [m]."""
    bottom, points = box.vertices[:, 2].min(), len(box.vertices)
    load = box.total_mass * GRAVITY / points
    state = st.World(box).standing(above=-((load / law.stiffness) ** (1 / law.alpha)))
    push = st.Push("box", (0.0, 0.0, bottom), (pull, 0.0, 0.0), 0.0, 2 * SETTLING)
    motion = simulated(box, law, state, task, forces=[push])
    return float(motion.q[:, 0].max() - motion.q[0, 0])


def simulated(
    box: st.Robot, law: st.Distributed, state: st.State, task: Task, **options: Any
) -> st.Motion:
    """Motion of a box on level ground, with steps short enough for its law."""
    world = st.World(box)
    dt = min(1e-3, bearable_on(world, law, task.depth) / STEPS_A_BOUND)
    return st.simulate(world, law, duration=SETTLING, dt=dt, state=state, **options)


def bearable_on(world: st.World, law: st.Distributed, depth: float) -> float:
    """Return the longest stable step [s] of a law in a world with points at this depth."""
    slope = law.alpha * law.stiffness * depth ** (law.alpha - 1)
    linear = law._replace(
        stiffness=slope, damping=law.damping * depth**law.beta, alpha=1.0, beta=0.0
    )
    surface = make_surface(world, checked_model(linear))[0]
    bound = longest_step(world, linear, surface.points, surface.contact.table)
    return math.inf if bound is None else bound.dt
