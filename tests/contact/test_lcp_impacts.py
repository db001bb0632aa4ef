"""`GaussSeidel(lcp_impacts=1)`: Eq. (5) and (6) of its paper, against a quadratic programme.

A step of DT is so short that nothing but the impact changes the velocities.
"""

import numpy as np
import pytest

import stiction as st
from contact.problems import point_jacobians
from mechanisms import fewer, turned
from stiction.contact.contact_model import MODELS
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted
DT = 1e-8  # [s]
BRIEF = 1e-5  # relative change of velocities by all but the impact: 500 rad/s^2 DT, and rounding
TOUCHING = -1e-9  # height above the ground [m]: points that leave touch, too
FLOATING = {"gravity": (0.0, 0.0, 0.0)}


def lcp(**options):
    return st.GaussSeidel(lcp_impacts=1.0, rest_speed=1e-6, **options)


def impact(world, model, state, dt=DT):
    return st.simulate(world, model, duration=dt, dt=dt, state=state)


def on_its_soles(rng):
    """A biped with bent legs, level on the ground, whose coordinates all move."""
    world = st.World(st.robots.biped10(), **FLOATING)
    state = world.standing(TOUCHING)
    state.v[:] = rng.normal(size=world.nv)
    state.v[2] -= 1.0
    return world, state


def on_four_corners(rng):
    world = st.World(st.robots.box((0.2, 0.3, 0.1)), **FLOATING)
    state = world.standing(TOUCHING)
    state.v[:] = rng.normal(size=6) * [1, 1, 0.5, 3, 3, 3]
    return world, state


def after_eq_6(world, state, restitution):
    """q'+ from Eq. (3), the corrected Eq. (5) as a quadratic programme, and Eq. (6)."""
    import quadprog

    rows, gap = point_jacobians(world, state.q)
    J = rows[gap < 1e-9, 2]
    H = st.mechanics.inertia(world, state.q)
    inverse = J @ np.linalg.solve(H, J.T)  # Lambda_I^-1
    before = J @ state.v
    B = before + restitution * np.minimum(before, 0)
    rigid = 1e-11 * np.trace(inverse) * np.eye(len(B))  # it may be singular, quadprog wants more
    f = quadprog.solve_qp(inverse + rigid, -B, np.eye(len(B)), np.zeros(len(B)))[0]
    return state.v + np.linalg.solve(H, J.T @ f), f


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("scene", [on_four_corners, on_its_soles], ids=lambda one: one.__name__)
def test_eq_5_and_6_against_a_quadratic_programme(scene, restitution):
    """Points that come down, leave, or are pressed in by others; Eq. (4) even if it adds energy."""
    rng, loaded = np.random.default_rng(3), 0
    model = lcp(restitution=restitution, newton_impacts=1.0)
    for _ in range(fewer(20, 4)):
        world, state = scene(rng)
        expected, f = after_eq_6(world, state, restitution)
        motion = impact(world, model, state)
        loaded += f.max() > 0
        assert np.abs(motion.v[-1] - expected).max() <= BRIEF * np.abs(state.v).max()
        assert motion.unsolved.count == 0
    assert loaded > 2


