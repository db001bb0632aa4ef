"""Position correction: points that have sunk are lifted.

Impulse solvers stop points at the velocity level. The curvature of the path within a step remains,
and adds up to a depth. A correction through velocities would add kinetic energy. Here the
configuration moves along H^-1 J' f, with f >= 0 along the normals, so that deep points rise by a
fraction of their depth. The heavier side moves less, and stuck joints do not move. Velocities stay
as they are, but for a rigid motion of robots that touch each other in flight (`flight.py`).
"""

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.immovable import is_released
from stiction.kernels.forward_dynamics import respond
from stiction.kernels.kinematics import advance
from stiction.kernels.loops import hold_loops
from stiction.kernels.response import (
    apply_impulse,
    arm_from_centre,
    delassus,
    gather_wrenches,
    pair_twist,
    wrenches_alone,
)
from stiction.kernels.spatial import point_velocity
from stiction.kernels.vectors import (
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    transform,
    zero_vector,
)

ALLOWED_DEPTH = 1e-4  # largest depth left uncorrected, as a fraction of the robots' size
RECOVERY = 0.2  # fraction of the excess depth that is corrected per step
SWEEPS = 5


@kernel
def remove_drift(system, state, work):
    """Lift points deeper than gravity moves them in a step, or deeper than ALLOWED_DEPTH."""
    surface, contact = system.surface, system.surface.contact
    deepest = like(contact.table[0, 0], 0)
    for i in range(contact.count[0]):
        deepest = max(deepest, contact.depth[i])
    falls = surface.impact.rest_speed[0] * surface.impact.dt[0]
    allowed = min(falls, like(deepest, ALLOWED_DEPTH) * surface.points.size[0])
    if deepest > allowed:
        lift_points(system, state, work, allowed)


@subroutine
def lift_points(system, state, work, allowed):
    """Move the configuration so that points deeper than allowed rise."""
    contact, response = system.surface.contact, system.surface.work.response
    deepest = contact.depth[0]
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(deepest))
    for row in range(response.links.count[0]):
        for k in range(6):
            response.links.twist[row, k] = 0
    for _ in range(SWEEPS):
        for i in range(contact.count[0]):
            push_out(contact, response, i, allowed)
    gather_wrenches(contact, response)
    displacement_of_wrenches(system, work)
    advance(system.dynamics.tree, state.q, work.v, like(deepest, 1))


@kernel
def displacement_of_wrenches(system, work):
    """Write H^-1 J'w into `work.v`: how the wrenches of the touching links displace the robots."""
    dynamics, response = system.dynamics, system.surface.work.response
    wrenches_alone(dynamics, system.surface.contact, response, like(work.v[0], 1))
    hold_loops(system.loops, dynamics)
    for d in range(len(work.v)):
        work.v[d] = 0
    respond(system.method, dynamics, work.v)


@kernel
def push_out(contact, response, i, allowed):
    """Update the push on point i, all others held, for the wanted rise; it never pulls.

    A point that cannot move, as of a link whose joints are prescribed or stuck, stays.
    """
    if is_released(contact, i):
        return
    n, r = load_vector(contact.normal, i), arm_from_centre(contact, response, i)
    old = dot(n, load_vector(contact.impulse, i))
    rise = dot(n, point_velocity(pair_twist(response, contact.touching[i]), r))
    wanted = like(rise, RECOVERY) * (contact.depth[i] - allowed)
    if old == 0 and wanted <= rise:
        return
    yielding = dot(n, transform(delassus(contact, response, i, i), n))
    new = old
    if yielding > 0:
        new = max(like(rise, 0), old + (wanted - rise) / yielding)
    if new != old:
        store_vector(contact.impulse, i, scale(new, n))
        apply_impulse(contact, response, i, r, scale(new - old, n))
