"""Chardonnet et al., "Dynamic simulator for humanoids ... with static friction", II.B and II.C.

    Paper             Here                      Meaning
    v_c^{k+1}         velocity_after            velocity of a point at the end of the step, Eq. (10)
    f T_e             p, contact.impulse        impulse of a point
    Lambda_c^-1       delassus                  velocity per unit impulse, Eq. (16), (17)
    B_c T_e + v_c^k   free_velocity             velocity without contact, Eq. (10), (13)
    mu                mu_static, mu_kinetic     `friction.py` has the rule
    epsilon           restitution               Eq. (4)
    f_I               contact.impulse           impulse of a point at an impact, Eq. (2)
    Lambda_I^-1       delassus, normal part     Eq. (3)
    q'+               `add_wrenches`            velocities after the impact, Eq. (6)

Algorithm 1: visit the contacts one by one, give each the impulse that it needs while all others
keep theirs, and repeat until nothing changes. A contact that can be stopped within its friction
cone is; otherwise it slides or opens, and its impulse is found by a Newton-Coulomb step: first the
normal impulse, then the tangential one, projected on the disc mu p_n. The cone is exact.

Impacts, section II.B, happen at their own time within a step (`step/impacts.py`), without friction
and all at once. Normal impulses and normal velocities above those of Eq. (4) are not negative, and
of each pair one is zero: the linear complementarity problem of Eq. (5), one unknown per point, for
Lemke's method. `lcp_impacts` = 1 solves it so; `impact_facets` = n adds friction, in cones with n
facets (`faceted_lcp.py`). By default Algorithm 1 solves impacts too, with the exact cone.

Departs from the paper: (1) it sweeps over the velocities of m points, O(m^2) a sweep; here points
act on the twists of the links that they are on, so that a sweep is O(m). (2) Algorithm 1 prints the
test |f| < mu f_n; it must be |f_t| <= mu f_n, and a contact that opens has f = 0. (3) B_I is
printed as (1 + epsilon) J q'-, which would drive a leaving point back into the ground; here it is
J q'- + epsilon min(J q'-, 0): only points that come down bounce (restitution.py), with as much of
Eq. (4) as adds no energy; `newton_impacts` = 1 is Eq. (4) as printed. (II.D takes B_I from the
accelerations alone, without v^-.) (4) Sweeps end when velocities, not impulses, change little:
where feet and legs close a chain that hardly yields, impulses along it are undetermined and drift
forever. (5) `newton` = 1 (ours): after PATIENCE sweeps Newton's method continues from the present
impulses (`newton.py`); if that fails, convex problems and then sweeps that solve each contact
exactly (`last_resort.py`); a single contact is solved exactly at once (`one_contact.py`). 0 is
exactly as in the paper. (6) `least_norm` = 1 (ours) evens out the forces of a foot on many points:
it moves them towards those of least norm with the same wrench, as far as the friction cones allow.
"""

