"""Memory layout of the small arrays of many worlds on a GPU: one block, offsets known in advance.

A thread that works on one world reads and writes hundreds of small arrays. As separate arrays, each
would need a pointer and strides in registers, and several integer operations per access. With
offsets that the compiler knows, one pointer serves all. Worlds are grouped in blocks of LANES, and
the same number of all worlds of a block is stored side by side, as a warp reads it:

    number k of world i    (i // LANES * items + k) * LANES + i % LANES
    what all worlds share  k

Integers have the size of the floating-point numbers, so that offsets can be counted in items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import config

from stiction.errors import InputError

LANES = 32


class Place(NamedTuple):
    """The place of an array of one world."""

    shape: tuple[int, ...]
    whole: bool  # whole numbers
    offset: int  # of its first number [items]


class Layout:
    """The places of the arrays of one world, one after the other."""

    def __init__(self, real: Any) -> None:
        """Start without arrays; real: the floating-point type."""
        self.real = np.dtype(real)
        self.item = np.dtype(f"i{self.real.itemsize}")
        self.items = 0
        self._contents: list[np.ndarray] = []

    def place(self, array: np.ndarray) -> Place:
        """Add an array; returns its place."""
        whole = array.dtype.kind in "ib"
        flat = np.ascontiguousarray(array, self.item if whole else self.real).reshape(-1)
        place = Place(array.shape, whole, self.items)
        self._contents.append(flat.view(self.item))
        self.items += array.size
        return place

    def contents(self) -> np.ndarray:
        """Return the contents of the arrays of one world, in the order of their places."""
        return np.concatenate([np.zeros(0, self.item), *self._contents])


def viewer(layout: Layout, place: Place, shared: bool) -> Callable[..., Any]:
    """Return the function (memory, i) that kernels call for the array of world i."""
    if not config.ENABLE_CUDASIM:  # type: ignore[attr-defined]
        try:
            from stiction.batch.packed_array import packed_array
        except ImportError as error:
            raise InputError(
                f"device 'cuda': needs numba-cuda 0.30 or newer ({error}); install 'stiction[gpu]' "
                "or use device='cpu'"
            ) from None
        return packed_array(layout, place, shared)

    def view(memory: Any, i: int) -> np.ndarray:
        """In the simulator: an array over the same memory."""
        end = place.offset + int(np.prod(place.shape))
        if shared:
            found = memory[place.offset : end]
        else:
            blocks = memory.reshape(-1, layout.items, LANES)
            found = blocks[i // LANES, place.offset : end, i % LANES]
        return found.view(layout.item if place.whole else layout.real).reshape(place.shape)

    return view
