"""Results of figures on disk: written whole, and read again only if their sources are the same."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stiction.errors import InputError
from stiction.files.written import make_folder, write_whole
from stiction.papers.claims import Paper
from stiction.papers.figures import digest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = 1  # of the JSON file
DPI = 110


class Job(NamedTuple):
    """One figure to run, and the folder of its results."""

    root: Path  # folder of the papers
    key: str
    figure: str
    out: Path
    digest: str  # of the figure's sources

    @property
    def name(self) -> str:
        """As on the command line."""
        return f"{self.key}/{self.figure}"

    def file(self, ending: str) -> Path:
        """A file of this figure's results."""
        return self.out / self.key / f"{self.figure}{ending}"


def job_of(paper: Paper, figure: str, out: Path) -> Job:
    """The job of a figure, with the hash of its sources as they are now."""
    root = paper.folder.parent.resolve()
    return Job(root, paper.key, figure, out.resolve(), digest(root, paper.key, figure))


def read_result(job: Job) -> dict[str, Any] | None:
    """The stored result of a figure; None if there is none, or its sources changed."""
    try:
        result = json.loads(job.file(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = isinstance(result, dict) and result.get("format") == FORMAT
    if not known or result.get("digest") != job.digest:
        return None
    files = [f"{job.figure}.png", f"{job.figure}.svg", *result["motions"].values()]
    return result if all((job.out / job.key / file).is_file() for file in files) else None


def write_result(job: Job, result: dict[str, Any]) -> None:
    """Store a result; the last file of a figure that is written."""
    stored = {"format": FORMAT, "digest": job.digest} | result
    text = json.dumps(stored, indent=1, allow_nan=True)
    write_whole(job.file(".json"), text.encode(), "a result", InputError)


def write_figure(job: Job, figure: Figure) -> None:
    """Store a drawing as PNG and SVG."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": job.name}):
        for kind, options in (("png", {"dpi": DPI}), ("svg", {"metadata": {"Date": None}})):
            drawn = BytesIO()
            figure.savefig(drawn, format=kind, bbox_inches="tight", **options)
            write_whole(job.file(f".{kind}"), drawn.getbuffer(), "a figure", InputError)


def result_folder(out: Path, key: str) -> None:
    """Make the folder of a paper's results."""
    make_folder(out / key)
