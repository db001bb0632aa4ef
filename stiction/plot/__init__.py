"""Motion -> figures: curves over time, comparisons, phases of contact, snapshots."""

from stiction.plot.comparison import COMPARED, compare
from stiction.plot.curves import ITEMS, plot
from stiction.plot.phases import contact_phases
from stiction.plot.quantities import base_positions, deepest, lean, touched_links
from stiction.plot.snapshots import VIEWS, draw_snapshots, snapshots
from stiction.plot.walks import compare_walks

__all__ = [
    "COMPARED",
    "ITEMS",
    "VIEWS",
    "base_positions",
    "compare",
    "compare_walks",
    "contact_phases",
    "deepest",
    "draw_snapshots",
    "lean",
    "plot",
    "snapshots",
    "touched_links",
]
