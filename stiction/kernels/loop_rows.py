"""Rows of closed loops: errors, rates, drifts, and their responses to forces."""

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.forward_dynamics import add_coordinate_response, unit_responses_of
from stiction.kernels.kinematics import arm_to, last_dof, link_drift, seen_from
from stiction.kernels.spatial import (
    Twist,
    load_twist,
    point_acceleration,
    point_velocity,
    twist_add,
    twist_scale,
)
from stiction.kernels.tree import PRESCRIBED
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_matrix,
    scale,
    sub,
    transform,
    zero_vector,
)

# ------------------------------------------------------------------------ errors, rates and drifts


@subroutine
def measure_rows(loops, dynamics, q, v, v_products):
    """Write `error`, `rate` and `drift` of all rows."""
    for loop in range(len(loops.points)):
        if loops.coordinate[loop, 0] >= 0:
            measure_coupling(loops, dynamics, loop, q, v, v_products)
        if loops.points[loop] > 0:
            measure_points(loops, dynamics, loop, v_products)
        if loops.turns[loop] > 0:
            measure_turns(loops, dynamics, loop)


@kernel
def measure_coupling(loops, dynamics, loop, q, v, v_products):
    """e = (q1 - r1) - p(q2 - r2) of coupled coordinates."""
    row, first, second = loops.first_row[loop], loops.coordinate[loop, 0], loops.coordinate[loop, 1]
    tree = dynamics.tree
    e = q[tree.dof_q[first]] - loops.reference[loop, 0]
    rate, drift, driven = v[first], like(e, 0), prescribed(dynamics, first)
    if second >= 0:
        value, slope, curvature = polynomial(
            loops.coefficients, loop, q[tree.dof_q[second]] - loops.reference[loop, 1]
        )
        e, rate = e - value, rate - slope * v[second]
        loops.slope[loop] = slope
        driven -= slope * prescribed(dynamics, second)
        drift = -curvature * v_products[second] * v_products[second]
    else:
        e -= loops.coefficients[loop, 0]
    loops.error[row], loops.rate[row], loops.drift[row] = e, rate, drift
    loops.driven[row] = driven


@kernel
def prescribed(dynamics, d):
    """Acceleration of a coordinate if its motion is prescribed, else 0."""
    a = dynamics.acceleration[d]
    return a if dynamics.mode[d] == PRESCRIBED else like(a, 0)


@kernel
def prescribed_twist(dynamics, link):
    """Acceleration of a link due to the coordinates whose motion is prescribed."""
    still = zero_vector(dynamics.D[0])
    total, d = Twist(still, still), last_dof(dynamics.tree, link)
    while d >= 0:
        if dynamics.mode[d] == PRESCRIBED:
            a = dynamics.acceleration[d]
            total = twist_add(total, twist_scale(a, load_twist(dynamics.S, d)))
        d = dynamics.tree.dof_parent[d]
    return total


@kernel
def polynomial(coefficients, loop, x):
    """Value, first and second derivative of a polynomial at x, by Horner's rule."""
    value, slope, half_curvature = like(x, 0), like(x, 0), like(x, 0)
    for k in range(coefficients.shape[1] - 1, -1, -1):
        half_curvature = half_curvature * x + slope
        slope = slope * x + value
        value = value * x + coefficients[loop, k]
    return value, slope, like(x, 2) * half_curvature


@kernel
def direction_of(loops, dynamics, loop, k):
    """Direction k of a loop in world axes."""
    n = (
        loops.direction[loop, k, 0],
        loops.direction[loop, k, 1],
        loops.direction[loop, k, 2],
    )
    return transform(load_matrix(dynamics.rotation, loops.link[loop, 0]), n)


@kernel
def point_of(loops, dynamics, loop, end):
    """Point of a loop on one of its links, relative to O of the link's tree."""
    at = (
        loops.position[loop, end, 0],
        loops.position[loop, end, 1],
        loops.position[loop, end, 2],
    )
    return arm_to(dynamics, loops.link[loop, end], at)


@kernel
def velocity_at(dynamics, link, v):
    """Twist of a link at coordinate velocities v."""
    still = zero_vector(v[0])
    total, d = Twist(still, still), last_dof(dynamics.tree, link)
    while d >= 0:
        total = twist_add(total, twist_scale(v[d], load_twist(dynamics.S, d)))
        d = dynamics.tree.dof_parent[d]
    return total


@kernel
def seen_at(dynamics, link, twist, v):
    """Twist of a link for an observer who moves with O of its tree, as drift is given."""
    origin = velocity_at(dynamics, dynamics.tree.root[link], v)
    return Twist(sub(twist.linear, origin.linear), twist.angular)


@kernel
def measure_points(loops, dynamics, loop, v_products):
    """e = n . (x1 - x2) for each direction n, which turns with the first link."""
    a, b, row = loops.link[loop, 0], loops.link[loop, 1], loops.first_row[loop]
    r1, r2 = point_of(loops, dynamics, loop, 0), point_of(loops, dynamics, loop, 1)
    apart = sub(r1, seen_from(dynamics, b, a, r2))
    t1, t2 = load_twist(dynamics.velocity, a), load_twist(dynamics.velocity, b)
    a1, a2 = prescribed_twist(dynamics, a), prescribed_twist(dynamics, b)
    m1, m2 = velocity_at(dynamics, a, v_products), velocity_at(dynamics, b, v_products)
    drift1, drift2 = link_drift(dynamics, a), link_drift(dynamics, b)
    seen1, seen2 = seen_at(dynamics, a, m1, v_products), seen_at(dynamics, b, m2, v_products)
    gains = sub(point_acceleration(drift1, seen1, r1), point_acceleration(drift2, seen2, r2))
    mean_moves = sub(point_velocity(m1, r1), point_velocity(m2, r2))
    for k in range(loops.points[loop]):
        n = direction_of(loops, dynamics, loop, k)
        turning = cross(m1.angular, n)
        bending = add(cross(drift1.angular, n), cross(m1.angular, turning))
        loops.error[row + k] = dot(n, apart)
        loops.rate[row + k] = row_rate(n, apart, t1, r1, t2, r2)
        loops.driven[row + k] = row_rate(n, apart, a1, r1, a2, r2)
        twice = like(n[0], 2) * dot(turning, mean_moves)
        loops.drift[row + k] = dot(n, gains) + twice + dot(bending, apart)


