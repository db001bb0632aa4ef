"""A paper of our own that needs no simulation, to try the runner on."""

from pathlib import Path

CLAIM = """
[[claim]]
id = "{id}"
figure = "{figure}"
where = "Fig. 1"
quote = "It is <two>."
reports = "2"
quantity = "the number"
measure = "{measure}"
unit = "m"
low = {low}
high = 3.0
reason = "it is close to two"
"""

HEAD = """
[paper]
title = "On numbers"
authors = "A. Nobody"
published = "nowhere"
"""

FIGURE = '''"""{title}."""

from pathlib import Path

from matplotlib.figure import Figure

{extra}

def data():
    with open(Path(__file__).with_suffix(".log"), "a") as log:
        log.write("ran\\n")
    {body}
    return {{"two": 2.0}}


def measures(data):
    return dict(data)


def draw(data):
    figure = Figure()
    figure.subplots().plot([0.0, data["two"]])
    return figure
'''


def claim(id="two", figure="fig01", measure="two", low=1.0, more="") -> str:
    """Text of a claim; a band from 1 holds, from 2.5 fails."""
    return CLAIM.format(id=id, figure=figure, measure=measure, low=low) + more + "\n"


def figure(title="Fig. 1: a number", body="", extra="") -> str:
    """Text of a figure module."""
    return FIGURE.format(title=title, body=body, extra=extra)


def paper(root: Path, key: str, claims: str, **figures: str) -> Path:
    """Write a paper below `root`; returns its folder."""
    folder = root / key
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""A paper."""\n')
    (folder / "claims.toml").write_text(HEAD + claims)
    (folder / "README.md").write_text("# Numbers\n\n| a | b |\n|---|---|\n| `1` | **2** |\n")
    for name, text in figures.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def times_run(folder: Path, name: str) -> int:
    """How often the data of a figure were computed."""
    log = folder / f"{name}.log"
    return len(log.read_text().splitlines()) if log.exists() else 0
