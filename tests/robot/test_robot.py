"""`Robot`: its file, merged fixed joints, changed copies, and the built-in robots."""

import dataclasses
import io
from math import inf, nan

import numpy as np
import pytest

from mechanisms import chain, pendulum, top, turned
from stiction import Motion, Robot, SpringDamper, World, load, mechanics, robots, simulate
from stiction.cli import main
from stiction.description.description import (
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Material,
    Sensor,
    Shape,
)
from stiction.description.rotation import matrix
from stiction.errors import DescriptionError, InputError, ModelFileError

FIELDS = [field.name for field in dataclasses.fields(Robot)]
CENTRED = (0.0, 0.0, 0.0)
TETRAHEDRON = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))


def everything() -> Robot:
    """A robot with something in every field."""
    inertia = (0.01, 0.001, 0.0, 0.01, 0.0, 0.01)
    return Robot.from_description(
        Description(
            "everything",
            "tests",
            links=(Link("arm", 1.0, (0.0, 0.0, 0.1), inertia), Link("tool", 0.5, CENTRED, inertia)),
            joints=(
                Joint("shoulder", "revolute", WORLD, "arm", lower=-1.0, friction=0.1),
                Joint("flange", "fixed", "arm", "tool", (0.0, 0.0, 0.2)),
            ),
            shapes=(
                Shape("ball", "tool", "sphere", (0.05,), material="rubber"),
                Shape("wedge", "arm", "hull", (), vertices=TETRAHEDRON),
            ),
            frames=(Frame("tip", "tool", (0.0, 0.0, 0.1)),),
            actuators=(Actuator("motor", "shoulder", gear=3.0, control_upper=2.0),),
            sensors=(Sensor("encoder", "jointpos", "shoulder", "joint"),),
            materials=(Material("rubber", 0.9, 0.8),),
            keyframes=(Keyframe("home", (0.3,), (0.0,), (0.1,)), Keyframe("up", (1.0,), (0.0,))),
            contact_pairs=(("ball", "wedge"),),
            contact_excludes=(("arm", "tool"),),
            notes=("made by hand",),
        )
    )


# ------------------------------------------------------------------------------------------ file


@pytest.mark.parametrize("robot", [everything(), robots.biped10(), robots.ball(), top()])
def test_what_was_saved_is_loaded_exactly(robot, tmp_path):
    path = tmp_path / "robot.npz"
    robot.save(path)
    for loaded in (Robot.load(path), load(path)):
        assert loaded.digest() == robot.digest()
        assert (loaded.name, loaded.source) == (robot.name, robot.source)
        assert isinstance(loaded.name, str)
        for name in set(FIELDS) - {"name", "source"}:
            before, after = getattr(robot, name), getattr(loaded, name)
            assert before.dtype == after.dtype, name
            np.testing.assert_array_equal(before, after, err_msg=name, strict=True)


def test_numpy_alone_reads_the_file(tmp_path):
    path = tmp_path / "robot.npz"
    robots.biped10().save(path)
    with np.load(path, allow_pickle=False) as file:
        assert set(file.files) == {"format", *FIELDS}
        assert str(file["name"]) == "biped10"
        assert file["mass"].sum() == pytest.approx(8.0)


def changed_file(path, **changes) -> None:
    """Save a robot again with other entries; None takes one out."""
    everything().save(path)
    with np.load(path) as file:
        values = {**{key: file[key] for key in file.files}, **changes}
    np.savez(path, **{key: value for key, value in values.items() if value is not None})


@pytest.mark.parametrize("version", [2, 0, "one", [1, 1]])
def test_a_file_of_another_format_is_refused_by_its_number(version, tmp_path):
    path = tmp_path / "future.npz"
    changed_file(path, format=version)
    with pytest.raises(ModelFileError, match=r"future\.npz: robot format .*reads 1") as error:
        Robot.load(path)
    assert str(np.array(version)) in str(error.value)


