"""Sensors of contact and of forces in joints, with robots that touch the ground and each other."""

import mujoco
import numpy as np
import pytest

import stiction as st
from stiction.description.mjcf import read_mjcf_text

pytestmark = pytest.mark.interpreted

WEIGHT = 9.81
# a foot with a sole that is welded to it, and a body of 5 kg above, on a hinge with a spring
STANDING = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="0 0 1"/>
  <body name="foot" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.06 0.02" mass="1"/>
    <site name="foot" type="box" size="1 1 1"/>
    <body name="sole" pos="0 0 -0.03">
      <geom name="sole" type="box" size="0.1 0.06 0.02" mass="0.5"/>
      <site name="sole" type="box" size="1 1 1"/></body>
    <body name="body" pos="0 0 0.02">
      <joint axis="0 1 0" stiffness="500" damping="20"/>
      <geom type="box" size="0.05 0.05 0.1" pos="0 0 0.1" mass="5"/><site name="on_body"/></body>
  </body></worldbody><sensor>
    <touch name="foot touch" site="foot"/><touch name="sole touch" site="sole"/>
    <force name="sole force" site="sole"/><torque name="sole torque" site="sole"/>
    <force name="body force" site="on_body"/><torque name="body torque" site="on_body"/>
    <accelerometer name="acceleration" site="on_body"/></sensor></mujoco>"""


def at_rest(steps):
    robot = st.Robot.from_description(read_mjcf_text(STANDING, "standing.xml"))
    world = st.World(robot)
    simulation = st.Simulation(world, state=world.standing())
    for _ in range(steps):
        simulation.step()
    return simulation.sensors


def test_at_rest_forces_are_the_weights_of_what_is_beyond():
    read = at_rest(20)
    assert read["foot touch"] == 0.0  # its sole touches
    expected = {
        "sole touch": [6.5 * WEIGHT],
        "sole force": [0.0, 0.0, -6.0 * WEIGHT],
        "sole torque": [0.0, 0.0, 0.0],
        "body force": [0.0, 0.0, 5.0 * WEIGHT],
        "body torque": [0.0, 0.0, 0.0],
        "acceleration": [0.0, 0.0, WEIGHT],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(read[name], value, atol=1e-9, err_msg=name)


def test_at_rest_mujoco_reads_the_same():
    model = mujoco.MjModel.from_xml_string(STANDING)
    data = mujoco.MjData(model)
    for _ in range(3000):
        mujoco.mj_step(model, data)
    read = at_rest(20)
    for i in range(model.nsensor):
        name, first = model.sensor(i).name, model.sensor_adr[i]
        expected = data.sensordata[first : first + model.sensor_dim[i]]
        # after 3 s MuJoCo's soft contact is at rest to 5e-7
        np.testing.assert_allclose(read[name], expected, atol=1e-5, err_msg=name)


def standing_brick():
    sensors = [
        st.Sensor("touch", kind="touch", link="brick"),
        st.Sensor("contact", kind="contact", link="brick"),
        st.Sensor("force", kind="contactforce", link="brick", rotation=(0.0, 1.0, 0.0, 0.0)),
        st.Sensor("acceleration", kind="accelerometer", link="brick"),
    ]
    return st.robots.brick(mass=2.0).with_sensors(sensors)


def test_contact_begins_when_a_force_acts():
    world = st.World(standing_brick())
    simulation = st.Simulation(world, state=world.standing(above=2e-4), dt=0.001)
    assert np.isnan(simulation.sensors["contact"]).all()
    simulation.step()
    flying = simulation.sensors
    assert (flying["contact"], flying["touch"]) == (0.0, 0.0)
    np.testing.assert_allclose(flying["acceleration"], 0.0, atol=1e-9)  # falls freely
    simulation.step(n=30)
    read = simulation.sensors
    assert read["contact"] == 1.0
    np.testing.assert_allclose(read["touch"], 2.0 * WEIGHT, rtol=1e-6)
    np.testing.assert_allclose(read["force"], [0.0, 0.0, -2.0 * WEIGHT], atol=1e-5)  # its z is down


def test_bodies_feel_each_other():
    """A brick on a plate that is a robot of its own."""
    plate = st.robots.box(size=(0.4, 0.4, 0.1), mass=3.0).named("plate")
    below = plate.with_sensors(st.Sensor("below", kind="contactforce", link="box"))
    brick = standing_brick().at((0.0, 0.0, 0.13))
    world = st.World(below.at((0.0, 0.0, 0.05)), brick)
    simulation = st.Simulation(world, state=world.home())
    simulation.step(n=10)
    read = simulation.sensors
    np.testing.assert_allclose(read["touch"], 2.0 * WEIGHT, rtol=1e-6)
    # the weights of both from the ground, minus that of the brick on it
    np.testing.assert_allclose(read["below"], [0.0, 0.0, 3.0 * WEIGHT], atol=1e-5)


def test_a_push_is_felt_in_the_joint_between():
    robot = st.Robot.from_description(read_mjcf_text(STANDING, "standing.xml"))
    world = st.World(robot)
    push = st.Push("body", (0.0, 0.0, 0.1), (0.0, 0.0, -10.0), 0.0, 1.0)
    settings = {"state": world.standing(), "forces": [push], "dt": 0.001}
    simulation = st.Simulation(world, **settings)
    simulation.step(n=20)
    expected = [0.0, 0.0, 5.0 * WEIGHT + 10.0]
    np.testing.assert_allclose(simulation.sensors["body force"], expected, atol=1e-6)
    motion = st.simulate(world, duration=0.02, **settings)
    read = motion.sensors(forces=[push])
    np.testing.assert_array_equal(read["body force"][-2], simulation.sensors["body force"])
    with pytest.raises(st.StictionError, match="external forces, which a motion does not store"):
        motion.sensors()
    assert np.isfinite(motion.sensor("sole touch")[:-1]).all()
