"""Batches on CUDA: on a device if there is one, else in Numba's simulator of one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stiction.batch.cuda import NONE, SHARED, Bundle, Given, Source
from stiction.collision.bodies import Bodies
from stiction.collision.broad_phase import BroadPhase
from stiction.contact.surface import Surface
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.loops import Loops
from stiction.kernels.tree import Dynamics

ROOT = Path(__file__).parents[2]
# Five steps at up to 1 m/s; single-precision solvers stop at 1e-5 of the impulses, which the five
# steps of a landing amplify, and what Bilateral fixes yields a little.
AGREEMENT = {"float64": 1e-12, "float32": 1e-3}


def device_is_there() -> bool:
    script = "import numpy as np; np.row_stack = np.vstack; from numba import cuda; "
    script += "print(cuda.is_available())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    return done.stdout.strip() == "True"


@pytest.mark.jit  # runs without the compiler anyway, in a process of its own: once is enough
def test_worlds_on_cuda_move_as_on_the_cpu():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if not device_is_there():
        environment |= {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    program = Path(__file__).with_name("cuda_worlds.py")
    done = subprocess.run(
        [sys.executable, str(program), "3", "5"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 51
    for row in rows:
        assert row["worst"] <= AGREEMENT[row["precision"]], row


def test_what_all_worlds_share_is_part_of_a_world():
    parts = {"dynamics": Dynamics, "surface": Surface, "bodies": Bodies, "broad": BroadPhase}
    parts["loops"] = Loops
    for path in SHARED:
        first, *below = path.split(".")
        assert first in Bundle._fields
        for whole, part in zip([first, *below], below, strict=False):
            assert part in parts[whole]._fields


def test_worlds_whose_bundles_differ_in_their_types_alone_have_kernels_of_their_own():
    assert ArticulatedBody() == JointSpace()  # tuples without fields are equal
    parts = dict.fromkeys(Bundle._fields, ()) | {"dynamics": (np.zeros(2),)}
    given = Given(*[NONE] * len(Given._fields))
    keys = [
        Source(np.float32, Bundle(**parts | {"loops": loops}), given).key
        for loops in (ArticulatedBody(), JointSpace(), JointSpace())
    ]
    assert keys[0] != keys[1]
    assert keys[1] == keys[2]
