"""Near pairs: shapes that may collide and whose boxes overlap.

Sweep and prune (Baraff 1992; Cohen et al. 1995): the shapes are sorted by the lower ends of their
boxes along the axis on which they are spread most. Each is compared with those that follow it until
one begins above its upper end. The order is kept from step to step, so that sorting is linear.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.bounds import Bounds, Boxes, allocate_boxes, update_boxes
from stiction.collision.pair_filter import PairFilter, may_collide
from stiction.collision.pair_slots import (
    PairSearch,
    PairSlots,
    allocate_slots,
    begin_search,
    end_search,
    note_near,
)
from stiction.collision.sorting import sort_pairs
from stiction.compiler.compiled import kernel
from stiction.kernels.vectors import like

SPREAD = 2.0  # another axis is swept once the variance along it is this many times larger


class Sweep(NamedTuple):
    """The shapes in the order of the sweep; changing it changes no result, only the time taken."""

    axis: np.ndarray  # (1) along which shapes are sorted
    order: np.ndarray  # (shapes) their numbers
    start: np.ndarray  # (shapes) lower end of the box along the axis, in this order [m]
    side: np.ndarray  # (shapes, 4) low and high on the two other axes, in this order [m]


class BroadPhase(NamedTuple):
    """Everything that the search for near pairs reads and writes."""

    bounds: Bounds
    filters: PairFilter
    boxes: Boxes
    sweep: Sweep
    slots: PairSlots
    search: PairSearch


def allocate_broad_phase(bounds: Bounds, filters: PairFilter, capacity: int) -> BroadPhase:
    """Return arrays for up to `capacity` near pairs of shapes, none near yet."""
    n, real = len(bounds.link), bounds.centre.dtype
    order = np.arange(n, dtype=np.int64)
    sweep = Sweep(np.zeros(1, np.int64), order, np.zeros(n, real), np.zeros((n, 4), real))
    return BroadPhase(bounds, filters, allocate_boxes(bounds), sweep, *allocate_slots(capacity))


@kernel
def find_near_pairs(broad, dynamics):
    """Update `broad.slots` to the near pairs at the poses in `dynamics`; returns success.

    The boxes are enlarged by `broad.boxes.reach`. If there are more near pairs than slots, the
    search fails: `broad.search.needed` has their number, and the slots are unchanged.
    """
    if len(broad.sweep.order) == 0:
        return True
    update_boxes(broad.bounds, dynamics, broad.boxes)
    choose_axis(broad.boxes, broad.sweep)
    sort_shapes(broad.boxes, broad.sweep)
    begin_search(broad.slots, broad.search)
    sweep_shapes(broad)
    return end_search(broad.slots, broad.search)


@kernel
def choose_axis(boxes, sweep):
    """Sweep along the axis with the largest variance of the centres of the boxes."""
    best, widest = sweep.axis[0], spread(boxes, sweep.axis[0]) * like(boxes.low[0, 0], SPREAD)
    for axis in range(3):
        wide = spread(boxes, axis)
        if axis != sweep.axis[0] and wide > widest:
            best, widest = axis, wide
    sweep.axis[0] = best


@kernel
def spread(boxes, axis):
    """Four times the sum of the squared distances of the centres from their mean [m2]."""
    n = len(boxes.low)
    total, squares = like(boxes.low[0, 0], 0), like(boxes.low[0, 0], 0)
    shift = boxes.low[0, axis] + boxes.high[0, axis]  # the sums lose fewer digits
    for i in range(n):
        twice = boxes.low[i, axis] + boxes.high[i, axis] - shift
        total += twice
        squares += twice * twice
    return squares - total * total / like(total, n)


@kernel
def sort_shapes(boxes, sweep):
    """Sort the shapes by the lower ends of their boxes, ties by their numbers."""
    axis, n = sweep.axis[0], len(sweep.order)
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for k in range(n):
        sweep.start[k] = boxes.low[sweep.order[k], axis]
    sort_pairs(sweep.start, sweep.order, n)
    for k in range(n):
        i = sweep.order[k]
        sweep.side[k, 0], sweep.side[k, 1] = boxes.low[i, u], boxes.high[i, u]
        sweep.side[k, 2], sweep.side[k, 3] = boxes.low[i, v], boxes.high[i, v]


@kernel
def sweep_shapes(broad):
    """Note every pair whose boxes overlap and that may collide."""
    sweep, n = broad.sweep, len(broad.sweep.order)
    for k in range(n):
        i = sweep.order[k]
        end = broad.boxes.high[i, sweep.axis[0]]
        low_u, high_u = sweep.side[k, 0], sweep.side[k, 1]
        low_v, high_v = sweep.side[k, 2], sweep.side[k, 3]
        for m in range(k + 1, n):
            if sweep.start[m] > end:
                break
            apart = (
                (sweep.side[m, 0] > high_u)
                | (sweep.side[m, 1] < low_u)
                | (sweep.side[m, 2] > high_v)
                | (sweep.side[m, 3] < low_v)
            )
            if not apart and may_collide(broad.filters, i, sweep.order[m]):
                note_near(broad.slots, broad.search, i, sweep.order[m])
