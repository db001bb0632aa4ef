"""The demonstration drops and pushes the robot under every model, and says what came out."""

import json

import pytest

import stiction as st
from stiction.bench import demo
from stiction.cli import main
from stiction.contact.contact_model import MODELS, NoContact

NAMES = [kind.__name__ for kind in demo.our_models()]


def test_every_model_of_ours_is_shown():
    ours = {kind.__name__ for kind in MODELS if kind.__module__.startswith("stiction.")}
    assert set(NAMES) == ours - {NoContact.__name__}
    assert all(hasattr(st, name) for name in NAMES)


@pytest.mark.jit
def test_the_demo_holds_and_saves_what_it_shows(tmp_path):
    seen = []
    result = demo.demo(tmp_path / "demo", lambda fraction, doing: seen.append((fraction, doing)))
    assert result["holds"], result["claims"]
    assert seen[-1] == (1.0, "") and [x for x, _ in seen] == sorted(x for x, _ in seen)
    assert [row["model"] for row in result["models"]] == NAMES
    assert (tmp_path / "demo" / "motions.png").read_bytes().startswith(b"\x89PNG")
    for row in result["models"]:
        motion = st.Motion.load(tmp_path / "demo" / f"motion_{row['model']}.h5")
        assert motion.parameters["contact"]["model"] == row["model"]
        assert len(motion) == round(demo.DURATION / demo.KEPT) + 1
        assert row["microseconds a step"] > 0


GOOD = {
    "model": "Coulomb",
    "stands at the end": True,
    "standing: force / weight - 1": 1e-12,
    "force outside the friction cone / weight": 0.0,
    "error of the laws of contact, largest [mm/s]": 1e-3,
    "steps not solved": 0,
}


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({}, None),
        ({"stands at the end": False}, "stands"),
        ({"standing: force / weight - 1": -1e-3}, "weight"),
        ({"force outside the friction cone / weight": 1e-3}, "cone"),
        ({"error of the laws of contact, largest [mm/s]": 1.0}, "laws"),
        ({"steps not solved": 3}, "every step"),
    ],
)
def test_each_claim_fails_where_it_is_not_so(change, broken):
    wrong = [told["claim"] for told in demo.claims([GOOD | change]) if not told["holds"]]
    assert len(wrong) == (broken is not None)
    assert all(broken in claim for claim in wrong)


def test_force_laws_may_tremble_but_must_carry_the_weight():
    law = GOOD | {"model": "SpringDamper", "error of the laws of contact, largest [mm/s]": 500.0}
    off = "standing: force / weight - 1"
    assert all(told["holds"] for told in demo.claims([GOOD, law | {off: 1e-3}]))
    assert not all(told["holds"] for told in demo.claims([GOOD, law | {off: 0.1}]))


def test_a_cone_is_not_asked_of_a_model_that_promises_none():
    fixed = GOOD | {"model": "Bilateral", "force outside the friction cone / weight": 2.0}
    assert all(told["holds"] for told in demo.claims([GOOD, fixed]))


FOUND = {
    "robot": "biped10",
    "models": [
        {"model": "A", "dt [ms]": 1.0, "iterations": [2.5, 4]},
        {"model": "B", "dt [ms]": 2},
    ],
    "holds": True,
}


def test_the_table_has_a_column_for_each_model_and_json_a_row(monkeypatch, capsys):
    monkeypatch.setattr(demo, "demo", lambda folder, progress: FOUND)
    assert main(["demo"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["A", "B"] in lines and ["dt", "[ms]", "1", "2"] in lines
    assert ["iterations", "2.5", "4", "-"] in lines
    assert main(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == FOUND["models"]
