"""What sensors read, from the state, the acceleration and the contact forces of a step.

The kinematics is that of the start of the step. Accelerations of links and forces in joints follow
from the accelerations of the coordinates by the recursive Newton-Euler algorithm, with the contact
forces and the external ones of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.points import ContactPoints, meet_ground
from stiction.collision.terrain import Ground
from stiction.compiler.compiled import kernel, routine
from stiction.description.sensor_kinds import SENSOR_KINDS
from stiction.kernels.articulated import move_links
from stiction.kernels.forces import Forces, external_forces
from stiction.kernels.joint_space import inverse_dynamics
from stiction.kernels.kinematics import arm_to, seen_from, velocity_from_origin, world_point
from stiction.kernels.rotations import load_quaternion, matrix_to_quaternion
from stiction.kernels.spatial import (
    Wrench,
    load_inertia,
    load_twist,
    load_wrench,
    momentum,
    point_acceleration,
    point_velocity,
    rigid_inertia,
    store_wrench,
    twist_add,
    wrench_add,
    wrench_at_point,
    wrench_cross,
    wrench_sub,
)
from stiction.kernels.vectors import (
    add,
    column,
    compose,
    cross,
    dot,
    like,
    load_matrix,
    load_vector,
    scale,
    sub,
    symmetric_rotate,
    transform_transposed,
    zero_vector,
)
from stiction.sensors.ranging import distance_to_ground
from stiction.step.record import FORCE, NORMAL, POSITION, SHAPES

CODES = {name: code for code, name in enumerate(SENSOR_KINDS)}
JOINTPOS, JOINTVEL = CODES["jointpos"], CODES["jointvel"]
JOINTACTUATORFRC = CODES["jointactuatorfrc"]
BALLQUAT, BALLANGVEL = CODES["ballquat"], CODES["ballangvel"]
GYRO, ACCELEROMETER, VELOCIMETER = CODES["gyro"], CODES["accelerometer"], CODES["velocimeter"]
IMU, FRAMEPOS, FRAMEQUAT = CODES["imu"], CODES["framepos"], CODES["framequat"]
FRAMEXAXIS, FRAMEZAXIS = CODES["framexaxis"], CODES["framezaxis"]
FRAMELINVEL, FRAMEANGVEL = CODES["framelinvel"], CODES["frameangvel"]
FRAMELINACC, FRAMEANGACC = CODES["framelinacc"], CODES["frameangacc"]
FORCES, TORQUE, WRENCH = CODES["force"], CODES["torque"], CODES["wrench"]
TOUCH, CONTACT, CONTACTFORCE = CODES["touch"], CODES["contact"], CODES["contactforce"]
RANGEFINDER, SUBTREECOM = CODES["rangefinder"], CODES["subtreecom"]
SUBTREELINVEL = CODES["subtreelinvel"]


class Sensors(NamedTuple):
    """The n sensors of a world, as arrays."""

    kind: np.ndarray  # (n) see CODES
    link: np.ndarray  # (n) of the forest
    place: np.ndarray  # (n, 3) in the link [m]
    rotation: np.ndarray  # (n, 3, 3) own axes in the link
    first: np.ndarray  # (n) column of its first number
    part: np.ndarray  # (n, 10) beyond a fixed joint: mass, centre and inertia in the link; else 0
    feels: np.ndarray  # (n) row of the two below, -1 if it does not depend on where contact is
    feels_point: np.ndarray  # (rows, contact points) 1 if it feels contact there
    feels_shape: np.ndarray  # (rows, shapes that touch other bodies)
    carried_first: np.ndarray  # (n + 1) beyond a fixed joint: rows of `carried`
    carried: np.ndarray  # (rows) links that move relative to the link of the sensor


class Around(NamedTuple):
    """What a world has besides links and sensors."""

    points: ContactPoints
    ground: Ground
    is_grounded: np.ndarray  # (1) 0: there is no ground
    shape_link: np.ndarray  # (shapes that touch other bodies)
    forces: Forces


class Samples(NamedTuple):
    """Steps at whose start sensors are read."""

    time: np.ndarray  # (n) [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    acceleration: np.ndarray  # (n, nv) mean over the step
    torque: np.ndarray  # (n, nv) of controllers
    force: np.ndarray  # (n, contact points, 3) [N]
    between: np.ndarray  # (n, points between bodies, BETWEEN) see `step/record.py`


@routine
def read_samples(dynamics, sensors, around, samples, dt, out):
    """Write what the sensors read, without noise, in the rows of `out`, one for each sample."""
    for k in range(len(samples.q)):
        q, v = samples.q[k], samples.v[k]
        move_links(dynamics, q, v)
        time = samples.time[k]
        external_forces(around.forces, dynamics, time, time, dt)
        add_contact(dynamics, around, samples.force[k], samples.between[k])
        inverse_dynamics(dynamics, samples.acceleration[k], dynamics.tau)
        for i in range(len(sensors.kind)):
            kind = sensors.kind[i]
            if kind <= BALLANGVEL:
                read_joint(dynamics, sensors, i, q, v, samples.torque[k], out[k])
            elif kind <= FRAMEANGACC:
                read_frame(dynamics, sensors, i, out[k])
            elif kind <= WRENCH:
                read_cut(dynamics, sensors, i, around, samples, k, out[k])
            elif kind <= CONTACTFORCE:
                read_contact(dynamics, sensors, i, around, samples, k, out[k])
            elif kind == RANGEFINDER:
                out[k, sensors.first[i]] = read_range(dynamics, sensors, i, around)
            else:
                read_subtree(dynamics, sensors, i, out[k])


@kernel
def store_at(out, first, a):
    """Write a vector into out[first : first + 3]."""
    out[first], out[first + 1], out[first + 2] = a


# ---------------------------------------------------------------------------- positions and motion


@kernel
def read_joint(dynamics, sensors, i, q, v, torque, out):
    """Write what a sensor of a joint reads."""
    tree, link, kind, first = dynamics.tree, sensors.link[i], sensors.kind[i], sensors.first[i]
    k, d = tree.q_index[link], tree.v_index[link]
    if kind == JOINTPOS:
        out[first] = q[k]
    elif kind == JOINTVEL:
        out[first] = v[d]
    elif kind == JOINTACTUATORFRC:
        out[first] = torque[d]
    elif kind == BALLQUAT:
        for axis in range(4):
            out[first + axis] = load_quaternion(q, k)[axis]
    else:
        store_at(out, first, (v[d], v[d + 1], v[d + 2]))


@kernel
def axes_of(dynamics, sensors, i):
    """Axes of a sensor in the world."""
    R = load_matrix(dynamics.rotation, sensors.link[i])
    return compose(R, load_matrix(sensors.rotation, i))


@kernel
def proper_acceleration(dynamics, link):
    """Acceleration of a link minus gravity, as a twist seen from O of its tree."""
    relative = load_twist(dynamics.link_acceleration, link)
    return twist_add(relative, load_twist(dynamics.drift, link))


@kernel
def read_frame(dynamics, sensors, i, out):
    """Write what a sensor of the motion of a frame reads."""
    kind, link, first = sensors.kind[i], sensors.link[i], sensors.first[i]
    place, R = load_vector(sensors.place, i), axes_of(dynamics, sensors, i)
    r, twist = arm_to(dynamics, link, place), load_twist(dynamics.velocity, link)
    acceleration, seen = proper_acceleration(dynamics, link), velocity_from_origin(dynamics, link)
    if kind == GYRO:
        store_at(out, first, transform_transposed(R, twist.angular))
    elif kind == ACCELEROMETER or kind == FRAMELINACC:
        a = point_acceleration(acceleration, seen, r)
        store_at(out, first, a if kind == FRAMELINACC else transform_transposed(R, a))
    elif kind == VELOCIMETER or kind == FRAMELINVEL:
        v = point_velocity(twist, r)
        store_at(out, first, v if kind == FRAMELINVEL else transform_transposed(R, v))
    elif kind == FRAMEANGVEL:
        store_at(out, first, twist.angular)
    elif kind == FRAMEANGACC:
        store_at(out, first, acceleration.angular)
    elif kind == FRAMEPOS:
        store_at(out, first, world_point(dynamics, link, place))
    elif FRAMEXAXIS <= kind and kind <= FRAMEZAXIS:
        store_at(out, first, axis_of(R, kind - FRAMEXAXIS))
    else:
        turned = matrix_to_quaternion(R)
        for axis in range(4):
            out[first + axis] = turned[axis]
        if kind == IMU:
            a = point_acceleration(acceleration, seen, r)
            store_at(out, first + 4, transform_transposed(R, twist.angular))
            store_at(out, first + 7, transform_transposed(R, a))


@kernel
def axis_of(R, k):
    """Column k of a rotation, where k is not a constant."""
    if k == 0:
        return column(R, 0)
    if k == 1:
        return column(R, 1)
    return column(R, 2)


@kernel
def is_carried(tree, link, other):
    """Whether a link is another one or carries it."""
    while other > link:
        other = tree.parent[other]
    return other == link


@kernel
def read_subtree(dynamics, sensors, i, out):
    """Write the centre of mass of a link and all that it carries, its velocity or spin."""
    tree, link, kind = dynamics.tree, sensors.link[i], sensors.kind[i]
    origin = load_vector(dynamics.origin, tree.root[link])
    mass, nothing = like(tree.gravity[0], 0), zero_vector(tree.gravity[0])
    moment, total = nothing, Wrench(nothing, nothing)
    for other in range(link, len(tree.parent)):
        if is_carried(tree, link, other):
            I = load_inertia(dynamics.rigid, other)
            mass += I.mass
            moment = add(moment, I.first_moment)
            total = wrench_add(total, momentum(I, load_twist(dynamics.velocity, other)))
    one = like(mass, 1)
    centre = scale(one / mass, moment)
    if kind == SUBTREECOM:
        store_at(out, sensors.first[i], add(origin, centre))
    elif kind == SUBTREELINVEL:
        store_at(out, sensors.first[i], scale(one / mass, total.force))
    else:
        store_at(out, sensors.first[i], sub(total.moment, cross(centre, total.force)))


@kernel
def read_range(dynamics, sensors, i, around):
    """Distance from a sensor to the ground along its z axis."""
    p = world_point(dynamics, sensors.link[i], load_vector(sensors.place, i))
    z = column(axes_of(dynamics, sensors, i), 2)
    if around.is_grounded[0] == 0:
        return like(p[0], -1)
    return distance_to_ground(around.ground, p, z)


# ------------------------------------------------------------------------------------------ forces


@kernel
def is_zero(f):
    """Whether a vector is zero."""
    return f[0] == 0 and f[1] == 0 and f[2] == 0


@kernel
def add_load(dynamics, link, f, r):
    """Add a force f at the point r, relative to O of the link's tree, to the load of a link."""
    load = wrench_add(load_wrench(dynamics.load, link), wrench_at_point(f, r))
    store_wrench(dynamics.load, link, load)


