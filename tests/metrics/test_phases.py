"""Phases of contact of feet whose pose and forces are given."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from recorded import LOWER, recorded
from stiction.description.rotation import about
from stiction.errors import InputError
from stiction.metrics import ContactPhase, point_positions

FLIGHT, HEEL, FLAT, TOE = ContactPhase
LENGTH = 0.2  # of the brick
WEIGHT = 2.0 * 9.81


def pitched(angles, loads, heading=0.0, ground=None):
    """A brick on one of its ends, its lowest point on the ground; loads in parts of its weight."""
    brick = st.robots.brick(size=(LENGTH, 0.1, 0.06), mass=2.0)
    world = st.World(brick.at((0, 0, 0), about([0, 0, 1], heading)), ground=ground or st.Plane())
    force = np.zeros((len(loads), 8, 3))
    force[:, LOWER, 2] = np.array(loads)[:, None] * WEIGHT / 4
    motion = recorded(force, world=world)
    q = np.tile(world.home().q, (len(motion), 1))
    across = [-np.sin(heading), np.cos(heading), 0.0]
    for k, angle in enumerate([*angles, angles[-1]]):
        a, b = about(across, angle), about([0, 0, 1], heading)
        w = a[0] * b[0] - a[1:] @ b[1:]
        q[k, 3:7] = [w, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]
        q[k, 2] = 0.0
        q[k, 2] = -point_positions(replace(motion, q=q))[k, :, 2].min()
    return replace(motion, q=q)


def test_a_foot_flies_without_load_and_stands_on_what_is_down():
    motion = pitched([0.0, -0.2, 0.0, 0.2, 0.2], [0.0, 1.0, 1.0, 0.5, 0.0])
    expected = [FLIGHT, HEEL, FLAT, TOE, FLIGHT, FLIGHT]
    assert motion.contact_phases("brick").tolist() == expected


def test_the_last_moment_has_the_load_of_the_step_before():
    assert pitched([0.2], [1.0]).contact_phases("brick").tolist() == [TOE, TOE]


def test_a_thousandth_of_the_weight_is_a_load():
    assert pitched([0.0, 0.0], [0.0009, 0.0011]).contact_phases("brick")[:2].tolist() == [
        FLIGHT,
        FLAT,
    ]


def test_an_end_counts_as_down_within_a_hundredth_of_the_length():
    """Lifted by 0.99 and 1.01 hundredths of its length."""
    small, large = np.arcsin([0.0099, 0.0101])
    phases = pitched([small, large, -small, -large], [1.0] * 4).contact_phases("brick")
    assert phases[:4].tolist() == [FLAT, TOE, FLAT, HEEL]


def test_heel_and_toe_turn_with_the_robot():
    motion = pitched([-0.2, 0.2], [1.0, 1.0], heading=2.0)
    assert motion.contact_phases("brick")[:2].tolist() == [HEEL, TOE]


def test_a_planar_robot_has_phases_along_its_own_x_axis():
    world = st.World(st.robots.biped14(planar=True))
    motion = recorded(np.ones((3, 8, 3)) * 100.0, world=world)
    q = motion.q.copy()
    q[1, 2], q[2, 2] = 0.1, -0.1  # leans forward, backward; toes or heels go down
    motion = replace(motion, q=q)
    for foot in ("left_foot", "right_foot"):
        assert motion.contact_phases(foot)[:3].tolist() == [FLAT, TOE, HEEL]


def test_a_ball_is_flat_or_flies():
    motion = recorded([[[0.0, 0.0, 5.0]], [[0.0, 0.0, 0.0]]], world=st.World(st.robots.ball()))
    assert motion.contact_phases("ball")[:2].tolist() == [FLAT, FLIGHT]


def test_a_link_that_cannot_touch_is_told():
    motion = recorded(np.zeros((1, 8, 3)), world=st.World(st.robots.biped14()))
    with pytest.raises(InputError, match="'trunk' has no colliding shape; .*left_foot, right_foot"):
        motion.contact_phases("trunk")
