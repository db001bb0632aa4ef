"""`Coulomb`: exact friction cone by Newton's method; our own solver, the one to start with.

    [AC]  P. Alart and A. Curnier, "A mixed formulation for frictional contact problems prone to
          Newton like solution methods", Comp. Meth. Appl. Mech. Eng. 92 (1991) 353-375
    [DF]  G. De Saxce and Z.-Q. Feng, "The bipotential method: a constructive approach to design the
          complete contact law with friction and improved numerical algorithms", Math. Comp. Model.
          28 (1998) 225-245
    [CBM] J-R. Chardonnet et al., see `gauss_seidel.py`

    Symbol    Here                        Meaning
    p         contact.impulse             impulse of a point over the step [N s]
    u, v      contact.velocity, v         velocity of a point at the start and at the end
    t, w      pair_twist, wrench          change of a pair's twist; wrench of the impulses on it
    L         `response.py`               change of twists per wrench, [CBM] Eq. (17)
    P         `response.py`               P t is the velocity of a point, P'p the wrench of p
    n, mu     contact.normal, cases.mu    normal of the ground; coefficient of friction
    v_least   contact.least_velocity      least normal velocity, from restitution and gaps
    d, e      cases.direction, e          direction of friction, and n x d
    g         response.compliance         velocity of a pair per impulse on it [1/kg]
    R = eps g                             compliance of a point [1/kg]
    p^        hat                         impulse about which the compliance acts: 0 or p

The touching links respond to impulses, and v is relative to the least velocity of a point:

    t = t_free + L w,    w = sum P'p                                                           (1)
    v = u + P t - v_least n                                                                    (2)

Signorini's condition and Coulomb's law at every point, with v = v_n n + v_t, p = p_n n + p_t:

    p_n >= 0,  v_n >= 0,  p_n v_n = 0                                                          (3)
    |p_t| <= mu p_n,  and  p_t = -mu p_n v_t / |v_t|  where v_t is not zero                    (4)

[AC] writes both as one equation, for any g > 0: the normal impulse is the predicted one unless it
pulls, and friction is the admissible one nearest to what would stop the point,

    y = p - v / g,    p_n = max(0, y_n),    p_t = y_t or, if that is longer, mu p_n y_t / |y_t| (5)

Which branch holds is the case of a point. With a small compliance R the impulse of each case is a
linear function of the velocity; ours, after linearising (5) at the present d:

    open   p = 0                                                                               (6)
    stick  p = p^ - v / R                                                                      (7)
    slip   p = (p^_n - v_n / R)(n + mu d) - kappa e . (v - R p^) e                             (8)
           kappa = mu y_n / (g (|y_t| - mu y_n) + R mu y_n)                                    (9)

where kappa describes how d = y_t / |y_t| turns with the velocity. Newton's method solves (1), (2)
and (6)-(8) for the wrenches, six unknowns per touching link, whatever the number of its points,

    (1 + S L) dw = sum P'p - w,    S = -d(sum P'p) / dt                                       (10)

then updates the cases by (5). With p^ = 0 the impulses are those of least norm, a function of the
state alone (`unique` = 1, default): a foot that stands on many points is loaded evenly. They leave
velocities R p, which one more step removes with the cases unchanged:

    p^ <- p                                                                                   (11)

With `unique` = 0 the iteration starts with p^ = p of the last step. It ends when (5) changes no
impulse by more than the tolerance,

    max g |p - p(y)| <= tolerance max g |p|                                                   (12)

If Newton's method cycles, which happens at hard impacts and on rough ground, it starts again with
p^ = p and a large compliance that shrinks; between bodies, then once more, more slowly
(`continuation.py`). If that fails, a sequence of convex problems is solved (`de_saxce.py`): [DF]
writes (3) and (4) as

    p in K,    v + s n in K*,    p . (v + s n) = 0,    s = mu |v_t|                           (13)

with the friction cone K and its dual K*. A single contact is solved exactly (`one_contact.py`).
If all else fails, which takes two contacts and a coefficient of friction of 5 or more, contacts are
solved one at a time (`last_resort.py`). Bodies that touch nothing in common are solved one after
another (`each_island.py`). `friction.py` has the rule for two coefficients of friction.
"""

from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    IMPULSE_SOLVER,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
    contact_model,
)
from stiction.contact.friction import BROKEN, break_away, choose_friction, speed_scale
from stiction.contact.parameters import Friction, Restitution, Speed, Switch, Tolerance
from stiction.contact.scratch import VectorPerPoint
from stiction.contact.solvers.continuation import continue_slowly
from stiction.contact.solvers.de_saxce import ConvexProblem, law_error
from stiction.contact.solvers.each_island import solve_islands, solves
from stiction.contact.solvers.friction_cases import FrictionCases, is_impossible
from stiction.contact.solvers.last_resort import CONVEX, SWEPT, solve_at_last
from stiction.contact.solvers.newton import FAILED, SOLVED, Accuracy, newton
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
from stiction.kernels.touching_pairs import touch_each_other
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like, store_vector, zero_vector

