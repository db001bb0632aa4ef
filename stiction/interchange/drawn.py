"""What is handed on of a motion at the rate of pictures: times, poses, surfaces of links."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.visual.colours import Rgb
from stiction.visual.frames import rows_at
from stiction.visual.ground import Area, area_around, ground_patches
from stiction.visual.meshes import meshes_of
from stiction.visual.poses import Poses, link_poses

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

Surface = tuple[tuple[float, ...], np.ndarray, np.ndarray]  # colour, vertices [m], triangles
OPAQUE = 1.0


class Body(NamedTuple):
    """A link and what is drawn of it, in its frame."""

    name: str  # "robot/link"
    surfaces: list[Surface]


class Drawn(NamedTuple):
    """A motion at the times of pictures."""

    rows: np.ndarray  # (n) samples of the motion, each once
    time: np.ndarray  # (n) [s]
    poses: Poses  # of all links of the forest, the world first
    links: dict[int, Body]  # by number in the forest; 0: what does not move
    ground: dict[str, list[Surface]]  # by name, in world axes


def drawn_of(motion: Motion, fps: float) -> Drawn:
    """Poses and surfaces of a motion at `fps` pictures a second."""
    rows = np.unique(rows_at(motion, fps))
    world, q = motion.world, motion.q[rows]
    if not np.isfinite(q).all():
        raise InputError("some positions are not finite; save others, motion.rows(...)")
    poses = link_poses(world, q)
    links = {0: Body("scenery", [])} | {
        link: Body(name, []) for link, name in enumerate(_names(motion), start=1)
    }
    for mesh in meshes_of(world):
        links[mesh.link].surfaces.append((mesh.colour, mesh.vertices, mesh.triangles))
    if not any(body.surfaces for body in links.values()):
        raise InputError("this world has no visual meshes and no shapes; nothing can be drawn")
    if not links[0].surfaces:
        del links[0]
    ground: dict[str, list[Surface]] = {}
    patches = ground_patches(world, _around(poses, links))
    if patches:
        ground["ground"] = [_painted(patch.colour, *patch[1:]) for patch in patches]
    return Drawn(rows, motion.time[rows], poses, links, ground)


def _names(motion: Motion) -> list[str]:
    """Names of the links of all robots, "robot/link"."""
    return [f"{one.name}/{link}" for one in motion.world.robots for link in one.link_name]


def _painted(colour: Rgb, vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    return (*colour, OPAQUE), vertices, triangles


def _around(poses: Poses, links: dict[int, Body]) -> Area:
    """The rectangle of ground around everything that moves."""
    moving = [link for link in links if link > 0 and links[link].surfaces]
    boxes = []
    for link in moving or [0]:
        points = np.vstack([vertices for _, vertices, _ in links[link].surfaces])
        boxes.append(points @ poses.rotation[0, link].T + poses.position[0, link])
    corners = np.vstack(boxes)
    size = max(float((corners.max(axis=0) - corners.min(axis=0)).max()), 1e-3)
    return area_around(poses.position[:, moving] if moving else corners, size)
