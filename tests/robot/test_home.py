"""Another home, and other materials, by the names of joints, links and shapes."""

import numpy as np
import pytest

import stiction as st
from moved import every_joint
from stiction.errors import InputError

pytestmark = pytest.mark.plain

HOAP = st.robots.hoap1()


def test_named_joints_are_moved_and_the_others_stay():
    robot = HOAP.with_home({"left_knee_pitch": 0.5, "right_elbow_pitch": -0.2})
    link = list(HOAP.joint_name).index("left_knee_pitch")
    other = list(HOAP.joint_name).index("right_elbow_pitch")
    expected = HOAP.home.copy()
    expected[HOAP.q_index[[link, other]]] = 0.5, -0.2
    np.testing.assert_array_equal(robot.home, expected)
    assert robot.digest() != HOAP.digest()
    np.testing.assert_array_equal(st.World(robot).home().q, expected)


def test_a_free_base_is_raised_and_turned():
    turn = (0.6, 0.0, 0.0, 0.8)
    robot = HOAP.with_home(height=0.7, turn=turn)
    np.testing.assert_allclose(robot.home[:7], [0.0, 0.0, 0.7, *turn], atol=1e-15)
    np.testing.assert_array_equal(robot.home[7:], HOAP.home[7:])
    assert not robot.placed  # a world may still put it on the ground


def test_a_keyframe_and_a_quaternion_are_homes():
    bent = HOAP.with_home({"left_knee_pitch": 0.9}).with_home("home")
    np.testing.assert_array_equal(bent.home, HOAP.keyframe("home"))
    chain = every_joint().with_home({"ball joint": (0.0, 1.0, 0.0, 0.0), "slide joint": 0.3})
    np.testing.assert_array_equal(chain.home[7:], [0.0, 1.0, 0.0, 0.0, 0.3, 0.0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (({"knee": 0.1},), "'hoap1' has no joint 'knee'; it has trunk_free, "),
        (({3: 0.1},), "has no joint 3; it has"),
        (({"left_knee_pitch": np.nan},), "'left_knee_pitch' is nan; give a finite number in rad"),
        (({"left_knee_pitch": 4.0},), "'left_knee_pitch' is 4; its limits are"),
        (({"left_knee_pitch": (0.1, 0.2)},), "'left_knee_pitch' is .*; give a finite number"),
        (({"trunk_free": 1.0},), "'trunk_free' is free; give height and turn"),
        (("crouch",), "has no keyframe 'crouch'; it has: home"),
        ((0.3,), r"with_home\(0.3\): give a dictionary of positions"),
        (({}, np.inf), "height is inf; give a finite number in m"),
        (({}, None, (1.0, 1.0, 0.0, 0.0)), "turn is .*; give a unit quaternion w x y z"),
        (({}, None, 0.3), "turn is"),
    ],
)
def test_what_cannot_be_a_home_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        HOAP.with_home(*given)


def test_a_robot_without_a_free_base_has_no_height():
    fixed = st.robots.hanavan(planar=True)
    with pytest.raises(InputError, match="has no free base; omit height"):
        fixed.with_home(height=1.0)


# ---------------------------------------------------------------------------------------- materials


def test_a_material_is_given_to_links_and_shapes_by_name():
    shape = str(HOAP.shape_name[0])
    robot = HOAP.with_material("sole", "left_foot", shape)
    left = list(HOAP.link_name).index("left_foot")
    expected = (HOAP.shape_link == left) | (HOAP.shape_name == shape)
    np.testing.assert_array_equal(robot.shape_material == "sole", expected)
    np.testing.assert_array_equal(robot.shape_material[~expected], HOAP.shape_material[~expected])
    assert (HOAP.with_material("rubber").shape_material == "rubber").all()


@pytest.mark.parametrize("part", ["left_hoof", "", None, ["left_foot"], 3])
def test_a_part_that_the_robot_does_not_have_is_refused(part):
    with pytest.raises(InputError, match="with_material: "):
        HOAP.with_material("ice", part)


def test_a_link_that_was_merged_into_its_parent_keeps_its_name():
    text = """<mujoco><worldbody><body name="leg"><freejoint/><geom name="shank" size=".1"/>
      <body name="foot" pos="0 0 -.2"><geom name="sole" size=".05"/></body></body></worldbody>
      </mujoco>"""
    from stiction.description.mjcf import read_mjcf_text

    robot = st.Robot.from_description(read_mjcf_text(text, "leg.xml"))
    iced = robot.with_material("ice", "foot")
    assert (iced.shape_material == "ice").tolist() == [False, True]
