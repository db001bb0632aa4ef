"""URDF files as descriptions.

`urdf_text` scans the file, `urdf_tree` finds its tree, `urdf_joints` and `urdf_shapes` make joints
and shapes, `urdf_files` finds the meshes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stiction.description.base import BASES, NO_INERTIA, base_of, excludes_of_fixed_base
from stiction.description.checks import complaints
from stiction.description.description import NOWHERE, WORLD, Description, Link
from stiction.description.plain import first_few, listed
from stiction.description.reading import STRICT, Reading, finished
from stiction.description.repair import repaired
from stiction.description.rotation import matrix, six, symmetric
from stiction.description.triangles import fixed_links
from stiction.description.urdf_files import Files
from stiction.description.urdf_joints import MIMICS, Choices, Joints
from stiction.description.urdf_sensors import Sensors
from stiction.description.urdf_shapes import Shapes, placed
from stiction.description.urdf_text import KIND, LARGEST_URDF, Element, scan_urdf
from stiction.description.urdf_tree import Tree, is_dummy, tree_of
from stiction.description.xml_text import bytes_of
from stiction.errors import InputError, ModelFileError

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


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


def _description(
    robot: Element, tree: Tree, joints: Joints, shapes: Shapes, reading: Reading
) -> Description:
    source = joints.source
    links = {link.attributes["name"]: link for link in robot.all("link")}
    hinges = {joint.attributes["name"]: joint for joint in robot.all("joint")}
    bodies = [_link(links[link]) for link in tree.links]
    moves = [joints.joint(hinges[joint]) for joint in tree.joints]
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
        shapes.add(links[link])
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


def _link(own: Element) -> Link:
    """The link of an element, with the inertia turned into its own axes."""
    name, inertial = own.attributes["name"], own.one("inertial")
    if inertial is None:
        return Link(name, 0.0, NOWHERE, NO_INERTIA)
    (mass,) = inertial.needed("mass").numbers("value")
    given = inertial.needed("inertia")
    centre, quaternion = placed(inertial)
    turn = matrix(quaternion)
    inertia = symmetric([given.numbers(word)[0] for word in INERTIA])
    xx, xy, xz, yy, yz, zz = six(turn @ inertia @ turn.T).tolist()
    return Link(name, mass, centre, (xx, xy, xz, yy, yz, zz))
