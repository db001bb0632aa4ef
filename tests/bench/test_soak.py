"""A long run in portions: what it measures, its checkpoints, and when it holds."""

import json
import os
import signal

import numpy as np
import pytest

import stiction as st
from mechanisms import pendulum
from stiction.bench.soak import TENTHS, WARM, Limits, Soak, resident_memory, soak
from stiction.cli import main
from stiction.cli.soak import duration
from stiction.errors import DivergenceError, InputError
from stiction.simulation import portions
from stiction.simulation.portions import Portions

pytestmark = pytest.mark.interpreted


def swinging(q=0.3, **options):
    world = st.World(pendulum(damping=0.0), ground=None)
    return st.Simulation(world, contact=None, state=st.State([q], [0.0]), **options)


def resting(contact=None, dt=1e-3):
    world = st.World(st.robots.brick())
    return st.Simulation(world, contact or st.ImplicitSpringDamper(), dt, world.standing())


@pytest.fixture
def short_portions(monkeypatch):
    monkeypatch.setattr(portions, "MOST_STEPS", 10)


# ----------------------------------------------------------------------------------------- portions


def test_portions_record_what_a_run_records(short_portions):
    world = st.World(pendulum(), ground=None)
    whole = st.simulate(world, contact=None, duration=0.025, state=st.State([0.3], [1.0]))
    taken = Portions(st.Simulation(world, contact=None, state=st.State([0.3], [1.0])))
    assert taken.steps == 10
    for first in (0, 10, 20):
        n = min(10, 25 - first)
        part = taken.take(n)
        assert len(part) == n + 1
        for name in ("q", "v", "torque", "passive"):
            rows = slice(first, first + n)
            np.testing.assert_array_equal(getattr(part, name)[:-1], getattr(whole, name)[rows])
        np.testing.assert_array_equal(part.q[-1], whole.q[first + n])


def test_a_portion_of_many_points_has_few_steps(monkeypatch):
    monkeypatch.setattr(portions, "MOST_MEMORY", 20_000)
    assert 10 <= Portions(resting()).steps < 100


def test_a_portion_that_diverges_says_so_with_its_motion():
    world = st.World(pendulum(), ground=None)
    simulation = st.Simulation(world, contact=None, controller=st.Torques([1e12]))
    with pytest.raises(DivergenceError) as caught:
        Portions(simulation).take(5)
    assert len(caught.value.motion) == 1


# --------------------------------------------------------------------------------- what it measures


def test_a_pendulum_keeps_its_energy_and_moves(short_portions):
    found = soak(swinging(), 0.2)
    assert found["steps"] == 200 and found["simulated [s]"] == pytest.approx(0.2)
    energy = found["energy [J]"]
    assert abs(energy["unexplained"]) < 1e-5 * energy["compared with"]  # error of `Midpoint`
    assert found["held"]["energy"] and not found["held"]["drift"]
    assert found["holds"] is False
    assert len(found["tenths"]) == TENTHS
    assert [row["until [s]"] for row in found["tenths"]] == pytest.approx(
        np.linspace(0.02, 0.2, 10)
    )
    (row,) = found["drift since it settled"]
    assert row["most [mm]"] == pytest.approx(found["tenths"][-1]["drift [mm]"])


def test_drift_is_that_of_the_links_since_they_settled(short_portions):
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    state = world.home()
    state.v[0] = 1.0
    simulation = st.Simulation(world, contact=None, state=state)
    found = soak(simulation, 0.3, limits=Limits(drift=0.28))
    (row,) = found["drift since it settled"]
    assert row["base [mm]"] == pytest.approx(270.0)  # a tenth of the run is for settling
    assert found["holds"] is True
    assert soak(simulation.under(None, state), 0.3, limits=Limits(drift=0.26))["holds"] is False


def test_a_body_that_turns_on_the_spot_does_not_hold(short_portions):
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    state = world.home()
    state.v[5] = 2.0
    found = soak(st.Simulation(world, contact=None, state=state), 0.1)
    (row,) = found["drift since it settled"]
    assert row["turned [degrees]"] == pytest.approx(np.degrees(2.0 * 0.09))
    assert found["held"]["drift"] and not found["held"]["turn"] and not found["holds"]


def test_the_work_of_contact_and_depth_are_counted(short_portions):
    simulation = resting()
    found = soak(simulation, 0.05)
    world, state = simulation.world, simulation.world.standing()
    motion = st.simulate(world, simulation.contact, duration=0.05, state=state)
    assert found["deepest [mm]"] == pytest.approx(1e3 * np.nanmax(motion.depth), rel=1e-12)
    work = found["energy [J]"]["work"]["contact"]
    assert work == pytest.approx(float(np.nansum(motion.energy_balance().contact)), rel=0.2)
    energy = motion.energy().total
    assert found["energy [J]"]["change"] == pytest.approx(energy[-1] - energy[0], rel=1e-9)
    assert found["unsolved steps"]["steps"] == 50


def test_forces_of_the_scene_are_part_of_the_balance(short_portions):
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    push = st.Push("ball", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0, 1.0)
    simulation = st.Simulation(world, contact=None, forces=[push])
    found = soak(simulation, 0.1, [push])["energy [J]"]
    assert found["work"]["external"] == pytest.approx(found["change"], rel=1e-9)
    assert found["change"] > 0


