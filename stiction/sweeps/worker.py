"""A local worker process: runs the points that it is sent, and replies one by one."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection
from typing import Any

READY, ANSWER, UNUSABLE = "ready", "answer", "unusable"


def main(descriptor: int) -> None:
    """Get the function, then run points until the other end closes."""
    from stiction.files.serve import end_with_parent
    from stiction.sweeps.outcome import run_point, unpacked

    end_with_parent()
    connection = Connection(descriptor)
    sys.stdout = sys.stderr  # results of the command alone are on stdout
    try:
        run: Any = unpacked(connection.recv_bytes())
    except Exception as error:  # whatever its module raises when it is imported
        connection.send((UNUSABLE, f"{type(error).__name__}: {error}"))
        return
    connection.send((READY, os.getpid()))
    while True:
        try:
            jobs = connection.recv()
        except EOFError:
            return
        for number, point in jobs:
            connection.send((ANSWER, (number, run_point(run, point))))
