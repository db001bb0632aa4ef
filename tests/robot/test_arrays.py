"""Fixed joints merged into the arrays of a `Robot`."""

import dataclasses

import numpy as np
import pytest

from mechanisms import turned
from stiction import Robot, World, mechanics
from stiction.description.description import (
    WORLD,
    Description,
    Joint,
    Link,
)
from stiction.errors import DescriptionError

ARM = np.array([[0.0, 0.0, 0.0], [0.02, 0.01, -0.3], [-0.01, 0.03, -0.15], [0.02, -0.04, -0.1]])
PLATE = np.array([[0.0, 0.0, 0.1], [0.05, 0.0, 0.0], [0.0, 0.07, 0.02], [-0.03, 0.01, 0.05]])
TURN = 0.7  # of the plate in the arm, about z [rad]
SHIFT = np.array([0.1, -0.05, -0.3])  # of the plate in the arm [m]


def body(name: str, points: np.ndarray) -> Link:
    """A link made of point masses of 0.3 kg."""
    centre = points.mean(axis=0)
    r = points - centre
    inertia = 0.3 * ((r**2).sum() * np.eye(3) - r.T @ r)
    six = inertia[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return Link(name, 0.3 * len(points), tuple(centre), tuple(six))


def in_arm(points) -> np.ndarray:
    """Points of the plate in the arm's frame."""
    c, s = np.cos(TURN), np.sin(TURN)
    return np.asarray(points) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T + SHIFT


def with_plate() -> Robot:
    """Arm, a plate fixed to it, a hand on the plate."""
    quaternion = tuple(turned((0, 0, 1), TURN))
    joints = (
        Joint("shoulder", "revolute", WORLD, "arm", (0.0, 0.0, 1.0), axis=(0.6, 0.8, 0.0)),
        Joint("weld", "fixed", "arm", "plate", tuple(SHIFT), quaternion),
        Joint("wrist", "revolute", "plate", "hand", (0.0, 0.02, 0.1), axis=(1.0, 0.0, 0.0)),
    )
    links = (body("arm", ARM), body("plate", PLATE), body("hand", ARM))
    return Robot.from_description(Description("welded", "tests", links, joints))


def without_plate() -> Robot:
    """The same mechanism, whose arm is made of all the points."""
    quaternion = tuple(turned((0, 0, 1), TURN))
    place = tuple(in_arm((0.0, 0.02, 0.1)))
    joints = (
        Joint("shoulder", "revolute", WORLD, "arm", (0.0, 0.0, 1.0), axis=(0.6, 0.8, 0.0)),
        Joint("wrist", "revolute", "arm", "hand", place, quaternion, axis=(1.0, 0.0, 0.0)),
    )
    links = (body("arm", np.concatenate([ARM, in_arm(PLATE)])), body("hand", ARM))
    return Robot.from_description(Description("in one piece", "tests", links, joints))


def test_merging_a_fixed_link_keeps_the_dynamics():
    merged, whole = World(with_plate()), World(without_plate())
    assert merged.nv == whole.nv == 2
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, v = rng.uniform(-3, 3, (2, 2))
        H = mechanics.inertia(whole, q)
        b = mechanics.bias_force(whole, q, v)
        # a few hundred roundings of 1e-16 at most, of numbers of the size of the largest
        assert np.abs(mechanics.inertia(merged, q) - H).max() < 1e-13 * np.abs(H).max()
        assert np.abs(mechanics.bias_force(merged, q, v) - b).max() < 1e-13 * np.abs(b).max()


def test_a_merged_link_stays_as_a_frame_with_its_jacobian():
    world = World(with_plate())
    angle = 0.4
    J = mechanics.jacobian(world, [angle, 1.1], "plate")
    axis = np.array([0.6, 0.8, 0.0])
    r = SHIFT  # Rodrigues' formula turns it with the shoulder
    turned_r = (
        r * np.cos(angle)
        + np.cross(axis, r) * np.sin(angle)
        + axis * (axis @ r) * (1 - np.cos(angle))
    )
    np.testing.assert_allclose(J[:3, 0], np.cross(axis, turned_r), atol=1e-15)  # one rounding
    np.testing.assert_allclose(J[3:, 0], axis, atol=1e-15)
    np.testing.assert_array_equal(J[:, 1], 0.0)  # the wrist does not move the plate


def test_a_link_fixed_to_the_world_carries_its_children_and_moves_nothing():
    post = Joint("bolted", "fixed", WORLD, "post", (0.0, 0.0, 2.0))
    swing = Joint("hinge", "revolute", "post", "bob", (0.0, 0.0, -0.5), axis=(0.0, 1.0, 0.0))
    links = (Link("post", 7.0, (0, 0, 0), (1, 0, 0, 1, 0, 1)), body("bob", ARM))
    robot = Robot.from_description(Description("post", "tests", links, (post, swing)))
    assert robot.link_name.tolist() == ["bob"]
    assert robot.total_mass == pytest.approx(1.2)  # of the bob alone
    np.testing.assert_array_equal(robot.joint_position[0], [0.0, 0.0, 1.5])
    np.testing.assert_array_equal(mechanics.jacobian(World(robot), [0.3], "post"), np.zeros((6, 1)))


def test_joints_listed_child_before_parent_are_refused():
    links = (body("a", ARM), body("b", ARM))
    joints = (
        Joint("outer", "revolute", "a", "b"),
        Joint("inner", "revolute", WORLD, "a"),
    )
    with pytest.raises(DescriptionError, match="'outer' comes before the joint of its parent 'a'"):
        Robot.from_description(Description("wrong", "tests", links, joints))


def test_a_wrong_description_makes_no_robot():
    links = (dataclasses.replace(body("a", ARM), mass=-1.0),)
    joints = (Joint("hinge", "revolute", WORLD, "a"),)
    with pytest.raises(DescriptionError, match="link 'a' has mass -1"):
        Robot.from_description(Description("wrong", "tests", links, joints))


def test_an_impossible_inertia_is_told_without_the_options_of_files():
    links = (dataclasses.replace(body("a", ARM), inertia=(1.0, 0.0, 0.0, 0.1, 0.0, 0.1)),)
    joints = (Joint("hinge", "revolute", WORLD, "a"),)
    with pytest.raises(DescriptionError, match="sum of the other two; correct them$"):
        Robot.from_description(Description("wrong", "tests", links, joints))


def test_a_robot_that_cannot_move_is_refused():
    links, joints = (body("a", ARM),), (Joint("glue", "fixed", WORLD, "a"),)
    with pytest.raises(DescriptionError, match="no moving joint"):
        Robot.from_description(Description("rock", "tests", links, joints))
