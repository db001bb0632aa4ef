"""Section 4.1: how deep the printed sole sinks, and how far it shifts, in the walk and at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics import ContactState
from stiction.metrics.points import points_under
from stiction.papers.distributed.gait import planned
from stiction.papers.distributed.runs import FEET, run
from stiction.papers.distributed.walk import SCENE, SETTLED, Walk, walk_of, walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTH, SHIFT = 10.0, 1.0  # imposed in the paper [mm]
NORMAL, TANGENTIAL = 5.0, 8.0  # times the printed values: a sole that comes near to both


def data() -> dict[str, Any]:
    """The walk, the same on a stiffer sole, and a foot that carries the body at rest."""
    walk = walked()
    return {
        "walk": walk,
        "motion": walk.motion,
        "stiffer": on_stiffer_sole(),
        "foot": foot_at_rest(),
    }


def on_stiffer_sole() -> Walk:
    """The walk planned again for a stiffer sole."""
    law = st.Distributed()
    law = law._replace(
        stiffness=NORMAL * law.stiffness,
        tangential_stiffness=TANGENTIAL * law.tangential_stiffness,
        tangential_damping=TANGENTIAL * law.tangential_damping,
    )
    return walk_of(run(SCENE, 100, law=law, control=planned(law), dt=5e-6))


def foot_at_rest() -> st.Motion:
    """A box of 75 kg on the 18 points of one sole, until it rests."""
    box = st.robots.box((0.265, 0.095, 0.095), 75.0).with_sole_points("box", 6, 3)
    world = st.World(box)
    state = world.standing(above=-0.009)
    return st.simulate(world, st.Distributed(), duration=1.0, dt=1e-4, state=state)


def shifts(walk: Walk) -> np.ndarray:
    """Way of each point along the ground since it began to stick, (n, points) [m]."""
    motion = walk.motion
    sticks = motion.contact_state == ContactState.STICK
    steps = np.diff(motion.time, prepend=motion.time[0])[:, None, None]
    slip = np.where(sticks[..., None], np.nan_to_num(motion.slip), 0.0) * steps
    way = np.zeros_like(slip)
    for k in range(1, len(way)):
        way[k] = (way[k - 1] + slip[k]) * sticks[k][:, None]
    return np.linalg.norm(way, axis=2)


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Largest depth and shift after the first stride."""
    walk: Walk = data["walk"]
    later = walk.time >= SETTLED
    depth, way = largest(walk)
    on = (walk.motion.depth[later] > 0).sum(axis=1)
    flat = on == 18  # of one foot: both have 9 or fewer in double support
    middle = shifts(walk)[later][flat].max()
    stiff_depth, stiff_way = largest(data["stiffer"])
    rest = data["foot"]
    pressed = rest.depth[-2][rest.depth[-2] > 0]
    k = int(np.argmax(np.nan_to_num(walk.motion.deepest()) * later))
    return {
        "deepest_mm": depth,
        "deepest_points": float((walk.motion.depth[k] > 0).sum()),
        "deepest_flat_mm": 1e3 * float(walk.motion.depth[later][flat].max()),
        "shift_mm": way,
        "shift_flat_mm": 1e3 * float(middle),
        "deepest_stiffer_mm": stiff_depth,
        "shift_stiffer_mm": stiff_way,
        "standing_mm": 1e3 * float(pressed.mean()),
        "standing_points": float(len(pressed)),
    }


def largest(walk: Walk) -> tuple[float, float]:
    """Largest depth and shift after the first stride [mm]."""
    later = walk.time >= SETTLED
    later[-1] = False
    return 1e3 * float(walk.motion.depth[later].max()), 1e3 * float(shifts(walk)[later].max())


def draw(data: dict[str, Any]) -> Figure:
    """Depth and shift over two strides, and the limits that the paper imposes."""
    from matplotlib.figure import Figure

    walk: Walk = data["walk"]
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    inside = walk.time >= SETTLED
    inside[-1] = False
    curves = (walk.motion.depth, shifts(walk))
    for panel, values, imposed, label in zip(
        panels, curves, (DEPTH, SHIFT), ("depth [mm]", "shift [mm]"), strict=True
    ):
        for foot in FEET:
            largest = 1e3 * values[:, points_under(walk.motion, foot)].max(axis=1)
            panel.plot(walk.time[inside], largest[inside], label=f"{foot}, largest of 18 points")
        panel.axhline(imposed, color="0.4", linestyle="--", label="imposed in the paper")
        panel.set_ylabel(label)
        panel.margins(x=0)
    panels[0].legend(fontsize="small")
    panels[1].set_xlabel("time [s]")
    return figure
