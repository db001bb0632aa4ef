"""One picture of a motion, or a strip of snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.errors import InputError
from stiction.files.written import check_kind, replaced
from stiction.plot.snapshots import moments
from stiction.render.look import look_of
from stiction.render.panels import Panels
from stiction.visual.frames import Film
from stiction.visual.named import named

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def image(
    motions: Motion | Mapping[str, Motion] | Iterable[Motion],
    path: str | Path | None = None,
    times: ArrayLike | int | None = None,
    **options: Any,
) -> np.ndarray:
    """Red, green and blue of a picture, (height, width, 3), also written to a file if asked for.

    times [s], or their number, evenly spaced: several give a strip of snapshots; None is the end.
    options: those of `Look`.
    """
    look, every = look_of(options), named(motions)
    target = None if path is None else checked_target(path, SUFFIXES, "image")
    rows = [_rows(motion, times) for motion in every.values()]
    films = [
        Film(motion, np.array(chosen), name)
        for (name, motion), chosen in zip(every.items(), rows, strict=True)
    ]
    with Panels(films, look) as panels:
        pictures = [panels.picture(k)[: _height(panels, look)] for k in range(len(rows[0]))]
        whole = np.hstack(pictures)
        if look.legend:
            whole = np.vstack([whole, panels.legend(whole)])
    if target is not None:
        save(whole, target)
    return whole


def _rows(motion: Motion, times: ArrayLike | int | None) -> list[int]:
    return [len(motion) - 1] if times is None else moments(motion, times)


def _height(panels: Panels, look: Any) -> int:
    return int(-(-len(panels.cells) // panels.columns) * look.size[1])


def save(pixels: np.ndarray, path: Path) -> None:
    """Write a picture to a file."""
    from PIL import Image

    try:
        kind = Image.registered_extensions()[path.suffix.lower()]
        with replaced(path, InputError) as file:
            Image.fromarray(pixels).save(file, format=kind)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error})") from None


def checked_target(path: str | Path, suffixes: tuple[str, ...], what: str) -> Path:
    """The path of a file to write, in a folder that exists, of a known kind."""
    path = check_kind(path, suffixes, what, InputError)
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist")
    return path
