"""`Robot.at`, links at home, and robots that are fixed in the world."""

import dataclasses
import hashlib
from math import cos, inf, nan, pi, sin

import numpy as np
import pytest

from mechanisms import chain, pendulum, slider, top, turned
from stiction import Robot, World, mechanics, robots
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.description.rotation import matrix
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.robot.loops import no_loops
from stiction.robot.placement import fixed, home_poses
from stiction.robot.sensors import undisturbed
from stiction.robot.visuals import no_visuals
from stiction.world.outlines import link_origin

CENTRED = (0.0, 0.0, 0.0)
ARM = Link("arm", 1.2, (0.0, 0.0, -0.1), (0.02, 0.0, 0.0, 0.02, 0.0, 0.01))


# --------------------------------------------------------------------------------------------- at


def test_at_places_a_free_robot_and_leaves_the_original():
    biped = robots.biped10()
    placed = biped.at((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 2.0))
    np.testing.assert_array_equal(placed.home[:7], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(placed.home[7:], biped.home[7:])
    assert placed.placed and not biped.placed
    assert biped.home[0] == 0.0


def test_a_turn_of_one_number_is_about_z():
    box = robots.box().at((1.0, 2.0, 3.0), turn=0.8)
    np.testing.assert_allclose(box.home[3:], [cos(0.4), 0.0, 0.0, sin(0.4)], rtol=1e-15)
    hung = slider().at((0.0, 0.0, 0.0), turn=pi / 2)  # slides along y, which turns into -x
    centre = mechanics.centre_of_mass(World(hung), [0.3])
    np.testing.assert_allclose(centre, [-0.3, 0.0, 0.0], atol=1e-15)


def test_at_moves_a_robot_that_is_fixed_to_the_world():
    swing = pendulum(length=0.5).at((1.0, 2.0, 3.0), turned((1, 0, 0), pi / 2))
    # upright is now -y, and down, where the bob hangs, is +y
    centre = mechanics.centre_of_mass(World(swing), [0.0])
    np.testing.assert_allclose(centre, [1.0, 2.5, 3.0], atol=1e-15)  # one rounding of cos(pi/2)


def arm_on_a_base() -> Robot:
    return Robot.from_description(
        Description(
            "arm",
            "tests",
            links=(Link("base", 1.0, CENTRED, (0.0,) * 6), ARM),
            joints=(
                Joint("floor", "fixed", WORLD, "base", (0.5, 0.0, 0.0)),
                Joint("hinge", "revolute", "base", "arm", (0.0, 0.0, 1.0)),
            ),
            shapes=(Shape("foot", "base", "sphere", (0.1,)), Shape("hand", "arm", "box", (1,) * 3)),
        )
    )


def test_at_keeps_the_place_of_the_joint_and_takes_what_is_fixed_along():
    moved = arm_on_a_base().at((1.0, 2.0, 0.0), turned((0, 0, 1), pi / 2))
    np.testing.assert_allclose(moved.joint_position, [[1.0, 2.5, 1.0]], atol=1e-15)
    np.testing.assert_allclose(moved.frame_position, [[1.0, 2.5, 0.0]], atol=1e-15)
    np.testing.assert_allclose(moved.shape_position, [[1.0, 2.5, 0.0], CENTRED], atol=1e-15)


def test_a_planar_base_moves_in_the_plane_that_was_turned():
    human = robots.hanavan(planar=True)
    placed = human.at((1.0, 2.0, 0.1), turn=pi / 2)
    before, after = (mechanics.centre_of_mass(World(r), r.home) for r in (human, placed))
    np.testing.assert_allclose(after, [1.0 - before[1], 2.0 + before[0], 0.1 + before[2]])
    forward = placed.home.copy()
    forward[0] += 0.5
    ahead = mechanics.centre_of_mass(World(placed), forward)
    np.testing.assert_allclose(ahead - after, [0.0, 0.5, 0.0], atol=1e-14)  # a turn of x
    standing = [World(r).standing() for r in (human, placed)]
    assert standing[1].q[1] == pytest.approx(standing[0].q[1] - 0.1, abs=1e-12)


@pytest.mark.parametrize(
    "position, turn",
    [
        ("nowhere", 0.0),
        ((0.0, 0.0), 0.0),
        (1.0, 0.0),
        ((nan, 0.0, 0.0), 0.0),
        ((0.0, inf, 0.0), (1, 0, 0, 0)),
        (CENTRED, (1, 0, 0)),
        (CENTRED, (0.5,)),
        (CENTRED, (0, 0, 0, 0)),
        (CENTRED, nan),
        (CENTRED, (1, 0, 0, inf)),
        (CENTRED, "left"),
        (CENTRED, np.eye(3)),
    ],
)
def test_at_refuses_what_is_no_place(position, turn):
    with pytest.raises(InputError, match=r"(?s)robot 'ball': at\(.*: give "):
        robots.ball().at(position, turn)


def test_at_refuses_a_robot_with_two_roots():
    links = (dataclasses.replace(ARM, name="a"), dataclasses.replace(ARM, name="b"))
    joints = (Joint("one", "free", WORLD, "a"), Joint("two", "free", WORLD, "b"))
    pair = Robot.from_description(Description("pair", "tests", links, joints))
    with pytest.raises(InputError, match="'pair' has 2 roots"):
        pair.at(CENTRED)


# ----------------------------------------------------------------------------------------- at home

ALL_JOINTS = [
    robots.hoap1().at((0.3, -0.2, 0.5), turned((1, 2, 3), 0.7)),
    robots.hanavan(planar=True).at((0.1, 0.2, 0.3), 0.4),
    dataclasses.replace(top(), home=turned((1, -1, 2), 1.1)),
    dataclasses.replace(chain(4), home=np.array([0.3, -0.8, 1.2, 0.1])),
]


@pytest.mark.parametrize("robot", ALL_JOINTS, ids=lambda robot: robot.name)
def test_links_at_home_are_where_the_kinematics_have_them(robot):
    dynamics = allocate(World(robot).tree)
    forward_kinematics(dynamics, robot.home)
    *poses, world = home_poses(robot)
    assert len(poses) == len(robot.link_name)
    np.testing.assert_array_equal(world.rotation, np.eye(3))
    for link, pose in enumerate(poses, start=1):
        np.testing.assert_allclose(pose.rotation, dynamics.rotation[link], atol=1e-14)
        np.testing.assert_allclose(pose.position, link_origin(dynamics, link), atol=1e-14)


def test_a_fixed_robot_has_its_shapes_and_links_where_they_are_at_home():
    robot = robots.hoap1().at((0.3, -0.2, 0.5), 0.7)
    still = fixed(robot)
    assert (still.nq, still.nv, len(still.parent), still.total_mass) == (0, 0, 0, 0.0)
    assert (still.shape_link == -1).all() and (still.frame_link == -1).all()
    poses = home_poses(robot)
    for i, link in enumerate(robot.shape_link):
        position, rotation = poses[link]
        expected = position + rotation @ robot.shape_position[i]
        np.testing.assert_allclose(still.shape_position[i], expected, atol=1e-15)
        expected = rotation @ robot.shape_rotation[i]
        np.testing.assert_allclose(still.shape_rotation[i], expected, atol=1e-15)
    named = dict(zip(still.frame_name.tolist(), still.frame_position, strict=True))
    assert named.keys() == {*robot.frame_name.tolist(), *robot.link_name.tolist()}
    for name, pose in zip(robot.link_name.tolist(), poses, strict=False):
        np.testing.assert_array_equal(named[name], pose.position)
    for field in ("shape_name", "shape_kind", "shape_size", "shape_material", "vertices"):
        np.testing.assert_array_equal(getattr(still, field), getattr(robot, field))


def test_what_is_fixed_already_stays_as_it_is():
    wall = Shape("wall", WORLD, "box", (0.1, 1.0, 1.0), (2.0, 0.0, 1.0))
    scenery = Robot.from_description(Description("wall", "tests", (), (), (wall,)))
    assert fixed(scenery) is scenery


def test_at_moves_scenery_as_a_whole():
    shapes = (
        Shape("wall", WORLD, "box", (0.1, 1.0, 1.0), (2.0, 0.0, 1.0)),
        Shape("post", WORLD, "cylinder", (0.1, 1.0), (0.0, 1.0, 0.0), tuple(turned((1, 0, 0), 1))),
    )
    scenery = Robot.from_description(Description("yard", "tests", (), (), shapes))
    moved = scenery.at((10.0, 20.0, 0.5), turn=pi / 2)
    np.testing.assert_allclose(
        moved.shape_position, [[10.0, 22.0, 1.5], [9.0, 20.0, 0.5]], atol=1e-14
    )
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    expected = quarter @ matrix(turned((1, 0, 0), 1))
    np.testing.assert_allclose(moved.shape_rotation[1], expected, atol=1e-15)


@pytest.mark.parametrize("robot", [robots.hoap1(), fixed(robots.brick().at(CENTRED, 0.3))])
def test_a_fixed_robot_survives_its_file(robot, tmp_path):
    robot.save(tmp_path / "robot.npz")
    loaded = Robot.load(tmp_path / "robot.npz")
    assert loaded.digest() == robot.digest()
    assert bool(loaded.placed) == bool(robot.placed)


def test_files_without_masks_and_placement_still_load(tmp_path):
    robot = robots.biped10()
    robot.save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        later = ("placed", "shape_body", "shape_mask", "material_bodies", "friction_pairs")
        later = (*later, "friction_pairs_mu")
        later = (*later, "shape_face", "face_normal", "face_corner", "corner_vertex")
        later = (*later, *no_loops(), *no_visuals(), *undisturbed(0))
        older = {name: file[name] for name in file.files if name not in later}
    np.savez_compressed(tmp_path / "old.npz", **older)
    loaded = Robot.load(tmp_path / "old.npz")
    digest = hashlib.sha256()
    for field in dataclasses.fields(Robot):
        left_out = ("name", "source", "notes", "shape_error")
        if field.name in older and field.name not in left_out:
            value = getattr(robot, field.name)
            digest.update(field.name.encode() + str(value.shape).encode() + value.tobytes())
    assert loaded.digest() == robot.digest() == digest.hexdigest()[:16]  # motion files hold it
    assert not loaded.placed
    np.testing.assert_array_equal(loaded.shape_mask, np.ones((len(robot.shape_name), 2)))
