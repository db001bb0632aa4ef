"""Steps that were not solved are counted and told, recorded or not."""

import json
import re
import warnings

import numpy as np
import pytest

import stiction as st
from gives_up import ITERATIONS, WORST_RESIDUAL, GivesUp
from stiction.cli import main
from stiction.motion.unsolved import UnsolvedSteps

pytestmark = pytest.mark.interpreted

BALL = st.World(st.robots.ball())
SOLVER = GivesUp(start=0.005, worst=0.012)  # of 20 steps of 1 ms, those from the sixth on
LEAPFROG = st.Leapfrog()


def run(model=SOLVER, **options):
    options = {"duration": 0.02, "state": BALL.standing(), "integrator": LEAPFROG, **options}
    return st.simulate(BALL, model, **options)


def test_a_run_warns_once_with_count_worst_residual_and_time():
    words = (
        r"GivesUp: 15 of 20 steps \(75 %\) were not solved; .* t = 0.012 s, has a residual of 0.001"
    )
    with pytest.warns(st.UnsolvedWarning, match=words) as caught:
        motion = run()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (motion.unsolved.count, motion.unsolved.steps) == (15, 20)
    assert motion.unsolved.residual == WORST_RESIDUAL
    assert motion.unsolved.time == pytest.approx(0.012, abs=1e-12)
    assert (motion.solver[:-1, 2] == 9).sum() == 15


@pytest.mark.parametrize(
    ("model", "residual", "words"),
    [
        (
            st.Coulomb(),
            1e-9,
            "for example, at t = 0.5 s joint friction and contact did not agree; try",
        ),
        (
            st.Coulomb(),
            1e-3,
            r"the worst, at t = 0.5 s, has a residual of 0.001 \(tolerance 1e-08\); try",
        ),
        (st.Multipoint(), 1e-9, "the worst, at t = 0.5 s, has a residual of 1e-09; try"),
    ],
)
def test_the_message_tells_joints_that_do_not_agree_from_a_residual(model, residual, words):
    assert re.search(words, UnsolvedSteps(2, 2, residual, 0.5).message(model))


def test_a_run_whose_steps_are_all_solved_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = run(GivesUp(start=1.0))
    assert motion.unsolved.count == 0 and motion.unsolved.time is None


@pytest.mark.filterwarnings("ignore::stiction.UnsolvedWarning")
def test_steps_that_are_not_recorded_count_too(tmp_path):
    motion = run(record=st.Recording(every=7))
    assert (motion.solver[:-1, 2] == 9).sum() < 3
    assert (motion.unsolved.count, motion.unsolved.steps) == (15, 20)
    assert motion.solver_summary().failures == 15
    motion.save(tmp_path / "a.h5")
    assert st.Motion.load(tmp_path / "a.h5").unsolved == motion.unsolved


def test_a_simulation_warns_at_the_first_one_and_counts_on():
    simulation = st.Simulation(BALL, SOLVER, state=BALL.standing(), integrator=LEAPFROG)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.step(n=5)
    with pytest.warns(st.UnsolvedWarning, match="1 of 6 steps") as caught:
        simulation.step()
    assert caught[0].filename == __file__
    saved = simulation.save_state()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once in the life of a simulation
        simulation.step(n=14)
    assert (simulation.unsolved.count, simulation.unsolved.steps) == (15, 20)
    simulation.restore_state(saved)
    assert (simulation.unsolved.count, simulation.unsolved.steps) == (1, 6)


def test_a_batch_tells_of_each_world_and_warns_once():
    options = {"states": BALL.standing(), "integrator": LEAPFROG}
    starts = {"start": np.array([0.005, 1.0, 0.015])}
    words = "20 of 60 steps .*; in 2 of 3 worlds, the worst in world 0"
    with pytest.warns(st.UnsolvedWarning, match=words) as caught:
        motion = st.simulate_batch(
            BALL, 3, SOLVER, duration=0.02, parameters=starts, threads=1, **options
        )
    assert len(caught) == 1 and caught[0].filename == __file__
    assert motion.unsolved.tolist() == [15, 0, 5]
    batch = st.BatchSimulation(BALL, 3, SOLVER, parameters=starts, threads=1, **options)
    with pytest.warns(st.UnsolvedWarning) as caught:
        for _ in range(20):
            batch.step()
    assert len(caught) == 1  # and at the eighth call, the first power of two after the fifth
    assert batch.unsolved.tolist() == [15, 0, 5]


def test_iterations_of_every_solution_of_a_step_count():
    """A ball that bounces solves for the step, for the way to the impact, for it, for the rest."""
    state = BALL.standing(above=1e-3)
    state.v[2] = -2.0
    motion = run(GivesUp(start=1.0, restitution=0.5), duration=0.002, state=state)
    assert motion.v[1, 2] > 0
    assert motion.solver[0, 0] >= 2 * ITERATIONS  # that of the whole step, which was not taken, too
    assert motion.solver[0, 0] % ITERATIONS == 0
    assert motion.solver[1, 0] == 0  # nothing touches


@pytest.mark.parametrize(("share", "status"), [("0.8", 0), ("0.7", 1), (None, 1)])
def test_run_fails_if_more_than_a_share_of_the_steps_is_unsolved(share, status, capsys):
    argv = ["run", "ball", "--contact", "gives_up:GivesUp", "--duration", "0.02", "--json"]
    argv += ["--parameter", "start=0.005", "--integrator", "Leapfrog"]
    assert main(argv if share is None else [*argv, "--unsolved", share]) == status
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["unsolved_steps"]["count"] == 15
    assert err.count("stiction: warning: GivesUp: 15 of 20 steps") == 1
    assert ("error" in result) == (status == 1)


def test_a_share_is_a_fraction(capsys):
    with pytest.raises(SystemExit) as left:
        main(["run", "ball", "--unsolved", "3"])
    assert left.value.code == 2
    assert "give a fraction from 0 to 1" in capsys.readouterr().err
