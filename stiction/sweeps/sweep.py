"""`sweep`: run a scene or a function at many points; what is finished is never run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stiction.description.arguments import count
from stiction.errors import InputError, SweepFileError
from stiction.files.written import check_target
from stiction.sweeps import local, on_ray
from stiction.sweeps.file import columns_of, read_records, write_table
from stiction.sweeps.journal import Head, Journal, Record, Records
from stiction.sweeps.outcome import Answer
from stiction.sweeps.points import Point, Sample, key_of, points_of, told
from stiction.sweeps.progress import Estimate, Progress
from stiction.sweeps.queue import Queue
from stiction.sweeps.table import SweepTable
from stiction.sweeps.what import check_first, folders_of, payload_of, work_of

MOST_JOBS = 10_000


def sweep(
    what: str | Path | Callable[..., Any],
    over: Mapping[str, Sequence[Any]] | Sample | Sequence[Mapping[str, Any]],
    file: str | Path,
    *,
    measure: str | Callable[..., Any] | None = None,
    jobs: int | None = None,
    ray: str | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> SweepTable:
    """Run a scene or a function at many points, and return the table of results.

    Points that the file holds are not run again, so the same call resumes where a killed one
    stopped, and a larger grid runs only the new points.

    Args:
        what: name or file of a scene, a function, or "module:function". A function is called with
            the parameters by name and returns a number, or numbers and strings by name.
        over: lists of values by name (their grid), a `Sample`, or a list of points. Parameters of a
            scene are keys of its file ("contact.mu_static", "dt", "push.force"), "contact" and
            "robot".
        file: results (.h5); while the sweep runs, also a journal next to it.
        measure: for scenes, a function of the motion that returns more results by name.
        jobs: processes on this machine; by default one for each core.
        ray: address of a Ray cluster to use instead, or "auto".
        retry: run points that failed before once more.
        progress: called with the fraction that is done, and a string.
    """
    if jobs is not None:
        count("sweep: jobs", jobs, MOST_JOBS)
    if ray is not None and jobs is not None:
        raise InputError("sweep: jobs and ray are given; a cluster knows how many cores it has")
    path = Path(file)
    check_target(file, SweepFileError)
    points = points_of(over)
    work = work_of(what, measure)
    check_first(work.run, points[0])
    head = Head(work.name, work.digest, version("stiction"), tuple(points[0]))
    check_same(path, read_records(path)[0], head)
    outcomes = _runner(work.run, jobs, ray)
    with closing(Journal(path, head)) as journal:
        known = read_records(path)[1]
        todo = [point for point in points if _is_open(known.get(key_of(point)), retry)]
        if todo:
            failed = sum(bool(known[key_of(p)].outcome.error) for p in points if key_of(p) in known)
            estimate = Estimate(len(points), len(points) - len(todo), failed, progress)
            queue = Queue(todo)
            _run(outcomes(queue), queue, journal, (known, estimate))
        rows = _in_order(points, known)
        table = SweepTable(head, columns_of(rows, head.parameters))
        write_table(path, head, {name: table[name] for name in table})
        journal.remove()
    return table


def check_same(path: Path, found: Head | None, head: Head) -> None:
    """Raise SweepFileError if a file holds the results of something else."""
    for name, mine in head._asdict().items():
        theirs = mine if found is None else getattr(found, name)
        if theirs != mine:
            if name == "digest":
                raise SweepFileError(
                    f"{path}: holds results of {head.what} before it was edited; give another "
                    "file, or remove this one"
                )
            raise SweepFileError(
                f"{path}: holds another sweep: {name} is {theirs}, now it is {mine}; give another "
                "file, or remove this one"
            )


def _is_open(record: Record | None, retry: bool) -> bool:
    return record is None or (retry and bool(record.outcome.error))


def _runner(
    run: Callable[..., Any], jobs: int | None, ray: str | None
) -> Callable[[Queue], Iterator[list[Answer]]]:
    """What runs the points of a queue: processes of this machine, or a Ray cluster."""
    payload = payload_of(run, travels=ray is not None)
    if ray is not None:
        return lambda queue: _on_cluster(payload, queue, ray)
    folders = folders_of(run)
    return lambda queue: local.outcomes(payload, queue, jobs, folders)


def _run(
    arriving: Iterator[list[Answer]],
    queue: Queue,
    journal: Journal,
    kept: tuple[Records, Estimate],
) -> None:
    """Write outcomes down as they arrive."""
    known, estimate = kept
    try:
        with closing(arriving):  # type: ignore[type-var]
            for answers in arriving:
                records = _records(answers, queue, known)
                journal.add(records)
                known.update({record.key: record for record in records})
                estimate.add(len(records), sum(bool(one.outcome.error) for one in records))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; {estimate.text()}; run the same sweep again to resume it"
        ) from None
    finally:
        estimate.clear()


def _on_cluster(payload: bytes, queue: Queue, address: str) -> Iterator[list[Answer]]:
    """Outcomes as they come from a Ray cluster."""
    cluster = on_ray.Cluster(address)
    try:
        yield from on_ray.outcomes(payload, queue, cluster)
    finally:
        cluster.close()


def _records(answers: list[Answer], queue: Queue, known: Records) -> list[Record]:
    """Finished points, with their parameters as stored in files and attempts of earlier calls."""
    records = []
    for number, outcome in answers:
        point = {name: told(value) for name, value in queue.points[number].items()}
        earlier = known.get(key_of(point))
        attempts = queue.attempts[number] + (earlier.attempts if earlier else 0)
        records.append(Record(number, point, outcome, attempts))
    return records


def _in_order(points: list[Point], known: Records) -> list[Record]:
    """Finished points in the order of the sweep, then those of the file that it does not have."""
    mine = [key_of(point) for point in points]
    others = known.keys() - set(mine)
    return [known[key] for key in [*mine, *(key for key in known if key in others)]]
