"""Films as a model of MuJoCo that only its renderer sees: every link is a body that we place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.collision.belt import travel_at
from stiction.collision.terrain import FlatGround
from stiction.render.camera import FIELD_OF_VIEW
from stiction.visual.colours import GROUND, GROUND_LINE
from stiction.visual.frames import Film
from stiction.visual.ground import Area, area_around, flat_ground, ground_patches
from stiction.visual.poses import quaternions, turn_to

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

LIGHT = np.array([0.27, 0.36, -0.89])  # direction of the light that casts shadows
AWAY = 4.0  # distance of that light from the robot, over its size
FAR = 40.0  # flat ground extends this far beyond what moves, over its size
SHADOW = 2048  # sides of the map of shadows [pixels]; with 4096 a picture takes half as long again
SHADED = 6.0  # half the width of what it covers, over twice the size; its edges are dotted
THINNEST = 1e-6  # extent of a mesh in its shortest direction [m]; MuJoCo refuses flat ones


class Stage:
    """The model of several films in one space, and its bodies."""

    def __init__(self, films: Sequence[Film], ghosts: Sequence[float], height: int) -> None:
        """Compile it; ghosts: the opacity of each film, height of the pictures in pixels."""
        import mujoco

        self.films = films
        self.spec = mujoco.MjSpec()
        self.bodies: list[tuple[Film, int, int]] = []  # film, link, number of the mocap body
        self.ground_body = -1
        self._light()
        size = max(film.size for film in films)
        self.area = area_around(np.concatenate([film.base for film in films]), size)
        self._ground(films[0])
        for film, opacity in zip(films, ghosts, strict=True):
            self._add(film, opacity)
        self.spec.visual.global_.offwidth = 8192
        self.spec.visual.global_.offheight = max(height, 480)
        self.spec.visual.global_.fovy = FIELD_OF_VIEW
        self.spec.visual.quality.shadowsize = SHADOW
        self.model: MjModel = self.spec.compile()
        self.model.vis.map.znear = 0.005
        self.model.vis.map.shadowclip = SHADED
        self.model.stat.extent = max(film.size for film in films) * 2.0
        self.data: MjData = mujoco.MjData(self.model)

    def place(self, k: int) -> None:
        """Move every body to picture k."""
        import mujoco

        for film, link, body in self.bodies:
            at = min(k, len(film) - 1)
            self.data.mocap_pos[body] = film.poses.position[at, link]
            self.data.mocap_quat[body] = quaternions(film.poses.rotation[at, link])
        row = min(k, len(self.films[0]) - 1)
        flat = flat_ground(self.films[0].world)
        if self.ground_body >= 0 and flat is not None:
            travel = travel_at(flat.belt, self.films[0].motion.time[row])
            gone = np.mod(travel, 2 * self.area.spacing)
            self.data.mocap_pos[self.ground_body] = _on_plane(flat, self.area) + gone
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        self.data.light_xpos[0] = self.films[0].base[row] - AWAY * self.films[0].size * LIGHT

    def _light(self) -> None:
        import mujoco

        head = self.spec.visual.headlight
        head.ambient, head.diffuse, head.specular = [0.45] * 3, [0.35] * 3, [0.1] * 3
        light = self.spec.worldbody.add_light(pos=[0, 0, 10], dir=LIGHT.tolist())
        light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        light.diffuse, light.specular, light.castshadow = [0.5] * 3, [0.1] * 3, True
        sky = self.spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        sky.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
        sky.rgb1, sky.rgb2, sky.width, sky.height = [0.96, 0.97, 0.99], [0.82, 0.87, 0.93], 64, 384

    def _ground(self, film: Film) -> None:
        """Flat ground with a checker pattern that may move as a belt; else its mesh."""
        import mujoco

        flat = flat_ground(film.world)
        if flat is None:
            for i, patch in enumerate(ground_patches(film.world, self.area)):
                body = self.spec.worldbody
                self._mesh(body, f"ground{i}", patch.vertices, patch.triangles, (*patch.colour, 1))
            return
        texture = self.spec.add_texture(name="checker", type=mujoco.mjtTexture.mjTEXTURE_2D)
        texture.builtin, texture.width, texture.height = (
            mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
            256,
            256,
        )
        texture.rgb1, texture.rgb2 = list(GROUND), [0.96 * part for part in GROUND]
        texture.mark, texture.markrgb = mujoco.mjtMark.mjMARK_EDGE, list(GROUND_LINE)
        material = self.spec.add_material(
            name="ground", texuniform=True, texrepeat=[0.5 / self.area.spacing] * 2
        )
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
        body = self._mocap()
        body.quat = quaternions(turn_to(flat.normal))
        self.ground_body = self._mocaps - 1
        span = float((self.area.high - self.area.low).max()) / 2 + FAR * film.size
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[span, span, 1], material="ground",
            contype=0, conaffinity=0,
        )  # fmt: skip

    _mocaps = 0

    def _mocap(self) -> Any:
        self._mocaps += 1
        return self.spec.worldbody.add_body(name=f"body{self._mocaps}", mocap=True)

    def _add(self, film: Film, opacity: float) -> None:
        bodies: dict[int, Any] = {}
        for i, mesh in enumerate(film.meshes):
            if mesh.link not in bodies:
                bodies[mesh.link] = self._mocap()
                self.bodies.append((film, mesh.link, self._mocaps - 1))
            colour = (*mesh.colour[:3], mesh.colour[3] * opacity)
            name = f"mesh{self._mocaps}_{i}"
            self._mesh(bodies[mesh.link], name, mesh.vertices, mesh.triangles, colour)

    def _mesh(
        self, body: Any, name: str, vertices: np.ndarray, triangles: np.ndarray, colour: Sequence
    ) -> None:
        import mujoco

        used, corners = np.unique(triangles, return_inverse=True)
        points = np.array(vertices[used], float)
        if np.ptp(points, axis=0).max() <= THINNEST:
            return
        mesh = self.spec.add_mesh(name=name)
        mesh.uservert = points.ravel().tolist()
        mesh.userface = corners.ravel().tolist()
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=list(colour),
            contype=0, conaffinity=0, mass=0,
        )  # fmt: skip


def _on_plane(flat: FlatGround, area: Area) -> np.ndarray:
    """The point of a plane at the middle of a rectangle, on a crossing of its lines."""
    cell = 2 * area.spacing
    x, y = np.round(area.middle / cell) * cell
    nx, ny, nz = flat.normal
    z = flat.point[2] - ((x - flat.point[0]) * nx + (y - flat.point[1]) * ny) / nz
    return np.array([x, y, z])
