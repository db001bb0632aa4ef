"""`check_promises`: a table of the laws that a contact model obeys or breaks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from stiction.contact.contact_model import MODELS, NoContact, checked_model
from stiction.errors import InputError, SimulationError, StabilityWarning, UnsolvedWarning
from stiction.promises import forces, invariance, mechanics, pairs  # noqa: F401  declare the laws
from stiction.promises.indices import check_indices
from stiction.promises.law import LAWS, Law, Measured, Setting

HEADS = ("holds", "law", "worst", "bound", "where")


class Promise(NamedTuple):
    """Result of the check of one law."""

    law: str
    promised: bool  # by the model; else a law for every model
    holds: bool
    worst: float  # largest measured value, in units of its bound
    bound: float
    where: str  # the measured quantity, and the trial

    def __str__(self) -> str:
        """One line."""
        return "  ".join(_cells(self)).rstrip()


@dataclass(frozen=True)
class Promises:
    """Results of all laws checked on a model, one line each; true if all hold."""

    model: str
    found: tuple[Promise, ...]
    not_promised: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether all hold."""
        return all(one.holds for one in self.found)

    def __iter__(self) -> Iterator[Promise]:
        """Iterate over the results."""
        return iter(self.found)

    @property
    def broken(self) -> tuple[Promise, ...]:
        """Those that do not hold."""
        return tuple(one for one in self.found if not one.holds)

    def __str__(self) -> str:
        """A table."""
        rows = [HEADS, *(_cells(one) for one in self.found)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        count = f"{len(self.found) - len(self.broken)} of {len(self.found)} laws hold"
        last = [f"not promised: {'; '.join(self.not_promised)}"] if self.not_promised else []
        return "\n".join([f"{self.model}: {count}", *lines, *last])


def _cells(one: Promise) -> tuple[str, ...]:
    holds = "yes" if one.holds else "NO"
    return holds, one.law, f"{one.worst:.2g}", f"{one.bound:.2g}", one.where


def check_promises(
    model: Any, mass: float = 2.0, dt: float = 1e-3, brief: bool = False, bodies: bool = False
) -> Promises:
    """Test a contact model on small bodies, and report which laws of contact it obeys.

    All models obey the laws of momentum, units and axes, and carry a body at rest; the other laws
    are those that the model promises (`contact_model(..., promises=...)`). Coefficients of friction
    and restitution are varied; all other parameters are the given ones.

    mass: of the bodies [kg]; dt: the longest time step; some laws use a tenth of it [s]. Choose
    values that suit the parameters. brief: fewer and shorter trials, and no bodies at rest. bodies:
    also check the laws between two moving bodies, which takes another minute to compile.

    A model of yours first runs without the compiler: a wrong index raises a BoundsError with its
    line.

        print(stiction.check_promises(Sponge()))
    """
    if model is None or isinstance(model, NoContact):
        raise InputError("check_promises() takes a contact model; found none")
    model, setting = checked_model(model), _checked(mass, dt, brief, bodies)
    check_indices(model, setting)
    declared = MODELS[type(model)].promises
    tried = [law for law in LAWS if law.concerns(model, setting)]
    every = dict.fromkeys(law.promise for law in LAWS if law.promise is not None)
    return Promises(
        type(model).__name__,
        tuple(check_law(law, model, setting) for law in tried),
        tuple(promise for promise in every if promise not in declared),
    )


def check_law(law: Law, model: Any, setting: Setting) -> Promise:
    """Check one law on a model."""
    worst = Measured(0.0, 0.0, "")
    with warnings.catch_warnings():
        for kind in (StabilityWarning, UnsolvedWarning):  # the law measures the effect
            warnings.simplefilter("ignore", kind)
        try:
            for one in law.trial(model, setting):
                if not worst.where or one.excess > worst.excess:
                    worst = one
        except SimulationError as error:
            worst = Measured(float("inf"), 0.0, str(error))
    value, bound = float(worst.value) + 0.0, float(worst.bound)  # no -0
    promised, holds = law.promise is not None, value <= bound
    return Promise(law.name, promised, holds, value, bound, worst.where)


def _checked(mass: float, dt: float, brief: bool, bodies: bool) -> Setting:
    for name, value in ("mass", mass), ("dt", dt):
        if not (isinstance(value, int | float) and 0 < value < float("inf")):
            raise InputError(f"check_promises({name}={value!r}): give a positive number")
    return Setting(float(mass), float(dt), bool(brief), bool(bodies))