def test_a_ball_that_leaves_keeps_its_velocity():
    """Its B_I is positive, so that no impulse acts on it; the other ball bounces."""
    ball = st.robots.ball()
    world = st.World(ball, ball.at((1.0, 0.0, 0.0)), **FLOATING)
    state = world.standing(TOUCHING)
    state.v[[2, 8]] = 0.7, -1.0
    v = impact(world, lcp(restitution=0.5), state).v[-1]
    assert v[[2, 8]] == pytest.approx([0.7, 0.5], rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impacts_as_printed_have_no_friction(restitution):
    """A ball that comes down sliding and spinning keeps both; with facets it does not."""
    world = st.World(st.robots.ball(), **FLOATING)
    state = world.standing(TOUCHING)
    state.v[:] = 2.0, 1.0, -3.0, 4.0, 5.0, 6.0
    v = impact(world, lcp(restitution=restitution), state).v[-1]
    assert v[2] == pytest.approx(3.0 * restitution, abs=1e-9)
    assert np.abs(v[[0, 1, 3, 4, 5]] - state.v[[0, 1, 3, 4, 5]]).max() <= 1e-12
    rough = impact(world, lcp(restitution=restitution, impact_facets=8.0), state).v[-1]
    assert rough[2] == pytest.approx(3.0 * restitution, abs=1e-9)
    assert np.hypot(*(rough[:2] - state.v[:2])) > 0.5


def test_friction_at_an_impact_is_mu_times_the_normal_impulse_at_a_corner():
    """A ball that slides along d_0: mu (1 + e) v_n, as with the exact cone."""
    for mu, e in ((0.1, 0.0), (0.2, 0.5), (0.1, 1.0)):
        options = {"mu_static": mu, "mu_kinetic": mu, "restitution": e, "impact_facets": 4.0}
        world = st.World(st.robots.ball(), **FLOATING)
        state = world.standing(TOUCHING)
        state.v[:3] = 5.0, 0.0, -1.0
        v = impact(world, lcp(**options), state).v[-1]
        assert v[:3] == pytest.approx([5.0 - mu * (1 + e), 0.0, e], abs=1e-9)


@pytest.mark.parametrize("facets", [4, 8, 16])
def test_impacts_with_facets_are_those_of_faceted_lcp(facets):
    """Up to the tolerances, 1e-5 and 1e-6 of a hundredth of the speed."""
    rng = np.random.default_rng(facets)
    for _ in range(fewer(10, 3)):
        world, state = on_four_corners(rng)
        state.v[2] -= 1.0
        ours = impact(world, lcp(restitution=0.3, impact_facets=facets), state)
        options = {"restitution": 0.3, "rest_speed": 1e-6}
        theirs = impact(world, st.FacetedLCP(facets=facets, **options), state)
        assert np.abs(ours.v[-1] - theirs.v[-1]).max() <= 1e-6 * np.abs(state.v).max()


@pytest.mark.parametrize("facets", [0, 8])
@pytest.mark.parametrize("restitution", [0.8, 1.0])
def test_impacts_add_no_energy(facets, restitution):
    """Rods on an end and boxes on corners; Eq. (4) can add energy in both, without friction too."""
    rng, gained = np.random.default_rng(5), 0.0
    for k in range(fewer(40, 12)):
        angle = rng.uniform(0.1, 1.4)
        rod = st.robots.rod(0.5, 0.005).at((0, 0, 0), turned((0.0, 1.0, 0.0), angle))
        world = st.World(rod if k % 2 else st.robots.box((0.2, 0.3, 0.1)), **FLOATING)
        state = world.standing(TOUCHING)
        state.v[:] = rng.normal(size=6) * [1, 1, 1, 3, 3, 3]
        state.v[2] -= 1.0
        for newton in (0.0, 1.0):
            options = {"impact_facets": facets, "restitution": restitution}
            model = lcp(newton_impacts=newton, **options)
            energy = impact(world, model, state).energy().kinetic
            gain = energy[1] / energy[0] - 1
            gained = max(gained, gain)
            assert newton or gain <= 1e-9  # tolerance of solutions
    assert restitution < 1 or gained > 0.01


def test_between_impacts_nothing_changes():
    """A brick that slides to a stop: the option concerns impacts alone."""
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:2] = 0.2, 0.1
    runs = [
        st.simulate(world, st.GaussSeidel(lcp_impacts=on), duration=0.03, dt=1e-3, state=state)
        for on in (0.0, 1.0)
    ]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_a_ball_without_restitution_has_its_impact_too():
    """It lands without friction, and begins to roll after that."""
    world = st.World(st.robots.ball())
    state = world.standing(above=0.01)
    state.v[:3] = 1.0, 0.0, -2.0
    motion = st.simulate(world, lcp(), duration=0.008, dt=1e-3, state=state)
    landed = 0.01 / 2.0
    sliding = np.clip(motion.time - landed, 0, None)  # mu g against it, and no jump at the impact
    assert np.abs(motion.v[:, 0] - (1.0 - 0.5 * 9.81 * sliding)).max() <= 2 * 0.5 * 9.81 * 1e-3
    assert motion.q[-1, 2] == pytest.approx(0.05, abs=1e-6)
    rough = st.simulate(world, st.GaussSeidel(), duration=0.008, dt=1e-3, state=state)
    assert rough.v[-1, 0] < 0.8


# ---------------------------------------------------------------------------- sizes and reports


@pytest.mark.parametrize(("options", "unknowns"), [({}, 0), ({"lcp_impacts": 1.0}, 1)])
def test_the_problem_takes_memory_only_where_it_is_solved(options, unknowns):
    world = st.World(st.robots.box())
    model = st.GaussSeidel(**options)
    simulation = st.Simulation(world, model, 1e-3, world.standing())
    points = 8
    assert simulation._system.surface.work.scratch.cones.problem.M.size == (unknowns * points) ** 2
    declared = MODELS[st.GaussSeidel].unknowns
    assert declared(model, points) == unknowns * points
    assert declared(model._replace(impact_facets=8.0), points) == 10 * unknowns * points


@pytest.mark.parametrize("value", [2, 6, -4, 20])
def test_facets_of_impacts_are_none_or_a_multiple_of_4(value):
    with pytest.raises(InputError, match="impact_facets is .*; give a multiple of 4 from 0 to 16"):
        st.Simulation(st.World(st.robots.brick()), st.GaussSeidel(impact_facets=value))


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (st.FacetedLCP(), "facets", 6.0),
        (st.GaussSeidel(), "impact_facets", 8.0),
        (st.GaussSeidel(), "lcp_impacts", 1.0),
        (st.GaussSeidel(), "tolerance", 1e-7),
    ],
)
def test_settings_of_a_solver_are_not_taken_from_pairs_of_materials(model, name, value):
    """Under a model that does not have the setting it is a note, as for any parameter."""
    materials = {("ground", "default"): {name: value}}
    world = st.World(st.robots.brick(), materials=materials)
    kind = type(model).__name__
    with pytest.raises(
        InputError, match=f"{kind} has one '{name}' for all pairs.*{kind}\\({name}="
    ):
        st.Simulation(world, model)
    st.Simulation(world, st.HuntCrossley())
