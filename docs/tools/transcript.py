"""Follows the tutorials from the docs alone: python docs/tools/transcript.py FILE.

Makes a fresh environment, installs the package there and nothing else, follows each tutorial in an
empty folder, and compares outputs and pictures with the page. Writes what was typed and printed.
Fails if an output differs in a word, or in a number by more than a hundredth, or if a picture does.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from following import blocks_of, follow, shown

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
ALIKE = 1.0  # mean difference of two pictures of the same curves, of 255
CLOSE = 0.01  # relative difference of numbers; the last digit of a short number may differ, too


def same(one: str, other: str) -> bool:
    """Whether two outputs have the same words and nearly the same numbers."""
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("#", one).split() == NUMBER.sub("#", other).split() and all(
        abs(float(a) - float(b)) <= CLOSE * abs(float(b)) + unit(b) for a, b in pairs
    )


def unit(number: str) -> float:
    """The unit of the last digit of a number."""
    mantissa, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def difference(one: Path, other: Path) -> float:
    """Mean difference of two pictures, 0 to 255; infinite if their sizes differ."""
    import numpy as np
    from PIL import Image

    first, second = (np.asarray(Image.open(path).convert("RGB"), float) for path in (one, other))
    return float(abs(first - second).mean()) if first.shape == second.shape else float("inf")


def fresh_python(folder: Path) -> str:
    """Python of a new environment in a folder, with the package and what it needs."""
    subprocess.run([sys.executable, "-m", "venv", "fresh"], cwd=folder, check=True)
    python = str(folder / "fresh/bin/python")
    subprocess.run([python, "-m", "pip", "install", "-qq", "."], cwd=ROOT, check=True)
    return python


def followed_page(page: Path, folder: Path, python: str) -> tuple[list[str], list[str]]:
    """What was typed and printed for a tutorial, and what is not as its page says."""
    begun, text, wrong = time.monotonic(), page.read_text(), []
    variables = {"STICTION_CACHE": str(folder.parent / "cache"), "PYTHONPATH": ""}
    followed, expected = follow(text, folder, python, **variables), dict(shown(text))
    told = ["", "-" * 80, f"docs/tutorials/{page.name}, {time.monotonic() - begun:.0f} s"]
    told += [f"{block.saved_as} is saved" for block in blocks_of(text) if block.saved_as]
    for block, printed in followed:
        told += ["", *(f">>> {line}" for line in block.text.splitlines())]
        told += printed.rstrip().splitlines()
        as_printed = expected.get(block.text, printed)
        if not same(printed, as_printed):
            wrong.append(f"{page.name}: found {printed!r}, but the page says {as_printed!r}")
    picture = ROOT / "docs" / "pictures" / f"{page.stem}.png"
    apart = difference(folder / picture.name, picture)
    told.append(f"{picture.name}: differs from that of the page by {apart:.2f} of 255 on average")
    return told, [*wrong, *([told[-1]] if apart > ALIKE else [])]


def main(target: Path) -> int:
    """Write the transcript; returns an exit status."""
    told, wrong = ["$ python -m venv fresh", "$ fresh/bin/python -m pip install ."], []
    with tempfile.TemporaryDirectory() as name:
        python = fresh_python(Path(name))
        told.append(subprocess.check_output([python, "--version"], text=True).strip())
        for page in sorted((ROOT / "docs" / "tutorials").glob("*_*.md")):
            folder = Path(name) / page.stem
            folder.mkdir()
            lines, differs = followed_page(page, folder, python)
            told, wrong = [*told, *lines], [*wrong, *differs]
    told += ["", *(wrong or ["every output and every picture is that of its page"])]
    target.write_text("\n".join(told) + "\n")
    print("\n".join(wrong) or told[-1])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
