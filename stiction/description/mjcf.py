"""MJCF files, through MuJoCo's own compiler, as descriptions.

MuJoCo hangs any number of joints on a body, each at its own anchor; here a link has one joint and
its frame is at that joint. A body with several joints becomes a chain of massless links that ends
in the body. What MuJoCo would simulate and we do not is refused by name; what only sets up its
solver is left out, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat

import numpy as np

from stiction.description.checks import check
from stiction.description.description import (
    NOWHERE,
    UNTURNED,
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Material,
    Quaternion,
    Sensor,
    Shape,
    Vector,
)
from stiction.errors import ModelFileError

if TYPE_CHECKING:
    from mujoco import MjModel

LARGEST_FILE = 64_000_000  # [bytes]; a 120 MB comment loads in MuJoCo, and nobody meant it
DEEPEST_NESTING = 500  # elements
MOST_EXCLUDES = 200_000
TEXT_ATTRIBUTES = frozenset(
    "name class childclass model file prefix joint joint1 joint2 jointinparent body body1 body2 "
    "bodyname site site1 site2 geom geom1 geom2 mesh material texture hfield target parent refname "
    "objname tendon tendon1 tendon2 actuator cranksite slidersite refsite sidesite plugin instance "
    "key value meshdir texturedir assetdir".split()
)
SUSPICIOUS = re.compile("nan|inf|e[+]?[0-9]{3}", re.IGNORECASE)
TEXT_ELEMENTS = frozenset({"text", "tuple", "numeric", "config"})  # of the user, not read
FLAGS = (  # these would act by being switched off
    "constraint frictionloss limit contact spring damper clampctrl filterparent actuation".split()
)
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = 0, 2, 3, 4, 5, 6, 7  # mjtGeom
KINDS = {
    PLANE: "plane",
    SPHERE: "sphere",
    CAPSULE: "capsule",
    ELLIPSOID: "ellipsoid",
    CYLINDER: "cylinder",
    BOX: "box",
    MESH: "hull",
}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3, "plane": 0, "hull": 0}
FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
JOINT_NAMES = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


class Names(NamedTuple):
    """The name of every element by its id; elements without one are called by kind and id."""

    body: list[str]
    joint: list[str]
    geom: list[str]
    site: list[str]
    actuator: list[str]
    sensor: list[str]
    key: list[str]


def read_mjcf(path: str | Path) -> Description:
    """The robot in an MJCF file; raises ModelFileError or DescriptionError, which name the file."""
    from mujoco import MjModel

    path = Path(path)
    _scan_files(path)
    return _read(lambda: MjModel.from_xml_path(str(path)), str(path))


def read_mjcf_text(text: str, source: str) -> Description:
    """The robot in MJCF text; `source` stands for the file in messages."""
    from mujoco import MjModel

    for name in _scan(text.encode(), source, top=True):
        raise ModelFileError(f"{source}: includes '{name}'; give read_mjcf the path of a file")
    return _read(lambda: MjModel.from_xml_string(text), source)


def _read(compiled: Callable[[], MjModel], source: str) -> Description:
    try:
        model = compiled()
    except Exception as error:  # MuJoCo raises ValueError, and its own FatalError
        message = " ".join(str(error).split())
        raise ModelFileError(f"{source}: MuJoCo's compiler refuses it: {message}") from error
    names = _names(model)
    _refuse_what_is_not_simulated(model, names, source)
    description = _description(model, names, source)
    check(description)
    return description


def _scan_files(top: Path) -> None:
    """Refuse the file, or a file that it includes, before MuJoCo sees it."""
    waiting, seen = [top], set()
    while waiting:
        path = waiting.pop()
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        included = _scan(_bytes_of(path), str(path), top=path is top)
        for name in included:  # one that is nowhere is MuJoCo's to report
            candidates = (path.parent / name, top.parent / name)
            waiting += [candidate for candidate in candidates if candidate.is_file()][:1]


def _bytes_of(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelFileError(f"{path}: has {size} bytes; a model file may have {LARGEST_FILE}")
        return path.read_bytes()
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); give the path of an MJCF file"
        raise ModelFileError(message) from error


def _scan(data: bytes, source: str, top: bool) -> list[str]:
    """Names of the files that this one includes, after refusing XML that must not reach MuJoCo."""
    if not data.strip():
        raise ModelFileError(f"{source}: is empty; an MJCF file has a <mujoco> element")
    if len(data) > LARGEST_FILE:
        message = f"has {len(data)} bytes; a model file may have {LARGEST_FILE}"
        raise ModelFileError(f"{source}: {message}")
    included: list[str] = []
    depth = 0
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        where = f"{source}, line {parser.CurrentLineNumber}"
        if depth == 0 and top and tag != "mujoco":
            raise ModelFileError(f"{where}: the root element is <{tag}>; an MJCF file has <mujoco>")
        depth += 1
        if depth > DEEPEST_NESTING:
            raise ModelFileError(
                f"{where}: <{tag}> is nested deeper than {DEEPEST_NESTING} elements"
            )
        if tag in ("include", "model") and "file" in attributes:
            included.append(attributes["file"])
        _refuse_numbers(tag, attributes, where)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, *_: Any) -> None:
        raise ModelFileError(
            f"{source}: declares the XML entity '{name}'; write its text out instead"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(_without_comments(data), True)
    except (expat.ExpatError, ValueError) as error:
        message = f"{source}: is not XML: {error}; an MJCF file has a <mujoco> element"
        raise ModelFileError(message) from error
    return included


def _without_comments(data: bytes) -> bytes:
    """The same lines without comments: MuJoCo allows -- inside them, which XML forbids."""
    kept, start = [], 0
    while (opened := data.find(b"<!--", start)) >= 0:
        closed = data.find(b"-->", opened + 4)
        if closed < 0:
            break
        kept += [data[start:opened], b"\n" * data.count(b"\n", opened, closed)]
        start = closed + 3
    return b"".join([*kept, data[start:]])


def _refuse_numbers(tag: str, attributes: dict[str, str], where: str) -> None:
    """MuJoCo takes mass="nan" and range="1 -1" for values that were not given, so look here."""
    if tag in TEXT_ELEMENTS:
        return
    name = f" '{attributes['name']}'" if "name" in attributes else ""
    for attribute, value in attributes.items():
        found = f'{where}: <{tag}>{name} has {attribute}="{value[:80]}"'
        if attribute in TEXT_ATTRIBUTES:
            continue
        if SUSPICIOUS.search(value) and not all(map(_finite_or_text, value.split())):
            raise ModelFileError(f"{found}; write finite numbers")
        if attribute.endswith("range") and _empty_range(value.split()):
            raise ModelFileError(f"{found}; write the lower end first")


def _empty_range(tokens: list[str]) -> bool:
    """Whether two numbers are a range with nothing in it; 0 0 is MJCF for no range."""
    try:
        lower, upper = map(float, tokens)
    except ValueError:
        return False
    return lower >= upper and (lower, upper) != (0.0, 0.0)


def _finite_or_text(token: str) -> bool:
    try:
        return isfinite(float(token))
    except ValueError:
        return not re.match(r"[+-]?nan\(", token, re.IGNORECASE)  # C reads nan(7) as a number


def _names(model: MjModel) -> Names:
    counts = {
        "body": model.nbody,
        "joint": model.njnt,
        "geom": model.ngeom,
        "site": model.nsite,
        "actuator": model.nactuator,
        "sensor": model.nsensor,
        "key": model.nkey,
    }
    every = {}
    for kind, count in counts.items():
        given = [getattr(model, kind)(i).name for i in range(count)]
        taken = set(given)
        every[kind] = [name or unique(f"{kind}_{i}", taken) for i, name in enumerate(given)]
    every["body"][0] = WORLD
    return Names(**every)


def unique(name: str, taken: set[str]) -> str:
    """The name, lengthened until it is not taken; it is taken from then on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _refuse_what_is_not_simulated(model: MjModel, names: Names, source: str) -> None:
    for what in _not_simulated(model, names):
        raise ModelFileError(f"{source}: {what}, which is not simulated; take it out of the file")


