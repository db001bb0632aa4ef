"""Tables and short texts of robots, worlds and motions."""

import pytest

import stiction as st
from drawn import fallen_brick
from stiction.viewer.legend import legend_lines
from stiction.visual.colours import LEGEND, hexadecimal
from stiction.visual.frames import Film


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


def test_the_legend_explains_every_colour():
    film = Film(fallen_brick(), [0])
    lines = legend_lines(
        [film], ("forces", "points", "cones", "pressure", "zmp", "polygon", "trail")
    )
    for entry in LEGEND.values():
        assert entry.words in lines and hexadecimal(entry.colour) in lines
    assert "1 cm is" in lines
