"""Tries every wrong input: files, arguments of the API, command lines; prints a table by kind.

    python tests/tried.py              # all of them, some minutes
    python tests/tried.py "scenes"     # the kinds whose name contains a word

Each kind runs in a process of its own, so that its death would be counted; without the compiler,
except for patterns, whose planning takes long in plain Python.
Refused: a StictionError, or exit status 1 or 2 with an error in one line. No harm: for arguments
only, where a wrong value may also be a right one, as 0.5 for a length.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from stiction.errors import StictionError

LONGEST = 60  # [s] for one input; longer is counted as a hang
COLUMNS = ("tried", "refused", "no harm", "accepted", "foreign", "hangs", "crashes")
API, PATTERNS, COMMANDS = "arguments of the API", "arguments of patterns", "command lines"


class Hang(BaseException):
    """An input took too long."""


def outcomes(kind: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Each input of a kind, by name, and a function that tries it."""
    with tempfile.TemporaryDirectory(prefix="tried_") as name:
        folder = Path(name) / "a" / "b"
        folder.mkdir(parents=True)
        os.chdir(folder)
        if kind in (API, PATTERNS):
            yield from of_arguments(kind)
        elif kind == COMMANDS:
            from wrong_commands import answer, wrong_lines

            for line in wrong_lines(folder):
                yield " ".join(line), lambda line=line: of_answer(answer(line))
        else:
            from wrong_files import kinds

            for k, wrong in enumerate(kinds()[kind]()):
                place = folder / str(k)
                place.mkdir()
                yield wrong.name, lambda wrong=wrong, place=place: of_file(wrong, place)


def of_file(wrong: Any, folder: Path) -> str:
    """What a wrong file is answered with."""
    path = folder / f"file{wrong.suffix}"
    made = wrong.data(path if wrong.suffix else folder)
    if isinstance(made, bytes):
        path.write_bytes(made)
    return tried(lambda: wrong.read(made if isinstance(made, Path) else path))


def tried(call: Callable[[], Any]) -> str:
    """Refused, accepted, or the exception."""
    try:
        call()
    except StictionError as error:
        return "refused" if len(str(error)) > 15 else f"says only {error}"
    except Exception as error:  # noqa: BLE001  that is what is looked for
        return repr(error)
    return "accepted"


def of_arguments(of: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every argument of the public API with every wrong value."""
    from arguments import WRONG, calls, outcome
    from test_arguments import CASES, PLANNED, wrong_for

    def one(name: str, argument: str, kind: str) -> str:
        error = outcome(calls()[name], argument, WRONG[kind])
        if error is None:
            return "no harm"
        return "refused" if isinstance(error, StictionError) else repr(error)

    for name, argument in PLANNED if of == PATTERNS else CASES:
        for kind in wrong_for(name, argument):
            yield f"{name}({argument}={kind})", lambda n=name, a=argument, k=kind: one(n, a, k)


def of_answer(answer: Any) -> str:
    """What a wrong command line is answered with."""
    if answer.foreign:
        return answer.foreign
    if answer.status in (1, 2) and "error:" in answer.error:
        return "refused"
    return "accepted" if answer.status == 0 else f"status {answer.status}: {answer.error}"


def work(kind: str) -> None:
    """Try all inputs of a kind; prints a line for each that is not refused, and the counts."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _hang)
    counted: Counter = Counter()
    for name, run in outcomes(kind):
        signal.alarm(LONGEST)
        begun = time.monotonic()
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
                found = run()
        except Hang:
            found = "hangs"
        signal.alarm(0)
        counted["tried"] += 1
        counted["slowest"] = max(counted["slowest"], round(time.monotonic() - begun, 1))
        known = found in ("refused", "no harm", "accepted", "hangs")
        counted[found if known else "foreign"] += 1
        if found not in ("refused", "no harm"):
            print(json.dumps({"input": name, "found": found}), flush=True)
    print(json.dumps(counted), flush=True)


def _hang(*_: Any) -> None:
    raise Hang


def count(kind: str) -> tuple[Counter, list[str]]:
    """The counts of a kind, and the inputs that were not answered as they should be."""
    here = Path(__file__).parent
    environment = os.environ | {"PYTHONPATH": f"{here}{os.pathsep}{here.parent}"}
    environment["NUMBA_DISABLE_JIT"] = "0" if kind == PATTERNS else "1"
    command = [sys.executable, str(here / "tried.py"), "--work", kind]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    counted = Counter(lines.pop() if lines and "tried" in lines[-1] else {})
    if not counted or done.returncode:
        counted["crashes"] += 1
        lines.append({"input": kind, "found": done.stderr[-2000:]})
    return counted, [f"{kind}: {one['input']}: {one['found']}" for one in lines]


def kinds() -> list[str]:
    """All kinds of input."""
    from wrong_files import kinds as of_files

    return [*of_files(), API, PATTERNS, COMMANDS]


def main() -> int:
    """Print the table; 1 if something was not answered as it should be."""
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
        return 0
    rows, told = {}, []
    for kind in (one for one in kinds() if all(word in one for word in sys.argv[1:])):
        rows[kind], wrong = count(kind)
        told += wrong
    total: Counter = sum(rows.values(), Counter())
    print("| wrong input | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * len(COLUMNS))
    for name, counted in [*rows.items(), ("all", total)]:
        print(f"| {name} | " + " | ".join(str(counted[key]) for key in COLUMNS) + " |")
    print("\n".join(told), file=sys.stderr)
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main())
