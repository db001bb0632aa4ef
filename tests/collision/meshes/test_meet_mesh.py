"""Convex shapes on triangle meshes: Coal's distances, and places whose contacts are known."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from collision.meshes.meshes_to_test import (
    Placed,
    coal_distances,
    corner_block,
    floor,
    grid,
    meet_placed,
    one,
    place_over,
    stairs,
    terrain,
)
from collision.pairs.random_pairs import KINDS, Pool, make_pool
from stiction.collision.meshes.meshes import Triangles

UP = [0.0, 0.0, 1.0]
ACCURACY = 2e-9  # distances end at 1e-9 of the smaller extent; Coal's at 1e-10
ROUND = 4e-7  # cylinders: 1e-6 of the smaller extent, here at most 0.2 m


def inside_block(x):
    """Whether points are inside `corner_block()`."""
    of_l = (x[:, 0] < 0.4) | (x[:, 2] < 0.4)
    return (
        of_l & (x[:, 0] > 0) & (x[:, 2] > 0) & (x[:, 0] < 1) & (x[:, 2] < 1) & (abs(x[:, 1]) < 0.5)
    )


def check_distances(kind, n, seed):
    """Shapes near a block and above terrain, as far as they are apart from it."""
    rng = np.random.default_rng(seed)
    pool, compared = make_pool(rng, 4, 0.05, 0.2), 0
    ground = terrain(rng, 10, 1.0, 0.1)
    block = corner_block()
    for mesh, low, high in (
        (block, (-0.2, -0.7, -0.2), (1.2, 0.7, 1.2)),
        (ground, (-0.6, -0.6, 0.1), (0.6, 0.6, 0.4)),  # above its highest point
    ):
        placed = place_over(rng, pool, kind, low, high, n)
        met, distances = meet_placed(pool, mesh, placed, 0.3), coal_distances(pool, mesh, placed)
        apart = (distances > 1e-6) & (distances < 0.29)  # Coal stops at contact
        if mesh is block:
            apart &= ~inside_block(placed.position)
        most = ROUND if kind == "cylinder" else ACCURACY
        np.testing.assert_allclose(met.distance[apart], distances[apart], rtol=0, atol=most)
        way = met.point_a[apart] - met.point_b[apart]
        np.testing.assert_allclose(
            way, met.towards[apart] * met.distance[apart][:, None], rtol=0, atol=1e-6
        )  # closest points of GJK are less exact than the distance where shapes are flat
        assert not met.status.any()
        compared += apart.sum()
    assert compared > n / 2  # of 2 n


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_those_of_coal(kind):
    check_distances(kind, 12, 7)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_distances_are_those_of_coal(kind):
    check_distances(kind, 2500, 11)


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [-1e-3, -1e-7, 0.0, 1e-9, 1e-5, 1e-3])
def test_a_box_on_a_floor_of_triangles_touches_with_its_four_corners(depth):
    """Whichever triangles and edges are under it."""
    rng = np.random.default_rng(2)
    for _ in range(8):
        turn = Rotation.from_rotvec([0, 0, rng.uniform(0, 6)]).as_matrix()
        place = np.array([*rng.uniform(-0.4, 0.4, 2), 0.05 - depth])
        points, normals, depths, _ = one("box", (0.2, 0.1, 0.05), floor(), place, turn)
        assert len(points) == 4
        np.testing.assert_allclose(normals, np.tile(UP, (4, 1)), atol=1e-12)
        np.testing.assert_allclose(depths, depth, atol=1e-12)
        corners = np.abs((points - place) @ turn)
        np.testing.assert_allclose(corners[:, :2], np.tile([0.2, 0.1], (4, 1)), atol=1e-9)


@pytest.mark.interpreted
@pytest.mark.parametrize("height", [-1e-5, 1e-5])
def test_all_corners_of_a_tilted_box_within_reach_are_found(height):
    """Of the lowest corner `height` above the floor, and of the others on other triangles."""
    turn = Rotation.from_rotvec([1e-3, -2e-3, 0.3]).as_matrix()
    own = np.array([[x, y, -0.05] for x in (-0.2, 0.2) for y in (-0.1, 0.1)])
    below = own @ turn.T
    place = np.array([0.1, 0.03, height - below[:, 2].min()])
    points, normals, depths, _ = one("box", (0.2, 0.1, 0.05), floor(), place, turn, reach=2e-3)
    assert len(points) == 4
    np.testing.assert_allclose(normals, np.tile(UP, (4, 1)), atol=1e-12)
    np.testing.assert_allclose(np.sort(depths), np.sort(-(below + place)[:, 2]), atol=1e-12)


@pytest.mark.interpreted
def test_features_stay_while_shapes_slide_over_edges():
    for kind, size, height in (
        ("box", (0.2, 0.1, 0.05), 0.05),
        ("sphere", (0.05,), 0.05),
        ("capsule", (0.05, 0.1), 0.15),
    ):
        seen = {
            tuple(sorted(one(kind, size, floor(), (x, 0.7 * x, height - 1e-6))[3]))
            for x in np.linspace(-0.5, 0.5, 41)
        }
        assert len(seen) == 1, kind


@pytest.mark.interpreted
def test_a_ball_touches_a_floor_of_triangles_once():
    for x in np.linspace(-0.6, 0.6, 49):  # also above edges and vertices
        points, normals, depths, _ = one("sphere", (0.05,), floor(), (x, 0.5 * x, 0.049))
        assert len(points) == 1
        np.testing.assert_allclose(normals, [UP], atol=1e-12)
        np.testing.assert_allclose(depths, 1e-3, atol=1e-12)
        np.testing.assert_allclose(points[0], [x, 0.5 * x, -0.0005], atol=1e-12)


@pytest.mark.interpreted
def test_a_ball_in_a_corner_touches_every_wall():
    points, normals, depths, _ = one("sphere", (0.1,), corner_block(), (0.499, 0.1, 0.498))
    order = np.argsort(depths)
    np.testing.assert_allclose(depths[order], [0.001, 0.002], atol=1e-12)
    np.testing.assert_allclose(normals[order], [[1, 0, 0], UP], atol=1e-12)
    np.testing.assert_allclose(points[order], [[0.3995, 0.1, 0.498], [0.499, 0.1, 0.399]])
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    room = Triangles(corners, np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]]))
    _, normals, depths, _ = one("sphere", (0.1,), room, (0.1, 0.1, 0.1))
    np.testing.assert_allclose(sorted(normals.tolist()), np.eye(3)[::-1], atol=1e-12)
    np.testing.assert_allclose(depths, 0.0, atol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [-1e-4, 1e-6, 1e-4])
def test_a_foot_on_stairs_touches_tread_and_riser(depth):
    """Its toes against the riser of the next step."""
    place = (0.3 - 0.1 + depth, 0.03, 0.15 + 0.03 - depth)
    _, normals, depths, _ = one("box", (0.1, 0.05, 0.03), stairs(), place, reach=1e-3)
    on_tread, on_riser = normals[:, 2] > 0.5, normals[:, 0] < -0.5
    assert on_tread.sum() == 4
    assert on_riser.sum() == 4
    np.testing.assert_allclose(depths, depth, atol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [-1e-4, 1e-7, 1e-4])
@pytest.mark.parametrize("over", [0.001, 0.05, 0.15])
def test_a_foot_over_the_edge_of_a_tread_is_not_pushed_aside(over, depth):
    """`over` of its length of 0.2 m is still on the tread."""
    place = (over - 0.1, 0.03, 0.15 + 0.03 - depth)
    points, normals, depths, _ = one("box", (0.1, 0.05, 0.03), stairs(), place, reach=1e-3)
    np.testing.assert_allclose(normals, np.tile(UP, (len(normals), 1)), atol=1e-9)
    np.testing.assert_allclose(depths, depth, atol=1e-12)
    assert np.ptp(points[:, 0]) == pytest.approx(over, abs=1e-9)
    assert np.ptp(points[:, 1]) == pytest.approx(0.1, abs=1e-9)


@pytest.mark.interpreted
def test_edges_and_corners_that_stick_out_touch_along_their_own_normals():
    corner = np.array([1.0, 0.5, 0.0])
    away = np.array([2.0, 1.0, -2.0]) / 3.0
    points, normals, depths, _ = one("sphere", (0.1,), corner_block(), corner + 0.099 * away)
    np.testing.assert_allclose(normals, [away], atol=1e-9)
    np.testing.assert_allclose(depths, 1e-3, atol=1e-12)
    ridge = grid(np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 1.0]), lambda x, y: -abs(x))
    points, normals, depths, _ = one("box", (0.2, 0.2, 0.1), ridge, (0.03, 0.0, 0.1 - 1e-4))
    np.testing.assert_allclose(normals, np.tile(UP, (len(normals), 1)), atol=1e-9)
    np.testing.assert_allclose(depths.max(), 1e-4, atol=1e-12)
    on_ridge = depths > 0.5e-4
    np.testing.assert_allclose(points[on_ridge, 0], 0.0, atol=1e-9)
    assert np.ptp(points[on_ridge, 1]) == pytest.approx(0.4, abs=1e-9)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", KINDS)
def test_triangles_are_one_sided(kind):
    """Below a floor nothing touches, nor once a shape has sunk by more than half."""
    pool = make_pool(np.random.default_rng(4), 1, 0.1, 0.1)
    i = pool.kinds.index(kind)
    turn = np.eye(3)[None]
    for height in (-0.25, -0.05):
        placed = Placed(np.array([i]), np.array([[0.01, 0.02, height]]), turn)
        assert meet_placed(pool, floor(), placed, 0.01).count[0] == 0


@pytest.mark.interpreted
def test_a_turned_and_moved_mesh_gives_turned_and_moved_points():
    rng = np.random.default_rng(5)
    pool = Pool(["box"], [(0.1, 0.1, 0.1)], [None], np.ones(1))
    placed = Placed(np.zeros(1, int), np.array([[0.31, 0.12, 0.52]]), np.eye(3)[None])
    plain = meet_placed(pool, corner_block(), placed, 0.05)
    R, p = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), np.array([1.0, -2.0, 0.5])
    moved = Placed(placed.shape, placed.position @ R.T + p, R[None])
    turned = meet_placed(pool, corner_block(), moved, 0.05, p, R)
    n = plain.count[0]
    assert n == turned.count[0] >= 4
    np.testing.assert_allclose(turned.point[0, :n], plain.point[0, :n] @ R.T + p, atol=1e-12)
    np.testing.assert_allclose(turned.normal[0, :n], plain.normal[0, :n] @ R.T, atol=1e-12)
    np.testing.assert_allclose(turned.depth[0, :n], plain.depth[0, :n], atol=1e-12)
