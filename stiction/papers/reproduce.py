"""`stiction reproduce`: run the figures of the papers, and judge what they claim."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from stiction.bench.parallel import Progress
from stiction.papers.claims import FOLDER, Paper, paper_keys, read_paper
from stiction.papers.figures import figure_names, find_figure
from stiction.papers.judge import EXPLAINED, FAILS, Judged, counts, judge
from stiction.papers.page import View, write_pages
from stiction.papers.parallel import run_all
from stiction.papers.run_figure import DONE, FAILED, Outcome
from stiction.papers.stored import Job, job_of, read_result, result_folder

Tell = Callable[[str], None]


class Task(NamedTuple):
    """A paper and those of its figures to run."""

    paper: Paper
    figures: tuple[str, ...]


def select(chosen: str | None, root: Path = FOLDER) -> list[Task]:
    """All papers, one paper "key", or one figure "key/figure"; raises InputError if unknown."""
    if chosen is None:
        papers = [read_paper(key, root) for key in paper_keys(root)]
        return [Task(paper, _figures(paper)) for paper in papers]
    key, slash, figure = chosen.partition("/")
    paper = read_paper(key, root)
    return [Task(paper, (find_figure(paper, figure),) if slash else _figures(paper))]


def _figures(paper: Paper) -> tuple[str, ...]:
    """The figures of a paper, and what its claims name, which may not exist."""
    named = (claim.figure for claim in paper.claims)
    return tuple(dict.fromkeys([*figure_names(paper.folder), *named]))


def reproduce(
    tasks: list[Task],
    out: Path,
    processes: int | None = None,
    progress: Progress = lambda fraction, doing: None,
    tell: Tell = lambda line: None,
) -> dict[str, Any]:
    """Run the figures that have no result yet in `out`, judge the claims, write the pages."""
    begun = time.monotonic()
    for task in tasks:
        result_folder(out, task.paper.key)
    outcomes, jobs = _to_run(tasks, out)
    stored = sum(len(task.figures) for task in tasks) - len(jobs) - len(outcomes)
    if stored:
        tell(f"{stored} figures have a result already in {out}")
    done = 0

    def say(job: Job, outcome: Outcome, seconds: float) -> None:
        nonlocal done
        done += 1
        paper = next(task.paper for task in tasks if task.paper.key == job.key)
        tell(f"{done}/{len(jobs)} {job.name}: {_told(job, paper, outcome)}, {seconds:.1f} s")

    outcomes |= run_all(jobs, processes, progress, say)
    progress(1.0, "writing the pages")
    views = _views(tasks, out, outcomes)
    pages = write_pages(views, [task.paper.key for task in tasks], out)
    figures = {task.paper.key: task.figures for task in tasks}
    asked = [
        one
        for view in views
        for one in view.judged
        if one.claim.figure in figures.get(one.paper, ())
    ]
    return _report(asked, pages) | {"seconds": round(time.monotonic() - begun, 1)}


def _to_run(tasks: list[Task], out: Path) -> tuple[dict[str, Outcome], list[Job]]:
    """Outcomes of figures that cannot run, and the jobs to do: one paper after the other in turn.

    Figures of one paper compile the same loops, so that it is better not to run them side by side.
    """
    outcomes: dict[str, Outcome] = {}
    columns = []
    for task in tasks:
        known = figure_names(task.paper.folder)
        for figure in task.figures:
            if figure not in known:
                told = f"there is no module {figure}.py with data, measures and draw"
                outcomes[f"{task.paper.key}/{figure}"] = Outcome(FAILED, told)
        jobs = [job_of(task.paper, figure, out) for figure in task.figures if figure in known]
        columns.append([job for job in jobs if read_result(job) is None])
    in_turn = chain.from_iterable(zip_longest(*columns))
    return outcomes, [job for job in in_turn if job is not None]


def _views(tasks: list[Task], out: Path, outcomes: dict[str, Outcome]) -> list[View]:
    """All papers, also those that were not asked for, with the results that are stored."""
    root = tasks[0].paper.folder.parent
    views = []
    for key in paper_keys(root):
        paper = read_paper(key, root)
        known = figure_names(paper.folder)
        results = {figure: read_result(job_of(paper, figure, out)) for figure in known}
        own = {
            name.partition("/")[2]: outcome
            for name, outcome in outcomes.items()
            if name.startswith(f"{key}/")
        }
        views.append(View(paper, results, judge(paper, results, own)))
    return views


def _told(job: Job, paper: Paper, outcome: Outcome) -> str:
    """What became of a figure, in a few words."""
    if outcome.status != DONE:
        return f"{outcome.status}, {outcome.message.splitlines()[-1]}"
    found = judge(paper, {job.figure: read_result(job)}, {})
    own = counts(one for one in found if one.claim.figure == job.figure)
    told = ", ".join(f"{number} {verdict}" for verdict, number in own.items() if number)
    return told or "no claims"


def _report(judged: list[Judged], pages: list[Path]) -> dict[str, Any]:
    """The result of the command."""
    keys = dict.fromkeys(one.paper for one in judged)
    papers = []
    for key in keys:
        own = [one for one in judged if one.paper == key]
        papers.append({"paper": key, "claims": len(own)} | counts(own))
    total = {"paper": "all", "claims": len(judged)} | counts(judged)
    return {
        "claims": [one.row() for one in judged],
        "explained": [
            {"claim": f"{one.paper}/{one.claim.id}", "why": one.claim.explained}
            for one in judged
            if one.verdict == EXPLAINED
        ],
        "not_measured": list(
            dict.fromkeys(f"{one.paper}/{one.claim.figure}: {one.why}" for one in judged if one.why)
        ),
        "papers": papers if len(papers) == 1 else [*papers, total],
        "pages": [str(path) for path in pages],
        "holds": not any(one.verdict == FAILS for one in judged),
    }
