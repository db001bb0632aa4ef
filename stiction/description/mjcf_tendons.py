"""Fixed tendons that only pass the force of actuators on to joints that equalities couple.

The joints move as one, q_i = r_i q, so a tendon of length sum c_i q_i is a joint with gear
sum c_i r_i. Grippers split the force of their motor in this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.mjcf_loops import JOINT

if TYPE_CHECKING:
    from mujoco import MjModel

ACTING = "stiffness damping frictionloss armature limited actfrclimited springyield".split()


class Drive(NamedTuple):
    """A tendon as a joint: its length is gear times the joint's coordinate."""

    joint: int
    gear: float


def drives_of(model: MjModel) -> dict[int, Drive]:
    """The tendons of a model that are equivalent to a joint."""
    found = {i: _drive(model, i) for i in range(model.ntendon)}
    return {i: drive for i, drive in found.items() if drive is not None}


def _drive(model: MjModel, i: int) -> Drive | None:
    from mujoco import mjtWrap

    parts = slice(model.tendon_adr[i], model.tendon_adr[i] + model.tendon_num[i])
    polynomials = (model.tendon_stiffnesspoly[i], model.tendon_dampingpoly[i])
    if any(np.any(getattr(model, f"tendon_{name}")[i]) for name in ACTING) or np.any(polynomials):
        return None
    if np.any(model.wrap_type[parts] != mjtWrap.mjWRAP_JOINT):
        return None
    joints, weights = model.wrap_objid[parts].tolist(), model.wrap_prm[parts]
    for base in joints:
        ratios = [_ratio(model, joint, base) for joint in joints]
        if 0.0 not in ratios:
            return Drive(base, float(np.dot(weights, ratios)))
    return None


def _ratio(model: MjModel, joint: int, base: int) -> float:
    """How far a joint moves per unit of another one that it is coupled with; 0 if it is not."""
    if joint == base:
        return 1.0
    for i in np.flatnonzero((model.eq_type == JOINT) & (model.eq_active0 != 0)):
        ends = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if sorted(ends) != sorted((joint, base)):
            continue
        slope = float(model.eq_data[i, 1])
        bent = np.any(model.eq_data[i, [0, 2, 3, 4]])
        if not bent and slope and not np.any(model.qpos0[model.jnt_qposadr[list(ends)]]):
            return slope if ends[0] == joint else 1.0 / slope
    return 0.0
