"""`stiction validate human-walk`: a recorded walk under every contact model, against its plates.

The walk is OpenSim's subject01 on a treadmill, 2.5 s. All joints and the pitch of the pelvis are
prescribed as fitted to the belt (`subject`, `walk_fit`); the pelvis is free along x and z, so that
the forces of the ground carry the body. A force law itself acts as the sole. Rigid models get the
same sole as pads of the body (`pads`). From the plates, the fit uses only the times at which a foot
touches.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st
from stiction.errors import StictionError
from stiction.scenes.data import data_file
from stiction.validate.force_plates import Foot, feet_beside_plates, measures
from stiction.validate.pads import with_pads
from stiction.validate.subject import BELT, GRAVITY, Fitted, fitted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "human_walking"
SOURCE = (
    "OpenSim's subject01, github.com/opensim-org/opensim-models, prepared as its README.md says"
)
COMPARED = (0.15, 2.45)  # before, the pelvis finds its height [s]
DURATION = 2.49
SAMPLE = 5e-4  # between recorded samples [s]
ROWS = 11  # of points along a foot, 3 abreast
POINTS = 3 * ROWS
BOUNDS = {"vertical_r": 0.95, "vertical_rms": 8.0, "fore_aft_r": 0.8}  # for the best model

PRINTED = st.Distributed()
SHARE = 18 / POINTS  # a foot is as stiff as on the paper's 18 points
CURVED = PRINTED._replace(
    stiffness=SHARE * PRINTED.stiffness,
    damping=SHARE * PRINTED.damping,
    tangential_stiffness=SHARE * PRINTED.tangential_stiffness,
    tangential_damping=SHARE * PRINTED.tangential_damping,
    sliding_damping=SHARE * PRINTED.sliding_damping,
)
STRAIGHT = CURVED._replace(stiffness=CURVED.stiffness * 0.01**0.2, alpha=1.0)  # as stiff at 1 cm
PER_POINT = POINTS / 8  # other laws share their values among eight points (docs/contact.md)
LINEAR = {
    "stiffness": PER_POINT * STRAIGHT.stiffness,
    "damping": PER_POINT * STRAIGHT.damping,
    "mu_kinetic": 0.7,
}


class Case(NamedTuple):
    """A contact model, the sole that the walk is fitted to, and the time step."""

    model: Any
    sole: st.Distributed
    pads: bool
    dt: float  # [s]


CASES = {
    "Distributed": Case(CURVED, CURVED, False, 2e-5),
    "HuntCrossley": Case(
        st.HuntCrossley(
            PER_POINT * CURVED.stiffness, PER_POINT * CURVED.damping, 1.2, 0.02, mu_kinetic=0.7
        ),
        CURVED,
        False,
        2e-5,
    ),
    "SpringDamper": Case(st.SpringDamper(**LINEAR), STRAIGHT, False, 2e-5),
    "ImplicitSpringDamper": Case(st.ImplicitSpringDamper(**LINEAR), STRAIGHT, False, 2e-5),
    "Coulomb": Case(st.Coulomb(mu_static=0.7, mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
    "GaussSeidel": Case(st.GaussSeidel(mu_static=0.7, mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
    "FacetedLCP": Case(st.FacetedLCP(mu_static=0.7, mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
    "Multipoint": Case(st.Multipoint(mu_static=0.7, mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
    "Balanced": Case(st.Balanced(mu_static=0.7, mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
    "Feedback": Case(st.Feedback(mu_kinetic=0.7), STRAIGHT, True, 2.5e-4),
}
CANNOT = {"Bilateral": "it fixes feet to the ground: a foot could not be lifted"}


@dataclass(frozen=True)
class Walked:
    """The walk under one model."""

    name: str
    row: dict[str, Any]
    feet: dict[str, Foot] | None


def validate(
    models: list[str] | None = None, progress: Callable[[float, str], None] | None = None
) -> tuple[dict[str, Any], list[Walked]]:
    """The walk under these models (all by default): the result of the command, and the curves."""
    names = list(CASES) if models is None else models
    motion, forces = (
        data_file(f"{FOLDER}/{name}", SOURCE) for name in ("walk_planar.npz", "grf_600hz.csv")
    )
    fits: dict[float, Fitted] = {}
    found = []
    for k, name in enumerate(names):
        if progress is not None:
            progress(k / len(names), name)
        case = CASES[name]
        if case.sole.alpha not in fits:
            fits[case.sole.alpha] = fitted(motion, forces, case.sole, ROWS)
        found.append(walk_under(name, case, fits[case.sole.alpha]))
    return summary(found), found


def walk_under(name: str, case: Case, fit: Fitted) -> Walked:
    """The fitted walk under one model."""
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            motion = simulated(case, fit)
    except StictionError as error:
        return Walked(name, {"model": name, "failed": str(error)[:200]}, None)
    feet = feet_beside_plates(motion, fit, COMPARED)
    row = {"model": name, "sole": "pads" if case.pads else "law", "dt_ms": 1e3 * case.dt}
    row |= measures(feet) | {"unsolved": motion.unsolved.count, "warnings": len(told)}
    return Walked(name, row, feet)


def simulated(case: Case, fit: Fitted) -> st.Motion:
    """The fitted walk of all joints; only x and z of the pelvis, and pads, are free."""
    robot = with_pads(fit.robot, case.sole) if case.pads else fit.robot
    world = st.World(
        robot, ground=st.Plane(velocity=(-BELT, 0.0, 0.0)), gravity=(0.0, 0.0, -GRAVITY)
    )
    q = np.zeros((len(fit.time), world.nq))
    q[:, : fit.q.shape[1]] = fit.q  # pads come last
    state = world.home()
    state.q[:] = q[0]
    state.v[:] = (q[1] - q[0]) / (fit.time[1] - fit.time[0])
    joints = tuple(str(name) for name in fit.robot.joint_name[3:])
    return st.simulate(
        world,
        case.model,
        duration=DURATION,
        dt=case.dt,
        state=state,
        controller=st.Prescribed(st.Reference(fit.time, q), joints=joints, base="pitch"),
        record=st.Recording(every=round(SAMPLE / case.dt)),
    )


def summary(walks: list[Walked]) -> dict[str, Any]:
    """The table, the best model by vertical force, and whether it is within the bounds."""
    rows = [one.row for one in walks]
    good = [row for row in rows if "failed" not in row]
    result: dict[str, Any] = {
        "models": good,
        "failed": [f"{row['model']}: {row['failed']}" for row in rows if "failed" in row],
        "cannot": [f"{name}: {why}" for name, why in CANNOT.items()],
        "bounds": BOUNDS,
    }
    if not good:
        return result | {"holds": False}
    best = min(good, key=lambda row: row["vertical_rms"])
    holds = (
        best["vertical_r"] >= BOUNDS["vertical_r"]
        and best["vertical_rms"] <= BOUNDS["vertical_rms"]
        and best["fore_aft_r"] >= BOUNDS["fore_aft_r"]
    )
    return result | {"best": best["model"], "holds": bool(holds)}


def draw(walks: list[Walked]) -> Figure:
    """Vertical and fore-aft force and centre of pressure of the right foot, one row per model."""
    from matplotlib.figure import Figure

    shown = [one for one in walks if one.feet is not None]
    figure = Figure(figsize=(12.0, 0.6 + 1.7 * len(shown)), layout="constrained")
    panels = figure.subplots(len(shown), 3, sharex=True, sharey="col", squeeze=False)
    titles = ("vertical force / weight", "fore-aft force / weight", "pressure ahead of ankle [mm]")
    for panel, title in zip(panels[0], titles, strict=True):
        panel.set_title(title)
    for row, one in zip(panels, shown, strict=True):
        assert one.feet is not None
        foot = one.feet["right"]
        pairs = (
            (foot.force[:, 2], foot.plate[:, 2]),
            (foot.force[:, 0], foot.plate[:, 0]),
            (1e3 * foot.centre, 1e3 * foot.plate_centre),
        )
        for panel, (ours, theirs) in zip(row, pairs, strict=True):
            panel.plot(foot.time, theirs, "k--", linewidth=1.0, label="plates")
            panel.plot(foot.time, ours, linewidth=1.0, label="simulated")
        row[0].set_ylabel(one.name, fontsize="small")
    panels[0, 0].legend(fontsize="x-small")
    for panel in panels[-1]:
        panel.set_xlabel("time [s]")
    return figure


def save_picture(walks: list[Walked], path: Path) -> None:
    """Write the picture; its suffix decides the format."""
    draw(walks).savefig(path, dpi=110)
