"""What every test may use: data from outside the repository, and how its absence is told.

A test that needs something which is not in the repository ("data", "browser", "gpu") asks for it
through `missing`, so that all such skips read alike, are counted at the end of the run, and become
failures where STICTION_REQUIRE, a comma list such as "data,browser,egl", names them.
"""

import os
import signal
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

REQUIREMENTS = ("data", "browser", "egl", "robots", "engines", "torch", "gpu", "shells")


def missing(requirement: str, reason: str) -> NoReturn:
    """Skip the running test; fail it if STICTION_REQUIRE names the requirement."""
    assert requirement in REQUIREMENTS, f"unknown requirement '{requirement}'"
    required = [word.strip() for word in os.environ.get("STICTION_REQUIRE", "").split(",")]
    if requirement in required:
        pytest.fail(
            f"{requirement}: {reason} (STICTION_REQUIRE={','.join(required)})", pytrace=False
        )
    pytest.skip(f"{requirement}: {reason}")


def data_folder() -> Path:
    """Folder with robots and measurements that are not ours to commit."""
    name = os.environ.get("STICTION_DATA", "")
    if not name:
        missing("data", "STICTION_DATA is not set; let it name the folder that holds robots/")
    if not Path(name).is_dir():
        missing("data", f"STICTION_DATA={name} is not a folder")
    return Path(name).resolve()


def data_file(*parts: str) -> Path:
    """File or folder below `data_folder()`."""
    path = data_folder().joinpath(*parts)
    if not path.exists():
        missing("data", f"{path} is not there")
    return path


@pytest.fixture
def data() -> Path:
    """`data_folder()` as a fixture."""
    return data_folder()


@pytest.fixture
def egl():
    """Skip, or fail where EGL is required, if pictures cannot be drawn."""
    from stiction.errors import ViewError
    from stiction.render.canvas import opened_context

    try:
        opened_context(16, 16).free()
    except ViewError as error:
        missing("egl", str(error))


@pytest.fixture
def torch():
    """PyTorch; skip, or fail where it is required, if it is not installed."""
    try:
        import torch
    except ImportError:
        missing("torch", "PyTorch is not installed")
    return torch


@pytest.fixture
def gpu():
    """Skip, or fail where a GPU is required, if Numba finds none to compile for."""
    from numba import cuda

    if jit_is_off() or not cuda.is_available():
        missing("gpu", "Numba finds no NVIDIA GPU")


@pytest.fixture
def engines():
    """Skip, or fail where they are required, unless all other engines are installed."""
    from stiction.engines import PACKAGES

    for package in PACKAGES.values():
        if find_spec(package) is None:
            missing("engines", f"Python finds no package {package}")


@pytest.fixture(autouse=True, scope="session")
def heeded_ctrl_c():
    """Heed Ctrl-C even if pytest runs in the background of a shell, which ignores it there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def jit_is_off() -> bool:
    """Whether kernels run as plain Python."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


# Files that take long begin, so that no worker waits for another one in the end. The first compiles
# the steps of the examples; meanwhile the other worker gets what compiles nothing of a step, and
# then finds the parts of steps in the cache instead of compiling the same ones at the same time.
FIRST = (
    "test_docs",
    *("test_cuda", "test_cache", "test_cache_faults", "test_user_errors", "test_subroutines"),
    *("test_one_contact", "test_bounded_least_squares", "test_touching_links", "test_pinocchio"),
    *("test_bad_inputs", "test_user_solver", "test_all_models", "test_bodies"),
)


def pytest_collection_modifyitems(items):
    order = {name: k for k, name in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(FIRST)))
    if jit_is_off():
        skip = pytest.mark.skip(reason="jit: NUMBA_DISABLE_JIT is set")
        for item in items:
            if item.get_closest_marker("jit"):
                item.add_marker(skip)


def pytest_terminal_summary(terminalreporter):
    """One line per requirement that was missing."""
    counts = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):  # file, line, "Skipped: data: ..."
            requirement = report.longrepr[2].removeprefix("Skipped: ").split(":")[0]
            if requirement in REQUIREMENTS:
                counts[requirement] += 1
    for requirement, count in sorted(counts.items()):
        terminalreporter.write_line(f"skipped for missing {requirement}: {count}")
