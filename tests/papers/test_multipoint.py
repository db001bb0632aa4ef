"""Claims of the multipoint paper: a fast part always, the rest if slow tests run."""

import numpy as np
import pytest

from papers.judged import check_claims
from stiction.papers.claims import read_claims
from stiction.papers.multipoint import fig06, steps

KEY = "multipoint"


@pytest.mark.jit
@pytest.mark.parametrize(
    "figure",
    [
        "friction",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("fig04", "fig05", "fig06", "states", "steps", "across")
        ),
    ],
)
def test_every_claim_of_a_figure_holds_or_fails_as_explained(figure):
    check_claims(KEY, figure)


@pytest.mark.interpreted
def test_there_are_enough_claims_and_every_figure_has_some():
    claims = read_claims(KEY)
    assert len(claims) >= 12
    figures = {claim.figure for claim in claims}
    assert figures == {"fig04", "fig05", "fig06", "states", "friction", "steps"}


@pytest.mark.interpreted
def test_the_longest_flight_is_found():
    assert fig06.longest(np.array([1, 0, 1, 1, 1, 0, 1, 1], bool)) == (2, 5)


@pytest.mark.interpreted
def test_the_longest_step_is_that_below_which_all_walk():
    rows = [{"model": "Multipoint", "walks": walks} for walks in (True, True, False, True)]
    assert steps.longest({"table": rows}, "Multipoint") == pytest.approx(0.2)
    assert steps.longest({"table": rows[2:]}, "Multipoint") == 0.0
