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
LEVEL = (0.0, 0.0, -0.03)  # of the ground, in the axes of the brick [m]


def data() -> dict[str, Any]:
    """A pull that grows, one that stays below the limit, and a brick that is thrown."""
    scene = st.scenes.scene(SCENE)
    held = 0.99 * LIMIT
    constant = ((0.0, 0.5, 1.5), ((0.0, 0.0, 0.0), (held, 0.0, 0.0), (held, 0.0, 0.0)))
    pull, low = (st.TabulatedForce("brick", at, *constant) for at in ((0.0, 0.0, 0.0), LEVEL))
    grows = scene.forces[0]
    thrown = replace(scene.robots[0], velocity=(SPEED, 0.0, 0.0))
    return {
        "pulled": scene.simulate(),
        "held": replace(scene, forces=(pull,), duration=1.5).simulate(),
        "pulled at the ground": replace(scene, forces=(replace(grows, point=LEVEL),)).simulate(),
        "held at the ground": replace(scene, forces=(low,), duration=1.5).simulate(),
        "Coulomb": scene.simulate(contact="Coulomb"),
        "thrown": replace(scene, robots=(thrown,), forces=(), duration=0.6).simulate(),
    }


def ratio(motion: st.Motion) -> np.ndarray:
    """Friction over normal force in every step; NaN in steps without contact."""
    force = motion.total_force()[:-1]
    pressed = np.where(force[:, 2] > 0, force[:, 2], np.nan)
    return np.hypot(force[:, 0], force[:, 1]) / pressed


def moves(motion: st.Motion) -> int:
    """The first row in which the brick slides; the pull reaches mu_S m g after 1 s."""
    return int(np.argmax(motion.v[:, 0] > MOVES))


def creep(motion: st.Motion) -> float:
    """Way of the brick in the last second [mm]."""
    x = motion.q[:, 0]
    return 1000 * float(abs(x[-1] - x[len(x) // 3]))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """When it begins to slide, and how."""
    pulled, low, thrown = (data[name] for name in ("pulled", "pulled at the ground", "thrown"))
    sliding, later = (ratio(pulled)[moves(pulled) + k :] / MU_K for k in (10, 100))
    level = ratio(low)[moves(low) + 10 :] / MU_K
    return {
        "creep": creep(data["held"]),
        "creep, pulled at the ground [mm]": creep(data["held at the ground"]),
        "break-away": float(pulled.time[moves(pulled)]),
        "break-away, pulled at the ground": float(low.time[moves(low)]),
        "break-away, Coulomb": float(data["Coulomb"].time[moves(data["Coulomb"])]),
        "kinetic friction": float(np.nanmean(sliding)),
        "kinetic friction, after 0.1 s": float(np.nanmean(later)),
        "kinetic friction, pulled at the ground": float(np.nanmean(level)),
        "spread of kinetic friction": float(np.nanstd(sliding)),
        "steps without contact after break-away": int(np.isnan(sliding).sum()),
        "stopping distance": float((thrown.q[-1, 0] - thrown.q[0, 0]) / (SPEED**2 / 2 / MU_K / G)),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Friction over the normal force, over time, as the pull grows; speed of the thrown brick."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    thrown = data["thrown"]
    for name, colour in (("pulled", "k"), ("pulled at the ground", "C0")):
        left.plot(data[name].time[:-1], ratio(data[name]), colour, lw=0.8, label=name)
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
