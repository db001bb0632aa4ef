"""Films as nodes of a viser scene, moved from picture to picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.collision.belt import travel_at
from stiction.viewer.marks import Marks
from stiction.visual.colours import GROUND, GROUND_LINE, MOTIONS, Rgb
from stiction.visual.frames import Film
from stiction.visual.ground import area_around, flat_ground, ground_patches
from stiction.visual.meshes import Mesh, creased
from stiction.visual.poses import quaternions, turn_to

if TYPE_CHECKING:
    from viser import SceneApi

ROOT = "/world"
APART = 1.3  # distance of films side by side, over their width
GHOST = 0.35  # opacity of all films but the first, if they are ghosts
TINT = 0.55  # of a film's own colour in its meshes, if there are several
SUN = (1.5, -2.0, 4.0)  # the direction that light comes from


class Stage:
    """The nodes of several films in one space."""

    def __init__(self, scene: SceneApi, films: Sequence[Film], ghosts: bool, marks: tuple) -> None:
        """Add all nodes, as they are in the first picture."""
        self.scene, self.films, self.ghosts = scene, list(films), ghosts
        scene.set_up_direction("+z")
        scene.world_axes.visible = False
        light_up(scene)
        self.root = scene.add_frame(ROOT, show_axes=False)
        self.size = max(film.size for film in films)
        wide = APART * max(film.box[1][1] - film.box[0][1] for film in films)
        self.offsets = [
            np.array([0.0, 0.0 if ghosts else -i * wide, 0.0]) for i in range(len(films))
        ]
        self._ground()
        self.actors = [
            Actor(scene, film, f"{ROOT}/{i + 1} {film.name}", self._style(i), marks)
            for i, film in enumerate(films)
        ]
        for actor, offset in zip(self.actors, self.offsets, strict=True):
            actor.node.position = offset
        self.show(0)

    def _style(self, i: int) -> tuple[Rgb | None, float]:
        """Colour mixed into a film's meshes, and their opacity."""
        if len(self.films) == 1:
            return None, 1.0
        return MOTIONS[i % len(MOTIONS)], GHOST if self.ghosts and i else 1.0

    @property
    def length(self) -> int:
        """The number of pictures of the longest film."""
        return max(len(film) for film in self.films)

    def show(self, k: int, follow: bool = False) -> None:
        """Move everything to picture k; follow: the first base stays in place, the world moves."""
        for actor in self.actors:
            actor.show(min(k, len(actor.film) - 1))
        base = self.films[0].base
        moved = base[min(k, len(base) - 1)] - base[0]
        self.root.position = np.array([-moved[0], -moved[1], 0.0]) if follow else np.zeros(3)
        if self.belt is not None:
            flat = flat_ground(self.films[0].world)
            assert flat is not None  # only flat ground is a belt
            time = self.films[0].motion.time[min(k, len(base) - 1)]
            self.belt.position = self.belt_at + np.mod(
                travel_at(flat.belt, time), self.area.spacing
            )

    def _ground(self) -> None:
        world = self.films[0].world
        paths = [film.base + offset for film, offset in zip(self.films, self.offsets, strict=True)]
        self.area = area_around(np.concatenate(paths), self.size)
        self.belt, flat = None, flat_ground(world)
        if flat is None:
            for i, patch in enumerate(ground_patches(world, self.area)):
                self.scene.add_mesh_simple(
                    f"{ROOT}/ground/{i}",
                    patch.vertices,
                    patch.triangles,
                    color=patch.colour,
                    flat_shading=True,
                    side="double",
                )
            return
        span = self.area.high - self.area.low
        x, y = self.area.middle
        nx, ny, nz = flat.normal
        z = flat.point[2] - ((x - flat.point[0]) * nx + (y - flat.point[1]) * ny) / nz
        lines = self.scene.add_grid(
            f"{ROOT}/ground",
            *(float(side) for side in 2 * span),
            cell_size=self.area.spacing,
            section_size=self.area.spacing * 5,
            cell_color=GROUND_LINE,
            section_color=(140, 140, 140),
            plane_color=GROUND,
            plane_opacity=1.0,
            fade_distance=float(60 * self.size),
            wxyz=quaternions(turn_to(flat.normal)),
            position=np.array([x, y, z]),
        )
        self.belt_at = np.array([x, y, z])
        self.belt = lines if flat.belt.velocity.any() else None


def light_up(scene: SceneApi) -> None:
    """A sky and a sun that casts shadows; viser's environment maps take ten times as long."""
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere("/lights/sky", ground_color=(170, 170, 170), intensity=1.6)
    scene.add_light_directional("/lights/sun", intensity=1.8, cast_shadow=True, position=SUN)


class Actor:
    """The nodes of one film."""

    def __init__(
        self, scene: SceneApi, film: Film, name: str, style: tuple[Rgb | None, float], marks: tuple
    ) -> None:
        """Add the links with their meshes, and the marks."""
        self.film = film
        self.node = scene.add_frame(name, show_axes=False)
        self.links: dict[int, Any] = {}
        self.handles: list[tuple[Any, int]] = []  # meshes and their links
        self.last: dict[int, np.ndarray] = {}  # poses that were sent
        for i, mesh in enumerate(film.meshes):
            if mesh.link not in self.links:
                link = f"{name}/{mesh.name.replace('/', ' ')}"
                self.links[mesh.link] = scene.add_frame(link, show_axes=False)
            node = _add_mesh(scene, f"{self.links[mesh.link].name}/{i}", mesh, style)
            self.handles.append((node, mesh.link))
        self.marks = Marks(scene, film, name, marks)

    def show(self, k: int) -> None:
        """Move the links and the marks to picture k."""
        poses = self.film.poses
        for link, node in self.links.items():
            turn = quaternions(poses.rotation[k, link])
            pose = np.append(poses.position[k, link], turn).astype(np.float32)
            if link in self.last and np.array_equal(self.last[link], pose):
                continue
            self.last[link] = pose
            node.position, node.wxyz = pose[:3], pose[3:]
        self.marks.show(k)


def _add_mesh(scene: SceneApi, name: str, mesh: Mesh, style: tuple[Rgb | None, float]) -> Any:
    vertices, triangles = creased(mesh.vertices, mesh.triangles)
    tint, opacity = style
    colour = np.array(mesh.colour[:3])
    if tint is not None:
        colour = TINT * np.array(tint) + (1 - TINT) * colour
    opacity *= mesh.colour[3]
    return scene.add_mesh_simple(
        name,
        vertices.astype(np.float32),
        triangles,
        color=tuple(colour.tolist()),
        opacity=None if opacity >= 1.0 else opacity,
        side="double",
    )
