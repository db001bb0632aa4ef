"""Functions that tests sweep over; they note every time that they are run."""

import os
import signal
import time
from collections import Counter
from pathlib import Path


def note(log, x):
    """Append a line, in one piece, whatever else is writing."""
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{x}\n".encode())
    os.close(descriptor)


def noted(log):
    """How often each point was finished."""
    return Counter(int(line) for line in Path(log).read_text().split())


def square(log, x):
    note(log, x)
    return {"square": x * x, "parity": "odd" if x % 2 else "even", "large": x > 5}


def slow_square(log, x):
    time.sleep(0.01)
    return square(log, x)


def first_time(log, x):
    """Whether a point is run for the first time."""
    try:
        os.close(os.open(f"{log}.{x}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def kills_its_worker_once(log, x):
    if x % 10 == 3 and first_time(log, x):
        os.kill(os.getpid(), signal.SIGKILL)
    return square(log, x)


def kills_every_worker(log, x):
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(log, x)


def fails_at_three(log, x):
    if x == 3:
        raise ZeroDivisionError("three is not allowed")
    if x == 4:
        return {"square": [1, 2]}
    return square(log, x)


def fails_the_first_time(log, x):
    if first_time(log, x):
        raise RuntimeError("not yet")
    return square(log, x)


def with_defaults(x, y=2.0):
    return x * y


def of_any(log, x):
    """Accepts values of any type."""
    note(log, 0)
    return {"type": type(x).__name__}


def kills_its_worker_once_of_a_thousand(log, x):
    if x == 103 and first_time(log, x):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002)
    return square(log, x)