def _not_simulated(model: MjModel, names: Names) -> Iterator[str]:
    """Every part of the model that would act in MuJoCo and would not act here."""
    yield from (
        f"equality constraint '{_name(model, 'equality', i)}'"
        for i in range(model.neq)
        if model.eq_active0[i]
    )
    for kind, count in (
        ("tendon", model.ntendon),
        ("flex", model.nflex),
        ("skin", model.nskin),
        ("plugin", model.nplugin),
    ):
        yield from (f"{kind} '{_name(model, kind, i)}'" for i in range(count))
    yield from (f"mocap body '{names.body[i]}'" for i in np.flatnonzero(model.body_mocapid >= 0))
    yield from (
        f"gravity compensation (gravcomp) of body '{names.body[i]}'"
        for i in np.flatnonzero(model.body_gravcomp)
    )
    for option in ("density", "viscosity", "wind"):
        if np.any(getattr(model.opt, option)):
            yield f"<option> has a fluid: {option} is {getattr(model.opt, option)}"
    yield from _flags_not_simulated(model)
    yield from _joints_not_simulated(model, names)
    yield from _actuators_not_simulated(model, names)
    for i in np.flatnonzero(_colliding(model)):
        if model.geom_type[i] not in KINDS:
            yield f"colliding height field or distance field, geom '{names.geom[i]}'"
        for field in ("adhesion", "surfacevel"):
            if np.any(getattr(model, f"geom_{field}")[i]):
                yield f"{field} of geom '{names.geom[i]}'"
    yield from (f"adhesion of contact pair {i}" for i in np.flatnonzero(model.pair_adhesion))


