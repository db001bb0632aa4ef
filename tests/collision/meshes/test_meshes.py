"""The tree of boxes over a mesh, and what is known of its edges and vertices."""

import numpy as np
import pytest

from collision.meshes.meshes_to_test import corner_block, floor, stairs, terrain
from stiction.collision.meshes.meshes import LEAF, SIDES, NoMeshes
from stiction.collision.pairs.hulls import make_shapes

pytestmark = pytest.mark.interpreted


def shapes_of(*meshes):
    n = SIDES * len(meshes)
    return make_shapes(["mesh"] * n, [()] * n, meshes=meshes)


def boxes(mesh):
    corners = mesh.vertices[mesh.triangles]
    return corners.min(axis=1), corners.max(axis=1)


@pytest.mark.parametrize("cells", [1, 2, 5, 13])
def test_every_triangle_is_in_one_leaf_and_inside_all_boxes_above_it(cells):
    mesh = terrain(np.random.default_rng(cells), cells)
    meshes = shapes_of(mesh).meshes
    assert (meshes.end - meshes.begin).max() <= LEAF
    held = np.concatenate([np.arange(*ends) for ends in zip(meshes.begin, meshes.end, strict=True)])
    assert np.array_equal(np.sort(held), np.arange(len(mesh.triangles)))
    corners = shapes_of(mesh).hulls.vertex.reshape(-1, 3, 3) + meshes.centre[:, None]
    for node in range(len(meshes.low)):
        inside = slice(node, meshes.escape[node])
        leaves = np.flatnonzero(meshes.end[inside] > meshes.begin[inside]) + node
        below = np.concatenate([corners[meshes.begin[k] : meshes.end[k]] for k in leaves])
        np.testing.assert_allclose(below.min(axis=(0, 1)), meshes.low[node], atol=1e-15)
        np.testing.assert_allclose(below.max(axis=(0, 1)), meshes.high[node], atol=1e-15)


def test_several_meshes_follow_each_other():
    meshes = shapes_of(floor(), stairs()).meshes
    alone = shapes_of(stairs()).meshes
    first = meshes.first_node[1]
    assert meshes.first_node[2] == len(meshes.low)
    np.testing.assert_array_equal(meshes.low[first:], alone.low)
    np.testing.assert_array_equal(meshes.escape[first:] - first, alone.escape)
    np.testing.assert_array_equal(meshes.begin[-1] - len(floor().triangles), alone.begin[-1])
    assert shapes_of(floor(), stairs()).mesh.tolist() == [0, 0, 0, 1, 1, 1]
    assert shapes_of(floor(), stairs()).side.tolist() == [0, 1, 2, 0, 1, 2]


def test_edges_are_flat_convex_or_hollow():
    """Normal and the neighbour's plane, at each edge: 0 if flat, positive if convex."""
    meshes = shapes_of(corner_block()).meshes
    own = np.repeat(meshes.normal, 3, axis=0)
    bend = np.einsum("ij,ij->i", own, meshes.across)
    assert set(bend.round(9)) == {0.0, 1.0, -1.0}
    assert (bend < -0.5).sum() == 2  # the inner edge of the L, from both sides
    open_mesh = shapes_of(floor(cells=3)).meshes
    outer = np.einsum("ij,ij->i", np.repeat(open_mesh.normal, 3, axis=0), open_mesh.across) > 0.5
    assert outer.sum() == 12  # at open edges it is the normal itself


def test_vertex_normals_of_a_block_point_out_of_its_corners():
    mesh = corner_block()
    meshes = shapes_of(mesh).meshes
    lowest = np.flatnonzero((mesh.vertices == [0.0, -0.5, 0.0]).all(axis=1))
    np.testing.assert_allclose(meshes.vertex_normal[lowest], -np.ones((1, 3)) / 3**0.5, atol=1e-12)


def test_an_edge_of_three_triangles_is_open():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]], float)
    fin = floor()._replace(vertices=vertices, triangles=np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]]))
    meshes = shapes_of(fin).meshes
    np.testing.assert_allclose(meshes.across, np.repeat(meshes.normal, 3, axis=0))


def test_shapes_without_meshes_have_none():
    assert isinstance(make_shapes(["sphere"], [(0.1,)]).meshes, NoMeshes)
