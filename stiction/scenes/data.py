"""Lookup of models and measurements that are not part of the package."""

from __future__ import annotations

import os
from pathlib import Path

from stiction.errors import InputError, MissingData


def data_file(name: str, origin: str) -> Path:
    """Return a file of the folder that STICTION_DATA names; `origin`: its source, for messages."""
    folder = os.environ.get("STICTION_DATA")
    if folder is None:
        raise MissingData(
            f"{name} is missing: set STICTION_DATA to the folder that holds it (from {origin})"
        )
    path = Path(folder) / name
    try:
        inside = path.resolve().is_relative_to(Path(folder).resolve())
    except (OSError, ValueError, RuntimeError) as error:  # too long, a null character
        raise InputError(f"'{name[:200]}' is not the name of a file: {error}") from None
    if not inside:
        raise InputError(f"{name} is outside the folder that STICTION_DATA names, {folder}")
    if not path.is_file():
        raise MissingData(f"{path} is missing; it comes from {origin}")
    return path
