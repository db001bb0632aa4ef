"""What a URDF file draws: its <visual> elements, with the colours of the file or of the mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stiction.description.mesh import Hull, coloured_parts
from stiction.description.rotation import Pose
from stiction.description.urdf_text import Element
from stiction.description.visual import GREY, Colour, Visual, visual_of, visual_of_shape
from stiction.errors import ModelFileError


class Visuals:
    """Collects the visuals of the links."""

    def __init__(self) -> None:
        """Start with none, and without named colours."""
        self.found: list[Visual] = []
        self.colours: dict[str, Colour] = {}  # of the materials that the file names
        self.parts: dict[Path, list] = {}  # of coloured meshes

    def name_colours(self, robot: Element) -> None:
        """Remember the colours of the materials of the whole file."""
        visuals = [visual for link in robot.all("link") for visual in link.all("visual")]
        for name, rgba in (paint for each in (robot, *visuals) for paint in each.paint):
            colour = _colour(rgba)
            if name and colour is not None:
                self.colours.setdefault(name, colour)

    def add_shape(self, link: str, own: Element, kind: str, size: tuple, pose: Pose) -> None:
        """Add a <visual> that is a primitive."""
        colour = self._colour_of(own) or GREY
        self.found += visual_of_shape(link, colour, kind, (size, ()), pose)

    def add_mesh(self, link: str, own: Element, path: Path, hull: Hull, pose: Pose) -> None:
        """Add a <visual> that is a mesh file; a colour of the URDF file covers those of the mesh.

        `hull` has the triangles of the file, `pose` places the file in the link.
        """
        geometry = own.one("geometry")
        assert geometry is not None  # ensured by the scan
        scale = np.array(geometry.children[0].numbers("scale") or (1.0, 1.0, 1.0))
        colour = self._colour_of(own)
        parts = [(colour or GREY, hull.points, hull.triangles)]
        if colour is None and path.suffix.lower() == ".dae":
            if path not in self.parts:
                self.parts[path] = _parts_or_nothing(path, len(hull.triangles))
            parts = self.parts[path] or parts
        for painted, points, triangles in parts:
            turned = triangles[:, ::-1] if np.prod(scale) < 0.0 else triangles
            self.found += visual_of(link, painted, (points * scale, turned), pose)

    def _colour_of(self, visual: Element) -> Colour | None:
        """Colour of a <visual>: its own, or that of the material it names."""
        for name, rgba in visual.paint:
            return _colour(rgba) or self.colours.get(name)
        return None


def _parts_or_nothing(path: Path, count: int) -> list:
    """Coloured parts of a mesh file; none if its colours cannot be read for all triangles."""
    try:
        parts = coloured_parts(path)
    except ModelFileError:
        return []
    return parts if sum(len(triangles) for _, _, triangles in parts) == count else []


def _colour(rgba: str) -> Colour | None:
    """The colour of an attribute; None if it is not four numbers."""
    try:
        parts = np.clip(np.array(rgba.split(), float), 0.0, 1.0).tolist()
    except ValueError:
        return None
    if len(parts) != 4 or not np.isfinite(parts).all():
        return None
    return parts[0], parts[1], parts[2], parts[3]
