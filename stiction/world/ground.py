"""Grounds: plane, slope, stairs and height field."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.collision.belt import belt_of, still_belt
from stiction.collision.terrain import FlatGround, Heights, Stairs
from stiction.description.arguments import (
    LARGEST,
    SMALLEST,
    count,
    number,
    numbers,
    shown,
)
from stiction.errors import InputError
from stiction.world.belts import Velocity, checked_belt

UP = (0.0, 0.0, 1.0)
MOST_STEPS = 10_000
MOST_HEIGHTS = 100_000_000


@dataclass(frozen=True)
class Plane:
    """Level ground, which may move in its own plane like the belt of a treadmill.

    A belt whose speed varies has one velocity for each `time`: linear in between, constant before
    the first and after the last.
    """

    height: float = 0.0  # [m]
    velocity: Velocity = (0.0, 0.0, 0.0)  # [m/s]; with times, (n, 3)
    material: str = "ground"
    time: tuple[float, ...] = ()  # [s]

    def __post_init__(self) -> None:
        """Check all values; files store them as plain numbers."""
        _check_flat(self, "height")

    def __repr__(self) -> str:
        """All values, the times only if there are any: digests of older files have none."""
        return _shown_values(self, "time")

    def normal(self) -> np.ndarray:
        """Unit vector out of the ground."""
        return np.array(UP)

    def material_names(self) -> list[str]:
        """Names of its materials."""
        return [self.material]

    def bind(self) -> FlatGround:
        """Return the arrays that kernels read."""
        return _bound(self)


@dataclass(frozen=True)
class Slope:
    """A plane that rises by `angle` [rad] in the direction `heading` [rad]; a belt, as `Plane`."""

    angle: float
    heading: float = 0.0  # about z, from x
    velocity: Velocity = (0.0, 0.0, 0.0)  # [m/s]; with times, (n, 3)
    material: str = "ground"
    height: float = 0.0  # at x = y = 0 [m]
    time: tuple[float, ...] = ()  # [s]

    def __post_init__(self) -> None:
        """Check all values; files store them as plain numbers."""
        _check_flat(self, "angle", "heading", "height")
        if not abs(self.angle) < math.pi / 2:
            raise InputError(f"Slope: angle is {self.angle} rad; its magnitude must be below pi/2")

    def __repr__(self) -> str:
        """All values, height and times only if there are any: digests of older files have none."""
        return _shown_values(self, "height", "time")

    def normal(self) -> np.ndarray:
        """Unit vector out of the ground."""
        along = -math.sin(self.angle)
        return np.array(
            [along * math.cos(self.heading), along * math.sin(self.heading), math.cos(self.angle)]
        )

    def material_names(self) -> list[str]:
        """Names of its materials."""
        return [self.material]

    def bind(self) -> FlatGround:
        """Return the arrays that kernels read."""
        return _bound(self)


@dataclass(frozen=True)
class Steps:
    """Level ground that turns into stairs at `start`, in the direction `heading`.

    `rise` is negative for stairs that lead down. `rise` and `run` also take one number per riser
    and one per tread between two risers: `Steps(rise=(0.15, 0.15, -0.3), run=(0.3, 1.0))` leads up
    to a platform and down again. Treads are infinitely wide, and the last one is infinitely long.

    A point inside the stairs is pushed out along the shortest path: a toe that hits a riser is
    pushed back, a point of a sole is pushed up unless the edge of its tread is nearer than the
    surface. An edge between the corners of a box is not detected; `Robot.with_sole_points` puts
    points there.
    """

    rise: float | tuple[float, ...] = 0.15  # [m]
    run: float | tuple[float, ...] = 0.3  # [m]
    count: int | None = None  # of risers; None: the length of `rise`, or 5
    start: float = 0.5  # distance of the first riser along the heading [m]
    heading: float = 0.0  # about z, from x [rad]
    height: float = 0.0  # of the ground before the first riser [m]
    material: str = "ground"

    def __post_init__(self) -> None:
        """Check all values."""
        _make_plain(self)
        for name in ("rise", "run"):
            given = numbers(getattr(self, name))
            if (
                given.ndim > 1
                or not (np.abs(given) < LARGEST).all()
                or len(given.ravel()) > MOST_STEPS
            ):
                raise InputError(
                    f"Steps: {name} is {getattr(self, name)!r}; give one finite number in m, or "
                    "one for each riser (rise), for each tread between two risers (run)"
                )
        for name in ("start", "heading", "height"):
            number(f"Steps: {name}", getattr(self, name), "rad" if name == "heading" else "m")
        if self.count is not None:
            count("Steps: count", self.count, MOST_STEPS)
        rises, runs = self._rises(), self._runs()
        if self.count not in (None, len(rises)) or len(runs) != len(rises) - 1:
            raise InputError(
                f"Steps: found {len(rises)} rises, {len(runs)} runs and count {self.count}; "
                "give as many rises as risers, and one run fewer"
            )
        if not ((rises != 0).all() and (runs > 0).all()):
            raise InputError(
                f"Steps: rise is {self.rise} m and run {self.run} m; no rise may be 0, and each "
                "run must be positive"
            )
        _check_name("Steps", self.material)

    def _rises(self) -> np.ndarray:
        """Height of every riser."""
        count = 5 if self.count is None else self.count
        return np.array(self.rise if isinstance(self.rise, tuple) else [self.rise] * count)

    def _runs(self) -> np.ndarray:
        """Length of every tread between two risers."""
        count = len(self._rises()) - 1
        return np.array(self.run if isinstance(self.run, tuple) else [self.run] * count)

    def normal(self) -> np.ndarray:
        """The vertical: on uneven ground, pressure is the vertical force."""
        return np.array(UP)

    def material_names(self) -> list[str]:
        """Names of its materials."""
        return [self.material]

    def bind(self) -> Stairs:
        """Return the arrays that kernels read."""
        rises = self._rises()
        riser = self.start + np.concatenate([[0.0], np.cumsum(self._runs())])
        level = self.height + np.concatenate([[0.0], np.cumsum(rises)])
        highest = np.abs(rises).max()
        return Stairs(
            riser=riser,
            level=level,
            heading=np.array([math.cos(self.heading), math.sin(self.heading)]),
            highest=np.array([highest]),
            stretch=np.array([math.hypot(1.0, _steepness(riser, level, highest))]),
            belt=still_belt(),
        )


class HeightField:
    """Heights on a grid, bilinear in between: rough ground, kerbs, pits.

    `heights[i, j]` [m] is the ground at x = origin[0] + j dx and y = origin[1] + i dy, as in
    `heights = f(*np.meshgrid(x, y))`; beyond its border the ground continues level. `materials`
    names the material of each of the (rows - 1) x (columns - 1) cells; the pairs of
    `World(materials=...)` define their friction and stiffness.
    """

    def __init__(
        self,
        heights: ArrayLike,
        spacing: float | tuple[float, float],
        origin: tuple[float, float] | None = None,
        material: str = "ground",
        materials: ArrayLike | None = None,
    ) -> None:
        """Check and copy; spacing [m], or (dx, dy); origin None centres the grid at x = y = 0."""
        self.heights = _checked_heights(heights)
        rows, columns = self.heights.shape
        self.spacing = _pair("spacing", spacing if numbers(spacing).ndim else (spacing, spacing))
        if not min(self.spacing) >= SMALLEST:
            raise InputError(f"HeightField: spacing is {spacing!r}; give positive lengths in m")
        middle = (-(columns - 1) * self.spacing[0] / 2, -(rows - 1) * self.spacing[1] / 2)
        self.origin = middle if origin is None else _pair("origin", origin)
        _check_name("HeightField", material)
        self.material = material
        self.materials = _checked_cells(materials, (rows - 1, columns - 1))

    def __repr__(self) -> str:
        """Sizes and a hash of the contents: equal fields have equal representations."""
        rows, columns = self.heights.shape
        contents = hashlib.sha256(self.heights.tobytes())
        contents.update(repr(None if self.materials is None else self.materials.tolist()).encode())
        return (
            f"HeightField({rows} x {columns} heights, spacing={self.spacing}, "
            f"origin={self.origin}, material={self.material!r}, "
            f"contents {contents.hexdigest()[:16]})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether another ground has the same values."""
        return isinstance(other, HeightField) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Hash of all values."""
        return hash(repr(self))

    def normal(self) -> np.ndarray:
        """The vertical: on uneven ground, pressure is the vertical force."""
        return np.array(UP)

    def material_names(self) -> list[str]:
        """Names of its materials."""
        if self.materials is None:
            return [self.material]
        return [str(name) for name in np.unique(self.materials)]

    def bind(self) -> Heights:
        """Return the arrays that kernels read."""
        cells = tuple(size - 1 for size in self.heights.shape)
        numbers_of_cells = np.zeros(cells, np.int64)
        if self.materials is not None:
            _, found = np.unique(self.materials, return_inverse=True)
            numbers_of_cells = found.reshape(cells).astype(np.int64)
        slope_x = np.abs(np.diff(self.heights, axis=1)).max(initial=0.0) / self.spacing[0]
        slope_y = np.abs(np.diff(self.heights, axis=0)).max(initial=0.0) / self.spacing[1]
        return Heights(
            height=np.array(self.heights),
            material=numbers_of_cells,
            corner=np.array(self.origin),
            spacing=np.array(self.spacing),
            stretch=np.array([math.sqrt(1.0 + slope_x**2 + slope_y**2)]),
            belt=still_belt(),
        )


Ground = Plane | Slope | Steps | HeightField
GROUNDS: dict[str, type] = {kind.__name__: kind for kind in (Plane, Slope, Steps, HeightField)}


def ground_values(ground: Ground | None) -> dict[str, Any] | None:
    """Return a ground as plain values, for storage in a file."""
    if ground is None:
        return None
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(ground).items()
        if name != "time" or value  # files of constant belts have none
    }
    return {"kind": type(ground).__name__, **plain}


def ground_from(values: dict[str, Any] | None) -> Ground | None:
    """Return the ground with these plain values."""
    if values is None:
        return None
    kind = GROUNDS[values["kind"]]
    return kind(**{name: value for name, value in values.items() if name != "kind"})


# ----------------------------------------------------------------------------------------- checking


def _make_plain(ground: Any) -> None:
    """Replace the NumPy values of a ground by plain numbers and tuples."""
    for name, value in vars(ground).items():
        object.__setattr__(ground, name, _plain(value))


def _check_flat(ground: Any, *names: str) -> None:
    """Check the numbers of a plane, and make them plain."""
    kind = type(ground).__name__
    units = {"height": "m"}
    for name in names:
        value = number(f"{kind}: {name}", getattr(ground, name), units.get(name, "rad"))
        object.__setattr__(ground, name, value)
    _check_name(kind, ground.material)
    velocity, time = checked_belt(kind, ground.velocity, ground.time)
    object.__setattr__(ground, "velocity", velocity)
    object.__setattr__(ground, "time", time)


def _shown_values(ground: Any, *omitted: str) -> str:
    """A ground as code, without some of its values where they are 0 or empty."""
    values = {name: v for name, v in vars(ground).items() if v or name not in omitted}
    return f"{type(ground).__name__}({', '.join(f'{name}={v!r}' for name, v in values.items())})"


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        return tuple(_plain(part) for part in value)
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


def _bound(ground: Plane | Slope) -> FlatGround:
    """Arrays of a plane."""
    point, normal = np.array([0.0, 0.0, ground.height]), ground.normal()
    belt = belt_of(ground.time or [0.0], ground.velocity)
    if (np.abs(belt.velocity @ normal) > 1e-9).any():
        raise InputError(f"{ground!r:.200}: the velocity must be along the ground")
    return FlatGround(point, normal, belt)


def _steepness(riser: np.ndarray, level: np.ndarray, highest: float) -> float:
    """Slope of the least steep ramps that start `highest` above a tread and clear the others."""
    begin, end = np.append(-np.inf, riser), np.append(riser, np.inf)
    steepest = 0.0
    for k in range(len(level)):
        for other in range(k + 2, len(level)):
            climb = abs(level[other] - level[k]) - highest
            steepest = max(steepest, climb / (begin[other] - end[k]))
    return steepest


def _check_name(ground: str, material: Any) -> None:
    if not isinstance(material, str):
        raise InputError(f"{ground}: material is {shown(material)}; give the name of a material")


def _pair(name: str, value: Any) -> tuple[float, float]:
    """Two finite numbers."""
    pair = numbers(value)
    if pair.shape != (2,) or not (np.abs(pair) < LARGEST).all():
        raise InputError(f"HeightField: {name} is {value!r}; give two finite numbers in m")
    return float(pair[0]), float(pair[1])


def _checked_heights(heights: ArrayLike) -> np.ndarray:
    """Read-only copy of heights after checking them."""
    array = numbers(heights)
    if array.ndim != 2 or min(array.shape) < 2:
        found = f"shape {array.shape}" if array.ndim else repr(heights)
        raise InputError(
            f"HeightField: heights: found {found}; give rows x columns numbers, 2 x 2 or more"
        )
    if array.size > MOST_HEIGHTS:
        raise InputError(f"HeightField: {array.size} heights; the maximum is {MOST_HEIGHTS}")
    if not (np.abs(array) < LARGEST).all():
        i, j = np.argwhere(~(np.abs(array) < LARGEST))[0]
        raise InputError(f"HeightField: heights[{i}, {j}] is {array[i, j]}; give finite heights")
    array.flags.writeable = False
    return array


def _checked_cells(materials: ArrayLike | None, shape: tuple[int, int]) -> np.ndarray | None:
    """Read-only copy of the names of the cells' materials after checking them."""
    if materials is None:
        return None
    try:
        array = np.array(materials)
    except ValueError:
        array = np.array(None)
    wanted = f"give {shape[0]} x {shape[1]} names, one for each cell between the heights"
    if array.shape != shape:
        raise InputError(f"HeightField: materials: found shape {array.shape}; {wanted}")
    strange = [name for name in array.ravel().tolist() if not isinstance(name, str)]
    if strange:
        raise InputError(f"HeightField: materials: found {strange[0]!r}; {wanted}")
    array = array.astype(np.str_)
    array.flags.writeable = False
    return array


LEVEL = Plane()