def test_resident_memory_is_that_of_this_process():
    before = resident_memory()
    kept = np.ones(20_000_000)
    assert resident_memory() - before > 0.9 * kept.nbytes


def test_growth_of_memory_fails_the_run(short_portions, monkeypatch):
    used = iter(np.arange(1e6) * 1e6)
    monkeypatch.setattr("stiction.bench.soak.resident_memory", lambda: next(used))
    found = soak(swinging(0.0), 0.01 * (WARM + 30))
    failed = [name for name, held in found["held"].items() if not held]
    assert failed == ["memory"]


# -------------------------------------------------------------------------------------- checkpoints


def test_a_resumed_run_ends_as_one_that_was_not_interrupted(short_portions, tmp_path):
    whole, begun, path = swinging(), swinging(), tmp_path / "c.npz"
    expected = soak(whole, 0.1)

    def stop(done):
        if done > 0.4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        soak(begun, 0.1, checkpoint=path, progress=stop)
    assert begun.time < 0.1
    resumed = swinging()
    found = soak(resumed, 0.1, checkpoint=path, resume=path)
    np.testing.assert_array_equal(resumed.state.q, whole.state.q)
    np.testing.assert_array_equal(resumed.state.v, whole.state.v)
    for name in ("steps", "energy [J]", "deepest [mm]", "drift since it settled", "holds"):
        assert found[name] == expected[name]
    again = soak(swinging(), 0.1, resume=path)  # the last checkpoint is the end
    assert again["energy [J]"] == expected["energy [J]"]


@pytest.mark.parametrize(
    ("options", "lasts", "words"),
    [
        ({}, 0.2, "is a checkpoint of a run of 0.1 s; resume it with the same duration"),
        ({"dt": 0.002}, 0.2, "saved under a different dt"),
        ({"integrator": st.Leapfrog()}, 0.1, "under other controllers, forces or another integ"),
        ({"controller": st.Torques([0.0])}, 0.1, "under other controllers, forces or another"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(options, lasts, words, tmp_path):
    soak(swinging(), 0.1, checkpoint=tmp_path / "c.npz")
    with pytest.raises(InputError, match=words):
        soak(swinging(**options), lasts, resume=tmp_path / "c.npz")


def test_a_state_without_sums_is_no_checkpoint(tmp_path):
    swinging().save_state().save(tmp_path / "c.npz")
    with pytest.raises(InputError, match="not a checkpoint of this run; it has no such 'seconds'"):
        soak(swinging(), 0.1, resume=tmp_path / "c.npz")


def test_a_checkpoint_that_cannot_be_written_is_told_before_the_run(tmp_path):
    simulation = swinging()
    with pytest.raises(InputError, match="the folder .* does not exist"):
        soak(simulation, 0.1, checkpoint=tmp_path / "none" / "c.npz")
    assert simulation.time == 0.0


def test_a_run_that_fails_keeps_the_last_checkpoint(short_portions, tmp_path):
    world = st.World(pendulum(), ground=None)
    torque = st.Torques([[0.0], [1e12]], [0.0, 0.055])
    simulation = st.Simulation(world, contact=None, controller=torque)
    with pytest.raises(DivergenceError):
        soak(simulation, 0.2, checkpoint=tmp_path / "c.npz")
    other = st.Simulation(world, contact=None, controller=torque)
    run = Soak(other, 0.2, ())
    run.resume(tmp_path / "c.npz")
    assert other.time == pytest.approx(0.05)


# ------------------------------------------------------------------------------------- command line


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("24h", 86400.0), ("10m", 600.0), ("3600s", 3600.0), ("0.5", 0.5), ("1d", 86400.0)],
)
def test_durations_have_units(text, seconds):
    assert duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "-1h", "0s", "nan", "inf", "1e400h", "10 weeks", "1h30m"]
)
def test_other_durations_are_wrong_use(text, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["soak", "ball", f"--for={text}"])
    assert stop.value.code == 2
    assert "give a positive time such as 24h" in capsys.readouterr().err


def test_the_command_reports_and_judges(tmp_path, capsys):
    path = str(tmp_path / "c.npz")
    argv = ["soak", "brick", "--contact", "ImplicitSpringDamper", "--for", "0.03s", "--json"]
    assert main([*argv, "--checkpoint", path]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulated"] == "brick" and found["steps"] == 30 and found["holds"] is True
    assert main([*argv, "--resume", path]) == 0
    assert json.loads(capsys.readouterr().out)["energy"] == found["energy"]
    assert main(["soak", "ball", "--contact", "none", "--for", "0.03s"]) == 1  # it falls
    assert "'soak' did not pass its checks" in capsys.readouterr().err


def test_the_command_takes_scenes(tmp_path, capsys):
    path = tmp_path / "two.toml"
    path.write_text(
        'shows = "a brick"\nduration = 1.0\n[robot]\nmodel = "brick"\n'
        '[contact]\nmodel = "ImplicitSpringDamper"\n'
    )
    assert main(["soak", str(path), "--for", "0.01", "--dt", "0.001", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulated"] == "two" and found["contact"]["model"] == "ImplicitSpringDamper"
