"""Motion -> figures: curves over time, comparisons, phases of contact, snapshots."""

from stiction.plot.comparison import COMPARED, compare
from stiction.plot.curves import ITEMS, plot
from stiction.plot.phases import contact_phases
from stiction.plot.quantities import base_positions, deepest, lean, touched_links
from stiction.plot.snapshots import VIEWS, snapshots

__all__ = [
    "COMPARED",
    "ITEMS",
    "VIEWS",
    "base_positions",
    "compare",
    "contact_phases",
    "deepest",
    "lean",
    "plot",
    "snapshots",
    "touched_links",
]
