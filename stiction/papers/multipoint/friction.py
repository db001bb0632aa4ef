"""Section 3.2: a brick that is pulled sticks up to mu_S, then slides with mu_K."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "multipoint-pull"
G, MASS, MU_S, MU_K = 9.81, 2.0, 0.7, 0.5  # of the scene
LIMIT = MU_S * MASS * G  # [N]
SPEED = 1.0  # of the brick that is thrown [m/s]
MOVES = 1e-4  # [m/s]


def data() -> dict[str, Any]:
    """A pull that grows, one that stays below the limit, and a brick that is thrown."""
    scene = st.scenes.scene(SCENE)
    held = 0.99 * LIMIT
    pull = st.TabulatedForce(
        "brick", (0.0, 0.0, 0.0), (0.0, 0.5, 1.5), ((0.0, 0.0, 0.0), (held, 0, 0), (held, 0, 0))
    )
    thrown = replace(scene.robots[0], velocity=(SPEED, 0.0, 0.0))
    return {
        "pulled": scene.simulate(),
        "held": replace(scene, forces=(pull,), duration=1.5).simulate(),
        "thrown": replace(scene, robots=(thrown,), forces=(), duration=0.6).simulate(),
    }


def ratio(motion: st.Motion) -> np.ndarray:
    """Friction over normal force in every step."""
    force = motion.total_force()[:-1]
    return np.hypot(force[:, 0], force[:, 1]) / force[:, 2]


def measures(data: dict[str, Any]) -> dict[str, float]:
    """When it begins to slide, and how."""
    pulled, held, thrown = (data[name] for name in ("pulled", "held", "thrown"))
    moves = int(np.argmax(pulled.v[:, 0] > MOVES))
    x = held.q[:, 0]
    return {
        "creep": 1000 * float(abs(x[-1] - x[len(x) // 3])),
        "break-away": float(pulled.time[moves]),  # the pull reaches the limit after 1 s
        "kinetic friction": float(ratio(pulled)[moves + 10 :].mean() / MU_K),
        "spread of kinetic friction": float(ratio(pulled)[moves + 10 :].std() / MU_K),
        "stopping distance": float((thrown.q[-1, 0] - thrown.q[0, 0]) / (SPEED**2 / 2 / MU_K / G)),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Friction over the normal force, over time, as the pull grows; speed of the thrown brick."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    pulled, thrown = data["pulled"], data["thrown"]
    left.plot(pulled.time[:-1], ratio(pulled), "k", lw=0.8)
    for mu, name in ((MU_S, r"$\mu_S$"), (MU_K, r"$\mu_K$")):
        left.axhline(mu, color="C3", ls=":", lw=0.8, label=name)
    left.set(xlabel="time (s)", ylabel="friction / normal force")
    left.legend()
    right.plot(thrown.time, thrown.v[:, 0], "k", lw=0.8)
    right.set(xlabel="time (s)", ylabel="speed (m/s)")
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The brick that is pulled."""
    motion: st.Motion = data["pulled"]
    return {"pulled": motion.rows(np.arange(0, len(motion), 20))}
