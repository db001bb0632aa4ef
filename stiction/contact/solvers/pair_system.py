"""Linear systems for the wrenches of few touching pairs, solved for these wrenches themselves.

A finger on a shoulder is one pair of two links, and the wrench of its only point has no moment: of
Eq. (1) of `wrench_system.py`,

    (1 + S L) x = r

three rows remain, where the two links have twelve. Rows of S that are zero, those of open pairs and
the moments of single points, mean x = r. Where that leaves fewer unknowns than the links have, the
other rows are solved as they are, with L of the pairs computed once for all iterations
(`whole_response`). Pairs are coupled if a tree belongs to both. Those on the ground come first,
robot by robot: eliminating the feet of one changes nothing for the feet of another.
"""

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.linear_system import (
    clear_system,
    factor,
    set_reach,
    store_six,
    substitute,
    subtract_six,
)
from stiction.kernels.touching_links import NONE
from stiction.kernels.touching_pairs import whole_response
from stiction.kernels.vectors import like


@kernel
def choose_unknowns(contact, response):
    """Solve for the wrenches of the pairs if there are few, with fewer unknowns than the links."""
    response.rows.used[0] = 0
    if contact.touching_count[0] <= len(response.rows.first):
        unknowns, i = 0, 0
        for pair in range(contact.touching_count[0]):
            points = 0
            while i < contact.count[0] and contact.touching[i] == pair:
                points += 1
                i += 1
            response.rows.most[pair] = 3 if points == 1 else 6
            unknowns += response.rows.most[pair]
        if unknowns < 6 * response.links.count[0]:
            response.rows.used[0] = 1
            whole_response(contact, response)


@subroutine
def factor_pair_system(contact, response):
    """Assemble the rows of 1 + S L that are not those of the unit matrix, and factor them."""
    system, rows, pairs = response.linear, response.rows, contact.touching_count[0]
    n = number_rows(response, pairs)
    couple_rows(response, pairs, n // 6)
    clear_system(system, n // 6)
    for b in range(pairs):
        for c in range(pairs):
            if rows.count[b] > 0 and rows.count[c] > 0 and share_a_tree(response, b, c):
                write_block(response, b, c)
    for k in range(n):
        system.matrix[k, k] += like(system.matrix[0, 0], 1)
    factor(system, n)


@kernel
def number_rows(response, pairs):
    """Number the rows of the pairs; returns how many there are, in whole blocks of six."""
    rows, S, n = response.rows, response.tangent, 0
    for b in range(pairs):
        is_open = S[b, 0, 0] + S[b, 1, 1] + S[b, 2, 2] == 0
        rows.first[b], rows.count[b] = n, 0 if is_open else rows.most[b]
        n += rows.count[b]
    return (n + 5) // 6 * 6


@kernel
def couple_rows(response, pairs, blocks):
    """Set the envelope of the blocks of six rows: pairs that have a tree in common are coupled."""
    system, rows = response.linear, response.rows
    for block in range(blocks):
        system.low[block], system.coupled[block] = block, 1
    for b in range(pairs):
        if rows.count[b] > 0:
            c = 0
            while rows.count[c] == 0 or not share_a_tree(response, b, c):
                c += 1
            for block in range(rows.first[b] // 6, (rows.first[b] + rows.count[b] + 5) // 6):
                system.low[block] = min(system.low[block], rows.first[c] // 6)
    set_reach(system, blocks)
    end = blocks
    for back in range(blocks):
        block = blocks - 1 - back
        alike = block + 1 < end and system.low[block] == system.low[block + 1]
        if not alike or system.reach[block] != system.reach[block + 1]:
            end = block + 1
        system.group_end[block] = end


@kernel
def share_a_tree(response, b, c):
    """Return whether a tree belongs to both of two pairs."""
    first, second, tree = response.first, response.second, response.links.first
    one, other = tree[first[b]], tree[first[c]]
    if one == other:
        return True
    if second[b] != NONE and tree[second[b]] == other:
        return True
    if second[c] == NONE:
        return False
    return one == tree[second[c]] or (second[b] != NONE and tree[second[b]] == tree[second[c]])


@kernel
def write_block(response, b, c):
    """Write S L for pairs b and c."""
    A, S, rows = response.linear.matrix, response.tangent, response.rows
    row, column = rows.first[b], rows.first[c]
    L = load_response_rows(response.inverse_inertia, b, c)
    if rows.count[c] == 6:
        for i in range(rows.count[b]):
            store_six(A, row + i, column, row_of_block(S, b, i, L))
    else:
        for i in range(rows.count[b]):
            six = row_of_block(S, b, i, L)
            A[row + i, column], A[row + i, column + 1], A[row + i, column + 2] = six[:3]


@kernel
def load_response_rows(L, b, c):
    """Six rows of L for pairs b and c."""
    return (
        load_response_row(L, 6 * b, c),
        load_response_row(L, 6 * b + 1, c),
        load_response_row(L, 6 * b + 2, c),
        load_response_row(L, 6 * b + 3, c),
        load_response_row(L, 6 * b + 4, c),
        load_response_row(L, 6 * b + 5, c),
    )


@kernel
def load_response_row(L, row, c):
    """Six numbers of a row of L for pair c."""
    return L[row, c, 0], L[row, c, 1], L[row, c, 2], L[row, c, 3], L[row, c, 4], L[row, c, 5]


@kernel
def row_of_block(S, b, i, L):
    """Row i of S of pair b times six rows of L; those of a single point have no moment."""
    zero = like(S[b, i, 0], 0)
    six = subtract_six((zero, zero, zero, zero, zero, zero), -S[b, i, 0], L[0])
    six = subtract_six(subtract_six(six, -S[b, i, 1], L[1]), -S[b, i, 2], L[2])
    six = subtract_six(subtract_six(six, -S[b, i, 3], L[3]), -S[b, i, 4], L[4])
    return subtract_six(six, -S[b, i, 5], L[5])


@subroutine
def solve_pair_system(contact, response):
    """Replace r in `unbalance` by the solution x, with the factors."""
    right, r, rows = response.linear.right, response.unbalance, response.rows
    pairs, n = contact.touching_count[0], 0
    for b in range(pairs):
        for i in range(rows.count[b]):
            right[n + i] = r[b, i]
        n += rows.count[b]
    for c in range(pairs):
        for k in range(rows.count[c], 6):
            if r[c, k] != 0:
                subtract_known(response, pairs, c, k)
    while n % 6 > 0:
        right[n] = 0
        n += 1
    substitute(response.linear, n)
    for b in range(pairs):
        for i in range(rows.count[b]):
            r[b, i] = right[rows.first[b] + i]


@kernel
def subtract_known(response, pairs, c, k):
    """Subtract from the right-hand side what wrench component k of pair c, x = r, contributes."""
    right, S, L, rows = (
        response.linear.right,
        response.tangent,
        response.inverse_inertia,
        response.rows,
    )
    x = response.unbalance[c, k]
    for b in range(pairs):
        for i in range(rows.count[b]):
            for q in range(rows.count[b]):
                right[rows.first[b] + i] -= S[b, i, q] * L[6 * b + q, c, k] * x
