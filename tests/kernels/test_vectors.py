"""The formulas of vectors and matrices against NumPy."""

import numpy as np
import pytest

from kernels.dense import TURNS, close, dense_cross, dense_symmetric, matrix, rng, symmetric, vector
from stiction.kernels import vectors


def test_vector_formulas_agree_with_numpy():
    a, b = rng().normal(size=(2, 3))
    u, v = vector(a), vector(b)
    close(vectors.add(u, v), a + b)
    close(vectors.sub(u, v), a - b)
    close(vectors.scale(1.7, u), 1.7 * a)
    close(vectors.dot(u, v), a @ b)
    close(vectors.cross(u, v), np.cross(a, b))
    assert vectors.zero_vector(1.5) == (0.0, 0.0, 0.0)


def test_matrix_formulas_agree_with_numpy():
    A, B = rng().normal(size=(2, 3, 3))
    x, p = rng().normal(size=(2, 3))
    close(vectors.transform(matrix(A), vector(x)), A @ x)
    close(vectors.transform_transposed(matrix(A), vector(x)), A.T @ x)
    close(vectors.compose(matrix(A), matrix(B)), A @ B)
    close([vectors.column(matrix(A), k) for k in range(3)], A.T)
    close(vectors.point_of_frame(vector(p), matrix(A), vector(x)), p + A @ x)
    close(vectors.skew(vector(x)), dense_cross(x))


def test_symmetric_formulas_agree_with_dense_matrices():
    A, B = rng().normal(size=(2, 3, 3))
    A, B, x = A + A.T, B + B.T, rng().normal(size=3)
    close(vectors.symmetric_transform(symmetric(A), vector(x)), A @ x)
    close(dense_symmetric(vectors.symmetric_add(symmetric(A), symmetric(B))), A + B)
    parallel = vectors.symmetric_outer(vector(2.0 * x), vector(x))
    close(dense_symmetric(parallel), 2.0 * np.outer(x, x))


@pytest.mark.parametrize("turn", TURNS)
def test_symmetric_rotate_is_a_change_of_axes(turn):
    A = rng().normal(size=(3, 3))
    A, R = A + A.T, turn.as_matrix()
    close(dense_symmetric(vectors.symmetric_rotate(matrix(R), symmetric(A))), R @ A @ R.T)


def test_symmetric_rows_hold_the_upper_triangle():
    A = rng().normal(size=(2, 6))
    assert vectors.load_symmetric(A, 1) == vector(A[1])
