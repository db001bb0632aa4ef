"""Training, on cores: advantages by their definition, and a policy that learns."""

import json

import numpy as np
import pytest

import stiction as st
from stiction.learn.policy import Policy
from stiction.learn.ppo import Learner, Settings
from stiction.learn.train import Plan, train
from stiction.learn.worlds import LearningWorlds

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.usefixtures("torch"),
    pytest.mark.filterwarnings("ignore::stiction.errors.StabilityWarning"),
]

QUICK = {"robot": "biped10", "contact": st.ImplicitSpringDamper(3e3, 30.0), "dt": 0.005}


def test_advantages_are_discounted_sums_of_errors(torch):
    worlds = LearningWorlds(2, task="walk", rate=100.0, **QUICK)
    learner = Learner(worlds, Settings(gamma=0.9, decay=0.8))
    random = np.random.default_rng(0)
    reward, value = random.normal(size=(2, 4, 1))
    last, ended = random.normal(size=1), np.array([[0.0], [0.0], [1.0], [0.0]])
    tensors = (torch.as_tensor(one) for one in (reward, value, ended, last))
    found = learner._advantages(*tensors).numpy()[:, 0]
    after = np.append(value[1:, 0], last)
    delta = reward[:, 0] + 0.9 * after * (1 - ended[:, 0]) - value[:, 0]
    expected = [delta[0] + 0.72 * (delta[1] + 0.72 * delta[2]), delta[1] + 0.72 * delta[2]]
    np.testing.assert_allclose(found, [*expected, delta[2], delta[3]], rtol=1e-12)


def test_a_policy_is_trained_and_saved(tmp_path, torch):
    plan = Plan(8, 60.0, 2, "cpu", settings=Settings(horizon=2, epochs=1, batches=2, hidden=(8,)))
    options = {name: QUICK[name] for name in ("robot", "dt")}
    told = train(tmp_path / "p.npz", QUICK["contact"], plan, rate=100.0, **options)
    assert told["actions"] == 2 * 2 * 8 and told["world-steps"] == 2 * 32
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [0, 1]
    policy = Policy.load(tmp_path / "p.npz")
    assert policy.trained["contact"] == "ImplicitSpringDamper"
    assert len(policy.weights) == 2


@pytest.mark.slow
@pytest.mark.jit
def test_a_robot_learns_to_follow_the_set_speed(torch):
    """Rewards rise by more than the noise between iterations, on all cores.

    The first iteration does not count: all episodes have just begun, and nobody has fallen yet.
    """
    worlds = LearningWorlds(256, task="stand", rate=50.0, **QUICK)
    torch.manual_seed(0)
    learner = Learner(worlds, Settings())
    rewards = []
    for _ in range(25):
        rollout, row = learner.collect()
        learner.learn(rollout)
        rewards.append(row["reward"])
    rewards = rewards[1:]
    assert np.mean(rewards[-5:]) > np.mean(rewards[:5]) + 3 * np.std(np.diff(rewards))
