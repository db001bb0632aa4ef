"""Kinematics of all links: poses, joint axes, velocities, Jacobians, drift.

Recursions of [RBDA] chapters 3 to 5 (R. Featherstone, "Rigid Body Dynamics Algorithms", Springer
2008) in world axes.
"""

from stiction.compiler.compiled import kernel
from stiction.kernels.rotations import (
    load_quaternion,
    quaternion_exp,
    quaternion_normalized,
    quaternion_product,
    quaternion_rate,
    quaternion_to_matrix,
    rotate_about,
    store_quaternion,
)
from stiction.kernels.spatial import (
    Twist,
    load_twist,
    point_acceleration,
    point_velocity,
    store_twist,
    twist_add,
    twist_scale,
)
from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.kernels.vectors import (
    add,
    column,
    compose,
    cross,
    like,
    load_matrix,
    load_vector,
    point_of_frame,
    rounding,
    scale,
    store_matrix,
    store_vector,
    sub,
    transform,
    zero_vector,
)

# ----------------------------------------------------------------------------- poses and velocities


@kernel
def forward_kinematics(dynamics, q):
    """Pose and joint axes of every link [RBDA ch. 4]."""
    for i in range(1, len(dynamics.tree.parent)):
        parent = dynamics.tree.parent[i]
        R, p = load_matrix(dynamics.rotation, parent), load_vector(dynamics.position, parent)
        place_link(dynamics, i, R, p, q)


@kernel
def place_link(dynamics, i, R_parent, p_parent, q):
    """Write the pose and the joint axes of link i from its parent's pose.

    Returns the pose and the last axis: what is read right after it was written makes a CPU wait.
    """
    tree = dynamics.tree
    nowhere = zero_vector(q[0])
    kind, k = tree.joint_type[i], tree.q_index[i]
    R = compose(R_parent, load_matrix(tree.joint_rotation, i))
    p = point_of_frame(p_parent, R_parent, load_vector(tree.joint_position, i))
    axis = load_vector(tree.joint_axis, i)
    axis_in_world = transform(R, axis)
    if kind == PRISMATIC:
        p = add(p, scale(q[k], axis_in_world))
    elif kind == FREE:
        p = (q[k], q[k + 1], q[k + 2])
    if tree.parent[i] == 0:
        store_vector(dynamics.origin, i, p)
        p = nowhere
    if kind == REVOLUTE:
        R, S = rotate_about(R, axis, q[k]), Twist(cross(p, axis_in_world), axis_in_world)
    elif kind == PRISMATIC:
        S = Twist(axis_in_world, nowhere)
    else:
        R = rotation_of_ball(dynamics, i, R, q)
        S = write_ball_axes(dynamics, i, R, p)
    store_twist(dynamics.S, tree.v_index[i + 1] - 1, S)
    store_matrix(dynamics.rotation, i, R)
    store_vector(dynamics.position, i, p)
    return R, p, S


@kernel
def rotation_of_ball(dynamics, i, R, q):
    """Rotation of a free or spherical link; R: of its joint."""
    tree = dynamics.tree
    k = tree.q_index[i]
    if tree.joint_type[i] == FREE:
        return quaternion_to_matrix(load_quaternion(q, k + 3))
    return compose(R, quaternion_to_matrix(load_quaternion(q, k)))


@kernel
def write_ball_axes(dynamics, i, R, p):
    """Write the joint axes of a free or spherical link but for the last one, which is returned.

    They are its own axes through p and, before these, the world's if the link is free.
    """
    d, nowhere = dynamics.tree.v_index[i], zero_vector(p[0])
    if dynamics.tree.joint_type[i] == FREE:
        upright = load_matrix(dynamics.rotation, 0)
        for axis in range(3):
            store_twist(dynamics.S, d + axis, Twist((upright[axis]), nowhere))
        d += 3
    x, y, z = column(R, 0), column(R, 1), column(R, 2)
    store_twist(dynamics.S, d, Twist(cross(p, x), x))
    store_twist(dynamics.S, d + 1, Twist(cross(p, y), y))
    return Twist(cross(p, z), z)


