"""Belts whose speed varies: a brick on them against closed forms, and what carries their table."""

import numpy as np
import pytest

import stiction as st
from stiction.bench.closed_forms import belts
from stiction.bench.closed_forms.models import FRICTION, GRAVITY
from stiction.collision.belt import belt_of, belt_travel, belt_velocity, travel_at, velocities_at
from stiction.engines.belt import on_ground_at_rest
from stiction.engines.engine import Task
from stiction.errors import InputError, SceneFileError
from stiction.metrics.energy import contact_work
from stiction.scenes.reader import parse_scene

MU_G = 0.5 * 9.81
STEPS, DT = 30, 1e-3
SOLVERS = [kind(mu_static=0.5, mu_kinetic=0.5) for kind in (st.Coulomb, st.GaussSeidel)]
LAWS = [
    st.Multipoint(mu_static=0.5, mu_kinetic=0.5),
    st.Feedback(mu_kinetic=0.5),
    st.SpringDamper(mu_kinetic=0.5),
]


def accelerating(a: float, mu: float = 0.5) -> st.World:
    """A brick on a belt with v = a t along x, for up to 10 s."""
    ground = st.Plane(velocity=((0.0, 0.0, 0.0), (10 * a, 0.0, 0.0)), time=(0.0, 10.0))
    return st.World(st.robots.brick(), ground=ground)


def carried(model, a: float) -> st.Motion:
    world = accelerating(a)
    return st.simulate(world, model, state=world.standing(), duration=STEPS * DT, dt=DT)


# --------------------------------------------------------------------------------- closed forms


@pytest.mark.interpreted
@pytest.mark.parametrize("model", SOLVERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("a", [0.4 * MU_G, 0.99 * MU_G, 1.01 * MU_G, 3 * MU_G])
def test_a_brick_follows_a_belt_up_to_the_friction_limit_and_slips_above_it(model, a):
    """Velocity is linear, position quadratic: solvers stop at 1e-6 of g dt, every step."""
    motion = carried(model, a)
    gained = min(a, MU_G)
    np.testing.assert_allclose(motion.v[:, 0], gained * motion.time, rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.q[:, 0], gained * motion.time**2 / 2, rtol=0, atol=1e-8)
    slips = 2 if a > MU_G else 1
    assert motion.contact_state[1:-1].max() == slips


@pytest.mark.interpreted
@pytest.mark.parametrize("model", [*SOLVERS, *LAWS], ids=lambda model: type(model).__name__)
def test_what_lands_on_a_belt_moves_as_on_ground_at_rest(model):
    """A biped that falls tilted, turning and sliding, at rest and on a train at 40 m/s.

    Solvers agree to their tolerance, laws to the rounding of the springs' forces.
    """
    ends = []
    for common in (0.0, 40.0):
        ground = st.Plane(velocity=(common, -common, 0.0))
        world = st.World(st.robots.biped10(), ground=ground)
        state = world.standing(above=1e-3)
        state.q[3:7] = np.cos(0.05), 0.0, np.sin(0.05), 0.0
        state.v[:6] = 0.5 + common, -0.2 - common, -1.0, 2.0, -1.0, 3.0
        motion = st.simulate(world, model, state=state, duration=STEPS * DT, dt=DT)
        assert (motion.contact_state[:-1] > 0).any()
        motion.v[:, :2] -= ground.velocity[:2]
        ends.append(motion.v[-1])
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-6)


@pytest.mark.interpreted
@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_under_laws_a_brick_follows_within_what_they_yield(model):
    """`Feedback` lags behind by a / velocity_gain, 7 mm/s; springs sway by a few mm/s."""
    motion = carried(model, 0.4 * MU_G)
    assert abs(motion.v[-1, 0] - 0.4 * MU_G * motion.time[-1]) < 0.01


@pytest.mark.jit
def test_a_brick_sticks_and_slips_on_a_swinging_belt():
    """The exact solution is that of `bench accuracy`, which simulates in the frame of the belt."""
    share, heading = 1.5, np.array([np.cos(0.3), np.sin(0.3), 0.0])
    duration = belts.PERIODS * 2 * np.pi / belts.OMEGA
    time = np.linspace(0.0, duration, 20_000)
    speed = share * FRICTION * GRAVITY / belts.OMEGA * np.sin(belts.OMEGA * time)
    ground = st.Plane(velocity=speed[:, None] * heading, time=time)
    world = st.World(st.robots.brick(), ground=ground)
    floor = st.Coulomb(mu_static=FRICTION, mu_kinetic=FRICTION)
    motion = st.simulate(world, floor, state=world.standing(), duration=duration)
    exact_time, exact = belts.place_on_belt(share)
    there = np.interp(motion.time, exact_time, exact)[:, None] * heading[:2]
    gone = travel_at(ground.bind().belt, motion.time)[:, :2]
    off = np.linalg.norm(motion.q[:, :2] - gone - there, axis=1)
    # 2.5e-5 at a step of 1 ms; in the frame of the belt 2.6e-5
    assert off.max() < 1e-4 * np.ptp(exact)


@pytest.mark.interpreted
def test_scenery_beside_the_belt_stays():
    """A brick that slides on a fixed plate stops as if the belt were not there."""
    ends = []
    for a in (0.0, 3 * MU_G):
        ground = accelerating(a).ground if a else st.Plane()
        plate = st.robots.plate(size=(1.0, 1.0, 0.1)).at((0.0, 0.0, 0.5))
        brick = st.robots.brick().at((0.0, 0.0, 0.58))
        world = st.World(brick, ground=ground, scenery=plate)
        state = world.home()
        state.v[0] = 0.02
        motion = st.simulate(world, SOLVERS[0], state=state, duration=8 * DT, dt=DT)
        ends.append(motion.q[-1])
    np.testing.assert_array_equal(*ends)
    assert ends[0][0] == pytest.approx(0.02**2 / (2 * MU_G), rel=1e-3)


