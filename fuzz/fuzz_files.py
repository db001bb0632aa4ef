"""Fuzz scenes, motions, saved robots, recorded motions, meshes and paths.

    python fuzz/fuzz_files.py --for 600 --kind motion

Whatever loads is simulated for ten steps, saved and loaded again. Only success or a StictionError
may answer. The work is done in a process of its own; its death, or an input that takes too long, is
a finding like any other, kept in fuzz/findings.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
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

import h5py
import numpy as np

import stiction as st
from stiction.errors import StictionError
from stiction.motion.hdf5 import checksum

KINDS = ("scene", "motion", "robot", "recorded", "mesh", "paths")
FINDINGS = Path(__file__).parent / "findings"
SLOWEST = 40  # [s]; HDF5 has 20 s for a motion, MuJoCo 60 s for a model
TOKENS = (
    *("0", "-1", "1e308", "1e-320", "nan", "inf", "-inf", "9" * 30, "1" * 5000, "true", '"x"'),
    *("[]", "[[", "{", "'", '"""', "\0", "\n", "=", ".", "a.b", "../x", "/etc/passwd", "é", "#"),
)
VALUES = (0.0, -1.0, 1.0, 1e308, -1e308, 1e-320, np.nan, np.inf, 1e9, 0.5)


class Slow(BaseException):
    """An input took too long."""


# ------------------------------------------------------------------------------------------- seeds


def seeds(kind: str, folder: Path) -> list[bytes]:
    """Good files of a kind."""
    if kind == "scene":
        return [st.scenes.scene_text(name).encode() for name in ("drop", "stand", "jump")]
    if kind == "motion":
        st.simulate(st.World(st.robots.ball()), duration=0.003).save(folder / "seed.h5")
        return [(folder / "seed.h5").read_bytes()]
    if kind == "robot":
        made = []
        for robot in (st.robots.ball(), st.robots.hoap1(), st.robots.cart()):
            robot.save(folder / "seed.npz")
            made.append((folder / "seed.npz").read_bytes())
        return made
    if kind == "recorded":
        rows = "\n".join(f"{0.01 * k:.2f}\t{np.sin(k / 9):.4f}\t0.1" for k in range(40))
        return [f"inDegrees=yes\nendheader\ntime\tknee_angle_r\tpelvis_tx\n{rows}\n".encode()]
    if kind == "mesh":
        import trimesh

        box = trimesh.creation.box()
        return [box.export(file_type=form).encode("utf-8") if form == "obj" else
                box.export(file_type=form) for form in ("stl", "obj", "dae")]  # fmt: skip
    body = "<worldbody><body><joint/><geom size='.1' mass='1'/></body></worldbody>"
    names = ("part.xml", "../x.xml", "/etc/passwd", "sub/part.xml", "link.xml", "pipe.xml")
    return [f"<mujoco>{body}<include file='{name}'/></mujoco>".encode() for name in names]


# ----------------------------------------------------------------------------------------- changes


def changed(kind: str, data: bytes, random: Random) -> bytes:
    """The file with a few things changed."""
    if random.random() < 0.02:
        return data
    inside = {"motion": changed_motion, "robot": changed_robot}.get(kind)
    if inside is not None and random.random() < 0.7:
        with contextlib.suppress(Exception):  # a file that is already damaged
            return inside(data, random)
    for _ in range(random.choice((1, 1, 2, 5))):
        data = changed_bytes(data, random)
    return data


def changed_bytes(data: bytes, random: Random) -> bytes:
    """A byte, a word or a stretch changed, cut, doubled or moved."""
    if not data:
        return b"x"
    a, b = sorted(random.randrange(len(data) + 1) for _ in range(2))
    b = min(b, a + 200)
    choice = random.randrange(6)
    if choice == 0:
        place = random.randrange(len(data))
        return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
    if choice == 1:
        return data[:a] + data[b:]
    if choice == 2:
        return data[:b] + data[a:b] * random.choice((1, 3, 50)) + data[b:]
    if choice == 3:
        return data[:a] if random.random() < 0.2 else data[:a] + data[a:b][::-1] + data[b:]
    words = list(re.finditer(rb"[^\s=,\[\]<>'\"]+", data[: 1 << 16]))
    token = random.choice(TOKENS).encode()
    if not words:
        return data + token
    word = random.choice(words)
    return data[: word.start()] + token + data[word.end() :]


def other_array(array: np.ndarray, random: Random) -> np.ndarray:
    """An array with a number, its shape or its type changed."""
    made = array.copy()
    choice = random.randrange(8)
    if choice < 5 and made.size and made.dtype.kind in "fiu":
        value = random.choice(VALUES)
        with np.errstate(all="ignore"):
            made.flat[random.randrange(made.size)] = (
                value if made.dtype.kind == "f" else int(np.nan_to_num(value, posinf=9)) % 200
            )
        return made
    if choice == 5 and made.ndim:
        return made[: random.randrange(len(made) + 1)]
    if choice == 6:
        return made.astype(random.choice(("f4", "i8", "U3")), casting="unsafe")
    return np.concatenate([made, made]) if made.ndim else made.reshape(1)


def changed_motion(data: bytes, random: Random) -> bytes:
    """A motion file with an array or an attribute changed, and a fitting checksum."""
    with tempfile.NamedTemporaryFile(suffix=".h5") as kept:
        Path(kept.name).write_bytes(data)
        with h5py.File(kept.name, "r+") as file:
            if random.random() < 0.5:
                name = random.choice([name for name in file if name != "robots"])
                array = other_array(file[name][()], random)
                del file[name]
                file[name] = array.astype("S3") if array.dtype.kind == "U" else array
            else:
                name = random.choice(list(file.attrs))
                value = file.attrs[name]
                text = value if isinstance(value, str) else json.dumps(np.ravel(value).tolist())
                file.attrs[name] = (
                    changed_bytes(text.encode(), random).decode(errors="replace").replace("\0", "")
                )
            if random.random() < 0.8:
                attributes = {key: file.attrs[key] for key in file.attrs if key != "checksum"}
                arrays = {key: file[key][()] for key in file if key != "robots"}
                robots = [file[f"robots/{k}"][()].tobytes() for k in range(len(file["robots"]))]
                with contextlib.suppress(TypeError, ValueError):  # no numbers any more
                    file.attrs["checksum"] = checksum(attributes, arrays, robots)
        return Path(kept.name).read_bytes()


def changed_robot(data: bytes, random: Random) -> bytes:
    """A robot file with an array changed."""
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name] for name in file.files}
    name = random.choice(list(arrays))
    arrays[name] = other_array(arrays[name], random)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


# ----------------------------------------------------------------------------------------- reading


def reader(kind: str, folder: Path) -> Callable[[bytes], None]:
    """A function that reads a file of a kind, and uses what it is."""
    readers = {"scene": read_scene, "motion": read_motion, "robot": read_robot}
    readers |= {"recorded": read_recorded, "mesh": read_mesh, "paths": read_paths}
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
