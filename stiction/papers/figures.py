"""The figure modules of a paper: which there are, what they are made of, and how one is loaded."""

from __future__ import annotations

import ast
import hashlib
import platform
import sys
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType

import stiction
from stiction.errors import InputError, did_you_mean
from stiction.papers.claims import FOLDER, Paper, paper_keys

REQUIRED = ("data", "measures", "draw")  # functions of a figure module
PACKAGE = Path(stiction.__file__).parent
LIBRARY = PACKAGE / "scenes" / "library"
APART = ("papers", "cli", "terminal")  # folders of the package that change no result
PACKAGES = ("stiction", "numpy", "numba", "mujoco", "matplotlib")


def figure_names(folder: Path) -> list[str]:
    """The modules of a paper's folder that define what a figure must."""
    return sorted(path.stem for path in folder.glob("*.py") if _is_figure(path))


def title(folder: Path, figure: str) -> str:
    """First paragraph of the docstring of a figure, in one line."""
    told = ast.get_docstring(_parsed(folder / f"{figure}.py")) or figure
    return " ".join(told.partition("\n\n")[0].split())


def find_figure(paper: Paper, name: str) -> str:
    """The name of a figure, if the paper has it; raises InputError otherwise."""
    known = figure_names(paper.folder)
    if name not in known:
        hint = did_you_mean(name, known)
        raise InputError(
            f"paper '{paper.key}' has no figure '{name}'; it has "
            f"{', '.join(known) or 'none yet'}{hint}"
        )
    return name


def load_figure(root: Path, key: str, figure: str) -> ModuleType:
    """Import a figure module; papers outside the package are packages below `root`."""
    if root.resolve() == FOLDER:
        return import_module(f"stiction.papers.{key}.{figure}")
    sys.path.insert(0, str(root))
    package = import_module(key)
    if Path(package.__file__ or "").parent != root.resolve() / key:
        raise InputError(
            f"{root / key}: '{key}' is also the name of a module of Python or of a "
            "package; choose another name for the folder"
        )
    return import_module(f"{key}.{figure}")


# ------------------------------------------------------------------------------------------ sources


def digest(root: Path, key: str, figure: str) -> str:
    """Hash of all that a figure's result is made of; claims.toml is no part of it."""
    folder = root / key
    own = _own_sources(folder, figure)
    parts = {str(path.relative_to(root)): path for path in own}
    parts |= {path.name: path for path in _scenes_for(key)}
    total = hashlib.sha256(_package_digest().encode())
    for name, path in sorted(parts.items()):
        total.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def versions() -> dict[str, str]:
    """Versions of what computes a result."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


@cache
def _package_digest() -> str:
    """Hash of the package, less what changes no result and less the scenes."""
    total = hashlib.sha256(repr(versions()).encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if name.parts[0] not in APART:
            total.update(str(name).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _scenes_for(key: str) -> list[Path]:
    """The scenes of the library, less those of other papers."""
    others = tuple(f"{other.replace('_', '-')}-" for other in paper_keys() if other != key)
    return [path for path in LIBRARY.glob("*.toml") if not path.name.startswith(others)]


def _own_sources(folder: Path, figure: str) -> list[Path]:
    """The figure module, and the modules of its folder and of all papers that it imports."""
    found: dict[Path, None] = {}
    waiting = ["__init__", figure]
    while waiting:
        name = waiting.pop()
        for path in (folder / f"{name}.py", folder.parent / f"{name}.py"):
            if path.is_file() and path not in found:
                found[path] = None
                waiting += _imported(path)
    return list(found)


def _imported(path: Path) -> list[str]:
    """Last words of all modules that a file imports, and names it takes from them."""
    names: list[str] = []
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            names += [alias.name.rpartition(".")[2] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [(node.module or "").rpartition(".")[2]]
            names += [alias.name for alias in node.names]
    return names


def _is_figure(path: Path) -> bool:
    defined = {node.name for node in _parsed(path).body if isinstance(node, ast.FunctionDef)}
    return defined.issuperset(REQUIRED)


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise InputError(f"{path}: not a Python module ({error})") from None
