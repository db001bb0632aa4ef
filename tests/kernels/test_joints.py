"""Joint friction and stops: exact, and consistent on whole robots."""

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, fewer, pendulum, slider

pytestmark = pytest.mark.interpreted

INTEGRATORS = [st.Midpoint(), st.SemiImplicitEuler(), st.Leapfrog(), st.RungeKutta4()]


def names(value):
    return type(value).__name__


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
def test_a_sliding_block_decelerates_by_its_friction_and_then_rests_exactly(integrator):
    world = st.World(slider(mass=2.0, friction=3.0))
    motion = st.simulate(
        world,
        contact=None,
        duration=1.5,
        dt=0.01,
        state=st.State([0.0], [1.5]),
        integrator=integrator,
    )
    stop = 1.5 / (3.0 / 2.0)
    moving = motion.time < stop - 0.011
    assert np.allclose(motion.v[moving, 0], 1.5 - 1.5 * motion.time[moving], atol=1e-12)
    assert (motion.v[motion.time > stop + 0.011] == 0.0).all()
    if not isinstance(integrator, st.SemiImplicitEuler):
        assert abs(motion.q[-1, 0] - 1.5**2 / (2 * 1.5)) < 1e-12  # v^2 / (2 F / m)


@pytest.mark.parametrize("force", [2.999, -2.999])
def test_friction_holds_against_a_smaller_force_without_creeping(force):
    world = st.World(slider(mass=2.0, friction=3.0))
    motion = st.simulate(world, contact=None, duration=2.0, dt=0.01, controller=st.Torques([force]))
    assert (motion.q == 0.0).all() and (motion.v == 0.0).all()
    assert np.allclose(motion.passive[:-1, 0], -force)


@pytest.mark.parametrize("force", [3.5, -3.5])
def test_a_larger_force_breaks_away_with_the_difference(force):
    world = st.World(slider(mass=2.0, friction=3.0))
    motion = st.simulate(world, contact=None, duration=1.0, dt=0.01, controller=st.Torques([force]))
    assert np.allclose(motion.v[:, 0], np.sign(force) * 0.25 * motion.time, atol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
def test_a_pendulum_falls_onto_its_stop_and_stays_there(integrator):
    world = st.World(pendulum(lower=-0.3, upper=0.4))
    motion = st.simulate(
        world,
        contact=None,
        duration=2.0,
        dt=0.002,
        state=st.State([0.39], [3.0]),
        integrator=integrator,
    )
    overshoot = 0.0 if isinstance(integrator, st.SemiImplicitEuler) else 0.002 * 3.0 / 2
    assert motion.q.max() <= 0.4 + overshoot + 1e-12  # half a step at the speed of arrival
    assert motion.q.min() >= -0.3 - overshoot - 1e-12
    energy = motion.energy().total
    assert energy.max() <= energy[0] * (1 + 1e-9) + 2e-3  # stops are inelastic; Euler's own error


def test_a_joint_pressed_against_its_stop_feels_the_stop_force():
    length, mass = 0.5, 1.2
    world = st.World(pendulum(length, mass, lower=0.2, upper=1.0))
    motion = st.simulate(world, contact=None, duration=1.0, dt=0.002, state=st.State([0.2], [0.0]))
    assert np.allclose(motion.q[:, 0], 0.2, atol=1e-15)
    assert np.allclose(motion.passive[:-1, 0], mass * 9.81 * length * np.sin(0.2), rtol=1e-12)


def test_a_violated_limit_is_left_slowly_and_without_a_bounce():
    world = st.World(slider(lower=0.0, upper=1.0), gravity=(0, 0, 0))
    motion = st.simulate(
        world, contact=None, duration=1.0, dt=0.001, state=st.State([-0.05], [0.0])
    )
    assert motion.v.max() <= 0.5 + 1e-12
    assert (np.diff(motion.q[:, 0]) >= 0).all() and -1e-3 < motion.q[-1, 0] < 0.5


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()], ids=names)
def test_friction_and_stops_obey_their_laws_in_every_step_of_a_thrashing_chain(integrator, method):
    """Coulomb: |f| <= F, f = -F sign(v) where sliding; Signorini: stops push, only at the limit."""
    friction, limit = 0.4, 1.2
    robot = chain(8, friction=friction, lower=-limit, upper=limit, armature=0.01)
    world = st.World(robot)
    rng = np.random.default_rng(5)
    dt = 0.002
    motion = st.simulate(
        world,
        contact=None,
        duration=fewer(600, 40) * dt,
        dt=dt,
        state=st.State(rng.uniform(-1, 1, 8), rng.normal(size=8) * 8),
        integrator=integrator,
        method=method,
    )
    v_next, f = motion.v[1:], motion.passive[:-1]
    near_stop = np.abs(motion.q[:-1] + dt * motion.v[:-1]) > limit - 0.05
    apart = ~near_stop
    assert apart.sum() > 0.3 * apart.size
    assert (np.abs(f[apart]) <= friction * (1 + 1e-9)).all()
    sliding = apart & (
        np.abs(v_next) > (1e-9 if isinstance(integrator, st.SemiImplicitEuler) else 0.05)
    )
    assert np.allclose(f[sliding], -friction * np.sign(v_next[sliding]), rtol=1e-9)
    inward = -np.sign(motion.q[:-1][near_stop]) * f[near_stop]
    assert (inward >= -friction * (1 + 1e-9)).all()


