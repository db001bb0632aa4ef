"""All scenes by name, in the order in which they are reported."""

from stiction.bench.closed_forms.balls import bounces, rolling
from stiction.bench.closed_forms.belts import belt, swinging_belt
from stiction.bench.closed_forms.blocks import break_away, rest, slope_above, slope_below, stopping
from stiction.bench.closed_forms.edges import rocking, stacks, tipping
from stiction.bench.closed_forms.painleve import painleve
from stiction.bench.closed_forms.rods import rods
from stiction.bench.closed_forms.sizes import sizes
from stiction.bench.closed_forms.spins import backspin, rolling_slope, spinning
from stiction.bench.closed_forms.tumblers import tumblers

SCENES = {
    "stopping": stopping,
    "slope 99 %": slope_below,
    "slope 101 %": slope_above,
    "break-away": break_away,
    "bounce": bounces,
    "rolling": rolling,
    "rod": rods,
    "rest": rest,
    "backspin": backspin,
    "spinning": spinning,
    "rolling on a slope": rolling_slope,
    "belt": belt,
    "swinging belt": swinging_belt,
    "tipping": tipping,
    "rocking": rocking,
    "stack": stacks,
    "Painleve": painleve,
    "tumblers": tumblers,
    "sizes": sizes,
}
