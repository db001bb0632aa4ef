"""The longest stable step, given the springs and dampers of contact laws, joints and servos.

A contact law declares the longest stable step for one point with a given mass. Points on one side
of a link act together. The mass behind them is at least that of the link alone, so the bound is
conservative where joints connect the link to others. A law that stiffens with depth declares the
step as a function of depth, and the depth that a point reaches when it lands with a given mass. The
landing speed follows from a fall of the robot from its state onto its lowest links.

An integrator that treats damping explicitly declares the factor by which a step multiplies a motion
exp(z t/dt). Servos and joint springs and dampers are stable while the magnitude of that factor is
at most one for all their modes.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.collision.points import ContactPoints, deepest
from stiction.contact.contact_model import MODELS, Landing
from stiction.control.controller import allocate_memories, control, prescribe
from stiction.description.checks import NOTHING, ROUNDING
from stiction.description.rotation import symmetric
from stiction.errors import InputError
from stiction.kernels.kinematics import advance, forward_kinematics, velocities
from stiction.kernels.servos import clear_control, present_forces
from stiction.kernels.tree import FREE, PRESCRIBED, allocate
from stiction.step.integrator import GROWTH
from stiction.step.system import Instant
from stiction.world.contact_points import SIDES, on_side
from stiction.world.mechanics import inertia

if TYPE_CHECKING:
    from stiction.world.world import State, World

FIRST_TO_LAND = 0.01  # links whose lowest points are within this of the lowest of all [m]
LONGEST_RAY = 10.0  # |z| up to which the growth of a mode is looked at
RAY_STEPS = 2000
SHALLOW = 1e-3  # depth that every bound allows for before a run [m]
PERTURBATION = 1e-6  # of a coordinate, for the stiffness of controllers [rad or m]
TIMES_AXES = np.cross(np.eye(3)[None], np.eye(3)[:, None])  # r @ TIMES_AXES[k] is r x axis k


class Bound(NamedTuple):
    """The longest stable step of a contact law, and the link that limits it."""

    dt: float  # [s]
    link: str
    points: int  # that act together
    mass: float  # effective, of one of them [kg]
    depth: float  # at which the step is stable [m]; 0 if the law does not depend on it


class ModeBound(NamedTuple):
    """The longest stable step of servos and joint springs and dampers, and the limiting joint."""

    dt: float  # [s]
    joint: str  # that moves most in the mode
    rate: complex  # of the mode [1/s]


# ------------------------------------------------------------------------------------ contact laws


def longest_step(
    world: World,
    model: Any,
    contact_points: ContactPoints,
    table: np.ndarray,
    landing: dict[int, float] | None = None,
    depths: np.ndarray | None = None,
) -> Bound | None:
    """Return the tightest bound over all links; None if the law declares none.

    landing: landing speeds of links [m/s], from `landing_speeds`. depths: known depth of each point
    [m], used instead; links no deeper than SHALLOW are skipped.
    """
    declared = MODELS[type(model)]
    if declared.longest_step is None:
        return None
    deep = len(inspect.signature(declared.longest_step).parameters) == 3
    bounds = []
    for link in np.unique(contact_points.link):
        rows = np.flatnonzero(contact_points.link == link)
        values, share = (
            type(model)(*table[contact_points.pair[rows[0]]]),
            contact_points.share[rows[0]],
        )
        depth = 0.0
        if deep and depths is not None:
            depth = float(depths[rows].max())
            if depth <= SHALLOW:
                continue
        elif deep and landing is not None and link in landing and declared.landing_depth:
            count, weight = _carried(world, contact_points, int(link), rows)
            gravity = float(np.linalg.norm(world.tree.gravity))
            load = weight / (count * share)
            depth = declared.landing_depth(values, load, landing[link], gravity)
        count, mass = lightest_side(world, contact_points, int(link), rows, depth)
        if mass == math.inf:
            continue
        one = (values, mass / share, depth) if deep else (values, mass / share)
        dt = declared.longest_step(*one)
        if not dt >= 0:
            raise InputError(
                f"{type(model).__name__}: longest_step gives {dt!r} for a point with "
                f"{mass / share:.3g} kg; give a time [s], math.inf without a bound"
            )
        bounds.append(Bound(dt, world.link_names[link], count, mass, depth))
    return min(bounds, default=None)


def lightest_side(
    world: World, contact_points: ContactPoints, link: int, rows: np.ndarray, depth: float = 0.0
) -> tuple[int, float]:
    """Return how many points of a side act together, and the least effective mass of one of them.

    Tangential forces count like normal ones. For a link without mass the result is infinite; the
    links that it is attached to give the bound.
    """
    tree = world.tree
    if not tree.mass[link] > 0:
        return 0, math.inf
    inverse = inverse_inertia(tree.inertia[link])
    found = []
    for n in SIDES:
        arms = on_side(contact_points, rows, n, depth) - tree.centre[link]
        turning = np.concatenate(arms @ TIMES_AXES)
        straight = np.kron(np.eye(3), np.full((len(arms), len(arms)), 1.0 / tree.mass[link]))
        compliance = straight + turning @ inverse @ turning.T
        found.append((1.0 / float(np.linalg.eigvalsh(compliance)[-1]), len(arms)))
    mass, count = min(found)
    return count, mass


def inverse_inertia(six: np.ndarray) -> np.ndarray:
    """Return the inverse of an inertia (xx, xy, xz, yy, yz, zz), (3, 3).

    The inverse is zero about an axis whose moment is zero up to rounding (which the checks of a
    description accept even if negative): the link does not rotate about it by itself.
    """
    moments, axes = np.linalg.eigh(symmetric(six))
    none = moments <= ROUNDING * abs(moments[-1]) + NOTHING
    inverse = np.where(none, 0.0, 1.0 / np.where(none, 1.0, moments))
    return (axes * inverse) @ axes.T


def landing_speeds(
    world: World, contact_points: ContactPoints, ground: Any, state: State
) -> dict[int, float]:
    """Return the landing speed [m/s] of the lowest links, if every robot falls from a state."""
    tree = world.tree
    dynamics = allocate(tree)
    forward_kinematics(dynamics, np.array(state.q, float))
    g = float(np.linalg.norm(tree.gravity))
    gaps = {}
    for link in np.unique(contact_points.link):
        one = _only(contact_points, np.flatnonzero(contact_points.link == link))
        gaps[int(link)] = -float(deepest(one, ground, dynamics, tree.root[link]))
    speeds = {}
    for link, gap in gaps.items():
        root = tree.root[link]
        lowest = min(other for k, other in gaps.items() if tree.root[k] == root)
        if gap <= lowest + FIRST_TO_LAND:
            down = 0.0
            if tree.joint_type[root] == FREE and g > 0:
                d = tree.v_index[root]
                down = max(0.0, float(np.dot(state.v[d : d + 3], tree.gravity)) / g)
            speeds[link] = math.sqrt(down**2 + 2 * g * max(lowest, 0.0))
    return speeds


def landing_of(
    world: World, contact_points: ContactPoints, ground: Any, state: State
) -> Landing | None:
    """Return how the fastest link lands, if every robot falls from a state."""
    if not len(contact_points.link):
        return None
    speeds = landing_speeds(world, contact_points, ground, state)
    if not speeds:
        return None
    link = max(speeds, key=lambda one: speeds[one])
    arms = contact_points.centre[contact_points.link == link] - world.tree.centre[link]
    radius = float(np.linalg.norm(arms, axis=1).max())
    return Landing(world.link_names[link], speeds[link], radius)


def _carried(
    world: World, contact_points: ContactPoints, link: int, rows: np.ndarray
) -> tuple[int, float]:
    """Return the fewest points on any side of a link, and the mass of its whole robot [kg]."""
    count = min(len(on_side(contact_points, rows, n, 0.0)) for n in SIDES)
    return count, float(world.tree.mass[world.tree.root == world.tree.root[link]].sum())


def _only(contact_points: ContactPoints, rows: np.ndarray) -> ContactPoints:
    """Return the contact points of some rows, only the fields that locate them."""
    named = ("kind", "link", "centre", "axis", "radius", "turn")
    return contact_points._replace(**{name: getattr(contact_points, name)[rows] for name in named})


# ------------------------------------------------------------------------- servos and joint dampers


def longest_explicit_step(
    world: World, integrator: Any, controllers: tuple, state: State, dt: float
) -> ModeBound | None:
    """Return the longest stable step of an explicit integrator; None if there is no limit.

    Modes are those of H a = -D v - K x about a state, where D and K are the damping and stiffness
    of joints and controllers, without contact. dt: the step that controllers see [s].
    """
    growth = GROWTH.get(type(integrator))
    if growth is None:
        return None
    damping, stiffness, loose = joint_slopes(world, controllers, state, dt)
    slopes = np.hstack([stiffness[np.ix_(loose, loose)], damping[np.ix_(loose, loose)]])
    if not slopes.any():
        return None
    n = len(loose)
    answer = -np.linalg.solve(inertia(world, state.q)[np.ix_(loose, loose)], slopes)
    rates, modes = np.linalg.eig(np.block([[np.zeros((n, n)), np.eye(n)], [answer]]))
    radii = np.linspace(0.0, LONGEST_RAY, RAY_STEPS + 1)[1:]
    worst = None
    for rate, mode in zip(rates, modes.T, strict=True):
        if rate.real > 1e-9 * abs(rate) or rate == 0:
            continue  # grows by itself, or rests
        too_far = np.abs(growth(radii * rate / abs(rate))) > 1 + 1e-9
        if not too_far.any():
            continue
        dt = float(radii[max(int(np.argmax(too_far)) - 1, 0)] / abs(rate))
        if worst is None or dt < worst.dt:
            most = int(np.argmax(np.abs(mode[n:])))
            worst = ModeBound(dt, world.dof_name(int(loose[most])), complex(rate))
    return worst


def joint_slopes(
    world: World, controllers: tuple, state: State, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return damping and stiffness (nv, nv) about a state, and the coordinates not prescribed.

    Those of controllers are finite differences of their forces, with their memory still empty.
    """
    tree, dynamics = world.tree, allocate(world.tree)
    q, v = np.array(state.q, float), np.array(state.v, float)
    damping, stiffness = np.diag(tree.damping), np.diag(tree.stiffness)
    instant = Instant(float(state.time), float(state.time), dt, 0.0)
    memories = allocate_memories(controllers, world.nv)
    prescribe(controllers, dynamics, instant.time, q, v)
    loose = np.flatnonzero(dynamics.mode != PRESCRIBED)

    def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        forward_kinematics(dynamics, q)
        velocities(dynamics, v)
        clear_control(dynamics)
        control(controllers, memories, dynamics, instant, q, v)
        found = np.zeros(world.nv)
        present_forces(dynamics, found)
        return found

    if not controllers:
        return damping, stiffness, loose
    now = forces(q, v)
    for d in loose:
        step = np.zeros(world.nv)
        step[d] = PERTURBATION
        moved = q.copy()
        advance(tree, moved, step, 1.0)
        stiffness[:, d] -= (forces(moved, v) - now) / PERTURBATION
        damping[:, d] -= (forces(q, v + step) - now) / PERTURBATION
    return damping, stiffness, loose
