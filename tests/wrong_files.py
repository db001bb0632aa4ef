"""Files with one thing wrong, by kind: none of them can be simulated, so each must be refused."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

import stiction as st
from description.bad_inputs import CASES
from mechanisms import pendulum
from stiction.motion.hdf5 import checksum
from stiction.simulation.saved_state import SavedState

SCENE = """shows = "a ball"
duration = 0.01
dt = 0.001
gravity = [0.0, 0.0, -9.81]

[robot]
model = "ball"
position = [0.0, 0.0]
above = 0.1
velocity = [1.0, 0.0, 0.0]

[ground]
kind = "plane"
height = 0.0

[contact]
model = "Coulomb"
mu_static = 0.8
mu_kinetic = 0.6

[[push]]
body = "ball"
force = [1.0, 0.0, 0.0]
start = 0.0
stop = 0.1
"""
NOT_TOML = ("", "[", "{", '"', "=", "1 2", "1__0", "0x", "'''", "2026-99-99")
WRONG_VALUES = ("{}", "[[]]", "true", "[nan]", '["a", 1, {}]', "1979-05-27", "1e300", "-inf")
RECORDED = "inDegrees=no\nendheader\ntime knee_angle_r\n0.0 0.1\n0.1 0.2\n0.2 0.1\n"


class Wrong(NamedTuple):
    """A file with something wrong, and how it is read and simulated."""

    name: str
    suffix: str
    data: Callable[[Path], Any]  # its bytes, or a function that writes it
    read: Callable[[Path], Any]


def kinds() -> dict[str, Callable[[], Iterator[Wrong]]]:
    """What makes the wrong files of each kind; some simulate first, so not at import."""
    return {
        "models (MJCF, URDF, VRML)": models,
        "saved robots (.npz)": robots,
        "motions (.h5)": motions,
        "scenes (.toml)": scenes,
        "recorded motions (.mot)": recorded,
        "saved states (.npz)": states,
    }


def models() -> Iterator[Wrong]:
    """The cases of docs/bad_inputs.md."""
    for case in CASES:
        yield Wrong(f"{case.format}: {case.name}", "", case.write, st.load)


# ---------------------------------------------------------------------------------- files of arrays


def packed(entries: dict[str, Any]) -> bytes:
    """An .npz file."""
    memory = io.BytesIO()
    np.savez(memory, **entries)
    return memory.getvalue()


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def wrong_arrays(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Arrays that nothing of this name can be."""
    if array.dtype.kind == "U":
        yield "numbers", np.ones(array.shape)
    else:
        yield "text", np.full(array.shape, "x")
    yield "complex", np.ones(array.shape, complex)
    yield "one axis more", array[..., np.newaxis]
    if array.ndim and len(array):
        yield "one row more", np.concatenate([array, array[:1]])
    if array.dtype.kind == "f" and array.size:
        yield "NaN", np.full(array.shape, np.nan)
    if array.dtype.kind == "i" and array.size:
        yield "a million", np.full(array.shape, 10**6)


def of_arrays(entries: dict[str, np.ndarray], read: Callable[[Path], Any]) -> Iterator[Wrong]:
    """An .npz file with each entry wrong, and without it."""
    for name, array in entries.items():
        rest = {key: value for key, value in entries.items() if key != name}
        yield Wrong(f"no {name}", ".npz", lambda _, rest=rest: packed(rest), read)
        for what, made in wrong_arrays(array):
            changed = {**rest, name: made}
            yield Wrong(f"{name}: {what}", ".npz", lambda _, one=changed: packed(one), read)


