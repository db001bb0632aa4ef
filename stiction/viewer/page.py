"""Motions as one HTML page that plays them without a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from stiction.errors import InputError
from stiction.files.written import check_kind, check_target, write_whole
from stiction.terminal.line import Progress, shown
from stiction.viewer.legend import legend_box
from stiction.viewer.marks import MARKS, SHOWN
from stiction.viewer.server import opened_server, point_camera, stop
from stiction.viewer.stage import Stage
from stiction.visual.frames import Film, rows_at
from stiction.visual.named import checked_layout, named

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

SUFFIXES = (".html", ".htm")


def page(
    motions: Motion | Mapping[str, Motion] | Iterable[Motion],
    fps: float = 30.0,
    follow: bool = True,
    marks: Sequence[str] = SHOWN,
    layout: str = "side by side",
    progress: Progress | None = None,
) -> str:
    """The text of a page with everything in it; the arguments are those of `save_html`."""
    ghosts = checked_layout(layout) == "ghosts"
    chosen = checked_marks(marks)
    every = named(motions)
    films = [Film(motion, rows_at(motion, fps), name) for name, motion in every.items()]
    server = opened_server()
    try:
        with shown("making the page", progress) as tell:
            stage = Stage(server.scene, films, ghosts, chosen)
            point_camera(server, films[0], abs(float(stage.offsets[-1][1])))
            recorded = server.get_scene_serializer()
            for k in range(stage.length):
                tell(k / stage.length)
                stage.show(k, follow)
                recorded.insert_sleep(1.0 / fps)
            text = recorded.as_html()
    finally:
        stop(server)
    title = " and ".join(robot.name for robot in films[0].world.moving[:2])
    return _completed(text, legend_box(films, chosen, title), title)


def save_html(
    motions: Motion | Mapping[str, Motion] | Iterable[Motion], path: str | Path, **options: object
) -> Path:
    """Write the page to a file that plays in any browser, without a network; returns its path.

    Options: fps, pictures a second; follow, whether the camera moves with the first robot; marks,
    some of `MARKS`; layout, "side by side" or "ghosts".
    """
    path = check_kind(path, SUFFIXES, "save_html", InputError)
    check_target(path, InputError)  # now, not after the page is made
    text = page(motions, **options)  # type: ignore[arg-type]
    write_whole(path, text.encode(), "the page", InputError)
    return path


def checked_marks(marks: Sequence[str]) -> tuple[str, ...]:
    """The marks, if all are known."""
    chosen = (marks,) if isinstance(marks, str) else tuple(marks)
    unknown = [mark for mark in chosen if mark not in MARKS]
    if unknown:
        raise InputError(f"marks has {unknown[0]!r}; give some of {', '.join(MARKS)}")
    return chosen


def _completed(text: str, legend: str, title: str) -> str:
    """The page of viser with our title and the legend."""
    start, end = text.index("<title>"), text.index("</title>")
    text = f"{text[:start]}<title>{escape(title)}{text[end:]}"
    body = text.rindex("</body>")
    return text[:body] + legend + text[body:]
