"""Unsolved steps: their number, the worst of them, and a warning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import UnsolvedWarning
from stiction.step.loop import Report


@dataclass(frozen=True)
class UnsolvedSteps:
    """Steps whose contact problem or joint friction was not solved."""

    count: int
    steps: int  # taken, solved or not
    residual: float  # the worst of them, in the unit of the contact model's tolerance
    time: float | None  # start of the worst of them [s]

    @property
    def share(self) -> float:
        """Unsolved steps as a fraction of all."""
        return self.count / self.steps if self.steps else 0.0

    def message(self, model: Any) -> str:
        """One sentence with the numbers; `model`: parameters of the contact model."""
        name = type(model).__name__
        tolerance = getattr(model, "tolerance", None)
        if tolerance is not None and self.residual <= tolerance:
            worst = (
                f"for example, at t = {self.time:.6g} s joint friction and contact did not agree"
            )
        else:
            worst = f"the worst, at t = {self.time:.6g} s, has a residual of {self.residual:.3g}"
            worst += "" if tolerance is None else f" (tolerance {tolerance:g})"
        return (
            f"{name}: {self.count} of {self.steps} steps ({100 * self.share:.3g} %) were not "
            f"solved; {worst}; try a smaller dt or another contact model"
        )


def allocate_report(real: Any = np.float64) -> Report:
    """Return the report of a run that has not started."""
    steps, fault, unsolved, worst_step = (np.zeros(1, np.int64) for _ in range(4))
    work = np.zeros(1, real), np.zeros(1, real), np.zeros(1, np.int64)
    unfinished = np.zeros(1, np.int64)
    return Report(steps, fault, unsolved, worst_step, np.zeros(1, real), *work, unfinished)


def unsolved_steps(report: Report, start: float, dt: float) -> UnsolvedSteps:
    """Return the unsolved steps of a report of a run from `start` [s] in steps of `dt` [s]."""
    count, steps = int(report.unsolved[0]), int(report.steps[0])
    time = start + int(report.worst_step[0]) * dt if count else None
    return UnsolvedSteps(count, steps, float(report.worst_residual[0]), time)


def warn_of_unsolved(message: str, stacklevel: int) -> None:
    """Warn with a `stacklevel` counted from the calling function."""
    warnings.warn(message, UnsolvedWarning, stacklevel=stacklevel + 1)
