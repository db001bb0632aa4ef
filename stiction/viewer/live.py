"""`st.view(simulation)`: a running simulation in the browser."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.contact.contact_model import our_models
from stiction.errors import InputError, StictionError
from stiction.viewer.browser import open_browser
from stiction.viewer.live_controls import Controls
from stiction.viewer.marks import SHOWN
from stiction.viewer.pushing import push_torque
from stiction.viewer.server import HERE, Served, opened_server, point_camera
from stiction.viewer.stage import Stage
from stiction.visual.live import LiveFilm

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation

RATE = 30.0  # pictures a second
LATEST = 0.1  # a simulation that is slower than its clock skips what is more than this behind [s]
LIVE_MARKS = tuple(mark for mark in SHOWN if mark != "trail")


class Live(Served):
    """A running simulation in the browser; `wait` for the user, or `close` it."""

    def __init__(self, simulation: Simulation, server: Any, speed: float) -> None:
        """Add the controls and start to run."""
        self.simulation, self.server = simulation, server
        self.first = simulation.state
        self.film = LiveFilm(simulation)
        self.stage = Stage(server.scene, [self.film], False, LIVE_MARKS)
        self.message = ""
        self._stopped = threading.Event()
        self._tasks: list[Any] = []  # what the page asked for, done between two pictures
        self.push: tuple[int, np.ndarray, np.ndarray, float] | None = None
        self.controls = Controls(self, speed)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    # -------------------------------------------------------------------------- what the page asks

    def ask(self, task: Any) -> None:
        """Let the thread of the simulation call a function before the next picture."""
        self._tasks.append(task)

    def reset(self) -> None:
        """Start again from the first state, under the present contact model."""
        self.simulation = self.simulation.under(self.simulation.contact, self.first)
        self.push = None
        self.message = "started again"

    def choose(self, model: Any) -> None:
        """Go on under another contact model, or under other parameters of this one."""
        name = type(model).__name__
        if type(model) is not type(self.simulation.contact):
            self.controls.tell(f"compiling {name}, if it is the first time, takes up to a minute")
        self.simulation = self.simulation.under(model)
        self.simulation.step()
        self.message = "; ".join([f"runs under {name}", *self.simulation.notes])

    def pull(self, link: int, point: np.ndarray, force: np.ndarray, until: float) -> None:
        """Push a link at a point in its own frame [m] with a force in the world [N] for a time."""
        self.push = (link, point, force, until)

    def models(self) -> list[type]:
        """The contact models of the menu: those that need no parameters."""
        kinds: list[Any] = our_models()
        return [kind for kind in kinds if len(kind._field_defaults) == len(kind._fields)]

    # --------------------------------------------------------------------------------- the thread

    def _run(self) -> None:
        behind, before = 0.0, time.perf_counter()
        while not self._stopped.is_set():
            begun = time.perf_counter()
            try:
                while self._tasks:
                    self._tasks.pop(0)()
                    before = begun = time.perf_counter()
                if self.controls.running:
                    behind = min(behind + (begun - before) * self.controls.speed, LATEST)
                    behind -= self._advance(behind)
            except StictionError as error:
                self.controls.pause()
                self.message = str(error)
            before = begun
            self._show()
            time.sleep(max(0.0, 1.0 / RATE - (time.perf_counter() - begun)))

    def _advance(self, duration: float) -> float:
        """Take whole steps that fill a duration; returns the time they took in the simulation."""
        steps = int(duration / self.simulation.dt)
        if steps < 1:
            return 0.0
        self.simulation.step(self._torque(), steps)
        return steps * self.simulation.dt

    def _torque(self) -> np.ndarray | None:
        if self.push is None or self.simulation.time >= self.push[3]:
            self.push = None
            return None
        link, own, force, _ = self.push
        world, poses = self.simulation.world, self.film.poses
        point = poses.position[0, link] + poses.rotation[0, link] @ own
        return push_torque(world, poses, link, point, force)

    def _show(self) -> None:
        self.film.update(self.simulation)
        with self.server.atomic():
            self.stage.show(0)
            self.controls.update()


def view(
    simulation: Simulation,
    speed: float = 1.0,
    host: str = HERE,
    port: int | None = None,
    wait: bool | None = None,
) -> Live | None:
    """Show a running simulation in the browser: at `speed` times real time, or slower.

    The page has buttons to pause, to start again, and to push a link (also by dragging it with
    shift and the mouse), and a menu of contact models and their parameters. In a script it returns
    when the user interrupts it; `wait` says otherwise: False returns the viewer at once.
    """
    from stiction.simulation.simulation import Simulation

    if not isinstance(simulation, Simulation):
        raise InputError(
            f"view() shows a Simulation, found {type(simulation).__name__}; "
            "a motion has motion.show()"
        )
    server = opened_server(host, port)
    live = Live(simulation, server, speed)
    point_camera(server, live.film)
    if wait is False:
        return live
    open_browser(live.address)
    if wait or not hasattr(sys, "ps1"):
        live.wait()
        return None
    return live
