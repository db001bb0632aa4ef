"""Compiled code finds in memory what Python wrote down: every kind of leaf, wherever it is."""

from typing import NamedTuple

import numpy as np
import pytest

from stiction.compiler.bound import Handle, bundle_of
from stiction.compiler.compiled import routine

pytestmark = pytest.mark.jit


class Inner(NamedTuple):
    flags: np.ndarray
    share: float
    on: bool


class Outer(NamedTuple):
    table: np.ndarray
    inner: Inner
    across: np.ndarray  # not contiguous
    count: int
    single: np.float32
    point: np.ndarray  # without an axis


@routine
def weighed(handle):
    """A number that depends on every leaf, its shape and its strides."""
    given = bundle_of(handle)
    total = given.inner.share + 10.0 * given.count + given.single + given.point[()]
    for i in range(given.table.shape[0]):
        for k in range(given.table.shape[1]):
            total += (1 + i) * (2 + k) * given.table[i, k]
    for i in range(len(given.across)):
        total += (3 + i) * given.across[i]
    for i in range(len(given.inner.flags)):
        total += 100.0 * (1 + i) * given.inner.flags[i]
    given.table[0, 0] += 1.0
    return total if given.inner.on else -total


def bundle(on=True):
    table = np.arange(6.0).reshape(2, 3)
    flags = np.array([True, False, True])
    return Outer(table, Inner(flags, 0.25, on), table.T[1], 7, np.float32(0.5), np.array(0.125))


def test_every_leaf_arrives_and_arrays_are_written_to():
    for on, sign in ((True, 1.0), (False, -1.0)):
        given = bundle(on)
        expected = sign * weighed.py_func(Handle(bundle(on)))  # plain Python
        handle = Handle(given)
        assert sign * weighed(handle) == expected == 576.875
        assert given.table[0, 0] == 1.0


def test_a_handle_keeps_its_arrays_alive():
    handle = Handle(bundle())
    for _ in range(100):
        np.full((2, 3), 9.0)  # would take the memory of arrays that are gone
    assert weighed(handle) == 576.875
