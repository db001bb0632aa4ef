"""Which joints slide, stick or rest at a stop in a step: Coulomb friction and hard stops.

Found exactly, by principal pivoting: guess the mode of every coordinate (the last step's), solve
the dynamics with it, change the modes that turn out wrong, repeat. A sliding coordinate feels its
friction and must go on in the same direction; a stuck one comes to rest and must not need more than
its friction; one at a stop must be pushed by it. All wrong modes change at once while that makes
fewer of them, then one at a time, which always ends (J. Judice and F. Pires, "A block principal
pivoting algorithm for large-scale strictly monotone linear complementarity problems", 1994). Stops
are inelastic.
"""

from stiction.compiled import kernel
from stiction.kernels.spatial import like
from stiction.kernels.tree import (
    AT_LOWER,
    AT_UPPER,
    LOOSE,
    PRESCRIBED,
    SLIDING_DOWN,
    SLIDING_UP,
    STUCK,
)

RECOVERY = 0.1  # fraction of a violated limit that is taken back per step ...
RECOVERY_SPEED = 0.5  # ... and the fastest that a stop may move a joint to do so [rad/s or m/s]


@kernel
def lowest_velocity(tree, d, q, v, dt, shares):
    """Slowest velocity at the end of the step that keeps coordinate d above its lower limit.

    The position moves on by dt (shares[0] v + shares[1] v_next). A stop never throws a joint back.
    """
    gap = q[tree.dof_q[d]] - tree.lower[d]
    return _stop_velocity(gap, v[d], dt, shares)


@kernel
def highest_velocity(tree, d, q, v, dt, shares):
    """Fastest velocity at the end of the step that keeps coordinate d below its upper limit."""
    gap = tree.upper[d] - q[tree.dof_q[d]]
    return -_stop_velocity(gap, -v[d], dt, shares)


@kernel
def _stop_velocity(gap, v, dt, shares):
    if gap < 0:
        return min(like(gap, -RECOVERY) * gap / dt, like(gap, RECOVERY_SPEED))
    return min(-(gap / dt + shares[0] * v) / shares[1], like(v, 0))


@kernel
def hold_mode(dynamics, d, q, v, dt, shares):
    """Write what the mode of coordinate d means: the force that acts or the acceleration kept."""
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
    """Friction force on coordinate d if it slides, or if it is prescribed to; else 0."""
    if mode == SLIDING_UP or (mode == PRESCRIBED and v[d] > 0):
        return -tree.friction[d]
    if mode == SLIDING_DOWN or (mode == PRESCRIBED and v[d] < 0):
        return tree.friction[d]
    return like(tree.friction[d], 0)


@kernel
def judged_mode(dynamics, d, q, v, dt, shares):
    """Return the mode that the solution speaks for in coordinate d: its own if consistent."""
    tree, mode, friction = dynamics.tree, dynamics.mode[d], dynamics.tree.friction[d]
    slack = tree.slack[0] * friction
    reaction = dynamics.reaction[d]
    if mode == PRESCRIBED:
        return mode
    if mode == STUCK:
        if reaction > friction + slack:
            return SLIDING_DOWN
        if reaction < -friction - slack:
            return SLIDING_UP
        return mode
    v_next = v[d] + dt * dynamics.acceleration[d]
    if mode == AT_LOWER:
        kept = reaction >= (friction if v_next < 0 else -friction) - slack
        return mode if kept else released(friction, SLIDING_UP if v_next >= 0 else SLIDING_DOWN)
    if mode == AT_UPPER:
        kept = -reaction >= (friction if v_next > 0 else -friction) - slack
        return mode if kept else released(friction, SLIDING_DOWN if v_next <= 0 else SLIDING_UP)
    return judged_moving(dynamics, d, q, v, dt, shares, v_next)


@kernel
def judged_moving(dynamics, d, q, v, dt, shares, v_next):
    """Return the mode that the velocity at the step's end speaks for, in a moving coordinate."""
    tree, mode = dynamics.tree, dynamics.mode[d]
    rounding = tree.slack[0] * (abs(v[d]) + abs(v_next))
    if tree.dof_q[d] >= 0:
        if v_next < lowest_velocity(tree, d, q, v, dt, shares) - rounding:
            return AT_LOWER
        if v_next > highest_velocity(tree, d, q, v, dt, shares) + rounding:
            return AT_UPPER
    if mode == SLIDING_UP and v_next < -rounding:
        return STUCK
    if mode == SLIDING_DOWN and v_next > rounding:
        return STUCK
    return mode


@kernel
def released(friction, sliding):
    """Mode of a coordinate that leaves its stop."""
    return sliding if friction > 0 else LOOSE


@kernel
def guess_mode(tree, mode, d, v):
    """Mode to begin with in coordinate d: the last, except where friction was never judged."""
    if mode != LOOSE or tree.friction[d] <= 0:
        return mode
    if v[d] > 0:
        return SLIDING_UP
    if v[d] < 0:
        return SLIDING_DOWN
    return STUCK
