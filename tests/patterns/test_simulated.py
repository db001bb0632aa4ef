"""Planned motions on simulated ground."""

import functools

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.description.rotation import matrix

pytestmark = pytest.mark.jit  # seconds of simulated time

FLOOR = st.GaussSeidel(mu_static=0.8, mu_kinetic=0.6)


@functools.cache
def followed(name, **change):
    """A pattern of hoap1 and its simulation, joints tracked, for half a second longer."""
    pattern = getattr(st.patterns, name)(st.robots.hoap1(), **change)
    return pattern, run(pattern, FLOOR, pattern.tracking())


def run(pattern, floor, controller):
    return st.simulate(
        st.World(pattern.robot),
        floor,
        state=pattern.state,
        controller=controller,
        duration=pattern.duration + 0.5,
        dt=0.001,
    )


def tilt(motion):
    """Angle of the base's z axis to the vertical [rad], (n)."""
    return np.arccos(np.clip([matrix(q[3:7])[2, 2] for q in motion.q], -1, 1))


def heel_height(pattern, q):
    """Height of the middle of the left sole's back edge [m]."""
    position, axes = pattern.body.sole_pose(q, 0)
    return (position - axes[:, 0] * pattern.body.soles[0].half[0])[2]


def test_hoap1_walks_where_it_is_planned():
    pattern, motion = followed("walk", steps=4)
    assert tilt(motion).max() < np.radians(0.5)  # 0.01 degrees measured
    np.testing.assert_allclose(motion.q[-1, :3], pattern.q[-1, :3], atol=1e-3)  # 0.1 mm measured
    assert np.abs(motion.v[-1]).max() < 1e-6
    lifted = motion.foot_force("right_foot")[:, 2] == 0
    middles = [round((s.start + s.stop) / 2 / 0.001) for s in pattern.footsteps if s.side == 1]
    assert lifted[middles].all()


def test_simulated_zmp_follows_the_plan():
    pattern, motion = followed("walk", steps=4)
    k = np.round(pattern.time / 0.001).astype(int)
    error = motion.zmp()[k, :2] - pattern.zmp
    # 1.1 mm measured, most of it where feet touch down; soles are 62 mm wide
    assert np.sqrt((error**2).sum(axis=1).mean()) < 3e-3


def test_hoap1_jumps_and_lands():
    pattern, motion = followed("jump")
    in_air = motion.force[:-1, :, 2].sum(axis=1) == 0
    step = pattern.footsteps[0]
    assert in_air.sum() * 0.001 == pytest.approx(step.stop - step.start, abs=0.02)
    np.testing.assert_allclose(motion.q[-1, :3], pattern.q[-1, :3], atol=5e-3)  # 0.8 mm measured
    assert tilt(motion)[-1] < np.radians(0.1)


def test_heels_lift_when_hoap1_leans():
    pattern, motion = followed("lean")
    heels = np.array([heel_height(pattern, q) for q in motion.q[::10]])
    assert heels.max() > 1e-3  # 1.7 mm measured
    assert abs(heels[-1]) < 1e-4
    assert tilt(motion)[-1] < np.radians(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["walk", "jump"])
@pytest.mark.parametrize(
    "floor",
    [st.Multipoint(mu_static=0.8, mu_kinetic=0.6), st.Balanced(mu_static=0.8, mu_kinetic=0.6)],
    ids=lambda floor: type(floor).__name__,
)
@pytest.mark.filterwarnings("ignore:.*effective mass")
def test_hoap1_walks_and_jumps_on_other_floors(name, floor):
    pattern, _ = followed(name)
    motion = run(pattern, floor, pattern.tracking())
    np.testing.assert_allclose(motion.q[-1, :2], pattern.q[-1, :2], atol=5e-3)
    assert tilt(motion)[-1] < np.radians(1.0)


@pytest.mark.slow
def test_biped14_walks_five_steps_under_feedback():
    pattern = st.patterns.walk(st.robots.biped14(), steps=5)
    motion = run(pattern, st.Feedback(mu_kinetic=0.8), pattern.tracking())
    np.testing.assert_allclose(motion.q[-1, :2], pattern.q[-1, :2], atol=5e-3)
    assert tilt(motion).max() < np.radians(0.5)


@pytest.mark.slow
def test_g1_walks_with_its_own_servos_only_if_balanced():
    """Its ankles of 20 N m/rad cannot hold 33 kg at 0.7 m, 230 N m/rad, upright by themselves."""
    path = data_file("robots", "mujoco_menagerie", "unitree_g1", "g1_mjx_nomesh.xml")
    robot = st.load(path)
    robot = robot.with_colliding("left_foot_box_collision", "right_foot_box_collision")
    pattern = st.patterns.walk(robot, steps=3)
    falling = run(pattern, FLOOR, pattern.servos())
    assert tilt(falling).max() > np.radians(30)
    motion = run(pattern, FLOOR, (pattern.servos(), pattern.balance()))
    assert tilt(motion).max() < np.radians(0.5)  # 0.07 degrees measured
    np.testing.assert_allclose(motion.q[-1, :2], pattern.q[-1, :2], atol=5e-3)