def _flags_not_simulated(model: MjModel) -> Iterator[str]:
    from mujoco import mjtDisableBit, mjtEnableBit

    for flag in FLAGS:
        if model.opt.disableflags & getattr(mjtDisableBit, f"mjDSBL_{flag.upper()}"):
            yield f'<flag {flag}="disable">'
    if model.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        yield '<flag override="enable">'


def _joints_not_simulated(model: MjModel, names: Names) -> Iterator[str]:
    for j in range(model.njnt):
        kind, dof, name = int(model.jnt_type[j]), model.jnt_dofadr[j], names.joint[j]
        if model.jnt_stiffnesspoly[j].any() or model.dof_dampingpoly[dof].any():
            yield f"polynomial stiffness or damping of joint '{name}'"
        if model.jnt_springyield[j] != 0.0 or model.jnt_plasticadr[j] >= 0:
            yield f"yielding spring of joint '{name}'"
        if kind in (HINGE, SLIDE):
            continue
        acting = {
            "stiffness": model.jnt_stiffness[j],
            "frictionloss": model.dof_frictionloss[dof],
            "a limit": model.jnt_limited[j],
            "an actuator force limit": model.jnt_actfrclimited[j],
        }
        if kind == FREE:
            acting |= {"damping": model.dof_damping[dof], "armature": model.dof_armature[dof]}
        yield from (
            f"{what} on {JOINT_NAMES[kind]} joint '{name}'"
            for what, amount in acting.items()
            if amount
        )


def _actuators_not_simulated(model: MjModel, names: Names) -> Iterator[str]:
    from mujoco import mjtBias, mjtDyn, mjtGain, mjtTrn

    allowed = {
        "trntype": (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT),
        "dyntype": (mjtDyn.mjDYN_NONE,),
        "gaintype": (mjtGain.mjGAIN_FIXED, mjtGain.mjGAIN_AFFINE),
        "biastype": (mjtBias.mjBIAS_NONE, mjtBias.mjBIAS_AFFINE),
    }
    kinds = {"trntype": mjtTrn, "dyntype": mjtDyn, "gaintype": mjtGain, "biastype": mjtBias}
    for i, name in enumerate(names.actuator):
        for field, known in allowed.items():
            value = kinds[field](int(getattr(model, f"actuator_{field}")[i]))
            if value not in known:
                yield f"actuator '{name}' has {field} {value.name.split('_')[1].lower()}"
        joint = model.actuator_trnid[i, 0]
        if model.jnt_type[joint] not in (HINGE, SLIDE):
            yield f"actuator '{name}' on joint '{names.joint[joint]}', not a hinge or slide"
        if model.actuator_ctrlnum[i] != 1:
            yield f"actuator '{name}' has {model.actuator_ctrlnum[i]} controls"
        if model.actuator_dampingpoly[i].any():
            yield f"polynomial damping of actuator '{name}'"
        group = model.actuator_group[i]
        if 0 <= group < 31 and model.opt.disableactuator >> int(group) & 1:
            yield f"<option actuatorgroupdisable> switches off actuator '{name}'"