@kernel
def velocities(dynamics, v):
    """Link velocities [RBDA ch. 3]."""
    tree = dynamics.tree
    for i in range(1, len(tree.parent)):
        parent = load_twist(dynamics.velocity, tree.parent[i])
        last = load_twist(dynamics.S, tree.v_index[i + 1] - 1)
        store_twist(dynamics.velocity, i, link_velocity(dynamics, i, parent, v, last)[0])


@kernel
def link_velocity(dynamics, i, parent_velocity, v, last):
    """Velocity of link i from its parent's, and the part of it along axes that move with the link.

    last: the last joint axis. A free link translates along axes fixed in the world; all other axes
    move with the link. The cross product of the two results is the velocity-product part of the
    link's acceleration.
    """
    tree = dynamics.tree
    first, end = tree.v_index[i], tree.v_index[i + 1] - 1
    link, joint = parent_velocity, twist_scale(v[end], last)
    if first < end:
        moving = first + 3 if tree.joint_type[i] == FREE else first
        for d in range(first, moving):
            link = twist_add(link, twist_scale(v[d], load_twist(dynamics.S, d)))
        for d in range(moving, end):
            joint = twist_add(joint, twist_scale(v[d], load_twist(dynamics.S, d)))
    return twist_add(link, joint), joint


@kernel
def world_point(dynamics, link, place):
    """World position of a point given in link axes."""
    p = add(
        load_vector(dynamics.origin, dynamics.tree.root[link]), load_vector(dynamics.position, link)
    )
    return point_of_frame(p, load_matrix(dynamics.rotation, link), place)


@kernel
def arm_to(dynamics, link, place):
    """Return the point given in link axes, relative to O."""
    return point_of_frame(
        load_vector(dynamics.position, link), load_matrix(dynamics.rotation, link), place
    )


@kernel
def seen_from(dynamics, a, b, r):
    """Return the arm r, relative to O of the tree of link a, relative to that of link b."""
    here = load_vector(dynamics.origin, dynamics.tree.root[a])
    there = load_vector(dynamics.origin, dynamics.tree.root[b])
    return add(r, sub(here, there))


# ------------------------------------------------------------------------------ Jacobians and drift


@kernel
def last_dof(tree, link):
    """Return the coordinate nearest to a link on its path to the world, -1 for the world."""
    return tree.v_index[link + 1] - 1 if link > 0 else -1


@kernel
def point_jacobian(dynamics, link, place, J):
    """J (3, nv): velocity of the point `place` of a link in world axes per coordinate velocity."""
    zero_rows(J)
    r = arm_to(dynamics, link, place)
    d = last_dof(dynamics.tree, link)
    while d >= 0:
        J[0, d], J[1, d], J[2, d] = point_velocity(load_twist(dynamics.S, d), r)
        d = dynamics.tree.dof_parent[d]


@kernel
def frame_jacobian(dynamics, link, place, J):
    """J (6, nv): linear velocity of the point `place`, angular velocity of its link, world axes."""
    zero_rows(J)
    r = arm_to(dynamics, link, place)
    d = last_dof(dynamics.tree, link)
    while d >= 0:
        S = load_twist(dynamics.S, d)
        J[0, d], J[1, d], J[2, d] = point_velocity(S, r)
        J[3, d], J[4, d], J[5, d] = S.angular
        d = dynamics.tree.dof_parent[d]


@kernel
def zero_rows(A):
    """A = 0."""
    for row in range(A.shape[0]):
        for k in range(A.shape[1]):
            A[row, k] = 0


@kernel
def velocity_from_origin(dynamics, link):
    """Velocity of a link for an observer who moves with O of its tree, as `drift` is given."""
    seen = load_twist(dynamics.velocity, link)
    return Twist(sub(seen.linear, velocity_of_origin(dynamics, link)), seen.angular)


@kernel
def velocity_of_origin(dynamics, link):
    """Velocity of O of the tree of a link: that of the origin of its root."""
    return load_twist(dynamics.velocity, dynamics.tree.root[link]).linear


@kernel
def link_drift(dynamics, link):
    """Acceleration of a link at zero coordinate acceleration, J_dot v as a twist, seen from O."""
    tree, drift = dynamics.tree, load_twist(dynamics.drift, link)
    falling = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    return Twist(add(drift.linear, falling), drift.angular)


