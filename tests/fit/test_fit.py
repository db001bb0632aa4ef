"""Fits find the parameters that data were made with, and say which ones data cannot tell."""

import json
from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from stiction.cli import main
from stiction.errors import InputError
from stiction.fit.fit import as_result, fit_contact
from stiction.fit.ranges import Range, checked_ranges, contact_at
from stiction.fit.recorded_motions import RecordedMotions, turned
from stiction.fit.search import Search

pytestmark = pytest.mark.interpreted

SMALL = Search(population=6, generations=8, local=40)
NOISE = 1e-3  # [m]


class Slides:
    """Distances of blocks that slide and stop, in closed form, with noise from a seed."""

    def __init__(self, mu: float, blocks: int = 8, noise: float = NOISE) -> None:
        self.speed = np.linspace(0.5, 2.0, blocks)
        self.time = np.linspace(0.0, 0.8, 30)
        rng = np.random.default_rng(1)
        self.seen = self.distance(mu) + rng.normal(0.0, noise, (blocks, len(self.time)))

    @property
    def names(self):
        return [f"block at {speed:g} m/s" for speed in self.speed]

    def distance(self, mu):
        t = np.minimum(self.time, self.speed[:, None] / (9.81 * mu))
        return self.speed[:, None] * t - mu * 9.81 * t * t / 2

    def residuals(self, models, chosen):
        found = np.array([self.distance(one.mu_kinetic) - self.seen for one in models])
        return found[:, chosen] / np.sqrt(len(self.time))


