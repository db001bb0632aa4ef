"""Walks side by side."""

import numpy as np
import pytest

import stiction as st
from stiction.plot import compare_walks


@pytest.mark.parametrize("count", [1, 7])
def test_every_motion_has_a_panel_of_forces_and_a_line_in_each_of_the_others(count):
    world = st.World(st.robots.brick())
    floor = st.SpringDamper(stiffness=1e4, damping=100.0)
    motion = st.simulate(world, floor, state=world.standing(), duration=0.03, dt=0.001)
    planned = st.Reference(motion.time, motion.q)
    figure = compare_walks({f"floor {k}": motion for k in range(count)}, planned, "floor 0")
    shown = [panel for panel in figure.axes if panel.get_visible()]
    titles = [panel.get_title() for panel in shown]
    assert titles[12 : 12 + count] == [f"floor {k}, dt 1 ms" for k in range(count)]
    assert [len(panel.lines) for panel in shown[-3:]] == [count + 1, count, count]
    np.testing.assert_allclose(shown[-2].lines[0].get_ydata(), 1e-3)  # no distance: the least shown
