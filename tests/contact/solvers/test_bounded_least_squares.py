"""The quadratic programme of Balanced against programmes of others, built from dense matrices."""

from typing import NamedTuple

import numpy as np
import pytest

from contact.random_problems import response_of
from mechanisms import fewer
from stiction.contact.friction import OPEN, SLIP, STICK
from stiction.contact.scratch import allocate_scratch
from stiction.contact.solvers.bounded_least_squares import (
    DEPENDENT,
    WRONG,
    bounded_impulse,
    bounded_least_squares,
    set_price,
)
from stiction.contact.solvers.reduced_least_squares import BoundedProblem, reduce_rows
from stiction.world.contact_points import allocate_contact

LAYOUTS = ("grid", "anywhere", "duplicated", "collinear", "one spot")
WISHES = ("any", "landing", "zero", "reachable", "on the bound")
SLACK = 1e-9  # of a tree in double precision
# Relative to the largest impulse. On its bound without a multiplier, an impulse may be wrong by
# WRONG SLACK times the condition, about 1e3; the worst of 10,000 problems has 2e-8.
SAME = 1e-7


class Problem(NamedTuple):
    """Points on touching links with what is asked of them."""

    touching: np.ndarray  # (n) sorted
    arm: np.ndarray  # (n, 3)
    normal: np.ndarray  # (n, 3)
    direction: np.ndarray  # (n, 3) c
    kind: np.ndarray  # (n)
    wanted: np.ndarray  # (n, 3)
    inverse_inertia: np.ndarray  # (6 links, 6 links)
    relaxation: float  # relative

    @property
    def links(self):
        return len(self.inverse_inertia) // 6


