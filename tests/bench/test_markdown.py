"""The table of accuracy as Markdown."""

import pytest

from stiction.bench.markdown import short, tables


def rows(**values):
    return [
        {"scene": scene, "dt [ms]": dt, "error": error, "target": 1.0, **values}
        for scene in ("stopping", "belt")
        for dt in (1.0, 4.0)
        for error in ("distance [%]", "time [%]")
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.04e-9, "1e-9"), (0.0123, "0.012"), (1944.0, "1900"), (3e6, "3e6"), (0.0, "0"), (None, "")],
)
def test_numbers_are_short(value, text):
    assert short(value) == text


def test_cells_have_both_time_steps_and_scenes_their_first_measure():
    text = tables(rows(ours=0.5, other="inf", third=None), [["ours", "other", "third"]])
    assert text.splitlines() == [
        "| scene: error | ours | other | third |",
        "| --- | --- | --- | --- |",
        "| stopping: distance [%] | 0.5 (0.5) | inf (inf) |  |",
        "| belt: distance [%] | 0.5 (0.5) | inf (inf) |  |",
    ]


def test_wide_tables_are_split_at_120_columns():
    names = [f"contender number {k}" for k in range(12)]
    lines = tables(rows(**dict.fromkeys(names, 1e-9)), [names]).splitlines()
    assert max(len(line) for line in lines) <= 120
    heads = [line for line in lines if line.startswith("| scene: error")]
    assert len(heads) > 1
    assert [name for head in heads for name in head.strip("| ").split(" | ")[1:]] == names
