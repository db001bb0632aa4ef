"""Joint modes: which joints slide, stick or rest at a stop; exact Coulomb friction and hard stops.

With H fixed over the step, the velocities at its end minimise a strictly convex function: kinetic
energy of the change, friction times speed, and bounds where a stop would be passed. In each
coordinate the solution lies on a piece (the mode) or on a kink of that function: a sliding
coordinate feels its friction and keeps its direction; a stuck one comes to rest and needs no more
than its friction; one at a stop is pushed by it. Stops are inelastic.

Pivoting: start from the modes of the last step, solve the dynamics with them, change all modes that
turn out wrong, in later iterations only the worst, and repeat. One or two solves nearly always
suffice. If pivoting does not converge, descent takes over: move from a feasible velocity towards
the solution on its piece, up to the first kink; at a solution, release the held coordinate with the
largest excess force. Every move lowers the function, so descent terminates.
"""

import math

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.tree import (
    AT_LOWER,
    AT_UPPER,
    LOOSE,
    PRESCRIBED,
    SLIDING_DOWN,
    SLIDING_UP,
    STUCK,
)
from stiction.kernels.vectors import like

TENACITY = 0.01  # of its friction, by which a stuck joint holds more if efforts are bounded
RECOVERY = 0.1  # fraction of a limit violation that is removed per step ...
RECOVERY_SPEED = 0.5  # ... and the highest speed at which a stop does so [rad/s or m/s]


@kernel
def lowest_velocity(tree, d, q, v, dt, shares):
    """Lowest velocity at the end of the step that keeps coordinate d above its lower limit.

    The position advances by dt (shares.old v + shares.new v_next). Stops are inelastic.
    """
    gap = q[tree.dof_q[d]] - tree.lower[d]
    return _stop_velocity(gap, v[d], dt, shares)


@kernel
def highest_velocity(tree, d, q, v, dt, shares):
    """Highest velocity at the end of the step that keeps coordinate d below its upper limit."""
    gap = tree.upper[d] - q[tree.dof_q[d]]
    return -_stop_velocity(gap, -v[d], dt, shares)


@kernel
def _stop_velocity(gap, v, dt, shares):
    if gap < 0:
        return min(like(gap, -RECOVERY) * gap / dt, like(gap, RECOVERY_SPEED))
    return min(-(gap / dt + shares.old * v) / shares.new, like(v, 0))


@kernel
def hold_mode(dynamics, d, q, v, dt, shares):
    """Write what the mode of coordinate d implies: the force that acts, or the acceleration."""
    tree, mode = dynamics.tree, dynamics.mode[d]
    dynamics.tau[d] = dynamics.known[d] + sliding_friction(tree, mode, d, v)
    if mode == STUCK:
        dynamics.acceleration[d] = -v[d] / dt
    elif mode == AT_LOWER:
        dynamics.acceleration[d] = (lowest_velocity(tree, d, q, v, dt, shares) - v[d]) / dt
    elif mode == AT_UPPER:
        dynamics.acceleration[d] = (highest_velocity(tree, d, q, v, dt, shares) - v[d]) / dt


@kernel
def sliding_friction(tree, mode, d, v):
    """Friction force on coordinate d if it slides, by itself or as prescribed; else 0."""
    if mode == SLIDING_UP or (mode == PRESCRIBED and v[d] > 0):
        return -tree.friction[d]
    if mode == SLIDING_DOWN or (mode == PRESCRIBED and v[d] < 0):
        return tree.friction[d]
    return like(tree.friction[d], 0)


@kernel
def excess(dynamics, d, v_next):
    """Return the force on a held coordinate in excess of what can hold it; <= 0 if it holds."""
    mode, friction, reaction = dynamics.mode[d], dynamics.tree.friction[d], dynamics.reaction[d]
    if mode == STUCK:
        return abs(reaction) - friction
    if mode == AT_LOWER:
        return (friction if v_next < 0 else -friction) - reaction
    if mode == AT_UPPER:
        return (friction if v_next > 0 else -friction) + reaction
    return like(friction, 0)


