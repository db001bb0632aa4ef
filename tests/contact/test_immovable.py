"""Links that touch but cannot part: bolted, welded, or on hinges along the normal."""

import numpy as np
import pytest

import stiction as st
from linkages import mjcf, robot_of

pytestmark = pytest.mark.interpreted

SOLVERS = [st.Coulomb(), st.GaussSeidel(), st.FacetedLCP()]
PLATES = """
<body name="base" pos="0 0 .3"><freejoint/><geom type="box" size=".2 .2 .1" mass="2"/>
  <body name="middle" pos=".03 .02 0"><joint axis="0 0 1"/>
    <inertial pos="0 0 0" mass=".1" diaginertia=".001 .001 .001"/>
    <body name="top" pos=".01 0 {height}"><joint axis="0 0 1"/>
      <geom type="box" size=".1 .1 .05" mass="1"/></body></body></body>
"""


def names(model):
    return type(model).__name__


@pytest.mark.parametrize("gap", [0.0, -1e-7, 1e-6])
@pytest.mark.parametrize("model", SOLVERS, ids=names)
def test_a_plate_that_turns_on_another_is_not_pressed_by_rounding(model, gap):
    world = st.World(robot_of(mjcf(PLATES.format(height=0.15 + gap))), self_collision=True)
    state = st.State(world.home().q, np.array([0.1, 0.2, 0.0, 0.3, 0.5, 2.0, 0.0, 3.0]))
    motion = st.simulate(world, model, duration=0.006, dt=0.002, state=state)
    assert motion.unsolved.count == 0
    assert np.nanmax(np.abs(motion.force_between("top", "base"))) == 0
    assert abs(motion.v[-1, 2] + 9.81 * 0.006) < 1e-3  # it falls as one


@pytest.mark.parametrize("apart", [0.2, 0.15], ids=["flush", "overlapping"])
@pytest.mark.parametrize("model", SOLVERS, ids=names)
def test_boxes_that_are_welded_to_each_other_rest_on_the_ground(model, apart):
    geom = '<freejoint/><geom type="box" size=".1 .1 .1" mass="1"/>'
    boxes = "".join(
        f'<body name="{name}" pos="{x} 0 .1">{geom}</body>' for name, x in (("a", 0), ("b", apart))
    )
    world = st.World(robot_of(mjcf(boxes, '<weld body1="a" body2="b"/>')))
    motion = st.simulate(world, model, duration=0.03, dt=0.003)
    assert motion.unsolved.count == 0
    assert np.abs(motion.v[-1]).max() < 1e-9
    assert motion.force[-2].sum(axis=0)[2] == pytest.approx(2 * 9.81, rel=1e-6)


@pytest.mark.parametrize("model", SOLVERS, ids=names)
def test_what_a_weld_holds_inside_scenery_bears_what_is_put_on_it(model):
    wall = '<geom type="box" size=".2 .2 .2" pos="0 0 .5"/>'
    geom = '<freejoint/><geom type="box" size=".1 .1 .1" mass="1"/>'
    boxes = (("a", 0.25, 0.75), ("b", 0.25, 0.95))
    bodies = "".join(f'<body name="{n}" pos="{x} 0 {z}">{geom}</body>' for n, x, z in boxes)
    world = st.World(robot_of(mjcf(wall + bodies, '<weld body1="a"/>')), ground=None)
    motion = st.simulate(world, model, duration=0.03, dt=0.003)
    assert motion.unsolved.count == 0
    np.testing.assert_allclose(motion.q[-1], world.home().q, atol=1e-9)
    assert np.abs(motion.v).max() < 1e-6  # sweeps leave 1e-5 of the speed that gravity adds
