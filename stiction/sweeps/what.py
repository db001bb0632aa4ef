"""What a sweep runs: a scene, a function, or "module:function"; and how it is recognised again."""

from __future__ import annotations

import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.scenes.plug_ins import imported_module
from stiction.sweeps.outcome import Run, packed
from stiction.sweeps.points import Point
from stiction.sweeps.scene_runs import SceneRun, read_scene_run

GIVE = "give a scene by its name or file (.toml), a function, or module:function"


class Work(NamedTuple):
    """A function of the parameters, and what its results are filed under."""

    run: Run
    name: str
    digest: str  # of its text: results of an edited function are not mixed with older ones


def work_of(what: Any, measure: Any = None) -> Work:
    """Find what to run; raises InputError."""
    if isinstance(what, Path):
        what = str(what)
    if isinstance(what, str) and (":" not in what or what.endswith(".toml")):
        own = None if measure is None else named_function(measure, "measure")
        scene = read_scene_run(what, own)
        texts = scene.text if own is None else scene.text + _source(own)
        return Work(scene, scene.name, _digest(texts))
    if measure is not None:
        raise InputError("sweep: measure is for scenes; let your function return the measurements")
    if not isinstance(what, str) and not callable(what):
        raise InputError(f"sweep: found {shown(what)}; {GIVE}")
    run = named_function(what, "sweep")
    return Work(run, _name(run), _digest(_source(run)))


def named_function(given: Any, argument: str) -> Callable[..., Any]:
    """A function, or the one that "module:function" names, searched for in the current folder."""
    if callable(given):
        return given
    module, _, attribute = str(given).rpartition(":")
    if not isinstance(given, str) or not module or not attribute:
        raise InputError(f"{argument}: found {shown(given)}; give a function or module:function")
    function = getattr(imported_module(module, Path()), attribute, None)
    if not callable(function) or isinstance(function, type):
        raise InputError(f"{argument} '{given}': module '{module}' has no function '{attribute}'")
    return function


def check_first(run: Run, point: Point) -> None:
    """Raise InputError if the first point names parameters that do not exist."""
    if isinstance(run, SceneRun):
        run.scene({name: value for name, value in point.items() if name != "dt"})
        return
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(**point)
    except TypeError as error:
        raise InputError(
            f"sweep: the function {_name(run)}{signature} cannot be called with "
            f"{', '.join(point)} ({error})"
        ) from None


def payload_of(run: Run, travels: bool) -> bytes:
    """A function as workers get it; to other machines modules of the user travel with it."""
    import cloudpickle

    users = [sys.modules[name] for name in _modules(run) if travels and _is_users(name)]
    for module in users:
        cloudpickle.register_pickle_by_value(module)
    try:
        return packed(run)
    finally:
        for module in users:
            cloudpickle.unregister_pickle_by_value(module)


def folders_of(run: Run) -> list[str]:
    """Folders of the modules of a function, which may have been imported from any."""
    folders = []
    for name in _modules(run):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            folders.append(str(Path(file).absolute().parents[name.count(".")]))
    return folders


def _modules(run: Run) -> set[str]:
    found = {run, run.measure} if isinstance(run, SceneRun) else {run}
    return {one.__module__ for one in found if hasattr(one, "__module__")}


def _is_users(name: str) -> bool:
    """Whether a module is neither of an installed package nor of Python."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if file is None or name == "__main__" or name.split(".")[0] == "stiction":
        return False
    place = Path(file).resolve()
    kept = (sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib"))
    return not any(place.is_relative_to(Path(folder).resolve()) for folder in kept)


def _name(run: Any) -> str:
    module = "script" if run.__module__ == "__main__" else run.__module__
    return f"{module}:{getattr(run, '__qualname__', type(run).__qualname__)}"


def _source(run: Any) -> str:
    try:
        return inspect.getsource(run)
    except (OSError, TypeError):  # typed at a prompt, or an object that can be called
        return packed(run).hex()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
