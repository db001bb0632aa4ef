"""The walk of Fig. 4 and a sliding brick under all models: what the choice of model changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for
from stiction.contact.contact_model import FORCE_LAW, MODELS, our_models
from stiction.papers.multipoint.fig04 import FEET, SCENE, STEPS
from stiction.papers.multipoint.friction import MASS, MU_K, SPEED, G
from stiction.papers.multipoint.friction import SCENE as PULL
from stiction.papers.others import walk_row, walking_models
from stiction.papers.peer import NAME, Peer, mujoco_motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DT, DT_LAW = 1e-3, 1e-4  # [s]
HALF = (0.1, 0.05, 0.03)  # of the brick [m]
DURATION = 0.6  # of the slide [s]


def slides() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Time, distance and height of a brick thrown at 1 m/s under every model with friction."""
    scene = st.scenes.scene(PULL)
    thrown = replace(scene.robots[0], velocity=(SPEED, 0.0, 0.0))
    scene = replace(scene, robots=(thrown,), forces=())
    found = {}
    for kind in our_models():
        contender = Contender(kind.__name__, kind, {}, st.Midpoint())
        if not contender.slides:
            continue
        dt = DT_LAW if MODELS[kind].family == FORCE_LAW else DT
        material = Material(scene.contact.mu_static, MU_K)
        model = model_for(contender, Load(material, MASS / 4, dt))
        motion = scene.simulate(contact=model, dt=dt, duration=DURATION)
        found[kind.__name__] = (motion.time, motion.q[:, 0] - motion.q[0, 0], motion.q[:, 2])
    peer = Peer("box", HALF, MASS, HALF[2], (SPEED, 0.0, 0.0), MU_K)
    theirs = mujoco_motion(peer, DURATION, DT)
    found[NAME] = (theirs.time, theirs.q[:, 0], theirs.q[:, 2])
    return found


def data() -> dict[str, Any]:
    """Both experiments under every model."""
    scene, walks = st.scenes.scene(SCENE), []
    plan = st.patterns.walk(st.robots.hoap1(), steps=STEPS)
    own = scene.contact
    for name, other in walking_models(plan.body.mass, own.mu_static, own.mu_kinetic).items():
        if name == "Multipoint":
            other = other._replace(dt=scene.dt)
        walks.append(walk_row(name, other, scene, plan, FEET))
    return {"slides": slides(), "walks": walks}


def slide_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The sliding brick under every model, in numbers."""
    return [
        {
            "model": name,
            "step [ms]": 1000 * float(time[1] - time[0]),
            "distance / Coulomb's": float(way[-1] / (SPEED**2 / 2 / MU_K / G)),
            "creep in the last 0.1 s [mm]": 1000 * float(way[-1] - np.interp(0.5, time, way)),
            "highest rise [mm]": 1000 * float(height.max() - HALF[2]),
            "depth at the end [mm]": 1000 * float(HALF[2] - height[-1]),
        }
        for name, (time, way, height) in data["slides"].items()
    ]


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How many models walk, and how far the slides differ."""
    ways = [row["distance / Coulomb's"] for row in slide_rows(data)]
    return {
        "models that walk": sum(row["walks"] for row in data["walks"]),
        "shortest slide": min(ways),
        "longest slide": max(ways),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Distance of the sliding brick against Coulomb's law, and chatter of the walks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 7), layout="constrained")
    left, right = figure.subplots(2, 1)
    slid = slide_rows(data)
    off = [abs(row["distance / Coulomb's"] - 1) * 100 + 1e-9 for row in slid]
    left.barh([row["model"] for row in slid], off)
    left.set(xscale="log", xlabel="distance of the brick, off Coulomb's law (%)")
    rows = [row for row in data["walks"] if row["walks"]]
    right.barh([row["model"] for row in rows], [row["chatter [%]"] for row in rows])
    right.set(xscale="log", xlabel="chatter of the stance foot's force (% of the weight)")
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Both experiments."""
    return {
        "A brick thrown at 1 m/s": slide_rows(data),
        "The walk of ten steps": data["walks"],
    }
