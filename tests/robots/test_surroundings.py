"""Plate, stairs and room: where their faces are."""

import numpy as np
import pytest

from stiction import robots
from stiction.errors import InputError


def faces(robot):
    """Lower and upper corners of the boxes of a robot in which nothing moves, by name."""
    assert (robot.nv, len(robot.link_name), robot.total_mass) == (0, 0, 0.0)
    assert (robot.shape_link == -1).all() and robot.shape_collides.all()
    np.testing.assert_array_equal(robot.shape_rotation, [np.eye(3)] * len(robot.shape_name))
    low, high = (robot.shape_position + sign * robot.shape_size for sign in (-1, 1))
    return {str(name): (low[i], high[i]) for i, name in enumerate(robot.shape_name)}


def test_a_plate_is_centred():
    (low, high), *none = faces(robots.plate((0.4, 0.6, 0.02))).values()
    np.testing.assert_allclose(high, [0.2, 0.3, 0.01])
    np.testing.assert_allclose(low, -high)
    assert not none


def test_stairs_lead_up_along_x():
    steps = faces(robots.stairs(rise=0.2, run=0.25, count=4, width=1.2, landing=0.8))
    assert list(steps) == ["step_1", "step_2", "step_3", "step_4"]
    for k, (low, high) in enumerate(steps.values()):
        np.testing.assert_allclose(low, [0.25 * k, -0.6, 0.2 * k], atol=1e-15)
        np.testing.assert_allclose(high, [0.75 + 0.8, 0.6, 0.2 * (k + 1)], rtol=1e-15)


def test_a_room_has_its_inner_size_and_no_gap_in_its_corners():
    walls = faces(robots.room((3.0, 2.0, 2.4), thickness=0.2))
    assert walls["wall_front"][0][0] == 1.5 and walls["wall_rear"][1][0] == -1.5
    assert walls["wall_left"][0][1] == 1.0 and walls["wall_right"][1][1] == -1.0
    for low, high in walls.values():
        assert (low[2], high[2]) == (0.0, 2.4)
    for name in ("wall_front", "wall_rear"):
        low, high = walls[name]
        np.testing.assert_allclose([low[1], high[1]], [-1.2, 1.2])
    for name in ("wall_left", "wall_right"):
        low, high = walls[name]
        assert (low[0], high[0]) == (-1.5, 1.5)


@pytest.mark.parametrize(
    "make, values, complaint",
    [
        (robots.plate, {"size": (1.0, 1.0, 0.0)}, "z is 0.0; give a positive number"),
        (robots.stairs, {"rise": -0.1}, "rise is -0.1; give a positive number"),
        (robots.stairs, {"count": 0}, "count is 0; give a positive integer"),
        (robots.stairs, {"count": 2.5}, "count is 2.5; give a positive integer"),
        (robots.room, {"thickness": 0.0}, "thickness is 0.0; give a positive number"),
    ],
)
def test_impossible_scenery_is_refused(make, values, complaint):
    with pytest.raises(InputError, match=f"{make.__name__}: {complaint}"):
        make(**values)
