"""`World`: one forest of several robots, names in it, where robots stand, and checked states."""

from math import inf, nan

import numpy as np
import pytest

from linkages import mjcf, robot_of
from mechanisms import chain, pendulum, top, turned
from stiction import Plane, Robot, State, World, mechanics, robots
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.description.rotation import matrix
from stiction.errors import InputError

INERTIA = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


# ------------------------------------------------------------------------------------------ forest


def test_inertia_of_a_forest_is_block_diagonal_with_each_robots_own():
    members = [robots.biped10(), robots.box(), top(), chain(3)]
    rng = np.random.default_rng(3)
    states = []
    for robot in members:
        q = robot.home.copy()
        single = [i for i, kind in enumerate(robot.joint_type) if kind in (1, 2)]
        q[robot.q_index[single]] = rng.uniform(-1, 1, len(single))
        states.append(q)
    whole = mechanics.inertia(World(*members), np.concatenate(states))
    expected, start = np.zeros_like(whole), 0
    for robot, q in zip(members, states, strict=True):
        end = start + robot.nv
        expected[start:end, start:end] = mechanics.inertia(World(robot), q)
        start = end
    assert start == len(whole)
    np.testing.assert_array_equal(whole, expected)  # the same operations on the same numbers


def test_sizes_masses_and_home_are_those_of_the_robots_in_order():
    members = [robots.box(mass=3.0), pendulum(mass=1.2), robots.ball(mass=0.5).at((1, 2, 3))]
    world = World(*members)
    assert (world.nq, world.nv) == (7 + 1 + 7, 6 + 1 + 6)
    assert world.total_mass == pytest.approx(4.7)
    home = world.home()
    np.testing.assert_array_equal(home.q, np.concatenate([robot.home for robot in members]))
    np.testing.assert_array_equal(home.q[8:11], [1, 2, 3])
    np.testing.assert_array_equal(home.v, np.zeros(13))
    assert home.time == 0.0


@pytest.mark.parametrize(
    "arguments, options, complaint",
    [
        ((), {}, "no robot; give at least one"),
        (("biped.xml",), {}, "takes robots, found str"),
        ((robots.ball,), {}, "takes robots, found function"),
        ((World(robots.ball()),), {}, "takes robots, found World"),
        (
            (robots.ball(),),
            {"ground": 0.0},
            "takes Plane, Slope, Steps, HeightField or None, found float",
        ),
        (
            (robots.ball(),),
            {"ground": Plane},
            "takes Plane, Slope, Steps, HeightField or None, found type",
        ),
        ((robots.ball(),), {"gravity": -9.81}, "gravity is -9.81; give 3 finite numbers in m/s2"),
        ((robots.ball(),), {"gravity": (0, 0, nan)}, "give 3 finite numbers in m/s2"),
        ((robots.ball(),), {"gravity": (0, 0, -inf)}, "give 3 finite numbers in m/s2"),
    ],
)
def test_a_world_says_what_it_cannot_be_made_of(arguments, options, complaint):
    with pytest.raises(InputError, match=complaint):
        World(*arguments, **options)


# ------------------------------------------------------------------------------------------ names


def test_robots_of_the_same_name_are_numbered():
    world = World(robots.ball(), robots.ball(), robots.box(), robots.ball())
    assert [robot.name for robot in world.robots] == ["ball", "ball_2", "box", "ball_3"]
    assert world.link_names == ["world", "ball/ball", "ball_2/ball", "box/box", "ball_3/ball"]
    assert len(set(world.joint_names)) == len(world.joint_names)


def test_a_number_that_is_taken_is_passed_over():
    world = World(robots.ball(), robots.ball().named("ball_2"), robots.ball())
    assert [robot.name for robot in world.robots] == ["ball", "ball_2", "ball_3"]


def test_unique_names_are_found_as_they_are_and_with_their_robot():
    world = World(robots.ball(), robots.biped10())
    assert world.joint("left_knee") == world.joint("biped10/left_knee")
    assert world.link_names[world.joint("left_knee")] == "biped10/left_shank"
    assert world.place("trunk").link == world.place("biped10/trunk").link == 2
    sole = world.place("left_sole")
    assert world.link_names[sole.link] == "biped10/left_foot"
    np.testing.assert_array_equal(sole.position, [0.02, 0.0, -0.04])


