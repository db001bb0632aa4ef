"""Faces of hulls, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from stiction.collision.pairs.hulls import check_hull, make_hulls, make_shapes
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def test_a_cube_has_six_faces_of_four_corners():
    hulls = make_hulls([CUBE])
    assert np.array_equal(np.diff(hulls.first_corner), [4] * 6)
    assert sorted(map(tuple, hulls.normal.round(12))) == sorted(
        map(tuple, np.vstack([np.eye(3), -np.eye(3)]))
    )
    assert np.array_equal(np.diff(hulls.first_face), [3] * 8)


def test_faces_are_counterclockwise_and_close_the_hull():
    points = np.random.default_rng(1).normal(size=(30, 3))
    hulls = make_hulls([CUBE, points])  # the second begins where the first ends
    first = hulls.first_vertex[1]
    area = volume = 0.0
    for f in range(6, len(hulls.normal)):
        corners = hulls.corner[hulls.first_corner[f] : hulls.first_corner[f + 1]]
        x = hulls.vertex[first + corners]
        twice = sum(np.cross(x[k] - x[0], x[k + 1] - x[0]) for k in range(1, len(x) - 1))
        assert twice @ hulls.normal[f] == pytest.approx(np.linalg.norm(twice))
        area += np.linalg.norm(twice) / 2
        volume += twice @ x[0] / 6
    exact = ConvexHull(points)
    assert area == pytest.approx(exact.area, rel=1e-12)  # rounding
    assert volume == pytest.approx(exact.volume, rel=1e-12)


def test_faces_around_a_vertex_have_it_as_a_corner():
    hulls = make_hulls([np.random.default_rng(2).normal(size=(12, 3))])
    for vertex in range(len(hulls.vertex)):
        for face in hulls.face[hulls.first_face[vertex] : hulls.first_face[vertex + 1]]:
            corners = hulls.corner[hulls.first_corner[face] : hulls.first_corner[face + 1]]
            assert vertex in corners


def test_points_inside_are_left_out():
    assert len(make_hulls([np.vstack([CUBE, 0.5 * CUBE])]).vertex) == 8


@pytest.mark.parametrize(
    ("vertices", "message"),
    [
        (CUBE[:3], "3 vertices; a volume needs at least 4"),
        (CUBE * [1, 1, 0], "is flat: its vertices lie in a plane"),
        (CUBE * [1, 1, 1e-8], "is flat"),
        (CUBE @ np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]]), "is flat"),
        (CUBE * 0.0, "is 0 m large"),
        (np.where(np.arange(8)[:, None] == 5, np.nan, CUBE), "vertex 5 at .nan"),
        (np.where(np.arange(8)[:, None] == 2, np.inf, CUBE), "vertex 2 at .inf"),
        (CUBE[:, :2], r"shape \(8, 2\)"),
    ],
)
def test_bad_hulls_are_refused(vertices, message):
    with pytest.raises(InputError, match=message):
        check_hull(vertices, "the wedge")
    with pytest.raises(InputError):
        make_hulls([CUBE, vertices])


def test_thin_and_tiny_hulls_are_not_refused():
    check_hull(CUBE * [1.0, 1.0, 1e-5])
    check_hull(CUBE * 1e-5)


@pytest.mark.parametrize(
    ("kind", "size", "message"),
    [
        ("sphere", (0.0,), "shape 0, a sphere, has size .0.0,.; it needs 1 positive"),
        ("capsule", (0.1,), "needs 2 positive numbers"),
        ("box", (0.1, -0.1, 0.1), "needs 3 positive numbers"),
        ("cylinder", (0.1, np.nan), "needs 2 positive numbers"),
        ("plane", (), "is a 'plane'; known are"),
        ("hull", (), "1 shapes are hulls, but vertices of 0 are given"),
    ],
)
def test_bad_sizes_are_refused(kind, size, message):
    with pytest.raises(InputError, match=message):
        make_shapes([kind], [size])
