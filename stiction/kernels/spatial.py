"""Spatial vector algebra by value: the vocabulary in which the dynamics is written.

Every quantity is a small immutable tuple, returned by value from a short function. The compiler
keeps tuples in registers, so `add(cross(w, r), v)` costs exactly its six multiplications and six
additions: no array is allocated, and the same source runs on the CPU and inside a CUDA kernel.

    vector      (x, y, z)
    matrix      three rows, each a vector
    symmetric   (xx, xy, xz, yy, yz, zz)
    quaternion  (w, x, y, z)
    Twist, Wrench, Inertia, ArticulatedInertia: spatial quantities, linear part first

Notation follows R. Featherstone, "Rigid Body Dynamics Algorithms" (Springer 2008), chapter 2, cited
as [RBDA]. All spatial quantities of one tree use world axes and ONE common origin O, the current
position of the root link. Twists of different bodies may then simply be added: the coordinate
transforms between bodies are identities.

Precision comes from the arrays. A literal such as 0.5 or 2 is double precision or an integer, and
mixing it with single precision would silently promote the whole expression, so constants are
written `like(x, 0.5)`.
"""

import math
from typing import NamedTuple

from stiction.compiler.compiled import formula


class Twist(NamedTuple):
    """Velocity, acceleration or joint axis: `linear` is that of the point of the body at O."""

    linear: tuple
    angular: tuple


class Wrench(NamedTuple):
    """Force, momentum or impulse: `moment` is taken about O."""

    force: tuple
    moment: tuple


class Inertia(NamedTuple):
    """Rigid-body inertia about O: ten numbers instead of a 6x6 matrix."""

    mass: float
    first_moment: tuple  # mass times centre of mass
    rotational: tuple  # symmetric, about O


class ArticulatedInertia(NamedTuple):
    """Symmetric matrix [[linear, coupling'], [coupling, rotational]], 21 numbers [RBDA ch. 7]."""

    rotational: tuple  # symmetric
    coupling: tuple  # matrix, moment per linear acceleration
    linear: tuple  # symmetric


# ---------------------------------------------------------------------------------------- constants


@formula
def like(x, constant):
    """Return the constant in the precision of x."""
    return type(x)(constant)


# ------------------------------------------------------------------------------------------ vectors


@formula
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def sub(a, b):
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@formula
def scale(k, a):
    """Return k a."""
    return (k * a[0], k * a[1], k * a[2])


@formula
def dot(a, b):
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a, b):
    """Return a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@formula
def zero_vector(x):
    """Return the zero vector in the precision of x."""
    zero = like(x, 0)
    return (zero, zero, zero)


# ----------------------------------------------------------------------------------------- matrices


@formula
def transform(A, x):
    """Return A x."""
    return (dot(A[0], x), dot(A[1], x), dot(A[2], x))


@formula
def transform_transposed(A, x):
    """Return A' x: the rows of A combined with weights x."""
    return add(add(scale(x[0], A[0]), scale(x[1], A[1])), scale(x[2], A[2]))


@formula
def compose(A, B):
    """Return A B: row r of the product is B' applied to row r of A."""
    return (
        transform_transposed(B, A[0]),
        transform_transposed(B, A[1]),
        transform_transposed(B, A[2]),
    )


@formula
def column(A, k):
    """Return column k of A."""
    return (A[0][k], A[1][k], A[2][k])


@formula
def point_of_frame(p, R, x):
    """Return p + R x, summed from p onwards.

    The order matters in single precision: with the products summed first, the rounded heights of
    the points of one flat foot disagree in a way that more than doubled the contact sweeps on a
    standing humanoid.
    """
    return (
        p[0] + R[0][0] * x[0] + R[0][1] * x[1] + R[0][2] * x[2],
        p[1] + R[1][0] * x[0] + R[1][1] * x[1] + R[1][2] * x[2],
        p[2] + R[2][0] * x[0] + R[2][1] * x[1] + R[2][2] * x[2],
    )


