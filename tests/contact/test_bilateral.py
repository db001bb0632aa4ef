"""Bruneau & Ouezdou's first model, section 2.1: feet fixed to the ground, a test per equation."""

import warnings

import numpy as np
import pytest

import stiction as st
from contact.problems import DT, UP, errors, plate, step_of, take_step, thrown
from mechanisms import fewer
from stiction.description.description import WORLD, Description, Joint, Link, Shape

pytestmark = pytest.mark.interpreted

FIXED = st.Bilateral()
# A fixed point has a compliance of 1e-6 beside its link; two repetitions take its velocity away.
STILL = 1e-8


def fixed(step):
    """Which of the points near the ground are held."""
    return np.abs(step.p).max(axis=1) > 0


def constrained(step, held):
    """Velocities after a step in which some points are held, by pseudo-inverse: Eq. (1) and (3).

    Points that come down from a gap close it: they count from their floor.
    """
    rows = np.repeat(held, 3)
    D = step.J[rows]
    wanted = np.kron(step.least_velocity[held], UP)
    G = D @ np.linalg.solve(step.H, D.T)
    impulse = np.linalg.pinv(G, rcond=1e-10) @ (wanted - D @ step.v_free)
    return step.v_free + np.linalg.solve(step.H, D.T @ impulse)


def inverted_pendulum(length=0.5, mass=1.2):
    """A mass on a rod that touches the ground with its lower end, a single point."""
    inertia = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
    return st.Robot.from_description(
        Description(
            "pendulum",
            "tests",
            (Link("rod", mass, (0.0, 0.0, length), inertia),),
            (Joint("free", "free", WORLD, "rod"),),
            (Shape("tip", "rod", "points", (), vertices=((0.0, 0.0, 0.0),)),),
        )
    )


@pytest.mark.jit
def test_eq_1_and_2_a_rod_on_a_fixed_point_falls_like_a_pendulum():
    """Against the differential equation of the pendulum, to the order of semi-implicit Euler."""
    from scipy.integrate import solve_ivp

    length, mass, tilt, duration = 0.5, 1.2, 0.2, 0.5
    world = st.World(
        inverted_pendulum(length, mass).at((0, 0, 0), (np.cos(0.1), 0, np.sin(0.1), 0))
    )
    moment = mass * length**2 + 0.01
    exact = solve_ivp(
        lambda _, x: [x[1], mass * 9.81 * length / moment * np.sin(x[0])],
        (0.0, duration),
        [tilt, 0.0],
        rtol=1e-10,
        atol=1e-12,
    ).y[:, -1]
    off = []
    for dt in (2e-4, 1e-4):
        motion = st.simulate(world, FIXED, duration=duration, dt=dt, state=world.standing(-1e-9))
        off.append(abs(motion.v[-1, 4] - exact[1]))
        tip = motion.q[:, :3] - motion.q[0, :3]
        assert np.abs(tip).max() < 1e-5  # D q' = 0 at the end of each step: the tip drifts by dt^2
    assert off[1] < 1e-3 and off[1] < 0.6 * off[0]


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_eq_3_touching_points_do_not_move(speed):
    """Neither down nor along the ground, however fast they came and whatever the joints do.

    In the step in which a further corner of a foot closes its gap, it cannot keep its point along
    the ground as well: then velocities are those that miss least.
    """
    world, rng = st.World(st.robots.biped10()), np.random.default_rng(2)
    at_rest = 0
    for _ in range(fewer(10, 1)):
        state = thrown(world, rng, tilt=0.3, speed=speed, sinking=speed, spin=2.0, joints=2.0)
        motion = st.simulate(
            world,
            FIXED,
            duration=fewer(20, 3) * DT,
            dt=DT,
            state=state,
            integrator=st.SemiImplicitEuler(),
        )
        for k in range(fewer(20, 3)):
            step = step_of(world, motion, k)
            held = fixed(step)
            size = max(np.abs(step.v_free).max(), 1.0)
            assert errors(step).motion < STILL  # Eq. (1)
            assert np.abs(step.v_next - constrained(step, held)).max() < STILL * size
            if (step.least_velocity[held] == 0.0).all():
                assert np.abs(step.c[held]).max(initial=0.0) < STILL * size  # Eq. (3)
                at_rest += 1
    assert at_rest > 0


@pytest.mark.parametrize("seed", range(fewer(10, 2)))
def test_eq_4_an_impact_on_one_foot_is_the_constrained_one(seed):
    """v_plus is the projection of v_minus, in the metric of H, on D v = 0; joints are loose."""
    world, rng = st.World(st.robots.biped10()), np.random.default_rng(seed)
    state = thrown(world, rng, tilt=0.3, speed=1.0, sinking=1.0, spin=2.0, joints=2.0)
    state.v[2] -= 2.0  # so that it lands whatever its joints do
    step = take_step(world, FIXED, state)
    held = fixed(step)
    assert held.any()
    lands = (step.c_free[:, 2] < 0) | (step.least_velocity == 0.0)
    assert (held == lands).all()
    expected = constrained(step, held)
    assert np.abs(step.v_next - expected).max() < STILL * np.abs(step.v_free).max()


def test_eq_4_loses_the_energy_of_the_velocities_that_are_stopped():
    """Perfectly inelastic: what is lost is the kinetic energy of the difference, in H."""
    world = st.World(plate(3), gravity=(0.0, 0.0, 0.0))
    state = world.standing()
    state.v[:] = [0.5, 0.2, -1.0, 0.3, -0.4, 1.0]
    step = take_step(world, FIXED, state)
    assert np.abs(step.v_next).max() < STILL  # three points fix a body


