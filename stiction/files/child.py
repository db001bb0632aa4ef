"""`call`: a function in a child process that may crash, hang or run out of memory.

The child is started at the first call and kept for later ones. It is killed if a task takes too
long, and started again after a crash. It imports only what the task needs, not all of this package.
`STICTION_ISOLATE=0` runs the functions in this process instead.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

from stiction.errors import ModelFileError, StictionError
from stiction.files.serve import DONE, HEADER, NO_MEMORY, function_of

PACKAGE = Path(__file__).resolve().parents[1]
BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from stiction.files.serve import serve
serve(int(sys.argv[2]))
"""


class Limits(NamedTuple):
    """What a task may take."""

    seconds: float = 60.0  # of wall time; the first task also starts the process
    memory: int = 8_000_000_000  # [bytes] of address space; no more than the machine has


class Task(NamedTuple):
    """A function, by name, and what messages call its work.

    The child has a current folder of its own: paths among the arguments must be absolute.
    """

    function: str  # "module:function"
    source: str  # the file, in messages
    library: str  # that reads it
    limits: Limits = Limits()
    error: type[StictionError] = ModelFileError


def call(task: Task, *arguments: Any) -> Any:
    """Return what the function returns, or raise what it raises.

    Raises `task.error` if it crashes or exceeds its limits.
    """
    if os.environ.get("STICTION_ISOLATE") == "0":
        return function_of(task.function)(*arguments)
    with _LOCK:
        child = _child(task)
        try:
            found, value = child.run(task, arguments)
        except BaseException:  # also Ctrl-C: its answer would be taken for that of the next task
            child.end()
            raise
    if found == DONE:
        return value
    if found == NO_MEMORY:
        child.end()
        raise task.error(
            f"{task.source}: {task.library} needs more than {task.limits.memory / 1e9:g} GB of "
            "memory, or than there is, to read it; make it smaller"
        )
    raise value


class Child:
    """A process that runs tasks."""

    def __init__(self, memory: int) -> None:
        """Start it; `memory`: its limit [bytes]."""
        paths = json.dumps([os.path.abspath(path) for path in sys.path])
        command = [sys.executable, "-P", "-c", BOOT, paths, str(memory)]
        # one thread: each would take address space, and a session of its own: Ctrl-C is not for it
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PACKAGE,  # the current folder may be removed
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.tasks: IO[bytes] = self.process.stdin
        self.answers: IO[bytes] = self.process.stdout
        self.owner = os.getpid()

    @property
    def usable(self) -> bool:
        """Whether it lives, and is a child of this process, not of one that it was forked from."""
        return self.owner == os.getpid() and self.process.poll() is None

    def run(self, task: Task, arguments: tuple[Any, ...]) -> tuple[str, Any]:
        """Send a task and wait for its answer."""
        message = pickle.dumps((task.function, arguments, task.limits.seconds), protocol=5)
        try:
            self.tasks.write(len(message).to_bytes(HEADER, "little") + message)
            self.tasks.flush()
        except OSError:
            raise self._died(task) from None
        deadline = time.monotonic() + task.limits.seconds
        length = int.from_bytes(self._read(HEADER, deadline, task), "little")
        found, value = pickle.loads(self._read(length, deadline, task))
        return found, value

    def _read(self, count: int, deadline: float, task: Task) -> bytes:
        parts, missing = [], count
        while missing:
            left = deadline - time.monotonic()
            if left <= 0.0 or not select.select([self.answers], [], [], left)[0]:
                raise task.error(
                    f"{task.source}: {task.library} takes longer than {task.limits.seconds:g} s to "
                    "read it; make it smaller"
                )
            part = os.read(self.answers.fileno(), min(missing, 1 << 20))
            if not part:
                raise self._died(task)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _died(self, task: Task) -> StictionError:
        """The error for a process that has ended."""
        self.end()
        code = self.process.returncode
        how = f"ended with status {code}"
        if code is not None and code < 0:
            how = f"crashed ({signal.Signals(-code).name})"
        return task.error(
            f"{task.source}: {task.library} {how} when it read the file, which is damaged or "
            "malicious; get it from its source again"
        )

    def end(self) -> None:
        """Kill the process."""
        if self.owner != os.getpid():
            return
        for pipe in (self.tasks, self.answers):
            with contextlib.suppress(OSError):
                pipe.close()
        if self.process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)  # it may already be ending by itself
        self.process.kill()
        self.process.wait()


_LOCK = threading.Lock()
_CHILDREN: dict[int, Child] = {}  # by their limits of memory


def _child(task: Task) -> Child:
    memory = task.limits.memory
    if memory not in _CHILDREN or not _CHILDREN[memory].usable:
        try:
            _CHILDREN[memory] = Child(memory)
        except (OSError, TypeError) as error:  # TypeError: no interpreter to start
            raise task.error(
                f"{task.source}: no process can be started to read it ({error}); "
                "STICTION_ISOLATE=0 reads files in this process, without its protection"
            ) from None
    return _CHILDREN[memory]


@atexit.register
def _end_all() -> None:
    for child in _CHILDREN.values():
        child.end()
