"""An edit of any source of compiled code changes the result; without one nothing is recompiled."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "stiction"
PARAMETERS = """
from typing import NamedTuple

class Pull(NamedTuple):
    strength: float
"""
CONTROLLER = """
from parameters import Pull
from stiction import controller
from law import force

@controller(Pull)
def pull(params, dynamics, time, q, v):
    dynamics.control[0] += force(params.strength)
"""
LAW = """
from stiction.compiler.compiled import formula

@formula
def force(strength):
    return {factor} * strength
"""
SCRIPT = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e): pass
event.register("numba:compile", Listener())
import stiction as st
from user import Pull
world = st.World(st.robots.ball(mass=1.0), gravity=(0, 0, 0))
motion = st.simulate(world, contact=None, duration=0.1, dt=0.01, controller=Pull(1.0))
print(motion.v[-1, 0], len(compiled))
"""


def run(folder: Path, package: Path, script: str, **environment: str) -> str:
    """Output of a program in a process of its own."""
    paths = {"PYTHONPATH": f"{package.parent}{os.pathsep}{folder}"}
    paths["PYTHONDONTWRITEBYTECODE"] = "1"  # Python misses an edit of equal size within a second
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=os.environ | paths | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.jit
@pytest.mark.slow
def test_editing_a_users_controller_or_what_it_calls_changes_the_result(tmp_path):
    """And only then anything is compiled: a second process takes all of it from the cache."""

    def pulled() -> tuple[float, int]:
        v, compiled = run(tmp_path, PACKAGE, SCRIPT).split()
        return float(v), int(compiled)

    (tmp_path / "parameters.py").write_text(PARAMETERS)
    (tmp_path / "user.py").write_text(CONTROLLER)
    (tmp_path / "law.py").write_text(LAW.format(factor=1.0))
    v, compiled = pulled()
    assert v == pytest.approx(0.1) and compiled > 0
    assert pulled() == (v, 0)
    (tmp_path / "law.py").write_text(LAW.format(factor=2.0))
    assert pulled()[0] == pytest.approx(0.2)
    (tmp_path / "user.py").write_text(CONTROLLER.replace("+= force", "-= force"))
    assert pulled()[0] == pytest.approx(-0.2)


@pytest.mark.jit
def test_editing_a_kernel_of_ours_changes_the_result(tmp_path):
    """One of another file than the function that Python calls, which Numba would not notice."""
    package = tmp_path / "copy" / "stiction"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = f"""
import stiction
from stiction.kernels.rotations import turn
assert stiction.__file__.startswith({str(tmp_path)!r}), stiction.__file__
print(turn((0.0, 0.0, 3.0), (1.0, 0.0, 0.0), 0.0, 1.0)[2])
"""
    cache = str(tmp_path / "cache")
    assert float(run(tmp_path, package, script, STICTION_CACHE=cache)) == 3.0
    file = package / "kernels" / "vectors.py"
    text = file.read_text()
    edited = text.replace(
        "return (k * a[0], k * a[1], k * a[2])", "return (k * a[0], k * a[1], 2 * k * a[2])"
    )
    assert edited != text
    file.write_text(edited)
    assert float(run(tmp_path, package, script, STICTION_CACHE=cache)) == 6.0


@pytest.mark.jit
def test_a_cache_that_names_a_module_which_is_gone_is_no_error(tmp_path):
    own_type = 'from typing import NamedTuple\nOwn = NamedTuple("Own", x=float, y=float, z=float)\n'
    (tmp_path / "own.py").write_text(own_type)
    script = "from stiction.kernels.vectors import add; print(add({a}, {a})[0])"
    cache, plain = str(tmp_path / "cache"), script.format(a="(2.0, 3.0, 4.0)")
    own = "from own import Own; " + script.format(a="Own(1.0, 2.0, 3.0)")
    assert float(run(tmp_path, PACKAGE, own, STICTION_CACHE=cache)) == 2.0
    (tmp_path / "own.py").unlink()
    assert float(run(tmp_path, PACKAGE, plain, STICTION_CACHE=cache)) == 4.0


def test_a_type_has_one_kernel():
    import stiction as st
    from stiction.control.torque import TorqueTable, table_torque

    with pytest.raises(st.StictionError, match="TorqueTable already has a kernel"):

        @st.controller(TorqueTable)
        def other(params, dynamics, time, q, v):
            pass

    again = getattr(table_torque, "py_func", table_torque)  # the same one, as after a reload
    assert st.controller(TorqueTable, held=True)(again) is not None


@pytest.mark.jit
def test_numbas_own_cache_folder_is_left_as_it_was():
    import numba

    import stiction  # noqa: F401

    assert numba.config.CACHE_DIR == os.environ.get("NUMBA_CACHE_DIR", "")


def test_folders_that_were_not_used_for_long_are_removed(tmp_path, monkeypatch):
    from stiction.compiler import cache

    monkeypatch.setenv("STICTION_CACHE", str(tmp_path))
    cache._root.cache_clear()
    cache.folder.cache_clear()
    try:
        old, recent = tmp_path / "old", tmp_path / "recent"
        old.mkdir()
        recent.mkdir()
        long_ago = time.time() - 40 * 86400
        os.utime(old, (long_ago, long_ago))
        made = cache.folder()
        assert made.parent == tmp_path and made.is_dir()
        assert recent.exists() and not old.exists()
    finally:
        cache._root.cache_clear()
        cache.folder.cache_clear()


def test_the_content_of_a_users_file_is_part_of_the_name_of_the_folder(tmp_path, monkeypatch):
    from stiction.compiler import cache

    def name_for(content):
        (tmp_path / "law.py").write_text(content)
        for function in (cache._root, cache.folder, cache._digest):
            function.cache_clear()
        return cache.folder((tmp_path / "law.py",)).name

    monkeypatch.setenv("STICTION_CACHE", str(tmp_path / "cache"))
    try:
        names = [name_for(content) for content in ("a = 1", "a = 2", "a = 1")]
        assert names[0] == names[2] != names[1]
        assert cache.folder().name == names[0].split("-")[0]
    finally:
        for function in (cache._root, cache.folder, cache._digest):
            function.cache_clear()
