"""One line on the terminal, or below the cell of a notebook, that says what takes long.

There is none if stderr is neither, in the processes that a program starts to share its work, and
with the environment variable STICTION_PROGRESS=0.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], object]  # called with a fraction from 0 to 1

SWITCH = "STICTION_PROGRESS"
PATIENCE = 1.0  # [s]; what takes less is not shown
RATE = 0.5  # [s] between two changes of a line


def in_notebook() -> bool:
    """Whether this runs in a notebook."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Whether stderr is visible to a user who wants progress."""
    if os.environ.get(SWITCH) == "0" or multiprocessing.parent_process() is not None:
        return False
    return sys.stderr is not None and (sys.stderr.isatty() or in_notebook())


def write_line(text: str) -> None:
    """Replace the line by a text, or wipe it with an empty one."""
    sys.stderr.write(f"\r\033[K{text}")
    sys.stderr.flush()


@contextmanager
def shown(label: str, given: Progress | None, patience: float | None = 0.0) -> Iterator[Progress]:
    """The caller's own progress, else a line if a user sees it, else nothing.

    patience: time before the line appears [s]; None for that of all lines.
    """
    if given is not None or not is_watched():
        yield given or (lambda fraction: None)
        return
    begun, last = time.monotonic(), -RATE
    patience = PATIENCE if patience is None else patience

    def show(fraction: float) -> None:
        nonlocal last
        passed = time.monotonic() - begun
        if passed >= patience and passed - last >= RATE:
            last = passed
            left = f", {passed / fraction - passed:.0f} s left" if 0 < fraction < 1 else ""
            write_line(f"{label} {100 * fraction:3.0f} %{left if passed > PATIENCE else ''}")

    try:
        yield show
    finally:
        if last >= 0:
            write_line("")


@contextmanager
def waiting(text: Callable[[], str]) -> Iterator[None]:
    """A line with a text and the seconds that passed, for work that says nothing itself."""
    if not is_watched():
        yield
        return
    done = threading.Event()

    def tell() -> None:
        begun, wait, told = time.monotonic(), PATIENCE, False
        while not done.wait(wait):
            write_line(f"{text()} ... {time.monotonic() - begun:.0f} s")
            wait, told = RATE, True
        if told:
            write_line("")

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