@kernel
def point_drift(dynamics, link, place):
    """Acceleration J_dot v of a point of a link."""
    return point_acceleration(
        link_drift(dynamics, link),
        velocity_from_origin(dynamics, link),
        arm_to(dynamics, link, place),
    )


@kernel
def accelerate_links(dynamics):
    """Write J a of all links, their accelerations relative to their drift."""
    tree, a = dynamics.tree, dynamics.link_acceleration
    nowhere = zero_vector(tree.gravity[0])
    store_twist(a, 0, Twist(nowhere, nowhere))
    for i in range(1, len(tree.parent)):
        link = load_twist(a, tree.parent[i])
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            link = twist_add(link, twist_scale(dynamics.acceleration[d], load_twist(dynamics.S, d)))
        store_twist(a, i, link)


# -------------------------------------------------------------------------- moving along velocities


@kernel
def accelerated(v, change):
    """Return v + change, exactly 0 where only rounding is left of v: a stuck joint is at rest."""
    after = v + change
    return like(v, 0) if abs(after) <= like(v, 4) * rounding(v) * abs(v) else after


@kernel
def quaternion_index(tree, i):
    """Index in q of the quaternion of link i, -1 if its joint has none."""
    if tree.joint_type[i] == FREE:
        return tree.q_index[i] + 3
    if tree.joint_type[i] == PRISMATIC or tree.joint_type[i] == REVOLUTE:
        return -1
    return tree.q_index[i]


@kernel
def advance(tree, q, v, dt):
    """Move q along v for the time dt, quaternions by the exponential map."""
    for i in range(1, len(tree.parent)):
        k, d, quaternion = tree.q_index[i], tree.v_index[i], quaternion_index(tree, i)
        if quaternion < 0:
            q[k] += dt * v[d]
            continue
        if tree.joint_type[i] == FREE:
            for axis in range(3):
                q[k + axis] += dt * v[d + axis]
            d += 3
        turned = quaternion_exp(scale(dt, (v[d], v[d + 1], v[d + 2])))
        q_now = quaternion_product(load_quaternion(q, quaternion), turned)
        store_quaternion(q, quaternion, quaternion_normalized(q_now))


@kernel
def advance_by_mean(tree, q_from, v, dt, q):
    """q = q_from moved along the mean velocity v of a step, quaternions by Cayley's map.

    With gyroscopic terms at the mean velocity, this map conserves the angular momentum and the
    energy of a free body exactly.
    """
    for i in range(1, len(tree.parent)):
        k, d, quaternion = tree.q_index[i], tree.v_index[i], quaternion_index(tree, i)
        if quaternion < 0:
            q[k] = q_from[k] + dt * v[d]
            continue
        if tree.joint_type[i] == FREE:
            for axis in range(3):
                q[k + axis] = q_from[k + axis] + dt * v[d + axis]
            d += 3
        half = scale(like(dt, 0.5) * dt, (v[d], v[d + 1], v[d + 2]))
        turned = (like(dt, 1), half[0], half[1], half[2])
        q_next = quaternion_product(load_quaternion(q_from, quaternion), turned)
        store_quaternion(q, quaternion, quaternion_normalized(q_next))


@kernel
def position_rate(tree, q, v, rate):
    """Rate of change of q, quaternions by their own differential equation."""
    for i in range(1, len(tree.parent)):
        k, d, quaternion = tree.q_index[i], tree.v_index[i], quaternion_index(tree, i)
        if quaternion < 0:
            rate[k] = v[d]
            continue
        if tree.joint_type[i] == FREE:
            for axis in range(3):
                rate[k + axis] = v[d + axis]
            d += 3
        w = (v[d], v[d + 1], v[d + 2])
        store_quaternion(rate, quaternion, quaternion_rate(load_quaternion(q, quaternion), w))


@kernel
def normalize_quaternions(tree, q):
    """Give every quaternion in q unit length."""
    for i in range(1, len(tree.parent)):
        quaternion = quaternion_index(tree, i)
        if quaternion >= 0:
            unit = quaternion_normalized(load_quaternion(q, quaternion))
            store_quaternion(q, quaternion, unit)