@kernel
def force_rounding(dynamics, d):
    """Return the rounding error to expect in the force on a held coordinate."""
    return dynamics.tree.slack[0] * (dynamics.tree.friction[d] + abs(dynamics.tau[d]))


@kernel
def released_mode(dynamics, d, v_next):
    """Mode of a held coordinate once it is released."""
    mode = dynamics.mode[d]
    if mode == STUCK:
        return SLIDING_DOWN if dynamics.reaction[d] > 0 else SLIDING_UP
    if dynamics.tree.friction[d] <= 0:
        return LOOSE
    if mode == AT_LOWER:
        return SLIDING_UP if v_next >= 0 else SLIDING_DOWN
    return SLIDING_DOWN if v_next <= 0 else SLIDING_UP


@kernel
def judged_mode(dynamics, d, q, v, dt, shares, creep):
    """Return the mode of coordinate d that the solution implies: its own if consistent.

    A sliding coordinate may creep back at up to `creep` times its `friction_speed`.
    """
    tree, mode = dynamics.tree, dynamics.mode[d]
    if mode == PRESCRIBED:
        return mode
    v_next = v[d] + dt * dynamics.acceleration[d]
    if mode == AT_LOWER or mode == AT_UPPER:
        held = excess(dynamics, d, v_next) <= force_rounding(dynamics, d)
        return mode if held else released_mode(dynamics, d, v_next)
    rounding = tree.slack[0] * (abs(v[d]) + abs(v_next)) + tree.slack[1] * dt
    if tree.dof_q[d] >= 0:
        if v_next < lowest_velocity(tree, d, q, v, dt, shares) - rounding:
            return AT_LOWER
        if v_next > highest_velocity(tree, d, q, v, dt, shares) + rounding:
            return AT_UPPER
    if mode == STUCK:
        held = excess(dynamics, d, v_next) <= force_rounding(dynamics, d)
        return mode if held else released_mode(dynamics, d, v_next)
    rounding += creep * friction_speed(dynamics, d, dt)
    if (mode == SLIDING_UP and v_next < -rounding) or (mode == SLIDING_DOWN and v_next > rounding):
        return STUCK
    return mode


@kernel
def friction_speed(dynamics, d, dt):
    """Velocity change of a sliding coordinate due to its friction in one step."""
    return dynamics.tree.friction[d] * dt * dynamics.inverse_D[d]


@kernel
def contradiction(dynamics, d, v, dt, judged):
    """How strongly the solution contradicts the mode of coordinate d, in units of its friction."""
    mode, friction = dynamics.mode[d], dynamics.tree.friction[d]
    if mode == STUCK and judged < STUCK:
        return abs(dynamics.reaction[d]) / friction - like(friction, 1)
    if mode < STUCK and judged == STUCK:
        return abs(v[d] + dt * dynamics.acceleration[d]) / friction_speed(dynamics, d, dt)
    return like(friction, 1)


# ----------------------------------------------------------------------------------------- pivoting


@kernel
def pivot(dynamics, q, v, dt, shares, creep, share, swift):
    """Change the modes that the solution contradicts; returns how many.

    All of them, or those contradicted at least `share` times as strongly as the worst; only one if
    `share` is 1. Changing all is fast but may cycle. So may `swift`: a sliding coordinate that
    reverses faster than its friction could stop it switches directly to sliding the other way,
    without being tried as stuck.
    """
    worst, wrong = like(dt, 0), 0
    if share > 0:
        for d in range(len(v)):
            mode = judged_mode(dynamics, d, q, v, dt, shares, creep)
            if mode != dynamics.mode[d]:
                worst = max(worst, contradiction(dynamics, d, v, dt, mode))
                wrong += 1
    changed = 0
    for d in range(len(v)):
        mode = judged_mode(dynamics, d, q, v, dt, shares, creep)
        if mode != dynamics.mode[d]:
            if share == 1 and changed == 1:
                break
            if share == 0 or contradiction(dynamics, d, v, dt, mode) >= share * worst:
                if swift and mode == STUCK:
                    mode = turned_mode(dynamics, d, v[d] + dt * dynamics.acceleration[d], dt)
                dynamics.mode[d] = untried_mode(dynamics, d, mode, wrong == 1)
                hold_mode(dynamics, d, q, v, dt, shares)
                changed += 1
    return changed


