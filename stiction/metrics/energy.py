"""Energy balance of a motion: the work of every force, step by step.

The work of a force in a step is its product with the mean of the velocities at both ends, times dt.
An integrator declares when in the step its forces act (`Accounting`). For `SemiImplicitEuler` they
act in the configuration at the start of the step, with joint damping at its end; this accounts for
kinetic energy exactly. For other integrators they act at the middle of the step. The remainder is
the error of the integrator, and of a contact law that changes from stage to stage. It decreases
with dt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.collision.belt import travel_at
from stiction.errors import InputError
from stiction.metrics.contact_criteria import split
from stiction.metrics.points import (
    advanced,
    external_power,
    followed_between,
    followed_points,
    step_length,
)
from stiction.step.integrator import ACCOUNTING, IN_THE_MIDDLE, Accounting
from stiction.step.record import FORCE, NORMAL
from stiction.world.external import Push, TabulatedForce, bind_forces

if TYPE_CHECKING:
    from stiction.motion.motion import Motion


class EnergyBalance(NamedTuple):
    """Change of energy and work in every step [J], (n) each; NaN in the last row.

    kinetic + potential = torque + joints + damping + normal + friction + external + remainder.
    Positive work adds energy to the robots. The energy of joint springs is potential energy.
    """

    kinetic: np.ndarray  # change
    potential: np.ndarray  # change, of height and joint springs
    torque: np.ndarray  # controllers, and the forces of prescribed motion
    joints: np.ndarray  # joint friction and stops
    damping: np.ndarray  # joint damping
    normal: np.ndarray  # contact forces along the normals, of the ground and of bodies
    friction: np.ndarray  # contact forces across them, at world velocities: belts do work
    external: np.ndarray  # pushes and tables; NaN if the run had any and they are not given
    remainder: np.ndarray  # unexplained: errors, and unknown external work

    @property
    def contact(self) -> np.ndarray:
        """Work of all contact forces, of the ground and of bodies on each other."""
        return self.normal + self.friction

    @property
    def change(self) -> np.ndarray:
        """Change of the total energy."""
        return self.kinetic + self.potential

    def cumulative(self) -> EnergyBalance:
        """Sums from the start of the motion to each sample, (n) each; 0 in the first row."""
        return EnergyBalance(*(np.concatenate([[0.0], np.cumsum(part[:-1])]) for part in self))


def energy_balance(
    motion: Motion, forces: Iterable[Push | TabulatedForce] | None = None
) -> EnergyBalance:
    """Change of energy and work of every force in each step.

    forces: the external forces given to `simulate`; a motion does not store them. Without them,
    their work is part of the remainder.
    """
    dt, when = _every_step(motion), _accounting(motion)
    energy = motion.energy()
    q, v_mean = _at_work(motion, when.configuration * dt)
    v_damped = (1 - when.damping) * motion.v[:-1] + when.damping * motion.v[1:]
    on_ground, between = (work(motion, q, v_mean, dt) for work in (_ground_work, _work_between))
    f_n_work, f_t_work = np.add(on_ground, between)
    external = _external_work(motion, forces, q, v_mean, when.configuration * dt)
    change = {"kinetic": np.diff(energy.kinetic), "potential": np.diff(energy.potential)}
    work = {
        "torque": dt * (_torque(motion, when) * v_mean).sum(axis=1),
        "joints": dt * (motion.passive[:-1] * v_mean).sum(axis=1),
        "damping": -dt * (motion.world.tree.damping * v_damped * v_mean).sum(axis=1),
        "normal": f_n_work,
        "friction": f_t_work,
    }
    known = sum(work.values()) + (0.0 if external is None else external)
    work["external"] = np.full(len(q), np.nan) if external is None else external
    work["remainder"] = sum(change.values()) - known
    rows = {name: np.append(values, np.nan) for name, values in (change | work).items()}
    return EnergyBalance(**rows)


def contact_work(motion: Motion) -> np.ndarray:
    """Work of the ground on the robots, relative to itself, per step [J], (n - 1).

    The work that a moving belt does by carrying the points along is left out. The sum is thus never
    positive, except that springs return stored energy.
    """
    dt = _every_step(motion)
    q, v_mean = _at_work(motion, _accounting(motion).configuration * dt)
    normal, friction = _ground_work(motion, q, v_mean, dt)
    belt = motion.world.ground.bind().belt  # type: ignore[union-attr]
    begin = motion.time[:-1]
    carried = travel_at(belt, begin + dt) - travel_at(belt, begin)  # in each step
    return normal + friction - (motion.force[:-1].sum(axis=1) * carried).sum(axis=1)


def _every_step(motion: Motion) -> float:
    """Length of a step [s]; raises InputError unless each row is one step after the row before."""
    missing = motion.parameters.get("record every", 1) != 1
    if not missing and len(motion) > 1:
        missing = bool((np.rint(np.diff(motion.time) / step_length(motion)) != 1).any())
    if missing:
        raise InputError(
            "the energy balance needs every step, but forces between the recorded samples are "
            "unknown; simulate with Recording(every=1)"
        )
    return step_length(motion)


def _accounting(motion: Motion) -> Accounting:
    """When the forces of a step act; at its middle for an integrator that is not registered."""
    name = motion.parameters.get("integrator")
    declared = (when for kind, when in ACCOUNTING.items() if kind.__name__ == name)
    return next(declared, IN_THE_MIDDLE)


def _at_work(motion: Motion, later: float) -> tuple[np.ndarray, np.ndarray]:
    """Configurations `later` [s] into each step, (n - 1, nq), and mean velocities, (n - 1, nv)."""
    q, v = motion.q[:-1], motion.v[:-1]
    moved = advanced(motion, q, v, later) if later > 0 else q
    return moved, (v + motion.v[1:]) / 2


def _torque(motion: Motion, when: Accounting) -> np.ndarray:
    """Torques that act in each step, (n - 1, nv).

    Unless torques are held over the step, the recorded ones are those at its start, and the mean
    with those of the next step is a better estimate.
    """
    torque = motion.torque[:-1]
    if when.torque_held:
        return torque
    following = motion.torque[1:]
    return (torque + np.where(np.isfinite(following), following, torque)) / 2


def _ground_work(
    motion: Motion, q: np.ndarray, v: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Work of the ground along the normals and along itself [J], (n - 1) each."""
    if motion.point_count == 0:
        return np.zeros(len(q)), np.zeros(len(q))
    followed = followed_points(motion, q, v)
    v_n, v_t = split(followed.velocity, followed.normal)
    f_n, f_t = split(motion.force[:-1], followed.normal)
    return dt * (f_n * v_n).sum(axis=1), dt * (f_t * v_t).sum(axis=(1, 2))


