"""Points of shapes, how far they reach, and convex outlines in a plane."""

import numpy as np
import pytest

import stiction as st
from stiction.world.outlines import convex_outline, link_origin, outline, reach
from stiction.world.soles import at_home

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])


@pytest.mark.parametrize("make", [st.robots.ball, st.robots.box, st.robots.rod, st.robots.brick])
def test_an_outline_reaches_as_far_as_its_shape(make):
    robot = make()
    points = outline(robot, 0)
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        assert (points @ direction).max() == pytest.approx(reach(robot, 0, direction))


def test_no_point_of_an_outline_is_beyond_the_reach_of_its_shape():
    robot = st.robots.hanavan()
    directions = np.random.default_rng(4).normal(size=(20, 3))
    for shape in range(len(robot.shape_name)):
        own = (outline(robot, shape) - robot.shape_position[shape]) @ robot.shape_rotation[shape]
        for n in directions / np.linalg.norm(directions, axis=1)[:, None]:
            assert (own @ n).max() <= reach(robot, shape, n) + 1e-12


def test_the_origin_of_a_link_is_where_its_frame_is():
    robot = st.robots.ball().at((1.0, 2.0, 3.0))
    assert link_origin(at_home(robot), 1) == pytest.approx([1.0, 2.0, 3.0])


def test_the_convex_outline_leaves_out_what_is_inside():
    points = np.vstack([SQUARE, [[1.0, 1.0], [1.0, 0.0], [0.5, 1.5]]])
    corners = convex_outline(points[np.random.default_rng(1).permutation(len(points))])
    assert sorted(map(tuple, corners)) == sorted(map(tuple, SQUARE))
    x, y = corners.T
    area = (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2
    assert area == pytest.approx(4.0)  # positive: counter-clockwise


def test_the_convex_outline_of_points_in_a_line_is_its_ends():
    corners = convex_outline(np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]))
    assert sorted(map(tuple, corners)) == [(0.0, 0.0), (2.0, 2.0)]
