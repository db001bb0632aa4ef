"""Points that wait, who has them, and what happens to those of a worker that died."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from stiction.sweeps.outcome import Answer, Job, Outcome

ATTEMPTS = 3  # a point that ended so many workers has failed
PORTION = 0.25  # [s] of work that a worker is given at a time; all it can lose
MOST = 1000  # points at a time
SMOOTH = 0.1  # weight of the newest point in the mean time of a point


class Queue:
    """Points to be run; each is handed out again until it has an outcome."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        """All points wait."""
        self.points = points
        self.waiting = deque(range(len(points)))
        self.attempts = [0] * len(points)
        self.left = len(points)  # without an outcome
        self.seconds: float | None = None  # mean time of a point
        self._alone: set[int] = set()

    def take(self, workers: int) -> list[Job]:
        """Points for one of some workers: short ones in portions, suspects alone."""
        if not self.waiting:
            return []
        size = 1
        if self.seconds is not None:
            fair = len(self.waiting) // (2 * workers)  # so that all end at about the same time
            size = max(1, min(int(PORTION / max(self.seconds, 1e-6)), fair, MOST))
        taken = [self.waiting.popleft()]
        while len(taken) < size and self.waiting and not self._alone & {taken[0], self.waiting[0]}:
            taken.append(self.waiting.popleft())
        return [(number, self.points[number]) for number in taken]

    def finish(self, answers: Sequence[Answer]) -> None:
        """Note outcomes."""
        self.left -= len(answers)
        for number, outcome in answers:
            self.attempts[number] += 1
            new = outcome.seconds
            old = new if self.seconds is None else self.seconds
            self.seconds = old + SMOOTH * (new - old)

    def give_back(
        self, numbers: Sequence[int], running: int | None, why: str, guilty: bool = True
    ) -> list[Answer]:
        """Points of a worker that died wait again; returns the outcome of one that always kills.

        running: the point that it was running, where that is known. guilty: whether that may have
        been the cause; a machine that was switched off is not the fault of a point.
        """
        failed: list[Answer] = []
        for number in reversed(numbers):
            if running is None and guilty:
                self._alone.add(number)  # the next time it will be known
            if number == running and guilty:
                self.attempts[number] += 1
                self._alone.add(number)
                if self.attempts[number] >= ATTEMPTS:
                    error = f"it ended {self.attempts[number]} workers; the last {why}"
                    failed.append((number, Outcome({}, error)))
                    self.left -= 1
                    continue
            self.waiting.appendleft(number)
        return failed
