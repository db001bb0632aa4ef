"""Charts of contact phases against the phases themselves."""

import numpy as np
import pytest

import stiction as st
from recorded import DT, LOWER, recorded
from stiction import plot
from stiction.errors import InputError
from stiction.metrics import ContactPhase
from stiction.plot.phases import COLOURS, runs

FLIGHT, HEEL, FLAT, TOE = ContactPhase


@pytest.fixture
def landed():
    """A brick that flies for two steps and then lies flat for three."""
    force = np.zeros((5, 8, 3))
    force[2:, LOWER, 2] = 5.0
    return recorded(force)


def test_runs_join_equal_phases_and_last_until_the_next():
    time = np.array([0.0, 0.1, 0.2, 0.4, 0.5])
    assert runs(time, np.array([0, 2, 2, 3, 3])) == [
        (0.0, 0.1, FLIGHT),
        (0.1, 0.4, FLAT),
        (0.4, 0.5, TOE),
    ]
    assert runs(time[:2], np.array([1, 1])) == [(0.0, 0.1, HEEL)]


def test_the_chart_has_a_bar_for_each_phase_of_the_motion(landed):
    (panel,) = plot.contact_phases(landed, feet=["brick"]).axes
    spans = [path.get_extents() for bars in panel.collections for path in bars.get_paths()]
    np.testing.assert_allclose([[s.x0, s.x1] for s in spans], [[0, 2 * DT], [2 * DT, 5 * DT]])
    from matplotlib.colors import to_hex

    colours = [to_hex(bars.get_facecolor()[0]).upper() for bars in panel.collections]
    assert colours == [COLOURS[FLIGHT].upper(), COLOURS[FLAT].upper()]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        "heel",
        "flat",
        "toe",
        "flight",
    ]


def test_feet_are_found_by_their_name_and_else_by_what_was_touched(landed):
    (panel,) = plot.contact_phases(landed).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["brick"]
    biped = recorded(np.zeros((2, 8, 3)), world=st.World(st.robots.biped14()))
    (panel,) = plot.contact_phases(biped).axes
    rows = [label.get_text() for label in panel.get_yticklabels()]
    assert rows == ["left foot", "right foot"]
    with pytest.raises(InputError, match="none touched the ground; pass feet= with some of brick"):
        plot.contact_phases(recorded(np.zeros((2, 8, 3))))
    with pytest.raises(InputError, match="without contact"):
        plot.contact_phases(st.simulate(st.World(st.robots.biped14()), contact=None, duration=0.0))


def test_phases_are_an_item_of_the_curves_too(landed):
    panels = landed.plot("contact phases", "energy").axes
    assert len(panels) == 2 and len(panels[0].collections) == 2