def test_a_step_with_stuck_joints_needs_no_more_than_the_same_motion_prescribed():
    """Two ways to the same accelerations: stuck by friction, and held by prescription."""
    world = st.World(chain(4, friction=100.0))
    held = st.World(chain(4))
    q = np.array([0.3, -0.2, 0.5, 0.1])
    stuck = st.simulate(
        world, contact=None, duration=0.002, dt=0.001, state=st.State(q, np.zeros(4))
    )
    still = st.Prescribed(st.Reference([0.0, 1.0], np.tile(q, (2, 1))))
    prescribed = st.simulate(
        held,
        contact=None,
        duration=0.002,
        dt=0.001,
        state=st.State(q, np.zeros(4)),
        controller=still,
    )
    assert np.allclose(stuck.passive[0], prescribed.torque[0], rtol=1e-12)
    assert np.allclose(
        prescribed.torque[0], st.mechanics.bias_force(held, q, np.zeros(4)), rtol=1e-12
    )


@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()], ids=names)
def test_hard_steps_end_at_the_minimum_that_friction_and_stops_define(method):
    """Conditions of the strictly convex problem, sufficient for its only minimum.

    Twenty light links near their stops at a step of 20 ms: pivoting alone does not end here.
    """
    friction, limit, dt = 0.05, 0.3, 0.02
    world = st.World(chain(20, friction=friction, lower=-limit, upper=limit))
    rng = np.random.default_rng(11)
    for _ in range(fewer(150, 2)):
        q = rng.uniform(-limit, limit, 20)
        v = rng.normal(size=20) * 10 ** rng.uniform(-3, 1.5) * (rng.random(20) > 0.3)
        torque = rng.normal(size=20) * 10 ** rng.uniform(-2, 1)
        simulation = st.Simulation(
            world,
            contact=None,
            dt=dt,
            state=st.State(q, v),
            method=method,
            integrator=st.SemiImplicitEuler(),  # its forces act at q and v
        )
        simulation.step(torque)
        v_next, f = simulation.state.v, simulation.passive
        free = v + dt * st.mechanics.forward_dynamics(world, q, v, torque)
        H = st.mechanics.inertia(world, q)
        scale = np.abs(H @ (v_next - free)).max() + dt * friction
        assert np.abs(H @ (v_next - free) - dt * f).max() < 1e-9 * scale  # the equation of motion
        slowest, fastest = (-limit - q) / dt, (limit - q) / dt
        rounding = 1e-8 * (1 + np.abs(v))
        assert (v_next >= slowest - rounding).all() and (v_next <= fastest + rounding).all()
        between = (v_next > slowest + rounding) & (v_next < fastest - rounding)
        moving = between & (np.abs(v_next) > rounding)
        assert np.allclose(f[moving], -friction * np.sign(v_next[moving]), rtol=1e-8)
        assert (np.abs(f[between]) <= friction * (1 + 1e-8)).all()
        at_lower, at_upper = ~between & (v_next < slowest + rounding), v_next > fastest - rounding
        assert (f[at_lower] >= -friction * np.sign(v_next[at_lower]) - 1e-8 * scale / dt).all()
        assert (f[at_upper] <= -friction * np.sign(v_next[at_upper]) + 1e-8 * scale / dt).all()


def test_a_joint_stuck_beyond_its_stop_is_pushed_back():
    world = st.World(slider(lower=0.0, upper=1.0, friction=50.0), gravity=(0, 0, 0))
    motion = st.simulate(
        world, contact=None, duration=0.5, dt=0.001, state=st.State([-0.01], [0.0])
    )
    assert motion.q[-1, 0] > -1e-4
