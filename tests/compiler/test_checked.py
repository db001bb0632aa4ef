"""Checked runs find plug-ins that reach outside their arrays, and name the line."""

import inspect
import threading

import numpy as np
import pytest

import out_of_bounds
import stiction as st
from mechanisms import pendulum
from stiction.compiler.checked import checked, interpreted, is_interpreted
from stiction.contact.contact_model import MODELS
from stiction.errors import BoundsError, DivergenceError
from stiction.kernels.vectors import dot

interpreted_only = pytest.mark.interpreted  # they compile what no other test needs

# plug-in, text of its line, what it does wrong
CASES = [
    (out_of_bounds.Beyond(), "store_vector(contact.force, i, (0.0, 0.0, params.stiffness))",
     "index 4 is outside contact.force, which has 4 rows"),
    (out_of_bounds.BeyondByItself(), "contact.force[contact.count[0], 2] = params.stiffness",
     "index 4 is outside contact.force, which has 4 rows"),
    (out_of_bounds.Behind(), "store_vector(contact.force, i, scale(force, vector(contact.norm",
     "contact.normal gets the index -1; give an index from 0"),
    (out_of_bounds.Forgetful(), "memory.trial[contact.point[i], 1] = 1.0",
     "index 1 is outside memory.trial, which has 1 columns"),
    (out_of_bounds.Divides(), "store_vector(contact.force, i, (0.0, 0.0, 1.0 / float(params.stiff",
     "float division by zero"),
]  # fmt: skip


def line_of(source):
    lines = inspect.getsource(out_of_bounds).splitlines()
    (found,) = [k + 1 for k, line in enumerate(lines) if line.strip().startswith(source)][:1]
    return found


def resting(model, **options):
    world = st.World(st.robots.brick())
    state = world.standing(above=-1e-3)
    return st.simulate(world, model, duration=3e-4, dt=1e-4, state=state, **options)


@pytest.mark.parametrize(("model", "source", "words"), CASES, ids=lambda case: type(case).__name__)
def test_the_line_of_a_wrong_index_is_named(model, source, words):
    with pytest.raises(BoundsError) as caught:
        resting(model, checked=True)
    first, second = str(caught.value).splitlines()
    assert words in first
    assert f"out_of_bounds.py:{line_of(source)}, " in first
    assert second.strip().startswith(source)


@pytest.mark.parametrize("model", [case[0] for case in CASES[:4]], ids=lambda x: type(x).__name__)
def test_promises_are_not_checked_on_a_model_with_wrong_indices(model):
    with pytest.raises(BoundsError, match=r"out_of_bounds\.py:\d+, "):
        st.check_promises(model, brief=True)


def test_a_helper_of_the_plug_in_and_the_plug_in_are_told_by_their_roles():
    with pytest.raises(BoundsError, match="function 'push'"):
        resting(out_of_bounds.Behind(), checked=True)
    with pytest.raises(BoundsError, match="contact model 'beyond'"):
        resting(out_of_bounds.Beyond(), checked=True)


def test_controllers_are_checked():
    world = st.World(pendulum(), ground=None)
    options = {"duration": 0.002, "controller": out_of_bounds.Pulls()}
    with pytest.raises(
        BoundsError, match="controller 'pulls': index 1 is outside dynamics.control"
    ):
        st.simulate(world, None, checked=True, **options)


@interpreted_only
@pytest.mark.parametrize("model", [st.SpringDamper(), st.Coulomb(), st.Bilateral()])
def test_a_checked_run_gives_the_same_motion(model):
    plain, careful = resting(model), resting(model, checked=True)
    np.testing.assert_allclose(careful.q, plain.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(careful.force[:-1], plain.force[:-1], rtol=1e-6, atol=1e-6)


@interpreted_only
def test_every_model_stays_within_the_rows_in_use():
    world = st.World(st.robots.biped10())
    landing = world.standing(above=0.002)
    landing.v[2] = -1.0
    for kind in (k for k in MODELS if k.__module__.startswith("stiction.contact.")):
        motion = st.simulate(world, kind(), duration=3e-3, state=landing, checked=True)
        assert len(motion) == 4


@interpreted_only
def test_a_simulation_can_be_checked_and_go_on_unchecked():
    world = st.World(pendulum(), ground=None)
    one, other = (st.Simulation(world, contact=None, state=st.State([0.3], [1.0])) for _ in "ab")
    one.checked = True
    one.step(n=3)
    one.checked = False
    one.step(n=3)
    other.step(n=6)
    np.testing.assert_allclose(one.state.q, other.state.q, rtol=0, atol=1e-14)


@interpreted_only
def test_errors_that_are_not_the_users_stay_what_they_are():
    world = st.World(pendulum(), ground=None)
    with pytest.raises(DivergenceError):
        st.simulate(world, None, duration=0.01, controller=st.Torques([1e12]), checked=True)


def test_arrays_are_named_after_the_tuple_that_holds_them():
    point = checked(st.Simulation(st.World(pendulum()), contact=None)._system)
    assert point.dynamics.origin.name == "dynamics.origin"
    assert point.dynamics.origin[0].name == "dynamics.origin"
    with pytest.raises(IndexError, match="index 9 is outside an array, which has 3 entries"):
        checked(np.zeros(3))[9]


def test_interpreted_code_is_that_of_one_thread():
    seen = []
    with interpreted():
        assert is_interpreted() and dot((1.0, 2.0, 3.0), (1.0, 1.0, 1.0)) == 6.0
        thread = threading.Thread(target=lambda: seen.append(is_interpreted()))
        thread.start()
        thread.join()
    assert seen == [False] and not is_interpreted()
