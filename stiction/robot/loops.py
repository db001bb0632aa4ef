"""Closed loops as arrays of a `Robot`: constraints between its links beyond the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.description.description import LOOP_KINDS, Description, Loop
from stiction.description.rotation import Pose

TERMS = 5  # fewest coefficients of a polynomial that are kept
FIELDS: dict[str, tuple[tuple[int, ...], Any]] = {  # shape of a row, and type
    "loop_name": ((), np.str_),
    "loop_kind": ((), int),
    "loop_link": ((2,), int),
    "loop_position": ((2, 3), float),
    "loop_rotation": ((2, 3, 3), float),
    "loop_axis": ((3,), float),
    "loop_coefficients": ((TERMS,), float),
    "loop_reference": ((2,), float),
}


def no_loops() -> dict[str, np.ndarray]:
    """The fields of a robot without loops."""
    return {name: np.zeros((0, *shape), kind) for name, (shape, kind) in FIELDS.items()}


def loop_arrays(
    description: Description, place: dict[str, tuple[str, Pose]], index: dict[str, int]
) -> dict[str, np.ndarray]:
    """The loops of a description between moving links."""
    if not description.loops:
        return no_loops()
    child = {joint.name: joint.child for joint in description.joints}
    terms = max([TERMS, *(len(loop.coefficients) for loop in description.loops)])
    rows = [_row(loop, place, index, child, terms) for loop in description.loops]
    columns = zip(*rows, strict=True)
    return {
        name: np.array(list(column), dtype=kind)
        for (name, (_, kind)), column in zip(FIELDS.items(), columns, strict=True)
    }


def _row(loop: Loop, place: dict, index: dict[str, int], child: dict, terms: int) -> tuple:
    """One row of all fields, in their order."""
    coefficients = [*loop.coefficients, *[0.0] * (terms - len(loop.coefficients))]
    poses, axis = [Pose.identity()] * 2, np.array(loop.axis, float)
    if loop.kind == "joint":
        links = [index[child[name]] if name else -1 for name in (loop.first, loop.second)]
    else:
        carriers = [place[name] for name in (loop.first, loop.second)]
        links = [index.get(carrier, -1) for carrier, _ in carriers]
        poses = [
            pose.then(Pose.of(position, quaternion))
            for (_, pose), position, quaternion in zip(
                carriers, loop.positions, loop.quaternions, strict=True
            )
        ]
        axis = carriers[0][1].rotation @ axis / np.linalg.norm(axis)
    return (
        loop.name,
        LOOP_KINDS.index(loop.kind),
        links,
        [pose.position for pose in poses],
        [pose.rotation for pose in poses],
        axis,
        coefficients,
        loop.references,
    )


def carried_loops(robot: Any, pose: Pose) -> dict[str, np.ndarray]:
    """Loops after everything that is fixed in the world moved by a pose."""
    positions, rotations = robot.loop_position.copy(), robot.loop_rotation.copy()
    axes = robot.loop_axis.copy()
    for i, end in np.argwhere(robot.loop_link < 0):
        if LOOP_KINDS[robot.loop_kind[i]] == "joint":
            continue
        moved = pose.then(Pose(positions[i, end], rotations[i, end]))
        positions[i, end], rotations[i, end] = moved
        if end == 0:
            axes[i] = pose.rotation @ axes[i]
    return {"loop_position": positions, "loop_rotation": rotations, "loop_axis": axes}
