"""`FacetedLCP`: friction cones with flat facets, as a linear complementarity problem.

    [CBM] J-R. Chardonnet et al., see `gauss_seidel.py`; the method that it compares itself with
    [ST]  D. Stewart and J. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
          Coulomb friction", IEEE ICRA 2000: reference [4] of [CBM]
    [AP]  M. Anitescu and F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with
          friction as solvable linear complementarity problems", Nonlinear Dynamics 14 (1997)

    [CBM]             Here               Meaning
    f T_e             contact.impulse    impulse of a point, p = c n + sum beta_k d_k
    Lambda_c^-1       delassus           velocity per unit impulse, Eq. (16), (17)
    B_c T_e + v_c^k   free_velocity      velocity without contact, Eq. (10), (13)
    epsilon           restitution        Eq. (4), see `restitution.py`

    c, beta, lambda   problem.z          unknowns of a point: normal impulse, impulses along the
                                         facet directions d_k, sliding speed
    v                 velocity of a point at the end of the step, relative to its least velocity

[CBM], Eq. (7) in velocities, Eq. (10): normal impulses and normal velocities are not negative, and
of each pair one is zero. Friction fits in "provided that friction cones need to be discretized into
facets": n directions d_k along the ground, each with its opposite [ST],

    c >= 0         n . v >= 0                    c (n . v) = 0                                 (1)
    beta_k >= 0    lambda + d_k . v >= 0         beta_k (lambda + d_k . v) = 0                 (2)
    lambda >= 0    mu c - sum beta_k >= 0        lambda (mu c - sum beta_k) = 0                (3)

Velocities are linear in the impulses, v = v_free + sum G p, so this is a linear complementarity
problem of (n + 2) m unknowns for m points, where the exact cone has 3 m. Lemke's method solves it
(`lemke.py`). [AP] prove that it has a solution, and that Lemke's method finds one, unless contacts
jam: impulses in the cones, not all zero, that move nothing. If it ends in a ray or at its limit of
pivots, the step is unsolved and keeps the impulses of the last pivot.

Eq. (2) and (3) allow friction in a polygon with corners at mu c d_k. Midway between two corners it
is mu c cos(pi/n): 29 % less than in the exact cone with 4 facets, 8 % with 8 and 2 % with 16. A
point that slides has its friction at the corner that opposes the motion most, up to pi/n off its
direction, which deflects it until it slides midway between two corners. d_0 is the x axis of the
point's link along the ground, or its y axis where x is within 26 degrees of the normal, so polygons
turn with the robot and not with the world.

Ours: where a link has more points than it needs, G is singular and Lemke's method loads only as
many as needed. So points get a compliance R = eps g, g the mean velocity of a point per impulse on
it, which selects the impulses of least norm, as in `coulomb.py`. The velocities R p that it leaves
are removed by solving again with the compliance about p^ = p, usually with the same basis:

    v = v_free + sum G p + R (p - p^)                                                          (4)

If an error remains because the points do not fit, it solves again with less compliance; if Lemke's
method fails, with more. `friction.py` has the rule for two coefficients of friction.
"""

from typing import Annotated, NamedTuple

from stiction.compiler.compiled import subroutine
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    NO_ENERGY_GAIN,
    NO_PULL,
    Parameter,
    contact_model,
)
from stiction.contact.friction import BROKEN, break_away, choose_friction, speed_scale
from stiction.contact.parameters import Friction, Restitution, Speed, Switch, Tolerance
from stiction.contact.solvers.faceted_cones import (
    MOST_FACETS,
    FacetedCones,
    solve_faceted,
    unknowns_of,
)
from stiction.contact.solvers.lemke import SOLVED
from stiction.kernels.response import (
    NOT_CONVERGED,
    gather_wrenches,
    report_solution,
    respond_to_wrenches,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like

AGAIN = 8  # most solutions in a step: one more each time that points break away
LEMKE = 0  # stage

Facets = Annotated[float, Parameter("", low=4, high=MOST_FACETS, multiple=2, per_pair=False)]


class FacetedLCP(NamedTuple):
    """Friction cones with facets, and impacts, as one complementarity problem; Lemke's method."""

    facets: Facets = 8.0  # of every friction cone
    mu_static: Friction = 0.5  # at the corners of the polygon; 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Restitution = 0.0
    rest_speed: Speed = 0.0  # slower points do not bounce; 0: those that gravity stops in a step
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Newton's restitution even where it adds energy
    tolerance: Tolerance = 1e-6  # error of velocities, relative to gravity's change in a step


def _unknowns(params: FacetedLCP, points: int) -> int:
    return unknowns_of("FacetedLCP", int(params.facets), points)


@contact_model(
    FacetedLCP,
    promises=(CONE_PER_POINT, NO_PULL, NO_ENERGY_GAIN),
    family=IMPULSE_SOLVER,
    scratch=FacetedCones,
    unknowns=_unknowns,
)
def faceted_lcp(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points."""
    solve_with_facets(
        params, dynamics, contact, work.response, work.scratch, int(params.facets), dt
    )
    return OK


@subroutine
def solve_with_facets(params, dynamics, contact, response, cones, facets, dt):
    """Write the impulses of all points, without friction for 0 facets, and report the solution."""
    choose_friction(params, contact, cones.mu)
    unit = speed_scale(dynamics, contact, response, dt)
    pivots, error, stage = 0, like(dt, 0), LEMKE
    for _ in range(AGAIN):
        solution = solve_faceted(
            dynamics, contact, response, cones, facets, params.tolerance * unit
        )
        pivots, error = pivots + solution.pivots, solution.error / unit
        solved = solution.status == SOLVED and error <= params.tolerance
        stage = LEMKE if solved else NOT_CONVERGED
        gather_wrenches(contact, response)
        respond_to_wrenches(contact, response)
        if facets == 0:
            break
        if break_away(params, contact, response, cones.mu, like(dt, BROKEN) * unit) == 0:
            break
    report_solution(response, pivots, error, stage)
    response.report.left_wrenches[0] = 1
