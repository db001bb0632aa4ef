"""The command line: what it prints, where, and with which exit status."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import stiction
from stiction.cli import COMMANDS, Command, Progress, as_text, document, main, plain
from stiction.cli.bench import BENCHES
from stiction.contact.contact_model import MODELS
from stiction.control.controller import CONTROLLERS
from stiction.description.hull import DEFAULT_POINTS
from stiction.description.reading import INERTIAS
from stiction.errors import DivergenceError, InputError
from stiction.motion.motion import Motion
from stiction.scenes.plug_ins import INTEGRATOR_KINDS
from stiction.step.integrator import INTEGRATORS

pytestmark = pytest.mark.plain


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
        assert re.search(rf"^    {entry.name}\b", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_help_and_json(entry, capsys):
    with pytest.raises(SystemExit) as stop:
        main([entry.name, "--help"])
    assert stop.value.code == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize("name", BENCHES)
def test_every_benchmark_has_help_of_its_own(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", name, "--help"])
    assert stop.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    assert BENCHES[name].help in out and "--json" in out
    for option, of in (("--contacts", "lcp"), ("--device", "worlds"), ("--profile", "contact")):
        assert (option in out) == (name == of)


def test_help_tells_the_defaults_of_readers(capsys):
    with pytest.raises(SystemExit):
        main(["robots", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert f"(default {DEFAULT_POINTS})" in out
    assert f"--inertia {{{','.join(INERTIAS)}}}" in out


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
        (["bench", "nothing"], "dynamics"),
        (["bench", "dynamics", "--steps", "0"], "--steps: found '0'"),
        (["bench", "dynamics", "--repeats", "two"], "--repeats: found 'two'"),
        (["rnu"], "invalid choice: 'rnu'"),
        (["rnu"], "; did you mean 'run'?"),
        (["bench", "Dynamcs"], "; did you mean 'dynamics'?"),
        (["validate", "human_walk"], "; did you mean 'human-walk'?"),
        (["run", "ball", "--inertia", "repiar"], "; did you mean 'repair'?"),
        (["run", "ball", "--contct", "Coulomb"], "; did you mean '--contact'?"),
        (["run", "ball", "--contct=Coulomb"], "; did you mean '--contact'?"),
        (["bench", "gym", "--wrlds", "3"], "stiction bench gym: error: unrecognized arguments"),
        (["bench", "gym", "--wrlds", "3"], "; did you mean '--worlds'?"),
        (["run", "ball", "--every", "0"], "--every: found '0'; give a positive integer"),
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


@pytest.mark.parametrize("words", [["robots", "--jason"], ["robot"], ["run"]])
def test_a_wrong_command_line_with_json_is_on_stdout_too(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--json"])
    out, err = capsys.readouterr()
    assert stop.value.code == 2
    assert err.endswith(f"error: {json.loads(out)['error']}\n")
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().out == ""


def test_a_claim_that_fails_is_status_1_after_the_result(capsys):
    assert main(["try"], command(lambda args: {"ratio": 0.7, "holds": False})) == 1
    out, err = capsys.readouterr()
    assert out == "ratio: 0.7\nholds: no\n"
    assert err == "stiction: error: 'try' did not pass its checks\n"


def test_a_claim_that_fails_is_one_json_document(capsys):
    assert main(["try", "--json"], command(lambda args: {"ratio": 0.7, "holds": False})) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["ratio"] == 0.7
    assert result["holds"] is False
    assert "did not pass" in result["error"]


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


def test_progress_tells_what_is_being_done(capsys):
    Progress("demo", enabled=True)(0.5, "compiling")
    assert capsys.readouterr().err == "\r\033[Kdemo  50 % compiling"


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
    assert rows["biped10"]["mass"] == biped.total_mass


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
        "mass": 0.2,
        "centre_of_mass": [0.0, 0.0, 0.0],
    }
    assert found["units"]["links.mass"] == "kg" and found["units"]["total_mass"] == "kg"


def test_an_unknown_robot_is_told_what_there_is(capsys):
    assert main(["robots", "brik"]) == 1
    err = capsys.readouterr().err
    assert "'brik'" in err
    assert err.endswith("; did you mean 'brick'?\n")


# ------------------------------------------------------------------------------------------- models


SPONGE = """'''Somebody, "A sponge", section 4.

Everything about sponges.
'''
from typing import Annotated, NamedTuple

