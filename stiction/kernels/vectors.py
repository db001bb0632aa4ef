"""Three-dimensional vectors and matrices by value: the vocabulary of the kernels.

Every quantity is a small immutable tuple, returned by value from a short function. The compiler
keeps tuples in registers, so `add(cross(w, r), v)` costs exactly its six multiplications and six
additions: no array is allocated, and the same source runs on the CPU and inside a CUDA kernel.

    vector      (x, y, z)
    matrix      three rows, each a vector
    symmetric   (xx, xy, xz, yy, yz, zz)

Precision comes from the arrays. A literal such as 0.5 or 2 is double precision or an integer, and
mixing it with single precision would silently promote the whole expression, so constants are
written `like(x, 0.5)`.
"""

from stiction.compiler.compiled import formula

# ---------------------------------------------------------------------------------------- constants


@formula
def like(x, constant):
    """Return the constant in the precision of x."""
    return type(x)(constant)


@formula
def rounding(x):
    """Relative rounding error in the precision of x."""
    one = like(x, 1)
    return like(x, 2.2e-16) if one + like(x, 1e-10) > one else like(x, 1.2e-7)


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
    the points of one flat foot disagree in a way that more than doubles the contact sweeps of a
    standing humanoid.
    """
    return (
        p[0] + R[0][0] * x[0] + R[0][1] * x[1] + R[0][2] * x[2],
        p[1] + R[1][0] * x[0] + R[1][1] * x[1] + R[1][2] * x[2],
        p[2] + R[2][0] * x[0] + R[2][1] * x[1] + R[2][2] * x[2],
    )


@formula
def trace(A):
    """Return the sum of the diagonal of A."""
    return A[0][0] + A[1][1] + A[2][2]


@formula
def skew(a):
    """Return [a]x, the matrix with skew(a) b = a x b."""
    zero = like(a[0], 0)
    return ((zero, -a[2], a[1]), (a[2], zero, -a[0]), (-a[1], a[0], zero))


# ------------------------------------------------------------------------------- symmetric matrices


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
def symmetric_solve(I, b):
    """Solve I x = b for positive definite I, by Cramer's rule; 0 if I is singular."""
    c0, c1, c2 = (I[0], I[1], I[2]), (I[1], I[3], I[4]), (I[2], I[4], I[5])
    across = cross(c1, c2)
    volume = dot(c0, across)
    k = like(volume, 1) / volume if volume > 0 else like(volume, 0)
    return (k * dot(b, across), k * dot(c0, cross(b, c2)), k * dot(c0, cross(c1, b)))


@formula
def symmetric_outer(a, b):
    """Upper triangle of a b', for parallel a and b (the only case in which it is symmetric)."""
    return (a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[1], a[1] * b[2], a[2] * b[2])


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
