"""A verdict sees what the ground did: energy, planned contact that was lost, depth."""

import numpy as np
import pytest

import stiction as st
from stiction.scenes import Limits, verdict
from stiction.scenes.planned import Planned
from stiction.scenes.verdict import energy_given, lost_contact

DT = 0.01
WEIGHT = 0.5 * 9.81  # of the ball [N]


def ball(forces, velocities, depth=0.0, ground=None, **parameters):
    """A ball at rest in space but for its recorded velocity, with contact forces on its place."""
    world = st.World(st.robots.ball(), ground=ground or st.Plane())
    n = len(forces) + 1
    q, v = np.tile(world.standing().q, (n, 1)), np.zeros((n, world.nv))
    v[:, :3] = velocities
    force = np.full((n, 1, 3), np.nan)
    force[:-1, 0] = forces
    nothing = np.zeros((n, world.nv))
    told = {"dt": DT, "integrator": "SemiImplicitEuler", **parameters}
    return st.Motion(
        world,
        np.arange(n) * DT,
        q,
        v,
        nothing,
        nothing,
        force,
        np.full((n, 1), depth),
        np.zeros((n, 1, 3)),
        parameters=told,
    )


def up(*newtons):
    return [(0.0, 0.0, f) for f in newtons]


def planned(shares):
    """A plan that lets the ball carry these shares of its weight, every 10 ms."""
    n = len(shares)
    time, nothing = np.arange(n) * DT, np.zeros((n, 0))
    home = st.robots.ball().home
    return Planned(
        (), time, nothing, nothing, home, lambda *_: (), None, ("ball",), np.array(shares)[:, None]
    )


def test_energy_is_counted_net_from_the_beginning():
    rising = (0.0, 0.0, 0.1)
    one = 10.0 * 0.1 * DT  # force times way
    assert energy_given(ball(up(10, 10, 10), rising)) == pytest.approx(3 * one, rel=1e-12)
    assert energy_given(ball(up(-20, 10, 10), rising)) == pytest.approx(0.0, abs=1e-15)
    assert energy_given(ball(up(-10, 10, 10), rising)) == pytest.approx(one, rel=1e-12)
    assert energy_given(ball(up(10, -30, 10), rising)) == pytest.approx(one, rel=1e-12)


def test_a_belt_that_carries_a_point_along_gives_nothing():
    with_belt = st.Plane(velocity=(1.0, 0.0, 0.0))
    driven = ball([(2.0, 0.0, 0.0)] * 3, (1.0, 0.0, 0.0), ground=with_belt)
    assert energy_given(driven) == pytest.approx(0.0, abs=1e-15)
    assert energy_given(ball([(2.0, 0.0, 0.0)] * 3, (1.0, 0.0, 0.0))) == pytest.approx(0.06)


def test_energy_is_not_known_where_steps_were_left_out():
    assert np.isnan(energy_given(ball(up(10), (0.0, 0.0, 0.1), **{"record every": 2})))


def test_planned_contact_is_lost_where_a_foot_carries_nothing():
    motion = ball(up(WEIGHT, 0, 0, WEIGHT, 0), 0.0)
    assert lost_contact(motion, 0, planned([1, 1, 1, 1, 1, 1])) == pytest.approx(3 / 5)
    assert lost_contact(motion, 0, planned([1, 0, 0, 1, 0.04, 1])) == 0.0  # 0.04 need not carry
    assert lost_contact(motion, 0, planned([1, 0.06, 0, 1, 0, 1])) == pytest.approx(1 / 3)
    assert np.isnan(lost_contact(motion, 0, None))


def test_a_robot_that_was_given_no_time_has_not_fallen():
    assert verdict(ball(np.zeros((0, 3)), 0.0)).words == "upright"
    assert verdict(ball(up(0.0), 0.0)).words == "falls"


def test_what_the_ground_must_not_do_is_a_fault_with_numbers():
    carried = up(*[WEIGHT] * 10)
    good = verdict(ball(carried, 0.0), plan=planned(np.ones(11)))
    assert good.faults == () and good.meets("upright")
    thrown = verdict(ball(carried, (0.0, 0.0, 0.1)))
    given = 10 * WEIGHT * 0.1 * DT
    limit = 0.01 * WEIGHT * 0.05  # a hundredth of its weight times its radius
    assert thrown.energy == pytest.approx(given, rel=1e-12)
    assert thrown.faults == (f"contact added {given:.3g} J to the robots, limit {limit:.3g} J",)
    assert thrown.upright and not thrown.meets("upright")
    deep = verdict(ball(carried, 0.0, depth=0.003))
    assert deep.faults == ("a point penetrated the ground by 3 mm, limit 2.5 mm",)
    off = verdict(ball(up(*[WEIGHT, 0.0] * 5), 0.0), plan=planned(np.ones(11)))
    assert off.faults == (
        "a foot planned to bear load was off the ground for 50 % of the time, limit 10 %",
    )


def test_a_scene_may_have_limits_of_its_own():
    motion = ball(up(*[WEIGHT] * 10), 0.0, depth=0.003)
    assert verdict(motion, limits=Limits(depth=0.07, reason="soft ground")).faults == ()
