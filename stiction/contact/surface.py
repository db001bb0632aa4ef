"""Data of contact in a step: points that may touch, the ground, what touches now."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from stiction.collision.belt import move_belt
from stiction.collision.bodies import Bodies, NoBodies
from stiction.collision.detection import Contact
from stiction.collision.points import ContactPoints
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import Memory, Workspace, rest_speed_of
from stiction.kernels.vectors import dot, like

# The part of a step being computed.
WHOLE = 0  # the step, or what is left of it
APPROACH = 1  # up to an impact: points that come down fast are not stopped
IMPACT = 2  # no time passes, only impulses count

SKIN = 1e-7  # of the robots' size: a smaller gap counts as none, so that points of one foot agree


class Impact(NamedTuple):
    """Scalars of the present step that impacts and sliding share, each an array of one number."""

    phase: np.ndarray  # WHOLE, APPROACH or IMPACT
    solved: np.ndarray  # 1 once the impulses of this step are found and held
    earliest: np.ndarray  # time of the first impact in the step [s]; inf if there is none
    dt: np.ndarray  # length of the whole step [s]
    bend: np.ndarray  # `Shares.bend` of the integrator
    rest_speed: np.ndarray  # slower points do not bounce, if the model does not set it [m/s]


def allocate_impact() -> Impact:
    """Return scalars of a step that has not begun."""
    phase, solved = np.zeros(1, np.int64), np.zeros(1, np.int64)
    return Impact(phase, solved, *(np.full(1, np.inf) for _ in range(4)))


class Surface(NamedTuple):
    """Where robots may touch, what touches now, and what the contact model remembers."""

    points: ContactPoints
    ground: Any
    contact: Contact
    memory: Memory
    work: Workspace
    impact: Impact
    bodies: Bodies | NoBodies


@kernel
def forget_impacts(surface, dynamics, dt):
    """Start a step of length dt, with no impact in it so far.

    A point that gravity stops within the step does not bounce; without gravity, one that does not
    leave the skin within it.
    """
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    skin = like(dt, SKIN) * surface.points.size[0]
    impact = surface.impact
    impact.earliest[0], impact.dt[0] = like(dt, math.inf), dt
    impact.rest_speed[0] = max(dt * math.sqrt(dot(g, g)), skin / dt)


@kernel
def rest_speed(model, surface, pair):
    """Approach speed below which a point does not bounce [m/s]."""
    given = rest_speed_of(model, surface.contact.table, pair)
    return given if given > 0 else surface.impact.rest_speed[0]


@kernel
def set_clock(surface, instant, at_end):
    """Write the time at which the contact model is evaluated, and whether it is an impact.

    Also how the ground moves then, or, for models that find velocities at the end of the step, at
    that end.
    """
    surface.work.clock[0], surface.work.clock[1] = instant.time, instant.step_time
    time = since = instant.time
    if at_end:
        time, since = instant.step_time + instant.dt, instant.step_time
    move_belt(surface.ground, surface.contact.belt, time, since)
    surface.work.impact[0] = surface.impact.phase[0] == IMPACT
