"""Parts of a step with impacts: what comes after what, and that they add up to the step."""

import math

import pytest

import stiction as st
from stiction.contact.surface import APPROACH, IMPACT, WHOLE
from stiction.simulation.simulation import Simulation
from stiction.step.impacts import (
    DONE,
    MOMENT,
    MOST,
    Part,
    finish_part,
    is_interrupted,
    next_part,
    part_before_impact,
    whole_step,
)

DT = 0.01


@pytest.fixture
def system():
    world = st.World(st.robots.ball())
    return Simulation(world, st.Coulomb(restitution=0.5), DT, world.standing(above=0.1))._system


def test_a_step_without_impact_is_one_part(system):
    part = whole_step(system, 2.0, DT)
    assert (part.phase, part.time, part.dt, part.left) == (WHOLE, 2.0, DT, DT)
    assert not is_interrupted(system, part)
    assert next_part(part, DT).phase == DONE


def test_the_parts_around_an_impact_add_up_to_the_step(system):
    """Up to the impact, the impact, which takes no time to speak of, and the rest."""
    part = whole_step(system, 2.0, DT)
    system.surface.impact.earliest[0] = 0.3 * DT
    assert is_interrupted(system, part)
    approach = part_before_impact(system, part, DT)
    impact = next_part(approach, DT)
    rest = next_part(impact, DT)
    assert [one.phase for one in (approach, impact, rest)] == [APPROACH, IMPACT, WHOLE]
    assert math.isclose(approach.dt, 0.3 * DT) and math.isclose(impact.dt, MOMENT * DT)
    assert math.isclose(impact.time, 2.0 + 0.3 * DT)
    assert math.isclose(approach.dt + impact.dt + rest.dt, DT)
    assert [one.impacts for one in (approach, impact, rest)] == [1, 1, 1]


def test_an_impact_at_once_needs_no_approach(system):
    part = whole_step(system, 0.0, DT)
    system.surface.impact.earliest[0] = 0.0
    assert part_before_impact(system, part, DT).phase == IMPACT


def test_after_many_impacts_the_rest_is_taken_as_a_whole(system):
    part = whole_step(system, 0.0, DT)._replace(impacts=MOST)
    system.surface.impact.earliest[0] = 0.3 * DT
    assert not is_interrupted(system, part)


def test_nothing_is_interrupted_twice_on_the_way_to_an_impact(system):
    part = whole_step(system, 0.0, DT)._replace(phase=APPROACH)
    system.surface.impact.earliest[0] = 0.1 * DT
    assert not is_interrupted(system, part)


@pytest.mark.interpreted
@pytest.mark.parametrize(("share", "kept"), [(1e-5, False), (0.5, True)])
def test_accelerations_of_a_short_part_do_not_last(share, kept):
    """They are those of impulses: extrapolated over a step, they threw a robot at 600 rad/s."""
    world = st.World(st.robots.biped10())
    simulation = st.Simulation(world, st.Coulomb(), state=world.standing())
    simulation.step()
    system, state, work = simulation._system, simulation._state, simulation._work
    before = system.dynamics.last_acceleration.copy()
    system.dynamics.acceleration[:] = 1e7
    part = Part(APPROACH, 0.0, share * simulation.dt, simulation.dt, 1)
    finish_part(system, state, work, part, simulation.dt)
    last = system.dynamics.last_acceleration
    assert (last == (1e7 if kept else before)).all()
