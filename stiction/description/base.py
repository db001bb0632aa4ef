"""Links and joints between WORLD and the first link of a robot."""

from __future__ import annotations

from collections.abc import Iterable

from stiction.description.description import WORLD, Joint, Link
from stiction.description.plain import unique

NO_INERTIA = (0.0,) * 6
BASES = ("floating", "fixed", "planar")


def base_of(root: str, base: str, taken: set[str]) -> tuple[list[Link], list[Joint]]:
    """Links and joints between WORLD and the root link.

    A planar base moves along x, then along z, and turns about y, through massless links.
    """
    if base == "floating":
        return [], [Joint(unique(f"{root}_free", taken), "free", WORLD, root)]
    if base == "fixed":
        return [], [Joint(unique(f"{root}_fixed", taken), "fixed", WORLD, root)]
    names = [unique(f"{root}_{way}", taken) for way in ("x", "z", "turn")]
    x, z = (Link(f"{root}/{way}", 0.0, (0.0, 0.0, 0.0), NO_INERTIA) for way in ("x", "z"))
    return [x, z], [
        Joint(names[0], "prismatic", WORLD, x.name, axis=(1.0, 0.0, 0.0)),
        Joint(names[1], "prismatic", x.name, z.name, axis=(0.0, 0.0, 1.0)),
        Joint(names[2], "revolute", z.name, root, axis=(0.0, 1.0, 0.0)),
    ]


def excludes_of_fixed_base(joints: Iterable[Joint]) -> tuple[tuple[str, str], ...]:
    """Pairs of links, one of them fixed to the world, that a moving joint connects.

    They are neighbours. Without an exclude, fixed links are scenery, which all links may touch.
    joints: from the root outwards.
    """
    carrier = {WORLD: WORLD}  # the moving link to which a link is fixed, or WORLD
    next_to_base = set()
    for joint in joints:
        moves = joint.type != "fixed"
        carrier[joint.child] = joint.child if moves else carrier[joint.parent]
        if moves and carrier[joint.parent] == WORLD:
            next_to_base.add(joint.child)
    fixed = [link for link, on in carrier.items() if on == WORLD != link]
    near = [link for link, on in carrier.items() if on in next_to_base]
    return tuple((one, other) for one in fixed for other in near)
