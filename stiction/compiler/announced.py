"""A message while code is compiled for the first time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from stiction.terminal.line import waiting


class Announcement(NamedTuple):
    """What is compiled, and how long that usually takes."""

    name: str
    seconds: float = 0.0  # on an idle machine; 0: not known

    @property
    def text(self) -> str:
        """The message."""
        takes = f", about {self.seconds:.0f} s" if self.seconds else ""
        return f"compiling {self.name} for the first time{takes}, once"


class _Found(threading.local):
    missing = False  # whether code that was asked for is not in the cache


_FOUND = _Found()


def not_cached() -> None:
    """Note that code must be compiled: it is not in the cache."""
    _FOUND.missing = True


@contextmanager
def announced(announcement: Announcement) -> Iterator[None]:
    """Say what is compiled, or prepared if it is in the cache, if that takes a while."""
    _FOUND.missing = False
    here = _FOUND.__dict__  # of this thread; another one writes the line

    def text() -> str:
        missing = here.get("missing", False)
        return announcement.text if missing else f"preparing {announcement.name}"

    with waiting(text):
        yield
