"""How a robot ends: upright or not, and how far it slipped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.motion import Motion
from stiction.places import places_of

EXPECTATIONS = ("upright", "falls", "slips")
LARGEST_LEAN = 30.0  # [degrees]
LEAST_HEIGHT = 0.6  # of the height of the base at the begin
SLIPPED = 0.05  # of the height of the base at the begin


class Verdict(NamedTuple):
    """How a robot ended."""

    upright: bool
    slips: bool
    lean: float  # of its base, against how it began [degrees]
    height: float  # of its base over the lowest link, as a part of that at the begin
    slip: float  # longest way of a place along the ground that it touched [m]

    def meets(self, expected: str) -> bool:
        """Whether it is as a scene expects: "upright", "falls", or "slips" but upright."""
        return {
            "upright": self.upright,
            "falls": not self.upright,
            "slips": self.upright and self.slips,
        }[expected]

    @property
    def words(self) -> str:
        """What is found, as a scene would expect it."""
        found = "upright" if self.upright else "falls"
        return f"{found}, slips" if self.slips else found


def verdict(motion: Motion, robot: int = 0) -> Verdict:
    """Tell how a robot ends.

    Upright: the ground carries it in the last tenth of the time, its base leans by less than 30
    degrees, from how it began, and is at least at 0.6 of its height then, over the lowest link of
    the robot. Slips: a place of it went along the ground,
    while it touched, by more than 0.05 of that height.
    """
    first = 1 + sum(len(one.link_name) for one in motion.world.robots[:robot])
    links = slice(first, first + len(motion.world.robots[robot].link_name))
    (up, height), (up_now, height_now) = (_pose(motion, k, links) for k in (0, -1))
    lean = float(np.degrees(np.arccos(np.clip(up @ up_now, -1.0, 1.0))))
    share = height_now / height if height > 0 else 1.0
    slip = _slipped(motion, links)
    return Verdict(
        upright=bool(_is_carried(motion, links) and lean < LARGEST_LEAN and share > LEAST_HEIGHT),
        slips=bool(slip > SLIPPED * height),
        lean=lean,
        height=float(share),
        slip=slip,
    )


def _pose(motion: Motion, moment: int, links: slice) -> tuple[np.ndarray, float]:
    """Upward direction in the axes of the base, and height of the base over the lowest link."""
    dynamics = allocate(motion.world.tree)
    forward_kinematics(dynamics, np.ascontiguousarray(motion.q[moment]))
    base = int(np.argmax(motion.world.tree.mass[links] > 0))  # slides of a planar base have none
    rotation, position = dynamics.rotation[links][base], dynamics.position[links]
    return np.array(rotation[2]), float(position[base, 2] - position[:, 2].min())


def _places(motion: Motion, links: slice) -> np.ndarray:
    """Which places are on some links; none where nothing can touch."""
    places, _, _ = places_of(motion.world)
    ours = (places.link >= links.start) & (places.link < links.stop)
    return np.flatnonzero(ours[: motion.force.shape[1]])


def _is_carried(motion: Motion, links: slice) -> bool:
    """Whether the ground pushes some links up in the last tenth of a motion."""
    last = motion.force[-max(2, len(motion) // 10) : -1, _places(motion, links), 2]
    return bool(np.nan_to_num(last).sum() > 0)


def _slipped(motion: Motion, links: slice) -> float:
    """Longest way of a place of some links along the ground [m]."""
    speed = np.linalg.norm(np.nan_to_num(motion.slip[:-1, _places(motion, links)]), axis=2)
    return float((speed * np.diff(motion.time)[:, None]).sum(axis=0).max(initial=0.0))
