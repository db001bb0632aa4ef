"""Arguments become arrays of one kind."""

import numpy as np

from stiction.compiler.arguments import numbers


def test_arrays_are_laid_out_row_by_row_whatever_is_given():
    given = np.asfortranarray(np.arange(6).reshape(2, 3))
    assert numbers(given).flags.c_contiguous
    np.testing.assert_array_equal(numbers(given), given)


def test_what_is_not_numbers_is_one_nan():
    assert np.isnan(numbers("none")) and np.isnan(numbers([[1.0], [1.0, 2.0]]))
