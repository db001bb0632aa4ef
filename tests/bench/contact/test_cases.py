"""The benchmark on the ground compares like with like; speed itself is not tested."""

import mujoco
import numpy as np
import pytest

from conftest import data_file
from stiction.bench.contact.cases import (
    ABOVE,
    FALL,
    FRICTION,
    LAND,
    RADIUS,
    SERVO,
    STAND,
    landing,
    loaded,
    robot_on_points,
    sole_grid,
)
from stiction.bench.data import G1
from stiction.errors import InputError
from stiction.world.contact_points import contact_points_of


@pytest.fixture
def g1():
    return data_file(*G1.split("/"))


@pytest.mark.parametrize("points", sorted({*STAND, *LAND}))
def test_both_engines_get_the_same_points_on_level_soles(g1, tmp_path, points):
    world, model = loaded(robot_on_points(g1, points, SERVO), tmp_path)
    data = mujoco.MjData(model)
    data.qpos[:] = world.standing(above=-0.001).q
    mujoco.mj_forward(model, data)
    contact_points, _, _ = contact_points_of(world)
    assert data.ncon == points == len(contact_points.link)
    np.testing.assert_allclose(data.contact.dist, -0.001, atol=1e-9)
    assert (data.contact.dim == 3).all() and np.ptp(data.contact.friction[:, 0]) == 0
    assert data.contact.friction[0, 0] == FRICTION
    assert (model.actuator_gainprm[:, 0] == SERVO[0]).all() and model.nsensor == 0


def test_the_points_of_a_foot_fill_its_sole():
    grid = np.array(sole_grid(np.array([0.04, 0.0, -0.03]), np.array([0.09, 0.03, 0.01]), 8))
    assert len(grid) == 8 and len(np.unique(grid, axis=0)) == 8
    np.testing.assert_allclose(grid.min(axis=0), [-0.05, -0.03, -0.04 + RADIUS])
    np.testing.assert_allclose(grid.max(axis=0), [0.13, 0.03, -0.04 + RADIUS])


def test_a_landing_begins_just_above_the_ground_at_the_speed_of_a_fall(g1, tmp_path):
    world, model = loaded(robot_on_points(g1, 8, None), tmp_path)
    data = mujoco.MjData(model)
    state = landing(world, model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    mujoco.mj_kinematics(model, data)
    feet = data.geom_xpos[model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE, 2] - RADIUS
    assert feet.min() == pytest.approx(ABOVE, abs=1e-12)
    height = feet.min() + state.v[2] ** 2 / (2 * 9.81)  # all of its energy of falling, as height
    assert height == pytest.approx(FALL)


def test_a_robot_without_such_feet_is_refused(tmp_path):
    file = tmp_path / "ball.xml"
    body = "<body><freejoint/><geom size='1'/></body>"
    file.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(InputError, match="ball.xml: no boxes named left_foot_box_collision"):
        robot_on_points(file, 8, None)
