"""Islands: touching links that no contact connects with others, solved one after another.

Robots that touch each other, directly or through others, form an island; the ground connects
nothing. An island does not affect any other, so each is a contact problem of its own: it converges
in its own number of iterations, relative to its own impulses.

To solve an island, its points, pairs and links are moved to the front of the arrays of the whole
problem, which is kept aside meanwhile. A method therefore need not know of islands. Where there is
only one, nothing is moved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.touching_links import TouchingLinks
from stiction.kernels.tree_order import NONE, GroundAlone


class Islands(NamedTuple):
    """The island of each touching link, and the whole problem while islands are solved.

    Arrays are empty if all links that may touch are of one tree. Those from `touching` on are
    copies of arrays of the same names.
    """

    island: np.ndarray  # (links) number of the island; while it is searched, another of its links
    row: np.ndarray  # (links) row of a link in its island
    links_of: np.ndarray  # (links) touching links, island by island
    links_end: np.ndarray  # (links) where those of an island end
    pairs_of: np.ndarray  # (pairs) touching pairs, island by island
    pairs_end: np.ndarray  # (links) where those of an island end
    points_end: np.ndarray  # (pairs) where the points of a pair end
    counts: np.ndarray  # (3) points, pairs and links in all
    touching: np.ndarray  # (points)
    arm: np.ndarray  # (points, 3)
    normal: np.ndarray  # (points, 3)
    velocity: np.ndarray  # (points, 3)
    least_velocity: np.ndarray  # (points)
    impulse: np.ndarray  # (points, 3)
    mu: np.ndarray  # (points)
    start: np.ndarray  # (points, 3)
    touched_link: np.ndarray  # (pairs)
    first: np.ndarray  # (pairs)
    second: np.ndarray  # (pairs)
    centre: np.ndarray  # (pairs, 3)
    first_arm: np.ndarray  # (pairs, 3)
    second_arm: np.ndarray  # (pairs, 3)
    compliance: np.ndarray  # (pairs)
    wrench: np.ndarray  # (pairs, 6)
    tree_first: np.ndarray  # (links) `first` of the touching links
    tree_end: np.ndarray  # (links) `end`
    pairs: np.ndarray  # (links)
    inverse_inertia: np.ndarray  # (6 links, most of a tree, 6)
    free: np.ndarray  # (links, 6)
    twist: np.ndarray  # (links, 6)


class OneIsland(NamedTuple):
    """A world in which nothing but the ground is touched: it is solved as a whole."""


def allocate_islands(points: int, pairs: int, links: TouchingLinks) -> Islands:
    """Return zeros for so many points and pairs; none if there can be only one island."""
    rows = len(links.link)
    if pairs == 0 or isinstance(links.trees, GroundAlone) or len(links.trees.order) <= 1:
        points, pairs, rows = 0, 0, 0
    most = links.inverse_inertia.shape[1]
    sizes = {"point": points, "pair": pairs, "link": rows}
    whole = {"island": "link", "row": "link", "touching": "point", "touched_link": "pair"}
    whole |= {"first": "pair", "second": "pair", "tree_first": "link", "tree_end": "link"}
    whole |= {"pairs": "link", "links_of": "link", "links_end": "link", "pairs_of": "pair"}
    whole |= {"pairs_end": "link", "points_end": "pair"}
    numbers = {"least_velocity": "point", "mu": "point", "compliance": "pair"}
    vectors = dict.fromkeys(("arm", "normal", "velocity", "impulse", "start"), "point")
    vectors |= dict.fromkeys(("centre", "first_arm", "second_arm"), "pair")
    sixes = {"wrench": "pair", "free": "link", "twist": "link"}
    arrays: dict[str, np.ndarray] = {
        name: np.zeros(sizes[one], np.int64) for name, one in whole.items()
    }
    arrays |= {name: np.zeros(sizes[one]) for name, one in numbers.items()}
    arrays |= {name: np.zeros((sizes[one], 3)) for name, one in vectors.items()}
    arrays |= {name: np.zeros((sizes[one], 6)) for name, one in sixes.items()}
    inverse_inertia = np.zeros((6 * rows, most if rows else 0, 6))
    return Islands(counts=np.zeros(3, np.int64), inverse_inertia=inverse_inertia, **arrays)


# ----------------------------------------------------------------------------------- which they are


@kernel
def count_islands(contact, response, islands):
    """Return the number of islands; unless all is of one tree, list what belongs to each."""
    links = response.links
    if links.count[0] == 0 or links.end[0] == links.count[0]:
        return 1  # all of one tree
    count = label_islands(contact, response, islands)
    list_islands(contact, response, islands, count)
    return count


@kernel
def label_islands(contact, response, islands):
    """Number the islands from 0, and write that of every touching link; returns how many."""
    links, island = response.links, islands.island
    for row in range(links.count[0]):
        island[row] = links.first[row]
    for pair in range(contact.touching_count[0]):
        if response.second[pair] != NONE:
            a, b = first_of(island, response.first[pair]), first_of(island, response.second[pair])
            island[max(a, b)] = min(a, b)
    for row in range(links.count[0]):
        island[row] = first_of(island, row)
    count = 0
    for row in range(links.count[0]):
        if island[row] == row:
            islands.row[row] = count
            count += 1
    for row in range(links.count[0]):
        island[row] = islands.row[island[row]]
    return count


@kernel
def list_islands(contact, response, islands, count):
    """List the links and the pairs of each island, and where the points of pairs end."""
    island, links_end, pairs_end = islands.island, islands.links_end, islands.pairs_end
    for k in range(count):
        links_end[k], pairs_end[k] = 0, 0
    for row in range(response.links.count[0]):
        links_end[island[row]] += 1
    for pair in range(contact.touching_count[0]):
        pairs_end[island[response.first[pair]]] += 1
    links, pairs = 0, 0
    for k in range(count):  # where they begin, until they are listed
        links_end[k], links = links, links + links_end[k]
        pairs_end[k], pairs = pairs, pairs + pairs_end[k]
    for row in range(response.links.count[0]):
        islands.links_of[links_end[island[row]]] = row
        links_end[island[row]] += 1
    i = 0
    for pair in range(contact.touching_count[0]):
        k = island[response.first[pair]]
        islands.pairs_of[pairs_end[k]] = pair
        pairs_end[k] += 1
        while i < contact.count[0] and contact.touching[i] == pair:
            i += 1
        islands.points_end[pair] = i


@kernel
def before(end, k):
    """Where the k-th of consecutive ranges begins, from where they end."""
    return end[k - 1] if k > 0 else 0


@kernel
def first_of(island, row):
    """First link of the island that a link is known to belong to."""
    while island[row] != row:
        island[row] = island[island[row]]
        row = island[row]
    return row


# ------------------------------------------------------------------------------- one of the islands


@subroutine
def show_island(contact, response, cases, islands, number, k):
    """Make island k of so many the whole problem, after the one before it was solved.

    cases: what a solver keeps for each point, mu and `start` of `FrictionCases`.

    After the last one, k = number, the problem is whole again, with the solutions of all islands.
    """
    if k == 0:
        keep_whole(contact, response, cases, islands)
    else:
        keep_solution(contact, response, cases, islands, k - 1)
    if k < number:
        move_to_front(contact, response, cases, islands, k)
    else:
        return_whole(contact, response, cases, islands)


@kernel
def keep_whole(contact, response, cases, islands):
    """Keep the whole problem aside."""
    links, counts = response.links, islands.counts
    counts[0], counts[1] = contact.count[0], contact.touching_count[0]
    counts[2] = links.count[0]
    for i in range(counts[0]):
        islands.touching[i] = contact.touching[i]
        copy_point(contact, cases, i, islands, islands, i)
    for pair in range(counts[1]):
        islands.touched_link[pair] = contact.touched_link[pair]
        islands.first[pair], islands.second[pair] = response.first[pair], response.second[pair]
        copy_pair(response, pair, islands, pair)
    for row in range(counts[2]):
        islands.tree_first[row], islands.tree_end[row] = links.first[row], links.end[row]
        islands.pairs[row] = links.pairs[row]
        copy_link(links, row, islands, row, links.end[row] - links.first[row])


@kernel
def move_to_front(contact, response, cases, islands, number):
    """Make one island the whole problem."""
    links = response.links
    row, pair, point = 0, 0, 0
    for k in range(before(islands.links_end, number), islands.links_end[number]):
        one = islands.links_of[k]
        size = islands.tree_end[one] - islands.tree_first[one]
        islands.row[one] = row
        links.first[row] = islands.row[islands.tree_first[one]]
        links.end[row], links.pairs[row] = links.first[row] + size, islands.pairs[one]
        copy_link(islands, one, links, row, size)
        row += 1
    for k in range(before(islands.pairs_end, number), islands.pairs_end[number]):
        one = islands.pairs_of[k]
        for i in range(before(islands.points_end, one), islands.points_end[one]):
            contact.touching[point] = pair
            copy_point(islands, islands, i, contact, cases, point)
            point += 1
        contact.touched_link[pair] = islands.touched_link[one]
        response.first[pair], response.second[pair] = islands.row[islands.first[one]], NONE
        if islands.second[one] != NONE:
            response.second[pair] = islands.row[islands.second[one]]
        copy_pair(islands, one, response, pair)
        pair += 1
    contact.count[0], contact.touching_count[0], links.count[0] = point, pair, row


@kernel
def keep_solution(contact, response, cases, islands, number):
    """Keep the impulses, wrenches and twists of an island."""
    row, pair, point = 0, 0, 0
    for k in range(before(islands.links_end, number), islands.links_end[number]):
        copy_six(response.links.twist, row, islands.twist, islands.links_of[k])
        row += 1
    for k in range(before(islands.pairs_end, number), islands.pairs_end[number]):
        one = islands.pairs_of[k]
        for i in range(before(islands.points_end, one), islands.points_end[one]):
            copy_three(contact.impulse, point, islands.impulse, i)
            copy_three(cases.start, point, islands.start, i)
            point += 1
        copy_six(response.wrench, pair, islands.wrench, one)
        pair += 1


@kernel
def return_whole(contact, response, cases, islands):
    """Return to the whole problem, with the solutions of all islands."""
    links, counts = response.links, islands.counts
    contact.count[0], contact.touching_count[0] = counts[0], counts[1]
    links.count[0] = counts[2]
    for i in range(counts[0]):
        contact.touching[i] = islands.touching[i]
        copy_point(islands, islands, i, contact, cases, i)
    for pair in range(counts[1]):
        contact.touched_link[pair] = islands.touched_link[pair]
        response.first[pair], response.second[pair] = islands.first[pair], islands.second[pair]
        copy_pair(islands, pair, response, pair)
    for row in range(counts[2]):
        links.first[row], links.end[row] = islands.tree_first[row], islands.tree_end[row]
        links.pairs[row] = islands.pairs[row]
        copy_link(islands, row, links, row, links.end[row] - links.first[row])


@kernel
def copy_point(source, cases, i, target, target_cases, k):
    """Copy what methods read of a point, and its impulses."""
    copy_three(source.arm, i, target.arm, k)
    copy_three(source.normal, i, target.normal, k)
    copy_three(source.velocity, i, target.velocity, k)
    copy_three(source.impulse, i, target.impulse, k)
    copy_three(cases.start, i, target_cases.start, k)
    target.least_velocity[k], target_cases.mu[k] = source.least_velocity[i], cases.mu[i]


@kernel
def copy_pair(source, pair, target, k):
    """Copy what methods read of a pair, and its wrench."""
    copy_three(source.centre, pair, target.centre, k)
    copy_three(source.first_arm, pair, target.first_arm, k)
    copy_three(source.second_arm, pair, target.second_arm, k)
    copy_six(source.wrench, pair, target.wrench, k)
    target.compliance[k] = source.compliance[pair]


@kernel
def copy_link(source, row, target, k, size):
    """Copy the response of a link, one of `size` links of its tree, and its twist."""
    copy_six(source.free, row, target.free, k)
    copy_six(source.twist, row, target.twist, k)
    for i in range(6):
        for b in range(size):
            for j in range(6):
                target.inverse_inertia[6 * k + i, b, j] = source.inverse_inertia[6 * row + i, b, j]


@kernel
def copy_three(source, i, target, k):
    """Copy a row of three numbers."""
    for j in range(3):
        target[k, j] = source[i, j]


@kernel
def copy_six(source, i, target, k):
    """Copy a row of six numbers."""
    for j in range(6):
        target[k, j] = source[i, j]
