"""OpenSim models (.osim) as descriptions.

`osim_text` scans the file, `osim_model` finds bodies and joints in formats 3 and 4, `osim_scale`
scales them to a subject, `osim_joints` makes chains of hinges and slides, `osim_forces` reads the
rest. OpenSim's y is up and its z points to the right; here z is up, so that the ground's x, y, z
are our x, z, -y. Bodies keep their own axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stiction.description.arguments import shown
from stiction.description.base import excludes_of_fixed_base
from stiction.description.description import (
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
)
from stiction.description.osim_forces import FORCES, Rest
from stiction.description.osim_joints import MOVING_AXES, Chains, is_identity
from stiction.description.osim_model import GROUND, OsimJoint, OsimModel, model_of
from stiction.description.osim_scale import Factors, Scale, scaled
from stiction.description.osim_text import KIND, LARGEST_OSIM, scan_osim
from stiction.description.plain import listed, quaternion_of, vector
from stiction.description.reading import STRICT, Reading, finished
from stiction.description.rotation import Pose, about, matrix, quaternion, six
from stiction.description.xml_text import bytes_of
from stiction.errors import InputError, ModelFileError

OSIM_BASES = ("coordinates", "floating")
UPRIGHT = {  # direction of gravity in the file -> the file's ground in our world
    (0, -1, 0): Pose(np.zeros(3), matrix(about((1.0, 0.0, 0.0), np.pi / 2)).round(15)),
    (0, 0, -1): Pose.identity(),
}


class OsimOptions(NamedTuple):
    """What may be left out of an OpenSim model or approximated, and how it is scaled."""

    forces: str = "refused"  # muscles and other forces: "refused" or "ignored"
    moving_axes: str = (
        "refused"  # splines: "refused", "fixed" at the default, "coupled" polynomials
    )
    scale: Mapping[str, Scale] | Scale | None = None  # by body: a factor, or three along its axes
    mass: float | None = None  # of the subject [kg]; None: that of the file

    def check(self) -> None:
        """Raise InputError for values that are not options."""
        for name, known in (("forces", FORCES), ("moving_axes", MOVING_AXES)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise InputError(f"OsimOptions: {name} is {shown(value)}; known are {known}")


AS_IT_IS = OsimOptions()


def read_osim(
    path: str | Path,
    base: str = "coordinates",
    options: OsimOptions = AS_IT_IS,
    reading: Reading = STRICT,
) -> Description:
    """The model in an .osim file; raises ModelFileError or DescriptionError that names the file.

    Args:
        path: the file.
        base: "coordinates" keeps the joint to the ground as the file has it; "floating" replaces
            one that has six freedoms by a free joint.
        options: what may be left out or approximated, and the subject's size.
        reading: options that all formats have.
    """
    path = Path(path)
    return _read(bytes_of(path, KIND, LARGEST_OSIM), str(path), base, options, reading)


def read_osim_text(
    text: str,
    source: str,
    base: str = "coordinates",
    options: OsimOptions = AS_IT_IS,
    reading: Reading = STRICT,
) -> Description:
    """The model in the text of an .osim file; `source` replaces the file in messages."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(f"{source}: is not text ({error}); give a valid one") from None
    return _read(data, source, base, options, reading, encoding="utf-8")


def _read(
    data: bytes,
    source: str,
    base: str,
    options: OsimOptions,
    reading: Reading,
    encoding: str | None = None,
) -> Description:
    if base not in OSIM_BASES:
        raise InputError(f"{source}: base={shown(base)}; known are {', '.join(OSIM_BASES)}")
    options.check()
    element, version = scan_osim(data, source, encoding)
    model = model_of(element, version)
    factors = Factors(options.scale, model)
    model = scaled(model, factors, options.mass)
    chains = Chains(options.moving_axes, base == "floating", _upright(model))
    order = _outwards(model)
    for joint in order:
        chains.add(joint)
    rest = Rest(model, chains, factors, options.forces)
    rest.read()
    if chains.refused:
        raise ModelFileError(listed(source, chains.refused))
    return finished(_description(model, order, chains, rest), reading)