@formula
def skew(a):
    """Return [a]x, the matrix with skew(a) b = a x b."""
    zero = like(a[0], 0)
    return ((zero, -a[2], a[1]), (a[2], zero, -a[0]), (-a[1], a[0], zero))


@formula
def symmetric_transform(I, x):
    """Return I x for symmetric I."""
    return (
        I[0] * x[0] + I[1] * x[1] + I[2] * x[2],
        I[1] * x[0] + I[3] * x[1] + I[4] * x[2],
        I[2] * x[0] + I[4] * x[1] + I[5] * x[2],
    )


@formula
def symmetric_add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@formula
def symmetric_rotate(R, I):
    """Return R I R' for symmetric I."""
    x = symmetric_transform(I, R[0])
    y = symmetric_transform(I, R[1])
    z = symmetric_transform(I, R[2])
    return (dot(x, R[0]), dot(x, R[1]), dot(x, R[2]), dot(y, R[1]), dot(y, R[2]), dot(z, R[2]))


@formula
def symmetric_outer(a, b):
    """Upper triangle of a b', for parallel a and b (the only case in which it is symmetric)."""
    return (a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[1], a[1] * b[2], a[2] * b[2])


# ---------------------------------------------------------------------------------------- rotations


@formula
def turn(a, axis, sine, cosine):
    """Vector a turned about a unit axis (Rodrigues' formula)."""
    along = scale((like(cosine, 1) - cosine) * dot(axis, a), axis)
    return add(add(scale(cosine, a), scale(sine, cross(axis, a))), along)


@formula
def rotate_about(A, axis, angle):
    """Return A Rot(axis, angle).

    Turning the rows of A backwards saves forming Rot and a matrix product.
    """
    sine, cosine = math.sin(-angle), math.cos(angle)
    return (
        turn(A[0], axis, sine, cosine),
        turn(A[1], axis, sine, cosine),
        turn(A[2], axis, sine, cosine),
    )


@formula
def quaternion_dot(p, q):
    """Return p . q as vectors of four numbers."""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


@formula
def quaternion_to_matrix(q):
    """Rotation matrix of q / |q|: inside an integrator step quaternions are not quite unit ones."""
    w, x, y, z = q
    one, s = like(w, 1), like(w, 2) / quaternion_dot(q, q)
    return (
        (one - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), one - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), one - s * (x * x + y * y)),
    )


@formula
def quaternion_product(p, q):
    """Return p q."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@formula
def quaternion_conjugate(q):
    """Return the inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


@formula
def quaternion_normalized(q):
    """Return q / |q|."""
    k = like(q[0], 1) / math.sqrt(quaternion_dot(q, q))
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@formula
def quaternion_exp(rotation):
    """Unit quaternion of a rotation vector."""
    half = scale(like(rotation[0], 0.5), rotation)
    square = dot(half, half)
    if square > like(square, 1e-8):
        angle = math.sqrt(square)
        cosine, sinc = math.cos(angle), math.sin(angle) / angle
    else:  # series: sin(angle) / angle is 0 / 0 at rest
        cosine = like(square, 1) - square / like(square, 2)
        sinc = like(square, 1) - square / like(square, 6)
    return (cosine, sinc * half[0], sinc * half[1], sinc * half[2])


@formula
def quaternion_rate(q, w):
    """Rate of change of q for the angular velocity w in body axes, q (0, w) / 2."""
    half = scale(like(w[0], 0.5), w)
    return quaternion_product(q, (like(w[0], 0), half[0], half[1], half[2]))


# ------------------------------------------------------------------------- spatial motion and force


@formula
def twist_add(a, b):
    """Return a + b."""
    return Twist(add(a.linear, b.linear), add(a.angular, b.angular))


@formula
def twist_scale(k, a):
    """Return k a."""
    return Twist(scale(k, a.linear), scale(k, a.angular))


@formula
def twist_cross(v, m):
    """Return v x m, the rate of change of a twist m fixed in a body moving with v [RBDA ch. 2]."""
    return Twist(
        add(cross(v.angular, m.linear), cross(v.linear, m.angular)),
        cross(v.angular, m.angular),
    )


