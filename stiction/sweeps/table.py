"""`SweepTable`: the results of a sweep, one row for each point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError, SweepFileError, not_installed
from stiction.sweeps.file import columns_of, read_records
from stiction.sweeps.journal import Head
from stiction.sweeps.outcome import OWN

if TYPE_CHECKING:
    import pandas


class SweepTable:
    """Results of a sweep as columns: parameters, results, and how each point ended.

    `table["slip"]` is a column. "status" is "done" or "failed", "error" says why, "seconds" is the
    wall time of the point, "worker" the process that ran it, "attempts" how often it was tried, in
    all calls. A failed point has NaN or "" as its results.
    """

    def __init__(self, head: Head, columns: dict[str, np.ndarray]) -> None:
        """A table of columns of one length."""
        self.head, self._columns = head, columns

    @classmethod
    def load(cls, path: str | Path) -> SweepTable:
        """The finished points of a sweep, also of one that is still running or was killed."""
        if not isinstance(path, str | Path) or not str(path):
            message = f"{shown(path)} is not the path of a file; give a string or a Path"
            raise SweepFileError(message)
        head, records = read_records(Path(path))
        if head is None:
            raise SweepFileError(f"{path}: no such file")
        rows = sorted(records.values(), key=lambda record: record.number)
        return cls(head, columns_of(rows, head.parameters))

    def __len__(self) -> int:
        """Number of points."""
        return len(self._columns["status"])

    def __iter__(self) -> Iterator[str]:
        """Names of the columns."""
        return iter(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        """A column."""
        if name not in self._columns:
            raise InputError(f"no column {shown(name)}; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __repr__(self) -> str:
        """What it holds, in a line."""
        return (
            f"<SweepTable of {self.head.what}: {len(self)} points, {int(self.failed.sum())} "
            f"failed; {', '.join(self)}>"
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the columns that were swept."""
        return self.head.parameters

    @property
    def results(self) -> tuple[str, ...]:
        """Names of the columns that were measured."""
        return tuple(name for name in self if name not in (*self.parameters, *OWN))

    @property
    def failed(self) -> np.ndarray:
        """Whether each point failed."""
        return self["status"] == "failed"

    def where(self, **values: Any) -> SweepTable:
        """The rows in which columns have these values, or satisfy these functions."""
        chosen = np.ones(len(self), bool)
        for name, value in values.items():
            column = self[name]
            found = value(column) if callable(value) else column == value
            chosen &= np.asarray(found, bool)
        return self.rows(chosen)

    def rows(self, chosen: np.ndarray) -> SweepTable:
        """Some rows, by truth values or numbers."""
        return SweepTable(self.head, {name: self[name][chosen] for name in self})

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the same columns."""
        try:
            import pandas
        except ImportError:
            raise not_installed("to_pandas", "pandas", "stiction[tables]") from None
        return pandas.DataFrame({name: self[name] for name in self})

    def save_html(self, path: str | Path) -> None:
        """Write one page that plots any column against any other."""
        from stiction.files.written import write_whole
        from stiction.sweeps.page import page_of

        write_whole(path, page_of(self).encode(), "the page", SweepFileError)
