"""Motions of OpenSim: files, units, derivatives, and the pelvis as a base."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.errors import InputError, MotionFileError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.patterns.opensim import SAGITTAL, pelvis, read_opensim, with_pelvis

TIME = np.arange(121) / 60
ANGLE = 0.6 * np.sin(2 * np.pi * TIME)
RATE = 0.6 * 2 * np.pi * np.cos(2 * np.pi * TIME)

MOT = """Coordinates
version=1
nRows=121
nColumns=3
inDegrees={degrees}
endheader
time\tknee_angle_r\tpelvis_tx
"""


def storage(path, degrees="yes", head=MOT):
    factor = 180 / np.pi if degrees == "yes" else 1.0
    rows = np.column_stack([TIME, factor * ANGLE, 0.5 + 0.1 * ANGLE])
    lines = "\n".join("\t".join(f"{x:.10f}" for x in row) for row in rows)
    path.write_text(head.format(degrees=degrees) + lines + "\n")
    return path


@pytest.mark.parametrize("degrees", ["yes", "no"])
def test_a_mot_file_is_read_in_radians_and_metres(tmp_path, degrees):
    motion = read_opensim(storage(tmp_path / "walk.mot", degrees), cutoff=None)
    assert motion.joints == ("knee_angle_r", "pelvis_tx")
    np.testing.assert_allclose(motion.q[:, 0], ANGLE, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 1], 0.5 + 0.1 * ANGLE, atol=1e-9)
    # fourth order in the steps of 1/60 s, third at the ends
    assert np.abs(motion.v[3:-3, 0] - RATE[3:-3]).max() < 1e-3


def test_names_with_paths_are_shortened(tmp_path):
    head = MOT.replace("knee_angle_r", "/jointset/knee_r/knee_angle_r/value")
    assert "knee_angle_r" in read_opensim(storage(tmp_path / "walk.sto", head=head)).joints


def test_a_motion_without_its_noise_has_velocities_within_its_band(tmp_path):
    noise = 0.01 * np.random.default_rng(3).standard_normal(len(TIME))
    rows = "\n".join(f"{t:.7f},{a:.8f}" for t, a in zip(TIME, ANGLE + noise, strict=True))
    path = tmp_path / "walk.csv"
    path.write_text(f"t_s,knee_angle_r_rad\n{rows}\n")
    plain, smooth = read_opensim(path, cutoff=None), read_opensim(path)
    inside = slice(12, -12)
    raw, left = (np.std(m.v[inside, 0] - RATE[inside]) for m in (plain, smooth))
    # 0.01 rad of white noise at 60 Hz: 0.65 rad/s through the spline; below 6 Hz of the 30 it is
    # 0.01 sqrt(1/5) times the mean frequency there, 0.58 of 6 Hz: 0.1 rad/s
    assert raw > 0.5 and left < 0.13
    assert "below 6 Hz" in smooth.notes[0]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.mot", "time knee\n0 1\n", "has no line 'endheader'"),
        ("a.mot", "endheader\nknee\n0\n", "line 2: the first column must be time"),
        ("a.mot", "endheader\ntime knee\n0 1\n1 x\n", "line 4: found '1 x'"),
        ("a.mot", "inDegrees=maybe\nendheader\ntime knee\n0 1\n", "inDegrees=maybe"),
        ("a.mot", "endheader\ntime knee hip\n0 1\n", "3 column names but 2 columns"),
        ("a.mot", "endheader\ntime knee knee\n0 1 2\n", "2 columns have the name 'knee'"),
        ("a.csv", "t_s,knee_rad,knee_rad\n0,1,2\n", "2 columns have the name 'knee_rad'"),
        ("a.csv", "t_s,knee_turns\n0,1\n", "line 1: column 'knee_turns' has the unit 'turns'"),
        ("a.csv", "time,knee_rad\n0,1\n", "must be t_s"),
        ("a.bvh", "HIERARCHY", "unknown format"),
        ("a.npz", "PK", "not an archive"),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(MotionFileError, match=name) as error:
        read_opensim(path)
    assert words in str(error.value)


def test_an_archive_without_coordinates_is_told_what_it_lacks(tmp_path):
    np.savez(tmp_path / "a.npz", t=TIME, angle=ANGLE)
    with pytest.raises(MotionFileError, match="has no coordinate_names, q"):
        read_opensim(tmp_path / "a.npz")


def test_an_archive_with_a_name_twice_is_refused(tmp_path):
    q = np.column_stack([ANGLE, ANGLE])
    np.savez(tmp_path / "a.npz", t=TIME, coordinate_names=["knee", "knee"], q=q)
    with pytest.raises(MotionFileError, match="2 columns have the name 'knee'"):
        read_opensim(tmp_path / "a.npz")


# --------------------------------------------------------------------------------- measured walking


def test_csv_and_npz_of_the_measured_walk_agree():
    csv = read_opensim(data_file("human_walking", "kinematics_3d_gait2392.csv"), cutoff=None)
    npz = read_opensim(data_file("human_walking", "walk_3d_gait2392.npz"), cutoff=None)
    assert csv.joints == npz.joints and len(csv.joints) == 23
    assert np.abs(csv.q - npz.q).max() < 1e-8  # digits of the text


def test_the_pelvis_turns_as_opensims_own_kinematics_say():
    path = data_file("human_walking", "walk_3d_gait2392.npz")
    position, turned = pelvis(read_opensim(path, cutoff=None))
    with np.load(path) as file:
        k = file["body_names"].tolist().index("pelvis")
        origin, theirs = file["body_origin_position"][:, k], file["body_quaternion_wxyz"][:, k]
    np.testing.assert_allclose(position, origin[:, [0, 2, 1]] * [1, -1, 1], atol=1e-9)
    ours_in_theirs = turned[:, [0, 1, 3, 2]] * [1, 1, 1, -1]
    assert np.abs(np.abs((ours_in_theirs * theirs).sum(axis=1)) - 1).max() < 1e-9


def test_a_walk_on_a_treadmill_moves_a_base_forwards():
    robot = st.robots.biped10()
    motion = read_opensim(data_file("human_walking", "walk_planar.npz"))
    knees = {"knee_angle_r": ("right_knee", -1.0), "knee_angle_l": ("left_knee", -1.0)}
    rest = [str(name) for name in robot.joint_name[1:] if "knee" not in str(name)]
    joints = motion.renamed(knees).on(robot, hold=rest)
    reference = with_pelvis(motion, joints, robot, floor=-0.0075, belt=1.13)
    q = np.asarray(reference.q)
    assert q.shape == (151, robot.nq)
    assert q[-1, 0] - q[0, 0] == pytest.approx(1.13 * 2.5, abs=0.1)  # it swings by some cm
    table = st.Prescribed(reference, base="all").bind(st.World(robot))
    assert len(table.dof) == 13
    with pytest.raises(InputError, match="with_pelvis needs a robot with a free base"):
        with_pelvis(motion, motion, robot)


def test_hanavans_feet_go_the_way_of_the_measured_ones():
    """In the sagittal plane, from the pelvis; the man has longer legs than the subject."""
    path = data_file("human_walking", "walk_planar.npz")
    robot = st.robots.hanavan()
    motion = read_opensim(path)
    rest = [
        str(name)
        for name in robot.joint_name[1:]
        if name not in [joint for joint, _ in SAGITTAL.values()]
    ]
    joints = motion.renamed(SAGITTAL).on(robot, hold=rest)
    q = np.asarray(with_pelvis(motion, joints, robot).q)
    world = st.World(robot)
    dynamics = allocate(world.tree)
    feet = [world.place(f"{side}_foot").link for side in ("right", "left")]
    ways = np.zeros((len(q), 2, 3))
    for k, one in enumerate(q):
        forward_kinematics(dynamics, one)
        ways[k] = dynamics.position[feet] - dynamics.position[world.place("pelvis").link]
    with np.load(path) as file:
        names = file["body_names"].tolist()
        pelvis_at = file["body_origin_position"][:, names.index("pelvis")]
        for k, side in enumerate("rl"):
            theirs = file["body_origin_position"][:, names.index(f"talus_{side}")] - pelvis_at
            for ours, their in ((ways[:, k, 0], theirs[:, 0]), (ways[:, k, 2], theirs[:, 1])):
                assert np.corrcoef(ours, their)[0, 1] > 0.99
                assert np.ptp(ours) == pytest.approx(np.ptp(their), rel=0.15)
