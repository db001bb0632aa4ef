"""Lookup of files named in a URDF file: inside the given folders, and nowhere else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from stiction.description.mesh import Hull, read_hull
from stiction.errors import ModelFileError

URDF_FOLDERS = ("urdf", "urdfs", "robots", "robot", "xml", "model", "models")
HIGHEST = 5  # number of folders above a URDF file that are searched for its package


class Files:
    """The folders that may hold the files of a URDF file, and the meshes read from them."""

    def __init__(self, folder: Path | None, roots: tuple[Path, ...]) -> None:
        """`folder`: that of the URDF file, None for text without one."""
        self.folder = folder.resolve() if folder else None
        self.roots = [root.resolve() for root in roots]
        self.above = [self.folder, *self.folder.parents][:HIGHEST] if self.folder else []
        self.allowed = [*self.roots, *_package(self.above)]
        self.hulls: dict[Path, Hull] = {}

    def find(self, name: str) -> Path | None:
        """The file with that name; None if it does not exist, ModelFileError if it is outside."""
        scheme, colon, rest = name.partition("://")
        if not colon:
            scheme, rest = "file", name
        if scheme not in ("package", "model", "file"):
            raise ModelFileError(f"'{name}' is not supported; use package://, file:// or a path")
        try:
            return self._in_package(rest, name) if scheme != "file" else self._at(rest, name)
        except (OSError, ValueError, RuntimeError) as error:  # too long, a loop of links
            raise ModelFileError(f"'{name}' is not a usable path: {error}") from error

    def hull(self, path: Path) -> Hull:
        """The hull of a mesh file, read once."""
        if path not in self.hulls:
            self.hulls[path] = read_hull(path)
        return self.hulls[path]

    def _in_package(self, rest: str, name: str) -> Path | None:
        package, _, inner = rest.lstrip("/").partition("/")
        if package in ("", ".", ".."):
            raise ModelFileError(f"'{name}' names no package; write package://NAME/PATH")
        named = [folder for folder in (*self.roots, *self.above) if folder.name == package]
        candidates = [folder / inner for folder in named]
        candidates += [root / package / inner for root in self.roots]
        return _first(candidates, [*self.allowed, *named], name)

    def _at(self, rest: str, name: str) -> Path | None:
        if PurePosixPath(rest).is_absolute():
            candidates = [Path(rest)]
        else:
            folders = [self.folder, *self.roots] if self.folder else self.roots
            candidates = [folder / rest for folder in folders]
        return _first(candidates, self.allowed, name)


def _package(above: list[Path]) -> list[Path]:
    """The folder of the package of a URDF file, among the folders above the file."""
    for folder in above:
        if (folder / "package.xml").is_file():
            return [folder]
    inner = len(above) > 1 and above[0].name in URDF_FOLDERS and above[1] != Path(above[1].anchor)
    return above[1:2] if inner else above[:1]


def _first(candidates: list[Path], allowed: list[Path], name: str) -> Path | None:
    outside = False
    for candidate in candidates:
        path = candidate.resolve()
        if not any(path.is_relative_to(folder) for folder in allowed):
            outside = True
        elif path.is_file():
            return path
    if outside:
        shown = ", ".join(map(str, dict.fromkeys(allowed))) or "none"
        message = (
            f"'{name}' is outside the folders that may be read ({shown}); add its folder to roots"
        )
        raise ModelFileError(message)
    return None