def test_names_in_a_world_of_one_robot_have_no_prefix():
    world = World(robots.biped10())
    assert world.link_names[:3] == ["world", "trunk", "left_hip"]
    assert world.dof_name(0) == "base (x)"
    assert world.dof_name(5) == "base (turn z)"
    assert world.dof_name(8) == "left_knee"


def test_every_velocity_has_a_name_of_its_own():
    world = World(robots.biped10(), top(), robots.biped10(), pendulum())
    names = [world.dof_name(d) for d in range(world.nv)]
    assert len(set(names)) == world.nv
    assert "biped10_2/right_knee" in names
    assert "top/tip (y)" in names


def test_a_name_of_two_robots_asks_which():
    world = World(robots.biped10(), robots.biped10())
    with pytest.raises(InputError, match="joint 'left_knee' is in 2 robots; name one as"):
        world.joint("left_knee")
    with pytest.raises(InputError, match="link or frame 'trunk' is in 2 robots; name one as"):
        world.place("trunk")
    assert world.place("biped10_2/trunk").link == 12


def test_an_unknown_name_lists_what_there_is():
    world = World(robots.biped10())
    with pytest.raises(InputError, match="no joint 'knee' in this world; it has: .*left_knee"):
        world.joint("knee")
    with pytest.raises(InputError, match="no link or frame 'sole' .*; it has: .*left_sole.*trunk"):
        world.place("sole")


# ----------------------------------------------------------------------------------------- standing


def boundary(kind: str, size, vertices) -> np.ndarray:
    """Points of the surface of a shape, in its own axes: all corners, or a fine grid of angles."""
    if kind == "hull":
        return vertices
    if kind == "box":
        return np.array(np.meshgrid(*[(-a, a) for a in size])).reshape(3, -1).T
    theta, phi = np.meshgrid(np.linspace(0, np.pi, 181), np.linspace(0, 2 * np.pi, 361))
    sphere = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)
    sphere = sphere.reshape(-1, 3)
    if kind == "sphere":
        return size[0] * sphere
    if kind == "ellipsoid":
        return size * sphere
    ends = np.sign(sphere[:, 2:]) * [0.0, 0.0, size[1]]
    if kind == "capsule":
        return size[0] * sphere + ends
    assert kind == "cylinder"
    rim = np.stack([np.cos(phi), np.sin(phi), 0 * phi], -1).reshape(-1, 3)
    return np.concatenate([size[0] * rim + [0, 0, size[1]], size[0] * rim - [0, 0, size[1]]])


def lowest(world: World, q: np.ndarray) -> float:
    """Height of the lowest of many points of all shapes, by our own walk along the joints."""
    kinds = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "plane")
    heights, first = [], 0
    for robot in world.robots:
        places = []
        for link, parent in enumerate(robot.parent):
            k = first + robot.q_index[link]
            if robot.joint_type[link] == 0:
                places.append((q[k : k + 3], matrix(q[k + 3 : k + 7])))
                continue
            assert robot.joint_type[link] == 1
            p, R = places[parent] if parent >= 0 else (np.zeros(3), np.eye(3))
            turn = matrix(turned(robot.joint_axis[link], q[k]))
            places.append(
                (p + R @ robot.joint_position[link], R @ robot.joint_rotation[link] @ turn)
            )
        for s in np.flatnonzero(robot.shape_collides):
            vertices = robot.vertices[robot.shape_vertex[s] : robot.shape_vertex[s + 1]]
            points = boundary(kinds[robot.shape_kind[s]], robot.shape_size[s], vertices)
            p, R = places[robot.shape_link[s]]
            own = points @ robot.shape_rotation[s].T + robot.shape_position[s]
            heights.append((own @ R.T + p)[:, 2].min())
        first += robot.nq
    return min(heights)


def solid(kind: str, size: tuple, vertices: tuple = ()) -> Robot:
    """A free link with one shape, out of its middle and turned."""
    place, turn = (0.1, -0.2, 0.3), tuple(turned((1.0, 1.0, 0.3), 0.8))
    shape = Shape("shape", "body", kind, size, place, turn, vertices=vertices)
    link = Link("body", 1.0, (0.0, 0.0, 0.0), INERTIA)
    joints = (Joint("free", "free", WORLD, "body"),)
    return Robot.from_description(Description(kind, "tests", (link,), joints, (shape,)))


