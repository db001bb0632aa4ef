"""`Recorded`: a motion from another program, as a reference for the joints of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from stiction.control.reference import Reference
from stiction.description.arguments import shown
from stiction.description.rotation import matrix
from stiction.errors import InputError, MotionFileError
from stiction.kernels.planar import planar_bases
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.motion.motion import Motion
from stiction.robot.file import UNREADABLE, check_sizes
from stiction.robot.robot import Robot
from stiction.world.world import State, World

LARGEST_TEXT = 200_000_000  # [bytes]
MOST_ROWS = 200_000


@dataclass(frozen=True, eq=False)
class Recorded:
    """Named coordinates at n samples, with consistent positions and velocities."""

    source: str  # the file, and the name of the motion in it
    time: np.ndarray  # (n) [s]
    joints: tuple[str, ...]
    q: np.ndarray  # (n, joints) [rad or m]
    v: np.ndarray  # (n, joints) [rad/s or m/s]
    notes: tuple[str, ...] = ()  # how the velocities were obtained
    zmp: np.ndarray | None = None  # (n, 3) planned zero-moment point in the axes of the base [m]
    stiffness: np.ndarray | None = None  # (joints) gains from the file [N m/rad]
    damping: np.ndarray | None = None  # (joints) [N m s/rad]

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def reference(self) -> Reference:
        """Reference with all coordinates under the names of the file."""
        return Reference(self.time, self.q, self.v, joints=self.joints)

    def renamed(self, names: Mapping[str, str | tuple[str, float]]) -> Recorded:
        """Only these coordinates, under other names; `(name, factor)` also scales them.

        For example `{"knee_angle_r": ("right_knee", -1.0)}`.
        """
        self._refuse_unknown(names, "renamed()")
        pairs = [to if isinstance(to, tuple) else (to, 1.0) for to in names.values()]
        chosen = self._columns(list(names))
        factors = np.array([factor for _, factor in pairs])
        return replace(
            chosen,
            joints=tuple(name for name, _ in pairs),
            q=chosen.q * factors,
            v=chosen.v * factors,
        )

    def on(self, robot: Robot, hold: Sequence[str] = (), ignore: Sequence[str] = ()) -> Recorded:
        """The motion of exactly the joints of a robot.

        hold: joints of the robot that the motion lacks; they keep their home position. ignore:
        coordinates of the motion that the robot lacks. Any other difference is an error.
        """
        self._refuse_unknown(ignore, "ignore")
        single = single_joints(robot)
        for name in hold:
            if name not in single:
                raise InputError(
                    f"{self.source}: hold: robot '{robot.name}' has no joint '{name}'; "
                    f"it has {', '.join(single)}"
                )
        kept = [name for name in self.joints if name not in ignore]
        self._refuse_missing(robot, single, kept, hold)
        chosen = self._columns(kept)
        if not hold:
            return chosen
        n = len(self.time)
        home = np.tile([robot.home[single[name][0]] for name in hold], (n, 1))
        return replace(
            chosen,
            joints=(*chosen.joints, *hold),
            q=np.hstack([chosen.q, home]),
            v=np.hstack([chosen.v, np.zeros_like(home)]),
            stiffness=None,
            damping=None,
        )

    def begin(self, world: World, robot: int = 0) -> State:
        """The world at rest on its ground, with the robot's joints at the start of the motion."""
        one = world.robots[robot]
        home = one.home.copy()
        single = single_joints(one)
        for column, name in enumerate(self.joints):
            if name not in single:
                raise InputError(
                    f"{self.source}: robot '{one.name}' has no joint '{name}'; "
                    "map the motion to its joints with on(robot)"
                )
            home[single[name][0]] = self.q[0, column]
        posed = [replace(one, home=home) if k == robot else r for k, r in enumerate(world.robots)]
        state = World(*posed, ground=world.ground, gravity=world.gravity).standing()
        state.time = float(self.time[0])
        return state

    def planned_zmp(self, motion: Motion) -> np.ndarray:
        """The planned zero-moment point in world axes [m], (n, 3), for a simulated motion.

        The file gives it in the axes of the base; it is transformed by the simulated pose of the
        first robot's base.
        """
        if self.zmp is None:
            raise InputError(f"{self.source}: has no planned zero-moment point")
        time = motion.time - motion.time[0] + self.time[0]
        points = np.stack([np.interp(time, self.time, column) for column in self.zmp.T], axis=1)
        pairs = zip(points, motion.q, strict=True)
        return np.array([q[:3] + matrix(q[3:7]) @ point for point, q in pairs])

    def resampled(self, dt: float) -> Recorded:
        """The same motion resampled every dt [s], on the same cubics."""
        if not (np.isfinite(dt) and dt > 0):
            raise InputError(f"{self.source}: resampled(dt={dt}): give a positive time in s")
        moments = self.time[0] + np.arange(int(self.duration / dt * (1 + 1e-9)) + 1) * dt
        q, v = cubic(self.time, self.q, self.v, moments)
        zmp = self.zmp
        if zmp is not None:
            columns = [np.interp(moments, self.time, column) for column in zmp.T]
            zmp = np.stack(columns, axis=1)
        return replace(self, time=moments, q=q, v=v, zmp=zmp)

    def _columns(self, names: Sequence[str]) -> Recorded:
        """Only these columns."""
        chosen = [self.joints.index(name) for name in names]
        return replace(
            self,
            joints=tuple(names),
            q=self.q[:, chosen],
            v=self.v[:, chosen],
            stiffness=None if self.stiffness is None else self.stiffness[chosen],
            damping=None if self.damping is None else self.damping[chosen],
        )

    def _refuse_unknown(self, names: Sequence[str] | Mapping[str, object], what: str) -> None:
        for name in names:
            if name not in self.joints:
                raise InputError(
                    f"{self.source}: {what}: no coordinate '{name}'; "
                    f"it has {', '.join(self.joints)}"
                )

    def _refuse_missing(
        self,
        robot: Robot,
        single: Mapping[str, tuple[int, int]],
        kept: Sequence[str],
        hold: Sequence[str],
    ) -> None:
        foreign = [name for name in kept if name not in single]
        if foreign:
            raise InputError(
                f"{self.source}: moves {_some(foreign)}, which robot '{robot.name}' does not have; "
                f"it has {', '.join(single)}. Rename coordinates with renamed(), or list those "
                "to leave out in ignore"
            )
        without = [name for name in single if name not in kept and name not in hold]
        if without:
            raise InputError(
                f"{self.source}: does not move {_some(without)} of robot '{robot.name}'; list "
                "joints that keep their home position in hold"
            )


