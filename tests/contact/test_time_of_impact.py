"""Impacts between two moving bodies, at their own time within a step: closed forms, no gravity."""

from functools import partial

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer, turned

pytestmark = pytest.mark.interpreted
DT = 1e-3  # [s]
MOMENT = 1e-6 * DT  # how long an impact lasts
SOLVERS = {
    "Coulomb": st.Coulomb,
    "GaussSeidel": st.GaussSeidel,
    "Eq. (5) of its paper": partial(st.GaussSeidel, lcp_impacts=1.0),
    "FacetedLCP": st.FacetedLCP,
}
INTEGRATORS = (st.Midpoint(), st.Leapfrog(), st.SemiImplicitEuler(), st.RungeKutta4())


def collide(bodies, model, steps, scenery=(), integrator=INTEGRATORS[0]):
    """Simulate bodies, each given with its position, velocity and perhaps spin, in free flight."""
    robots = [one[0] for one in bodies]
    world = st.World(*robots, scenery=list(scenery), ground=None, gravity=(0, 0, 0))
    state = world.home()
    for k, (_, position, velocity, *spin) in enumerate(bodies):
        state.q[7 * k : 7 * k + 7] = [*position, 1, 0, 0, 0]
        state.v[6 * k : 6 * k + 6] = [*velocity, *(spin[0] if spin else (0, 0, 0))]
    options = {"duration": steps * DT, "dt": DT, "state": state, "integrator": integrator}
    return st.simulate(world, model, **options)


def bent(time, first, before, impact, after):
    """Coordinate of a body that has one impact: before and after it at constant velocity."""
    return np.where(
        time < impact,
        first + before * time,
        first + before * impact + after * (time - impact),
    )


def conserved(motion):
    """Momentum to rounding; arms move by nanometres within the moment that an impact takes."""
    momentum, energy = motion.momentum(), motion.energy().total
    size = max(np.abs(momentum.linear).max(), 1e-3)
    assert np.abs(momentum.linear - momentum.linear[0]).max() <= 1e-14 * size
    assert np.abs(momentum.angular - momentum.angular[0]).max() <= 1e-10
    assert np.diff(energy).max() <= 1e-12 * energy[0]
    assert motion.unsolved.count == 0


@pytest.mark.parametrize("kind", SOLVERS.values(), ids=SOLVERS)
def test_equal_balls_exchange_their_velocities(kind):
    """Restitution 1; they meet within the fifth step, at a time that no step ends at."""
    ball, gap = st.robots.ball(radius=0.05), 0.0123
    bodies = [(ball, (0, 0, 0), (2.0, 0, 0)), (ball, (0.1 + gap, 0, 0), (-0.7, 0, 0))]
    motion = collide(bodies, kind(restitution=1.0), 10)
    impact = gap / 2.7
    assert motion.v[-1, [0, 6]] == pytest.approx([-0.7, 2.0], abs=1e-9)
    expected = bent(motion.time, 0.0, 2.0, impact, -0.7)
    assert np.abs(motion.q[:, 0] - expected).max() <= 4 * 2.7 * MOMENT
    conserved(motion)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_unequal_balls_part_with_restitution_times_their_approach(restitution, integrator):
    """v = (m v + M V -+ e M (v - V)) / (m + M), in any direction."""
    small, large = st.robots.ball(radius=0.02, mass=0.1), st.robots.ball(radius=0.05, mass=1.5)
    n = np.array([2.0, -1.0, 2.0]) / 3
    v, V, gap = 3.0, -1.0, 0.0097
    bodies = [(small, 0 * n, v * n), (large, (0.07 + gap) * n, V * n)]
    motion = collide(bodies, st.Coulomb(restitution=restitution), 6, integrator=integrator)
    m, M = 0.1, 1.5
    mean = (m * v + M * V) / (m + M)
    after = mean - restitution * M * (v - V) / (m + M), mean + restitution * m * (v - V) / (m + M)
    assert np.allclose(motion.v[-1, :3], after[0] * n, atol=1e-9)
    assert np.allclose(motion.v[-1, 6:9], after[1] * n, atol=1e-9)
    if restitution > 0:  # without, some integrators stop bodies over a step and not at its impact
        expected = bent(motion.time, 0.0, v, gap / (v - V), after[0])
        assert np.abs(motion.q[:, :3] @ n - expected).max() <= 20 * (v - V) * MOMENT
    conserved(motion)


