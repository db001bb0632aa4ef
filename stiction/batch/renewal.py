"""Kernels that reset worlds on a GPU."""

from __future__ import annotations

from typing import Any

from numba import cuda

from stiction.batch.packed import LANES
from stiction.kernels.tree import OK


@cuda.jit
def put(index: Any, q: Any, v: Any, all_q: Any, all_v: Any, status: Any) -> None:
    """Put the worlds index[j] into the states q[:, j], v[:, j]."""
    j = cuda.grid(1)
    if j < len(index):
        i = index[j]
        for k in range(q.shape[0]):
            all_q[k, i] = q[k, j]
        for k in range(v.shape[0]):
            all_v[k, i] = v[k, j]
        status[0, i] = OK


@cuda.jit
def renew(index: Any, first: Any, worlds: Any) -> None:
    """Reset the packed memory of the worlds index[j] to its initial contents."""
    j = cuda.grid(1)
    if j < len(index):
        refill(index[j], first, worlds)


@cuda.jit
def renew_where(mask: Any, first: Any, worlds: Any, status: Any) -> None:
    """Reset the packed memory and the status of the worlds whose mask is not 0."""
    i = cuda.grid(1)
    if i < len(mask) and mask[i]:
        refill(i, first, worlds)
        status[0, i] = OK


@cuda.jit(device=True)
def refill(i: int, first: Any, worlds: Any) -> None:
    """Reset the packed memory of world i to its initial contents."""
    block, lane = i // LANES, i % LANES
    for k in range(len(first)):
        worlds[(block * len(first) + k) * LANES + lane] = first[k]
