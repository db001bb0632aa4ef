"""Soles found from frames and from shapes, and polygons of support."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.patterns.soles import distance_inside, find_soles

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])


def test_soles_of_frames_are_the_rectangles_under_the_feet():
    left, right = find_soles(st.robots.biped10())
    for sole in (left, right):
        np.testing.assert_allclose(sole.half, [0.08, 0.04], atol=1e-12)
        np.testing.assert_allclose(sole.position, [0.02, 0.0, -0.04], atol=1e-9)
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=1e-9)


def test_soles_without_frames_are_the_same():
    """The lowest links are taken, the left one first."""
    robot = st.robots.biped10()
    nameless = robot.with_colliding("left_foot", "right_foot")
    object.__setattr__(nameless, "frame_name", np.array(["a", "b"]))
    for found, known in zip(find_soles(nameless), find_soles(robot), strict=True):
        assert found.link == known.link
        np.testing.assert_allclose(found.position, known.position, atol=1e-12)


def test_a_turned_base_turns_the_soles_along():
    robot = st.robots.biped10().at((1.0, 2.0, 0.5), (np.cos(0.5), 0.0, 0.0, np.sin(0.5)))
    for found, known in zip(find_soles(robot), find_soles(st.robots.biped10()), strict=True):
        np.testing.assert_allclose(found.position, known.position, atol=1e-9)
        np.testing.assert_allclose(found.rotation, known.rotation, atol=1e-9)


def test_a_robot_without_feet_is_refused():
    with pytest.raises(InputError, match="'ball': no soles found"):
        find_soles(st.robots.ball())


def test_a_foot_that_is_not_there_is_refused_by_name():
    with pytest.raises(InputError, match="no link or frame 'hoof'"):
        find_soles(st.robots.biped10(), ("hoof", "right_foot"))


def test_a_round_foot_is_refused():
    with pytest.raises(InputError, match="'left_shank' has no flat underside"):
        find_soles(st.robots.biped10(), ("left_shank", "right_shank"))


def test_one_foot_is_not_two():
    with pytest.raises(InputError, match="both feet are link 'left_foot'"):
        find_soles(st.robots.biped10(), ("left_foot", "left_sole"))


def test_corners_are_turned_about_the_middle():
    left, _ = find_soles(st.robots.biped10())
    corners = left.corners(1.0, 2.0, np.pi / 2)
    np.testing.assert_allclose(corners.min(axis=0), [0.96, 1.92], atol=1e-12)
    np.testing.assert_allclose(corners.max(axis=0), [1.04, 2.08], atol=1e-12)


@pytest.mark.parametrize(
    ("point", "distance"),
    [((1.0, 1.0), 1.0), ((0.25, 1.0), 0.25), ((2.5, 1.0), -0.5), ((5.0, 6.0), -5.0), ((2, 1), 0.0)],
)
def test_distance_inside_a_square(point, distance):
    assert distance_inside(np.array(point, float), SQUARE) == pytest.approx(distance)
