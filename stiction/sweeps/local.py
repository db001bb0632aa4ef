"""Workers on this machine: one process per core, started again when one dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait

from stiction.errors import InputError, StictionError
from stiction.sweeps.outcome import Answer
from stiction.sweeps.queue import Queue
from stiction.sweeps.worker import ANSWER, READY, UNUSABLE

# A worker finds modules where its parent does, and imports only what the function needs.
BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from stiction.sweeps.worker import main
main(int(sys.argv[1]))
"""
PATIENCE = 0.5  # [s] between two looks
SHORT = 0.1  # [s]
STILLBORN = 3  # workers in a row that die before they are ready
# a worker uses one core, and its progress is not shown
ALONE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A process, and the points that it has not answered yet, in order."""

    def __init__(self, payload: bytes, folders: Sequence[str]) -> None:
        self.connection, other = Pipe()
        paths = json.dumps([os.path.abspath(path) for path in [*sys.path, *folders]])
        descriptor = other.fileno()
        variables = dict.fromkeys(ALONE, "1") | {"STICTION_PROGRESS": "0"}
        # a session of its own: Ctrl-C is not for it
        self.process = subprocess.Popen(
            [sys.executable, "-c", BOOT, str(descriptor), paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(descriptor,),
            env=os.environ | variables,
            start_new_session=True,
        )
        other.close()
        self.ready, self.running = False, list[int]()
        self.send_bytes(payload)

    def send_bytes(self, payload: bytes) -> None:
        """Send the function; a worker that dies meanwhile is noticed when it should reply."""
        try:
            self.connection.send_bytes(payload)
        except OSError:
            return

    def feed(self, queue: Queue, workers: int) -> None:
        """Give it points; short ones before it has finished the last, so that it never waits."""
        ahead = queue.seconds is not None and queue.seconds < SHORT
        if len(self.running) > ahead or not queue.waiting:
            return
        jobs = queue.take(workers)
        self.running += [number for number, _ in jobs]
        try:
            self.connection.send(jobs)
        except OSError:  # it died; so it is noticed below
            return

    def end(self) -> str:
        """Kill the process; returns how it ended."""
        if self.process.poll() is None and not self.connection.closed:
            try:
                self.process.wait(0.1)  # it may be dying by itself
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.connection.close()
        code = self.process.wait()
        return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit status {code}"


def outcomes(
    payload: bytes, queue: Queue, jobs: int | None = None, folders: Sequence[str] = ()
) -> Iterator[list[Answer]]:
    """Run all points of a queue; yields outcomes as they come, or an empty list after a while.

    folders: where modules are searched for, in addition to those of this process.
    """
    most = jobs or cores()
    workers: list[_Worker] = []
    stillborn = 0
    try:
        while queue.left:
            while len(workers) < min(most, queue.left):
                workers.append(_Worker(payload, folders))
            for worker in workers:
                if worker.ready:
                    worker.feed(queue, len(workers))
            found: list[Answer] = []
            by_connection = {worker.connection: worker for worker in workers}
            for connection in wait(list(by_connection), PATIENCE):
                worker = by_connection[connection]  # type: ignore[index]
                if _heard(worker, found):
                    stillborn = 0 if worker.ready else stillborn
                    continue
                workers.remove(worker)
                stillborn += not worker.ready
                queue.finish(found)
                lost = _lost(worker, queue, stillborn)
                yield [*found, *lost]
                found = []
            queue.finish(found)
            yield found
    finally:
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.end()


def _heard(worker: _Worker, found: list[Answer]) -> bool:
    """Take everything that a worker sent; False if it is dead."""
    connection: Connection = worker.connection
    try:
        while True:
            kind, said = connection.recv()
            if kind == UNUSABLE:
                raise InputError(f"sweep: the function cannot be loaded by a worker: {said}")
            if kind == READY:
                worker.ready = True
            elif kind == ANSWER:
                worker.running.remove(said[0])
                found.append(said)
            if not connection.poll():
                return True
    except (EOFError, OSError):
        return False


def _lost(worker: _Worker, queue: Queue, stillborn: int) -> list[Answer]:
    """Hand the points of a dead worker back; returns those that have failed by that."""
    how = worker.end()
    if stillborn >= STILLBORN:
        raise StictionError(
            f"sweep: {stillborn} workers ended {how} before they could begin; what is finished is "
            "in the file"
        )
    running = worker.running[0] if worker.running else None
    guilty = running is not None
    return queue.give_back(worker.running, running, f"ended {how}", guilty)