TILT = tuple(turned((1.0, 0.4, 0.2), 0.9))
WEDGE = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.1, -0.4))


@pytest.mark.parametrize("above, height", [(0.0, 0.0), (0.05, 0.0), (0.3, -1.5), (-0.01, 2.0)])
@pytest.mark.parametrize(
    "robot",
    [
        robots.ball(radius=0.3).at((1.0, 2.0, 7.0), TILT),
        robots.box(size=(0.3, 0.2, 0.1)).at((0.0, 0.0, -4.0), TILT),
        robots.rod().at((0.0, 1.0, 0.0), TILT),
        robots.biped10().at((0.0, 0.0, 0.0), TILT),
        robots.biped10(),
        solid("cylinder", (0.1, 0.2)).at((0, 0, 0), TILT),
        solid("ellipsoid", (0.1, 0.2, 0.3)).at((0, 0, 0), TILT),
        solid("hull", (), WEDGE).at((0, 0, 0), TILT),
    ],
    ids=["ball", "box", "rod", "tilted biped", "biped", "cylinder", "ellipsoid", "hull"],
)
def test_standing_puts_the_lowest_point_exactly_above_the_ground(robot, above, height):
    world = World(robot, ground=Plane(height))
    q = world.standing(above).q
    found = lowest(world, q)
    # round shapes are sampled every 0.0175 rad: 0.0123 rad off at most, 0.3 m * 0.0123^2 / 2 high
    miss = 3e-5 if robot.name in ("ball", "rod", "cylinder", "ellipsoid") else 1e-12
    assert -1e-12 <= found - height - above <= miss
    np.testing.assert_array_equal(np.delete(q, 2), np.delete(robot.home, 2))


def test_every_free_robot_stands_by_itself_and_others_stay():
    members = [robots.box(size=(0.2, 0.2, 0.2)), pendulum(), robots.ball(radius=0.05)]
    world = World(*members)
    state = world.standing(above=0.5)
    np.testing.assert_allclose(state.q[[2, 8 + 2]], [0.6, 0.55], rtol=1e-15)
    assert state.q[7] == 0.0
    np.testing.assert_array_equal(state.v, np.zeros(world.nv))


def cubes(places, loop=""):
    """Free cubes of 0.2 m in one file."""
    bodies = "".join(
        f'<body name="{name}" pos="{x} 0 {z}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
        for name, (x, z) in zip("abc", places, strict=False)
    )
    return World(robot_of(mjcf(bodies, loop)))


@pytest.mark.parametrize(
    ("places", "loop", "heights"),
    [
        ([(0.0, 0.5), (0.05, 0.7), (0.5, 2.0)], "", [0.1, 0.3, 0.1]),  # a stack, and one beside it
        ([(0.0, 1.0), (0.5, 1.5)], '<weld body1="a" body2="b"/>', [0.1, 0.6]),
        ([(0.0, 1.0)], '<connect body1="a" anchor="0 0 .2"/>', [1.0]),  # it hangs
    ],
    ids=["stack", "welded", "hung"],
)
def test_what_is_joined_or_above_another_in_a_file_stands_as_it_is(places, loop, heights):
    world = cubes(places, loop)
    np.testing.assert_allclose(world.standing().q[2::7], heights, rtol=1e-12)


def test_the_biped_stands_at_its_home_height():
    """Its keyframe was computed by hand to five digits."""
    biped = robots.biped10()
    assert World(biped).standing().q[2] == pytest.approx(biped.home[2], abs=5e-6)


def test_shapes_that_do_not_collide_do_not_count():
    link = Link("body", 1.0, (0.0, 0.0, 0.0), INERTIA)
    shapes = (
        Shape("skin", "body", "sphere", (1.0,), collides=False),
        Shape("core", "body", "sphere", (0.1,)),
    )
    joints = (Joint("free", "free", WORLD, "body"),)
    robot = Robot.from_description(Description("plum", "tests", (link,), joints, shapes))
    assert World(robot).standing().q[2] == 0.1