def _some(names: Sequence[str]) -> str:
    """The first few names."""
    kind = "joint" if len(names) == 1 else f"{len(names)} joints:"
    more = ", ..." if len(names) > 6 else ""
    return f"{kind} {', '.join(repr(name) for name in names[:6])}{more}"


def single_joints(robot: Robot) -> dict[str, tuple[int, int]]:
    """Joints that can be driven, by name: revolute and prismatic, without those of a planar base.

    The values are their indices in q and in v.
    """
    world = World(robot, ground=None)
    bases = {link for base in planar_bases(world.tree) for link in base.links}
    return {
        str(name): (int(robot.q_index[i]), int(robot.v_index[i]))
        for i, name in enumerate(robot.joint_name)
        if robot.joint_type[i] not in (FREE, SPHERICAL) and i + 1 not in bases
    }


def cubic(
    time: np.ndarray, q: np.ndarray, v: np.ndarray, moments: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities at times between samples, on the cubics with these slopes."""
    k = np.clip(np.searchsorted(time, moments, side="right") - 1, 0, len(time) - 2)
    h = (time[k + 1] - time[k])[:, None]
    x = (moments - time[k])[:, None] / h
    a, b, end, rise = q[k], v[k] * h, v[k + 1] * h, q[k + 1] - q[k]
    c, d = 3 * rise - 2 * b - end, b + end - 2 * rise
    return a + x * (b + x * (c + x * d)), (b + x * (2 * c + 3 * x * d)) / h


def equal_steps(path: Path | str, time: np.ndarray) -> float:
    """Time between two samples [s], after checking that it is constant."""
    if time.ndim != 1 or len(time) < 4 or not np.isfinite(time).all():
        raise MotionFileError(f"{path}: time must be at least 4 finite numbers in s")
    dt = float((time[-1] - time[0]) / (len(time) - 1))
    late = np.abs(time - time[0] - np.arange(len(time)) * dt)
    if not dt > 0 or late.max() > 0.1 * dt:
        row = int(np.argmax(late))
        raise MotionFileError(
            f"{path}: the times are not equally spaced: row {row} has {time[row]:g} s, "
            f"{time[0] + row * dt:g} s was expected; resample the motion first"
        )
    return dt


def text_table(path: Path | str, lines: Sequence[str], first: int) -> np.ndarray:
    """Numbers in lines of a file, a row for each non-empty line; `first`: number of the first."""
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=first):
        words = line.replace(",", " ").split()
        if not words:
            continue
        try:
            row = [float(word) for word in words]
        except ValueError:
            raise MotionFileError(
                f"{path}, line {number}: found {line.strip()[:60]!r}; give numbers"
            ) from None
        if len(rows) == MOST_ROWS:
            raise MotionFileError(f"{path}: has more than {MOST_ROWS} rows; cut it or sample it")
        if rows and len(row) != len(rows[0]):
            raise MotionFileError(
                f"{path}, line {number}: has {len(row)} columns; the lines before "
                f"have {len(rows[0])}"
            )
        if not np.isfinite(row).all():
            column = int(np.flatnonzero(~np.isfinite(row))[0])
            raise MotionFileError(
                f"{path}, line {number}: column {column + 1} is {row[column]}; give finite numbers"
            )
        rows.append(row)
    if not rows:
        raise MotionFileError(f"{path}: holds no numbers")
    return np.array(rows)


def checked_path(path: str | Path) -> Path:
    """The path of a file, after checking that it is one."""
    if not isinstance(path, str | Path):
        raise MotionFileError(f"{shown(path)} is not the path of a file; give a string or a Path")
    return Path(path)


def text_of(path: Path) -> str:
    """Content of a text file."""
    if not path.is_file():
        raise MotionFileError(f"{path}: no such file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_TEXT + 1)
        if len(data) > LARGEST_TEXT:
            raise MotionFileError(f"{path}: has more than {LARGEST_TEXT} bytes; cut it")
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MotionFileError(f"{path}: cannot be read as text ({error})") from None


def arrays_of(path: Path, wanted: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Arrays of an archive (.npz); only the wanted names, if any are given."""
    if not path.is_file():
        raise MotionFileError(f"{path}: no such file")
    try:
        check_sizes(path)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in wanted or file.files if name in file}
    except UNREADABLE as error:
        raise MotionFileError(f"{path}: not an archive of arrays (.npz) ({error})") from None
