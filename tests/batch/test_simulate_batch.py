"""Many worlds at once: equal to single runs, bit by bit, and what may differ between worlds."""

import numpy as np
import pytest

import stiction as st
from contact.problems import plate, thrown
from mechanisms import chain, fewer
from stiction.errors import InputError, StabilityWarning

DT = 1e-3
MODELS = [
    None,
    st.ImplicitSpringDamper(stiffness=2e4, damping=100.0),
    st.Coulomb(),
    st.Distributed(damping=200.0, tangential_damping=100.0),
    pytest.param(st.Feedback(), marks=pytest.mark.interpreted),
]


def landings(world, worlds, seed=1):
    """States in which a robot is about to land, all different."""
    rng = np.random.default_rng(seed)
    return [thrown(world, rng, tilt=0.3, speed=0.5, sinking=1.0, spin=2.0) for _ in range(worlds)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_batch_is_equal_to_single_runs_bit_by_bit(model):
    world, steps, worlds = st.World(plate(4)), fewer(50, 3), fewer(8, 3)
    states = landings(world, worlds)
    keep = st.BatchRecording(("q", "v", "force", "depth", "slip", "torque", "solver"))
    batch = st.simulate_batch(
        world, worlds, model, states=states, duration=steps * DT, dt=DT, threads=3, record=keep
    )
    assert batch.well.all() and (batch.steps == steps).all()
    for k, state in enumerate(states):
        alone = st.simulate(world, model, duration=steps * DT, dt=DT, state=state)
        assert (batch.q[k] == alone.q[-1]).all() and (batch.v[k] == alone.v[-1]).all()
        for name, kept in batch.record.items():
            assert (kept[k] == getattr(alone, name)[:-1]).all(), name


def test_results_do_not_depend_on_the_number_of_threads():
    world, worlds = st.World(plate(4)), fewer(16, 3)
    states = landings(world, worlds)
    ends = [
        st.simulate_batch(
            world, worlds, st.Coulomb(), states=states, duration=fewer(30, 2) * DT, threads=threads
        ).q
        for threads in (1, 2, 5)
    ]
    assert (ends[0] == ends[1]).all() and (ends[0] == ends[2]).all()


def test_parameters_differ_between_worlds():
    """Bricks that slide stop after v^2 / (2 mu g), each with its own friction."""
    world, mu = st.World(st.robots.brick()), np.linspace(0.2, 0.8, fewer(7, 2))
    state = world.standing()
    state.v[0] = 0.5
    same = {"mu_static": mu, "mu_kinetic": mu}
    batch = st.simulate_batch(
        world, len(mu), st.Coulomb(), states=state, parameters=same, duration=fewer(300, 2) * DT
    )
    for k, one in enumerate(mu):
        alone = st.simulate(
            world, st.Coulomb(one, one), duration=fewer(300, 2) * DT, dt=DT, state=state
        )
        assert (batch.q[k] == alone.q[-1]).all()
    assert (np.diff(batch.q[:, 0]) < 0).all()


def test_materials_of_the_world_win_over_parameters_of_the_batch():
    ice = {("ground", "default"): {"mu_kinetic": 0.1, "mu_static": 0.1}}
    world = st.World(st.robots.brick(), materials=ice)
    state = world.standing()
    state.v[0] = 0.5
    batch = st.simulate_batch(
        world, 2, st.Coulomb(), states=state, parameters={"mu_static": [0.5, 0.9]}, duration=2 * DT
    )
    assert (batch.q[0] == batch.q[1]).all()
    assert any("materials" in note for note in batch.notes)


@pytest.mark.interpreted
def test_control_torques_and_pushes_differ_between_worlds():
    world, steps = st.World(st.robots.biped10()), fewer(20, 2)
    home = world.home().q
    controls, pushes = [], []
    for k in range(3):
        pose = home.copy()
        pose[-1] += 0.1 * k
        controls.append(st.PDTracking(st.Reference([0.0, 1.0], [pose] * 2), 100.0, 2.0))
        pushes.append([st.Push("trunk", (0, 0, 0), (10.0 * k, 0, 0), 0.0, 1.0)])
    torque = np.zeros((3, world.nv))
    torque[:, -2] = [0.0, 1.0, 2.0]
    model = st.ImplicitSpringDamper(stiffness=2e4, damping=100.0)
    batch = st.BatchSimulation(
        world, 3, model, controls=controls, forces=pushes, torque=torque, states=world.standing()
    )
    batch.step(steps)
    for k in range(3):
        alone = st.Simulation(
            world, model, DT, world.standing(), controller=controls[k], forces=pushes[k]
        )
        alone.step(torque[k], steps)
        assert (batch.q[k] == alone.state.q).all() and (batch.v[k] == alone.state.v).all()


def test_a_world_that_diverges_is_marked_and_does_not_stop_the_others():
    world = st.World(st.robots.ball())
    states = [world.standing(above=1.0) for _ in range(3)]
    forces = [[st.Push("ball", (0, 0, 0), (0, 0, f), 0.0, 1.0)] for f in (0.0, 1e12, 0.0)]
    keep = st.BatchRecording(("q",))
    batch = st.simulate_batch(
        world, 3, None, states=states, forces=forces, duration=5 * DT, record=keep
    )
    assert batch.status.tolist() == ["well", "diverged", "well"]
    assert batch.steps.tolist() == [5, 1, 5]
    assert np.isnan(batch.record["q"][1, 1:]).all() and np.isfinite(batch.record["q"][0]).all()


def test_chosen_worlds_can_be_reset_without_a_past():
    world = st.World(plate(4))
    states = landings(world, 4)
    batch = st.BatchSimulation(world, 4, st.Coulomb(), states=states)
    batch.step(fewer(20, 2))
    before = batch.q
    batch.reset([1, 3], [states[0], states[2]])
    assert (batch.q[[0, 2]] == before[[0, 2]]).all()
    batch.step(fewer(20, 2))
    fresh = st.BatchSimulation(world, 2, st.Coulomb(), states=[states[0], states[2]])
    fresh.step(fewer(20, 2))
    assert (batch.q[[1, 3]] == fresh.q).all()
    assert batch.time == pytest.approx(2 * fewer(20, 2) * DT)


@pytest.mark.parametrize(
    "chosen",
    [
        [0, 2],
        [2, 0],
        np.array([0, 2], np.uint8),
        [True, False, True],
        np.array([True, False, True]),
    ],
)
def test_worlds_are_chosen_by_number_or_by_a_mask_of_bools(chosen):
    world = st.World(st.robots.brick())
    batch = st.BatchSimulation(world, 3, states=world.standing(above=0.1))
    batch.reset(chosen, world.standing(above=0.2))
    high = batch.q[:, 2] > world.standing(above=0.15).q[2]
    np.testing.assert_array_equal(high, [True, False, True])


@pytest.mark.parametrize("verb", ["reset", "forget"])
@pytest.mark.parametrize("none", [[], np.zeros(0, int), [False] * 3])
def test_no_world_may_be_chosen(verb, none):
    batch = st.BatchSimulation(st.World(st.robots.brick()), 3)
    batch.step()
    q = batch.q
    getattr(batch, verb)(none)
    np.testing.assert_array_equal(batch.q, q)


@pytest.mark.parametrize("verb", ["reset", "forget"])
@pytest.mark.parametrize(
    "chosen",
    [
        [True, False],
        np.zeros(0, bool),
        [1.7],
        [1.0],
        [0, 0],
        np.array([1, 0, 1], np.uint8),  # a mask of another library
        [3],
        [-1],
        1,
        [[0]],
        [[0], [1, 2]],
        "a",
        None,
    ],
)
def test_wrong_choices_of_worlds_are_refused(verb, chosen):
    batch = st.BatchSimulation(st.World(st.robots.brick()), 3)
    says = rf"{verb}\(\): found .*; give distinct integers from 0 to 2, or a mask of 3 bools"
    with pytest.raises(InputError, match=says):
        getattr(batch, verb)(chosen)


def test_a_step_too_long_for_the_law_warns_and_is_noted():
    world, stiff = st.World(st.robots.ball()), st.SpringDamper(stiffness=1e9)
    with pytest.warns(StabilityWarning, match="stable only up to"):
        batch = st.simulate_batch(world, 2, stiff, duration=0.0)
    assert any("stable only up to" in note for note in batch.notes)


def test_every_kth_step_is_recorded():
    world, steps = st.World(st.robots.ball()), 7
    keep = st.BatchRecording(("v",), every=3)
    batch = st.simulate_batch(
        world, 2, contact=None, states=world.standing(above=1.0), duration=steps * DT, record=keep
    )
    assert np.allclose(batch.time, [0, 3 * DT, 6 * DT])
    assert np.allclose(batch.record["v"][0, :, 2], -9.81 * batch.time)


def test_single_precision_says_so_where_a_tolerance_is_out_of_reach():
    world = st.World(st.robots.brick())
    batch = st.simulate_batch(
        world, 2, st.Coulomb(), states=world.standing(), duration=0.0, precision="float32"
    )
    assert batch.q.dtype == np.float32
    assert any("tolerance" in note for note in batch.notes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"worlds": 0}, "worlds"),
        ({"device": "tpu"}, "'cpu' or 'cuda'"),
        ({"precision": "half"}, "float32"),
        ({"states": [None]}, "3 of them"),
        ({"states": (np.zeros((3, 2)), np.zeros((3, 6)))}, r"\(3, 7\)"),
        ({"parameters": {"mu": [1, 1, 1]}}, "has no 'mu'"),
        ({"parameters": {"mu_static": [1, 1]}}, "one value for each of 3"),
        ({"parameters": {"mu_static": [0.5, 0.5, -1.0]}}, "mu_static is -1.0"),
        ({"parameters": {"mu_kinetic": [0.5, 0.5, 0.9]}}, "world 2 has mu_static"),
        ({"controls": [None]}, "one for each of 3"),
        ({"torque": np.zeros((3, 5))}, r"\(3, 6\)"),
        ({"forces": [[], []]}, "one for each of 3"),
        ({"duration": -1.0}, "duration"),
        ({"record": st.BatchRecording(("z",))}, "channels"),
        ({"record": st.BatchRecording(("q",), memory=10.0)}, "every="),
        ({"record": st.BatchRecording(("q",), every=0)}, "every is 0"),
        ({"record": st.BatchRecording(5)}, "channels 5; give a tuple"),
        ({"record": st.BatchRecording(("q",), memory=np.nan)}, "memory is nan; give a positive"),
        ({"record": st.BatchRecording(("q",), memory="a")}, "memory is 'a'; give a positive"),
        ({"record": ("q",)}, r"found \('q',\); give a BatchRecording"),
        ({"threads": 0}, "threads"),
    ],
)
def test_wrong_use_is_told(options, says):
    world = st.World(st.robots.brick())
    given = {"worlds": 3, "contact": st.Coulomb(), "duration": 0.01, **options}
    with pytest.raises(InputError, match=says):
        st.simulate_batch(world, **given)


def test_a_batch_for_a_device_that_is_not_there_says_what_would_do():
    pytest.importorskip("numba")
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(InputError, match="device='cpu'"):
        st.BatchSimulation(st.World(st.robots.ball()), 2, contact=None, device="cuda")


def test_a_reset_world_has_no_joint_modes_of_its_past():
    world = st.World(chain(3, friction=0.5), ground=None)
    batch = st.BatchSimulation(world, 3, contact=None)
    batch.step(2)
    before = batch._engine.mode.copy()
    assert before.any(axis=1).all()  # joints stick
    batch.reset([1])
    assert not batch._engine.mode[1].any()
    np.testing.assert_array_equal(batch._engine.mode[[0, 2]], before[[0, 2]])


def test_each_world_has_its_own_record_whatever_is_recorded():
    world = st.World(plate(4))
    states = landings(world, 3)
    kept = [
        st.simulate_batch(
            world, 3, st.Coulomb(), states=states, duration=3 * DT, record=st.BatchRecording(names)
        ).record["depth"]
        for names in (("depth",), ("q", "depth"))
    ]
    assert (kept[0] == kept[1]).all() and (kept[0][0] != kept[0][1]).any()