def lifted(model, force, robot=None, steps=10):
    """A brick that rests, then is pulled up with a force."""
    world = st.World(robot or st.robots.brick())
    name = world.link_names[1]
    pull = st.Push(name, (0, 0, 0), (0, 0, force), start=2 * DT, stop=1.0)
    state = world.standing(above=-1e-6)
    return st.simulate(
        world,
        model,
        duration=steps * DT,
        dt=DT,
        state=state,
        forces=[pull],
        integrator=st.SemiImplicitEuler(),
    )


def test_feet_that_are_pulled_stay_down():
    """The paper lets the gait decide when a foot lifts off: by default it is never torn off."""
    motion = lifted(FIXED, force=200.0)
    assert np.abs(motion.v).max() < STILL
    assert np.allclose(motion.force[-2, :, 2].sum(), 2.0 * 9.81 - 200.0, rtol=1e-9)


def test_a_point_that_is_pulled_harder_than_release_opens():
    """Pulled with 22 N more than it weighs: 5.5 N on each of four corners, until one opens."""
    holds, tips = (
        lifted(st.Bilateral(release=release), force=2.0 * 9.81 + 22.0) for release in (6.0, 5.0)
    )
    assert np.abs(holds.v).max() < STILL
    pulled = holds.force[-2]
    assert np.allclose(pulled[pulled[:, 2] < 0, 2], -5.5, rtol=1e-6)
    assert tips.v[-1, 2] > 0.045  # nine steps at 5 m/s2 and more
    assert (tips.force[:-1, :, 2] >= -5.0 * (1 + 1e-9)).all()


def test_release_0_lets_go_at_once():
    motion = lifted(st.Bilateral(release=0.0), force=2.0 * 9.81 + 22.0)
    assert motion.v[-1, 2] == pytest.approx(8 * DT * 11.0, rel=1e-9)
    assert (motion.force[3:-1] == 0).all()


def test_release_0_is_unilateral_with_endless_friction():
    """Section 2.3.1's assumption: no pulling in a tumble, no sliding on a slope of 57 degrees."""
    world = st.World(st.robots.brick((0.2, 0.1, 0.1)))
    rng = np.random.default_rng(0)
    for _ in range(fewer(5, 1)):
        state = thrown(world, rng, tilt=0.3, speed=2.0, sinking=1.0, spin=5.0)
        motion = st.simulate(
            world, st.Bilateral(release=0.0), duration=fewer(60, 5) * DT, dt=DT, state=state
        )
        assert (motion.force[:-1, :, 2] >= -1e-9 * np.nanmax(motion.force)).all()
    steep = st.Slope(1.0)
    turn = (np.cos(0.5), 0.0, -np.sin(0.5), 0.0)
    lying = st.World(st.robots.brick((0.4, 0.1, 0.02)).at((0, 0, 0), turn), ground=steep)
    motion = st.simulate(
        lying, st.Bilateral(release=0.0), duration=0.02, dt=DT, state=lying.standing(above=-1e-6)
    )
    assert np.abs(motion.v).max() < STILL  # friction of 1.56 times the load


def test_reactions_of_more_points_than_needed_are_those_of_least_norm():
    """A plate on 16 points, loaded off its middle: the load falls off evenly along it."""
    world = st.World(plate(16))
    push = st.Push("plate", (0.02, 0.0, 0.0), (0.0, 0.0, -50.0), start=0.0, stop=1.0)
    state = world.standing(above=-1e-6)
    motion = st.simulate(world, FIXED, duration=2 * DT, dt=DT, state=state, forces=[push])
    load = motion.force[1, :, 2].reshape(4, 4)
    assert np.allclose(load, load[:, :1], rtol=1e-6)  # alike across
    assert np.allclose(np.diff(load[:, 0], n=2), 0.0, atol=1e-5)  # linear along
    assert load.sum() == pytest.approx(2 * 9.81 + 50.0, rel=1e-9)


def test_what_was_fixed_stays_fixed_at_gaps_of_rounding():
    """A plate that came down from a gap rests at a depth of rounding, above or below zero."""
    world = st.World(plate(4))
    state = world.standing(above=1e-3)
    motion = st.simulate(world, FIXED, duration=0.05, dt=DT, state=state)
    assert np.abs(motion.v[-20:]).max() < STILL
    total = motion.force[-20:-1].sum(axis=1)
    assert np.allclose(total, [0, 0, 2 * 9.81], atol=1e-5)


@pytest.mark.jit
def test_steps_in_which_points_enter_the_ground_are_counted_as_unsolved():
    """A limp robot tumbles: points that are pulled open, and some enter after being fixed again."""
    world = st.World(st.robots.biped14())
    model, state = st.Bilateral(release=0.0), world.standing(above=0.1)
    with pytest.warns(st.UnsolvedWarning):
        st.simulate(world, model, duration=0.6, dt=DT, state=state)


def test_no_open_point_enters_the_ground_in_a_solved_step():
    """Faster than a tenth of g dt; with points chosen at the begin alone, some do at 1 m/s."""
    world, rng = st.World(st.robots.biped10()), np.random.default_rng(8)
    solved = 0
    for _ in range(fewer(200, 25)):
        state = world.standing(above=-1e-4)
        state.v[:] = rng.normal(size=world.nv)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motion = st.simulate(world, st.Bilateral(release=0.0), duration=DT, dt=DT, state=state)
        if motion.unsolved.count == 0:
            solved += 1
            assert motion.contact_velocity[0, :, 2].min() > -0.1 * 9.81 * DT - 1e-9
    assert solved > 0
