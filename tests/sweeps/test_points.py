"""Grids, samples and lists of points."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError
from stiction.sweeps.points import key_of, points_of, told

pytestmark = pytest.mark.plain


def test_a_grid_has_every_combination_in_order():
    points = points_of({"a": [1, 2], "b": np.array([0.5, 1.5])})
    assert points == [{"a": a, "b": b} for a in (1, 2) for b in (0.5, 1.5)]
    assert type(points[0]["b"]) is float


def test_a_point_that_comes_twice_is_one():
    assert len(points_of({"a": [1, 1.0, 2]})) == 2


@pytest.mark.parametrize("method", ["latin", "sobol", "random"])
def test_a_sample_is_that_of_its_seed_and_within_its_intervals(method):
    over = {"mu": (0.1, 0.9), "k": st.Range(1e3, 1e6, log=True), "model": ["A", "B"]}
    one = st.Sample(over, 64, seed=3, method=method).points()
    assert one == st.Sample(over, 64, seed=3, method=method).points()
    assert one != st.Sample(over, 64, seed=4, method=method).points()
    assert all(0.1 <= p["mu"] <= 0.9 and 1e3 <= p["k"] <= 1e6 for p in one)
    assert {p["model"] for p in one} == {"A", "B"}


def test_a_latin_hypercube_has_one_value_in_each_slice():
    values = [point["x"] for point in st.Sample({"x": (0.0, 1.0)}, 100).points()]
    assert sorted(int(100 * x) for x in values) == list(range(100))


def test_half_of_a_logarithmic_sample_is_below_the_geometric_mean():
    points = st.Sample({"k": st.Range(1.0, 1e4, log=True)}, 100).points()
    assert sum(point["k"] < 100 for point in points) == 50


def test_values_are_told_as_a_table_has_them():
    assert told(st.Coulomb(mu_static=1)).startswith("Coulomb(mu_static=1.0, ")
    assert told([1, 2.5]) == "[1.0, 2.5]"
    assert told(None) == "none"
    assert key_of({"a": 1, "b": True}) == key_of({"b": True, "a": 1.0})


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "give lists of values by name"),
        ("mu", "give lists of values by name, a Sample, or points"),
        ({"mu": 0.5}, "'mu' are 0.5; give a list"),
        ({"mu": []}, "'mu' has no values"),
        ({"mu": [float("nan")]}, "'mu': found nan"),
        ({"mu": [object()]}, "give numbers, strings"),
        ({1: [2]}, "1 is not the name"),
        ({"x": [1], "seconds": [1]}, "'seconds' has the name of a column .* rename it"),
        ([{"status": 1}], "'status' has the name of a column"),
        ([{"a": 1}, {"b": 1}], "point 1 has b, the first has a"),
    ],
)
def test_other_points_are_refused(over, words):
    with pytest.raises(InputError, match=words):
        points_of(over)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({"a": (1, 1)}, 5), "low < high"),
        (({"a": st.Range}, 5), "give \\(low, high\\)"),
        (({"a": (-1, 1, True)}, 5), "must be positive"),
        (({"worker": (0, 1)}, 5), "'worker' has the name of a column"),
        (({"a": (0, 1)}, 0), "size of the sample is 0"),
        (({"a": (0, 1)}, 5, -1), "seed of the sample is -1"),
        (({"a": (0, 1)}, 5, 0, "grid"), "give latin, sobol, random"),
    ],
)
def test_other_samples_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        st.Sample(*arguments)
