"""One figure in a process of its own: simulate, measure, draw, store."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Mapping
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from stiction.errors import MissingData, StictionError
from stiction.motion.motion import Motion
from stiction.papers.figures import load_figure, title, versions
from stiction.papers.stored import Job, write_figure, write_result

DONE, MISSING, FAILED = "done", "missing data", "error"
FPS = 30.0  # of the pages that play a motion


class Outcome(NamedTuple):
    """What became of a figure."""

    status: str  # DONE, MISSING or FAILED
    message: str = ""


def run_in_process(job: Job, answer: Connection) -> None:
    """Run a figure and send its `Outcome`; the process ends with the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["MPLBACKEND"] = "Agg"
    try:
        run_figure(job)
        answer.send(Outcome(DONE))
    except MissingData as error:
        answer.send(Outcome(MISSING, " ".join(str(error).split())))
    except StictionError as error:
        answer.send(Outcome(FAILED, " ".join(str(error).split())))
    except Exception:  # a bug in a figure must not hide the other figures
        answer.send(Outcome(FAILED, traceback.format_exc().strip()))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def run_figure(job: Job) -> dict[str, Any]:
    """Simulate, measure and draw a figure; returns and stores its result."""
    begun = time.perf_counter()
    module = load_figure(job.root, job.key, job.figure)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", UserWarning)
        data = module.data()
        measured = {name: float(value) for name, value in module.measures(data).items()}
        simulated = time.perf_counter()
        drawing = module.draw(data)
        motions = module.motions(data) if hasattr(module, "motions") else {}
        tables = module.tables(data) if hasattr(module, "tables") else {}
    write_figure(job, drawing)
    result = {
        "title": title(job.root / job.key, job.figure),
        "measures": measured,
        "seconds": {
            "simulate": round(simulated - begun, 2),
            "draw": round(time.perf_counter() - simulated, 2),
        },
        "warnings": sorted({" ".join(str(one.message).split()) for one in heard}),
        "runs": _runs(data),
        "motions": {name: _play(job, name, motion) for name, motion in motions.items()},
        "tables": plain(tables),
        "versions": versions(),
    }
    write_result(job, result)
    return result


def plain(value: Any) -> Any:
    """A value as JSON types, without NumPy's."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.item() if hasattr(value, "item") else value


def _runs(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was simulated: the motions among the data, with their contact model and step."""
    return [
        {
            "run": str(name),
            "contact": value.parameters.get("contact"),
            "dt": value.parameters.get("dt"),
            "integrator": value.parameters.get("integrator"),
            "duration": float(value.time[-1] - value.time[0]) if len(value) else 0.0,
        }
        for name, value in data.items()
        if isinstance(value, Motion)
    ]


def _play(job: Job, name: str, motion: Motion) -> str:
    """Write the page that plays a motion; returns the name of its file."""
    words = "".join(letter if letter.isalnum() else "-" for letter in name)
    path = job.file(f"-{words}.html")
    motion.save_html(path, fps=FPS, progress=lambda fraction: None)
    return path.name
