"""What controllers remember: once per part of a step, each its own, saved and restored."""

import math

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, pendulum, slider
from remembering import PID, Tally
from stiction.errors import InputError

interpreted = pytest.mark.interpreted
INTEGRATORS = [st.SemiImplicitEuler(), st.Leapfrog(), st.Midpoint(), st.RungeKutta4()]
GRAVITY = 9.81
SINKS = st.World(slider(mass=2.0), gravity=(0.0, -GRAVITY, 0.0))


def remembered(simulation: st.Simulation) -> tuple[np.ndarray, ...]:
    return simulation.save_state().control_memory


# ------------------------------------------------------------------------------------ closed forms


@interpreted
def test_a_spring_leaves_the_load_over_its_stiffness_and_an_integral_leaves_nothing():
    load = 2.0 * GRAVITY
    ends = {}
    for integral in (0.0, 2000.0):
        simulation = st.Simulation(
            SINKS, contact=None, dt=0.01, controller=PID(0.5, 600.0, 60.0, integral)
        )
        simulation.step(n=600)
        ends[integral] = 0.5 - simulation.state.q[0]
    assert ends[0.0] == pytest.approx(load / 600.0, rel=1e-12)
    assert abs(ends[2000.0]) < 1e-13  # three roots at -10 1/s: exp(-60) is left, and rounding
    assert remembered(simulation)[0][0, 0] == pytest.approx(load / 2000.0, rel=1e-12)


@interpreted
def test_a_load_on_three_equal_roots_moves_the_mass_as_it_must():
    """m x'' + d x' + k x + i int x = -m g, all roots at -w: x = -g t^2/2 exp(-w t)."""
    m, w = 2.0, 10.0
    control = PID(0.0, 3 * m * w**2, 3 * m * w, m * w**3)
    errors = []
    for dt in (0.01, 0.005):
        motion = st.simulate(SINKS, contact=None, duration=0.5, dt=dt, controller=control)
        exact = -GRAVITY / 2 * motion.time**2 * np.exp(-w * motion.time)
        errors.append(np.abs(motion.q[:, 0] - exact).max() / np.abs(exact).max())
    assert errors[1] < 0.01
    assert errors[1] < 0.6 * errors[0]  # the sum of errors times dt is of first order


@interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_the_integral_is_the_sum_of_errors_at_first_stages_times_dt(integrator):
    world, dt, steps = st.World(pendulum()), 0.01, 50
    control = PID(0.8, 20.0, 1.0, 30.0)
    simulation = st.Simulation(world, None, dt, controller=control, integrator=integrator)
    ahead = dt / 2 if isinstance(integrator, st.Midpoint | st.Leapfrog) else 0.0  # first stage
    total = 0.0
    for _ in range(steps):
        state = simulation.state
        total += (0.8 - (state.q[0] + ahead * state.v[0])) * dt
        simulation.step()
    assert remembered(simulation)[0][0, 0] == pytest.approx(total, rel=1e-13)


# ------------------------------------------------------------------------------------- once a part


@interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_memory_changes_once_in_a_step_whatever_the_number_of_stages(integrator):
    simulation = st.Simulation(
        st.World(chain(2)), None, 0.01, controller=Tally(9.0), integrator=integrator
    )
    simulation.step(n=7)
    (memory,) = remembered(simulation)
    assert (memory[:, 0] == 7).all()
    assert memory[:, 1] == pytest.approx(0.07, rel=1e-14)


@interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_the_parts_of_a_step_with_an_impact_add_up_to_the_step(integrator):
    world = st.World(st.robots.ball())
    simulation = st.Simulation(
        world,
        st.Coulomb(restitution=0.8),
        0.01,
        world.standing(above=0.05),
        Tally(9.0),
        integrator=integrator,
    )
    for _ in range(30):
        simulation.step()
        count, elapsed = remembered(simulation)[0][0]
        assert elapsed == pytest.approx(simulation.time, rel=1e-12)
    bounces = (count - 30) / 2  # up to the impact, the impact, the rest
    assert bounces == 2  # at 0.10 and 0.26 s


@interpreted
def test_what_a_controller_does_not_write_stays():
    simulation = st.Simulation(st.World(pendulum()), None, 0.01, controller=Tally(0.03))
    simulation.step(n=10)
    assert remembered(simulation)[0][0, 0] == 3  # forces are taken half a step ahead


