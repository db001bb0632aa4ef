"""A line on the terminal that says how far a long drawing is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], object]  # told a fraction from 0 to 1


@contextmanager
def shown(label: str, given: Progress | None) -> Iterator[Progress]:
    """The caller's own progress, else a line on stderr if that is a terminal, else nothing."""
    if given is not None:
        yield given
        return
    terminal = sys.stderr.isatty()

    def show(fraction: float) -> None:
        if terminal:
            sys.stderr.write(f"\r\033[K{label} {100 * fraction:3.0f} %")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
