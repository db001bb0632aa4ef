"""Rules for the loop closures of a description."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stiction.description.description import LOOP_KINDS, WORLD, Description

UNIT = 1e-6  # tolerance of a file's rounding on unit length


def loops(description: Description) -> Iterator[str]:
    """Complaints about kinds, names and numbers of loop closures."""
    kinds = {joint.name: joint.type for joint in description.joints}
    joints = {*kinds, ""}
    links = {link.name for link in description.links} | {WORLD}
    for loop in description.loops:
        where = f"loop '{loop.name}'"
        if loop.kind not in LOOP_KINDS:
            yield f"{where} is of kind '{loop.kind}'; known are {', '.join(LOOP_KINDS)}"
        what, known = ("joint", joints) if loop.kind == "joint" else ("link", links)
        for name in (loop.first, loop.second):
            if name not in known:
                yield f"{where} names {what} '{name}', which does not exist; name one that does"
            elif what == "joint" and kinds.get(name, "revolute") not in ("revolute", "prismatic"):
                yield f"{where} couples {kinds[name]} joint '{name}'; name hinges or slides"
        if loop.kind == "joint" and (loop.first in ("", loop.second) or not loop.coefficients):
            found = f"couples joint '{loop.first}' with '{loop.second}'"
            yield f"{where} {found}; give two joints, and coefficients"
        values = np.array(
            [*np.ravel(loop.positions), *np.ravel(loop.quaternions), *loop.axis]
            + [*loop.coefficients, *loop.references],
            float,
        )
        if not np.isfinite(values).all():
            yield f"{where} has numbers that are not finite; give finite ones"
        lengths = [np.linalg.norm(unit) for unit in (*loop.quaternions, loop.axis)]
        if not np.allclose(lengths, 1.0, atol=UNIT):
            yield f"{where} has a quaternion or an axis that is not of unit length; give unit ones"
