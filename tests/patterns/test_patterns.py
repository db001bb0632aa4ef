"""Planned motions: what they promise, and what is refused."""

import functools

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.patterns.curves import piecewise, smooth_step
from stiction.world import mechanics

pytestmark = pytest.mark.jit  # thousands of poses

HEEL_TO_TOE = 0.05  # half a sole of hoap1 [m]


@functools.cache
def hoap1():
    return st.robots.hoap1()


@functools.cache
def pattern(name):
    """Each pattern once, for all tests; `walk` with four steps."""
    if name == "walk":
        return st.patterns.walk(hoap1(), steps=4)
    if name == "arc":
        return st.patterns.walk(hoap1(), steps=3, turn=0.2)
    if name == "reach":
        return st.patterns.reach(st.robots.hrp2(), "right_hand", (0.2, 0.1, 0.2))
    return getattr(st.patterns, name)(hoap1())


ALL = ["walk", "arc", "squat", "sway", "lean", "reach", "jump"]


@pytest.mark.parametrize("name", ALL)
def test_patterns_start_and_end_at_rest(name):
    p = pattern(name)
    assert not p.v[[0, -1]].any()
    assert np.abs(p.q[1] - p.q[0]).max() < 1e-5  # less than 2 mrad/s in the first sample
    assert np.abs(p.q[-1] - p.q[-2]).max() < 1e-5
    assert p.state.time == 0.0
    np.testing.assert_array_equal(p.state.q, p.q[0])


@pytest.mark.parametrize("name", ALL)
def test_velocities_are_derivatives_of_positions(name):
    """Hermite interpolation with v gives the middle of q's neighbours: fourth-order differences."""
    p = pattern(name)
    dt = p.time[1]
    for k, d in p.body.single:
        q, v = p.q[:, k], p.v[:, d]
        slope = (8 * (q[3:-1] - q[1:-3]) - (q[4:] - q[:-4])) / (12 * dt)
        # both are exact for cubics; motions last 0.5 s and more, (5 ms / 0.5 s)^3 = 1e-6
        assert np.abs(slope - v[2:-2]).max() <= 2e-3 * max(np.abs(v).max(), 1e-3)


@pytest.mark.parametrize("name", ALL)
def test_standing_soles_do_not_move_or_sink(name):
    p = pattern(name)
    for side in (0, 1):
        before = None
        for k in range(0, len(p.time), 3):
            position, axes = p.body.sole_pose(p.q[k], side)
            assert abs(axes[2, 2] - 1) < 1e-12  # flat
            if not p.support[k, side]:
                assert position[2] > -1e-9
                before = None
                continue
            assert abs(position[2]) < 1e-9
            if before is not None:
                np.testing.assert_allclose(position, before, atol=1e-9)
            before = position


@pytest.mark.parametrize("name", ALL)
def test_the_centre_of_mass_is_where_it_is_planned(name):
    p = pattern(name)
    for k in range(0, len(p.time), 20):
        centre = mechanics.centre_of_mass(p.body.world, p.q[k])
        np.testing.assert_allclose(centre, p.centre_of_mass[k], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "margin"), [("walk", 0.03), ("arc", 0.03), ("squat", 0.048), ("sway", 0.03)]
)
def test_zmp_stays_inside_the_support(name, margin):
    """Half the width of a sole is 0.031 m: walking, nothing of it is used up."""
    assert pattern(name).zmp_margin > margin


def test_zmp_of_all_links_follows_the_reference():
    """The dynamics filter leaves less than a millimetre where one foot carries the robot."""
    p = pattern("walk")
    alone = ~p.support.all(axis=1)
    assert np.abs(p.zmp - p.zmp_reference)[alone].max() < 1e-3
    for step in p.footsteps:
        k = np.searchsorted(p.time, (step.start + step.stop) / 2)
        carrying = 1 - step.side
        np.testing.assert_allclose(p.zmp[k], p.soles[k, carrying, :2], atol=2e-4)


def test_walking_gets_as_far_as_told():
    p = st.patterns.walk(hoap1(), steps=3, step_length=0.04, width=0.09)
    np.testing.assert_allclose(p.soles[-1, :, 0], 0.08, atol=1e-12)
    np.testing.assert_allclose(p.soles[-1, :, 1], [0.045, -0.045], atol=1e-12)
    assert [step.side for step in p.footsteps] == [1, 0, 1]
    np.testing.assert_allclose(p.centre_of_mass[-1, :2], [0.08, 0.0], atol=1e-6)


def test_turning_turns_feet_and_base():
    p = pattern("arc")
    np.testing.assert_allclose(p.soles[-1, :, 3], 0.4)
    yaw = 2 * np.arctan2(p.q[-1, 6], p.q[-1, 3])
    assert yaw == pytest.approx(0.4, abs=1e-9)


def test_a_jump_flies_like_a_stone():
    """The centre of mass is thrown, and nothing turns the robot about it."""
    p = pattern("jump")
    flying = ~p.support.any(axis=1)
    assert flying.sum() * p.time[1] == pytest.approx(
        p.footsteps[0].stop - p.footsteps[0].start, abs=0.01
    )
    inner = np.flatnonzero(flying)[2:-2]
    z = p.centre_of_mass[:, 2]
    fall = (z[inner + 1] - 2 * z[inner] + z[inner - 1]) / p.time[1] ** 2
    np.testing.assert_allclose(fall, -9.81, rtol=1e-6)
    assert z.max() - z[0] == pytest.approx(0.08 * p.body.leg_length, rel=0.01)
    weight = p.body.mass * 9.81
    for k in inner:
        force = mechanics.inverse_dynamics(p.body.world, p.q[k], p.v[k], p.acceleration[k])
        assert np.abs(force[:3]).max() < 0.01 * weight
        spin = mechanics.momentum(p.body.world, p.q[k], p.v[k]).angular
        assert np.abs(spin).max() < 1e-3 * p.body.mass * p.body.leg_length**2  # 1e-3 rad/s


