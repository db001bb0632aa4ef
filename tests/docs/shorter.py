"""How long commands of the docs are made short.

Three tests of test_commands.py change more, and say what: the address of a cluster, the device that
trains, and the environment of make.
"""

import shlex
from typing import NamedTuple


class Shorter(NamedTuple):
    """What differs from a printed command that begins like this."""

    begins: str
    added: str = ""  # at its end; where an option is given twice, the second counts
    instead: dict[str, str] = {}  # words that are run in place of printed ones
    status: int = 0  # with which the shorter command ends


# the first one that fits counts
SHORTER = (
    Shorter("make demo", "OPTIONS='--contact Coulomb --steps 2'"),
    Shorter("make test", "PYTEST_OPTIONS=tests/test_errors.py"),
    Shorter("make interpreted", "PYTEST_OPTIONS=tests/kernels/test_vectors.py"),
    Shorter("pip install", "--dry-run"),
    Shorter("stiction bench accuracy", "--scene bounce"),
    Shorter("stiction compare g1-stand", "--contact Coulomb --duration 0.1"),
    Shorter("stiction compare walk", "--duration 0.2"),
    Shorter(  # so short a search does not converge, and says so
        "stiction fit cube-tosses", "--population 1 --generations 1 --local 2", status=1
    ),
    Shorter("stiction train", "--worlds 256 --iterations 2"),
    Shorter("stiction judge", "--contact Coulomb"),
    Shorter("stiction soak mine.toml", "--for 2s --drift inf --turn inf"),  # here it walks
    Shorter("stiction soak examples/twenty_boxes.toml", "--for 1m"),
    Shorter("stiction reproduce feedback/fig04"),
    # the paper of docs/papers.md, whose figure is a ball, in place of ours
    Shorter("stiction reproduce feedback", "--papers papers", {"feedback": "ball"}),
    Shorter("stiction reproduce", "--papers papers"),
    Shorter(
        "stiction sweep stand",
        instead={"contact.mu_kinetic=0.1:0.6:6": "contact.mu_kinetic=0.1:0.6:2"},
    ),
    Shorter("stiction sweep walk", "--sample 2"),
    Shorter("stiction sweep mine.py:fall", instead={"height=0.1:2:20:log": "height=0.1:2:4:log"}),
)


def shorter(words: list[str]) -> tuple[list[str], int]:
    """What is run for the words of a command, and the exit status it must have."""
    text = " ".join(words)
    for one in SHORTER:
        if text.startswith(one.begins):
            assert set(one.instead) <= set(words), one
            changed = [one.instead.get(word, word) for word in words]
            return [*changed, *shlex.split(one.added)], one.status
    return words, 0
