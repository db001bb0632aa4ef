"""Collision and visual geometry of a URDF file as shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from stiction.description.description import NOWHERE, UNTURNED, Quaternion, Shape, Vector
from stiction.description.hull import Thinned, outermost, thinned
from stiction.description.mesh import SUFFIXES, Hull
from stiction.description.plain import first_few, quaternion_of, unique, vector
from stiction.description.rotation import Pose
from stiction.description.triangles import filled_part, kept_triangles, note_on_hollow
from stiction.description.urdf_files import Files
from stiction.description.urdf_text import Element
from stiction.description.urdf_visuals import Visuals
from stiction.errors import ModelFileError


def placed(own: Element) -> tuple[Vector, Quaternion]:
    """Position and quaternion of an element, by its <origin>."""
    origin = own.one("origin")
    if origin is None:
        return NOWHERE, UNTURNED
    position = vector(np.array(origin.numbers("xyz") or NOWHERE))
    return position, _turned_by(origin.numbers("rpy") or [0.0, 0.0, 0.0])


def _turned_by(angles: list[float]) -> Quaternion:
    """The quaternion of roll, pitch and yaw: turns about the fixed axes x, y, z, in this order."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(0.5 * np.array(angles)), np.sin(0.5 * np.array(angles))
    w, x = cx * cy * cz + sx * sy * sz, sx * cy * cz - cx * sy * sz
    y, z = cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz
    return quaternion_of(np.copysign(1.0, w) * np.array([w, x, y, z]) + 0.0)


