"""`motion.show()`: motions in the browser, with controls to play them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stiction.terminal.line import in_notebook
from stiction.viewer.browser import open_browser
from stiction.viewer.legend import legend_lines
from stiction.viewer.marks import MARKS, SHOWN
from stiction.viewer.page import checked_marks, page
from stiction.viewer.server import HERE, Served, opened_server, point_camera
from stiction.viewer.stage import Stage
from stiction.visual.frames import Film, rows_at
from stiction.visual.named import checked_layout, named

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

SPEEDS = ("0.05x", "0.1x", "0.25x", "0.5x", "1x", "2x", "4x")
FRAME_HEIGHT = 480  # of a page in a notebook [pixels]


class Player(Served):
    """A page that plays films; `wait` for the user to interrupt, or `close` it."""

    def __init__(self, stage: Stage, server: Any, fps: float) -> None:
        """Add the controls and start to play."""
        self.stage, self.server, self.fps = stage, server, fps
        self.now = 0.0  # picture that is shown, with a fraction
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._add_controls()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _add_controls(self) -> None:
        gui, last = self.server.gui, max(self.stage.length - 1, 1)
        with gui.add_folder("Time"):
            self.play = gui.add_button("Pause")
            self.slider = gui.add_slider("Picture", 0, last, 1, 0)
            self.clock = gui.add_text("Time [s]", "", disabled=True)
            self.speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1x")
            self.step = gui.add_button_group("Step", ("back", "forward"))
        with gui.add_folder("Camera"):
            self.follow = gui.add_checkbox("Follow the robot", True)
        with gui.add_folder("Marks"):
            self.boxes = {}
            for mark in MARKS:
                shown = mark in self.stage.actors[0].marks.shown
                self.boxes[mark] = gui.add_checkbox(mark, shown)
        with gui.add_folder("Legend"):
            gui.add_html(legend_lines(self.stage.films, MARKS))
        self.playing = True
        self._listen()

    def _listen(self) -> None:
        @self.play.on_click
        def _(_: Any) -> None:
            self._set_playing(not self.playing)

        @self.step.on_click
        def _(event: Any) -> None:
            self._set_playing(False)
            self.show(int(self.now) + (1 if event.target.value == "forward" else -1))

        @self.slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self.show(self.slider.value)

        for control in (*self.boxes.values(), self.follow):

            @control.on_update
            def _(_: Any) -> None:
                shown = {mark for mark, box in self.boxes.items() if box.value}
                for actor in self.stage.actors:
                    actor.marks.shown = shown
                self.show(int(self.now))

    def _set_playing(self, playing: bool) -> None:
        self.playing = playing
        self.play.label = "Pause" if playing else "Play"

    def show(self, k: int) -> None:
        """Show picture k, within the film."""
        with self._lock:
            k = min(max(k, 0), self.stage.length - 1)
            if int(self.now) != k:
                self.now = float(k)
            with self.server.atomic():
                self.stage.show(k, self.follow.value)
            film = max(self.stage.films, key=len)
            self.clock.value = f"{film.motion.time[k]:.3f}"
            self.slider.value = k

    def _run(self) -> None:
        """Show picture after picture at the chosen speed, from the start again after the last."""
        before = time.perf_counter()
        while not self._stopped.is_set():
            now = time.perf_counter()
            if self.playing:
                self.now += (now - before) * self.fps * float(self.speed.value[:-1])
                if self.now > self.stage.length - 1:
                    self.now = 0.0
                self.show(int(self.now))
            before = now
            time.sleep(max(0.0, 1.0 / self.fps - (time.perf_counter() - now)))


def show(
    motions: Motion | Mapping[str, Motion] | Iterable[Motion],
    fps: float = 30.0,
    marks: Sequence[str] = SHOWN,
    layout: str = "side by side",
    host: str = HERE,
    port: int | None = None,
    wait: bool | None = None,
) -> Player | None:
    """Show motions in the browser, or inline in a notebook.

    In a script it returns when the user interrupts it; `wait` says otherwise: False returns the
    player at once. In a notebook it shows a page that needs no server, and returns None.
    """
    if in_notebook() and wait is None:
        _show_inline(page(motions, fps, marks=marks, layout=layout))
        return None
    ghosts, chosen = checked_layout(layout) == "ghosts", checked_marks(marks)
    films = [Film(each, rows_at(each, fps), name) for name, each in named(motions).items()]
    server = opened_server(host, port)
    stage = Stage(server.scene, films, ghosts, chosen)
    point_camera(server, films[0], abs(float(stage.offsets[-1][1])))
    player = Player(stage, server, fps)
    if wait is False:
        return player
    open_browser(player.address)
    if wait or not hasattr(sys, "ps1"):
        player.wait()
        return None
    return player


def _show_inline(text: str) -> None:
    """Show a page in the output of a notebook's cell."""
    from html import escape

    from IPython.display import HTML, display

    frame = f'<iframe srcdoc="{escape(text, quote=True)}" width="100%" height="{FRAME_HEIGHT}"'
    display(HTML(f'<div>{frame} style="border:none"></iframe></div>'))
