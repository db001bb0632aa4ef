"""The recorded walk: pads, agreement, the verdict; the whole walk if slow tests run."""

import json

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.cli import main
from stiction.errors import MotionFileError
from stiction.validate import human_walk
from stiction.validate.force_plates import Foot, agreement, measures
from stiction.validate.human_walk import BOUNDS, CASES, Walked, summary
from stiction.validate.pads import MASS, with_pads
from stiction.validate.subject import read_plates, read_recorded


@pytest.mark.interpreted
def test_agreement_is_correlation_and_root_mean_square():
    x = np.linspace(0.0, 1.0, 50)
    assert agreement(x + 0.1, x) == (pytest.approx(1.0), pytest.approx(0.1))


@pytest.mark.interpreted
def test_the_worse_foot_counts():
    time = np.linspace(0.0, 1.0, 100)
    plate = np.stack([np.sin(time), time, np.cos(time)], axis=1)
    good = Foot(time, plate, plate, time, time)
    worse = Foot(time, plate + 0.02, plate, time + 0.03, time)
    found = measures({"right": good, "left": worse})
    assert found["vertical_rms"] == pytest.approx(2.0)
    assert found["centre_rms_mm"] == pytest.approx(30.0)


@pytest.mark.interpreted
def test_pads_have_the_stiffness_of_the_sole_and_touch_where_it_did():
    robot = st.robots.hanavan(planar=True)
    sole = st.Distributed(alpha=1.0)
    padded = with_pads(robot, sole)
    rows = padded.nv - robot.nv
    assert rows == 2 * 2 * 6  # two feet, two slides each, six rows
    # two feet of 18 points
    assert padded.stiffness.max() * rows / 2 == pytest.approx(36 * sole.stiffness)
    assert padded.total_mass == pytest.approx(robot.total_mass + rows / 2 * MASS)
    below = {}
    for one in (robot, padded):
        foot = [str(name).startswith("right_foot") for name in one.link_name[one.shape_link]]
        shapes = np.flatnonzero(one.shape_collides & np.array(foot))
        points = [tuple(v) for k in shapes for v in one.vertices_of(k) + one.shape_position[k]]
        below[one.nv] = sorted(points)
    assert len(below[robot.nv]) == 18 and np.allclose(below[robot.nv], below[padded.nv])


PLATES = "t_s," + ",".join(
    f"{side}_{name}"
    for side in ("right", "left")
    for name in ("force_x_N", "force_y_N", "force_z_N", "cop_x_m")
)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: has no column 't_s'"),
        (PLATES.replace("left_cop_x_m", "cop"), "line 1: has no column 'left_cop_x_m'"),
        (f"{PLATES}\n0,1,2,3,4,5,6,7,nan\n", "line 2: column 9 is nan; give finite numbers"),
        (f"{PLATES}\n0,1,2,3,4,5,6,7\n", "has 9 column names but 8 columns"),
        (f"{PLATES}\n" + "".join(f"{t}{',1' * 8}\n" for t in (0, 1, 2, 9)), "equally spaced"),
    ],
)
def test_damaged_plates_are_told(text, words, tmp_path):
    path = tmp_path / "grf.csv"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=words):
        read_plates(path)


@pytest.mark.interpreted
def test_a_damaged_walk_is_told(tmp_path):
    bodies = [f"{name}_{side}" for name in ("femur", "talus", "calcn") for side in "rl"]
    good = {"t": np.arange(9) / 60, "body_names": np.array(bodies)}
    good["whole_body_com"] = np.ones((9, 3))
    good |= {"body_origin_position": np.ones((9, 6, 3)), "body_quaternion_wxyz": np.ones((9, 6, 4))}
    wrong = {
        "has no t": {name: value for name, value in good.items() if name != "t"},
        r"body_quaternion_wxyz has shape \(8, 6, 4\)": {
            **good, "body_quaternion_wxyz": np.ones((8, 6, 4)),
        },
        "whole_body_com has shape .*; expected finite": {
            **good, "whole_body_com": np.full((9, 3), np.nan),
        },
        "has no body 'talus_l'": {
            **good, "body_names": np.array([name.replace("us_l", "") for name in bodies]),
        },
    }  # fmt: skip
    path, robot = tmp_path / "walk.npz", st.robots.hanavan(planar=True)
    for words, arrays in wrong.items():
        np.savez(path, **arrays)
        with pytest.raises(MotionFileError, match=words):
            read_recorded(path, robot)
    path.write_text("hello")
    with pytest.raises(MotionFileError, match="not an archive"):
        read_recorded(path, robot)


@pytest.mark.interpreted
def test_the_verdict_is_that_of_the_best_model():
    row = {"model": "A", "vertical_r": 0.99, "vertical_rms": 3.0, "fore_aft_r": 0.9}
    poor = {**row, "model": "B", "vertical_rms": 20.0}
    assert summary([Walked("A", row, None), Walked("B", poor, None)])["holds"]
    for name, value in (("vertical_r", 0.9), ("vertical_rms", 8.1), ("fore_aft_r", 0.7)):
        assert name in BOUNDS
        assert not summary([Walked("A", {**row, name: value}, None)])["holds"]
    assert not summary([Walked("A", {"model": "A", "failed": "it fell"}, None)])["holds"]


@pytest.mark.interpreted
def test_every_model_of_the_package_is_listed():
    ours = {one for one in st.__all__ if one in CASES} | set(human_walk.CANNOT)
    assert ours == {*CASES, *human_walk.CANNOT} and len(ours) == 11


@pytest.mark.interpreted
def test_the_document_has_units(monkeypatch, capsys):
    row = {"model": "A", "dt_ms": 0.02, "vertical_r": 0.99, "vertical_rms": 3.0, "fore_aft_r": 0.9}
    walks = [Walked("A", {**row, "centre_rms_mm": 5.0}, None)]
    monkeypatch.setattr(human_walk, "validate", lambda *_: (summary(walks), walks))
    assert main(["validate", "human-walk", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["models"][0]["dt"] == 0.02 and found["models"][0]["centre_rms"] == 5.0
    assert found["units"] == {
        "models.dt": "ms",
        "models.vertical_rms": "% of body weight",
        "models.centre_rms": "mm",
        "bounds.vertical_rms": "% of body weight",
    }


@pytest.mark.interpreted
def test_wrong_use_and_missing_data_are_told(monkeypatch, capsys):
    assert main(["validate", "human-walk", "--contact", "Glue"]) == 2
    assert "known are Distributed" in capsys.readouterr().err
    monkeypatch.delenv("STICTION_DATA", raising=False)
    assert main(["validate", "human-walk"]) == 1
    told = capsys.readouterr().err
    assert "set STICTION_DATA" in told and "opensim-models" in told


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_recorded_walk_is_close_to_the_plates():
    data_file("human_walking", "walk_planar.npz")
    result, walks = human_walk.validate(["Distributed", "Coulomb"])
    assert result["holds"], result
    assert walks[1].row["vertical_rms"] < 8.0
