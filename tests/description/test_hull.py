"""Thinned hulls: their error, their bounding box, their flat faces."""

import numpy as np
import pytest
from quadprog import solve_qp
from scipy.spatial import ConvexHull

from stiction.description.hull import DEFAULT_POINTS, MANY_POINTS, is_flat, thinned

pytestmark = pytest.mark.interpreted


def distance_from_hull(point, vertices):
    """Distance of a point from the hull of vertices, by a quadratic programme over its facets."""
    planes = ConvexHull(vertices).equations
    nearest = solve_qp(np.eye(3), np.asarray(point, float), -planes[:, :3].T, planes[:, 3])[0]
    return np.linalg.norm(nearest - point)


def on_an_ellipsoid(count, seed=3):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [0.3, 0.1, 0.05]


def rounded_sole(corner=0.02, around=24, layers=6):
    """A foot of 0.2 x 0.1 m with rounded corners and a flat sole at z = 0, domed above."""
    angles = np.linspace(0.0, np.pi / 2.0, around)
    quarter = corner * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    outline = []
    for k, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        c, s = np.cos(k * np.pi / 2.0), np.sin(k * np.pi / 2.0)
        middle = np.array([x * (0.1 - corner), y * (0.05 - corner)])
        outline.append(middle + quarter @ np.array([[c, s], [-s, c]]))
    flat = np.vstack(outline)
    rise = np.linspace(0.0, 0.8, layers)
    return np.vstack([np.column_stack([flat * np.cos(t), np.full(len(flat), 0.06 * np.sin(t))])
                      for t in rise])  # fmt: skip


@pytest.mark.parametrize(
    "points", [on_an_ellipsoid(600), rounded_sole()], ids=["ellipsoid", "foot"]
)
@pytest.mark.parametrize("most", [20, DEFAULT_POINTS])
def test_the_error_is_the_distance_of_the_farthest_vertex(points, most):
    vertices, error = thinned(points, most)
    assert len(vertices) == most
    assert {tuple(v) for v in vertices} <= {tuple(p) for p in points}  # so it is inside
    farthest = max(distance_from_hull(point, vertices) for point in points)
    assert farthest <= error * (1.0 + 1e-9) + 1e-9  # the programme solves to about 1e-9
    assert error <= 5.0 * farthest + 1e-9  # a flat face may make it larger, but not without end


def test_the_error_of_a_round_body_is_exact_and_falls_with_the_number_of_vertices():
    points = on_an_ellipsoid(600)
    errors = []
    for most in (16, 32, 64, 128, 256):
        vertices, error = thinned(points, most)
        exact = max(distance_from_hull(point, vertices) for point in points)
        assert error == pytest.approx(exact, abs=1e-9)  # no flat face: nothing but the distance
        errors.append(error)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.1 * errors[0]


def test_a_hull_of_few_vertices_keeps_them_all_and_loses_inner_points():
    box = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
    vertices, error = thinned(np.vstack([box, np.zeros((5, 3)), 0.5 * box]))
    assert error == 0.0
    assert sorted(map(tuple, vertices)) == sorted(map(tuple, box))


def test_the_bounding_box_is_kept():
    points = on_an_ellipsoid(2000)
    vertices = thinned(points, 32).vertices
    np.testing.assert_array_equal(vertices.min(axis=0), points.min(axis=0))
    np.testing.assert_array_equal(vertices.max(axis=0), points.max(axis=0))


def test_a_sole_stays_flat_and_keeps_its_outline_to_the_stated_error():
    points = rounded_sole()
    sole = points[points[:, 2] == 0.0]
    vertices, error = thinned(points)
    kept = vertices[vertices[:, 2] == 0.0]
    assert len(kept) >= 12
    assert error < 2e-3
    angles = np.linspace(0.0, 2.0 * np.pi, 361)
    directions = np.stack([np.cos(angles), np.sin(angles), np.zeros(361)])
    lost = (sole @ directions).max(axis=0) - (kept @ directions).max(axis=0)
    assert lost.max() <= error  # of the support polygon, in any direction


@pytest.mark.parametrize("turn", [False, True])
def test_the_corners_of_a_rectangular_sole_are_kept_exactly(turn):
    """Under a dome of many vertices, and with the noise of single precision."""
    rng = np.random.default_rng(2)
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.15) for y in (-0.05, 0.05)])
    dome = rng.normal(size=(3000, 3)) * [0.05, 0.03, 0.04]
    dome = dome / np.linalg.norm(dome / [0.09, 0.045, 0.08], axis=1)[:, None]
    points = np.vstack([dome[dome[:, 2] > 0.01], corners])
    if turn:
        points = points @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    points = points.astype(np.float32).astype(float)
    vertices, _ = thinned(points)
    for corner in points[-4:]:
        assert np.abs(vertices - corner).sum(axis=1).min() == 0.0


def test_more_points_than_a_hull_is_made_of_are_thinned_with_their_error_measured():
    points = on_an_ellipsoid(3 * MANY_POINTS)
    vertices, error = thinned(points, 64)
    assert len(vertices) == 64
    planes = ConvexHull(vertices).equations
    outside = points[np.argsort(-(points @ planes[:, :3].T + planes[:, 3]).max(axis=1))[:50]]
    assert max(distance_from_hull(point, vertices) for point in outside) <= error + 1e-9
    assert error < 0.02


@pytest.mark.parametrize("thickness, flat", [(0.0, True), (1e-9, True), (1e-3, False)])
def test_points_in_a_plane_are_flat(thickness, flat):
    rng = np.random.default_rng(4)
    points = rng.uniform(size=(50, 3)) * [1.0, 1.0, thickness]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert is_flat(points @ turn.T + [1.0, 2.0, 3.0]) == flat
    assert is_flat(np.ones((5, 3)))  # a point


@pytest.mark.parametrize("thickness", [1e-15, 1e-12, 1e-8, 1e-5])
@pytest.mark.parametrize("count", [300, 2 * MANY_POINTS])
def test_thin_hulls_of_many_points_are_thinned_too(thickness, count):
    points = on_an_ellipsoid(count) * [1.0, 1.0, thickness / 0.05]
    vertices, error = thinned(points, 32)
    assert len(vertices) <= 32
    assert error < 0.03
    np.testing.assert_allclose(np.ptp(vertices, axis=0)[:2], np.ptp(points, axis=0)[:2], rtol=0.05)
