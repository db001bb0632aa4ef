"""`Body`: a robot or object of a scene, and its placement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stiction import robots
from stiction.description.arguments import number, numbers, shown, vector
from stiction.description.hull import DEFAULT_POINTS
from stiction.errors import InputError, SceneFileError, StictionError
from stiction.kernels.tree import FREE
from stiction.robot.load import load
from stiction.robot.placement import fixed
from stiction.robot.robot import Robot
from stiction.scenes.data import data_file
from stiction.scenes.planned import turned_by


@dataclass(frozen=True)
class Body:
    """A robot or object: its model, and its initial pose and velocity.

    The model is built in (`model`), in a file (`file`), or in a file of the folder that
    STICTION_DATA names (`data`). A position of two numbers puts it there, `above` the ground [m];
    one of three numbers is that of its base; without a position it stands on the ground at its home
    position.
    """

    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # arguments of a built-in model
    file: Path | None = None
    data: str | None = None
    origin: str = ""  # source of the data
    base: str | None = None  # how its root is attached to the world, as in `load`
    inertia: str = "strict"  # as in `load`
    hull_points: int | None = None  # as in `load`; None: the default
    name: str | None = None
    position: tuple[float, ...] | None = None  # [m]
    heading: float = 0.0  # about z [rad]
    turn: tuple[float, ...] | None = None  # quaternion w x y z of its base, instead of a heading
    above: float = 0.0  # [m]
    fixed: bool = False  # scenery, as it is at home; not put on the ground
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0)  # of a free base, world axes [m/s]
    turning: tuple[float, ...] = (0.0, 0.0, 0.0)  # angular velocity, base axes [rad/s]
    keyframe: str | None = None
    joints: Mapping[str, float] = field(default_factory=dict)  # initial positions
    colliding: tuple[str, ...] = ()  # only these shapes or links collide
    self_collision: bool = False  # whether its links touch each other
    material: str | None = None  # of all its shapes, for the materials of the scene
    roots: tuple[Path, ...] = ()  # as in `load`
    where: str = ""  # place in the file, for error messages

    def __post_init__(self) -> None:
        """Check everything that does not need the model."""
        told = f"{self.where or 'Body'}: "
        given = [self.model, self.file, self.data]
        if sum(one is not None for one in given) != 1:
            raise InputError(f"{told}give exactly one of model, file and data")
        named = isinstance(self.model, str) and self.model in robots.__all__
        if self.model is not None and not named:
            known = ", ".join(sorted(robots.__all__))
            raise InputError(f"{told}model is {shown(self.model)}; known are {known}")
        number(f"{told}above", self.above, "m")
        number(f"{told}heading", self.heading, "rad")
        for name, unit in (("velocity", "m/s"), ("turning", "rad/s")):
            vector(f"{told}{name}", getattr(self, name), 3, unit)
        if self.position is not None:
            size = 2 if numbers(self.position).shape == (2,) else 3
            vector(f"{told}position", self.position, size, "m")
        for name in ("fixed", "self_collision"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(
                    f"{told}{name} is {shown(getattr(self, name))}; give true or false"
                )
        for name in ("options", "joints"):
            if not isinstance(getattr(self, name), Mapping):
                found = shown(getattr(self, name))
                raise InputError(f"{told}{name} is {found}; give a dictionary")

    @property
    def stands(self) -> bool:
        """Whether it is placed on the ground."""
        return self.position is None or len(self.position) == 2

    def robot(self) -> Robot:
        """Make or load it, with its place in the scene as home; not yet on the ground."""
        try:
            robot = self._made()
            if self.keyframe is not None:
                robot = robot.with_home(self.keyframe)
            if self.colliding:
                robot = robot.with_colliding(*self.colliding)
            if self.material is not None:
                robot = robot.with_material(self.material)
            placed = self._placed(robot.with_home(self.joints))
            return fixed(placed) if self.fixed else placed
        except SceneFileError:
            raise
        except StictionError as error:
            raise type(error)(f"{self.where}: {error}" if self.where else str(error)) from None
        except (
            TypeError,
            ValueError,
            OverflowError,
        ) as error:  # a list or a string instead of a number
            raise InputError(f"{self.where}: invalid value: {error}") from error

    def _made(self) -> Robot:
        if self.model is not None:
            if self.base is not None:
                raise InputError(
                    f"{self.model} is built in, and base={shown(self.base)} is only for files"
                )
            robot = getattr(robots, self.model)(**self.options)
        else:
            path = self.file if self.data is None else data_file(self.data, self.origin)
            assert path is not None  # as checked
            points = DEFAULT_POINTS if self.hull_points is None else self.hull_points
            robot = load(path, self.base, self.roots, inertia=self.inertia, hull_points=points)
        return robot if self.name is None else robot.named(self.name)

    def _placed(self, robot: Robot) -> Robot:
        """The robot turned and moved to its place in the scene."""
        if self.position is None and self.heading == 0.0 and self.turn is None:
            return robot
        at_home = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        if robot.nv and robot.joint_type[0] == FREE:
            at_home = robot.home[:7].copy()
        if self.position is not None:
            at_home[: len(self.position)] = self.position
        if self.turn is not None:
            return robot.at(at_home[:3], self.turn)
        return robot.at(at_home[:3], turned_by(self.heading, at_home[3:]))
