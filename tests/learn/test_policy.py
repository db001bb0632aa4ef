"""A policy: its file, its actions, and how a walk with it is judged."""

from pathlib import Path

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.learn.options import checked_options
from stiction.learn.policy import Policy
from stiction.learn.setup import Setup
from stiction.learn.tasks import task_of
from stiction.learn.walking import Walk, check_policy, walk_in_engine, walk_in_ours

POLICIES = Path(__file__).parents[2] / "examples" / "policies"
pytestmark = pytest.mark.interpreted


def policy_of(observed, actions, scale=0.0):
    random = np.random.default_rng(0)
    sizes = (observed, 8, actions)
    weights = [scale * random.normal(size=(b, a)) for a, b in zip(sizes, sizes[1:], strict=False)]
    return Policy(np.zeros(observed), np.ones(observed), weights, [np.zeros(8), np.zeros(actions)])


class Refusing:
    """An engine that cannot represent any robot."""

    settings = {"default": {}}

    def run(self, task, setting="default"):
        raise InputError("no joints here")


@pytest.fixture(scope="module")
def setup():
    return Setup("biped10", task_of("walk"), checked_options({}))


def test_a_saved_policy_acts_as_before(tmp_path):
    policy = policy_of(5, 2, 1.0)
    policy.trained["robot"] = "hoap1"
    policy.save(tmp_path / "policy.npz")
    loaded = Policy.load(tmp_path / "policy.npz")
    seen = np.random.default_rng(1).normal(size=(7, 5))
    np.testing.assert_array_equal(loaded(seen), policy(seen))
    assert loaded.trained["robot"] == "hoap1"
    assert (np.abs(loaded(100 * seen)) <= 1).all()


def test_the_network_is_affine_maps_with_elu_between():
    policy = policy_of(3, 1, 1.0)
    seen = np.array([[0.2, -0.5, 0.9]])
    hidden = policy.weights[0] @ seen[0]
    hidden = np.array([x if x > 0 else np.exp(x) - 1 for x in hidden])
    expected = np.clip(policy.weights[1] @ hidden, -1, 1)
    np.testing.assert_allclose(policy(seen)[0], expected, rtol=1e-14)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda found: found.pop("mean"), "not a policy saved by stiction: it has no 'mean'"),
        (lambda found: found.update(scale=np.ones(4)), "do not match"),
        (lambda found: found.update(weight1=np.ones((2, 3))), "do not match"),
        (lambda found: found.update(bias0=np.full(8, np.nan)), "not finite"),
        (lambda found: found.update(bias1=np.float64(0)), "do not match"),
        (lambda found: found.update(mean=np.zeros(5, int)), "floating-point"),
        (lambda found: found.update(scale=np.zeros(5)), "not positive"),
        (lambda found: found.update(told=np.array("{")), "not a policy"),
        (lambda found: found.update(told=np.array("[]")), "format 1 is expected"),
    ],
)
def test_a_damaged_policy_is_refused(tmp_path, change, words):
    path = tmp_path / "policy.npz"
    policy_of(5, 2).save(path)
    with np.load(path) as file:
        found = dict(file)
    change(found)
    np.savez(path, **found)
    with pytest.raises(InputError, match=words):
        Policy.load(path)


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "policy.npz"
    policy_of(5, 2).save(path)
    good = path.read_bytes()
    for data in (b"{}", good[:-9], b"PK\x03\x04 no archive"):
        path.write_bytes(data)
        with pytest.raises(InputError, match="not a policy"):
            Policy.load(path)
    path.write_bytes(b"before" + good)
    with pytest.raises(InputError, match="not with its first byte"):
        Policy.load(path)
    for none in (tmp_path / "none.npz", tmp_path):
        with pytest.raises(InputError, match="no such file"):
            Policy.load(none)


def test_a_policy_of_another_robot_is_refused(setup):
    with pytest.raises(InputError, match="takes 5 numbers and gives 2; robot 'biped10'"):
        check_policy(policy_of(5, 2), setup)


@pytest.mark.filterwarnings("ignore::stiction.errors.StabilityWarning")
def test_a_policy_that_does_nothing_stands_alike_here_and_in_mujoco(setup):
    policy = policy_of(setup.observed, len(setup.names))
    check_policy(policy, setup)
    from stiction.engines import engine_by_name

    start, still = setup.world.standing(), np.zeros(3)
    floor = st.ImplicitSpringDamper(3e3, 30.0)
    walk = Walk(policy, setup, still, start)
    ours = walk_in_ours(walk, setup, floor, 0.005, 0.1, record=True)
    mujoco = (engine_by_name("mujoco"), "elliptic")
    theirs = walk_in_engine(Walk(policy, setup, still, start), setup, mujoco, 0.6, 0.001, 0.1)
    for one in (ours, theirs):
        assert one.fell == 0.1
        assert one.velocity.shape == (5, 3)
        assert np.abs(one.velocity).max() < 0.05
    assert ours.motion is not None and ours.motion.time[-1] == pytest.approx(0.1)


def test_an_engine_that_refuses_the_robot_has_not_let_it_fall(setup):
    policy = policy_of(setup.observed, len(setup.names))
    walk = Walk(policy, setup, np.zeros(3), setup.world.standing())
    with pytest.raises(InputError, match="no joints here"):
        walk_in_engine(walk, setup, (Refusing(), "default"), 0.6, 0.001, 0.1)


def test_a_robot_that_starts_upside_down_has_fallen(setup):
    start = setup.world.standing(above=1.0)
    start.q[3:7] = 0.0, 1.0, 0.0, 0.0
    policy = policy_of(setup.observed, len(setup.names))
    walk = Walk(policy, setup, np.zeros(3), start)
    assert walk_in_ours(walk, setup, None, 0.005, 0.1).fell == pytest.approx(0.02)


@pytest.mark.parametrize("name", ["exact", "soft"])
def test_the_policies_of_the_examples_walk_in_mujoco(name):
    """Forward at 0.2 m/s: a third of the speed would be missed by a robot that only stands."""
    from stiction.engines import engine_by_name

    policy = Policy.load(POLICIES / f"{name}.npz")
    setup = Setup(policy.trained["robot"], task_of("walk"), checked_options({}))
    walk = Walk(policy, setup, np.array([0.2, 0.0, 0.0]), setup.world.standing())
    found = walk_in_engine(walk, setup, (engine_by_name("mujoco"), "elliptic"), 0.6, 0.002, 3.0)
    assert found.fell == 3.0
    assert found.velocity[50:, 0].mean() == pytest.approx(0.2, abs=0.07)
