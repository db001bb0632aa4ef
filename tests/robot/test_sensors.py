"""Sensors of robots: added by code, kept in files, and those of the sample robot of OpenHRP."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.description.mjcf import read_mjcf_text
from stiction.errors import InputError, ModelFileError
from stiction.robot.placement import fixed

pytestmark = pytest.mark.interpreted

ARM = """<mujoco><worldbody><body name="arm"><joint name="hinge"/><geom size="0.1"/>
  <site name="tip" pos="1 0 0"/><body name="tool"><geom size="0.1"/><site name="on_tool"/></body>
  <body name="ball"><joint name="ball" type="ball"/><geom size="0.1"/></body></body>
  </worldbody>%s</mujoco>"""


def arm(more=""):
    return st.Robot.from_description(read_mjcf_text(ARM % more, "arm.xml"))


def test_a_file_gives_noise_and_cutoff():
    robot = arm('<sensor><gyro name="g" site="tip" noise="0.1" cutoff="2"/></sensor>')
    np.testing.assert_array_equal(robot.sensor_noise, [[0.1] * 3 + [0.0] * 7])
    assert robot.sensor_cutoff.tolist() == [2.0]


def test_a_saved_robot_keeps_its_sensors(tmp_path):
    robot = arm('<sensor><force name="f" site="on_tool"/></sensor>').with_sensors(
        [
            st.Sensor("g", kind="gyro", link="tip", position=(0, 0, 1), noise=0.1, delay=0.01),
            st.Sensor("q", kind="jointpos", joint="hinge", bias=0.2, cutoff=3.0),
        ]
    )
    robot.save(tmp_path / "arm.npz")
    loaded = st.Robot.load(tmp_path / "arm.npz")
    names = [name for name in vars(robot) if name.startswith(("sensor_", "frame_"))]
    assert len(names) == 14
    for name in names:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(robot, name), err_msg=name)
    assert loaded.digest() == robot.digest()
    np.testing.assert_array_equal(robot.frame_position[-1], [1.0, 0.0, 1.0])
    assert robot.sensor_part[0, 0] > 0.0  # the mass of the tool, beyond its fixed joint


def test_noise_moves_nothing_and_leaves_the_digest():
    quiet = arm().with_sensors(st.Sensor("g", kind="gyro", link="tip"))
    noisy = arm().with_sensors(st.Sensor("g", kind="gyro", link="tip", noise=0.1))
    assert quiet.digest() == noisy.digest()


def test_a_fixed_robot_has_no_sensors():
    robot = fixed(arm('<sensor><force name="f" site="on_tool"/></sensor>'))
    assert [len(getattr(robot, f"sensor_{name}")) for name in ("name", "noise", "body")] == [0] * 3


WRONG = [
    ({"kind": "sonar"}, "is of kind 'sonar'; known are jointpos"),
    ({"kind": "jointpos"}, "is a jointpos; give joint="),
    ({"kind": "gyro", "joint": "hinge", "link": None}, "is a gyro; give link="),
    ({"kind": "jointpos", "joint": "hinge"}, "give joint=..., and no other"),
    ({"kind": "jointpos", "joint": "knee", "link": None}, "is at joint 'knee'; this robot has"),
    ({"kind": "jointpos", "joint": "ball", "link": None}, "spherical joint 'ball'"),
    ({"kind": "ballquat", "joint": "hinge", "link": None}, "revolute joint 'hinge'"),
    ({"kind": "gyro", "link": "leg"}, "is at 'leg'; this robot has arm"),
    ({"kind": "gyro", "position": (0, 0)}, "position is"),
    ({"kind": "gyro", "rotation": (0, 0, 0, 0)}, "rotation is zero"),
    ({"kind": "gyro", "noise": -1.0}, "has noise"),
    ({"kind": "gyro", "noise": (1.0, 2.0)}, "has 2 numbers as noise; give one, or 3"),
    ({"kind": "gyro", "bias": "much"}, "has bias"),
    ({"kind": "gyro", "delay": -0.1}, "has delay -0.1"),
    ({"kind": "gyro", "delay": (1, 2)}, "has delay"),
    ({"kind": "gyro", "cutoff": float("nan")}, "has cutoff"),
    ({"kind": "gyro", "name": ""}, "give a name"),
]


@pytest.mark.parametrize(("values", "told"), WRONG)
def test_a_wrong_sensor_is_refused(values, told):
    with pytest.raises(InputError, match="with_sensors") as error:
        arm().with_sensors(st.Sensor(**{"name": "s", "link": "arm", **values}))
    assert told in str(error.value)


def test_only_sensors_with_names_of_their_own_are_taken():
    robot = arm().with_sensors(st.Sensor("s", kind="gyro", link="arm"))
    with pytest.raises(InputError, match="no other sensor"):
        robot.with_sensors(st.Sensor("s", kind="gyro", link="arm"))
    with pytest.raises(InputError, match=r"give a list of st\.Sensor"):
        robot.with_sensors(["gyro"])


def test_forces_in_joints_beside_closed_loops_are_not_simulated():
    """The loop carries a part that no reading would hold."""
    loop = '<equality><connect body1="ball" body2="world" anchor="0 0 0"/></equality>'
    robot = arm(f'{loop}<sensor><force name="f" site="tip"/><gyro name="g" site="tip"/></sensor>')
    assert robot.sensor_name.tolist() == ["g"]
    assert any("closed loops carry forces past them: f" in note for note in robot.notes)
    with pytest.raises(InputError, match="closed loops carry forces past it"):
        robot.with_sensors(st.Sensor("f", kind="force", link="tip"))


def test_sensors_that_are_not_simulated_are_noted():
    robot = arm('<sensor><magnetometer name="north" site="tip"/></sensor>')
    assert "sensors of kinds that are not simulated: north (magnetometer)" in robot.notes
    assert st.read_sensors(st.World(robot), st.World(robot).home()) == {}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("sensor_noise", -1.0, "has noise"),
        ("sensor_bias", np.nan, "'sensor_bias' holds"),
        ("sensor_delay", 100.0, "has delay"),
        ("sensor_cutoff", -1.0, "has cutoff"),
        ("sensor_part", np.inf, "'sensor_part' holds"),
        ("sensor_body", "nobody", "'sensor_body' names"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, field, value, told):
    arm('<sensor><force name="f" site="on_tool"/></sensor>').save(tmp_path / "arm.npz")
    with np.load(tmp_path / "arm.npz") as file:
        arrays = dict(file)
    arrays[field] = np.full_like(arrays[field], value, dtype=None)
    np.savez_compressed(tmp_path / "arm.npz", **arrays)
    with pytest.raises(ModelFileError, match="damaged") as error:
        st.Robot.load(tmp_path / "arm.npz")
    assert told in str(error.value)


def test_the_sample_of_openhrp_measures_gravity_at_its_gsensor():
    robot = st.load(data_file("robots", "openhrp3_sample", "sample.wrl"))
    world = st.World(robot)
    read = st.read_sensors(world, world.home(), np.zeros(world.nv))
    assert list(read) == ["gsensor", "gyrometer"]
    assert any("VISION_SENSOR1 (VisionSensor)" in note for note in robot.notes)
    np.testing.assert_allclose(read["gsensor"], [0.0, 0.0, 9.81], atol=1e-12)
    turning = world.home()
    turning.v[3:6] = [0.1, 0.2, 0.3]  # of the base, in its axes
    found = st.read_sensors(world, turning, np.zeros(world.nv))["gyrometer"]
    np.testing.assert_allclose(np.linalg.norm(found), np.linalg.norm([0.1, 0.2, 0.3]))
