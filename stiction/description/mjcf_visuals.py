"""What MuJoCo's viewer shows of a compiled model: geoms of groups 0 to 2, with their colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.description.mjcf_meshes import mesh_of
from stiction.description.mjcf_model import KINDS, MESH, PLANE, Names
from stiction.description.rotation import Pose
from stiction.description.tessellation import surface_of
from stiction.description.visual import Colour, Visual, visual_of

if TYPE_CHECKING:
    from mujoco import MjModel

LAST_SHOWN = 2  # group; higher ones hold collision geometry, by MuJoCo's convention
DEFAULT = (0.5, 0.5, 0.5, 1.0)  # colour of a geom that gives none: that of its material shows
RGB = 3


def visuals_of(model: MjModel, names: Names, offsets: np.ndarray) -> tuple[Visual, ...]:
    """Visuals of all geoms that are shown; planes are ground, and not among them."""
    found: list[Visual] = []
    for i in range(model.ngeom):
        kind, colour = int(model.geom_type[i]), _colour(model, i)
        if model.geom_group[i] > LAST_SHOWN or colour[3] == 0.0 or kind not in KINDS:
            continue
        if kind == PLANE:
            continue
        if kind == MESH:
            surface = mesh_of(model, int(model.geom_dataid[i]))
        else:
            made = surface_of(KINDS[kind], model.geom_size[i], np.zeros((0, 3)))
            assert made is not None  # every primitive has a surface
            surface = made
        body = model.geom_bodyid[i]
        pose = Pose.of(model.geom_pos[i] - offsets[body], model.geom_quat[i])
        found += visual_of(names.body[body], colour, surface, pose)
    return tuple(found)


def _colour(model: MjModel, i: int) -> Colour:
    """The colour of a geom, of its material, or the mean of its material's texture."""
    own = tuple(float(c) for c in model.geom_rgba[i])
    material = int(model.geom_matid[i])
    if material < 0 or not np.allclose(own, DEFAULT, atol=1e-6):
        return own  # type: ignore[return-value]
    red, green, blue, opacity = (float(c) for c in model.mat_rgba[material])
    for texture in model.mat_texid[material]:
        if texture >= 0 and model.tex_nchannel[texture] >= RGB:
            start, channels = int(model.tex_adr[texture]), int(model.tex_nchannel[texture])
            count = int(model.tex_height[texture]) * int(model.tex_width[texture])
            data = model.tex_data[start : start + count * channels].reshape(-1, channels)
            tint = data[:, :RGB].mean(axis=0) / 255.0
            return red * float(tint[0]), green * float(tint[1]), blue * float(tint[2]), opacity
    return red, green, blue, opacity
