"""Homogeneous solids: mass, centre and inertia from their geometry, and their shapes.

The frame of a solid is at its centre, that of a frustum at the centre of its first end; z is the
axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from stiction.description.description import NOWHERE, UNTURNED, Quaternion, Vector
from stiction.description.rotation import Pose
from stiction.errors import InputError

SIDES = 10  # corners of the rings that approximate a frustum or an elliptical column


@dataclass(frozen=True)
class Solid:
    """A homogeneous part of a segment; `size` by kind, lengths in m.

    sphere (radius), capsule and cylinder (radius, half length), box and ellipsoid (three half
    extents), frustum (radius at 0, radius at the far end, length), column (half axes along x and y,
    half height) of elliptical section.
    """

    kind: str  # one of KINDS
    size: tuple[float, ...]
    mass: float  # [kg]; 0 for a shape without mass
    position: Vector = NOWHERE  # in the frame of the segment
    quaternion: Quaternion = UNTURNED
    touches: bool = True  # whether its shape can touch the ground

    def scaled(self, length: float, mass: float) -> Solid:
        """Return the solid with its lengths and its mass multiplied by these factors."""
        x, y, z = self.position
        return replace(
            self,
            size=tuple(length * part for part in self.size),
            mass=mass * self.mass,
            position=(length * x, length * y, length * z),
        )

    def mirrored(self) -> Solid:
        """Return the solid mirrored in the plane y = 0."""
        x, y, z = self.position
        w, i, j, k = self.quaternion
        return replace(self, position=(x, -y, z), quaternion=(w, -i, j, -k))


def body_of(solid: Solid) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre [m] and inertia about it [kg m2] of a solid, in its segment's frame."""
    if solid.kind not in INERTIAS:
        raise InputError(f"a solid is a '{solid.kind}'; known are {', '.join(INERTIAS)}")
    centre, moments = INERTIAS[solid.kind](*solid.size)
    pose = Pose.of(solid.position, solid.quaternion)
    x, y, z = (solid.mass * moment for moment in moments)
    return pose.inertia(solid.mass, (0.0, 0.0, centre), (x, 0.0, 0.0, y, 0.0, z))


def shape_of(solid: Solid) -> tuple[str, tuple[float, ...], tuple[Vector, ...]]:
    """Kind, size and vertices of the `Shape` of a solid."""
    if solid.kind == "frustum":
        first, last, length = solid.size
        return "hull", (), (*_ring(first, first, 0.0), *_ring(last, last, length))
    if solid.kind == "column":
        a, b, half = solid.size
        return "hull", (), (*_ring(a, b, -half), *_ring(a, b, half))
    return solid.kind, solid.size, ()


def _ring(a: float, b: float, height: float) -> tuple[Vector, ...]:
    """Corners of a polygon inscribed in an ellipse, symmetric in x and in y."""
    turns = (2 * math.pi * k / SIDES for k in range(SIDES))
    return tuple((a * math.cos(turn), b * math.sin(turn), height) for turn in turns)


# ---------------------------------------------------- centre along z, moments about it for 1 kg

_Part = tuple[float, Vector]


def _box(a: float, b: float, c: float) -> _Part:
    return 0.0, ((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)


def _ellipsoid(a: float, b: float, c: float) -> _Part:
    return 0.0, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)


def _sphere(radius: float) -> _Part:
    return _ellipsoid(radius, radius, radius)


def _column(a: float, b: float, half: float) -> _Part:
    along = half * half / 3
    return 0.0, (b * b / 4 + along, a * a / 4 + along, (a * a + b * b) / 4)


def _cylinder(radius: float, half: float) -> _Part:
    return _column(radius, radius, half)


def _capsule(radius: float, half: float) -> _Part:
    middle = half / (half + 2 * radius / 3)  # mass fraction of the cylinder between the hemispheres
    across = middle * _cylinder(radius, half)[1][0]
    # a hemisphere: 2/5 r2 about the centre of its flat side, its centre of mass 3/8 r from there
    across += (1 - middle) * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    along = middle * radius**2 / 2 + (1 - middle) * 0.4 * radius**2
    return 0.0, (across, across, along)


def _frustum(first: float, last: float, length: float) -> _Part:
    mu = last / first
    sigma = 1 + mu + mu**2
    centre = length * (1 + 2 * mu + 3 * mu**2) / (4 * sigma)
    along = 0.3 * first**2 * (1 + mu + mu**2 + mu**3 + mu**4) / sigma
    stretch = 0.0375 * (1 + 4 * mu + 10 * mu**2 + 4 * mu**3 + mu**4) / sigma**2
    across = along / 2 + stretch * length**2
    return centre, (across, across, along)


INERTIAS: dict[str, Callable[..., _Part]] = {
    "box": _box,
    "ellipsoid": _ellipsoid,
    "sphere": _sphere,
    "column": _column,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "frustum": _frustum,
}
