"""Curves of all runs that the reader can zoom, as one Plotly figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stiction.compare.measures import averaged, offset, weight
from stiction.compare.runs import Case, Run
from stiction.plot.quantities import base_positions
from stiction.visual.colours import MOTIONS, hexadecimal

MOST = 1500  # samples of a curve
HEIGHT = 230  # of a panel [pixels]
PANELS = (
    "upward force of the ground / weight",
    "largest depth [mm]",
    "height of the base [m]",
    "base forwards, x [m]",
    "base from the reference [mm]",
    "horizontal force of the ground / weight",
)


def curves(case: Case, runs: Sequence[Run]) -> str:
    """The figure as a part of a page; the page must have Plotly's script."""
    from plotly.graph_objects import Scattergl
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=len(PANELS), cols=1, shared_xaxes=True, vertical_spacing=0.025, subplot_titles=PANELS
    )
    for k, run in enumerate(runs):
        colour = colour_of(k)
        for row, (time, values) in enumerate(_panels(case, run, runs[0]), start=1):
            line = {"color": colour, "width": 1.4, "dash": dash_of(k, run)}
            curve = Scattergl(
                x=_short(time), y=_short(values), name=run.name, legendgroup=run.name,
                showlegend=row == 1, line=line, mode="lines",
            )  # fmt: skip
            figure.add_trace(curve, row=row, col=1)
    figure.update_xaxes(title_text="time [s]", row=len(PANELS), col=1)
    figure.update_layout(
        height=HEIGHT * len(PANELS), margin={"l": 60, "r": 10, "t": 30, "b": 40},
        hovermode="x unified", legend={"title": {"text": "click to hide"}}, template="plotly_white",
    )  # fmt: skip
    config = {"displaylogo": False, "responsive": True, "scrollZoom": False}
    text = figure.to_html(full_html=False, include_plotlyjs=False, div_id="curves", config=config)
    return str(text)


def colour_of(k: int) -> str:
    """Colour of run k, the same as in the three-dimensional view."""
    return hexadecimal(MOTIONS[k % len(MOTIONS)])


def dash_of(k: int, run: Run) -> str:
    """Engines are dotted; models whose colours repeat are dashed."""
    return "dot" if run.engine else ("solid", "dash", "dashdot")[k // len(MOTIONS) % 3]


def script() -> str:
    """Plotly's own script, so that the page need not load it from another host."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _short(values: np.ndarray) -> list[float | None]:
    """Numbers of seven digits; None for those that are not finite."""
    return [float(f"{x:.7g}") if np.isfinite(x) else None for x in values]


def _panels(case: Case, run: Run, reference: Run) -> list[tuple[np.ndarray, np.ndarray]]:
    """Time and values of every panel of PANELS."""
    n = len(run.force) - 1
    each = max(1, -(-n // MOST))
    time = averaged(run.simulated * (np.arange(n) + 0.5) / max(n, 1), each)
    force = averaged(run.force[:-1], each) / weight(case)
    depth = run.depth[: n // each * each].reshape(-1, each).max(axis=1)
    rows = np.arange(0, len(run.motion), max(1, -(-len(run.motion) // MOST)))
    base, when = base_positions(run.motion)[rows], run.motion.time[rows]
    apart = 1e3 * np.linalg.norm(offset(run, reference), axis=1)
    kept = np.arange(0, len(apart), max(1, -(-len(apart) // MOST)))
    return [
        (time, force[:, 2]),
        (time, 1e3 * depth),
        (when, base[:, 2]),
        (when, base[:, 0]),
        (reference.motion.time[kept], apart[kept]),
        (time, np.hypot(force[:, 0], force[:, 1])),
    ]