@kernel
def row_rate(n, apart, t1, r1, t2, r2):
    """Rate of n . (x1 - x2) if the links move with twists t1 and t2, n with the first."""
    moves = sub(point_velocity(t1, r1), point_velocity(t2, r2))
    return dot(n, moves) + dot(cross(t1.angular, n), apart)


@kernel
def frame_axis(loops, dynamics, loop, end, k):
    """Axis k of the frame of a loop on one of its links, in world axes."""
    axis = (
        loops.rotation[loop, end, 0, k],
        loops.rotation[loop, end, 1, k],
        loops.rotation[loop, end, 2, k],
    )
    return transform(load_matrix(dynamics.rotation, loops.link[loop, end]), axis)


@kernel
def measure_turns(loops, dynamics, loop):
    """e: axis of the turn of the first frame against the second, times its sine, world axes."""
    a, b = loops.link[loop, 0], loops.link[loop, 1]
    row = loops.first_row[loop] + loops.points[loop]
    turned = zero_vector(loops.error[0])
    for k in range(3):
        axis = frame_axis(loops, dynamics, loop, 1, k)
        turned = add(turned, cross(axis, frame_axis(loops, dynamics, loop, 0, k)))
    turned = scale(like(turned[0], 0.5), turned)
    moves = sub(load_twist(dynamics.velocity, a).angular, load_twist(dynamics.velocity, b).angular)
    gains = sub(link_drift(dynamics, a).angular, link_drift(dynamics, b).angular)
    driven = sub(prescribed_twist(dynamics, a).angular, prescribed_twist(dynamics, b).angular)
    for k in range(3):
        loops.error[row + k], loops.rate[row + k] = turned[k], moves[k]
        loops.drift[row + k], loops.driven[row + k] = gains[k], driven[k]


# --------------------------------------------------------------------------------------- responses


@subroutine
def row_responses(method, loops, dynamics):
    """Write into `basis` the response of every row, J times the unit responses of coordinates.

    As for links, J H^-1 J' is the sum over the coordinates of basis[., d] basis[., d] / D.
    """
    for row in range(len(loops.aim)):
        for k in range(len(loops.moved)):
            loops.basis[row, loops.moved[k]] = 0
    for loop in range(len(loops.points)):
        if loops.coordinate[loop, 0] >= 0:
            coupling_response(method, loops, dynamics, loop)
        else:
            link_responses(method, loops, dynamics, loop)


@kernel
def coupling_response(method, loops, dynamics, loop):
    """Response of two coupled coordinates."""
    row, first, second = loops.first_row[loop], loops.coordinate[loop, 0], loops.coordinate[loop, 1]
    add_coordinate_response(method, dynamics, first, like(loops.aim[0], 1), loops.basis, row)
    loops.scale[row] = squared_length(loops, dynamics, row)
    if second >= 0:
        add_coordinate_response(method, dynamics, second, -loops.slope[loop], loops.basis, row)
        loops.scale[row] += squared_length(loops, dynamics, row)


@kernel
def squared_length(loops, dynamics, row):
    """Squared length of a row of `basis`, in the metric 1 / D."""
    total = like(loops.aim[0], 0)
    for k in range(len(loops.moved)):
        d = loops.moved[k]
        total += loops.basis[row, d] * loops.basis[row, d] * dynamics.inverse_D[d]
    return total


@kernel
def link_responses(method, loops, dynamics, loop):
    """Responses of the points and the orientation of two links, about the second point."""
    a, b, row = loops.link[loop, 0], loops.link[loop, 1], loops.first_row[loop]
    at = point_of(loops, dynamics, loop, 1)
    one, none = like(at[0], 1), like(at[0], 0)
    unit_responses_of(method, dynamics, a, seen_from(dynamics, b, a, at), loops.ends, 0)
    unit_responses_of(method, dynamics, b, at, loops.ends, 1)
    linear, angular = none, none
    for end in range(2):
        sign = one if end == 0 else -one
        d = last_dof(dynamics.tree, loops.link[loop, end])
        while d >= 0:
            moved = (loops.ends[end, d, 0], loops.ends[end, d, 1], loops.ends[end, d, 2])
            turned = (loops.ends[end, d, 3], loops.ends[end, d, 4], loops.ends[end, d, 5])
            linear += dot(moved, moved) * dynamics.inverse_D[d]
            angular += dot(turned, turned) * dynamics.inverse_D[d]
            for k in range(loops.points[loop]):
                along = dot(direction_of(loops, dynamics, loop, k), moved)
                loops.basis[row + k, d] += sign * along
            for k in range(loops.turns[loop]):
                loops.basis[row + loops.points[loop] + k, d] += sign * turned[k]
            d = dynamics.tree.dof_parent[d]
    for k in range(loops.points[loop]):
        loops.scale[row + k] = linear
    for k in range(loops.turns[loop]):
        loops.scale[row + loops.points[loop] + k] = angular
