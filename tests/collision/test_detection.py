"""What touches: against MuJoCo, and against every point looked at alone."""

import mujoco
import numpy as np
import pytest

import stiction as st
from mechanisms import detected, fewer, random_pose, turned
from stiction.collision.detection import REACH
from stiction.collision.points import meet_ground
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.kinematics import forward_kinematics, velocities
from stiction.kernels.tree import allocate
from stiction.simulation.allocation import make_surface

pytestmark = pytest.mark.interpreted

RNG_SEED = 11
WEDGE = "0 0 0  .3 0 0  0 .2 0  0 .1 -.4  .2 .1 .1"
GEOMS = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".05 .15"',
    "box": 'type="box" size=".1 .15 .05"',
    "cylinder": 'type="cylinder" size=".1 .05"',
    "hull": 'type="mesh" mesh="wedge"',
}
SLOPE = st.Slope(0.3, 0.8)


def free_body(shape: str, tmp_path, ground: str):
    """A body with one shape out of its middle, for both simulators."""
    asset = f'<mesh name="wedge" vertex="{WEDGE}"/>'
    body = f'<geom {GEOMS[shape]} pos=".02 -.03 .01" euler="20 30 40"/>'
    text = f"""<mujoco><asset>{asset}{{}}</asset><worldbody>{{}}
      <body name="body"><freejoint/>{body}</body></worldbody></mujoco>"""
    path = tmp_path / "body.xml"
    path.write_text(text.format("", ""))
    asset, geom = ground
    model = mujoco.MjModel.from_xml_string(text.format(asset, geom))
    return st.load(path), model


