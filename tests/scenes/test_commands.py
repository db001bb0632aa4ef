"""`stiction scenes` and `stiction run` with scenes."""

import json

import pytest

from stiction.cli import main
from stiction.motion.motion import Motion
from stiction.scenes import scene_names

pytestmark = pytest.mark.interpreted


BALL = """shows = "a ball falls on the ground"
duration = 0.3
[robot]
model = "ball"
above = 0.05
[contact]
model = "{model}"
"""


@pytest.fixture
def ball(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(BALL.format(model="GaussSeidel") + "mu_static = 0.4\nmu_kinetic = 0.3\n")
    return path


def test_scenes_lists_all_with_what_they_show(capsys):
    assert main(["scenes"]) == 0
    out = capsys.readouterr().out
    head, *rows = out.splitlines()
    assert "needs data" in head and "shows" in head
    assert [row.split()[0] for row in rows] == scene_names()


def test_scenes_as_json_tells_what_needs_data(capsys):
    assert main(["scenes", "--json"]) == 0
    rows = {row["scene"]: row for row in json.loads(capsys.readouterr().out)["scenes"]}
    assert rows["g1-walk"]["needs_data"] and not rows["walk"]["needs_data"]
    assert rows["drop"]["duration"] == 1.0 and rows["walk"]["duration"] is None


def test_scenes_shows_the_file_of_one(capsys):
    assert main(["scenes", "walk-on-ice"]) == 0
    assert "mu_static = 0.02" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["scenes", "wakl"], "did you mean 'walk'?"),
        (["run", "wakl"], "not a scene, a robot or a file; did you mean 'walk'?"),
        (["run", "stand", "--height", "1"], "--height: only for robots"),
        (["run", "stand", "--base", "fixed"], "--base: only for robots"),
        (["run", "stand", "--contact", "Glue"], "no such contact model"),
        (["run", "stand", "--parameter", "mu=1"], "GaussSeidel has no 'mu'"),
        (["run", "stand", "--parameter", "mu_static=0.1"], "mu_kinetic is 0.5 and mu_static 0.1"),
    ],
)
def test_wrong_use_is_status_2(argv, words, capsys):
    assert main(argv) == 2
    assert words in capsys.readouterr().err


def test_an_error_in_a_scene_file_is_status_1_with_its_line(ball, capsys):
    ball.write_text(ball.read_text().replace("above", "abov"))
    assert main(["run", str(ball)]) == 1
    assert f"{ball}, line 5: robot.abov: unknown key; did you mean 'above'?" in (
        capsys.readouterr().err
    )
    assert main(["run", str(ball.with_name("b.toml"))]) == 1
    assert "b.toml: no such file" in capsys.readouterr().err


@pytest.mark.jit
def test_run_simulates_a_scene_file_with_the_friction_of_the_scene(ball, capsys, tmp_path):
    argv = ["run", str(ball), "--json", "--output", str(tmp_path / "ball.h5")]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["scene"] == "ball" and result["contact"]["mu_kinetic"] == 0.3
    assert result["expected"] is None and "holds" not in result
    assert Motion.load(tmp_path / "ball.h5").time[-1] == pytest.approx(0.3)


def test_another_model_takes_over_the_friction_but_not_over_a_parameter(ball, capsys):
    argv = ["run", str(ball), "--json", "--contact", "SpringDamper", "--duration", "0.01"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["contact"]["model"] == "SpringDamper"
    assert result["contact"]["mu_kinetic"] == 0.3 and result["dt"] == 1e-4
    assert main([*argv, "--parameter", "mu_kinetic=0.1", "--dt", "0.0002"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["contact"]["mu_kinetic"] == 0.1 and result["dt"] == 2e-4


def test_what_a_scene_expects_decides_the_exit_status(ball, capsys):
    text = BALL.format(model="none").replace("duration = 0.3", "duration = 0.03")
    ball.write_text('expect = "upright"\n' + text)
    assert main(["run", str(ball)]) == 1  # nothing carries it
    out, err = capsys.readouterr()
    assert "expected: upright" in out and "found: falls" in out and "holds: no" in out
    assert "'run' did not pass its checks" in err
    ball.write_text('expect = "falls"\n' + text)
    assert main(["run", str(ball)]) == 0


def test_a_run_that_is_shorter_than_the_scene_is_not_judged(ball, capsys):
    ball.write_text('expect = "upright"\n' + BALL.format(model="none"))
    assert main(["run", str(ball), "--duration", "0.01"]) == 0
    assert "not judged, because the run was shorter than the scene" in capsys.readouterr().out


def test_limits_of_a_scene_want_a_reason(ball, capsys):
    ball.write_text(ball.read_text() + "\n[limits]\ndepth = 0.2\n")
    assert main(["run", str(ball)]) == 1
    assert "limits.reason: is missing; say why" in capsys.readouterr().err


def test_bodies_of_a_scene_do_not_start_inside_each_other(ball, capsys):
    ball.write_text(ball.read_text() + '\n[[object]]\nmodel = "box"\nabove = 0.1\n')
    assert main(["run", str(ball)]) == 1
    assert "'box' starts inside 'ball': the boxes around" in capsys.readouterr().err


def test_a_pair_of_materials_that_a_scene_does_not_have_is_refused(ball, capsys):
    ball.write_text(ball.read_text() + '\n[[material]]\npair = ["ground", "ball"]\nmu_static = 1\n')
    assert main(["run", str(ball)]) == 1
    assert (
        f"{ball}: materials: the pair 'ball' and 'ground': there is no" in capsys.readouterr().err
    )
