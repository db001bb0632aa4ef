"""Restitution: the speed at which points must leave the ground, as far as it adds no energy."""

from __future__ import annotations

from typing import NamedTuple

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import newton_impacts_of, restitution_of
from stiction.contact.surface import APPROACH, IMPACT, SKIN, rest_speed
from stiction.contact.time_of_impact import has_impact
from stiction.kernels.response import velocity_after
from stiction.kernels.vectors import add, dot, like, load_vector

TRIALS = 12  # for a restitution that adds no energy
SMALL_WORK = 1e-10  # relative rounding of the work of an impact


@kernel
def set_least_velocities(model, surface, dt, shares, bounce):
    """Write the least normal velocity of each point at the end of the step.

    An open point may close its gap but no more, a touching one may not sink deeper; at an impact a
    point that approaches fast rebounds with `bounce` times its coefficient of restitution.
    """
    contact, phase = surface.contact, surface.impact.phase[0]
    skin = like(dt, SKIN) * surface.points.size[0]
    for i in range(contact.count[0]):
        pair, gap = contact.pair[i], -contact.depth[i]
        v_n = dot(load_vector(contact.normal, i), load_vector(contact.velocity, i))
        fast = v_n < -rest_speed(model, surface, pair)
        least = like(gap, 0)
        if phase == IMPACT:
            if fast:
                least = -bounce * restitution_of(model, contact.table, pair) * v_n
        elif phase == APPROACH and fast:
            least = like(gap, NEVER)
        elif gap > skin:
            # a point with an impact needs its time, so it is held up only within this step
            hits = fast and has_impact(model, contact, i, v_n, dt)
            new = shares.bend if hits else shares.new
            least = min(-((gap - skin) / dt + shares.old * v_n) / new, least)
        contact.least_velocity[i] = least


class Bounce(NamedTuple):
    """The search for the largest restitution, up to the given one, that adds no energy.

    Newton's law of restitution can add energy where friction acts as well, so the impulses must not
    do positive work on the points: work = sum p . (v_before + v_after) / 2. Without restitution
    they never do; in between, bisection finds the largest safe share.
    """

    share: float  # fraction of the coefficient of restitution to solve with
    safe: float  # the largest known to add no energy
    unsafe: float  # the smallest known to add energy
    found: bool


@kernel
def full_bounce(dt):
    """Start the search with the full given restitution."""
    one = like(dt, 1)
    return Bounce(one, like(dt, 0), one, False)


@kernel
def judge_bounce(model, surface, bounce, trial):
    """Return the search after a solution: found, at the latest after TRIALS, or what to try next.

    Points bounce only at an impact.
    """
    share, safe, unsafe = bounce.share, bounce.safe, bounce.unsafe
    if surface.impact.phase[0] != IMPACT or share == safe:
        return Bounce(share, safe, unsafe, True)
    if adds_no_energy(model, surface.contact, surface.work.response):
        if share == 1:
            return Bounce(share, safe, unsafe, True)
        safe = share
    else:
        unsafe = share
    last = trial >= TRIALS - 2
    return Bounce(safe if last else like(share, 0.5) * (safe + unsafe), safe, unsafe, False)


@kernel
def adds_no_energy(model, contact, response):
    """Return whether an impact adds no energy, or is allowed to."""
    total, size = like(contact.depth[0], 0), like(contact.depth[0], 0)
    for i in range(contact.count[0]):
        if newton_impacts_of(model, contact.table, contact.pair[i]) > 0:
            return True
        p, before = load_vector(contact.impulse, i), load_vector(contact.velocity, i)
        done = dot(p, add(before, velocity_after(contact, response, i)))
        total += done
        size += abs(dot(p, before))
    return total <= like(size, SMALL_WORK) * size
