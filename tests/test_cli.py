"""The command line: what it prints, where, and with which exit status."""

import json
import subprocess
import sys

import numpy as np
import pytest

import stiction
from stiction.cli import COMMANDS, INTEGRATORS, Command, Progress, as_text, main, plain
from stiction.errors import DivergenceError, InputError
from stiction.motion import Motion


def command(run, name="try"):
    """A command line with one command that does `run`."""
    return (Command(name, "tries something", lambda parser: None, run),)


def raises(error):
    def run(args):
        raise error

    return run


def wrong_use(argv, capsys):
    """Stderr of a command line that argparse refuses with status 2."""
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 2
    return capsys.readouterr().err


# ------------------------------------------------------------------------------------ help and use


SCRIPT = "from stiction.cli import main; main()"


@pytest.mark.parametrize("start", [["-m", "stiction"], ["-c", SCRIPT]], ids=["module", "script"])
def test_help_names_every_command(start):
    done = subprocess.run([sys.executable, *start, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
    for entry in COMMANDS:
        assert f"    {entry.name} " in done.stdout


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_help_and_json(entry, capsys):
    with pytest.raises(SystemExit) as stop:
        main([entry.name, "--help"])
    assert stop.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_version_is_the_installed_one(capsys):
    from importlib.metadata import version

    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"stiction {version('stiction')}\n"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "COMMAND"),
        (["fly"], "invalid choice: 'fly'"),
        (["robots", "--fast"], "--fast"),
        (["run"], "ROBOT"),
        (["run", "ball", "--dt", "small"], "--dt"),
        (["run", "ball", "--integrator", "Euler"], "RungeKutta4"),
        (["bench", "nothing"], "dynamics"),
        (["bench", "dynamics", "--steps", "0"], "--steps: found '0'"),
        (["bench", "dynamics", "--repeats", "two"], "--repeats: found 'two'"),
    ],
)
def test_wrong_use_is_status_2(argv, words, capsys):
    assert words in wrong_use(argv, capsys)


# ------------------------------------------------------------------------------- results and errors


def test_a_missing_file_is_one_line_on_stderr_and_status_1(tmp_path):
    argv = [sys.executable, "-m", "stiction", "robots", str(tmp_path / "none.xml")]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"stiction: error: {tmp_path / 'none.xml'}: no such file\n"


def test_an_error_of_several_lines_becomes_one(capsys):
    assert main(["try"], command(raises(InputError("q is NaN\n  at joint 3")))) == 1
    assert capsys.readouterr() == ("", "stiction: error: q is NaN at joint 3\n")


def test_an_error_with_json_is_on_stdout_too(capsys):
    assert main(["try", "--json"], command(raises(InputError("no")))) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": "no"}
    assert err == "stiction: error: no\n"


def test_a_claim_that_fails_is_status_1_after_the_result(capsys):
    assert main(["try"], command(lambda args: {"ratio": 0.7, "holds": False})) == 1
    out, err = capsys.readouterr()
    assert out == "ratio: 0.7\nholds: no\n"
    assert err == "stiction: error: what 'try' claims does not hold\n"


def test_a_claim_that_fails_is_one_json_document(capsys):
    assert main(["try", "--json"], command(lambda args: {"ratio": 0.7, "holds": False})) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["ratio"] == 0.7
    assert result["holds"] is False
    assert "does not hold" in result["error"]


def test_a_claim_may_be_a_numpy_bool(capsys):
    assert main(["try"], command(lambda args: {"holds": np.float64(1.0) < 0.5})) == 1
    assert main(["try"], command(lambda args: {"holds": np.float64(0.1) < 0.5})) == 0


def test_a_command_may_have_nothing_to_say(capsys):
    assert main(["try"], command(lambda args: None)) == 0
    assert capsys.readouterr() == ("", "")


def test_interruption_is_status_130(capsys):
    assert main(["try"], command(raises(KeyboardInterrupt()))) == 130
    assert capsys.readouterr() == ("", "stiction: interrupted\n")


def test_a_bug_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        main(["try"], command(raises(ZeroDivisionError())))


def test_json_knows_numpy_and_has_no_nan(tmp_path):
    value = {"a": np.float64(1.5), "b": np.arange(2), "c": (np.nan, np.inf), "d": tmp_path, 4: True}
    assert plain(value) == {"a": 1.5, "b": [0, 1], "c": [None, None], "d": str(tmp_path), "4": True}


def test_text_has_tables_with_numbers_to_the_right():
    rows = [{"name": "a", "mass": 10.0}, {"name": "long", "mass": 2.5}]
    assert as_text({"robots": rows, "notes": [], "parts": {"x": None}}).splitlines() == [
        "robots:",
        "  name  mass",
        "  a       10",
        "  long   2.5",
        "notes: none",
        "parts:",
        "  x: -",
    ]


