"""Videos of motions: MP4, WebM, or GIF for pages that play no video."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from shutil import which
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, ViewError
from stiction.files.written import replaced
from stiction.render.look import look_of
from stiction.render.panels import Panels
from stiction.render.pictures import checked_target
from stiction.terminal.line import Progress, shown
from stiction.visual.colours import LEGEND
from stiction.visual.frames import Film, rows_at
from stiction.visual.named import named

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

CODECS = {
    ".mp4": ("-c:v", "libx264", "-crf", "15"),
    ".webm": ("-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"),
}
SUFFIXES = (*CODECS, ".gif")
LONGEST_COMPLAINT = 300  # letters of what ffmpeg says
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
    target = checked_target(path, SUFFIXES, "video")
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
    animated = {"save_all": True, "append_images": rest, "duration": lasting, "loop": 0}
    with replaced(path, InputError) as file:
        first.save(file, format="GIF", optimize=True, **animated)


def _write_video(pictures: Iterator[np.ndarray], path: Path, fps: float) -> None:
    """Hand the pictures to ffmpeg, which writes the file."""
    first = next(pictures)
    height, width = (side // 2 * 2 for side in first.shape[:2])  # its colours need even sides
    given = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}")
    suffix = path.suffix.lower()
    wanted = (*CODECS[suffix], "-pix_fmt", "yuv420p", "-f", suffix[1:])
    command = [_ffmpeg(), "-y", "-loglevel", "error", *given, "-i", "-", *wanted]
    cut = (np.ascontiguousarray(one[:height, :width]) for one in chain([first], pictures))
    with replaced(path, InputError) as file:
        _hand_over(cut, [*command, str(file.absolute())], path)


def _hand_over(pictures: Iterator[np.ndarray], command: list[str], path: Path) -> None:
    """Run a command that reads the pictures; `path` is what the user calls the video."""
    with Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=PIPE) as writer:
        assert writer.stdin is not None and writer.stderr is not None
        with contextlib.suppress(BrokenPipeError):  # ffmpeg has stopped, and says why
            for picture in pictures:
                writer.stdin.write(picture.data)
        with contextlib.suppress(BrokenPipeError):
            writer.stdin.close()
        complaint = writer.stderr.read().decode(errors="replace").strip()
    if writer.returncode:
        raise InputError(f"{path}: cannot be written (ffmpeg: {complaint[:LONGEST_COMPLAINT]})")


def _ffmpeg() -> str:
    """The program that writes videos: that of imageio-ffmpeg, else that of the system."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # RuntimeError: it has none for this machine
        found = which("ffmpeg")
    if found is None:
        raise ViewError(
            "videos need ffmpeg: pip install 'stiction[video]', or install that of your system; "
            "a .gif needs none"
        )
    return found
