"""`load`: a model file of any supported format -> `Robot`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from stiction.description.arguments import shown
from stiction.description.hull import DEFAULT_POINTS
from stiction.description.osim import OsimOptions, read_osim
from stiction.description.reading import Reading
from stiction.errors import InputError, ModelFileError
from stiction.robot.collections import collection_and_name, find
from stiction.robot.robot import Robot

FORMATS = "MJCF (.xml, .mjcf), URDF (.urdf), OpenHRP VRML (.wrl), OpenSim (.osim), saved (.npz)"
ROOT_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*)")
COMMENT_OR_HEAD = re.compile(rb"<!--.*?-->|<[?!][^>]*>", re.DOTALL)
SNIFFED = 65536  # bytes read from the start of a file to detect its format


def load(
    path: str | Path,
    base: str | None = None,
    roots: Iterable[str | Path] = (),
    mimic: str | None = None,
    inertia: str = "strict",
    hull_points: int = DEFAULT_POINTS,
    osim: OsimOptions | None = None,
    unsimulated: str = "refused",
) -> Robot:
    """Read a robot; the content decides the format.

    Known are MJCF, URDF, OpenHRP VRML, OpenSim models and saved robots.

    Args:
        path: the file, or `COLLECTION:NAME`, a robot of a collection that is on this machine, such
            as mujoco_menagerie:unitree_g1; docs/loading.md has the collections.
        base: how the root of a URDF or VRML robot is attached to the world: "floating" (default for
            URDF), "fixed", or for URDF "planar". For OpenSim models "coordinates" (default: the
            joint that the file has) or "floating".
        roots: folders that may hold meshes and included files, in addition to that of the file.
        mimic: how to treat the mimic joints of a URDF file: "followed" (default), "free" to move
            independently, or "fixed".
        inertia: "strict" refuses inertias that no body can have, and links that would move without
            any; "repair" mends them. The notes of the robot say what was changed.
        hull_points: largest number of vertices of a mesh's convex hull. `shape_error` of the robot
            is the distance between the full hulls and the thinned ones.
        unsimulated: "refused" lists what an MJCF file has and is not simulated; "ignored" leaves
            out tendons, and damping, friction, armature and springs of free joints, with a note.
        osim: what may be left out of an OpenSim model or approximated, and the subject's size.
    """
    reading = Reading(inertia, hull_points, unsimulated)
    reading.check()
    folders = _folders(roots)
    if not isinstance(path, str | Path):
        raise InputError(f"load(): path is {shown(path)}; give a string or a Path")
    named = collection_and_name(path)
    if named is not None:
        path, where = find(*named)
        folders = (*folders, *where)
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"{path}: no such file")
    kind = format_of(path)
    if base is not None and kind not in ("urdf", "vrml", "osim"):
        raise InputError(
            f"{path}: base={base!r} is only for URDF, VRML and OpenSim files; this is {kind}"
        )
    if mimic is not None and kind != "urdf":
        raise InputError(f"{path}: mimic={mimic!r} is only for URDF files; this is {kind}")
    if unsimulated != "refused" and kind != "mjcf":
        raise InputError(f"{path}: unsimulated='ignored' is only for MJCF files; this is {kind}")
    if osim is not None and (kind != "osim" or not isinstance(osim, OsimOptions)):
        raise InputError(f"{path}: osim={shown(osim)}: give OsimOptions, for an OpenSim model")
    if kind == "npz":
        return Robot.load(path)
    if kind == "urdf":
        from stiction.description.urdf import read_urdf

        description = read_urdf(path, base or "floating", folders, mimic or "followed", reading)
    elif kind == "vrml":
        from stiction.description.openhrp import read_openhrp

        description = read_openhrp(path, base, folders, reading)
    elif kind == "osim":
        description = read_osim(path, base or "coordinates", osim or OsimOptions(), reading)
    else:
        from stiction.description.mjcf import read_mjcf

        description = read_mjcf(path, folders, reading)
    return Robot.from_description(description)


def _folders(roots: Iterable[str | Path]) -> tuple[Path, ...]:
    several = isinstance(roots, Iterable) and not isinstance(roots, str | bytes)
    if not (several and all(isinstance(root, str | Path) for root in roots)):
        raise InputError(f"roots: found {shown(roots)}; give a list of folders")
    return tuple(map(Path, roots))


def format_of(path: Path) -> str:
    """Return "npz", "vrml", "mjcf", "urdf" or "osim", from the content of the file."""
    with open(path, "rb") as file:
        begin = file.read(SNIFFED)
    if begin.startswith(b"PK"):
        return "npz"
    if begin.startswith(b"#VRML"):
        return "vrml"
    if begin.startswith(b"\x89HDF"):
        raise ModelFileError(
            f"{path}: is an HDF5 file, such as a motion or the table of a sweep; a robot is "
            f"{FORMATS}"
        )
    root = ROOT_ELEMENT.search(COMMENT_OR_HEAD.sub(b"", begin))
    by_element = {b"mujoco": "mjcf", b"mujocoinclude": "mjcf", b"robot": "urdf"}
    by_element[b"OpenSimDocument"] = "osim"
    if root is not None and root[1] in by_element:
        return by_element[root[1]]
    by_suffix = {".xml": "mjcf", ".mjcf": "mjcf", ".urdf": "urdf", ".wrl": "vrml", ".npz": "npz"}
    by_suffix[".osim"] = "osim"
    if path.suffix.lower() in by_suffix:
        return by_suffix[path.suffix.lower()]  # its reader reports what is wrong
    found = f"its root element is <{root[1].decode()}>" if root else f"suffix '{path.suffix}'"
    raise ModelFileError(f"{path}: unknown format ({found}); known are {FORMATS}")
