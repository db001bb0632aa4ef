"""`stiction robots`: list the built-in robots, or describe one robot."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from stiction.cli.command import Command
from stiction.cli.output import Result, as_text
from stiction.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def _built_in() -> dict[str, Callable[[], Robot]]:
    from stiction import robots

    return {name: getattr(robots, name) for name in sorted(robots.__all__)}


def find_robot(args: argparse.Namespace) -> Robot:
    """Return a built-in robot by name, or else the robot in the file."""
    return robot_of(args.robot, args)


def robot_of(name: str, args: argparse.Namespace) -> Robot:
    """Return the robot of a name, read with the options of the command line."""
    from stiction.description.hull import DEFAULT_POINTS
    from stiction.robot.collections import COLLECTIONS, collection_and_name
    from stiction.robot.load import load

    built_in = _built_in()
    if name in built_in:
        for option in ("inertia", "hull_points", "base", "mimic", "unsimulated"):
            if getattr(args, option) and args.robot == name:
                told = option.replace("_", "-")
                raise InputError(f"--{told}: only for files; '{name}' is built in")
        return built_in[name]()
    named = collection_and_name(name)
    if named is None and not Path(name).suffix and not Path(name).exists():
        known = ", ".join(built_in)
        raise InputError(
            f"no robot '{name}': neither a file nor a built-in robot; built-in robots are {known}; "
            f"names of other robots begin with {', '.join(f'{one}:' for one in COLLECTIONS)}"
            f"{did_you_mean(name, built_in)}"
        )
    return load(
        name,
        base=args.base,
        roots=args.root,
        mimic=args.mimic,
        inertia=args.inertia or "strict",
        hull_points=args.hull_points or DEFAULT_POINTS,
        unsimulated=args.unsimulated or "refused",
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "robot",
        nargs="?",
        metavar="ROBOT",
        help="model file, built-in name or COLLECTION:NAME; if omitted, list all; "
        "COLLECTION: lists the robots of a collection",
    )
    add_file_arguments(parser)


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a model file."""
    parser.add_argument(
        "--base",
        choices=("floating", "fixed", "planar"),
        help="how the root of a URDF or VRML robot is attached to the world",
    )
    parser.add_argument(
        "--mimic",
        choices=("followed", "free", "fixed"),
        help="how to treat the mimic joints of a URDF robot",
    )
    parser.add_argument(
        "--inertia",
        choices=("strict", "repair"),
        help="what to do with inertias that no body can have: refuse them (default), or repair",
    )
    parser.add_argument(
        "--unsimulated",
        choices=("refused", "ignored"),
        help="what to do with tendons, and resistance of free joints, of an MJCF robot: refuse it "
        "(default), or ignore it",
    )
    parser.add_argument(
        "--hull-points",
        type=int,
        metavar="N",
        help="largest number of vertices of a mesh's convex hull (default 64)",
    )
    parser.add_argument(
        "--root",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="folder from which meshes and included files may be read; may be repeated",
    )


def _run(args: argparse.Namespace) -> Result:
    from stiction.robot.collections import COLLECTIONS

    if args.robot is not None and args.robot.removesuffix(":") in COLLECTIONS:
        return _of_collection(args.robot.removesuffix(":"))
    if args.robot is not None:
        return _describe(find_robot(args))
    rows = []
    for name, make in _built_in().items():
        robot = make()
        size = {"links": len(robot.parent), "nq": robot.nq, "nv": robot.nv}
        rows.append({"name": name, **size, "mass [kg]": robot.total_mass})
    return {"robots": rows, "collections": [_collection(name) for name in COLLECTIONS]}


def _collection(name: str) -> Result:
    """Where a collection is, and how many robots it has."""
    from stiction.robot.collections import COLLECTIONS

    try:
        robots, folder = len(COLLECTIONS[name].names()), str(COLLECTIONS[name].folder())
    except InputError as error:
        return {"name": name, "robots": None, "where": str(error)}
    return {"name": name, "robots": robots, "where": folder}


def _of_collection(collection: str) -> Result:
    """The robots of a collection, by the names that `load` takes."""
    from stiction.robot.collections import COLLECTIONS

    return {
        "folder": str(COLLECTIONS[collection].folder()),
        "robots": [f"{collection}:{name}" for name in COLLECTIONS[collection].names()],
    }


def _describe(robot: Robot) -> Result:
    """Parts of a robot, and remarks on suspicious values."""
    from stiction.world.checkup import remarks
    from stiction.world.soles import soles

    return {
        "name": robot.name,
        "source": robot.source,
        "nq": robot.nq,
        "nv": robot.nv,
        "total mass [kg]": robot.total_mass,
        "links": _link_rows(robot),
        "joints": _joint_rows(robot),
        "shapes": _shape_rows(robot),
        "soles": [
            {
                "link": sole.link,
                "length [m]": round(sole.length, 6),
                "width [m]": round(sole.width, 6),
                "above the lowest point [m]": round(sole.height, 6),
            }
            for sole in soles(robot)
        ],
        "remarks": remarks(robot),
        "notes": [str(note) for note in robot.notes],
    }


def _link_rows(robot: Robot) -> list[Result]:
    return [
        {
            "link": str(name),
            "parent": str(robot.link_name[parent]) if parent >= 0 else "world",
            "mass [kg]": float(mass),
            "centre of mass [m]": centre.tolist(),
        }
        for name, parent, mass, centre in zip(
            robot.link_name, robot.parent, robot.mass, robot.centre, strict=True
        )
    ]


def _robot_text(result: Result) -> str:
    """A description of a robot with its links as an indented tree."""
    if "links" not in result:
        return as_text(result)
    depth = {"world": -1}
    rows = []
    for row in result["links"]:
        depth[row["link"]] = depth[row["parent"]] + 1
        rows.append({**row, "link": "  " * depth[row["link"]] + row["link"]})
        del rows[-1]["parent"]
    return as_text({**result, "links": rows})


def _joint_rows(robot: Robot) -> list[Result]:
    from stiction.robot.arrays import JOINT_CODES

    kinds = {code: kind for kind, code in JOINT_CODES.items()}
    rows = []
    for i, name in enumerate(robot.joint_name):
        d, kind = robot.v_index[i], kinds[int(robot.joint_type[i])]
        bounded = bool(robot.lower[d] > -math.inf or robot.upper[d] < math.inf)
        limits = f"{robot.lower[d]:.4g} to {robot.upper[d]:.4g}" if bounded else None
        strength = float(robot.effort_upper[d])
        rows.append(
            {
                "joint": str(name),
                "type": kind,
                "limits": limits,
                "effort": strength if math.isfinite(strength) else None,
                "armature": float(robot.armature[d]),
                "damping": float(robot.damping[d]),
                "friction": float(robot.friction[d]),
            }
        )
    return rows


def _shape_rows(robot: Robot) -> list[Result]:
    from stiction.description.description import SHAPE_KINDS

    return [
        {
            "shape": str(name),
            "link": str(robot.link_name[link]) if (link := robot.shape_link[i]) >= 0 else "world",
            "kind": SHAPE_KINDS[robot.shape_kind[i]],
            "size [m]": [x for x in robot.shape_size[i].tolist() if x > 0],
            "collides": bool(robot.shape_collides[i]),
        }
        for i, name in enumerate(robot.shape_name)
    ]


COMMAND = Command(
    "robots", "list the built-in robots, or describe one robot", _arguments, _run, _robot_text
)
