"""The benchmark on the ground runs and holds where its limits do; speed itself is not tested."""

import numpy as np
import pytest

from conftest import data_file
from stiction.bench.contact import cases, race
from stiction.bench.contact.cases import Case
from stiction.bench.contact.contenders import happened
from stiction.bench.data import G1


class Pretender:
    """A contender that has run already."""

    def __init__(self, name, seconds, points=8, height=0.8, failure=None):
        self.name, self._seconds, self.failure = name, seconds, failure
        self._run = (np.full(5, points), np.array([0.8, height]))

    def race(self):
        raise AssertionError("it has run already")

    def seconds(self):
        return self._seconds

    def found(self):
        return happened(STANDING, *self._run)


STANDING = Case("stand 8", 8, None, None, None, settling=10, steps=100)


@pytest.mark.parametrize(
    ("contender", "holds"),
    [
        (Pretender("Coulomb", 0.24), True),
        (Pretender("Coulomb", 0.26), False),
        (Pretender("Coulomb", 0.1, height=0.7), False),
        (Pretender("Coulomb", 0.1, points=7), False),
        (Pretender("Coulomb", np.inf, failure="it exploded"), False),
        (Pretender("SpringDamper", 0.29), True),
        (Pretender("SpringDamper", 0.31), False),
        (Pretender("Balanced", 0.59), True),
        (Pretender("Multipoint", 0.61), False),
        (Pretender("NobodyAsks", 2.0), None),
        (Pretender("mujoco", 1.0), None),
    ],
)
def test_a_limit_holds_only_for_a_robot_that_stands_on_all_its_points(contender, holds):
    (row,) = race.report(STANDING, [contender], 1.0)
    assert row["holds"] is holds
    assert race.holds(row) is (holds is not False)
    assert row["us a step"] == (None if contender.failure else contender.seconds() * 1e4)


def test_nothing_holds_beside_a_mujoco_that_fell():
    (row,) = race.report(STANDING, [Pretender("mujoco", 1.0, height=0.1)], 1.0)
    assert not race.holds(row)


@pytest.mark.jit
@pytest.mark.slow
def test_the_benchmark_on_the_ground_measures_laws_and_solvers_beside_mujoco(monkeypatch):
    chosen = [
        model
        for model in race.contact_models(8)
        if type(model).__name__ in ("SpringDamper", "Coulomb")
    ]
    monkeypatch.setattr(race, "contact_models", lambda points: chosen)
    monkeypatch.setattr(cases, "STAND", (8,))
    monkeypatch.setattr(cases, "LAND", (8,))
    monkeypatch.setattr(cases, "HELD", 15)  # so that the torques change within 20 steps
    seen = []
    result = race.bench(data_file(*G1.split("/")), repeats=1, steps=20, progress=seen.append)
    assert seen[-1] == 1.0 and result["failures"] == []
    for case in ("stand 8", "land 8", "drive 8"):
        rows = {row["model"]: row for row in result["runs"] if row["case"] == case}
        assert list(rows) == [*(type(model).__name__ for model in chosen), "mujoco"]
        assert all(row["us a step"] > 0 for row in rows.values())
        assert rows["mujoco"]["iterations"] > 0 and rows["mujoco"]["unsolved"] == 0
        assert rows["SpringDamper"]["iterations"] is None
        for name in ("SpringDamper", "mujoco") if case == "stand 8" else ():
            assert rows[name]["stands"] and rows[name]["fewest"] == 8
    assert result["mujoco options"]["cone"] == "mjCONE_ELLIPTIC"
