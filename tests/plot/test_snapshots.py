"""Snapshots: what a camera sees of shapes, ground and forces."""

import numpy as np
import pytest

import stiction as st
from recorded import LOWER, recorded
from stiction import plot
from stiction.errors import InputError
from stiction.plot.silhouettes import ground_heights, silhouettes
from stiction.plot.snapshots import ARROW, VIEWS, moments
from stiction.world.outlines import outline

SIDE, FRONT, OBLIQUE = VIEWS["side"], VIEWS["front"], VIEWS["oblique"]


def extents(robot, camera, **place):
    world = st.World(robot.at(**place) if place else robot, ground=None)
    (shape,) = silhouettes(world, world.home().q, camera)
    return np.array([shape.corners.min(axis=0), shape.corners.max(axis=0)])


def test_axes_of_a_camera_are_right_up_and_towards_it():
    np.testing.assert_allclose(SIDE.axes(), [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-15)
    np.testing.assert_allclose(FRONT.axes(), [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)
    axes = OBLIQUE.axes()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(axes) == pytest.approx(1.0) and axes[2, 2] > 0  # it looks down


def test_silhouettes_have_the_extents_of_the_shapes():
    brick = st.robots.brick(size=(0.2, 0.1, 0.06))
    np.testing.assert_allclose(extents(brick, SIDE), [[-0.1, -0.03], [0.1, 0.03]])
    np.testing.assert_allclose(extents(brick, FRONT), [[-0.05, -0.03], [0.05, 0.03]])
    seen = extents(brick, SIDE, position=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(seen, [[0.9, 2.97], [1.1, 3.03]])
    rod = st.robots.rod(length=0.5, radius=0.05)
    np.testing.assert_allclose(extents(rod, SIDE), [[-0.05, -0.25], [0.05, 0.25]], atol=1e-12)
    across = extents(rod, OBLIQUE)  # a polygon of 24 corners inside the circle
    assert 0.05 * np.cos(np.pi / 24) <= across[1, 0] <= 0.05


def test_every_shape_of_a_humanoid_is_outlined_by_its_own_points():
    robot = st.robots.hanavan()
    world = st.World(robot, ground=None)
    seen = silhouettes(world, world.home().q, OBLIQUE)
    drawn = [name for name in robot.shape_name if not name.endswith("_points")]
    assert len(seen) == len(drawn)
    assert [one.nearness for one in seen] == sorted(one.nearness for one in seen)
    head = list(robot.shape_name).index("trunk_ellipsoid_2")
    size = np.ptp(outline(robot, head), axis=0) / 2
    np.testing.assert_allclose(size, robot.shape_size[head], rtol=1e-12)


def test_scenery_is_drawn_where_it_is_and_does_not_widen_the_picture():
    room = st.robots.room((3.0, 2.0, 1.0), thickness=0.2)
    world = st.World(st.robots.brick(), ground=None, scenery=room.at((1.0, 0.0, 0.5)))
    seen = silhouettes(world, world.home().q, SIDE)
    assert [one.robot for one in seen].count("room") == 4
    front = max(seen, key=lambda one: one.corners[:, 0].max())
    assert front.link == "world"
    np.testing.assert_allclose(front.corners.min(axis=0), [2.5, 0.5])
    np.testing.assert_allclose(front.corners.max(axis=0), [2.7, 1.5])
    motion = st.simulate(world, contact=None, duration=0.001)
    alone = st.simulate(st.World(st.robots.brick(), ground=None), contact=None, duration=0.001)
    (panel,), (other,) = (plot.snapshots(m, times=1, views=("side",)).axes for m in (motion, alone))
    assert panel.get_xlim() == other.get_xlim()
    assert len(panel.patches) == 5 and len(other.patches) == 1


def test_heights_of_the_ground_are_those_of_its_surface():
    ball = st.robots.ball()
    points = np.array([[0.0, 0.0], [0.35, 1.0], [1.0, -1.0]])
    assert ground_heights(
        st.World(ball, ground=st.Plane(height=0.2)), points, 0.0
    ) == pytest.approx([0.2, 0.2, 0.2])
    slope = st.World(ball, ground=st.Slope(0.3))
    assert ground_heights(slope, points, 0.0) == pytest.approx(np.tan(0.3) * points[:, 0])
    stairs = st.World(ball, ground=st.Steps(0.1, 0.5, 2, start=0.2))
    assert ground_heights(stairs, points, 0.0) == pytest.approx([0.0, 0.1, 0.2], abs=1e-4)
    assert np.isnan(ground_heights(st.World(ball, ground=None), points, 0.0)).all()


@pytest.fixture
def standing():
    """A brick of 2 kg on the ground that carries it, over four moments."""
    force = np.zeros((3, 8, 3))
    force[:, LOWER, 2] = 2.0 * 9.81 / 4
    return recorded(force)


def test_a_strip_has_a_row_per_view_and_a_column_per_time(standing):
    figure = plot.snapshots(standing, times=[0.0, 0.02, 0.03])
    assert len(figure.axes) == 6
    assert [panel.get_title() for panel in figure.axes[:3]] == ["0.00 s", "0.02 s", "0.03 s"]
    assert len(plot.snapshots(standing, times=[0.01], views=("front",)).axes) == 1


def test_moments_are_the_recorded_ones_next_to_the_times(standing):
    assert moments(standing, [0.0, 0.014, 0.016, 0.03]) == [0, 1, 2, 3]
    assert moments(standing, 2) == [0, 3]


def test_one_weight_is_an_arrow_of_its_length_from_the_centre_of_pressure(standing):
    for k in (0.0, 0.03):  # the last moment has the force of the step before
        (panel,) = plot.snapshots(standing, times=[k], views=("side",)).axes
        (arrow,) = panel.texts
        np.testing.assert_allclose(arrow.xyann, [0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(arrow.xy, [0.0, ARROW * 0.2], atol=1e-12)  # its size is 0.2 m


def test_all_pictures_of_a_row_have_the_same_scale_and_follow_the_base():
    world = st.World(st.robots.brick(), ground=None)
    state = world.home()
    state.v[0] = 10.0
    motion = st.simulate(world, contact=None, duration=0.01, dt=0.001, state=state)
    for follow, moved in ((True, 0.1), (False, 0.0)):
        first, last = plot.snapshots(motion, times=2, views=("side",), follow=follow).axes
        widths = [np.ptp(panel.get_xlim()) for panel in (first, last)]
        assert widths[0] == pytest.approx(widths[1])
        assert last.get_xlim()[0] - first.get_xlim()[0] == pytest.approx(moved, abs=1e-9)


def test_the_ground_is_at_the_same_height_in_all_pictures_of_a_fall():
    world = st.World(st.robots.brick())
    motion = st.simulate(
        world, contact=None, duration=0.01, dt=0.001, state=world.standing(above=0.5)
    )
    first, last = plot.snapshots(motion, times=2, views=("side",)).axes
    assert first.get_ylim() == pytest.approx(last.get_ylim(), abs=1e-12)
    assert first.get_ylim()[0] < 0.5 < first.get_ylim()[1]


def test_wrong_times_and_views_are_told(standing):
    with pytest.raises(InputError, match="the motion is from 0 to 0.03 s"):
        plot.snapshots(standing, times=[0.5])
    with pytest.raises(InputError, match="found 0 times; give 1 to 40"):
        plot.snapshots(standing, times=0)
    with pytest.raises(InputError, match="no view 'below'; there are side, front, oblique"):
        plot.snapshots(standing, views=("below",))
