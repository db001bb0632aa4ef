"""Humanoids: what is published is kept, and both sides are each other's mirror image."""

import math

import numpy as np
import pytest

import stiction as st
from stiction import robots
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import REVOLUTE, allocate
from stiction.robots.humanoid import bent_legs, humanoid
from stiction.robots.segments import Segment, Turn
from stiction.robots.solids import Solid
from stiction.world.checkup import remarks
from stiction.world.contact_points import contact_points_of
from stiction.world.outlines import outline

PUBLISHED = {  # joints, planar ones, height [m], mass [kg]
    "hoap1": (20, 10, 0.48, 5.0),
    "hrp2": (30, 16, 1.54, 58.0),
    "biped14": (14, 6, 1.45, 45.0),
    "hanavan": (33, 10, 1.755, 75.0),
}
ALL = [(name, planar) for name in PUBLISHED for planar in (False, True)]


def made(name, planar=False):
    return getattr(robots, name)(planar=planar)


def poses(world, q):
    """Position and rotation of every link in the world."""
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    origin = dynamics.origin[world.tree.root] + dynamics.position
    return origin, dynamics.rotation


def frame(world, q, name):
    place = world.place(name)
    origin, rotation = poses(world, q)
    R = rotation[place.link]
    return origin[place.link] + R @ place.position, R @ place.rotation


def upright(robot):
    """All joints at zero, the base at the origin."""
    q = np.zeros(robot.nq)
    if robot.nq > robot.nv:
        q[3] = 1.0
    return q


@pytest.mark.parametrize(("name", "planar"), ALL)
def test_joints_and_mass_are_those_published(name, planar):
    robot, (joints, in_the_plane, _, mass) = made(name, planar), PUBLISHED[name]
    base = 3 if planar else 6
    assert robot.nv == base + (in_the_plane if planar else joints)
    assert abs(robot.total_mass - mass) < 1e-12
    turning = (robot.joint_type == REVOLUTE).sum()
    assert turning == robot.nv - base + planar


@pytest.mark.parametrize(("name", "planar"), ALL)
def test_height_of_the_shapes_upright_is_that_published(name, planar):
    robot = made(name, planar)
    world = st.World(robot, ground=None)
    origin, rotation = poses(world, upright(robot))
    heights = [
        (origin[link + 1] + outline(robot, k) @ rotation[link + 1].T)[:, 2]
        for k, link in enumerate(robot.shape_link)
    ]
    height = max(z.max() for z in heights) - min(z.min() for z in heights)
    assert abs(height - PUBLISHED[name][2]) < 1e-9
    for side in ("left", "right"):  # the soles are the lowest points
        sole, _ = frame(world, upright(robot), f"{side}_sole")
        assert abs(sole[2] - min(z.min() for z in heights)) < 1e-12


def test_thigh_and_shank_of_hrp2_are_30_cm():
    world = st.World(robots.hrp2(), ground=None)
    origin, _ = poses(world, upright(world.robots[0]))
    hip, knee, ankle = (
        origin[world.place(link).link] for link in ("left_thigh", "left_shank", "left_foot")
    )
    assert np.linalg.norm(hip - knee) == pytest.approx(0.30, abs=1e-12)
    assert np.linalg.norm(knee - ankle) == pytest.approx(0.30, abs=1e-12)


def test_biped14_touches_with_eight_vertices_and_hanavan_with_18_points_a_foot():
    world = st.World(robots.biped14())
    contact, _, _ = contact_points_of(world)
    assert len(contact.link) == 8
    assert {world.link_names[link] for link in contact.link} == {"left_foot", "right_foot"}
    human = st.World(robots.hanavan())
    contact, names, _ = contact_points_of(human)
    assert names.count("hanavan/left_foot_points") == names.count("hanavan/right_foot_points") == 18


@pytest.mark.parametrize(("name", "planar"), ALL)
def test_at_home_the_soles_lie_flat_on_the_ground_below_the_centre_of_mass(name, planar):
    robot = made(name, planar)
    world = st.World(robot)
    for side in ("left", "right"):
        sole, axes = frame(world, robot.home, f"{side}_sole")
        assert abs(sole[2]) < 1e-12
        np.testing.assert_allclose(axes, np.eye(3), atol=1e-12)
        assert (
            robot.keyframe("home")[
                robot.q_index[list(robot.joint_name).index(f"{side}_knee_pitch")]
            ]
            > 0.2
        )
    np.testing.assert_allclose(world.standing().q, robot.home, atol=1e-12)
    contact, _, _ = contact_points_of(world)
    origin, rotation = poses(world, robot.home)
    points = [
        origin[k] + rotation[k] @ x for k, x in zip(contact.link, contact.centre, strict=True)
    ]
    along = [x for x, _, z in points if abs(z) < 1e-9]
    centre = st.mechanics.centre_of_mass(world, robot.home)
    margin = 0.15 * (max(along) - min(along))
    assert min(along) + margin < centre[0] < max(along) - margin
    assert abs(centre[1]) < 1e-12


@pytest.mark.parametrize(("name", "planar"), ALL)
def test_home_keeps_every_limit(name, planar):
    robot = made(name, planar)
    for k, joint in enumerate(robot.joint_name):
        if robot.joint_type[k] == REVOLUTE:
            d, angle = robot.v_index[k], robot.home[robot.q_index[k]]
            assert robot.lower[d] <= angle <= robot.upper[d], joint
    assert not remarks(robot)


