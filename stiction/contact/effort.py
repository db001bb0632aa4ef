"""How much work a step may take.

On a GPU the 32 threads of a warp wait for the world that needs the most iterations. With a bounded
effort a step takes what it has found; the next step starts from there, with the joint modes that it
implies. A model may declare its own bounds for this with `quick_effort`.
"""

from __future__ import annotations

from typing import NamedTuple

from stiction.kernels.response import ENDLESS


class Effort(NamedTuple):
    """Bounds on the work of a step; the next step continues with the rest, which is counted.

    A contact problem that is left with a relative error above 1 % counts as unsolved. Bounded
    impulses under `Coulomb` are not unique, whatever its parameter says.
    """

    tries: int = ENDLESS  # at finding which joints stick, slide or rest at a stop
    iterations: int = ENDLESS  # of `Coulomb` in a solution, sweeps of `GaussSeidel`; not of others


WHOLE = Effort()
QUICK = Effort(tries=1, iterations=6)
OWN: dict[type, Effort] = {}


def quick_effort(kind: type, effort: Effort) -> None:
    """Declare the bounds of a model in single precision on a GPU."""
    OWN[kind] = effort


def quick_effort_of(kind: type) -> Effort:
    """Return the bounds of a model in single precision on a GPU."""
    return OWN.get(kind, QUICK)
