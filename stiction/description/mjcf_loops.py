"""Equality constraints of a MuJoCo model as loop closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.description.description import UNTURNED, Loop
from stiction.description.mjcf_model import Names, element_name
from stiction.description.plain import quaternion_of, vector

if TYPE_CHECKING:
    from mujoco import MjModel

CONNECT, WELD, JOINT = 0, 1, 2  # mjtEq
LOOPS = (CONNECT, WELD, JOINT)


def loops_of(model: MjModel, names: Names, offsets: np.ndarray) -> tuple[Loop, ...]:
    """The active connect, weld and joint constraints; `offsets` from `offsets_of`."""
    return tuple(
        _coupling(model, names, i)
        if model.eq_type[i] == JOINT
        else _closure(model, names, offsets, i)
        for i in range(model.neq)
        if model.eq_active0[i] and model.eq_type[i] in LOOPS
    )


def constraint_kind(model: MjModel, i: int) -> str:
    """The kind of a constraint that is no loop closure, for messages."""
    from mujoco import mjtEq

    return f"of kind {mjtEq(int(model.eq_type[i])).name.removeprefix('mjEQ_').lower()}"


def _coupling(model: MjModel, names: Names, i: int) -> Loop:
    first, second = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    reference = [float(model.qpos0[model.jnt_qposadr[j]]) if j >= 0 else 0.0
                 for j in (first, second)]  # fmt: skip
    return Loop(
        element_name(model, "equality", i),
        "joint",
        names.joint[first],
        names.joint[second] if second >= 0 else "",
        coefficients=tuple(model.eq_data[i, :5].tolist()),
        references=(reference[0], reference[1]),
    )


def _closure(model: MjModel, names: Names, offsets: np.ndarray, i: int) -> Loop:
    """A connect or weld between two bodies or two sites."""
    from mujoco import mjtObj

    data, weld = model.eq_data[i], bool(model.eq_type[i] == WELD)
    one, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    turns = (UNTURNED, UNTURNED)
    if model.eq_objtype[i] == mjtObj.mjOBJ_SITE:
        bodies = (int(model.site_bodyid[one]), int(model.site_bodyid[other]))
        points = [model.site_pos[one], model.site_pos[other]]
        if weld:
            turns = (quaternion_of(model.site_quat[one]), quaternion_of(model.site_quat[other]))
    elif weld:
        bodies, points = (one, other), [data[3:6], data[:3]]
        turns = (quaternion_of(data[6:10]), UNTURNED)
    else:
        bodies, points = (one, other), [data[:3], data[3:6]]
    first_point, second_point = (
        vector(point - offsets[body]) for point, body in zip(points, bodies, strict=True)
    )
    return Loop(
        element_name(model, "equality", i),
        "weld" if weld else "connect",
        names.body[bodies[0]],
        names.body[bodies[1]],
        (first_point, second_point),
        turns,
    )
