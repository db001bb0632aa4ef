"""Runs what the site shows: tutorials with their outputs, examples and figures of models.

python docs/tools/pictures.py [tutorials] [guides] [examples] [models] : writes docs/pictures

Tutorials and guides are followed as they are printed, and get the outputs of the run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from following import code_of_notebook, follow, with_outputs

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
TABLES = ("sweep_of_a_billion", "touching_bodies", "what_holds")  # examples that print tables
GUIDES = ("grounds",)  # pages that draw a picture of their name


def run(script: Path, folder: Path) -> None:
    """Run a script in a folder."""
    variables = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, str(script)], cwd=folder, env=variables, check=True)


def main(chosen: list[str]) -> None:
    """Make all pictures, or those that are chosen."""
    pictures = DOCS / "pictures"
    pages = sorted((DOCS / "tutorials").glob("*_*.md")) if "tutorials" in chosen else []
    pages += [DOCS / f"{name}.md" for name in GUIDES] if "guides" in chosen else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page in pages:
            followed = follow(page.read_text(), folder, sys.executable, PYTHONPATH=str(ROOT))
            page.write_text(with_outputs(page.read_text(), followed))
            shutil.copy(folder / f"{page.stem}.png", pictures / f"{page.stem}.png")
        if "examples" in chosen:
            for script in sorted((ROOT / "examples").glob("*.py")):
                run(script, folder)
                if script.stem not in TABLES:
                    shutil.copy(folder / f"{script.stem}.png", pictures / "examples")
            for notebook in sorted((ROOT / "examples").glob("*.ipynb")):
                script = folder / f"{notebook.stem}.py"
                script.write_text(code_of_notebook(notebook.read_text()))
                run(script, folder)
                shutil.copy(folder / f"{notebook.stem}.png", pictures / "examples")
    if "models" in chosen:
        run(DOCS / "tools" / "figures.py", ROOT)


if __name__ == "__main__":
    main(sys.argv[1:] or ["tutorials", "guides", "examples", "models"])