def _name(model: MjModel, kind: str, i: int) -> str:
    import mujoco

    found = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), i)
    return found or f"{kind}_{i}"


def _colliding(model: MjModel) -> np.ndarray:
    """Whether each geom touches anything, by its own mask or by an explicit pair."""
    colliding = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    colliding[model.pair_geom1] = True
    colliding[model.pair_geom2] = True
    return colliding


def _description(model: MjModel, names: Names, source: str) -> Description:
    offsets = _offsets(model)
    links, joints = _tree(model, names, offsets)
    shapes, materials = _shapes(model, names, offsets)
    frames = _frames(model, names, offsets)
    sensors, unread = _sensors(model, names, offsets)
    excludes, lost = _excludes(model, names, source)
    pairs = zip(model.pair_geom1, model.pair_geom2, strict=True)
    return Description(
        name=model.names.split(b"\0")[0].decode(errors="replace"),
        source=source,
        links=links,
        joints=joints,
        shapes=shapes,
        frames=frames,
        actuators=_actuators(model, names),
        sensors=sensors,
        materials=materials,
        keyframes=_keyframes(model, names),
        contact_pairs=tuple((names.geom[a], names.geom[b]) for a, b in pairs),
        contact_excludes=excludes,
        notes=(*_notes(model, names), *unread, *lost),
    )


def _offsets(model: MjModel) -> np.ndarray:
    """Origin of each body's link frame, in the frame of the body as the file has it [m]."""
    offsets = np.zeros((model.nbody, 3))
    for body in range(model.nbody):
        if model.body_jntnum[body]:
            offsets[body] = _anchor(model, model.body_jntadr[body] + model.body_jntnum[body] - 1)
    return offsets


def _anchor(model: MjModel, j: int) -> np.ndarray:
    """Where a turning joint turns, in the frame of its body; a slide's anchor means nothing."""
    return model.jnt_pos[j] if model.jnt_type[j] in (HINGE, BALL) else np.zeros(3)