@pytest.mark.parametrize("kind", SOLVERS.values(), ids=SOLVERS)
def test_boxes_that_meet_face_to_face_bounce_on_four_points(kind):
    box, gap = st.robots.box((0.1, 0.1, 0.1), 2.0), 0.0011
    bodies = [(box, (0, 0, 0), (0, 0, 0.5)), (box, (0, 0, 0.1 + gap), (0, 0, -0.5))]
    motion = collide(bodies, kind(restitution=0.6), 4)
    assert motion.v[-1, [2, 8]] == pytest.approx([-0.3, 0.3], abs=1e-9)
    expected = bent(motion.time, 0.0, 0.5, gap, -0.3)
    assert np.abs(motion.q[:, 2] - expected).max() <= 4 * MOMENT
    assert np.abs(motion.v[-1, [3, 4, 5, 9, 10, 11]]).max() <= 1e-8
    conserved(motion)


def test_boxes_that_collide_turning_gain_no_energy():
    """Corners, edges and faces, with friction, at speeds that cross a box within a step."""
    rng, met = np.random.default_rng(1), 0
    box = st.robots.box((0.04, 0.06, 0.03), 0.7)
    for _ in range(fewer(40, 8)):
        model = st.Coulomb(restitution=rng.choice([0.3, 0.8, 1.0]))
        speed = rng.choice([1.0, 20.0])
        velocity = speed * np.array([*rng.uniform(-0.1, 0.1, 2), -1.0])
        spins = rng.uniform(-30, 30, (2, 3))
        other = box.at((0, 0, 0), turned(rng.normal(size=3), 1.0))
        place = (*rng.uniform(-0.01, 0.01, 2), 0.0751)
        bodies = [(box, (0, 0, 0), (0, 0, 0), spins[0]), (other, place, velocity, spins[1])]
        motion = collide(bodies, model, int(0.04 / speed / DT) + 4)
        energy, momentum = motion.energy().total, motion.momentum()
        assert energy.max() <= energy[0] * (1 + 1e-9)  # that of solutions, relative
        assert np.abs(momentum.linear - momentum.linear[0]).max() <= 1e-12
        met += np.nanmax(np.abs(motion.force_between(*(r.name for r in motion.world.robots)))) > 0
    assert met >= fewer(30, 6)


# -------------------------------------------------------------------------------- fast and thin


@pytest.mark.parametrize("radius", [0.1, 0.02, 0.005])
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_a_ball_at_50_m_s_bounces_off_a_plate_of_1_cm(radius, integrator):
    """5 cm a step: half a step ahead, the smallest ball is often on the other side of the plate."""
    ball, plate = st.robots.ball(radius=radius), st.robots.plate((1.0, 1.0, 0.01))
    for gap in np.linspace(0.05, 0.10, 6) + 1e-4:
        first = radius + 0.005 + gap
        bodies = [(ball, (0.01, 0.02, first), (0, 0, -50.0))]
        model = st.Coulomb(restitution=0.5)
        motion = collide(bodies, model, 6, [plate], integrator)
        expected = bent(motion.time, first, -50.0, gap / 50.0, 25.0)
        assert np.abs(motion.q[:, 2] - expected).max() <= 4 * 75 * MOMENT
        assert motion.v[-1, 2] == pytest.approx(25.0, abs=1e-9)


