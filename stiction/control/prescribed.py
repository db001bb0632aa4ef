"""Coordinates prescribed as functions of time; the forces that this requires are computed.

After every step, a prescribed coordinate has exactly the position and velocity of the reference.
Within it, position and acceleration are those at the time of the evaluation. Where the integrator
keeps the velocities of the start of the step, as the default one does, that of the reference is
moved back there along the acceleration. The dynamics solves for the other coordinates and for the
forces along the prescribed ones (hybrid dynamics, kernels/articulated.py). These appear in
`Motion.torque`: a torque where the joint is driven, a residual force where it is the base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.control.controller import prescriber
from stiction.control.reference import (
    Reference,
    Spline,
    joint_columns,
    joint_spline,
    smooth_slopes,
    spline_at,
)
from stiction.control.tracking import as_reference
from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.kernels.planar import planar_bases
from stiction.kernels.rotations import (
    quaternion_conjugate,
    quaternion_dot,
    quaternion_normalized,
    quaternion_product,
    store_quaternion,
)
from stiction.kernels.tree import FREE, PRESCRIBED
from stiction.kernels.vectors import like

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.world.world import World

BASES = {"free": (0, 0), "pitch": (0, 1), "all": (1, 1)}  # prescribes position, prescribes rotation


class PrescribedTable(NamedTuple):
    """The compiled form of `Prescribed`."""

    joints: Spline  # columns of single coordinates
    q_index: np.ndarray  # (columns)
    dof: np.ndarray  # (columns)
    base: Spline  # 4 columns per base: quaternion
    base_q: np.ndarray  # (bases) index of its quaternion in q
    base_dof: np.ndarray  # (bases) index of its angular velocity in v
    whole: np.ndarray  # (bases) 1: all three rotations, 0: pitch alone


@prescriber(PrescribedTable)
def follow(params, dynamics, time, q, v):
    """Overwrite q, v and the acceleration of the prescribed coordinates."""
    for i in range(len(params.dof)):
        d = params.dof[i]
        q[params.q_index[i]], v[d], dynamics.acceleration[d] = spline_at(params.joints, i, time)
        dynamics.mode[d] = PRESCRIBED
    for i in range(len(params.base_dof)):
        first = params.base_dof[i]
        turned, w, w_dot = rotation_at(params.base, 4 * i, time)
        if params.whole[i] == 1:
            store_quaternion(q, params.base_q[i], turned)
        for axis in range(3):
            if params.whole[i] == 1 or axis == 1:
                v[first + axis] = w[axis]
                dynamics.acceleration[first + axis] = w_dot[axis]
                dynamics.mode[first + axis] = PRESCRIBED


@kernel
def rotation_at(spline, column, time):
    """Unit quaternion p / |p| of four columns p, angular velocity and acceleration in body axes.

    w = 2 vec(p* p') / |p|^2 and w' = 2 vec(p* p'') / |p|^2 - 2 w (p . p') / |p|^2.
    """
    a, a1, a2 = spline_at(spline, column, time)
    b, b1, b2 = spline_at(spline, column + 1, time)
    c, c1, c2 = spline_at(spline, column + 2, time)
    d, d1, d2 = spline_at(spline, column + 3, time)
    p, p1, p2 = (a, b, c, d), (a1, b1, c1, d1), (a2, b2, c2, d2)
    two = like(a, 2)
    k = two / quaternion_dot(p, p)
    rate = quaternion_product(quaternion_conjugate(p), p1)
    bend = quaternion_product(quaternion_conjugate(p), p2)
    stretch = k * quaternion_dot(p, p1)
    w = (k * rate[1], k * rate[2], k * rate[3])
    w_dot = (
        k * bend[1] - stretch * w[0],
        k * bend[2] - stretch * w[1],
        k * bend[3] - stretch * w[2],
    )
    return quaternion_normalized(p), w, w_dot


@dataclass(frozen=True)
class Prescribed:
    """Coordinates follow a reference exactly, whatever force that takes.

    `joints`: names of revolute and prismatic joints; None means all of the reference, () none.
    `base`: for every free joint of the world, "free" prescribes nothing, "pitch" the rotation about
    its own y axis, "all" position and rotation; likewise for a planar base.
    """

    reference: Reference | Motion
    joints: tuple[str, ...] | None = None
    base: str = "free"

    def bind(self, world: World) -> PrescribedTable:
        """Return the compiled form for a world."""
        if not isinstance(self.base, str) or self.base not in BASES:
            raise InputError(
                f"Prescribed: base is {shown(self.base)}; it can be 'free', 'pitch' or 'all'"
            )
        reference = as_reference(self.reference)
        if self.base != "free" and reference.joints is not None:
            raise InputError(
                "Prescribed: a prescribed base needs a reference with all columns of q, "
                "not only those of joints"
            )
        columns, q_index, dofs, _ = joint_columns(world, reference, self.joints)
        position, rotation = BASES[self.base]
        tree = world.tree
        for planar in planar_bases(tree) if rotation else ():
            links = list(planar.links if position else planar.links[2:])
            columns += tree.q_index[links].tolist()
            q_index = np.append(q_index, tree.q_index[links])
            dofs = np.append(dofs, tree.v_index[links])
        bases = [i for i in range(1, len(tree.parent)) if tree.joint_type[i] == FREE and rotation]
        for link in bases if position else ():
            columns += [int(tree.q_index[link]) + axis for axis in range(3)]
            q_index = np.append(q_index, tree.q_index[link] + np.arange(3))
            dofs = np.append(dofs, tree.v_index[link] + np.arange(3))
        return PrescribedTable(
            joints=joint_spline(world, reference, columns, dofs),
            q_index=np.array(q_index, np.int64),
            dof=np.array(dofs, np.int64),
            base=_base_spline(world, reference, bases),
            base_q=np.array([tree.q_index[link] + 3 for link in bases], np.int64),
            base_dof=np.array([tree.v_index[link] + 3 for link in bases], np.int64),
            whole=np.full(len(bases), position, np.int64),
        )


def _base_spline(world: World, reference: Reference, bases: list[int]) -> Spline:
    """Quaternions of the bases as a spline, without jumps of sign."""
    time, q, v = reference.checked(world)
    values, slopes = [np.zeros((len(time), 0))], [np.zeros((len(time), 0))]
    for link in bases:
        start = world.tree.q_index[link] + 3
        p = q[:, start : start + 4].copy()
        flips = np.where((p[1:] * p[:-1]).sum(axis=1) < 0, -1.0, 1.0)
        p[1:] *= np.cumprod(flips)[:, None]
        values.append(p)
        if v is None:
            slopes.append(smooth_slopes(time, p))
        else:
            d = world.tree.v_index[link] + 3
            slopes.append(np.array([_rate(p[k], v[k, d : d + 3]) for k in range(len(time))]))
    return Spline(
        time, np.ascontiguousarray(np.hstack(values)), np.ascontiguousarray(np.hstack(slopes))
    )


def _rate(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Rate of a quaternion for the angular velocity w in body axes."""
    a, b, c, d = p / 2
    x, y, z = w
    return np.array(
        [
            -b * x - c * y - d * z,
            a * x + c * z - d * y,
            a * y - b * z + d * x,
            a * z + b * y - c * x,
        ]
    )