def damaged(whole: bytes, suffix: str, read: Callable[[Path], Any]) -> Iterator[Wrong]:
    """A file cut short, of other bytes, and empty."""
    for k in range(0, len(whole), max(len(whole) // 20, 1)):
        yield Wrong(f"cut after {k} bytes", suffix, lambda _, k=k: whole[:k], read)
    yield Wrong("zeros", suffix, lambda _: b"\0" * len(whole), read)
    yield Wrong("text", suffix, lambda _: b"hello\n", read)


@cache
def robot_entries() -> dict[str, np.ndarray]:
    """The arrays of a robot that has something of every kind."""
    robot, memory = st.robots.hoap1(), io.BytesIO()
    from stiction.robot.file import write_arrays

    write_arrays(memory, vars(robot))
    memory.seek(0)
    with np.load(memory) as file:
        return {name: file[name] for name in file.files}


OPTIONAL = {  # entries that older files do not have, or of which NaN means that it is not given
    *("placed", "shape_body", "shape_mask", "shape_error", "material_bodies", "friction_pairs"),
    *("friction_pairs_mu", "face_normal", "face_corner", "corner_vertex", "shape_face"),
}


def robots() -> Iterator[Wrong]:
    """Saved robots with a wrong entry, or without one."""

    def read(path: Path) -> Any:
        return st.simulate(st.World(st.Robot.load(path)), contact=None, duration=0.001)

    entries = robot_entries()
    for one in of_arrays(entries, read):
        left_out = one.name.removeprefix("no ") if one.name.startswith("no ") else ""
        older = left_out in OPTIONAL or left_out.startswith(("loop", "visual"))
        if not older and one.name != "shape_mask: a million":  # bits, any of which may be set
            yield one
    yield from damaged(packed(entries), ".npz", read)


def states() -> Iterator[Wrong]:
    """Saved states with a wrong entry, or without one."""

    def simulation() -> st.Simulation:
        return st.Simulation(st.World(pendulum(friction=0.1), ground=None), contact=None)

    def read(path: Path) -> Any:
        continued = simulation()
        continued.restore_state(SavedState.load(path))
        continued.step()

    saved = simulation().save_state()
    memory = {f"memory_{k}": array for k, array in enumerate(saved.memory)}
    report = {f"report_{k}": array for k, array in enumerate(saved.report)}
    entries = {"format": np.array(2), "start": np.array(0.0), "steps": np.array(0)}
    entries |= {"q": saved.q, "v": saved.v, "mode": saved.mode}
    entries |= {"last_acceleration": saved.last_acceleration, "inverse_D": saved.inverse_D}
    entries |= {**memory, **report}
    entries |= {"world": np.array(saved.of["world"]), "dt": np.array(saved.of["dt"])}
    entries |= {"contact_model": np.array(saved.of["contact model"])}
    counts = {f"report_{k}: a million" for k in (1, 2, 3, 7, 8)}  # what became of steps: believed
    counts |= {f"report_{k}: NaN" for k in (4, 5, 6)}
    yield from (one for one in of_arrays(entries, read) if one.name not in counts)
    yield from damaged(packed(entries), ".npz", read)


# ------------------------------------------------------------------------------------------ motions


def signed(path: Path) -> None:
    """Store the checksum of what is in the file now, as a forger would."""
    with h5py.File(path, "r+") as file:
        attributes = {name: file.attrs[name] for name in file.attrs if name != "checksum"}
        arrays = {name: file[name][()] for name in file if name != "robots"}
        stored = [file[f"robots/{k}"][()].tobytes() for k in range(len(file["robots"]))]
        file.attrs["checksum"] = checksum(attributes, arrays, stored)


@cache
def motion() -> st.Motion:
    """Of a ball that rests."""
    return st.simulate(st.World(st.robots.ball()), duration=0.004)


def motions() -> Iterator[Wrong]:
    """Motions with wrong arrays or attributes, their checksums renewed; and damaged ones."""

    def read(path: Path) -> Any:
        loaded = st.Motion.load(path)
        return loaded.quality(), loaded.zmp(), loaded.energy()

    def with_array(name: str, array: np.ndarray | None) -> Callable[[Path], Any]:
        def write(path: Path) -> None:
            motion().save(path)
            with h5py.File(path, "r+") as file:
                del file[name]
                if array is not None:
                    file[name] = array.astype("S") if array.dtype.kind == "U" else array
            signed(path)

        return write

    def with_attribute(name: str, value: Any) -> Callable[[Path], Any]:
        def write(path: Path) -> None:
            motion().save(path)
            with h5py.File(path, "r+") as file:
                file.attrs[name] = value
            signed(path)

        return write

    arrays = {name: getattr(motion(), name) for name in ("time", "q", "v", "torque", "passive")}
    arrays |= {name: getattr(motion(), name) for name in ("force", "depth", "slip", "solver")}
    for name, array in arrays.items():
        yield Wrong(f"no {name}", ".h5", with_array(name, None), read)
        for what, made in wrong_arrays(array):
            if what != "NaN" or name in ("time", "q", "v"):  # the last forces are not known
                yield Wrong(f"{name}: {what}", ".h5", with_array(name, made), read)
    for name in ("parameters", "versions", "gravity", "format", "ground", "materials"):
        for value in ("", "[", "{", "3", "x" * 100_000, np.nan, -1, [1.0, 2.0]):
            told = str(value)[:10]
            yield Wrong(f"{name} is {told!r}", ".h5", with_attribute(name, value), read)
    for name in ("dt", "record every", "contact_points", "notes", "unsolved", "pairs"):
        for value in (None, -1, "x", [[]], {"a": 1}):
            if (name, value) == ("unsolved", None):  # as in older files
                continue
            changed = json.dumps(motion().parameters | {name: value})
            about = with_attribute("parameters", changed)
            yield Wrong(f"parameter {name} is {value!r}", ".h5", about, read)


# ------------------------------------------------------------------------- scenes, recorded motions


def scenes() -> Iterator[Wrong]:
    """Scenes with each value replaced by one of another kind, and text that is not TOML."""

    def read(path: Path) -> Any:
        return st.scenes.read_scene(path).simulate()

    lines = SCENE.splitlines()
    for k, line in enumerate(lines):
        if " = " not in line:
            continue
        key, _, value = line.partition(" = ")
        for wrong in (*WRONG_VALUES, *NOT_TOML):
            if (wrong == "true" and value == '"a ball"') or wrong == value:
                continue
            text = "\n".join([*lines[:k], f"{key} = {wrong}", *lines[k + 1 :]])
            yield Wrong(f"{key} = {wrong}", ".toml", lambda _, text=text: text.encode(), read)
        text = "\n".join([*lines[:k], f"{key}s{key} = {value}", *lines[k + 1 :]])
        yield Wrong(f"unknown key {key}s{key}", ".toml", lambda _, text=text: text.encode(), read)


def recorded() -> Iterator[Wrong]:
    """Recorded motions with wrong words, rows and headers."""

    def read(path: Path) -> Any:
        return st.patterns.read_opensim(path)

    for match in re.finditer(r"[0-9.]+", RECORDED):
        for word in ("x", "nan", "inf", "", "1e400", "0.1 0.2"):
            text = RECORDED[: match.start()] + word + RECORDED[match.end() :]
            yield Wrong(f"{match[0]} -> {word!r}", ".mot", lambda _, one=text: one.encode(), read)
    for text in ("", "endheader\n", "time\n0.0\n", RECORDED.replace("time", "when"), "\0" * 99):
        yield Wrong(repr(text[:20]), ".mot", lambda _, one=text: one.encode(), read)
    falling = RECORDED.replace("0.2 0.1", "0.05 0.1")
    yield Wrong("time falls", ".mot", lambda _: falling.encode(), read)