@kernel
def arm_between(dynamics, between, i, link):
    """Where two bodies touch, relative to O of the tree of one of them."""
    p = (between[i, POSITION], between[i, POSITION + 1], between[i, POSITION + 2])
    return sub(p, load_vector(dynamics.origin, dynamics.tree.root[link]))


@kernel
def force_between(between, i, side):
    """Force on the first body (side 0) or on the second (side 1)."""
    f = (between[i, FORCE], between[i, FORCE + 1], between[i, FORCE + 2])
    return f if side == 0 else scale(like(f[0], -1), f)


@kernel
def add_contact(dynamics, around, force, between):
    """Add the contact forces of a step to the loads of the links."""
    for i in range(len(force)):
        f = load_vector(force, i)
        if not is_zero(f):
            link = around.points.link[i]
            r, _ = meet_ground(around.points, around.ground, dynamics, link, i)
            add_load(dynamics, link, f, r)
    for i in range(len(between)):
        if between[i, SHAPES] > 0:
            for side in range(2):
                link = around.shape_link[int(between[i, SHAPES + side]) - 1]
                if link > 0:
                    r = arm_between(dynamics, between, i, link)
                    add_load(dynamics, link, force_between(between, i, side), r)


@kernel
def felt_contact(dynamics, sensors, i, around, force, between):
    """Contact forces that a sensor feels: their wrench, the normal ones, and all sizes squared."""
    row, link = sensors.feels[i], sensors.link[i]
    zero, nothing = like(sensors.place[i, 0], 0), zero_vector(sensors.place[i, 0])
    total, normal, size = Wrench(nothing, nothing), zero, zero
    for k in range(len(force)):
        f = load_vector(force, k)
        if sensors.feels_point[row, k] == 1 and not is_zero(f):
            on = around.points.link[k]
            r, met = meet_ground(around.points, around.ground, dynamics, on, k)
            total = wrench_add(total, wrench_at_point(f, seen_from(dynamics, on, link, r)))
            normal += dot(f, met.normal)
            size += dot(f, f)
    for k in range(len(between)):
        if between[k, SHAPES] > 0:
            for side in range(2):
                shape = int(between[k, SHAPES + side]) - 1
                if sensors.feels_shape[row, shape] == 1:
                    f, r = force_between(between, k, side), arm_between(dynamics, between, k, link)
                    total = wrench_add(total, wrench_at_point(f, r))
                    n = (between[k, NORMAL], between[k, NORMAL + 1], between[k, NORMAL + 2])
                    normal += abs(dot(f, n))
                    size += dot(f, f)
    return total, normal, size


