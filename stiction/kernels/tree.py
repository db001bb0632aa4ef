"""The arrays that kernels read: a forest of links as `Tree`, one instant of it as `Dynamics`.

Link 0 is the world; every other link hangs on its parent by one joint, and parents come before
children. The coordinates of a joint of several degrees of freedom count as a chain of single ones:
`dof_parent` leads from each coordinate to the next one towards the world, whatever the joints, so
no recursion treats the base specially.

    nl links (with the world), nq positions, nv velocities
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FREE, REVOLUTE, PRISMATIC, SPHERICAL = 0, 1, 2, 3
Q_SIZE = (7, 1, 1, 4)  # positions per joint type
V_SIZE = (6, 1, 1, 3)  # velocities per joint type

OK = 0  # status of a kernel: all is well
DIVERGED, JOINTS_UNSETTLED, TOO_MANY_PAIRS = 1, 2, 3  # other statuses of a step

# How a coordinate moves in a step. From STUCK on the acceleration is known, the force unknown.
LOOSE, SLIDING_UP, SLIDING_DOWN, STUCK, AT_LOWER, AT_UPPER, PRESCRIBED = 0, 1, 2, 3, 4, 5, 6


class Tree(NamedTuple):
    """Constant description of the forest; units as in `Joint` and `Link` of the description."""

    parent: np.ndarray  # (nl) link
    root: np.ndarray  # (nl) first link of the tree
    gathers: np.ndarray  # (nl) 1 if it has children besides the next link
    joint_type: np.ndarray  # (nl) FREE, REVOLUTE, PRISMATIC or SPHERICAL
    q_index: np.ndarray  # (nl) first position in q
    v_index: (
        np.ndarray
    )  # (nl + 1) first velocity in v; those of link i are v_index[i] .. v_index[i + 1]
    joint_axis: np.ndarray  # (nl, 3) unit vector in the frame of the joint
    joint_rotation: np.ndarray  # (nl, 3, 3) frame of the joint in its parent link
    joint_position: np.ndarray  # (nl, 3) [m]
    mass: np.ndarray  # (nl)
    centre: np.ndarray  # (nl, 3) centre of mass in the link
    inertia: np.ndarray  # (nl, 6) about the centre of mass, in link axes
    gravity: np.ndarray  # (3) [m/s2]

    dof_parent: np.ndarray  # (nv) next coordinate towards the world, -1 at the end
    dof_depth: np.ndarray  # (nv) number of coordinates between it and the world
    dof_row: np.ndarray  # (nv) start of its row of H
    ancestor: np.ndarray  # (entries of H) coordinate to which the entry couples the row's
    dof_link: np.ndarray  # (nv) link that it moves
    dof_q: np.ndarray  # (nv) its position in q, -1 for free and spherical joints

    armature: np.ndarray  # (nv)
    damping: np.ndarray  # (nv)
    friction: np.ndarray  # (nv) Coulomb friction
    stiffness: np.ndarray  # (nv)
    spring_reference: np.ndarray  # (nv)
    lower: np.ndarray  # (nv) limits of position
    upper: np.ndarray  # (nv)
    effort_lower: np.ndarray  # (nv) limits of actuator force
    effort_upper: np.ndarray  # (nv)
    slack: np.ndarray  # (2) rounding tolerances: relative; of accelerations [rad/s2]


class Dynamics(NamedTuple):
    """Quantities at one instant of the forest; symbols of [RBDA] table 7.1, world axes, about O."""

    tree: Tree
    origin: np.ndarray  # (nl, 3) O of the tree, in the rows of root links [m]
    rotation: np.ndarray  # (nl, 3, 3) link axes in the world
    position: np.ndarray  # (nl, 3) link origin relative to O
    S: np.ndarray  # (nv, 6) joint axes
    velocity: np.ndarray  # (nl, 6) twist
    drift: np.ndarray  # (nl, 6) acceleration minus gravity at zero coordinate acceleration, for an
    # observer who moves with O
    rigid: np.ndarray  # (nl, 10) rigid-body inertia
    load: np.ndarray  # (nl, 6) external wrench on the link, minus that required by its drift

    IA: np.ndarray  # (nl, 21) articulated-body inertia of children, where a link gathers them
    pA: np.ndarray  # (nl, 6) their articulated bias wrench; joint space: wrench through the joint
    U: np.ndarray  # (nv, 6) IA S
    D: np.ndarray  # (nv) S . U + armature
    inverse_D: np.ndarray  # (nv) 1 / D, or 0 where the acceleration is known
    u: np.ndarray  # (nv) force left for acceleration
    link_acceleration: np.ndarray  # (nl, 6) relative to its drift

    composite: np.ndarray  # (nl, 10) rigid-body inertia of the whole subtree
    H: np.ndarray  # (entries) joint-space inertia, row after row, ancestors contiguous
    L: np.ndarray  # (entries) its factor, H = L' D L, the diagonal holds 1 / D
    b: np.ndarray  # (nv) bias force: gravity and velocity products

    mode: np.ndarray  # (nv) LOOSE .. PRESCRIBED
    released: np.ndarray  # (nv) mode to which a coordinate was last released in this step, or LOOSE
    applied: np.ndarray  # (nv) force set from outside the loop
    control: np.ndarray  # (nv) force of the controllers
    control_damping: np.ndarray  # (nv) minus its derivative with respect to velocity
    servo: np.ndarray  # (nv) force of a servo at the present velocity, before its limits apply
    servo_damping: np.ndarray  # (nv) minus its slope over velocity; 0 if there is no servo
    servo_lower: np.ndarray  # (nv) its limits
    servo_upper: np.ndarray  # (nv)
    saturation: np.ndarray  # (nv) whether it is at one of these in this step, see servos.py
    resistance: np.ndarray  # (nv) damping times the delay with which it acts [N m s2/rad]
    least_D: np.ndarray  # (nv) lower bound of D: damping stops a joint but does not reverse it
    known: np.ndarray  # (nv) springs, dampers, control and applied forces along the coordinates
    tau: np.ndarray  # (nv) the same with the friction of sliding joints
    reaction: np.ndarray  # (nv) force that maintains a known acceleration
    acceleration: np.ndarray  # (nv)
    last_acceleration: np.ndarray  # (nv) of the previous step, as the integrator left it
    descent: np.ndarray  # (nv) velocities on the way to a solution, see joints.py


def allocate(tree: Tree) -> Dynamics:
    """Return arrays for one instant of a forest, all zero, in the precision of the tree."""
    nl, nv, entries = len(tree.parent), len(tree.dof_parent), len(tree.ancestor)
    real = tree.mass.dtype

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=real)

    dynamics = Dynamics(
        tree=tree,
        origin=zeros(nl, 3),
        rotation=zeros(nl, 3, 3),
        position=zeros(nl, 3),
        S=zeros(nv, 6),
        velocity=zeros(nl, 6),
        drift=zeros(nl, 6),
        rigid=zeros(nl, 10),
        load=zeros(nl, 6),
        IA=zeros(nl, 21),
        pA=zeros(nl, 6),
        U=zeros(nv, 6),
        D=zeros(nv),
        inverse_D=zeros(nv),
        u=zeros(nv),
        link_acceleration=zeros(nl, 6),
        composite=zeros(nl, 10),
        H=zeros(entries),
        L=zeros(entries),
        b=zeros(nv),
        mode=np.zeros(nv, dtype=np.int64),
        released=np.zeros(nv, dtype=np.int64),
        applied=zeros(nv),
        control=zeros(nv),
        control_damping=zeros(nv),
        servo=zeros(nv),
        servo_damping=zeros(nv),
        servo_lower=zeros(nv),
        servo_upper=zeros(nv),
        saturation=np.zeros(nv, dtype=np.int64),
        resistance=zeros(nv),
        least_D=zeros(nv),
        known=zeros(nv),
        tau=zeros(nv),
        reaction=zeros(nv),
        acceleration=zeros(nv),
        last_acceleration=zeros(nv),
        descent=zeros(nv),
    )
    dynamics.rotation[0] = np.eye(3)
    return dynamics
