"""Poses in NumPy against the kernels, and quaternions against matrices."""

import numpy as np
import pytest

import stiction as st
from stiction.description.mjcf import read_mjcf_text
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.robot.robot import Robot
from stiction.visual.poses import link_poses, matrices, quaternions, turn_to
from stiction.world.outlines import link_origin

EVERY_JOINT = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/>
  <body pos=".2 .1 0" quat="1 .2 .3 .4"><joint type="ball"/><geom size=".1"/>
    <body pos="0 .3 .1"><joint type="slide" axis="1 2 3"/><geom size=".1"/>
      <body pos=".1 0 0" euler="10 20 30"><joint axis="0 1 1"/><geom size=".1"/></body>
    </body></body></body></worldbody></mujoco>"""


def a_world():
    return st.World(Robot.from_description(read_mjcf_text(EVERY_JOINT, "test")))


def some_configurations(world, count):
    q = np.random.default_rng(3).normal(size=(count, world.nq))
    for first in (3, 7):  # the free joint's quaternion, the ball's
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    return q


def test_poses_are_those_of_the_kernels():
    world = a_world()
    q = some_configurations(world, 5)
    poses = link_poses(world, q)
    for k in range(len(q)):
        dynamics = allocate(world.tree)
        forward_kinematics(dynamics, q[k])
        for link in range(1, len(world.tree.parent)):
            np.testing.assert_allclose(poses.rotation[k, link], dynamics.rotation[link], atol=1e-12)
            np.testing.assert_allclose(
                poses.position[k, link], link_origin(dynamics, link), atol=1e-12
            )


def test_quaternions_give_their_matrices_back():
    q = np.random.default_rng(4).normal(size=(100, 4))
    q[:4] = np.eye(4)  # half turns, where formulas that divide by w fail
    turned = matrices(q)
    np.testing.assert_allclose(matrices(quaternions(turned)), turned, atol=1e-12)


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.6, 0.0, 0.8)])
def test_turn_to_is_a_rotation_of_z_into_the_direction(direction):
    turned = turn_to(np.array(direction, float))
    np.testing.assert_allclose(turned[:, 2], direction, atol=1e-15)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-15)
    assert np.linalg.det(turned) == pytest.approx(1.0)