class Shapes:
    """Collects the shapes of the links, and notes on those that are left out."""

    def __init__(self, source: str, files: Files, robot: Element, hull_points: int) -> None:
        """Start with no shapes."""
        self.source, self.files, self.hull_points = source, files, hull_points
        self.fixed: set[str] = set()  # links whose meshes keep their triangles
        self.shapes: list[Shape] = []
        self.refused: list[str] = []  # complaints
        self.meshes: dict[str, Hull] = {}
        self.hulls: dict[tuple[Path, tuple[float, ...]], Thinned] = {}  # by file and scale
        self.filled: dict[str, float] = {}  # part of the hull that a mesh fills
        self.lost: list[str] = []  # visual meshes
        self.inverted: list[str] = []  # colliding meshes
        self.empty: list[str] = []  # owners of visual shapes without a size
        names = [shape.attributes.get("name") for link in robot.all("link")
                 for shape in link.children]  # fmt: skip
        self.taken = {name for name in names if name}
        self.named: set[str] = set()
        self.visuals = Visuals()

    def add(self, element: Element) -> None:
        """Read the shapes of a link."""
        link = element.attributes["name"]
        for kind in ("collision", "visual"):
            for i, own in enumerate(element.all(kind)):
                try:
                    collides = kind == "collision"
                    solid = collides and link not in self.fixed
                    made = self._geometry(own.needed("geometry").children[0], collides, solid)
                except ModelFileError as error:
                    self.refused.append(str(error))
                    continue
                if made is None:
                    continue
                if kind == "visual":
                    self._draw(link, own, made)
                name = self._name(own.attributes.get("name"), f"{link}_{kind}_{i}")
                position, quaternion = placed(own)
                self.shapes.append(
                    Shape(
                        name,
                        link,
                        position=position,
                        quaternion=quaternion,
                        collides=kind == "collision",
                        **made,
                    )
                )

    def _draw(self, link: str, own: Element, made: dict[str, Any]) -> None:
        """Keep what a <visual> draws; `made` is its shape."""
        pose = Pose.of(*placed(own))
        if made["kind"] != "hull":
            self.visuals.add_shape(link, own, made["kind"], made["size"], pose)
            return
        path = self.files.find(own.needed("geometry").needed("mesh").attributes["filename"])
        assert path is not None  # its hull was made
        self.visuals.add_mesh(link, own, path, self.files.hull(path), pose)

    def notes(self) -> list[str]:
        """Notes for the user."""
        meshes = self.meshes.items()
        noted = {
            "visual meshes missing or not supported:": list(dict.fromkeys(self.lost)),
            "visual shapes of size 0 left out: those of": list(dict.fromkeys(self.empty)),
            "meshes inside out, of which the hull is used:": self.inverted,
            "flat meshes:": [name for name, hull in meshes if hull.flat],
            "up axis of .dae files not applied, as ROS does:": [
                f"{name} {hull.up}" for name, hull in meshes if hull.up not in ("", "Z_UP")
            ],
        }
        told = [f"{what} {first_few(names)}" for what, names in noted.items() if names]
        return [*told, *note_on_hollow(self.filled)]

    def _name(self, given: str | None, otherwise: str) -> str:
        if given and given not in self.named:
            self.named.add(given)
            return given
        return unique(otherwise, self.taken)

    def _geometry(self, own: Element, collides: bool, solid: bool) -> dict[str, Any] | None:
        if own.tag == "mesh":
            return self._mesh(own, collides, solid)
        if own.tag == "box":
            size = tuple(0.5 * length for length in own.numbers("size"))
        elif own.tag == "sphere":
            size = tuple(own.numbers("radius"))
        else:
            size = (*own.numbers("radius"), 0.5 * own.numbers("length")[0])
        if not collides and 0.0 in size:
            self.empty.append(own.owner)
            return None
        if own.tag == "sphere" and size == (0.0,):
            return {"kind": "points", "size": (), "vertices": (NOWHERE,)}
        return {"kind": own.tag, "size": size}

    def _mesh(self, own: Element, collides: bool, solid: bool) -> dict[str, Any] | None:
        """A hull, or a mesh; None for a visual mesh that is missing or in an unknown format."""
        where = f"{self.source}, line {own.line}: mesh of {own.owner}"
        name = own.attributes["filename"]
        try:
            path = self.files.find(name)
            if path is None or path.suffix.lower() not in SUFFIXES:
                problem = "does not exist; add its folder to roots"
                if path is not None:
                    problem = f"is not supported; known are {', '.join(SUFFIXES)}"
                if collides:
                    raise ModelFileError(f"'{name}' {problem}")
                self.lost.append(name)
                return None
            hull = self.files.hull(path)
        except ModelFileError as error:
            raise ModelFileError(f"{where}: {error}") from error
        self.meshes[path.name] = hull
        scale = np.array(own.numbers("scale") or [1.0, 1.0, 1.0])
        if not scale.all():
            raise ModelFileError(f"{where}: has scale {scale.tolist()}; none may be zero")
        if collides and not solid:
            mirrored = bool(np.prod(scale) < 0.0)
            triangles = hull.triangles[:, ::-1] if mirrored else hull.triangles
            kept = kept_triangles(hull.points * scale + 0.0, triangles, f"{where}: {path}")
            if kept is not None:
                return _triangles(*kept)
        key = (path, tuple(scale.tolist()))
        if not collides and key not in self.hulls:  # only drawn
            outer = outermost(hull.vertices, self.hull_points)
            return {"kind": "hull", "size": (), "vertices": tuple(map(vector, outer * scale))}
        if key not in self.hulls:
            self.hulls[key] = thinned(hull.vertices * scale + 0.0, self.hull_points)
            if hull.inverted:
                self.inverted.append(path.name)
            self.filled[path.name] = filled_part(hull.points, hull.triangles, hull.vertices)
        vertices, inside = self.hulls[key]
        made = {"kind": "hull", "size": (), "vertices": tuple(map(vector, vertices))}
        return made | {"error": inside}


def _triangles(vertices: np.ndarray, triangles: np.ndarray) -> dict[str, Any]:
    """What a shape that keeps its triangles is made of."""
    return {
        "kind": "mesh",
        "size": (),
        "vertices": tuple(map(vector, vertices)),
        "triangles": tuple(map(tuple, triangles.tolist())),
    }
