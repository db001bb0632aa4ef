"""The identity of near pairs: each has a slot, a small number that it keeps while it stays near.

Warm starts and the memory of contact models are stored by slot. A pair that is no longer near loses
its slot; new pairs, in ascending order of their shapes, get the lowest free ones. So the slots
follow from the set of near pairs and the slots before, not from the order in which a search finds
the pairs.

A hash table, filled before a search and emptied after it, leads from a pair to its slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.sorting import sort_pairs
from stiction.compiler.compiled import kernel

FREE = -1  # shape of a slot that no pair has


class PairSlots(NamedTuple):
    """The near pairs of one instant, and their slots; the search after it starts from these."""

    count: np.ndarray  # type: ignore[assignment]  # (1) number of near pairs
    taken: np.ndarray  # (capacity) their slots, ascending, in the first `count[0]` entries
    first: np.ndarray  # (capacity) lower shape of the pair of each slot, or FREE
    second: np.ndarray  # (capacity) higher shape
    fresh: np.ndarray  # (capacity) 1 from when a pair gets the slot until `clear_fresh`


class PairSearch(NamedTuple):
    """Scratch of a search for near pairs."""

    needed: np.ndarray  # (1) near pairs found, also those for which there is no slot
    kept: np.ndarray  # (capacity) 1 if the pair of a slot is still near
    new_count: np.ndarray  # (1) near pairs found that have no slot yet
    new_first: np.ndarray  # (capacity)
    new_second: np.ndarray  # (capacity)
    new_slot: np.ndarray  # (capacity)
    table: np.ndarray  # (power of two) slot + 1, or 0; all 0 between searches
    place: np.ndarray  # (capacity) entry of the table that holds a slot


def allocate_slots(capacity: int) -> tuple[PairSlots, PairSearch]:
    """Return slots for so many near pairs, all free, and scratch to search them."""

    def zeros(n: int) -> np.ndarray:
        return np.zeros(n, np.int64)

    free = np.full(capacity, FREE, np.int64)
    slots = PairSlots(zeros(1), zeros(capacity), free, free.copy(), zeros(capacity))
    search = PairSearch(
        needed=zeros(1),
        kept=zeros(capacity),
        new_count=zeros(1),
        new_first=zeros(capacity),
        new_second=zeros(capacity),
        new_slot=zeros(capacity),
        table=zeros(1 << max(2 * capacity - 1, 1).bit_length()),
        place=zeros(capacity),
    )
    return slots, search


def are_consistent(slots: PairSlots, shapes: int) -> bool:
    """Whether slots can be those of a search among so many shapes: compiled code trusts them."""
    capacity, count = len(slots.taken), int(slots.count[0])
    if not 0 <= count <= capacity:
        return False
    taken = slots.taken[:count]
    if not (np.diff(taken, prepend=-1) > 0).all() or not (taken < capacity).all():
        return False
    first, second = slots.first[taken], slots.second[taken]
    free = np.delete(np.arange(capacity), taken)
    if not ((slots.first[free] == FREE) & (slots.second[free] == FREE)).all():
        return False
    return bool(((first >= 0) & (first < second) & (second < shapes)).all())


@kernel
def clear_fresh(slots):
    """Declare that everything stored by slot belongs to its present pair."""
    for k in range(slots.count[0]):
        slots.fresh[slots.taken[k]] = 0


# ------------------------------------------------------------------------------- during a search


@kernel
def begin_search(slots, search):
    """Fill the table with the present pairs."""
    search.needed[0] = 0
    search.new_count[0] = 0
    for k in range(slots.count[0]):
        slot = slots.taken[k]
        search.kept[slot] = 0
        place = find_place(slots, search, slots.first[slot], slots.second[slot])
        search.table[place] = slot + 1
        search.place[slot] = place


@kernel
def find_place(slots, search, a, b):
    """Entry of the table that holds the pair a < b, or the free entry where it belongs."""
    mask = len(search.table) - 1
    mixed = a * 20011 + b * 7919
    place = (mixed ^ (mixed >> 11)) & mask
    while search.table[place] != 0:
        slot = search.table[place] - 1
        if slots.first[slot] == a and slots.second[slot] == b:
            break
        place = (place + 1) & mask
    return place


@kernel
def note_near(slots, search, i, j):
    """Note that shapes i and j are near; a search does this once for each near pair."""
    a, b = min(i, j), max(i, j)
    search.needed[0] += 1
    slot = search.table[find_place(slots, search, a, b)] - 1
    if slot >= 0:
        search.kept[slot] = 1
        return
    k = search.new_count[0]
    if k < len(slots.first):
        search.new_first[k] = a
        search.new_second[k] = b
        search.new_count[0] = k + 1


@kernel
def end_search(slots, search):
    """Free the slots of pairs that are no longer near, give some to new ones; returns success.

    It fails, and leaves the slots as they are, if there are fewer than `search.needed`.
    """
    for k in range(slots.count[0]):
        search.table[search.place[slots.taken[k]]] = 0
    if search.needed[0] > len(slots.first):
        return False
    kept = free_slots(slots, search)
    sort_pairs(search.new_first, search.new_second, search.new_count[0])
    take_lowest_free(slots, search, kept)
    merge_taken(slots, search, kept)
    return True


@kernel
def free_slots(slots, search):
    """Free the slots whose pairs are no longer near; returns how many remain taken."""
    kept = 0
    for k in range(slots.count[0]):
        slot = slots.taken[k]
        if search.kept[slot] != 0:
            slots.taken[kept] = slot
            kept += 1
        else:
            slots.first[slot] = FREE
            slots.second[slot] = FREE
            slots.fresh[slot] = 0
    return kept


@kernel
def take_lowest_free(slots, search, kept):
    """Give each new pair the lowest free slot, in their order."""
    slot, passed = 0, 0
    for k in range(search.new_count[0]):
        while passed < kept and slots.taken[passed] == slot:
            passed += 1
            slot += 1
        search.new_slot[k] = slot
        slots.first[slot] = search.new_first[k]
        slots.second[slot] = search.new_second[k]
        slots.fresh[slot] = 1
        slot += 1


@kernel
def merge_taken(slots, search, kept):
    """Merge the slots of new pairs, ascending, into the list of taken ones, from its end."""
    new = search.new_count[0]
    slots.count[0] = kept + new
    k = kept + new - 1
    while new > 0:
        if kept > 0 and slots.taken[kept - 1] > search.new_slot[new - 1]:
            kept -= 1
            slots.taken[k] = slots.taken[kept]
        else:
            new -= 1
            slots.taken[k] = search.new_slot[new]
        k -= 1
