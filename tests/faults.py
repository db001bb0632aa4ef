"""Full disks, kills and interruptions while motions are saved: what is in the file afterwards.

    python tests/faults.py             # 50 of each; prints the numbers of docs/security.md

Each process is a fork of this one, so that it is ready at once. Its file holds an old motion at the
start, and must hold that one or a new one, whole, at the end.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import stiction as st
from small_disk import mounted
from stiction.cli import main
from stiction.errors import MotionFileError
from stiction.files.written import PREFIX

OLD, NEW = 11, 2001  # samples of the motions that are there before, and saved over them
RUN = ["run", "ball", "--contact", "none", "--height", "1", "--json", "--duration"]


class Motions(NamedTuple):
    """Two motions that can be told apart, and a robot."""

    old: st.Motion
    new: st.Motion
    robot: st.Robot


def motions() -> Motions:
    """Motions of a falling ball."""
    world = st.World(st.robots.ball(), ground=None)
    old, new = (
        st.simulate(world, contact=None, duration=(count - 1) * 1e-3) for count in (OLD, NEW)
    )
    return Motions(old, new, st.robots.hoap1())


def in_a_fork(work: Callable[[], int], wait: Callable[[], object], blow: int) -> int:
    """Status of a process that works and gets a signal after a wait; negative: the signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the fork can answer it
    process = os.fork()
    if process == 0:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            os._exit(work())
        except KeyboardInterrupt:
            os._exit(130)
        finally:
            os._exit(3)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    wait()
    os.kill(process, blow)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def in_file(path: Path) -> int:
    """Samples of the motion in a file, which must load."""
    return len(st.Motion.load(path))


# ------------------------------------------------------------------------------------------- faults


def killed(folder: Path, times: int, seed: int = 1) -> Counter:
    """Kill a process that saves motions and robots one after the other; what the files hold."""
    random, found, made = Random(seed), Counter(), motions()
    path, other = folder / "motion.h5", folder / "robot.npz"

    def work() -> int:
        while True:
            made.new.save(path)
            made.robot.save(other)
            made.old.save(path)

    def writing() -> None:
        """Wait until a save is in the middle of its file."""
        while not any(folder.glob(f"{PREFIX}*")):
            pass

    for k in range(times):
        made.old.save(path)
        made.robot.save(other)
        moment = writing if k % 2 else lambda: time.sleep(random.uniform(0.0, 1.0))
        assert in_a_fork(work, moment, signal.SIGKILL) == -signal.SIGKILL
        found["unfinished files beside it"] += len(list(folder.glob(f"{PREFIX}*")))
        for left in folder.glob(f"{PREFIX}*"):
            left.unlink()
        found[{OLD: "the old motion", NEW: "the new motion"}[in_file(path)]] += 1
        assert st.Robot.load(other).name == "hoap1"
    return found


def interrupted(folder: Path, times: int, longest: float = 1.0, seed: int = 1) -> Counter:
    """Interrupt (SIGINT) `stiction run --output`, before, during and after it; what is left."""
    random, found, made = Random(seed), Counter(), motions()
    path = folder / "motion.h5"
    steps = steps_in(longest)

    def work() -> int:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        return main([*RUN, f"{steps * 1e-3}", "--output", str(path)])

    for _ in range(times):
        made.old.save(path)
        seconds = random.uniform(0.0, 1.4 * longest)
        status = in_a_fork(work, lambda s=seconds: time.sleep(s), signal.SIGINT)
        assert status in (0, 130, -signal.SIGINT), status
        samples = in_file(path)
        kind = {OLD: "the old motion", steps + 1: "the whole new motion"}.get(samples)
        assert status != 0 or kind == "the whole new motion"
        found[kind or "the new motion until then"] += 1
        found["unfinished files beside it"] += len(list(folder.glob(f"{PREFIX}*")))
    return found


def steps_in(seconds: float) -> int:
    """Steps that take about so long here."""
    world = st.World(st.robots.ball(), ground=None)
    st.simulate(world, contact=None, duration=0.01)
    begun = time.perf_counter()
    st.simulate(world, contact=None, duration=0.2)
    return int(200 * seconds / (time.perf_counter() - begun))


def filled(folder: Path, times: int) -> Counter:
    """Save onto a disk with less and less space; what the file holds."""
    found, made = Counter(), motions()
    with mounted(folder / "disk", 4_000_000) as disk:
        path = disk / "motion.h5"
        made.new.save(path)
        size = path.stat().st_size
        for k in range(times):
            made.old.save(path)
            free = shutil.disk_usage(disk).free
            left = int(1.5 * size * k / times) // 4096 * 4096
            (disk / "filler").write_bytes(b"\0" * (free - left))
            try:
                made.new.save(path)
                assert in_file(path) == NEW
                found["the new motion"] += 1
            except MotionFileError as error:
                assert "no space left" in str(error) and in_file(path) == OLD
                found["the old motion, and an error"] += 1
            found["unfinished files beside it"] += len(list(disk.glob(f"{PREFIX}*")))
            (disk / "filler").unlink()
    return found


def numbers(times: int) -> dict[str, Counter]:
    """All three, each so many times."""
    done = {}
    for fault in (killed, interrupted, filled):
        with tempfile.TemporaryDirectory(prefix="faults_") as folder:
            done[fault.__name__] = fault(Path(folder), times)
    return done


if __name__ == "__main__":
    for name, counted in numbers(50).items():
        told = ", ".join(f"{count} {what}" for what, count in sorted(counted.items()))
        print(f"{name} 50 times: {told}")