# ----------------------------------------------------------------------------------- each its own


def four(k: float = 0.0) -> tuple:
    """Controllers of which three remember; of the same types in all tests: compiled once."""
    others = (st.Torques([0.1] * 3), Tally(9.0), PID(-0.2, 1.0, 0.0, 2.0))
    return (PID(0.5 + 0.1 * k, 2.0, 0.1, 1.0 + k), *others)


def test_every_controller_has_a_memory_of_its_own():
    world, dt = st.World(chain(3)), 0.01
    simulation = st.Simulation(world, None, dt, controller=four())
    totals = np.zeros((2, 3))
    for _ in range(20):
        state = simulation.state
        middle = state.q + dt / 2 * state.v
        totals += dt * (np.array([[0.5], [-0.2]]) - middle)
        simulation.step()
    first, count, second = remembered(simulation)
    assert (count[:, 0] == 20).all()
    assert first[:, 0] == pytest.approx(totals[0], rel=1e-12)
    assert second[:, 0] == pytest.approx(totals[1], rel=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_world_of_a_batch_has_a_memory_of_its_own(threads):
    world, dt, worlds = st.World(chain(3)), 0.01, 3
    controls = [four(k) for k in range(worlds)]
    batch = st.BatchSimulation(world, worlds, None, dt=dt, controls=controls, threads=threads)
    batch.step(5)
    batch.step(6)
    for k, control in enumerate(controls):
        single = st.Simulation(world, None, dt, controller=control)
        single.step(n=11)
        assert (batch.q[k] == single.state.q).all() and (batch.v[k] == single.state.v).all()


def test_a_world_of_a_batch_that_begins_again_remembers_nothing():
    world = st.World(chain(3))
    batch = st.BatchSimulation(world, 2, None, dt=0.01, controls=four(), threads=1)
    batch.step(7)
    batch.reset([1])
    batch.step(4)
    ends = {}
    for steps in (11, 4):
        single = st.Simulation(world, None, 0.01, controller=four())
        single.step(n=steps)
        ends[steps] = single.state.q
    assert (batch.q[0] == ends[11]).all() and (batch.q[1] == ends[4]).all()


# ------------------------------------------------------------------------------------ save, restore


@interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_a_restored_controller_continues_bitwise(integrator):
    def begin():
        control = (Tally(9.0), PID(0.8, 20.0, 1.0, 30.0))
        return st.Simulation(
            st.World(pendulum()), None, 0.01, controller=control, integrator=integrator
        )

    simulation, other = begin(), begin()
    simulation.step(n=10)
    saved = simulation.save_state()
    simulation.step(n=10)
    ends = [simulation.save_state()]
    for continued in (simulation, other):
        continued.restore_state(saved)
        continued.step(n=10)
        ends.append(continued.save_state())
    for end in ends[1:]:
        assert (end.q == ends[0].q).all() and (end.v == ends[0].v).all()
        for mine, theirs in zip(end.control_memory, ends[0].control_memory, strict=True):
            assert (mine == theirs).all()


@interpreted
def test_a_state_saved_with_other_controllers_is_refused():
    world = st.World(pendulum())
    saved = st.Simulation(world, None, controller=PID(0.8, 20.0, 1.0, 30.0)).save_state()
    for control in (None, Tally(9.0)):
        with pytest.raises(InputError, match="saved under different controllers"):
            st.Simulation(world, None, controller=control).restore_state(saved)


# -------------------------------------------------------------------------------------- declaration


@interpreted
def test_a_kernel_with_other_arguments_is_refused():
    with pytest.raises(InputError, match=r"controller 'pull' takes .*must take .*'v'\)"):

        @st.controller(tuple)
        def pull(params, dynamics, time, q, v, memory, dt):
            pass

    with pytest.raises(InputError, match=r"controller 'push' takes .*must take .*'memory', 'dt'\)"):

        @st.controller(tuple, memory=1)
        def push(params, dynamics, time, q, v):
            pass

    with pytest.raises(InputError, match=r"prescriber 'move' takes .*must take .*'v'\)"):

        @st.prescriber(tuple)
        def move(params, time):
            pass


@interpreted
@pytest.mark.parametrize("memory", [-1, 1.5, True, math.nan, "1"])
def test_a_memory_that_is_no_number_of_numbers_is_refused(memory):
    with pytest.raises(InputError, match="an integer from 0 up"):
        st.controller(tuple, memory=memory)
