"""Accuracy of contact: every contact model in scenes with closed-form solutions.

`closed_forms/` has the scenes and defines the measures. Every model runs with `Midpoint`, the
default; the solvers of Coulomb's law also run with `SemiImplicitEuler`, which shows its first
order, and with `RungeKutta4`, which must meet the targets of the rods, whose contact it resolves
better. Each target must be met by the models named for it, at both time steps; the results of the
others are printed for comparison. The stiffness of force laws is limited by the time step, see
`closed_forms/models.py`. Other engines run through the same scenes and measures, with every
setting of their adapters; they have no targets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import stiction as st
from stiction.bench.closed_forms.engines import (
    EngineContender,
    EngineTrial,
    engine_contenders,
)
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for
from stiction.bench.closed_forms.scenes import SCENES
from stiction.bench.closed_forms.trial import Trial
from stiction.bench.markdown import tables
from stiction.bench.panels import panels
from stiction.bench.told import parameters_told
from stiction.contact.contact_model import our_models
from stiction.errors import InputError, SimulationError, did_you_mean
from stiction.files.written import write_whole

TIME_STEPS = (0.001, 0.004)  # [s]
EXACT = ("Coulomb", "GaussSeidel")  # models that must meet the targets, by default
EVEN = ("Coulomb", "GaussSeidel even")  # models that share forces evenly
FINE = {"tolerance": 1e-8}  # for both solvers; Coulomb's default
STILL = ("GaussSeidel",)  # stands still up to rounding
ALERT = ("Coulomb",)  # finds the instant of break-away at any load
FOURTH = ("Coulomb RK4", "GaussSeidel RK4")  # conserve the energy of tumbling bodies best


class Target(NamedTuple):
    """Upper limit of a measure at each time step, and the models that must meet it."""

    limits: tuple[float, float]
    named: tuple[str, ...] = EXACT


def both(limit: float, named: tuple[str, ...] = EXACT) -> Target:
    """Return the same target at both time steps."""
    return Target((limit, limit), named)


TARGETS = {
    "stopping": {"distance [%]": Target((0.01, 0.05))},
    "slope 99 %": {"drift [mm/s]": both(1e-12, STILL), "largest speed [mm/s]": both(1e-12, STILL)},
    "slope 101 %": {"acceleration [%]": both(1e-6), "steps with a corner lifted [%]": both(0.0)},
    "break-away": {
        "force, minus one step [%]": both(0.1, ALERT),
        "speed gained afterwards [%]": both(0.1, ALERT),
    },
    "bounce": {
        "e 0: rebound [mm]": both(1e-9),
        "e 0: deepest [mm]": both(0.1),
        **{f"e {e}: height per bounce [%]": both(0.1) for e in ("0.5", "0.9", "1")},
        **{f"e {e}: energy gained": both(1e-9) for e in ("0.5", "0.9", "1")},
    },
    "rolling": {
        "speed [%]": both(1e-6),
        "time [%]": both(0.1),
        "lost in 4 s [%]": both(1e-6),
    },
    "rod": {
        f"e {e}: energy gained": Target((2e-6, 1e-4), FOURTH)
        for e in ("0", "0.5", "0.8", "0.9", "1")
    },
    "rest": {
        f"{points} points: {name}": both(limit, EVEN)
        for points in (4, 8)
        for name, limit in (("a point", 1e-6), ("sum", 1e-6), ("over time", 1e-9))
    },
    "backspin": {
        "speed [%]": Target((0.01, 0.1)),
        "time [%]": Target((0.01, 0.1)),
        "place [%]": Target((0.01, 0.1)),
    },
    "spinning": {"time [%]": Target((0.01, 0.1)), "centre moved [mm]": both(1e-6, EVEN)},
    "rolling on a slope": {
        f"{body} {what}: acceleration [%]": target
        for body in ("ball", "cylinder")
        for what, target in (("rolls", both(1e-3)), ("slips", Target((0.01, 0.1))))
    },
    "belt": {"slid back [%]": Target((0.01, 0.05)), "speed on the belt [mm/s]": both(1e-9)},
    "swinging belt": {
        "sticks and slips: place [%]": Target((0.01, 0.1)),
        "always slides: place [%]": Target((1.0, 4.0)),  # first order where slip reverses
        "rides along: place [mm]": both(1e-6),
    },
    "tipping": {
        "slides: force, minus one step [%]": both(0.1, ALERT),
        "tips: angular speed [%]": both(0.1),
    },
    "rocking": {"angle after the impact [%]": Target((0.14, 1.0), (*EXACT, *FOURTH))},
    "stack": {
        f"{name}: {what}": Target((1e-3, 4e-3), ALERT)
        for name in ("ten", "1:1e3", "1:1e6")
        for what in ("sunk [mm]", "moved aside [mm]")
    },
    "Painleve": {
        "slides: speed lost [%]": Target((0.01, 0.1)),
        "jams: angular speed [%]": Target((0.1, 1.0)),
        "unsolved steps on one end": both(0.0),
    },
    "tumblers": {"over the start [%]": both(0.1), "over any moment [%]": both(0.1)},
    "sizes": {
        f"{size}: {what}": limit
        for size in ("2 mm", "200 m")
        for what, limit in (
            ("distance [%]", Target((0.01, 0.05))),
            ("rod off, of its length [%]", both(0.01)),
        )
    },
}


def contenders() -> list[Contender]:
    """Every built-in contact model with the default integrator; some also in other variants."""
    default, euler, fourth = st.Midpoint(), st.SemiImplicitEuler(), st.RungeKutta4()
    kinds = our_models()
    exact = [kind for kind in kinds if kind.__name__ in EXACT]
    others = [kind for kind in kinds if kind not in exact]
    return [
        *(Contender(kind.__name__, kind, FINE, default) for kind in exact),
        Contender(EVEN[1], st.GaussSeidel, {"least_norm": 1.0, **FINE}, default),
        *(Contender(f"{kind.__name__} Euler", kind, FINE, euler) for kind in exact),
        *(Contender(f"{kind.__name__} RK4", kind, FINE, fourth) for kind in exact),
        *(Contender(kind.__name__, kind, {}, default) for kind in others),
    ]


class Found(NamedTuple):
    """What all models and engines did in one scene at one time step, by name."""

    measures: dict[str, dict[str, float | None]]
    criteria: dict[str, dict[str, float]]
    microseconds: dict[str, float | None]  # per step


def bench(
    scenes: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
    engines: Iterable[str] = (),
    models: Iterable[str] = (),
    plot: Path | None = None,
    markdown: Path | None = None,
) -> dict[str, Any]:
    """Errors of all models in all or some scenes, and whether the targets are met.

    engines: names of other engines to run as well; models: only these models of ours, and no
    judgement of targets that others are named for; plot: file for errors against time per step;
    markdown: file for tables of the first measure of each scene.
    """
    chosen = list(scenes) or list(SCENES)
    unknown = [name for name in chosen if name not in SCENES]
    if unknown:
        hint = did_you_mean(unknown[0], SCENES)
        raise InputError(f"unknown scene '{unknown[0]}'; scenes: {', '.join(SCENES)}{hint}")
    ours, others, failures = chosen_among(contenders(), models), engine_contenders(engines), []
    field: list[Any] = [*ours, *others]
    rows: list[dict[str, Any]] = []
    criteria: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    total, done = len(chosen) * len(TIME_STEPS) * len(field), 0
    for scene in chosen:
        for dt in TIME_STEPS:
            found = Found({}, {}, {})
            for contender in field:
                failures += _tried(scene, dt, contender, found)
                done += 1
                if progress is not None:
                    progress(done / total)
            rows += measured(scene, dt, found.measures, {one.name for one in ours})
            criteria += merged(scene, dt, found.criteria)
            times.append({"scene": scene, "dt [ms]": 1000 * dt, **brief(found.microseconds)})
    if plot is not None:
        draw_work(plot, rows, times)
    if markdown is not None:
        groups = [[one.name for one in ours], [one.name for one in others]]
        text = tables(rows, [group for group in groups if group])
        write_whole(markdown, text.encode(), "a table", InputError)
    return {
        "integrator": "Midpoint; Euler: SemiImplicitEuler, RK4: RungeKutta4; even: least_norm 1",
        "parameters of a brick on 4 points": parameters(ours),
        "engines": [told_of(one) for one in others],
        "contact criteria, largest (Le Lidec et al.), and unsolved steps": criteria,
        "failures": failures,
        "microseconds per step": times,
        "errors": rows,
        "holds": all(row["holds"] is not False for row in rows),
    }


def chosen_among(field: list[Contender], models: Iterable[str]) -> list[Contender]:
    """The models and engines that were named, all if none was."""
    wanted, names = list(models), [contender.name for contender in field]
    for name in wanted:
        if name not in names:
            hint = did_you_mean(name, names)
            raise InputError(f"no model or engine '{name}'; known are {', '.join(names)}{hint}")
    return [contender for contender in field if not wanted or contender.name in wanted]


def _tried(scene: str, dt: float, contender: Any, found: Found) -> list[str]:
    """Add what one model or engine does in a scene; returns why it failed, if it did."""
    trial = (EngineTrial if isinstance(contender, EngineContender) else Trial)(contender, dt)
    failures = []
    found.measures[contender.name] = {}
    try:
        found.measures[contender.name] = SCENES[scene](trial)
    except (SimulationError, InputError) as error:
        failures.append(f"{scene}, {1000 * dt:g} ms, {contender.name}: {error}")
    found.criteria[contender.name] = trial.told()
    spent = 1e6 * trial.seconds_per_step
    found.microseconds[contender.name] = spent if math.isfinite(spent) else None
    return failures


def told_of(contender: EngineContender) -> dict[str, Any]:
    """Version and setting of an engine."""
    chosen = contender.engine.settings[contender.setting]
    return {
        "engine": contender.name,
        "version": contender.engine.version(),
        "settings": ", ".join(f"{name} {value}" for name, value in chosen.items()) or "as shipped",
    }


def draw_work(path: Path, rows: list[dict[str, Any]], times: list[dict[str, Any]]) -> None:
    """Draw the first measure of each scene against the time per step, both time steps."""
    firsts: dict[tuple[str, float], dict[str, Any]] = {}
    for row in rows:
        firsts.setdefault((row["scene"], row["dt [ms]"]), row)
    lines: dict[str, dict[str, list[tuple[Any, Any]]]] = {}
    for spent in times:
        scene = spent["scene"]
        first = firsts.get((scene, spent["dt [ms]"]))
        for name in spent if first is not None else ():
            if name not in ("scene", "dt [ms]"):
                found = lines.setdefault(scene, {}).setdefault(name, [])
                found.append((spent[name], first and first.get(name)))
    errors = {scene: firsts[scene, 1000 * TIME_STEPS[0]]["error"] for scene in lines}
    panels(path, lines, ("microseconds per step", errors))


def measured(
    scene: str,
    dt: float,
    found: dict[str, dict[str, float | None]],
    ran: set[str] | None = None,
) -> list[dict[str, Any]]:
    """One row per measure of a scene: the target, whether and by whom it is met, and all errors.

    ran: models and engines that took part, if not all did; targets bind those that they name.
    """
    rows = []
    for name in dict.fromkeys(name for measures in found.values() for name in measures):
        values = {contender: measures.get(name) for contender, measures in found.items()}
        target = TARGETS[scene].get(name)
        limit = target.limits[TIME_STEPS.index(dt)] if target else None
        row: dict[str, Any] = {"scene": scene, "dt [ms]": 1000 * dt, "error": name}
        row |= {"target": limit, "holds": None, **brief(values)}
        if target and limit is not None:
            met = [one for one, value in values.items() if value is not None and value <= limit]
            named = [one for one in target.named if ran is None or one in ran]
            row["holds"] = all(one in met for one in named) if named else None
            row["met by"] = ", ".join(met) or "none"
        else:
            row["met by"] = None
        rows.append(row)
    return rows


def merged(scene: str, dt: float, worst: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """One row for each contact criterion in a scene."""
    names = dict.fromkeys(name for values in worst.values() for name in values)
    return [
        {
            "scene": scene,
            "dt [ms]": 1000 * dt,
            "criterion": name,
            **brief({contender: values.get(name) for contender, values in worst.items()}),
        }
        for name in names
    ]


def brief(values: dict[str, float | None]) -> dict[str, float | str | None]:
    """Errors to two significant digits; an infinite one as a word."""
    return {name: _two_digits(x) for name, x in values.items()}


def _two_digits(x: float | None) -> float | str | None:
    return "inf" if x is not None and not math.isfinite(x) else x and float(f"{x:.2g}")


def parameters(field: list[Contender]) -> list[dict[str, Any]]:
    """Parameters of each model and engine for a brick, at each time step."""
    mass = st.robots.brick().total_mass / 4
    return [
        {
            "model": contender.name,
            "dt [ms]": 1000 * dt,
            "values": parameters_told(model_for(contender, Load(Material(), mass, dt))),
        }
        for contender in field
        for dt in (TIME_STEPS if contender.is_law else TIME_STEPS[:1])
    ]
