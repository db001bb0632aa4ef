"""`SavedState`: everything that the continuation of a simulation depends on, and its file (.npz).

A file is written whole or not at all. It holds plain arrays, no pickles, and reading it checks
sizes and kinds. Whether the values fit a simulation is checked when it is restored: compiled code
uses some of them as indices.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.files.written import write_whole
from stiction.kernels.tree import LOOSE, PRESCRIBED
from stiction.robot.file import UNREADABLE, check_sizes

FORMAT = 2  # of the file
SINGLE = ("q", "v", "mode", "last_acceleration", "inverse_D")  # arrays
SEVERAL = ("memory", "control_memory", "report")  # tuples of arrays
OTHERS = "more_"  # prefix of what is saved besides the state
IDENTITY = {"world": "world", "contact_model": "contact model", "dt": "dt"}  # entry: its name


@dataclass(frozen=True)
class SavedState:
    """Everything that the continuation of a simulation depends on."""

    start: float
    steps: int
    q: np.ndarray
    v: np.ndarray
    mode: np.ndarray  # of the joints
    last_acceleration: np.ndarray
    inverse_D: np.ndarray  # noqa: N815  of the last step; joint modes are guessed from it
    memory: tuple[np.ndarray, ...]  # of the contact model
    control_memory: tuple[np.ndarray, ...]  # of controllers that remember, then of those in Python
    report: tuple[np.ndarray, ...]  # what became of the steps so far
    of: dict[str, Any]  # world, contact model and dt that it belongs to

    def save(self, path: str | Path) -> None:
        """Write it to a file (.npz), whole or not at all."""
        write_state(path, self, {})

    @classmethod
    def load(cls, path: str | Path) -> SavedState:
        """Read what `save` wrote; raises InputError for any other file."""
        return read_state(path)[0]


def write_state(path: str | Path, saved: SavedState, more: Mapping[str, np.ndarray]) -> None:
    """Write a saved state and further arrays to a file, whole or not at all."""
    entries: dict[str, Any] = {"format": FORMAT, "start": saved.start, "steps": saved.steps}
    entries |= {name: getattr(saved, name) for name in SINGLE}
    for name in SEVERAL:
        arrays = getattr(saved, name)
        entries |= {f"{name}_{k}": array for k, array in enumerate(arrays)}
    entries |= {name: saved.of[told] for name, told in IDENTITY.items()}
    entries |= {OTHERS + name: array for name, array in more.items()}
    memory = io.BytesIO()
    np.savez_compressed(memory, **entries)
    write_whole(path, memory.getbuffer(), "the state", InputError)


def read_state(path: str | Path) -> tuple[SavedState, dict[str, np.ndarray]]:
    """Read what `write_state` wrote: the state, and the further arrays."""
    if not isinstance(path, str | Path):
        raise InputError(f"{path!r} is not the path of a file; give a string or a Path")
    try:
        if not Path(path).is_file():
            raise OSError("no such file")
        check_sizes(path)
        with np.load(path, allow_pickle=False) as file:
            entries = {key: file[key] for key in file.files}
        return _unpacked(entries)
    except UNREADABLE as error:
        raise InputError(f"{path}: not a saved state, or damaged ({error})") from None


def _unpacked(entries: dict[str, np.ndarray]) -> tuple[SavedState, dict[str, np.ndarray]]:
    """The entries of a file as a state; raises ValueError or LookupError for others."""
    found = _scalar(entries, "format", "iu")
    if found != FORMAT:
        raise ValueError(f"format {found}; this version of stiction reads {FORMAT}")
    fields: dict[str, Any] = {name: entries.pop(name) for name in SINGLE}
    steps, start = _scalar(entries, "steps", "iu"), _scalar(entries, "start", "f")
    kinds = {"world": "U", "contact_model": "U", "dt": "f"}
    of = {told: _scalar(entries, name, kinds[name]) for name, told in IDENTITY.items()}
    for name in SEVERAL:
        count = sum(key.startswith(f"{name}_") for key in entries)
        fields[name] = tuple(entries.pop(f"{name}_{k}") for k in range(count))
    besides = [key for key in entries if key.startswith(OTHERS)]
    more = {key.removeprefix(OTHERS): entries.pop(key) for key in besides}
    if entries:
        raise ValueError(f"unknown entry '{min(entries)}'")
    return SavedState(start, steps, **fields, of=of), more


def _scalar(entries: dict[str, np.ndarray], name: str, kinds: str) -> Any:
    value = entries.pop(name)
    if value.shape != () or value.dtype.kind not in kinds:
        raise ValueError(f"'{name}' is not a single value of its kind")
    return value.item()


def check_fits(saved: SavedState, own: SavedState) -> None:
    """Raise InputError unless a saved state can be continued where `own` was saved.

    That needs an equal world, the same contact model, controllers and dt, and values that a
    simulation can have reached.
    """
    if saved.q.shape != own.q.shape or saved.v.shape != own.v.shape:
        raise InputError(
            f"restore_state(): the saved state has {saved.q.size} positions and "
            f"{saved.v.size} velocities; this world has {own.q.size} and {own.v.size}"
        )
    differing = [f"a different {name}" for name, value in own.of.items() if saved.of[name] != value]
    if not differing and _layout(saved.memory) != _layout(own.memory):
        differing = ["a different contact model"]
    if not differing and _layout(saved.control_memory) != _layout(own.control_memory):
        differing = ["different controllers"]
    if differing:
        raise InputError(
            f"restore_state(): the state was saved under {', '.join(differing)}; restore it in a "
            "simulation with the same"
        )
    wrong = _wrong_value(saved, own)
    if wrong:
        raise InputError(f"restore_state(): the saved state is damaged: {wrong}; save it again")


def _layout(arrays: tuple[np.ndarray, ...]) -> list[tuple[Any, ...]]:
    return [(array.shape, array.dtype) for array in arrays]


def _wrong_value(saved: SavedState, own: SavedState) -> str:
    """What no simulation can have reached, in words; '' if there is nothing."""
    for name in SINGLE:
        if _layout((getattr(saved, name),)) != _layout((getattr(own, name),)):
            return f"'{name}' does not have the size and type of this simulation's"
        if not np.isfinite(getattr(saved, name)).all():
            return f"'{name}' is not finite"
    if _layout(saved.report) != _layout(own.report):
        return "its report does not have the size and type of this simulation's"
    if not ((saved.mode >= LOOSE) & (saved.mode <= PRESCRIBED)).all():
        return "a joint has an unknown mode"
    if not (np.isfinite(saved.start) and 0 <= saved.steps == saved.report[0][0] < 2**53):
        return f"it claims to be {saved.steps} steps after t = {saved.start} s"
    return ""
