"""What a fit minimises: the error of replayed motions, as a function of places from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from stiction.errors import InputError
from stiction.fit.ranges import Range, contact_at

SQUARES, MEAN = "squares", "mean"
LOSSES = (SQUARES, MEAN)
LOST = 10.0  # error of a replay that diverged, in units of the largest that did not


class Recordings(Protocol):
    """Recorded motions that a contact model can be replayed against."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each motion, or of each part of one that is replayed by itself."""

    def residuals(self, models: Sequence[Any], chosen: np.ndarray) -> np.ndarray:
        """Return replayed minus recorded, (models, chosen motions, values).

        The squares of the values of a motion add up to its mean square error. Shorter motions end
        with zeros; a replay that diverged has NaN.
        """


class Objective:
    """The error of some recordings, and an archive of all that was evaluated."""

    def __init__(
        self,
        recordings: Recordings,
        contact: Any,
        ranges: Sequence[Range],
        chosen: np.ndarray,
        loss: str = SQUARES,
    ) -> None:
        """Evaluate nothing yet."""
        if loss not in LOSSES:
            raise InputError(f"fit: loss is {loss!r}; give one of {', '.join(LOSSES)}")
        self.recordings, self.contact, self.ranges = recordings, contact, list(ranges)
        self.chosen, self.loss = np.asarray(chosen), loss
        self._places: list[np.ndarray] = []
        self._errors: list[np.ndarray] = []
        self._largest = 0.0

    def model(self, place: np.ndarray) -> Any:
        """Contact model at a place."""
        return contact_at(self.contact, self.ranges, place)

    def residuals(self, places: np.ndarray) -> np.ndarray:
        """Residuals at several places, (places, motions, values); finite."""
        models = [self.model(place) for place in np.atleast_2d(places)]
        found = self.recordings.residuals(models, self.chosen)
        lost = ~np.isfinite(found).all(axis=2)
        errors = np.sqrt((np.where(lost[..., None], 0.0, found) ** 2).sum(axis=2))
        self._largest = max(self._largest, float(errors.max(initial=0.0)))
        worst = LOST * (self._largest or 1.0)
        found = np.where(lost[..., None], worst / np.sqrt(found.shape[2]), found)
        self._places.append(np.atleast_2d(places).copy())
        self._errors.append(np.where(lost, worst, errors))
        return found

    def errors(self, places: np.ndarray) -> np.ndarray:
        """Root-mean-square error of each motion, (places, motions)."""
        self.residuals(places)
        return self._errors[-1]

    def totals(self, places: np.ndarray) -> np.ndarray:
        """What is minimised, (places)."""
        return total(self.errors(places), self.loss)

    @property
    def evaluations(self) -> int:
        """Number of places that were evaluated."""
        return sum(len(one) for one in self._places)

    def archive(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all places (n, parameters), and the errors of all motions there (n, motions)."""
        return np.concatenate(self._places), np.concatenate(self._errors)


def total(errors: np.ndarray, loss: str) -> np.ndarray:
    """Mean over motions, the last axis, of their errors or of the squares of these."""
    return (errors if loss == MEAN else errors**2).mean(axis=-1)
