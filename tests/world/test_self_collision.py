"""Links of one robot that touch each other, on request."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.collision.pair_filter import may_collide
from stiction.description.mjcf import read_mjcf_text
from stiction.errors import InputError
from stiction.world.colliding_pairs import colliding_shapes

pytestmark = pytest.mark.interpreted
DT = 1e-3  # [s]
RADIUS, LENGTH, MIDDLE = 0.02, 0.3, 0.06  # of the arm that folds [m]

# an upper arm that floats, a short link without shape, and a forearm that folds onto the upper arm
ARM = f"""
<mujoco model="arm">
  <worldbody>
    <body name="upper"><freejoint name="base"/>
      <geom name="upper" type="capsule" fromto="0 0 0 {LENGTH} 0 0" size="{RADIUS}" mass="1"/>
      <body name="middle" pos="{LENGTH + 0.03} 0 0"><joint name="first" axis="0 1 0"/>
        <geom type="sphere" size="0.01" contype="0" conaffinity="0" mass="0.1"/>
        <body name="forearm" pos="0 0 {MIDDLE}"><joint name="second" axis="0 1 0"/>
          <geom name="forearm" type="capsule" fromto="0 0 0 {-LENGTH} 0 0" size="{RADIUS}" mass="1"
          /></body>
      </body>
    </body>
  </worldbody>
  CONTACT
</mujoco>
"""


def arm(contact=""):
    return st.Robot.from_description(read_mjcf_text(ARM.replace("CONTACT", contact), "arm.xml"))


def folding(self_collision):
    """The forearm turns towards the upper arm, parallel to it at first."""
    world = st.World(arm(), ground=None, gravity=(0, 0, 0), self_collision=self_collision)
    state = world.home()
    state.q[8], state.v[7] = 0.2, -8.0  # it opens by 0.2 rad, and closes at 8 rad/s
    model = st.Coulomb() if self_collision else None
    return st.simulate(world, model, duration=0.06, dt=DT, state=state)


def distance_of_axes(motion, k):
    """Distance between the segments of both arms, by sampling."""
    first, second = motion.q[k, 7], motion.q[k, 7] + motion.q[k, 8]
    joint = np.array([LENGTH + 0.03, 0.0])
    elbow = joint + MIDDLE * np.array([np.sin(first), np.cos(first)])
    s = np.linspace(0, 1, 2001)[:, None]
    forearm = elbow - LENGTH * s * np.array([np.cos(second), -np.sin(second)])
    x = np.clip(forearm[:, :1], 0, LENGTH)
    return np.hypot(*(forearm - np.hstack([x, np.zeros_like(x)])).T).min()


def test_an_arm_that_folds_onto_itself_stops():
    through = folding(False)
    assert min(distance_of_axes(through, k) for k in range(61)) < RADIUS  # they overlap
    motion = folding(True)
    distances = [distance_of_axes(motion, k) for k in range(61)]
    # sampling of the segments is good to 1e-8 m; position correction lets 1e-4 of the size stay
    assert min(distances) > 2 * RADIUS - 2e-4
    assert min(distances) < 2 * RADIUS + 2e-3  # a step of travel
    force = motion.force_between("forearm", "upper")
    assert np.nanmax(np.abs(force)) > 1
    np.testing.assert_array_equal(motion.force_between("upper", "forearm"), -force)
    # the joints turn by 5 mrad in the step of the impact, and so do the directions of its momenta
    momentum, energy = motion.momentum().linear, motion.energy().total
    assert np.abs(momentum - momentum[0]).max() < 5e-3 * np.abs(momentum[0]).max()
    assert energy.max() <= energy[0] * (1 + 1e-4)
    assert motion.unsolved.count == 0


def test_links_that_a_joint_connects_do_not_touch():
    world = st.World(st.robots.biped10(), self_collision=True)
    names = [str(world.robots[0].shape_name[s.shape]) for s in colliding_shapes(world.robots)]
    thigh, shin, other = (
        names.index(name)
        for name in ("left_thigh_capsule", "left_shank_capsule", "right_thigh_capsule")
    )
    assert not may_collide(world.pair_filter, thigh, shin)
    assert may_collide(world.pair_filter, thigh, other)


TOUCHING_AT_HOME = """
<mujoco model="three">
  <worldbody>
    <body name="a"><freejoint name="base"/>
      <geom name="a" type="sphere" size="0.1" mass="1"/>
      <body name="b" pos="0.15 0 0"><joint name="one" axis="0 1 0"/>
        <geom name="b" type="sphere" size="0.05" mass="1"/>
        <body name="c" pos="-0.05 0 0.12"><joint name="two" axis="0 1 0"/>
          <geom name="c" type="sphere" size="0.1" mass="1"/></body>
        <body name="d" pos="-0.15 0 -0.15"><joint name="three" axis="0 1 0"/>
          <geom name="d" type="sphere" size="0.05" mass="1"/></body>
      </body>
    </body>
  </worldbody>
  CONTACT
