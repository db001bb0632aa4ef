"""What differs most between the runs of a comparison, and why: sentences from the measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_type_hints

import numpy as np

from stiction.compare.measures import weight
from stiction.compare.runs import Case, Refused, Run
from stiction.contact.contact_model import FORCE_LAW, IMPULSE_LAW, MODELS

# what is too small to matter, and the factor by which a measure must differ to be reported
FLOORS = {"depth [mm]": 0.05, "slip [mm]": 0.5, "chatter [%]": 0.05, "energy [J]": 1e-3}
FLOORS |= {"off at the end [mm]": 1.0, "force off [%]": 1.0, "CoP - ZMP [mm]": 0.5}
MATTERS = 3.0
MOST = 3  # sentences on one measure
MOSTLY = 0.8  # share of a distance
VISIBLE = 1e-3  # mm or %; sentences give no smaller number


def explained(
    case: Case, runs: Sequence[Run], rows: Sequence[dict[str, Any]], refused: Sequence[Refused]
) -> list[str]:
    """Sentences, the most important first; the first run is the reference."""
    reference, first = runs[0], rows[0]
    told = _outcomes(case, runs, rows)
    scored: list[tuple[float, str, str]] = []
    for run, row in zip(runs[1:], rows[1:], strict=True):
        if run.stopped:
            continue
        scored += _differences(case, run, row, reference, first)
    scored.sort(reverse=True)
    counts: Counter[str] = Counter()
    for _, name, sentence in scored:
        counts[name] += 1
        if counts[name] <= MOST:
            told.append(sentence)
    if not scored and len(runs) > 1:
        told.append(
            f"Nothing differs from {reference.name} by more than a factor of {MATTERS:g} above "
            "what matters: for this scene the choice makes no difference that you would see."
        )
    told += _costs(rows)
    warned = [run.name for run in runs if run.notes]
    if warned:
        told.append(f"Runs that warned, as reported next to their parameters: {', '.join(warned)}.")
    told += [f"{one.name} did not run: {one.why}." for one in refused]
    return told


def _outcomes(case: Case, runs: Sequence[Run], rows: Sequence[dict[str, Any]]) -> list[str]:
    """Who survives, and who does not."""
    stands = [row["name"] for row in rows if row["survived"]]
    falls = [(run, row) for run, row in zip(runs, rows, strict=True) if not row["survived"]]
    if not falls:
        return [f"All {len(rows)} runs survive."]
    if not stands:
        return [f"None of the {len(rows)} runs survives."]
    names = []
    for run, row in falls:
        ended = f"stopped at {run.simulated:.3g} s: {run.stopped}" if run.stopped else "falls"
        names.append(f"{row['name']} ({ended})")
    return [f"{_listed(stands)} survive{'s' * (len(stands) == 1)}; not so {_listed(names)}."]


def _differences(
    case: Case, run: Run, row: dict[str, Any], reference: Run, first: dict[str, Any]
) -> list[tuple[float, str, str]]:
    """Scores, measures and sentences on one run."""
    found = []
    reasons = {"depth [mm]": _sinks, "slip [mm]": _slips, "chatter [%]": _chatters}
    if not row["survived"]:  # whatever else a robot does that has fallen explains nothing
        reasons = {"depth [mm]": _sinks}
    for name, reason in reasons.items():
        mine, other = row[name], first[name]
        if mine is None or other is None:
            continue
        score = abs(np.log10((mine + FLOORS[name]) / (other + FLOORS[name])))
        if score > np.log10(MATTERS):
            sentence = reason(case, run, mine, reference, other)
            if not row["survived"]:
                sentence = f"{sentence[:-1]} (its robot falls, which is part of this number)."
            found.append((float(score), name, sentence))
    off = row["off at the end [mm]"]
    if row["survived"] and off is not None and off > 10 * FLOORS["off at the end [mm]"]:
        score = np.log10(off / FLOORS["off at the end [mm]"]) / 2
        ends = f"{run.name} ends {_told(off)} mm from where {reference.name} ends"
        found.append((float(score), "off at the end [mm]", f"{ends}{_way(run, row, off)}."))
    return found


def _way(run: Run, row: dict[str, Any], off: float) -> str:
    """How a run came to be that far from the reference, as far as the measures show."""
    if row["slip [mm]"] > 1:
        return f", after slipping {row['slip [mm]']:.3g} mm"
    if row["depth [mm]"] is not None and row["depth [mm]"] > MOSTLY * off:
        return ", most of it downwards: it sinks that far"
    if run.told.get("model") == "Bilateral":
        return ": it fixes points that touch to the ground"
    return ""


def _told(value: float) -> str:
    """Number in a sentence, without exponents: what is too small to see has no digits."""
    if value < VISIBLE:
        return f"less than {VISIBLE:g}"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _sinks(case: Case, run: Run, mine: float, reference: Run, other: float) -> str:
    text = f"{run.name} sinks {_told(mine)} mm where {reference.name} sinks {_told(other)} mm: "
    if run.engine:
        return text + _soft(run)
    stiffness = run.told.get("stiffness")
    if _family(run) == FORCE_LAW and stiffness:
        deeper = f"stiffness {stiffness:.3g} {_unit(run)}"
        if "alpha" in _unit(run) and "alpha" in run.told:
            deeper += f" with alpha {run.told['alpha']:.3g}"
        return text + (
            f"its spring carries the weight of {_told(weight(case))} N and yields; {deeper}. "
            "A larger stiffness sinks less and needs a shorter step."
        )
    if run.told.get("model") == "Balanced":
        return text + "its membrane yields under load; its stiffness and beta say by how much."
    if _family(run) == IMPULSE_LAW:
        return text + "it pushes a point out only after it has come in."
    if mine < other:
        return text + f"{reference.name} is the softer one."
    return text + "it corrects depth slowly, or lets the step of an impact penetrate."


def _slips(case: Case, run: Run, mine: float, reference: Run, other: float) -> str:
    text = f"{run.name} slips {_told(mine)} mm where {reference.name} slips {_told(other)} mm: "
    if mine < other:
        return text + f"{reference.name} lets points move that {run.name} holds."
    if run.engine and run.told.get("cone") != "elliptic":
        return text + (
            "its friction pyramid is up to 29 % weaker along the diagonals, and its soft friction "
            "creeps under load; an elliptic cone and a larger impratio reduce both."
        )
    if run.engine:
        return text + "its friction is soft and creeps under load."
    if "eps" in run.told and "mu_static" not in run.told and not run.told.get("sticking"):
        return text + (
            f"it has kinetic friction alone (mu_kinetic {run.told.get('mu_kinetic', 0):.3g}), "
            f"which does not hold a point that is slower than eps {run.told['eps']:.3g} m/s."
        )
    if _family(run) == FORCE_LAW:
        return text + "its feet move with their springs, and slide while little load is on them."
    return text + "more of its points reach their friction cones."


def _chatters(case: Case, run: Run, mine: float, reference: Run, other: float) -> str:
    text = (
        f"The force of {run.name} changes by {_told(mine)} % of the weight from one millisecond to "
        f"the next, that of {reference.name} by {_told(other)} %"
    )
    if mine < other:
        return text + "."
    if _family(run) == FORCE_LAW:
        return text + ": its springs vibrate with the feet; more damping calms them."
    return text + ": points alternate between touching and not, or between stick and slip."


def _soft(run: Run) -> str:
    setting = run.told.get("setting", "default")
    if setting == "default":
        return (
            "its contact is by default a damped spring with a time constant of 20 ms, which "
            "yields; the setting 'tuned' has one of two steps."
        )
    return "its contact is a damped spring by design."


def _costs(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The fastest and the slowest that survive, for the simulated time."""
    timed = [row for row in rows if row["real time"] and row["survived"]]
    if len(timed) < 2:
        return []
    timed.sort(key=lambda row: -row["real time"])
    best, worst = timed[0], timed[-1]
    return [
        f"{best['name']} is the fastest of those that survive, {best['real time']:.3g} times real "
        f"time with steps of {best['dt [ms]']:.3g} ms; {worst['name']} the slowest, "
        f"{worst['real time']:.3g} times with {worst['dt [ms]']:.3g} ms."
    ]


def _family(run: Run) -> str | None:
    kinds = [kind for kind in MODELS if kind.__name__ == run.told.get("model")]
    return MODELS[kinds[-1]].family if kinds else None


def _unit(run: Run) -> str:
    """Unit of the stiffness of a run's model, as it declares it."""
    kind = next(kind for kind in MODELS if kind.__name__ == run.told["model"])
    hint = get_type_hints(kind, include_extras=True)["stiffness"]
    return str(getattr(hint.__metadata__[0], "unit", ""))


def _listed(names: Sequence[str]) -> str:
    """Names with commas and an 'and'."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
