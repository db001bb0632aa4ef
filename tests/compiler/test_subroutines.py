"""A subroutine is compiled once, shared by its callers, and found by callers from the cache."""

import os
import subprocess
import sys

import numpy as np
import pytest

from stiction.collision.sorting import heap_sort
from stiction.compiler.compiled import kernel, routine, subroutine

pytestmark = pytest.mark.jit


@subroutine
def total(numbers, factors, start):
    """Depends on shape, strides and size of what it receives."""
    value = start + numbers.size + numbers.shape[1] * factors.shape[0]
    for row in numbers:
        value += row[1:].sum() * factors[0]
    return value


@kernel
def through_a_kernel(numbers, factors):
    return total(numbers, factors, 1)


@routine
def first_caller(numbers, factors):
    return through_a_kernel(numbers, factors)


@routine
def second_caller(numbers, factors, start):
    return total(numbers, factors, start)


def test_arrays_arrive_whole():
    numbers, factors = np.arange(12.0).reshape(3, 4), np.array([2.0, 5.0])
    expected = 1 + 12 + 4 * 2 + 2 * numbers[:, 1:].sum()
    assert first_caller(numbers, factors) == expected
    assert second_caller(numbers, factors, 1) == expected
    assert second_caller(np.asfortranarray(numbers), factors, 1) == expected
    assert second_caller(numbers[:, ::2], factors, 1) == 1 + 6 + 2 * 2 + 2 * numbers[:, 2].sum()


def test_callers_share_one_code_for_all_values_of_a_constant():
    numbers, factors = np.ones((2, 3)), np.ones(2)
    first_caller(numbers, factors)
    before = len(total.entry.overloads)
    second_caller(numbers, factors, 7)
    assert len(total.entry.overloads) == before
    (compiled,) = first_caller.overloads.values()
    own = [f.name for f in compiled.library._final_module.functions if not f.is_declaration]
    assert not any("total" in name for name in own)


def test_a_subroutine_can_be_called_from_python_too():
    assert total(np.ones((2, 3)), np.ones(2), 1) == 1 + 6 + 3 * 2 + 4


SORT = """
import numpy as np
from stiction.collision.sorting import heap_sort
from stiction.compiler.compiled import routine
{declaration}
keys, others = np.array([3.0, 1.0, 2.0]), np.arange(3)
{call}
print(keys.tolist(), others.tolist())
"""


def run(folder, declaration="", call="heap_sort(keys, others, 3)"):
    script = folder / "script.py"
    script.write_text(SORT.format(declaration=declaration, call=call))
    environment = {**os.environ, "STICTION_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.strip()


def test_a_caller_from_the_cache_finds_its_subroutine(tmp_path):
    """Even if the subroutine itself is not in the cache any more."""
    declared = "@routine\ndef sort(keys, others, n):\n    heap_sort(keys, others, n)\n"
    sorted_text = "[1.0, 2.0, 3.0] [1, 2, 0]"
    assert run(tmp_path, declared, "sort(keys, others, 3)") == sorted_text
    assert run(tmp_path, declared, "sort(keys, others, 3)") == sorted_text
    entries = list((tmp_path / "cache").rglob("*heap_sort_entry*"))
    assert entries
    for entry in entries:
        entry.unlink()
    assert run(tmp_path, declared, "sort(keys, others, 3)") == sorted_text
    assert list((tmp_path / "cache").rglob("*heap_sort_entry*.nbc"))
    assert heap_sort.entry.py_func.__name__ == "heap_sort_entry"
