"""Points between links of one tree that cannot part: no impulse moves them.

A plate that is welded to what it lies on, or turns on it about its normal, can be pushed anywhere,
but not off it: what impulses change of its relative velocity along the normal is rounding alone,
which solvers would divide by. Such points bear no impulse. Trees that loops join are one, and loops
may hold a link where it is.
"""

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.loops import in_loop
from stiction.kernels.response import arm_from_centre, delassus, link_velocity_per_impulse
from stiction.kernels.touching_links import NONE, on_ground_alone
from stiction.kernels.vectors import add, dot, like, load_vector, transform

IMMOVABLE = 1e-10  # relative compliance that is rounding, in double precision
ROUNDING = 1e4  # the same in slacks of the precision


@kernel
def release_immovable(system):
    """Release points between links of one tree that cannot part, and of links that loops hold."""
    contact, response = system.surface.contact, system.surface.work.response
    links = response.links
    if on_ground_alone(links):
        return
    for i in range(contact.count[0]):
        pair = contact.touching[i]
        a, b = response.first[pair], response.second[pair]
        joined = b != NONE and links.first[a] == links.first[b]
        if joined or in_loop(system.loops, contact.touching_link[pair]):
            release_if_immovable(system.dynamics, contact, response, i)


@subroutine
def release_if_immovable(dynamics, contact, response, i):
    """Release point i if impulses along its normal move its links neither apart nor away."""
    pair, n = contact.touching[i], load_vector(contact.normal, i)
    r, slack, mass = arm_from_centre(contact, response, i), dynamics.tree.slack[0], like(n[0], 0)
    for link in range(1, len(dynamics.tree.mass)):
        mass += dynamics.tree.mass[link]
    arm = add(r, load_vector(response.first_arm, pair))
    alone = like(mass, 1) / mass + yielding(response, response.first[pair], arm, n)
    if response.second[pair] != NONE:
        arm = add(r, load_vector(response.second_arm, pair))
        alone += yielding(response, response.second[pair], arm, n)
    together = dot(n, transform(delassus(contact, response, i, i), n))
    if together <= max(like(slack, IMMOVABLE), like(slack, ROUNDING) * slack) * alone:
        contact.least_velocity[i] = NEVER


@kernel
def yielding(response, link, r, n):
    """Velocity of a point of a touching link along n per unit impulse on it."""
    return dot(n, transform(link_velocity_per_impulse(response.links, link, r, link, r), n))


@kernel
def is_released(contact, i):
    """Return whether point i bears no impulse, however deep it is."""
    return contact.least_velocity[i] <= NEVER
