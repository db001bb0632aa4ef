"""Tuples of vectors and matrices as NumPy arrays, and back."""

import numpy as np
from scipy.spatial.transform import Rotation

# A few dozen operations on numbers near 1, each rounded to 1.1e-16.
ROUNDING = 1e-14
TURNS = list(Rotation.random(5, rng=np.random.default_rng(3)))


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def vector(values: np.ndarray) -> tuple:
    return tuple(float(value) for value in values)


def matrix(A: np.ndarray) -> tuple:
    return tuple(vector(row) for row in A)


def symmetric(A: np.ndarray) -> tuple:
    return vector(A[np.triu_indices(len(A))])


def dense_symmetric(a: tuple) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = a
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def dense_cross(a: np.ndarray) -> np.ndarray:
    """The matrix of a x, from the cross product of NumPy."""
    return np.cross(a, np.eye(3)).T


def close(ours: object, theirs: object) -> None:
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=ROUNDING, atol=ROUNDING)
