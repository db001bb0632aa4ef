"""Which pairs of shapes may collide, wherever they are.

Shapes of one link never do, nor those of neighbouring links; fixed shapes count as one link, the
world. The others do if their masks match (MuJoCo's contype and conaffinity) and their bodies are
not excluded. Shapes of one tree of links collide only on request, and if they start apart. Pairs
that the model file demands collide despite all of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel


class PairFilter(NamedTuple):
    """Constant: properties of shapes, and sorted lists of pairs that are exceptions.

    Lists hold each pair once, under its lower number: the partners of i are
    partner[first[i] : first[i + 1]], ascending.
    """

    link: np.ndarray  # (shapes) link of the forest, 0 for fixed shapes
    neighbour: np.ndarray  # (shapes) next solid link towards the world, -1 for the world
    tree: np.ndarray  # (shapes) root of the link
    body: np.ndarray  # (shapes) number of its link in the file, before links were merged
    contype: np.ndarray  # (shapes) bits
    conaffinity: np.ndarray  # (shapes)
    self_collision: np.ndarray  # (shapes) whether they collide with others of their tree
    overlapping_first: np.ndarray  # (shapes + 1)
    overlapping_partner: np.ndarray  # (pairs that overlap from the start) shape of the same tree
    excluded_first: np.ndarray  # (bodies + 1)
    excluded_partner: np.ndarray  # (excludes) body
    demanded_first: np.ndarray  # (shapes + 1)
    demanded_partner: np.ndarray  # (demanded pairs) shape


@kernel
def may_collide(filters, a, b):
    """Return whether shapes a and b may collide."""
    if filters.link[a] == filters.link[b]:
        return False
    if passes_filters(filters, a, b):
        return True
    return is_listed(filters.demanded_first, filters.demanded_partner, min(a, b), max(a, b))


@kernel
def passes_filters(filters, a, b):
    """Return whether shapes a and b, of two links, may collide though nothing demands it."""
    if filters.neighbour[a] == filters.link[b] or filters.neighbour[b] == filters.link[a]:
        return False
    if filters.tree[a] == filters.tree[b] and not may_touch_itself(filters, a, b):
        return False
    one_way = filters.contype[a] & filters.conaffinity[b]
    if (one_way | (filters.contype[b] & filters.conaffinity[a])) == 0:
        return False
    p, q = min(filters.body[a], filters.body[b]), max(filters.body[a], filters.body[b])
    return not is_listed(filters.excluded_first, filters.excluded_partner, p, q)


@kernel
def may_touch_itself(filters, a, b):
    """Return whether shapes a and b of one tree may collide: on request, if they start apart."""
    if filters.self_collision[a] == 0:
        return False
    first, partner = filters.overlapping_first, filters.overlapping_partner
    return not is_listed(first, partner, min(a, b), max(a, b))


@kernel
def is_listed(first, partner, a, b):
    """Return whether b is a partner of a, by bisection."""
    low, high = first[a], first[a + 1]
    while low < high:
        middle = (low + high) >> 1
        if partner[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < first[a + 1] and partner[low] == b
