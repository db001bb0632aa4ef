"""Sections 1 and 4: the longest time step at which HOAP-1 walks, against springs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.walk_measures import walk_measures
from stiction.papers.multipoint.fig04 import FEET, SCENE
from stiction.papers.others import Other, survived, walking_models
from stiction.scenes.control import Control

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 4
LENGTHS = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 4e-3)  # [s]
MODELS = ("Multipoint", "SpringDamper")


def shorter_walk() -> st.Scene:
    """The scene of Fig. 4 with four steps."""
    return replace(st.scenes.scene(SCENE), controls=(Control("walk", {"steps": STEPS}),))


def data() -> dict[str, Any]:
    """Walks with all lengths of step under both models."""
    scene = shorter_walk()
    plan = st.patterns.walk(st.robots.hoap1(), steps=STEPS)
    others = walking_models(5.0, scene.contact.mu_static, scene.contact.mu_kinetic)
    models = {"Multipoint": scene.contact, "SpringDamper": others["SpringDamper"].model}
    table, ends = [], {}
    for name in MODELS:
        for dt in LENGTHS:
            motion = survived(scene, Other(models[name], dt))
            row = {"model": name, "step [ms]": 1000 * dt, "walks": False, "off [mm]": np.nan}
            if isinstance(motion, st.Motion):
                found = walk_measures(motion, plan, FEET)
                row |= {"walks": found["survived"], "off [mm]": found["off [mm]"]}
                row |= {"depth [mm]": found["depth [mm]"], "chatter [%]": found["chatter [%]"]}
                ends[name, dt] = motion.q[-1, :3]
            table.append(row)
    return {"table": table, "ends": ends}


def longest(data: dict[str, Any], model: str) -> float:
    """Longest step of a model at which it and all shorter ones walk [ms]; 0 if none does."""
    walks = [row["walks"] for row in data["table"] if row["model"] == model]
    count = walks.index(False) if False in walks else len(walks)
    return 1000 * LENGTHS[count - 1] if count else 0.0


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Longest steps, and what the step changes."""
    ours, springs = (longest(data, model) for model in MODELS)
    ends = data["ends"]
    fine, coarse = (ends.get(("Multipoint", dt)) for dt in (1e-4, 1e-3))
    change = np.nan if fine is None or coarse is None else np.linalg.norm(fine - coarse)
    return {
        "longest step": ours,
        "longest step of springs [ms]": springs,
        "ratio of steps": ours / springs if springs else np.inf,
        "change with the step": 1000 * float(change),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Distance from the plan over the length of the step."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    panel = figure.subplots()
    for k, model in enumerate(MODELS):
        rows = [row for row in data["table"] if row["model"] == model]
        x = np.array([row["step [ms]"] for row in rows])
        y = np.array([row["off [mm]"] for row in rows])
        panel.loglog(x, y, f"C{k}o-", label=model)
        lost = [not row["walks"] for row in rows]
        panel.plot(x[lost], np.full(sum(lost), 300.0), f"C{k}x")
    panel.set(xlabel="time step (ms)", ylabel="off the plan at the end (mm); cross: falls")
    panel.legend()
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Every walk."""
    heads = ("model", "step [ms]", "walks", "off [mm]", "depth [mm]", "chatter [%]")
    return {"Steps": [{head: row.get(head) for head in heads} for row in data["table"]]}
