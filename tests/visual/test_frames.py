"""What is drawn of a motion at the rate of pictures."""

import numpy as np
import pytest

import stiction as st
from drawn import DT, FALLS, HEIGHT, fallen_brick
from recorded import recorded
from stiction.metrics import ContactState
from stiction.visual.frames import WEIGHT, Film, rows_at, sampled, support_polygon


def whole_film(motion):
    return Film(motion, np.arange(len(motion)))


def test_rows_are_those_nearest_to_the_times_of_pictures():
    motion = fallen_brick()
    np.testing.assert_array_equal(rows_at(motion, 1 / DT), np.arange(len(motion)))
    np.testing.assert_array_equal(rows_at(motion, 0.25 / DT), [0, 4, 8, 12, 16, 20])
    np.testing.assert_array_equal(rows_at(motion, 1 / DT, speed=4.0), [0, 4, 8, 12, 16, 20])


@pytest.mark.parametrize("fps, speed", [(0, 1), (-1, 1), (1e9, 1), (30, 0), (30, np.inf)])
def test_impossible_rates_are_refused(fps, speed):
    with pytest.raises(st.StictionError, match="give"):
        rows_at(fallen_brick(), fps, speed)


def test_the_last_sample_gets_the_forces_before_it():
    motion = recorded(np.ones((3, 8, 3)), solver=np.zeros((3, 3)))
    assert np.isnan(motion.force[-1]).all()
    np.testing.assert_array_equal(sampled(motion, np.array([3])).force, np.ones((1, 8, 3)))


def test_nothing_touches_in_the_air():
    contacts = whole_film(fallen_brick()).contacts(0)
    for part in contacts:
        assert len(part) == 0


def test_arrows_add_up_to_the_weight_and_stand_on_the_lower_corners():
    film = whole_film(fallen_brick())
    contacts = film.contacts(FALLS)
    tails, tips = contacts.arrows[:, 0], contacts.arrows[:, 1]
    assert len(tails) == 4
    np.testing.assert_allclose(tails[:, 2], 0.0, atol=1e-12)
    assert (tips - tails)[:, 2].sum() == pytest.approx(WEIGHT * film.size)
    assert (contacts.states == ContactState.SLIP).all()


def test_the_tip_of_a_sliding_points_force_is_on_the_rim_of_its_cone():
    contacts = whole_film(fallen_brick()).contacts(FALLS)
    apex, axis, radius = contacts.cones[:, :3], contacts.cones[:, 3:6], contacts.cones[:, 6]
    tips = contacts.arrows[:, 1]
    np.testing.assert_allclose(np.linalg.norm(tips - apex - axis, axis=1), radius)


def test_zero_moment_point_is_inside_the_support_polygon():
    contacts = whole_film(fallen_brick()).contacts(FALLS + 5)
    low, high = contacts.polygon.min(axis=0), contacts.polygon.max(axis=0)
    assert len(contacts.polygon) == 4
    assert (low[:2] <= contacts.zmp[0, :2]).all() and (contacts.zmp[0, :2] <= high[:2]).all()


def test_size_and_base_are_those_of_the_robot():
    film = whole_film(fallen_brick())
    robot = st.robots.brick()
    assert film.size == pytest.approx(2 * robot.shape_size.max())
    assert film.base[0, 2] - film.base[-1, 2] == pytest.approx(HEIGHT)


def test_a_polygon_of_many_points_has_the_corners_only():
    points = np.array([[x, y, 0.1] for x in range(3) for y in range(3)], float)
    corners = support_polygon(points)
    assert sorted(map(tuple, corners[:, :2])) == [(0, 0), (0, 2), (2, 0), (2, 2)]