# ------------------------------------------------------------------------------------------ mirror


def mirror_map(world):
    """For every velocity its mirror partner, and the sign it changes by."""
    robot = world.robots[0]
    partner, sign = np.arange(world.nv), np.ones(world.nv)
    names = {str(name): int(robot.v_index[k]) for k, name in enumerate(robot.joint_name)}
    for name, d in names.items():
        other = name.replace("left_", "#").replace("right_", "left_").replace("#", "right_")
        partner[d] = names[other]
        sign[d] = -1.0 if name.endswith(("roll", "yaw")) else 1.0
    if robot.nq > robot.nv:
        sign[:6] = (1, -1, 1, -1, 1, -1)
        partner[:6] = range(6)
    return partner, sign


@pytest.mark.parametrize(("name", "planar"), ALL)
def test_the_mass_matrix_of_the_mirror_image_is_the_mirror_image(name, planar):
    """In a symmetric pose, H with left and right exchanged is H."""
    world = st.World(made(name, planar), ground=None)
    partner, sign = mirror_map(world)
    offset = world.nq - world.nv
    q = world.robots[0].home.copy()
    rng = np.random.default_rng(1)
    for d in range(6 - 3 * planar, world.nv):
        value = rng.uniform(-0.3, 0.3)
        q[d + offset], q[partner[d] + offset] = value, sign[d] * value
        if partner[d] == d and sign[d] < 0:
            q[d + offset] = 0.0  # the middle of the body cannot turn to a side
    H = st.mechanics.inertia(world, q)
    mirrored = H[np.ix_(partner, partner)] * np.outer(sign, sign)
    np.testing.assert_allclose(mirrored, H, atol=1e-12 * np.abs(H).max())
    assert np.linalg.eigvalsh(H)[0] > 0


@pytest.mark.parametrize("name", PUBLISHED)
def test_limits_of_the_right_side_are_mirrored(name):
    robot = made(name)
    names = list(robot.joint_name)
    for k, joint in enumerate(names):
        if str(joint).startswith("left_"):
            d, e = robot.v_index[k], robot.v_index[names.index(joint.replace("left", "right"))]
            if joint.endswith("pitch"):
                assert (robot.lower[d], robot.upper[d]) == (robot.lower[e], robot.upper[e])
            else:
                assert (robot.lower[d], robot.upper[d]) == (-robot.upper[e], -robot.lower[e])


# ----------------------------------------------------------------------------------------- builder


def test_height_and_mass_scale_lengths_and_masses():
    small, large = robots.hoap1(), robots.hoap1(height=0.96, mass=40.0)
    np.testing.assert_allclose(large.mass, 8 * small.mass)
    np.testing.assert_allclose(large.joint_position, 2 * small.joint_position)
    np.testing.assert_allclose(large.inertia, 32 * small.inertia)  # m l2


def test_bent_legs_keep_the_ankle_below_the_hip_and_the_sole_level():
    angles = bent_legs(0.4, 0.3, 0.7)
    hip, knee, ankle = angles["hip_pitch"], angles["knee_pitch"], angles["ankle_pitch"]
    assert hip + knee + ankle == pytest.approx(0.0, abs=1e-15)
    assert 0.4 * math.sin(hip) + 0.3 * math.sin(hip + knee) == pytest.approx(0.0, abs=1e-15)
    assert knee == 0.7


BODY = Segment("body", solids=(Solid("box", (0.1, 0.1, 0.1), 1.0),))
LEG = Solid("box", (0.1, 0.1, 0.1), 1.0, (0.0, 0.0, -0.2))


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([BODY, Segment("foot", "leg")], "segment 'foot' hangs on 'leg'; list the base first"),
        ([Segment("foot", "body")], "segment 'foot' hangs on 'body'; list the base first"),
        ([BODY, BODY], "segment 'body' hangs on ''"),
        (
            [BODY, Segment("leg", "body", paired=True), Segment("foot", "leg")],
            "segment 'foot' hangs on the pair 'leg'; it must be paired as well",
        ),
        (
            [BODY, Segment("leg", "body", turns=(Turn("hip_sway", -1.0, 1.0),))],
            "joint 'hip_sway' of segment 'leg' must end in roll, pitch, yaw",
        ),
    ],
)
def test_a_table_that_is_no_body_is_told(segments, message):
    with pytest.raises(InputError, match=message):
        humanoid("thing", segments, height=1.0, mass=1.0)


def test_impossible_sizes_and_angles_of_no_joint_are_told():
    with pytest.raises(InputError, match="hoap1: height is -1.0; give a positive number"):
        robots.hoap1(height=-1.0)
    with pytest.raises(InputError, match="hrp2: mass is nan"):
        robots.hrp2(mass=math.nan)
    leg = Segment(
        "leg", "body", turns=(Turn("hip_pitch", -90.0, 90.0),), solids=(LEG,), paired=True
    )
    with pytest.raises(InputError, match="home has angles of knee_pitch, which are no joints"):
        humanoid("thing", [BODY, leg], height=1.0, mass=1.0, home={"knee_pitch": 1.0})
