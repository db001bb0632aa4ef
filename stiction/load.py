"""`load`: a model file -> `Robot`, whatever its format."""

from __future__ import annotations

from pathlib import Path

from stiction.errors import ModelFileError
from stiction.robot import Robot


def load(path: str | Path) -> Robot:
    """Read a robot: MJCF (.xml, .mjcf) or a robot that `Robot.save` wrote (.npz)."""
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"{path}: no such file")
    if path.suffix == ".npz":
        return Robot.load(path)
    if path.suffix in (".xml", ".mjcf"):
        from stiction.description.mjcf import read_mjcf

        return Robot.from_description(read_mjcf(path))
    raise ModelFileError(
        f"{path}: suffix '{path.suffix}' is not known; "
        "this version reads MJCF (.xml, .mjcf) and saved robots (.npz)"
    )
