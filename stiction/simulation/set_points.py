"""`SetPoints`: the control signals of a world's actuators, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from stiction.control.actuators import Actuators, ActuatorTable, write_checked
from stiction.description.arguments import LARGEST, numbers, shown
from stiction.description.plain import first_few
from stiction.errors import InputError
from stiction.world.world import World

ALL, REAL = slice(None), np.dtype(np.float64)


class SetPoints:
    """The set-points of all actuators of a world: a vector (nu) whose entries have names.

    `control["knee"] = 0.3`, `control[:] = values`, `control.update({...})`; they act from the next
    step on. Position servos take positions, motors forces, as the model file says. A value that is
    not finite or outside the range of its actuator raises InputError, and nothing changes.
    """

    def __init__(
        self, world: World, values: np.ndarray, begin: Callable[[], None] | None = None
    ) -> None:
        """Set-points that are kept in an array (nu); begin: called before the first is set."""
        self._begin, self._first, self._acting = begin, values.copy(), begin is None
        self.names = actuator_names(world)
        self.range = np.concatenate([robot.actuator_control for robot in world.robots])  # (nu, 2)
        limits = np.clip(self.range, -LARGEST, LARGEST)
        self._lower, self._upper = (np.ascontiguousarray(limits[:, k]) for k in (0, 1))
        self._index = {name: k for k, name in enumerate(self.names)}
        self._values = values
        self._shape = values.shape

    def __len__(self) -> int:
        """The number of actuators."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self.names)

    def __repr__(self) -> str:
        """Names and values."""
        pairs = zip(self.names, self._values, strict=True)
        return f"SetPoints({', '.join(f'{name}={value:.4g}' for name, value in pairs)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A copy of the values."""
        return self._values.astype(dtype or np.float64)

    def __getitem__(self, key: Any) -> Any:
        """A value by name or number, or a copy of several."""
        found = self._values[self._where(key)]
        return found.copy() if isinstance(found, np.ndarray) else float(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set one by name or number, or several; `control[:] = values` sets all."""
        if (
            value.__class__ is np.ndarray
            and value.dtype is REAL
            and value.shape == self._shape
            and key.__class__ is slice
            and key == ALL
        ):
            wrong = write_checked(value, self._lower, self._upper, self._values)
            if wrong >= 0:
                raise self._refusal(wrong, value[wrong])
            self._acts()
            return
        where = self._where(key)
        new = self._values.copy()
        given = numbers(value)
        if given.shape not in ((), new[where].shape):
            raise InputError(
                f"control: found {shown(value)}; give {new[where].size} numbers, one for each "
                "actuator"
            )
        new[where] = given
        self[:] = new

    def check(self, given: Mapping[str, Any]) -> np.ndarray:
        """All set-points as they are after `update`; raises InputError where one is wrong."""
        new = self._values.copy()
        if not isinstance(given, Mapping):
            raise InputError(f"control: found {shown(given)}; give a dictionary of set-points")
        for name, value in given.items():
            one = numbers(value)
            new[self._where(name)] = one if one.ndim == 0 else np.nan
        wrong = np.flatnonzero(~((self._lower <= new) & (new <= self._upper)))
        if len(wrong):
            raise self._refusal(int(wrong[0]), given.get(self.names[wrong[0]], new[wrong[0]]))
        return new

    def update(self, given: Mapping[str, Any]) -> None:
        """Set several by name."""
        self._values[:] = self.check(given)
        if given:
            self._acts()

    def reset(self) -> None:
        """Go back to the first set-points, as before the first was set."""
        self._values[:] = self._first
        self._acting = self._begin is None

    def _acts(self) -> None:
        if self._begin is not None and not self._acting:
            self._acting = True
            self._begin()

    def _where(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._index:
                near = get_close_matches(key, self.names, 3) or self.names
                raise InputError(
                    f"control: no actuator '{key}' in this world; it has {first_few(near)}"
                )
            return self._index[key]
        try:
            self._values[key]
        except (IndexError, TypeError, ValueError, OverflowError):
            raise InputError(
                f"control: found index {shown(key)}; give a name or a number from 0 to "
                f"{len(self) - 1}"
            ) from None
        return key

    def _refusal(self, k: int, value: Any) -> InputError:
        low, high = self.range[k]
        wanted = "a finite number"
        if np.isfinite(low) or np.isfinite(high):
            wanted = f"a number from {low:g} to {high:g}, the range of this actuator"
        told = shown(float(value) if isinstance(value, np.floating) else value)
        return InputError(f"control: '{self.names[k]}' is set to {told}; give {wanted}")


def actuator_names(world: World) -> list[str]:
    """Names of all actuators; "robot/name" where several robots move."""
    alone = sum(len(robot.actuator_name) > 0 for robot in world.robots) == 1
    return [
        str(name) if alone else f"{robot.name}/{name}"
        for robot in world.robots
        for name in robot.actuator_name
    ]


def home_set_points(world: World) -> np.ndarray:
    """Set-points with which position servos hold the home configuration; zero for motors.

    They are moved into the range of their actuators.
    """
    home, first, found = world.home().q, 0, []
    for robot in world.robots:
        q = home[first : first + robot.nq]
        held = robot.actuator_gear * q[robot.q_index[robot.actuator_link]]
        gain, bias = robot.actuator_gain[:, 0], robot.actuator_bias
        servo = (bias[:, 1] != 0) & (gain != 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            signal = np.where(servo, -(bias[:, 0] + bias[:, 1] * held) / gain, 0.0)
        found.append(np.clip(signal, *robot.actuator_control.T))
        first += robot.nq
    return np.concatenate(found)


def actuators_among(world: World, controllers: tuple) -> ActuatorTable | None:
    """The actuators that drive a world, whose set-points may be written; None if none do."""
    tables = [one for one in controllers if isinstance(one, ActuatorTable)]
    if not tables:
        return None
    if len(tables) > 1 or len(tables[0].time) > 1 or np.isfinite(tables[0].time[0]):
        raise InputError(
            "control: the actuators of this simulation follow a table over time; give "
            "Actuators(values) without times, or no Actuators, to set them"
        )
    return tables[0]


def driven_home(world: World) -> ActuatorTable:
    """The actuators of a world, holding home; raises InputError if it has none."""
    if not any(len(robot.actuator_name) for robot in world.robots):
        raise InputError(
            "control: no robot in this world has actuators; use step(torque) or a controller such "
            "as PDTracking"
        )
    return Actuators(home_set_points(world)).bind(world)
