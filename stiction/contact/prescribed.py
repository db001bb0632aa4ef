"""Contact of links whose motion is prescribed: no impulse changes it.

If such a link is driven into what it touches, Signorini's condition has no solution: any impulse is
as good as none. Its points then bear no impulse, and the step is reported as unsolved.

A link may also be free to move, but not out of the way: it turns on a prescribed slide, or lies
between a press and the ground. Solvers may take what they find for a solution. So where anything is
prescribed, velocities after a step are compared with the least ones.
"""

import math

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.surface import APPROACH
from stiction.kernels.kinematics import last_dof
from stiction.kernels.response import NOT_CONVERGED, free_velocity, velocity_after
from stiction.kernels.touching_pairs import LEAST_COMPLIANCE
from stiction.kernels.tree import PRESCRIBED
from stiction.kernels.vectors import dot, like, load_vector

SLOW = 1e-3  # fraction of gravity's velocity change in a step: so slow is not driven into anything
STOPPED = 1e-3  # fraction of the speed of approach: solvers stop a point more accurately


@kernel
def release_prescribed(system, dt):
    """Release points that no impulse can stop; returns the speed at which they are driven in [m/s].

    Their least velocity becomes that of a point which nothing holds up.
    """
    contact, response = system.surface.contact, system.surface.work.response
    for pair in range(contact.touching_count[0]):
        if response.compliance[pair] <= like(response.compliance[pair], LEAST_COMPLIANCE):
            return release_points(system.dynamics, contact, response, system.surface.impact, dt)
    return like(dt, 0)


@subroutine
def release_points(dynamics, contact, response, impact, dt):
    """Do the same, if there may be such points; also where they were released before."""
    slowest, driven = impact.rest_speed[0], like(dt, 0)
    for i in range(contact.count[0]):
        a, b = contact.body_a[i], contact.body_b[i]
        if is_prescribed(dynamics, a) and is_prescribed(dynamics, b):
            v_n = dot(load_vector(contact.normal, i), free_velocity(contact, response, i))
            least, never = contact.least_velocity[i], like(slowest, NEVER)
            if least <= never and impact.phase[0] != APPROACH:
                least = min(contact.depth[i], like(slowest, 0)) / dt  # it may close its gap
            driven = max(driven, least - v_n)
            contact.least_velocity[i] = never
    return driven if driven > like(slowest, SLOW) * slowest else like(slowest, 0)


@kernel
def is_prescribed(dynamics, link):
    """Return whether all coordinates that move a link are prescribed, as for the world."""
    d = last_dof(dynamics.tree, link) if link > 0 else -1
    while d >= 0:
        if dynamics.mode[d] != PRESCRIBED:
            return False
        d = dynamics.tree.dof_parent[d]
    return True


@kernel
def report_driven(system, driven):
    """Report the step as unsolved if points are driven in, at `driven` or despite all impulses.

    The residual is relative to gravity's speed in a step.
    """
    surface = system.surface
    if has_prescribed(system.dynamics):
        driven = max(driven, sinking_speed(surface.contact, surface.work.response, surface.impact))
    if driven > 0:
        report = surface.work.response.report
        report.stage[0] = NOT_CONVERGED
        report.residual[0] = max(report.residual[0], driven / surface.impact.rest_speed[0])


@kernel
def has_prescribed(dynamics):
    """Return whether any coordinate is prescribed; a loop without an exit takes several at once."""
    count = 0
    for d in range(len(dynamics.mode)):
        count += dynamics.mode[d] == PRESCRIBED
    return count > 0


@subroutine
def sinking_speed(contact, response, impact):
    """Speed by which the impulses fail to stop a point [m/s]; 0 if it is negligible."""
    slowest = impact.rest_speed[0]
    worst, approach = like(slowest, 0), like(slowest, 0)
    for i in range(contact.count[0]):
        n, least = load_vector(contact.normal, i), contact.least_velocity[i]
        approach = max(approach, least - dot(n, free_velocity(contact, response, i)))
        after = dot(n, velocity_after(contact, response, i))
        worst = max(worst, least - after) if math.isfinite(after) else like(slowest, math.inf)
    enough = max(like(slowest, SLOW) * slowest, like(slowest, STOPPED) * approach)
    return worst if worst > enough else like(slowest, 0)
