"""Motions of OpenHRP: read, differentiated, matched to a robot, and walked by its sample robot."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.errors import InputError, MotionFileError
from stiction.patterns.openhrp import SR1_JOINTS, read_openhrp, read_openhrp_text
from stiction.patterns.recorded import cubic
from stiction.patterns.smoothing import disagreeing, low_pass, reconciled, smoothed

pytestmark = pytest.mark.interpreted


DT = 0.002
TIME = np.arange(3000) * DT
KNEE = ("left_knee", "right_knee")


def wave(amplitude=0.5, frequency=1.0):
    """A sine and its rate."""
    w = 2 * np.pi * frequency
    return amplitude * np.sin(w * TIME)[:, None], amplitude * w * np.cos(w * TIME)[:, None]


def archive(path, **arrays):
    np.savez(path, **arrays)
    return path


# -------------------------------------------------------------------------------------- derivatives


@pytest.mark.parametrize("frequency", [1.0, 5.0, 20.0])
def test_the_low_pass_has_the_gain_that_it_states(frequency):
    cutoff = 10.0
    passed = low_pass(wave(1.0, frequency)[0], DT, cutoff)
    ratio = np.sin(np.pi * frequency * DT) / np.sin(np.pi * cutoff * DT)
    middle = slice(500, 2500)
    found = passed[middle, 0] @ wave(1.0, frequency)[0][middle, 0] / 1000.0
    # what the ends do has died away after a second
    assert found == pytest.approx(1.0 / (1.0 + ratio**6), abs=1e-9)


def test_the_low_pass_leaves_a_parabola_as_it_is_up_to_its_ends():
    parabola = (TIME**2 - 3 * TIME + 1)[:, None]
    assert np.abs(low_pass(parabola, DT, 5.0) - parabola).max() < 1e-11  # rounding of 36


def test_a_sine_rounded_to_three_digits_has_its_velocity_to_3_thousandths_after_smoothing():
    q, v = wave()
    rounded = np.round(q, 3)
    raw = np.gradient(rounded, DT, axis=0) - v
    assert np.sqrt((raw**2).mean()) > 0.1  # [rad/s]: what rounding does to plain differences
    positions, rates = smoothed(rounded, DT, 10.0)
    inside = slice(250, -250)
    # white noise of 1/sqrt(12) mrad below 10 Hz of 250 Hz: 0.8 mrad/s, and its peaks; at the ends
    # the sine, whose third derivative is not 0 there, is bent
    assert np.abs(rates - v)[inside].max() < 3e-3
    assert np.abs(rates - v).max() < 0.06
    assert np.abs(positions - q)[inside].max() < 2e-4


def test_fine_velocities_and_rounded_angles_become_a_motion_that_agrees_with_itself():
    q, v = wave()
    positions, rates = reconciled(np.round(q, 3), v, DT, 2.0)
    assert np.abs(positions - q).max() < 5e-4  # half a digit of the angles
    assert np.abs(rates - v).max() < 5e-3
    means = (rates[1:] + rates[:-1]) / 2
    assert np.abs(np.diff(positions, axis=0) / DT - means).max() < 1e-5  # error of the trapezium


def test_velocities_of_another_motion_are_found_out():
    q, v = wave()
    still = np.full_like(q, 0.175)
    columns = np.hstack([np.round(q, 3), still, still]), np.hstack([v, v, 0 * v])
    assert disagreeing(*columns, DT).tolist() == [1]


# -------------------------------------------------------------------------------------------- files


def test_a_reference_without_velocities_passes_through_its_samples(tmp_path):
    q, v = wave()
    path = archive(tmp_path / "a.npz", joint_names=["knee"], walk_q=q, dt=np.array(DT))
    motion = read_openhrp(path)
    np.testing.assert_array_equal(motion.q, q)
    inside = slice(20, -20)  # at its ends the spline guesses its slope
    assert np.abs(motion.v - v)[inside].max() < 1e-7
    np.testing.assert_allclose(motion.resampled(DT).q, q, atol=1e-15)
    halves = motion.resampled(DT / 2)
    assert np.abs(halves.q[::2] - q).max() < 1e-14
    between = 0.5 * np.sin(2 * np.pi * halves.time[1::2])
    assert np.abs(halves.q[1::2, 0] - between)[inside].max() < 1e-9


def test_text_files_are_read_as_the_archive(tmp_path):
    q, v = wave()
    path = archive(tmp_path / "a.npz", joint_names=["knee"], walk_t=TIME, walk_q=q, walk_dq=v)
    for name, columns in (("angle.dat", q), ("vel.dat", v)):
        np.savetxt(tmp_path / name, np.column_stack([TIME, columns]), fmt="%.18g")
    motion = read_openhrp(path, "walk")
    text = read_openhrp_text(tmp_path / "angle.dat", tmp_path / "vel.dat", joints=["knee"])
    np.testing.assert_array_equal(motion.v, text.v)
    assert "velocities of the file above 2 Hz" in text.notes[0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["0 1", "0.002 x"], "line 2: found '0.002 x'; give numbers"),
        (["0 1", "0.002 1 2"], "line 2: has 3 columns"),
        (["0 1", "", "0.002 nan"], "line 3: column 2 is nan"),
        (["0 1 2"], "expected a time and 1 joints"),
        (["0 1", "0.002 1", "0.004 1", "0.009 1"], "not equally spaced"),
        ([], "holds no numbers"),
    ],
)
def test_a_broken_text_file_is_told_with_its_line(tmp_path, lines, words):
    path = tmp_path / "angle.dat"
    path.write_text("\n".join(lines))
    with pytest.raises(MotionFileError, match="angle.dat") as error:
        read_openhrp_text(path, joints=["knee"])
    assert words in str(error.value)


def test_a_broken_archive_is_told(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(MotionFileError, match="not an archive"):
        read_openhrp(tmp_path / "a.npz")
    with pytest.raises(MotionFileError, match="no such file"):
        read_openhrp(tmp_path / "b.npz")
    path = archive(tmp_path / "c.npz", joint_names=["knee"], walk_q=np.zeros((9, 2)), dt=0.002)
    with pytest.raises(MotionFileError, match=r"'walk_q' is .*\(9, 2\); expected .* n x 1"):
        read_openhrp(path)
    with pytest.raises(InputError, match="no motion 'run'; it has walk"):
        read_openhrp(path, "run")


# ----------------------------------------------------------------------------------------- matching


def recorded(tmp_path, names):
    q = np.tile(wave()[0], (1, len(names)))
    path = archive(tmp_path / "a.npz", joint_names=np.array(names), walk_q=q, dt=np.array(DT))
    return read_openhrp(path)


def test_a_joint_that_the_robot_does_not_have_is_refused_with_the_file(tmp_path):
    motion = recorded(tmp_path, ["left_knee", "tail"])
    with pytest.raises(InputError, match=r"a.npz, walk: moves joint 'tail', which robot 'biped10'"):
        motion.on(st.robots.biped10())
    with pytest.raises(InputError, match="does not move 9 joints: 'left_hip_roll'"):
        motion.on(st.robots.biped10(), ignore=["tail"])
    with pytest.raises(InputError, match="ignore: no coordinate 'ear'; it has left_knee, tail"):
        motion.on(st.robots.biped10(), ignore=["ear"])


def test_joints_that_are_held_keep_their_home_position(tmp_path):
    robot = st.robots.biped10()
    rest = [str(name) for name in robot.joint_name[1:] if name not in KNEE]
    motion = recorded(tmp_path, KNEE).on(robot, hold=rest)
    assert set(motion.joints) == set(robot.joint_name[1:])
    hip = motion.joints.index("left_hip_pitch")
    assert (motion.q[:, hip] == -0.3).all() and (motion.v[:, hip] == 0).all()


def test_coordinates_are_renamed_and_turned(tmp_path):
    motion = recorded(tmp_path, ["knee_angle_r", "tail"])
    turned = motion.renamed({"knee_angle_r": ("right_knee", -1.0)})
    assert turned.joints == ("right_knee",)
    np.testing.assert_array_equal(turned.q[:, 0], -motion.q[:, 0])
    np.testing.assert_array_equal(turned.v[:, 0], -motion.v[:, 0])


# ---------------------------------------------------------------------------------------------- SR1


def sr1(motion, **options):
    return read_openhrp(
        data_file("robots", "openhrp3_sample", "walk_patterns.npz"), motion, **options
    )


def test_walk_a_takes_the_velocities_of_the_legs_and_not_those_of_the_arms():
    motion = sr1("walkA", cutoff=10.0)
    assert motion.joints == SR1_JOINTS
    assert "SHOULDER_P" in motion.notes[1] and "LEG" not in motion.notes[1]
    arms = [k for k, name in enumerate(SR1_JOINTS) if "ARM" in name]
    assert np.abs(motion.v[:, arms]).max() < 1e-9  # the angles do not move
    middle, rates = cubic(motion.time, motion.q, motion.v, motion.time[:-1] + DT / 2)
    means = (motion.v[1:] + motion.v[:-1]) / 2
    assert np.abs(rates - means).max() < 0.02  # [rad/s]: between samples no noise of rounding
    with np.load(data_file("robots", "openhrp3_sample", "walk_patterns.npz")) as file:
        assert np.abs(motion.q - file["walkA_q"]).max() < 1e-3  # two halves of its last digit


def test_walk_c_passes_through_its_samples_and_its_velocity_is_its_rate():
    motion = sr1("walkC")
    with np.load(data_file("robots", "openhrp3_sample", "walk_patterns.npz")) as file:
        np.testing.assert_array_equal(motion.q, file["walkC_q"])
    halves = motion.resampled(DT / 2)
    steps = np.diff(halves.q, axis=0)[1::2] + np.diff(halves.q, axis=0)[::2]
    simpson = (halves.v[:-2:2] + 4 * halves.v[1:-1:2] + halves.v[2::2]) * DT / 6
    assert np.abs(steps - simpson).max() < 1e-12  # exact for cubics