@pytest.mark.parametrize("changes", [{"mass": None}, {"colour": 3}])
def test_missing_and_unknown_entries_are_named(changes, tmp_path):
    path = tmp_path / "odd.npz"
    changed_file(path, **changes)
    with pytest.raises(ModelFileError, match=rf"odd\.npz: .*{next(iter(changes))}"):
        Robot.load(path)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused_by_name(part, tmp_path):
    path = tmp_path / "cut.npz"
    everything().save(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(ModelFileError, match=r"cut\.npz"):
        Robot.load(path)


def test_a_file_with_one_wrong_byte_is_refused_or_read_right(tmp_path):
    """Some bytes of a zip file mean nothing; a wrong one among the others must not pass unseen."""
    path = tmp_path / "damaged.npz"
    robot = everything()
    robot.save(path)
    data = path.read_bytes()
    refused = 0
    for place in np.random.default_rng(1).integers(len(data), size=200):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            loaded = Robot.load(path)
        except ModelFileError as error:
            assert "damaged.npz" in str(error)
            refused += 1
        else:
            assert loaded.digest() == robot.digest()
    assert refused > 50


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


@pytest.mark.parametrize("content", [b"garbage", b"\x00" * 1000, b"PK\x03\x04 not a zip", npy()])
def test_garbage_is_refused_by_name(content, tmp_path):
    path = tmp_path / "garbage.npz"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"garbage\.npz"):
        Robot.load(path)


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"mass": np.zeros((2, 9))}, "'mass' has shape (2, 9)"),
        ({"mass": np.array([np.nan])}, "'mass' holds a number that is not finite"),
        ({"joint_type": np.array([17])}, "'joint_type'"),
        ({"parent": np.array([0])}, "'parent'"),
        ({"shape_link": np.array([0, 5])}, "'shape_link'"),
        ({"home": np.zeros(3)}, "'home' has shape (3,)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_a_kernel_reads_them(
    changes, complaint, tmp_path
):
    file = tmp_path / "robot.npz"
    dataclasses.replace(everything(), **changes).save(file)
    with pytest.raises(ModelFileError) as caught:
        Robot.load(file)
    assert "robot.npz" in str(caught.value) and complaint in str(caught.value)


def test_a_robot_that_cannot_move_is_refused():
    links, joints = (body("a", ARM),), (Joint("glue", "fixed", WORLD, "a"),)
    with pytest.raises(DescriptionError, match="no moving joint"):
        Robot.from_description(Description("rock", "tests", links, joints))


@pytest.mark.parametrize("read", [Robot.load, load])
def test_a_missing_file_is_refused_by_name(read, tmp_path):
    with pytest.raises(ModelFileError, match=r"nowhere\.npz"):
        read(tmp_path / "nowhere.npz")


def test_load_tells_the_suffixes_that_it_knows(tmp_path):
    path = tmp_path / "robot.step"
    path.write_text("")
    with pytest.raises(ModelFileError, match=r"'\.step'.*\.xml, \.mjcf.*\.npz"):
        load(path)


# ------------------------------------------------------------------------------------------ merging

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


# ------------------------------------------------------------------------------------------ copies


def test_named_changes_the_name_and_nothing_that_moves():
    ball = robots.ball()
    assert ball.named("egg").name == "egg"
    assert ball.named("egg").digest() == ball.digest()
    assert ball.name == "ball"


