"""Gymnasium environments: checked by Gymnasium itself, single and vector alike, errors by name."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import stiction as st
import stiction.gym
from stiction.errors import InputError
from stiction.gym import IDS, LeggedEnv, LeggedVectorEnv
from stiction.learn.setup import NOISE

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::stiction.errors.StabilityWarning"),
]

# a step of a force law takes a tenth of the time of a solver's without the compiler
QUICK = {"robot": "biped10", "contact": st.ImplicitSpringDamper(3e3, 30.0), "dt": 0.005}
QUICK["rate"] = 100.0
TIPPED = st.robots.biped10().at((0.0, 0.0, 0.0), (0.5**0.5, 0.5**0.5, 0.0, 0.0))


@pytest.mark.filterwarnings("ignore:.*infinity")
@pytest.mark.parametrize("name", IDS.values())
def test_gymnasium_finds_nothing_wrong(name):
    check_env(gymnasium.make(name, **QUICK).unwrapped, skip_render_check=True)


def test_pictures_follow_the_robot_and_change_with_it(egl):
    environment = gymnasium.make(IDS["rough"], render_mode="rgb_array", **QUICK)
    assert environment.metadata["render_fps"] == QUICK["rate"]
    environment.reset(seed=0)
    first = environment.render()
    assert first.shape == (480, 480, 3) and np.ptp(first, axis=(0, 1)).min() > 50
    environment.step(np.ones(environment.action_space.shape))
    assert (environment.render() != first).any()
    environment.reset(seed=1)  # elsewhere on the ground
    there = environment.render()
    assert np.abs(there.astype(int) - first).mean() < 40  # a robot in the middle, above ground
    assert (there != first).any()
    environment.close()
    assert gymnasium.make(IDS["stand"], **QUICK).unwrapped.render() is None


@pytest.mark.parametrize("task", ["push", "rough"])
def test_the_worlds_of_a_vector_do_what_single_ones_do(task):
    """Observations are equal bit for bit, also after an episode has ended and begun anew."""
    options = {**QUICK, "task": task, "episode": 0.04}
    together = LeggedVectorEnv(2, **options)
    alone = [LeggedEnv(**options) for _ in range(2)]
    observed, _ = together.reset(seed=5)
    for k, one in enumerate(alone):
        np.testing.assert_array_equal(observed[k], one.reset(seed=5 + k)[0])
    random, ended, lasted = np.random.default_rng(1), np.zeros(2, bool), 0
    for _ in range(7):
        actions = random.uniform(-1, 1, together.action_space.shape)
        observed, reward, terminated, truncated, _ = together.step(actions)
        for k, one in enumerate(alone):
            expected = (one.reset()[0], 0.0, False, False) if ended[k] else one.step(actions[k])
            np.testing.assert_array_equal(observed[k], expected[0])
            assert reward[k] == pytest.approx(expected[1], rel=1e-12)  # NumPy adds in another order
            assert (terminated[k], truncated[k]) == expected[2:4]
        ended = terminated | truncated
        lasted += ended.sum()
    assert lasted == 2  # both were truncated after four actions, and began anew


@pytest.mark.parametrize("again", [5, [5, 6], np.array([5, 6])])
def test_a_seed_repeats_its_episode_after_another_has_ended(again):
    options = {**QUICK, "task": "push", "episode": 0.02}
    together = LeggedVectorEnv(2, **options)
    together.reset(seed=1)
    still = np.zeros(together.action_space.shape)
    for _ in range(2):
        *_, truncated, _ = together.step(still)
    assert truncated.all()
    observed, _ = together.reset(seed=again)
    actions = np.full(still.shape, 0.5)
    stepped = together.step(actions)
    for k in range(2):
        alone = LeggedEnv(**options)
        np.testing.assert_array_equal(observed[k], alone.reset(seed=5 + k)[0])
        expected = alone.step(actions[k])
        np.testing.assert_array_equal(stepped[0][k], expected[0])
        assert stepped[1][k] == pytest.approx(expected[1], rel=1e-12) and stepped[1][k] > 0


def test_a_mask_resets_only_its_worlds():
    together, kept = (LeggedVectorEnv(3, **QUICK) for _ in range(2))
    actions = np.full(together.action_space.shape, 0.3)
    for worlds in (together, kept):
        worlds.reset(seed=1)
        worlds.step(actions)
    mask = np.array([False, True, False])
    observed, info = together.reset(seed=8, options={"reset_mask": mask})
    begun = LeggedEnv(**QUICK).reset(seed=9)
    np.testing.assert_array_equal(observed[1], begun[0])
    np.testing.assert_array_equal(info["command"][1], begun[1]["command"])
    both = together.step(actions), kept.step(actions)
    for one, other in zip(*(stepped[:4] for stepped in both), strict=True):
        np.testing.assert_array_equal(one[~mask], other[~mask])


@pytest.mark.parametrize("mask", [[True, False], [1, 0, 0], "abc", None])
def test_a_wrong_mask_is_refused(mask):
    together = LeggedVectorEnv(3, **QUICK)
    together.reset(seed=0)
    with pytest.raises(InputError, match="give True or False for each of 3 worlds"):
        together.reset(options={"reset_mask": mask})


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        ([1, 2], r"seed is \[1, 2\]; give an integer, or a list with one for each of 3 worlds"),
        ([1, 2, 2.5], "seed of world 2 is 2.5; give an integer"),
        ("abc", "seed is 'abc'; give an integer"),
        (1.5, "seed is 1.5; give an integer"),
        (-1, "seed is -1; give an integer from 0"),
    ],
)
def test_wrong_seeds_are_refused(seed, words):
    with pytest.raises(InputError, match=words):
        LeggedVectorEnv(3, **QUICK).reset(seed=seed)


def test_a_world_that_diverges_ends_its_own_episode_alone():
    good, spoiled = (LeggedVectorEnv(2, **QUICK) for _ in range(2))
    still = np.zeros(good.action_space.shape)
    for one in (good, spoiled):
        one.reset(seed=3)
    v = spoiled.batch.v
    v[1, 6] = 9e5  # just below what is called divergence
    spoiled.batch.reset([1], [st.State(spoiled.batch.q[1], v[1])])
    spoiled._targets[1][:] = 1e9
    expected, observed = good.step(still), spoiled.step(still)
    np.testing.assert_array_equal(observed[0][0], expected[0][0])
    assert observed[2].tolist() == [False, True] and observed[1][1] == 0.0
    assert observed[4]["failure"].tolist() == ["", "diverged"]
    assert np.isfinite(observed[0]).all()
    expected, observed = good.step(still), spoiled.step(still)  # which resets the second world
    np.testing.assert_array_equal(observed[0][0], expected[0][0])
    assert not observed[2].any() and (np.abs(observed[0][1]) < 10).all()


@pytest.mark.parametrize("vector", [False, True])
def test_joints_go_where_actions_point(vector):
    environment = LeggedVectorEnv(1, **QUICK) if vector else LeggedEnv(**QUICK)
    setup, (observed, _) = environment.episodes.setup, environment.reset(seed=0)
    knee = setup.names.index("left_knee")
    action = np.zeros(environment.action_space.shape)
    action[..., knee] = 1.0
    for _ in range(3):
        observed, *_ = environment.step(action)
    speeds = np.reshape(observed, -1)[9 + len(setup.joints) :][: len(setup.joints)]
    assert speeds[knee] > 10 * NOISE and speeds[knee] == speeds.max()


def test_a_policy_that_writes_nan_is_told_where():
    environment = LeggedVectorEnv(2, **QUICK)
    environment.reset(seed=0)
    actions = np.zeros(environment.action_space.shape)
    actions[1, 3] = np.nan
    q = environment.batch.q
    with pytest.raises(InputError, match="action: '.*' of world 1 is nan; give numbers from -1"):
        environment.step(actions)
    np.testing.assert_array_equal(environment.batch.q, q)
    single = LeggedEnv(**QUICK)
    single.reset(seed=0)
    with pytest.raises(InputError, match="of world 0 is inf"):
        single.step(np.full(single.action_space.shape, np.inf))
    with pytest.raises(InputError, match="give numbers of shape"):
        single.step(np.zeros(3))


@pytest.mark.parametrize("actions", [np.zeros((10, 3)), np.zeros(30), np.zeros((1, 10)), "a", None])
def test_actions_of_another_shape_are_refused(actions):
    together, alone = LeggedVectorEnv(3, **QUICK), LeggedEnv(**QUICK)
    for one, shape in ((together, r"\(3, 10\)"), (alone, r"\(10,\)")):
        one.reset(seed=0)
        with pytest.raises(InputError, match=f"action: found .*; give numbers of shape {shape}"):
            one.step(actions)


def test_a_command_is_followed_for_a_reward():
    setup = LeggedEnv(**QUICK, task="walk").episodes.setup
    reward = setup.formulas.reward
    q, v = setup.standing.q[None], np.zeros((1, setup.world.nv))
    still, command = np.zeros((1, len(setup.names))), np.array([[0.2, 0.0, 0.0]])
    v[0, :3] = command
    best = reward((q, v), still, still, command)[0]
    assert best == pytest.approx(2.0, abs=1e-12)
    assert reward((q, 0 * v), still, still, command)[0] < best
    assert reward((q, v), still + 1, still, command)[0] == pytest.approx(1.9, abs=1e-12)
    turned = q.copy()
    turned[0, 3:7] = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]  # faces y: the command is its own
    v[0, :3] = [0.0, 0.2, 0.0]
    assert reward((turned, v), still, still, command)[0] == pytest.approx(best, abs=1e-12)


def test_a_robot_that_lies_has_fallen():
    setup = LeggedEnv(**QUICK).episodes.setup
    q, start = np.tile(setup.standing.q, (3, 1)), np.full(3, setup.standing.q[2])
    q[1, 3:7] = [np.cos(0.55), np.sin(0.55), 0, 0]  # tilted by 63 degrees
    q[2, 2] *= 0.5
    assert setup.formulas.fallen(q, start).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"robot": 3}, "give a Robot, the name of a built-in one, or a model file"),
        ({"robot": "hoap"}, "neither a file nor a built-in robot; .* did you mean 'hoap1'"),
        ({"robot": st.robots.hanavan(planar=True)}, "has no free base"),
        ({"robot": TIPPED}, "the z axis of its base is 90 degrees from the vertical at home"),
        ({"robot": "ball"}, "has nothing that an action could move"),
        ({"task": "swim"}, "give a Task or one of stand, walk, push, rough"),
        ({"stiffness": "x"}, "stiffness is 'x'; give a non-negative number, or one for each of 20"),
        ({"stiffness": [1.0, 2.0]}, r"stiffness is \[1.0, 2.0\]; give a non-negative number"),
        ({"damping": np.nan}, "damping is nan; give a non-negative number"),
        ({"gain": 3}, "no option 'gain'; there are robot, task"),
        ({"rate": 0}, "rate is 0"),
        ({"rate": 400}, "1.25 steps of 0.002 s; .* for example 500 Hz, or dt 0.0025 s"),
        ({"rate": 300}, "1.66667 steps of 0.002 s; .* for example 250 Hz"),
        ({"rate": 1e-9}, "steps of dt between two actions is"),
        ({"render_mode": "human"}, "give 'rgb_array' or None"),
        ({"actuators": True}, "has nothing that an action could move"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        LeggedEnv(**options)


@pytest.mark.parametrize("name", ["speed", "turn", "push", "rough"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -0.1, "a", None])
def test_a_task_takes_only_finite_numbers_that_are_not_negative(name, value):
    with pytest.raises(InputError, match=f"Task: {name} is .*; give a non-negative number in"):
        stiction.gym.Task(**{name: value})


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(gymnasium.error.ResetNeeded):
        LeggedVectorEnv(1, **QUICK).step(np.zeros((1, 10)))
    with pytest.raises(gymnasium.error.ResetNeeded):
        LeggedEnv(**QUICK).step(np.zeros(10))
    with pytest.raises(gymnasium.error.ResetNeeded):
        LeggedVectorEnv(2, **QUICK).reset(options={"reset_mask": np.array([True, False])})
