"""Workers on a Ray cluster: tasks of some points each; machines may come and go."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from stiction.errors import InputError, StictionError, not_installed
from stiction.sweeps.outcome import Answer, run_points
from stiction.sweeps.queue import Queue

PATIENCE = 0.5  # [s] between two looks
AHEAD = 2  # tasks per core that are handed to Ray, so that no core waits for this process
CONNECT = 10.0  # [s]
LOOK = 2.0  # [s] between two counts of the cores


class Cluster:
    """A connection to a cluster; one that was open before stays open."""

    def __init__(self, address: str) -> None:
        """Connect; "auto" is the cluster of this machine."""
        self.ray = _ray()
        self.ours = not self.ray.is_initialized()
        if self.ours:
            try:
                _knock(address)
                self.ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, ValueError, RuntimeError, OSError) as error:
                told = (str(error).strip() or type(error).__name__).splitlines()[0]
                raise InputError(
                    f"sweep: no Ray cluster answers at {address!r} ({told}); start one with `ray "
                    "start --head` and give its HOST:PORT, or 'auto' for that of this machine"
                ) from None

    def cores(self) -> int:
        """Cores of all machines that are there now."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def close(self) -> None:
        """Disconnect, if the connection was made here."""
        if self.ours:
            self.ray.shutdown()


def _knock(address: str) -> None:
    """Raise OSError if nothing listens there; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT).close()
    elif address != "auto":
        raise ValueError("it is neither HOST:PORT nor 'auto'")


def _ray() -> ModuleType:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        cluster = "a sweep on a cluster, here and on every machine,"
        raise not_installed(cluster, "ray", "stiction[ray]") from None
    return ray


def outcomes(payload: bytes, queue: Queue, cluster: Cluster) -> Iterator[list[Answer]]:
    """Run all points of a queue; yields outcomes as they come, or an empty list after a while."""
    ray = cluster.ray
    # failures are counted here, so that Ray repeats nothing by itself
    task = ray.remote(max_retries=0, num_cpus=1)(run_points)
    shared = ray.put(payload)
    running: dict[Any, list[int]] = {}
    counted, workers = -LOOK, 1
    try:
        while queue.left:
            if time.monotonic() - counted > LOOK:
                counted, workers = time.monotonic(), max(1, cluster.cores())
            while queue.waiting and len(running) < AHEAD * workers:
                jobs = queue.take(workers)
                running[task.remote(shared, jobs)] = [number for number, _ in jobs]
            ready, _ = ray.wait(list(running), num_returns=1, timeout=PATIENCE)
            if ready:  # and all others that are ready as well
                ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
            yield [
                answer for one in ready for answer in _answers(ray, one, running.pop(one), queue)
            ]
    except (ConnectionError, ray.exceptions.RaySystemError) as error:
        raise StictionError(
            f"sweep: the Ray cluster is gone ({error}); what is finished is in the file, run the "
            "same sweep again to resume it"
        ) from None
    finally:
        for one in running:
            ray.cancel(one, force=True)


def _answers(ray: ModuleType, reference: Any, numbers: list[int], queue: Queue) -> list[Answer]:
    """What a finished task returned; its points wait again if its worker or machine died."""
    lost = ray.exceptions
    try:
        answers: list[Answer] = ray.get(reference)
    except lost.RayTaskError as error:
        raise InputError(
            f"sweep: the function cannot be loaded by a worker: {error.cause}; what it imports "
            "must be installed on every machine"
        ) from None
    except (lost.NodeDiedError, lost.ObjectLostError) as error:
        return queue.give_back(numbers, None, _told(error), guilty=False)
    except lost.RayError as error:  # its process died, or was ended for want of memory
        running = numbers[0] if len(numbers) == 1 else None
        return queue.give_back(numbers, running, _told(error))
    queue.finish(answers)
    return answers


def _told(error: Exception) -> str:
    return f"was lost: {type(error).__name__}"