@pytest.mark.parametrize("gap", [0.004, 0.017, 0.034, 0.047])
def test_a_ball_without_restitution_stops_at_the_plate_also_in_the_first_step(gap):
    ball, plate = st.robots.ball(radius=0.005), st.robots.plate((1.0, 1.0, 0.01))
    motion = collide([(ball, (0, 0, 0.01 + gap), (0, 0, -50.0))], st.Coulomb(), 3, [plate])
    assert motion.q[-1, 2] == pytest.approx(0.01, abs=100 * MOMENT)
    assert np.abs(motion.v[-1]).max() <= 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_ball_that_hits_a_plate_aslant_stays_above_it(restitution):
    """Friction makes it spin at thousands of rad/s; its normal velocity does not depend on that."""
    ball, plate = st.robots.ball(radius=0.005), st.robots.plate((1.0, 1.0, 0.01))
    rng = np.random.default_rng(4)
    for _ in range(fewer(40, 10)):
        direction = rng.normal(size=3)
        direction[2] = -abs(direction[2]) - 0.5
        velocity = 50.0 * direction / np.linalg.norm(direction)
        gap = rng.uniform(0.01, 0.06)
        bodies = [(ball, (0, 0, 0.01 + gap), velocity, (3.0, 4.0, 5.0))]
        motion = collide(bodies, st.Coulomb(restitution=restitution), 6, [plate])
        after = -restitution * velocity[2]
        expected = bent(motion.time, 0.01 + gap, velocity[2], -gap / velocity[2], after)
        # 2e-6 of the velocity may remain of the spin that it gains in the moment of the impact
        assert np.abs(motion.q[:, 2] - expected).max() <= 1e-6
        energy = motion.energy().kinetic
        assert energy.max() <= energy[0] * (1 + 1e-12)


def test_a_plate_that_moves_at_50_m_s_does_not_jump_over_a_ball():
    """Restitution 1 from a plate 100 times as heavy: almost twice its speed."""
    ball, plate = st.robots.ball(radius=0.005, mass=0.05), st.robots.box((0.5, 0.5, 0.01), 5.0)
    for gap in np.linspace(0.05, 0.10, fewer(20, 5)) + 1e-4:
        bodies = [(ball, (0, 0, 0), (0, 0, 0)), (plate, (0, 0, 0.01 + gap), (0, 0, -50.0))]
        motion = collide(bodies, st.Coulomb(restitution=1.0), 6)
        after = -100.0 * 5.0 / 5.05
        expected = bent(motion.time, 0.0, 0.0, gap / 50.0, after)
        assert np.abs(motion.q[:, 2] - expected).max() <= 8 * 100 * MOMENT
        conserved(motion)


def test_a_fast_ball_that_misses_a_plate_is_not_held_up():
    """It passes the edge at a distance of 1 mm; its nearest point at the start is the edge."""
    ball, plate = st.robots.ball(radius=0.005), st.robots.plate((0.2, 0.2, 0.01))
    for height in np.linspace(0.03, 0.08, fewer(20, 5)):
        bodies = [(ball, (0.1 + 0.006, 0.0, height), (0, 0, -50.0))]
        motion = collide(bodies, st.Coulomb(restitution=0.5), 4, [plate])
        assert motion.v[-1, :3] == pytest.approx([0, 0, -50.0], abs=1e-12)


def test_a_ball_that_is_hit_bounces_off_what_it_could_not_reach_before():
    """The first hands its velocity over; the second reaches the plate within the same step."""
    ball, plate = st.robots.ball(radius=0.005), st.robots.plate((1.0, 1.0, 0.01))
    bodies = [(ball, (0, 0, 0.028), (0, 0, 0)), (ball, (0, 0, 0.048), (0, 0, -50.0))]
    motion = collide(bodies, st.Coulomb(restitution=1.0), 1, [plate])
    # 0.2 ms to the first impact, 0.36 ms to the plate and back: it hits the first ball again
    assert motion.v[-1, [2, 8]] == pytest.approx([0.0, 50.0], abs=1e-9)
    assert motion.q[-1, [2, 9]] == pytest.approx([0.028, 0.042], abs=20 * 50 * MOMENT)
