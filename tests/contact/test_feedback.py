"""Rengifo et al.'s contact by input-output linearisation, a test per equation or claim."""

import numpy as np
import pytest

import stiction as st
from contact.problems import plate, point_jacobians, thrown
from mechanisms import fewer, turned
from stiction.contact.feedback import saturate
from stiction.errors import StabilityWarning

pytestmark = pytest.mark.interpreted

UP = (0.0, 0.0, 1.0)
MU = 0.5
DT = 1e-4
G = 9.81


def ball_force(model, depth, speed, mass=1.0):
    """Normal force on a ball that is `depth` in the ground and rises at a speed."""
    world = st.World(st.robots.ball(mass=mass))
    state = world.standing(above=-depth)
    state.v[2] = speed
    return st.simulate(
        world, model, duration=DT, dt=DT, state=state, integrator=st.SemiImplicitEuler()
    ).force[0, 0, 2]


# ------------------------------------------------------------------------------------------- normal


@pytest.mark.parametrize(("depth", "speed"), [(1e-3, 0.0), (2e-3, -0.3), (2e-3, 0.3)])
def test_eq_3_4_the_ground_imposes_the_acceleration(depth, speed):
    k_p, k_v, m = 500.0, 250.0, 0.7
    model = st.Feedback(position_gain=k_p, velocity_gain=k_v, steady_depth=0.0)
    p_dd = k_p * depth - k_v * min(0.0, speed)
    assert ball_force(model, depth, speed, m) == pytest.approx(m * G + m * p_dd, rel=1e-9)


def test_at_impact_the_force_depends_on_the_velocity_gain_alone():
    model = st.Feedback(position_gain=2000.0, velocity_gain=300.0, steady_depth=0.0)
    assert ball_force(model, 1e-9, -2.0) == pytest.approx(G + 300.0 * 2.0, rel=1e-6)


def test_the_set_of_contacts_is_depth_not_exact_touch():
    """phi <= 0; with phi = 0, as printed, a point that has sunk in would be free."""
    assert ball_force(st.Feedback(), 1e-3, 0.0) > 0


@pytest.mark.jit
def test_the_steady_depth_is_zero_where_a_spring_would_have_m_g_over_k():
    world = st.World(st.robots.ball(mass=2.0))
    state = world.standing(above=-1e-4)
    soft = st.Feedback(position_gain=500.0, velocity_gain=250.0, steady_depth=0.0)
    motion = st.simulate(world, soft, duration=0.08, dt=DT, state=state)
    spring = st.SpringDamper(stiffness=2.0 * 500.0, damping=2.0 * 250.0)
    sunk = st.simulate(world, spring, duration=5.0, dt=DT, state=world.standing())
    # cos(omega t): with k_p alone it comes up through zero after a quarter of a period, 0.0702 s
    assert motion.q[710, 2] > 0.05 - 1e-6
    assert motion.force[100, 0, 2] == pytest.approx(2.0 * G, rel=0.01)
    assert sunk.depth[-2, 0] == pytest.approx(G / 500.0, rel=1e-3)


@pytest.mark.jit
def test_section_5_points_come_to_rest_at_the_steady_depth():
    world = st.World(st.robots.brick())
    model = st.Feedback(position_gain=1e4, velocity_gain=500.0, steady_depth=1e-3)
    motion = st.simulate(world, model, duration=3.0, dt=DT, state=world.standing(above=0.01))
    low = motion.depth[-2] > 0
    assert low.sum() == 4
    assert np.allclose(motion.depth[-2, low], 1e-3, rtol=1e-3)
    assert motion.force[-2].sum(axis=0)[2] == pytest.approx(2.0 * G, rel=1e-3)


@pytest.mark.jit
def test_section_5_a_steady_depth_ends_false_impacts():
    """A brick that is pressed down and released ten times: with epsilon it never leaves."""
    world = st.World(st.robots.brick())
    forces = [
        st.Push(
            "brick", (0.0, 0.0, 0.0), (0.0, 0.0, -4.0), start=0.5 + 0.1 * k, stop=0.55 + 0.1 * k
        )
        for k in range(10)
    ]
    losses = {}
    for depth in (0.0, 1e-3):
        model = st.Feedback(position_gain=500.0, velocity_gain=250.0, steady_depth=depth)
        state = world.standing(above=-depth)
        motion = st.simulate(world, model, duration=1.6, dt=DT, state=state, forces=forces)
        normal = motion.force[3000:-1, :, 2].sum(axis=1)
        losses[depth] = int(((normal[1:] == 0) & (normal[:-1] > 0)).sum())
    assert losses[0.0] >= 10
    assert losses[1e-3] == 0


