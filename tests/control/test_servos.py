"""Servos with limits: their law holds at the velocity that comes out of the step."""

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, fewer, pendulum
from stiction.world import mechanics

pytestmark = pytest.mark.interpreted

EULER = st.SemiImplicitEuler()
INERTIA = 1.2 * 0.5**2  # of the pendulum [kg m2]


@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()])
@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("damping", [0.05, 1.0, 300.0])
def test_the_law_of_a_servo_holds_at_the_end_of_the_step(damping, friction, method):
    """Torque = limits of (stiffness (q_ref - q) - damping v_next) and H a + b = torque + friction.

    Semi-implicit Euler takes damping at v_next, wherever the servo is between its limits.
    """
    world, rng, limit = st.World(chain(5, friction=friction)), np.random.default_rng(4), 2.0
    within, most, least = 0, 0, 0
    for _ in range(fewer(40, 3)):
        state = st.State(rng.uniform(-1, 1, 5), rng.normal(size=5) * 5)
        still = st.Reference([0.0, 1.0], np.tile(rng.uniform(-1, 1, 5), (2, 1)))
        control = st.PDTracking(still, 5.0, damping, limits=limit)
        motion = st.simulate(
            world,
            None,
            duration=0.01,
            dt=1e-3,
            state=state,
            controller=control,
            integrator=EULER,
            method=method,
        )
        asked = 5.0 * (still.q[0] - motion.q[:-1]) - damping * motion.v[1:]
        assert motion.torque[:-1] == pytest.approx(np.clip(asked, -limit, limit), abs=1e-9)
        for k in range(10):
            a = (motion.v[k + 1] - motion.v[k]) / 1e-3
            needed = mechanics.inverse_dynamics(world, motion.q[k], motion.v[k], a)
            assert needed == pytest.approx(motion.torque[k] + motion.passive[k], abs=1e-9)
        within += (abs(asked) < limit).sum()
        most += (asked > limit).sum()
        least += (asked < -limit).sum()
    assert min(within, most, least) > 0, "every case was met"


@pytest.mark.parametrize("integrator", [st.Midpoint(), EULER, st.Leapfrog()])
def test_a_strong_servo_brakes_at_its_limit_and_then_rests(integrator):
    """v falls by limit dt / inertia in every step, then at once to rest: 500 N m s on 0.3 kg m2."""
    world = st.World(pendulum(), gravity=(0, 0, 0))
    brake = st.PDTracking(st.Reference([0.0, 1.0], [[0.0], [0.0]]), 0.0, 500.0, limits=19.0)
    motion = st.simulate(
        world,
        None,
        duration=0.05,
        dt=1e-3,
        state=st.State([0.0], [1.0]),
        controller=brake,
        integrator=integrator,
    )
    fall = 19.0 * 1e-3 / INERTIA
    braked = int(1.0 / fall)  # steps at the limit; the next would turn the joint round
    assert motion.v[: braked + 1, 0] == pytest.approx(1 - fall * np.arange(braked + 1), abs=1e-9)
    assert motion.torque[:braked, 0] == pytest.approx(-19.0, abs=1e-9)
    assert (abs(motion.torque[braked:-1, 0]) <= 19.0).all()
    rest = abs(motion.v[braked + 1 :, 0])  # by 0.3 / 0.8 a step (Euler), 1 - 0.5 / 0.55 (midpoint)
    assert (rest < 0.4 * fall * 0.4 ** np.arange(len(rest))).all()


def test_what_a_servo_gives_explains_the_change_of_energy():
    """The recorded torque is the one that acted, so its work is all of the kinetic energy."""
    world = st.World(chain(4), gravity=(0, 0, 0))
    still = st.Reference([0.0, 1.0], np.zeros((2, 4)))
    control = st.PDTracking(still, 0.0, 3.0, limits=2.0)
    state = st.State(np.zeros(4), [1.0, -2.0, 3.0, -1.0])
    motion = st.simulate(world, None, duration=0.2, dt=1e-3, state=state, controller=control)
    balance = st.metrics.energy_balance(motion)
    begin = motion.energy().total[0]
    assert abs(np.nansum(balance.remainder)) < 1e-4 * begin  # of the integrator, second order
    assert np.nansum(balance.torque) < -0.8 * begin


def test_two_servos_on_a_joint_keep_to_their_own_limits():
    world = st.World(pendulum(), gravity=(0, 0, 0))
    far = st.Reference([0.0, 1.0], [[3.0], [3.0]])
    both = (st.PDTracking(far, 100.0, 1.0, limits=2.0), st.PDTracking(far, 100.0, 1.0, limits=0.5))
    motion = st.simulate(world, None, duration=0.01, dt=1e-3, controller=both)
    assert motion.torque[:-1] == pytest.approx(2.5, abs=1e-12)


def test_explicit_integrators_take_the_limit_at_the_present_velocity():
    world = st.World(pendulum(), gravity=(0, 0, 0))
    brake = st.PDTracking(st.Reference([0.0, 1.0], [[0.0], [0.0]]), 0.0, 1.0, limits=0.5)
    for v, torque in ((0.4, -0.4), (2.0, -0.5), (-2.0, 0.5)):
        motion = st.simulate(
            world,
            None,
            duration=1e-3,
            dt=1e-3,
            state=st.State([0.0], [v]),
            controller=brake,
            integrator=st.RungeKutta4(),
        )
        assert motion.torque[0, 0] == pytest.approx(torque, abs=1e-12)


def test_a_saturated_ankle_in_flight_brakes_and_is_not_driven_back():
    """500 N m s on the light foot of biped14: clipped by the old velocity, torques alternate."""
    world = st.World(st.robots.biped14(), ground=None)
    state, ankle = world.home(), world.nv - 1
    state.v[ankle] = 1.0
    still = st.Reference([0.0, 1.0], np.tile(state.q, (2, 1)))
    control = st.PDTracking(still, 0.0, 500.0, limits=5.0)
    motion = st.simulate(world, duration=0.02, dt=1e-3, state=state, controller=control)
    assert (abs(motion.torque[:-1, 6:]) <= 5.0 + 1e-9).all()
    assert (motion.torque[:-1, ankle] < 1e-6).all()