@formula
def wrench_add(a, b):
    """Return a + b."""
    return Wrench(add(a.force, b.force), add(a.moment, b.moment))


@formula
def wrench_sub(a, b):
    """Return a - b."""
    return Wrench(sub(a.force, b.force), sub(a.moment, b.moment))


@formula
def wrench_scale(k, f):
    """Return k f."""
    return Wrench(scale(k, f.force), scale(k, f.moment))


@formula
def wrench_cross(v, f):
    """Return v x* f, the rate of change of a wrench f fixed in a body with twist v [RBDA ch. 2]."""
    return Wrench(
        cross(v.angular, f.force),
        add(cross(v.angular, f.moment), cross(v.linear, f.force)),
    )


@formula
def power(m, f):
    """Return m . f, the scalar product of a twist and a wrench [RBDA ch. 2]."""
    return dot(m.linear, f.force) + dot(m.angular, f.moment)


@formula
def point_velocity(v, r):
    """Velocity of the point at r of a body moving with v."""
    return add(v.linear, cross(v.angular, r))


@formula
def point_acceleration(a, v, r):
    """Acceleration of the point at r of a body with spatial acceleration a and velocity v."""
    return add(
        add(a.linear, cross(a.angular, r)),
        cross(v.angular, point_velocity(v, r)),
    )


@formula
def wrench_at_point(f, r):
    """Wrench of a pure force f acting at the point r."""
    return Wrench(f, cross(r, f))


# ----------------------------------------------------------------------------------------- inertias


@formula
def rigid_inertia(mass, centre, about_centre):
    """Inertia about O of a body with centre of mass `centre` (parallel axes) [RBDA ch. 2]."""
    h = scale(mass, centre)
    xx, xy, xz, yy, yz, zz = symmetric_outer(h, centre)
    shift = (yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)
    return Inertia(mass, h, symmetric_add(about_centre, shift))


@formula
def massless_body(x):
    """Return the inertia of nothing, in the precision of x."""
    zero = like(x, 0)
    return Inertia(zero, zero_vector(x), (zero, zero, zero, zero, zero, zero))


@formula
def inertia_add(a, b):
    """Return a + b."""
    return Inertia(
        a.mass + b.mass,
        add(a.first_moment, b.first_moment),
        symmetric_add(a.rotational, b.rotational),
    )


@formula
def momentum(I, v):
    """Return I v for a rigid body."""
    return Wrench(
        sub(scale(I.mass, v.linear), cross(I.first_moment, v.angular)),
        add(symmetric_transform(I.rotational, v.angular), cross(I.first_moment, v.linear)),
    )


@formula
def articulated(I):
    """A rigid body as the articulated body made of itself alone."""
    m, zero = I.mass, like(I.mass, 0)
    return ArticulatedInertia(I.rotational, skew(I.first_moment), (m, zero, zero, m, zero, m))


@formula
def articulated_transform(I, a):
    """Return I a for an articulated-body inertia."""
    return Wrench(
        add(transform_transposed(I.coupling, a.angular), symmetric_transform(I.linear, a.linear)),
        add(symmetric_transform(I.rotational, a.angular), transform(I.coupling, a.linear)),
    )


@formula
def articulated_add(a, b):
    """Return a + b."""
    return ArticulatedInertia(
        symmetric_add(a.rotational, b.rotational),
        (
            add(a.coupling[0], b.coupling[0]),
            add(a.coupling[1], b.coupling[1]),
            add(a.coupling[2], b.coupling[2]),
        ),
        symmetric_add(a.linear, b.linear),
    )


@formula
def minus_outer(I, U, k):
    """Return I - k U U'."""
    n, f = U.moment, U.force
    kn, kf = scale(-k, n), scale(-k, f)
    return ArticulatedInertia(
        symmetric_add(I.rotational, symmetric_outer(kn, n)),
        (
            add(I.coupling[0], scale(kn[0], f)),
            add(I.coupling[1], scale(kn[1], f)),
            add(I.coupling[2], scale(kn[2], f)),
        ),
        symmetric_add(I.linear, symmetric_outer(kf, f)),
    )