@pytest.mark.jit
@pytest.mark.parametrize("mass", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3])
def test_gains_do_not_depend_on_the_mass_over_six_decades(mass):
    motions = []
    for m in (1.0, mass):
        world = st.World(st.robots.ball(mass=m))
        state = world.standing(above=0.01)
        motions.append(st.simulate(world, st.Feedback(), duration=0.3, dt=DT, state=state))
    ours, theirs = motions
    assert np.allclose(ours.q, theirs.q, rtol=0, atol=1e-12)
    assert np.allclose(theirs.force[:-1] / mass, ours.force[:-1], rtol=1e-9, atol=1e-9)


def rebound(k_p, k_v):
    """Rebound speed of a ball that comes down at 1 m/s without gravity."""
    world = st.World(st.robots.ball(), gravity=(0.0, 0.0, 0.0))
    model = st.Feedback(position_gain=k_p, velocity_gain=k_v, steady_depth=0.0)
    state = world.standing()
    state.v[2] = -1.0
    dt = 0.002 / k_v
    time = min(20.0 / k_v + np.pi / np.sqrt(k_p), 60000 * dt)
    motion = st.simulate(
        world, model, duration=time, dt=dt, state=state, integrator=st.RungeKutta4()
    )
    return motion.v[-1, 2]


def analytic_rebound(k_p, k_v):
    """Sink with damping k_v, come up without: sqrt(k_p) times the greatest depth."""
    a = k_v / 2
    root = np.sqrt(a * a - k_p + 0j)
    r1, r2 = -a + root, -a - root
    time = np.log(r2 / r1) / (r1 - r2)
    depth = (np.exp(r1 * time) - np.exp(r2 * time)) / (r1 - r2)
    return float(np.sqrt(k_p) * depth.real)


@pytest.mark.jit
def test_restitution_depends_on_k_p_over_k_v_squared():
    """The paper says k_p / k_v; 500 / 250 and 2000 / 500 differ in that and rebound alike."""
    first, second = rebound(500.0, 250.0), rebound(2000.0, 500.0)
    assert first == pytest.approx(analytic_rebound(500.0, 250.0), rel=0.01)
    assert first == pytest.approx(0.086, abs=0.001)
    assert second == pytest.approx(first, rel=1e-3)


@pytest.mark.jit
def test_without_a_spring_the_depth_stays_at_v_over_k_v():
    """Fig. 4, dashed line: k_p = 0, k_v = 5000; a step as short as that gain needs."""
    world = st.World(st.robots.ball())
    state = world.standing()
    state.v[2] = -1.0
    model = st.Feedback(position_gain=0.0, velocity_gain=5000.0, steady_depth=0.0)
    motion = st.simulate(
        world, model, duration=0.02, dt=1e-5, state=state, integrator=st.RungeKutta4()
    )
    assert motion.depth[-2, 0] == pytest.approx(1.0 / 5000.0, rel=0.02)


# ----------------------------------------------------------------------------------------- friction


@pytest.mark.parametrize("uphill", [False, True])
def test_eq_9_a_brick_on_a_ramp_sticks_below_a_speed_that_depends_on_the_way(uphill):
    """Downhill (g / k_v) (mu cos - sin), uphill (g / k_v) (mu cos + sin); printed is one for both.

    The brick is as flat as a sheet, so that friction does not tip it.
    """
    angle, mu, k_v = 0.3, 0.6, 250.0
    slope = st.Slope(angle, 0.0)
    up = np.array([np.cos(angle), 0.0, np.sin(angle)])
    assert up @ slope.normal() == pytest.approx(0.0, abs=1e-15)
    way = up if uphill else -up
    v_s = G / k_v * (mu * np.cos(angle) + way[2] / abs(way[2]) * np.sin(angle))
    sheet = st.robots.box((0.2, 0.1, 2e-5), 2.0).at((0.0, 0.0, 0.0), turned((0, -1, 0), angle))
    world = st.World(sheet, ground=slope)
    model = st.Feedback(velocity_gain=k_v, mu_kinetic=mu, steady_depth=0.0)
    ratios = []
    for speed in (0.98 * v_s, 1.02 * v_s):
        state = world.standing(above=-1e-6)
        state.v[:3] = speed * way
        force = st.simulate(world, model, duration=DT, dt=DT, state=state).force[0].sum(axis=0)
        normal = force @ slope.normal()
        ratios.append(np.linalg.norm(force - normal * slope.normal()) / normal)
    assert ratios[0] == pytest.approx(
        0.98 * mu + 0.02 * abs(np.tan(angle)) * (-1) ** uphill, rel=1e-2
    )
    assert ratios[1] == pytest.approx(mu, rel=1e-9)


