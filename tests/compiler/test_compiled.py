"""What is inlined is compiled to intermediate code only, and what Python calls as a whole."""

import numpy as np
import pytest
from numba.core.caching import NullCache

from stiction.compiler import parts
from stiction.compiler.compiled import formula, routine

pytestmark = pytest.mark.jit


@formula
def twice(x):
    return 2 * x


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
    @formula
    def half(x):
        return 0.5 * x

    @routine
    def quarter(x):
        return half(half(x))

    for function in (half, quarter):  # from the cache, the caller would do without the other
        function._cache = NullCache()
    assert quarter(6.0) == 1.5
    own, shared = code(half)
    assert own == [] and any("half" in name for name in shared)
    own, _ = code(quarter)
    assert any("quarter" in name for name in own)
    assert not any("half" in name for name in own)  # inlined


def test_what_is_inlined_can_be_called_from_python_too():
    assert twice(4) == 8


def test_a_users_function_may_count_from_the_end():
    """Kernels of ours may not, see tests/step/test_indices.py."""

    @routine
    def from_the_end(values, k):
        return values[-k]

    assert from_the_end(np.arange(5.0), 2) == 3.0
