"""The file of a run: its name says what is written."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stiction.cli.command import UsageError
from stiction.errors import InputError, StictionError, not_installed
from stiction.files.written import check_target

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

WRITERS = {  # suffix of a file -> the method of a motion that writes it
    ".h5": "save",
    ".csv": "save_csv",
    ".html": "save_html",
    ".mp4": "video",
    ".webm": "video",
    ".gif": "video",
    ".glb": "save_gltf",
    ".rrd": "save_rerun",
    ".sto": "save_sto",
}


def check_output(path: Path) -> None:
    """Raise an error now, not after an hour of simulation, if a run cannot be written there."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise UsageError(
            f"--output {path}: unknown kind of file; give a name that ends in {', '.join(WRITERS)}"
        )
    if suffix == ".rrd" and find_spec("rerun") is None:
        raise not_installed(f"--output {path}", "rerun-sdk", "stiction[rerun]")
    check_target(path.absolute(), InputError)


class Written(NamedTuple):
    """The file that a motion is in, and why it is not the one asked for."""

    path: str
    failure: str = ""


def written(motion: Motion, path: Path) -> Written:
    """Write a motion; where that fails, whole in the folder for temporary files."""
    try:
        getattr(motion, WRITERS[path.suffix.lower()])(path)
        return Written(str(path))
    except StictionError as error:
        elsewhere = Path(tempfile.mkdtemp(prefix="stiction-")) / f"{path.stem}.h5"
        motion.save(elsewhere)
        return Written(str(elsewhere), str(error))
