"""The viser server: a free port on this machine only, unless another host is asked for."""

from __future__ import annotations

import socket
import sys
import threading
import time
import warnings
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, ViewError
from stiction.render.camera import FIELD_OF_VIEW, VIEWS
from stiction.visual.frames import Film

if TYPE_CHECKING:
    from viser import ViserServer

HERE = "localhost"
PORT, LAST_PORT = 8080, 8180  # tried in this order if none is asked for
ROOM = 2.0  # height of the picture at the robot, over its size
LAST_PICTURE = 5.0  # time that a thread has to end [s]


class Served:
    """A page that a thread of this process keeps up to date."""

    server: Any  # of viser
    _stopped: threading.Event
    _thread: threading.Thread

    @property
    def address(self) -> str:
        """Where the page is."""
        host = self.server.get_host()
        shown = HERE if host in ("0.0.0.0", "127.0.0.1") else host
        return f"http://{shown}:{self.server.get_port()}"

    def wait(self) -> None:
        """Say where the page is, and return when the user interrupts with control-C."""
        try:
            print(f"stiction: {self.address} shows it; control-C ends", file=sys.stderr)
            while not self._stopped.is_set():
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop running and serving."""
        self._stopped.set()
        self._thread.join(timeout=LAST_PICTURE)
        stop(self.server)


def opened_server(
    host: str = HERE, port: int | None = None, label: str = "stiction"
) -> ViserServer:
    """A server; port None takes the first that is free."""
    try:
        import viser
    except ImportError:
        raise ViewError("the viewer needs viser: pip install viser") from None
    if host not in (HERE, "127.0.0.1", "::1"):
        warnings.warn(
            f"the viewer listens on {host}: everyone who reaches this machine can see it and, in "
            "a live view, push the robot",
            stacklevel=3,
        )
    chosen = _first_free(host) if port is None else _checked(host, port)
    with redirect_stdout(StringIO()):  # viser announces itself even if asked not to
        server = viser.ViserServer(host=host, port=chosen, label=label, verbose=False)
    server.gui.configure_theme(show_share_button=False)  # it would go through another host
    return server


def stop(server: ViserServer) -> None:
    """Stop a server, without viser's own messages."""
    with redirect_stdout(StringIO()):
        server.stop()


def _checked(host: str, port: int) -> int:
    if not (isinstance(port, int) and 0 < port < 65536):
        raise InputError(f"port is {port!r}; give a whole number from 1 to 65535")
    problem = _problem(host, port)
    if problem:
        raise ViewError(f"port {port} of {host} cannot be used ({problem}); give another one")
    return port


def _first_free(host: str) -> int:
    problem = ""
    for port in range(PORT, LAST_PORT):
        problem = _problem(host, port)
        if not problem:
            return port
    raise ViewError(
        f"no port from {PORT} to {LAST_PORT - 1} of {host} is free ({problem}); give port="
    )


def _problem(host: str, port: int) -> str:
    """Why a port cannot be listened on; "" if it can."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family[0], socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(family[4])
    except OSError as error:
        return str(error.strerror or error)
    return ""


def point_camera(server: ViserServer, film: Film, wide: float = 0.0) -> None:
    """Let new viewers look at a film from its oblique side; wide: added to its size [m]."""
    view = VIEWS["oblique"]
    a, e = np.radians(view.azimuth), np.radians(view.elevation)
    looking = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    low, high = film.box
    middle = (low + high) / 2 - np.array([0.0, wide / 2, 0.0])
    distance = ROOM * (film.size + wide) / (2 * np.tan(np.radians(FIELD_OF_VIEW) / 2))
    camera = server.initial_camera
    camera.position, camera.look_at = middle - distance * looking, middle
    camera.fov = float(np.radians(FIELD_OF_VIEW))
