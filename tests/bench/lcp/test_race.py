"""The benchmark of Fig. 5 runs and says what it found; time itself is not tested."""

import numpy as np
import pytest

from stiction.bench.lcp import methods, race
from stiction.bench.lcp.facets import facet_errors, within_bounds
from stiction.bench.lcp.methods import LCP, LINKS, PER_POINT, grid, humanoid, landing, solve
from stiction.bench.lcp.per_point import allocate_matrix, respond_to_unit_forces
from stiction.cli.output import as_text
from stiction.kernels.response import delassus

pytestmark = pytest.mark.interpreted


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    monkeypatch.setattr(methods, "REPEATS", 1)


@pytest.fixture(scope="module")
def result():
    errors = [facet_errors(4, (0.0, np.pi / 4), 0.05, 0.02)]
    return race.bench((2, 4), 4, 1, errors=errors)


def test_every_method_is_timed_at_every_number_of_contacts(result):
    runs = result["runs"]
    names = list(methods.method_models(4))
    assert [(one["contacts"], one["method"]) for one in runs] == [
        (count, name) for count in (2, 4) for name in names
    ]
    assert all(one["microseconds"] > 0 and one["iterations"] > 0 for one in runs)
    assert set(result["exponents"]) == set(names)
    assert result["holds"] and result["per point and on links: the same impulses"]


def test_sizes_are_those_of_the_problems_that_were_solved(result):
    size = {(one["contacts"], one["method"]): one["size"] for one in result["runs"]}
    assert size[4, PER_POINT] == size[4, LINKS] == 12 and size[4, LCP] == 24
    assert [list(one.values()) for one in result["sizes"]] == [
        [2, 6, 12, None, True],
        [4, 12, 24, None, True],
    ]


def test_the_paper_s_sizes_are_quoted_where_its_numbers_of_contacts_are():
    rows = [
        {"contacts": count, "method": name, "size": size * count}
        for count in (19, 67)
        for name, size in ((PER_POINT, 3), (LCP, 10))
    ]
    assert [list(one.values()) for one in race.sizes(rows, 8)] == [
        [19, 57, 190, 378, True],
        [67, 201, 670, 1254, True],
    ]
    rows[1]["size"] += 1
    assert not race.sizes(rows, 8)[0]["as expected"]


def test_the_report_is_a_table(result):
    text = as_text(result)
    for words in ("contacts", "per point", "exponents:", "quoted by the paper", "deflection"):
        assert words in text


def test_exponents_are_slopes_in_the_logarithms():
    rows = [
        {"contacts": m, "method": name, "microseconds": 3.0 * m**power}
        for m in (4, 8, 30)
        for name, power in (("square", 2.0), ("linear", 1.0))
    ]
    assert race.exponents(rows) == {"square": 2.0, "linear": 1.0}


@pytest.mark.parametrize(("points", "expected"), [(4, (2, 2)), (9, (3, 3)), (10, (5, 2))])
def test_soles_have_the_points_that_are_asked_for(points, expected):
    assert grid(points) == expected
    assert all(np.prod(grid(n)) == n for n in range(1, 70))


def test_unit_forces_give_the_matrix_of_the_links():
    """Eq. (16) and (17), point by point through the recursions, against `delassus`."""
    import stiction as st

    world = humanoid(5)
    simulation = st.Simulation(world, st.GaussSeidel(), methods.DT, landing(world, 1))
    simulation.step()
    system, matrix = simulation._system, allocate_matrix(5, world.nv)
    contact, response = system.surface.contact, system.surface.work.response
    expected = np.block(
        [[np.array(delassus(contact, response, i, j)) for j in range(5)] for i in range(5)]
    )
    respond_to_unit_forces(system, matrix)
    assert np.allclose(matrix.inverse, expected, atol=1e-12 * np.abs(expected).max())


def test_sweeps_per_point_find_the_impulses_of_sweeps_on_links():
    world = humanoid(6)
    model = methods.method_models(8)[LINKS]
    first, second = (solve(one, model, world, landing(world, 2)) for one in (PER_POINT, LINKS))
    assert first.iterations == second.iterations > 5
    assert np.allclose(first.impulses, second.impulses, atol=1e-9 * np.abs(first.impulses).max())


def test_errors_of_facets_are_those_of_the_closed_forms():
    """Midway between two corners; at a corner there is none."""
    midway = facet_errors(4, (np.pi / 4,), 0.05, 0.02)
    assert midway["slope held [%]"] == pytest.approx(-29.29, abs=0.1)  # bisection
    assert midway["stopping distance [%]"] == pytest.approx(41.42, abs=0.1)
    assert midway["deflection [deg]"] == 0.0 and within_bounds(midway)
    corner = facet_errors(4, (0.0,), 0.05, 0.02)
    assert corner["slope held [%]"] == pytest.approx(0.0, abs=0.1) and within_bounds(corner)
    assert corner["stopping distance [%]"] == pytest.approx(0.0, abs=0.1)
    assert not within_bounds({**midway, "slope held [%]": -31.0})
