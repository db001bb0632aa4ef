"""VRML97 files on disk and the files that they inline, only inside the given folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from stiction.description.vrml import HEADER, LARGEST_FILE, MOST_NODES, Scene, parse
from stiction.description.vrml_nodes import Node
from stiction.errors import ModelFileError

MOST_FILES = 1000  # of one model
DEEPEST_INLINES = 20  # files inside files


def read_vrml(
    path: Path, roots: Iterable[Path], extensions: Mapping[str, frozenset[str]]
) -> list[Node]:
    """The top-level nodes of a file; every Inline holds the nodes of its file in `inlined`."""
    scene = parse(text_of(path), str(path), extensions)
    folders = [folder.resolve() for folder in (path.parent, *roots)]
    _Inlines(folders, extensions).fill(path.resolve(), scene)
    return scene.nodes


def parse_vrml(
    text: str, source: str, roots: Iterable[Path], extensions: Mapping[str, frozenset[str]]
) -> list[Node]:
    """The same for text without a file; Inlines are searched in the roots."""
    scene = parse(text, source, extensions)
    _Inlines([folder.resolve() for folder in roots], extensions).fill(None, scene)
    return scene.nodes


def text_of(path: Path) -> str:
    """The text of a VRML97 file; size and first bytes are checked before it is read."""
    try:
        if not path.is_file():
            raise ModelFileError(f"{path}: is not a file; give the path of a VRML97 file")
        with path.open("rb") as file:
            size = path.stat().st_size
            if size > LARGEST_FILE:
                allowed = f"a model file may have at most {LARGEST_FILE}"
                raise ModelFileError(f"{path}: has {size} bytes; {allowed}")
            start = file.read(64)
            _check_start(start, path)
            data = start + file.read(LARGEST_FILE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"{path}: cannot be read ({reason}); give the path of a VRML97 file"
        raise ModelFileError(message) from error
    return data.decode("utf-8-sig", errors="replace")  # comments may be in any encoding


def _check_start(start: bytes, path: Path) -> None:
    if start.startswith(b"\x1f\x8b"):
        raise ModelFileError(f"{path}: is compressed; unpack it with gunzip")
    if not start.removeprefix(b"\xef\xbb\xbf").startswith(HEADER.encode()):
        first = start.split(b"\n")[0][:40]
        message = f"begins with {first!r}; a VRML97 file begins with '{HEADER}'"
        raise ModelFileError(f"{path}, line 1: {message}")


class _Inlines:
    """The files of a model, and which file inlines which."""

    def __init__(self, folders: list[Path], extensions: Mapping[str, frozenset[str]]) -> None:
        self.folders, self.extensions = folders, extensions
        self.scenes: dict[Path, Scene] = {}
        self.inlined_by: dict[Path, set[Path]] = {}
        self.count = 0

    def fill(self, top: Path | None, scene: Scene) -> None:
        """Give every Inline node its nodes."""
        waiting = [(node, top, 1) for node in scene.inlines]
        self.count = scene.count
        while waiting:
            node, inside, depth = waiting.pop()
            path = self._path(node, inside)
            self._refuse_cycle(node, inside, path)
            if path not in self.scenes:
                found = self._parse(node, path, depth)
                waiting += [(inner, path, depth + 1) for inner in found.inlines]
            node.inlined = self.scenes[path].nodes

    def _parse(self, node: Node, path: Path, depth: int) -> Scene:
        if depth > DEEPEST_INLINES:
            node.refuse(f"is nested deeper than {DEEPEST_INLINES} files; use fewer levels")
        if len(self.scenes) >= MOST_FILES:
            node.refuse(f"is one of more than {MOST_FILES} files; use fewer")
        self.scenes[path] = scene = parse(text_of(path), str(path), self.extensions)
        self.count += scene.count
        if self.count > MOST_NODES:
            node.refuse(f"brings the model to more than {MOST_NODES} nodes; make it smaller")
        return scene

    def _refuse_cycle(self, node: Node, inside: Path | None, path: Path) -> None:
        if inside is None:
            return
        self.inlined_by.setdefault(inside, set()).add(path)
        met, waiting = set(), [path]
        while waiting:
            file = waiting.pop()
            if file == inside:
                node.refuse(
                    f"reads '{path.name}', which inlines this file again; remove one of the two"
                )
            if file not in met:
                met.add(file)
                waiting += self.inlined_by.get(file, ())

    def _path(self, node: Node, inside: Path | None) -> Path:
        """The file of an Inline: the first of its urls that exists in a folder that may be read."""
        field = node.fields.get("url")
        urls = [url for url in field.values if isinstance(url, str)] if field else []
        if not urls:
            node.refuse("has no url; name a file", "url")
        bases = [inside.parent] if inside is not None else []
        for url in urls:
            if ":" in url:
                node.refuse(f"has url '{url[:80]}'; give a file relative to this one", "url")
            for base in (*bases, *self.folders):
                path = self._inside(node, base, url)
                if path is not None:
                    return path
        found = f"has url '{urls[0][:80]}'"
        if not self.folders:
            node.refuse(f"{found}, and no folder may be read; give read_openhrp_text roots", "url")
        found += f", which is not a file in {', '.join(map(str, self.folders))}"
        node.refuse(f"{found}; put it there or give its folder as a root", "url")

    def _inside(self, node: Node, base: Path, url: str) -> Path | None:
        try:
            path = (base / url).resolve()
            if not any(path.is_relative_to(folder) for folder in self.folders):
                places = ", ".join(map(str, self.folders))
                complaint = f"has url '{url[:80]}', which is outside {places}"
                node.refuse(f"{complaint}; move the file there or give its folder as a root", "url")
            return path if path.is_file() else None
        except (OSError, ValueError, RuntimeError):  # a name too long, a NUL, a loop of links
            return None