# ----------------------------------------------------------------------------------------- progress


def test_progress_is_silent_without_a_terminal(capsys):
    assert main(["try"], command(lambda args: args.progress(0.5))) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_progress_is_on_the_stderr_of_a_terminal_but_not_with_json(options, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["try", *options], command(lambda args: args.progress(0.5))) == 0
    out, err = capsys.readouterr()
    assert out == ("{}\n" if options else "")
    assert err == ("" if options else "\r\033[Ktry  50 %\r\033[K")


def test_progress_writes_only_what_changed(capsys):
    progress = Progress("run", enabled=True)
    for fraction in (0.101, 0.102, 2.0):
        progress(fraction)
    assert capsys.readouterr().err == "\r\033[Krun  10 %\r\033[Krun 100 %"


# ------------------------------------------------------------------------------------------- robots


def test_robots_lists_the_built_in_ones(capsys):
    assert main(["robots", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["robots"]}
    assert sorted(rows) == sorted(stiction.robots.__all__)
    biped = stiction.robots.biped10()
    assert rows["biped10"]["nq"] == biped.nq
    assert rows["biped10"]["nv"] == biped.nv
    assert rows["biped10"]["mass [kg]"] == biped.total_mass


PENDULUM = """
<mujoco model="clock">
  <worldbody>
    <body name="rod"><joint name="pin" axis="0 1 0"/><geom size="0.1" pos="0 0 -1" mass="3"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def pendulum(tmp_path):
    path = tmp_path / "clock.xml"
    path.write_text(PENDULUM)
    return path


def test_robots_describes_a_file(pendulum, capsys):
    assert main(["robots", str(pendulum)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "name: clock" in lines
    assert "total mass [kg]: 3" in lines
    rows = [line.split() for line in lines]
    assert ["rod", "3", "0", "0", "-1"] in rows  # link, mass, centre
    assert ["pin", "revolute", "-", "-", "0", "0", "0"] in rows
    assert ["geom_0", "rod", "sphere", "0.1", "yes"] in rows


def test_robots_describes_soles_and_remarks_as_json(capsys):
    assert main(["robots", "biped10", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [sole["link"] for sole in found["soles"]] == ["left_foot", "right_foot"]
    assert found["remarks"] == []
    assert found["links"][1] == {
        "link": "left_hip",
        "parent": "trunk",
        "mass [kg]": 0.2,
        "centre of mass [m]": [0.0, 0.0, 0.0],
    }


def test_an_unknown_robot_is_told_what_there_is(capsys):
    assert main(["robots", "brik"]) == 1
    err = capsys.readouterr().err
    assert "'brik'" in err
    assert "brick" in err


# ---------------------------------------------------------------------------------------------- run


def test_integrators_are_public():
    for name in INTEGRATORS:
        assert name in stiction.__all__


def test_run_writes_the_motion_that_it_tells_of(tmp_path, capsys):
    path = tmp_path / "fall.h5"
    argv = ["run", "ball", "--duration", "0.1", "--dt", "0.01", "--height", "2", "--json"]
    assert main([*argv, "--output", str(path)]) == 0
    result = json.loads(capsys.readouterr().out)
    motion = Motion.load(path)
    assert result["motion file"] == str(path)
    assert result["final time [s]"] == pytest.approx(0.1)
    assert motion.time[-1] == result["final time [s]"]
    assert motion.q[0, 2] == stiction.robots.ball().home[2] + 2.0
    assert motion.energy().total[0] == pytest.approx(result["energy at begin [J]"], rel=1e-12)
    assert motion.energy().total[-1] == pytest.approx(result["energy at end [J]"], rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dt", "0"], "dt"),
        (["--duration", "-1"], "duration"),
        (["--height", "1"], "--height 1: 'rod' of robot 'clock'"),
        (["--output", "no/such/folder/motion.h5"], "no/such/folder"),
    ],
)
def test_run_refuses_in_one_line(pendulum, options, words, capsys):
    assert main(["run", str(pendulum), *options]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_run_keeps_the_motion_of_a_run_that_diverged(tmp_path, capsys, monkeypatch):
    path = tmp_path / "part.h5"
    world = stiction.World(stiction.robots.ball())
    part = stiction.simulate(world, duration=0.02, dt=0.01)

    def diverge(*args, **options):
        raise DivergenceError("joint 'base' is not finite at t = 0.03 s", part)

    monkeypatch.setattr(stiction, "simulate", diverge)
    assert main(["run", "ball", "--output", str(path)]) == 1
    assert f"the motion until then is in {path}" in capsys.readouterr().err
    np.testing.assert_array_equal(Motion.load(path).q, part.q)
