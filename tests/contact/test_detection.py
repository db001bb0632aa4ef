"""What touches: against MuJoCo, against closed forms, and against every place looked at alone."""

import itertools

import mujoco
import numpy as np
import pytest

import stiction as st
from mechanisms import fewer, turned
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.kernels.contact import REACH_ACCELERATION, detect, touching
from stiction.kernels.kinematics import forward_kinematics, velocities
from stiction.kernels.spatial import point_velocity
from stiction.kernels.terrain import meet
from stiction.kernels.tree import allocate
from stiction.simulation import make_surface

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


def rows(world, q, v=None, reach_time=0.0):
    """What `detect` finds: rows of all arrays of `Contact` that are in use."""
    surface, _, _ = make_surface(world, st.SpringDamper())
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    velocities(dynamics, np.zeros(world.nv) if v is None else v)
    contact = surface.contact
    detect(surface.places, surface.ground, dynamics, contact, reach_time)
    n = contact.count[0]
    found = {name: getattr(contact, name)[:n].copy() for name in ("point", "slot", "group", "pair")}
    for name in ("body_a", "depth", "arm", "normal", "velocity"):
        found[name] = getattr(contact, name)[:n].copy()
    found["slot_link"] = contact.slot_link[: contact.slots[0]].copy()
    return found


def by_mujoco(model, q):
    """Depths and normals of MuJoCo's contacts, deepest first."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_fwdPosition(model, data)
    order = np.argsort(data.contact.dist)
    return -data.contact.dist[order], data.contact.frame[order, :3]


def random_pose(rng, height):
    quaternion = rng.normal(size=4)
    return np.array([*rng.uniform(-0.3, 0.3, 2), height, *(quaternion / np.linalg.norm(quaternion))])


# ------------------------------------------------------------------------------------ against MuJoCo


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
        ours = rows(world, q)
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
        ours = np.sort(rows(world, q)["depth"])[::-1]
        assert np.allclose(ours[: len(depths)], depths, atol=1e-9)
