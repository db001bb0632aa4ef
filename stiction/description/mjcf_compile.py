"""MuJoCo's compiler, which runs in a child process (`stiction.files`)."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from stiction.description.mjcf_inertia import repaired_spec

if TYPE_CHECKING:
    from mujoco import MjModel


class Compiled(NamedTuple):
    """The outcome of MuJoCo's compiler."""

    model: bytes  # a pickled MjModel; empty if the file was rejected
    rejected: str = ""  # MuJoCo's message
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what was repaired


def compiled(
    text: str, parts: Mapping[str, bytes], assets: Mapping[str, bytes], repairs: bool
) -> Compiled:
    """The model of a text; `parts` and `assets` are the files that it names, and all that is read.

    parts: MJCF files that it includes or attaches; repairs: whether impossible inertias are mended.
    """
    notes: list[str] = []
    try:
        with _warnings_kept() as told:
            model = _model(text, parts, assets, repairs, notes)
    except MemoryError:
        raise
    except Exception as error:  # MuJoCo raises ValueError, and its own FatalError
        return Compiled(b"", " ".join(str(error).split()) or type(error).__name__)
    return Compiled(pickle.dumps(model), "", tuple(dict.fromkeys(told)), tuple(notes))


def _model(
    text: str,
    parts: Mapping[str, bytes],
    assets: Mapping[str, bytes],
    repairs: bool,
    notes: list[str],
) -> MjModel:
    from mujoco import MjModel, MjSpec

    if not repairs:
        return MjModel.from_xml_string(text, {**parts, **assets})
    spec = MjSpec.from_string(text, dict(parts), dict(assets))
    notes.extend(repaired_spec(spec))
    return spec.compile()


@contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Collect MuJoCo's warnings, which would otherwise go to a file in the current folder.

    A compiled MjSpec warns through Python instead.
    """
    import mujoco

    told: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: told.append(" ".join(str(text).split())))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield told
        told += [" ".join(str(warning.message).split()) for warning in caught]
    finally:
        mujoco.set_mju_user_warning(before)
