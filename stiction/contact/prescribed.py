"""Contact of links whose motion is prescribed: no impulse changes it.

If such a link is driven into what it touches, Signorini's condition has no solution: any impulse is
as good as none. Its points then bear no impulse, and the step is reported as unsolved.
"""

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.surface import APPROACH
from stiction.kernels.kinematics import last_dof
from stiction.kernels.response import NOT_CONVERGED, free_velocity
from stiction.kernels.touching_pairs import LEAST_COMPLIANCE
from stiction.kernels.tree import PRESCRIBED
from stiction.kernels.vectors import dot, like, load_vector

SLOW = 1e-3  # fraction of gravity's velocity change in a step: so slow is not driven into anything


@kernel
def release_prescribed(system, dt):
    """Let points go that no impulse can stop; returns the speed at which they are driven in [m/s].

    Their least velocity becomes that of a point which nothing holds up.
    """
    contact, response = system.surface.contact, system.surface.work.response
    for pair in range(contact.touching_count[0]):
        if response.compliance[pair] <= like(response.compliance[pair], LEAST_COMPLIANCE):
            return release_points(system.dynamics, contact, response, system.surface.impact, dt)
    return like(dt, 0)


@subroutine
def release_points(dynamics, contact, response, impact, dt):
    """Do the same, if there may be such points; also where they were let go before."""
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
def report_driven(surface, driven):
    """Report that the step is not solved; the residual is relative to gravity's speed in a step."""
    report = surface.work.response.report
    report.stage[0] = NOT_CONVERGED
    report.residual[0] = max(report.residual[0], driven / surface.impact.rest_speed[0])
