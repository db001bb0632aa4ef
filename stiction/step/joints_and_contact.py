"""The equation of motion, H a + b = u + K f, with joint modes and contact solved together.

A joint is stuck, slides or is at a stop; a servo is at its limit or not. These modes must be
consistent with the accelerations and the contact forces.
"""

from stiction.compiler.compiled import kernel
from stiction.contact.families.family import (
    detect_missed_contacts,
    hold_impulses,
    solve_contact,
    solves,
    trials_together,
)
from stiction.kernels.forward_dynamics import (
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
)
from stiction.kernels.joints import (
    begin_descent,
    carry_modes,
    descend,
    guess_mode,
    hold_mode,
    pivot,
)
from stiction.kernels.loops import aim_loops, close_loops, respond_loops
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.servos import guess_saturations, update_saturations
from stiction.kernels.touching_links import twists_of_accelerations
from stiction.kernels.tree import JOINTS_UNSETTLED, LOOSE, OK
from stiction.kernels.vectors import like

BLOCKS = 3  # tries in which all wrong modes change at once; later only the worst ones do ...
WORST = 0.5  # ... those contradicted at least this fraction as strongly as the worst ...
SINGLE = 10  # ... and after this many tries one at a time, since blocks may cycle
SWIFT = 2  # tries in which a sliding joint may reverse at once, without being tried as stuck
CREEP = 1e-3  # that is no sliding: two feet and stuck joints form a rigid loop, see `judged_mode`
PIVOTS = 4  # tries with impulses held in which all wrong modes change at once; then descent
ROUNDS = 6  # of solving joints and contact in turn, if they do not converge together
FACTOR, LOW_BITS = 1000003, 0x7FFFFFFF  # of `fingerprint`
TOGETHER, JOINTS, CHECK = 0, 1, 2  # whose turn it is: both, joints with impulses held, contact


@kernel
def solve_joints_and_contact(system, instant, q, v, shares):
    """Find consistent accelerations, contact impulses and joint modes; returns a status.

    `joints.py` explains how modes are found, `Shares` when a stop or the ground is reached. Each
    try solves contact for the current modes and changes those that the solution contradicts. If
    that does not converge, joints with impulses held and contact are solved in turn, joints last;
    with a law, for which no consistent solution need exist, until modes repeat. A step whose final
    modes would change the impulses is unsolved. With a bounded effort, the last try is taken as it
    is, and the next step begins with the modes that it implies. Longer than others: see the comment
    on its loop.
    """
    dynamics, dt, model = system.dynamics, instant.dt, system.model
    effort = system.surface.work.response.effort
    aim_at_end(system.loops, instant, shares)
    guess_modes(dynamics, instant, q, v, shares)
    turn, tries, rounds, status = TOGETHER, 0, 0, OK
    asked = before = -1  # fingerprints of the modes at the last contact solve and at the one before
    while True:  # one call each of elimination and contact: the compiler inlines them
        eliminate_coordinates(system.method, dynamics)
        respond_loops(system.method, system.loops, dynamics)
        if turn != JOINTS:
            asked, before = fingerprint(dynamics), asked
            status = solve_contact(model, system, instant, shares)
        close_loops(system.loops, dynamics)
        accelerate_coordinates(system.method, dynamics)
        if tries + 1 == effort.tries[0]:  # always together: there is no turn before the last try
            if carry_modes(dynamics, q, v, dt, shares, like(dt, CREEP)) > 0:
                effort.used_up[0] = 1
            return status
        fits = change_modes(dynamics, instant, q, v, shares, turn, tries)
        tries += 1
        factor = like(dt, 0)  # on impulses that act as known forces from now on
        repeats = repeats_modes(model, dynamics, turn, fits, asked, before)
        if turn == TOGETHER:
            if fits and not detect_missed_contacts(
                model, system.surface, dynamics, instant, shares, v
            ):
                return status
            if repeats or tries == trials_together(model):
                factor = like(dt, 1) / dt
        elif turn == CHECK:
            if fits:
                return status
            factor = like(dt, 1) / dt
        elif fits:
            if rounds == 0:  # no impulses
                return status
            if repeats or rounds > ROUNDS:
                accept_held(model, system.surface, dynamics, dt)
                return status
            factor = like(dt, -1) / dt
        elif tries == PIVOTS + 20 * len(v):
            return JOINTS_UNSETTLED
        if factor != 0:
            held = hold_impulses(model, system.surface, dynamics, factor)
            prepare_method(system.method, dynamics)
            turn, tries = JOINTS if factor > 0 else CHECK, 0
            if held and factor > 0:
                rounds += 1 + ROUNDS * repeats


@kernel
def aim_at_end(loops, instant, shares):
    """Find the correction with which the loops are closed at the end of the step.

    The velocity belongs to the configuration at the start of the step, or half a step before it if
    the integrator moves positions by v_next alone.
    """
    ahead = instant.time - instant.step_time
    aim_loops(loops, ahead, ahead + (shares.bend - like(ahead, 0.5)) * instant.dt, instant.dt)


@kernel
def guess_modes(dynamics, instant, q, v, shares):
    """Start with servo and joint modes that fit the current velocities."""
    guess_saturations(dynamics, instant.dt, instant.implicit)
    for d in range(len(v)):
        dynamics.mode[d] = guess_mode(dynamics, d, q, v, instant.dt, shares)
        dynamics.released[d] = LOOSE
        hold_mode(dynamics, d, q, v, instant.dt, shares)


@kernel
def repeats_modes(model, dynamics, turn, fits, asked, before):
    """Return whether a law is about to be evaluated again for modes that it had before."""
    if solves(model) or (turn != JOINTS and fits):
        return False
    return fingerprint(dynamics) == (asked if turn == JOINTS else before)


@kernel
def accept_held(model, surface, dynamics, dt):
    """Accept the impulses with which the joints were solved, and the resulting final twists.

    The model would find other impulses for the final modes of the joints. With a solver the step
    is then unsolved; with a law the impulses found before the joints were solved remain.
    """
    response = surface.work.response
    if solves(model):
        response.report.stage[0] = NOT_CONVERGED
    twists_of_accelerations(dynamics, response.links, dt)


@kernel
def fingerprint(dynamics):
    """Return a hash of the modes of joints and servos."""
    total = 0
    for d in range(len(dynamics.mode)):
        total = (total * FACTOR + 3 * dynamics.mode[d] + dynamics.saturation[d] + 1) & LOW_BITS
    return total


@kernel
def change_modes(dynamics, instant, q, v, shares, turn, tries):
    """Change the modes of joints and servos that the accelerations contradict.

    Returns whether there were none.
    """
    dt = instant.dt
    if turn == JOINTS and tries == PIVOTS:
        begin_descent(dynamics, q, v, dt, shares)
        return False
    if turn == JOINTS and tries > PIVOTS:
        if not descend(dynamics, q, v, dt, shares):
            return False
        if update_saturations(dynamics, dt, instant.implicit, True) == 0:
            return True
        begin_descent(dynamics, q, v, dt, shares)
        return False
    creep = like(dt, 0 if turn == JOINTS else CREEP)
    share = like(dt, 0)
    if turn == TOGETHER and tries >= BLOCKS:
        share = like(dt, WORST if tries < SINGLE else 1)
    changed = update_saturations(dynamics, dt, instant.implicit, tries >= BLOCKS)
    return changed + pivot(dynamics, q, v, dt, shares, creep, share, tries < SWIFT) == 0