from typing import Annotated, NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    IMPULSE_SOLVER,
    NO_PULL,
    Parameter,
    contact_model,
)
from stiction.contact.effort import Effort, quick_effort
from stiction.contact.faceted_lcp import solve_with_facets
from stiction.contact.friction import (
    BROKEN,
    SURELY_BROKEN,
    break_away,
    choose_friction,
    speed_scale,
)
from stiction.contact.parameters import (
    Friction,
    Option,
    Restitution,
    Speed,
    Switch,
    Tolerance,
)
from stiction.contact.scratch import VectorPerPoint
from stiction.contact.solvers.de_saxce import ConvexProblem
from stiction.contact.solvers.each_island import solve_islands, solves
from stiction.contact.solvers.faceted_cones import MOST_FACETS, FacetedCones, unknowns_of
from stiction.contact.solvers.friction_cases import FrictionCases
from stiction.contact.solvers.last_resort import CONVEX, SWEPT, solve_at_last
from stiction.contact.solvers.least_norm import even_out
from stiction.contact.solvers.newton import SOLVED, Accuracy, newton
from stiction.contact.solvers.one_contact import solve_alone
from stiction.contact.solvers.sweeps import LocalProblems, prepare_points, sweep
from stiction.contact.solvers.warm_start import (
    keep_impulses,
    recall_impulses,
    remember_impulses,
    return_impulses,
)
from stiction.kernels.response import (
    LEFT,
    NOT_CONVERGED,
    gather_wrenches,
    is_bounded,
    report_solution,
    respond_to_wrenches,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like

AGAIN = 8  # most solutions in a step: one more each time that points break away
PATIENCE = 30  # sweeps before Newton's method
COMPLIANCES, NEWTON_STEPS = (1e-5, 0.3, 1e-5), (12, 40, 40)  # from the impulses of the sweeps
UNIQUE = 2  # the last of these solutions, whose impulses are unique
SWEEPING, NEWTON = 0, 1  # stages; then CONVEX and SWEPT of `last_resort.py`

Sweeps = Annotated[float, Parameter("", low=1, high=1e6, per_pair=False)]
ImpactFacets = Annotated[float, Parameter("", low=0, high=MOST_FACETS, multiple=4, per_pair=False)]


class GaussSeidel(NamedTuple):
    """Exact Coulomb friction and impacts, one contact at a time, Algorithm 1."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Restitution = 0.0
    rest_speed: Speed = 0.0  # slower points do not bounce; 0: those that gravity stops in a step
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Eq. (4) even where it adds energy
    lcp_impacts: Option = 0.0  # 1: impacts by Eq. (5) and Lemke's method
    impact_facets: ImpactFacets = 0.0  # of friction cones in Eq. (5); 0: no friction, as printed
    least_norm: Option = 0.0
    newton: Option = 1.0  # 0: nothing but sweeps
    tolerance: Tolerance = 1e-5  # velocity change in a sweep, relative to gravity's in a step
    sweeps: Sweeps = 200.0  # at most, where newton = 0


class GaussSeidelScratch(NamedTuple):
    """Scratch: what the methods of an exact solver need, and the problem of Eq. (5)."""

    cases: FrictionCases
    convex: ConvexProblem
    local: LocalProblems
    kept: VectorPerPoint  # impulses to return to
    cones: FacetedCones  # its problem is empty without `lcp_impacts`


def _unknowns(params: GaussSeidel, points: int) -> int:
    if params.lcp_impacts == 0:
        return 0
    return unknowns_of("GaussSeidel", int(params.impact_facets), points)


@contact_model(
    GaussSeidel,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION),
    family=IMPULSE_SOLVER,
    point_memory=4,
    scratch=GaussSeidelScratch,
    unknowns=_unknowns,
)
def gauss_seidel(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points: Algorithm 1, or Eq. (5)."""
    response, scratch, mu = work.response, work.scratch, work.scratch.cases.mu
    if params.lcp_impacts > 0 and work.impact[0] > 0:
        facets = int(params.impact_facets)
        solve_with_facets(params, dynamics, contact, response, scratch.cones, facets, dt)
        remember_impulses(contact, memory, contact.impulse, dt)
        return OK
    choose_friction(params, contact, mu)
    recall_impulses(contact, memory, dt)
    scale = speed_scale(dynamics, contact, response, dt)
    rounding = dynamics.tree.slack[0]
    accuracy = Accuracy(rounding, params.tolerance * scale, rounding)
    iterations, off, stage = 0, like(dt, 0), SWEEPING
    for _ in range(AGAIN):
        taken, off, stage = solve_islands(
            params, contact, response, scratch, work.islands, accuracy
        )
        iterations += taken
        converged = stage != NOT_CONVERGED
        broken = like(dt, BROKEN if converged else SURELY_BROKEN)
        if break_away(params, contact, response, mu, broken * scale) == 0:
            break
        if is_bounded(response.effort):  # they slide in the next step, at the latest
            response.effort.used_up[0] = 1
            break
    if params.least_norm > 0:
        even_out(contact, response, mu, like(dt, BROKEN) * scale)
    report_solution(response, iterations, off / scale, stage)
    remember_impulses(contact, memory, contact.impulse, dt)
    return OK


@kernel
def solve_problem(params, contact, response, scratch, accuracy):
    """Call `solve`; what `solves` is given becomes part of the step, for which it is too large."""
    return solve(params, contact, response, scratch, accuracy)


@subroutine
def solve(params, contact, response, scratch, accuracy):
    """Solve with the present coefficients; returns iterations, the error [m/s] and the stage.

    The error is what `tolerance` bounds.
    """
    speed, with_newton = accuracy.speed, params.newton > 0
    cases = scratch.cases
    alone = with_newton and solve_alone(contact, response, cases.mu)
    if not alone:
        most = min(PATIENCE if with_newton else int(params.sweeps), response.effort.iterations[0])
        taken, moved = sweep_until(contact, response, scratch, speed, most)
        if moved <= speed:
            return taken, moved, SWEEPING
        if is_bounded(response.effort):
            response.effort.used_up[0] = 1
            small = moved * params.tolerance <= like(speed, LEFT) * speed
            return taken, moved, SWEEPING if small else NOT_CONVERGED
        if not with_newton:
            return taken, moved, NOT_CONVERGED
        keep_impulses(contact, scratch.kept)
    else:
        taken = 0
    for trial in range(len(NEWTON_STEPS)):
        if alone:
            break
        unique, eps = trial == UNIQUE, like(speed, COMPLIANCES[trial])
        steps, judged, end = newton(
            contact, response, cases, accuracy, unique, eps, NEWTON_STEPS[trial]
        )
        taken += steps
        if end == SOLVED:
            return taken, judged.error, NEWTON
        return_impulses(contact, scratch.kept)
    steps, error, _, stage = solve_at_last(contact, response, cases, scratch, accuracy)
    if stage == CONVEX or stage == SWEPT:
        stage += NEWTON
    return taken + steps, error, stage


@kernel
def sweep_until(contact, response, scratch, speed, most):
    """Sweep from the present impulses; returns sweeps and the last change of a velocity [m/s]."""
    prepare_points(contact, response, scratch.local)
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    taken, moved = 0, speed
    for _ in range(most):
        moved = sweep(contact, response, scratch.cases.mu, scratch.local, False)
        taken += 1
        if moved <= speed:
            break
    return taken, moved


solves(GaussSeidel, solve_problem, solve_problem)
quick_effort(GaussSeidel, Effort(tries=2, iterations=16))  # with one try, stuck joints creep
