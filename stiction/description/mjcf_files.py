"""The files that an MJCF file consists of, checked, read, and renamed for MuJoCo.

MuJoCo gets them from memory and opens nothing itself. Each has a new name without a folder, because
MuJoCo distinguishes files in memory by their last name only.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import NamedTuple

from stiction.description.mjcf_text import KIND, LARGEST_MJCF, MjcfScan, Named, scan
from stiction.description.urdf_files import Files
from stiction.description.xml_text import LARGEST_FILE, bytes_of
from stiction.errors import ModelFileError

MOST_FILES = 500
LARGEST_SUM = 500_000_000  # [bytes] of meshes, textures and height fields
FOLDERS = ("meshdir", "texturedir", "assetdir")
NAMED_AFTER_FILES = ("mesh", "hfield", "texture")  # elements, where they have no name


class Judged(NamedTuple):
    """A file and those that it names, as MuJoCo gets them."""

    text: str
    parts: dict[str, bytes]  # MJCF files that it includes or attaches
    assets: dict[str, bytes]  # others
    names: dict[str, str]  # of the files in `parts` and `assets`, in the file itself

    def in_words_of_the_file(self, message: str) -> str:
        """A message of MuJoCo with the names that the file has."""
        for renamed, name in self.names.items():
            message = message.replace(renamed, name)
        return message


def judged_files(top: Path, roots: tuple[Path, ...] = ()) -> Judged:
    """The file and all that it names, read; ModelFileError if one must not be read."""
    reader = _Reader(Files(top.parent, roots).allowed)
    documents = [_Document(top, reader, is_top=True)]
    for document in documents:  # grows: a document may attach others
        documents += document.resolved()
    parts: dict[str, bytes] = {}
    for document in documents:
        parts |= {name: scanned.text().encode() for name, scanned in document.parts.items()}
    for document in documents[1:]:
        parts[document.name] = document.main.text().encode()
    return Judged(documents[0].main.text(), parts, reader.assets, reader.names)


class _Reader:
    """Reads files in the allowed folders, and gives them their new names."""

    def __init__(self, allowed: list[Path]) -> None:
        self.allowed = allowed
        self.names: dict[str, str] = {}  # by the new ones
        self.count = 0  # elements in all MJCF files so far
        self.assets: dict[str, bytes] = {}
        self.known: dict[Path, str] = {}  # new names of assets
        self.bytes = 0

    def scanned(self, path: Path, top: bool) -> MjcfScan:
        found = scan(bytes_of(path, KIND, LARGEST_MJCF), str(path), top, self.count)
        self.count = found.count
        return found

    def renamed(self, path: Path) -> str:
        """A new name that no other file has."""
        if len(self.names) > MOST_FILES:
            message = f"brings the model to more than {MOST_FILES} files"
            raise ModelFileError(f"{path}: {message}; use fewer")
        suffix = path.suffix if path.suffix.isascii() else ""
        name = f"stiction{len(self.names)}{suffix}"
        self.names[name] = path.name
        return name

    def asset(self, path: Path) -> str:
        """The new name of a mesh or the like, which is read once."""
        if path not in self.known:
            data = bytes_of(path, "a mesh, texture or height field", LARGEST_FILE)
            self.bytes += len(data)
            if self.bytes > LARGEST_SUM:
                message = f"brings the files of the model to more than {LARGEST_SUM} bytes"
                raise ModelFileError(f"{path}: {message}; use smaller ones")
            self.known[path] = self.renamed(path)
            self.assets[self.known[path]] = data
        return self.known[path]

    def find(self, named: Named, places: list[Path]) -> Path:
        """The first file of that name in the places; ModelFileError if it must not be read."""
        what = f"{named.where}: <{named.tag}> names '{named.name[:80]}'"
        for place in places:
            try:
                path = (place / named.name).resolve()
                if not path.exists():
                    continue
            except (OSError, ValueError, RuntimeError):  # too long, a null, a loop of links
                continue
            if not any(path.is_relative_to(folder) for folder in self.allowed):
                shown = ", ".join(map(str, self.allowed))
                outside = f"which is outside the folders that may be read ({shown})"
                raise ModelFileError(f"{what}, {outside}; add its folder to roots")
            if not path.is_file():
                raise ModelFileError(f"{what}, which is not a file; name one")
            return path
        shown = ", ".join(dict.fromkeys(map(str, places)))
        raise ModelFileError(f"{what}, which does not exist in {shown}; correct the name")


class _Document:
    """An MJCF file and those that it includes: they share the settings of <compiler>."""

    def __init__(self, path: Path, reader: _Reader, is_top: bool) -> None:
        self.folder, self.reader = path.parent, reader
        self.main, self.name = reader.scanned(path, is_top), reader.renamed(path)
        self.parts: dict[str, MjcfScan] = {}
        self.included: dict[Path, str] = {}
        self.folders = [path.parent]  # of the main file and of the parts
        waiting = [(self.main, path.parent)]
        while waiting:
            scanned, folder = waiting.pop()
            for named in scanned.named:
                if named.tag == "include":
                    waiting += self._include(named, folder)

    def _include(self, named: Named, folder: Path) -> list[tuple[MjcfScan, Path]]:
        """Read an included file, unless it is known; returns it with its folder."""
        path = self.reader.find(named, [self.folder, folder])
        new = path not in self.included
        if new:
            self.included[path] = self.reader.renamed(path)
            self.parts[self.included[path]] = self.reader.scanned(path, top=False)
            self.folders.append(path.parent)
        named.attributes[named.attribute] = self.included[path]
        return [(self.parts[self.included[path]], path.parent)] if new else []

    def resolved(self) -> list[_Document]:
        """Read and rename all other files; returns the documents that are attached."""
        attached = []
        scans = [self.main, *self.parts.values()]
        places, stripped = self._places(scans)
        files = [
            (one, folder)
            for scanned, folder in zip(scans, self.folders, strict=True)
            for one in scanned.named
            if one.tag != "include"
        ]
        for named, folder in files:
            where = [self.folder] if named.tag == "model" else places[named.tag == "texture"]
            where = [*where, folder]  # of the included file
            if stripped:
                name = PurePosixPath(named.name.replace("\\", "/")).name
                named.attributes[named.attribute] = name
            path = self.reader.find(named, where)
            if named.tag in NAMED_AFTER_FILES and named.attribute == "file":
                named.attributes.setdefault("name", path.stem)
            if named.tag == "model":
                attached.append(_Document(path, self.reader, is_top=False))
                renamed = attached[-1].name
            else:
                renamed = self.reader.asset(path)
            named.attributes[named.attribute] = renamed
        return attached

    def _places(self, scans: list[MjcfScan]) -> tuple[tuple[list[Path], list[Path]], bool]:
        """Folders of meshes, and of textures, and whether names lose their own folders.

        These settings are removed, since the files get new names.
        """
        given: dict[str, str] = {}
        for event in [event for scanned in scans for event in scanned.events]:
            if event.tag == "compiler" and event.attributes is not None:
                for setting in (*FOLDERS, "strippath"):
                    if setting in event.attributes:
                        given[setting] = event.attributes.pop(setting)
        assets = given.get("assetdir", "")
        meshes = self.folder / given.get("meshdir", assets)
        textures = self.folder / given.get("texturedir", assets)
        return ([meshes, self.folder], [textures, self.folder]), given.get("strippath") == "true"
