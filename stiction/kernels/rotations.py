"""Rotations by value: about an axis, and as quaternions (w, x, y, z)."""

import math

from stiction.compiler.compiled import formula
from stiction.kernels.vectors import add, cross, dot, like, scale

# -------------------------------------------------------------------------- rotations about an axis


@formula
def turn(a, axis, sine, cosine):
    """Vector a rotated about a unit axis (Rodrigues' formula)."""
    along = scale((like(cosine, 1) - cosine) * dot(axis, a), axis)
    return add(add(scale(cosine, a), scale(sine, cross(axis, a))), along)


@formula
def rotate_about(A, axis, angle):
    """Return A Rot(axis, angle).

    Rotating the rows of A backwards avoids forming Rot and a matrix product.
    """
    sine, cosine = math.sin(-angle), math.cos(angle)
    return (
        turn(A[0], axis, sine, cosine),
        turn(A[1], axis, sine, cosine),
        turn(A[2], axis, sine, cosine),
    )


# -------------------------------------------------------------------------------------- quaternions


@formula
def quaternion_dot(p, q):
    """Return p . q as vectors of four numbers."""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


@formula
def quaternion_to_matrix(q):
    """Rotation matrix of q / |q|: within an integrator step quaternions are only nearly unit."""
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
def matrix_to_quaternion(R):
    """Unit quaternion of a rotation matrix, w >= 0, from its largest element (Shepperd)."""
    xx, yy, zz = R[0][0], R[1][1], R[2][2]
    a, b, c = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    d, e, f = R[1][0] + R[0][1], R[0][2] + R[2][0], R[2][1] + R[1][2]
    one, trace = like(xx, 1), xx + yy + zz
    if trace >= xx and trace >= yy and trace >= zz:
        q = (one + trace, a, b, c)
    elif xx >= yy and xx >= zz:
        q = (a, one + xx - yy - zz, d, e)
    elif yy >= zz:
        q = (b, d, one + yy - xx - zz, f)
    else:
        q = (c, e, f, one + zz - xx - yy)
    size = math.sqrt(quaternion_dot(q, q))
    k = one / size if q[0] >= 0 else -one / size
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


# --------------------------------------------------------- loading and storing one item of an array


@formula
def load_quaternion(q, k):
    """Return the quaternion at q[k:k + 4]."""
    return (q[k], q[k + 1], q[k + 2], q[k + 3])


@formula
def store_quaternion(q, k, a):
    """Write a quaternion into q[k:k + 4]."""
    q[k], q[k + 1], q[k + 2], q[k + 3] = a
