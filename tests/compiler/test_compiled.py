"""What is inlined is compiled to intermediate code only, and what Python calls as a whole."""

import numpy as np
import pytest

from stiction.compiler import parts
from stiction.compiler.compiled import formula, routine

pytestmark = pytest.mark.jit


@formula
def twice(x):
    return 2 * x


@routine
def four_times(x):
    return twice(twice(x))


def code(dispatcher):
    """Functions that have machine code, and functions to be inlined."""
    (compiled,) = dispatcher.overloads.values()
    library = compiled.library
    own = [f.name for f in library._final_module.functions if not f.is_declaration]
    shared = library._get_module_for_linking()
    return own, [f.name for f in shared.functions if not f.is_declaration]


def test_this_version_of_numba_is_built_upon():
    assert parts.AVAILABLE


def test_only_what_python_calls_becomes_machine_code():
    assert four_times(1.5) == 6.0
    own, shared = code(twice)
    assert own == [] and any("twice" in name for name in shared)
    own, _ = code(four_times)
    assert any("four_times" in name for name in own)
    assert not any("twice" in name for name in own)  # inlined


def test_what_is_inlined_can_be_called_from_python_too():
    assert twice(4) == 8


def test_a_users_function_may_count_from_the_end():
    """Kernels of ours may not, see tests/step/test_indices.py."""

    @routine
    def from_the_end(values, k):
        return values[-k]

    assert from_the_end(np.arange(5.0), 2) == 3.0
