"""A motion as a Rerun recording (.rrd): robots, ground, contact forces, and curves over time.

The 3D scene is under `world`, z up, at the rate of pictures; the curves have every sample. Both are
on the timeline `time`, the time of the simulation.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.files.written import check_kind, write_whole
from stiction.interchange.drawn import Drawn, Surface, drawn_of
from stiction.motion.tables import columns_of
from stiction.visual.colours import FORCE
from stiction.visual.frames import Film
from stiction.visual.meshes import creased
from stiction.visual.poses import quaternions

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

TIMELINE, SCENE = "time", "world"
GROUPS = {  # columns of a motion's table -> the entity that has their curves
    "q": "position",
    "v": "velocity",
    "torque": "torque",
    "passive": "passive",
    "force": "contact force",
}
SHOWN = ("contact force", "position")  # curves that the viewer opens with
THIN = 0.006  # radius of arrows over the size of the robots


def save_rerun(motion: Motion, path: str | Path, fps: float = 60.0) -> Path:
    """Write a motion to an .rrd file with `fps` poses a second; returns the path."""
    path = check_kind(path, (".rrd",), "save_rerun", InputError)
    write_whole(path, recording(motion, fps), "the recording", InputError)
    return path


def recording(motion: Motion, fps: float) -> bytes:
    """The bytes of a Rerun recording."""
    rr = _imported("rerun")
    drawn = drawn_of(motion, fps)
    stream = rr.RecordingStream("stiction")
    stored = stream.memory_recording()
    stream.send_blueprint(_views())
    stream.log(SCENE, rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    for name, surfaces in drawn.ground.items():
        _send_surfaces(stream, [SCENE, name], surfaces)
    _send_links(stream, drawn)
    _send_forces(stream, Film(motion, drawn.rows))
    _send_curves(stream, motion)
    return bytes(stored.drain_as_bytes())


def _send_links(stream: Any, drawn: Drawn) -> None:
    rr, clock = _imported("rerun"), _clock(drawn.time)
    for link, body in drawn.links.items():
        place = [SCENE, *body.name.split("/", 1)]
        _send_surfaces(stream, place, body.surfaces)
        if link:
            turns = quaternions(drawn.poses.rotation[:, link])[:, [1, 2, 3, 0]]
            columns = rr.Transform3D.columns(
                translation=drawn.poses.position[:, link], quaternion=turns
            )
            stream.send_columns(rr.new_entity_path(place), clock, columns)


def _send_surfaces(stream: Any, place: list[str], surfaces: Iterable[Surface]) -> None:
    rr = _imported("rerun")
    for number, (colour, vertices, triangles) in enumerate(surfaces):
        points, corners = creased(np.asarray(vertices, float), triangles)
        mesh = rr.Mesh3D(
            vertex_positions=points.astype(np.float32),
            triangle_indices=corners.astype(np.uint32),
            albedo_factor=[round(255 * part) for part in colour],
        )
        stream.log(rr.new_entity_path([*place, f"surface {number}"]), mesh, static=True)


def _send_forces(stream: Any, film: Film) -> None:
    """Contact forces as arrows, as long as in our own pictures."""
    rr = _imported("rerun")
    arrows = [film.contacts(k).arrows for k in range(len(film))]
    every = np.concatenate([np.zeros((0, 2, 3)), *arrows])
    if not len(every):
        return
    columns = rr.Arrows3D.columns(
        origins=every[:, 0],
        vectors=every[:, 1] - every[:, 0],
        radii=np.full(len(every), THIN * film.size),
        colors=np.tile([round(255 * part) for part in FORCE], (len(every), 1)),
    ).partition([len(each) for each in arrows])
    stream.send_columns(
        rr.new_entity_path([SCENE, "contact forces"]), _clock(film.motion.time), columns
    )


def _send_curves(stream: Any, motion: Motion) -> None:
    """Every column of the motion's table, without the last sample where it has no forces."""
    rr = _imported("rerun")
    names, values = columns_of(motion)
    for name, column in zip(names[1:], values[:, 1:].T, strict=True):
        kind, _, what = name.partition(" ")
        known = np.isfinite(column)
        stream.send_columns(
            rr.new_entity_path([GROUPS[kind], *what.split("/")]),
            _clock(motion.time[known]),
            rr.Scalars.columns(scalars=column[known]),
        )


def _clock(time: np.ndarray) -> list[Any]:
    return [_imported("rerun").TimeColumn(TIMELINE, duration=time)]


def _views() -> Any:
    """The scene on the left, curves on the right."""
    views = _imported("rerun.blueprint")
    curves = [views.TimeSeriesView(origin=f"/{name}", name=name) for name in SHOWN]
    scene = views.Spatial3DView(origin=f"/{SCENE}", name="scene")
    return views.Blueprint(views.Horizontal(scene, views.Vertical(*curves)))


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError("save_rerun needs the package rerun-sdk; pip install rerun-sdk") from None