def by_mujoco(model, q):
    """Depths and normals of MuJoCo's contacts, deepest first."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_fwdPosition(model, data)
    order = np.argsort(data.contact.dist)
    return -data.contact.dist[order], data.contact.frame[order, :3]


# ----------------------------------------------------------------------------------- against MuJoCo


@pytest.mark.parametrize("shape", GEOMS)
@pytest.mark.parametrize("ground", [st.Plane(), SLOPE], ids=["plane", "slope"])
def test_the_deepest_point_is_as_deep_as_in_mujoco(shape, ground, tmp_path):
    n = ground.normal()
    across = np.cross([0, 0, 1], n)
    tilt = turned(across if across.any() else (1, 0, 0), np.arccos(n[2]))
    plane = '<geom type="plane" size="5 5 1" quat="{} {} {} {}"/>'.format(*tilt)
    robot, model = free_body(shape, tmp_path, ("", plane))
    world = st.World(robot, ground=ground)
    rng = np.random.default_rng(RNG_SEED)
    touched = 0
    for _ in range(fewer(60, 10)):
        q = random_pose(rng, rng.uniform(-0.1, 0.3))
        depths, normals = by_mujoco(model, q)
        ours = detected(world, q)
        assert (len(depths) > 0) == (len(ours["depth"]) > 0)
        if len(depths):
            assert ours["depth"].max() == pytest.approx(depths[0], abs=1e-9)  # its planes: 1e-10
            assert np.allclose(ours["normal"], normals[0], atol=1e-9)
            touched += 1
    assert touched > 3


@pytest.mark.parametrize("shape", ["sphere", "capsule", "box"])
def test_every_contact_of_mujoco_with_a_plane_is_one_of_our_points(shape, tmp_path):
    robot, model = free_body(shape, tmp_path, ("", '<geom type="plane" size="5 5 1"/>'))
    world = st.World(robot)
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(fewer(60, 10)):
        q = random_pose(rng, rng.uniform(-0.1, 0.3))
        depths, _ = by_mujoco(model, q)
        ours = np.sort(detected(world, q)["depth"])[::-1]
        assert np.allclose(ours[: len(depths)], depths, atol=1e-9)


X, Y = np.meshgrid(np.linspace(-2, 2, 21), np.linspace(-1, 1, 11))
TILTED = 0.3 * X - 0.2 * Y
HFIELD = '<hfield name="field" nrow="11" ncol="21" size="2 1 {} 1"/>'


@pytest.mark.parametrize("shape", ["sphere", "capsule", "cylinder"])
def test_a_tilted_height_field_is_that_of_mujoco(shape, tmp_path):
    """MuJoCo makes a prism of each half of a cell: both agree on a plane, while a body is shallow.

    A corner of a box it may push out of the side of a prism.
    """
    low, height = TILTED.min(), np.ptp(TILTED)
    field = HFIELD.format(height), f'<geom type="hfield" hfield="field" pos="0 0 {low}"/>'
    robot, model = free_body(shape, tmp_path, field)
    model.hfield_data[:] = ((TILTED - low) / height).ravel()
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(fewer(20, 3)):
        pose = random_pose(rng, 0.0)
        world = st.World(robot.at(pose[:3], pose[3:]), ground=st.HeightField(TILTED, 0.2))
        q = world.standing(above=-0.002).q
        depths, normals = by_mujoco(model, q)
        ours = detected(world, q)
        assert ours["depth"].max() == pytest.approx(depths[0], abs=1e-6)  # what its ccd reaches
        assert np.allclose(ours["normal"], normals[0], atol=1e-3)


# ------------------------------------------------------------------------- groups that are far away


def chain_of_hulls(links=6, vertices=12):
    """Links one above the other, each with a hull, so that few of them are near the ground."""
    rng = np.random.default_rng(RNG_SEED)
    bodies, joints, shapes = [], [], []
    for i in range(links):
        name, parent = f"link{i}", f"link{i - 1}"
        bodies.append(Link(name, 0.5, (0.0, 0.0, 0.1), (0.004, 0.0, 0.0, 0.004, 0.0, 0.001)))
        joint = {"position": (0.0, 0.0, 0.2), "axis": (0.0, 1.0, 0.0)}
        joints.append(
            Joint("base", "free", WORLD, name)
            if i == 0
            else Joint(f"joint{i}", "revolute", parent, name, **joint)
        )
        points = rng.normal(size=(vertices, 3))
        points = 0.08 * points / np.linalg.norm(points, axis=1)[:, None] + [0.0, 0.0, 0.1]
        hull = tuple(map(tuple, points.tolist()))
        shapes.append(Shape(f"hull{i}", name, "hull", (), vertices=hull))
        shapes.append(Shape(f"ball{i}", name, "capsule", (0.03, 0.05), (0.05, 0.0, 0.1)))
        shapes.append(Shape(f"can{i}", name, "cylinder", (0.05, 0.02), (-0.05, 0.0, 0.1)))
    description = Description("chain", "tests", tuple(bodies), tuple(joints), tuple(shapes))
    return st.Robot.from_description(description)


GROUNDS = {
    "plane": st.Plane(),
    "belt": st.Plane(velocity=(3.0, -4.0, 0.0)),
    "slope": SLOPE,
    "field": st.HeightField(np.random.default_rng(2).uniform(0, 0.2, (12, 12)), 0.15),
    "stairs": st.Steps(rise=0.15, run=0.25, start=-0.5),
    "platform": st.Steps((0.1, 0.2, -0.15, -0.15), (0.3, 0.4, 0.25), start=0.2, height=0.1),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_links_that_are_left_out_have_no_place_in_reach(name):
    """What is found is what looking at every point finds, whatever the speeds and the time."""
    world = st.World(chain_of_hulls(), ground=GROUNDS[name])
    surface, _, _ = make_surface(world, st.SpringDamper())
    contact_points, ground, dynamics = surface.points, surface.ground, allocate(world.tree)
    rng = np.random.default_rng(RNG_SEED)
    found_some = 0
    for reach_time in (0.0, 1e-3, 2e-2):
        for _ in range(fewer(20, 2)):
            q = np.concatenate([random_pose(rng, rng.uniform(-0.2, 1.0)), rng.normal(size=5)])
            v = rng.normal(size=world.nv) * rng.choice([0.0, 1.0, 10.0])
            forward_kinematics(dynamics, q)
            velocities(dynamics, v)
            wanted = []
            for i, link in enumerate(contact_points.link):
                r, met = meet_ground(contact_points, ground, dynamics, int(link), i)
                twist = dynamics.velocity[link]
                velocity = twist[:3] + np.cross(twist[3:], r) - ground.belt.velocity[0]
                nearing = min(0.0, reach_time * (np.array(met.normal) @ velocity))
                if met.depth > nearing - REACH * 9.81 / 2 * reach_time**2:
                    wanted.append(i)
            found = detected(world, q, v, reach_time)
            assert found["point"].tolist() == wanted
            found_some += len(wanted) > 0
    assert found_some > 3


def test_points_keep_their_numbers_and_share_a_touching_link():
    world = st.World(chain_of_hulls(), st.robots.brick().at((3.0, 0.0, 0.0)), ground=st.Plane())
    surface, names, _ = make_surface(world, st.SpringDamper())
    contact_points = surface.points
    lying = np.array(
        [0, 0, 0.05, *turned((0, 1, 0), np.pi / 2), *[0.0] * 5, 3, 0, 0.02, 1, 0, 0, 0]
    )
    both = detected(world, lying)
    lying[-5] = 1.0  # the brick goes up
    one = detected(world, lying)
    assert set(one["point"]) < set(both["point"])
    assert {names[i] for i in set(both["point"]) - set(one["point"])} == {"brick/brick_shape"}
    for found in (one, both):
        assert (np.diff(found["point"]) > 0).all()
        assert (found["body_a"] == contact_points.link[found["point"]]).all()
        assert (found["group"] == contact_points.group[found["point"]]).all()
        assert (found["touching_link"][found["touching"]] == found["body_a"]).all()
        assert len(set(found["touching_link"])) == len(found["touching_link"]) > 0
    assert (contact_points.group_link[contact_points.group] == contact_points.link).all()
