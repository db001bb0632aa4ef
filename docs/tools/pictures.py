"""Runs what the site shows: tutorials with their outputs, examples and figures of models.

python docs/tools/pictures.py [tutorials] [examples] [models] : writes docs/pictures

A tutorial is followed as it is printed. A block that begins with `# name.py` is saved under that
name, every other block of Python is run, and the text block after it is replaced by what it prints.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
FENCED = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)
TABLES = ("touching_bodies", "what_holds")  # examples that print tables


def run(arguments: list[str], folder: Path) -> str:
    """What a program prints."""
    paths = os.pathsep.join([str(ROOT), str(folder)])
    variables = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "STICTION_PROGRESS": "0"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def follow(page: Path, folder: Path) -> str:
    """Run the blocks of a page, one program; returns the page with what they print."""
    text, done, printed, pieces, end = page.read_text(), "", "", [], 0
    for found in FENCED.finditer(text):
        kind, block = found.groups()
        named = re.match(r"# (\w+\.py)\n", block)
        pieces.append(text[end : found.start()])
        pieces.append(f"```text\n{printed}```" if kind == "text" else found[0])
        end = found.end()
        if kind == "python" and named:
            (folder / named[1]).write_text(block)
        elif kind == "python":
            mark = "-- here --"
            printed = run(["-c", f"{done}\nprint('{mark}')\n{block}"], folder)
            printed = printed.split(f"{mark}\n", 1)[1]
            done += f"\n{block}"
    return "".join([*pieces, text[end:]])


def main(chosen: list[str]) -> None:
    """Make all pictures, or those that are chosen."""
    pictures = DOCS / "pictures"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "tutorials" in chosen:
            for page in sorted((DOCS / "tutorials").glob("*_*.md")):
                page.write_text(follow(page, folder))
                shutil.copy(folder / f"{page.stem}.png", pictures / f"{page.stem}.png")
        if "examples" in chosen:
            for script in sorted((ROOT / "examples").glob("*.py")):
                if script.stem not in TABLES:
                    run([str(script)], folder)
                    shutil.copy(folder / f"{script.stem}.png", pictures / "examples")
    if "models" in chosen:
        run([str(DOCS / "tools" / "figures.py")], ROOT)


if __name__ == "__main__":
    main(sys.argv[1:] or ["tutorials", "examples", "models"])