def _work_between(
    motion: Motion, q: np.ndarray, v: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Work of bodies on each other along the normals and across them [J], (n - 1) each."""
    normal, friction = np.zeros(len(q)), np.zeros(len(q))
    kept = motion.touched_between.at(np.arange(len(q)))
    if len(kept.point):
        values = kept.values["between"]
        n, force = values[:, NORMAL : NORMAL + 3], values[:, FORCE : FORCE + 3]
        velocity = followed_between(motion, kept, q, v)
        (v_n, v_t), (f_n, f_t) = split(velocity, n), split(force, n)
        np.add.at(normal, kept.row, dt * f_n * v_n)
        np.add.at(friction, kept.row, dt * (f_t * v_t).sum(axis=1))
    return normal, friction


def _external_work(
    motion: Motion,
    forces: Iterable[Push | TabulatedForce] | None,
    q: np.ndarray,
    v: np.ndarray,
    later: float,
) -> np.ndarray | None:
    """Work of pushes and tables in each step [J], (n - 1); None if they are not known."""
    count = int(motion.parameters.get("external forces", 0))
    if forces is None:
        return np.zeros(len(q)) if count == 0 else None
    bound = bind_forces(motion.world, forces)
    if len(bound.link) != count:
        raise InputError(
            f"forces: found {len(bound.link)}, but this motion was simulated with {count}; "
            "give exactly those"
        )
    return step_length(motion) * external_power(motion, bound, motion.time[:-1] + later, q, v)
