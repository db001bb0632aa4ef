"""Several motions under the names by which pictures distinguish them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from stiction.errors import InputError
from stiction.visual.frames import model_name

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

LAYOUTS = ("side by side", "ghosts")


def named(motions: Motion | Mapping[str, Motion] | Iterable[Motion]) -> dict[str, Motion]:
    """Motions by name: their own keys, else their contact models, numbered if these are equal."""
    from stiction.motion.motion import Motion

    if isinstance(motions, Mapping):
        found = {str(name): motion for name, motion in motions.items()}
    else:
        found = {}
        for motion in [motions] if isinstance(motions, Motion) else motions:
            if not isinstance(motion, Motion):
                raise InputError(f"expected a Motion, found {type(motion).__name__}")
            base = name = model_name(motion)
            number = 2
            while name in found:
                name, number = f"{base} {number}", number + 1
            found[name] = motion
    if not found:
        raise InputError("no motion was given; give at least one")
    return found


def checked_layout(layout: str) -> str:
    """The layout, if it is one."""
    if layout not in LAYOUTS:
        raise InputError(f"layout is {layout!r}; give {' or '.join(map(repr, LAYOUTS))}")
    return layout
