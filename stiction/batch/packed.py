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
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numba import config

from stiction.batch.leaves import map_leaves
from stiction.errors import InputError

LANES = 32


@dataclass(frozen=True)
class Place:
    """The place of an array of one world."""

    shape: tuple[int, ...]
    whole: bool  # whole numbers
    offset: int  # of its first number [items]
    shared: bool  # by all worlds
    size: int  # of a number [bytes]


class Layout:
    """The places of the arrays of one world, or of those that all share, one after the other."""

    def __init__(self, real: Any, shared: bool) -> None:
        """Start without arrays; real: the floating-point type."""
        self.real, self.shared = np.dtype(real), shared
        self.item = np.dtype(f"i{self.real.itemsize}")
        self.items = 0
        self._contents: list[np.ndarray] = []

    def place(self, array: np.ndarray) -> Place:
        """Add an array; returns its place."""
        whole = array.dtype.kind in "ib"
        flat = np.ascontiguousarray(array, self.item if whole else self.real).reshape(-1)
        place = Place(array.shape, whole, self.items, self.shared, self.item.itemsize)
        self._contents.append(flat.view(self.item))
        self.items += array.size
        return place

    def contents(self) -> np.ndarray:
        """Return the contents of the arrays of one world, in the order of their places."""
        return np.concatenate([np.zeros(0, self.item), *self._contents])


def viewer(places: Any, layouts: tuple[Layout, Layout]) -> Callable[..., Any]:
    """Return the function (shared, worlds, i) that gives a kernel a part of its world i.

    places: that part with a `Place` for each array; layouts: those of `worlds` and of `shared`.
    Before it, the kernel calls `enterer`.
    """
    if not _is_simulated():
        return _compiled("packed_bundle").packed_bundle(places)

    def view(shared: Any, worlds: Any, i: int) -> Any:
        """In the simulator: arrays over the same memory."""
        return map_leaves(lambda leaf: _view(leaf, layouts, shared, worlds, i), places)

    return view


def enterer(layout: Layout) -> Callable[..., Any]:
    """Return the function (shared, worlds, i) with which a thread says what its world is."""
    if not _is_simulated():
        return _compiled("packed_array").enterer(layout)
    return lambda shared, worlds, i: None


def compiler_options(registers: int | None) -> dict[str, Any]:
    """Let the compiler of CUDA kernels call subroutines; returns its options.

    registers: most that a thread may have.
    """
    if _is_simulated():
        return {}
    _compiled("cuda_code").declare_subroutines()
    # with optimisation at link time, NVIDIA's compiler would run twice
    return {"lto": False, "max_registers": registers}


def _is_simulated() -> bool:
    return bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


def _compiled(module: str) -> Any:
    """Return a module for the compiler of CUDA kernels."""
    try:
        return import_module(f"stiction.batch.{module}")
    except ImportError as error:
        raise InputError(
            f"device 'cuda': needs numba-cuda 0.30 or newer ({error}); install 'stiction[gpu]' "
            "or use device='cpu'"
        ) from None


def _view(leaf: Any, layouts: tuple[Layout, Layout], shared: Any, worlds: Any, i: int) -> Any:
    """Return the array of world i at a place; numbers stay."""
    if not isinstance(leaf, Place):
        return leaf
    layout, end = layouts[leaf.shared], leaf.offset + int(np.prod(leaf.shape))
    if leaf.shared:
        found = shared[leaf.offset : end]
    else:
        found = worlds.reshape(-1, layout.items, LANES)[i // LANES, leaf.offset : end, i % LANES]
    return found.view(layout.item if leaf.whole else layout.real).reshape(leaf.shape)
