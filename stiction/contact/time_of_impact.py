"""Time of impact: when the first point that comes down fast reaches the ground, or another body."""

import math

from stiction.collision.fast_pairs import time_ahead
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import lcp_impacts_of, restitution_of
from stiction.contact.surface import rest_speed
from stiction.kernels.response import arm_from_centre, free_twist
from stiction.kernels.spatial import point_velocity
from stiction.kernels.vectors import dot, like, load_vector

FAR = 0.5  # of the distance of a point from the base of its robot: how far that moves in a step
BEYOND = 0.1  # of the travel of a step: one so deep half a step ahead was detected late


@kernel
def has_impact(model, contact, i, v_n, dt):
    """Return whether point i, if it comes down fast, has an impact of its own.

    With restitution, as a complementarity problem, or if its body moves by half of its size in the
    step: spread over that, the impulse would act while the body is elsewhere.
    """
    table, pair, r = contact.table, contact.pair[i], load_vector(contact.arm, i)
    way = dt * v_n
    far = way * way > like(dt, FAR * FAR) * dot(r, r)
    return far or restitution_of(model, table, pair) > 0 or lcp_impacts_of(model, table, pair) > 0


@kernel
def earliest_impact(model, surface, instant, shares):
    """Time at which the first fast point that is held up reaches the ground [s]; inf if none.

    From the start of the step a gap closes as gap + v t + shares.bend a t^2, just as the integrator
    moves positions. Where the next contact detection follows the new velocity alone, a point
    without impacts needs no time of impact: it is exactly at the ground by then, unless it was not
    detected in time, in the first step of a run or after an impact, and is beyond the surface now.
    """
    contact, response = surface.contact, surface.work.response
    first = like(instant.dt, math.inf)
    for i in range(contact.count[0]):
        n = load_vector(contact.normal, i)
        v_n = dot(n, load_vector(contact.velocity, i))
        if dot(n, load_vector(contact.impulse, i)) <= 0:
            continue
        pair = contact.pair[i]
        if v_n >= -rest_speed(model, surface, pair):
            continue
        gap = -contact.depth[i] - time_ahead(instant.time, instant.step_time, instant.dt) * v_n
        beyond = gap > 0 and contact.depth[i] > -like(v_n, BEYOND) * instant.dt * v_n
        if shares.new == 1 and not beyond and not has_impact(model, contact, i, v_n, instant.dt):
            continue
        r = arm_from_centre(contact, response, i)
        change = dot(n, point_velocity(free_twist(response, contact.touching[i]), r))
        first = min(first, time_to_close(gap, v_n, shares.bend * change / instant.dt))
    return first


@kernel
def time_to_close(gap, v, a):
    """First t >= 0 with gap + v t + a t^2 = 0, for v < 0; the time of its minimum if none."""
    if gap <= 0:
        return like(gap, 0)
    root = v * v - like(gap, 4) * a * gap
    if root < 0:
        return -v / (like(gap, 2) * a)
    return like(gap, 2) * gap / (-v + math.sqrt(root))
