"""How well the data determine fitted parameters.

With J the derivatives of the residuals r_m of motion m over the places x of the parameters,

    A = sum J_m' J_m                                   information matrix                      (1)
    C = A^-1 (sum J_m' r_m r_m' J_m) A^-1              covariance; motions are independent      (2)
    C = s^2 A^-1,  s^2 = sum r'r / (n - p)             covariance; all n values are             (3)

An interval of a least-squares fit is that of Student's t with the larger of the two variances: (2)
holds if errors within a motion are correlated, and needs many motions. A fit to the mean error,
which is not smooth, is repeated on motions drawn with replacement (bootstrap), each time choosing
the best of all places that the search evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.fit.objective import total

LEVEL = 0.95  # of the intervals
DETERMINED = 0.5  # an interval wider than this fraction of the bounds: not determined
ALIKE = 0.95  # correlation beyond which two parameters are not distinguished
SINGULAR = 1e-12  # eigenvalue of A relative to the largest
RESAMPLES = 500
FEW = 3  # more motions than parameters that (2) needs


class Confidence(NamedTuple):
    """Intervals in places, (parameters) each, and what they say."""

    low: np.ndarray
    high: np.ndarray
    method: str
    condition: float  # of the information matrix
    alike: list[tuple[int, int]]  # pairs of parameters that the data do not distinguish

    @property
    def determined(self) -> np.ndarray:
        """Which parameters the data confine to less than half of their bounds."""
        return self.high - self.low < DETERMINED


def least_squares_confidence(
    place: np.ndarray, residuals: np.ndarray, derivatives: np.ndarray
) -> Confidence:
    """Intervals of a least-squares fit from residuals (motions, values) and derivatives."""
    from scipy.stats import t

    motions, _, count = derivatives.shape
    A = np.einsum("mvp,mvq->pq", derivatives, derivatives)  # Eq. (1)  # noqa: N806
    inverse, condition, blind = inverse_information(A)
    used = int(((residuals != 0) | (derivatives != 0).any(axis=2)).sum())
    free = max(used - count, 1)
    variance = np.diagonal(inverse) * (residuals**2).sum() / free  # Eq. (3)
    radius = np.sqrt(variance) * t.ppf(0.5 + LEVEL / 2, free)
    if motions >= count + FEW:
        slopes = np.einsum("mvp,mv->mp", derivatives, residuals)
        spread = inverse @ (slopes.T @ slopes) @ inverse  # Eq. (2)
        of_motions = np.sqrt(np.diagonal(spread).clip(0.0) * motions / (motions - count))
        radius = np.maximum(radius, of_motions * t.ppf(0.5 + LEVEL / 2, motions - count))
    radius[blind] = np.inf
    low, high = np.clip(place - radius, 0.0, 1.0), np.clip(place + radius, 0.0, 1.0)
    return Confidence(low, high, "Gauss-Newton", condition, pairs_alike(A))


def widest(found: Sequence[Confidence]) -> Confidence:
    """The widest interval of each parameter among those from several steps of differences.

    Differences across a jump of the error, where a contact moves to another corner, are too large,
    and an interval from them alone is too narrow.
    """
    low = np.min([one.low for one in found], axis=0)
    high = np.max([one.high for one in found], axis=0)
    return found[0]._replace(low=low, high=high)


def bootstrap_confidence(
    places: np.ndarray, errors: np.ndarray, loss: str, derivatives: np.ndarray, seed: int
) -> Confidence:
    """Intervals from the best of all evaluated places on motions drawn with replacement."""
    rng = np.random.default_rng(seed)
    motions = errors.shape[1]
    best = np.empty((RESAMPLES, places.shape[1]))
    for k in range(RESAMPLES):
        drawn = rng.integers(0, motions, motions)
        best[k] = places[np.argmin(total(errors[:, drawn], loss))]
    low, high = np.quantile(best, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    A = np.einsum("mvp,mvq->pq", derivatives, derivatives)  # Eq. (1)  # noqa: N806
    _, condition, blind = inverse_information(A)
    low[blind], high[blind] = 0.0, 1.0
    return Confidence(low, high, "bootstrap over motions", condition, pairs_alike(A))


def inverse_information(A: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:  # noqa: N803
    """Pseudo-inverse of the information matrix, its condition, and parameters without effect.

    The condition is infinite if a direction in the space of parameters changes nothing.
    """
    values, vectors = np.linalg.eigh(A)
    largest = values[-1]
    if largest <= 0:
        return np.zeros_like(A), float("inf"), np.ones(len(A), bool)
    blind_directions = values <= SINGULAR * largest
    inverse = (vectors[:, ~blind_directions] / values[~blind_directions]) @ (
        vectors[:, ~blind_directions].T
    )
    blind = (np.abs(vectors[:, blind_directions]) > 1e-3).any(axis=1)
    condition = float("inf") if blind_directions.any() else float(largest / values[0])
    return inverse, condition, blind


def pairs_alike(A: np.ndarray) -> list[tuple[int, int]]:  # noqa: N803
    """Pairs of parameters with correlated estimates, by number."""
    inverse, _, blind = inverse_information(A)
    spread = np.sqrt(np.diagonal(inverse).clip(1e-300))
    related = np.abs(inverse / np.outer(spread, spread))
    pairs = np.argwhere(np.triu(related > ALIKE, 1))
    return [(int(i), int(k)) for i, k in pairs if not (blind[i] or blind[k])]
