"""Storage files of OpenSim: read back by our own reader, and equal."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from moved import moved
from stiction.errors import InputError
from stiction.interchange.opensim import has_axes_of_opensim, turns_about_own_axes
from stiction.patterns.opensim import pelvis, read_opensim, with_pelvis
from stiction.visual.poses import matrices, quaternions

pytestmark = pytest.mark.plain


def turned(angles, order):
    """Rotation matrices (n, 3, 3) of turns about axes 0, 1 and 2 of the link, one after another."""
    found = np.eye(3)
    for angle, axis in zip(angles.T, order, strict=True):
        half = np.zeros((len(angle), 4))
        half[:, 0], half[:, 1:] = np.cos(angle / 2), np.outer(np.sin(angle / 2), axis)
        found = found @ matrices(half)
    return found


def test_what_was_written_is_read_back_and_equal(tmp_path):
    motion = moved()
    read = read_opensim(motion.save_sto(tmp_path / "a.sto"), cutoff=None)
    np.testing.assert_array_equal(read.time, motion.time)
    columns = {name: read.q[:, k] for k, name in enumerate(read.joints)}
    np.testing.assert_array_equal(columns["slide_joint"], motion.q[:, 11])
    np.testing.assert_array_equal(columns["hinge_joint"], motion.q[:, 12])
    for part, k, sign in (("tx", 0, 1), ("tz", 1, -1), ("ty", 2, 1)):
        np.testing.assert_array_equal(columns[f"base_{part}"], sign * motion.q[:, k])
    ball = np.column_stack([columns[f"ball_joint_coord_{k}"] for k in range(3)])
    again = turned(ball, np.eye(3))
    np.testing.assert_allclose(again, matrices(motion.q[:, 7:11]), atol=1e-12)  # rounding


def test_the_pelvis_of_gait_models_is_our_free_base(tmp_path):
    motion = moved()
    read = read_opensim(motion.save_sto(tmp_path / "a.sto"), cutoff=None)
    parts = ("tilt", "list", "rotation", "tx", "ty", "tz")
    place, turns = pelvis(read.renamed({f"base_{part}": f"pelvis_{part}" for part in parts}))
    np.testing.assert_array_equal(place, motion.q[:, :3])
    np.testing.assert_allclose(matrices(turns), matrices(motion.q[:, 3:7]), atol=1e-12)


TURNS = {"tilt": "0 0 1", "list": "1 0 0", "rotation": "0 1 0"}
SHIFTS = {"tx": "1 0 0", "ty": "0 1 0", "tz": "0 0 1"}


def pelvis_of_opensim():
    """A model of one body that moves as the pelvis of the gait models."""
    line = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
    axes, coordinates = "", ""
    for kind, moves in (("rotation", TURNS), ("translation", SHIFTS)):
        for k, (name, along) in enumerate(moves.items(), start=1):
            inside = f"<coordinates>pelvis_{name}</coordinates><axis>{along}</axis>{line}"
            axes += f'<TransformAxis name="{kind}{k}">{inside}</TransformAxis>'
            coordinates += f'<Coordinate name="pelvis_{name}"/>'
    return f"""<OpenSimDocument Version="40000"><Model name="body"><gravity>0 -9.81 0</gravity>
      <BodySet><objects><Body name="pelvis"><mass>9</mass><mass_center>0 0 0</mass_center>
        <inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet>
      <JointSet><objects><CustomJoint name="ground_pelvis">
        <socket_parent_frame>p</socket_parent_frame><socket_child_frame>c</socket_child_frame>
        <coordinates>{coordinates}</coordinates><frames>
          <PhysicalOffsetFrame name="p"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame>
          <PhysicalOffsetFrame name="c"><socket_parent>/bodyset/pelvis</socket_parent>
          </PhysicalOffsetFrame></frames>
        <SpatialTransform>{axes}</SpatialTransform>
      </CustomJoint></objects></JointSet></Model></OpenSimDocument>"""


def test_a_floating_pelvis_has_the_coordinates_that_it_has_in_its_file(tmp_path):
    """Its body keeps OpenSim's axes, y up, while links of other robots have ours."""
    path = tmp_path / "body.osim"
    path.write_text(pelvis_of_opensim())
    world = st.World(st.load(path, base="floating"), ground=None)
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # our x, y, z
    np.testing.assert_allclose(matrices(world.home().q[None, 3:7])[0], upright, atol=1e-15)
    angles, place = np.array([[0.2, -0.3, 0.4]]), np.array([0.1, 0.9, -0.2])
    turn = quaternions(upright @ turned(angles, np.eye(3)[[2, 0, 1]]))[0]
    q, none, empty = (
        np.tile([*(upright @ place), *turn], (4, 1)),
        np.zeros((4, 6)),
        np.zeros((4, 0, 3)),
    )
    arrays = (q, none, none, none, empty, empty[..., 0], empty)
    read = read_opensim(
        st.Motion(world, 0.1 * np.arange(4.0), *arrays).save_sto(tmp_path / "a.sto"), cutoff=None
    )
    assert read.joints == tuple(f"pelvis_{name}" for name in (*TURNS, *SHIFTS))
    np.testing.assert_allclose(read.q[0], [*angles[0], *place], atol=1e-12)  # rounding
    joints = replace(read, joints=(), q=np.zeros((4, 0)), v=np.zeros((4, 0)))
    again = np.asarray(with_pelvis(read, joints, world.robots[0]).q)  # the way back
    np.testing.assert_allclose(again[:, :3], q[:, :3], atol=1e-12)
    np.testing.assert_allclose(matrices(again[:, 3:]), matrices(q[:, 3:]), atol=1e-12)


