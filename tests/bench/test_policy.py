"""`stiction judge`: a trained policy under all models, frictions and engines."""

import json
import re
from pathlib import Path

import pytest

import stiction as st
from stiction.bench import policy
from stiction.bench.policy import judge
from stiction.cli import main
from stiction.errors import InputError

EXACT = Path(__file__).parents[2] / "examples" / "policies" / "exact.npz"


class Refusing:
    """An engine that cannot represent any robot."""

    settings = {"default": {}}

    def run(self, task, setting="default"):
        raise InputError("no joints here")


def test_an_engine_that_refuses_the_robot_is_listed_and_not_judged(monkeypatch):
    monkeypatch.setattr(policy, "engine_and_setting", lambda name: (Refusing(), "default"))
    found = judge(EXACT, None, [st.Coulomb], ["refusing"], seconds=0.1)
    frictions = [f"Coulomb, friction {mu}" for mu in (0.2, 0.3, 0.4, 1)]
    assert [row["under"] for row in found["runs"]] == ["as trained", "Coulomb", *frictions]
    assert found["refused"] == ["refusing: no joints here"] and found["holds"]


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--engine", "mujco"], 2, "--engine mujco: choose among mujoco, .*did you mean 'mujoco'"),
        (["--engine", "mujoco:eliptic"], 1, "no setting 'eliptic'; .*did you mean 'elliptic'"),
        (["--engine", "none", "--out", str(EXACT)], 1, "no folder can be made there"),
    ],
)
def test_wrong_options_are_told_before_any_walk(monkeypatch, capsys, options, status, words):
    monkeypatch.setattr(policy, "walked", None)
    assert main(["judge", str(EXACT), "--json", *options]) == status
    assert re.search(words, json.loads(capsys.readouterr().out)["error"])
