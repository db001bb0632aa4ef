"""A file is written whole or not at all; what was there before is never lost."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mechanisms import pendulum
from small_disk import mounted
from stiction import Motion, World, robots, simulate
from stiction.errors import InputError, ModelFileError, MotionFileError
from stiction.files.written import PREFIX, check_target, write_whole
from stiction.robot.robot import Robot

pytestmark = pytest.mark.interpreted


def write(path, data=b"new"):
    write_whole(path, data, "the robot", ModelFileError)


def refusal(path):
    with pytest.raises(ModelFileError) as caught:
        write(path)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(InputError) as again:
        check_target(path, InputError)
    assert str(again.value) == str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def motion():
    return simulate(World(pendulum()), contact=None, duration=0.02, dt=0.001)


# -------------------------------------------------------------------------------------------- kinds


def test_a_file_is_written_and_nothing_else_stays(tmp_path):
    write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"new"
    write(str(tmp_path / "a"), b"newer")
    assert (tmp_path / "a").read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["a"]


def test_a_new_file_has_the_permissions_that_the_user_chose(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(mode, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode


def test_the_file_that_a_link_leads_to_is_replaced(tmp_path):
    (tmp_path / "inner").mkdir()
    target, link = tmp_path / "inner" / "a", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(Path("inner") / "a")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_link_to_nothing_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert "which does not exist; remove it" in refusal(tmp_path / "link")
    assert os.listdir(tmp_path) == ["link"]


def test_folders_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "is a named pipe" in refusal(tmp_path / "pipe")
    assert "is a folder" in refusal(tmp_path)
    assert "is a device" in refusal(Path("/dev/null"))
    assert "the folder /nowhere does not exist" in refusal(Path("/nowhere/a"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_and_a_folder_that_may_not_be_written_are_refused(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    assert "may not be overwritten" in refusal(path)
    tmp_path.chmod(0o555)
    with pytest.raises(ModelFileError, match="cannot be written"):
        write(tmp_path / "b")
    with pytest.raises(ModelFileError, match="no file may be written"):
        check_target(tmp_path / "b", ModelFileError)


# ------------------------------------------------------------------------------------------- faults


def test_a_full_disk_keeps_the_old_motion_and_the_new_one(motion, tmp_path):
    with mounted(tmp_path / "disk", 200_000) as disk:
        path = disk / "motion.h5"
        motion.save(path)
        before = path.read_bytes()
        free = shutil.disk_usage(disk).free
        (disk / "filler").write_bytes(b"\0" * (free - 4096))
        with pytest.raises(MotionFileError, match="no space left: .* bytes .* the motion, and"):
            motion.save(path)
        assert path.read_bytes() == before
        assert not list(disk.glob(f"{PREFIX}*"))
        with pytest.raises(ModelFileError, match="no space left: .* bytes .* the robot"):
            robots.hoap1().save(disk / "robot.npz")
    motion.save(tmp_path / "elsewhere.h5")  # it is still there
    assert len(Motion.load(tmp_path / "elsewhere.h5")) == len(motion)


KILLED = """
import sys, types
from pathlib import Path
import stiction as st
robot = st.robots.hoap1()
world = st.World(st.robots.ball(), ground=None)
motion = st.simulate(world, contact=None, duration=0.01)
print("ready", flush=True)
while True:
    robot.save(sys.argv[1] + "/robot.npz")
    motion.save(sys.argv[1] + "/motion.h5")
"""


def test_a_process_killed_while_it_saves_leaves_whole_files(tmp_path):
    robots.hoap1().save(tmp_path / "robot.npz")
    motion = simulate(World(robots.ball(), ground=None), contact=None, duration=0.01)
    motion.save(tmp_path / "motion.h5")
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
    assert Robot.load(tmp_path / "robot.npz").name == "hoap1"
    assert len(Motion.load(tmp_path / "motion.h5")) == len(motion)


def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path):
    old, recent, other = (
        tmp_path / name for name in (f"{PREFIX}1.part", f"{PREFIX}2.part", "x.part")
    )
    for path in (old, recent, other):
        path.write_bytes(b"unfinished")
    for path in (old, other):
        os.utime(path, (0, 0))
    write(tmp_path / "a")
    assert sorted(os.listdir(tmp_path)) == sorted(["a", other.name, recent.name])


def test_what_another_process_is_writing_is_left_alone(tmp_path):
    import fcntl

    path = tmp_path / f"{PREFIX}1.part"
    path.write_bytes(b"unfinished")
    os.utime(path, (0, 0))
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write(tmp_path / "a")
        assert path.exists()
    write(tmp_path / "a")
    assert not path.exists()
