"""The benchmark of precision runs, and its reference is the most accurate."""

import pytest

from conftest import data_file
from stiction.bench.data import G1
from stiction.bench.precision import bench

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::stiction.errors.UnsolvedWarning"),  # the first steps
]


def test_single_precision_and_bounds_are_compared_with_double_precision(monkeypatch):
    monkeypatch.setattr("stiction.bench.worlds.SETTLING", 0.01)
    monkeypatch.setattr("stiction.bench.precision.STANDING", 1)
    data_file(*G1.split("/"))
    result = bench(worlds=1, steps=4, models=["Coulomb"])
    double, single, bounded = result["runs"]
    assert [row["precision"] for row in result["runs"]] == ["float64", "float32", "float32"]
    assert (double["bounds"], single["bounds"], bounded["bounds"]) == ("none", "none", "1, 6")
    assert 0 <= double["residual"] < single["residual"] <= bounded["residual"] < 1
    assert bounded["speed [rad/s]"] == pytest.approx(double["speed [rad/s]"], rel=0.1)
    assert double["drift [mm]"] > 0
