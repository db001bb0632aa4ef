"""Meshes of worlds: visuals if there are any, else shapes."""

import numpy as np
import pytest

import stiction as st
from stiction.description.mjcf import read_mjcf_text
from stiction.description.tessellation import surface_of
from stiction.robot.robot import Robot
from stiction.visual.meshes import creased, meshes_of

PAINTED = """<mujoco><worldbody><body name="left"><freejoint/>
  <geom type="box" size=".1 .2 .3" rgba="1 0 0 1" group="1"/>
  <geom type="sphere" size=".5" group="3"/></body></worldbody></mujoco>"""


def test_shapes_are_drawn_where_a_file_draws_nothing():
    [mesh] = meshes_of(st.World(st.robots.brick()))
    np.testing.assert_allclose(np.abs(mesh.vertices).max(axis=0), st.robots.brick().shape_size[0])


def test_visuals_are_drawn_instead_of_shapes():
    world = st.World(Robot.from_description(read_mjcf_text(PAINTED, "test")))
    [mesh] = meshes_of(world)
    assert mesh.colour == (1.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(np.abs(mesh.vertices).max(axis=0), [0.1, 0.2, 0.3], atol=1e-7)


def test_left_and_right_and_objects_have_their_colours():
    world = st.World(st.robots.hoap1(), st.robots.box().at((2, 0, 0.5)), scenery=st.robots.stairs())
    colours = {mesh.name: mesh.colour for mesh in meshes_of(world)}
    names = [name.partition("/")[2] for name in colours]
    assert "world" in names
    left = {colour for name, colour in colours.items() if "/left" in name}
    right = {colour for name, colour in colours.items() if "/right" in name}
    assert len(left) == len(right) == 1 and left != right
    assert colours["box/box"] not in left | right


@pytest.mark.parametrize(
    "kind, size, volume",
    [
        ("box", (1, 2, 3), 48.0),
        ("sphere", (1,), 4 / 3 * np.pi),
        ("capsule", (1, 2), 4 / 3 * np.pi + 4 * np.pi),
        ("cylinder", (1, 2), 4 * np.pi),
        ("ellipsoid", (1, 2, 3), 8 * np.pi),
    ],
)
def test_surfaces_enclose_the_volume_of_their_shape(kind, size, volume):
    """A polygon of 24 corners has 98.9 % of the area of its circle; a ball of rings 97 %."""
    vertices, triangles = surface_of(kind, np.array(size, float), np.zeros((0, 3)))
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    enclosed = np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0
    assert 0.96 * volume <= enclosed <= volume * (1 + 1e-12)


def test_a_box_gets_three_vertices_at_each_corner_and_a_ball_keeps_one():
    box = surface_of("box", np.ones(3), np.zeros((0, 3)))
    sharp, triangles = creased(*box)
    assert len(sharp) == 24
    np.testing.assert_allclose(sharp[triangles], box[0][box[1]])
    ball = surface_of("sphere", np.ones(1), np.zeros((0, 3)))
    assert len(creased(*ball)[0]) < 1.3 * len(ball[0])


def test_a_robot_without_visual_meshes_shows_all_its_shapes():
    """The limbs of the human body do not collide, only their ends do."""
    world = st.World(st.robots.hanavan())
    thigh = next(mesh for mesh in meshes_of(world) if mesh.name.endswith("left_thigh"))
    assert thigh.vertices[:, 2].max() > -0.01  # from the hip
    assert thigh.vertices[:, 2].min() < -0.5  # to the knee
