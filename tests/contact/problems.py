"""Contact problems of one step, told again by numpy alone: what the impulse solvers are held to.

With semi-implicit Euler, and H^ = H + dt (damping), a step is

    H^ (v_next - v) = dt (forces - b - damping v) + J' p,    c = J v_next - floor n

where p are the impulses of the touching points, c their velocities counted from the slowest that is
allowed: an open point may close its gap and no more. p and c obey the law of Coulomb and Signorini.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import stiction as st
from stiction.collision.detection import REACH
from stiction.contact.surface import SKIN
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.promises.bodies import contact_points_at, lower_to, plate, thrown  # noqa: F401
from stiction.world.contact_points import contact_points_of

MU = 0.5
DT = 1e-3
UP = np.array([0.0, 0.0, 1.0])


# --------------------------------------------------------------------------------------- one step


class Step(NamedTuple):
    """A step that was taken, and what decides it; n points that touch or could."""

    J: np.ndarray  # (3 n, nv) velocities of the points per v
    least_velocity: np.ndarray  # (n) slowest velocity allowed along the normal [m/s]
    H: np.ndarray  # (nv, nv) inertia with implicit damping
    v_free: np.ndarray  # (nv) at the end of the step without contact, with the joints' own forces
    v_next: np.ndarray  # (nv) found
    p: np.ndarray  # (n, 3) impulses found
    points: np.ndarray  # (n) which contact points these are
    motion: st.Motion

    @property
    def G(self):
        """Delassus matrix (3 n, 3 n)."""
        return self.J @ np.linalg.solve(self.H, self.J.T)

    @property
    def c(self):
        """Velocities of the points at the end of the step, from the slowest allowed, (n, 3)."""
        return (self.J @ self.v_next).reshape(-1, 3) - self.least_velocity[:, None] * UP

    @property
    def c_free(self):
        """The same without contact."""
        return (self.J @ self.v_free).reshape(-1, 3) - self.least_velocity[:, None] * UP


def point_jacobians(world, q):
    """Velocities of all contact points' lowest points per v, (n, 3, nv), and gaps to z = 0, (n)."""
    centre, links, radius = contact_points_at(world, q)
    lowest = centre - radius[:, None] * UP
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, np.array(q))
    rows = np.zeros((len(links), 3, world.nv))
    for link in np.unique(links):
        J = st.mechanics.jacobian(world, q, world.link_names[link])
        origin = dynamics.origin[world.tree.root[link]] + dynamics.position[link]
        for i in np.flatnonzero(links == link):
            x, y, z = lowest[i] - origin
            rows[i] = J[:3] + np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]) @ J[3:]
    return rows, lowest[:, 2]


def take_step(world, model, state, dt=DT, **options):
    """Simulate one step on level ground, by default with forces at its beginning."""
    options.setdefault("integrator", st.SemiImplicitEuler())
    motion = st.simulate(world, model, duration=dt, dt=dt, state=state, **options)
    return step_of(world, motion, 0, dt)


def step_of(world, motion, k, dt=DT):
    """Step k of a motion without control."""
    q, v, tree = motion.q[k], motion.v[k], world.tree
    rows, gap = point_jacobians(world, q)
    skin = SKIN * contact_points_of(world)[0].size[0]
    v_n = rows[:, 2] @ v
    reach = -np.minimum(dt * v_n, 0) + REACH * 9.81 / 2 * dt * dt
    # also points that the accelerations of an impact bring to the ground within the step
    near = np.flatnonzero((gap < reach) | motion.force[k].any(axis=1))
    H = st.mechanics.inertia(world, q) + dt * np.diag(tree.damping)
    forces = motion.passive[k] + motion.torque[k] - st.mechanics.bias_force(world, q, v)
    v_free = v + np.linalg.solve(H, dt * (forces - tree.damping * v))
    return Step(
        J=rows[near].reshape(-1, world.nv),
        least_velocity=np.where(gap[near] > skin, -(gap[near] - skin) / dt, 0.0),
        H=H,
        v_free=v_free,
        v_next=motion.v[k + 1],
        p=dt * motion.force[k, near],
        points=near,
        motion=motion,
    )


