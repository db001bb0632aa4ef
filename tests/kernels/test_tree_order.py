"""Order of elimination of trees that touch each other."""

import itertools

import numpy as np
import pytest

from stiction.kernels.tree_order import allocate_order, order_trees
from stiction.world.contact_points import allocate_contact

pytestmark = pytest.mark.interpreted


def ordered(count, pairs):
    """Where each of `count` bodies comes, touching each other in pairs; link 0 is the ground."""
    contact = allocate_contact(len(pairs), len(pairs), np.zeros((1, 1)))
    contact.touching_count[0] = len(pairs)
    contact.touching_link[:], contact.touched_link[:] = np.transpose(pairs)
    trees = allocate_order(count + 1, count, len(pairs))
    order_trees(np.arange(count + 1), contact, trees)
    links = trees.root[trees.order[: trees.count[0]]]
    return {int(link): k for k, link in enumerate(links)}


def bandwidth(place, pairs):
    return max(abs(place[a] - place[b]) for a, b in pairs if b > 0)


def test_bodies_on_the_ground_keep_their_order():
    assert ordered(4, [(2, 0), (3, 0), (4, 0)]) == {2: 0, 3: 1, 4: 2}


def test_a_stack_in_any_order_is_a_chain():
    rng = np.random.default_rng(1)
    for _ in range(20):
        boxes = rng.permutation(np.arange(1, 11))
        pairs = [(int(boxes[0]), 0)]
        pairs += [tuple(sorted((int(a), int(b)))[::-1]) for a, b in itertools.pairwise(boxes)]
        assert bandwidth(ordered(10, sorted(pairs)), pairs) == 1


def test_the_band_of_a_wall_is_about_as_wide_as_the_wall_is_high():
    """Rows of ten bricks, numbered row by row: their own order has a band of eleven."""
    rows, columns = 4, 10
    number = np.arange(1, rows * columns + 1).reshape(rows, columns)
    pairs = [(int(one), 0) for one in number[0]]
    for below, above in itertools.pairwise(number):
        pairs += [(int(a), int(b)) for a, b in zip(above, below, strict=True)]
        pairs += [(int(a), int(b)) for a, b in zip(above[:-1], below[1:], strict=True)]
    place = ordered(rows * columns, pairs)
    assert sorted(place.values()) == list(range(rows * columns))
    assert bandwidth(place, pairs) <= 2 * rows - 1


def test_separate_stacks_are_not_mixed():
    pairs = [(1, 0), (2, 0), (3, 1), (4, 2), (5, 3), (6, 4)]
    place = ordered(6, pairs)
    assert sorted(place[k] for k in (1, 3, 5)) in ([0, 1, 2], [3, 4, 5])
    assert bandwidth(place, pairs) == 1
