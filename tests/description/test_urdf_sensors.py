"""Sensors of Gazebo in URDF files."""

import numpy as np
import pytest

import stiction as st
from stiction.description.urdf import read_urdf_text

pytestmark = pytest.mark.interpreted

LINK = """<link name="%s"><inertial><origin xyz="0 0 -0.1"/><mass value="%s"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
LEG = f"""<robot name="leg">{LINK % ("base", 3)}{LINK % ("shank", 1)}{LINK % ("foot", 0.5)}
  <joint name="knee" type="revolute"><parent link="base"/><child link="shank"/>
    <axis xyz="0 1 0"/><limit effort="10" velocity="1" lower="-1" upper="1"/></joint>
  <joint name="ankle" type="fixed"><parent link="shank"/><child link="foot"/>
    <origin xyz="0 0 -0.2" rpy="0 0 1.5"/></joint>%s</robot>"""


def read(reference, sensor):
    text = f'<gazebo reference="{reference}">{sensor}</gazebo>'
    return read_urdf_text(LEG % text, "leg.urdf")


def test_an_imu_is_at_its_pose():
    description = read(
        "base", '<sensor name="i" type="imu"><pose>1 2 3 0 0 1.5707963267948966</pose></sensor>'
    )
    (frame,), (sensor,) = description.frames, description.sensors
    assert (sensor.kind, sensor.target, frame.link) == ("imu", "i", "base")
    assert frame.position == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(frame.quaternion, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-15)


@pytest.mark.parametrize(("joint", "mass"), [("ankle", 0.5), ("knee", 1.5)])
def test_a_force_torque_says_what_the_child_exerts_on_its_parent(joint, mass):
    """Also at a fixed joint, where such sensors mostly are."""
    description = read(joint, '<sensor name="ft" type="force_torque"/>')
    world = st.World(st.Robot.from_description(description), ground=None)
    found = st.read_sensors(world, world.home(), np.zeros(world.nv))["ft"]
    np.testing.assert_allclose(found[:3], [0.0, 0.0, -mass * 9.81], atol=1e-12)


@pytest.mark.parametrize(
    ("reference", "sensor"),
    [
        ("knee", '<sensor name="s" type="imu"/>'),
        ("base", '<sensor name="s" type="force_torque"/>'),
        ("", '<sensor name="s" type="imu"/>'),
        ("base", '<sensor name="s" type="imu"><pose>1 2 3</pose></sensor>'),
        ("base", '<sensor name="s" type="imu"><pose>1 2 3 0 0 nan</pose></sensor>'),
        ("base", '<sensor name="s" type="imu"><pose>a b c d e f</pose></sensor>'),
        (
            "knee",
            '<sensor name="s" type="force_torque"><force_torque><frame>parent</frame>'
            "</force_torque></sensor>",
        ),
        (
            "knee",
            '<sensor name="s" type="force_torque"><force_torque><measure_direction>'
            "parent_to_child</measure_direction></force_torque></sensor>",
        ),
    ],
)
def test_what_cannot_be_placed_is_noted(reference, sensor):
    description = read(reference, sensor)
    assert not description.sensors
    assert any("cannot be used: s" in note for note in description.notes)


def test_other_types_are_noted_by_the_robot():
    robot = st.Robot.from_description(read("base", '<sensor name="eye" type="camera"/>'))
    assert "sensors of kinds that are not simulated: eye (camera)" in robot.notes