AGAIN = 8  # most solutions in a step: one more each time that points break away
ITERATIONS = 40  # of Newton's method
COMPLIANCE = 1e3  # eps per tolerance: 1e-5 in double precision
ROUNDING = 10.0  # largest relative error that rounding may leave, in slacks of the precision
NEGLIGIBLE = 1e-5  # velocities relative to gravity's in a step: larger ones are errors
EFFORT = 5000  # iterations in a step after which only Newton's method is tried, and continuation
MOST_EFFORT = 50000  # after so many Newton's method alone: what that does not solve is unsolved
SWEEPS = 12  # that end a solution whose effort is bounded
LAST_SWEEPS = 50  # that replace what no method has solved
PROXIMAL = 0.3  # eps with which it starts again
NEAR = 0.01  # relative error of impulses with which other methods may begin, or a step may end
NEWTON, RESTARTED, LATER = 0, 1, 2  # stages; then CONVEX and SWEPT of `last_resort.py`, and ...
SLOWLY = 4  # ... `continuation.py`
EXHAUSTED = NOT_CONVERGED + 1  # after most effort; reported as NOT_CONVERGED


class Coulomb(NamedTuple):
    """Exact Coulomb friction and impacts, solved by Newton's method."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Restitution = 0.0
    rest_speed: Speed = 0.0  # slower points do not bounce; 0: those that gravity stops in a step
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Newton's restitution even where it adds energy
    unique: Switch = 1.0
    tolerance: Tolerance = 1e-8  # relative, of impulses; 1e-5 in single precision


class SolverScratch(NamedTuple):
    """What the methods of an exact solver need, `GaussSeidel`'s too."""

    cases: FrictionCases
    convex: ConvexProblem
    local: LocalProblems
    kept: VectorPerPoint  # impulses to return to


