"""What an OpenHRP VRML file draws: its Shapes with their diffuse colours."""

from __future__ import annotations

import numpy as np

from stiction.description.openhrp_fields import Affine, many, nodes, numbers, truth
from stiction.description.openhrp_shapes import Solid
from stiction.description.rotation import Pose
from stiction.description.tessellation import Surface, fans
from stiction.description.visual import GREY, Colour, Visual, visual_of, visual_of_shape
from stiction.description.vrml_nodes import Node
from stiction.errors import ModelFileError

MATT = (0.8, 0.8, 0.8)  # VRML's default diffuseColor


def visual_of_node(shape: Node, geometry: Node, solid: Solid, link: str, place: Affine) -> list:
    """The Shape as a list of one visual, or of none; its geometry became `solid`."""
    colour = _colour(shape)
    if geometry.type == "IndexedFaceSet":
        found: list[Visual] = visual_of(link, colour, _faces(geometry, place), Pose.identity())
        return found
    pose = Pose.of(solid.position, solid.quaternion)
    return visual_of_shape(link, colour, solid.kind, (solid.size, solid.vertices), pose)


def _faces(node: Node, place: Affine) -> Surface:
    """Triangles of an IndexedFaceSet, which the reader of shapes has checked, in the link."""
    points = many(nodes(node, "coord")[0], "point", 3)
    index = many(node, "coordIndex", 1).ravel().astype(int)
    ends = np.flatnonzero(index < 0)
    polygons = [part[part >= 0] for part in np.split(index, ends)]
    triangles = fans([polygon for polygon in polygons if len(polygon) >= 3])
    mirrored = np.linalg.det(place.axes) < 0.0
    if mirrored == truth(node, "ccw", True):
        triangles = triangles[:, ::-1]
    return place.position + points @ place.axes.T, triangles


def _colour(shape: Node) -> Colour:
    """Diffuse colour and opacity of a Shape; grey where its appearance cannot be read."""
    try:
        for appearance in nodes(shape, "appearance"):
            for material in nodes(appearance, "material"):
                red, green, blue = numbers(material, "diffuseColor", 3, MATT).tolist()
                hidden = float(numbers(material, "transparency", 1, (0.0,))[0])
                return red, green, blue, 1.0 - hidden
    except ModelFileError:
        return GREY
    return GREY
