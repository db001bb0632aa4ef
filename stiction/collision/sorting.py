"""Sorting in place, without allocation.

Insertion sort is linear for data that are nearly in order, as those of the step before are; where
they are not, heap sort takes over. Ties are broken by a second key, so that the result does not
depend on the order at the start.
"""

from __future__ import annotations

from stiction.compiler.compiled import kernel, subroutine

SHIFTS = 8  # average shifts of an entry beyond which data are not nearly in order


@kernel
def sort_pairs(keys, others, n):
    """Sort the first n pairs (keys[i], others[i]) in ascending order, keys first."""
    shifts = 0
    for k in range(1, n):
        key, other, place = keys[k], others[k], k
        while place > 0 and comes_before(key, other, keys[place - 1], others[place - 1]):
            keys[place], others[place] = keys[place - 1], others[place - 1]
            place -= 1
        keys[place], others[place] = key, other
        shifts += k - place
        if shifts > SHIFTS * n:
            heap_sort(keys, others, n)
            return


@kernel
def comes_before(key, other, second_key, second_other):
    """Return whether a pair comes before a second one."""
    return key < second_key or (key == second_key and other < second_other)


@subroutine
def heap_sort(keys, others, n):
    """Sort the first n pairs in n log n steps, whatever their order (Williams 1964)."""
    for start in range(n // 2, 0, -1):
        sift_down(keys, others, start - 1, n)
    for end in range(n - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        others[0], others[end] = others[end], others[0]
        sift_down(keys, others, 0, end)


@kernel
def sift_down(keys, others, root, end):
    """Restore the heap of the entries below `end`, of which only that at `root` is out of place."""
    key, other = keys[root], others[root]
    child = 2 * root + 1
    while child < end:
        right = child + 1
        if right < end and comes_before(keys[child], others[child], keys[right], others[right]):
            child = right
        if not comes_before(key, other, keys[child], others[child]):
            break
        keys[root], others[root] = keys[child], others[child]
        root, child = child, 2 * child + 1
    keys[root], others[root] = key, other
