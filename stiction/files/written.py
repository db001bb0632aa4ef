"""Files written whole or not at all: what was there before stays until the new one is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from stiction.errors import InputError, StictionError

PREFIX, SUFFIX = ".stiction-", ".part"  # of the name of a file that is being written
OLD = 60.0  # [s]; an unfinished file older than this, that nobody writes, is removed


def write_whole(
    path: str | Path, data: bytes | memoryview, what: str, error: type[StictionError]
) -> None:
    """Write a file, or raise `error` and leave the one that is there as it is.

    It keeps the permissions of a file that it replaces, and replaces the file that a symbolic link
    leads to. what: the content, in messages.
    """
    target = _target(_path(path, error), error)
    unfinished = target.parent / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    try:
        _write(unfinished, target, data).close()
    except OSError as failure:
        raise error(_told(Path(path), failure, len(data), what)) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    _remove_unfinished(target.parent)


@contextlib.contextmanager
def replaced(path: str | Path, error: type[StictionError]) -> Iterator[Path]:
    """The name of an empty file for others to write, which replaces `path` if they do not fail."""
    target = _target(_path(path, error), error)
    unfinished = target.parent / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _lock(descriptor)
        yield unfinished
        with contextlib.suppress(FileNotFoundError):
            _keep_owner_and_mode(descriptor, target)
        os.replace(unfinished, target)
    finally:
        os.close(descriptor)
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def open_new(path: str | Path, data: bytes, what: str, error: type[StictionError]) -> IO[bytes]:
    """Replace a file by one that begins with `data`, which is returned open; or raise `error`."""
    target = _target(_path(path, error), error)
    unfinished = target.parent / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    try:
        return _write(unfinished, target, data)
    except OSError as failure:
        raise error(_told(Path(path), failure, len(data), what)) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def check_kind(
    path: str | Path, suffixes: tuple[str, ...], what: str, error: type[StictionError]
) -> Path:
    """The path of a file whose name ends in one of the suffixes; else raise `error`.

    what: the function or option that writes it, in messages.
    """
    if not (isinstance(path, str | Path) and Path(path).suffix.lower() in suffixes):
        shown = f"'{path}'" if isinstance(path, Path) else repr(path)
        known = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise error(f"{what}: {shown} is no name of a file that ends in {known}; give one")
    return Path(path)


def make_folder(folder: Path) -> None:
    """Make a folder for results, with those above it, if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: no folder can be made there ({error.strerror})") from None


def check_target(path: str | Path, error: type[StictionError]) -> None:
    """Raise `error` if no file can be written there: no folder, a device, no permission."""
    target = _target(_path(path, error), error)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise error(f"{path}: no file may be written in the folder {target.parent}")


def _path(path: str | Path, error: type[StictionError]) -> Path:
    if not isinstance(path, str | Path) or not str(path):
        raise error(f"{path!r} is not the path of a file; give a string or a Path")
    return Path(path)


def _target(path: Path, error: type[StictionError]) -> Path:
    """The file to replace: where the symbolic links of a path end."""
    if not path.parent.is_dir():
        raise error(f"{path}: the folder {path.parent} does not exist")
    try:
        found = path.stat().st_mode  # follows links
    except FileNotFoundError:
        if path.is_symlink():
            message = f"is a symbolic link to {os.readlink(path)}, which does not exist"
            raise error(f"{path}: {message}; remove it") from None
        return path
    except (OSError, ValueError) as failure:
        raise error(f"{path}: cannot be written ({failure})") from None
    if not stat.S_ISREG(found):
        kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"))
        kind = next((kind for holds, kind in kinds if holds(found)), "a device or a socket")
        raise error(f"{path}: is {kind}; give the name of a file")
    if not os.access(path, os.W_OK):
        raise error(f"{path}: may not be overwritten; change its permissions or the name")
    return Path(os.path.realpath(path))


def _write(unfinished: Path, target: Path, data: bytes | memoryview) -> IO[bytes]:
    """Write a file next to the target, and put it in its place; returns it open."""
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    file = open(descriptor, "wb")
    try:
        _lock(file.fileno())
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            _keep_owner_and_mode(file.fileno(), target)
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):  # it cannot be written now either
            file.close()
        raise
    return file


def _keep_owner_and_mode(descriptor: int, target: Path) -> None:
    before = target.stat()
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _told(path: Path, failure: OSError, size: int, what: str) -> str:
    if failure.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        why = failure.strerror or failure
        return f"{path}: {what} cannot be written ({why}); no file was changed"
    free = shutil.disk_usage(path.parent).free
    return (
        f"{path}: no space left: {size} bytes are needed for {what}, and {free} are free there; "
        "no file was changed; choose a path on another disk"
    )


# ------------------------------------------------------------------ files of saves that were killed


def _remove_unfinished(folder: Path) -> None:
    """Remove files of this module that a killed process left in a folder."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > OLD and not _is_locked(path):
                    path.unlink()


def _lock(descriptor: int) -> bool:
    """Lock an open file until it is closed or its process ends; False if another one has it."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        return not _lock(file.fileno())
