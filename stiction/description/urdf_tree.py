"""Links and joints of a URDF file: their tree and its root."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stiction.description.urdf_text import Element
from stiction.errors import ModelFileError

DUMMY_MASS = 1e-3  # [kg]


class Tree(NamedTuple):
    """The tree of a file: its root, and its links and joints with parents before children."""

    root: str
    links: list[str]
    joints: list[str]


def tree_of(robot: Element, source: str) -> Tree:
    """The single tree of links and joints."""
    links = _named(robot.all("link"), "link", source)
    joints = _named(robot.all("joint"), "joint", source)
    if not links:
        raise ModelFileError(f"{source}: the robot has no <link>; it needs at least one")
    on: dict[str, list[str]] = {}  # joints on a link, in the order of the file
    joint_to: dict[str, str] = {}
    for name, joint in joints.items():
        parent, child = ends_of(joint)
        where = f"{source}, line {joint.line}: joint '{name}'"
        for end, link in (("parent", parent), ("child", child)):
            if link not in links:
                raise ModelFileError(
                    f"{where} has the {end} '{link}', which is not a link; name one"
                )
        if parent == child:
            raise ModelFileError(f"{where} attaches link '{child}' to itself; name another parent")
        if child in joint_to:
            found = f"link '{child}' is the child of joints '{joint_to[child]}' and '{name}'"
            raise ModelFileError(f"{where}: {found}; a link has one parent")
        joint_to[child] = name
        on.setdefault(parent, []).append(name)
    root = _root(links, joint_to, joints, source)
    return Tree(root, *_walk(root, on, {name: ends_of(each)[1] for name, each in joints.items()}))


def is_dummy(robot: Element, tree: Tree) -> bool:
    """Whether the root is a link of hardly any mass from which the robot floats."""
    joints = [joint for joint in robot.all("joint") if ends_of(joint)[0] == tree.root]
    if not joints or any(joint.attributes["type"] != "floating" for joint in joints):
        return False
    [root] = [link for link in robot.all("link") if link.attributes["name"] == tree.root]
    inertial = root.one("inertial")
    mass = inertial.one("mass") if inertial else None
    return mass is None or sum(mass.numbers("value")) <= DUMMY_MASS


def ends_of(joint: Element) -> tuple[str, str]:
    """Parent and child link of a joint."""
    parent, child = joint.one("parent"), joint.one("child")
    assert parent is not None and child is not None  # ensured by the scan
    return parent.attributes["link"], child.attributes["link"]


def _named(elements: list[Element], kind: str, source: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in elements:
        name = element.attributes["name"]
        if name in found:
            message = f"{kind} '{name}' is already defined in line {found[name].line}"
            where = f"{source}, line {element.line}"
            raise ModelFileError(f"{where}: {message}; names must be unique")
        found[name] = element
    return found


def _root(
    links: Iterable[str], joint_to: dict[str, str], joints: dict[str, Element], source: str
) -> str:
    """The only link without a parent; every link must be connected to it."""
    roots = [name for name in links if name not in joint_to]
    if len(roots) > 1:
        shown = ", ".join(f"'{name}'" for name in roots[:5])
        message = (
            f"{len(roots)} links have no parent, {shown}; connect them into one tree with joints"
        )
        raise ModelFileError(f"{source}: {message}")
    above = {child: ends_of(joints[name])[0] for child, name in joint_to.items()}
    good = set(roots)
    for name in links:
        way: dict[str, None] = {}  # an ordered set
        while name not in good:
            if name in way:
                loop = [*list(way)[list(way).index(name) :], name][:10]
                message = f"the parents of link '{name}' form a cycle, {' -> '.join(loop)}"
                raise ModelFileError(f"{source}: {message}; a robot is a tree")
            way[name] = None
            name = above[name]
        good |= way.keys()
    return roots[0]


def _walk(
    root: str, on: dict[str, list[str]], child_of: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Links and joints depth first, in the order of the file."""
    links, joints = [root], []
    waiting = on.get(root, [])[::-1]
    while waiting:
        joint = waiting.pop()
        joints.append(joint)
        links.append(child_of[joint])
        waiting += on.get(child_of[joint], [])[::-1]
    return links, joints