def _tree(
    model: MjModel, names: Names, offsets: np.ndarray
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    links: list[Link] = []
    joints: list[Joint] = []
    link_names, joint_names = set(names.body), set(names.joint)
    for body in range(1, model.nbody):
        parent_body = model.body_parentid[body]
        parent, name = names.body[parent_body], names.body[body]
        position, quaternion = model.body_pos[body] - offsets[parent_body], model.body_quat[body]
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        if count == 0:
            joint_name = unique(f"{name}_fixed", joint_names)
            joints.append(
                Joint(joint_name, "fixed", parent, name, _vector(position), _quaternion(quaternion))
            )
        for j in range(first, first + count):
            last = j == first + count - 1
            child = name if last else unique(f"{name}/{names.joint[j]}", link_names)
            joints.append(_joint(model, names, j, parent, child, position, quaternion))
            if not last:
                links.append(Link(child, 0.0, NOWHERE, (0.0,) * 6))
            parent, position, quaternion = child, -_anchor(model, j), np.array(UNTURNED)
        links.append(_link(model, name, body, offsets[body]))
    return tuple(links), tuple(joints)


def _link(model: MjModel, name: str, body: int, offset: np.ndarray) -> Link:
    turn = _rotation(model.body_iquat[body])
    inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
    centre = model.body_ipos[body] - offset
    six = inertia[(0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    return Link(name, float(model.body_mass[body]), _vector(centre), tuple(six.tolist()))


def _joint(
    model: MjModel,
    names: Names,
    j: int,
    parent: str,
    child: str,
    position: np.ndarray,
    quaternion: np.ndarray,
) -> Joint:
    """Joint `j`, whose body would be at `position` and `quaternion` of the parent without it."""
    kind, name = int(model.jnt_type[j]), names.joint[j]
    if kind == FREE:
        return Joint(name, "free", parent, child)  # its coordinates are absolute
    q, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
    position = position + _rotation(quaternion) @ _anchor(model, j)
    added_armature, added_damping = _added_by_actuators(model, j)
    own: dict[str, Any] = {
        "armature": float(model.dof_armature[dof]) + added_armature,
        "damping": float(model.dof_damping[dof]) + added_damping,
    }
    if kind in (HINGE, SLIDE):
        axis, reference = model.jnt_axis[j], float(model.qpos0[q])
        if kind == SLIDE:
            position = position - _rotation(quaternion) @ axis * reference
        elif reference != 0.0:
            back = np.r_[np.cos(reference / 2), -np.sin(reference / 2) * axis]
            quaternion = _product(quaternion, back)
        lower, upper = _limits(model.jnt_limited[j], model.jnt_range[j])
        weakest, strongest = _limits(model.jnt_actfrclimited[j], model.jnt_actfrcrange[j])
        own |= {
            "axis": _vector(axis),
            "lower": lower,
            "upper": upper,
            "friction": float(model.dof_frictionloss[dof]),
            "stiffness": float(model.jnt_stiffness[j]),
            "spring_reference": float(model.qpos_spring[q]),
            "effort_lower": weakest,
            "effort_upper": strongest,
        }
    return Joint(
        name, JOINT_NAMES[kind], parent, child, _vector(position), _quaternion(quaternion), **own
    )


def _added_by_actuators(model: MjModel, j: int) -> tuple[float, float]:
    """Armature and damping that the joint's actuators bring along, as felt at the joint."""
    driving = np.flatnonzero(model.actuator_trnid[:, 0] == j)
    gear2 = model.actuator_gear[model.actuator_outadr[driving], 0] ** 2
    armature = gear2 @ model.actuator_armature[driving]
    return float(armature), float(gear2 @ model.actuator_damping[driving])


def _limits(limited: bool, values: np.ndarray) -> tuple[float, float]:
    return (float(values[0]), float(values[1])) if limited else (-inf, inf)


def _shapes(
    model: MjModel, names: Names, offsets: np.ndarray
) -> tuple[tuple[Shape, ...], tuple[Material, ...]]:
    shapes: list[Shape] = []
    materials: dict[float, Material] = {}
    colliding = _colliding(model)
    for i, name in enumerate(names.geom):
        kind = KINDS.get(int(model.geom_type[i]))
        vertices = _vertices(model, i) if kind == "hull" else ()
        if kind is None or (kind == "hull" and len(vertices) < 4 and not colliding[i]):
            continue
        mu = float(model.geom_friction[i, 0])
        material = materials.setdefault(mu, Material(f"friction {mu}", mu, mu))
        body = model.geom_bodyid[i]
        size = tuple(model.geom_size[i, : SIZES[kind]].tolist())
        position = _vector(model.geom_pos[i] - offsets[body])
        quaternion = _quaternion(model.geom_quat[i])
        shapes.append(
            Shape(
                name,
                names.body[body],
                kind,
                size,
                position,
                quaternion,
                material.name,
                bool(colliding[i]),
                vertices,
            )
        )
    return tuple(shapes), tuple(materials.values())


def _vertices(model: MjModel, geom: int) -> tuple[Vector, ...]:
    """Vertices of the convex hull of a mesh; of a mesh that is only seen, its outermost ones."""
    mesh = model.geom_dataid[geom]
    start, graph = model.mesh_vertadr[mesh], model.mesh_graphadr[mesh]
    vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]].astype(float)
    if graph >= 0:  # layout of mesh_graph: two counts, edge addresses, then hull vertices
        count = model.mesh_graph[graph]
        hull = model.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]
    else:
        steps = np.linspace(-1.0, 1.0, 5)
        directions = np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 3)
        hull = np.unique(np.argmax(vertices @ directions.T, axis=0))
    return tuple(map(tuple, vertices[np.sort(hull)].tolist()))


