"""The demonstration lets a robot walk under every model, and says what came out."""

import json
from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from stiction.bench import demo, walk_measures
from stiction.cli import document, main
from stiction.compare.runs import thinned
from stiction.contact.contact_model import MODELS, NoContact
from stiction.errors import SimulationError

NAMES = [kind.__name__ for kind in demo.by_family()]
STEPS = 2


def test_every_model_of_ours_is_shown():
    ours = {kind.__name__ for kind in MODELS if kind.__module__.startswith("stiction.")}
    assert set(NAMES) == ours - {NoContact.__name__}
    assert all(hasattr(st, name) for name in NAMES)


def test_all_have_the_same_friction_and_no_parameter_is_lost():
    for kind in demo.by_family():
        model = demo.ground(kind)
        frictions = {getattr(model, name) for name in kind._fields if name.startswith("mu")}
        assert frictions <= {demo.FRICTION}
        assert set(demo.PARAMETERS.get(kind.__name__, {})) <= set(kind._fields)


def test_soft_ground_gives_way_by_what_is_told():
    assert st.robots.hoap1().mass.sum() == pytest.approx(demo.MASS)
    load = demo.MASS * 9.81 / demo.CORNERS
    for name in ("SpringDamper", "HuntCrossley", "Distributed"):
        model = demo.ground(getattr(st, name))
        depth = (load / model.stiffness) ** (1 / getattr(model, "alpha", 1.0))
        assert depth == pytest.approx(demo.SINKS)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The demonstration with one model and few steps, its folder, and what progress was told."""
    folder, seen = tmp_path_factory.mktemp("demo") / "new", []

    def progress(fraction, doing):
        seen.append((fraction, doing))

    return demo.demo(folder, progress, [st.GaussSeidel], STEPS), folder, seen


@pytest.mark.jit
def test_the_demo_holds_and_saves_what_it_shows(shown):
    result, folder, seen = shown
    assert result["holds"] and result["fell"] == [], result["claims"]
    assert seen[-1] == (1.0, "") and [x for x, _ in seen] == sorted(x for x, _ in seen)
    (row,) = result["models"]
    assert row["model"] == "GaussSeidel" and row["survived"] and row["steps"] == STEPS
    assert row["us/step"] > 0
    page = (folder / "comparison.html").read_text()
    assert "GaussSeidel (reference)" in page and "MuJoCo elliptic" in page
    assert (folder / "motions.png").read_bytes().startswith(b"\x89PNG")
    motion = st.Motion.load(folder / "motion_GaussSeidel.h5")
    assert motion.parameters["contact"]["mu_static"] == demo.FRICTION
    np.testing.assert_allclose(np.diff(motion.time), demo.KEPT)


@pytest.fixture(scope="module")
def walked():
    """A short walk, every step of it, and its plan."""
    pattern = demo.plan(STEPS)
    return demo.simulated(st.GaussSeidel, pattern), pattern


@pytest.mark.jit
def test_a_motion_is_thinned_as_if_it_had_been_recorded_like_that(walked):
    motion, pattern = walked
    thin, recorded = thinned(motion, 4), demo.simulated(st.GaussSeidel, pattern, 4)
    for name in ("time", "q", "force"):
        np.testing.assert_array_equal(getattr(thin, name), getattr(recorded, name))
    assert thin.parameters == recorded.parameters


@pytest.mark.jit
def test_measures_see_what_was_put_into_a_walk(walked):
    motion, pattern = walked
    good = walk_measures.walk_measures(motion, pattern, demo.FEET)
    assert good["survived"] and good["steps"] == STEPS

    aside = motion.q.copy()
    aside[:, 1] += 0.004 * motion.time / motion.time[-1]  # the whole robot drifts to the left
    drifted = walk_measures.walk_measures(replace(motion, q=aside), pattern, demo.FEET)
    assert drifted["off [mm]"] == pytest.approx(4.0, abs=0.5)
    alone = pattern.footsteps[0].stop - pattern.footsteps[0].start - 2 * walk_measures.SETTLED
    assert drifted["slip [mm]"] == pytest.approx(4.0 * alone / pattern.duration, abs=0.01)

    trembling = motion.force.copy()
    trembling[::2] *= 1.01  # of all the weight: 1 % up, 1 % down
    shaken = walk_measures.walk_measures(replace(motion, force=trembling), pattern, demo.FEET)
    assert shaken["chatter [%]"] == pytest.approx(1.0, abs=0.02)

    far = motion.q.copy()
    far[motion.time > pattern.footsteps[0].stop + 0.1, 0] += 0.03  # beyond what is allowed
    lost = walk_measures.walk_measures(replace(motion, q=far), pattern, demo.FEET)
    assert lost["steps"] == 1 and not lost["survived"]


@pytest.mark.jit
def test_a_walk_that_stops_early_is_told_as_it_is(walked, tmp_path, monkeypatch):
    motion, pattern = walked
    half = walk_measures._rows(motion, slice(0, len(motion) // 2))

    def stops(kind, pattern):
        raise SimulationError("the knee broke", half)

    monkeypatch.setattr(demo, "simulated", stops)
    row = demo.walk(st.GaussSeidel, pattern, tmp_path / "half.h5")
    assert not row["survived"] and row["steps"] < STEPS
    assert demo.fate(row) == f"GaussSeidel walked {row['steps']} steps: the knee broke"
    assert not all(told["holds"] for told in demo.claims([row]))


GOOD = {
    "model": "Coulomb",
    "survived": True,
    "steps": 10,
    "lean [deg]": 0.0,
    "off [mm]": 0.1,
    "slip [mm]": 1e-3,
    "depth [mm]": 0.2,
    "chatter [%]": 1e-3,
    "ground [J]": -0.1,
    "error [J]": 0.01,
    "us/step": 5.0,
    "real time": 50.0,
}


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({}, None),
        ({"survived": False}, "walks to the end"),
        ({"slip [mm]": 0.1}, "slips"),
        ({"depth [mm]": 3.0}, "deeper"),
        ({"chatter [%]": float("nan")}, "chatter"),
        ({"ground [J]": 0.1}, "takes energy"),
        ({"error [J]": 1.0}, "energy balance"),
        ({"real time": 0.5}, "real time"),
        ({"real time": None}, "real time"),
    ],
)
def test_each_claim_fails_where_it_is_not_so(change, broken):
    wrong = [told["claim"] for told in demo.claims([GOOD | change]) if not told["holds"]]
    assert len(wrong) == (broken is not None)
    assert all(broken in claim for claim in wrong)


def test_force_laws_may_tremble_and_slip():
    law = GOOD | {"model": "SpringDamper", "chatter [%]": 5.0, "slip [mm]": 1.0}
    assert all(told["holds"] for told in demo.claims([GOOD, law]))


def test_what_became_of_a_robot_that_fell_is_told():
    fallen = GOOD | {"survived": False, "steps": 3, "lean [deg]": 88.0, "off [mm]": 200.0}
    told = "Coulomb walked 3 steps: leans 88 degrees, 200 mm off the plan"
    assert demo.fate(fallen) == told


def test_the_table_has_a_row_for_each_model_and_so_has_json(monkeypatch, capsys):
    rows = [{"model": "A", "dt [ms]": 1.0, "us/step": 2.5}, {"model": "B", "dt [ms]": 0.2}]
    monkeypatch.setattr(demo, "demo", lambda *given: {"models": rows, "holds": True})
    assert main(["demo"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["A", "1", "2.5"] in lines and ["B", "0.2", "-"] in lines
    assert main(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == document({"models": rows})["models"]


@pytest.mark.plain
def test_the_demo_takes_the_models_and_the_steps_that_are_asked_for(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(demo, "demo", lambda *given: asked.append(given[2:]) or {"holds": True})
    assert main(["demo", "--contact", "Coulomb,SpringDamper", "--steps", "2"]) == 0
    assert main(["demo"]) == 0
    assert asked == [([st.SpringDamper, st.Coulomb], 2), (demo.by_family(), demo.STEPS)]
    assert main(["demo", "--contact", "coulomb"]) == 2
    assert "did you mean 'Coulomb'" in capsys.readouterr().err