def test_a_jump_leaves_and_meets_the_ground_without_speed():
    p = pattern("jump")
    landing = np.flatnonzero(np.diff(p.support[:, 0].astype(int)) == 1)[0]
    assert abs(p.soles[landing, 0, 2]) < 2e-4  # 1 - s < 0.06 of the flight before landing
    assert p.zmp_margin > 0.04


def test_leaning_asks_for_more_than_the_toes_can_give():
    p = pattern("lean")
    assert p.zmp_margin < 0
    assert p.centre_of_mass[:, 0].max() < HEEL_TO_TOE  # so that the robot falls back on its heels


def test_torques_hold_the_robot():
    """With the wrenches at the soles they leave no force on the base, in flight or not."""
    p = pattern("walk")
    single = [d for _, d in p.body.single]
    for k in (0, 300, 420, 600):
        torque = np.zeros(p.body.world.nv)
        torque[single] = p.torque[k]
        needed = mechanics.inverse_dynamics(p.body.world, p.q[k], p.v[k], p.acceleration[k])
        J = p.body.at(p.q[k]).sole_jacobians
        free = np.vstack([J[side] for side in np.flatnonzero(p.support[k])])
        left = needed - torque
        wrench = np.linalg.lstsq(free.T, left, rcond=None)[0]
        np.testing.assert_allclose(free.T @ wrench, left, atol=1e-9)


def test_gains_follow_the_stated_rule():
    p = pattern("squat")
    tracking = p.tracking(frequency=10.0, damping=0.5)
    np.testing.assert_allclose(tracking.damping, np.asarray(tracking.stiffness) / 10.0)
    joints = [str(name) for name in p.robot.joint_name[1:]]
    ankle = joints.index("left_ankle_pitch")
    centre = p.centre_of_mass[0] - p.body.point(p.q[0], "left_ankle_pitch_ball")
    about_ankle = p.body.mass * (centre[0] ** 2 + centre[2] ** 2)
    assert tracking.stiffness[ankle] > 100 * about_ankle  # and the inertia about the centre
    assert tracking.stiffness[ankle] < 200 * about_ankle


def test_shares_follow_the_zero_moment_point():
    p = pattern("walk")
    np.testing.assert_allclose(p.shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(p.shares[0], 0.5, atol=0.02)
    right_swings = ~p.support[:, 1]
    np.testing.assert_array_equal(p.shares[right_swings], [[1.0, 0.0]] * right_swings.sum())
    assert not pattern("jump").shares[~pattern("jump").support.any(axis=1)].any()


def test_smooth_steps_meet_their_knots():
    s = smooth_step(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]))
    np.testing.assert_allclose(s, [0, 0, 0.5, 1, 1])
    path = piecewise(np.array([0.0, 1.0, 2.0, 3.0]), [(0, (0, 1)), (2, (4, 1)), (3, (0, 0))])
    np.testing.assert_allclose(path, [[0, 1], [2, 1], [4, 1], [0, 0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step_length": 0.5}, "step_length 0.5 m is out of reach for 'hoap1'"),
        ({"step_length": 0.25, "steps": 2}, "cannot be posed at t = .* sole's position stays"),
        (
            {"height": 0.3},
            "centre of mass is 0.3 m high; try shorter steps or a lower",
        ),
        ({"height": 0.06, "steps": 2}, "joint '.*' would be at .* its limits are"),
        ({"steps": 1}, "steps is 1"),
        ({"step_time": 0.05}, "leaves 0.01 s on both feet"),
        ({"step_time": -1.0}, "step_time is -1.0; give a positive number"),
        ({"double_support": 1.0}, "between 0 and 1"),
        ({"foot_lift": 0.0}, "foot_lift is 0.0"),
        ({"width": -0.1}, "width is -0.1"),
        ({"turn": np.nan}, "turn is nan"),
        ({"feet": ("left_foot",)}, "name the left and the right foot"),
    ],
)
def test_impossible_walks_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        st.patterns.walk(hoap1(), **change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: st.patterns.walk("hoap1"), "expected a robot, found str"),
        (lambda: st.patterns.walk(st.robots.box()), "'box': no soles found"),
        (lambda: st.patterns.squat(hoap1(), depth=-0.1), "depth is -0.1"),
        (lambda: st.patterns.sway(hoap1(), cycles=0), "cycles is 0"),
        (lambda: st.patterns.lean(hoap1(), distance=np.inf), "distance is inf"),
        (lambda: st.patterns.jump(hoap1(), rise=0.01, depth=0.05), "at most twice the rise"),
        (
            lambda: st.patterns.jump(hoap1(), rise=0.1),
            "a rise of 0.1 m from a crouch of 0.2 m is too much",
        ),
        (lambda: st.patterns.reach(hoap1(), "left_foot", (0, 0, 0.1)), "'left_foot' is not a hand"),
        (lambda: st.patterns.reach(hoap1(), "left_forearm", (0, 0)), "three finite numbers"),
        (lambda: pattern("squat").servos(), "has no actuators of its own"),
    ],
)
def test_impossible_motions_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
