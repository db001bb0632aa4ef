"""A motion as a storage file of OpenSim (.sto): coordinates over time.

Revolute and prismatic joints are columns of their own name, in rad or m. A free joint becomes the
six coordinates of the pelvis of OpenSim's gait models, named after its link: LINK_tilt, LINK_list
and LINK_rotation [rad], LINK_tx, LINK_ty and LINK_tz [m]. OpenSim's x is forward, y up, z to the
right; the link turns by its tilt about z, its list about the new x and its rotation about the new
y. Links of an .osim file have OpenSim's axes themselves; all others have ours, and are upright as
the pelvis is. A spherical joint becomes JOINT_coord_0 to JOINT_coord_2, turns about the link's own
x, new y and new z, as in OpenSim's BallJoint.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stiction.errors import InputError
from stiction.files.written import check_kind, write_whole
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.visual.poses import matrices

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.robot.robot import Robot
    from stiction.world.world import World

HEAD = "Coordinates\nversion=1\nnRows={rows}\nnColumns={columns}\ninDegrees=no\nendheader\n"
OF_PELVIS = ("tilt", "list", "rotation", "tx", "ty", "tz")
SWAPPED = [1, 0, 2]  # y x z
OURS_IN_OPENSIM = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # x, z, -y
LOCKED = 1e-9  # cosine of the middle angle at which the outer two turn about one line


def save_sto(motion: Motion, path: str | Path) -> Path:
    """Write the coordinates of a motion to an .sto file; returns the path."""
    path = check_kind(path, (".sto",), "save_sto", InputError)
    names, values = coordinates_of(motion)
    table = np.column_stack([motion.time, values])
    lines = ["\t".join(["time", *names]), *("\t".join(map(repr, row)) for row in table.tolist())]
    head = HEAD.format(rows=len(table), columns=table.shape[1])
    write_whole(path, (head + "\n".join(lines) + "\n").encode(), "the coordinates", InputError)
    return path


def coordinates_of(motion: Motion) -> tuple[list[str], np.ndarray]:
    """Names and values, (n, coordinates), as OpenSim has them [rad or m]."""
    world, q = motion.world, motion.q
    if not np.isfinite(q).all():
        raise InputError(
            "save_sto: this motion has positions that are not finite; save some rows()"
        )
    tree, found = world.tree, dict[str, np.ndarray]()
    of_opensim = _links_of_opensim(world)
    for link in range(1, len(tree.parent)):
        kind, first = int(tree.joint_type[link]), int(tree.q_index[link])
        joint = world.joint_names[link]
        if kind == FREE:
            values, names = _of_pelvis(q[:, first : first + 7], link in of_opensim), OF_PELVIS
            columns = {f"{world.link_names[link]}_{name}": k for k, name in enumerate(names)}
        elif kind == SPHERICAL:
            values = turns_about_own_axes(matrices(q[:, first : first + 4]))
            columns = {f"{joint}_coord_{k}": k for k in range(3)}
        else:
            values, columns = q[:, first, None], {joint: 0}
        for name, k in columns.items():
            word = "_".join(name.replace("/", ".").split())  # in OpenSim a name is no path
            if word in found:
                raise InputError(
                    f"save_sto: two coordinates are named '{word}'; give a robot another name "
                    "with named()"
                )
            found[word] = values[:, k]
    return list(found), np.column_stack([np.zeros((len(q), 0)), *found.values()])


def has_axes_of_opensim(robot: Robot) -> bool:
    """Whether a robot with a free base was read from an .osim file in which y is up.

    Bodies keep the axes of the file; in a file with z up they are ours.
    """
    if not robot.source.lower().endswith(".osim") or robot.joint_type[0] != FREE:
        return False
    upward = matrices(robot.home[None, 3:7])[0, 2]  # of each axis of the base
    return bool(upward[1] > upward[2])


def _links_of_opensim(world: World) -> set[int]:
    """Links whose axes are those of OpenSim."""
    found, first = set[int](), 1
    for robot in world.robots:
        if has_axes_of_opensim(robot):
            found |= {*range(first, first + len(robot.link_name))}
        first += len(robot.link_name)
    return found


def _of_pelvis(pose: np.ndarray, has_its_axes: bool) -> np.ndarray:
    """Tilt, list, rotation and place in OpenSim's axes, (n, 6), of poses (n, 7).

    In our axes the link turns about -y, x and z. With x and y exchanged, which reflects space,
    these are turns about x, -y and -z. has_its_axes: the axes of the link are OpenSim's, not ours.
    """
    x, y, z = pose[:, :3].T
    rotation = matrices(pose[:, 3:])
    if has_its_axes:
        rotation = rotation @ OURS_IN_OPENSIM
    mirrored = rotation[:, SWAPPED][:, :, SWAPPED]
    return np.column_stack([turns_about_own_axes(mirrored) * [1, -1, -1], x, z, -y])


def turns_about_own_axes(rotation: np.ndarray) -> np.ndarray:
    """Angles about x, the new y and the new z, (n, 3) [rad], without jumps over time.

    The same rotation has angles (a, b, c) and (a + pi, pi - b, c + pi): each sample takes those
    nearest to the sample before.
    """
    R = rotation  # noqa: N806
    middle = np.arcsin(np.clip(R[:, 0, 2], -1.0, 1.0))
    first, last = np.arctan2(-R[:, 1, 2], R[:, 2, 2]), np.arctan2(-R[:, 0, 1], R[:, 0, 0])
    locked = np.hypot(R[:, 0, 0], R[:, 0, 1]) < LOCKED
    first = np.where(locked, np.arctan2(R[:, 2, 1], R[:, 1, 1]), first)
    angles = np.column_stack([first, middle, np.where(locked, 0.0, last)])
    for k in range(1, len(angles)):
        a, b, c = angles[k]
        choices = np.array([[a, b, c], [a + np.pi, np.pi - b, c + np.pi]])
        choices += 2 * np.pi * np.round((angles[k - 1] - choices) / (2 * np.pi))
        angles[k] = choices[np.argmin(np.abs(choices - angles[k - 1]).sum(axis=1))]
    return angles
