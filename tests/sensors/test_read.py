"""Readings against MuJoCo's sensordata on random states, without contact."""

import mujoco
import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.collision.terrain import patch_at
from stiction.description.mjcf import read_mjcf_text

EXACT = 1e-9  # relative to the largest number of the sensor, at least 1; measured: 1.3e-12
AT_SITE = (
    *("gyro", "accelerometer", "velocimeter", "force", "torque"),
    *("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis"),
    *("framelinvel", "frameangvel", "framelinacc", "frameangacc"),
)
OF_BODY = ("subtreecom", "subtreelinvel", "subtreeangmom", "framepos", "framequat", "framelinacc")


def elements(sites=(), bodies=(), joints=()):
    """Sensors of every kind at these sites, bodies and joints."""
    made = []
    for kind in AT_SITE:
        for site in sites:
            at = f'objtype="site" objname="{site}"' if "frame" in kind else f'site="{site}"'
            made.append(f'<{kind} name="{kind} {site}" {at}/>')
    for kind in OF_BODY:
        for body in bodies:
            at = f'objtype="xbody" objname="{body}"' if "frame" in kind else f'body="{body}"'
            made.append(f'<{kind} name="{kind} {body}" {at}/>')
    for joint in joints:
        made.append(f'<jointpos name="{joint} q" joint="{joint}"/>')
        made.append(f'<jointvel name="{joint} v" joint="{joint}"/>')
    return "".join(made)


def with_sensors(text, sensors):
    return text.replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")


def free_model(text):
    """The model in MuJoCo with gravity and inertia alone."""
    model = mujoco.MjModel.from_xml_string(text)
    bits = mujoco.mjtDisableBit
    for bit in (bits.mjDSBL_CONTACT, bits.mjDSBL_LIMIT, bits.mjDSBL_ACTUATION):
        model.opt.disableflags |= bit
    model.dof_damping[:], model.dof_frictionloss[:], model.jnt_stiffness[:] = 0.0, 0.0, 0.0
    return model


def largest_errors(text, states, world):
    """Largest error of each sensor over random states, relative to its largest number or 1."""
    model, rng = free_model(text), np.random.default_rng(14)
    data, worst = mujoco.MjData(model), {}
    for _ in range(states):
        data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
        data.qpos[2] += 3.0
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        found = st.read_sensors(world, st.State(data.qpos.copy(), data.qvel.copy()))
        for i in range(model.nsensor):
            name, first = model.sensor(i).name, model.sensor_adr[i]
            expected = data.sensordata[first : first + model.sensor_dim[i]]
            read = found[name]
            if len(read) == 4 and read @ expected < 0:
                read = -read  # the same rotation; ours has w >= 0
            error = np.abs(read - expected).max() / max(1.0, np.abs(expected).max())
            worst[name] = max(worst.get(name, 0.0), error)
    return worst


def test_g1_reads_what_mujoco_reads():
    path = data_file("robots", "mujoco_menagerie", "unitree_g1", "g1_mjx_nomesh.xml")
    text = with_sensors(
        path.read_text(),
        elements(
            ("imu_in_torso", "left_foot", "right_palm"),
            ("pelvis", "torso_link"),
            ("left_knee_joint", "waist_yaw_joint"),
        ),
    )
    robot = st.Robot.from_description(read_mjcf_text(text, "g1.xml"))
    worst = largest_errors(text, 10, st.World(robot, ground=None))
    assert len(worst) == 14 + 3 * 14 + 2 * 6 + 4  # the first are of the file
    assert max(worst.values()) < EXACT, worst


