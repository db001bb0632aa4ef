"""Contact models, integrators and controllers by name: built in, or a user's `module:Name`.

Importing a module runs its code. Only the module in such a name is imported, from a folder (that of
the scene, or the current one) or from Python's installed packages.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np

from stiction import integrators  # noqa: F401  declares ours
from stiction.compiler.cache import PACKAGE
from stiction.contact.contact_model import MODELS, NoContact, checked_parameter, fields_of
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.errors import InputError, did_you_mean
from stiction.step.integrator import INTEGRATORS

LARGEST = 1e15  # of any parameter, as of numbers in scene files


@dataclass(frozen=True)
class PlugIns:
    """All plug-ins of one sort: its name, and the registries that hold them."""

    what: str
    registries: tuple[Mapping[type, Any], ...]
    have_names: bool = True  # whether built-in ones can be named without a module

    def ours(self) -> dict[str, Any]:
        """The built-in ones by name, in order of declaration."""
        every = [kind for registry in self.registries for kind in registry if self.have_names]
        return {
            kind.__name__: kind
            for kind in every
            if kind is not NoContact and kind.__module__.startswith("stiction.")
        }

    def find(self, name: str, folder: Path = Path()) -> Any:
        """The parameter type that a name refers to; its module may be in `folder`.

        Raises InputError with what was found and what is valid.
        """
        if ":" in name:
            return self._of_module(name, folder)
        ours = self.ours()
        if name in ours:
            return ours[name]
        hint = did_you_mean(name, ours)
        there = f"known are {', '.join(ours)}; or " if ours else ""
        raise InputError(f"no such {self.what}; {there}give your own module:Name{hint}")

    def _of_module(self, name: str, folder: Path) -> Any:
        module, _, attribute = name.rpartition(":")
        if not module or not attribute:
            raise InputError("give module:Name, such as my_laws:Sponge or laws/my_laws.py:Sponge")
        imported = imported_module(module, folder)
        found = getattr(imported, attribute, None)
        if self._has(found):
            return found
        there = ", ".join(value.__name__ for value in vars(imported).values() if self._has(value))
        decorator = f"@{self.what.replace(' ', '_')}"
        fault = (
            f"module '{module}' has no '{attribute}'"
            if found is None
            else f"'{attribute}' of module '{module}' is not declared with {decorator}"
        )
        raise InputError(f"{fault}; give {there or f'a NamedTuple declared with {decorator}'}")

    def _has(self, value: Any) -> bool:
        return isinstance(value, type) and any(value in registry for registry in self.registries)


CONTACT_MODELS = PlugIns("contact model", (MODELS,))
INTEGRATOR_KINDS = PlugIns("integrator", (INTEGRATORS,))
CONTROLLER_KINDS = PlugIns("controller", (CONTROLLERS, PRESCRIBERS), have_names=False)


# ------------------------------------------------------------------------------------------- import


def imported_module(name: str, folder: Path) -> ModuleType:
    """Import a module by its name, or by the path of its file, from a folder or the packages."""
    if name.endswith(".py"):
        file = folder / name
        if not file.is_file():
            raise InputError(f"there is no file {file}")
        name, folder = file.stem, file.parent
    place = str(folder.absolute())
    _check_not_another(name, place)
    importlib.invalidate_caches()
    sys.path.insert(0, place)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise InputError(
                f"there is no module '{error.name}' in {place}, and none is installed"
            ) from None
        raise InputError(f"module '{name}' cannot be imported: {_told(error)}") from error
    finally:
        sys.path.remove(place)


def _check_not_another(name: str, place: str) -> None:
    """Raise InputError if a folder has a module with the name of another one already imported."""
    first = name.partition(".")[0]
    if first == "stiction":  # ours, also in the folder of its source
        return
    loaded, found = sys.modules.get(first), PathFinder.find_spec(first, [place])
    if loaded is None or found is None or found.origin is None:
        return
    file = getattr(loaded, "__file__", None)
    if file is None or Path(file).resolve() != Path(found.origin).resolve():
        raise InputError(
            f"another module '{first}' is in use, {file or 'built in'}; rename {found.origin}"
        )


def _told(error: BaseException) -> str:
    """Text of an error, with the last line of the user's that led to it."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):  # includes its line
        return text
    lines = traceback.extract_tb(error.__traceback__)
    theirs = [line for line in lines if not Path(line.filename).is_relative_to(PACKAGE)]
    last = (theirs or lines)[-1]
    return f"{text} ({last.filename}, line {last.lineno})"


# --------------------------------------------------------------------------------------- parameters


def parameter_tuple(kind: Any, given: Mapping[str, Any]) -> Any:
    """The parameters of a plug-in with the given values, checked.

    Raises InputError if a name is unknown, a value is invalid or one is missing.
    """
    values = {name: checked_value(kind, name, value) for name, value in given.items()}
    missing = missing_fields(kind, given)
    if missing:
        raise InputError(f"{kind.__name__} has no default for {', '.join(missing)}; give a value")
    return kind(**values)


def missing_fields(kind: Any, given: Mapping[str, Any]) -> list[str]:
    """Parameters of a plug-in that have no default and are not given."""
    return [name for name in kind._fields if name not in {*kind._field_defaults, *given}]


def checked_value(kind: Any, name: str, value: Any) -> Any:
    """A parameter as its kernel expects it: a float within its bounds, or an array of floats."""
    if name not in kind._fields:
        raise InputError(
            f"{kind.__name__} has no '{name}'; it has "
            f"{', '.join(kind._fields) or 'no parameters'}{did_you_mean(name, kind._fields)}"
        )
    if isinstance(value, int | float) and abs(value) >= LARGEST:
        raise InputError(f"{kind.__name__}: {name} must be smaller than {LARGEST:g}")
    if get_type_hints(kind)[name] is not np.ndarray:
        return checked_parameter(kind.__name__, name, fields_of(kind)[name], value)
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim == 0 or not np.isfinite(array).all():
        raise InputError(f"{kind.__name__}: {name} is {value!r}; give a list of numbers")
    return array
