"""Closed loops of a robot: saved, placed, and merged with what is fixed."""

import numpy as np
import pytest

import stiction as st
from linkages import body, four_bar, hinge, mjcf, robot_of
from stiction.errors import ModelFileError
from stiction.robot.robot import Robot
from stiction.world.loops import closed, loop_errors

pytestmark = pytest.mark.interpreted


def test_a_saved_robot_keeps_its_loops(tmp_path):
    robot = robot_of(four_bar())
    robot.save(tmp_path / "bar.npz")
    loaded = Robot.load(tmp_path / "bar.npz")
    assert loaded.loop_name.tolist() == ["pin"]
    assert loaded.digest() == robot.digest() != robot_of(mjcf(BAR)).digest()
    np.testing.assert_array_equal(loaded.loop_position, robot.loop_position)
    with np.load(tmp_path / "bar.npz") as file:
        arrays = {**file, "loop_link": np.array([[0, 7]])}
    np.savez(tmp_path / "odd.npz", **arrays)
    with pytest.raises(ModelFileError, match="'loop_link' refers to a link"):
        Robot.load(tmp_path / "odd.npz")


FLAG = body("flag", "0 0 -.3", "", ".1 0 0", 0.1)
BAR = body("bar", "0 0 1", hinge("a"), "0 0 -.3", 0.5, FLAG)
HELD = '<connect name="pin" body1="flag" body2="world" anchor=".1 0 0"/>'


def test_a_loop_to_the_world_moves_with_the_robot():
    """The point is on a body that is fixed to the bar."""
    robot = robot_of(mjcf(BAR, HELD))
    np.testing.assert_allclose(robot.loop_position[0], [(0.1, 0.0, -0.3), (0.1, 0.0, 0.7)])
    moved = st.World(robot.at((1.0, 2.0, 3.0), turn=0.7), ground=None)
    q = moved.home().q
    assert loop_errors(moved.robots, moved.tree, q)["MuJoCo Model/pin"] < 1e-12
    still = st.World(robot, ground=None)
    for world in (still, moved):
        open_by = loop_errors(world.robots, world.tree, q + 0.1)["MuJoCo Model/pin"]
        assert open_by == pytest.approx(0.0316, rel=0.1)


def test_scenery_has_no_loops():
    robot = robot_of(four_bar())
    world = st.World(st.robots.ball(), scenery=robot)
    assert loop_errors(world.robots, world.tree, world.home().q) == {}


def test_loops_of_several_robots_are_numbered_in_the_forest():
    ball, bar = st.robots.ball(), robot_of(four_bar())
    world = st.World(ball, bar, bar, ground=None)
    q = world.home().q
    q[[8, 11]] += 0.2, 0.3
    found = loop_errors(world.robots, world.tree, closed(world.robots, world.tree, q))
    assert len(found) == 2 and max(found.values()) < 1e-12
