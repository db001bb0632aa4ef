"""External forces: pushes and tables over time, each at a point of a link, in world axes."""

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to
from stiction.kernels.spatial import Wrench, load_wrench, store_wrench, wrench_add
from stiction.kernels.vectors import add, cross, like, load_vector, scale, zero_vector


class Forces(NamedTuple):
    """Tables of all external forces; force i has the rows first[i] .. first[i + 1] of `time`."""

    link: np.ndarray  # (n)
    place: np.ndarray  # (n, 3) where it acts, in link axes [m]
    held: np.ndarray  # (n) 1: constant between start and stop (a push), 0: piecewise linear
    first: np.ndarray  # (n + 1)
    time: np.ndarray  # (rows) [s]
    force: np.ndarray  # (rows, 3) [N]
    moment: np.ndarray  # (rows, 3) [N m]


@kernel
def table_row(time, first, last, t):
    """Row k with time[k] <= t < time[k + 1], by bisection; first if t is before, last if after."""
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@kernel
def overlap(start, stop, t, dt):
    """Fraction of the step from t to t + dt that lies between start and stop."""
    inside = min(stop, t + dt) - max(start, t)
    return max(inside, like(inside, 0)) / dt


@kernel
def wrench_now(forces, i, t, step_time, dt):
    """Force and moment of entry i at a time t of the step from step_time to step_time + dt.

    A push, or a table, that starts or stops within the step acts for a share of it. The force is
    reduced by this share, and a table is interpolated at a time that is as far in that part as t is
    in the step: integrated over the step, this gives the impulse.
    """
    first, last = forces.first[i], forces.first[i + 1] - 1
    start, stop = forces.time[first], forces.time[last]
    share = overlap(start, stop, step_time, dt)
    if share == 0:
        nothing = zero_vector(share)
        return Wrench(nothing, nothing)
    if forces.held[i] == 1:
        f = scale(share, load_vector(forces.force, first))
        return Wrench(f, scale(share, load_vector(forces.moment, first)))
    t = min(max(max(start, step_time) + share * (t - step_time), start), stop)
    k = table_row(forces.time, first, last, t)
    x = (t - forces.time[k]) / (forces.time[k + 1] - forces.time[k])
    x, y = share * x, share * (like(x, 1) - x)
    f = add(scale(y, load_vector(forces.force, k)), scale(x, load_vector(forces.force, k + 1)))
    n = add(scale(y, load_vector(forces.moment, k)), scale(x, load_vector(forces.moment, k + 1)))
    return Wrench(f, n)


@kernel
def external_forces(forces, dynamics, t, step_time, dt):
    """Add the external wrenches at time t within the step that starts at step_time."""
    for i in range(len(forces.link)):
        link = forces.link[i]
        f = wrench_now(forces, i, t, step_time, dt)
        r = arm_to(dynamics, link, load_vector(forces.place, i))
        at_origin = Wrench(f.force, add(f.moment, cross(r, f.force)))
        store_wrench(dynamics.load, link, wrench_add(load_wrench(dynamics.load, link), at_origin))
