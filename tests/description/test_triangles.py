"""Meshes that keep their triangles: fixed ones that are not convex; what is wrong with others."""

import numpy as np
import pytest

from collision.meshes.meshes_to_test import corner_block, floor, stairs
from stiction.description.checks import check
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.description.mjcf import read_mjcf_text
from stiction.description.triangles import is_closed, kept_triangles
from stiction.description.urdf import read_urdf
from stiction.errors import DescriptionError, ModelFileError

pytestmark = pytest.mark.interpreted

CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
SIDES_OF_CUBE = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
OF_CUBE = np.array([t for a, b, c, d in SIDES_OF_CUBE for t in ((a, b, c), (a, c, d))])


def test_a_convex_mesh_stays_a_hull_and_others_keep_their_triangles():
    assert kept_triangles(CUBE, OF_CUBE, "cube") is None
    for mesh in (corner_block(), stairs(), floor()):
        vertices, triangles = kept_triangles(*mesh, "mesh")
        assert len(vertices) == len(mesh.vertices)
        assert len(triangles) == len(mesh.triangles)
    assert is_closed(corner_block().triangles) and not is_closed(floor().triangles)


def test_equal_vertices_become_one_and_triangles_without_area_are_left_out():
    """An STL file has three vertices for each triangle."""
    mesh = stairs()
    apart = mesh.vertices[mesh.triangles].reshape(-1, 3)
    triangles = np.arange(len(apart)).reshape(-1, 3)
    line = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2]], float)
    more = np.concatenate([apart, line])
    vertices, kept = kept_triangles(more, [*triangles, triangles[-1] + 3, (0, 0, 1)], "stairs")
    assert len(vertices) == len(mesh.vertices)
    assert len(kept) == len(mesh.triangles)
    assert is_closed(kept)


def test_a_mesh_inside_out_or_empty_is_refused():
    block = corner_block()
    with pytest.raises(ModelFileError, match="block.stl: is inside out, its triangles face inw"):
        kept_triangles(block.vertices, block.triangles[:, ::-1], "block.stl")
    with pytest.raises(ModelFileError, match="line.stl: has no triangle with an area"):
        kept_triangles(np.eye(3) * [1, 0, 0], [(0, 1, 2)], "line.stl")


def on(link, mesh=None, **changes):
    """A description with a mesh on a link, or on the world."""
    mesh = corner_block() if mesh is None else mesh
    given = {
        "vertices": tuple(map(tuple, mesh.vertices.tolist())),
        "triangles": tuple(map(tuple, mesh.triangles.tolist())),
    }
    shape = Shape("rock", link, **({"kind": "mesh", "size": ()} | given | changes))
    body = Link("body", 1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    return Description(
        "d", "d.xml", (body,), (Joint("root", "free", WORLD, "body"),), shapes=(shape,)
    )


def complaint(description):
    with pytest.raises(DescriptionError) as error:
        check(description)
    return str(error.value)


def test_a_mesh_is_fixed_whole_and_outwards():
    check(on(WORLD))
    check(on(WORLD, floor()))
    assert "a mesh on a link that moves; give it a hull" in complaint(on("body"))
    assert "mesh without triangles" in complaint(on(WORLD, triangles=()))
    assert "vertices that do not exist" in complaint(on(WORLD, triangles=((0, 1, 99),)))
    assert "triangle 0 has no area" in complaint(on(WORLD, triangles=((0, 1, 1),)))
    assert "not finite" in complaint(on(WORLD, vertices=((0.0, 0.0, np.nan),) * 12))
    block = corner_block()
    inverted = block._replace(triangles=block.triangles[:, ::-1])
    assert "is inside out" in complaint(on(WORLD, inverted))
    assert "is a hull with triangles" in complaint(on(WORLD, kind="hull"))


def obj(mesh):
    rows = [f"v {x} {y} {z}" for x, y, z in mesh.vertices]
    rows += [f"f {a} {b} {c}" for a, b, c in mesh.triangles + 1]
    return "\n".join(rows)


URDF = """<robot name="r"><link name="base">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="block.obj" scale="1 1 {scale}"/></geometry></collision>
</link></robot>"""


@pytest.mark.parametrize("scale", [1, -2])
def test_a_urdf_mesh_keeps_its_triangles_if_its_base_is_fixed(scale, tmp_path):
    """A negative scale mirrors the mesh, and turns its triangles round."""
    (tmp_path / "block.obj").write_text(obj(corner_block()))
    (tmp_path / "r.urdf").write_text(URDF.format(scale=scale))
    moving = read_urdf(tmp_path / "r.urdf")
    floating = moving.shapes[0]
    assert not any("of which they fill" in note for note in moving.notes)  # 78 %
    assert (floating.kind, floating.triangles) == ("hull", ())
    fixed = read_urdf(tmp_path / "r.urdf", base="fixed")
    [shape] = fixed.shapes
    assert (shape.kind, len(shape.triangles)) == ("mesh", len(corner_block().triangles))
    vertices = np.array(sorted(shape.vertices))
    wanted = np.array(sorted((corner_block().vertices * [1, 1, scale]).tolist()))
    np.testing.assert_allclose(vertices, wanted, atol=1e-12)
    assert any("base_collision_0 with 20" in note for note in fixed.notes)


def test_a_moving_mesh_that_fills_little_of_its_hull_is_noted(tmp_path):
    """A thin L: 0.19 of the square, whose hull has 0.595 of it."""
    (tmp_path / "block.obj").write_text(obj(corner_block(thick=0.1)))
    (tmp_path / "r.urdf").write_text(URDF.format(scale=1))
    notes = read_urdf(tmp_path / "r.urdf").notes
    assert any("of which they fill: block.obj 32 %" in note for note in notes)


def mjcf(body, thick=0.4):
    rows = " ".join(map(str, corner_block(thick=thick).vertices.ravel()))
    faces = " ".join(map(str, corner_block().triangles.ravel()))
    return (
        f'<mujoco><asset><mesh name="block" vertex="{rows}" face="{faces}"/>'
        f'<mesh name="cube" vertex="{" ".join(map(str, CUBE.ravel()))}"/></asset>'
        f"<worldbody>{body}</worldbody></mujoco>"
    )


def test_a_mesh_geom_of_mjcf_keeps_its_triangles_if_it_is_fixed():
    text = mjcf(
        '<geom name="fixed" type="mesh" mesh="block"/><geom name="cube" type="mesh" mesh="cube"/>'
        '<body><freejoint/><geom name="moving" type="mesh" mesh="block"/></body>'
    )
    kinds = {shape.name: shape.kind for shape in read_mjcf_text(text, "text").shapes}
    assert kinds == {"fixed": "mesh", "cube": "hull", "moving": "hull"}
    thin = mjcf('<body><freejoint/><geom name="thin" type="mesh" mesh="block"/></body>', 0.1)
    notes = read_mjcf_text(thin, "text").notes
    assert any("of which they fill: thin 32 %" in note for note in notes)
    [shape] = [s for s in read_mjcf_text(text, "text").shapes if s.kind == "mesh"]
    assert len(shape.triangles) == len(corner_block().triangles)
