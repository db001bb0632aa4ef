"""Claims of Rengifo et al.: a fast part always, the other figures if slow tests run."""

import numpy as np
import pytest

from papers.judged import check_claims
from stiction.papers.claims import read_claims
from stiction.papers.feedback import gains

KEY = "feedback"


@pytest.mark.jit
@pytest.mark.parametrize(
    "figure",
    [
        "ramp",
        "fig05",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("fig04", "gains", "fig11", "fig13", "fig14", "across")
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
    assert figures == {"fig04", "fig05", "gains", "ramp", "fig11", "fig13", "fig14"}


@pytest.mark.interpreted
def test_the_closed_form_of_restitution_is_that_of_both_limits():
    """sqrt(k_p) / k_v for a weak spring, 1 for a stiff one; the pair of section IV has 0.086."""
    weak, given, stiff = gains.closed_form(np.array([1e-6, 500 / 250**2, 1e4]))
    assert weak == pytest.approx(1e-3, rel=1e-3)
    assert given == pytest.approx(0.086, abs=1e-3)
    assert stiff == pytest.approx(np.exp(-np.pi / 400), rel=1e-3)
