"""hoap1 stands, or walks, on the floor of section IV-C with different lambdas and readings."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import stiction as st
from stiction.papers.balanced.drops import robot_with
from stiction.papers.balanced.measured import (
    chatter,
    settled,
    sinking,
    spread,
    vertex_force,
    widest,
)
from stiction.scenes import scene

LAMBDAS = (0.01, 0.1, 1.0, 4.0)  # of Fig. 7
SINKS = 7.0  # "the robot penetrated into the floor"
ALONE = {"spring_beyond": 0.0}  # beyond the membrane the macro model acts alone
LETTER = {"reference_mass": 0.0, "eps": 0.01, "capped": 0.0}  # nothing capped, constant threshold
READINGS: dict[str, dict[str, float]] = {
    "membrane acts beyond": {},
    "macro alone beyond": ALONE,
    "as printed, membrane beyond": LETTER,
    "as printed, macro alone": LETTER | ALONE,
}
WALK = {"steps": 4}
WAYS = ("stands", "stands on 16", "stands up", "walks")


def short(*words: str) -> str:
    """Words as the end of a measure's name."""
    return "_".join(words).replace(",", "").replace(" ", "_")


class Told(NamedTuple):
    """What Figs 7 and 8 show of one run."""

    chatter: float  # of the force on a vertex of the left sole [N]
    mean: float  # force on it [N]
    peak: float  # [N]
    spread: float  # of the forces on the left sole, mean over time
    widest: float  # the same, largest over time
    sinking: float  # [m/s]


def stand(
    relaxation: float, reading: dict[str, float] | None = None, name: str = "balanced-stand"
) -> st.Motion:
    """A scene with a lambda, and with other parameters of the model."""
    one = scene(name)
    return one.simulate(contact=one.contact._replace(relaxation=relaxation, **(reading or {})))


def stand_on(vertices: int, relaxation: float, reading: dict[str, float]) -> st.Motion:
    """The same with another number of vertices under each sole."""
    one = scene("balanced-stand")
    world = st.World(robot_with(vertices))
    return st.simulate(
        world,
        one.contact._replace(relaxation=relaxation, **reading),
        duration=one.lasts(),
        dt=one.dt,
        state=world.standing(),
        controller=one.controller(world),
        integrator=one.integrator,
    )


def walk(relaxation: float, reading: dict[str, float]) -> st.Motion:
    """Four steps of the scene `balanced-walk`."""
    one = scene("balanced-walk")
    short = replace(one.controls[0], parameters={**one.controls[0].parameters, **WALK})
    return replace(one, controls=(short,)).simulate(
        contact=one.contact._replace(relaxation=relaxation, **reading)
    )


def told(motion: st.Motion) -> Told:
    """Measure a run."""
    when = settled(motion)
    force = vertex_force(motion)[when]
    return Told(
        chatter(force),
        float(force.mean()),
        float(force.max()),
        spread(motion),
        widest(motion),
        sinking(motion),
    )


def readings() -> dict[tuple[str, str, float], Told]:
    """All readings of the model, in all of WAYS; 16: vertices a sole, otherwise 4."""
    found: dict[tuple[str, str, float], Told] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # falls and deep points are what is looked for
        for name, reading in READINGS.items():
            for relaxation in (*LAMBDAS, SINKS):
                runs: dict[str, Any] = {
                    "stands": stand(relaxation, reading),
                    "stands on 16": stand_on(16, relaxation, reading),
                    "stands up": stand(relaxation, reading, "balanced-stand-up"),
                    "walks": walk(relaxation, reading),
                }
                found |= {(name, how, relaxation): told(run) for how, run in runs.items()}
    return found
