"""Outcome of a run: whether a robot ends upright, how far it slips, what the ground does.

Ending upright proves nothing if unphysical contact put the robot there. So a verdict also measures
what real ground does not do: supply energy, lose contact with a foot that is planned to stand, or
let a point penetrate. `LIMITS` sets the tolerances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.metrics.energy import contact_work
from stiction.metrics.points import followed_points
from stiction.metrics.reactions import IN_FLIGHT
from stiction.motion.motion import Motion
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from stiction.scenes.planned import Planned

EXPECTATIONS = ("upright", "falls", "slips")
LARGEST_LEAN = 30.0  # [degrees]
LEAST_HEIGHT = 0.6  # of the initial height of the base
SLIPPED = 0.05  # of the initial height of the base
CARRIES = 0.05  # of the weight: a foot planned to carry less may be off the ground


@dataclass(frozen=True)
class Limits:
    """Limits on what the ground does in a scene; beyond them the scene fails."""

    energy: float = 0.01  # net, to the robots, over their weight times the height of the base
    lost_contact: float = 0.1  # fraction of the time in which a foot is planned to carry
    depth: float = 0.05  # over the initial height of the base above the lowest contact point
    reason: str = ""  # why a scene has other limits than the defaults


LIMITS = Limits()


class Verdict(NamedTuple):
    """Outcome of a robot, and what the ground did during the run."""

    upright: bool
    slips: bool
    lean: float  # of its base, relative to the start [degrees]
    height: float  # of its base above the lowest link, over its initial value
    slip: float  # longest path of a touching point along the ground [m]
    energy: float  # largest net energy from the ground by any time [J]; NaN if not every step
    lost_contact: float  # fraction of the planned time that a foot does not carry; NaN without plan
    depth: float  # of the deepest point [m]
    faults: tuple[str, ...]  # exceeded limits, one sentence each

    def meets(self, expected: str) -> bool:
        """Whether the outcome is the expected one and the ground stayed within its limits.

        expected: "upright", "falls", or "slips" but upright.
        """
        ends = {
            "upright": self.upright,
            "falls": not self.upright,
            "slips": self.upright and self.slips,
        }[expected]
        return ends and not self.faults

    @property
    def words(self) -> str:
        """The outcome, in the words of a scene's `expect`."""
        found = "upright" if self.upright else "falls"
        return f"{found}, slips" if self.slips else found


def verdict(
    motion: Motion, robot: int = 0, plan: Planned | None = None, limits: Limits = LIMITS
) -> Verdict:
    """Judge the outcome of a robot, and what the ground did.

    Upright: the ground carries it in the last tenth of the time, its base leans by less than 30
    degrees relative to the start, and the height of the base above the robot's lowest link is at
    least 0.6 of its initial value. Slips: a touching point moved along the ground by more than 0.05
    of that initial height.

    plan: the motion that the robot follows, for its planned contacts.
    """
    links = _links_of(motion, robot)
    lean, share, height = posture(motion, robot)
    slip = _slipped(motion, links)
    energy, depth = energy_given(motion), float(np.nan_to_num(motion.deepest()).max(initial=0.0))
    lost = lost_contact(motion, robot, plan)
    return Verdict(
        upright=bool(_is_carried(motion, links) and lean < LARGEST_LEAN and share > LEAST_HEIGHT),
        slips=bool(slip > SLIPPED * height),
        lean=lean,
        height=float(share),
        slip=slip,
        energy=energy,
        lost_contact=lost,
        depth=depth,
        faults=_faults(motion, _standing_height(motion, links), (energy, lost, depth), limits),
    )


# ------------------------------------------------------------------------------ what the ground did


def energy_given(motion: Motion) -> float:
    """Largest net energy that contact has supplied to the robots by any time [J]; at least 0.

    It is summed from the start, so that a spring may return the energy it stored, and relative to
    the ground, so that a belt may drive. NaN if not every step was recorded.
    """
    if motion.parameters.get("record every", 1) != 1:
        return np.nan
    if motion.point_count == 0 or len(motion) < 2:
        return 0.0
    return float(np.cumsum(np.nan_to_num(contact_work(motion))).max(initial=0.0))