def _upright(model: OsimModel) -> Pose:
    """The ground of the file in our world, from its gravity."""
    gravity = np.array(model.element.optional("gravity", (0.0, -9.80665, 0.0)))
    size = float(np.linalg.norm(gravity))
    down = tuple((gravity / size).round(9).astype(int).tolist()) if size else (0, -1, 0)
    exact = size == 0 or np.abs(gravity / size - down).max() < 1e-6
    if down not in UPRIGHT or not exact:
        found = " ".join(f"{g:g}" for g in gravity)
        where = model.element.where
        raise ModelFileError(f"{where} has gravity {found}; expected it along -y or -z")
    return UPRIGHT[down]


def _outwards(model: OsimModel) -> list[OsimJoint]:
    """Joints from the ground outwards; every body must be reached once."""
    on: dict[str, list[OsimJoint]] = {}
    to: dict[str, OsimJoint] = {}
    names: set[str] = set()
    for joint in model.joints:
        if joint.child in to:
            found = f"body '{joint.child}' is the child of '{to[joint.child].name}', too"
            raise ModelFileError(f"{joint.element.where}: {found}; a body has one parent")
        if not joint.name or joint.name in names:
            raise ModelFileError(f"{joint.element.where}: give every joint a name of its own")
        names.add(joint.name)
        to[joint.child] = joint
        on.setdefault(joint.parent, []).append(joint)
    order, waiting = [], on.get(GROUND, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += on.get(joint.child, [])[::-1]
    lost = [name for name in model.bodies if name not in {joint.child for joint in order}]
    if lost:
        shown_few = ", ".join(f"'{name}'" for name in lost[:5])
        message = f"no chain of joints leads from the ground to {shown_few}; add a joint"
        raise ModelFileError(f"{model.source}: {message}")
    return order


def _description(
    model: OsimModel, order: list[OsimJoint], chains: Chains, rest: Rest
) -> Description:
    joints = tuple(chains.joints)
    frames = [*rest.frames]
    for name in model.bodies:
        pose = chains.on_link[name]
        if not is_identity(pose):
            turn = quaternion_of(quaternion(pose.rotation))
            frames.append(Frame(f"{name}/body", chains.link_of[name], vector(pose.position), turn))
    near = [
        (chains.link_of[joint.parent], chains.link_of[joint.child])
        for joint in order
        if joint.parent != GROUND
    ]
    excludes = dict.fromkeys([*excludes_of_fixed_base(joints), *near])
    home = Keyframe("home", tuple(chains.home), (0.0,) * _velocities(joints))
    links = (*(_link(model, chains, name) for name in model.bodies), *chains.links)
    return Description(
        model.name,
        model.source,
        links,
        joints,
        tuple(rest.shapes),
        tuple(frames),
        tuple(rest.actuators),
        keyframes=(home,),
        contact_excludes=tuple(excludes),
        loops=tuple(chains.loops),
        notes=(*chains.listed(), *_on_gravity(model)),
    )


def _link(model: OsimModel, chains: Chains, name: str) -> Link:
    """A body as a link, whose frame is at its joint."""
    body, pose = model.bodies[name], chains.on_link[name]
    centre = pose.position + pose.rotation @ body.centre
    xx, xy, xz, yy, yz, zz = six(pose.rotation @ body.inertia @ pose.rotation.T).tolist()
    return Link(name, body.mass, vector(centre), (xx, xy, xz, yy, yz, zz))


def _velocities(joints: tuple[Joint, ...]) -> int:
    sizes = {"free": 6, "spherical": 3, "fixed": 0}
    return sum(sizes.get(joint.type, 1) for joint in joints)


def _on_gravity(model: OsimModel) -> list[str]:
    gravity = model.element.one("gravity")
    if gravity is None:
        return []
    size = float(np.linalg.norm(model.element.numbers("gravity", 3)))
    told = f"gravity of the file is {size:g} m/s2; that of the world is used"
    return [] if np.isclose(size, 9.81, atol=1e-6) else [told]