def _frames(model: MjModel, names: Names, offsets: np.ndarray) -> tuple[Frame, ...]:
    frames = []
    for i, name in enumerate(names.site):
        body = model.site_bodyid[i]
        position = _vector(model.site_pos[i] - offsets[body])
        frames.append(Frame(name, names.body[body], position, _quaternion(model.site_quat[i])))
    for body in np.flatnonzero(offsets.any(axis=1)):
        name = names.body[body]
        frames.append(Frame(f"{name}_origin", name, _vector(-offsets[body])))
    return tuple(frames)


def _actuators(model: MjModel, names: Names) -> tuple[Actuator, ...]:
    from mujoco import mjtBias, mjtGain

    actuators = []
    for i, name in enumerate(names.actuator):
        gain, bias = model.actuator_gainprm[i, :3].copy(), model.actuator_biasprm[i, :3].copy()
        if model.actuator_gaintype[i] == mjtGain.mjGAIN_FIXED:
            gain[1:] = 0.0
        if model.actuator_biastype[i] == mjtBias.mjBIAS_NONE:
            bias[:] = 0.0
        control, out = model.actuator_ctrladr[i], model.actuator_outadr[i]
        actuators.append(
            Actuator(
                name,
                names.joint[model.actuator_trnid[i, 0]],
                float(model.actuator_gear[out, 0]),
                _vector(gain),
                _vector(bias),
                *_limits(model.actuator_ctrllimited[control], model.actuator_ctrlrange[control]),
                *_limits(model.actuator_forcelimited[i], model.actuator_forcerange[i]),
            )
        )
    return tuple(actuators)


def _sensors(
    model: MjModel, names: Names, offsets: np.ndarray
) -> tuple[tuple[Sensor, ...], list[str]]:
    """The sensors at frames, links and joints, and a note on those that measure something else."""
    from mujoco import mjtObj, mjtSensor

    sensors, others = [], []
    for i, name in enumerate(names.sensor):
        kind = mjtSensor(int(model.sensor_type[i])).name.removeprefix("mjSENS_").lower()
        target, measured = int(model.sensor_objid[i]), int(model.sensor_objtype[i])
        if model.sensor_refid[i] >= 0 and model.sensor_reftype[i] != mjtObj.mjOBJ_UNKNOWN:
            others.append(name)  # relative to a second frame
        elif measured == mjtObj.mjOBJ_SITE:
            sensors.append(Sensor(name, kind, names.site[target], "frame"))
        elif measured == mjtObj.mjOBJ_JOINT:
            sensors.append(Sensor(name, kind, names.joint[target], "joint"))
        elif measured == mjtObj.mjOBJ_XBODY and offsets[target].any():
            sensors.append(Sensor(name, kind, f"{names.body[target]}_origin", "frame"))
        elif measured == mjtObj.mjOBJ_XBODY or (
            measured == mjtObj.mjOBJ_BODY and kind.startswith("subtree")
        ):
            sensors.append(Sensor(name, kind, names.body[target], "link"))
        else:
            others.append(name)
    note = f"sensors left out, as they are not at a site, body frame or joint: {_listed(others)}"
    return tuple(sensors), [note] if others else []


def _keyframes(model: MjModel, names: Names) -> tuple[Keyframe, ...]:
    rows = (model.key_qpos.tolist(), model.key_qvel.tolist(), model.key_ctrl.tolist())
    keys = [
        Keyframe(name, tuple(q), tuple(v), tuple(control))
        for name, q, v, control in zip(names.key, *rows, strict=True)
    ]
    if "home" not in names.key:
        name = unique("qpos0", set(names.key))
        keys.append(Keyframe(name, tuple(model.qpos0.tolist()), (0.0,) * model.nv))
    return tuple(keys)


