"""Points between links of one tree that cannot part: no impulse moves them.

A plate that is bolted or welded to what it lies on, or turns on it about its normal, can be pushed
anywhere, but not off it: what impulses change of its relative velocity along the normal is rounding
alone, which solvers would divide by. Such points bear no impulse. Trees that loops join are one.
"""

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.response import arm_from_centre, delassus, link_velocity_per_impulse
from stiction.kernels.touching_links import NONE, on_ground_alone
from stiction.kernels.vectors import add, dot, like, load_vector, transform

IMMOVABLE = 1e-10  # relative compliance that is rounding, in double precision
ROUNDING = 1e4  # the same in slacks of the precision


@kernel
def release_immovable(dynamics, contact, response):
    """Release points between links of one tree that cannot part."""
    links = response.links
    if on_ground_alone(links):
        return
    for i in range(contact.count[0]):
        a, b = response.first[contact.touching[i]], response.second[contact.touching[i]]
        if b != NONE and links.first[a] == links.first[b]:
            release_if_immovable(dynamics, contact, response, i)


@subroutine
def release_if_immovable(dynamics, contact, response, i):
    """Release point i if the motions of its two links along its normal cancel."""
    pair, n = contact.touching[i], load_vector(contact.normal, i)
    arm = arm_from_centre(contact, response, i)
    alone = yielding(
        response, response.first[pair], add(arm, load_vector(response.first_arm, pair)), n
    )
    alone += yielding(
        response, response.second[pair], add(arm, load_vector(response.second_arm, pair)), n
    )
    together = dot(n, transform(delassus(contact, response, i, i), n))
    slack = dynamics.tree.slack[0]
    least = max(like(slack, IMMOVABLE), like(slack, ROUNDING) * slack)
    if together <= least * alone:
        contact.least_velocity[i] = NEVER


@kernel
def yielding(response, link, r, n):
    """Velocity of a point of a touching link along n per unit impulse on it."""
    return dot(n, transform(link_velocity_per_impulse(response.links, link, r, link, r), n))


@kernel
def is_released(contact, i):
    """Return whether point i bears no impulse, however deep it is."""
    return contact.least_velocity[i] <= NEVER
