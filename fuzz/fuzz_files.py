"""Fuzz scenes, motions, saved robots, recorded motions, meshes, paths, policies and sweeps.

    python fuzz/fuzz_files.py --for 600 --kind motion

Whatever loads is simulated for ten steps, saved and loaded again. Only success or a StictionError
may answer. The work is done in a process of its own; its death, or an input that takes too long, is
a finding like any other, kept in fuzz/findings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiling would take longer than everything else

import numpy as np
from seeds import changed, seeds

import stiction as st
from stiction.errors import StictionError
from stiction.learn.policy import Policy

KINDS = ("scene", "motion", "robot", "recorded", "mesh", "paths", "policy", "table", "journal")
FINDINGS = Path(__file__).parent / "findings"
SLOWEST = 40  # [s]; HDF5 has 20 s for a motion, MuJoCo 60 s for a model


class Slow(BaseException):
    """An input took too long."""


# ----------------------------------------------------------------------------------------- reading


def reader(kind: str, folder: Path) -> Callable[[bytes], None]:
    """A function that reads a file of a kind, and uses what it is."""
    readers = {"scene": read_scene, "motion": read_motion, "robot": read_robot}
    readers |= {"recorded": read_recorded, "mesh": read_mesh, "paths": read_paths}
    readers |= {"policy": read_policy, "table": read_table, "journal": read_journal}
    read = readers[kind]
    return lambda data: read(data, folder)


def ten_steps(world: st.World) -> st.Motion:
    """Ten steps without contact, which is the fastest in plain Python."""
    return st.simulate(world, contact=None, duration=0.01, dt=0.001)


def read_scene(data: bytes, folder: Path) -> None:
    """Read a scene and make its world, if it has few robots."""
    (folder / "scene.toml").write_bytes(data)
    scene = st.scenes.read_scene(folder / "scene.toml")
    if len(scene.robots) + len(scene.objects) < 4:
        scene.world()


def read_motion(data: bytes, folder: Path) -> None:
    """Load a motion, measure it, save it, and continue it."""
    (folder / "motion.h5").write_bytes(data)
    motion = st.Motion.load(folder / "motion.h5")
    motion.energy(), motion.centre_of_mass(), motion.unsolved, motion.state()
    if motion.depth.shape[1]:
        motion.zmp(), motion.foot_force("ball")
    motion.save(folder / "again.h5")
    st.Motion.load(folder / "again.h5")
    st.simulate(motion.world, contact=None, duration=0.01, dt=0.001, state=motion.state())


def read_robot(data: bytes, folder: Path) -> None:
    """Load a robot, save it, and simulate it."""
    (folder / "robot.npz").write_bytes(data)
    robot = st.Robot.load(folder / "robot.npz")
    robot.save(folder / "again.npz")
    if st.Robot.load(folder / "again.npz").digest() != robot.digest():
        raise AssertionError("a saved robot is another one")
    if robot.nv:
        ten_steps(st.World(robot, ground=None))


def read_recorded(data: bytes, folder: Path) -> None:
    """Read a motion of OpenSim."""
    (folder / "a.mot").write_bytes(data)
    st.patterns.read_opensim(folder / "a.mot")


def read_mesh(data: bytes, folder: Path) -> None:
    """Read a mesh."""
    from stiction.description.mesh import read_hull

    suffix = ".obj"
    if b"COLLADA" in data[:2000]:
        suffix = ".dae"
    elif data[:1] == b"\0" or b"facet" in data[:2000]:
        suffix = ".stl"
    (folder / f"mesh{suffix}").write_bytes(data)
    read_hull(folder / f"mesh{suffix}")


def read_paths(data: bytes, folder: Path) -> None:
    """Read a file that includes others, allowed and not."""
    inner = folder / "in"
    inner.mkdir(exist_ok=True)
    body = "<worldbody><body><joint/><geom size='.1'/></body></worldbody>"
    part = f"<mujocoinclude>{body}</mujocoinclude>"
    (inner / "part.xml").write_text(part)
    (folder / "x.xml").write_text(part.replace("<body>", "<body name='secret'>"))
    if not (inner / "link.xml").exists():
        (inner / "link.xml").symlink_to(folder / "x.xml")
        os.mkfifo(inner / "pipe.xml")
    (inner / "robot.xml").write_bytes(data)
    robot = st.load(inner / "robot.xml")
    if "secret" in robot.link_name.tolist():
        raise AssertionError("a file outside the folder was read")


def read_policy(data: bytes, folder: Path) -> None:
    """Load a policy, save it, and let it act."""
    (folder / "policy.npz").write_bytes(data)
    policy = Policy.load(folder / "policy.npz")
    policy.save(folder / "again.npz")
    actions = Policy.load(folder / "again.npz")(np.zeros((1, len(policy.mean))))
    if not np.isfinite(actions).all():
        raise AssertionError("an action is not finite")


def read_table(data: bytes, folder: Path) -> None:
    """Load the table of a sweep, and make a page of it."""
    (folder / "sweep.h5").write_bytes(data)
    table = st.SweepTable.load(folder / "sweep.h5")
    repr(table), list(table), table.save_html(folder / "sweep.html")


def read_journal(data: bytes, folder: Path) -> None:
    """Load the journal of a sweep that goes on."""
    (folder / "going.h5.journal").write_bytes(data)
    repr(st.SweepTable.load(folder / "going.h5"))


# ------------------------------------------------------------------------------------------ fuzzing


def work(kind: str, seconds: float, seed: int, folder: Path) -> None:
    """Read changed files; `folder` gets the current one, findings and counts."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    random, begun, count = Random(seed), time.monotonic(), Counter[str]()
    corpus, seen = seeds(kind, folder), set[str]()
    read = reader(kind, folder)

    def too_slow(*_: Any) -> None:
        raise Slow

    signal.signal(signal.SIGALRM, too_slow)
    while time.monotonic() - begun < seconds:
        data = changed(kind, random.choice(corpus), random)
        (folder / "current").write_bytes(data)
        told = ""
        signal.alarm(SLOWEST)
        try:
            read(data)
            outcome = "loaded"
        except StictionError as error:
            outcome = "refused"
            words = re.sub(r"[\d.e+-]+|'[^']*'", "", str(error))[:80]
            if words not in seen and len(corpus) < 300 and len(data) < 100_000:
                seen.add(words)
                corpus.append(data)
        except Slow:
            outcome, told = "slow", "".join(traceback.format_exc())
        except BaseException:  # everything else is a finding
            outcome, told = "foreign", traceback.format_exc()
        finally:
            signal.alarm(0)
        count[outcome] += 1
        if told:
            name = f"{kind}-{outcome}-{hashlib.sha256(told[-300:].encode()).hexdigest()[:10]}"
            FINDINGS.mkdir(exist_ok=True)
            (FINDINGS / name).write_bytes(data)
            (FINDINGS / f"{name}.txt").write_text(told)
        (folder / "count").write_text(json.dumps({**count, "messages": len(seen)}))


