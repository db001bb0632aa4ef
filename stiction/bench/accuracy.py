"""Accuracy of contact: every contact model in scenes with closed-form solutions.

`closed_forms/` has the scenes and defines the measures. Every model runs with `Midpoint`, the
default; the solvers of Coulomb's law also run with `SemiImplicitEuler`, which shows its first
order, and with `RungeKutta4`, which must meet the targets of the rods, whose contact it resolves
better. Each target must be met by the models named for it, at both time steps; the results of the
others are printed for comparison. The stiffness of force laws is limited by the time step, see
`closed_forms/models.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import stiction as st
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for
from stiction.bench.closed_forms.scenes import SCENES
from stiction.bench.closed_forms.trial import Trial
from stiction.bench.told import parameters_told
from stiction.contact.contact_model import our_models
from stiction.errors import InputError, SimulationError

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


def bench(
    scenes: Iterable[str] = (), progress: Callable[[float], None] | None = None
) -> dict[str, Any]:
    """Errors of all models in all or some scenes, and whether the targets are met."""
    chosen = list(scenes) or list(SCENES)
    unknown = [name for name in chosen if name not in SCENES]
    if unknown:
        raise InputError(f"unknown scene '{unknown[0]}'; scenes: {', '.join(SCENES)}")
    field, failures = contenders(), []
    rows: list[dict[str, Any]] = []
    criteria: list[dict[str, Any]] = []
    total, done = len(chosen) * len(TIME_STEPS) * len(field), 0
    for scene in chosen:
        for dt in TIME_STEPS:
            found: dict[str, dict[str, float | None]] = {}
            worst: dict[str, dict[str, float]] = {}
            for contender in field:
                trial = Trial(contender, dt)
                found[contender.name] = {}
                try:
                    found[contender.name] = SCENES[scene](trial)
                except SimulationError as error:
                    failures.append(f"{scene}, {1000 * dt:g} ms, {contender.name}: {error}")
                worst[contender.name] = trial.told()
                done += 1
                if progress is not None:
                    progress(done / total)
            rows += measured(scene, dt, found)
            criteria += merged(scene, dt, worst)
    return {
        "integrator": "Midpoint; Euler: SemiImplicitEuler, RK4: RungeKutta4; even: least_norm 1",
        "parameters of a brick on 4 points": parameters(field),
        "contact criteria, largest (Le Lidec et al.), and unsolved steps": criteria,
        "failures": failures,
        "errors": rows,
        "holds": all(row["holds"] is not False for row in rows),
    }


def measured(
    scene: str, dt: float, found: dict[str, dict[str, float | None]]
) -> list[dict[str, Any]]:
    """One row per measure of a scene: the target, whether and by whom it is met, and all errors."""
    rows = []
    for name in dict.fromkeys(name for measures in found.values() for name in measures):
        values = {contender: measures.get(name) for contender, measures in found.items()}
        target = TARGETS[scene].get(name)
        limit = target.limits[TIME_STEPS.index(dt)] if target else None
        row: dict[str, Any] = {"scene": scene, "dt [ms]": 1000 * dt, "error": name}
        row |= {"target": limit, "holds": None, **brief(values)}
        if target and limit is not None:
            met = [one for one, value in values.items() if value is not None and value <= limit]
            row["holds"] = all(one in met for one in target.named)
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
    """Parameters of each contender for a brick, at each time step."""
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