# -------------------------------------------------------------------------------- random problems


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def arms_of(layout, n, rng):
    """Where n points of a sole of about 0.2 m are."""
    if layout == "grid":
        grid = np.array([(x, y, -0.05) for x in np.linspace(-1, 1, 4) for y in (-1, -0.3, 0.3, 1)])
        return grid[rng.permutation(16)[:n]] * [0.1, 0.05, 1.0]
    if layout == "collinear":
        return np.linspace(-0.1, 0.1, n)[:, None] * unit(rng.normal(size=3)) + [0.02, 0.0, -0.05]
    if layout == "one spot":
        return np.tile([0.05, 0.02, -0.05], (n, 1))
    arms = rng.uniform(-0.1, 0.1, (n, 3))
    return arms[rng.integers(0, max(1, n // 2), n)] if layout == "duplicated" else arms


def random_problem(rng):
    """Four to sixteen points on one or two links, with any of the above."""
    links, n = rng.integers(1, 3), rng.integers(4, 17)
    touching = np.sort(rng.integers(0, links, n))
    layout = LAYOUTS[rng.integers(len(LAYOUTS))]
    arm = np.vstack([arms_of(layout, np.sum(touching == b), rng) for b in range(links)])
    flat = rng.random() < 0.5
    normal = np.tile([0.0, 0.0, 1.0], (n, 1)) if flat else unit(rng.normal(size=(n, 3)) + [0, 0, 3])
    kind = rng.choice(
        [OPEN, STICK, SLIP], n, p=[(0, 1, 0), (0, 0, 1), (0.1, 0.5, 0.4)][rng.integers(3)]
    )
    across = unit(np.cross(normal, rng.normal(size=3 if flat else (n, 3))))
    slips = (kind == SLIP)[:, None]
    direction = normal - np.where(slips, rng.choice([0.0, 0.4, 1.5]) * across, 0.0)
    modes = rng.normal(size=(rng.choice([6, 7, 12, 30]), links, 6)) * ([1.0] * 3 + [5.0] * 3)
    modes *= 10.0 ** rng.uniform(-1, 1)  # heavy and light robots
    rows = modes.reshape(-1, 6 * links)
    price = 10.0 ** rng.uniform(-6, 1)
    nothing = np.zeros((n, 3))
    problem = Problem(touching, arm, normal, direction, kind, nothing, rows.T @ rows, price)
    return problem._replace(wanted=wish(problem, WISHES[rng.integers(len(WISHES))], rng))


def wish(problem, what, rng):
    """What is asked of the points, (n, 3)."""
    n = len(problem.kind)
    if what == "any":
        return rng.normal(size=(n, 3))
    if what == "zero":
        return np.zeros((n, 3))
    if what == "landing":
        return np.tile([0.1, -0.05, 1.0], (n, 1)) + 1e-3 * rng.normal(size=(n, 3))
    B, C, bounded, price = dense(problem)
    A = B @ problem.inverse_inertia @ C.T
    x = rng.normal(size=len(A))
    x[bounded] = np.abs(x[bounded]) * (rng.random(bounded.sum()) < 0.5)
    v = A @ x
    if what == "on the bound":  # C q = 0 for some of the bounded: no impulse and no multiplier
        some = np.flatnonzero(bounded)[: rng.integers(1, 4)]
        q = rng.normal(size=C.shape[1])
        q -= np.linalg.pinv(C[some]) @ (C[some] @ q)
        y = C @ q
        x = np.where(bounded, np.maximum(y, 0.0), y)
        rest = price * np.linalg.pinv(problem.inverse_inertia @ B.T) @ q
        v = A @ x + rest
    return points_from(problem, v)


def points_from(problem, rows):
    """Vectors at the points from the rows of B."""
    out = np.zeros((len(problem.kind), 3))
    k = 0
    for i, kind in enumerate(problem.kind):
        if kind == STICK:
            out[i] = frame(problem.normal[i]).T @ rows[k : k + 3]
            k += 3
        elif kind == SLIP:
            out[i] = rows[k] * problem.normal[i]
            k += 1
    return out


# ---------------------------------------------------------------------------------- dense matrices


def frame(n):
    """Rows: two directions along the ground and the normal."""
    a = unit(np.cross(n, [1.0, 0.0, 0.0] if abs(n[0]) < 0.7 else [0.0, 1.0, 0.0]))
    return np.array([a, np.cross(n, a), n])


def dense(problem):
    """B, C, which of the columns are bounded, and lambda."""
    B, C, bounded = [], [], []
    for i, kind in enumerate(problem.kind):
        if kind == OPEN:
            continue
        stuck = kind == STICK
        axes = frame(problem.normal[i])
        rows = [(a, a) for a in axes] if stuck else [(axes[2], problem.direction[i])]
        bounded += [False, False, True] if stuck else [True]
        for b, c in rows:
            for rows_of, x in ((B, b), (C, c)):
                row = np.zeros((problem.links, 6))
                row[problem.touching[i]] = [*x, *np.cross(problem.arm[i], x)]
                rows_of.append(row.ravel())
    B, C = np.array(B), np.array(C)
    scale = np.trace(B @ problem.inverse_inertia @ B.T) / len(B)
    return B, C, np.array(bounded), problem.relaxation * scale**2


def impulses_from(problem, x):
    """Impulses (n, 3) from the columns of C."""
    out, k = np.zeros((len(problem.kind), 3)), 0
    for i, kind in enumerate(problem.kind):
        if kind == STICK:
            out[i] = frame(problem.normal[i]).T @ x[k : k + 3]
            k += 3
        elif kind == SLIP:
            out[i] = x[k] * problem.direction[i]
            k += 1
    return out


def least_squares_of(problem):
    """Matrix and right-hand side of |M x - d|^2, in units in which tr A / n = 1; bounds; tr A / n.

    The price on the norm is in further rows.
    """
    B, C, bounded, price = dense(problem)
    scale = np.sqrt(price / problem.relaxation)
    A = B @ problem.inverse_inertia @ C.T / scale
    v = []
    for i, kind in enumerate(problem.kind):
        if kind == STICK:
            v += list(frame(problem.normal[i]) @ problem.wanted[i])
        elif kind == SLIP:
            v.append(problem.normal[i] @ problem.wanted[i])
    M = np.vstack([A, np.sqrt(problem.relaxation) * np.eye(len(A))])
    return M, np.append(v, np.zeros(len(A))), bounded, scale


# ------------------------------------------------------------------------------------- the solvers


def by_quadprog(M, d, bounded):
    """Goldfarb and Idnani's dual method, from the triangular factor of the matrix."""
    import quadprog

    R = np.linalg.qr(M, mode="r")
    C = np.eye(len(bounded))[:, bounded]
    return quadprog.solve_qp(np.linalg.inv(R), M.T @ d, C, np.zeros(C.shape[1]), 0, True)[0]


def by_daqp(M, d, bounded):
    """A dual active-set method, Arnstrom et al."""
    from ctypes import c_int

    import daqp

    n = len(bounded)
    low = np.where(bounded, 0.0, -1e30)
    x, _, status, _ = daqp.solve(
        M.T @ M,
        -(M.T @ d),
        np.zeros((0, n)),
        np.full(n, 1e30),
        low,
        np.zeros(n, dtype=c_int),
        primal_tol=1e-13,
        dual_tol=1e-13,
    )
    assert status == 1
    return x


def refined(M, d, bounded, x):
    """The minimiser with the same impulses at zero as x, in extended precision.

    A quadratic programme has the matrix M'M, whose condition is up to 1e9 here: libraries find the
    right impulses at zero and the others to 1e-7 or 1e-8.
    """
    from scipy.linalg import solve_triangular

    free = ~bounded | (x > 1e-9 * max(np.abs(x).max(), np.abs(d).max()))
    R = np.linalg.qr(M[:, free], mode="r")
    exact, right = M[:, free].astype(np.longdouble), d.astype(np.longdouble)
    y = np.zeros(free.sum(), np.longdouble)
    for _ in range(6):
        gradient = (exact.T @ (right - exact @ y)).astype(float)
        y = y + solve_triangular(R, solve_triangular(R, gradient, trans=1))
    out = np.zeros(len(x))
    out[free] = y
    return out


def contact_of(problem):
    """The points as kernels are given them."""
    n, links = len(problem.kind), problem.links
    contact = allocate_contact(n, links, np.zeros((1, 1)))
    contact.count[0], contact.touching_count[0] = n, links
    contact.touching[:] = problem.touching
    contact.arm[:], contact.normal[:] = problem.arm, problem.normal
    response = response_of(contact, problem.inverse_inertia)
    scratch = allocate_scratch(BoundedProblem, n, links)
    scratch.case[:] = problem.kind
    scratch.direction[:], scratch.wanted[:] = problem.direction, problem.wanted
    return contact, response, scratch


def by_ours(problem):
    """Impulses (n, 3), iterations, error and success."""
    contact, response, scratch = contact_of(problem)
    for touching in range(problem.links):
        set_price(scratch, touching, problem.relaxation)
    told = bounded_least_squares(contact, response, scratch, True, SLACK)
    found = np.zeros((len(problem.kind), 3))
    for i in np.flatnonzero(problem.kind != OPEN):
        found[i] = bounded_impulse(contact, response, scratch, int(i))
    return found, *told


def compare(problem):
    """Distances to the minimisers of both libraries, as they are and refined, and iterations.

    Relative to the largest impulse or the impulse that gives one point the velocity asked for.
    """
    found, iterations, off, success = by_ours(problem)
    assert success and off <= WRONG * SLACK
    M, d, bounded, scale = least_squares_of(problem)
    if not d.any():
        assert not found.any()
        return 0.0, 0.0, iterations
    raw = fine = 0.0
    for solve in (by_quadprog, by_daqp):
        x = solve(M, d, bounded)
        theirs = impulses_from(problem, refined(M, d, bounded, x))
        size = max(np.abs(theirs).max(), np.abs(d).max())
        fine = max(fine, np.abs(scale * found - theirs).max() / size)
        raw = max(raw, np.abs(scale * found - impulses_from(problem, x)).max() / size)
    return raw, fine, iterations


# ------------------------------------------------------------------------------------------- tests


def check(problems, seed, capsys):
    """So many random problems have the minimisers of both libraries."""
    rng = np.random.default_rng(seed)
    raw, fine, iterations = np.array([compare(random_problem(rng)) for _ in range(problems)]).T
    with capsys.disabled():
        print(
            f"\n{problems} problems: {fine.max():.1e} from the refined minimisers, {raw.max():.1e} "
            f"from those of the libraries; iterations {iterations.mean():.2f}, "
            f"at most {iterations.max():.0f}"
        )
    assert fine.max() <= SAME
    assert raw.max() <= 1e-6


def test_random_problems_have_the_minimisers_of_quadprog_and_daqp(capsys):
    check(fewer(500, 200), 1, capsys)


@pytest.mark.slow
@pytest.mark.jit
def test_ten_thousand_problems_have_the_minimisers_of_quadprog_and_daqp(capsys):
    check(10_000, 2, capsys)


def test_problems_of_every_kind_are_among_them():
    """Singular and unsymmetric A; bounded impulses that are zero, with and without multiplier."""
    rng, seen = np.random.default_rng(1), set()
    for _ in range(300):
        problem = random_problem(rng)
        M, d, bounded, _ = least_squares_of(problem)
        A = M[: len(bounded)]
        seen.add("singular" if np.linalg.matrix_rank(A) < len(A) else "regular")
        seen.add("symmetric" if np.allclose(A, A.T) else "unsymmetric")
        x = refined(M, d, bounded, by_quadprog(M, d, bounded))
        multiplier = (M.T @ (M @ x - d))[bounded & (x == 0)]
        size = max(np.abs(d).max(), 1e-300)
        if len(multiplier):
            seen.add("held at zero" if (multiplier > 1e-6 * size).any() else "none held")
            seen.add("on the bound" if (multiplier < 1e-9 * size).any() else "none on the bound")
        seen.add(f"{problem.links} touching links")
        seen.add("nothing asked" if not d.any() else "something asked")
    assert seen >= {"singular", "regular", "symmetric", "unsymmetric", "held at zero"}
    assert seen >= {
        "on the bound",
        "1 touching links",
        "2 touching links",
        "nothing asked",
        "something asked",
    }


def test_the_price_may_be_absolute():
    rng = np.random.default_rng(4)
    for _ in range(20):
        problem = random_problem(rng)
        relative = by_ours(problem)[0]
        contact, response, scratch = contact_of(problem)
        for touching in range(problem.links):
            set_price(scratch, touching, dense(problem)[3])
        bounded_least_squares(contact, response, scratch, False, SLACK)
        for i in np.flatnonzero(problem.kind != OPEN):
            x = bounded_impulse(contact, response, scratch, int(i))
            assert np.allclose(x, relative[i], rtol=0, atol=1e-8 * max(np.abs(relative).max(), 1))


def test_points_that_cannot_move_get_no_impulse():
    problem = random_problem(np.random.default_rng(5))
    held = problem._replace(
        inverse_inertia=np.zeros_like(problem.inverse_inertia),
        wanted=np.ones_like(problem.wanted),
    )
    found, _, _, success = by_ours(held)
    assert success and not found.any()


def test_the_factor_has_the_products_of_the_rows():
    """R'R = B'B and R'beta = B'v, a touching link at a time, whatever the rank."""
    rng = np.random.default_rng(6)
    for _ in range(fewer(100, 20)):
        problem = random_problem(rng)
        contact, response, scratch = contact_of(problem)
        B = dense(problem)[0]
        assert reduce_rows(contact, response, scratch, DEPENDENT * SLACK) == len(B)
        R = np.zeros((6 * problem.links,) * 2)
        for touching in range(problem.links):
            block = slice(6 * touching, 6 * touching + 6)
            R[block, block] = scratch.R[touching]
        # what depends on other directions but for DEPENDENT is left out
        assert np.allclose(R.T @ R, B.T @ B, rtol=0, atol=1e-10 * len(B))
        v = least_squares_of(problem)[1][: len(B)]
        assert np.allclose(
            R.T @ scratch.beta, B.T @ v, rtol=0, atol=1e-13 * len(B) * (1 + np.abs(v).max())
        )
