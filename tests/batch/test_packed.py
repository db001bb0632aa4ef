"""Packed memory of worlds: places, whole numbers, and what is said where it cannot be compiled."""

from importlib.util import find_spec

import numpy as np
import pytest

from stiction.batch.packed import Layout, enterer, viewer
from stiction.errors import InputError


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_arrays_lie_one_after_the_other_with_all_their_bits(real):
    layout = Layout(real, shared=False)
    numbers = np.array([[0.5, -1.25, 3e-30], [np.inf, -0.0, 7.0]])
    whole = np.array([-1, 2**31 - 1, 0])
    places = [layout.place(numbers), layout.place(np.zeros((0, 3))), layout.place(whole)]
    assert [place.offset for place in places] == [0, 6, 6]
    assert layout.items == 9

    packed = layout.contents()
    assert packed.dtype.itemsize == np.dtype(real).itemsize
    np.testing.assert_array_equal(packed[:6].view(real).reshape(2, 3), numbers.astype(real))
    np.testing.assert_array_equal(packed[6:], whole)


@pytest.mark.skipif(find_spec("numba_cuda") is not None, reason="numba-cuda is installed")
def test_without_numba_cuda_it_is_told_what_to_install():
    layout = Layout(np.float32, shared=False)
    told = "needs numba-cuda 0.30 or newer.*stiction\\[gpu\\]"
    with pytest.raises(InputError, match=told):
        viewer((layout.place(np.zeros(3)),), (layout, Layout(np.float32, shared=True)))
    with pytest.raises(InputError, match=told):
        enterer(layout)
