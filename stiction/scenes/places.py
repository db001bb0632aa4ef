"""The folders whose files a scene may name: its own, and those that the user adds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from stiction.description.arguments import shown
from stiction.errors import InputError


class Places(NamedTuple):
    """Folders that the files of a scene may be in."""

    folder: Path  # of the scene
    roots: tuple[Path, ...] = ()  # that the user adds

    @classmethod
    def of(cls, folder: Path, roots: Iterable[str | Path]) -> Places:
        """The folder of a scene, and the user's."""
        several = isinstance(roots, Iterable) and not isinstance(roots, str | bytes)
        if not (several and all(isinstance(root, str | Path) for root in roots)):
            raise InputError(f"roots: found {shown(roots)}; give a list of folders")
        return cls(folder, tuple(map(Path, roots)))

    def find(self, name: str) -> Path:
        """The file with a name relative to one of the folders.

        Raises ValueError, with the end of a message, if it is not there or elsewhere.
        """
        allowed = [folder.resolve() for folder in (self.folder, *self.roots)]
        outside = False
        for folder in (self.folder, *self.roots):
            try:
                path = (folder / name).resolve()
                if not any(path.is_relative_to(inner) for inner in allowed):
                    outside = True
                elif path.is_file():
                    return folder / name
            except (OSError, RuntimeError) as error:  # too long, a loop of links
                raise ValueError(f"which cannot be read ({error})") from None
        if outside:
            shown = ", ".join(map(str, allowed))
            raise ValueError(f"which is outside the folders that may be read ({shown}); add a root")
        raise ValueError(f"there is no file {self.folder / name}")