def lost_contact(motion: Motion, robot: int, plan: Planned | None) -> float:
    """Fraction of the time in which a foot planned to carry does not; NaN without a plan.

    It is the larger of the fractions for planned single support and for planned support by several
    feet. A foot is planned to carry if its share is 0.05 of the weight or more, and carries if it
    bears more than a thousandth of it.
    """
    if plan is None or plan.shares is None or motion.point_count == 0:
        return np.nan
    world = motion.world
    prefix = f"{world.robots[robot].name}/" if len(world.moving) > 1 else ""
    weight = world.robots[robot].total_mass * float(np.linalg.norm(world.gravity))
    time = motion.time[:-1] - motion.time[0]
    within = time <= plan.time[-1]
    rows = np.searchsorted(plan.time, time[within], side="right") - 1
    planned = plan.shares[rows] >= CARRIES
    normal = world.ground.normal()  # type: ignore[union-attr]
    pressed = [motion.foot_force(prefix + foot)[:-1][within] @ normal for foot in plan.feet]
    off = planned & ~(np.column_stack(pressed) > IN_FLIGHT * weight)
    feet = planned.sum(axis=1)
    shares = [off[now].any(axis=1).mean() for now in (feet == 1, feet > 1) if now.any()]
    return float(max(shares, default=np.nan))


def _standing_height(motion: Motion, links: slice) -> float:
    """Initial height of the base above the lowest contact point [m]; 0 without any."""
    ours = _points_of(motion, links)
    if not len(ours):
        return 0.0
    dynamics = allocate(motion.world.tree)
    forward_kinematics(dynamics, np.ascontiguousarray(motion.q[0]))
    base = links.start + int(np.argmax(motion.world.tree.mass[links] > 0))
    origin = dynamics.origin[motion.world.tree.root[base]] + dynamics.position[base]
    lowest = followed_points(motion, motion.q[:1], motion.v[:1]).position[0, ours, 2].min()
    return float(origin[2] - lowest)


def _faults(
    motion: Motion, height: float, found: tuple[float, float, float], limits: Limits
) -> tuple[str, ...]:
    """One sentence for each exceeded limit."""
    energy, lost, depth = found
    most = limits.energy * motion.world.total_mass * float(np.linalg.norm(motion.world.gravity))
    faults = []
    if energy > most * height:
        faults.append(f"contact added {energy:.3g} J to the robots, limit {most * height:.3g} J")
    if lost > limits.lost_contact:
        faults.append(
            f"a foot planned to bear load was off the ground for {100 * lost:.3g} % of the "
            f"time, limit {100 * limits.lost_contact:.3g} %"
        )
    if depth > limits.depth * height:
        faults.append(
            f"a point penetrated the ground by {1000 * depth:.3g} mm, limit "
            f"{1000 * limits.depth * height:.3g} mm"
        )
    return tuple(faults)


# ------------------------------------------------------------------------------------- how it ended


def posture(motion: Motion, robot: int = 0) -> tuple[float, float, float]:
    """How a robot ends: lean of its base [degrees] and height, relative to the start.

    The third is the initial height of its base above its lowest link [m].
    """
    links = _links_of(motion, robot)
    (up, height), (up_now, height_now) = (_pose(motion, k, links) for k in (0, -1))
    lean = float(np.degrees(np.arccos(np.clip(up @ up_now, -1.0, 1.0))))
    return lean, height_now / height if height > 0 else 1.0, height


def _links_of(motion: Motion, robot: int) -> slice:
    """Links of the forest of a robot."""
    first = 1 + sum(len(one.link_name) for one in motion.world.robots[:robot])
    return slice(first, first + len(motion.world.robots[robot].link_name))


def _pose(motion: Motion, moment: int, links: slice) -> tuple[np.ndarray, float]:
    """Upward direction in the axes of the base, and height of the base above the lowest link."""
    dynamics = allocate(motion.world.tree)
    forward_kinematics(dynamics, np.ascontiguousarray(motion.q[moment]))
    base = int(np.argmax(motion.world.tree.mass[links] > 0))  # slides of a planar base have none
    rotation, position = dynamics.rotation[links][base], dynamics.position[links]
    return np.array(rotation[2]), float(position[base, 2] - position[:, 2].min())


def _points_of(motion: Motion, links: slice) -> np.ndarray:
    """Contact points on some links; none if nothing can touch."""
    contact_points, _, _ = contact_points_of(motion.world)
    ours = (contact_points.link >= links.start) & (contact_points.link < links.stop)
    return np.flatnonzero(ours[: motion.point_count])


def _is_carried(motion: Motion, links: slice) -> bool:
    """Whether the ground pushes some links up in the last tenth of a motion, if it has a step."""
    if len(motion) < 2:
        return True
    last = motion.force[-max(2, len(motion) // 10) : -1, _points_of(motion, links), 2]
    return bool(np.nan_to_num(last).sum() > 0)


def _slipped(motion: Motion, links: slice) -> float:
    """Longest path of a point of some links along the ground [m]."""
    speed = np.linalg.norm(np.nan_to_num(motion.slip[:-1, _points_of(motion, links)]), axis=2)
    return float((speed * np.diff(motion.time)[:, None]).sum(axis=0).max(initial=0.0))
