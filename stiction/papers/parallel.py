"""Figures in parallel, each in a process of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

from stiction.bench.parallel import Progress
from stiction.papers.run_figure import FAILED, Outcome, run_in_process
from stiction.papers.stored import Job

PATIENCE = 0.5  # [s] between two looks


class _Running(NamedTuple):
    job: Job
    process: SpawnProcess
    answer: Connection
    begun: float


def run_all(
    jobs: Sequence[Job],
    processes: int | None = None,
    progress: Progress = lambda fraction, doing: None,
    tell: Callable[[Job, Outcome, float], None] = lambda job, outcome, seconds: None,
) -> dict[str, Outcome]:
    """Run figures in as many processes as there are cores; returns outcomes by `Job.name`.

    tell: called with each finished job and its wall time [s].
    """
    count = processes or os.cpu_count() or 1
    waiting, running, outcomes = list(jobs), list[_Running](), dict[str, Outcome]()
    try:
        while waiting or running:
            while waiting and len(running) < count:
                running.append(_started(waiting.pop(0)))
            names = " and ".join(one.job.name for one in running)
            progress(len(outcomes) / len(jobs), f"{len(outcomes)} of {len(jobs)} done, {names}")
            ended = wait([one.process.sentinel for one in running], PATIENCE)
            for one in [one for one in running if one.process.sentinel in ended]:
                running.remove(one)
                outcomes[one.job.name] = _outcome(one)
                tell(one.job, outcomes[one.job.name], time.monotonic() - one.begun)
    finally:
        for one in running:
            one.process.terminate()
        for one in running:
            one.process.join()
    return outcomes


def _started(job: Job) -> _Running:
    context = get_context("spawn")
    answer, sent = context.Pipe(duplex=False)
    process = context.Process(target=run_in_process, args=(job, sent), name=job.name)
    process.start()
    sent.close()
    return _Running(job, process, answer, time.monotonic())


def _outcome(one: _Running) -> Outcome:
    """What a process that has ended said, or that it did not say anything."""
    one.process.join()
    try:
        return one.answer.recv()
    except EOFError:
        return Outcome(FAILED, f"its process ended with exit status {one.process.exitcode}")
    finally:
        one.answer.close()
