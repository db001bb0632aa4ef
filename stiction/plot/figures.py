"""Figures that notebooks show as pictures."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size [inches]."""
    return _kind()(figsize=(width, height), layout="constrained")


@cache
def _kind() -> type[Figure]:
    """Figures of Matplotlib, which notebooks show only if pyplot has been imported."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        def _repr_png_(self) -> bytes:
            pixels = BytesIO()
            self.savefig(pixels, format="png")
            return pixels.getvalue()

    return Shown
