"""A saved state comes back from its file bit for bit, and no other file is taken for one."""

import io
from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, pendulum
from stiction.errors import InputError
from stiction.simulation.saved_state import SavedState, read_state, write_state

pytestmark = pytest.mark.interpreted


def falling(dt=0.001, **options):
    world = st.World(chain(3, friction=0.2, lower=-1.0, upper=1.0), ground=None)
    state = st.State([0.5, -0.5, 0.9], [4.0, -6.0, 8.0])
    return st.Simulation(world, contact=None, dt=dt, state=state, **options)


def two_boxes():
    """One box on another, touching."""
    box = st.robots.box((0.1, 0.1, 0.1), 1.0)
    boxes = [box.at((0.0, 0.0, z)).named(f"b{z}") for z in (0.0499, 0.1497)]
    return st.Simulation(st.World(*boxes), st.ImplicitSpringDamper(), dt=2e-4)


def entries(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def test_a_state_from_a_file_continues_bitwise(tmp_path):
    simulation, other = falling(), falling()
    simulation.step(n=7)
    simulation.save_state().save(tmp_path / "a.npz")
    simulation.step(n=5)
    other.restore_state(SavedState.load(tmp_path / "a.npz"))
    other.step(n=5)
    np.testing.assert_array_equal(other.state.q, simulation.state.q)
    np.testing.assert_array_equal(other.state.v, simulation.state.v)
    assert other.time == simulation.time
    assert other.unsolved == simulation.unsolved


def driven():
    """A chain whose joints rub and reverse, on servos that are too weak."""
    world = st.World(chain(3, friction=0.2, damping=0.37), ground=None)
    names = tuple(world.dof_name(d) for d in range(3))
    reference = st.Reference((0.0, 1.0), np.full((2, 3), 0.4), joints=names)
    servos = st.PDTracking(reference, 50.0, 1.0, limits=2.0)
    state = st.State([0.5, -0.5, 0.9], [1.0, -2.0, 3.0])
    return st.Simulation(world, contact=None, dt=0.01, state=state, controller=servos)


def test_every_step_continues_bitwise_whatever_was_simulated_before():
    simulation, other = driven(), driven()
    dynamics = other._system.dynamics
    left = [array for array in dynamics if isinstance(array, np.ndarray) and array.shape == (3,)]
    for k in range(60):
        saved = simulation.save_state()
        simulation.step()
        for array in left:
            array[:] = k % 3 - 1 if array.dtype == np.int64 else 0.7 * k
        other.torque = np.zeros(3)
        other.restore_state(saved)
        other.step()
        np.testing.assert_array_equal(other.state.v, simulation.state.v)


CART = """<mujoco><worldbody><body><joint name='slide' type='slide' axis='1 0 0' damping='1'/>
<geom type='sphere' size='0.1' mass='1'/></body></worldbody>
<actuator><position name='servo' joint='slide' kp='100' ctrlrange='-1 1'/></actuator></mujoco>"""


def forces(simulation):
    return np.array([3.0 * np.cos(40.0 * simulation.time) - simulation.q[0]])


def set_points(simulation):
    return {"servo": 0.5 * np.sin(40.0 * simulation.time) - 0.1 * simulation.q[0]}


@pytest.mark.parametrize("answer", [forces, set_points])
@pytest.mark.parametrize(("rate", "delay"), [(None, 0.0), (100, 0.0), (100, 0.003), (200, 0.017)])
def test_controllers_in_python_continue_bitwise(answer, rate, delay, tmp_path):
    """Their answers are held until the next one, and wait for their delay."""
    file = tmp_path / "cart.xml"
    file.write_text(CART)
    world, python = st.World(st.load(file), ground=None), st.PythonController(answer, rate, delay)
    whole = st.Simulation(world, None, controller=python, record=True)
    whole.step(n=80)
    for steps in (20, 33, 41):
        first = st.Simulation(world, None, controller=python)
        first.step(n=steps)
        first.save_state().save(tmp_path / "state.npz")
        second = st.Simulation(world, None, controller=python)
        second.step(n=7)
        second.restore_state(SavedState.load(tmp_path / "state.npz"))
        second.step(n=80 - steps)
        assert second.q[0] == whole.q[0] and second.v[0] == whole.v[0]


def test_bodies_in_contact_continue_bitwise_from_a_file(tmp_path):
    simulation, other = two_boxes(), two_boxes()
    simulation.step(n=3)
    assert len(simulation.contacts) > 4  # with the ground and with each other
    simulation.save_state().save(tmp_path / "a.npz")
    simulation.step(n=2)
    other.restore_state(SavedState.load(tmp_path / "a.npz"))
    other.step(n=2)
    np.testing.assert_array_equal(other.state.v, simulation.state.v)


def test_further_arrays_come_back_beside_the_state(tmp_path):
    write_state(tmp_path / "a", falling().save_state(), {"sum": np.array([1.5, 2.5])})
    saved, more = read_state(tmp_path / "a")
    np.testing.assert_array_equal(more["sum"], [1.5, 2.5])
    assert saved.of["dt"] == 0.001


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", np.array(1)),
        ("format", np.array([1])),
        ("steps", np.array(1.5)),
        ("start", np.array("now")),
        ("world", np.array(1)),
        ("q", None),
        ("memory_0", None),
        ("other", np.zeros(3)),
    ],
)
def test_a_file_with_other_entries_is_refused(name, value, tmp_path):
    path = tmp_path / "a.npz"
    falling().save_state().save(path)
    changed = {key: one for key, one in {**entries(path), name: value}.items() if one is not None}
    np.savez(path, **changed)
    with pytest.raises(InputError, match=r"a\.npz: not a saved state, or damaged"):
        SavedState.load(path)


