"""`stiction validate cube-tosses`: all contact models against tosses that they were not fitted to.

Tosses with even numbers are one half, those with odd numbers the other. Scale, centre of mass and
contact parameters come from one half, errors from the other; then the halves change places.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import checked_model
from stiction.validate.toss_data import load_tosses
from stiction.validate.toss_flight import Calibration, calibrate
from stiction.validate.toss_models import FITTED
from stiction.validate.toss_replay import FLIGHT, SUBSTEPS, TossErrors, TossReplay

Progress = Callable[[float, str], object]
TARGET = (11.5, 15.0)  # [% of the width, degrees] of the best model
EVEN, ODD = 0, 1
# Uncertainty of a start state, standard deviations: of heights and tilts of cubes at rest; of
# velocities from flights of 0.1 s whose fitted accelerations vary by 0.13 m/s2; of spins
UNSURE = {
    "position": 3e-4,
    "rotation": 7e-3,
    "velocity": 7e-3,
    "spin": 1e-2,
}  # [m, rad, m/s, rad/s]


class Judged(NamedTuple):
    """Errors of one model: of odd tosses with what even ones yield, and the other way round."""

    name: str
    parameters: tuple[Any, Any]  # from even and from odd tosses
    errors: tuple[TossErrors, TossErrors]  # of odd and of even tosses
    seconds: float  # to simulate all tosses once


def validate_tosses(
    models: Sequence[Any] = (),
    start: str = FLIGHT,
    perturbed: int = 0,
    plot: Path | None = None,
    progress: Progress = lambda part, doing: None,
) -> dict[str, Any]:
    """Replay all tosses under contact models and return a table of errors.

    Args:
        models: with parameters of your own; by default all of ours with fitted ones.
        start: "flight", the state that all samples before the first impact give, or "recorded",
            the velocities of the file.
        perturbed: replays of each toss under the best model from start states that differ within
            their uncertainty; 0 for none.
        plot: file for a figure.
        progress: called with the fraction done, and what is being done.
    """
    tosses = load_tosses()
    pairs = {type(one).__name__: (one, one) for one in map(checked_model, models)} or FITTED
    halves = [np.arange(k, len(tosses), 2) for k in (EVEN, ODD)]
    known = [calibrate(tosses.some(half)) for half in halves]
    replays = [TossReplay(tosses.some(halves[1 - k]), known[k], start) for k in (EVEN, ODD)]
    judged = []
    for k, (name, pair) in enumerate(pairs.items()):
        progress(k / (len(pairs) + bool(perturbed)), name)
        judged.append(judge(name, pair, replays))
    rows = sorted((row_of(one) for one in judged), key=lambda row: row["rank"])
    best = next(one for one in judged if one.name == rows[0]["model"])
    result: dict[str, Any] = {
        "tosses": len(tosses),
        "start": start,
        "step [s]": tosses.dt / SUBSTEPS,
        "calibration": [calibration_row(k, known[k]) for k in (EVEN, ODD)],
        "models": [{key: row[key] for key in row if key != "rank"} for row in rows],
        "best": best.name,
        "parameters": {one.name: parameter_texts(one) for one in judged},
    }
    if perturbed:
        progress(len(pairs) / (len(pairs) + 1), "perturbed start states")
        result["perturbed start states"] = sensitivity(
            replays[EVEN], best.parameters[EVEN], perturbed
        )
    if plot is not None:
        draw(judged, plot)
        result["plot"] = str(plot)
    if start == FLIGHT:
        result["target"] = f"below {TARGET[0]:g} % of the width and {TARGET[1]:g} degrees"
        result["holds"] = meets_target(best)
    return result


def halves_of(fitted: str) -> tuple[TossReplay, TossReplay | None]:
    """Return replays of "even", "odd" or "all" tosses, and of the others, for a fit.

    Both are calibrated by the tosses that are fitted.
    """
    tosses = load_tosses()
    if fitted == "all":
        return TossReplay(tosses), None
    mine, others = (np.arange(k, len(tosses), 2) for k in ((0, 1) if fitted == "even" else (1, 0)))
    known = calibrate(tosses.some(mine))
    return TossReplay(tosses.some(mine), known), TossReplay(tosses.some(others), known)


def judge(name: str, pair: tuple[Any, Any], replays: Sequence[TossReplay]) -> Judged:
    """Errors of a model on both halves, with the parameters of the other."""
    for replay, contact in zip(replays, pair, strict=True):
        replay.errors([contact], np.arange(1))  # compiles
    begun, found = time.perf_counter(), []
    for replay, contact in zip(replays, pair, strict=True):
        found.append(replay.errors([contact], np.arange(len(replay.tosses))))
    return Judged(name, pair, (found[0], found[1]), time.perf_counter() - begun)


def row_of(one: Judged) -> dict[str, Any]:
    """Means over tosses, for the table."""
    odd, even = one.errors
    positions = np.concatenate([odd.position[0], even.position[0]])
    angles = np.concatenate([odd.angle[0], even.angle[0]])
    return {
        "model": one.name,
        "odd [% width]": round(float(odd.position.mean()), 2),
        "odd [deg]": round(float(odd.angle.mean()), 2),
        "even [% width]": round(float(even.position.mean()), 2),
        "even [deg]": round(float(even.angle.mean()), 2),
        "all [% width]": round(float(positions.mean()), 2),
        "all [deg]": round(float(angles.mean()), 2),
        "median [% width]": round(float(np.median(positions)), 2),
        "median [deg]": round(float(np.median(angles)), 2),
        "diverged": int(odd.diverged[0] + even.diverged[0]),
        "seconds": round(one.seconds, 2),
        "rank": float(positions.mean() / TARGET[0] + angles.mean() / TARGET[1]),
    }


def meets_target(best: Judged) -> bool:
    """Whether the mean errors of both held-out halves are below the target."""
    return all(
        one.position.mean() < TARGET[0] and one.angle.mean() < TARGET[1] for one in best.errors
    )


def calibration_row(half: int, found: Calibration) -> dict[str, Any]:
    """Scale and centre of mass from the flights of one half."""
    centre = zip("xyz", 1e3 * found.centre, 1e3 * found.centre_error, strict=True)
    return {
        "from": "even tosses" if half == EVEN else "odd tosses",
        "scale": f"{found.scale:.4f} +- {found.scale_error:.4f}",
        **{f"centre of mass {axis} [mm]": f"{at:.2f} +- {error:.2f}" for axis, at, error in centre},
    }


def parameter_texts(one: Judged) -> dict[str, str]:
    """Parameters that differ from their defaults."""
    made = {}
    for half, contact in zip(("even", "odd"), one.parameters, strict=True):
        usual = type(contact)._field_defaults
        values = contact._asdict().items()
        told = [f"{name}={value:.4g}" for name, value in values if usual.get(name) != value]
        made[f"from {half} tosses"] = ", ".join(told) or "defaults"
    return made


def sensitivity(replay: TossReplay, contact: Any, count: int, seed: int = 0) -> dict[str, Any]:
    """Errors of replays whose start states differ within their uncertainty."""
    tosses = replay.tosses
    chosen = np.tile(np.arange(len(tosses)), count)
    states = perturbed_states(replay, chosen, np.random.default_rng(seed))
    found = replay.errors([contact], chosen, states)
    usual = replay.errors([contact], np.arange(len(tosses)))
    position = found.position[0].reshape(count, -1)
    angle = found.angle[0].reshape(count, -1)
    best = np.argmin(position / TARGET[0] + angle / TARGET[1], axis=0)
    picked = np.arange(len(tosses))
    return {
        "replays of each toss": count,
        "standard deviations [m, rad, m/s, rad/s]": list(UNSURE.values()),
        "unperturbed [% width]": float(usual.position.mean()),
        "unperturbed [deg]": float(usual.angle.mean()),
        "mean [% width]": float(position.mean()),
        "mean [deg]": float(angle.mean()),
        "best of each toss [% width]": float(position[best, picked].mean()),
        "best of each toss [deg]": float(angle[best, picked].mean()),
    }


def perturbed_states(
    replay: TossReplay, chosen: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Start states of tosses with random errors."""
    from stiction.validate.toss_flight import exponential, product

    q, v = replay.q[chosen].copy(), replay.v[chosen].copy()
    q[:, :3] += rng.normal(0.0, UNSURE["position"], (len(q), 3))
    for row, turn in zip(q, rng.normal(0.0, UNSURE["rotation"], (len(q), 3)), strict=True):
        row[3:] = product(row[3:], exponential(turn))
    v[:, :3] += rng.normal(0.0, UNSURE["velocity"], (len(q), 3))
    v[:, 3:] += rng.normal(0.0, UNSURE["spin"], (len(q), 3))
    return q, v


def draw(judged: Sequence[Judged], path: Path) -> None:
    """Save a figure: the share of tosses below each error, one curve per model."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.5), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    labels = ("position error [% of the width]", "rotation error [degrees]")
    for k, (panel, label) in enumerate(zip(axes, labels, strict=True)):
        for one in judged:
            values = np.sort(np.concatenate([half[k][0] for half in one.errors]))
            share = np.arange(1, len(values) + 1) / len(values)
            panel.plot(values, share, label=f"{one.name} (mean {values.mean():.1f})")
        panel.axvline(TARGET[k], color="0.7", linewidth=0.8)
        panel.set(xlabel=f"mean {label} of a toss", xlim=(0, 4 * TARGET[k]), ylim=(0, 1))
        panel.legend(fontsize=7, frameon=False, loc="lower right")
    axes[0].set_ylabel("share of tosses that were not fitted to")
    figure.savefig(path, dpi=150)