@kernel
def read_contact(dynamics, sensors, i, around, samples, k, out):
    """Write what a sensor of contact reads."""
    kind, first = sensors.kind[i], sensors.first[i]
    total, normal, size = felt_contact(
        dynamics, sensors, i, around, samples.force[k], samples.between[k]
    )
    if kind == TOUCH:
        out[first] = normal
    elif kind == CONTACT:
        out[first] = like(size, 1) if size > 0 else like(size, 0)
    else:
        R = axes_of(dynamics, sensors, i)
        store_at(out, first, transform_transposed(R, total.force))


@kernel
def part_wrench(dynamics, sensors, i):
    """Wrench that accelerates what is beyond a fixed joint and belongs to the sensor's link."""
    link, row = sensors.link[i], sensors.part[i]
    place, seen = (row[1], row[2], row[3]), velocity_from_origin(dynamics, link)
    about = symmetric_rotate(
        load_matrix(dynamics.rotation, link), (row[4], row[5], row[6], row[7], row[8], row[9])
    )
    I = rigid_inertia(row[0], arm_to(dynamics, link, place), about)
    needed = momentum(I, proper_acceleration(dynamics, link))
    return wrench_add(needed, wrench_cross(seen, momentum(I, seen)))


@kernel
def read_cut(dynamics, sensors, i, around, samples, k, out):
    """Write the force or moment between a link, or a part of it, and what carries it."""
    link, kind, first = sensors.link[i], sensors.kind[i], sensors.first[i]
    through = load_wrench(dynamics.pA, link)  # from the parent
    if sensors.feels[i] >= 0:
        through = part_wrench(dynamics, sensors, i)
        for row in range(sensors.carried_first[i], sensors.carried_first[i + 1]):
            through = wrench_add(through, load_wrench(dynamics.pA, sensors.carried[row]))
        felt, _, _ = felt_contact(
            dynamics, sensors, i, around, samples.force[k], samples.between[k]
        )
        through = wrench_sub(through, felt)
    R, r = axes_of(dynamics, sensors, i), arm_to(dynamics, link, load_vector(sensors.place, i))
    f = transform_transposed(R, through.force)
    n = transform_transposed(R, sub(through.moment, cross(r, through.force)))
    if kind == FORCES:
        store_at(out, first, f)
    elif kind == TORQUE:
        store_at(out, first, n)
    else:
        store_at(out, first, scale(like(f[0], -1), f))
        store_at(out, first + 3, scale(like(f[0], -1), n))