def test_at_places_a_free_robot_and_leaves_the_original():
    biped = robots.biped10()
    placed = biped.at((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 2.0))
    np.testing.assert_array_equal(placed.home[:7], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(placed.home[7:], biped.home[7:])
    assert biped.home[0] == 0.0


def test_at_moves_a_robot_that_is_fixed_to_the_world():
    swing = pendulum(length=0.5).at((1.0, 2.0, 3.0), turned((1, 0, 0), np.pi / 2))
    # upright is now -y, and down, where the bob hangs, is +y
    centre = mechanics.centre_of_mass(World(swing), [0.0])
    np.testing.assert_allclose(centre, [1.0, 2.5, 3.0], atol=1e-15)  # one rounding of cos(pi/2)


def test_at_keeps_the_place_of_the_joint_and_takes_what_is_fixed_along():
    arm = Robot.from_description(
        Description(
            "arm",
            "tests",
            links=(Link("base", 1.0, CENTRED, (0.0,) * 6), body("arm", ARM)),
            joints=(
                Joint("floor", "fixed", WORLD, "base", (0.5, 0.0, 0.0)),
                Joint("hinge", "revolute", "base", "arm", (0.0, 0.0, 1.0)),
            ),
            shapes=(Shape("foot", "base", "sphere", (0.1,)),),
        )
    )
    moved = arm.at((1.0, 2.0, 0.0), turned((0, 0, 1), np.pi / 2))
    np.testing.assert_allclose(moved.joint_position, [[1.0, 2.5, 1.0]], atol=1e-15)
    np.testing.assert_allclose(moved.frame_position, [[1.0, 2.5, 0.0]], atol=1e-15)
    np.testing.assert_allclose(moved.shape_position, [[1.0, 2.5, 0.0]], atol=1e-15)


@pytest.mark.parametrize(
    "position, quaternion",
    [
        ("nowhere", (1, 0, 0, 0)),
        ((0.0, 0.0), (1, 0, 0, 0)),
        ((0.0, 0.0, 0.0), (1, 0, 0)),
        ((nan, 0.0, 0.0), (1, 0, 0, 0)),
        ((0.0, inf, 0.0), (1, 0, 0, 0)),
        ((0.0, 0.0, 0.0), (0, 0, 0, 0)),
    ],
)
def test_at_refuses_what_is_no_place(position, quaternion):
    with pytest.raises(InputError, match=r"robot 'ball': at\("):
        robots.ball().at(position, quaternion)


def test_at_refuses_a_robot_with_two_roots():
    links = (body("a", ARM), body("b", ARM))
    joints = (Joint("one", "free", WORLD, "a"), Joint("two", "free", WORLD, "b"))
    pair = Robot.from_description(Description("pair", "tests", links, joints))
    with pytest.raises(InputError, match="'pair' has 2 roots"):
        pair.at((0.0, 0.0, 0.0))


def test_with_joints_takes_one_number_or_one_per_velocity():
    robot = chain(3, friction=1.0)
    changed = robot.with_joints(friction=0, upper=[1.0, 2.0, inf])
    np.testing.assert_array_equal(changed.friction, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(changed.upper, [1.0, 2.0, inf])
    np.testing.assert_array_equal(robot.friction, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(World(changed).tree.upper, [1.0, 2.0, inf])
    assert changed.digest() != robot.digest()


@pytest.mark.parametrize(
    "values, complaint",
    [
        ({"colour": 1}, "no property 'colour'; there are armature, .*speed_limit"),
        ({"friction": [1.0, 2.0]}, r"friction must be a number or 3 of them.*\[1.0, 2.0\]"),
        ({"damping": nan}, "damping must be .* not NaN"),
        ({"armature": [0.0, 0.0, -2.0]}, "armature must not be negative, found -2"),
        ({"lower": 1.0, "upper": -1.0}, "lower limit lies above"),
        ({"effort_lower": 1.0, "effort_upper": 0.0}, "lower limit lies above"),
    ],
)
def test_with_joints_says_what_is_wrong(values, complaint):
    with pytest.raises(InputError, match=complaint):
        chain(3).with_joints(**values)


def test_keyframes_are_found_by_name_and_an_unknown_one_lists_them():
    robot = everything()
    np.testing.assert_array_equal(robot.keyframe("up"), [1.0])
    robot.keyframe("up")[0] = 9.0  # a copy
    np.testing.assert_array_equal(robot.keyframe("up"), [1.0])
    with pytest.raises(InputError, match="'everything' has no keyframe 'down'; it has: home, up"):
        robot.keyframe("down")
    with pytest.raises(InputError, match="it has: none"):
        robots.ball().keyframe("home")


def test_home_is_the_keyframe_of_that_name_or_zero():
    np.testing.assert_array_equal(everything().home, [0.3])
    np.testing.assert_array_equal(top().home, [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(robots.ball().home, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


# --------------------------------------------------------------------------------- points of a sole


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


def foot(vertices, quaternion=(1.0, 0.0, 0.0, 0.0)) -> Robot:
    """A free link with a hull."""
    points = tuple(map(tuple, np.asarray(vertices, float).tolist()))
    mesh = Shape("mesh", "foot", "hull", (), quaternion=tuple(quaternion), vertices=points)
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
        ("foot", 3, 3, "'foot' is no shape; give the name of one box or hull"),
        ("left_thigh", 3, 3, "'left_thigh' is capsule 'left_thigh_capsule'; give the name of one"),
        ("left_foot", 0, 3, "found 0 points along and 3 across; give whole numbers, at least 1"),
        ("left_foot", 3, 2.5, "found 3 points along and 2.5 across"),
    ],
)
def test_with_sole_points_says_what_is_wrong(name, along, across, complaint):
    with pytest.raises(InputError, match=f"robot 'biped10': with_sole_points: {complaint}"):
        robots.biped10().with_sole_points(name, along, across)


def test_a_flat_hull_has_no_lowest_face():
    flat = foot([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0.1, 0.1, 0]])
    with pytest.raises(InputError, match="this hull is flat and has no lowest face"):
        flat.with_sole_points("foot", 3, 3)


# ----------------------------------------------------------------------------------------- built in


def cuboid_moments(mass, x, y, z):
    return [mass * (y**2 + z**2) / 12, mass * (x**2 + z**2) / 12, mass * (x**2 + y**2) / 12]


@pytest.mark.parametrize(
    "robot, mass, moments",
    [
        (robots.ball(radius=0.1, mass=3.0), 3.0, [2 / 5 * 3.0 * 0.1**2] * 3),
        (robots.box(size=(0.1, 0.2, 0.3), mass=2.0), 2.0, cuboid_moments(2.0, 0.1, 0.2, 0.3)),
        (robots.brick(size=(0.3, 0.2, 0.1), mass=4.0), 4.0, cuboid_moments(4.0, 0.3, 0.2, 0.1)),
        (
            robots.rod(length=0.6, radius=0.02, mass=1.5),
            1.5,
            [1.5 * (3 * 0.02**2 + 0.6**2) / 12] * 2 + [1.5 * 0.02**2 / 2],
        ),
    ],
    ids=["ball", "box", "brick", "rod"],
)
def test_objects_have_the_inertia_of_their_solid(robot, mass, moments):
    world = World(robot)
    H = mechanics.inertia(world, robot.home)
    solid = np.diag([mass] * 3 + moments)
    np.testing.assert_allclose(H, solid, rtol=1e-14, atol=1e-16)  # a few roundings
    assert robot.total_mass == mass


def test_the_biped_weighs_eight_kilograms_and_is_symmetric():
    biped = robots.biped10()
    assert biped.total_mass == pytest.approx(8.0, rel=1e-14)
    assert (biped.nq, biped.nv) == (17, 16)
    assert biped.keyframe("home").shape == (17,)
    centre = mechanics.centre_of_mass(World(biped), biped.home)
    assert abs(centre[1]) < 1e-15  # left and right cancel up to rounding


@pytest.mark.parametrize(
    "make, values",
    [
        (robots.ball, {"radius": 0.0}),
        (robots.ball, {"mass": nan}),
        (robots.box, {"size": (0.1, -0.1, 0.1)}),
        (robots.brick, {"mass": inf}),
        (robots.rod, {"radius": -1.0}),
    ],
)
def test_sizes_and_masses_of_objects_must_be_positive(make, values):
    with pytest.raises(InputError, match=f"{make.__name__}: .* give a positive number"):
        make(**values)


def test_a_rod_is_longer_than_thick():
    with pytest.raises(InputError, match="length 0.1 m must exceed twice the radius 0.05 m"):
        robots.rod(length=0.1, radius=0.05)
