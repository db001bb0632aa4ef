"""All rules for descriptions, whatever file or code they come from.

A rule is a generator of complaints. Each complaint names the element, what was found and what is
valid. The rules are in stages: each can rely on the stages before its own, and `check` raises all
complaints of the first stage that has any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import inf, isnan

import numpy as np

from stiction.description.composite import REPAIR, depths_of, moved
from stiction.description.description import (
    JOINT_TYPES,
    SHAPE_KINDS,
    WORLD,
    Description,
    Frame,
    Joint,
    Link,
    Material,
    Shape,
)
from stiction.description.hull import is_flat
from stiction.description.loop_checks import loops
from stiction.description.plain import listed, with_article
from stiction.description.rotation import symmetric
from stiction.description.sensor_checks import sensors
from stiction.description.triangles import complaints_on_mesh, fixed_links
from stiction.errors import DescriptionError

MOST_LINKS = 10_000
DEEPEST_TREE = 1000  # joints between WORLD and a link
UNIT = 1e-6  # tolerance of a file's rounding on unit length
ROUNDING = 1e-6  # relative; files print inertias with about seven digits
LARGEST = 1e15  # largest number allowed; products of larger ones would overflow
NOTHING = 1e-12  # inertia that counts as zero [kg m2]
NOT_NEGATIVE = ("armature", "damping", "friction", "stiffness")
COORDINATES = {"free": 7, "revolute": 1, "prismatic": 1, "spherical": 4, "fixed": 0}
VELOCITIES = {"free": 6, "revolute": 1, "prismatic": 1, "spherical": 3, "fixed": 0}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
SIZES |= {"hull": 0, "plane": 0, "points": 0, "mesh": 0}
FEWEST_VERTICES = {"hull": 4, "points": 1, "mesh": 3}
Rule = Callable[[Description], Iterator[str]]


def check(description: Description, of_file: bool = True) -> None:
    """Raise DescriptionError with all complaints about the description.

    of_file: whether it is read from a file, which may be read again with other options.
    """
    found = complaints(description)
    if not of_file:
        found = [complaint.replace(REPAIR, "") for complaint in found]
    if found:
        raise DescriptionError(listed(description.source, found))


def complaints(description: Description) -> list[str]:
    """All complaints of the first stage of rules that has any."""
    values = (_masses, _inertias, _joints, _shapes, _frames, _materials, _actuators)
    for rules in (*_structure(), (*values, _keyframes, loops, sensors), (moved,)):
        found = [complaint for rule in rules for complaint in rule(description)]
        if found:
            return found
    return []


def is_tree(description: Description) -> bool:
    """Whether the links form a tree, with numbers that may be worked with."""
    return not any(
        complaint
        for rules in (*_structure(), (_masses, _joints))
        for rule in rules
        for complaint in rule(description)
    )


def _structure() -> tuple[tuple[Rule, ...], ...]:
    return ((_counts,), (_names,), (_references, _kinds), (_tree,), (_numbers,))


def _counts(description: Description) -> Iterator[str]:
    count = len(description.links)
    if count == 0 and not description.shapes:
        yield f"'{description.name}' has no links and no shapes; it needs at least one"
    if count > MOST_LINKS:
        yield f"'{description.name}' has {count} links; the maximum is {MOST_LINKS}"


def _names(description: Description) -> Iterator[str]:
    kinds = ("link", "joint", "shape", "frame", "actuator", "sensor", "material", "keyframe")
    for kind in kinds:
        counted = Counter(element.name for element in getattr(description, f"{kind}s"))
        for name, count in counted.items():
            if not isinstance(name, str) or not name:
                yield f"{with_article(kind)} is named {name!r}; give it a name"
            if count > 1:
                yield f"{count} {kind}s are named '{name}'; names must be unique"
        if kind == "link" and WORLD in counted:
            yield f"a link is named '{WORLD}', which is reserved for the fixed world; rename it"


def _kinds(description: Description) -> Iterator[str]:
    for joint in description.joints:
        if joint.type not in JOINT_TYPES:
            known = ", ".join(JOINT_TYPES)
            yield f"joint '{joint.name}' has type '{joint.type}'; known are {known}"
    for shape in description.shapes:
        if shape.kind not in SHAPE_KINDS:
            where = f"shape '{shape.name}' of link '{shape.link}'"
            yield f"{where} is a '{shape.kind}'; known are {', '.join(SHAPE_KINDS)}"


def _references(description: Description) -> Iterator[str]:
    links = {link.name for link in description.links}
    joints = {joint.name for joint in description.joints}
    shapes = {shape.name for shape in description.shapes}
    frames = {frame.name for frame in description.frames}
    materials = {material.name for material in description.materials} | {"default"}
    places = links | {WORLD}
    targets = {"frame": frames, "link": places, "joint": joints}
    wanted: list[tuple[str, str, set[str]]] = []
    for joint in description.joints:
        wanted.append((f"joint '{joint.name}' has the parent link", joint.parent, places))
        wanted.append((f"joint '{joint.name}' has the child link", joint.child, links))
    for shape in description.shapes:
        wanted.append((f"shape '{shape.name}' is on link", shape.link, places))
        wanted.append((f"shape '{shape.name}' has the material", shape.material, materials))
    for frame in description.frames:
        wanted.append((f"frame '{frame.name}' is on link", frame.link, places))
    for actuator in description.actuators:
        wanted.append((f"actuator '{actuator.name}' drives joint", actuator.joint, joints))
    for sensor in description.sensors:
        kind = sensor.target_type
        if kind not in targets:
            yield f"sensor '{sensor.name}' has target type '{kind}'; known are {', '.join(targets)}"
        wanted.append(
            (f"sensor '{sensor.name}' is at {kind}", sensor.target, targets.get(kind, set()))
        )
    for pair in (*description.contact_pairs, *description.contact_excludes):
        if len(pair) != 2:
            yield f"contact pair or exclude {pair} has {len(pair)} names; expected two"
    for pair in description.contact_pairs:
        wanted += [(f"contact pair {pair} names shape", name, shapes) for name in pair]
    for pair in description.contact_excludes:
        wanted += [(f"contact exclude {pair} names link", name, places) for name in pair]
    for what, name, known in wanted:
        if name not in known:
            yield f"{what} '{name}', which does not exist; name one that does"


def _numbers(description: Description) -> Iterator[str]:
    """Complaints about numbers that are missing or not finite, wherever they are."""
    for link in description.links:
        where = f"link '{link.name}'"
        yield from _finite(f"{where} has mass", (link.mass,), 1)
        yield from _finite(f"{where} has its centre at", link.centre, 3)
        yield from _finite(f"{where} has inertia", link.inertia, 6)
    for joint in description.joints:
        where = f"joint '{joint.name}'"
        yield from _placed(where, joint)
        yield from _finite(f"{where} has axis", joint.axis, 3)
        yield from _finite(f"{where} has spring reference", (joint.spring_reference,), 1)
        for field in NOT_NEGATIVE:
            yield from _finite(f"{where} has {field}", (getattr(joint, field),), 1)
    for shape in description.shapes:
        where = f"shape '{shape.name}' of link '{shape.link}'"
        yield from _placed(where, shape)
        sized = f"{where}, {with_article(shape.kind)}, has size"
        yield from _finite(sized, shape.size, SIZES[shape.kind])
        yield from _vertices(where, shape)
    for frame in description.frames:
        yield from _placed(f"frame '{frame.name}'", frame)
    for material in description.materials:
        for field, mu in _frictions(material):
            yield from _finite(f"material '{material.name}' has {field}", (mu,), 1)
    for one, other, mu in description.friction_pairs:
        yield from _finite(f"the materials '{one}' and '{other}' have friction", (mu,), 1)
    for actuator in description.actuators:
        where = f"actuator '{actuator.name}'"
        yield from _finite(f"{where} has gear", (actuator.gear,), 1)
        yield from _finite(f"{where} has gain", actuator.gain, 3)
        yield from _finite(f"{where} has bias", actuator.bias, 3)
    yield from _keyframe_numbers(description)


def _keyframe_numbers(description: Description) -> Iterator[str]:
    types = [joint.type for joint in description.joints]
    nq = sum(COORDINATES[kind] for kind in types)
    nv = sum(VELOCITIES[kind] for kind in types)
    for keyframe in description.keyframes:
        where = f"keyframe '{keyframe.name}'"
        yield from _finite(f"{where} has q", keyframe.q, nq)
        yield from _finite(f"{where} has v", keyframe.v, nv)
        if len(keyframe.control):
            yield from _finite(f"{where} has control", keyframe.control, len(description.actuators))


def _masses(description: Description) -> Iterator[str]:
    for link in description.links:
        if link.mass < 0.0:
            yield f"link '{link.name}' has mass {link.mass} kg; give a positive number, or zero"


def _inertias(description: Description) -> Iterator[str]:
    for link in description.links:
        if link.mass == 0.0 and any(link.inertia):
            found = f"link '{link.name}' has mass 0 and inertia {link.inertia}"
            yield f"{found}; it must be zero, too{REPAIR}"
    for name, moments, negative in impossible_moments(description.links):
        found = f"link '{name}' has principal moments of inertia {moments}"
        rule = "be negative" if negative else "exceed the sum of the other two"
        yield f"{found}; none may {rule}; correct them{REPAIR}"


def impossible_moments(links: tuple[Link, ...]) -> list[tuple[str, list[float], bool]]:
    """Links with an inertia that no body has: name, principal moments, whether one is negative."""
    matrices = np.array([symmetric(link.inertia) for link in links]).reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(matrices)
    smallest, middle, largest = moments.T
    negative = smallest < -ROUNDING * np.abs(largest) - NOTHING
    unequal = smallest + middle < (1.0 - ROUNDING) * largest - NOTHING
    return [
        (links[i].name, moments[i].tolist(), bool(negative[i]))
        for i in np.flatnonzero(negative | unequal)
    ]


def _joints(description: Description) -> Iterator[str]:
    for joint in description.joints:
        where = f"joint '{joint.name}'"
        yield from _unit(f"{where} has quaternion", joint.quaternion)
        if joint.type in ("revolute", "prismatic"):
            yield from _unit(f"{where} has axis", joint.axis)
        yield from _ordered(f"{where} has limits", joint.lower, joint.upper)
        yield from _ordered(f"{where} has effort limits", joint.effort_lower, joint.effort_upper)
        for field in NOT_NEGATIVE:
            yield from _not_negative(f"{where} has {field}", getattr(joint, field))
        if not joint.speed_limit >= 0.0:
            yield f"{where} has speed limit {joint.speed_limit}; give a positive number"


def _tree(description: Description) -> Iterator[str]:
    parents: dict[str, str] = {}
    for joint in description.joints:
        if joint.type == "free" and joint.parent != WORLD:
            found = f"joint '{joint.name}' is free and has parent '{joint.parent}'"
            yield f"{found}; its parent can only be WORLD"
        if joint.parent == joint.child:
            attached = f"attaches link '{joint.child}' to itself"
            yield f"joint '{joint.name}' {attached}; name another parent"
        if joint.child in parents:
            yield f"link '{joint.child}' has two joints, one of them '{joint.name}'; keep one"
        parents[joint.child] = joint.parent
    for link in description.links:
        if link.name not in parents:
            yield f"link '{link.name}' has no joint to its parent; add one"
    depths = depths_of(parents)
    for link in description.links:
        loop = _loop(link.name, parents) if link.name not in depths else []
        if loop:
            cycle = f"its parents form a cycle, {' -> '.join(loop)}"
            yield f"link '{link.name}' is not reached from WORLD: {cycle}"
    too_deep = [name for name, depth in depths.items() if depth > DEEPEST_TREE]
    if too_deep:
        name = min(too_deep, key=depths.__getitem__)
        depth = depths[name]
        yield f"link '{name}' is {depth} joints from WORLD; the maximum is {DEEPEST_TREE}"


def _loop(name: str, parents: dict[str, str]) -> list[str]:
    """The links on the path up from `name` until one repeats, at most ten; none if it ends."""
    met = [name]
    while name in parents and len(met) < 10:
        name = parents[name]
        if name in met:
            return [*met, name]
        met.append(name)
    return met if name in parents else []


def _shapes(description: Description) -> Iterator[str]:
    held = fixed_links(description.joints)
    for shape in description.shapes:
        where = f"shape '{shape.name}' of link '{shape.link}'"
        yield from _unit(f"{where} has quaternion", shape.quaternion)
        if any(number <= 0.0 for number in shape.size):
            sized = f"{where}, {with_article(shape.kind)}, has size"
            yield f"{sized} {shape.size}; sizes must be positive"
        if not (len(shape.mask) == 2 and all(map(_is_whole, shape.mask))):
            yield f"{where} has the mask {shape.mask}; give contype and conaffinity of 32 bits"
        if shape.kind == "hull" and shape.collides and is_flat(np.array(shape.vertices)):
            yield f"{where} is a flat hull: its vertices lie in a plane; give it a thickness"
        yield from complaints_on_mesh(where, shape, held)


def _is_whole(bits: object) -> bool:
    return isinstance(bits, int) and -(2**31) <= bits < 2**31


def _vertices(where: str, shape: Shape) -> Iterator[str]:
    if shape.kind not in FEWEST_VERTICES:
        if shape.vertices:
            kind = with_article(shape.kind)
            yield f"{where} is {kind} with vertices; only a hull, a mesh or points have them"
        return
    what = "a set" if shape.kind == "points" else with_article(shape.kind)
    fewest = FEWEST_VERTICES[shape.kind]
    if len(shape.vertices) < fewest:
        yield f"{where} is {what} of {len(shape.vertices)} vertices; expected at least {fewest}"
    elif {len(vertex) for vertex in shape.vertices} != {3}:
        yield f"{where} is {what} with vertices that are not of three numbers; give x, y, z"
    elif not (np.abs(np.array(shape.vertices, dtype=float)) < LARGEST).all():
        yield f"{where} is {what} with vertices that are not finite; give finite numbers"


def _frames(description: Description) -> Iterator[str]:
    for frame in description.frames:
        yield from _unit(f"frame '{frame.name}' has quaternion", frame.quaternion)


def _materials(description: Description) -> Iterator[str]:
    for one, other, mu in description.friction_pairs:
        yield from _not_negative(f"the materials '{one}' and '{other}' have friction", mu)
    for material in description.materials:
        for field, mu in _frictions(material):
            yield from _not_negative(f"material '{material.name}' has {field}", mu)
        if not _is_whole(material.priority):
            found = f"material '{material.name}' has priority {material.priority!r}"
            yield f"{found}; give a whole number of 32 bits"


def _frictions(material: Material) -> list[tuple[str, float]]:
    """The coefficients of friction of a material, by name."""
    found = [("mu_static", material.mu_static), ("mu_kinetic", material.mu_kinetic)]
    return found if material.mu_bodies is None else [*found, ("mu_bodies", material.mu_bodies)]


def _actuators(description: Description) -> Iterator[str]:
    types = {joint.name: joint.type for joint in description.joints}
    for actuator in description.actuators:
        where = f"actuator '{actuator.name}'"
        if types[actuator.joint] not in ("revolute", "prismatic"):
            found = f"drives joint '{actuator.joint}' of type '{types[actuator.joint]}'"
            yield f"{where} {found}; an actuator can only drive revolute and prismatic joints"
        for kind in ("control", "force"):
            lower, upper = (getattr(actuator, f"{kind}_{end}") for end in ("lower", "upper"))
            yield from _ordered(f"{where} has {kind} range", lower, upper)


def _keyframes(description: Description) -> Iterator[str]:
    for keyframe in description.keyframes:
        start = 0
        for joint in description.joints:
            end = start + COORDINATES[joint.type]
            if joint.type in ("free", "spherical") and not any(keyframe.q[end - 4 : end]):
                where = f"keyframe '{keyframe.name}'"
                yield f"{where} has a zero quaternion for joint '{joint.name}'; give a unit one"
            start = end


def _placed(where: str, element: Joint | Shape | Frame) -> Iterator[str]:
    yield from _finite(f"{where} has position", element.position, 3)
    yield from _finite(f"{where} has quaternion", element.quaternion, 4)


def _unit(what: str, values: Iterable[float]) -> Iterator[str]:
    squared = sum(value * value for value in values)
    if abs(squared - 1.0) > 2.0 * UNIT:
        length = f"of length {squared**0.5:g}" if squared else "which is zero"
        yield f"{what} {values}, {length}; its length must be 1"


def _finite(what: str, values: Iterable[float], count: int) -> Iterator[str]:
    values = tuple(values)
    if len(values) != count:
        yield f"{what} {_shown(values)} of {len(values)} numbers; expected {count}"
    try:
        finite = all(abs(value) < LARGEST for value in values)
    except TypeError:
        finite = False
    if not finite:
        yield f"{what} {_shown(values)}; give finite numbers, smaller than {LARGEST:g}"


def _shown(values: tuple[float, ...]) -> str:
    if len(values) == 1:
        return repr(values[0])
    return repr(values) if len(values) <= 7 else f"({', '.join(map(repr, values[:7]))}, ...)"


def _not_negative(what: str, value: float) -> Iterator[str]:
    if value < 0.0:
        yield f"{what} {value}; it must not be negative"


def _ordered(what: str, lower: float, upper: float) -> Iterator[str]:
    if isnan(lower) or isnan(upper) or lower > upper or lower == inf or upper == -inf:
        yield f"{what} {lower} to {upper}; give the lower one first, or infinite ones for no limit"
