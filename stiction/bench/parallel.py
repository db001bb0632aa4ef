"""Work of several processes: waiting for it, and telling how far it is."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import NamedTuple

Progress = Callable[[float, str], None]


class Part(NamedTuple):
    """A part of the work that several processes do."""

    progress: Progress
    first: float  # fraction of the whole work that is done when it begins, and when it ends
    last: float
    processes: int

    def wait(self, jobs: dict[str, Future], doing: str) -> None:
        """Wait for jobs and tell how far they are; raises what went wrong in one."""
        left = dict(jobs)
        while left:
            done = self.last - (self.last - self.first) * len(left) / len(jobs)
            self.progress(done, f"{doing} {' and '.join([*left][: self.processes])}")
            finished, _ = wait(left.values(), timeout=0.2, return_when=FIRST_COMPLETED)
            for job in finished:
                job.result()
            left = {name: job for name, job in left.items() if job not in finished}
