"""Set-points, observations and rewards of a task, for NumPy arrays and for PyTorch tensors.

An action is a vector of numbers from -1 to 1, one for each joint: 0 is the home configuration, and
servos follow the set-points. An observation is one vector:

    down          direction of gravity in the axes of the base (3)
    velocity      of the base, in its axes, linear (3) then angular (3) [m/s, rad/s]
    joints        positions minus home (joints), then speeds (joints)
    last action   (joints)
    command       forward and sideways speed, rate of turning (3) [m/s, rad/s]

The reward of a step, with u = sqrt(g h) of a base that stands at the height h:

    exp(-|velocity along the x and y axes of the base - command|^2 / (0.2 u)^2)
    + 0.5 exp(-((rate of turning about its z axis - command) / (0.5 rad/s))^2)
    + 0.5 cosine of the tilt
    - smooth times the mean square of the change of the action

A robot has fallen, which ends the episode, if its base is tilted by more than 60 degrees or its
height above the ground where it started is less than 0.6 h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

TILT, FALLEN = 0.5, 0.6  # least cosine of the tilt, and least height [h], of a robot that stands
FOLLOWS, TURNS = 0.2, 0.5  # widths of the reward [sqrt(g h), rad/s]
UPRIGHT, TURNING = 0.5, 0.5  # weights of the reward


class Formulas(NamedTuple):
    """What the formulas need of a robot; all arrays have the worlds along their first axis."""

    xp: Any  # numpy or torch
    joints: Any  # (joints) indices in q
    dofs: Any  # (joints) indices in v
    standing: Any  # (joints) positions at home
    home: Any  # (actions) set-points for the action 0
    lower: Any  # (actions) for -1
    upper: Any  # (actions) for 1
    height: float  # of the base of the standing robot [m]
    speed: float  # unit of speed, sqrt(g h) [m/s]
    smooth: float  # weight of the change of the action

    def on(self, xp: Any, convert: Callable[[Any], Any]) -> Formulas:
        """The same for arrays of another library, to which `convert` brings an array of NumPy."""
        arrays = {name: convert(getattr(self, name)) for name in self._fields[1:7]}
        return self._replace(xp=xp, **arrays)

    def set_points(self, actions: Any) -> Any:
        """Set-points of actions, (worlds, actions) each."""
        up, down = self.upper - self.home, self.home - self.lower
        return self.home + self.xp.where(actions > 0, up, down) * actions

    def observe(self, q: Any, v: Any, actions: Any, commands: Any) -> Any:
        """Observations of all worlds, (worlds, observed)."""
        down, velocity = self.base_of(q, v)
        joints = q[:, self.joints] - self.standing
        parts = (down, velocity, v[:, 3:6], joints, v[:, self.dofs], actions, commands)
        return self.xp.concatenate(parts, 1)

    def reward(self, state: tuple[Any, Any], actions: Any, before: Any, commands: Any) -> Any:
        """Rewards of all worlds, (worlds)."""
        xp = self.xp
        down, velocity = self.base_of(*state)
        off = (velocity[:, :2] - commands[:, :2]) / (FOLLOWS * self.speed)
        turned = (state[1][:, 5] - commands[:, 2]) / TURNS
        changed = ((actions - before) ** 2).mean(1)
        return (
            xp.exp(-(off**2).sum(1))
            + TURNING * xp.exp(-(turned**2))
            - UPRIGHT * down[:, 2]
            - self.smooth * changed
        )

    def fallen(self, q: Any, start: Any) -> Any:
        """Which robots have fallen; start: first heights of their bases, (worlds)."""
        upright = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)  # cosine of the tilt
        return (upright < TILT) | (q[:, 2] < start - (1 - FALLEN) * self.height)

    def base_of(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Direction of gravity, and velocity of the base, in its axes, (worlds, 3) each."""
        stack = self.xp.stack
        w, x, y, z = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
        along = stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], 1)
        across = stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], 1)
        up = stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
        axes = stack([along, across, up], 1)  # of the base, in world axes
        return -axes[:, :, 2], self.xp.einsum("nij,nj->ni", axes, v[:, :3])
