"""Videos of motions: MP4, WebM, or GIF for pages that play no video."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, ViewError
from stiction.render.look import look_of
from stiction.render.panels import Panels
from stiction.render.pictures import checked_target
from stiction.terminal.line import Progress, shown
from stiction.visual.colours import LEGEND
from stiction.visual.frames import Film, rows_at
from stiction.visual.named import named

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

SUFFIXES = (".mp4", ".webm", ".gif")
COLOURS = 192  # of a GIF
PAINTED = 20  # rows of each colour of the legend that its choice of colours sees
SAMPLES = 8  # pictures whose colours it has


def video(
    motions: Motion | Mapping[str, Motion] | Iterable[Motion],
    path: str | Path,
    fps: float = 30.0,
    speed: float = 1.0,
    progress: Progress | None = None,
    **options: Any,
) -> Path:
    """Write a video and return its path; several motions are panels side by side, or ghosts.

    fps: pictures a second; speed: of the motion, 0.5 shows it at half speed; options: `Look`.
    """
    look, every = look_of(options), named(motions)
    target = checked_target(path, SUFFIXES)
    films = [Film(motion, rows_at(motion, fps, speed), name) for name, motion in every.items()]
    with Panels(films, look) as panels, shown("rendering", progress) as tell:
        pictures = _pictures(panels, tell)
        try:
            if target.suffix.lower() == ".gif":
                _write_gif(pictures, target, fps)
            else:
                _write_video(pictures, target, fps)
        except OSError as error:
            raise InputError(f"{target}: cannot be written ({error})") from None
    return target


def _pictures(panels: Panels, tell: Progress) -> Iterator[np.ndarray]:
    for k in range(panels.length):
        tell(k / panels.length)
        yield panels.picture(k)
    tell(1.0)


def _write_gif(pictures: Iterator[np.ndarray], path: Path, fps: float) -> None:
    """Write a GIF whose pictures share the colours of some of them."""
    from PIL import Image

    every = list(pictures)
    some = every[:: max(1, len(every) // SAMPLES)]
    marks = np.array([entry.colour for entry in LEGEND.values()])
    own = np.repeat((255 * marks).astype(np.uint8), some[0].shape[1], axis=0)  # rows of each colour
    swatches = np.repeat(own.reshape(len(marks), -1, 3), PAINTED, axis=0)
    palette = Image.fromarray(np.vstack([*some, swatches])).quantize(COLOURS)
    first, *rest = (
        Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in every
    )
    lasting = max(20, round(100 / fps) * 10)  # [ms] in the format's hundredths of a second
    first.save(path, save_all=True, append_images=rest, duration=lasting, loop=0, optimize=True)


def _write_video(pictures: Iterator[np.ndarray], path: Path, fps: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ViewError("videos need imageio-ffmpeg: pip install imageio-ffmpeg") from None
    writer = None
    codec = "libvpx-vp9" if path.suffix.lower() == ".webm" else "libx264"
    for picture in pictures:
        height, width = (side // 2 * 2 for side in picture.shape[:2])
        if writer is None:
            writer = imageio_ffmpeg.write_frames(
                str(path), (width, height), fps=fps, codec=codec, quality=7, macro_block_size=2
            )
            writer.send(None)
        writer.send(np.ascontiguousarray(picture[:height, :width]))
    if writer is not None:
        writer.close()
