"""`stance` finds a pose in which a robot stands, or says why there is none."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from mechanisms import pendulum
from stiction.errors import InputError
from stiction.patterns.stance import LEVEL, Legs, underside
from stiction.world import mechanics

pytestmark = pytest.mark.interpreted

KNEE = 'axis="0 1 0" range="-2.5 -1.2"'
LEG = """<body name="{name}_thigh" pos="{x} {y} 0">
  <joint name="{name}_roll" axis="1 0 0" range="-1 1"/>
  <joint name="{name}_hip" axis="0 1 0" range="-1 3"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.5"/>
  <body pos="0 0 -0.2"><joint name="{name}_knee" {knee}/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.18" size="0.015" mass="0.2"/>
    <geom type="sphere" pos="0 0 -0.2" size="0.02" mass="0.05"/></body></body>"""


def quadruped(knee=KNEE, rest=""):
    """Its knees cannot be straight, so that it does not stand with its joints at zero."""
    legs = "".join(
        LEG.format(name=f"{end}_{side}", x=x, y=y, knee=knee)
        for end, x in (("front", 0.1), ("hind", -0.1))
        for side, y in (("left", 0.1), ("right", -0.1))
    )
    return f"""<mujoco model="dog"><compiler angle="radian" autolimits="true"/><worldbody>
      <body name="trunk"><freejoint/>
      <geom type="box" size="0.1 0.08 0.05" mass="6"/>{legs}</body></worldbody>{rest}</mujoco>"""


@pytest.fixture
def dog(tmp_path):
    path = tmp_path / "dog.xml"
    path.write_text(quadruped())
    return st.load(path)


def test_a_quadruped_with_bent_knees_is_posed_on_its_feet(dog):
    assert not Legs(dog).stands(Legs(dog).start)
    posed = st.patterns.stance(dog)
    q = posed.home
    assert (q[7:] >= dog.lower[6:]).all()
    assert (q[7:] <= dog.upper[6:]).all()
    np.testing.assert_array_equal(q[:7], dog.home[:7])
    legs = Legs(posed)
    legs.place(q)
    feet = np.array([legs.points(foot)[legs.points(foot)[:, 2].argmin()] for foot in legs.feet])
    assert len(feet) == 4
    assert np.ptp(feet[:, 2]) < LEVEL
    centre = mechanics.centre_of_mass(st.World(posed), q)
    np.testing.assert_allclose(feet[:, :2].mean(axis=0), centre[:2], atol=1e-4)
    np.testing.assert_allclose(q[[9, 12]], q[[15, 18]], atol=1e-3)  # left and right are alike


@pytest.mark.parametrize("make", [st.robots.hoap1, st.robots.hrp2])
def test_a_robot_that_stands_at_home_is_left_alone(make):
    robot = make()
    np.testing.assert_array_equal(st.patterns.stance(robot).home, robot.home)


def test_loops_are_closed_in_the_pose(tmp_path):
    """A hind knee follows a front one, and so does the solution."""
    rest = """<equality><joint joint1="hind_left_knee" joint2="front_left_knee"
      polycoef="0.1 1 0 0 0"/></equality>"""
    path = tmp_path / "dog.xml"
    path.write_text(quadruped(rest=rest))
    posed = st.patterns.stance(st.load(path))
    angle = dict(zip(posed.joint_name[1:].tolist(), posed.home[7:], strict=True))
    assert angle["hind_left_knee"] == pytest.approx(angle["front_left_knee"] + 0.1, abs=1e-9)


def test_undersides_of_boxes_edges_and_points():
    box = np.array([[x, y, z] for x in (0, 0.2) for y in (0, 0.1) for z in (0, 0.05)])
    level, carrying = underside(box, 1.0)
    np.testing.assert_allclose(level[:, 2], 0, atol=1e-12)
    assert (box[carrying][:, 2] == 0).all()
    tilted = box @ np.array([[0.96, 0, 0.28], [0, 1, 0], [-0.28, 0, 0.96]])
    level, carrying = underside(tilted, 1.0)
    assert set(np.flatnonzero(carrying)) == set(np.flatnonzero(box[:, 2] == 0))
    assert len(underside(np.array([[0, 0, 0], [0.2, 0, 0]]), 1.0)[0]) == 1
    assert len(underside(np.zeros((1, 3)), 1.0)[0]) == 0


def test_what_cannot_stand_is_told(dog, tmp_path):
    with pytest.raises(InputError, match="only a robot with one can stand"):
        st.patterns.stance(pendulum())
    with pytest.raises(InputError, match="expected a robot, found str"):
        st.patterns.stance("dog")
    lower = np.r_[[-np.inf] * 6, [-0.01, 1.4, -1.3] * 4]
    upper = np.r_[[np.inf] * 6, [0.01, 1.5, -1.2] * 4]
    with pytest.raises(InputError, match="no standing pose found: .*pose it yourself"):
        st.patterns.stance(dog.with_joints(lower=lower, upper=upper))
    with pytest.raises(InputError, match="no shape can touch the ground"):
        st.patterns.stance(replace(dog, shape_collides=np.zeros(len(dog.shape_name), bool)))
