"""Deliberate faults in the code, each of which a test must catch.

    python fuzz/mutants.py            # all of fuzz/mutants.toml
    python fuzz/mutants.py checksum   # those whose name contains a word

Each fault replaces one piece of text in a copy of the package, and the tests named with it run on
the copy, without the compiler. A fault that no test notices survives, and is a hole in the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 300  # [s] of the tests for one fault


def caught(fault: dict[str, str], copy: Path) -> str:
    """How the tests noticed a fault: "failed" or "hung"; "" if they did not."""
    file = copy / "stiction" / fault["file"]
    text = file.read_text()
    if text.count(fault["old"]) != 1:
        raise SystemExit(
            f"{fault['name']}: found {text.count(fault['old'])} times in {fault['file']}; "
            "correct fuzz/mutants.toml"
        )
    file.write_text(text.replace(fault["old"], fault["new"]))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # an edit within a second would be missed
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-m", "not jit and not slow", *fault["tests"].split(" -k ", 1)[:1]]
    if " -k " in fault["tests"]:
        command += ["-k", fault["tests"].split(" -k ", 1)[1]]
    try:
        code = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=LONGEST
        ).returncode
    except subprocess.TimeoutExpired:
        return "hung"
    finally:
        file.write_text(text)
    if code not in (0, 1):
        raise SystemExit(f"{fault['name']}: pytest ended with status {code}")
    return "failed" if code else ""


def main() -> int:
    """Try all faults that the command line names; 1 if one survives."""
    faults = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text())["fault"]
    chosen = [one for one in faults if all(word in one["name"] for word in sys.argv[1:])]
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutants_") as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "findings", "demo")
        shutil.copytree(ROOT, copy, ignore=ignored)
        for fault in chosen:
            how = caught(fault, copy)
            print(f"{how or 'SURVIVED':9} {fault['name']}", flush=True)
            survivors += [] if how else [fault["name"]]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} faults caught")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
