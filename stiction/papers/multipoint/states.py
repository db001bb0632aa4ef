"""Fig. 1 and section 3.1: point, line, face and mixed contact of bricks and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.scenes.body import Body

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "multipoint-brick"
EACH = 30  # bricks, and tables
HEIGHT = 0.1  # of the fall [m]
REST = 1e-3  # [m/s]
RESTITUTION = 0.5
DIRECTIONS = np.linspace(0, 2 * np.pi, 72, endpoint=False)


def attitudes() -> np.ndarray:
    """Random quaternions, the same every time."""
    drawn = np.random.default_rng(4).normal(size=(EACH, 4))
    return drawn / np.linalg.norm(drawn, axis=1)[:, None]


def dropped(model: str, turn: np.ndarray, contact: Any = None) -> st.Motion:
    """A body that falls in an attitude."""
    scene = st.scenes.scene(SCENE)
    body = Body(model=model, turn=tuple(turn), above=HEIGHT)
    return replace(scene, robots=(body,)).simulate(contact=contact)


def data() -> dict[str, Any]:
    """The brick of the scene, a brick at rest, a ball, and sixty bodies."""
    scene = st.scenes.scene(SCENE)
    level = replace(scene.robots[0], turn=(1.0, 0.0, 0.0, 0.0), above=0.0)
    flat = replace(scene, robots=(level,)).simulate(duration=0.5)
    ball = replace(scene, robots=(Body(model="ball", above=HEIGHT),))
    turns = attitudes()
    return {
        "brick": scene.simulate(),
        "flat": flat,
        "ball": ball.simulate(contact=scene.contact._replace(restitution=RESTITUTION)),
        "bodies": [dropped(model, turn) for model in ("brick", "table") for turn in turns],
    }


def outside(motion: st.Motion) -> float:
    """Largest distance of the centre of pressure outside the hull of the touching points [m]."""
    force = np.nan_to_num(motion.force[:-1, :, 2])
    where = motion.contact_points.position[:-1, :, :2]
    total = force.sum(axis=1)
    rows = np.flatnonzero(total > 0)
    centre = (force[rows, :, None] * where[rows]).sum(axis=1) / total[rows, None]
    ways = np.stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)])
    reach = np.where((force[rows] > 0)[:, :, None], where[rows] @ ways, -np.inf).max(axis=1)
    return float((centre @ ways - reach).max(initial=0.0))


def gained(motion: st.Motion) -> float:
    """Largest energy above that at the start, over weight times height."""
    parts = motion.energy()
    energy = parts.kinetic + parts.potential
    return float((energy.max() - energy[0]) / (motion.world.total_mass * 9.81 * HEIGHT))


def speed(motion: st.Motion) -> float:
    """Largest speed of the centre in the last 0.2 s [m/s]."""
    return float(np.linalg.norm(motion.v[-200:, :3], axis=1).max())


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Spread, centre of pressure, rest, energy, restitution."""
    last = data["flat"].force[-2, :, 2]
    pressed = last[last > 0]
    ball: st.Motion = data["ball"]
    hit = int(np.argmax(ball.total_force()[:-1, 2] > 0))
    bodies: list[st.Motion] = data["bodies"]
    return {
        "spread": float(pressed.std() / pressed.mean()) if len(pressed) == 4 else np.inf,
        "pressure outside": 1000 * max(outside(motion) for motion in bodies),
        "at rest": float(np.mean([speed(motion) < REST for motion in bodies])),
        "energy gained": max(gained(motion) for motion in bodies),
        "restitution": -ball.v[hit + 1, 2] / ball.v[hit, 2],
        "greatest depth [mm]": 1000 * max(float(np.nanmax(one.deepest())) for one in bodies),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Number of touching points of the scene's brick, and speeds of all bodies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    brick: st.Motion = data["brick"]
    left.plot(brick.time[:-1], (np.nan_to_num(brick.force[:-1, :, 2]) > 0).sum(axis=1), "k", lw=0.8)
    left.set(xlabel="time (s)", ylabel="points that bear", xlim=(0.0, 1.0), yticks=range(5))
    for k, motion in enumerate(data["bodies"]):
        colour = "C0" if k < EACH else "C1"
        right.semilogy(motion.time, np.linalg.norm(motion.v[:, :3], axis=1) + 1e-9, colour, lw=0.4)
    for k, name in enumerate(("bricks", "tables")):
        right.plot([], [], f"C{k}", label=name)
    right.axhline(REST, color="k", ls=":", lw=0.8)
    right.set(xlabel="time (s)", ylabel="speed (m/s); dotted: rest")
    right.legend()
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The brick of the scene, and a table."""
    table: st.Motion = data["bodies"][EACH]
    brick: st.Motion = data["brick"]
    return {
        "brick": brick.rows(np.arange(0, 1500, 10)),
        "table": table.rows(np.arange(0, 1500, 10)),
    }
