"""Tables and short texts of robots, worlds and motions."""

import pytest

import stiction as st
from drawn import fallen_brick
from stiction.viewer.legend import legend_lines
from stiction.visual.colours import LEGEND, TRANSITIONS, hexadecimal
from stiction.visual.frames import Film

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    "made, named",
    [
        (st.robots.hoap1, "hoap1"),
        (lambda: st.World(st.robots.hoap1(), scenery=st.robots.stairs()), "stairs"),
        (fallen_brick, "Coulomb"),
    ],
)
def test_texts_are_short_and_tables_have_a_picture(made, named):
    value = made()
    assert named in repr(value)
    assert len(repr(value).splitlines()) <= 5
    table = value._repr_html_()
    assert table.startswith("<table>") and named in table
    assert "data:image/png;base64," in table


MARKS = ("forces", "points", "cones", "pressure", "zmp", "polygon", "trail")


@pytest.mark.parametrize("model, hidden", [("Coulomb", TRANSITIONS), ("Distributed", ())])
def test_the_legend_explains_every_colour_that_a_model_has(model, hidden):
    motion = fallen_brick().with_parameters({"contact": {"model": model}, "dt": 0.02})
    lines = legend_lines([Film(motion, [0])], MARKS)
    for name, entry in LEGEND.items():
        assert (entry.words in lines) == (name not in hidden)
        assert hexadecimal(entry.colour) in lines or name in hidden
    assert "1 cm is" in lines