@kernel
def carry_modes(dynamics, q, v, dt, shares, creep):
    """Leave the modes that the solution implies to the next step; returns how many are new.

    Accelerations and forces stay as they were found. A stuck joint holds a little more than its
    friction: one at its limit would alternate between sticking and sliding, and creep.
    """
    changed = 0
    for d in range(len(v)):
        mode, v_next = dynamics.mode[d], v[d] + dt * dynamics.acceleration[d]
        strong = like(dt, TENACITY) * dynamics.tree.friction[d]
        if mode != STUCK or excess(dynamics, d, v_next) > strong:
            mode = judged_mode(dynamics, d, q, v, dt, shares, creep)
        if mode != dynamics.mode[d]:
            if mode == STUCK:
                mode = turned_mode(dynamics, d, v_next, dt)
            dynamics.mode[d] = mode
            changed += 1
    return changed


@kernel
def turned_mode(dynamics, d, v_next, dt):
    """Mode of a sliding coordinate that would reverse, to v_next, in its present mode.

    Reversing its friction as well makes it slower by twice its `friction_speed`.
    """
    if abs(v_next) <= like(dt, 2) * friction_speed(dynamics, d, dt):
        return STUCK
    return SLIDING_UP if v_next > 0 else SLIDING_DOWN


@kernel
def untried_mode(dynamics, d, judged, alone):
    """Release a stuck coordinate the other way if it was released this way before and stuck again.

    Only if no other mode is wrong. Next to frictional contact a joint can need more than its
    friction to stick, and yet reverse if it slides against that friction. Its velocity depends
    continuously on its friction, so it slides the other way, or sticks with impulses found from
    there.
    """
    if dynamics.mode[d] != STUCK or judged > STUCK:
        return judged
    if alone and dynamics.released[d] == judged:
        judged = SLIDING_DOWN if judged == SLIDING_UP else SLIDING_UP
    dynamics.released[d] = judged
    return judged


@kernel
def guess_mode(dynamics, d, q, v, dt, shares):
    """Initial mode of coordinate d: the last one, or by its velocity if friction is not judged yet.

    A sliding coordinate that would come to rest at the acceleration of the last step sticks, unless
    it would reverse faster than its friction could stop it; such accelerations seldom last.
    """
    tree, mode = dynamics.tree, dynamics.mode[d]
    if is_out_of_reach(tree, mode, d, q, v, dt, shares):
        mode = LOOSE
    v_next = v[d] + dt * dynamics.last_acceleration[d]
    if (mode == SLIDING_UP and v_next < 0 < v[d]) or (mode == SLIDING_DOWN and v_next > 0 > v[d]):
        return STUCK if turned_mode(dynamics, d, v_next, dt) == STUCK else mode
    if mode != LOOSE or tree.friction[d] <= 0:
        return mode
    if v[d] > 0:
        return SLIDING_UP
    if v[d] < 0:
        return SLIDING_DOWN
    return STUCK


@kernel
def is_out_of_reach(tree, mode, d, q, v, dt, shares):
    """Return whether a coordinate that is at a stop by its mode could get there only if pulled.

    In the moment of an impact no stop is reached, even if one would be in the rest of the step. A
    joint at rest beside its stop, by rounding, is not out of reach.
    """
    if mode == AT_LOWER:
        needed = lowest_velocity(tree, d, q, v, dt, shares)
        return needed < min(v[d], like(dt, -RECOVERY_SPEED))
    if mode == AT_UPPER:
        needed = highest_velocity(tree, d, q, v, dt, shares)
        return needed > max(v[d], like(dt, RECOVERY_SPEED))
    return False