def test_a_floating_body_of_a_file_with_z_up_has_our_axes(tmp_path):
    path = tmp_path / "body.osim"
    path.write_text(pelvis_of_opensim().replace("0 -9.81 0", "0 0 -9.81"))
    robots = st.load(path, base="floating"), st.robots.brick()
    assert [has_axes_of_opensim(robot) for robot in robots] == [False, False]
    assert has_axes_of_opensim(robots[0].at((0.0, 0.0, 1.0), 2.0)) is False


def test_angles_do_not_jump_where_the_order_of_the_turns_is_singular():
    t = np.linspace(0.0, 1.0, 201)
    angles = np.column_stack([0.3 + t, 3.0 * t, 0.2 - t])  # the middle one passes 90 degrees
    found = turns_about_own_axes(turned(angles, np.eye(3)))
    assert np.abs(np.diff(found, axis=0)).max() < 0.1
    np.testing.assert_allclose(
        found, angles, atol=1e-6
    )  # angles near 90 degrees lose half the digits


@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2])
def test_a_singular_rotation_is_kept(middle):
    rotation = turned(np.array([[0.3, middle, 0.5]]), np.eye(3))
    again = turned(turns_about_own_axes(rotation), np.eye(3))
    np.testing.assert_allclose(again, rotation, atol=1e-7)


def test_robots_of_one_name_have_columns_of_their_own(tmp_path):
    world = st.World(st.robots.biped10(), st.robots.biped10())
    none = np.zeros((4, world.nv))
    q = np.tile(world.home().q, (4, 1))
    empty = np.zeros((4, 0, 3))
    time = 0.1 * np.arange(4.0)
    motion = st.Motion(world, time, q, none, none, none, empty, empty[..., 0], empty)
    read = read_opensim(motion.save_sto(tmp_path / "a.sto"), cutoff=None)
    assert len(set(read.joints)) == world.nv
    assert "biped10_2.left_knee" in read.joints


def test_wrong_names_and_motions_are_refused(tmp_path):
    motion = moved(samples=4)
    for path in ("a.mot", None, 3, "/nowhere/a.sto"):
        with pytest.raises(InputError, match="ends in .sto|does not exist"):
            motion.save_sto(path)
    motion.q[0, 0] = np.inf
    with pytest.raises(InputError, match="not finite"):
        motion.save_sto(tmp_path / "a.sto")
    assert list(tmp_path.iterdir()) == []