def fuzz(kind: str, seconds: float, seed: int) -> int:
    """Let processes work until the time is over; returns the number of findings."""
    begun, total, deaths = time.monotonic(), Counter[str](), 0
    while (left := seconds - (time.monotonic() - begun)) > 0.5:
        folder = Path(tempfile.mkdtemp(prefix="fuzz_"))
        command = [sys.executable, __file__, "--kind", kind, "--for", str(left)]
        command += ["--seed", str(seed + deaths), "--work", str(folder)]
        try:
            code = subprocess.run(command, timeout=left + 120).returncode
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        if (folder / "count").exists():
            total.update(json.loads((folder / "count").read_text()))
        if code:
            deaths += 1
            FINDINGS.mkdir(exist_ok=True)
            if (folder / "current").exists():
                shutil.copy(folder / "current", FINDINGS / f"{kind}-death-{code}-{deaths}")
        shutil.rmtree(folder, ignore_errors=True)
    findings = total["foreign"] + total["slow"] + deaths
    executions = sum(total[name] for name in ("loaded", "refused", "foreign", "slow"))
    print(
        f"{kind}: {executions} executions, {total['loaded']} loaded, {total['messages']} kinds of "
        f"messages, {findings} findings ({deaths} deaths)",
        flush=True,
    )
    return findings


def main() -> int:
    """Fuzz what the command line says; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--for", dest="seconds", type=float, default=60.0, help="seconds a kind")
    parser.add_argument("--kind", choices=[*KINDS, ""], default="")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.kind, given.seconds, given.seed, given.work)
        return 0
    print(f"seed {given.seed}", flush=True)
    kinds = [given.kind] if given.kind else KINDS
    return int(sum(fuzz(kind, given.seconds, given.seed) for kind in kinds) > 0)


if __name__ == "__main__":
    sys.exit(main())
