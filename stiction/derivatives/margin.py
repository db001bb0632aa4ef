"""How close a step is to a change of case: a point that opens or slips, a joint that sticks.

Every distance is a velocity: about the change of the velocities after the step at which the case
changes. Impulses count as the velocity changes that they produce.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stiction.contact.coulomb import Coulomb
from stiction.contact.friction import OPEN, SLIP, STICK
from stiction.contact.gauss_seidel import GaussSeidel
from stiction.contact.surface import SKIN
from stiction.derivatives.taken_step import TakenStep
from stiction.derivatives.touching import Touching, tangential, touching_of
from stiction.kernels.tree import (
    AT_LOWER,
    AT_UPPER,
    SLIDING_DOWN,
    SLIDING_UP,
    STUCK,
)

EXACT = (Coulomb, GaussSeidel)  # models whose cases are those of exact friction cones
CASES = {OPEN: "open", STICK: "sticking", SLIP: "slipping"}


class Margin(NamedTuple):
    """The distance to the nearest change of case, and what changes there."""

    speed: float  # [m/s or rad/s]; inf if no case can change, NaN if it is not known
    nearest: str


def margin_of(step: TakenStep) -> Margin:
    """Return the nearest change of case of a step."""
    if step.has_impacts:
        return Margin(np.nan, "the step has impacts")
    found = [*_of_joints(step)]
    if isinstance(step.system.model, EXACT):
        found += _of_points(step, touching_of(step))
    never = Margin(np.inf, "no case can change")
    return min(found, key=lambda one: one.speed, default=never)


def clearance_of(step: TakenStep) -> float:
    """Distance of the contact point nearest to a surface, within the skin or beyond [m]."""
    if not step.solves or step.has_impacts or not isinstance(step.system.model, EXACT):
        return np.inf
    touching = touching_of(step)
    return float(_from_skin(step, touching).min(initial=np.inf))


def _from_skin(step: TakenStep, touching: Touching) -> np.ndarray:
    """Distance of each point from the gap at which it begins to count as open [m]."""
    skin = step.system.surface.points.size[0] * SKIN
    return np.abs(touching.at.depth + skin)


def _of_points(step: TakenStep, touching: Touching) -> Iterator[Margin]:
    """Distances of contact points: from opening, closing, sticking, slipping and their gaps."""
    names, n, g = step.simulation.point_names, touching.at.normal, touching.compliance
    p_n = g * np.sum(n * touching.impulse, axis=1)
    p_t = g * np.linalg.norm(tangential(n, touching.impulse), axis=1)
    v_n = np.sum(n * touching.after, axis=1)
    v_t = np.linalg.norm(tangential(n, touching.after), axis=1)
    gaps = _from_skin(step, touching) / step.dt
    for i, point in enumerate(touching.at.point):
        case, name = touching.case[i], f"point {point}"
        if point < len(names):
            name = f"point {point} of '{names[point]}'"
        told = f"{CASES[case]} {name}"
        if case == OPEN:
            yield Margin(float(v_n[i]), f"{told} closes")
            continue
        yield Margin(float(p_n[i]), f"{told} opens")
        yield Margin(float(gaps[i]), f"{told} is at the edge of its gap")
        if case == STICK:
            yield Margin(float(touching.mu[i] * p_n[i] - p_t[i]), f"{told} slips")
        else:
            yield Margin(float(v_t[i]), f"{told} sticks")


def _of_joints(step: TakenStep) -> Iterator[Margin]:
    """Distances of joints with friction or stops, and of servos from their limits."""
    dynamics, after, dt = step.system.dynamics, step.simulation.state, step.dt
    tree = dynamics.tree
    per_force = np.divide(dt, dynamics.D, out=np.zeros(len(dynamics.D)), where=dynamics.D > 0)
    for d in range(step.world.nv):
        mode, name, friction = dynamics.mode[d], step.world.dof_name(d), tree.friction[d]
        reaction, v = dynamics.reaction[d], float(after.v[d])
        if mode == STUCK:
            left = (friction - abs(reaction)) * per_force[d]
            yield Margin(float(left), f"stuck joint '{name}' slides")
        elif mode in (SLIDING_UP, SLIDING_DOWN):
            yield Margin(abs(v), f"sliding joint '{name}' sticks")
        elif mode in (AT_LOWER, AT_UPPER):
            push = reaction if mode == AT_LOWER else -reaction
            yield Margin(float(push + friction) * per_force[d], f"joint '{name}' leaves its stop")
        if mode < STUCK and tree.dof_q[d] >= 0:
            q = after.q[tree.dof_q[d]]
            left = min(q - tree.lower[d], tree.upper[d] - q) / dt
            told = "reaches its stop" if np.isfinite(left) else "has no stop"
            yield Margin(abs(float(left)), f"joint '{name}' {told}")
        if dynamics.servo_damping[d] > 0 and dynamics.saturation[d] == 0 and mode < STUCK:
            force = step.simulation.torque[d] - step.torque[d]
            left = min(dynamics.servo_upper[d] - force, force - dynamics.servo_lower[d])
            yield Margin(abs(float(left)) * per_force[d], f"servo of '{name}' saturates")