def test_standing_says_what_is_missing():
    with pytest.raises(InputError, match="needs a ground; this world has none"):
        World(robots.ball(), ground=None).standing()
    for above in (nan, inf):
        with pytest.raises(InputError, match=rf"above is {above}; give a finite number in m"):
            World(robots.ball()).standing(above)
    joints = (Joint("free", "free", WORLD, "body"),)
    link = Link("body", 1.0, (0.0, 0.0, 0.0), INERTIA)
    ghost = Robot.from_description(Description("ghost", "tests", (link,), joints))
    with pytest.raises(InputError, match="'ghost/body' and its links have no colliding shape"):
        World(robots.ball(), ghost).standing()


# ------------------------------------------------------------------------------------------ states

BALL_AND_PENDULUM = World(robots.ball(), pendulum())
Q, V = BALL_AND_PENDULUM.home().q, BALL_AND_PENDULUM.home().v


def replaced(values, k, value):
    changed = values.copy()
    changed[k] = value
    return changed


@pytest.mark.parametrize(
    "state, complaint",
    [
        ((Q, V), "found tuple; use stiction.State"),
        (Q, "found ndarray; use stiction.State"),
        (State(Q[:-1], V), r"state.q: found shape \(7,\); this world has 8 position"),
        (State(Q[None], V), r"state.q: found shape \(1, 8\)"),
        (State(1.0, V), r"state.q: found shape \(\)"),
        (State("home", V), "state.q: found 'home'; give 8 numbers"),
        (State(Q, Q), r"state.v: found shape \(8,\); this world has 7 velocity"),
        (State(Q, [[0.0], [0.0, 1.0]]), "state.v: found .*; give 7 numbers"),
        (State(replaced(Q, 7, nan), V), r"state.q: q\[7\] is nan"),
        (State(replaced(Q, 1, inf), V), r"state.q: q\[1\] is inf"),
        (State(Q, replaced(V, 2, nan)), r"state.v: ball/ball_free \(z\) is nan"),
        (State(Q, replaced(V, 6, -inf)), "state.v: mechanism/joint is -inf"),
        (State(Q, V, nan), "state.time is nan; give a finite number in s"),
        (State(replaced(Q, 3, 0.9), V), "quaternion of joint 'ball/ball_free' has length 0.9"),
        (State(replaced(Q, 3, 0.0), V), "quaternion of joint 'ball/ball_free' has length 0;"),
    ],
)
def test_a_wrong_state_is_refused_by_coordinate(state, complaint):
    with pytest.raises(InputError, match=complaint):
        BALL_AND_PENDULUM.check_state(state)


def test_a_spherical_joint_needs_a_unit_quaternion_too():
    with pytest.raises(InputError, match="quaternion of joint 'tip' has length 2;"):
        World(top()).check_state(State([0.0, 2.0, 0.0, 0.0], [0.0] * 3))


def test_a_checked_state_is_a_copy_with_unit_quaternions():
    q = replaced(Q, 3, 1.0005)
    checked = BALL_AND_PENDULUM.check_state(State(q, V.tolist(), 3))
    np.testing.assert_array_equal(checked.q, Q)
    assert q[3] == 1.0005
    assert checked.v.dtype == np.float64
    assert (checked.time, type(checked.time)) == (3.0, float)


def test_no_state_means_home():
    np.testing.assert_array_equal(BALL_AND_PENDULUM.check_state(None).q, Q)


# ------------------------------------------------------------------------------------------ digest


def test_digest_tells_worlds_apart_that_move_differently():
    worlds = [
        World(robots.ball()),
        World(robots.ball(mass=0.6)),
        World(robots.ball(), gravity=(0.0, 0.0, -1.62)),
        World(robots.ball(), ground=None),
        World(robots.ball(), ground=Plane(0.1)),
        World(robots.ball(), robots.ball()),
        World(robots.ball().with_joints(damping=0.1)),
        World(robots.box(), robots.ball()),
        World(robots.ball(), robots.box()),
    ]
    assert len({world.digest() for world in worlds}) == len(worlds)


def test_digest_does_not_depend_on_names_of_robots():
    assert World(robots.ball().named("egg")).digest() == World(robots.ball()).digest()
    assert World(robots.biped10()).digest() == World(robots.biped10()).digest()
