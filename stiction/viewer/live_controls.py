"""Controls of a live view: run, start again, push, choose the contact model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import StictionError
from stiction.viewer.legend import legend_lines
from stiction.viewer.marks import MARKS

if TYPE_CHECKING:
    from stiction.viewer.live import Live

SPEEDS = ("0.05x", "0.1x", "0.25x", "0.5x", "1x")
DIRECTIONS = {"forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0), "left": (0.0, 1.0, 0.0),
              "right": (0.0, -1.0, 0.0), "up": (0.0, 0.0, 1.0)}  # fmt: skip
LASTS = 0.1  # of a push by button [s]
GRIP = 0.5  # of a pull by mouse, after its last event [s]


class Controls:
    """The panel of a live view."""

    def __init__(self, live: Live, speed: float) -> None:
        """Add everything to the page."""
        self.live, gui = live, live.server.gui
        self.running, self.speed = True, float(speed)
        world = live.simulation.world
        self.weight = world.total_mass * float(np.linalg.norm(world.gravity)) or 1.0
        with gui.add_folder("Run"):
            self.play = gui.add_button("Pause")
            self.again = gui.add_button("Start again")
            shown = f"{speed:g}x"
            speeds = SPEEDS if shown in SPEEDS else (*SPEEDS, shown)
            self.pace = gui.add_dropdown("Speed", speeds, initial_value=shown)
            self.clock = gui.add_text("Time [s]", "", disabled=True)
            self.words = gui.add_text("State", "", disabled=True)
        self._add_push(gui)
        self.model_folder = gui.add_folder("Contact model")
        with self.model_folder:
            names = [kind.__name__ for kind in live.models()]
            now = type(live.simulation.contact).__name__
            names = names if now in names else [now, *names]
            self.model = gui.add_dropdown("Model", names, initial_value=now)
        self.fields: list[Any] = []
        self._add_fields(live.simulation.contact)
        with gui.add_folder("Marks"):
            marks = [mark for mark in MARKS if mark != "trail"]
            shown_marks = live.stage.actors[0].marks.shown
            self.boxes = {mark: gui.add_checkbox(mark, mark in shown_marks) for mark in marks}
        with gui.add_folder("Legend"):
            gui.add_html(legend_lines([live.film], marks))
        self._listen()
        self._listen_to_mouse()

    def _add_push(self, gui: Any) -> None:
        with gui.add_folder("Push"):
            names = [mesh.name for mesh in self.live.film.meshes if mesh.link]
            self.links = {mesh.name: mesh.link for mesh in self.live.film.meshes if mesh.link}
            if not names:
                return
            self.link = gui.add_dropdown("Link", list(self.links), initial_value=names[0])
            self.force = gui.add_number("Force [N]", round(0.5 * self.weight, 1), min=0.0)
            self.push = gui.add_button_group("Direction", tuple(DIRECTIONS))
            gui.add_markdown("Or drag a link with the mouse and the shift key.")

            @self.push.on_click
            def _(event: Any) -> None:
                link = self.links[self.link.value]
                force = float(self.force.value) * np.array(DIRECTIONS[event.target.value])
                until = self.live.simulation.time + LASTS
                centre = self.live.simulation.world.tree.centre[link]
                self.live.ask(lambda: self.live.pull(link, centre, force, until))

    def _add_fields(self, model: Any) -> None:
        """Add a number for each parameter of a model, instead of those before."""
        for field in self.fields:
            field.remove()
        self.fields = []
        with self.model_folder:
            for name, value in zip(model._fields, model, strict=True):
                field = self.live.server.gui.add_number(name, float(value), step=None)
                field.on_update(self._set_parameter)
                self.fields.append(field)
        self.names = model._fields

    def _set_parameter(self, event: Any) -> None:
        if event.client is None:
            return
        kind = type(self.live.simulation.contact)
        values = [float(field.value) for field in self.fields]
        if len(values) == len(kind._fields):
            self.live.ask(lambda: self._chosen(kind(*values)))

    def _listen(self) -> None:
        @self.play.on_click
        def _(_: Any) -> None:
            self.pause(not self.running)

        @self.again.on_click
        def _(_: Any) -> None:
            self.live.ask(self.live.reset)

        @self.pace.on_update
        def _(_: Any) -> None:
            self.speed = float(self.pace.value[:-1])

        @self.model.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                kinds = {kind.__name__: kind for kind in self.live.models()}
                kind: Any = kinds.get(self.model.value, type(self.live.simulation.contact))
                self.live.ask(lambda: self._chosen(kind(), fields=True))

        for box in self.boxes.values():

            @box.on_update
            def _(_: Any) -> None:
                shown = {mark for mark, each in self.boxes.items() if each.value}
                self.live.stage.actors[0].marks.shown = shown

    def _chosen(self, model: Any, fields: bool = False) -> None:
        """Run under a model; if that fails, say why and keep the present one."""
        try:
            self.live.choose(model)
        except StictionError as error:
            self.live.message = str(error)
            fields = True
        if fields:
            present = self.live.simulation.contact
            self._add_fields(present)
            self.model.value = type(present).__name__

    def _listen_to_mouse(self) -> None:
        for node, link in self.live.stage.actors[0].handles:
            if link:
                node.on_drag("left", modifier="shift")(self._puller(link))

    def _puller(self, link: int) -> Any:
        def pull(event: Any) -> None:
            if event.phase == "end":
                self.live.push = None
                return
            start, end = np.array(event.start_position), np.array(event.end_position)
            poses = self.live.film.poses
            own = poses.rotation[0, link].T @ (start - poses.position[0, link])
            force = self.weight * (end - start) / self.live.film.size
            until = self.live.simulation.time + GRIP
            self.live.ask(lambda: self.live.pull(link, own, force, until))

        return pull

    def pause(self, paused: bool = True) -> None:
        """Stop running, or go on."""
        self.running = not paused
        self.play.label = "Run" if paused else "Pause"

    def tell(self, words: str) -> None:
        """Show a state at once."""
        self.words.value = words

    def update(self) -> None:
        """Show the time and the state."""
        self.clock.value = f"{self.live.simulation.time:.3f}"
        words = self.live.message or ("running" if self.running else "paused")
        if self.words.value != words:
            self.words.value = words
