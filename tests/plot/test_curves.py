"""What can be drawn of a motion."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.plot import ITEMS, base_positions, compare, deepest, lean, touched_links


@pytest.fixture(scope="module")
def fallen():
    """A brick that fell flat on the ground."""
    world = st.World(st.robots.brick())
    floor = st.SpringDamper(stiffness=1e4, damping=100.0)
    return st.simulate(world, floor, state=world.standing(above=0.001), duration=0.03, dt=0.001)


def labels(figure):
    return [panel.get_ylabel() for panel in figure.axes]


def test_a_notebook_shows_a_figure_as_a_picture(fallen):
    assert fallen.plot("base height")._repr_png_().startswith(b"\x89PNG")


def test_every_item_has_a_panel_with_its_unit(fallen):
    figure = fallen.plot(*ITEMS)
    assert len(figure.axes) == len(ITEMS)
    assert figure.axes[-1].get_xlabel() == "time [s]"
    without = ("momentum", "contact phases")  # a legend of two units, a row for each foot
    for item, label in zip(ITEMS, labels(figure), strict=True):
        assert "[" in label or item in without


def test_force_depth_and_height_are_those_of_the_motion(fallen):
    force, depth, height = fallen.plot("contact force", "depth", "base height").axes
    (drawn,) = force.lines
    np.testing.assert_array_equal(drawn.get_ydata(), fallen.force.sum(axis=1)[:, 2])
    assert touched_links(fallen) == ["brick"]
    np.testing.assert_array_equal(depth.lines[0].get_ydata()[:-1], 1000 * deepest(fallen)[:-1])
    np.testing.assert_allclose(height.lines[0].get_ydata(), fallen.q[:, 2])


def test_a_joint_can_be_drawn_and_what_cannot_is_told():
    world = st.World(st.robots.biped10(), ground=None)
    motion = st.simulate(world, contact=None, duration=0.002)
    assert labels(motion.plot("left_knee")) == ["position [rad or m]"]
    with pytest.raises(InputError, match="'energy'.*'depth'.*joint; found 'left_wing'"):
        motion.plot("left_wing")


def test_bases_of_several_robots_are_told_apart():
    ball, brick = st.robots.ball(), st.robots.brick().at((1.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    motion = st.simulate(st.World(ball, brick), contact=None, duration=0.002)
    heights = [base_positions(motion, k)[0, 2] for k in (0, 1)]
    np.testing.assert_allclose(heights, motion.q[0, [2, 9]])
    assert len(motion.plot("base height").axes[0].lines) == 2


def test_lean_is_the_angle_from_upright_whatever_the_heading():
    world = st.World(st.robots.brick(), ground=None)
    state = world.home()
    turn, tilt = np.array([np.cos(0.4), 0, 0, np.sin(0.4)]), np.array([np.cos(0.15), np.sin(0.15)])
    state.q[3:7] = [turn[0] * tilt[0], turn[0] * tilt[1], turn[3] * tilt[1], turn[3] * tilt[0]]
    motion = st.simulate(world, contact=None, duration=0.001, state=state)
    assert lean(motion)[0] == pytest.approx(np.degrees(0.3))


@pytest.mark.parametrize("count", [1, 4])
def test_motions_are_compared_side_by_side(fallen, count):
    figure = compare({f"floor {k}": fallen for k in range(count)}, pushed=(0.01, 0.02))
    shown = [panel for panel in figure.axes if panel.get_visible()]
    assert len(shown) == count + 3
    assert shown[0].get_title() == "floor 0, dt 1 ms"
    weight = 2.0 * 9.81
    drawn = shown[0].lines[0].get_ydata()[:-1]
    np.testing.assert_allclose(drawn, fallen.force.sum(axis=1)[:-1, 2] / weight)
    assert all(len(panel.lines) == count for panel in shown[count:])


def test_base_and_lean_of_a_planar_robot_are_those_of_the_link_that_turns():
    world = st.World(st.robots.biped14(planar=True), ground=None)
    state = world.home()
    state.q[:3] = 0.5, 1.2, 0.3
    motion = st.simulate(world, contact=None, duration=0.0, state=state)
    np.testing.assert_allclose(base_positions(motion)[0], [0.5, 0.0, 1.2], atol=1e-15)
    assert lean(motion)[0] == pytest.approx(np.degrees(0.3))
