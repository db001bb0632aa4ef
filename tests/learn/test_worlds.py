"""Worlds that learn: episodes, randomised worlds, and the same formulas as the environments."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.gym import LeggedVectorEnv
from stiction.learn.randomised import Randomised
from stiction.learn.worlds import LearningWorlds

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::stiction.errors.StabilityWarning"),
]

FLOOR = st.ImplicitSpringDamper(3e3, 30.0)
QUICK = {"robot": "biped10", "contact": FLOOR, "dt": 0.005, "rate": 100.0}


def test_rewards_and_observations_are_those_of_the_environment():
    worlds, vector = (
        LearningWorlds(2, task="walk", **QUICK),
        LeggedVectorEnv(2, task="walk", **QUICK),
    )
    worlds.reset()
    vector.reset(seed=0)
    q, v = worlds.place.state()
    vector.batch.reset([0, 1], (q, v))
    vector.episodes.commands[:], vector.episodes.start[:] = worlds.commands, worlds.start
    random = np.random.default_rng(0)
    for _ in range(3):
        actions = random.uniform(-1.5, 1.5, worlds.actions.shape)
        mine = worlds.step(actions)
        observed, reward, terminated, truncated, _ = vector.step(actions)
        np.testing.assert_allclose(mine.observation, observed, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(mine.reward, reward, rtol=1e-12)
        assert not (mine.terminated | terminated | mine.truncated | truncated).any()


def test_an_episode_that_is_over_begins_anew_at_once():
    worlds = LearningWorlds(2, task="walk", episode=0.03, **QUICK)
    first = worlds.reset()
    before = worlds.commands.copy()
    for k in range(3):
        done = worlds.step(np.zeros(worlds.actions.shape))
        assert done.truncated.all() == (k == 2)
    assert (worlds.taken == 0).all()
    assert (worlds.commands != before).any(axis=1).all()
    joints = slice(9, 9 + len(worlds.setup.joints))
    assert np.abs(done.observation[:, joints]).max() < 0.2  # near home again
    assert done.observation.shape == first.shape
    assert not np.array_equal(done.observation, done.last)


def test_an_action_that_is_not_a_number_ends_the_episode_of_its_world_alone():
    good, bad = (LearningWorlds(2, task="walk", **QUICK) for _ in range(2))
    actions = np.zeros(good.actions.shape)
    for one in (good, bad):
        one.reset()
    expected = good.step(actions)
    actions[1, 0] = np.nan
    found = bad.step(actions)
    assert found.terminated.tolist() == [False, True]
    assert found.reward[1] == 0.0
    np.testing.assert_array_equal(found.observation[0], expected.observation[0])
    for array in found:
        assert np.isfinite(array).all()


def test_pushes_come_and_go():
    worlds = LearningWorlds(64, task="push", **QUICK)
    worlds.reset()
    pushed = []
    for _ in range(40):
        pushed.append(np.hypot(*worlds._pushes().T))
        worlds.taken += 1
    pushed = np.array(pushed)
    assert 0 < (pushed > 0).mean() < 0.3  # a tenth of a second every two seconds or so
    starts = (pushed[1:] > 0) & (pushed[:-1] == 0)
    assert starts.any()


def test_what_is_randomised_lies_in_its_range():
    given = Randomised(friction=(0.4, 0.9), mass=(0.8, 1.2), gains=(0.5, 2.0))
    worlds = LearningWorlds(32, task="walk", randomised=given, **QUICK)
    batch, setup = worlds.place.batch, worlds.setup
    column = st.ImplicitSpringDamper._fields.index("mu_kinetic")
    mu = batch.problem.table[:, 0, column]
    mass = batch.problem.varied["dynamics.tree.mass"].sum(axis=1) / setup.world.total_mass
    gains = [batch.controllers(k)[0].stiffness[0] for k in range(32)]
    gains = np.array(gains) / float(setup.controller.stiffness)
    for found, (low, high) in ((mu, (0.4, 0.9)), (mass, (0.8, 1.2)), (gains, (0.5, 2.0))):
        assert low <= found.min() < found.max() <= high


@pytest.mark.parametrize(
    "options, words",
    [
        ({"randomised": Randomised(mass=(2.0, 1.0))}, "least <= largest"),
        ({"randomised": Randomised(gains=(1.0,))}, "2 finite numbers"),
        ({"randomised": {"mass": (0.9, 1.1)}}, r"give ranges, for example Randomised\(mass="),
        ({"randomised": {}}, "found {}; give ranges"),
        (
            {"randomised": Randomised(friction=(0.4, 0.5)), "contact": None},
            r"friction is \(0.4, 0.5\), but contact is None",
        ),
        ({"worlds": 0}, "worlds is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"speed": 3}, "no option 'speed'"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        LearningWorlds(**{"worlds": 2, **QUICK, **options})


@pytest.mark.parametrize("actions", [np.zeros(10), np.zeros((10, 3)), np.zeros((1, 10)), "a", None])
def test_actions_of_another_shape_are_refused(actions):
    worlds = LearningWorlds(3, **QUICK)
    worlds.reset()
    q, _ = worlds.place.state()
    with pytest.raises(InputError, match=r"actions: found .*; give numbers of shape \(3, 10\)"):
        worlds.step(actions)
    np.testing.assert_array_equal(worlds.place.state()[0], q)


def test_a_step_before_the_first_reset_is_refused():
    worlds = LearningWorlds(1, **QUICK)
    with pytest.raises(InputError, match=r"call reset\(\) first"):
        worlds.step(np.zeros((1, 10)))
