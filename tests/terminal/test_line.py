"""Long work says so on a terminal, and nowhere else; the terminal is a pseudo-terminal."""

import errno
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import stiction as st
from stiction.integrators.midpoint import Midpoint
from stiction.kernels.forward_dynamics import ArticulatedBody
from stiction.step.loop import announcement_of

pytestmark = pytest.mark.interpreted

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # [s] for a process of its own
SIMULATE = """
import sys
sys.path.insert(0, "tests")
import stiction as st
from mechanisms import pendulum
from stiction.terminal import line
line.PATIENCE = line.RATE = 0.0
st.simulate(st.World(pendulum(), ground=None), contact=None, duration=0.1, dt=0.001)
"""
# a routine of a user, compiled in a moment
COMPILE = """
import numpy as np
from stiction.compiler.compiled import routine
from stiction.terminal import line
line.PATIENCE, line.RATE = 0.0, 0.01

@routine
def add_up(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k]
    return total

assert add_up(np.ones(3)) == 3.0
"""


def told(script, terminal=True, **environment):
    """What a Python script writes to stderr, which may be a terminal."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-c", script]
    options = {"cwd": ROOT, "env": environment, "timeout": PATIENCE, "stdout": subprocess.DEVNULL}
    if not terminal:
        done = subprocess.run(command, stderr=subprocess.PIPE, check=True, **options)
        return done.stderr.decode()
    screen, end = pty.openpty()
    subprocess.run(command, stderr=end, check=True, **options)
    os.close(end)
    written = b""
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError as error:  # Linux says so at the end
            assert error.errno == errno.EIO
            part = b""
        if not part:
            break
        written += part
    os.close(screen)
    return written.decode()


def test_a_run_shows_how_far_it_is_and_wipes_its_line():
    found = told(SIMULATE)
    assert "simulating without contact  10 %" in found
    assert "simulating without contact 100 %" in found
    assert found.endswith("\r\033[K")


def test_a_run_that_does_not_take_long_says_nothing():
    assert told(SIMULATE.replace("line.PATIENCE = line.RATE = 0.0", "")) == ""


def test_nothing_is_written_where_nobody_looks_or_wants_to():
    assert told(SIMULATE, terminal=False) == ""
    assert told(SIMULATE, STICTION_PROGRESS="0") == ""


def test_compiling_for_the_first_time_says_so_and_loading_does_not(tmp_path):
    script = tmp_path / "adding.py"
    script.write_text(COMPILE)
    environment = {"NUMBA_DISABLE_JIT": "0", "STICTION_CACHE": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = f"{ROOT}:{tmp_path}"
    first = told("import adding", **environment)
    assert "compiling 'add up' for the first time, once ... " in first
    assert first.endswith("\r\033[K")
    again = told("import adding", **environment)
    assert "for the first time" not in again


def test_the_word_while_compiling_names_the_contact_model_and_the_time():
    kinds = (Midpoint, ArticulatedBody)
    solver, law = (announcement_of(*kinds, kind).text for kind in (st.Coulomb, st.SpringDamper))
    assert solver == "compiling Coulomb for the first time, about 50 s, once"
    assert law == "compiling SpringDamper for the first time, about 20 s, once"
    assert "compiling the step without contact" in announcement_of(*kinds).text
