"""Sensors of batches on CUDA, in Numba's simulator of a device."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.jit  # runs without the compiler anyway, in a process of its own: once is enough
def test_worlds_on_cuda_read_what_those_on_the_cpu_read():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment |= {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    program = str(Path(__file__).with_name("cuda_sensors.py"))
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert [float(line) for line in done.stdout.split()] == [0.0, 0.0]
