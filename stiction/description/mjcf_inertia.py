"""Inertias of an MJCF file, repaired before MuJoCo's compiler rejects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.description.description import NOWHERE, Link
from stiction.description.repair import possible

if TYPE_CHECKING:
    from mujoco import MjsBody, MjSpec

PLACEHOLDER = 1e-13  # [kg, kg m2] lets a massless body pass MuJoCo's compiler; taken away again
FULL = [0, 3, 5, 1, 2, 4]  # xx yy zz xy xz yz, MuJoCo's fullinertia, in xx xy xz yy yz zz


def repaired_spec(spec: MjSpec) -> list[str]:
    """Repair the inertias that the file gives, and let massless bodies pass; returns notes."""
    notes = []
    given = [body for body in spec.bodies if body.explicitinertial]
    if not all(body.mass >= 0.0 for body in given):
        return []  # MuJoCo's compiler refuses it
    for body in given:
        full = bool(np.isfinite(body.fullinertia).all())
        link, note = possible(_link(body, full))
        if note:
            notes.append(note)
            numbers = np.array(link.inertia)[FULL]
            if full and numbers.any():
                body.fullinertia = numbers
            else:  # in the axes that the file gives, which stay
                body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
                body.inertia = numbers[:3]
    compiler = spec.compiler
    compiler.boundmass = max(compiler.boundmass, PLACEHOLDER)
    compiler.boundinertia = max(compiler.boundinertia, PLACEHOLDER)
    return notes


def _link(body: MjsBody, full: bool) -> Link:
    """The body with its inertia in its own axes, or in the principal axes that the file gives."""
    numbers = body.fullinertia if full else np.concatenate([body.inertia, np.zeros(3)])
    inertia = np.empty(6)
    inertia[FULL] = numbers
    xx, xy, xz, yy, yz, zz = inertia.tolist()
    name = body.name or "without a name"
    return Link(name, float(body.mass), NOWHERE, (xx, xy, xz, yy, yz, zz))
