"""Grids of points under a sole."""

from dataclasses import replace

import numpy as np
import pytest

from mechanisms import turned
from stiction import Motion, Robot, SpringDamper, World, robots, simulate
from stiction.cli import main
from stiction.description.description import (
    WORLD,
    Description,
    Joint,
    Link,
    Shape,
)
from stiction.description.rotation import matrix
from stiction.errors import InputError

CENTRED = (0.0, 0.0, 0.0)


def points_of(robot: Robot, name: str) -> np.ndarray:
    """The points of a shape in its own frame."""
    shape = int(np.flatnonzero(robot.shape_name == name)[0])
    return robot.vertices_of(shape)


def test_a_grid_of_points_fills_the_lowest_face_of_a_box():
    biped = robots.biped10()
    robot = biped.with_sole_points("left_foot", along=9, across=4)
    grid = points_of(robot, "left_foot_box_points")
    x, y = np.meshgrid(np.linspace(-0.08, 0.08, 9), np.linspace(-0.04, 0.04, 4))
    wanted = np.column_stack([x.ravel(), y.ravel(), np.full(36, -0.01)])
    np.testing.assert_allclose(grid, wanted, atol=1e-15)
    np.testing.assert_array_equal(robot.shape_position[-1], [0.02, 0.0, -0.03])
    colliding = robot.shape_name[robot.shape_collides]
    assert "left_foot_box_points" in colliding and "left_foot_box" not in colliding
    assert len(colliding) == biped.shape_collides.sum()
    assert World(robot).standing().q[2] == World(biped).standing().q[2]


def test_the_lowest_face_is_found_in_the_home_configuration():
    standing = robots.brick(size=(0.06, 0.1, 0.2)).at(CENTRED, turned((0.0, 1.0, 0.0), np.pi / 2))
    grid = points_of(standing.with_sole_points("brick_shape", 3, 2), "brick_shape_points")
    assert (grid[:, 0] == 0.03).all()  # x of the brick points down
    assert sorted(set(grid[:, 2])) == [-0.1, 0.0, 0.1] and sorted(set(grid[:, 1])) == [-0.05, 0.05]


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.3])
def test_a_grid_fills_the_rectangle_around_the_lowest_face_of_a_hull(angle):
    """Whatever the axes of the mesh are, and though it is narrower at the top."""
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.04, 0.04) for z in (0.0, 0.03)])
    corners[corners[:, 2] > 0, :2] *= 0.5
    turn = turned((0.3, 1.0, 0.2), angle)
    R = matrix(turn)
    robot = foot(corners @ R, turn).with_sole_points("foot", 5, 3)
    grid = points_of(robot, "mesh_points") @ R.T
    wanted = np.array([[x, y, 0.0] for x in np.linspace(-0.1, 0.1, 5) for y in (-0.04, 0.0, 0.04)])
    for point in wanted:
        assert np.abs(grid - point).sum(axis=1).min() < 1e-12
    assert len(grid) == 15


def foot(vertices, quaternion=(1.0, 0.0, 0.0, 0.0), collides=True) -> Robot:
    """A free link with a hull."""
    points = tuple(map(tuple, np.asarray(vertices, float).tolist()))
    mesh = Shape("mesh", "foot", "hull", (), quaternion=tuple(quaternion), vertices=points)
    mesh = replace(mesh, collides=collides)
    link = Link("foot", 1.0, CENTRED, (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    free = Joint("free", "free", WORLD, "foot")
    return Robot.from_description(Description("sole", "tests", (link,), (free,), (mesh,)))


def test_points_of_a_sole_survive_files(tmp_path):
    robot = robots.biped10().with_sole_points("left_foot_box", 9, 4)
    robot.save(tmp_path / "robot.npz")
    loaded = Robot.load(tmp_path / "robot.npz")
    assert loaded.digest() == robot.digest() != robots.biped10().digest()
    np.testing.assert_array_equal(
        points_of(loaded, "left_foot_box_points"), points_of(robot, "left_foot_box_points")
    )
    motion = simulate(World(robot), SpringDamper(), duration=0.0)
    motion.save(tmp_path / "motion.h5")
    assert Motion.load(tmp_path / "motion.h5").world.digest() == World(robot).digest()
    assert motion.parameters["contact_points"].count("biped10/left_foot_box_points") == 36


def test_the_command_line_tells_of_points(tmp_path, capsys):
    robots.biped10().with_sole_points("left_foot_box", 9, 4).save(tmp_path / "robot.npz")
    assert main(["robots", str(tmp_path / "robot.npz")]) == 0
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if "left_foot_box_points" in line)
    assert row.split() == ["left_foot_box_points", "left_foot", "points", "yes"]
    sole = next(line for line in printed.split("soles:")[1].splitlines() if "left_foot" in line)
    assert sole.split() == ["left_foot", "0.16", "0.08", "0"]


def test_a_brick_on_a_grid_of_points_carries_its_weight_on_all_of_them():
    world = World(robots.brick(mass=3.6).with_sole_points("brick", 9, 4))
    depth = 3.6 * 9.81 / 8 / 1e4  # 36 points share the stiffness of 8
    state = world.standing(above=-depth)
    motion = simulate(world, SpringDamper(stiffness=1e4), duration=0.01, dt=1e-3, state=state)
    assert motion.force.shape[1] == 36
    np.testing.assert_allclose(motion.force[:-1, :, 2], 3.6 * 9.81 / 36, rtol=1e-9)
    np.testing.assert_allclose(motion.q[-1], state.q, atol=1e-12)


@pytest.mark.parametrize(
    "name, along, across, complaint",
    [
        ("foot", 3, 3, "'foot' is not a shape; give the name of one box, hull or set of"),
        ("left_thigh", 3, 3, "'left_thigh' is capsule 'left_thigh_capsule'; give the name of one"),
        ("left_foot", 0, 3, "along is 0; give a positive integer"),
        ("left_foot", 3, 2.5, "across is 2.5; give a positive integer"),
    ],
)
def test_with_sole_points_says_what_is_wrong(name, along, across, complaint):
    with pytest.raises(InputError, match=f"robot 'biped10': with_sole_points: {complaint}"):
        robots.biped10().with_sole_points(name, along, across)


@pytest.mark.parametrize("planar", [True, False])
def test_points_under_a_foot_are_replaced_by_another_grid(planar):
    """Hanavan's feet have 6 x 3 points from the start; the sole is 0.265 x 0.095 m."""
    robot = robots.hanavan(planar=planar)
    before = points_of(robot, "left_foot_points")
    same = points_of(robot.with_sole_points("left_foot", 6, 3), "left_foot_points_points")
    assert len(same) == 18
    for point in before:
        assert np.abs(same - point).sum(axis=1).min() < 1e-12
    finer = robot.with_sole_points("left_foot", 11, 5)
    grid = points_of(finer, "left_foot_points_points")
    assert len(grid) == 55
    np.testing.assert_allclose(np.ptp(grid, axis=0), [0.265, 0.095, 0.0], atol=1e-12)
    assert [str(finer.shape_name[k]) for k in np.flatnonzero(finer.shape_collides)].count(
        "left_foot_points"
    ) == 0


def test_points_in_a_row_span_no_sole():
    row = robots.hanavan().with_sole_points("left_foot", 6, 1)
    with pytest.raises(InputError, match="the points do not lie in a plane"):
        row.with_sole_points("left_foot", 3, 3)


def test_a_flat_hull_has_no_lowest_face():
    flat = foot([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0.1, 0.1, 0]], collides=False)
    with pytest.raises(InputError, match="this hull is flat and has no lowest face"):
        flat.with_sole_points("mesh", 3, 3)