# ------------------------------------------------------------------------------- energy, batches


@pytest.mark.interpreted
@pytest.mark.parametrize("a", [0.4 * MU_G, 3 * MU_G])
def test_a_belt_works_on_what_it_carries_and_only_slip_takes_energy(a):
    motion = carried(SOLVERS[0], a)
    mass, end = motion.world.total_mass, motion.time[-1]
    balance = motion.energy_balance()
    gained = mass * (min(a, MU_G) * end) ** 2 / 2
    assert balance.friction[:-1].sum() == pytest.approx(gained, rel=1e-9)
    lost = mass * MU_G * (max(a - MU_G, 0.0) * end**2 / 2)
    assert contact_work(motion).sum() == pytest.approx(-lost, rel=1e-6, abs=1e-9)


@pytest.mark.interpreted
def test_worlds_of_a_batch_have_the_same_belt():
    world = accelerating(2.0)
    fast = world.standing()
    fast.v[0] = 0.1
    states = [world.standing(), fast]
    batch = st.simulate_batch(world, 2, SOLVERS[0], states=states, duration=5 * DT, dt=DT)
    for k, state in enumerate(states):
        single = st.simulate(world, SOLVERS[0], state=state, duration=5 * DT, dt=DT)
        np.testing.assert_array_equal(batch.q[k], single.q[-1])


# ----------------------------------------------------------------------------------------- tables

TABLE = belt_of([-1.0, 0.5, 2.0, 3.0], np.random.default_rng(1).normal(size=(4, 3)))


@pytest.mark.interpreted
def test_velocities_and_travel_in_kernels_are_those_in_numpy():
    for t in np.linspace(-3.0, 5.0, 81):
        np.testing.assert_allclose(belt_velocity(TABLE, t), velocities_at(TABLE, t), atol=1e-14)
        np.testing.assert_allclose(belt_travel(TABLE, t), travel_at(TABLE, t), atol=1e-14)


@pytest.mark.plain
def test_the_travel_is_the_integral_of_the_velocity():
    t = np.linspace(-3.0, 5.0, 8001)  # all corners of the table are among these times
    v = velocities_at(TABLE, t)
    steps = np.diff(t)[:, None] * (v[1:] + v[:-1]) / 2
    travel = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    np.testing.assert_allclose(travel_at(TABLE, t), travel - travel[3000], atol=1e-12)
    np.testing.assert_array_equal(travel_at(TABLE, 0.0), np.zeros(3))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"time": (0.0, 1.0)}, r"with 2 times, give \(2, 3\) finite numbers"),
        ({"time": (0.0, 1.0), "velocity": np.zeros((3, 3))}, r"with 2 times, give \(2, 3\)"),
        ({"time": (1.0, 0.0), "velocity": np.zeros((2, 3))}, "give up to .* ascending times in s"),
        ({"time": (0.0, np.nan), "velocity": np.zeros((2, 3))}, "ascending times in s"),
        ({"time": 1.0, "velocity": np.zeros((1, 3))}, "ascending times in s"),
        ({"time": None}, r"ascending times in s, or \(\) for a constant velocity"),
        ({"velocity": np.zeros((2, 3))}, "give 3 finite numbers in m/s"),
        ({"time": (0.0,), "velocity": [(0.0, 0.0, np.inf)]}, r"give \(1, 3\) finite"),
    ],
)
@pytest.mark.parametrize("kind", [st.Plane, lambda **more: st.Slope(0.1, **more)])
def test_a_table_that_does_not_fit_is_refused(kind, given, words):
    with pytest.raises(InputError, match=words):
        kind(**given)


@pytest.mark.plain
def test_a_belt_moves_along_the_ground():
    ground = st.Plane(velocity=((0.0, 0.0, 0.0), (0.0, 0.0, 0.1)), time=(0.0, 1.0))
    with pytest.raises(InputError, match="must be along the ground"):
        ground.bind()


@pytest.mark.plain
def test_a_constant_belt_looks_as_in_older_files():
    assert repr(st.Plane()) == "Plane(height=0.0, velocity=(0.0, 0.0, 0.0), material='ground')"
    assert "time" not in repr(st.Slope(0.1))
    assert "time=(0.0, 10.0)" in repr(accelerating(1.0).ground)


@pytest.mark.plain
def test_a_scene_file_has_the_table_of_a_belt(tmp_path):
    text = 'shows = "x"\nduration = 1\n[robot]\nmodel = "brick"\n[ground]\nkind = "plane"\n'
    table = "time = [0, 1]\nvelocity = [[0, 0, 0], [1, 0, 0]]\n"
    scene = parse_scene(text + table, tmp_path / "scene.toml")
    expected = st.Plane(velocity=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), time=(0.0, 1.0))
    assert scene.ground == expected
    with pytest.raises(SceneFileError, match="ascending times"):
        parse_scene(text + table.replace("[0, 1]", "[1, 0]"), tmp_path / "scene.toml")


@pytest.mark.plain
def test_other_engines_refuse_a_belt_whose_speed_varies():
    world = accelerating(1.0)
    task = Task(world, world.home(), 1e-3, 1, 0.5)
    with pytest.raises(InputError, match="varies over time; an engine without moving planes"):
        on_ground_at_rest(task)
