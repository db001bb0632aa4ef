"""What differs between the robots and the grounds of a batch: masses, joints, heights.

mass             factor of the masses and inertias of links
centre_of_mass   displacement of the centres of mass of links, in their axes [m]
joint_friction   factor of the Coulomb friction of joints
joint_damping    factor of their damping
armature         factor of their armature
heights          heights of the ground, a `HeightField`, at its grid points [m]
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import numbers, shown
from stiction.errors import InputError
from stiction.world.ground import HeightField
from stiction.world.world import World

# fields of the tree that a factor multiplies
FACTORS = {
    "mass": ("mass", "inertia"),
    "joint_friction": ("friction",),
    "joint_damping": ("damping",),
    "armature": ("armature",),
}
CENTRE, HEIGHTS = "centre_of_mass", "heights"
NAMES = (*FACTORS, CENTRE, HEIGHTS)
TREE, GROUND = "dynamics.tree.", "surface.ground."
LARGEST = 1e6  # factor or length [m]


def each_variation(
    world: World, given: Mapping[str, ArrayLike] | None, worlds: int
) -> dict[str, np.ndarray]:
    """Return the arrays that differ, by their paths in a world, (worlds, ...)."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"variations: found {shown(given)}; give a dictionary, with keys among "
            f"{', '.join(NAMES)}"
        )
    found: dict[str, np.ndarray] = {}
    for name, value in given.items():
        if name not in NAMES:
            raise InputError(
                f"variations: found {shown(name)}; what can differ: {', '.join(NAMES)}"
            )
        values = numbers(value)
        if values.shape[:1] != (worlds,) or not (np.abs(values) <= LARGEST).all():
            raise InputError(
                f"variations: {name} is {shown(value)}; give finite numbers for each of {worlds} "
                "worlds"
            )
        if name in FACTORS:
            found |= _multiplied(world, name, values)
        elif name == CENTRE:
            found[f"{TREE}centre"] = _moved(world, values)
        else:
            found |= _raised(world, values)
    return found


def _multiplied(world: World, name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """Fields of the tree times factors, one for each world or one for each entry."""
    tree = world.tree
    entries = len(getattr(tree, FACTORS[name][0]))
    least = 0.0 if name != "mass" else 1e-6
    fits = values.shape[1:] in ((), (entries,))
    if not fits or not (values >= least).all():
        what = "link, with the ground" if name == "mass" else "velocity"
        problem = f"is as low as {values.min():g}" if fits else f"has shape {values.shape}"
        raise InputError(
            f"variations: {name} {problem}; give a factor of at least {least:g} for each world, or "
            f"for each of {entries} ({what}) in each world"
        )
    each = np.broadcast_to(values.reshape(len(values), -1), (len(values), entries))
    found = {}
    for field in FACTORS[name]:
        one = getattr(tree, field)
        found[TREE + field] = each.reshape(*each.shape, *[1] * (one.ndim - 1)) * one
    return found


def _moved(world: World, values: np.ndarray) -> np.ndarray:
    centre = world.tree.centre
    if values.shape[1:] != centre.shape:
        raise InputError(
            f"variations: {CENTRE} has shape {values.shape}; give a displacement for each link, "
            f"with the ground, of each world: {(len(values), *centre.shape)}"
        )
    return centre + values


def _raised(world: World, values: np.ndarray) -> dict[str, np.ndarray]:
    """Grounds of other heights on the same grid."""
    ground = world.ground
    if not isinstance(ground, HeightField):
        raise InputError(
            f"variations: {HEIGHTS} need a world on a HeightField; this one is on {ground!r:.60}"
        )
    shape = np.shape(ground.heights)
    if values.shape[1:] != shape:
        raise InputError(
            f"variations: {HEIGHTS} have shape {values.shape}; give {(len(values), *shape)}, as "
            "the ground of the world has"
        )
    grounds = [HeightField(one, ground.spacing, ground.origin).bind() for one in values]
    return {
        f"{GROUND}height": np.stack([one.height for one in grounds]),
        f"{GROUND}stretch": np.stack([one.stretch for one in grounds]),
    }
