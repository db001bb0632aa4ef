"""Position correction for links that come to rest within a step.

The impulses of an impulse solver act evenly over the step, so a link that slides at the start and
sticks at the end would move by half its speed times dt. In reality kinetic friction brings it to
rest after a fraction f of the step, and it moves only f times as far. With t the change of its
twist in the step, relative to the ground, it has moved (1 - f) t dt/2 too far. That displacement is
taken back, in the positions alone, along H^-1 J' f; for constant forces the distance is then exact.
"""

import math

from stiction.collision.belt import GAINED
from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.contact_model import mu_kinetic_of, stick_speed_of
from stiction.contact.friction import tangential
from stiction.contact.solvers.link_blocks import clear_block
from stiction.contact.solvers.wrench_system import factor_wrench_system, solve_wrench_system
from stiction.kernels.kinematics import advance
from stiction.kernels.response import arm_from_centre, free_twist, pair_twist, velocity_after
from stiction.kernels.spatial import Twist, point_velocity, store_twist, twist_scale
from stiction.kernels.touching_pairs import spin_per_moment
from stiction.kernels.vectors import add, dot, like, load_vector, sub, zero_vector
from stiction.step.drift import displacement_of_wrenches

YIELD = 1e-6  # compliance added to a link's own, as a fraction, see `wrenches_that_move` ...
LEAST = 1e-10  # ... and of what the mass of its tree would have, at the size of the robots
PART = 1.01  # up to rounding, a part of a step is no more than the step


@kernel
def finish_slides(system, state, work, dt):
    """Take back the excess displacement of links that came to rest within the step."""
    contact = system.surface.contact
    response = system.surface.work.response
    moves_by_new = system.surface.impact.bend[0] == 1  # velocity alone, not also by the old one
    if contact.count[0] == 0 or moves_by_new:
        return
    stopped, first = False, 0
    for touching in range(contact.touching_count[0]):
        gained = gained_by_ground(system.surface, first)
        share, first = idle_share(system.model, contact, response, first, gained)
        stopped = stopped or share > 0
        change = pair_twist(response, touching)
        change = Twist(sub(change.linear, gained), change.angular)
        moved = twist_scale(like(dt, 0.5) * dt * share, change)
        store_twist(response.unbalance, touching, moved)
    if stopped:
        move_links(system, state, work, dt)


@subroutine
def move_links(system, state, work, dt):
    """Move the configuration so that the touching links move by the right-hand side.

    The displacement is a fraction of that of the step. If it would be larger, as in a pose in which
    the legs can hardly move the feet, nothing moves.
    """
    dynamics, contact = system.dynamics, system.surface.contact
    response = system.surface.work.response
    wrenches_that_move(dynamics, contact, response, system.surface.points.size[0])
    displacement_of_wrenches(system, work)
    if is_part_of_step(dynamics, state.v, work, dt):
        advance(dynamics.tree, state.q, work.v, like(dt, 1))


@kernel
def is_part_of_step(dynamics, v, work, dt):
    """Return whether a displacement is no larger than that due to the velocity change in the step.

    Coordinates are weighted by their articulated inertia.
    """
    moved, changed = like(dt, 0), like(dt, 0)
    for d in range(len(v)):
        change = like(dt, 0.5) * dt * (v[d] - work.first_v[d])
        moved += dynamics.D[d] * work.v[d] * work.v[d]
        changed += dynamics.D[d] * change * change
    return moved <= like(dt, PART) * changed


@kernel
def wrenches_that_move(dynamics, contact, response, size):
    """Compute the wrenches that move the touching pairs by the right-hand side of L w = moved.

    Every pair gets a small compliance Y of its own, for directions in which its links cannot move:
    (L + Y) w = moved, which is (1 + S L) w = S moved with S = 1 / Y.
    """
    S, right, more = response.tangent, response.unbalance, dynamics.tree.slack[0]
    more = max(like(more, YIELD), more)
    for pair in range(contact.touching_count[0]):
        clear_block(S, pair)
        least = like(more, LEAST) / mass_of_tree(dynamics.tree, contact.touching_link[pair])
        yielding = more * response.compliance[pair] + least
        turning = more * spin_per_moment(response, pair) / like(more, 3)
        turning += least / (size * size) if size > 0 else least  # 0: ellipsoids alone
        for k in range(6):
            stiff = like(more, 1) / (yielding if k < 3 else turning)
            S[pair, k, k] = stiff
            right[pair, k] *= stiff
    factor_wrench_system(contact, response)
    solve_wrench_system(contact, response)
    for pair in range(contact.touching_count[0]):
        for k in range(6):
            response.wrench[pair, k] = right[pair, k]


@kernel
def mass_of_tree(tree, link):
    """Mass of the tree of a link."""
    total = like(tree.mass[link], 0)
    for other in range(1, len(tree.mass)):
        if tree.root[other] == tree.root[link]:
            total += tree.mass[other]
    return total


@kernel
def gained_by_ground(surface, i):
    """Velocity that the ground gained in the step; 0 if point i touches something else."""
    if surface.contact.point[i] < len(surface.points.link):
        return load_vector(surface.contact.belt, GAINED)
    return zero_vector(surface.contact.depth[i])


@kernel
def idle_share(model, contact, response, first, gained):
    """Return 1 - f of the link of point `first`, 0 unless it came to rest; and the point after it.

    The speed s falls at a constant rate. Without contact it would change by c in the step, and
    friction changes it by k per unit impulse; coming to rest means s + c = k |p_t|. Kinetic
    friction alone would need a fraction f = s / (k mu p_n - c) of the step.
    """
    touching, i, none = contact.touching[first], first, like(contact.depth[0], 0)
    limit, count, p_t, v_t, c = none, none, zero_vector(none), zero_vector(none), none
    moves_on = False
    while i < contact.count[0] and contact.touching[i] == touching:
        n, p = load_vector(contact.normal, i), load_vector(contact.impulse, i)
        if dot(n, p) > 0:
            slow = stick_speed_of(model, contact.table, contact.pair[i])
            carried = load_vector(contact.carried, i)
            before = tangential(n, sub(load_vector(contact.velocity, i), carried))
            after = tangential(n, velocity_after(contact, response, i))
            moves_on = moves_on or dot(after, after) > slow * slow
            limit += mu_kinetic_of(model, contact.table, contact.pair[i]) * dot(n, p)
            p_t = add(p_t, tangential(n, p))
            # a point slower than turning makes it in a step rolls: there is no slide to stop
            turning = add(carried, gained)
            if dot(before, before) > max(slow * slow, dot(turning, turning)):
                speed = math.sqrt(dot(before, before))
                r = arm_from_centre(contact, response, i)
                free = sub(point_velocity(free_twist(response, touching), r), gained)
                v_t, c = add(v_t, before), c + dot(free, before) / speed
                count += like(none, 1)
        i += 1
    size = math.sqrt(dot(p_t, p_t))
    if moves_on or count == 0 or size == 0:
        return none, i
    s, c = math.sqrt(dot(v_t, v_t)) / count, c / count
    rate = limit * (s + c) / size - c
    return (like(s, 1) - s / rate if rate > s else none), i
