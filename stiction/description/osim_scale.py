"""Scaling an OpenSim model to a subject.

Each body is stretched by factors along its own axes, with everything on it: its centre of mass, the
frames of its joints, markers and contact spheres. Translations of a joint that are functions of an
angle (those of a knee) stretch with the parent; translations that are coordinates do not.

An inertia is that of the stretched body: with S = tr(I)/2 - I, the second moments of its mass,
S' = F S F and I' = tr(S') - S' are exact for any body of any density. (OpenSim takes a cylinder
instead if the three factors differ; for equal ones both multiply I by their square.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from stiction.description.arguments import numbers, shown
from stiction.description.osim_model import Body, OsimJoint, OsimModel
from stiction.description.osim_text import LARGEST_OSIM, OsimScan
from stiction.description.rotation import Pose
from stiction.description.xml_text import bytes_of
from stiction.errors import InputError, ModelFileError

Scale = float | tuple[float, float, float]
ONES = np.ones(3)


def scale_factors(path: str | Path) -> dict[str, tuple[float, float, float]]:
    """Factors by body from a scale set of OpenSim (.xml), for `OsimOptions(scale=...)`."""
    path = Path(path)
    scan = OsimScan(str(path))
    scan.run(bytes_of(path, "a scale set of OpenSim", LARGEST_OSIM))
    assert scan.root is not None  # expat insists on a root element
    found: dict[str, tuple[float, float, float]] = {}
    for element in scan.root.below():
        if element.tag != "Scale" or not element.flag("apply", True):
            continue
        segment = element.word("segment")
        x, y, z = element.numbers("scales", 3)
        if not segment or segment in found or min(x, y, z) <= 0:
            raise ModelFileError(
                f"{element.where} scales '{segment[:80]}' by {x:g} {y:g} {z:g}; "
                "give each segment once, with positive factors"
            )
        found[segment] = (x, y, z)
    if not found:
        raise ModelFileError(f"{path}: holds no <Scale> with a segment; give a scale set")
    return found


class Factors:
    """Factors of every body along its axes; those of a body that is not named are 1."""

    def __init__(self, scale: Mapping[str, Scale] | Scale | None, model: OsimModel) -> None:
        """Check the factors against the bodies."""
        if scale is None:
            scale = {}
        if not isinstance(scale, Mapping):
            scale = {name: scale for name in model.bodies}
        self.of = {name: _three(name, value) for name, value in scale.items()}
        for name in self.of:
            if name not in model.bodies:
                known = ", ".join(model.bodies)
                raise InputError(f"{model.source}: scale: no body '{name}'; it has {known}")

    def __getitem__(self, body: str) -> np.ndarray:
        """Three factors."""
        return self.of.get(body, ONES)

    def pose(self, body: str, pose: Pose) -> Pose:
        """A pose on a body after scaling."""
        return Pose(self[body] * pose.position, pose.rotation)


def _three(name: object, value: object) -> np.ndarray:
    factors = numbers(value)
    if factors.shape == ():
        factors = np.full(3, float(factors))
    if factors.shape != (3,) or not (np.isfinite(factors) & (factors > 0)).all():
        found = f"scale of {shown(name)} is {shown(value)}"
        raise InputError(f"{found}; give a positive number, or three along the axes of the body")
    return factors


def scaled(model: OsimModel, factors: Factors, mass: float | None) -> OsimModel:
    """The model with scaled bodies and joints, and with this total mass [kg]."""
    if mass is not None and not (isinstance(mass, int | float) and 0 < mass < 1e15):
        raise InputError(f"{model.source}: mass is {shown(mass)}; give a positive number in kg")
    total = sum(body.mass for body in model.bodies.values())
    if mass is not None and not total > 0:
        raise InputError(f"{model.source}: mass={mass}: the bodies have no mass to scale")
    heavier = 1.0 if mass is None else mass / total
    bodies = {name: _body(body, factors[name], heavier) for name, body in model.bodies.items()}
    return replace(model, bodies=bodies, joints=[_joint(one, factors) for one in model.joints])


def _body(body: Body, factor: np.ndarray, heavier: float) -> Body:
    moments = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    stretched = factor[:, None] * moments * factor
    inertia = heavier * (np.trace(stretched) * np.eye(3) - stretched)
    return Body(body.name, heavier * body.mass, factor * body.centre, inertia)


def _joint(joint: OsimJoint, factors: Factors) -> OsimJoint:
    parent = factors[joint.parent]
    axes = []
    for axis in joint.axes:
        if not axis.turns and not axis.function.is_line:
            along = joint.parent_pose.rotation @ axis.direction
            axis = axis._replace(
                function=axis.function.scaled(float(np.linalg.norm(parent * along)))
            )
        axes.append(axis)
    return replace(
        joint,
        parent_pose=factors.pose(joint.parent, joint.parent_pose),
        child_pose=factors.pose(joint.child, joint.child_pose),
        axes=tuple(axes),
    )
