"""The sensors of a world, by name, as arrays for the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stiction.collision.points import ContactPoints
from stiction.compiler.compiled import routine
from stiction.description.description import WORLD
from stiction.description.plain import first_few
from stiction.description.sensor_kinds import (
    AT_A_CUT,
    OF_ACCELERATION,
    ON_LINK,
    POSITIVE,
    SENSOR_KINDS,
    UNIT,
    known_kind,
)
from stiction.errors import InputError
from stiction.kernels.forces import Forces
from stiction.kernels.tree import Dynamics, allocate
from stiction.robot.robot import Robot
from stiction.sensors.noise import normal_number
from stiction.sensors.read import CODES, Around, Samples, Sensors, read_samples
from stiction.world.colliding_pairs import colliding_shapes
from stiction.world.contact_points import contact_points_of
from stiction.world.external import Push, TabulatedForce, bind_forces
from stiction.world.ground import LEVEL
from stiction.world.world import World

QUATERNION = {"ballquat": 4, "framequat": 4, "imu": 4}  # how many of its numbers are one
IMU_ACCELERATION = 7  # first of the numbers of an imu that depend on the acceleration


class Where(NamedTuple):
    """A sensor of a robot of a world."""

    robot: Robot
    row: int  # of the robot's sensors
    first_link: int  # of the robot in the forest
    kind: str


class Errors(NamedTuple):
    """How readings differ from what is measured, for each column."""

    noise: np.ndarray  # (columns) standard deviation
    bias: np.ndarray  # (columns)
    lower: np.ndarray  # (columns) of what can be read
    upper: np.ndarray  # (columns)
    unit: np.ndarray  # (sensors, 2) columns of quaternions and unit vectors, first and end


@routine
def disturb(out, errors, seed, world, step):
    """Add bias and noise to readings (rows, columns), and limit them; world and step: (rows)."""
    for k in range(len(out)):
        for c in range(out.shape[1]):
            out[k, c] += errors.bias[c]
            if errors.noise[c] > 0:
                x = normal_number(seed, world[k], c, step[k], out[k, c])
                out[k, c] += errors.noise[c] * x
            out[k, c] = min(max(out[k, c], errors.lower[c]), errors.upper[c])
        for i in range(len(errors.unit)):
            square = out[k, 0] - out[k, 0]
            for c in range(errors.unit[i, 0], errors.unit[i, 1]):
                square += out[k, c] * out[k, c]
            for c in range(errors.unit[i, 0], errors.unit[i, 1]):
                out[k, c] /= square**0.5


@dataclass(frozen=True)
class BoundSensors:
    """The sensors of a world: their names, columns of readings, and arrays."""

    world: World
    names: list[str]
    columns: dict[str, slice]  # of each sensor in a row of readings
    delay: np.ndarray  # (sensors) [s]
    late: np.ndarray  # (columns) whether it depends on accelerations or forces of the step
    errors: Errors
    sensors: Sensors
    around: Around
    dynamics: Dynamics

    @property
    def width(self) -> int:
        """How many numbers all sensors read."""
        return len(self.late)

    def column(self, name: str) -> slice:
        """Columns of a sensor; raises InputError if there is none of that name."""
        if not isinstance(name, str) or name not in self.columns:
            known = first_few(self.names) if self.names else "none"
            raise InputError(f"no sensor {name!r} in this world; it has: {known}")
        return self.columns[name]

    def measured(self, samples: Samples, dt: float, forces: Forces | None = None) -> np.ndarray:
        """Readings without errors, (rows, columns)."""
        out = np.zeros((len(samples.q), self.width))
        around = self.around if forces is None else self.around._replace(forces=forces)
        if self.names:
            read_samples(self.dynamics, self.sensors, around, samples, dt, out)
        return out

    def disturbed(
        self, readings: np.ndarray, seed: int, step: np.ndarray, world: np.ndarray
    ) -> np.ndarray:
        """Readings with bias, noise and limits, in place; step and world: (rows) integers."""
        if self.names:
            disturb(readings, self.errors, seed, world, step)
        return readings


def bind_sensors(
    world: World, points: int, forces: Iterable[Push | TabulatedForce] | Forces = ()
) -> BoundSensors:
    """Return the sensors of a world; points: how many contact points the run has."""
    found = _found(world)
    names = _names(found)
    sizes = [SENSOR_KINDS[where.kind].size for where in found]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    columns = {name: slice(int(a), int(b)) for name, a, b in zip(names, first, first[1:])}  # noqa: B905
    for where, name in zip(found, names, strict=True):
        columns[f"{where.robot.name}/{where.robot.sensor_name[where.row]}"] = columns[name]
    shapes = colliding_shapes(world.robots)
    contact_points, point_names, _ = contact_points_of(world)
    if points == 0:
        point_names = []
        contact_points = ContactPoints(*(array[:0] for array in contact_points))
    bound_forces = forces if isinstance(forces, Forces) else bind_forces(world, forces)
    around = Around(
        contact_points,
        (world.ground or LEVEL).bind(),
        np.array([world.ground is not None], np.int64),
        np.array([shape.link for shape in shapes], np.int64),
        bound_forces,
    )
    return BoundSensors(
        world,
        names,
        columns,
        np.array([where.robot.sensor_delay[where.row] for where in found]),
        _late(found, sizes),
        _errors(found, sizes, first),
        _sensors(world, found, first, point_names),
        around,
        allocate(world.tree),
    )


def _found(world: World) -> list[Where]:
    """All sensors that are simulated, robot by robot."""
    found, first = [], 1
    for robot in world.robots:
        for row, kind in enumerate(map(known_kind, robot.sensor_kind.tolist())):
            if kind:
                found.append(Where(robot, row, first, kind))
        first += len(robot.link_name)
    return found


def _names(found: list[Where]) -> list[str]:
    """Plain names where they are unique in the world, "robot/name" otherwise."""
    plain = [str(where.robot.sensor_name[where.row]) for where in found]
    counted = Counter(plain)
    return [
        name if counted[name] == 1 else f"{where.robot.name}/{name}"
        for where, name in zip(found, plain, strict=True)
    ]


def _late(found: list[Where], sizes: list[int]) -> np.ndarray:
    rows = [np.full(size, where.kind in OF_ACCELERATION) for where, size in zip(found, sizes)]  # noqa: B905
    for where, row in zip(found, rows, strict=True):
        if where.kind == "imu":
            row[:IMU_ACCELERATION] = False
    return np.concatenate([np.zeros(0, bool), *rows])


def _errors(found: list[Where], sizes: list[int], first: np.ndarray) -> Errors:
    columns = {name: np.zeros(int(first[-1])) for name in ("noise", "bias")}
    lower, upper = np.full(int(first[-1]), -np.inf), np.full(int(first[-1]), np.inf)
    unit = []
    for i, where in enumerate(found):
        here, size = slice(first[i], first[i + 1]), sizes[i]
        columns["noise"][here] = where.robot.sensor_noise[where.row, :size]
        columns["bias"][here] = where.robot.sensor_bias[where.row, :size]
        values, cutoff = SENSOR_KINDS[where.kind].values, where.robot.sensor_cutoff[where.row]
        if cutoff > 0.0 and values != UNIT:
            limited = slice(here.start + QUATERNION.get(where.kind, 0), here.stop)
            upper[limited] = cutoff
            lower[limited] = -np.inf if values == POSITIVE else -cutoff
        if values == UNIT or where.kind in QUATERNION:
            unit.append((first[i], first[i] + QUATERNION.get(where.kind, size)))
    return Errors(
        columns["noise"],
        columns["bias"],
        lower,
        upper,
        np.array(unit, np.int64).reshape(-1, 2),
    )


def _sensors(
    world: World, found: list[Where], first: np.ndarray, point_names: list[str]
) -> Sensors:
    places, of_bodies = [_place(where) for where in found], colliding_shapes(world.robots)
    feels: list[int] = []
    points: list[list[bool]] = []
    shapes: list[list[bool]] = []
    carried: list[list[int]] = []
    for where in found:
        bodies = _bodies(where)
        here = {str(name): where.first_link + k for k, name in enumerate(where.robot.link_name)}
        cut = where.kind in AT_A_CUT and len(bodies) > 0
        own = [name for name in bodies if not (cut and name in here)]
        carried.append([here[name] for name in bodies if cut and name in here])
        if not (cut or where.kind in ON_LINK):
            feels.append(-1)
            continue
        feels.append(len(points))
        touched = _shapes(where, own)
        full = {f"{where.robot.name}/{where.robot.shape_name[k]}" for k in touched}
        points.append([name in full for name in point_names])
        robot = [one is where.robot for one in world.robots].index(True)
        shapes.append([one.robot == robot and one.shape in touched for one in of_bodies])
    count = len(points)
    return Sensors(
        kind=np.array([CODES[where.kind] for where in found], np.int64),
        link=np.array([link for link, _, _ in places], np.int64),
        place=np.array([position for _, position, _ in places], float).reshape(-1, 3),
        rotation=np.array([turn for _, _, turn in places], float).reshape(-1, 3, 3),
        first=first[:-1].copy(),
        part=np.array([w.robot.sensor_part[w.row] for w in found], float).reshape(-1, 10),
        feels=np.array(feels, np.int64),
        feels_point=np.array(points, np.int64).reshape(count, len(point_names)),
        feels_shape=np.array(shapes, np.int64).reshape(count, len(of_bodies)),
        carried_first=np.cumsum([0, *map(len, carried)]).astype(np.int64),
        carried=np.array([link for links in carried for link in links], np.int64),
    )


def _place(where: Where) -> tuple[int, Any, Any]:
    """Link of the forest, position and rotation in it, of a sensor; joints: the link they move."""
    robot, row = where.robot, where.row
    target, of = str(robot.sensor_target[row]), str(robot.sensor_target_type[row])
    if target == WORLD and of == "link":
        return 0, np.zeros(3), np.eye(3)
    names = robot.joint_name if of == "joint" else robot.link_name
    if of != "frame" and target in names:
        return where.first_link + names.tolist().index(target), np.zeros(3), np.eye(3)
    k = robot.frame_name.tolist().index(target)
    link = int(robot.frame_link[k])
    place = robot.frame_position[k], robot.frame_rotation[k]
    return (0 if link < 0 else where.first_link + link), *place


def _bodies(where: Where) -> list[str]:
    """Links of the file whose contact a sensor feels, if it is not its whole link."""
    name = str(where.robot.sensor_name[where.row])
    return [body for sensor, body in where.robot.sensor_body.tolist() if sensor == name]


def _shapes(where: Where, bodies: list[str]) -> list[int]:
    """Shapes of a robot that a sensor feels contact of."""
    robot = where.robot
    if bodies or where.kind in AT_A_CUT:
        return np.flatnonzero(np.isin(robot.shape_body, bodies)).tolist()
    return np.flatnonzero(robot.shape_link == _place(where)[0] - where.first_link).tolist()
