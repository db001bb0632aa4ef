"""The fuzzer of scenes, motions, robots, recorded motions, meshes and paths finds nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.interpreted, pytest.mark.slow]

SCRIPT = Path(__file__).parents[2] / "fuzz" / "fuzz_files.py"


@pytest.mark.parametrize("kind", ["scene", "motion", "robot", "recorded", "mesh", "paths"])
def test_the_fuzzer_finds_nothing_in_a_few_seconds(kind):
    command = [sys.executable, str(SCRIPT), "--kind", kind, "--for", "8", "--seed", "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) executions", done.stdout)[1]) > 50
