"""The cache of compiled code: others cannot put code there; a fault of its disk is no error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from small_disk import made_read_only, mounted

pytestmark = pytest.mark.jit

PACKAGE = Path(__file__).parents[2] / "stiction"
# without `import stiction`, which takes longer than everything else here
SCRIPT = """
import sys, types
package = types.ModuleType("stiction")
package.__path__ = [sys.argv[1]]
sys.modules["stiction"] = package
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, e): compiled.append(e)
    def on_end(self, e): pass
event.register("numba:compile", Listener())
from stiction.kernels.vectors import add
assert add((2.0, 3.0, 4.0), (2.0, 3.0, 4.0)) == (4.0, 6.0, 8.0)
print("compiled" if compiled else "loaded")
"""


def run(cache):
    """What became of the code ("compiled" or "loaded"), and the warnings."""
    environment = {**os.environ, "STICTION_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SCRIPT, str(PACKAGE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def files(folder, suffix):
    return [path for path in folder.rglob(f"*{suffix}") if path.is_file()]


@pytest.fixture
def warm(tmp_path):
    """A cache with one function."""
    cache = tmp_path / "cache"
    assert run(cache) == ("compiled", "")
    assert cache.stat().st_mode & 0o777 == 0o700
    return cache


def test_a_folder_that_others_can_write_to_is_refused(warm):
    warm.chmod(0o770)
    found, told = run(warm)
    assert found == "compiled"
    assert "others can write to it, and their code would run: chmod go-w" in told
    warm.chmod(0o755)
    assert run(warm) == ("loaded", "")


@pytest.mark.slow
def test_an_inner_folder_that_others_can_write_to_is_refused(warm):
    [inner] = warm.iterdir()
    inner.chmod(0o777)
    found, told = run(warm)
    assert found == "compiled"
    assert "others can write to it" in told


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_somebody_else_is_refused(warm):
    os.chown(warm, 12345, 12345)
    found, told = run(warm)
    assert found == "compiled"
    assert "it belongs to another user" in told


def cut(data):
    return data[: len(data) // 2]


def flipped(data):
    place = len(data) - 100
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        (".nbc", flipped),
        pytest.param(".nbc", cut, marks=pytest.mark.slow),
        pytest.param(".nbi", flipped, marks=pytest.mark.slow),
        pytest.param(".nbi", cut, marks=pytest.mark.slow),
    ],
)
def test_a_damaged_or_cut_entry_is_compiled_again(suffix, damage, warm):
    [path] = files(warm, suffix)
    path.write_bytes(damage(path.read_bytes()))
    assert run(warm) == ("compiled", "")
    assert run(warm) == ("loaded", "")


def test_a_full_disk_is_no_error(tmp_path):
    with mounted(tmp_path / "disk", 4096) as disk:
        found, told = run(disk)
        assert found == "compiled"
        assert "compiled code is not kept" in told
        assert "No space left" in told


@pytest.mark.slow
def test_a_warm_cache_on_a_read_only_disk_is_used(tmp_path):
    with mounted(tmp_path / "disk", 10_000_000) as disk:
        assert run(disk)[0] == "compiled"
        made_read_only(disk)
        assert run(disk) == ("loaded", "")


@pytest.mark.slow
def test_an_empty_read_only_disk_is_no_error(tmp_path):
    with mounted(tmp_path / "disk", 10_000_000) as disk:
        made_read_only(disk)
        found, told = run(disk)
        assert found == "compiled"
        assert "compiled code is not kept" in told
        assert "set STICTION_CACHE" in told


@pytest.mark.slow
def test_without_a_home_or_a_known_user_there_is_a_temporary_cache(tmp_path):
    unknown = ["unshare", "--user", "--map-user=54321"]
    if subprocess.run([*unknown, "true"], capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    missing = ("HOME", "XDG_CACHE_HOME", "STICTION_CACHE")
    environment = {key: value for key, value in os.environ.items() if key not in missing}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(tmp_path)}
    command = [*unknown, sys.executable, "-c", SCRIPT, str(PACKAGE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.stdout.strip() == "compiled", done.stderr
    assert "compiled code is not kept" in done.stderr
    assert "home" in done.stderr
    assert list(tmp_path.iterdir()) == []  # the temporary folder is removed at the end
