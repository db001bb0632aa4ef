"""A child that crashes, hangs or takes too much memory is an error, and the next one works."""

import os

import pytest

from stiction.errors import MotionFileError
from stiction.files import child as process
from stiction.files.child import Limits, Task, call

pytestmark = pytest.mark.interpreted

SMALL = Limits(seconds=60.0, memory=2_000_000_000)


def task(function, **limits):
    return Task(function, "file.x", "The reader", SMALL._replace(**limits), MotionFileError)


def test_a_function_runs_in_another_process_that_is_kept():
    first, second = call(task("os:getpid")), call(task("os:getpid"))
    assert first == second != os.getpid()
    assert call(task("operator:add"), b"x" * 3_000_000, b"y") == b"x" * 3_000_000 + b"y"


def test_the_child_does_not_import_the_compiler():
    found = "[name for name in __import__('sys').modules if name.split('.')[0] == 'numba']"
    assert call(task("builtins:eval"), found) == []


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("os:abort", (), r"The reader crashed \(SIGABRT\)"),
        ("ctypes:string_at", (0,), r"The reader crashed \(SIGSEGV\)"),
        ("os:_exit", (3,), "The reader ended with status 3"),
        ("builtins:bytearray", (1 << 40,), "needs more than 2 GB of memory"),
    ],
)
def test_a_crash_or_too_much_memory_is_an_error_and_the_next_task_runs(function, arguments, words):
    with pytest.raises(MotionFileError, match=f"file.x: .*{words}"):
        call(task(function), *arguments)
    assert call(task("operator:add"), 1, 2) == 3


def test_a_task_that_hangs_is_ended():
    with pytest.raises(MotionFileError, match="file.x: The reader takes longer than 1 s"):
        call(task("time:sleep", seconds=1.0), 1000.0)
    assert call(task("operator:add"), 1, 2) == 3


def test_an_exception_comes_back_as_it_is():
    with pytest.raises(ZeroDivisionError):
        call(task("operator:truediv"), 1, 0)
    assert call(task("operator:add"), 1, 2) == 3


def test_what_a_library_prints_is_not_taken_for_an_answer(capfd):
    assert call(task("builtins:print"), "an answer") is None
    assert call(task("os:write"), 1, b"more") == 4
    assert capfd.readouterr() == ("", "")


def test_without_isolation_the_function_runs_here(monkeypatch):
    monkeypatch.setenv("STICTION_ISOLATE", "0")
    assert call(task("os:getpid")) == os.getpid()


def test_without_an_interpreter_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(process.sys, "executable", "/nowhere/python")
    with pytest.raises(MotionFileError, match="no process can be started.*STICTION_ISOLATE=0"):
        call(task("os:getpid", memory=3_000_000_000))


def test_a_fork_starts_its_own_child():
    before = call(task("os:getpid"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(call(task("os:getpid"))).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(read, 100)) != before
    assert call(task("os:getpid")) == before