def test_friction_is_found_within_its_interval():
    fit = fit_contact(Slides(0.37), st.Coulomb(), {"mu_static,mu_kinetic": (0.05, 1)}, effort=SMALL)
    low, high = fit.interval("mu_kinetic")
    assert low < 0.37 < high
    assert high - low < 0.01  # 240 values with errors of 1 mm over distances of up to half a metre
    assert fit.contact.mu_static == fit.contact.mu_kinetic
    assert fit.converged and not fit.undetermined and not fit.at_bound


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 40 intervals of 95 %, at least 34: fewer has a probability below 0.4 %."""
    inside = 0
    for k in range(40):
        data = Slides(0.3)
        data.seen = data.distance(0.3) + np.random.default_rng(k).normal(0, NOISE, data.seen.shape)
        effort = Search(population=5, generations=4, local=20)
        fit = fit_contact(data, st.Coulomb(), {"mu_kinetic": (0.1, 0.5)}, effort=effort)
        low, high = fit.interval("mu_kinetic")
        inside += low < 0.3 < high
    assert inside >= 34


def test_a_parameter_without_effect_is_named():
    wanted = {"mu_kinetic": (0.05, 1.0), "restitution": None}
    fit = fit_contact(Slides(0.37), st.Coulomb(), wanted, effort=SMALL)
    assert fit.undetermined == ["restitution"]
    assert fit.interval("restitution") == (0.0, 1.0)
    assert fit.confidence.condition == np.inf
    low, high = fit.interval("mu_kinetic")
    assert low < 0.37 < high


def test_the_mean_error_is_fitted_in_spite_of_an_outlier():
    data = Slides(0.37, blocks=10)
    data.seen[3] += 1.0  # a block that was pushed
    wanted = {"mu_kinetic": (0.05, 1.0)}
    squares = fit_contact(data, st.Coulomb(), wanted, effort=SMALL)
    mean = fit_contact(data, st.Coulomb(), wanted, effort=SMALL, loss="mean")
    assert abs(mean.contact.mu_kinetic - 0.37) < 0.01 < abs(squares.contact.mu_kinetic - 0.37)
    assert mean.confidence.method == "bootstrap over motions"


def test_held_out_motions_are_those_that_a_fold_did_not_see():
    data = Slides(0.37)
    fit = fit_contact(data, st.Coulomb(), {"mu_kinetic": (0.05, 1)}, effort=SMALL, folds=2)
    assert [one.held_out.tolist() for one in fit.folds] == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert all(not set(one.fitted) & set(one.held_out) for one in fit.folds)
    assert fit.held_out_error == pytest.approx(NOISE, rel=0.2)  # nothing but noise is left
    told = as_result(fit)
    assert told["holds"] and len(told["folds"]) == 2


def test_fits_repeat_themselves():
    wanted = {"mu_kinetic": (0.05, 1.0)}
    first, second = (
        fit_contact(Slides(0.37), st.Coulomb(), wanted, effort=SMALL, loss="mean") for _ in range(2)
    )
    assert first.contact == second.contact
    assert np.array_equal(first.confidence.low, second.confidence.low)


# ------------------------------------------------------------------------------------- motion files


def dropped_ball(law):
    world = st.World(st.robots.ball())
    state = world.standing(above=1e-3)
    state.v[2] = -1.0
    motion = st.simulate(world, law, duration=0.03, dt=1e-3, state=state)
    noise = np.random.default_rng(3).normal(0.0, 1e-5, (len(motion), 3))
    noisy = motion.q.copy()
    noisy[1:, :3] += noise[1:]  # the first sample is the start of the replay
    return replace(motion, q=noisy)


def test_the_stiffness_of_a_recorded_motion_is_found_again():
    law = st.SpringDamper(stiffness=2e4, damping=20.0)
    recorded = RecordedMotions([dropped_ball(law)])
    start, effort = law._replace(stiffness=1e4), Search(population=4, generations=2, local=6)
    fit = fit_contact(recorded, start, {"stiffness": (5e3, 5e4)}, effort=effort)
    low, high = fit.interval("stiffness")
    assert low < 2e4 < high
    assert high / low < 1.1  # noise of 10 micrometres on a spring that yields by 5 mm


def test_windows_start_from_the_recorded_states():
    law = st.SpringDamper(stiffness=2e4, damping=20.0)
    world = st.World(st.robots.ball())
    motion = st.simulate(world, law, duration=0.02, dt=1e-3, state=world.standing(above=1e-3))
    recorded = RecordedMotions([motion], window=0.01)
    assert [tuple(one)[1:] for one in recorded.windows] == [(0, 11), (10, 21)]
    found = recorded.residuals([law], np.arange(2))
    assert abs(found).max() < 1e-12  # the same law repeats the motion


def test_a_motion_that_lacks_samples_is_refused():
    """Its settings say that every step was recorded: replayed, it would be ten times as fast."""
    world = st.World(st.robots.ball(), ground=None)
    motion = st.simulate(world, contact=None, duration=0.1, state=world.home())
    with pytest.raises(InputError, match=r"motion 0 lacks samples: .* one every 0.001 s"):
        RecordedMotions([motion.rows(np.arange(0, len(motion), 10))])
    assert RecordedMotions([motion.rows(np.arange(50, len(motion)))]).rows == 51


def test_windows_on_a_belt_of_varying_speed_are_replayed_at_their_own_times():
    law = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)  # holds the brick at up to 4.9 m/s2
    belt = st.Plane(velocity=((0.0, 0.0, 0.0), (0.4, 0.0, 0.0)), time=(0.0, 0.1))
    world = st.World(st.robots.brick(), ground=belt)
    forces = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.02]) * np.array([[1.0], [-2.0], [3.0]])
    push = st.Torques(forces, np.array([0.0, 0.03, 0.065]))
    motion = st.simulate(world, law, duration=0.1, state=world.standing(), controller=push)
    for part in (motion, motion.rows(np.arange(40, len(motion)))):
        recorded = RecordedMotions([part], window=0.02)
        found = recorded.residuals([law], np.arange(len(recorded.names)))
        assert abs(found).max() < 1e-9  # tolerance of the solver; 4e-4 at other times


def test_a_residual_of_ones_own_gets_the_recorded_motion_and_the_replayed_channels():
    law = st.SpringDamper()
    world = st.World(st.robots.ball())
    motion = st.simulate(world, law, duration=0.005, dt=1e-3, state=world.standing())

    def height(recorded, replayed):
        assert len(recorded) == len(replayed["q"]) == len(replayed["force"])
        return replayed["q"][:, 2] - recorded.q[:, 2] + 0.5

    found = RecordedMotions([motion], residual=height).residuals([law], np.arange(1))
    assert (found[0, 0] ** 2).sum() == pytest.approx(0.25)


def test_rotations_are_compared_by_their_vectors():
    half = np.radians(15.0)
    turn = np.array([[np.cos(half), np.sin(half), 0.0, 0.0]])
    still = np.array([[1.0, 0.0, 0.0, 0.0]])
    assert turned(turn, still)[0] == pytest.approx([np.radians(30.0), 0.0, 0.0])
    assert turned(-turn, still)[0] == pytest.approx([np.radians(30.0), 0.0, 0.0])
    assert turned(still, still)[0].tolist() == [0.0, 0.0, 0.0]


# ------------------------------------------------------------------------------------------- bounds


def test_bounds_come_from_the_declaration_or_from_the_default():
    law = st.Coulomb()
    first, second = checked_ranges(law, ["restitution", "mu_kinetic"])
    assert (first.low, first.high) == (0.0, 1.0)
    assert (second.low, second.high) == (0.05, 5.0) and second.logarithmic
    assert Range(("a",), 1.0, 100.0).value(0.5) == pytest.approx(10.0)
    raised = contact_at(law, [Range(("mu_kinetic",), 0.1, 0.9)], np.array([1.0]))
    assert raised.mu_static == raised.mu_kinetic == 0.9


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({}, "no parameter is given"),
        ({"mu": (0, 1)}, "has no parameter 'mu'"),
        ({"restitution": (0.5, 1.5)}, "within 0 to 1"),
        ({"restitution": (0.5, 0.5)}, "the smaller first"),
        ({"mu_static,mu_kinetic": (0.1, 1), "mu_kinetic": (0.1, 1)}, "'mu_kinetic' is given twice"),
        (["rest_speed"], "has no bounds; give LOW:HIGH"),
    ],
)
def test_wrong_parameters_are_told(wanted, says):
    with pytest.raises(InputError, match=says):
        checked_ranges(st.Coulomb(), wanted)


def test_too_many_folds_are_told():
    with pytest.raises(InputError, match="folds is 9; give 0, or 2 to 8"):
        fit_contact(Slides(0.3), st.Coulomb(), ["restitution"], folds=9)


# ------------------------------------------------------------------------------------- command line


def test_the_command_fits_a_motion_file(tmp_path, capsys):
    file = tmp_path / "ball.h5"
    dropped_ball(st.SpringDamper(stiffness=2e4, damping=20.0)).save(file)
    line = ["fit", str(file), "--contact", "SpringDamper", "--parameter", "damping=20"]
    line += ["--parameter", "stiffness=5e3:5e4", "--population", "4", "--generations", "2"]
    assert main([*line, "--local", "6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (row,) = told["parameters"]
    assert row["from"] < 2e4 < row["to"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--parameter", "stiffness=1:x"], "NAME=LOW:HIGH"),
        (["--parameter", "stiffness=5"], "none is to be found"),
        (["--parameter", "stiff=1:2"], "has no parameter 'stiff'"),
        (["--parameter", "stiffness=2:1"], "the smaller first"),
        (["--parameter", "stiffness=1:2", "--tosses", "odd"], "only with cube-tosses"),
        (["--parameter", "stiffness=1:2", "--step", "2"], "step is 2.0"),
    ],
)
def test_wrong_use_has_status_2(options, says, capsys):
    assert main(["fit", "none.h5", "--contact", "SpringDamper", *options]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.jit
def test_friction_and_restitution_of_tumbling_boxes_are_found_again():
    """Eight boxes thrown on the ground, tracked with errors of 0.1 mm; six times.

    An interval of 95 % may miss: of twelve, three or more do so once in 50 times.
    """
    law, missed = st.Coulomb(mu_static=0.3, mu_kinetic=0.3, restitution=0.2), 0
    wanted = {"mu_static,mu_kinetic": (0.1, 0.8), "restitution": (0.0, 0.6)}
    for seed in range(5, 11):
        motions = tumbling_boxes(law, np.random.default_rng(seed))
        fit = fit_contact(RecordedMotions(motions), st.Coulomb(), wanted)
        for name, truth in (("mu_kinetic", 0.3), ("restitution", 0.2)):
            low, high = fit.interval(name)
            missed += not low < truth < high
            assert abs(getattr(fit.contact, name) - truth) < 1e-4
            assert high - low < 1e-3  # as narrow as such accurate data allow
    assert missed < 3


@pytest.mark.slow
@pytest.mark.jit
def test_a_fit_to_half_of_the_boxes_describes_the_others():
    law = st.Coulomb(mu_static=0.3, mu_kinetic=0.3, restitution=0.2)
    motions = RecordedMotions(tumbling_boxes(law, np.random.default_rng(5)))
    wanted = {"mu_static,mu_kinetic": (0.1, 0.8), "restitution": (0.0, 0.6)}
    fit = fit_contact(motions, st.Coulomb(), wanted, effort=Search(8, 20, 60), folds=2)
    assert fit.held_out_error is not None and fit.held_out_error < 0.02


def tumbling_boxes(law, rng):
    """Eight thrown boxes, whose positions have errors of 0.1 mm."""
    world, motions = st.World(st.robots.box((0.1, 0.1, 0.1), 0.4)), []
    for _ in range(8):
        state = world.standing(above=0.02)
        state.v[:] = rng.normal(0.0, 1.0, 6)
        motion = st.simulate(world, law, duration=0.25, state=state)
        noisy = motion.q.copy()
        noisy[1:, :3] += rng.normal(0.0, 1e-4, (len(motion) - 1, 3))
        motions.append(replace(motion, q=noisy))
    return motions
