"""The arrays of a motion file: names and shapes by format, and checks of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import MotionFileError
from stiction.kernels.tree import FREE, Q_SIZE, SPHERICAL
from stiction.metrics.contact_state import ContactState, derived_between
from stiction.motion.hdf5 import Head
from stiction.motion.touched import CHANNELS, OF_BODIES, Touched
from stiction.step.record import BETWEEN, DEPTH, FORCE, SLIP, STATE
from stiction.world.contact_points import contact_points_of
from stiction.world.world import World

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

Shapes = dict[str, tuple[int, ...]]

DENSE = ("time", "q", "v", "torque", "passive", "force", "depth", "slip")  # until format 2
LATER = ("contact_velocity", "solver", "between")  # not in the first files of format 1
STATES = ("time", "q", "v", "torque", "passive", "solver")  # since format 3, with those below
GROUND, BODIES = (
    ("begin", "point", "unknown"),
    ("between_begin", "between_point", "between_unknown"),
)
LARGEST_MOTION = 64e9  # [bytes] of its arrays
UNIT = 1e-3  # tolerance on the length of a quaternion, as in `World.check_state`


# ----------------------------------------------------------------------------------- since format 3


def arrays_of(motion: Motion) -> dict[str, np.ndarray]:
    """The arrays of a file, all as floats."""
    states = {name: getattr(motion, name) for name in STATES}
    return stored(states, motion.touched, motion.touched_between)


def stored(
    states: Mapping[str, np.ndarray], ground: Touched, bodies: Touched
) -> dict[str, np.ndarray]:
    """States and the points that touched as arrays of a file, all as floats."""
    arrays = dict(states)
    for names, touched in ((GROUND, ground), (BODIES, bodies)):
        index = (touched.begin, touched.point, touched.unknown)
        arrays |= dict(zip(names, index, strict=True)) | touched.values
    return {name: np.ascontiguousarray(array, float) for name, array in arrays.items()}


def counts_of(head: Head, world: World) -> tuple[int, int]:
    """Numbers of points on the ground and between bodies that a file says may touch."""
    found = [float(head.attributes[name]) for name in ("points", "points_between")]
    most = len(contact_points_of(world)[1])
    if found[0] not in (0, most) or not (found[1] >= 0 and found[1] == int(found[1])):
        raise MotionFileError(
            f"it has {found[0]:g} contact points, and {found[1]:g} between bodies; "
            f"this world has {most}"
        )
    return int(found[0]), int(found[1])


def shapes_of(head: Head, world: World) -> Shapes:
    """The shapes of all arrays, which follow from the world and the numbers of values."""
    found = _found(head, {*STATES, *GROUND, *BODIES, *CHANNELS, *OF_BODIES})
    n, m, between = ((*found[name], 0)[0] for name in ("time", "point", "between_point"))
    shapes: Shapes = {"time": (n,), "q": (n, world.nq), "solver": (n, 3)}
    shapes |= {name: (n, world.nv) for name in ("v", "torque", "passive")}
    for names, count, channels in ((GROUND, m, CHANNELS), (BODIES, between, OF_BODIES)):
        shapes |= dict(zip(names, ((n + 1,), (count,), (n,)), strict=True))
        shapes |= {name: (count, *shape) for name, shape in channels.items()}
    return _agreeing(found, shapes)


def motion_of(arrays: dict[str, np.ndarray], points: tuple[int, int]) -> dict[str, Any]:
    """States by name, and what touched, after checking it; points: on the ground and bodies."""
    found: dict[str, Any] = {name: arrays[name] for name in STATES}
    found["touched"] = _touched(arrays, GROUND, points[0], CHANNELS)
    found["between"] = _touched(arrays, BODIES, points[1], OF_BODIES)
    states = arrays["contact_state"]
    if not np.isin(states[np.isfinite(states)], list(ContactState)).all():
        raise MotionFileError("'contact_state' has a number that is not a state of a point")
    return found


def _touched(
    arrays: dict[str, np.ndarray], names: tuple[str, ...], points: int, channels: Mapping[str, Any]
) -> Touched:
    begin, point, unknown = (arrays[name] for name in names)
    with np.errstate(invalid="ignore"):
        first, place = begin.astype(np.int64), point.astype(np.int32)
    told = f"'{names[0]}' and '{names[1]}' do not number the points of each sample"
    if (first != begin).any() or (place != point).any() or not np.isin(unknown, (0, 1)).all():
        raise MotionFileError(told)
    ordered = first[0] == 0 and first[-1] == len(place) and (np.diff(first) >= 0).all()
    if not ordered or (place < 0).any() or (place >= points).any():
        raise MotionFileError(told)
    in_order = np.diff(place) > 0
    in_order[first[1:-1][(first[1:-1] > 0) & (first[1:-1] < len(place))] - 1] = True
    if not in_order.all():
        raise MotionFileError(told)
    return Touched(points, first, place, {name: arrays[name] for name in channels}, unknown > 0)


# ----------------------------------------------------------------------------------- until format 2


def dense_shapes(head: Head, world: World, number: int) -> Shapes:
    """The shapes of all arrays, which follow from the world and the number of samples."""
    optional = {name for name in LATER if name not in head.datasets and number == 1}
    found = _found(head, {*DENSE, *LATER} - optional)
    n, nv = (*found["time"], 0)[0], world.nv
    # without a contact model none are recorded
    points = len(contact_points_of(world)[1]) if 0 not in found["depth"][1:] else 0
    between = (*found.get("between", ()), 0, 0)[1]
    shapes: Shapes = {"time": (n,), "q": (n, world.nq), "depth": (n, points)}
    shapes |= {"solver": (n, 3), "between": (n, between, STATE)}
    shapes |= {name: (n, points, 3) for name in ("force", "slip", "contact_velocity")}
    names = [name for name in (*DENSE, *LATER) if name in found]
    return _agreeing(found, {name: shapes.get(name, (n, nv)) for name in names})


def with_states(between: np.ndarray) -> np.ndarray:
    """Points between bodies of a file without their states, with derived ones."""
    states = derived_between(between[..., FORCE:DEPTH], between[..., SLIP:STATE])
    made = np.concatenate([between, states[..., None]], axis=2)
    assert made.shape[2] == BETWEEN
    return made


# ------------------------------------------------------------------------------------------- checks


def _found(head: Head, names: set[str]) -> Shapes:
    """The shapes of the arrays in a file, which are those of these names."""
    found = {name: dataset.shape for name, dataset in head.datasets.items()}
    for name in sorted(names):
        if name not in found:
            raise KeyError(f"'{name}' is missing")
    unknown = sorted(found.keys() - names)
    if unknown:
        raise MotionFileError(f"'{unknown[0]}' is not an array of a motion")
    return found


def _agreeing(found: Shapes, shapes: Shapes) -> Shapes:
    """The shapes, if they are those found and not too large."""
    for name, expected in shapes.items():
        if found[name] != expected:
            raise MotionFileError(f"'{name}' has shape {found[name]}; expected {expected}")
    check_size(shapes["time"][0], sum(map(size_of, shapes.values())))
    return shapes


def size_of(shape: tuple[int, ...]) -> float:
    """Size of an array of floats [bytes]."""
    return 8.0 * float(np.prod(shape, dtype=float))


def check_size(n: int, size: float) -> None:
    """Raise MotionFileError for a motion without samples, or larger than memory [bytes]."""
    if n < 1 or size > LARGEST_MOTION:
        raise MotionFileError(
            f"it has {n} samples in {size:g} bytes; a motion has at least one sample, and at most "
            f"{LARGEST_MOTION:g} bytes"
        )


def check_states(world: World, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise MotionFileError for states that are not finite, and times that do not increase."""
    for name in ("time", "q", "v"):
        if not np.isfinite(arrays[name]).all():
            raise MotionFileError(f"'{name}' has numbers that are not finite")
    if (np.diff(arrays["time"]) <= 0.0).any():
        raise MotionFileError("'time' does not increase from sample to sample")
    tree, q = world.tree, arrays["q"]
    for link in range(1, len(tree.parent)):
        if tree.joint_type[link] in (FREE, SPHERICAL):
            end = tree.q_index[link] + Q_SIZE[tree.joint_type[link]]
            lengths = np.linalg.norm(q[:, end - 4 : end], axis=1)
            if (np.abs(lengths - 1.0) > UNIT).any():
                row = int(np.argmax(np.abs(lengths - 1.0)))
                raise MotionFileError(
                    f"'q' has a quaternion of length {lengths[row]:g} for joint "
                    f"'{world.joint_names[link]}' in row {row}; its length must be 1"
                )
