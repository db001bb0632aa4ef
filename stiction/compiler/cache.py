"""Cache of compiled code: one folder per version of all sources that the code is made from.

Numba checks only the file of a function for changes, not the files of the functions that it calls.
So every folder is named after a hash of our compiled sources and, for a user's kernel, also of the
user's files: an edit anywhere yields a new folder. `STICTION_CACHE` sets another location for these
folders.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.sigutils import normalize_signature

PACKAGE = Path(__file__).resolve().parents[1]
# folders whose code is compiled, or controls the compilation
COMPILED = ("compiler", "kernels", "collision", "contact", "control", "step", "integrators")
KEPT_DAYS = 30  # folders unused for longer are removed when a new one is made


@cache
def our_sources() -> tuple[Path, ...]:
    """Return the files of this package whose code is compiled."""
    files = [file for folder in COMPILED for file in sorted((PACKAGE / folder).rglob("*.py"))]
    return (*files, PACKAGE / "batch" / "packed_array.py")


@cache
def _digest(files: tuple[Path, ...]) -> str:
    """Hash of the contents of files, 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in files:
        digest.update(str(file).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def user_sources(module_name: str) -> tuple[Path, ...]:
    """Files of the user that a module depends on, its own first."""
    found: dict[Path, None] = {}
    _collect(sys.modules.get(module_name), found)
    return tuple(found)


def _collect(module: ModuleType | None, found: dict[Path, None]) -> None:
    """Add the file of a module and, recursively, of the modules that its names come from."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or not _is_users(Path(file)) or Path(file) in found:
        return
    found[Path(file)] = None
    for value in list(vars(module).values()):
        name = (
            value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        )
        if isinstance(name, str):
            _collect(sys.modules.get(name), found)


def _is_users(file: Path) -> bool:
    """Whether a source file is the user's: not ours, Python's or an installed package's."""
    installed = {
        Path(sysconfig.get_paths()[key]).resolve() for key in ("stdlib", "purelib", "platlib")
    }
    file = file.resolve()
    return file.suffix == ".py" and not any(
        file.is_relative_to(root) for root in {PACKAGE, *installed}
    )


@cache
def _root() -> Path:
    """Parent of all cache folders; a temporary one, with a warning, if it is not writable."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    root = Path(os.environ.get("STICTION_CACHE") or Path(home) / "stiction").expanduser()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError as error:
        warnings.warn(
            f"compiled code is not cached: cannot write to {root} ({error}); "
            "set STICTION_CACHE to a writable folder",
            stacklevel=2,
        )
        return Path(tempfile.mkdtemp(prefix="stiction-"))


@cache
def folder(files: tuple[Path, ...] = ()) -> Path:
    """Return the cache folder for code made from our sources and the given files of the user."""
    name = _digest(our_sources()) + (f"-{_digest(files)}" if files else "")
    path = _root() / name
    if not path.exists():
        _remove_old()
        path.mkdir(exist_ok=True)
    os.utime(path)
    return path


def _remove_old() -> None:
    """Remove cache folders that have not been used for KEPT_DAYS days."""
    for path in _root().iterdir():
        if path.is_dir() and time.time() - path.stat().st_mtime > KEPT_DAYS * 86400:
            shutil.rmtree(path, ignore_errors=True)


def sources_of(modules: Iterable[str]) -> tuple[Path, ...]:
    """Files of the user that the code of the named modules depends on, sorted."""
    return tuple(sorted({file for module in modules for file in user_sources(module)}))


@contextlib.contextmanager
def cached_in(files: tuple[Path, ...]) -> Iterator[None]:
    """Cache the functions declared inside by our sources and the user's given files."""
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder(files))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


class Cache(FunctionCache):
    """Numba's cache of one function, restricted to signatures with types from its own sources.

    Code compiled for a foreign type may contain foreign code, a plug-in, that the hash in the
    folder's name does not cover; and the cache index could not be read without the foreign module.
    """

    def __init__(self, function: Callable[..., Any], files: tuple[Path, ...]) -> None:
        """Cache a function in the folder of its sources."""
        with cached_in(files):
            super().__init__(function)
        self.files = files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code compiled for a signature, None if it is not cached."""
        return super().load_overload(sig, target_context) if self._keeps(sig) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache the code compiled for a signature, if all its types are from our sources."""
        if self._keeps(sig):
            super().save_overload(sig, data)

    def _keeps(self, sig: Any) -> bool:
        arguments, _ = normalize_signature(sig)
        return all(self._is_known(kind) for kind in arguments)

    def _is_known(self, kind: Any) -> bool:
        if isinstance(kind, types.BaseNamedTuple):
            named: Any = kind
            module = sys.modules.get(named.instance_class.__module__)
            file = Path(getattr(module, "__file__", None) or "")
            if not file.resolve().is_relative_to(PACKAGE) and file not in self.files:
                return False
        if isinstance(kind, types.BaseTuple):
            parts: Any = kind
            return all(self._is_known(part) for part in parts.types)
        plain = (types.Number, types.Boolean, types.Array, types.NoneType, types.Omitted)
        return isinstance(kind, plain)
