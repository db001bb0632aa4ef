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
from mechanisms import turned
from stiction.collision.detection import REACH
from stiction.contact.surface import SKIN
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.world.contact_points import contact_points_of

MU = 0.5
DT = 1e-3
UP = np.array([0.0, 0.0, 1.0])
GRIDS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2), 16: (4, 4), 64: (8, 8)}
TRIPOD = ((1.0, -1.0), (1.0, 1.0), (-1.0, 0.0))


# ------------------------------------------------------------------------------------------- worlds


def plate(points, *, order=None, length=1.0, mass=1.0, size=(0.2, 0.1, 0.06)):
    """A brick of 2 kg that touches with small spheres in a grid under it, in units of one's choice.

    On three points, a tripod, it is carried in only one way, whatever the gaps below them.
    order: in which the spheres are declared; length, mass: of the new units in m and kg.
    """
    x, y, z = (side / length for side in size)
    m, radius = 2.0 / mass, 0.005 / length
    inertia = (
        m * (y * y + z * z) / 12,
        0,
        0,
        m * (x * x + z * z) / 12,
        0,
        m * (x * x + y * y) / 12,
    )
    grid = [(u * x / 2, w * y / 2, -z / 2) for u, w in corners(points)]
    numbers = range(points) if order is None else order
    shapes = tuple(Shape(f"point{k}", "plate", "sphere", (radius,), grid[k]) for k in numbers)
    link = Link("plate", m, (0.0, 0.0, 0.0), inertia)
    free = Joint("free", "free", WORLD, "plate")
    return st.Robot.from_description(Description("plate", "tests", (link,), (free,), shapes))


def corners(points):
    """Where the points are, from -1 to 1 along and across."""
    if points == 3:
        return list(TRIPOD)
    lines = [np.linspace(-1, 1, n) if n > 1 else np.zeros(1) for n in GRIDS[points]]
    return [(u, w) for u in lines[0] for w in lines[1]]


def thrown(world, rng, *, tilt=0.0, speed=1.0, sinking=0.5, spin=2.0, joints=0.0, above=0.0):
    """A state in which every robot is about to land, slides and spins; all numbers are sizes."""
    robots = []
    for k, robot in enumerate(world.robots):
        angle = rng.uniform(-tilt, tilt)
        heading = rng.uniform(0, 2 * np.pi)
        turn = turned((np.cos(heading), np.sin(heading), 0.3), angle)
        robots.append(robot.at((1.0 * k, 0.0, 0.0), turn) if robot.nq >= 7 else robot)
    state = st.World(*robots, ground=world.ground).standing(above=above)
    tree = world.tree
    for link in range(1, len(tree.parent)):
        first, last = tree.v_index[link], tree.v_index[link + 1]
        if last - first == 6:
            heading = rng.uniform(0, 2 * np.pi)
            state.v[first : first + 2] = speed * np.array([np.cos(heading), np.sin(heading)])
            state.v[first + 2] = -rng.uniform(0, sinking)
            state.v[first + 3 : last] = spin * rng.uniform(-1, 1, 3)
        else:
            q = tree.q_index[link]
            low, high = max(tree.lower[first], -1.0), min(tree.upper[first], 1.0)
            middle, half = (low + high) / 2, (high - low) / 2
            state.q[q] = middle + 0.8 * half * rng.uniform(-1, 1) if joints else state.q[q]
            state.v[first:last] = joints * rng.uniform(-1, 1)
    if joints:
        lower_to(world, state, above)
    return state


def lower_to(world, state, above):
    """Move a single free robot up or down until its lowest point is `above` the level ground."""
    position, _, radius = contact_points_at(world, state.q)
    state.q[2] += above - (position[:, 2] - radius).min()


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


def contact_points_at(world, q):
    """Centres (n, 3), links (n) and radii (n) of all contact points at a configuration."""
    contact_points, _, _ = contact_points_of(world)
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, np.array(q))
    origin = dynamics.origin[world.tree.root[contact_points.link]]
    arm = np.einsum("nij,nj->ni", dynamics.rotation[contact_points.link], contact_points.centre)
    return (
        origin + dynamics.position[contact_points.link] + arm,
        contact_points.link,
        contact_points.radius,
    )


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
