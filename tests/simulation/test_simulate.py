"""simulate and Simulation: what is recorded, pushes, saving and restoring, progress."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, fewer, slider
from stiction.errors import DivergenceError

INTEGRATORS = [st.SemiImplicitEuler(), st.Leapfrog(), st.RungeKutta4()]


def names(value):
    return type(value).__name__


def thrashing() -> tuple[st.World, st.State]:
    world = st.World(chain(4, friction=0.2, lower=-1.0, upper=1.0))
    return world, st.State([0.5, -0.5, 0.9, 0.0], [4.0, -6.0, 8.0, 2.0])


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
def test_a_restored_simulation_continues_bitwise(integrator):
    world, state = thrashing()
    simulation = st.Simulation(world, contact=None, dt=0.001, state=state, integrator=integrator)
    simulation.step(n=fewer(100, 10))
    saved = simulation.save_state()
    simulation.step(n=fewer(200, 10))
    first = simulation.state
    simulation.restore_state(saved)
    simulation.step(n=fewer(200, 10))
    assert (simulation.state.q == first.q).all() and (simulation.state.v == first.v).all()
    assert simulation.state.time == first.time
    other = st.Simulation(world, contact=None, dt=0.001, integrator=integrator)
    other.restore_state(saved)
    other.step(n=fewer(200, 10))
    assert (other.state.q == first.q).all() and (other.state.v == first.v).all()


def test_stepping_by_hand_and_simulating_give_the_same_states():
    world, state = thrashing()
    steps = fewer(50, 10)
    motion = st.simulate(world, contact=None, duration=steps * 1e-3, dt=1e-3, state=state)
    simulation = st.Simulation(world, contact=None, dt=1e-3, state=state)
    for k in range(steps):
        assert (simulation.state.q == motion.q[k]).all() and simulation.time == motion.time[k]
        simulation.step()
        assert (simulation.passive == motion.passive[k]).all()
    assert (simulation.state.v == motion.v[-1]).all()


def test_a_torque_given_to_step_acts_in_that_step_alone():
    world = st.World(slider(mass=2.0))
    simulation = st.Simulation(world, contact=None, dt=0.01)
    simulation.step([4.0], n=3)
    simulation.step()
    assert np.isclose(simulation.state.v[0], 3 * 0.01 * 4.0 / 2.0, rtol=1e-14)


def test_recording_every_so_many_steps_keeps_just_those_moments():
    world, state = thrashing()
    whole = st.simulate(world, contact=None, duration=0.025, dt=0.001, state=state)
    part = st.simulate(
        world, contact=None, duration=0.025, dt=0.001, state=state, record=st.Recording(every=4)
    )
    assert len(part) == 7
    for name in ("time", "q", "v", "torque", "passive"):
        assert np.allclose(getattr(part, name), getattr(whole, name)[::4], rtol=0, atol=1e-18)


def test_time_does_not_drift_over_many_steps():
    motion = st.simulate(
        st.World(slider()), contact=None, duration=fewer(100_000, 1000) * 1e-4, dt=1e-4
    )
    assert motion.time[-1] == pytest.approx(fewer(100_000, 1000) * 1e-4, abs=1e-12)


def test_a_duration_that_is_no_multiple_of_dt_ends_after_it():
    motion = st.simulate(st.World(slider()), contact=None, duration=0.01, dt=0.003)
    assert motion.time[-1] == pytest.approx(0.012)
    assert (
        len(st.simulate(st.World(slider()), contact=None, duration=0.3, dt=0.1)) == 4
    )  # 0.3 / 0.1 is 2.9999999999999996


def test_progress_rises_to_one():
    seen = []
    st.simulate(st.World(slider()), contact=None, duration=1.0, dt=1e-3, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
@pytest.mark.parametrize(("start", "stop"), [(0.1, 0.2), (0.1037, 0.1951), (0.1501, 0.1502)])
def test_a_push_gives_its_whole_impulse_wherever_it_starts_and_stops(integrator, start, stop):
    world = st.World(st.robots.ball(mass=0.5), gravity=(0, 0, 0))
    push = st.Push("ball", (0, 0, 0), (3.0, -2.0, 1.0), start, stop)
    motion = st.simulate(
        world, contact=None, duration=0.3, dt=0.01, forces=[push], integrator=integrator
    )
    assert np.allclose(
        motion.v[-1, :3], np.array([3.0, -2.0, 1.0]) * (stop - start) / 0.5, rtol=1e-12
    )
    assert np.abs(motion.v[-1, 3:]).max() < 1e-14  # rounding of some hundred steps


def test_a_push_off_centre_spins():
    world = st.World(st.robots.ball(radius=0.1, mass=0.5), gravity=(0, 0, 0))
    push = st.Push("ball", (0, 0, 0.1), (1.0, 0, 0), 0.0, 0.001)
    motion = st.simulate(world, contact=None, duration=0.001, dt=0.001, forces=[push])
    assert np.allclose(
        motion.v[-1], [0.002, 0, 0, 0, 0.1 * 0.001 / (0.4 * 0.5 * 0.01), 0], rtol=1e-12
    )


def test_a_tabulated_force_is_linear_between_its_times_and_turns_too():
    world = st.World(st.robots.ball(mass=0.5), gravity=(0, 0, 0))
    inertia = world.robots[0].inertia[0, 0]
    ramp = st.TabulatedForce(
        "ball", (0, 0, 0), [0.0, 0.1], [[0, 0, 0], [5.0, 0, 0]], [[0, 0, 0], [0, 0, 1e-3]]
    )
    motion = st.simulate(
        world, contact=None, duration=0.2, dt=0.001, forces=[ramp], integrator=st.RungeKutta4()
    )
    assert motion.v[-1, 0] == pytest.approx(5.0 * 0.1 / 2 / 0.5, rel=1e-12)
    assert motion.v[-1, 5] == pytest.approx(1e-3 * 0.1 / 2 / inertia, rel=1e-12)


@pytest.mark.parametrize("integrator", [st.Midpoint(), st.RungeKutta4()], ids=["Midpoint", "RK4"])
def test_a_tabulated_force_between_steps_gives_its_impulse(integrator):
    """From 2 to 5 N, from 3.7 ms to 12.2 ms in steps of 1 ms: 3.5 N for 8.5 ms, one segment."""
    world = st.World(st.robots.ball(mass=0.5), gravity=(0, 0, 0))
    pull = st.TabulatedForce("ball", (0, 0, 0), [0.0037, 0.0122], [[2.0, 0, 0], [5.0, 0, 0]])
    motion = st.simulate(
        world, contact=None, duration=0.02, dt=0.001, forces=[pull], integrator=integrator
    )
    assert motion.v[-1, 0] == pytest.approx(3.5 * 0.0085 / 0.5, rel=1e-12)  # rounding


def test_forces_on_frames_act_at_the_frame():
    world = st.World(st.robots.biped10(), gravity=(0, 0, 0))
    push = st.Push("left_sole", (0, 0, 0), (0, 0, 50.0), 0.0, 0.001)
    motion = st.simulate(world, contact=None, duration=0.001, dt=0.001, forces=[push])
    p = motion.momentum()
    assert np.allclose(
        p.linear[-1], [0, 0, 0.05], atol=1e-4
    )  # of 0.05 N s; joints turn by 1e-3 within the step
    place = world.place("left_sole")
    J = st.mechanics.jacobian(world, motion.q[0], "left_sole")
    robot = world.robots[0].with_joints(friction=0)
    a = st.mechanics.forward_dynamics(
        st.World(robot, gravity=(0, 0, 0)), motion.q[0], motion.v[0], J[2] * 50
    )
    assert place.link > 0
    free = st.simulate(
        st.World(robot, gravity=(0, 0, 0)),
        contact=None,
        duration=0.001,
        dt=0.001,
        forces=[push],
        integrator=st.RungeKutta4(),
    )
    assert np.allclose(free.v[-1], a * 0.001, rtol=0.05, atol=1e-3)


# ------------------------------------------------------------------------- restored while touching


def sliding() -> tuple[st.World, st.State]:
    """A brick that lands on a corner and slides, beside a chain with sticking joints."""
    world = st.World(st.robots.brick(), chain(3, friction=0.5).at((0.0, 2.0, 3.0)))
    state = world.standing()
    state.q[3:7] = np.array([0.99, 0.05, 0.1, 0.02]) / np.linalg.norm([0.99, 0.05, 0.1, 0.02])
    state.v[:6] = [0.7, 0.2, -0.1, 0.5, -0.3, 1.0]
    return world, state


@pytest.mark.parametrize("model", [st.Coulomb(), st.Distributed()], ids=names)
def test_a_simulation_restored_in_contact_continues_bitwise(model):
    world, state = sliding()
    dt = 1e-3 if isinstance(model, st.Coulomb) else 1e-4
    simulation = st.Simulation(world, model, dt, state)
    simulation.step(n=8)
    assert simulation.contacts
    saved = simulation.save_state()
    simulation.step(n=6)
    first = simulation.state
    other = st.Simulation(world, model, dt)
    other.restore_state(saved)
    np.testing.assert_array_equal(other._system.dynamics.mode, saved.mode)
    other.step(n=6)
    np.testing.assert_array_equal(other.state.q, first.q)
    np.testing.assert_array_equal(other.state.v, first.v)
    # a state without the memory of the contacts is another one, so the test can tell
    forgotten = tuple(np.zeros_like(array) for array in saved.memory)
    other.restore_state(replace(saved, memory=forgotten))
    other.step(n=6)
    assert (other.state.v != first.v).any()


def test_saved_joint_modes_are_those_of_the_last_step():
    world, state = sliding()
    simulation = st.Simulation(world, None, 1e-3, state)
    simulation.step(n=3)
    saved = simulation.save_state()
    assert saved.mode.any()
    simulation._system.dynamics.mode[:] = 0
    simulation.restore_state(saved)
    np.testing.assert_array_equal(simulation._system.dynamics.mode, saved.mode)


@pytest.mark.parametrize(("speed", "diverges"), [(0.99e6, False), (1.01e6, True)])
def test_a_state_has_diverged_beyond_a_million_metres_per_second(speed, diverges):
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    state = st.State(world.home().q, [speed, 0, 0, 0, 0, 0])
    simulation = st.Simulation(world, None, 1e-3, state)
    if not diverges:
        simulation.step()
        return
    with pytest.raises(DivergenceError, match=r"limit 1e\+06"):
        simulation.step()
