"""Which points are at rest: the papers' constant speed, or what friction can stop within the step.

Kinetic friction does not depend on speed, so in a step it takes mu_K f_nu dt / m of speed from a
point with the effective mass m. A slower point is not stopped but reversed, and again in the next
step. Sugihara & Nakamura call points slower than a constant epsilon at rest. A constant suits one
robot, one friction and one step: mu_K g dt is 4 mm/s for a brick and 1 ms, and 0.1 m/s for the
light foot of a robot whose whole weight it carries.

With `eps` = 0 the speed follows from the step itself. A model solves the step with all points held.
If every friction then lies within the kinetic cone, friction can stop them all, and they rest.
Otherwise the step is solved once more with all points kept at their velocities along the ground.
The difference between the two solutions stops them, and the second has the normal impulses of
points that are not stopped. Points slide if friction can stop neither them nor their link:

    |f_i,held - f_i,kept| > mu_K f_nu,i    and    sum |f_i,held - f_i,kept| > sum mu_K f_nu,i

with tangential parts on the left, normal impulses of the second solution on the right, and sums
over the points of a link, which stop together. No effective mass has to be guessed: it is in the
two solutions, including the effect of the other points and the joints.

`contact.impulse` has the solution with the points held, `contact.force` the other, both impulses.
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import parameters, vector
from stiction.kernels.response import (
    free_velocity,
    gather_wrenches,
    respond_to_wrenches,
    velocity_after,
)
from stiction.kernels.touching_pairs import touch_each_other
from stiction.kernels.vectors import add, dot, like, scale, store_vector, sub

# Speed below which a point rests, in the papers [m/s]; 0: it rests if friction can stop it.


@kernel
def along_ground(contact, i):
    """v_sigma of point i."""
    nu, v = vector(contact.normal, i), vector(contact.velocity, i)
    return sub(v, scale(dot(nu, v), nu))


@kernel
def slip_speed(contact, i):
    """|v_sigma| of point i."""
    v_sigma = along_ground(contact, i)
    return math.sqrt(dot(v_sigma, v_sigma))


@kernel
def faster_than_constant(p, speed):
    """Return whether a point slides by the papers' rule; never with eps = 0."""
    return p.eps > 0 and speed > p.eps


@kernel
def may_slide(params, contact):
    """Return whether, with eps = 0, stopping a moving point takes more than kinetic friction."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        if p.eps > 0 or slip_speed(contact, i) == 0:
            continue
        nu, f = vector(contact.normal, i), vector(contact.impulse, i)
        f_nu = dot(nu, f)
        f_phi = sub(f, scale(f_nu, nu))
        if math.sqrt(dot(f_phi, f_phi)) > p.mu_kinetic * max(f_nu, like(f_nu, 0)):
            return True
    return False


@kernel
def effort_to_stop(contact, i):
    """Tangential impulse that stops point i: that to hold it minus that to keep its velocity."""
    nu = vector(contact.normal, i)
    more = sub(vector(contact.impulse, i), vector(contact.force, i))
    along = sub(more, scale(dot(nu, more), nu))
    return math.sqrt(dot(along, along))


@kernel
def kinetic_limit(params, contact, i):
    """Kinetic friction of point i, mu_K f_nu, in the solution without stopping."""
    p = parameters(params, contact.table, contact.pair[i])
    f_nu = dot(vector(contact.normal, i), vector(contact.force, i))
    return p.mu_kinetic * max(f_nu, like(f_nu, 0))


@kernel
def link_stops(params, contact, touching):
    """Return whether the friction of all its points can stop a touching link within the step."""
    effort = limit = like(contact.depth[0], 0)
    for i in range(contact.count[0]):
        if contact.touching[i] == touching:
            effort += effort_to_stop(contact, i)
            limit += kinetic_limit(params, contact, i)
    return effort <= limit


@kernel
def cannot_stop(params, contact, i):
    """Return whether friction cannot stop a point, on a link that does not stop.

    A point that would lift off with all points held has no friction to stop it.
    """
    p = parameters(params, contact.table, contact.pair[i])
    if p.eps > 0 or slip_speed(contact, i) == 0:
        return False
    lifted = dot(vector(contact.normal, i), vector(contact.impulse, i)) <= 0
    return lifted or effort_to_stop(contact, i) > kinetic_limit(params, contact, i)


# ---------------------------------------------------------------------------------------- its work


@kernel
def take_back_work(dynamics, contact, response):
    """Scale the impulses on each robot down until they do no work on it.

    Robots that touch each other count as one.

    Over a step impulses p do the work p . (v_before + v_after) / 2. Scaled by a, that is
    a p . (v_before + v_free) / 2 + a^2 p . (v_after - v_free) / 2.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    root, together = dynamics.tree.root, touch_each_other(contact)
    for touching in range(contact.touching_count[0]):
        tree = root[contact.touching_link[touching]]
        if touching > 0 and (together or root[contact.touching_link[touching - 1]] == tree):
            continue  # done: the touching pairs of a robot on the ground are contiguous
        work = answer = like(contact.depth[0], 0)
        for i in range(contact.count[0]):
            if together or root[contact.touching_link[contact.touching[i]]] == tree:
                p, after = vector(contact.impulse, i), velocity_after(contact, response, i)
                work += dot(p, add(vector(contact.velocity, i), after))
                answer += dot(p, sub(after, free_velocity(contact, response, i)))
        if work > 0 and answer > 0:
            share = max(like(work, 1) - work / answer, like(work, 0))
            for i in range(contact.count[0]):
                if together or root[contact.touching_link[contact.touching[i]]] == tree:
                    store_vector(contact.impulse, i, scale(share, vector(contact.impulse, i)))
