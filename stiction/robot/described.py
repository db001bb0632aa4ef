"""The arrays of a loaded robot, checked by the rules of descriptions.

`description_of` turns the arrays back into a description, so that a saved robot passes the same
rules as a model file. What a description does not have, matrices and values per velocity, is
checked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.checks import LARGEST, SIZES, complaints
from stiction.description.description import (
    LOOP_KINDS,
    SHAPE_KINDS,
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Loop,
    Material,
    Sensor,
    Shape,
)
from stiction.description.plain import unique
from stiction.description.sensor_kinds import size_of
from stiction.robot.arrays import JOINT_CODES, NOT_NEGATIVE

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

ROTATION = 1e-6  # tolerance on the entries of R' R - 1
TYPES = {code: name for name, code in JOINT_CODES.items()}


def wrong_values(robot: Robot) -> list[str]:
    """Complaints about a robot whose arrays have the right shapes and types."""
    found = [*_numbers(robot), *_rotations(robot), *_velocities(robot), *_excludes(robot)]
    return found or complaints(description_of(robot))


def _numbers(robot: Robot) -> Iterator[str]:
    """Complaints about numbers that no rule of descriptions sees."""
    if ((robot.shape_kind < 0) | (robot.shape_kind >= len(SHAPE_KINDS))).any():
        yield "'shape_kind' holds numbers that are not kinds of shapes"
    if ((robot.loop_kind < 0) | (robot.loop_kind >= len(LOOP_KINDS))).any():
        yield "'loop_kind' holds numbers that are not kinds of loops"
    joints = robot.loop_kind == LOOP_KINDS.index("joint")
    if (robot.actuator_link < 0).any() or (robot.loop_link[joints, 0] < 0).any():
        yield "an actuator or a coupled joint belongs to no link"
    for name in ("face_normal", "shape_error", "sensor_noise", "sensor_bias", "sensor_part"):
        if not (np.abs(getattr(robot, name)) < LARGEST).all():
            yield f"'{name}' holds a number that is not finite"
    for name in ("material_mu", "material_bodies", "friction_pairs_mu"):
        friction = getattr(robot, name)[..., :2]
        if not ((friction >= 0.0) & (friction < LARGEST)).all():
            yield f"'{name}' holds a coefficient of friction that is negative or not finite"
    priorities = robot.material_bodies[:, 2]
    if not ((np.abs(priorities) < 2**31) & (priorities == np.rint(priorities))).all():
        yield "'material_bodies' holds a priority that is not a whole number of 32 bits"
    first = robot.shape_vertex
    if first[0] != 0 or first[-1] != len(robot.vertices) or (np.diff(first) < 0).any():
        yield "'shape_vertex' does not divide 'vertices' among the shapes"
    elif robot.vertices.shape[1:] != (3,):
        yield "'vertices' does not hold points"


def _rotations(robot: Robot) -> Iterator[str]:
    for name in ("joint_rotation", "frame_rotation", "shape_rotation", "loop_rotation"):
        turns = getattr(robot, name).reshape(-1, 3, 3)
        with np.errstate(all="ignore"):  # numbers that are not finite are not rotations
            products = np.einsum("nij,nik->njk", turns, turns)
            right = (np.abs(products - np.eye(3)) <= ROTATION).all(axis=(1, 2))
            right &= np.linalg.det(turns) > 0.0
        for k in np.flatnonzero(~right)[:1]:
            yield f"'{name}' {k} is not a rotation: {turns[k].tolist()}"


def _velocities(robot: Robot) -> Iterator[str]:
    """Complaints about what every velocity has."""
    for name in (*NOT_NEGATIVE, "speed_limit"):
        if not (getattr(robot, name) >= 0.0).all():
            yield f"'{name}' holds {getattr(robot, name).min()}; it must not be negative"
    for name in (*NOT_NEGATIVE, "spring_reference"):
        if not (np.abs(getattr(robot, name)) < LARGEST).all():
            yield f"'{name}' holds a number that is not finite"
    for kind in ("", "effort_"):
        lower, upper = getattr(robot, f"{kind}lower"), getattr(robot, f"{kind}upper")
        for k in np.flatnonzero(~((lower <= upper) & (lower < np.inf) & (upper > -np.inf)))[:1]:
            yield f"'{kind}lower' {k} is {lower[k]}, and '{kind}upper' {upper[k]}"


def _excludes(robot: Robot) -> Iterator[str]:
    """Complaints about excludes and parts of sensors, which may name links that were merged."""
    known = {WORLD, *robot.link_name.tolist(), *robot.frame_name.tolist()}
    known |= set(robot.shape_body.tolist())
    for name in sorted(set(robot.contact_excludes.ravel().tolist()) - known):
        yield f"'contact_excludes' names link '{name}', which does not exist"
    for sensor, body in robot.sensor_body.tolist():
        if sensor not in robot.sensor_name or body not in known:
            yield f"'sensor_body' names '{sensor}' and '{body}', which are not both there"


# ------------------------------------------------------------------------------------- description


def description_of(robot: Robot) -> Description:
    """The links, joints, shapes and so on of a robot.

    Rotations, friction, excludes and most of what is per velocity are left out.
    """
    links = tuple(
        Link(str(name), float(mass), _tuple(centre), _tuple(inertia))
        for name, mass, centre, inertia in zip(
            robot.link_name, robot.mass, robot.centre, robot.inertia, strict=True
        )
    )
    return Description(
        robot.name,
        "",
        links,
        _joints(robot),
        _shapes(robot),
        _frames(robot),
        _actuators(robot),
        _sensors(robot),
        tuple(Material(str(name), 0.0, 0.0) for name in robot.material_name),
        _keyframes(robot),
        contact_pairs=tuple((str(a), str(b)) for a, b in robot.contact_pairs),
        friction_pairs=tuple(
            (str(a), str(b), float(mu))
            for (a, b), mu in zip(robot.friction_pairs, robot.friction_pairs_mu, strict=True)
        ),
        loops=_loops(robot),
    )


def _tuple(values: np.ndarray) -> Any:
    return tuple(values.tolist())


def _link(robot: Robot, link: int) -> str:
    return str(robot.link_name[link]) if link >= 0 else WORLD


def _joints(robot: Robot) -> tuple[Joint, ...]:
    return tuple(
        Joint(
            str(robot.joint_name[i]),
            TYPES[int(robot.joint_type[i])],
            _link(robot, int(robot.parent[i])),
            str(robot.link_name[i]),
            _tuple(robot.joint_position[i]),
            axis=_tuple(robot.joint_axis[i]),
            lower=float(robot.lower[d]),
            upper=float(robot.upper[d]),
            armature=float(robot.armature[d]),
        )
        for i, d in enumerate(robot.v_index)
    )


def _shapes(robot: Robot) -> tuple[Shape, ...]:
    shapes = []
    for i, name in enumerate(robot.shape_name):
        kind = SHAPE_KINDS[robot.shape_kind[i]]
        triangles: Any = ()
        if kind == "mesh":
            triangles = tuple(map(tuple, robot.faces_of(i).corner.reshape(-1, 3).tolist()))
        shapes.append(
            Shape(
                str(name),
                _link(robot, int(robot.shape_link[i])),
                kind,
                _tuple(robot.shape_size[i, : SIZES[kind]]),
                _tuple(robot.shape_position[i]),
                collides=bool(robot.shape_collides[i]),
                vertices=tuple(map(tuple, robot.vertices_of(i).tolist())),
                mask=_tuple(robot.shape_mask[i]),
                triangles=triangles,
            )
        )
    return tuple(shapes)


def _frames(robot: Robot) -> tuple[Frame, ...]:
    return tuple(
        Frame(str(name), _link(robot, int(link)), _tuple(position))
        for name, link, position in zip(
            robot.frame_name, robot.frame_link, robot.frame_position, strict=True
        )
    )


def _actuators(robot: Robot) -> tuple[Actuator, ...]:
    return tuple(
        Actuator(
            str(name),
            str(robot.joint_name[robot.actuator_link[i]]),
            float(robot.actuator_gear[i]),
            _tuple(robot.actuator_gain[i]),
            _tuple(robot.actuator_bias[i]),
            *_tuple(robot.actuator_control[i]),
            *_tuple(robot.actuator_force[i]),
        )
        for i, name in enumerate(robot.actuator_name)
    )


def _sensors(robot: Robot) -> tuple[Sensor, ...]:
    """The sensors; one at a link that was merged is at its frame."""
    frames, merged = set(robot.frame_name.tolist()), {"link": "frame"}
    fields = (robot.sensor_name, robot.sensor_kind, robot.sensor_target, robot.sensor_target_type)
    links = {*robot.link_name.tolist(), WORLD}
    return tuple(
        Sensor(
            str(name),
            str(kind),
            str(target),
            merged.get(str(of), str(of)) if target in frames - links else str(of),
            _tuple(robot.sensor_noise[i, : size_of(str(kind))]),
            _tuple(robot.sensor_bias[i, : size_of(str(kind))]),
            float(robot.sensor_delay[i]),
            float(robot.sensor_cutoff[i]),
        )
        for i, (name, kind, target, of) in enumerate(zip(*fields, strict=True))
    )


def _keyframes(robot: Robot) -> tuple[Keyframe, ...]:
    rows = zip(
        robot.keyframe_name,
        robot.keyframe_q,
        robot.keyframe_v,
        robot.keyframe_control,
        strict=True,
    )
    frames = [
        Keyframe(str(name), _tuple(q), _tuple(v), () if np.isnan(u).all() else _tuple(u))
        for name, q, v, u in rows
    ]
    home = unique("the home configuration", set(robot.keyframe_name.tolist()))
    return (*frames, Keyframe(home, _tuple(robot.home), (0.0,) * robot.nv))


def _loops(robot: Robot) -> tuple[Loop, ...]:
    made = []
    for i, name in enumerate(robot.loop_name):
        kind = LOOP_KINDS[robot.loop_kind[i]]
        ends = [int(link) for link in robot.loop_link[i]]
        if kind == "joint":
            first, second = (str(robot.joint_name[k]) if k >= 0 else "" for k in ends)
        else:
            first, second = (_link(robot, k) for k in ends)
        a, b = robot.loop_position[i]
        made.append(
            Loop(
                str(name),
                kind,
                first,
                second,
                (_tuple(a), _tuple(b)),
                axis=_tuple(robot.loop_axis[i]),
                coefficients=_tuple(robot.loop_coefficients[i]),
                references=_tuple(robot.loop_reference[i]),
            )
        )
    return tuple(made)
