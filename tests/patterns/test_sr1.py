"""OpenHRP's sample robot walks the patterns that were made for it, with their gains.

SR1.urdf has an inertia of 1 kg m2 on every link and no rotors. sample1.wrl has plausible inertias
and rotors of 12 kg m2 behind the gears, and its centre of mass is 28 mm behind that of SR1.urdf,
for which pattern C was made.
"""

import dataclasses
from functools import cache

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.patterns import read_openhrp
from stiction.patterns.grounded import grounded, torques_at
from stiction.scenes import scene

FOLDER = ("robots", "openhrp3_sample")
BALANCED = {"feedforward": True, "balance": True, "tilt": 4.0}
WALKING = (3.8, 9.6)  # when pattern C moves [s]


def walked(model, pattern, mu=0.5, **control):
    """The scene of a pattern with one of the robots, its gains alone unless told otherwise."""
    data_file(*FOLDER, model)
    one = scene(f"sr1-walk-{pattern}")
    robot = dataclasses.replace(one.robots[0], data="/".join([*FOLDER, model]))
    given = {k: v for k, v in one.controls[0].parameters.items() if k not in BALANCED}
    follow = dataclasses.replace(one.controls[0], parameters=given | control)
    one = dataclasses.replace(one, robots=(robot,), controls=(follow,))
    motion = one.simulate(contact=st.GaussSeidel(mu_static=mu, mu_kinetic=mu))
    return motion, one.verdict(motion)


@cache
def planned(model):
    robot = st.load(data_file(*FOLDER, model))
    motion = read_openhrp(data_file(*FOLDER, "walk_patterns.npz"), "walkC").on(robot)
    return grounded(motion, robot), motion


def zmp_error(motion):
    """Distance of the zero-moment point from the planned one, x and y [m]; from 0.6 s on.

    Before, the plan of the file itself jumps.
    """
    plan = read_openhrp(data_file(*FOLDER, "walk_patterns.npz"), "walkC").planned_zmp(motion)
    kept = np.flatnonzero(motion.time[:-1] > 0.6)
    return motion.time[kept], (motion.zmp() - plan)[kept, :2]


def rms(error):
    return float(np.sqrt((error**2).sum(axis=1).mean()))


@pytest.mark.jit
@pytest.mark.parametrize("model", ["SR1.urdf", "sample1.wrl"])
def test_pattern_a_is_walked_to_the_end_with_the_gains_of_the_file(model):
    motion, found = walked(model, "a")
    assert found.upright and not found.slips and found.lean < 1.0
    # its odometry is 0.44 m
    assert motion.q[-1, 0] - motion.q[0, 0] == pytest.approx(0.44, abs=0.01)


@pytest.mark.slow
@pytest.mark.jit
def test_pattern_c_is_walked_by_sr1_with_the_gains_alone_but_it_sways():
    motion, found = walked("SR1.urdf", "c")
    assert found.upright and found.lean < 1.0
    _, error = zmp_error(motion)
    assert 0.06 < rms(error) < 0.12  # 89 mm measured: servos of 8000 N m/rad, damped by 6 %


@pytest.mark.slow
@pytest.mark.jit
def test_sample1_walks_pattern_c_with_feedforward_and_falls_without():
    assert not walked("sample1.wrl", "c")[1].upright
    motion, found = walked("sample1.wrl", "c", feedforward=True)
    assert found.upright and found.lean < 1.0
    _, error = zmp_error(motion)
    x, y = np.sqrt((error**2).mean(axis=0))
    assert y < 0.015  # 13 mm measured
    assert x == pytest.approx(0.028, abs=0.006)  # its centre of mass, as the plan says already


@pytest.mark.slow
@pytest.mark.jit
def test_the_zero_moment_point_of_sr1_follows_that_of_pattern_c():
    motion, found = walked("SR1.urdf", "c", **BALANCED)
    assert found.upright
    time, error = zmp_error(motion)
    assert rms(error) < 0.015  # 14.4 mm measured, both directions together
    walking = (time > WALKING[0]) & (time < WALKING[1])
    assert rms(error[walking]) < 0.025  # while it walks: 21.8 mm measured


@pytest.mark.jit
@pytest.mark.parametrize("pattern", ["a", pytest.param("c", marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", ["SR1.urdf", pytest.param("sample1.wrl", marks=pytest.mark.slow)])
def test_with_a_friction_of_a_hundredth_it_slips(model, pattern):
    """By 0.3 to 0.5 m. It does not fall: without friction nothing tips it over."""
    assert walked(model, pattern, mu=0.01)[1].slip > 0.25


@pytest.mark.slow
@pytest.mark.jit
def test_with_less_friction_still_or_with_feedback_that_trusts_the_ground_it_falls():
    assert not walked("SR1.urdf", "a", mu=0.001)[1].upright  # it slides at 0.002 to 0.008
    assert not walked("sample1.wrl", "a", mu=0.01, **BALANCED)[1].upright


# ----------------------------------------------------------------------------------------- grounded


@pytest.mark.jit
def test_a_motion_of_joints_gets_the_base_that_stands_on_its_soles():
    pattern, _ = planned("SR1.urdf")
    assert pattern.q[-1, 0] - pattern.q[0, 0] == pytest.approx(0.446, abs=0.005)  # odometry
    lowest = pattern.soles[:, :, 2].min(axis=1)
    assert np.abs(lowest).max() < 2e-3  # low-passed at 6 Hz, a landing foot dips a little
    assert pattern.support.any(axis=1).all()
    assert pattern.zmp_margins[1:].min() > 0.03  # the first sample of the file jumps


@pytest.mark.jit
@pytest.mark.parametrize(("model", "behind"), [("SR1.urdf", 0.0), ("sample1.wrl", -0.028)])
def test_the_planned_zero_moment_point_is_that_of_sr1(model, behind):
    pattern, _ = planned(model)
    error = (pattern.zmp - pattern.zmp_reference)[pattern.time > 0.6]
    assert np.median(error[:, 0]) == pytest.approx(behind, abs=1e-3)
    assert np.sqrt(np.mean((error - [behind, 0.0]) ** 2)) < 0.012


@pytest.mark.jit
def test_torques_of_a_standing_robot_carry_its_weight():
    pattern, motion = planned("SR1.urdf")
    torques = torques_at(pattern, motion)
    assert torques.shape == motion.q.shape
    k = 1500  # it stands
    world = pattern.body.world
    still = st.mechanics.inverse_dynamics(
        world, pattern.q[750], np.zeros(world.nv), np.zeros(world.nv)
    )
    assert still[2] == pytest.approx(130.8 * 9.81, rel=1e-3)
    knees = [motion.joints.index(name) for name in ("RLEG_KNEE", "LLEG_KNEE")]
    assert torques[k, knees[0]] == pytest.approx(torques[k, knees[1]], rel=0.05)
    elbow = motion.joints.index("LARM_ELBOW")
    dof = world.tree.v_index[world.joint("LARM_ELBOW")]
    assert torques[k, elbow] == pytest.approx(still[dof], abs=1e-3)
