"""MJCF files, compiled by MuJoCo itself, as descriptions.

`mjcf_files` and `mjcf_text` check the file and those that it names, `mjcf_compile` hands them to
MuJoCo in a child process, `mjcf_refused` finds what is not simulated, `mjcf_tree` makes the links
and joints, and the rest is here.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stiction.description.checks import SIZES
from stiction.description.description import (
    Actuator,
    Description,
    Frame,
    Keyframe,
    Material,
    Sensor,
    Shape,
)
from stiction.description.mjcf_compile import Compiled
from stiction.description.mjcf_files import Judged, judged_files
from stiction.description.mjcf_loops import loops_of
from stiction.description.mjcf_meshes import Body, bodies_of_meshes, notes_on_meshes
from stiction.description.mjcf_model import (
    KINDS,
    Names,
    colliding_geoms,
    friction_on_ground,
    names_of,
    pairs_with_own_friction,
)
from stiction.description.mjcf_refused import notes_on, refuse_what_is_not_simulated
from stiction.description.mjcf_tendons import Drive, drives_of
from stiction.description.mjcf_text import scan
from stiction.description.mjcf_tree import offsets_of, range_of, tree_of
from stiction.description.mjcf_visuals import visuals_of
from stiction.description.plain import first_few, quaternion_of, unique, vector
from stiction.description.reading import STRICT, Reading, finished
from stiction.description.sensor_kinds import size_of
from stiction.errors import ModelFileError
from stiction.files.child import Task, call

if TYPE_CHECKING:
    from mujoco import MjModel


def read_mjcf(
    path: str | Path, roots: Iterable[str | Path] = (), reading: Reading = STRICT
) -> Description:
    """The robot in an MJCF file; raises ModelFileError or DescriptionError that names the file.

    Files that it names must be in its package, its own folder or one of `roots`.
    """
    path = Path(path)
    return _read(judged_files(path, tuple(map(Path, roots))), str(path), reading)


def read_mjcf_text(text: str, source: str, reading: Reading = STRICT) -> Description:
    """The robot in MJCF text; `source` replaces the file name in messages."""
    scanned = scan(text.encode(), source, top=True)
    for named in scanned.named:
        found = f"{named.where}: <{named.tag}> includes '{named.name[:80]}'"
        raise ModelFileError(f"{found}; give read_mjcf the path of a file")
    return _read(Judged(scanned.text(), {}, {}, {}), source, reading)


def _read(judged: Judged, source: str, reading: Reading) -> Description:
    task = Task("stiction.description.mjcf_compile:compiled", source, "MuJoCo")
    out: Compiled = call(task, judged.text, judged.parts, judged.assets, reading.repairs)
    if out.rejected:
        message = f"{judged.in_words_of_the_file(out.rejected)}; correct the file"
        if "inertia" in message and not reading.repairs:
            message += ", or load with inertia='repair'"
        raise ModelFileError(f"{source}: MuJoCo's compiler rejects it: {message}")
    model: MjModel = pickle.loads(out.model)
    names = names_of(model)
    ignored = refuse_what_is_not_simulated(model, names, source, reading.ignores)
    description = finished(_description(model, names, source, reading), reading)
    said = tuple(f"MuJoCo warns: {warning}" for warning in out.warnings)
    return replace(description, notes=(*out.notes, *ignored, *description.notes, *said))


def _description(model: MjModel, names: Names, source: str, reading: Reading) -> Description:
    offsets = offsets_of(model)
    links, joints = tree_of(model, names, offsets)
    meshes = bodies_of_meshes(model, names, source, reading.hull_points)
    shapes, materials = _shapes(model, names, offsets, meshes)
    frames = _frames(model, names, offsets)
    sensors, unread = _sensors(model, names, offsets)
    excludes = sorted((int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature)
    pairs = zip(model.pair_geom1, model.pair_geom2, strict=True)
    material = {shape.name: shape.material for shape in shapes}
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
        friction_pairs=tuple(
            (material[names.geom[a]], material[names.geom[b]], mu)
            for a, b, mu in pairs_with_own_friction(model)
            if names.geom[a] in material and names.geom[b] in material
        ),
        contact_excludes=tuple((names.body[a], names.body[b]) for a, b in excludes),
        loops=loops_of(model, names, offsets),
        visuals=visuals_of(model, names, offsets),
        notes=(*notes_on(model, names), *notes_on_meshes(model, names), *unread),
    )


def _shapes(
    model: MjModel, names: Names, offsets: np.ndarray, meshes: dict[int, Body]
) -> tuple[tuple[Shape, ...], tuple[Material, ...]]:
    shapes: list[Shape] = []
    materials: dict[str, Material] = {}
    colliding, frictions = colliding_geoms(model), friction_on_ground(model)
    special = {geom for *pair, _ in pairs_with_own_friction(model) for geom in pair}
    for i, name in enumerate(names.geom):
        kind = KINDS.get(int(model.geom_type[i]))
        if kind is None:
            continue
        mesh = meshes.get(i, Body(kind))
        kind = mesh.kind
        if kind == "hull" and len(mesh.vertices) < 4 and not colliding[i]:
            continue
        material = _material(model, i, float(frictions[i]), name if i in special else "")
        materials.setdefault(material.name, material)
        body = model.geom_bodyid[i]
        size = tuple(model.geom_size[i, : SIZES[kind]].tolist())
        position = vector(model.geom_pos[i] - offsets[body])
        quaternion = quaternion_of(model.geom_quat[i])
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
                mesh.vertices,
                (int(model.geom_contype[i]), int(model.geom_conaffinity[i])),
                mesh.error,
                mesh.triangles,
            )
        )
    return tuple(shapes), tuple(materials.values())


def _material(model: MjModel, i: int, mu: float, geom: str) -> Material:
    """The material of geom i with friction mu on the ground; its own one if it has a name."""
    bodies, priority = float(model.geom_friction[i, 0]), int(model.geom_priority[i])
    name = f"friction {mu}"
    name += f", {bodies} between bodies" if bodies != mu else ""
    name += f", priority {priority}" if priority else ""
    name += f" of {geom}" if geom else ""
    return Material(name, mu, mu, None if bodies == mu else bodies, priority)


def _frames(model: MjModel, names: Names, offsets: np.ndarray) -> tuple[Frame, ...]:
    frames = []
    for i, name in enumerate(names.site):
        body = model.site_bodyid[i]
        position = vector(model.site_pos[i] - offsets[body])
        frames.append(Frame(name, names.body[body], position, quaternion_of(model.site_quat[i])))
    for body in np.flatnonzero(offsets.any(axis=1)):
        name = names.body[body]
        frames.append(Frame(f"{name}_origin", name, vector(-offsets[body])))
    return tuple(frames)


def _actuators(model: MjModel, names: Names) -> tuple[Actuator, ...]:
    from mujoco import mjtBias, mjtGain, mjtTrn

    actuators, drives = [], drives_of(model)
    for i, name in enumerate(names.actuator):
        gain, bias = model.actuator_gainprm[i, :3].copy(), model.actuator_biasprm[i, :3].copy()
        if model.actuator_gaintype[i] == mjtGain.mjGAIN_FIXED:
            gain[1:] = 0.0
        if model.actuator_biastype[i] == mjtBias.mjBIAS_NONE:
            bias[:] = 0.0
        control, out = model.actuator_ctrladr[i], model.actuator_outadr[i]
        drive = Drive(int(model.actuator_trnid[i, 0]), 1.0)
        if model.actuator_trntype[i] == mjtTrn.mjTRN_TENDON:
            drive = drives[drive.joint]
        actuators.append(
            Actuator(
                name,
                names.joint[drive.joint],
                drive.gear * float(model.actuator_gear[out, 0]),
                vector(gain),
                vector(bias),
                *range_of(model.actuator_ctrllimited[control], model.actuator_ctrlrange[control]),
                *range_of(model.actuator_forcelimited[i], model.actuator_forcerange[i]),
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
        errors = ((float(model.sensor_noise[i]),), (), *_delay_and_cutoff(model, i))
        if model.sensor_refid[i] >= 0 and model.sensor_reftype[i] != mjtObj.mjOBJ_UNKNOWN:
            others.append(name)  # measured relative to a second frame
        elif size_of(kind) not in (0, model.sensor_dim[i]):
            others.append(name)  # a range with directions, or from a camera
        elif measured == mjtObj.mjOBJ_SITE:
            sensors.append(Sensor(name, kind, names.site[target], "frame", *errors))
        elif measured == mjtObj.mjOBJ_JOINT:
            sensors.append(Sensor(name, kind, names.joint[target], "joint", *errors))
        elif measured == mjtObj.mjOBJ_XBODY and offsets[target].any():
            sensors.append(Sensor(name, kind, f"{names.body[target]}_origin", "frame", *errors))
        elif measured == mjtObj.mjOBJ_XBODY or (
            measured == mjtObj.mjOBJ_BODY and kind.startswith("subtree")
        ):
            sensors.append(Sensor(name, kind, names.body[target], "link", *errors))
        else:
            others.append(name)
    note = f"sensors ignored, because not at a site, body frame or joint: {first_few(others)}"
    return tuple(sensors), [note] if others else []


def _delay_and_cutoff(model: MjModel, i: int) -> tuple[float, float]:
    """Delay [s], which MuJoCo has since 3.5, and cutoff of a sensor."""
    delays = getattr(model, "sensor_delay", None)
    return 0.0 if delays is None else float(delays[i]), float(model.sensor_cutoff[i])


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
