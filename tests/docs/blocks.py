"""The blocks of code of README and docs, and the commands in them."""

import re
import shlex
from pathlib import Path

from following import blocks_of

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
    )
}
BLOCKS = {page: blocks_of(text) for page, text in PAGES.items()}


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in a language."""
    return [block.text for block in BLOCKS[page] if block.language == language]


def commands_of(text: str) -> list[list[str]]:
    """The words of each command of a block."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


COMMANDS = [
    (page, words) for page in PAGES for block in blocks(page, "sh") for words in commands_of(block)
]
INLINE = [
    (page, shlex.split(" ".join(code.split())))
    for page, text in PAGES.items()
    for code in re.findall(r"(?<!`)`((?:stiction|make) [^`]+)`(?!`)", text)
]