def _excludes(
    model: MjModel, names: Names, source: str
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Bodies that the file keeps from colliding, by <exclude> and by contype and conaffinity."""
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    masks: dict[int, set[tuple[int, int]]] = {}
    for i in np.flatnonzero(_colliding(model)):
        mask = (int(model.geom_contype[i]), int(model.geom_conaffinity[i]))
        masks.setdefault(int(model.geom_bodyid[i]), set()).add(mask)
    kinds: dict[frozenset[tuple[int, int]], list[int]] = {}
    for body, mask_set in masks.items():
        kinds.setdefault(frozenset(mask_set), []).append(body)
    mixed = False
    for first, bodies in kinds.items():
        for second, others in kinds.items():
            touching = {bool(a[0] & b[1] or b[0] & a[1]) for a in first for b in second}
            mixed |= len(touching) == 2
            if touching != {False}:
                continue
            if len(bodies) * len(others) > MOST_EXCLUDES:
                message = f"keep more than {MOST_EXCLUDES} pairs of bodies apart; use fewer bodies"
                raise ModelFileError(f"{source}: contype and conaffinity {message}")
            excluded |= {(a, b) for a in bodies for b in others if a < b}
    notes = (
        [
            "contype and conaffinity differ among the geoms of a body; bodies collide with all of "
            "their colliding geoms if any two of these match"
        ]
        if mixed
        else []
    )
    return tuple((names.body[a], names.body[b]) for a, b in sorted(excluded)), notes


def _notes(model: MjModel, names: Names) -> Iterator[str]:
    """What a user may want to know about what was left out."""
    yield "timestep, integrator and solver settings of the file are not used"
    if not np.array_equal(model.opt.gravity, (0.0, 0.0, -9.81)):
        gravity = model.opt.gravity.tolist()
        yield f"gravity {gravity} of the file is not used: World(gravity=...) decides"
    soft = model.jnt_limited & (
        (model.jnt_solref != (0.02, 1.0)).any(axis=1)
        | (model.jnt_solimp != (0.9, 0.95, 0.001, 0.5, 2.0)).any(axis=1)
    )
    if soft.any():
        listed = _listed([names.joint[j] for j in np.flatnonzero(soft)])
        yield f"soft limits of the file are simulated as hard stops: {listed}"
    delayed = [names.actuator[i] for i in np.flatnonzero(model.actuator_delay)]
    if delayed:
        yield f"actuator delays are left out: {_listed(delayed)}"
    yield from _contact_notes(model, names)


def _contact_notes(model: MjModel, names: Names) -> Iterator[str]:
    colliding = _colliding(model)
    if not colliding.any():
        yield "no geom of the file collides (contype and conaffinity are 0 and no <pair> names one)"
    checks = {
        "condim 1 is not read, the friction of the material acts": model.geom_condim == 1,
        "torsional and rolling friction (condim 4 and 6) are left out": model.geom_condim > 3,
        "contact margins are left out": (model.geom_margin != 0) | (model.geom_gap != 0),
        "contact priorities are left out": model.geom_priority != 0,
    }
    for note, concerned in checks.items():
        listed = [names.geom[i] for i in np.flatnonzero(concerned & colliding)]
        if listed:
            yield f"{note}: {_listed(listed)}"
    if model.npair:
        yield "friction of <pair> elements is not read; give it for the pair of materials"
    unread = [names.geom[i] for i in range(model.ngeom) if int(model.geom_type[i]) not in KINDS]
    if unread:
        yield f"height fields and distance fields are left out: {_listed(unread)}"
    seen = (model.geom_type == MESH) & ~colliding
    if seen.any():
        yield f"{seen.sum()} meshes that do not collide are kept as rough hulls for drawing"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) + 0.0 for value in values)  # + 0.0 turns -0.0 into 0.0
    return x, y, z


def _quaternion(values: np.ndarray) -> Quaternion:
    w, x, y, z = (float(value) for value in values / np.linalg.norm(values))
    return w, x, y, z


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation b followed by the rotation a, as a quaternion."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.r_[scalar, a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