FIXED_JOINTS = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.1" mass="3"/>
    <site name="on_a" pos="0.1 0.05 0" quat="0.9 0.1 0.2 0.3"/>
    <body name="b" pos="0.1 0 -0.2" euler="10 20 30">
      <joint name="hinge" pos="0 0 0.1" axis="0 1 0"/>
      <geom type="capsule" size="0.05 0.1" mass="1"/><site name="on_b" pos="0 0.02 0.1"/>
      <body name="c" pos="0 0 -0.2" euler="5 0 40">
        <geom type="box" size="0.1 0.05 0.02" mass="0.5" pos="0.01 0 0"/>
        <site name="on_c" pos="0.01 0.02 0.03" euler="10 0 0"/>
        <body name="d" pos="0.02 0.01 0.03"><joint name="slide" type="slide" axis="1 0 0"/>
          <geom size="0.04" mass="0.2" pos="0 0.1 0"/><site name="on_d"/></body>
        <body name="e" pos="0.02 -0.1 0.03" euler="90 0 0">
          <geom type="box" size="0.04 0.03 0.02" mass="0.3" pos="0 0.1 0"/>
          <site name="on_e"/></body>
      </body>
      <body name="f" pos="0 0.1 0"><joint name="ball" type="ball"/>
        <geom size="0.02" mass="0.1" pos="0.05 0 0"/><site name="on_f"/></body>
    </body></body></worldbody></mujoco>"""


def test_sensors_at_fixed_joints_read_what_mujoco_reads():
    """MuJoCo keeps bodies without joints apart; we merge them and still know the force between."""
    text = with_sensors(
        FIXED_JOINTS,
        elements([f"on_{name}" for name in "abcdef"], ("b", "f"), ("hinge", "slide"))
        + '<ballquat name="q" joint="ball"/><ballangvel name="w" joint="ball"/>',
    )
    robot = st.Robot.from_description(read_mjcf_text(text, "fixed.xml"))
    assert len(robot.link_name) == 4
    worst = largest_errors(text, 20, st.World(robot))
    assert len(worst) == 6 * 14 + 2 * 6 + 4 + 2
    assert max(worst.values()) < EXACT, worst


def test_an_imu_is_three_sensors_in_one():
    text = with_sensors(FIXED_JOINTS, elements(["on_e"]))
    robot = st.Robot.from_description(read_mjcf_text(text, "fixed.xml"))
    robot = robot.with_sensors(st.Sensor("imu", kind="imu", link="on_e"))
    world, rng = st.World(robot), np.random.default_rng(1)
    state = world.home()
    state.v[:] = rng.normal(size=world.nv)
    found = st.read_sensors(world, state, rng.normal(size=world.nv))
    parts = [found[f"{kind} on_e"] for kind in ("framequat", "gyro", "accelerometer")]
    expected = np.concatenate(parts)  # compiled code may round the same sum in another order
    np.testing.assert_allclose(found["imu"], expected, rtol=1e-14, atol=1e-14)


def test_a_wrench_is_the_opposite_of_force_and_torque():
    """OpenHRP and Gazebo say what the link exerts on its parent."""
    text = with_sensors(FIXED_JOINTS, elements(["on_b"]))
    robot = st.Robot.from_description(read_mjcf_text(text, "fixed.xml"))
    robot = robot.with_sensors(st.Sensor("wrench", kind="wrench", link="on_b"))
    world = st.World(robot)
    found = st.read_sensors(world, world.home(), np.zeros(world.nv))
    expected = -np.concatenate([found["force on_b"], found["torque on_b"]])
    np.testing.assert_array_equal(found["wrench"], expected)
    weight = 9.81 * 2.1  # of b and all that it carries, which hangs on a
    np.testing.assert_allclose(np.linalg.norm(found["wrench"][:3]), weight, rtol=1e-12)


# ------------------------------------------------------------------------------------------- range


BEAM = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" mass="1"/><site name="eye" pos="0.1 0.2 0.3" euler="70 0 0"/>
  </body></worldbody><sensor><rangefinder name="range" site="eye"/></sensor></mujoco>"""


@pytest.mark.interpreted
def test_range_to_a_plane_is_that_of_mujoco():
    model, rng = mujoco.MjModel.from_xml_string(BEAM), np.random.default_rng(3)
    world = st.World(st.Robot.from_description(read_mjcf_text(BEAM, "beam.xml")))
    data, hits = mujoco.MjData(model), 0
    for _ in range(20):
        data.qpos[:], data.qvel[:] = rng.normal(size=7), 0.0
        data.qpos[2] += 4.0
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        if data.sensordata[0] > 100.0:
            continue  # beyond what we look for
        read = st.read_sensors(world, st.State(data.qpos.copy(), np.zeros(6)))["range"]
        np.testing.assert_allclose(read, data.sensordata, rtol=1e-9)
        hits += data.sensordata[0] > 0
    assert 3 < hits < 17  # the others look up


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("ground", "x", "expected"),
    [
        (st.Slope(0.1), 0.0, 2.0),
        (st.Steps(rise=0.2, run=0.4, count=3), -1.0, 2.0),
        (st.Steps(rise=0.2, run=0.4, count=3), 0.7, 1.8),
        (st.Steps(rise=0.2, run=0.4, count=3), 1.1, 1.6),
        (None, 0.0, -1.0),
    ],
)
def test_range_straight_down_is_the_height_above_the_ground(ground, x, expected):
    robot = st.robots.ball(radius=0.1).with_sensors(
        st.Sensor("range", kind="rangefinder", link="ball", rotation=(0, 1, 0, 0))
    )
    world = st.World(robot, ground=ground)
    q = np.array([x, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    read = st.read_sensors(world, st.State(q, np.zeros(6)))["range"]
    np.testing.assert_allclose(read, [expected], rtol=1e-12)


@pytest.mark.interpreted
def test_range_to_a_height_field_ends_on_its_surface():
    rng = np.random.default_rng(5)
    ground = st.HeightField(rng.uniform(0.0, 0.3, (12, 12)), spacing=0.25)
    eye = st.Sensor("range", kind="rangefinder", link="ball", rotation=(0.1, 1.0, 0.2, 0.1))
    where = st.Sensor("eye", kind="framepos", link="ball")
    along = st.Sensor("z", kind="framezaxis", link="ball", rotation=(0.1, 1.0, 0.2, 0.1))
    world = st.World(st.robots.ball(radius=0.1).with_sensors([eye, where, along]), ground=ground)
    state = st.State(np.array([0.1, -0.2, 1.0, 1.0, 0.0, 0.0, 0.0]), np.zeros(6))
    read = st.read_sensors(world, state)
    end = read["eye"] + read["range"] * read["z"]
    assert abs(end[2] - patch_at(ground.bind(), end[0], end[1]).height) < 1e-12