# --------------------------------------------------------- loading and storing one item of an array


@formula
def load_vector(A, i):
    """Row i of A as a vector."""
    return (A[i, 0], A[i, 1], A[i, 2])


@formula
def store_vector(A, i, a):
    """Write a vector into row i of A."""
    A[i, 0], A[i, 1], A[i, 2] = a


@formula
def load_quaternion(q, k):
    """Return the quaternion at q[k:k + 4]."""
    return (q[k], q[k + 1], q[k + 2], q[k + 3])


@formula
def store_quaternion(q, k, a):
    """Write a quaternion into q[k:k + 4]."""
    q[k], q[k + 1], q[k + 2], q[k + 3] = a


@formula
def load_symmetric(A, i):
    """Row i of A as a symmetric matrix."""
    return (A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5])


@formula
def store_symmetric(A, i, I):
    """Write a symmetric matrix, rows of its upper half, into row i of A."""
    A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5] = I


@formula
def load_matrix(A, i):
    """Matrix i of A."""
    return (
        (A[i, 0, 0], A[i, 0, 1], A[i, 0, 2]),
        (A[i, 1, 0], A[i, 1, 1], A[i, 1, 2]),
        (A[i, 2, 0], A[i, 2, 1], A[i, 2, 2]),
    )


@formula
def store_matrix(A, i, a):
    """Write a matrix into A[i]."""
    A[i, 0, 0], A[i, 0, 1], A[i, 0, 2] = a[0]
    A[i, 1, 0], A[i, 1, 1], A[i, 1, 2] = a[1]
    A[i, 2, 0], A[i, 2, 1], A[i, 2, 2] = a[2]


@formula
def load_twist(A, i):
    """Row i of A as a twist."""
    return Twist((A[i, 0], A[i, 1], A[i, 2]), (A[i, 3], A[i, 4], A[i, 5]))


@formula
def store_twist(A, i, m):
    """Write a twist into row i of A."""
    A[i, 0], A[i, 1], A[i, 2] = m.linear
    A[i, 3], A[i, 4], A[i, 5] = m.angular


@formula
def load_wrench(A, i):
    """Row i of A as a wrench."""
    return Wrench((A[i, 0], A[i, 1], A[i, 2]), (A[i, 3], A[i, 4], A[i, 5]))


@formula
def store_wrench(A, i, f):
    """Write a wrench into row i of A."""
    A[i, 0], A[i, 1], A[i, 2] = f.force
    A[i, 3], A[i, 4], A[i, 5] = f.moment


@formula
def load_inertia(A, i):
    """Row i of A as a rigid-body inertia."""
    return Inertia(
        A[i, 0],
        (A[i, 1], A[i, 2], A[i, 3]),
        (A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8], A[i, 9]),
    )


@formula
def store_inertia(A, i, I):
    """Write a rigid-body inertia into row i of A."""
    A[i, 0] = I.mass
    A[i, 1], A[i, 2], A[i, 3] = I.first_moment
    A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8], A[i, 9] = I.rotational


@formula
def load_articulated(A, i):
    """Row i of A as an articulated-body inertia."""
    return ArticulatedInertia(
        (A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5]),
        (
            (A[i, 6], A[i, 7], A[i, 8]),
            (A[i, 9], A[i, 10], A[i, 11]),
            (A[i, 12], A[i, 13], A[i, 14]),
        ),
        (A[i, 15], A[i, 16], A[i, 17], A[i, 18], A[i, 19], A[i, 20]),
    )


@formula
def store_articulated(A, i, I):
    """Write an articulated-body inertia into row i of A."""
    A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5] = I.rotational
    A[i, 6], A[i, 7], A[i, 8] = I.coupling[0]
    A[i, 9], A[i, 10], A[i, 11] = I.coupling[1]
    A[i, 12], A[i, 13], A[i, 14] = I.coupling[2]
    A[i, 15], A[i, 16], A[i, 17], A[i, 18], A[i, 19], A[i, 20] = I.linear
