"""Nested tuples keep their types; only their leaves change."""

from typing import NamedTuple

import numpy as np
import pytest

from stiction.batch.cuda import NONE, stacked
from stiction.batch.leaves import arrays_of, map_arrays, map_leaves
from stiction.batch.problem import in_precision


class Inner(NamedTuple):
    array: np.ndarray
    number: float


class Outer(NamedTuple):
    inner: Inner
    pair: tuple
    empty: tuple = ()


def example(x=1.0):
    return Outer(Inner(np.array([x, 2.0]), x), (np.array([3]), 4))


def test_every_leaf_is_mapped_in_place():
    text = map_leaves(lambda leaf: str(leaf), example())
    assert text == Outer(Inner("[1. 2.]", "1.0"), ("[3]", "4"), ())
    assert type(text) is Outer and type(text.inner) is Inner and type(text.pair) is tuple


def test_leaves_of_several_tuples_are_mapped_together():
    total = map_leaves(lambda *leaves: sum(np.sum(leaf) for leaf in leaves), example(), example(5))
    assert total == Outer(Inner(10.0, 6.0), (6, 8), ())
    with pytest.raises(ValueError, match="zip"):
        map_leaves(max, (1, 2), (1, 2, 3))


def test_arrays_are_mapped_and_listed_and_numbers_stay():
    doubled = map_arrays(lambda array: 2 * array, example())
    assert doubled.inner.number == 1.0 and doubled.pair[1] == 4
    assert [array.tolist() for array in arrays_of(doubled)] == [[2.0, 4.0], [6]]


def test_precision_changes_real_numbers_alone():
    single = in_precision(example(), np.float32)
    kinds = map_leaves(lambda leaf: getattr(leaf, "dtype", type(leaf)), single)
    assert kinds == Outer(Inner(np.float32, np.float32), (np.int64, int), ())


def test_worlds_are_stacked_along_the_last_axis():
    three = stacked([example(x) for x in (1.0, 5.0, 6.0)])
    assert three.inner.array.tolist() == [[1.0, 5.0, 6.0], [2.0, 2.0, 2.0]]
    assert three.inner.number.tolist() == [1.0, 5.0, 6.0] and three.pair[1].tolist() == [4, 4, 4]
    assert all(array.flags.c_contiguous for array in arrays_of(three))
    assert stacked([example()]) is NONE
