"""Every wrong argument of the public API is a clear error, or does no harm."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import stiction as st
from arguments import WRONG, calls, outcome
from stiction.errors import InputError, StictionError
from stiction.scenes import Body

pytestmark = pytest.mark.interpreted

# with 1e9: allowed, and long
LONG = {("simulate_batch", "duration"), ("Simulation.step", "n"), ("Simulation.run", "duration")}
EVERY = [(name, argument) for name, call in calls().items() for argument in call.good]
PLANNED = [case for case in EVERY if case[0].startswith("patterns")]  # slow in plain Python
CASES = [case for case in EVERY if case not in PLANNED]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Where a file may be saved: "text" is a good name of one."""
    monkeypatch.chdir(tmp_path)


def wrong_for(name, argument):
    return [kind for kind in WRONG if kind != "1e9" or (name, argument) not in LONG]


@given(some.data())
@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_a_wrong_value_is_a_clear_error_or_does_no_harm(data):
    name, argument = data.draw(some.sampled_from(CASES))
    kind = data.draw(some.sampled_from(wrong_for(name, argument)))
    error = outcome(calls()[name], argument, WRONG[kind])
    assert error is None or isinstance(error, StictionError), (name, argument, kind)
    assert error is None or len(str(error)) > 15, (name, argument, kind)


@pytest.mark.slow
def test_every_wrong_value_is_a_clear_error_or_does_no_harm():
    """More than 7500 calls: a few minutes."""
    foreign, tried = [], 0
    for name, argument in CASES:
        for kind in wrong_for(name, argument):
            tried += 1
            error = outcome(calls()[name], argument, WRONG[kind])
            if error is not None and not isinstance(error, StictionError):
                foreign.append((name, argument, kind, repr(error)))
    assert foreign == []
    assert tried > 7500


@pytest.mark.slow
@pytest.mark.jit
def test_every_wrong_value_for_a_planned_motion_is_a_clear_error_or_does_no_harm():
    for name, argument in PLANNED:
        for kind in wrong_for(name, argument):
            error = outcome(calls()[name], argument, WRONG[kind])
            assert error is None or isinstance(error, StictionError), (name, argument, kind)


# ----------------------------------------------------------------- what once crashed or was ignored


def saved(world=None, **options):
    simulation = st.Simulation(world or st.World(st.robots.ball()), contact=None, **options)
    return simulation, simulation.save_state()


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"dt": 0.002}, "dt"),
        ({"world": st.World(st.robots.ball(mass=2.0))}, "world"),
        ({"world": st.World(st.robots.ball(), gravity=(0, 0, -1.6))}, "world"),
    ],
)
def test_the_state_of_another_simulation_is_not_restored(other, words):
    simulation, _ = saved()
    _, foreign = saved(**other)
    with pytest.raises(InputError, match=f"saved under a different {words}"):
        simulation.restore_state(foreign)


def test_the_state_of_another_contact_model_is_not_restored():
    world = st.World(st.robots.ball())
    one, other = (st.Simulation(world, st.Coulomb(mu, mu)) for mu in (0.5, 0.8))
    with pytest.raises(InputError, match="saved under a different contact model"):
        other.restore_state(one.save_state())


def test_a_zero_quaternion_has_no_mechanics():
    world = st.World(st.robots.ball())
    q = world.home().q
    q[3:7] = 0.0
    for compute in (st.mechanics.inertia, st.mechanics.centre_of_mass):
        with pytest.raises(InputError, match="has length 0; give a unit quaternion"):
            compute(world, q)


@pytest.mark.parametrize("legs", [((), ()), (("left_knee_pitch",), ()), (), ("left", "right")])
def test_balance_needs_legs(legs):
    table = np.zeros((2, 2))
    feedback = st.BalanceFeedback([0.0, 1.0], table, table + 0.5, table, legs, 0.3)
    with pytest.raises(InputError, match="BalanceFeedback: legs is"):
        feedback.bind(st.World(st.robots.hoap1()))


def test_the_base_of_a_built_in_robot_is_not_ignored():
    body = Body(model="hoap1", base="fixed")
    with pytest.raises(InputError, match="hoap1 is built in, and base='fixed' is only for files"):
        body.robot()
    with pytest.raises(InputError, match="give exactly one of model, file and data"):
        dataclasses.replace(body, model=None)


@pytest.mark.parametrize("count", [10_001, 100_000, 10**9])
def test_stairs_have_a_bound(count):
    with pytest.raises(InputError, match="Steps: count is .*at most 10000"):
        st.Steps(count=count)


@pytest.mark.parametrize("steps", [1, 2001, 10**7, 10**400, "many", None])
def test_walks_have_a_bound(steps):
    with pytest.raises(InputError, match="walk: steps is .*; give an integer from 2 to 2000"):
        st.patterns.walk(st.robots.hoap1(), steps=steps)


@pytest.mark.parametrize("time", [1e6, 1e308, "slow", [1.0, 2.0]])
def test_planned_motions_have_a_bound(time):
    with pytest.raises(InputError):
        st.patterns.squat(st.robots.hoap1(), time=time)


def test_recorded_motions_have_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr("stiction.patterns.recorded.MOST_ROWS", 1000)
    path = tmp_path / "long.mot"
    rows = "\n".join(f"{0.01 * k:.2f} 0.1" for k in range(1001))
    path.write_text(f"inDegrees=no\nendheader\ntime knee_angle_r\n{rows}\n")
    with pytest.raises(StictionError, match="long.mot: has more than 1000 rows"):
        st.patterns.read_opensim(path)
