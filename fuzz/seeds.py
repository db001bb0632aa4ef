"""Good files of each kind that `fuzz_files.py` reads, and what changes them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import tempfile
import zlib
from pathlib import Path
from random import Random

import h5py
import numpy as np

import stiction as st
from stiction.learn.policy import Policy
from stiction.motion.file import SEAL
from stiction.motion.hdf5 import checksum
from stiction.sweeps.file import columns_of, write_table
from stiction.sweeps.journal import Head, Journal, Record
from stiction.sweeps.outcome import Outcome

TOKENS = (
    *("0", "-1", "1e308", "1e-320", "nan", "inf", "-inf", "9" * 30, "1" * 5000, "true", '"x"'),
    *("[]", "[[", "{", "'", '"""', "\0", "\n", "=", ".", "a.b", "../x", "/etc/passwd", "é", "#"),
)
VALUES = (0.0, -1.0, 1.0, 1e308, -1e308, 1e-320, np.nan, np.inf, 1e9, 0.5)


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
    if kind == "policy":
        layers = [np.ones((3, 5)), np.ones((2, 3))], [np.zeros(3), np.zeros(2)]
        Policy(np.zeros(5), np.ones(5), *layers).save(folder / "seed.npz")
        return [(folder / "seed.npz").read_bytes()]
    if kind in ("table", "journal"):
        return [seed_of_sweep(kind, folder)]
    body = "<worldbody><body><joint/><geom size='.1' mass='1'/></body></worldbody>"
    names = ("part.xml", "../x.xml", "/etc/passwd", "sub/part.xml", "link.xml", "pipe.xml")
    return [f"<mujoco>{body}<include file='{name}'/></mujoco>".encode() for name in names]


def seed_of_sweep(kind: str, folder: Path) -> bytes:
    """The table, or the journal, of a sweep with two points, one of which failed."""
    path, head = folder / "seed.h5", Head("scene", "0", "1", ("mu", "model"))
    outcomes = (Outcome({"slip": 0.1, "fell": False}), Outcome({}, "diverged", 1.5, "here"))
    points = ({"mu": 0.4, "model": "Coulomb"}, {"mu": 1, "model": "Feedback"})
    records = [Record(k, points[k], outcomes[k], 1) for k in range(2)]
    if kind == "table":
        write_table(path, head, columns_of(records, head.parameters))
        return path.read_bytes()
    journal = Journal(path, head)
    journal.add(records)
    journal.close()
    return journal.path.read_bytes()


# ----------------------------------------------------------------------------------------- changes


def changed(kind: str, data: bytes, random: Random) -> bytes:
    """The file with a few things changed."""
    if random.random() < 0.02:
        return data
    inside = {
        "motion": changed_motion, "robot": changed_robot, "policy": changed_robot,
        "table": changed_table, "journal": changed_journal,
    }.get(kind)  # fmt: skip
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


def changed_table(data: bytes, random: Random) -> bytes:
    """The table of a sweep with an array or an attribute changed, and a fitting checksum."""
    inner = changed_motion(data[: data.rindex(SEAL)], random)
    return inner + SEAL + hashlib.sha256(inner).hexdigest().encode()


def changed_journal(data: bytes, random: Random) -> bytes:
    """A journal with a line changed, and a fitting checksum."""
    lines = [line.rpartition(b" ")[0] for line in data.splitlines()]
    k = random.randrange(len(lines))
    lines[k] = changed_bytes(lines[k], random).replace(b"\n", b" ")
    return b"".join(line + f" {zlib.crc32(line):08x}\n".encode() for line in lines)
