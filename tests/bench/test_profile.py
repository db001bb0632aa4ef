"""The parts of a step are timed, and the step is not changed by it."""

import numpy as np
import pytest

import stiction as st
from stiction.bench import profile


@pytest.mark.interpreted
def test_the_parts_of_a_step_are_timed_on_a_robot_that_goes_on_as_it_was(monkeypatch):
    monkeypatch.setattr(profile, "COUNT", 3)
    monkeypatch.setattr(profile, "REPEATS", 1)
    world = st.World(st.robots.box())
    floor = st.SpringDamper(stiffness=1e4, damping=100.0)
    state = world.standing(above=-0.001)
    timed, other = (st.Simulation(world, floor, state=state) for _ in range(2))
    times = profile.profile_step(timed)
    assert set(times) == {*profile.PARTS, "whole step"}
    assert {part for part, time in times.items() if time is None} == {*profile.OF_SOLVERS}
    other.step(n=3)
    for simulation in (timed, other):
        simulation.step(n=5)
    np.testing.assert_array_equal(timed.state.q, other.state.q)
