"""Creep, force sharing and solver effort, and a table of all quality measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.arguments import is_number, shown
from stiction.errors import InputError
from stiction.kernels.response import NOT_CONVERGED
from stiction.metrics.contact_criteria import (
    cone_violation,
    criteria,
    friction_coefficients,
    has_friction_cone,
    largest,
    split,
)
from stiction.metrics.points import normals, points_under, require_contact

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

NEAR = 1e-6  # a point this close to the ground touches it [m]


class Creep(NamedTuple):
    """Speed of points that should stick [m/s]; NaN where a point does not stick."""

    speed: np.ndarray  # (n, points)
    maximum: float
    mean: float


class SolverSummary(NamedTuple):
    """Effort of the contact solver over the steps of a motion; zeros for force laws."""

    iterations_mean: float
    iterations_max: int
    residual_max: float
    fallbacks: int  # steps that needed a method other than the first
    failures: int  # unsolved steps, recorded or not


def creep(motion: Motion, margin: float = 1e-3) -> Creep:
    """Speed along the ground of sticking points [m/s].

    A point sticks at the start of a step if its forces in this step and the one before are inside
    the static cone, by the fraction `margin`, and not on the kinetic cone, where sliding points
    are.
    """
    if not (is_number(margin) and 0 <= margin < 1):
        raise InputError(
            f"creep(margin={shown(margin)}): give a fraction of at least 0 and below 1"
        )
    static, kinetic, *_ = friction_coefficients(motion)
    f_n, f_t = split(motion.force, normals(motion))
    across = np.linalg.norm(f_t, axis=-1)
    inside = (f_n > 0) & (across < (1 - margin) * static * f_n)
    sliding = np.abs(across - kinetic * f_n) <= margin * kinetic * f_n
    held = inside & ~sliding
    stuck = held.copy()
    stuck[1:] &= held[:-1]
    stuck[:1] = False
    speed = np.where(stuck, np.linalg.norm(motion.slip, axis=-1), np.nan)
    if not stuck.any():
        return Creep(speed, np.nan, np.nan)
    return Creep(speed, float(np.nanmax(speed)), float(np.nanmean(speed)))


def force_spread(motion: Motion, foot: str) -> np.ndarray:
    """Standard deviation of the normal forces of a foot's touching points over their mean, (n).

    0 if all points carry the same load; NaN if the foot carries none.
    """
    under = points_under(motion, foot)
    followed = motion.contact_points
    f_n, _ = split(motion.force[:, under], followed.normal[:, under])
    touching = (f_n != 0) | (followed.depth[:, under] > -NEAR)
    count = touching.sum(axis=1)
    total = np.where(touching, f_n, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        variance = np.where(touching, (f_n - mean[:, None]) ** 2, 0.0).sum(axis=1) / count
        return np.where(total > 0, np.sqrt(variance) / mean, np.nan)


def solver_summary(motion: Motion) -> SolverSummary:
    """Iterations, residuals and fallbacks of the recorded steps, failures of all steps."""
    failures = motion.unsolved.count
    iterations, residual, stage = motion.solver[np.isfinite(motion.solver).all(axis=1)].T
    if not len(stage):
        return SolverSummary(0.0, 0, 0.0, 0, failures)
    return SolverSummary(
        float(iterations.mean()),
        int(iterations.max()),
        float(residual.max()),
        int(((stage > 0) & (stage < NOT_CONVERGED)).sum()),
        failures,
    )


def quality(motion: Motion) -> dict[str, float]:
    """Largest depth, cone violation, creep, criteria and solver effort of a motion, by name.

    A model without friction coefficients has no cone; cone violation, creep and criteria are
    omitted.
    """
    require_contact(motion)
    found = {"depth [m]": largest(motion.deepest())}
    if has_friction_cone(motion):
        slow = creep(motion)
        found |= {
            "cone violation [N]": largest(cone_violation(motion)),
            "creep, largest [m/s]": slow.maximum,
            "creep, mean [m/s]": slow.mean,
        }
        worst, units = criteria(motion).worst(), ("N s", "m/s", "J", "J", "J", "J")
        found |= {f"{name} [{unit}]": worst[name] for name, unit in zip(worst, units, strict=True)}
    return found | solver_summary(motion)._asdict()
