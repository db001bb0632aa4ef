"""Controllers for tests that remember."""

from typing import NamedTuple

from stiction.extend import controller


class PID(NamedTuple):
    """Moves every joint to a target; remembers the integral of the error."""

    target: float
    stiffness: float
    damping: float
    integral: float


class Tally(NamedTuple):
    """Remembers how often it was taken at its word, and for how long, until some time."""

    until: float


@controller(PID, memory=1)
def pid(params, dynamics, time, q, v, memory, dt):
    for d in range(len(v)):
        k = dynamics.tree.dof_q[d]
        if k >= 0:
            error = params.target - q[k]
            memory.trial[d, 0] = memory.now[d, 0] + error * dt
            force = params.stiffness * error + params.integral * memory.trial[d, 0]
            dynamics.control[d] += force - params.damping * v[d]
            dynamics.control_damping[d] += params.damping


@controller(Tally, memory=2)
def tally(params, dynamics, time, q, v, memory, dt):
    if time < params.until:
        for d in range(len(v)):
            memory.trial[d, 0] += 1
            memory.trial[d, 1] += dt