@contact_model(
    Coulomb,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION, NO_ENERGY_GAIN, UNIQUE_FORCES),
    family=IMPULSE_SOLVER,
    point_memory=4,
    scratch=SolverScratch,
)
def coulomb(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points."""
    response, scratch, mu = work.response, work.scratch, work.scratch.cases.mu
    choose_friction(params, contact, mu)
    recall_impulses(contact, memory, dt)
    scale = speed_scale(dynamics, contact, response, dt)
    accuracy = Accuracy(
        params.tolerance,
        like(dt, NEGLIGIBLE) * scale,
        like(dt, ROUNDING) * dynamics.tree.slack[0],
    )
    iterations, error, stage = 0, like(dt, 0), NEWTON
    response.report.iterations[0] = 0
    for _ in range(AGAIN):
        taken, error, stage = solve_islands(
            params, contact, response, scratch, work.islands, accuracy
        )
        iterations += taken
        if break_away(params, contact, response, mu, like(dt, BROKEN) * scale) == 0:
            break
        if is_bounded(response.effort):  # they slide in the next step, at the latest
            response.effort.used_up[0] = 1
            break
    report_solution(response, iterations, error, stage)
    if stage == NEWTON:
        response.report.left_wrenches[0] = 1  # more accurate than their sum over points
    remember_impulses(contact, memory, scratch.cases.start, dt)
    return OK


@kernel
def solve_on_ground(params, contact, response, scratch, accuracy):
    """Solve where nothing but the ground is touched; returns iterations, error and stage."""
    taken, error, largest, stage = solve(params, contact, response, scratch, accuracy)
    if stage == LATER:
        return solve_slowly(contact, response, scratch, accuracy, taken)
    if stage > LATER and not is_bounded(response.effort):
        error, largest = keep_nearest(contact, response, scratch)
        error, largest = replace_far_impulses(contact, response, scratch, error, largest)
    return taken, relative(error, largest), min(stage, NOT_CONVERGED)


@kernel
def solve_between(params, contact, response, scratch, accuracy):
    """Solve one island; returns iterations, relative error and stage."""
    taken, error, largest, stage = solve(params, contact, response, scratch, accuracy)
    if stage < LATER or is_bounded(response.effort):
        return taken, relative(error, largest), stage
    if contact.count[0] > 1 and touch_each_other(contact) and stage != EXHAUSTED:
        best = scratch.convex.best
        more, error, largest, solved = continue_slowly(
            contact, response, scratch.cases, best, accuracy
        )
        taken += more
        if solved:
            keep_impulses(contact, scratch.cases.start)
            return taken, relative(error, largest), SLOWLY
    elif stage >= NOT_CONVERGED:
        error, largest = keep_nearest(contact, response, scratch)
    if stage >= NOT_CONVERGED:
        error, largest = replace_far_impulses(contact, response, scratch, error, largest)
        return taken, relative(error, largest), NOT_CONVERGED
    return solve_slowly(contact, response, scratch, accuracy, taken)


@subroutine
def solve(params, contact, response, scratch, accuracy):
    """Solve by Newton's method; returns iterations, error, largest impulse and stage.

    The stage is LATER where other methods must follow, or NOT_CONVERGED or EXHAUSTED after too much
    effort. Error and impulse are velocities [m/s].
    """
    cases, nothing = scratch.cases, like(accuracy.speed, 0)
    iterations, report = 0, response.report
    if not solve_alone(contact, response, cases.mu):
        keep_impulses(contact, scratch.kept)
        eps = like(nothing, COMPLIANCE) * params.tolerance
        most = min(ITERATIONS, response.effort.iterations[0])
        for stage in range(LATER):
            unique = stage == NEWTON and params.unique > 0 and not is_bounded(response.effort)
            taken, judged, end = newton(contact, response, cases, accuracy, unique, eps, most)
            iterations += taken
            if end == SOLVED:
                return iterations, judged.error, judged.largest, stage
            if is_bounded(response.effort):
                more, error, largest = stop_early(contact, response, scratch, judged)
                late = RESTARTED if error <= like(nothing, LEFT) * largest else NOT_CONVERGED
                return iterations + more, error, largest, late
            keep_impulses(contact, scratch.convex.best)
            far = end == FAILED and judged.error > like(nothing, NEAR) * judged.largest
            if far or is_impossible(accuracy, judged.largest):
                return_impulses(contact, scratch.kept)
            effort = report.all_iterations[0] + report.iterations[0] + iterations
            if effort > EFFORT:
                late = NOT_CONVERGED if effort <= MOST_EFFORT else EXHAUSTED
                return iterations, judged.error, judged.largest, late
            eps = like(nothing, PROXIMAL)
    return iterations, nothing, nothing, LATER


@subroutine
def stop_early(contact, response, scratch, judged):
    """End with impulses that are nearly right; returns iterations, their error and the largest.

    What Newton's method leaves may add energy. Sweeps from the impulses of the last step do not.
    """
    response.effort.used_up[0] = 1
    if judged.error <= like(judged.error, LEFT) * judged.largest:
        return 0, judged.error, judged.largest
    return_impulses(contact, scratch.kept)
    error, largest = sweep_often(contact, response, scratch, SWEEPS)
    return SWEEPS, error, largest


@kernel
def sweep_often(contact, response, scratch, count):
    """Sweep so often from the present impulses; returns their error and the largest."""
    prepare_points(contact, response, scratch.local)
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    for _ in range(count):
        sweep(contact, response, scratch.cases.mu, scratch.local, False)
    keep_impulses(contact, scratch.cases.start)
    return law_error(contact, response, scratch.cases)


@subroutine
def replace_far_impulses(contact, response, scratch, error, largest):
    """Replace impulses that are far from the law; returns the error and the largest impulse.

    Such impulses may be of any size, and add any energy. Sweeps from zero add none: one after the
    other, the contacts only stop what approaches them.
    """
    if error <= like(error, NEAR) * largest:
        return error, largest
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(error))
    return sweep_often(contact, response, scratch, LAST_SWEEPS)


@kernel
def solve_slowly(contact, response, scratch, accuracy, iterations):
    """Solve by other methods; returns iterations, relative error and stage."""
    taken, error, largest, stage = solve_at_last(
        contact, response, scratch.cases, scratch, accuracy
    )
    keep_impulses(contact, scratch.cases.start)
    if stage == CONVEX or stage == SWEPT:
        stage += RESTARTED
    return iterations + taken, relative(error, largest), stage


@subroutine
def keep_nearest(contact, response, scratch):
    """Keep the present impulses or Newton's last ones, whichever are nearer to the law.

    Returns their error and the largest of them, as velocities [m/s].
    """
    error, _ = law_error(contact, response, scratch.cases)
    keep_impulses(contact, scratch.kept)
    return_impulses(contact, scratch.convex.best)
    other, largest = law_error(contact, response, scratch.cases)
    if not other < error:
        return_impulses(contact, scratch.kept)
        other, largest = law_error(contact, response, scratch.cases)
    keep_impulses(contact, scratch.cases.start)
    return other, largest


@kernel
def relative(error, largest):
    """Error relative to the largest impulse; 1 for an error without any impulse."""
    if largest > 0:
        return error / largest
    return like(error, 0) if error == 0 else like(error, 1)


solves(Coulomb, solve_on_ground, solve_between)
