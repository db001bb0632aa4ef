"""OpenHRP's VRML97 models as descriptions.

`vrml` parses the text into nodes, `openhrp_tree` walks through those of the Humanoid and collects
joints, bodies, shapes and sensors, and this module makes a `Description` of them.

Where OpenHRP's format is ambiguous, this reader follows OpenHRP's loader (ModelLoaderUtil.cpp,
BodyInfo_impl.cpp): an empty limit means no limit and any number is a limit, so that `llimit 0
ulimit 0` locks a joint; a joint's rotor adds rotorInertia gearRatio^2. Where that loader guesses
(an unknown jointType is free), this one refuses. The order of the coordinates is that of the file,
not that of jointId.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from stiction.description.base import excludes_of_fixed_base
from stiction.description.checks import COORDINATES, VELOCITIES
from stiction.description.description import Description, Frame, Joint, Keyframe, Link, Sensor
from stiction.description.openhrp_fields import OPENHRP, nodes, pose_of, string
from stiction.description.openhrp_loops import loop_of
from stiction.description.openhrp_shapes import quaternion
from stiction.description.openhrp_tree import Tree
from stiction.description.plain import first_few, listed, unique, vector
from stiction.description.reading import STRICT, Reading, finished
from stiction.description.rotation import Pose, joined, six
from stiction.description.vrml_files import parse_vrml, read_vrml
from stiction.description.vrml_nodes import Node
from stiction.errors import InputError, ModelFileError

BASES = {None: None, "floating": "free", "fixed": "fixed"}


def read_openhrp(
    path: str | Path,
    base: str | None = None,
    roots: Iterable[str | Path] = (),
    reading: Reading = STRICT,
) -> Description:
    """The robot in an OpenHRP VRML97 file; raises ModelFileError or DescriptionError.

    `base` "floating" or "fixed" overrides the type of the root joint. Inlined files are read only
    from the folder of the file and the folders `roots`.
    """
    path = Path(path)
    root_joint = _root_joint(base)
    top = read_vrml(path, [Path(root) for root in roots], OPENHRP)
    return _description(top, str(path), path.stem, root_joint, reading)


def read_openhrp_text(
    text: str,
    source: str,
    base: str | None = None,
    roots: Iterable[str | Path] = (),
    reading: Reading = STRICT,
) -> Description:
    """The robot in OpenHRP VRML97 text; `source` replaces the file name in messages."""
    root_joint = _root_joint(base)
    top = parse_vrml(text, source, [Path(root) for root in roots], OPENHRP)
    return _description(top, source, Path(source).stem, root_joint, reading)


def _root_joint(base: str | None) -> str | None:
    if base not in BASES:
        raise InputError(
            f"base is {base!r}; give 'floating', 'fixed', or None for the base of the file"
        )
    return BASES[base]


def _description(
    top: list[Node], source: str, stem: str, base: str | None, reading: Reading
) -> Description:
    humanoid = _humanoid(top, source)
    root = nodes(humanoid, "humanoidBody")
    if len(root) != 1 or root[0].type != "Joint":
        found = ", ".join(node.title for node in root[:5]) or "nothing"
        humanoid.refuse(f"has {found} in humanoidBody; expected one Joint", "humanoidBody")
    tree = Tree(pose_of(humanoid), base, reading.hull_points)
    tree.walk(root[0])
    extra = [*(node for node in top if node.type == "ExtraJoint"), *tree.extra]
    if tree.refused:
        raise ModelFileError(listed(source, tree.refused))
    taken: set[str] = set()
    frames, sensors = _sensors(tree)
    description = Description(
        name=humanoid.name or string(humanoid, "name") or stem,
        source=source,
        links=tuple(_link(name, bodies) for name, bodies in tree.bodies.items()),
        joints=tuple(tree.joints),
        shapes=tuple(tree.shapes),
        frames=frames,
        sensors=sensors,
        keyframes=(_home(tree),),
        contact_excludes=excludes_of_fixed_base(tree.joints),
        loops=tuple(loop_of(node, taken) for node in extra),
        visuals=tuple(tree.visuals),
        notes=(*_outside(top), *tree.notes()),
    )
    return finished(description, reading)


def _humanoid(top: list[Node], source: str) -> Node:
    found = [node for node in top if node.type == "Humanoid"]
    if not found:
        raise ModelFileError(f"{source}: has no Humanoid node; an OpenHRP model has one")
    if len(found) > 1:
        found[1].refuse(
            "is a second Humanoid; a file holds one robot; move this one to a file of its own"
        )
    return found[0]


def _outside(top: list[Node]) -> list[str]:
    """A note on nodes outside the Humanoid that could be meant to touch it."""
    kinds = ("Shape", "Transform", "Group", "Inline", "Joint", "Segment", "Switch", "LOD")
    left = [node.name or node.type for node in top if node.type in kinds]
    return [f"ignored, because they are outside the Humanoid: {first_few(left)}"] if left else []


def _link(name: str, bodies: list[tuple[float, np.ndarray, np.ndarray]]) -> Link:
    if len(bodies) == 1:
        mass, centre, inertia = bodies[0]
    else:
        mass, centre, inertia = joined(bodies)
    xx, xy, xz, yy, yz, zz = (float(value) + 0.0 for value in six(inertia))
    return Link(name, float(mass), vector(centre), (xx, xy, xz, yy, yz, zz))


def _sensors(tree: Tree) -> tuple[tuple[Frame, ...], tuple[Sensor, ...]]:
    """Every sensor, and a frame of the same name at its place."""
    taken = set(tree.bodies)  # a link on a fixed joint becomes a frame of its own name
    frames, sensors = [], []
    for node, link, pose in tree.sensors:
        name = unique(node.name or string(node, "name") or f"{link}_{node.type}", taken)
        frames.append(Frame(name, link, vector(pose.position), quaternion(pose.rotation)))
        sensors.append(Sensor(name, node.type, name, "frame"))
    return tuple(frames), tuple(sensors)


def _home(tree: Tree) -> Keyframe:
    """The root where the file puts it and every joint at zero."""
    q: list[float] = []
    for joint in tree.joints:
        q += _at_home(joint, tree.root)
    return Keyframe("home", tuple(q), (0.0,) * sum(VELOCITIES[j.type] for j in tree.joints))


def _at_home(joint: Joint, root: Pose) -> list[float]:
    if joint.type == "free":
        return [*vector(root.position), *quaternion(root.rotation)]
    return [0.0] * COORDINATES[joint.type]