# ------------------------------------------------------------------------------------------ descent


@kernel
def velocity_bounds(tree, d, q, v, dt, shares):
    """Return the lowest and highest velocity at the end of the step that the stops allow."""
    if tree.dof_q[d] < 0:
        return -like(dt, math.inf), like(dt, math.inf)
    slowest = lowest_velocity(tree, d, q, v, dt, shares)
    return slowest, max(slowest, highest_velocity(tree, d, q, v, dt, shares))


@subroutine
def begin_descent(dynamics, q, v, dt, shares):
    """Start from the present velocities, clipped to the stops, and the modes that they imply."""
    tree = dynamics.tree
    for d in range(len(v)):
        slowest, fastest = velocity_bounds(tree, d, q, v, dt, shares)
        x = min(max(v[d], slowest), fastest)
        dynamics.descent[d] = x
        if dynamics.mode[d] == PRESCRIBED:
            continue
        if x == slowest:
            dynamics.mode[d] = AT_LOWER
        elif x == fastest:
            dynamics.mode[d] = AT_UPPER
        elif tree.friction[d] <= 0:
            dynamics.mode[d] = LOOSE
        else:
            dynamics.mode[d] = SLIDING_UP if x > 0 else (SLIDING_DOWN if x < 0 else STUCK)
        hold_mode(dynamics, d, q, v, dt, shares)


@kernel
def kink_ahead(dynamics, d, y, slowest, fastest):
    """Return the first velocity towards y at which coordinate d changes its mode, and the new mode.

    If there is no kink before y: y and the present mode.
    """
    mode = dynamics.mode[d]
    if mode >= STUCK:
        return y, mode
    if mode == SLIDING_UP and y < 0 and slowest <= 0:
        return like(y, 0), STUCK
    if mode == SLIDING_DOWN and y > 0 and fastest >= 0:
        return like(y, 0), STUCK
    if y < slowest:
        return slowest, AT_LOWER
    if y > fastest:
        return fastest, AT_UPPER
    return y, mode


@subroutine
def descend(dynamics, q, v, dt, shares):
    """Move towards the solution and change one mode; returns True if no mode needs to change."""
    tree, x = dynamics.tree, dynamics.descent
    way, first, first_mode = like(dt, 1), -1, LOOSE
    for d in range(len(v)):
        slowest, fastest = velocity_bounds(tree, d, q, v, dt, shares)
        y = v[d] + dt * dynamics.acceleration[d]
        kink, mode = kink_ahead(dynamics, d, y, slowest, fastest)
        if mode != dynamics.mode[d]:
            part = max((kink - x[d]) / (y - x[d]), like(dt, 0))
            if part < way or first < 0:
                way, first, first_mode = min(part, way), d, mode
    for d in range(len(v)):
        x[d] += way * (v[d] + dt * dynamics.acceleration[d] - x[d])
    if first < 0:
        first, first_mode = most_overloaded(dynamics, v, dt)
        if first < 0:
            return True
    dynamics.mode[first] = first_mode
    hold_mode(dynamics, first, q, v, dt, shares)
    return False


@kernel
def most_overloaded(dynamics, v, dt):
    """Return the held coordinate with the largest excess and its mode once released; -1 if none."""
    worst, most, mode = -1, like(dt, 0), LOOSE
    for d in range(len(v)):
        v_next = v[d] + dt * dynamics.acceleration[d]
        too_much = excess(dynamics, d, v_next) - force_rounding(dynamics, d)
        if too_much > most:
            worst, most, mode = d, too_much, released_mode(dynamics, d, v_next)
    return worst, mode