class Errors(NamedTuple):
    """How far a step is from the law, relative to its largest impulse and fastest point."""

    motion: float  # v_next is what the impulses make of v_free
    cone: float  # distance of impulses to the friction cone
    least_velocity: float  # points come down faster than allowed
    signorini: float  # pressed points move along the normal
    slip: float  # sliding points have not all of the friction, or not against the motion


def errors(step, mu=MU):
    """Law of Coulomb and Signorini, Le Lidec et al.'s criteria, from the oracle's velocities."""
    p, n = step.p, len(step.p)
    v_next = step.v_free + np.linalg.solve(step.H, step.J.T @ p.ravel())
    c = (step.J @ v_next).reshape(n, 3) - step.least_velocity[:, None] * UP
    most = max(np.linalg.norm(p, axis=1).max(initial=0.0), 1e-150)
    fast = max(np.linalg.norm(step.c_free, axis=1).max(initial=0.0), 1e-150)
    p_n, p_t = p[:, 2], np.linalg.norm(p[:, :2], axis=1)
    speed = np.linalg.norm(c[:, :2], axis=1)
    power = np.einsum("ni,ni->n", p[:, :2], c[:, :2]) + mu * p_n * speed
    return Errors(
        motion=np.abs(v_next - step.v_next).max() / max(np.abs(step.v_free).max(), 1e-300),
        cone=max((p_t - mu * p_n).max(initial=0.0), (-p_n).max(initial=0.0)) / most,
        least_velocity=(-c[:, 2]).max(initial=0.0) / fast,
        signorini=np.abs(p_n * c[:, 2]).max(initial=0.0) / (most * fast),
        slip=np.abs(power).max(initial=0.0) / (most * fast),
    )


# ---------------------------------------------------------------------------- independent solutions


def frictionless(step):
    """Velocities after the step without friction: nearest to v_free, in H, of what floors allow.

    min |x|^2 with A x >= h is a problem of non-negative least squares (Lawson and Hanson, 23.27).
    """
    from scipy.optimize import nnls

    L = np.linalg.cholesky(step.H)
    normals = step.J[2::3]
    A = np.linalg.solve(L, normals.T).T  # x = L' (v - v_free)
    h = step.least_velocity - normals @ step.v_free
    size = np.abs(h).max()
    E = np.vstack([A.T, h / size])
    unit = np.append(np.zeros(len(L)), 1.0)
    r = E @ nnls(E, unit, maxiter=100 * len(h))[0] - unit
    return step.v_free + size * np.linalg.solve(L.T, -r[:-1] / r[-1])


def project_on_cones(p, mu):
    """Nearest points of the friction cones, (n, 3)."""
    normal, across = p[:, 2], np.linalg.norm(p[:, :2], axis=1)
    on_side = np.maximum((normal + mu * across) / (1 + mu * mu), 0.0)
    side = np.column_stack(
        [p[:, :2] * (mu * on_side / np.maximum(across, 1e-300))[:, None], on_side]
    )
    return np.where((across <= mu * normal)[:, None], p, side)


def de_saxce(step, mu=MU, inner=20000, outer=200):
    """Velocities of the points after the step, by De Saxce's fixed point; nothing shared with ours.

    With s = mu |c_t| held, impulses are those of a convex problem over the cones, here solved by
    accelerated projected gradients with restart; then s is taken anew, until it stays.
    """
    n = len(step.p)
    G, c_free = step.G, step.c_free.ravel()
    rate = 1.0 / np.linalg.eigvalsh(G)[-1]
    p, s = np.zeros(3 * n), np.zeros(n)
    size = np.linalg.norm(c_free)
    for _ in range(outer):
        shift = c_free + np.kron(s, UP)
        x, t = p.copy(), 1.0
        for _ in range(inner):
            new = project_on_cones((x - rate * (G @ x + shift)).reshape(n, 3), mu).ravel()
            if (x - new) @ (new - p) > 0:
                t = 1.0
            t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
            x = new + (t - 1) / t_next * (new - p)
            moved = np.abs(new - p).max()
            p, t = new, t_next
            if moved <= 1e-15 * size / rate:
                break
        c = (G @ p + c_free).reshape(n, 3)
        s_next = mu * np.linalg.norm(c[:, :2], axis=1)
        if np.abs(s_next - s).max() <= 1e-12 * size:
            break
        s = s_next
    return c
