"""Order of the trees that touch each other: neighbours near each other, by reverse Cuthill-McKee.

E. Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM National
Conference (1969) 157-172; reversed by A. George. Elimination in this order fills little: a stack of
boxes is a chain, a wall is a band as wide as it is high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel, subroutine

NONE = -1


class GroundAlone(NamedTuple):
    """Links touch nothing but the ground: pairs are links, in the order of the forest."""


class TreeOrder(NamedTuple):
    """The trees that take part in contact, and who touches whom."""

    count: np.ndarray  # type: ignore[assignment]  # (1) number of trees
    root: np.ndarray  # (trees) root link
    number: np.ndarray  # (links of the forest) number of the tree, in the rows of roots; or NONE
    order: np.ndarray  # (trees) their numbers, in the order of elimination
    first: np.ndarray  # (trees + 1) where the neighbours of a tree start
    neighbour: np.ndarray  # (2 pairs) trees that touch it


def allocate_order(links: int, trees: int, pairs: int) -> TreeOrder:
    """Return zeros for a forest of so many links, and most trees and pairs that touch."""
    sizes = {"count": 1, "root": trees, "number": links, "order": trees}
    sizes |= {"first": trees + 1, "neighbour": 2 * pairs}
    return TreeOrder(**{name: np.zeros(size, np.int64) for name, size in sizes.items()})


@kernel
def order_trees(root, contact, trees):
    """Number the trees that touch something; order them if they touch each other."""
    for i in range(len(trees.number)):
        trees.number[i] = NONE
    trees.count[0], edges = 0, 0
    for pair in range(contact.touching_count[0]):
        number_tree(trees, root[contact.touching_link[pair]])
        if contact.touched_link[pair] > 0:
            number_tree(trees, root[contact.touched_link[pair]])
            edges += 1
    for k in range(trees.count[0]):
        trees.order[k] = k
    if edges > 1:
        list_neighbours(root, contact, trees)
        reverse_cuthill_mckee(trees)


@kernel
def number_tree(trees, top):
    """Give a tree the next number, unless it has one."""
    if trees.number[top] == NONE:
        trees.number[top], trees.root[trees.count[0]] = trees.count[0], top
        trees.count[0] += 1


@subroutine
def list_neighbours(root, contact, trees):
    """List the trees that each tree touches, as often as it does."""
    first, neighbour, count = trees.first, trees.neighbour, trees.count[0]
    for k in range(count + 1):
        first[k] = 0
    for turn in range(2):  # count, then write from the end of each list to its start
        for pair in range(contact.touching_count[0]):
            if contact.touched_link[pair] > 0:
                a = trees.number[root[contact.touching_link[pair]]]
                b = trees.number[root[contact.touched_link[pair]]]
                if turn == 0:
                    first[a] += 1
                    first[b] += 1
                else:
                    first[a] -= 1
                    neighbour[first[a]] = b
                    first[b] -= 1
                    neighbour[first[b]] = a
        if turn == 0:
            for k in range(1, count + 1):
                first[k] += first[k - 1]


@subroutine
def reverse_cuthill_mckee(trees):
    """Order the trees breadth first, from one with the fewest neighbours, and reverse the order."""
    order, first, count = trees.order, trees.first, trees.count[0]
    for k in range(count):
        trees.number[trees.root[k]] = NONE  # until it is in the order
    done, listed = 0, 0
    while listed < count:
        start = -1
        for k in range(count):
            if trees.number[trees.root[k]] == NONE and (
                start < 0 or first[k + 1] - first[k] < first[start + 1] - first[start]
            ):
                start = k
        order[listed], trees.number[trees.root[start]] = start, start
        listed += 1
        while done < listed:
            here = order[done]
            for k in range(first[here], first[here + 1]):
                other = trees.neighbour[k]
                if trees.number[trees.root[other]] == NONE:
                    order[listed], trees.number[trees.root[other]] = other, other
                    listed += 1
            done += 1
    for k in range(count // 2):
        order[k], order[count - 1 - k] = order[count - 1 - k], order[k]