def test_pickles_text_and_damage_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    falling().save_state().save(path)
    whole = path.read_bytes()
    pickled = io.BytesIO()
    np.savez(pickled, **entries(path) | {"q": np.array([object()])})
    files = [b"", b"text", whole[:-30], whole[: len(whole) // 2], pickled.getvalue()]
    for data in files:
        path.write_bytes(data)
        with pytest.raises(InputError, match="not a saved state, or damaged"):
            SavedState.load(path)
    for wrong in (tmp_path, tmp_path / "none", 3, None):
        with pytest.raises(InputError):
            SavedState.load(wrong)


def test_no_flipped_byte_changes_anything_unnoticed(tmp_path):
    path, simulation = tmp_path / "a.npz", falling()
    simulation.step(n=3)
    saved = simulation.save_state()
    saved.save(path)
    whole, refused = path.read_bytes(), 0
    for k in range(0, len(whole), 11):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 16]) + whole[k + 1 :])
        try:
            found = SavedState.load(path)
        except InputError:
            refused += 1
            continue
        assert found.of == saved.of and found.steps == saved.steps  # only a date was changed
        for name in ("q", "v", "mode", "last_acceleration", "inverse_D"):
            np.testing.assert_array_equal(getattr(found, name), getattr(saved, name))
    assert refused > len(whole) / 11 / 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": np.full(3, np.nan)}, "'q' is not finite"),
        ({"mode": np.array([0, 9, 0])}, "unknown mode"),
        ({"mode": np.zeros(3)}, "'mode' does not have the size and type"),
        ({"steps": 5}, "5 steps after"),
        ({"steps": -1}, "-1 steps after"),
        ({"start": np.inf}, "0 steps after t = inf"),
        ({"report": ()}, "its report does not have"),
    ],
)
def test_values_that_no_simulation_reaches_are_refused(change, words):
    simulation = falling()
    with pytest.raises(InputError, match=words):
        simulation.restore_state(replace(simulation.save_state(), **change))


def test_a_quaternion_that_is_none_is_refused():
    simulation = st.Simulation(st.World(st.robots.ball(), ground=None), contact=None)
    saved = simulation.save_state()
    saved.q[3:7] = 0.0
    with pytest.raises(InputError, match="has length 0; give a unit quaternion"):
        simulation.restore_state(saved)


@pytest.mark.parametrize("k", range(4))
def test_near_pairs_that_cannot_be_are_refused(k):
    """Compiled code uses them as indices."""
    simulation = two_boxes()
    simulation.step()
    saved = simulation.save_state()
    count, taken, first, second = saved.memory[4:8]
    assert count[0] == 1
    (count, taken, first, second)[k][0] = 10**6
    with pytest.raises(InputError, match="its pairs of near shapes are impossible"):
        simulation.restore_state(saved)


def test_the_digest_tells_simulations_apart():
    world = st.World(pendulum(), ground=None)
    reference = st.Reference([0.0, 1.0], [[0.1], [0.2]])
    options = [
        {},
        {"dt": 0.002},
        {"integrator": st.Leapfrog()},
        {"controller": st.PDTracking(reference, 1.0, 1.0)},
        {"controller": st.PDTracking(reference, 2.0, 1.0)},
        {"method": st.JointSpace()},
    ]
    digests = [st.Simulation(world, contact=None, **one).digest() for one in options]
    assert len({*digests}) == len(options)
    assert st.Simulation(world, contact=None).digest() == digests[0]
