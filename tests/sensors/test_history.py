"""Noise, bias, delay and cutoff; single runs, motions and batches read the same."""

import numpy as np
import pytest

import stiction as st

pytestmark = pytest.mark.interpreted

SENSORS = [
    st.Sensor("exact", kind="framelinvel", link="ball"),
    st.Sensor("late", kind="framelinvel", link="ball", delay=0.003),
    st.Sensor("noisy", kind="framelinvel", link="ball", noise=0.1),
    st.Sensor("biased", kind="framepos", link="ball", bias=(1.0, 2.0, 3.0)),
    st.Sensor("limited", kind="accelerometer", link="ball", bias=20.0, cutoff=5.0),
    st.Sensor("turned", kind="framequat", link="ball", noise=0.01),
    st.Sensor("imu", kind="imu", link="ball", noise=(0.0,) * 7 + (0.1,) * 3, delay=0.001),
    st.Sensor("touch", kind="touch", link="ball", noise=0.5, delay=0.002),
]


@pytest.fixture
def world():
    return st.World(st.robots.ball().with_sensors(SENSORS))


@pytest.fixture
def start(world):
    state = world.standing(above=2e-4)
    state.v[:] = [0.3, 0.0, 0.0, 1.0, 2.0, 3.0]
    return state


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_a_simulation_reads_what_its_motion_holds(world, start):
    motion = st.simulate(world, state=start, duration=0.012)
    rows, simulation = motion.sensors(), st.Simulation(world, state=start)
    for k in range(12):
        simulation.step()
        same(simulation.sensors, {name: values[k] for name, values in rows.items()})
    together = st.Simulation(world, state=start)
    together.step(n=5)
    together.step(n=7)
    same(together.sensors, simulation.sensors)
    assert np.isnan(rows["limited"][-1]).all()  # no step begins there
    assert np.isfinite(rows["noisy"][-1]).all()


def test_worlds_of_a_batch_read_what_single_runs_read(world, start):
    batch = st.BatchSimulation(world, 3, states=start, sensors=True, threads=1)
    single = st.Simulation(world, state=start)
    assert np.isnan(batch.sensors["touch"]).all()
    for n in (1, 5, 2):
        batch.step(n)
        single.step(n=n)
        same({name: values[0] for name, values in batch.sensors.items()}, single.sensors)
    worlds = batch.sensors["noisy"]
    assert len({tuple(row) for row in worlds.tolist()}) == 3  # each has noise of its own
    larger = st.BatchSimulation(world, 5, states=start, sensors=True, threads=1)
    larger.step(8)
    same({name: values[:3] for name, values in larger.sensors.items()}, batch.sensors)


def test_a_world_that_begins_anew_forgets(world, start):
    batch = st.BatchSimulation(world, 2, states=start, sensors=True, threads=1)
    batch.step(4)
    batch.reset([1], start)
    read = batch.sensors
    assert np.isfinite(read["touch"][0]).all()
    assert np.isnan(read["touch"][1]).all()
    np.testing.assert_array_equal(read["exact"][1], start.v[:3])


def test_a_batch_without_sensors_says_so(world):
    with pytest.raises(st.StictionError, match="give it sensors=True"):
        st.BatchSimulation(world, 2, threads=1).sensors  # noqa: B018


def test_delay_noise_bias_and_cutoff_are_as_given(world, start):
    motion = st.simulate(world, state=start, duration=0.012)
    rows, true = motion.sensors(), motion.sensors(errors=False)
    np.testing.assert_array_equal(rows["late"][3:], true["exact"][:-3])
    np.testing.assert_array_equal(rows["late"][:3], true["exact"][[0, 0, 0]])
    np.testing.assert_array_equal(rows["biased"], true["biased"] + [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(np.abs(rows["limited"][:-1]), 5.0)
    lengths = np.linalg.norm(rows["turned"], axis=1)
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-15)
    assert 0.0 < np.abs(rows["turned"] - true["turned"]).max() < 0.06  # six deviations
    assert not np.array_equal(motion.sensors(seed=1)["noisy"], rows["noisy"])
    np.testing.assert_array_equal(motion.sensor("noisy"), rows["noisy"])


def test_a_cutoff_limits_the_rates_of_an_imu_and_not_its_quaternion(start):
    kinds = {"limited": 0.5, "whole": 0.0}
    imus = [st.Sensor(name, kind="imu", link="ball", cutoff=c) for name, c in kinds.items()]
    world = st.World(st.robots.ball().with_sensors(imus))
    rows = st.simulate(world, state=start, duration=0.012).sensors()
    np.testing.assert_allclose(rows["limited"][:, :4], rows["whole"][:, :4], rtol=1e-15)  # rounding
    np.testing.assert_array_equal(rows["limited"][:, 4:], np.clip(rows["whole"][:, 4:], -0.5, 0.5))


def test_readings_continue_from_a_saved_state(world, start, tmp_path):
    simulation = st.Simulation(world, state=start)
    simulation.step(n=6)
    simulation.save_state().save(tmp_path / "state.npz")
    before = simulation.sensors
    simulation.step(n=2)
    other = st.Simulation(world, state=start)
    other.restore_state(type(simulation.save_state()).load(tmp_path / "state.npz"))
    same(other.sensors, before)
    other.step(n=2)
    same(other.sensors, simulation.sensors)


def test_accelerations_need_every_step(world, start):
    motion = st.simulate(world, state=start, duration=0.012, record=st.Recording(every=4))
    with pytest.raises(st.StictionError, match=r"need every step.*limited"):
        motion.sensors()
    assert motion.sensor("exact").shape == (4, 3)
    with pytest.raises(st.StictionError, match="'late' has a delay of 3 steps"):
        motion.sensor("late")
    with pytest.raises(st.StictionError, match=r"no sensor 'lost'.*it has: exact"):
        motion.sensor("lost")


def test_sensors_of_two_robots_have_their_names(start):
    one = st.robots.ball().with_sensors(SENSORS[:1]).at((0.0, 0.0, 0.0))
    other = st.robots.ball().with_sensors(SENSORS[:2]).at((1.0, 0.0, 0.0))
    world = st.World(one, other)
    read = st.read_sensors(world, world.home())
    assert list(read) == ["ball/exact", "ball_2/exact", "late"]


def test_the_force_of_an_actuator_is_that_of_the_record():
    robot = st.robots.hoap1().with_sensors(
        st.Sensor("knee", kind="jointactuatorfrc", joint="left_knee_pitch")
    )
    world = st.World(robot, ground=None)
    torque = np.zeros(world.nv)
    d = world.tree.v_index[world.joint("left_knee_pitch")]
    torque[d] = 0.5
    simulation = st.Simulation(world, None)
    simulation.step(torque)
    assert simulation.sensors["knee"] == simulation.torque[d] == 0.5
