"""The progress of a sweep, and the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable

from stiction.terminal.line import RATE, is_watched, write_line

Progress = Callable[[float, str], object]  # called with a fraction from 0 to 1, and what is done


class Estimate:
    """Counts points and estimates the time left, from the points that ran since the start."""

    def __init__(self, total: int, before: int, failed: int, given: Progress | None) -> None:
        """before: points that had an outcome before; failed: those of them that failed."""
        self.total, self.before, self.done, self.failed = total, before, before, failed
        self.begun = time.monotonic()
        self._tell, self._last = given, -RATE
        self._line = given is None and is_watched()

    def add(self, count: int, failed: int) -> None:
        """Note finished points, and report."""
        self.done += count
        self.failed += failed
        if self._tell is not None:
            self._tell(self.done / self.total, self.text())
        elif self._line and time.monotonic() - self._last > RATE:
            self._last = time.monotonic()
            write_line(f"sweep {100 * self.done / self.total:3.0f} % {self.text()}")

    def text(self) -> str:
        """In words."""
        words = f"{self.done} of {self.total} done"
        words += f", {self.failed} failed" if self.failed else ""
        return f"{words}, {left}" if (left := self._left()) else words

    def _left(self) -> str:
        new = self.done - self.before
        if not new or self.done >= self.total:
            return ""
        seconds = (time.monotonic() - self.begun) / new * (self.total - self.done)
        return f"{duration(seconds)} left"

    def clear(self) -> None:
        """Wipe the line."""
        if self._line and self._last >= 0:
            write_line("")


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
