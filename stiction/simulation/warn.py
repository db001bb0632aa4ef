"""Warnings about a run: long steps, unexpected depth, energy from contact, untouched shapes.

Each function warns, with numbers, and returns its messages for the notes of the motion.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.collision.bodies import NoBodies
from stiction.contact.bilateral import Bilateral
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS, OUTLOOKS, Landing, Outlook
from stiction.description.description import SHAPE_KINDS
from stiction.description.plain import counted, first_few
from stiction.errors import StabilityWarning, UnsolvedWarning
from stiction.simulation.stability import (
    landing_of,
    landing_speeds,
    longest_explicit_step,
    longest_step,
)
from stiction.step.loop import Report
from stiction.world.colliding_pairs import SOLID
from stiction.world.contact_points import untouchable
from stiction.world.mechanics import inertia
from stiction.world.self_collision import told

if TYPE_CHECKING:
    from stiction.contact.surface import Surface
    from stiction.simulation.simulation import Simulation
    from stiction.world.world import State, World

HUGE_STEP = 0.1  # steps from here on are probably meant in other units [s]
SUNK = 0.01  # depth under a solver, as a fraction of the robots' size, without a warning
GIVEN = 0.01  # share of a robot's own energies that contact may add without a warning


def warn_of_huge_step(dt: float) -> list[str]:
    """Warn of a step that was probably given in milliseconds."""
    if dt < HUGE_STEP:
        return []
    message = (
        f"dt is {dt:g} s; robots and what they touch need steps of 0.1 to 10 ms. Give dt in seconds"
    )
    warnings.warn(message, StabilityWarning, stacklevel=4)
    return [message]


def warn_of_long_step(
    world: World, model: Any, surface: Surface, dt: float, state: State
) -> list[str]:
    """Warn, with numbers, if an explicit contact law needs shorter steps."""
    contact_points, table = surface.points, surface.contact.table
    landing = None
    if MODELS[type(model)].landing_depth is not None and len(contact_points.link):
        landing = landing_speeds(world, contact_points, surface.ground, state)
    bound = longest_step(world, model, contact_points, table, landing)
    if bound is None or dt <= bound.dt:
        return []
    deep = f" (at a depth of {1e3 * bound.depth:.2g} mm)" if bound.depth > 0 else ""
    message = (
        f"{type(model).__name__}: dt is {dt:g} s, but {counted(bound.points, 'point')} of "
        f"'{bound.link}' with an effective mass of {bound.mass:.3g} kg"
        f"{' is' if bound.points == 1 else ' each are'} stable only up to {bound.dt:.3g} "
        f"s{deep}; use a smaller dt, or a softer contact"
    )
    warnings.warn(message, StabilityWarning, stacklevel=4)
    return [message]


def warn_of_outlook(
    world: World, model: Any, surface: Surface, dt: float, state: State
) -> list[str]:
    """Warn of what a contact model predicts: that robots creep, or stay deep in the ground."""
    foreseen = OUTLOOKS.get(type(model))
    if foreseen is None:
        return []

    def landing() -> Landing | None:
        return landing_of(world, surface.points, surface.ground, state)

    outlook = Outlook(dt, float(np.linalg.norm(world.gravity)), landing)
    rows = (type(model)(*row) for row in surface.contact.table.tolist())
    told = next(filter(None, (foreseen(values, outlook) for values in rows)), "")
    if not told:
        return []
    message = f"{type(model).__name__}: {told}"
    warnings.warn(message, StabilityWarning, stacklevel=4)
    return [message]


def warn_of_depth(simulation: Simulation, depth: np.ndarray, stacklevel: int) -> list[str]:
    """Warn of points too deep (rows, points): for the step of a law, or at all under a solver."""
    system = simulation._system
    surface, model = system.surface, system.model
    if depth.size == 0:
        return []
    reached = np.nan_to_num(depth).max(axis=0)
    if corrects_depth(model):
        return _warn_of_sunk(simulation, reached, stacklevel + 1)
    if MODELS[type(model)].landing_depth is None:
        return []
    table = surface.contact.table
    bound = longest_step(simulation.world, model, surface.points, table, depths=reached)
    if bound is None or simulation.dt <= bound.dt or bound.depth == 0:
        return []
    message = (
        f"{type(model).__name__}: '{bound.link}' penetrated by {1e3 * bound.depth:.3g} mm; at that "
        f"depth its {counted(bound.points, 'point')} "
        f"{'is' if bound.points == 1 else 'are'} stable only up to dt = {bound.dt:.3g} s, and this "
        f"run used {simulation.dt:g} s. The result is unreliable: use a smaller dt or more "
        "stiffness"
    )
    warnings.warn(message, StabilityWarning, stacklevel=stacklevel + 1)
    return [message]


def corrects_depth(model: Any) -> bool:
    """Whether a model is a solver that lets no point penetrate, and lifts those that did."""
    return MODELS[type(model)].family == IMPULSE_SOLVER and type(model) is not Bilateral


def tolerated_depth(simulation: Simulation) -> float:
    """Depth beyond which a point under a solver must have begun, or was moved, in the ground."""
    return SUNK * float(simulation._system.surface.points.size[0])


def _warn_of_sunk(simulation: Simulation, reached: np.ndarray, stacklevel: int) -> list[str]:
    """Warn of points in the ground that a solver lifts in silence."""
    points = simulation._system.surface.points
    reached = reached[: len(points.link)]
    if not reached.max(initial=0.0) > tolerated_depth(simulation):
        return []
    point = int(np.argmax(reached))
    link = simulation.world.link_names[points.link[point]]
    message = (
        f"{type(simulation._system.model).__name__}: '{link}' was {1e3 * reached[point]:.3g} mm "
        "inside the ground. Solvers let nothing penetrate, so it began there, its motion is "
        "prescribed, or it turns too fast for the step. They lift it, and the robot with it, where "
        "joints can move. Begin with World.standing(), or raise the base"
    )
    warnings.warn(message, StabilityWarning, stacklevel=stacklevel + 1)
    return [message]


def warn_of_shapes_at_start(world: World) -> list[str]:
    """Warn of shapes that touch less than one might think."""
    return [*warn_of_untouched(world), *warn_of_falling(world), *warn_of_home_overlaps(world)]


def warn_of_untouched(world: World) -> list[str]:
    """Warn of the colliding shapes of scenery that nothing can touch: ellipsoids, other planes."""
    solid = np.isin(world.scenery.kind, [SHAPE_KINDS.index(kind) for kind in SOLID])
    names = world.scenery.name[world.scenery.collides & ~solid].tolist()
    if not names:
        return []
    message = (
        f"robots pass through the fixed {first_few(names)}; scenery of the kinds "
        f"{', '.join(SOLID)} can be touched"
    )
    warnings.warn(message, stacklevel=5)
    return [message]


def warn_of_falling(world: World) -> list[str]:
    """Warn of what falls through the ground: all its colliding shapes are ellipsoids or planes."""
    passing = set(untouchable(world))
    shapes: dict[int, list[str]] = {}
    first = 1
    for robot in world.robots:
        for shape in np.flatnonzero(robot.shape_touches):
            root = int(world.tree.root[first + robot.shape_link[shape]])
            shapes.setdefault(root, []).append(f"{robot.name}/{robot.shape_name[shape]}")
        first += len(robot.link_name)
    falling = [name for names in shapes.values() if passing.issuperset(names) for name in names]
    if not falling or world.ground is None:
        return []
    message = (
        f"{first_few(falling)}: ellipsoids and planes of a robot have no contact points, so what "
        "has no other colliding shape passes through the ground; give it a sphere, a capsule, a "
        "box or a hull"
    )
    warnings.warn(message, stacklevel=5)
    return [message]


def warn_of_home_overlaps(world: World) -> list[str]:
    """Warn of shapes that do not touch each other because they overlap at home."""
    message = told(world.home_overlaps)
    if not message:
        return []
    warnings.warn(message, stacklevel=5)
    return [message]


def warn_of_shapes(surface: Surface, stacklevel: int) -> list[str]:
    """Warn if the distance of two shapes was found only approximately."""
    count = 0 if isinstance(surface.bodies, NoBodies) else int(surface.bodies.doubtful[0])
    if count == 0:
        return []
    message = (
        f"contact between bodies: {count} times an iteration for the distance of two shapes did "
        "not converge, and its best result was used; avoid cylinders and hulls of very different "
        "sizes"
    )
    warnings.warn(message, UnsolvedWarning, stacklevel=stacklevel + 1)
    return [message]


def warn_of_servos(
    world: World, integrator: Any, controllers: tuple, state: State, dt: float
) -> list[str]:
    """Warn if an explicit integrator needs shorter steps for servos, joint springs and dampers."""
    bound = longest_explicit_step(world, integrator, controllers, state, dt)
    if bound is None or dt <= bound.dt:
        return []
    message = (
        f"{type(integrator).__name__} integrates servos and joint springs and dampers explicitly; "
        f"dt is {dt:g} s, but the mode of '{bound.joint}' ({abs(bound.rate):.3g} 1/s) is stable "
        f"only up to {bound.dt:.3g} s: use a smaller dt, lower gains, or an integrator with "
        "implicit damping such as Leapfrog()"
    )
    warnings.warn(message, StabilityWarning, stacklevel=4)
    return [message]


def warn_of_energy(simulation: Simulation, report: Report, stacklevel: int) -> list[str]:
    """Warn if contact has added energy to the robots.

    The threshold is GIVEN times the sum of their weight times size and their kinetic energy.
    """
    given, world = float(report.most_work[0]), simulation.world
    if given == 0:
        return []
    own = weight_times_size(simulation)
    if not given > GIVEN * own:
        return []
    q, v = simulation.q, simulation.v
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return []  # the run fails, and says so
    kinetic = 0.5 * float(v @ inertia(world, q) @ v)
    if not given > GIVEN * (own + kinetic):
        return []
    time = simulation._start + int(report.most_step[0] + 1) * simulation.dt
    message = (
        f"{type(simulation._system.model).__name__}: contact added {given:.3g} J to the robots "
        f"by t = {time:.6g} s ({100 * given / max(own, kinetic):.3g} % of "
        f"{'weight times size' if own >= kinetic else 'their kinetic energy'}). "
        "The result is unreliable: use a smaller dt or another contact model"
    )
    warnings.warn(message, StabilityWarning, stacklevel=stacklevel + 1)
    return [message]


def weight_times_size(simulation: Simulation) -> float:
    """The weight of everything that moves times the size of the robots [J]."""
    world = simulation.world
    size = float(simulation._system.surface.points.size[0])
    return float(world.total_mass * np.linalg.norm(world.gravity)) * size
