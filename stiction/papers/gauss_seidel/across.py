"""Fig. 6 under all other models: what the choice of contact model changes; and MuJoCo's slide.

The same robot, servos and object; compliant models sink by 0.2 mm under one foot. MuJoCo has no
model of this robot: it slides the object alone, lying, with the speed that Fig. 6 gives it.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction import scenes
from stiction.motion.motion import Motion
from stiction.papers.gauss_seidel.fig06 import (
    GRAVITY,
    HANDS,
    SCENE,
    first_row,
    longest_gap,
    object_centre,
    object_tilt,
)
from stiction.papers.gauss_seidel.measured import LEGS, contact_counts, pressed, soles
from stiction.papers.others import Other, walking_models
from stiction.papers.peer import NAME, Peer, mujoco_motion
from stiction.papers.table import table_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MU, MASS = 0.4, 58.0
SAMPLE = 0.001  # of all records [s]
LYING = (0.125, 0.04, 0.04)  # half sizes of the object on its side [m]
SPEED, SLIDES = 0.165, 0.3  # of the object that lies and slides [m/s], for so long [s]


def data() -> dict[str, Any]:
    """Fig. 6 under every model, and the slide of the object in MuJoCo and here."""
    scene, rows = scenes.scene(SCENE), []
    for name, other in walking_models(MASS, MU, MU).items():
        dt = scene.step_for(other.model)
        rows.append({"model": name, "step [ms]": 1e3 * dt} | outcome(scene, Other(other.model, dt)))
    return {"push": rows, "slide": [slid("GaussSeidel"), slid(NAME)]}


def outcome(scene: st.Scene, other: Other) -> dict[str, Any]:
    """What happens in Fig. 6 under a model."""
    every = max(1, round(SAMPLE / other.dt))
    record = st.Recording(every=every)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unsolved steps and instability show in the numbers
            motion = scene.simulate(contact=other.model, dt=other.dt, record=record)
    except st.StictionError as error:
        return {"ends": " ".join(str(error).split())[:60]}
    return told(motion)


def told(motion: Motion) -> dict[str, Any]:
    """The row of a motion."""
    legs, hands = pressed(motion, LEGS, "table"), pressed(motion, HANDS, "object")
    centre, both = object_centre(motion), soles(motion)
    met = first_row(legs) < len(legs)
    return {
        "ends": "held" if motion.q[-1, 2] > 0.5 else "falls",
        "object tilts [deg]": float(np.degrees(object_tilt(motion)[-1])),
        "its way [mm]": 1e3 * float(np.linalg.norm(centre[-1, :2] - centre[0, :2])),
        "hand at most [N]": float(hands.max()),
        "heels rise [mm]": 1e3 * max(float(sole.heel_rise().max()) for sole in both),
        "toes slide [mm]": 1e3 * max(float(sole.toe_path()[-1]) for sole in both),
        "legs at most [N]": float(legs.max()),
        "legs rebound [ms]": 1e3 * SAMPLE * longest_gap(legs) if met else None,
        "depth [mm]": 1e3 * float(np.nanmax(motion.deepest())),
        "contacts": int(contact_counts(motion).max()),
        "unsolved": motion.unsolved.count,
    }


def slid(name: str) -> dict[str, Any]:
    """How far the lying object slides, over Coulomb's distance, and how it creeps afterwards."""
    size = (2 * LYING[0], 2 * LYING[1], 2 * LYING[2])
    mass = 0.4
    if name == NAME:
        peer = Peer("box", LYING, mass, LYING[2], (SPEED, 0.0, 0.0), MU)
        motion: Any = mujoco_motion(peer, SLIDES, SAMPLE)
    else:
        world = st.World(st.robots.box(size, mass))
        state = world.standing()
        state.v[0] = SPEED
        model = st.GaussSeidel(mu_static=MU, mu_kinetic=MU)
        motion = st.simulate(world, model, duration=SLIDES, dt=SAMPLE, state=state)
    way, half = motion.q[:, 0] - motion.q[0, 0], len(motion.time) // 2
    expected = SPEED**2 / (2 * MU * GRAVITY)
    rest = motion.time[-1] - motion.time[half]
    return {
        "engine": name,
        "distance over v^2 / (2 mu g)": float(way[half] / expected),
        "creep afterwards [mm/s]": 1e3 * float((way[-1] - way[half]) / rest),
    }


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How many models let the object fall and hold the robot, and how far its distances differ."""
    done = [row for row in data["push"] if "its way [mm]" in row]
    exact = [row["its way [mm]"] for row in done if row["model"] in ("GaussSeidel", "Coulomb")]
    return {
        "models": float(len(data["push"])),
        "hold the robot": float(sum(row["ends"] == "held" for row in done)),
        "object falls": float(sum(row["object tilts [deg]"] > 80 for row in done)),
        "exact cones apart [mm]": float(np.ptp(exact)) if exact else np.nan,
        "mujoco_distance": data["slide"][1]["distance over v^2 / (2 mu g)"],
    }


def draw(data: dict[str, Any]) -> Figure:
    """The table of Fig. 6."""
    heads = max(data["push"], key=len)
    rows = [{head: row.get(head) for head in heads} for row in data["push"]]
    return table_figure(rows, "Fig. 6 under all models")


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Both tables."""
    return {"Fig. 6 under all models": data["push"], "The object slides alone": data["slide"]}
