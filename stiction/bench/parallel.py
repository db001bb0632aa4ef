"""Waiting for the work of several processes, with progress reports."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import NamedTuple

Progress = Callable[[float, str], None]


class Part(NamedTuple):
    """A part of the work of several processes."""

    progress: Progress
    first: float  # fraction of the whole work that is done when it starts, and when it ends
    last: float
    processes: int

    def wait(self, jobs: dict[str, Future], doing: str) -> None:
        """Wait for jobs and report their progress; raises the exception of a failed one."""
        left = dict(jobs)
        while left:
            done = self.last - (self.last - self.first) * len(left) / len(jobs)
            self.progress(done, f"{doing} {' and '.join([*left][: self.processes])}")
            finished, _ = wait(left.values(), timeout=0.2, return_when=FIRST_COMPLETED)
            for job in finished:
                job.result()
            left = {name: job for name, job in left.items() if job not in finished}
