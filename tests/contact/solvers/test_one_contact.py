"""A single contact is solved exactly, also where friction is so high that rods jam (Painleve)."""

import numpy as np
import pytest

import stiction as st
from contact.problems import DT, UP, step_of
from mechanisms import fewer, turned
from stiction.contact.solvers.one_contact import roots_in_unit_interval, slip_impulse
from stiction.kernels.response import NOT_CONVERGED

EXACT = 1e-9  # relative; rounding of 1e-16, times the condition of G, at most 1e5 here


def all_solutions(G, c, mu, directions=3600):
    """Every impulse that obeys Coulomb and Signorini at one contact, by going through all cases.

    A slip of direction d has p = p_n (n - mu d), d where the velocity has no part across it: sign
    changes over all directions, each closed in by Brent's method.
    """
    from scipy.optimize import brentq

    found = [np.zeros(3)] if c[2] >= 0 else []
    stick = -np.linalg.solve(G, c)
    if stick[2] > 0 and np.hypot(*stick[:2]) <= mu * stick[2]:
        found.append(stick)

    def velocity(angle):
        """(G_nn - mu G_nt . d) times velocity, and that factor; it has no poles."""
        along = UP - mu * np.array([np.cos(angle), np.sin(angle), 0.0])
        push = G @ along
        return push[2] * c - c[2] * push, push[2], along

    def across(angle):
        v, _, _ = velocity(angle)
        return v[1] * np.cos(angle) - v[0] * np.sin(angle)

    angles = 0.1 + np.linspace(0, 2 * np.pi, directions + 1)  # rods slip along 0 and pi
    values = np.array([across(angle) for angle in angles])
    for k in np.flatnonzero(values[:-1] * values[1:] <= 0):
        angle = brentq(across, angles[k], angles[k + 1], xtol=1e-15)
        v, factor, along = velocity(angle)
        p_n = -c[2] / factor
        if p_n > 0 and (v[0] * np.cos(angle) + v[1] * np.sin(angle)) / factor >= 0:
            found.append(p_n * along)
    return found


def random_problem(rng):
    """G of any condition up to 1e5, a contact that comes down, friction from 0.01 to 30."""
    A = rng.normal(size=(3, 3)) * [1.0, 10.0 ** rng.uniform(-2, 0), 1.0]
    G, c = A @ A.T + 1e-3 * np.eye(3), rng.normal(size=3)
    c[2] = -abs(c[2])
    if rng.random() < 0.3:  # in a plane, as rods are
        c[1] = G[0, 1] = G[1, 0] = G[1, 2] = G[2, 1] = 0.0
    return G, c, 10.0 ** rng.uniform(-2, 1.5)


def as_tuples(G, c):
    return tuple(tuple(float(x) for x in row) for row in G), tuple(float(x) for x in c)


def test_all_roots_of_a_quartic_in_the_unit_interval_are_found():
    """Real and complex, near and far, of any scale; two roots 1e-3 apart are two."""
    rng = np.random.default_rng(0)
    for _ in range(fewer(5000, 200)):
        real = np.sort(rng.choice([0.3, 1.5]) * rng.normal(size=4))
        if np.diff(real).min() < 1e-3 or np.abs(np.abs(real) - 1).min() < 1e-6:
            continue
        roots = real + 0j
        if rng.random() < 0.4:
            roots[2:] = complex(real[2], 0.1), complex(real[2], -0.1)
        quartic = np.poly(roots).real * 10.0 ** rng.uniform(-6, 6)
        found = [
            z for z in roots_in_unit_interval(tuple(float(k) for k in quartic[::-1])) if z <= 1
        ]
        expected = [r.real for r in roots if r.imag == 0 and abs(r) <= 1]
        assert len(found) == len(expected)
        assert np.allclose(found, expected, atol=1e-6)  # 1e-16 by the cube of the distance, 1e-9


def test_a_slip_is_found_whenever_the_contact_does_not_stick():
    """Against an enumeration of all solutions."""
    rng, slips = np.random.default_rng(1), 0
    for _ in range(fewer(300, 40)):
        G, c, mu = random_problem(rng)
        solutions = all_solutions(G, c, mu, fewer(3600, 720))
        stick = -np.linalg.solve(G, c)
        if np.hypot(*stick[:2]) <= mu * stick[2]:
            continue
        rows, free = as_tuples(G, c)
        p, speed = slip_impulse(rows, (0.0, 0.0, 1.0), free, mu)
        assert speed >= 0 and solutions
        off = min(np.abs(np.array(p) - other).max() for other in solutions)
        assert off <= EXACT * np.abs(p).max()
        slips += 1
    assert slips > fewer(100, 10)


ROD = st.robots.rod(0.8, 0.004, 1.1)


def sliding_rod(angle, speed):
    """A world with a rod on one end, at an angle to the ground, and its state."""
    world = st.World(ROD.at((0.0, 0.0, 0.0), turned((0.0, 1.0, 0.0), np.pi / 2 - angle)))
    state = world.standing()
    state.v[0] = speed
    return world, state


@pytest.mark.parametrize(
    "model", [st.Coulomb, pytest.param(st.GaussSeidel, marks=pytest.mark.interpreted)]
)
@pytest.mark.parametrize("mu", [1.4, 3.0, 10.0, 20.0])
def test_painleve_rods_have_a_solution_in_every_step_and_it_is_found(model, mu):
    """Every step is solved; steps on one end have one of the impulses that an enumeration finds."""
    compared = slipped = 0
    for angle in np.linspace(0.15, 1.4, fewer(10, 2)):
        for speed in (-5.0, -2.0, -0.5, 0.5, 2.0, 5.0)[:: fewer(1, 3)]:
            world, state = sliding_rod(angle, speed)
            motion = st.simulate(
                world,
                model(mu_static=mu, mu_kinetic=mu),
                duration=fewer(150, 5) * DT,
                dt=DT,
                state=state,
                integrator=st.SemiImplicitEuler(),
            )
            assert not (motion.solver[:, 2] == NOT_CONVERGED).any()
            for k in range(0, fewer(150, 5), fewer(29, 2)):
                step = step_of(world, motion, k)
                if len(step.points) == 1:
                    c = step.c_free[0]
                    solutions = all_solutions(step.G, c, mu, 720)
                    off = min(np.abs(step.p[0] - p).max() for p in solutions)
                    assert off <= EXACT * np.abs(np.linalg.solve(step.G, c)).max()
                    compared += 1
                    slipped += abs(np.hypot(*step.p[0, :2]) - mu * step.p[0, 2]) < 1e-12
    assert compared >= fewer(100, 4) and slipped >= fewer(1, 0)
