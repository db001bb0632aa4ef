"""`fit_contact`: parameters of a contact model fitted to recorded motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.contact.contact_model import MODELS, checked_model
from stiction.errors import InputError
from stiction.fit.confidence import (
    LEVEL,
    Confidence,
    bootstrap_confidence,
    least_squares_confidence,
    widest,
)
from stiction.fit.objective import SQUARES, Objective, Recordings
from stiction.fit.ranges import Range, checked_ranges
from stiction.fit.search import FINEST, Found, Progress, Search, jacobian, search

AT_BOUND = 1e-3  # places this near to 0 or 1
STEPS = (0.3, 1.0, 3.0)  # of differences for intervals, over the last one of the search
Bounds = Mapping[str, tuple[float, float] | None] | Sequence[str]


@dataclass(frozen=True)
class Fold:
    """A fit to some of the motions, judged by the others."""

    contact: Any
    fitted: np.ndarray  # numbers of the motions that it was fitted to
    held_out: np.ndarray  # and of the others
    error: float  # mean over the fitted motions of their root-mean-square error
    held_out_error: float  # and over the others


@dataclass(frozen=True)
class Fit:
    """Fitted parameters, how well they describe the motions, and how well they are known."""

    contact: Any  # the contact model with the fitted parameters
    ranges: list[Range]
    place: np.ndarray  # of each parameter between its bounds, 0 to 1
    confidence: Confidence
    errors: np.ndarray  # (motions) root-mean-square error of each
    folds: list[Fold]
    converged: bool
    message: str
    evaluations: int

    @property
    def error(self) -> float:
        """Mean over the motions of their root-mean-square error."""
        return float(self.errors.mean())

    @property
    def held_out_error(self) -> float | None:
        """Mean error of the motions under fits that did not see them; None without folds."""
        if not self.folds:
            return None
        weights = [len(one.held_out) for one in self.folds]
        return float(np.average([one.held_out_error for one in self.folds], weights=weights))

    def interval(self, name: str) -> tuple[float, float]:
        """Interval of a parameter."""
        for one, low, high in zip(
            self.ranges, self.confidence.low, self.confidence.high, strict=True
        ):
            if name in (one.label, *one.names):
                return one.value(low), one.value(high)
        raise InputError(f"fit: '{name}' was not fitted; {', '.join(self.labels)} were")

    @property
    def labels(self) -> list[str]:
        """Names of the fitted parameters; equal ones are joined by commas."""
        return [one.label for one in self.ranges]

    @property
    def undetermined(self) -> list[str]:
        """Parameters that the motions do not confine to half of their bounds."""
        known = self.confidence.determined
        return [label for label, sure in zip(self.labels, known, strict=True) if not sure]

    @property
    def at_bound(self) -> list[str]:
        """Parameters that ended at one of their bounds."""
        near = (self.place < AT_BOUND) | (self.place > 1 - AT_BOUND)
        return [label for label, there in zip(self.labels, near, strict=True) if there]


def fit_contact(
    recordings: Recordings,
    contact: Any,
    parameters: Bounds,
    *,
    folds: int = 0,
    loss: str = SQUARES,
    effort: Search = Search(),  # noqa: B008  frozen
    progress: Progress = lambda part: None,
) -> Fit:
    """Fit parameters of a contact model to recorded motions.

    Args:
        recordings: motions to be replayed, such as `RecordedMotions`.
        contact: the model; parameters that are not fitted keep their values.
        parameters: names with bounds, or None for those of the declaration; names joined by commas
            are parameters with equal values.
        folds: number of parts of the motions that are held out in turn: a fit to all other parts
            is judged by each; 0 for none. Motion k belongs to part k modulo folds.
        loss: "squares", the mean over motions of their mean square error; or "mean", of their
            root-mean-square error, for motions some of which no parameters describe.
        effort: of the searches.
        progress: called with the fraction done.
    """
    contact = checked_model(contact)
    ranges = checked_ranges(contact, parameters)
    motions = len(recordings.names)
    if folds and not 2 <= folds <= motions:
        raise InputError(f"fit: folds is {folds}; give 0, or 2 to {motions}, the number of motions")

    def part_of(k: int) -> Progress:
        return lambda part: progress((k + part) / (folds + 1))

    judged = []
    for k in range(folds):
        held_out = np.arange(motions) % folds == k
        judged.append(_fold(recordings, contact, ranges, held_out, (loss, effort, part_of(k))))
    objective = Objective(recordings, contact, ranges, np.arange(motions), loss)
    found = search(objective, effort, part_of(folds))
    errors = objective.errors(found.place)[0]
    return Fit(
        contact=objective.model(found.place),
        ranges=ranges,
        place=found.place,
        confidence=_confidence(objective, found, effort),
        errors=errors,
        folds=judged,
        converged=found.converged,
        message=found.message,
        evaluations=objective.evaluations,
    )


def _fold(
    recordings: Recordings,
    contact: Any,
    ranges: list[Range],
    held_out: np.ndarray,
    how: tuple[str, Search, Progress],
) -> Fold:
    loss, effort, progress = how
    objective = Objective(recordings, contact, ranges, np.flatnonzero(~held_out), loss)
    found = search(objective, effort, progress)
    others = Objective(recordings, contact, ranges, np.flatnonzero(held_out), loss)
    return Fold(
        objective.model(found.place),
        objective.chosen,
        others.chosen,
        float(objective.errors(found.place).mean()),
        float(others.errors(found.place).mean()),
    )


def _confidence(objective: Objective, found: Found, effort: Search) -> Confidence:
    if objective.loss == SQUARES:
        residuals = objective.residuals(found.place)[0]
        steps = effort.step * FINEST * np.array(STEPS)
        slopes = [jacobian(objective, found.place, step) for step in steps]
        return widest([least_squares_confidence(found.place, residuals, one) for one in slopes])
    places, errors = objective.archive()
    derivatives = jacobian(objective, found.place, effort.step)
    return bootstrap_confidence(places, errors, objective.loss, derivatives, effort.seed)


def as_result(fit: Fit) -> dict[str, Any]:
    """Return a fit as plain values, for the command line."""
    units = MODELS[type(fit.contact)].fields
    rows = []
    for one, low, high in zip(fit.ranges, fit.confidence.low, fit.confidence.high, strict=True):
        label = one.label
        rows.append(
            {
                "parameter": label,
                "value": getattr(fit.contact, one.names[0]),
                "from": one.value(low),
                "to": one.value(high),
                "unit": units[one.names[0]].unit,
                "bounds": f"{one.low:g}:{one.high:g}",
                "determined": label not in fit.undetermined,
                "at bound": label in fit.at_bound,
            }
        )
    labels = fit.labels
    result: dict[str, Any] = {
        "contact": type(fit.contact).__name__,
        "motions": len(fit.errors),
        "parameters": rows,
        f"intervals of {100 * LEVEL:g} %": fit.confidence.method,
        "condition of the information matrix": fit.confidence.condition,
        "not told apart": [f"{labels[i]} and {labels[k]}" for i, k in fit.confidence.alike],
        "error": fit.error,
        "held-out error": fit.held_out_error,
        "evaluations": fit.evaluations,
        "search": fit.message,
        "holds": fit.converged,
    }
    if fit.folds:
        result["folds"] = [
            {
                "fitted to": len(one.fitted),
                "error": one.error,
                "held out": len(one.held_out),
                "held-out error": one.held_out_error,
                "parameters": ", ".join(
                    f"{name}={getattr(one.contact, name):.6g}"
                    for each in fit.ranges
                    for name in each.names
                ),
            }
            for one in fit.folds
        ]
    return result
