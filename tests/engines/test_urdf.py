"""Robots as URDF: what is written is read back by our own reader."""

import numpy as np
import pytest

import stiction as st
from mechanisms import pendulum, slider
from stiction.description.rotation import Pose, about, matrix
from stiction.engines.urdf import principal, roll_pitch_yaw, urdf_of
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted


def read_back(robot, folder, **options):
    path = folder / "robot.urdf"
    path.write_text(urdf_of(robot, **options))
    return st.load(path)


def test_a_humanoid_comes_back_with_its_masses_inertias_joints_and_limits(tmp_path):
    robot = st.robots.hoap1()
    again = read_back(robot, tmp_path)
    assert again.link_name.tolist() == robot.link_name.tolist()
    assert again.joint_name[1:].tolist() == robot.joint_name[1:].tolist()
    for field in ("mass", "centre", "inertia", "joint_axis", "joint_position", "joint_rotation"):
        ours, theirs = getattr(robot, field), getattr(again, field)
        # angles of rotations pass through text and trigonometry
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-14), field
    for field in ("lower", "upper", "damping"):
        assert np.allclose(getattr(robot, field)[6:], getattr(again, field)[6:]), field


def test_a_fixed_robot_stands_where_its_base_is(tmp_path):
    base = Pose(np.array([1.0, 2.0, 3.0]), matrix(about((0.0, 0.0, 1.0), 0.4)))
    robot = slider()
    assert np.allclose(read_back(robot, tmp_path, base=base).joint_position[0], [1.0, 2.0, 3.0])


def test_shapes_come_back_with_their_sizes(tmp_path):
    robot = st.robots.brick()
    again = read_back(robot, tmp_path, shapes=robot.shape_collides)
    assert np.allclose(again.shape_size, robot.shape_size)
    assert len(read_back(robot, tmp_path).shape_name) == 0


@pytest.mark.parametrize("pitch", [0.3, np.pi / 2, -np.pi / 2])
def test_angles_of_a_rotation_make_it_again(pitch):
    turns = [about((0, 0, 1), 0.7), about((0, 1, 0), pitch), about((1, 0, 0), -1.1)]
    wanted = matrix(turns[0]) @ matrix(turns[1]) @ matrix(turns[2])
    roll, found, yaw = roll_pitch_yaw(wanted)
    again = matrix(about((0, 0, 1), yaw)) @ matrix(about((0, 1, 0), found))
    assert np.allclose(again @ matrix(about((1, 0, 0), roll)), wanted, atol=1e-8)


def test_principal_axes_make_the_inertia_again():
    six = np.array([2.0, 0.1, -0.2, 3.0, 0.3, 4.0])
    rotation, moments = principal(six)
    again = rotation @ np.diag(moments) @ rotation.T
    assert np.allclose(again, [[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 4.0]])
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_a_shape_that_urdf_lacks_is_refused_by_name():
    robot = st.robots.brick().with_sole_points("brick", 2, 2)
    with pytest.raises(InputError, match="is of kind points; translated are sphere"):
        urdf_of(robot, shapes=robot.shape_collides)
    assert 'name="bob"' in urdf_of(pendulum())
