"""A recorded walk: its motion prescribed on the printed sole, its forces against the recorded ones.

The subject's forces are those of the treadmill's plates. All joints and the pitch of the pelvis are
prescribed as fitted (`validate.subject`), the pelvis is free along x and z, and the ground is the
belt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.distributed.runs import humps, shared, smoothed, stances
from stiction.scenes.data import data_file
from stiction.validate.force_plates import agreement
from stiction.validate.human_walk import FOLDER, SOURCE
from stiction.validate.subject import BELT, GRAVITY, MASS, Fitted, fitted
from stiction.validate.walk_fit import SIDES, TURN, X, Z, ankles, legs_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WEIGHT = MASS * GRAVITY  # [N]
DT, EVERY, DURATION = 2e-5, 25, 2.49
COMPARED = (0.15, 2.45)  # before, the pelvis finds its height [s]
ROWS = (2, 6, 11, 22)  # of points along a foot, 3 abreast


def data() -> dict[str, Any]:
    """The walk on soles of various grids, fitted to each."""
    motion, forces = (
        data_file(f"{FOLDER}/{name}", SOURCE) for name in ("walk_planar.npz", "grf_600hz.csv")
    )
    fits, walks = {}, {}
    for rows in ROWS:
        law = shared(st.Distributed(), 3 * rows)
        fits[rows] = fitted(motion, forces, law, rows)
        walks[rows] = walked(fits[rows], law)
    return {"fit": fits[6], "motion": walks[6], "fits": fits, "walks": walks}


def walked(fit: Fitted, law: st.Distributed) -> st.Motion:
    """The fitted walk on its sole."""
    ground = st.Plane(velocity=(-BELT, 0.0, 0.0))
    world = st.World(fit.robot, ground=ground, gravity=(0.0, 0.0, -GRAVITY))
    state = world.home()
    state.q[:] = fit.q[0]
    state.v[:] = (fit.q[1] - fit.q[0]) / (fit.time[1] - fit.time[0])
    walk = st.Prescribed(st.Reference(fit.time, fit.q), base="pitch")
    return st.simulate(
        world,
        law,
        duration=DURATION,
        dt=DT,
        state=state,
        controller=walk,
        record=st.Recording(every=EVERY),
    )


def compared(motion: st.Motion, fit: Fitted) -> dict[str, dict[str, np.ndarray]]:
    """Simulated and recorded forces and moments of each foot at the times of the plates.

    Per side: time, force and plate (n, 3) over body weight, moment and plate moment about the ankle
    [N m].
    """
    plates = fit.plates
    inside = (plates.time > COMPARED[0]) & (plates.time < COMPARED[1])
    time = plates.time[inside]
    found, ankle_paths = {}, ankles(fit.recorded, legs_of(fit.robot))
    for k, side in enumerate(SIDES):
        wrench = motion.foot_wrench(f"{side}_foot")
        known = motion.time[:-1]
        force = np.stack([np.interp(time, known, one[:-1]) for one in wrench.force.T], axis=1)
        moment = np.interp(time, known, wrench.moment[:-1, 1])
        ankle = [np.interp(time, fit.time, one[:, k]) for one in ankle_paths[:2]]
        arm = [plates.centre[inside, k] - ankle[0], -ankle[1]]
        felt = plates.force[inside, k]
        found[side] = {
            "time": time,
            "force": force / WEIGHT,
            "plate": felt / WEIGHT,
            "moment": moment,
            "plate moment": arm[1] * felt[:, 0] - arm[0] * felt[:, 2],
        }
    return found


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Agreement with the plates, the worse foot."""
    fit: Fitted = data["fit"]
    found = summary(data["motion"], fit)
    rms = {
        rows: summary(walk, data["fits"][rows])["vertical_rms"]
        for rows, walk in data["walks"].items()
    }
    change = fit.motion - fit.recorded
    return found | {
        "rms_18_over_best": rms[6] / min(rms.values()),
        **{f"vertical_rms_{3 * rows}": value for rows, value in rms.items()},
        "largest_correction_deg": float(np.degrees(np.abs(change[:, TURN:])).max()),
        "largest_correction_mm": 1e3 * float(np.abs(change[:, [X, Z]]).max()),
    }


def summary(motion: st.Motion, fit: Fitted) -> dict[str, float]:
    """Agreement of one walk with the plates, the worse foot."""
    sides = compared(motion, fit).values()
    vertical = [agreement(one["force"][:, 2], one["plate"][:, 2]) for one in sides]
    along = [agreement(_smooth(one, "force"), one["plate"][:, 0]) for one in sides]
    moments = [agreement(one["moment"], one["plate moment"]) for one in sides]
    turning = motion.torque[:-1, 2]
    return {
        "vertical_r": min(r for r, _ in vertical),
        "vertical_rms": 100 * max(rms for _, rms in vertical),
        "fore_aft_r": min(r for r, _ in along),
        "fore_aft_rms": 100 * max(rms for _, rms in along),
        "ankle_moment_r": min(r for r, _ in moments),
        "double_humps": double_humps(motion, fit),
        "deepest_mm": 1e3 * float(np.nanmax(motion.deepest())),
        "residual_moment": float(np.sqrt(np.mean(turning**2))),
    }


def _smooth(one: dict[str, np.ndarray], name: str) -> np.ndarray:
    return smoothed(one["time"], one[name][:, :1])[:, 0]


def double_humps(motion: st.Motion, fit: Fitted) -> float:
    """Fraction of the complete stances with two maxima above and a minimum below the weight."""
    good = []
    for one in compared(motion, fit).values():
        curve = smoothed(one["time"], one["force"][:, 2:])[:, 0]
        for a, b in stances(one["time"], one["plate"][:, 2], 0.03):
            first, least, second = humps(curve[a : b + 1])
            good.append(first > 1 > least and second > 1)
    return float(np.mean(good))


def draw(data: dict[str, Any]) -> Figure:
    """Forces and moments of both feet, simulated and recorded."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 8.0), layout="constrained")
    panels = figure.subplots(3, 2, sharex=True, sharey="row")
    rows = (("force", 2, "normal force / weight"), ("force", 0, "tangential force / weight"))
    for column, (side, one) in enumerate(compared(data["motion"], data["fit"]).items()):
        for panel, (name, axis, label) in zip(panels[:, column], rows, strict=False):
            panel.plot(one["time"], one[name][:, axis], linewidth=0.8, label="simulated")
            panel.plot(one["time"], one["plate"][:, axis], "k--", label="recorded")
            panel.set_ylabel(label)
        panels[1, column].plot(one["time"], _smooth(one, "force"), label="below 20 Hz")
        panels[2, column].plot(one["time"], one["moment"], linewidth=0.8)
        panels[2, column].plot(one["time"], one["plate moment"], "k--")
        panels[2, column].set(xlabel="time [s]", ylabel="moment about the ankle [N m]")
        panels[0, column].set_title(f"{side} foot")
    panels[1, 0].legend(fontsize="small")
    panels[1, 0].set_ylim(-0.5, 0.5)
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk on the printed sole."""
    return {"recorded walk": data["motion"]}