from stiction.contact.contact_model import NO_PULL, Parameter, contact_model, vector
from stiction.kernels.vectors import scale, store_vector


class Sponge(NamedTuple):
    '''Soft.'''

    stiffness: Annotated[float, Parameter("N/m", low=0, high=1e5)]


@contact_model(Sponge, promises=(NO_PULL,))
def sponge(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        f = scale(params.stiffness * contact.depth[i], vector(contact.normal, i))
        store_vector(contact.force, i, f)
    return 0


not_a_model = 3
"""

MOTION = """
from typing import Annotated, NamedTuple

from stiction.extend import Parameter, controller, integrator


class Drift(NamedTuple):
    speed: Annotated[float, Parameter("m/s", low=0)] = 0.5


@integrator(Drift)
def drift(params, system, state, work, time, dt):
    state.q[2] += dt * params.speed
    return 0


class Lift(NamedTuple):
    force: float


@controller(Lift)
def lift(params, dynamics, time, q, v):
    dynamics.control[2] += params.force
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A folder with the module `own_sponge` of a user, who is there."""
    (tmp_path / "own_sponge.py").write_text(SPONGE)
    (tmp_path / "broken_sponge.py").write_text("import math\n1 / 0\n")
    (tmp_path / "cut_off_sponge.py").write_text("print(\n")
    (tmp_path / "needy_sponge.py").write_text("import soap\n")
    (tmp_path / "leaving_sponge.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "endless_sponge.py").write_text(SPONGE.replace("    return 0\n", ""))
    (tmp_path / "own_motion.py").write_text(MOTION)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for registry in (MODELS, INTEGRATORS, CONTROLLERS):
        for kind in [kind for kind in registry if kind.__module__ in ("own_sponge", "own_motion")]:
            del registry[kind]
    for name in ("own_sponge", "own_motion"):
        sys.modules.pop(name, None)


def test_models_lists_every_model_with_its_paper_family_and_parameters(capsys):
    assert main(["models", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["models"]}
    assert {"SpringDamper", "HuntCrossley", "Coulomb", "GaussSeidel", "Bilateral"} <= rows.keys()
    assert all(hasattr(stiction, name) for name in rows)
    assert rows["SpringDamper"]["family"] == "force law"
    assert rows["GaussSeidel"]["family"] == "impulse solver"
    assert "Sugihara & Nakamura" in rows["SpringDamper"]["from"]
    for name, section in (("SpringDamper", "III-A"), ("HuntCrossley", "3.1.1")):
        assert rows[name]["from"].endswith(f"section {section}")
    assert rows["GaussSeidel"]["from"].endswith("II.B and II.C")
    assert rows["Feedback"]["from"].endswith('bipedal robots"')  # section V has only its epsilon
    assert "the ground never pulls" in rows["Coulomb"]["promises"]
    (stiffness,) = [row for row in rows["SpringDamper"]["parameters"] if row["name"] == "stiffness"]
    assert stiffness["default"] == stiction.SpringDamper().stiffness
    assert (stiffness["unit"], stiffness["lowest"], stiffness["highest"]) == ("N/m", 0, None)


def test_models_begins_with_an_overview(capsys):
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines[1 : lines.index("")]]
    assert len(set(names)) == len(names) > 5
    for name in names:
        assert any(line.startswith(f"{name}: ") for line in lines)


@pytest.mark.parametrize("name", ["HuntCrossley", "Coulomb", "Bilateral"])
def test_a_model_is_told_with_its_whole_documentation(name, capsys):
    assert main(["models", name]) == 0
    out = capsys.readouterr().out
    kind = getattr(stiction, name)
    assert (sys.modules[kind.__module__].__doc__ or "").strip() in out
    assert kind.__doc__ in out


def test_a_model_of_the_user_is_told_like_ours(own_module, capsys):
    assert main(["models", "own_sponge:Sponge", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["from"] == 'Somebody, "A sponge", section 4'
    assert found["parameters"][0]["highest"] == 1e5
    assert "Everything about sponges." in found["documentation"]
    assert main(["models"]) == 0
    assert "Sponge" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "parameters", "words"),
    [
        ("Colomb", [], "--contact Colomb: no such contact model; known are"),
        ("coulomb", [], "did you mean 'Coulomb'?"),
        ("gaussseidl", [], "did you mean 'GaussSeidel'?"),
        ("no_such:Model", [], "--contact no_such:Model: there is no module 'no_such' in"),
        ("own_sponge:Spunge", [], "module 'own_sponge' has no 'Spunge'; give Sponge"),
        ("own_sponge:not_a_model", [], "is not declared with @contact_model; give Sponge"),
        ("own_sponge:", [], "--contact own_sponge:: give module:Name"),
        (":Sponge", [], "--contact :Sponge: give module:Name"),
        ("json:Sponge", [], "has no 'Sponge'; give a NamedTuple declared with @contact_model"),
        ("sponges/own.py:Sponge", [], "there is no file sponges/own.py"),
        ("broken_sponge:X", [], "broken_sponge.py, line 2)"),
        ("cut_off_sponge:X", [], "SyntaxError: '(' was never closed (cut_off_sponge.py, line 1)"),
        ("needy_sponge:X", [], "cannot be imported: ModuleNotFoundError: No module named 'soap'"),
        ("leaving_sponge:X", [], "cannot be imported: SystemExit: 3 ("),
        (
            "endless_sponge:X",
            [],
            "InputError: endless_sponge.py:19, contact model 'sponge'",
        ),
        ("endless_sponge:X", [], "another status ("),
        ("endless_sponge:X", [], "endless_sponge.py, line 17)"),
        ("own_sponge:Sponge", [], "Sponge has no default for stiffness; give a value"),
        ("own_sponge:Sponge", ["stiffness=2e5"], "from 0 to 100000 N/m"),
        ("Coulomb", ["mu=0.8"], "Coulomb has no 'mu'; it has mu_static"),
        ("Coulomb", ["mu_static=1", "mu=0.80"], "error: --parameter mu=0.80: Coulomb has no 'mu'"),
        ("Coulomb", ["contact.mu_static=-1"], "--parameter contact.mu_static=-1: Coulomb"),
        ("Coulomb", ["mu_statc=0.8"], "; did you mean 'mu_static'?"),
        ("Coulomb", ["mu_static=-1"], "mu_static is -1.0; give a finite number"),
        ("Coulomb", ["mu_static=nan"], "mu_static is nan"),
        ("Coulomb", ["mu_static=much"], "give NAME=VALUE"),
        ("Coulomb", ["mu_static"], "give NAME=VALUE"),
        ("Coulomb", ["mu_kinetic=0.9"], "give a mu_static of at least mu_kinetic"),
        ("Coulomb", ["mu_static=1", "mu_static=1"], "is given twice"),
        ("Coulomb", ["robot.mu_static=1"], "give NAME=VALUE"),
        ("none", ["mu_static=0.8"], "there is no contact model; give --contact"),
    ],
)
def test_wrong_models_and_parameters_are_status_2(own_module, model, parameters, words, capsys):
    options = [word for one in parameters for word in ("--parameter", one)]
    assert main(["run", "ball", "--contact", model, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.startswith("stiction: error: ") and err.count("\n") == 1


def test_an_unknown_model_is_status_2_with_json_too(capsys):
    assert main(["models", "Colomb", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"] in err


# ---------------------------------------------------------------------------------------------- run


def test_run_tells_which_integrators_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(INTEGRATOR_KINDS.ours())}, or your own MODULE:NAME" in text
    assert main(["run", "ball", "--integrator", "Euler"]) == 2
    assert "--integrator Euler: no such integrator; " in capsys.readouterr().err


def test_run_writes_the_motion_that_it_tells_of(tmp_path, capsys):
    path = tmp_path / "fall.h5"
    argv = ["run", "ball", "--duration", "0.1", "--dt", "0.01", "--height", "2", "--json"]
    assert main([*argv, "--contact", "none", "--output", str(path)]) == 0
    result = json.loads(capsys.readouterr().out)
    motion = Motion.load(path)
    assert result["motion_file"] == str(path)
    assert result["final_time"] == pytest.approx(0.1)
    assert motion.time[-1] == result["final_time"]
    assert motion.q[0, 2] == pytest.approx(2.05, rel=1e-15)  # its radius and 2 m
    assert motion.energy().total[0] == pytest.approx(result["initial_energy"], rel=1e-12)
    assert motion.energy().total[-1] == pytest.approx(result["final_energy"], rel=1e-12)


def test_run_writes_one_of_some_steps_and_is_judged_by_all(tmp_path, capsys):
    path = tmp_path / "fall.h5"
    argv = ["run", "ball", "--contact", "none", "--height", "2", "--duration", "0.1", "--json"]
    assert main([*argv, "--output", str(path), "--every", "20"]) == 0
    every = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(Motion.load(path).time, 0.02 * np.arange(6), atol=1e-15)
    assert main([*argv, "--output", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == every
    assert main([*argv, "--every", "20"]) == 2
    assert "--every: nothing is written without --output" in capsys.readouterr().err


def test_run_tells_what_is_measured_in_every_run(capsys):
    argv = ["run", "brick", "--contact", "SpringDamper", "--dt", "0.0005", "--duration", "0.01"]
    assert main([*argv, "--json", "--parameter", "mu_kinetic=0.3", "--parameter", "eps=0.01"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["contact"]["model"] == "SpringDamper"
    assert result["contact"]["mu_kinetic"] == 0.3 and result["contact"]["eps"] == 0.01
    parts = result["work_and_change_in_energy"]
    change = result["final_energy"] - result["initial_energy"]
    assert parts["kinetic"] + parts["potential"] == pytest.approx(change, abs=1e-12)
    world = stiction.World(stiction.robots.brick())
    floor = stiction.SpringDamper(mu_kinetic=0.3, eps=0.01)
    state = world.standing()
    quality = stiction.simulate(world, floor, duration=0.01, dt=0.0005, state=state).quality()
    assert result["contact_largest"] == {k: v for k, v in document(quality).items() if k != "units"}
    assert result["units"]["contact_largest.depth"] == "m"
    assert result["units"]["contact.stiffness"] == "N/m"
    assert result["units"]["contact.eps"] == "m/s"
    assert result["units"]["unsolved_steps.time"] == "s"
    assert result["unsolved_steps"]["time"] is None
    assert "contact.sticking" not in result["units"]  # a switch


@pytest.mark.jit
def test_run_leaves_out_the_cone_of_a_model_that_has_none(capsys):
    assert main(["run", "brick", "--contact", "Bilateral", "--duration", "0.01", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["contact_largest"]["failures"] == 0
    assert "cone_violation" not in result["contact_largest"]


def test_run_warns_in_one_line_of_a_step_that_a_law_does_not_bear(capsys):
    argv = ["run", "brick", "--contact", "SpringDamper", "--duration", "0.002", "--dt", "0.002"]
    assert main([*argv, "--json"]) == 0
    out, err = capsys.readouterr()
    (note,) = json.loads(out)["notes"]
    assert "stable only up to" in note
    assert err == f"stiction: warning: {note}\n"


def test_one_point_is_singular(capsys):
    argv = ["run", "ball", "--contact", "ImplicitSpringDamper", "--duration", "0.002"]
    assert main(argv) == 0
    told = capsys.readouterr().err
    assert "but 1 point of 'ball' with an effective mass of 0.143 kg is stable only" in told


MISSPELT = """
<robot name="crate">
  <link name="crate">
    <inertial>
      <mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lid"/>
  <joint name="hinge" type="fixed">
    <orgin xyz="0 0 1"/><parent link="crate"/><child link="lid"/>
  </joint>
</robot>
"""


def test_run_notes_what_it_ignores_in_the_file_of_a_robot(tmp_path, capsys):
    path = tmp_path / "crate.urdf"
    path.write_text(MISSPELT)
    assert main(["run", str(path), "--duration", "0.002", "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note == "'crate': ignored elements and attributes: <orgin> of <joint> (1)"


@pytest.mark.interpreted
def test_run_takes_a_model_of_the_user(own_module, capsys):
    argv = ["run", "brick", "--contact", "own_sponge:Sponge", "--duration", "0.01"]
    assert main([*argv, "--parameter", "stiffness=1000"]) == 0
    assert "stiffness [N/m]: 1000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("fly.csv", b'"time","q ball_free x"'),
        ("fly.glb", b"glTF\2\0\0\0"),
        ("fly.rrd", b"RRF2"),
        ("fly.STO", b"Coordinates\nversion=1\n"),
        ("fly.html", b"<!doctype html>"),
    ],
)
@pytest.mark.interpreted
def test_run_writes_the_kind_of_file_that_the_name_ends_in(name, head, tmp_path, capsys):
    argv = ["run", "ball", "--contact", "none", "--duration", "0.003", "--json", "--output"]
    assert main([*argv, str(tmp_path / name)]) == 0
    assert json.loads(capsys.readouterr().out)["motion_file"] == str(tmp_path / name)
    assert (tmp_path / name).read_bytes()[: len(head)] == head


@pytest.mark.parametrize("name", ["motion", "motion.h4", "motion.tar.gz", "h5"])
def test_run_refuses_an_unknown_kind_of_file_before_it_begins(name, capsys):
    assert main(["run", "ball", "--output", name]) == 2
    told = capsys.readouterr().err
    assert f"--output {name}: unknown kind of file; give a name that ends in .h5, .csv" in told


def test_run_keeps_a_motion_that_cannot_be_written_as_asked(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("stiction.interchange.gltf.glb", failing)
    argv = ["run", "ball", "--contact", "none", "--duration", "0.003", "--json", "--output"]
    assert main([*argv, str(tmp_path / "fly.glb")]) == 1
    out, err = capsys.readouterr()
    kept = json.loads(out)["motion_file"]
    assert json.loads(out)["final_time"] == 0.003
    assert f"error: no mesh; the motion is in {kept}" in err
    assert len(Motion.load(kept)) == 4
    assert list(tmp_path.iterdir()) == []


def failing(*_):
    raise InputError("no mesh")


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


@pytest.mark.interpreted
def test_run_places_a_robot_on_scenery(tmp_path, capsys):
    """The top of a table is at 0.75 m, and a brick is 0.06 m high."""
    output = tmp_path / "motion.h5"
    options = ["--at", "0.1,0.2,0.78,0.5", "--scenery", "table", "--duration", "0.005"]
    assert main(["run", "brick", *options, "--self-collision", "--output", str(output)]) == 0
    capsys.readouterr()
    motion = Motion.load(output)
    assert motion.world.self_collision == ("brick",)
    np.testing.assert_allclose(motion.q[0, :3], [0.1, 0.2, 0.78])
    np.testing.assert_allclose(motion.q[-1], motion.q[0], atol=1e-9)  # it rests
    assert motion.force_between("brick", "table")[2, 2] == pytest.approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["brick", "--at", "1,2"], "found '1,2'; give X,Y,Z or X,Y,Z,TURN"),
        (["brick", "--at", "1,2,x"], "found '1,2,x'"),
        (["brick", "--inertia", "mend"], "invalid choice: 'mend'"),
        (["brick", "--hull-points", "many"], "invalid int value: 'many'"),
    ],
)
def test_run_refuses_options_of_places_and_files(options, words, capsys):
    assert words in wrong_use(["run", *options], capsys)


@pytest.mark.parametrize(
    ("options", "words", "status"),
    [
        (["brick", "--hull-points", "16"], "--hull-points: only for files; 'brick' is built in", 1),
        (["brick", "--base", "fixed"], "--base: only for files; 'brick' is built in", 1),
        (["brick", "--scenery", "tabel"], "no robot 'tabel'", 1),
        (["brick", "--at", "0,0,1", "--height", "1"], "--height: --at places the robot", 2),
        (["stand", "--self-collision"], "--self-collision: only for robots; scene 'stand'", 2),
        (["stand", "--at", "0,0,1"], "--at: only for robots", 2),
    ],
)
def test_run_tells_which_options_do_not_go_together(options, words, status, capsys):
    assert main(["run", *options]) == status
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_run_keeps_the_motion_of_a_run_that_diverged(tmp_path, capsys, monkeypatch):
    path = tmp_path / "part.h5"
    world = stiction.World(stiction.robots.ball())
    part = stiction.simulate(world, contact=None, duration=0.02, dt=0.01)

    def diverge(*args, **options):
        raise DivergenceError("joint 'base' is not finite at t = 0.03 s", part)

    monkeypatch.setattr(stiction, "simulate", diverge)
    assert main(["run", "ball", "--output", str(path)]) == 1
    assert f"the motion until then is in {path}" in capsys.readouterr().err
    np.testing.assert_array_equal(Motion.load(path).q, part.q)


@pytest.mark.interpreted
def test_run_takes_an_integrator_and_a_controller_of_the_user(own_module, capsys):
    flies = ["run", "ball", "--contact", "none", "--duration", "0.1", "--output", "fly.h5"]
    argv = [*flies, "--integrator", "own_motion:Drift"]
    for options, speed in ([], 0.5), (["--parameter", "integrator.speed=2"], 2.0):
        assert main([*argv, *options]) == 0
        q = Motion.load("fly.h5").q
        assert q[-1, 2] - q[0, 2] == pytest.approx(0.1 * speed, rel=1e-12)
    twice_the_weight = 2 * 9.81 * stiction.robots.ball().total_mass
    argv = [*flies, "--controller", "own_motion.py:Lift"]
    assert main([*argv, "--parameter", f"controller.force={twice_the_weight}"]) == 0
    assert Motion.load("fly.h5").v[-1, 2] == pytest.approx(0.1 * 9.81, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--integrator", "own_motion:Lift"], "is not declared with @integrator; give Drift"),
        (["--controller", "own_motion:Drift"], "is not declared with @controller; give Lift"),
        (["--controller", "Lift"], "no such controller; give your own module:Name"),
        (["--controller", "own_motion:Lift"], "Lift has no default for force; give a value"),
        (["--parameter", "controller.force=1"], "there is no controller; give --controller"),
        (
            ["--integrator", "own_motion:Drift", "--parameter", "integrator.speed=-1"],
            "Drift: speed is -1.0; give a finite number of at least 0 m/s",
        ),
        (
            ["--parameter", "integrator.speed=1"],
            "--parameter integrator.speed=1: Midpoint has no 'speed'; it has no parameters",
        ),
    ],
)
def test_wrong_integrators_and_controllers_are_status_2(own_module, options, words, capsys):
    assert main(["run", "ball", *options]) == 2
    assert words in capsys.readouterr().err
