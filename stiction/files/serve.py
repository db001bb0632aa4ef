"""The child process: runs the tasks that it is sent, one after the other."""

from __future__ import annotations

import ctypes
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import IO, Any

DONE, FAILED, NO_MEMORY = "done", "failed", "no memory"
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
HEADER = 8  # bytes of the length in front of every message


def function_of(task: str) -> Callable[..., Any]:
    """The function that "module:function" names."""
    module, _, name = task.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def serve(memory: int) -> None:
    """Run tasks until the input ends, with at most `memory` bytes of address space."""
    tasks, answers = _pipes()
    end_with_parent()
    _limit_memory(memory)
    while header := tasks.read(HEADER):
        task, arguments, seconds = pickle.loads(tasks.read(int.from_bytes(header, "little")))
        _limit_time(seconds)
        answer = _answer(task, arguments)
        answers.write(len(answer).to_bytes(HEADER, "little") + answer)
        answers.flush()


def _answer(task: str, arguments: tuple[Any, ...]) -> bytes:
    try:
        return pickle.dumps((DONE, function_of(task)(*arguments)), protocol=5)
    except MemoryError:
        return pickle.dumps((NO_MEMORY, None))
    except Exception as error:  # every other one: the parent raises it
        try:
            return pickle.dumps((FAILED, error))
        except Exception:
            return pickle.dumps((FAILED, RuntimeError(f"{type(error).__name__}: {error}")))


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Input and output of the process; what libraries print from now on goes nowhere."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    return sys.stdin.buffer, answers


def end_with_parent() -> None:
    """Let Linux end this process with the one that started it, even in the middle of a task."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most, allowed = min(memory, physical), resource.getrlimit(resource.RLIMIT_AS)[1]
    if allowed == resource.RLIM_INFINITY or most < allowed:
        resource.setrlimit(resource.RLIMIT_AS, (most, allowed))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: float) -> None:
    """End the process if a task computes for longer, also when nobody waits for it any more."""
    try:
        import resource
    except ImportError:
        return
    usage, hard = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
    spent = usage.ru_utime + usage.ru_stime
    end = int(spent + 2.0 * seconds) + 1
    if hard[1] == resource.RLIM_INFINITY or end < hard[1]:
        resource.setrlimit(resource.RLIMIT_CPU, (end, hard[1]))
