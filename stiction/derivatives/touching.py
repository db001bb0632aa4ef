"""The contact points of a step as numpy arrays: Jacobians, velocities, impulses and cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.contact.friction import OPEN, SLIP, STICK
from stiction.contact.surface import SKIN
from stiction.derivatives.taken_step import TakenStep
from stiction.kernels.kinematics import last_dof
from stiction.kernels.tree import Dynamics
from stiction.step.record import FORCE
from stiction.step.system import System

LANDED = 1e-3  # of the skin: a point that has closed its gap, to the skin, touches
ON_CONE = 1e-9  # relative: a point whose friction is at its limit slips


class Points(NamedTuple):
    """Where points touch, n of them, in world axes."""

    point: np.ndarray  # (n) number of the contact point
    J: np.ndarray  # (n, 3, nv) velocity of each per coordinate velocity
    normal: np.ndarray  # (n, 3)
    velocity: np.ndarray  # (n, 3) at the start of the step, carried to its end [m/s]
    depth: np.ndarray  # (n) [m]


class Touching(NamedTuple):
    """The contact points of a step under a solver with exact friction cones, n of them."""

    at: Points
    least: np.ndarray  # (n) least normal velocity [m/s]
    impulse: np.ndarray  # (n, 3) [N s]
    after: np.ndarray  # (n, 3) velocity at the end of the step, relative to the least one [m/s]
    mu: np.ndarray  # (n) coefficient of friction
    kinetic: np.ndarray  # (n) whether that is the kinetic one
    compliance: np.ndarray  # (n) g of its touching pair [1/kg]
    case: np.ndarray  # (n) OPEN, STICK or SLIP
    has_gap: np.ndarray  # (n) whether it may close a gap in the step


def link_jacobian(dynamics: Dynamics, link: int) -> np.ndarray:
    """Twist of a link about O per coordinate velocity, (6, nv)."""
    tree = dynamics.tree
    J = np.zeros((6, len(tree.dof_parent)))
    d = last_dof(tree, link) if link > 0 else -1
    while d >= 0:
        J[:, d] = dynamics.S[d]
        d = tree.dof_parent[d]
    return J


def at_arm(J: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Velocity of the point at r per coordinate velocity, (3, nv), from the twist of its link."""
    x, y, z = r
    return J[:3] + np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]) @ J[3:]  # + angular x r


def points_of(system: System, rows: Sequence[int]) -> Points:
    """Return some of the contact points that the arrays of a system hold."""
    dynamics, contact = system.dynamics, system.surface.contact
    chosen, tree = np.array(rows, np.int64), dynamics.tree
    links = {int(link) for link in (*contact.body_a[chosen], *contact.body_b[chosen])}
    per_link = {link: link_jacobian(dynamics, link) for link in links}
    J = np.zeros((len(chosen), 3, len(tree.dof_parent)))
    for i, row in enumerate(chosen):
        a, b, r = int(contact.body_a[row]), int(contact.body_b[row]), contact.arm[row]
        J[i] = at_arm(per_link[a], r)
        if b > 0:
            apart = dynamics.origin[tree.root[a]] - dynamics.origin[tree.root[b]]
            J[i] -= at_arm(per_link[b], r + apart)
    arrays = (contact.point, contact.normal, contact.velocity, contact.depth)
    point, normal, velocity, depth = (array[chosen] for array in arrays)
    return Points(point, J, normal, velocity, depth)


def touching_of(step: TakenStep) -> Touching:
    """Return the contact points of a step without impacts, under an exact solver or none."""
    contact, work = step.system.surface.contact, step.work
    at = points_of(step.system, range(int(contact.count[0])))
    n, ground = len(at.point), len(work.depth)
    impulse = np.zeros((n, 3))
    for i, point in enumerate(at.point):
        if point < ground:
            impulse[i] = work.total_impulse[point]
        else:
            impulse[i] = work.total_between[point - ground, FORCE : FORCE + 3]
    least = contact.least_velocity[:n].copy()
    change = at.J @ (step.simulation.state.v - step.before.v)
    after = at.velocity + change - least[:, None] * at.normal
    mu, kinetic = np.zeros(0), np.zeros(0, bool)
    if n:
        mu = step.system.surface.work.scratch.cases.mu[:n].copy()
        column = step.system.model._fields.index("mu_kinetic")
        kinetic = mu == contact.table[contact.pair[:n], column]
    compliance = step.system.surface.work.response.compliance[contact.touching[:n]]
    skin = SKIN * float(step.system.surface.points.size[0])
    return Touching(
        at,
        least,
        impulse,
        after,
        mu,
        kinetic,
        compliance,
        cases_of(at.normal, impulse, after, mu, compliance),
        at.depth < -(1 + LANDED) * skin,
    )


def loaded(touching: Touching) -> Touching:
    """Return the points that bear an impulse."""
    bears = touching.case != OPEN
    at = Points(*(array[bears] for array in touching.at))
    return Touching(at, *(array[bears] for array in touching[1:]))


def cases_of(
    n: np.ndarray, p: np.ndarray, v: np.ndarray, mu: np.ndarray, g: np.ndarray
) -> np.ndarray:
    """Case of each point, by Eq. (5) of `contact/coulomb.py`."""
    y = p - v / g[:, None]
    p_n, y_n = np.sum(n * p, axis=1), np.sum(n * y, axis=1)
    y_t = np.linalg.norm(y - y_n[:, None] * n, axis=1)
    slips = y_t > mu * y_n * (1 + ON_CONE)
    return np.where(p_n <= 0, OPEN, np.where(slips, SLIP, STICK))


def tangential(n: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Parts of vectors x (n, 3) along the surfaces with normals n."""
    return x - np.sum(n * x, axis=1)[:, None] * n
