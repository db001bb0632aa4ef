"""A motion as a binary glTF 2.0 file (.glb): a node per link, meshes, one animation.

glTF's y is up. The node "stiction" turns our axes, z up, into glTF's; everything below it is in
ours: x forward, y left, z up [m].
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.files.written import check_kind, write_whole
from stiction.interchange.drawn import Drawn, drawn_of
from stiction.visual.meshes import creased
from stiction.visual.poses import quaternions

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

ROOT = "stiction"
Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # x y z w: x stays, z becomes y, y becomes -z
FLOAT, UNSIGNED = 5126, 5125  # component types of accessors
VERTICES, TRIANGLES = 34962, 34963  # targets of buffer views
TYPES = {(): "SCALAR", (3,): "VEC3", (4,): "VEC4"}
ROUGHNESS = 0.7


def save_gltf(motion: Motion, path: str | Path, fps: float = 30.0) -> Path:
    """Write a motion to a .glb file with `fps` key frames a second; returns the path."""
    path = check_kind(path, (".glb",), "save_gltf", InputError)
    write_whole(path, glb(drawn_of(motion, fps)), "the animation", InputError)
    return path


def glb(drawn: Drawn) -> bytes:
    """The bytes of a binary glTF file."""
    scene = _Scene()
    turned = scene.add("nodes", {"name": ROOT, "rotation": list(Y_UP), "children": []})
    for name, surfaces in drawn.ground.items():
        scene.attach(turned, {"name": name, "mesh": scene.mesh(name, surfaces)})
    moves = scene.add("animations", {"name": "motion", "samplers": [], "channels": []})
    clock = scene.accessor((drawn.time - drawn.time[0]).astype(np.float32), bounds=True)
    for link, body in drawn.links.items():
        turns = _continuous(quaternions(drawn.poses.rotation[:, link]))[:, [1, 2, 3, 0]]
        places = drawn.poses.position[:, link]
        node: dict[str, Any] = {"name": body.name}
        if body.surfaces:
            node["mesh"] = scene.mesh(body.name, body.surfaces)
        node |= {"translation": places[0].tolist(), "rotation": turns[0].tolist()}
        number = scene.attach(turned, node)
        if link > 0:  # the world does not move
            scene.animate(moves, number, clock, {"translation": places, "rotation": turns})
    if not scene.document["animations"][moves]["channels"]:
        del scene.document["animations"]
    return scene.bytes(turned)


def _continuous(turns: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) with signs such that neighbours are near each other."""
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return turns * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


class _Scene:
    """The document of a file and its buffer, while they are made."""

    def __init__(self) -> None:
        from importlib.metadata import version

        made_by = f"stiction {version('stiction')}"
        self.document: dict[str, Any] = {"asset": {"version": "2.0", "generator": made_by}}
        self.buffer = bytearray()
        self.materials: dict[tuple, int] = {}

    def add(self, kind: str, item: dict[str, Any]) -> int:
        """Add an item to a list of the document; returns its number."""
        items: list = self.document.setdefault(kind, [])
        items.append(item)
        return len(items) - 1

    def attach(self, parent: int, node: dict[str, Any]) -> int:
        """Add a node below another one."""
        number = self.add("nodes", node)
        self.document["nodes"][parent]["children"].append(number)
        return number

    def accessor(self, values: np.ndarray, target: int | None = None, bounds: bool = False) -> int:
        """Add an array of 32-bit numbers to the buffer; bounds: with its extrema."""
        data = np.ascontiguousarray(values).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.buffer += data
        found: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": FLOAT if values.dtype == np.float32 else UNSIGNED,
            "count": len(values),
            "type": TYPES[values.shape[1:]],
        }
        if bounds:
            found["min"] = np.atleast_1d(values.min(axis=0)).tolist()
            found["max"] = np.atleast_1d(values.max(axis=0)).tolist()
        return self.add("accessors", found)

    def mesh(self, name: str, surfaces: Iterable[tuple]) -> int:
        """Add a mesh of surfaces: colour, vertices and triangles each."""
        parts = []
        for colour, vertices, triangles in surfaces:
            points, corners = creased(np.asarray(vertices, float), triangles)
            normals = _normals(points, corners)
            attributes = {
                "POSITION": self.accessor(points.astype(np.float32), VERTICES, bounds=True),
                "NORMAL": self.accessor(normals.astype(np.float32), VERTICES),
            }
            indices = self.accessor(corners.ravel().astype(np.uint32), TRIANGLES)
            material = self.material(tuple(colour))
            parts.append({"attributes": attributes, "indices": indices, "material": material})
        return self.add("meshes", {"name": name, "primitives": parts})

    def material(self, colour: tuple[float, ...]) -> int:
        """The number of the material of a colour, red green blue and opacity as on a screen."""
        if colour not in self.materials:
            shade = {
                "baseColorFactor": [*map(_linear, colour[:3]), colour[3]],
                "metallicFactor": 0.0,
                "roughnessFactor": ROUGHNESS,
            }
            item: dict[str, Any] = {"pbrMetallicRoughness": shade, "doubleSided": True}
            if colour[3] < 1.0:
                item["alphaMode"] = "BLEND"
            self.materials[colour] = self.add("materials", item)
        return self.materials[colour]

    def animate(self, moves: int, node: int, clock: int, curves: dict[str, np.ndarray]) -> None:
        """Let a node follow curves at the times of an accessor."""
        animation = self.document["animations"][moves]
        for what, values in curves.items():
            output = self.accessor(values.astype(np.float32))
            animation["samplers"].append(
                {"input": clock, "output": output, "interpolation": "LINEAR"}
            )
            sampler = len(animation["samplers"]) - 1
            animation["channels"].append(
                {"sampler": sampler, "target": {"node": node, "path": what}}
            )

    def bytes(self, root: int) -> bytes:
        """The file: a header, the document as JSON, and the buffer."""
        self.document |= {"scene": 0, "scenes": [{"nodes": [root]}]}
        self.document["buffers"] = [{"byteLength": len(self.buffer)}]
        text = json.dumps(self.document, separators=(",", ":")).encode()
        parts = _chunk(b"JSON", text, b" ") + _chunk(b"BIN\0", bytes(self.buffer), b"\0")
        return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def _chunk(kind: bytes, data: bytes, filler: bytes) -> bytes:
    """Part of a file, filled up to a multiple of four bytes."""
    data += filler * (-len(data) % 4)
    return struct.pack("<I4s", len(data), kind) + data


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of vertices, (n, 3): means over their triangles, weighted by area."""
    corners = vertices[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    at = triangles.ravel()
    total = np.column_stack(
        [np.bincount(at, np.repeat(area[:, k], 3), len(vertices)) for k in range(3)]
    )
    length = np.linalg.norm(total, axis=1, keepdims=True)
    upright = np.broadcast_to([0.0, 0.0, 1.0], total.shape)  # of triangles that cancel each other
    return np.where(length > 0, total / np.maximum(length, 1e-300), upright)


def _linear(part: float) -> float:
    """Light of a colour's part on a screen (sRGB, IEC 61966-2-1)."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
