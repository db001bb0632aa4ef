"""Claims against what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from stiction.papers.claims import Claim, Paper
from stiction.papers.run_figure import MISSING, Outcome

HOLDS, EXPLAINED, FAILS, NOT_RUN = "holds", "fails, explained", "fails", "not run"
VERDICTS = (HOLDS, EXPLAINED, FAILS, NOT_RUN)


class Judged(NamedTuple):
    """A claim, what was measured, and the verdict."""

    paper: str
    claim: Claim
    measured: float | None
    verdict: str  # one of VERDICTS
    why: str = ""  # nothing was measured

    def row(self) -> dict[str, Any]:
        """The claim as a row of the table of results."""
        return {
            "paper": self.paper,
            "claim": self.claim.id,
            "figure": self.claim.figure,
            "reports": self.claim.reports,
            "measured": self.measured,
            "band": self.claim.band,
            "unit": self.claim.unit,
            "verdict": self.verdict,
        }


def judge(
    paper: Paper, results: Mapping[str, dict[str, Any] | None], outcomes: Mapping[str, Outcome]
) -> list[Judged]:
    """Judge all claims of a paper; results and outcomes are by figure, None: not run."""
    return [
        _judged(paper.key, claim, results.get(claim.figure), outcomes.get(claim.figure))
        for claim in paper.claims
    ]


def _judged(
    key: str, claim: Claim, result: dict[str, Any] | None, outcome: Outcome | None
) -> Judged:
    if outcome is not None and outcome.message:
        verdict = NOT_RUN if outcome.status == MISSING else FAILS
        return Judged(key, claim, None, verdict, outcome.message)
    if result is None:
        return Judged(key, claim, None, NOT_RUN, "not asked for")
    if claim.measure not in result["measures"]:
        known = ", ".join(result["measures"]) or "nothing"
        why = f"{key}/{claim.figure} measures {known}; not '{claim.measure}'"
        return Judged(key, claim, None, FAILS, why)
    value = result["measures"][claim.measure]
    if claim.holds(value):
        return Judged(key, claim, value, HOLDS)
    return Judged(key, claim, value, EXPLAINED if claim.explained else FAILS)


def counts(judged: Iterable[Judged]) -> dict[str, int]:
    """How many claims there are of each verdict."""
    found = Counter(one.verdict for one in judged)
    return {verdict: found[verdict] for verdict in VERDICTS}
