"""Follows a page as a reader does: saves and runs its blocks of Python, in their order.

A block that begins with `# name.py` is saved under that name. All other blocks of Python are one
program. A block of text after a block of Python shows what that printed.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "-- the next block --"


class Block(NamedTuple):
    """A block of code of a page, between two fences."""

    language: str
    text: str
    start: int  # of its text in the page
    end: int

    @property
    def saved_as(self) -> str | None:
        """The name of the file that the block is to be saved as."""
        named = re.match(r"# (\w+\.py)\n", self.text) if self.language == "python" else None
        return named[1] if named else None

    @property
    def runs(self) -> bool:
        """Whether the block is a part of the program of its page."""
        return self.language == "python" and not self.saved_as


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page."""
    return [Block(*found.groups(), *found.span(2)) for found in FENCED.finditer(page)]


def follow(page: str, folder: Path, python: str, **variables: str) -> list[tuple[Block, str]]:
    """Run the program of a page in a folder; returns each block that ran, with what it printed.

    Raises a RuntimeError with what the program said if it fails.
    """
    blocks = blocks_of(page)
    for block in blocks:
        if block.saved_as:
            (folder / block.saved_as).write_text(block.text)
    running = [block for block in blocks if block.runs]
    program = "\n".join(f"print({MARK!r}, flush=True)\n{block.text}" for block in running)
    environment = os.environ | {"MPLBACKEND": "Agg", "STICTION_PROGRESS": "0"} | variables
    (folder / "program_of_the_page.py").write_text(program)
    done = subprocess.run(
        [python, "program_of_the_page.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    printed = done.stdout.split(f"{MARK}\n")[1:]
    return list(zip(running, printed, strict=True))


def shown(page: str) -> list[tuple[str, str]]:
    """Each block of the program of a page that is followed by its output: both as printed."""
    blocks = blocks_of(page)
    pairs = zip(blocks, blocks[1:], strict=False)
    return [(one.text, two.text) for one, two in pairs if one.runs and two.language == "text"]


def with_outputs(page: str, followed: list[tuple[Block, str]]) -> str:
    """The page with the outputs of a run in its blocks of text."""
    printed = {block.text: output for block, output in followed}
    for block, old in shown(page):
        page = page.replace(f"```text\n{old}```", f"```text\n{printed[block]}```", 1)
    return page


def words_of_notebook(text: str) -> list[str]:
    """The cells of a notebook that are no code."""
    return _cells(text, "markdown")


def code_of_notebook(text: str) -> str:
    """The code of a notebook, as a script."""
    return "\n\n".join(_cells(text, "code")) + "\n"


def _cells(text: str, kind: str) -> list[str]:
    cells = json.loads(text)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]