def test_eq_20_a_force_inside_the_cone_keeps_its_direction():
    """As printed, (1, -1, 20) becomes (1, +7.07, 20): sin(theta) needs its absolute value."""
    inside = (1.0, -1.0, 20.0)
    assert np.allclose(saturate(inside, UP, MU), inside, rtol=1e-15)
    theta = np.arctan(-1.0)
    printed = np.sign(-1.0) * min(1.0, MU * 20.0 * np.sin(theta))
    assert printed == pytest.approx(7.07, abs=0.01)


@pytest.mark.parametrize("heading", np.linspace(0.0, 6.0, 7))
def test_eq_19_20_a_force_outside_is_cut_off_in_its_direction(heading):
    along = np.array([np.cos(heading), np.sin(heading)])
    cut = np.array(saturate((30.0 * along[0], 30.0 * along[1], 20.0), UP, MU))
    assert np.allclose(cut, [*(MU * 20.0 * along), 20.0], rtol=1e-12)
    assert (np.array(saturate((3.0, 0.0, -1.0), UP, MU)) == 0.0).all()


# --------------------------------------------------------------------------------- the whole system


def test_eq_15_to_18_unsaturated_accelerations_are_those_wanted():
    """A tripod that spins and turns in the ground, with friction without bounds."""
    world, rng = st.World(plate(3)), np.random.default_rng(5)
    model = st.Feedback(mu_kinetic=1e9, steady_depth=0.0)
    checked = 0
    for _ in range(fewer(20, 3)):
        state = thrown(world, rng, tilt=0.01, speed=0.2, sinking=0.3, spin=0.5, above=-3e-3)
        motion = st.simulate(world, model, duration=1e-6, dt=1e-6, state=state)
        p = motion.force[0]
        J, gap = point_jacobians(world, state.q)
        low = gap < 0
        if not (p[low, 2] > 0).all():
            continue
        a = (motion.v[1] - motion.v[0]) / 1e-6
        v, later = J[low] @ state.v, point_jacobians(world, motion.q[1])[0][low]
        wanted = np.column_stack(
            [-250.0 * v[:, :2], 500.0 * -gap[low] - 250.0 * np.minimum(v[:, 2], 0)]
        )
        # a rigid tripod has six accelerations for nine wanted: least squares
        P = J[low].reshape(-1, world.nv)
        best = P @ np.linalg.lstsq(P, (wanted - (later - J[low]) @ state.v / 1e-6).ravel())[0]
        assert np.allclose(
            J[low] @ a, best.reshape(-1, 3), rtol=0, atol=1e-3 * np.abs(wanted).max()
        )
        checked += 1
    assert checked > 0


@pytest.mark.parametrize("points", [4, 8, 16])
def test_eq_18_takes_the_forces_of_least_norm(points):
    world = st.World(plate(points))
    state = world.standing(above=-1e-3)
    motion = st.simulate(world, st.Feedback(steady_depth=1e-3), duration=DT, dt=DT, state=state)
    normal = motion.force[0, :, 2]
    pressed = normal > 1e-9
    assert pressed.sum() == points
    assert np.allclose(normal[pressed], 2.0 * G / points, rtol=1e-9)


@pytest.mark.jit
@pytest.mark.parametrize(("held", "order"), [(0.0, 4), (1.0, 1)])
def test_it_is_solved_anew_in_every_stage_unless_held(held, order):
    """A ball that stays in the ground: fourth order with RungeKutta4, first if forces are held."""
    world = st.World(st.robots.ball())
    model = st.Feedback(position_gain=400.0, velocity_gain=20.0, steady_depth=0.0, held=held)
    state = world.standing(above=-0.02)
    state.v[2] = -0.3
    ends = []
    for dt in (4e-3, 2e-3, 1e-3):
        motion = st.simulate(
            world, model, duration=0.008, dt=dt, state=state, integrator=st.RungeKutta4()
        )
        ends.append(motion.q[-1, 2])
    found = np.log2(abs(ends[0] - ends[1]) / abs(ends[1] - ends[2]))
    assert found == pytest.approx(order, abs=0.35)


def test_gains_may_differ_by_pair_of_materials():
    hard = {("ground", "default"): {"position_gain": 2000.0}}
    world = st.World(st.robots.ball(mass=1.0), materials=hard)
    motion = st.simulate(
        world, st.Feedback(steady_depth=0.0), duration=DT, dt=DT, state=world.standing(above=-1e-3)
    )
    assert motion.force[0, 0, 2] == pytest.approx(G + 2.0, rel=1e-9)


def test_a_step_too_long_for_the_gains_warns_with_numbers():
    world = st.World(st.robots.ball())
    with pytest.warns(StabilityWarning, match="stable only up to 0.0002"):
        st.simulate(world, st.Feedback(position_gain=1.0, velocity_gain=5000.0), duration=1e-3)
