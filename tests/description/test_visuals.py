"""What MJCF, URDF and VRML files draw, and in which colours."""

import re

import numpy as np
import pytest
import trimesh
from trimesh.exchange.dae import export_collada

from stiction.description.mjcf import read_mjcf_text
from stiction.description.openhrp import read_openhrp_text
from stiction.description.urdf import read_urdf, read_urdf_text
from stiction.description.visual import GREY, MOST_TRIANGLES, thinned_surface

pytestmark = pytest.mark.interpreted


MJCF = """<mujoco><asset><material name="m" rgba="0 1 0 1"/></asset><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body name="b" pos="0 0 1"><joint pos="0 0 .5"/>
    <geom type="box" size=".1 .1 .1" pos="1 0 0" rgba="1 0 0 .5" group="2"/>
    <geom type="sphere" size=".1" material="m"/>
    <geom type="box" size=".3 .3 .3" group="3"/>
    <geom type="sphere" size=".1" rgba="0 0 1 0"/></body></worldbody></mujoco>"""
URDF = """<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 2"/><geometry><box size="1 1 1"/></geometry>
      <material name="blue"/></visual>
    <visual><geometry><sphere radius=".5"/></geometry></visual>
    <collision><geometry><sphere radius="2"/></geometry></collision></link></robot>"""
VRML = """#VRML V2.0 utf8
DEF r Humanoid { humanoidBody [ DEF ROOT Joint { jointType "free" children [
  DEF BODY Segment { mass 1 momentsOfInertia [1 0 0 0 1 0 0 0 1] children [
    Transform { translation 0 0 3 children Shape {
      appearance Appearance { material Material { diffuseColor 1 0.5 0 transparency 0.25 } }
      geometry IndexedFaceSet {
        coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0, 0 0 1] }
        coordIndex [0 3 2 1 -1, 0 1 4 -1, 1 2 4 -1, 2 3 4 -1, 3 0 4] } } }
    Shape { geometry Box { size 1 2 3 } } ] } ] } ] }"""


def test_mjcf_draws_groups_0_to_2_in_their_colours_or_those_of_materials():
    box, ball = read_mjcf_text(MJCF, "test").visuals
    assert box.link == ball.link == "b"
    assert box.colour == pytest.approx((1, 0, 0, 0.5)) and ball.colour == (0, 1, 0, 1)
    middle = (box.vertices.min(axis=0) + box.vertices.max(axis=0)) / 2
    np.testing.assert_allclose(middle, [1, 0, -0.5], atol=1e-6)  # the link's frame is at its joint


def test_urdf_draws_visuals_in_named_colours_or_grey():
    box, ball = read_urdf_text(URDF, "test").visuals
    assert box.colour == (0, 0, 1, 1) and ball.colour[0] == ball.colour[1] == ball.colour[2]
    np.testing.assert_allclose(box.vertices[:, 2].min(), 1.5, atol=1e-6)


def test_vrml_draws_faces_in_their_diffuse_colour():
    pyramid, box = read_openhrp_text(VRML, "test").visuals
    assert pyramid.colour == (1.0, 0.5, 0.0, 0.75)
    assert len(pyramid.triangles) == 6
    assert pyramid.vertices[:, 2].min() == 3.0 and pyramid.vertices[:, 2].max() == 4.0
    np.testing.assert_allclose(np.ptp(box.vertices, axis=0), [1, 2, 3], atol=1e-6)


def test_urdf_meshes_keep_their_triangles_scaled_and_mirrored_meshes_face_outwards(tmp_path):
    trimesh.creation.torus(1.0, 0.3).export(tmp_path / "ring.stl")
    mesh = '<mesh filename="ring.stl" scale="-1 2 1"/>'
    (tmp_path / "r.urdf").write_text(URDF.replace('<box size="1 1 1"/>', mesh))
    ring = read_urdf(tmp_path / "r.urdf").visuals[0]
    made = trimesh.Trimesh(ring.vertices, ring.triangles)
    assert made.volume > 0.5  # a hole: a hull would have three times as much
    assert made.volume == pytest.approx(2 * trimesh.creation.torus(1.0, 0.3).volume, rel=1e-3)


def two_boxes_of_dae() -> str:
    """A .dae file of a red and a green box."""
    boxes = []
    for place, colour in ((0, [255, 0, 0, 255]), (3, [0, 255, 0, 255])):
        box = trimesh.creation.box()
        box.apply_translation([place, 0, 0])
        material = trimesh.visual.material.PBRMaterial(baseColorFactor=colour)
        box.visual = trimesh.visual.TextureVisuals(material=material)
        boxes.append(box)
    return export_collada(boxes).decode()


def visuals_of_dae(folder, dae: str) -> list:
    """What a URDF file draws whose first <visual> is this mesh, without a colour of its own."""
    (folder / "two.dae").write_text(dae)
    text = URDF.replace('<box size="1 1 1"/>', '<mesh filename="two.dae"/>')
    (folder / "r.urdf").write_text(text.replace('<material name="blue"/>', ""))
    return read_urdf(folder / "r.urdf").visuals


def test_colours_of_dae_files_are_kept(tmp_path):
    red, green, _ = visuals_of_dae(tmp_path, two_boxes_of_dae())
    assert {red.colour[:3], green.colour[:3]} == {(1, 0, 0), (0, 1, 0)}


def test_a_dae_file_with_a_colour_that_cannot_be_read_is_drawn_whole_in_grey(tmp_path):
    texture = '<diffuse><texture texture="wood" texcoord="UV"/></diffuse>'
    text = re.sub("<diffuse>.*?</diffuse>", texture, two_boxes_of_dae(), count=1, flags=re.DOTALL)
    boxes, _ = visuals_of_dae(tmp_path, text)
    assert boxes.colour == GREY and len(boxes.triangles) == 24


def test_large_meshes_are_thinned_and_keep_their_form():
    ball = trimesh.creation.icosphere(subdivisions=5)
    assert len(ball.faces) > 4 * MOST_TRIANGLES
    vertices, triangles = thinned_surface(ball.vertices, ball.faces)
    assert len(triangles) <= 1.05 * MOST_TRIANGLES
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 1.0, atol=0.01)


def test_triangles_of_a_soup_share_their_vertices():
    box = trimesh.creation.box()
    soup = box.triangles.reshape(-1, 3)
    vertices, triangles = thinned_surface(soup, np.arange(len(soup)).reshape(-1, 3))
    assert len(vertices) == 8 and len(triangles) == 12
