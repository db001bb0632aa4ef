"""The touching pairs of an instant: where they are, how they yield, and their whole response."""

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.articulated import unit_wrench
from stiction.kernels.kinematics import seen_from
from stiction.kernels.response import link_velocity_per_impulse, velocity_per_impulse
from stiction.kernels.spatial import Twist, twist_add, twist_scale, twist_sub
from stiction.kernels.touching_links import (
    list_links,
    load_response,
    moved_to,
    on_ground_alone,
    wrench_from,
)
from stiction.kernels.tree_order import NONE
from stiction.kernels.vectors import (
    add,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    trace,
    zero_vector,
)

LEVER = 1e-3  # arm at which rotation counts as compliance, as a fraction of the robots' size
LEAST_COMPLIANCE = 1e-12  # of a pair that cannot move [1/kg]


@kernel
def touch_each_other(contact):
    """Return whether any two links touch each other."""
    for touching in range(contact.touching_count[0]):
        if contact.touched_link[touching] > 0:
            return True
    return False


@kernel
def place_pairs(dynamics, contact, response):
    """List the touching links, and write the centres of pairs and links.

    The centre of a link is that of the first pair that it belongs to.
    """
    links, touching_count = response.links, contact.touching_count[0]
    list_links(contact, links)
    row = 0
    for pair in range(touching_count):
        total, count = zero_vector(contact.depth[0]), 0
        while row < contact.count[0] and contact.touching[row] == pair:
            total = add(total, load_vector(contact.arm, row))
            count += 1
            row += 1
        centre = scale(like(total[0], 1) / like(total[0], count), total)
        store_vector(response.centre, pair, centre)
        if on_ground_alone(links):
            store_vector(links.centre, pair, centre)
    if not on_ground_alone(links):
        join_pairs(dynamics, contact, response)


@kernel
def join_pairs(dynamics, contact, response):
    """Write which touching links belong to each pair, and where the links' centres are."""
    links = response.links
    for row in range(links.count[0]):
        links.pairs[row] = 0
    for back in range(contact.touching_count[0]):
        pair = contact.touching_count[0] - 1 - back  # the first pair of a link writes last
        a, b = contact.touching_link[pair], contact.touched_link[pair]
        centre = load_vector(response.centre, pair)
        response.first[pair], response.second[pair] = links.number[a], NONE
        store_vector(links.centre, links.number[a], centre)
        links.pairs[links.number[a]] += 1
        if b > 0:
            response.second[pair] = links.number[b]
            store_vector(links.centre, links.number[b], seen_from(dynamics, a, b, centre))
            links.pairs[links.number[b]] += 1
    for pair in range(contact.touching_count[0]):
        a, b = contact.touching_link[pair], contact.touched_link[pair]
        centre, row = load_vector(response.centre, pair), response.first[pair]
        arm = sub(centre, load_vector(links.centre, row))
        store_vector(response.first_arm, pair, arm)
        if b > 0:
            there = seen_from(dynamics, a, b, centre)
            other = load_vector(links.centre, response.second[pair])
            store_vector(response.second_arm, pair, sub(there, other))


@kernel
def compliances(contact, response, size):
    """Write g of every pair: mean velocity of its centre per unit impulse there; size: of robots.

    A link on a fixed base may only turn about its centre, or be held by friction: g includes a
    small contribution of rotation, and is never zero.
    """
    for pair in range(contact.touching_count[0]):
        total = velocities_per_impulses(response, pair)
        lever = like(total, LEVER) * size
        total += lever * lever * spin_per_moment(response, pair)
        g = total / like(total, 3)
        response.compliance[pair] = max(g, like(total, LEAST_COMPLIANCE))


@kernel
def velocities_per_impulses(response, pair):
    """Sum over the axes of the velocity of a pair's centre per unit impulse there along each."""
    links, a, b = response.links, response.first[pair], response.second[pair]
    if not on_ground_alone(links) and b != NONE and links.first[a] != links.first[b]:
        first, second = (
            load_vector(response.first_arm, pair),
            load_vector(response.second_arm, pair),
        )
        total = trace(link_velocity_per_impulse(links, a, first, a, first))
        return total + trace(link_velocity_per_impulse(links, b, second, b, second))
    centre = zero_vector(response.report.residual[0])
    return trace(velocity_per_impulse(response, pair, centre, pair, centre))


@kernel
def spin_per_moment(response, pair):
    """Sum over the axes of a pair's angular velocity per unit moment about each."""
    links, a, b = response.links, response.first[pair], response.second[pair]
    if on_ground_alone(links):
        return link_spin_per_moment(links, pair, pair)
    total = link_spin_per_moment(links, a, a)
    if b != NONE:
        total += link_spin_per_moment(links, b, b)
        if links.first[a] == links.first[b]:
            total -= link_spin_per_moment(links, a, b) + link_spin_per_moment(links, b, a)
    return total


@kernel
def link_spin_per_moment(links, b, c):
    """The same of touching link b, for moments on c of the same tree."""
    x, y = load_response(links, b, c, 3).angular[0], load_response(links, b, c, 4).angular[1]
    return x + y + load_response(links, b, c, 5).angular[2]


@subroutine
def whole_response(contact, response):
    """L: at [6 c + k, b], the twist of pair b per unit wrench k on c."""
    L, zero = response.inverse_inertia, zero_vector(response.report.residual[0])
    for c in range(contact.touching_count[0]):
        for k in range(6):
            w = unit_wrench(k, zero[0], zero)
            for b in range(c, contact.touching_count[0]):
                t = response_to_pair(response, b, c, w)
                L[6 * c + k, b, 0], L[6 * c + k, b, 1], L[6 * c + k, b, 2] = t.linear
                L[6 * c + k, b, 3], L[6 * c + k, b, 4], L[6 * c + k, b, 5] = t.angular
                for i in range(3):  # L is symmetric
                    L[6 * b + i, c, k], L[6 * b + 3 + i, c, k] = t.linear[i], t.angular[i]


@kernel
def response_to_pair(response, b, c, w):
    """Twist of pair b per wrench w on pair c."""
    if on_ground_alone(response.links):
        return response_to_link(response.links, b, c, w)
    on_first = wrench_from(w, load_vector(response.first_arm, c))
    t = response_of_pair(response, b, response.first[c], on_first)
    if response.second[c] != NONE:
        on_second = wrench_from(w, load_vector(response.second_arm, c))
        t = twist_sub(t, response_of_pair(response, b, response.second[c], on_second))
    return t


@kernel
def response_of_pair(response, b, link, w):
    """Twist of pair b per wrench w on a touching link."""
    first = response_to_link(response.links, response.first[b], link, w)
    t = moved_to(first, load_vector(response.first_arm, b))
    if response.second[b] != NONE:
        second = response_to_link(response.links, response.second[b], link, w)
        t = twist_sub(t, moved_to(second, load_vector(response.second_arm, b)))
    return t


@kernel
def response_to_link(links, b, c, w):
    """Twist of touching link b per wrench w on c."""
    still = zero_vector(w.force[0])
    t = Twist(still, still)
    if links.first[b] == links.first[c]:
        for k in range(3):
            t = twist_add(t, twist_scale(w.force[k], load_response(links, b, c, k)))
            t = twist_add(t, twist_scale(w.moment[k], load_response(links, b, c, 3 + k)))
    return t
