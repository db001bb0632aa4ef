"""`stiction tune sole`: points for the roughness of the ground, parameters for the interference."""

import json
import math

import numpy as np
import pytest

import stiction as st
from mechanisms import held
from stiction.cli import main
from stiction.errors import InputError
from stiction.tune.sole import Task, coarsest_grid, shifts, sinks, sole_size, tune_sole

COARSE = {"amplitude": 0.002, "wavelength": 0.2, "unseen": 1e-3}


def test_the_sole_of_the_biped_is_known():
    assert sole_size(st.robots.biped10(), "left_foot") == pytest.approx((0.16, 0.08))


def test_rougher_ground_needs_more_points():
    counts = []
    for amplitude, wavelength in ((0.0, 0.1), (0.002, 0.1), (0.005, 0.1), (0.005, 0.05)):
        task = Task(amplitude=amplitude, wavelength=wavelength)
        along, across, bump = coarsest_grid(0.16, 0.08, task, allowed=5e-4)
        assert bump <= 5e-4
        counts.append(along * across)
    assert counts[0] == 4
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bump_is_below_what_the_curvature_of_the_ground_allows(seed):
    """A peak of the waves falls by at most A k^2 (s_x^2 + s_y^2) / 16 to the nearest point."""
    task = Task(amplitude=0.005, wavelength=0.1, seed=seed)
    along, across, bump = coarsest_grid(0.16, 0.08, task, allowed=5e-4)
    k, spacing = 2 * math.pi / 0.1, np.array([0.16 / (along - 1), 0.08 / (across - 1)])
    assert 0 < bump <= 0.005 * k**2 * (spacing**2).sum() / 16


@pytest.mark.jit
@pytest.mark.parametrize("speed", [0.2, 2.0])
def test_the_result_meets_what_was_wanted_when_simulated_again(speed):
    """Slow landings sink most at rest, fast ones at the landing."""
    task = Task(speed=speed, **COARSE)
    result = tune_sole(st.robots.biped10(), "left_foot", task)
    assert result["holds"]
    law = st.Distributed(**result["parameters of Distributed"])
    along, across = result["points"].values()
    box = st.robots.box((0.16, 0.08, 0.08), result["load [N]"] / 9.81)
    box = box.with_sole_points("box", along, across)
    assert sinks(box, law, task) == pytest.approx(0.01, rel=0.01)
    rest = (result["load [N]"] / along / across / law.stiffness) ** (1 / law.alpha)
    assert (rest < 0.009) == (speed == 2.0)
    pull = 0.5 * 0.7 * result["load [N]"]
    assert shifts(box, law, pull, task) == pytest.approx(0.001, rel=0.01)
    assert pull / (along * across * law.tangential_stiffness) == pytest.approx(0.001, rel=0.02)


@pytest.mark.jit
def test_a_robot_stands_with_the_step_that_is_told():
    robot = st.robots.biped10()
    result = tune_sole(robot, "left_foot", Task(**COARSE))
    for foot in ("left_foot", "right_foot"):
        robot = robot.with_sole_points(foot, *result["points"].values())
    world = st.World(held(robot))
    motion = st.simulate(
        world,
        st.Distributed(**result["parameters of Distributed"]),
        duration=1.0,
        dt=0.9 * result["longest dt on the robot [s]"],
        state=world.standing(),
    )
    weight = world.total_mass * 9.81
    assert motion.force[-100:-1, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.01)
    assert motion.depth[:-1].max() < 0.011


def test_ground_too_rough_is_told():
    task = Task(amplitude=0.05, wavelength=0.01, unseen=1e-6)
    along, _, bump = coarsest_grid(0.16, 0.08, task, allowed=1e-6)
    assert along == 64 and bump > 1e-6


# ------------------------------------------------------------------------------------- command line


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"depth": 0.0}, "depth is 0.0; give a positive number"),
        ({"amplitude": -1.0}, "amplitude is -1.0; give a number of at least 0"),
        ({"speed": float("nan")}, "speed is nan"),
    ],
)
def test_bad_tasks_are_named(options, says):
    with pytest.raises(InputError, match=says):
        Task(**options)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sole", "biped10", "left_hand"], "'left_hand' is not a shape"),
        (["sole", "biped10", "left_foot", "--depth", "-1"], "depth is -1.0"),
    ],
)
def test_wrong_use_is_told_with_status_2(arguments, says, capsys):
    assert main(["tune", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_the_command_line_tells_what_was_found(monkeypatch, capsys):
    def found(robot, foot, task, progress):
        progress(1.0)
        return {"robot": robot.name, "foot": foot, "depth": task.depth, "holds": task.depth < 0.01}

    monkeypatch.setattr("stiction.tune.sole.tune_sole", found)
    line = ["tune", "sole", "biped10", "left_foot", "--json", "--depth"]
    assert main([*line, "0.005"]) == 0
    assert json.loads(capsys.readouterr().out)["depth"] == 0.005
    assert main([*line, "0.02"]) == 1
