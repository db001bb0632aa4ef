"""The public face: its names, and what importing it costs."""

import inspect
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import stiction
from stiction import errors, extend, patterns, plot, public, robots, scenes
from stiction.scenes.plug_ins import CONTACT_MODELS, INTEGRATOR_KINDS

pytestmark = pytest.mark.interpreted

ROOT = Path(__file__).parents[1]


CLASSES = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, BaseException)
]
ERRORS = [value for value in CLASSES if not issubclass(value, Warning)]
MODULES = (stiction, extend, patterns, plot, robots, scenes)
HEAVY = ("h5py", "matplotlib", "mujoco", "pinocchio", "scipy")


def printed(code):
    """What a Python process of its own prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_version_is_that_of_the_package():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert stiction.__version__ == declared
    assert f"version: {declared}" in (ROOT / "CITATION.cff").read_text()


LOADED = "print(json.dumps(sorted(set(sys.modules) - before)))"


@pytest.mark.parametrize(
    "use",
    ["import stiction", "from stiction.cli import main; main(['--help'])"],
    ids=["import", "help"],
)
def test_import_and_help_load_nothing_large(use):
    silent = "import contextlib, io, json, sys; before = set(sys.modules)"
    run = f"with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): {use}"
    loaded = printed(f"{silent}\n{run}\n{LOADED}")
    assert "stiction" in loaded
    assert not {"numpy", "numba", *HEAVY} & set(loaded)


def test_import_compiles_nothing():
    compiled = printed("""
import json
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    from stiction import *
print(json.dumps([str(event.data["dispatcher"]) for _, event in recorder.buffer]))
""")
    assert compiled == []


def test_import_leaves_heavy_packages_alone():
    """Numba imports SciPy by itself where it is, so only what comes after Numba is ours."""
    ours = printed(f"""
import json, sys, numba
before = set(sys.modules)
from stiction import *
{LOADED}
""")
    assert "stiction.world.world" in ours
    assert not set(HEAVY) & set(ours)


def test_simulating_needs_numpy_and_numba_only():
    """Clusters and GPU images have little else; compiled `np.dot` and `@` would want SciPy."""
    times = printed(f"""
import json, sys
sys.modules.update(dict.fromkeys({HEAVY!r}))  # importing any of them is an ImportError now
import stiction
world = stiction.World(stiction.robots.ball())
print(json.dumps(stiction.simulate(world, duration=0.02, dt=0.01).time.tolist()))
""")
    assert times[-1] == pytest.approx(0.02)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_is_unique_and_resolves_to_what_says_what_it_is(module):
    names = module.__all__
    assert len(set(names)) == len(names)
    for name in names:
        doc = inspect.getdoc(getattr(module, name))
        assert doc, name
        # what dataclass and NamedTuple write by themselves is no documentation
        assert not doc.startswith(f"{name}("), name


def test_every_public_name_is_there_and_listed():
    assert sorted(stiction.__all__) == stiction.__all__
    assert set(stiction.__all__) < set(dir(stiction))
    assert "Coulomb" in dir(stiction) and not hasattr(stiction, "Colomb")
    handed_out = {name for name in vars(public) if not name.startswith("_")}
    assert handed_out == set(stiction.__all__) - {*stiction.MODULES, *stiction.LATER}


def test_every_contact_model_and_integrator_is_public():
    kinds = [*CONTACT_MODELS.ours().values(), *INTEGRATOR_KINDS.ours().values()]
    assert len(kinds) == 15
    for kind in kinds:
        assert getattr(stiction, kind.__name__) is kind


def test_there_are_errors():
    assert len(ERRORS) > 3


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_derives_from_stiction_error(error):
    # Ctrl-C is no error: nothing must catch it by accident
    assert issubclass(error, stiction.StictionError | KeyboardInterrupt)
    assert error.__doc__


def test_the_package_docstring_lists_the_rooms_in_the_order_of_the_import_linter():
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    layers = [layer.strip("()") for layer in reversed(contract["layers"]) if layer != "__main__"]
    rooms = [room for layer in layers for room in layer.split(" | ")]
    assert re.findall(r"^    (\w+) {2,}\S", stiction.__doc__, re.MULTILINE) == rooms
