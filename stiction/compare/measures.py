"""What is measured of every run of a comparison, the same for our models and other engines.

Slip, posture and differences are computed from positions and velocities, so that no engine measures
itself. What an engine does not report is None.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.collision.belt import velocities_at
from stiction.compare.runs import Case, Run
from stiction.errors import StictionError
from stiction.metrics.points import followed_points, point_links
from stiction.motion.motion import Motion
from stiction.plot.quantities import base_positions
from stiction.scenes.verdict import LARGEST_LEAN, LEAST_HEIGHT, posture
from stiction.world.ground import Plane

NEAR = 1e-5  # a point that is nearer to the ground touches it [m]
WINDOW = 0.05  # in which the change of force is averaged [s]
INTERVAL = 1e-3  # over which forces are averaged before they are compared [s]
ROWS = 4000  # samples that are measured at a time, or of a part that stands for the whole
COLUMNS = {
    "survived": "the run reached its end, and the first robot ends upright: its base leans less "
    f"than {LARGEST_LEAN:g} degrees from its start and keeps {LEAST_HEIGHT:g} of its height",
    "slip [mm]": "longest distance that a contact point of the first robot slides on the ground "
    "while it is within 0.01 mm of it or inside, from positions and velocities",
    "depth [mm]": "largest depth of a contact",
    "chatter [%]": "change of the upward force from one millisecond to the next over the weight, "
    "root mean square in windows of 50 ms, median of the windows",
    "energy [J]": "change of energy that no work of any force explains, largest sum; not known if "
    "not every step was recorded",
    "cone [N]": "largest distance of a contact force from its friction cone",
    "complementarity [J]": "largest |<impulse, velocity + mu |v_t| n>| of a point (Le Lidec et "
    "al.); 0 for an exact solution",
    "CoP - ZMP [mm]": "centre of pressure of the contact forces against the zero-moment point of "
    f"the motion, median distance over up to {ROWS} steps in the middle",
    "us/step": "computing time of a step [microseconds], with recording for our models",
    "real time": "simulated time over computing time",
    "off [mm]": "distance of the base of the first robot from that in the reference, root mean "
    "square",
    "off at the end [mm]": "the same at the end",
    "joints off [deg]": "difference of all joint angles from the reference, root mean square",
    "force off [%]": "difference of the upward force from the reference over the weight, averaged "
    "over 10 ms, root mean square",
}


def measured(case: Case, run: Run, reference: Run | None) -> dict[str, Any]:
    """One row of the table."""
    row: dict[str, Any] = {"name": run.name, "dt [ms]": 1e3 * run.dt}
    row |= {"survived": survived(run), "slip [mm]": 1e3 * slip(run.motion)}
    row |= {"depth [mm]": 1e3 * _largest(run.depth), "chatter [%]": 100 * chatter(case, run)}
    row |= {"energy [J]": None, "cone [N]": None, "complementarity [J]": None}
    if not run.engine:
        row |= contact_errors(run) | {"energy [J]": energy_error(case, run)}
    row |= {"CoP - ZMP [mm]": pressure_error(run)}
    timed = run.seconds > 0 and run.simulated > 0
    row |= {"us/step": 1e6 * run.seconds * run.dt / run.simulated if timed else None}
    row |= {"real time": run.simulated / run.seconds if timed else None}
    return row | differences(case, run, reference)


def survived(run: Run) -> bool:
    """Whether a run reached its end, and the first robot ends upright; see COLUMNS."""
    if run.stopped:
        return False
    if len(run.motion.world.robots[0].link_name) == 1:
        return True
    lean, share, _ = posture(run.motion)
    return lean < LARGEST_LEAN and share > LEAST_HEIGHT


def slip(motion: Motion) -> float:
    """Longest distance that a touching point of the first robot slides along the ground [m]."""
    ground = motion.world.ground
    links = point_links(motion)[: motion.point_count]
    ours = np.flatnonzero(links <= len(motion.world.robots[0].link_name))
    if ground is None or not len(ours):
        return 0.0
    belt = ground.bind().belt
    gone = np.zeros(len(ours))
    for first in range(0, len(motion) - 1, ROWS):
        rows = np.arange(first, min(first + ROWS, len(motion) - 1))
        seen = followed_points(motion, motion.q[rows], motion.v[rows])
        under = velocities_at(belt, motion.time[rows])[:, None]
        speed, n = seen.velocity[:, ours] - under, seen.normal[:, ours]
        along = speed - np.einsum("kpi,kpi->kp", speed, n)[..., None] * n
        touches = seen.depth[:, ours] > -NEAR
        dt = np.diff(motion.time)[rows, None]
        gone += (np.linalg.norm(along, axis=2) * touches * dt).sum(axis=0)
    return float(gone.max())


def weight(case: Case) -> float:
    """Weight of everything that moves [N]."""
    return case.world.total_mass * (float(np.linalg.norm(case.world.gravity)) or 1.0)


def chatter(case: Case, run: Run) -> float:
    """Change of the upward force from millisecond to millisecond over the weight; see COLUMNS."""
    spacing = run.simulated / max(1, len(run.force) - 1)
    force = averaged(run.force[:-1, 2], max(1, round(INTERVAL / spacing)))
    change = np.diff(force) / weight(case)
    change = change[np.isfinite(change)]
    each = max(1, round(WINDOW / max(INTERVAL, spacing)))
    if len(change) < each:
        return float(np.sqrt((change**2).mean())) if len(change) else 0.0
    windows = change[: len(change) // each * each].reshape(-1, each)
    return float(np.median(np.sqrt((windows**2).mean(axis=1))))


def averaged(values: np.ndarray, each: int) -> np.ndarray:
    """Means of `each` samples at a time."""
    whole = values[: len(values) // each * each]
    return whole.reshape(-1, each, *values.shape[1:]).mean(axis=1)


def energy_error(case: Case, run: Run) -> float | None:
    """Largest sum of the change of energy that no work explains [J]; None if not recorded."""
    motion = run.steps
    if motion is None or motion.parameters.get("record every", 1) != 1:
        return None
    last, largest = 0.0, 0.0
    for first in range(0, len(motion) - 1, ROWS):
        rows = np.arange(first, min(first + ROWS + 1, len(motion)))
        left = motion.rows(rows).energy_balance(case.forces).remainder[:-1]
        sums = last + np.cumsum(np.nan_to_num(left))
        last, largest = float(sums[-1]), max(largest, float(np.abs(sums).max()))
    return largest


def contact_errors(run: Run) -> dict[str, float | None]:
    """Largest distance from the cone and from complementarity over all samples that are kept."""
    found: dict[str, float | None] = {"cone [N]": None, "complementarity [J]": None}
    try:
        found["cone [N]"] = _largest(run.motion.cone_violation())
        found["complementarity [J]"] = _largest(run.motion.criteria().complementarity)
    except StictionError:
        return found  # a model without coefficients of friction has no cone
    return found


def pressure_error(run: Run) -> float | None:
    """Median distance of the centre of pressure from the zero-moment point [mm]; see COLUMNS."""
    motion = run.steps
    if motion is None or not isinstance(motion.world.ground, Plane) or len(motion) < 3:
        return None
    if motion.parameters.get("record every", 1) != 1 or len(motion.world.scenery.name):
        return None
    if run.engine and run.pressure is None:
        return None
    first = max(0, len(motion) // 2 - ROWS // 2)
    rows = np.arange(first, min(first + ROWS, len(motion)))
    part = motion.rows(rows)
    felt = part.zmp() if run.pressure is None else run.pressure[rows]
    apart = np.linalg.norm((felt - part.zmp("motion"))[:, :2], axis=1)
    apart = apart[np.isfinite(apart)]
    return 1e3 * float(np.median(apart)) if len(apart) else None


# -------------------------------------------------------------------------------------- differences


def differences(case: Case, run: Run, reference: Run | None) -> dict[str, float | None]:
    """How far a run is from the reference, as long as both last."""
    names = ("off [mm]", "off at the end [mm]", "joints off [deg]", "force off [%]")
    if reference is None or reference is run:
        return dict.fromkeys(names)
    base = offset(run, reference)
    tree = case.world.tree
    single = tree.dof_q[(tree.dof_q >= 0) & (tree.joint_type[tree.dof_link] == 1)]
    angles = common(run, reference, run.motion.q[:, single], reference.motion.q[:, single])
    times = np.arange(0.0, min(run.simulated, reference.simulated) - 0.01, 0.01)
    forces = [upward(one, times) / weight(case) for one in (run, reference)]
    values = (
        1e3 * _rms(np.linalg.norm(base, axis=1)),
        1e3 * float(np.linalg.norm(base[-1])),
        float(np.degrees(_rms(angles))) if angles.size else 0.0,
        100 * _rms(forces[0] - forces[1]),
    )
    return dict(zip(names, values, strict=True))


def offset(run: Run, reference: Run) -> np.ndarray:
    """Position of the base relative to that in the reference, at its times [m], (n, 3)."""
    return common(run, reference, base_positions(run.motion), base_positions(reference.motion))


def common(run: Run, reference: Run, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Difference of columns at the times of the reference at which both ran."""
    when = reference.motion.time[reference.motion.time <= run.motion.time[-1] + 1e-9]
    moved = [np.interp(when, run.motion.time, column) for column in own.T]
    return np.array(moved).reshape(-1, len(when)).T - other[: len(when)]


def upward(run: Run, times: np.ndarray) -> np.ndarray:
    """Upward force of the ground [N], averaged over the 10 ms that follow each time from start."""
    n = max(1, len(run.force) - 1)
    spacing = run.simulated / n
    sums = np.concatenate([[0.0], np.cumsum(np.nan_to_num(run.force[:-1, 2]))])
    ends = [np.clip(np.round((times + t) / spacing).astype(int), 0, n) for t in (0.0, 0.01)]
    return (sums[ends[1]] - sums[ends[0]]) / np.maximum(ends[1] - ends[0], 1)


def _largest(values: np.ndarray) -> float:
    return float(np.max(values, where=np.isfinite(values), initial=0.0))


def _rms(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.sqrt((finite**2).mean())) if finite.size else 0.0
