"""Fig. 3: what lambda does in Eq. (33), error against norm, and the matrix A of Eq. (32)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics.points import followed_points
from stiction.papers.balanced.measured import ratios, vertices
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMBDAS = (1e-4, 1e-3, 0.01, 0.1, 1.0, 4.0, 7.0, 20.0, 100.0)
NONE = 1e12  # lambda at which the impulses vanish
SPEED = 0.3  # of the landing [m/s]
DEPTH = 1e-3  # at which it is stopped [m]
ROUNDING = 1e-9  # eigenvalues below this share of the largest are zero
DRAWS = 200  # of directions of sliding


def data() -> dict[str, Any]:
    """A landing stopped in one step with each lambda, and A for vertices at rest and sliding."""
    landings = {value: land(value) for value in (*LAMBDAS, NONE)}
    J = jacobians(landings[NONE])
    error = {value: float(np.linalg.norm(J @ motion.v[1])) for value, motion in landings.items()}
    norm = {
        value: float(np.linalg.norm(motion.force[0]) * motion.parameters["dt"])
        for value, motion in landings.items()
    }
    H = st.mechanics.inertia(landings[NONE].world, landings[NONE].q[0])
    return {
        "landing": landings[1.0],
        "error": error,
        "norm": norm,
        "stuck": [singular(H, J[:n].reshape(3 * n, -1)) for n in range(1, 5)],
        "sliding": [singular(H, J[:n, 2]) for n in range(1, 5)],
        "least": least_eigenvalues(H, J, scene("balanced-stand").contact.mu_kinetic),
    }


def land(relaxation: float) -> st.Motion:
    """One step of hoap1 that comes down with all vertices in the floor, macro model alone."""
    one = scene("balanced-stand")
    macro = one.contact._replace(relaxation=relaxation, thickness=0.0, spring_beyond=0.0)
    world, state = one.world(), one.start()
    state.q[2] -= DEPTH
    state.v[2] = -SPEED
    return st.simulate(
        world,
        macro,
        duration=one.dt,
        dt=one.dt,
        state=state,
        controller=one.controller(world),
        integrator=one.integrator,
    )


def jacobians(motion: st.Motion) -> np.ndarray:
    """K' of Eq. (3) for the vertices of the left sole, then the right one, (8, 3, nv)."""
    feet = np.concatenate([vertices(motion, foot) for foot in ("left_foot", "right_foot")])
    nv = motion.world.nv
    q = np.tile(motion.q[0], (nv, 1))
    return np.moveaxis(followed_points(motion, q, np.eye(nv)).velocity[:, feet], 0, 2)


def singular(H: np.ndarray, rows: np.ndarray) -> bool:
    """Whether K' H^-1 K of some rows has a zero eigenvalue."""
    values = np.linalg.eigvalsh(rows @ np.linalg.solve(H, rows.T))
    return bool(values[0] < ROUNDING * values[-1])


def least_eigenvalues(H: np.ndarray, J: np.ndarray, mu: float) -> np.ndarray:
    """Least eigenvalue of (A + A')/2 over the largest, vertices that slide in random directions."""
    rng, found = np.random.default_rng(0), []
    for _ in range(DRAWS):
        turn = rng.uniform(0, 2 * np.pi, len(J))
        sigma = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        columns = J[:, 2] - mu * np.einsum("ia,iav->iv", sigma, J[:, :2])  # Eq. (26)
        A = J[:, 2] @ np.linalg.solve(H, columns.T)  # Eq. (31)
        values = np.linalg.eigvalsh((A + A.T) / 2)
        found.append(values[0] / values[-1])
    return np.array(found)


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Counts of vertices, the least eigenvalue, and how error and norm follow lambda."""
    error, norm = ([data[name][value] for value in LAMBDAS] for name in ("error", "norm"))
    return {
        "fewest_stuck": float(1 + data["stuck"].index(True)),
        "fewest_sliding": float(1 + data["sliding"].index(True)),
        "least_eigenvalue": float(data["least"].min()),
        "least_growth_of_error": float(ratios(error).min()),
        "largest_growth_of_norm": float(ratios(norm).max()),
        "error_at_001": 100 * data["error"][0.01] / data["error"][NONE],
        "error_at_1": 100 * data["error"][1.0] / data["error"][NONE],
        "error_at_7": 100 * data["error"][7.0] / data["error"][NONE],
    }


def draw(data: dict[str, Any]) -> Figure:
    """Error and norm over lambda, and their weighted sum, which Eq. (33) minimises."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    error, norm = (np.array([data[name][value] for value in LAMBDAS]) for name in ("error", "norm"))
    whole = data["error"][NONE]
    left.semilogx(LAMBDAS, 100 * error / whole, "o-", label="velocity that remains [%]")
    left.semilogx(LAMBDAS, 100 * norm / norm.max(), "s-", label="norm of the impulses [%]")
    left.set(xlabel="lambda [1/kg²]", ylabel="of what it is without contact, of the largest")
    left.legend()
    right.plot(1e3 * norm, 1e3 * error, "o-", color="0.3")
    for value, x, y in zip(LAMBDAS, 1e3 * norm, 1e3 * error, strict=True):
        right.annotate(f"{value:g}", (x, y), xytext=(4, 3), textcoords="offset points")
    right.set(xlabel="|Delta f| [mN s]", ylabel="|A Delta f - v| [mm/s]", title="lambda along it")
    return figure
