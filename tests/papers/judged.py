"""The claims of one figure of our papers, run in this process."""

from importlib import import_module

from stiction.papers.claims import read_paper
from stiction.papers.judge import EXPLAINED, HOLDS, judge


def check_claims(key: str, figure: str, untested: tuple[str, ...] = ()) -> None:
    """Every claim of a figure holds, or fails where its claims.toml explains why."""
    fails = {claim.id for claim in read_paper(key).claims if claim.explained}
    for claim, verdict in verdicts(key, figure).items():
        if claim not in untested:
            assert verdict == (EXPLAINED if claim in fails else HOLDS), claim


def verdicts(key: str, figure: str) -> dict[str, str]:
    """Simulate, measure and draw a figure; returns the verdict of each of its claims."""
    module = import_module(f"stiction.papers.{key}.{figure}")
    data = module.data()
    measured = {name: float(value) for name, value in module.measures(data).items()}
    drawn = module.draw(data)
    assert drawn.axes, "nothing is drawn"
    found = judge(read_paper(key), {figure: {"measures": measured}}, {})
    return {one.claim.id: one.verdict for one in found if one.claim.figure == figure}
