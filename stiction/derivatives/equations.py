"""The equations of a step with all cases held: smooth in state, control, accelerations, impulses.

`measure` evaluates their coefficients with the kernels of the step; `Equations` the residual.

    H a + b + r a = known + friction + K p / dt       coordinates that move                     (1)
    v + dt a = v_held                                 stuck coordinates, and those at stops     (2)
    v_c = u_c + dt J a - v_least n                    velocity of a point after the step        (3)
    v_c + R (p - p^) = 0                              points that stick                         (4)
    v_n + R (p_n - p^_n) = 0,  p_t + mu p_n v_t / |v_t| = 0     points that slip                (5)

r is the resistance of implicit dampers, R the compliance of Eq. (7) and (8) in `contact/coulomb.py`
and p^ what it acts about: 0 in a first stage, whose impulses are those of least norm, and the
impulses of the stage before in those that follow, Eq. (11) there. So the impulses of points that
share a load redundantly, and with them friction under a foot that slips and turns, are those of the
solver.

The bias b is that of the mean velocity of the integrator. `Midpoint` extrapolates it with the last
accelerations, and solves for the mean spin of a body by itself where that matters: then it depends
on the accelerations of this step too.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stiction.collision.detection import detect_within_reach
from stiction.compiler.announced import Announcement
from stiction.compiler.compiled import routine_with
from stiction.contact.coulomb import COMPLIANCE
from stiction.contact.families.impulse_solver import prepare_points
from stiction.contact.surface import SKIN, set_clock
from stiction.derivatives.coulomb_cases import Cases
from stiction.derivatives.taken_step import TakenStep
from stiction.derivatives.touching import Points, loaded, points_of, touching_of
from stiction.errors import LinearisationError
from stiction.integrators.midpoint import Midpoint, is_centred, mean_velocities, turns_alone
from stiction.kernels.forward_dynamics import eliminate_coordinates
from stiction.kernels.joint_space import bias, dense_inertia, joint_space_inertia
from stiction.kernels.joints import RECOVERY, RECOVERY_SPEED
from stiction.kernels.kinematics import advance, advance_by_mean
from stiction.kernels.tree import AT_LOWER, AT_UPPER, SLIDING_DOWN, SLIDING_UP, STUCK
from stiction.step.loop import plug_ins_of
from stiction.step.step import compute_forces
from stiction.step.system import Instant, Shares

REACH = 1e-3  # gap up to which points are measured; perturbations move them less [m]
CLEARLY = 0.1  # ratio of residuals that is no rounding
SECONDS = 15.0  # of compiling `measure`, on an idle core


# eight arguments: arrays that compiled code fills
def measure(
    system: Any, instant: Any, q: Any, v: Any, spin: Any, shares: Any, mean: Any, H: Any
) -> None:
    """Compute inertia, forces and contact points of a configuration, with the present modes.

    spin: (nv) mean velocities of this step; NaN where the integrator does not solve for them.
    mean: (2, nv) scratch.
    """
    dynamics, surface = system.dynamics, system.surface
    for d in range(len(v)):
        mean[0, d] = v[d]
    if shares.bend != 1:
        mean_velocities(system, v, instant.dt, mean[0], mean[1])
    for d in range(len(v)):
        if not math.isnan(spin[d]):
            mean[0, d] = spin[d]
    compute_forces(system, instant, q, v, mean[0])
    for group in range(len(surface.contact.reach)):
        surface.contact.reach[group] = REACH
    set_clock(surface, instant, True)
    detect_within_reach(surface.points, surface.ground, dynamics, surface.contact, instant.dt)
    prepare_points(system.model, surface, dynamics, instant, shares)
    bias(dynamics)
    joint_space_inertia(dynamics)
    dense_inertia(dynamics.tree, dynamics.H, H)
    eliminate_coordinates(system.method, dynamics)  # raises the resistance of strong dampers


@cache
def measure_for(*types: Any) -> Any:
    """Return `measure`, compiled for plug-ins of these types."""
    return routine_with(measure, plug_ins_of(*types), Announcement("derivatives", SECONDS))


class Variables(NamedTuple):
    """What a step depends on smoothly while its cases are held."""

    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray
    controllers: tuple
    mean: np.ndarray  # (nv) acceleration with which the mean velocity of lone bodies is found


class Measured(NamedTuple):
    """Coefficients of the equations at some variables."""

    H: np.ndarray  # (nv, nv) with the resistance of dampers
    b: np.ndarray  # (nv) minus all known forces
    held: np.ndarray  # (nv) velocity after the step of coordinates that are stuck or at a stop
    v: np.ndarray  # (nv) at the start of the step
    at: Points  # those that touch
    least: np.ndarray  # (n) least normal velocity of these


class Unknowns(NamedTuple):
    """Accelerations and impulses of one stage."""

    a: np.ndarray  # (nv)
    p: np.ndarray  # (n, 3)


class Equations:
    """The equations of a step that was taken, with the cases that it found."""

    def __init__(self, step: TakenStep) -> None:
        """Keep what is held: joint modes, saturations, and the cases of points."""
        dynamics, start, half = step.system.dynamics, step.start, 0.5 * step.dt
        self.step, self.dt, self.tree = step, step.dt, step.world.tree
        self.mode, self.saturation = dynamics.mode.copy(), dynamics.saturation.copy()
        self.holds = self.mode >= STUCK
        self.touching = loaded(touching_of(step))
        self.cases = Cases.of(self.touching)
        tolerance = getattr(step.system.model, "tolerance", 0.0)
        self.compliance = COMPLIANCE * tolerance * self.touching.compliance  # R
        self.centred = isinstance(step.given.integrator, Midpoint)
        self.near = step.system.surface.contact.count[0] > 0
        ahead = half if self.centred else 0.0
        self.instant = Instant(start.time + ahead, start.time, self.dt, ahead or self.dt)
        self.shares = Shares(0.0, 1.0, 0.5 if self.centred else 1.0)
        system = (step.system.method, step.system.model, *step.controllers)
        kinds: list[Any] = [type(one) for one in system]
        self._measure = measure_for(*kinds)
        self.start = Variables(start.q, start.v, step.torque, step.controllers, step.acceleration)
        self.alone = np.zeros(0, int)  # rotations whose mean the step has solved for
        self._unmeasured = np.zeros(step.world.nv)  # resistance, of dampers of modes tried before
        found = dynamics.resistance.copy()
        self._evaluate(self.start)
        self._unmeasured = found - dynamics.resistance
        self.alone = self._solved_spins()

    def _solved_spins(self) -> np.ndarray:
        """Rotations whose mean the step has solved for: those with which its equations hold.

        It always solves for the mean spin of bodies about their centres of mass in free flight.
        """
        lone = np.array([d for d in range(len(self.mode)) if self._turns_alone(d)], int)
        links = self.tree.dof_link[lone]
        if not self.near and all(is_centred(self.tree, int(link)) for link in links):
            return lone
        z = Unknowns(self.start.mean, self.touching.impulse)
        extrapolated = self.residual(self.measured(self.start), z, z.p)
        self.alone = lone
        solved = self.residual(self.measured(self.start), z, z.p)
        better = np.linalg.norm(solved) < CLEARLY * np.linalg.norm(extrapolated)
        return lone if better else lone[:0]

    def _turns_alone(self, d: int) -> bool:
        """Whether coordinate d is a rotation of a body by itself, whose mean spin is solved for."""
        link = int(self.tree.dof_link[d])
        return (
            self.centred and turns_alone(self.tree, link) and d >= self.tree.v_index[link + 1] - 3
        )

    def _evaluate(self, at: Variables) -> tuple[np.ndarray, np.ndarray]:
        """Run `measure` on the arrays of the step; returns H and the configuration it is for."""
        system, half = self.step.system, 0.5 * self.dt
        system = system._replace(controllers=at.controllers)
        system.dynamics.mode[:], system.dynamics.saturation[:] = self.mode, self.saturation
        system.dynamics.applied[:] = at.torque
        system.surface.impact.solved[0] = 0
        system.dynamics.last_acceleration[:] = self.step.before.last_acceleration
        q, v, spin = at.q.copy(), at.v.copy(), np.full(len(at.v), np.nan)
        if self.centred:
            advance(self.tree, q, v, half)
        spin[self.alone] = v[self.alone] + half * at.mean[self.alone]
        mean, H = np.zeros((2, len(v))), np.zeros((len(v), len(v)))
        self._measure(system, self.instant, q, v, spin, self.shares, mean, H)
        return H, q

    def measured(self, at: Variables) -> Measured:
        """Return the coefficients of the equations."""
        H, q = self._evaluate(at)
        dynamics, tree = self.step.system.dynamics, self.tree
        H[np.diag_indices(len(H))] += dynamics.resistance + self._unmeasured
        friction = np.where(self.mode == SLIDING_UP, -tree.friction, 0.0)
        friction += np.where(self.mode == SLIDING_DOWN, tree.friction, 0.0)
        points = self._points()
        skin = SKIN * float(self.step.system.surface.points.size[0])
        least = np.where(self.touching.has_gap, (points.depth + skin) / self.dt, 0.0)
        known = dynamics.known + friction
        return Measured(H, dynamics.b - known, self._held(q), at.v, points, least)

    def _points(self) -> Points:
        """The points that are loaded in the step, as they are now measured."""
        now = self.step.system.surface.contact
        row_of = {int(point): row for row, point in enumerate(now.point[: now.count[0]])}
        missing = [int(point) for point in self.touching.at.point if int(point) not in row_of]
        if missing:
            raise LinearisationError(
                f"linearise: point {missing[0]} is at the edge of what it touches; use "
                "method='differences'"
            )
        return points_of(self.step.system, [row_of[int(point)] for point in self.touching.at.point])

    def _held(self, q: np.ndarray) -> np.ndarray:
        """Velocities after the step of stuck coordinates and of those at stops, (nv)."""
        tree, after = self.tree, self.step.simulation.state.v
        held = np.where(self.mode == STUCK, 0.0, after)
        for d in np.flatnonzero((self.mode == AT_LOWER) | (self.mode == AT_UPPER)):
            k = tree.dof_q[d]
            first = self.start.q[k] + (self.instant.time - self.instant.step_time) * self.start.v[d]
            beyond = tree.lower[d] - first if self.mode[d] == AT_LOWER else first - tree.upper[d]
            slope = -1.0 / self.dt
            if beyond > 0:
                slope = -RECOVERY / self.dt if RECOVERY * beyond < RECOVERY_SPEED * self.dt else 0.0
            held[d] += slope * (q[k] - first)
        return held

    def advanced(self, at: Variables, a: np.ndarray) -> np.ndarray:
        """Return q after the step with accelerations a."""
        q, tree = at.q.copy(), self.tree
        if self.centred:
            advance_by_mean(tree, at.q, at.v + 0.5 * self.dt * a, self.dt, q)
        else:
            advance(tree, q, at.v + self.dt * a, self.dt)
        return q

    def residual(self, m: Measured, z: Unknowns, hat: np.ndarray) -> np.ndarray:
        """Left minus right sides of Eq. (1), (2), (4) and (5), (nv + 3 n)."""
        moving = m.H @ z.a + m.b - np.einsum("ikd,ik->d", m.at.J, z.p) / self.dt
        held = m.v + self.dt * z.a - m.held
        v = self.velocity(m, z.a)
        law = self.cases.residual(m.at.normal, v, z.p, hat, self.compliance)
        return np.append(np.where(self.holds, held, moving), law)

    def velocity(self, m: Measured, a: np.ndarray) -> np.ndarray:
        """Velocities of the points after the step, relative to their least ones, Eq. (3)."""
        return m.at.velocity + self.dt * (m.at.J @ a) - m.least[:, None] * m.at.normal

    def residual_slope(self, m: Measured, dm: Measured, z: Unknowns) -> np.ndarray:
        """Change of the residual with the coefficients, unknowns held; dm: their change."""
        moving = dm.H @ z.a + dm.b - np.einsum("ikd,ik->d", dm.at.J, z.p) / self.dt
        v, n = self.velocity(m, z.a), m.at.normal
        change = dm.at.velocity + self.dt * (dm.at.J @ z.a)
        change -= dm.least[:, None] * n + m.least[:, None] * dm.at.normal
        law = self.cases.over_normal(n, dm.at.normal, v, z.p, self.compliance)
        for i in range(len(z.p)):
            over_v, _, _ = self.cases.slopes(i, n[i], v[i], z.p[i], self.compliance[i])
            law[i] += over_v @ change[i]
        return np.append(np.where(self.holds, dm.v - dm.held, moving), law.ravel())

    def slopes(self, m: Measured, z: Unknowns) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the residual over accelerations and impulses, and over p^."""
        nv, n = len(z.a), len(z.p)
        A, hat = np.zeros((nv + 3 * n, nv + 3 * n)), np.zeros((nv + 3 * n, 3 * n))
        moves = ~self.holds
        A[:nv, :nv] = np.where(moves[:, None], m.H, self.dt * np.eye(nv))
        J = m.at.J.reshape(3 * n, nv)
        A[:nv, nv:] = np.where(moves[:, None], -J.T / self.dt, 0.0)
        v = self.velocity(m, z.a)
        for i in range(n):
            rows, R = slice(nv + 3 * i, nv + 3 * i + 3), self.compliance[i]
            over_v, over_p, over_hat = self.cases.slopes(i, m.at.normal[i], v[i], z.p[i], R)
            A[rows, :nv] = self.dt * over_v @ m.at.J[i]
            A[rows, nv + 3 * i : nv + 3 * i + 3] = over_p
            hat[rows, 3 * i : 3 * i + 3] = over_hat
        return A, hat
