"""Cache of compiled code: one folder per version of all sources that the code is made from.

Numba checks only the file of a function for changes, not the files of the functions that it calls.
So every folder is named after a hash of our compiled sources and, for a user's kernel, also of the
user's files: an edit anywhere yields a new folder. `STICTION_CACHE` sets another location for these
folders.

What is in the cache runs in this process, so a folder that others can write to is refused. Damaged
entries are compiled again. A disk that is full or read-only is no error: code is then compiled
again by the next process.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import pickle
import shutil
import stat
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
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.sigutils import normalize_signature

from stiction.compiler.announced import not_cached

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


@cache
def _is_users(file: Path) -> bool:
    """Whether a source file is the user's: not ours, Python's or an installed package's."""
    file = file.resolve()
    return file.suffix == ".py" and not any(
        file.is_relative_to(root) for root in (PACKAGE, *_installed())
    )


@cache
def _installed() -> tuple[Path, ...]:
    """Folders of Python and of installed packages."""
    return tuple(
        Path(sysconfig.get_paths()[key]).resolve() for key in ("stdlib", "purelib", "platlib")
    )


@cache
def _root() -> Path:
    """Parent of all cache folders; a temporary one, with a warning, if it cannot be used."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    wanted = Path(os.environ.get("STICTION_CACHE") or Path(home) / "stiction")
    try:
        root = wanted.expanduser()
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_shared(root)
        try:
            tempfile.TemporaryFile(dir=root).close()
        except OSError:  # what is there can still be read
            if not any(root.glob(f"{_digest(our_sources())}*")):
                raise
        return root
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        warnings.warn(
            f"compiled code is not kept: {wanted} cannot be used ({error}); "
            "set STICTION_CACHE to a folder of your own",
            stacklevel=2,
        )
        return _temporary()


def _refuse_shared(path: Path) -> None:
    """Raise OSError if another user could put code into a folder: it would run here."""
    found = path.stat()
    if not hasattr(os, "getuid"):
        return
    if found.st_uid not in (os.getuid(), 0):
        raise OSError("it belongs to another user, whose code would run")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise OSError(f"others can write to it, and their code would run: chmod go-w {path}")


def _temporary() -> Path:
    """A folder for this process only; one that does not exist if there is no place for it."""
    try:
        made = Path(tempfile.mkdtemp(prefix="stiction-"))
    except OSError:
        return Path(os.devnull) / "stiction"  # nothing is kept
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def folder(files: tuple[Path, ...] = ()) -> Path:
    """Return the cache folder for code made from our sources and the given files of the user."""
    name = _digest(our_sources()) + (f"-{_digest(files)}" if files else "")
    path = _root() / name
    with contextlib.suppress(OSError):  # a disk that is full or read-only
        if not path.exists():
            _remove_old()
            path.mkdir(mode=0o700, exist_ok=True)
        os.utime(path)
    try:
        _refuse_shared(path)
    except FileNotFoundError:
        return path
    except OSError as error:
        warnings.warn(f"compiled code is not kept: {path} ({error})", stacklevel=2)
        return _temporary()
    return path


def _remove_old() -> None:
    """Remove cache folders that have not been used for KEPT_DAYS days."""
    for path in _root().iterdir():
        if path.is_dir() and time.time() - path.stat().st_mtime > KEPT_DAYS * 86400:
            shutil.rmtree(path, ignore_errors=True)


# ------------------------------------------------------------------------------------------ entries


_UserProvided: Any = CompileResultCacheImpl._locator_classes[0]  # its name depends on the version


class _Locator(_UserProvided):
    """Numba's location of an entry in CACHE_DIR, which need not be writable to be read."""

    def ensure_cache_path(self) -> None:
        """Make the folder; what stands in the way is found when an entry is written."""
        with contextlib.suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)


class _Located(CompileResultCacheImpl):
    _locator_classes = [_Locator, *CompileResultCacheImpl._locator_classes[1:]]


class _Checked(IndexDataCacheFile):
    """Numba's files of the entries of a function, with checksums: damaged code may do anything."""

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return hashlib.sha256(data).digest() + data

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_intact(Path(self._data_path(name)).read_bytes()))

    def _load_index(self) -> dict[Any, str]:
        """The names of the data by signature; none if the index is damaged or out of date."""
        try:
            with open(self._index_path, "rb") as file:
                version = pickle.load(file)
                data = file.read()
            if version != self._version:
                return {}
            stamp, overloads = pickle.loads(_intact(data))
        except Exception:  # whatever pickle raises for damaged data
            return {}
        return overloads if stamp == self._source_stamp else {}


def _intact(data: bytes) -> bytes:
    """The content of an entry without its checksum; ValueError if it is damaged."""
    size = hashlib.sha256().digest_size
    if hashlib.sha256(data[size:]).digest() != data[:size]:
        raise ValueError("an entry of the cache is damaged")
    return data[size:]


@cache
def _warn_not_kept(reason: str) -> None:
    warnings.warn(f"compiled code is not kept: {reason}", stacklevel=2)


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

    _impl_class = _Located

    def __init__(self, function: Callable[..., Any], files: tuple[Path, ...]) -> None:
        """Cache a function in the folder of its sources."""
        with cached_in(files):
            super().__init__(function)
        self.files = files
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Checked(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code compiled for a signature, None if it is not cached, or damaged."""
        found = None
        if self._keeps(sig):
            # whatever pickle and LLVM raise: the code is compiled and written again
            with contextlib.suppress(Exception):
                found = super().load_overload(sig, target_context)
        if found is None:
            not_cached()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache the code compiled for a signature, if all its types are from our sources."""
        if not self._keeps(sig):
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:  # a disk that is full or read-only
            _warn_not_kept(f"{self._cache_path}: {error.strerror or error}")

    def _keeps(self, sig: Any) -> bool:
        arguments, _ = normalize_signature(sig)
        return all(is_ours(kind, self.files) for kind in arguments)


def is_ours(kind: Any, files: tuple[Path, ...] = ()) -> bool:
    """Whether a type is Numba's, or declared in this package or one of these files."""
    kind = getattr(kind, "whole", kind)  # of a type that is passed to a subroutine
    if isinstance(kind, types.BaseNamedTuple):
        named: Any = kind
        module = sys.modules.get(named.instance_class.__module__)
        file = Path(getattr(module, "__file__", None) or "")
        if not file.resolve().is_relative_to(PACKAGE) and file not in files:
            return False
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return all(is_ours(part, files) for part in parts.types)
    plain = (types.Number, types.Boolean, types.Array, types.NoneType, types.Omitted)
    return isinstance(kind, plain)
