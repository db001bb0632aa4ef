"""`Simulation` for control: set-points, torques, new starts, records, controllers in Python."""

import contextlib
import copy
import pickle
import re

import numpy as np
import pytest

import stiction as st
from arguments import WRONG
from mechanisms import chain, pendulum
from stiction.errors import DivergenceError, InputError

pytestmark = pytest.mark.interpreted

ARM = """
<mujoco model="{name}">
  <worldbody><body name="upper"><joint name="{name}_shoulder" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="1" contype="0" conaffinity="0"/>
    <body name="lower" pos="0 0 -0.3"><joint name="{name}_elbow" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="1" contype="0"
        conaffinity="0"/>
    </body></body></worldbody>
  <actuator>
    <position name="shoulder" joint="{name}_shoulder" kp="50" kv="0.01" ctrlrange="-1 1"/>
    <motor name="elbow" joint="{name}_elbow" gear="2"/>
  </actuator>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(name="arm"))
    return st.World(st.load(path), ground=None)


def swinging(**options):
    world = st.World(chain(3, friction=0.2), ground=None)
    state = st.State([0.5, -0.5, 0.9], [4.0, -6.0, 8.0], 2.0)
    return st.Simulation(world, contact=None, state=state, **options)


# ---------------------------------------------------------------------------------------- control


def test_set_points_act_as_those_of_actuators(arm):
    mine, theirs = st.Simulation(arm), st.Simulation(arm, controller=st.Actuators([0.3, 0.5]))
    mine.control["shoulder"] = 0.3
    mine.control["elbow"] = 0.5
    for _ in range(3):
        mine.step()
        theirs.step()
    np.testing.assert_array_equal(mine.v, theirs.v)
    assert mine.torque[1] == 1.0  # motor times gear


def test_actuators_do_not_act_before_a_set_point_is_set(arm):
    state = st.State([0.5, 0.0], [0.0, 0.0])
    passive, looked_at = (st.Simulation(arm, state=state) for _ in range(2))
    assert looked_at.control.names == ["shoulder", "elbow"]
    assert looked_at.control["shoulder"] == 0.0
    for one in (passive, looked_at):
        one.step(n=2)
    assert (looked_at.torque == 0.0).all()
    np.testing.assert_array_equal(looked_at.v, passive.v)
    looked_at.control["elbow"] = 0.0  # then the servo of the shoulder holds home
    looked_at.step()
    assert looked_at.torque[0] == pytest.approx(-50 * 0.5, rel=0.01)  # damping is small
    looked_at.reset()
    looked_at.control.update({})
    looked_at.step()
    assert (looked_at.torque == 0.0).all()
    looked_at.control = [0.2, 0.0]
    looked_at.step()
    assert looked_at.torque[0] == pytest.approx(-50 * 0.3, rel=0.01)
    assert looked_at.control["shoulder"] == 0.2


def test_set_points_change_during_a_run_as_a_table_of_them_does(arm):
    table = np.array([[0.1, 0.0], [-0.4, 0.2], [0.9, -0.3]])
    controller = st.Actuators(table, time=[0.0, 0.001, 0.002])
    motion = st.simulate(arm, duration=0.003, controller=controller)
    simulation = st.Simulation(arm, controller=st.Actuators(table[0]), record=True)
    for row in table:
        simulation.control[:] = row
        simulation.step()
    np.testing.assert_array_equal(simulation.motion.q, motion.q)
    np.testing.assert_array_equal(simulation.motion.torque, motion.torque)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("sholder", 0.1, "no actuator 'sholder' in this world; it has shoulder"),
        ("shoulder", 1.5, "'shoulder' is set to 1.5; give a number from -1 to 1"),
        ("elbow", np.nan, "'elbow' is set to nan; give a finite number"),
        ("elbow", "much", "'elbow' is set to nan"),
        (5, 0.0, "found index 5; give a name or a number from 0 to 1"),
        (slice(None), [0.0, np.inf], "'elbow' is set to inf"),
        (slice(None), np.array([-2.0, 0.0]), "'shoulder' is set to -2.0; give"),
        (slice(None), np.zeros(3), "give 2 numbers, one for each actuator"),
    ],
)
def test_wrong_set_points_are_refused_and_change_nothing(arm, key, value, words):
    simulation = st.Simulation(arm)
    simulation.control[:] = [0.2, 0.7]
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        simulation.control[key] = value
    np.testing.assert_array_equal(simulation.control, [0.2, 0.7])


@pytest.mark.parametrize("kind", WRONG)
def test_strange_set_points_are_refused_or_do_no_harm(arm, kind):
    control, wrong = st.Simulation(arm).control, WRONG[kind]

    def update(given):
        control.update(given)

    def assign(key, value):
        control[key] = value

    for attempt in (
        lambda: assign("elbow", wrong),
        lambda: assign(slice(None), wrong),
        lambda: assign(wrong, 0.5),
        lambda: update(wrong),
        lambda: update({"elbow": wrong}),
    ):
        with contextlib.suppress(InputError):
            attempt()
        assert np.isfinite(control[:]).all() and abs(control["shoulder"]) <= 1


def test_robots_without_actuators_and_tables_have_no_set_points(arm):
    with pytest.raises(InputError, match="no robot in this world has actuators"):
        _ = swinging().control
    table = st.Actuators(np.zeros((2, 2)), time=[0.0, 1.0])
    with pytest.raises(InputError, match="follow a table over time"):
        _ = st.Simulation(arm, controller=table).control


def test_actuators_of_several_robots_are_named_after_them(arm, tmp_path):
    path = tmp_path / "other.xml"
    path.write_text(ARM.format(name="other"))
    world = st.World(arm.robots[0], st.load(path), ground=None)
    control = st.Simulation(world).control
    assert control.names == ["arm/shoulder", "arm/elbow", "other/shoulder", "other/elbow"]
    control.update({"other/elbow": 0.25, "arm/shoulder": -0.5})
    np.testing.assert_array_equal(control[:], [-0.5, 0.0, 0.0, 0.25])


# ------------------------------------------------------------------------------- torques and state


def test_a_torque_that_is_set_acts_until_another_is_set():
    held, given = swinging(), swinging()
    torque = np.array([0.1, -0.2, 0.3])
    held.torque = torque
    held.step(n=2)
    given.step(torque, n=2)
    np.testing.assert_array_equal(held.v, given.v)
    held.step(np.zeros(3))  # for this step alone
    given.step()
    held.step()
    given.step(list(torque))
    np.testing.assert_array_equal(held.v, given.v)
    np.testing.assert_array_equal(held.torque, torque)


@pytest.mark.parametrize("first", [False, True])
def test_a_torque_that_is_not_finite_is_refused_by_name(first):
    simulation = swinging()
    if first:
        simulation.step()
    before = simulation.state
    with pytest.raises(InputError, match=r"torque: joint1 is nan; all 3 numbers must be finite"):
        simulation.step(np.array([0.0, np.nan, 0.0]))
    np.testing.assert_array_equal(simulation.state.q, before.q)
    simulation.step()
    assert simulation.time == pytest.approx(before.time + 0.001, abs=1e-12)
    with pytest.raises(InputError, match="joint0 is inf"):
        simulation.torque = [np.inf, 0.0, 0.0]


def test_a_state_that_is_set_starts_as_a_new_simulation_does():
    world = st.World(st.robots.brick())
    used, new = (st.Simulation(world, st.Coulomb(), state=world.standing()) for _ in range(2))
    used.step(n=3)
    used.state = st.State(new.state.q, new.state.v, 5.0)
    assert used.time == 5.0 and used.unsolved.steps == 0
    for one in (used, new):
        one.step(n=2)
    np.testing.assert_array_equal(used.v, new.v)
    np.testing.assert_array_equal(used.q, new.q)
    with pytest.raises(InputError, match="use stiction.State"):
        used.state = new.state.q


def test_a_reset_goes_back_to_the_first_state_and_forgets_what_was_set(arm):
    simulation = st.Simulation(arm, state=st.State([0.1, 0.2], [0.0, 0.0], 1.0))
    simulation.control["shoulder"] = 0.8
    simulation.torque = [0.0, 3.0]
    simulation.step(n=2)
    simulation.reset(seed=7)
    assert simulation.time == 1.0 and simulation.control["shoulder"] == 0.0
    np.testing.assert_array_equal(simulation.q, [0.1, 0.2])
    assert simulation.random.random() == np.random.default_rng(7).random()
    simulation.step()
    assert simulation.torque[1] == 0.0
    simulation.reset(st.State([0.3, 0.0], [0.0, 0.0]))
    np.testing.assert_array_equal(simulation.q, [0.3, 0.0])
    with pytest.raises(InputError, match=r"reset\(\): seed"):
        simulation.reset(seed=2**32)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_simulation_is_not_copied_since_the_copy_would_move_the_original(make):
    with pytest.raises(InputError, match="restore_state"):
        make(swinging())


def test_positions_and_velocities_are_seen_but_not_written():
    simulation = swinging()
    q, before = simulation.q, simulation.state.q
    simulation.step()
    assert (q != before).any()
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1.0


# ---------------------------------------------------------------------------------------- records


@pytest.mark.parametrize("every", [1, 2])
def test_the_record_of_a_simulation_is_that_of_simulate(every):
    world = st.World(st.robots.brick())
    options = {"contact": st.Coulomb(), "state": world.standing(above=0.001)}
    recording = st.Recording(every=every)
    whole = st.simulate(world, duration=0.006, record=recording, **options)
    simulation = st.Simulation(world, record=recording, **options)
    simulation.step()
    assert len(simulation.motion) == 2 - (every == 2)
    simulation.run(0.003)
    simulation.step(n=2)
    for name in ("time", "q", "v", "torque", "force", "depth", "slip", "solver", "contact_state"):
        mine, theirs = getattr(simulation.motion, name), getattr(whole, name)
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert simulation.motion.unsolved == whole.unsolved


def test_a_record_longer_than_a_block_is_whole(monkeypatch):
    monkeypatch.setattr("stiction.simulation.open_recording.BLOCK_ROWS", 3)
    simulation, other = swinging(record=True), swinging(record=True)
    for _ in range(8):
        simulation.step()
    monkeypatch.undo()
    other.step(n=8)
    assert len(simulation.motion) == 9
    np.testing.assert_array_equal(simulation.motion.q, other.motion.q)


def test_a_record_begins_anew_where_the_simulation_does():
    simulation = swinging(record=True)
    simulation.step(n=3)
    saved = simulation.save_state()
    simulation.step(n=2)
    simulation.restore_state(saved)
    simulation.step()
    np.testing.assert_allclose(simulation.motion.time, [2.003, 2.004], rtol=1e-14)
    simulation.reset()
    assert simulation.motion.time.tolist() == [2.0]


def test_a_state_that_no_step_led_to_has_no_forces():
    world = st.World(st.robots.box().at((0.0, 0.0, 0.95)), scenery=st.robots.table())
    simulation = st.Simulation(world, st.ImplicitSpringDamper(), dt=1e-4)
    simulation.step(np.ones(6), n=2)
    assert simulation.contacts and simulation.torque.any()
    first, touching = simulation.save_state(), len(simulation.contacts)
    for start in (simulation.reset, lambda: simulation.restore_state(first)):
        start()
        assert simulation.contacts == [] and not simulation.torque.any()
        assert not simulation.snapshot().force.any() and not simulation.snapshot().between.any()
        simulation.step()
        assert len(simulation.contacts) == touching


def test_a_simulation_that_records_nothing_says_so():
    with pytest.raises(InputError, match="make it with record=True"):
        _ = swinging().motion
    with pytest.raises(InputError, match="a Simulation records in memory"):
        swinging(record=st.Recording(to="run.h5"))
    with pytest.raises(InputError, match="record: found 3"):
        swinging(record=3)


def test_a_failure_keeps_the_record():
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    simulation = st.Simulation(world, contact=None, record=True)
    simulation.step()
    with pytest.raises(DivergenceError, match="diverged at t = 0.002 s") as failure:
        simulation.step([1e15, 0, 0, 0, 0, 0])
    assert len(failure.value.motion) >= 2


def test_the_solver_tells_how_it_went():
    world = st.World(st.robots.brick())
    simulation = st.Simulation(world, st.Coulomb(), state=world.standing(), record=True)
    simulation.step(n=2)
    status = simulation.solver
    assert status == tuple(simulation.motion.solver[-2])
    assert status.solved and status.iterations > 0


# ---------------------------------------------------------------------------- controllers in Python


def test_a_python_controller_is_asked_at_its_rate_held_and_delayed():
    asked = []

    def policy(simulation):
        asked.append(round(simulation.time - 2.0, 6))
        return [simulation.time - 2.0, 0.0, 1.0]

    controller = st.PythonController(policy, rate=250, delay=0.002)
    simulation = swinging(controller=controller, record=True)
    simulation.run(0.010)
    assert asked == [0.0, 0.004, 0.008]
    expected = [0, 0, 0, 0, 0, 0, 0.004, 0.004, 0.004, 0.004]
    np.testing.assert_allclose(simulation.motion.torque[:-1, 0], expected, atol=1e-12)
    np.testing.assert_allclose(simulation.motion.torque[:-1, 2], [0, 0, *[1.0] * 8])


def test_single_steps_and_one_run_ask_alike():
    def policy(simulation):
        return -3.0 * simulation.v

    together, alone = (swinging(controller=st.PythonController(policy, rate=500)) for _ in range(2))
    together.run(0.007)
    for _ in range(7):
        alone.step()
    np.testing.assert_array_equal(together.v, alone.v)


def test_python_controllers_act_beside_compiled_ones_and_torques(arm):
    def policy(simulation):
        return {"elbow": 0.5}

    still = st.Torques([0.0, 0.25])
    simulation = st.Simulation(arm, controller=(still, st.PythonController(policy)))
    simulation.torque = [0.0, 0.125]
    simulation.step()
    assert simulation.torque[1] == 0.25 + 0.125 + 2 * 0.5


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda simulation: [0.0, simulation.time * np.nan, 0.0],
            "'<lambda>' at t = 2 s: torque: joint1 is nan",
        ),
        (lambda simulation: np.zeros(2), "found shape"),
        (lambda simulation: {"knee": 1.0}, "no robot in this world has actuators"),
    ],
)
def test_wrong_answers_are_refused_with_time_and_name(answer, words):
    simulation = swinging(controller=st.PythonController(answer, rate=100))
    with pytest.raises(InputError, match=words):
        simulation.run(0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate": 300}, r"3.33333 steps of 0.001 s; .* for example 333.333333 Hz"),
        ({"rate": 2000}, "0.5 steps"),
        ({"rate": -1}, "rate is -1"),
        ({"delay": 0.0005}, "0.5 steps"),
        ({"delay": -0.001}, "delay is -0.001"),
    ],
)
def test_rates_and_delays_are_whole_steps(options, words):
    with pytest.raises(InputError, match=words):
        swinging(controller=st.PythonController(lambda simulation: None, **options))


def test_the_rate_that_a_message_proposes_is_accepted():
    with pytest.raises(InputError) as refused:
        swinging(controller=st.PythonController(lambda simulation: None, rate=160))
    proposed = float(re.search("for example (.*) Hz", str(refused.value))[1])
    assert 140 < proposed < 170
    swinging(controller=st.PythonController(lambda simulation: None, rate=proposed))


def test_simulate_refuses_a_python_controller():
    world = st.World(pendulum(), ground=None)
    with pytest.raises(InputError, match="acts in a Simulation"):
        st.simulate(world, None, duration=0.1, controller=st.PythonController(max))
    with pytest.raises(InputError, match="give a function of the simulation"):
        swinging(controller=st.PythonController(3))


def test_sensors_read_the_same_with_a_record_and_after_a_restart():
    """A delay of two steps; with a record, sensors read what is recorded."""
    sensors = [
        st.Sensor("imu", "gyro", "ball"),
        st.Sensor("late", "accelerometer", "ball", delay=0.002),
    ]
    world = st.World(st.robots.ball().with_sensors(sensors))
    start = world.standing(above=0.003)
    start.v[3:] = 1.0, 2.0, 3.0
    plain, recorded = (
        st.Simulation(world, st.Coulomb(), state=start, record=record) for record in (False, True)
    )
    for k in range(40):
        for simulation in (plain, recorded):
            simulation.step(n=1 + k % 3)
        for name, value in plain.sensors.items():
            np.testing.assert_array_equal(value, recorded.sensors[name])
    saved = plain.save_state()
    plain.step(n=2)
    wanted = plain.sensors
    plain.restore_state(saved)
    plain.step(n=2)
    for name, value in plain.sensors.items():
        np.testing.assert_array_equal(value, wanted[name])
    plain.reset()
    assert np.isnan(plain.sensors["late"]).all()


def test_sensors_of_a_simulation_that_records_some_steps_are_refused():
    robot = st.robots.ball().with_sensors(st.Sensor("imu", "gyro", "ball"))
    simulation = st.Simulation(st.World(robot), record=st.Recording(every=5))
    simulation.step()
    with pytest.raises(InputError, match="every 5 steps"):
        _ = simulation.sensors
