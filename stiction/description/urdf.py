"""URDF files, read with yourdfpy and trimesh, as descriptions.

`urdf_text` scans the file before yourdfpy reads it, `urdf_tree` finds its tree, `urdf_joints` and
`urdf_shapes` make joints and shapes, `urdf_files` finds the meshes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from stiction.description.base import BASES, NO_INERTIA, base_of, excludes_of_fixed_base
from stiction.description.checks import complaints
from stiction.description.description import NOWHERE, WORLD, Description, Link
from stiction.description.plain import first_few, listed, vector
from stiction.description.reading import STRICT, Reading, finished
from stiction.description.repair import repaired
from stiction.description.rotation import six
from stiction.description.triangles import fixed_links
from stiction.description.urdf_files import Files
from stiction.description.urdf_joints import MIMICS, Choices, Joints
from stiction.description.urdf_sensors import Sensors
from stiction.description.urdf_shapes import Shapes
from stiction.description.urdf_text import KIND, LARGEST_URDF, Element, scan_urdf
from stiction.description.urdf_tree import Tree, is_dummy, tree_of
from stiction.description.xml_text import bytes_of
from stiction.errors import InputError, ModelFileError

if TYPE_CHECKING:
    from yourdfpy.urdf import Link as ParsedLink
    from yourdfpy.urdf import Robot as Parsed

OWN = ("transmission", "gazebo")  # elements that yourdfpy does not need


def read_urdf(
    path: str | Path,
    base: str = "floating",
    roots: Sequence[str | Path] = (),
    mimic: str = "followed",
    reading: Reading = STRICT,
) -> Description:
    """The robot in a URDF file; raises ModelFileError or DescriptionError that names the file.

    Args:
        path: the file.
        base: how the root link is attached to the world: "floating", "fixed", or "planar", where it
            moves along x and z and turns about y.
        roots: folders that may hold meshes, in addition to the package of the file.
        mimic: how to treat joints that mimic another one: "followed", "free" to move independently,
            or "fixed" at zero.
        reading: options that all formats have.
    """
    path = Path(path)
    choices = _choices(base, mimic)
    data = bytes_of(path, KIND, LARGEST_URDF)
    files = Files(path.parent, tuple(map(Path, roots)))
    return _read(data, str(path), choices, files, reading)


def read_urdf_text(
    text: str,
    source: str,
    base: str = "floating",
    roots: Sequence[str | Path] = (),
    folder: str | Path | None = None,
    mimic: str = "followed",
    reading: Reading = STRICT,
) -> Description:
    """The robot in URDF text; `source` and `folder` replace the file and its folder."""
    choices = _choices(base, mimic)
    files = Files(Path(folder) if folder is not None else None, tuple(map(Path, roots)))
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"{source}: is not text: {error}; give the text of a URDF file"
        ) from error
    return _read(data, source, choices, files, reading, encoding="utf-8")


def _choices(base: str, mimic: str) -> Choices:
    for name, value, known in (("base", base, BASES), ("mimic", mimic, MIMICS)):
        if value not in known:
            raise InputError(f"{name} is {value!r}; known are {', '.join(known)}")
    return Choices(base, mimic)


def _read(
    data: bytes,
    source: str,
    choices: Choices,
    files: Files,
    reading: Reading,
    encoding: str | None = None,
) -> Description:
    robot, unread = scan_urdf(data, source, encoding)
    tree = tree_of(robot, source)
    notes = [f"ignored elements and attributes: {first_few(unread)}"] if unread else []
    if tree.root == WORLD:  # its joints define how the robot is attached
        choices = choices._replace(base="fixed")
        notes.append(f"the root link '{WORLD}' is the fixed world; base is not used")
    elif is_dummy(robot, tree):
        choices = choices._replace(base="fixed")
        notes.append(f"the root link '{tree.root}', a dummy that the robot floats from, is fixed")
    joints = Joints(source, tree.root, choices, robot)
    shapes = Shapes(source, files, robot, reading.hull_points)
    description = _description(robot, tree, joints, shapes, reading)
    return finished(replace(description, notes=(*notes, *description.notes)), reading)


def _parsed(robot: Element, source: str) -> Parsed:
    """The robot as yourdfpy reads it from the elements that our scan accepted."""
    from yourdfpy import URDF

    text = ElementTree.tostring(_xml(robot))
    try:
        return URDF.load(BytesIO(text), build_scene_graph=False, load_meshes=False).robot
    except Exception as error:  # as far as we know, our scan refuses all such files
        message = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelFileError(f"{source}: yourdfpy rejects it: {message}") from error


def _xml(element: Element) -> ElementTree.Element:
    """The element for yourdfpy, without what only we read; it does not support capsules."""
    tag = "cylinder" if element.tag == "capsule" else element.tag
    made = ElementTree.Element(tag, element.attributes)
    made.extend(_xml(child) for child in element.children if child.tag not in OWN)
    return made


def _description(
    robot: Element, tree: Tree, joints: Joints, shapes: Shapes, reading: Reading
) -> Description:
    source, parsed = joints.source, _parsed(robot, joints.source)
    own_links, own_joints = robot.all("link"), robot.all("joint")
    links = {link.name: (link, own) for link, own in zip(parsed.links, own_links, strict=True)}
    hinges = {each.name: (each, own) for each, own in zip(parsed.joints, own_joints, strict=True)}
    bodies = [_link(links[link][0]) for link in tree.links]
    moves = [joints.joint(*hinges[joint]) for joint in tree.joints]
    if tree.root == WORLD:
        _check_space(bodies.pop(0), source)
    else:
        between, base = base_of(tree.root, joints.choices.base, set(hinges))
        bodies, moves = between + bodies, base + moves
    name = robot.attributes["name"]
    bare = Description(name, source, tuple(bodies), tuple(moves))
    shapes.fixed = fixed_links(moves)
    shapes.visuals.name_colours(robot)
    for link in tree.links:
        shapes.add(*links[link])
    refused = [*joints.refused, *shapes.refused]
    if refused:
        found = complaints(repaired(bare) if reading.repairs else bare)
        raise ModelFileError(listed(source, [*refused, *found]))
    sensors = Sensors(robot, bodies, moves)
    return replace(
        bare,
        shapes=tuple(shapes.shapes),
        frames=tuple(sensors.frames),
        sensors=tuple(sensors.sensors),
        contact_excludes=excludes_of_fixed_base(moves),
        loops=tuple(joints.loops),
        visuals=tuple(shapes.visuals.found),
        notes=(*joints.notes(), *shapes.notes(), *sensors.notes()),
    )


def _check_space(link: Link, source: str) -> None:
    if link.mass != 0.0:
        message = f"the root link is named '{WORLD}', reserved for the fixed world, and has a mass"
        raise ModelFileError(f"{source}: {message}; rename it")


def _link(parsed: ParsedLink) -> Link:
    """The link, with the inertia turned into its own axes."""
    inertial = parsed.inertial
    if inertial is None:
        return Link(parsed.name, 0.0, NOWHERE, NO_INERTIA)
    pose = np.eye(4) if inertial.origin is None else inertial.origin
    turn = pose[:3, :3]
    xx, xy, xz, yy, yz, zz = six(turn @ inertial.inertia @ turn.T).tolist()
    return Link(parsed.name, inertial.mass, vector(pose[:3, 3]), (xx, xy, xz, yy, yz, zz))