</mujoco>
"""
DEPTH = 0.2 - np.hypot(0.1, 0.12)  # of a and c at home; a and d just touch


def three(contact=""):
    text = TOUCHING_AT_HOME.replace("CONTACT", contact)
    return st.Robot.from_description(read_mjcf_text(text, "three.xml"))


def test_shapes_that_overlap_at_home_do_not_touch_and_a_run_says_so():
    world = st.World(three(), ground=None, gravity=(0, 0, 0), self_collision=True)
    (overlap,) = world.home_overlaps
    assert overlap.names == ("three/a", "three/c")
    assert overlap.depth == pytest.approx(DEPTH, rel=1e-9)
    assert not may_collide(world.pair_filter, 0, 2)
    assert may_collide(world.pair_filter, 0, 3)
    with pytest.warns(UserWarning, match=f"three/a and three/c by {1e3 * DEPTH:.3g} mm"):
        motion = st.simulate(world, st.Coulomb(), duration=5 * DT, dt=DT)
    np.testing.assert_array_equal(motion.q[-1], motion.q[0])
    assert any("overlap at home" in note for note in motion.parameters["notes"])


def test_a_pair_of_the_file_touches_although_it_overlaps_at_home():
    demanded = three('<contact><pair geom1="a" geom2="c"/></contact>')
    world = st.World(demanded, ground=None, gravity=(0, 0, 0), self_collision=True)
    assert world.home_overlaps == []
    law = st.SpringDamper(stiffness=1e3, damping=0.0)
    motion = st.simulate(world, law, duration=2e-4, dt=1e-4)
    force = motion.force_between("a", "c")[0]
    assert np.linalg.norm(force) == pytest.approx(1e3 * DEPTH, rel=1e-6)


def test_an_excluded_pair_does_not_touch_and_is_no_overlap():
    robot = three('<contact><exclude body1="a" body2="c"/></contact>')
    world = st.World(robot, self_collision=True)
    assert world.home_overlaps == []
    assert not may_collide(world.pair_filter, 0, 2)


def test_robots_are_chosen_by_name():
    robots = [three().named("left"), three().named("right").at((1.0, 0.0, 0.0))]
    world = st.World(*robots, self_collision="right")
    assert world.self_collision == ("right",)
    assert [overlap.names for overlap in world.home_overlaps] == [("right/a", "right/c")]
    assert not may_collide(world.pair_filter, 0, 3)  # a and d of the left one
    assert may_collide(world.pair_filter, 4, 7)  # of the right one
    assert st.World(*robots, self_collision=True).self_collision == ("left", "right")
    assert st.World(*robots).self_collision == ()


def test_names_that_are_not_in_the_world_are_refused():
    with pytest.raises(InputError, match="no robot 'boxx' moves in this world; found 'three'"):
        st.World(three(), self_collision=["boxx"])
    with pytest.raises(InputError, match="takes True, False or names of robots, found 1.5"):
        st.World(three(), self_collision=1.5)


def test_a_motion_keeps_the_self_collision_of_its_world(tmp_path):
    motion = folding(True)
    motion.save(tmp_path / "arm.h5")
    loaded = st.Motion.load(tmp_path / "arm.h5")
    assert loaded.world.self_collision == ("arm",)
    assert loaded.world.digest() == motion.world.digest() != folding(False).world.digest()
    force = loaded.force_between("forearm", "upper")
    np.testing.assert_array_equal(force, motion.force_between("forearm", "upper"))


def test_g1_with_self_collision_stands_as_without():
    """Shapes of its hips and elbows overlap; without the filter they would throw it apart."""
    robot = st.load(data_file("robots/mujoco_menagerie/unitree_g1/g1_mjx_nomesh.xml"))
    robot = robot.named("g1").with_colliding(*robot.shape_name.tolist())
    world = st.World(robot, self_collision=True)
    overlaps = {tuple(name.split("/")[1] for name in one.names) for one in world.home_overlaps}
    assert overlaps == {
        ("pelvis_collision", f"{side}_hip_collision") for side in ("left", "right")
    } | {(f"{side}_elbow_yaw_collision", f"{side}_wrist_collision") for side in ("left", "right")}
    alone = st.World(robot)
    with pytest.warns(UserWarning, match="overlap at home"):
        motion = st.simulate(world, st.Coulomb(), duration=3 * DT, dt=DT, state=world.standing())
    other = st.simulate(alone, st.Coulomb(), duration=3 * DT, dt=DT, state=alone.standing())
    np.testing.assert_array_equal(motion.q, other.q)
    assert not motion.between[:-1].any()
