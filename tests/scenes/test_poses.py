"""Poses of joints in a scene's controller: what they replace, and their errors."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.scenes.control import Control
from stiction.scenes.reader import parse_scene

pytestmark = pytest.mark.interpreted


HOLD = {"stiffness": 40.0, "damping": 1.0}
POSES = (
    {"time": 0.2, "joints": {"left_elbow_pitch": -1.0}},
    {"time": 0.5, "joints": {"left_elbow_pitch": -0.5, "right_elbow_pitch": -0.8}},
)


def plan_of(poses, kind="hold", **parameters):
    given = HOLD | parameters if kind == "hold" else parameters
    return Control(kind, {**given, "pose": poses}).plan(st.robots.hoap1())


def column(plan, name):
    return plan.q[:, plan.joints.index(name)], plan.v[:, plan.joints.index(name)]


def test_joints_pass_their_poses_at_rest():
    plan = plan_of(POSES)
    at = dict(zip(plan.time.round(6).tolist(), range(len(plan.time)), strict=True))
    q, v = column(plan, "left_elbow_pitch")
    assert [q[at[t]] for t in (0.0, 0.2, 0.5)] == pytest.approx([-0.3, -1.0, -0.5], abs=1e-12)
    assert [v[at[t]] for t in (0.0, 0.2, 0.5)] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert v[at[0.1]] == pytest.approx(30 / 16 * -0.7 / 0.2, rel=1e-12)  # minimum jerk


def test_a_joint_waits_for_the_pose_before_the_one_that_names_it():
    plan = plan_of(POSES)
    q, _ = column(plan, "right_elbow_pitch")
    assert np.ptp(q[plan.time <= 0.2]) < 1e-15
    assert q[-1] == pytest.approx(-0.8, abs=1e-12)


def test_other_joints_are_held():
    plan = plan_of(POSES)
    others = [k for k, name in enumerate(plan.joints) if "elbow" not in name]
    assert np.ptp(plan.q[:, others], axis=0).max() == 0.0 and not plan.v[:, others].any()


def test_without_poses_the_plan_is_as_it_was():
    plan = plan_of(())
    assert plan.time.tolist() == [0.0, 1.0]


def test_a_planned_motion_goes_on_until_the_last_pose():
    """The arm follows its poses, the legs their plan, and what the plan adds is held at its end."""
    alone = plan_of((), "squat", depth=0.01, time=0.3)
    late = alone.duration + 0.4
    plan = plan_of(
        ({"time": late, "joints": {"left_elbow_pitch": -1.0}},), "squat", depth=0.01, time=0.3
    )
    n = len(alone.time)
    assert plan.duration == pytest.approx(late, abs=0.005) and len(plan.shares) == len(plan.time)
    legs = [k for k, name in enumerate(plan.joints) if "elbow" not in name]
    np.testing.assert_array_equal(plan.q[:n, legs], alone.q[:, legs])
    assert (plan.q[n:, legs] == alone.q[-1, legs]).all() and not plan.v[n:, legs].any()
    (tracking,) = plan.bound("")
    assert len(tracking.feedforward) == len(plan.time)
    assert column(plan, "left_elbow_pitch")[0][-1] == pytest.approx(-1.0, abs=1e-12)


SCENE = """shows = "An arm moves"
duration = 0.3
[robot]
model = "hoap1"
[controller]
kind = "hold"
stiffness = 40.0
damping = 1.0
[[controller.pose]]
time = 0.2
joints = { left_elbow_pitch = -1.0 }
"""


def test_a_scene_file_has_poses(tmp_path):
    scene = parse_scene(SCENE, tmp_path / "arm.toml")
    plan = scene.plans[0]
    assert column(plan, "left_elbow_pitch")[0][-1] == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (({"time": 0.2, "joints": {"left_elbow": -1.0}},), "no joint 'left_elbow'; did you mean"),
        (({"time": 0.2, "joints": {"left_elbow_pitch": 1.0}},), "its limits are -2.09"),
        (({"time": 0.2, "joints": {"left_elbow_pitch": "up"}},), "give a finite number"),
        (
            ({"time": 0.0, "joints": {"left_elbow_pitch": -1.0}},),
            "after 0 s, when the motion starts",
        ),
        ((POSES[1], POSES[0]), r"pose 2: time is 0.2 s; give one after 0.5 s"),
        (
            ({"at": 0.2, "joints": {"left_elbow_pitch": -1.0}},),
            "pose 1 has at, joints; give time and",
        ),
        (({"time": 0.2, "joints": {}},), "give positions by name"),
        ("up", "give a list of poses"),
    ],
)
def test_wrong_poses_are_told(poses, message):
    with pytest.raises(InputError, match=message):
        plan_of(poses)


def test_servos_of_a_file_do_not_follow_poses():
    with pytest.raises(InputError, match="not 'servos'"):
        plan_of(POSES, "squat", follow="servos")
