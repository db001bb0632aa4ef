"""Contact manifolds: where the points are, how many, and that they keep their features."""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from collision.pairs.random_pairs import (
    PAIRS,
    Cases,
    height_above,
    make_pool,
    meet,
    moved,
    random_cases,
)
from stiction.collision.pairs.hulls import make_shapes

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def turn(axis, angle):
    """Rotation matrix about an axis."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def resting(first, second, position, rotation=None, reach=0.01):
    """Manifold of a first shape at a pose on a second one at the origin: (kind, size) each.

    Rows are depth, feature, and the coordinates of point and normal.
    """
    kinds, sizes = zip(
        *(shape if shape[0] != "hull" else ("hull", ()) for shape in (first, second)), strict=True
    )
    clouds = [np.array(size) for kind, size in (first, second) if kind == "hull"]
    rotation = np.eye(3) if rotation is None else rotation
    cases = Cases(
        np.array([0]),
        np.array([1]),
        np.array([position], float),
        rotation[None],
        np.zeros((1, 3)),
        np.eye(3)[None],
    )
    found = meet(make_shapes(kinds, sizes, clouds), cases, reach)
    n = found.count[0]
    return found.depth[0, :n], found.feature[0, :n], found.point[0, :n], found.normal[0, :n]


def plan(points):
    """The x and y of points, in order."""
    return np.array(sorted(map(tuple, points[:, :2])))


FLOOR = ("box", (1.0, 1.0, 0.5))
BRICK = ("box", (0.2, 0.1, 0.05))


# ------------------------------------------------------------------------------------- closed forms


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [1e-3, 0.0, -1e-3])
@pytest.mark.parametrize("as_hull", [False, True], ids=["box", "hull"])
def test_a_box_flat_on_a_box_touches_with_the_corners_of_the_overlap(depth, as_hull):
    brick = ("hull", CUBE * BRICK[1]) if as_hull else BRICK
    x = (0.9, 0.05, 0.55 - depth)  # it hangs over the edge at x = 1
    depths, features, points, normals = resting(brick, FLOOR, x)
    assert plan(points) == pytest.approx(
        np.array([[0.7, -0.05], [0.7, 0.15], [1.0, -0.05], [1.0, 0.15]]), abs=1e-9
    )
    assert points[:, 2] == pytest.approx(0.5 - depth / 2, abs=1e-9)
    assert depths == pytest.approx(depth, abs=1e-12)
    assert normals == pytest.approx(np.tile([0, 0, 1.0], (4, 1)), abs=1e-9)
    assert len(set(features)) == 4


@pytest.mark.interpreted
def test_equal_boxes_stacked_touch_with_their_corners_and_keep_them():
    side = ("box", (0.5, 0.5, 0.5))
    rng, features = np.random.default_rng(2), []
    for _ in range(20):
        wobble = turn(rng.normal(size=3), 1e-6)
        shift = np.array([0, 0, 0.9999]) + rng.uniform(-1e-6, 1e-6, 3)
        depths, feature, points, _ = resting(side, side, shift, wobble)
        features.append(tuple(sorted(feature)))
        assert abs(points[:, :2]) == pytest.approx(0.5, abs=1e-5)  # slack of the clipping
        assert depths == pytest.approx(1e-4, abs=1e-5)
    assert len(features[0]) == 4
    assert len(set(features)) == 1


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [1e-3, -1e-3])
def test_crossing_edges_touch_in_one_point(depth):
    beam = ("box", (0.05, 0.05, 0.5))
    lying = turn((0, 1, 0), np.pi / 2) @ turn((0, 0, 1), np.pi / 4)  # on its edge, along x
    across = turn((0, 0, 1), np.pi / 2) @ lying
    z = 2 * 0.05 * np.sqrt(2) - depth
    both = make_shapes(["box", "box"], [beam[1], beam[1]])
    cases = Cases(
        np.array([0]),
        np.array([1]),
        np.array([[0.1, 0.2, z]]),
        lying[None],
        np.zeros((1, 3)),
        across[None],
    )
    found = meet(both, cases, 2e-3)
    assert found.count[0] in (1, 2)
    assert found.depth[0, 0] == pytest.approx(depth, abs=1e-12)
    assert found.normal[0, 0] == pytest.approx([0, 0, 1], abs=1e-12)
    assert found.point[0, 0] == pytest.approx([0, 0.2, z / 2], abs=1e-12)


@pytest.mark.interpreted
def test_a_cylinder_stands_on_four_points_of_its_rim_lies_on_two_and_rolls_on_one():
    can = ("cylinder", (0.1, 0.2))
    depths, _, points, _ = resting(can, FLOOR, (0, 0, 0.7 - 1e-4))
    assert depths == pytest.approx([1e-4] * 4, abs=1e-12)
    assert np.linalg.norm(points[:, :2], axis=1) == pytest.approx([0.1] * 4, abs=1e-9)
    assert ConvexHull(points[:, :2]).volume == pytest.approx(2 * 0.1**2)  # a square in the circle

    depths, _, points, normals = resting(can, FLOOR, (0, 0, 0.6 - 1e-4), turn((0, 1, 0), np.pi / 2))
    assert depths == pytest.approx([1e-4] * 2, abs=1e-9)
    assert plan(points) == pytest.approx(np.array([[-0.2, 0], [0.2, 0]]), abs=1e-9)
    assert normals == pytest.approx(np.tile([0, 0, 1.0], (2, 1)), abs=1e-12)

    tilt = turn((np.cos(0.3), np.sin(0.3), 0), 0.4)  # on its rim, lowest between corners of a rim
    lowest = 0.2 * np.cos(0.4) + 0.1 * np.sin(0.4)
    depths, _, points, _ = resting(can, FLOOR, (0, 0, 0.5 + lowest - 1e-4), tilt, reach=1e-3)
    assert depths == pytest.approx([1e-4], abs=1e-9)
    # (0, 0, -1) seen from the can is the direction of its lowest point
    down = tilt.T @ [0, 0, -1]
    corner = np.array([*(0.1 * down[:2] / np.hypot(*down[:2])), -0.2])
    assert plan(points) == pytest.approx((tilt @ corner)[None, :2], abs=1e-6)


@pytest.mark.interpreted
def test_a_capsule_lies_on_two_points_and_stands_on_one():
    rod = ("capsule", (0.1, 0.3))
    depths, features, points, _ = resting(rod, FLOOR, (0.9, 0, 0.6), turn((0, 1, 0), np.pi / 2))
    assert depths == pytest.approx([0, 0], abs=1e-12)
    assert plan(points) == pytest.approx(np.array([[0.6, 0], [1, 0]]), abs=1e-9)  # to the edge
    depths, _, points, _ = resting(rod, FLOOR, (0.2, 0.3, 0.9))
    assert depths == pytest.approx([0], abs=1e-12)
    assert points == pytest.approx(np.array([[0.2, 0.3, 0.5]]))


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["capsule", "cylinder"])
def test_parallel_rods_touch_at_the_ends_of_their_overlap_and_crossing_ones_once(kind):
    rod = (kind, (0.1, 0.3))
    depths, _, points, normals = resting(rod, rod, (0.199, 0, 0.2))
    assert depths == pytest.approx([1e-3] * 2, abs=1e-9)
    assert sorted(points[:, 2]) == pytest.approx([-0.1, 0.3], abs=1e-9)
    assert normals == pytest.approx(np.tile([1.0, 0, 0], (2, 1)), abs=1e-9)
    depths, _, points, _ = resting(rod, rod, (0.199, 0, 0.1), turn((1, 0, 0), 1.0))
    assert depths == pytest.approx([1e-3], abs=1e-9)
    assert points == pytest.approx(np.array([[0.0995, 0, 0.1]]), abs=1e-9)


# ------------------------------------------------------------------------------------ random pairs


def check_points(pool, cases, found, reach):
    """Points lie between both surfaces; the deepest is as deep as the shapes overlap."""
    planes = [None if v is None else ConvexHull(v).equations for v in pool.vertices]
    for i in range(len(cases.a)):
        size, count = min(pool.extent[cases.a[i]], pool.extent[cases.b[i]]), found.count[i]
        assert 1 <= count <= 4
        depths = found.depth[i, :count]
        assert depths.min() >= -reach * (1 + 1e-9)
        # of nearly equally deep corners, within 1e-5, the first is chosen; cylinders add 2e-6
        assert depths.max() == pytest.approx(-found.distance[i], abs=2e-5 * size)
        assert len(set(found.feature[i, :count])) == count
        for point, normal, depth in zip(found.point[i], found.normal[i], depths, strict=False):
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            for shape, x, R in (
                (cases.a[i], cases.position_a[i], cases.rotation_a[i]),
                (cases.b[i], cases.position_b[i], cases.rotation_b[i]),
            ):
                outside = height_above(pool, shape, R.T @ (point - x), planes)
                # half the depth from the surface, on either side if a face below it recedes;
                # corners that overhang by 1e-5 of the size are kept, and ends of a cylinder
                # whose side is tilted by 1e-3
                slack = (
                    5e-4
                    if "cylinder" in (pool.kinds[s] for s in (cases.a[i], cases.b[i]))
                    else 5e-5
                )
                assert outside <= abs(depth) / 2 + slack * size


def check_stable(pool, cases, found, reach, rng):
    """Motions of a millionth of the size change no feature, but for pairs on the brink."""
    size = np.minimum(pool.extent[cases.a], pool.extent[cases.b])
    n, changed = len(size), 0
    small = np.array([turn(axis, 1e-6) for axis in rng.normal(size=(n, 3))])
    shifted = moved(cases, 1e-6 * size[:, None] * rng.uniform(-1, 1, (n, 3)))
    again = meet(pool.shapes(), shifted._replace(rotation_a=small @ cases.rotation_a), reach)
    for i in range(n):
        before, after = found.feature[i, : found.count[i]], again.feature[i, : again.count[i]]
        changed += set(before) != set(after)
    return changed / n


def touching(rng, pool, pair, n, share):
    """Random cases whose overlap is a fraction of the size, from -share to share."""
    cases = random_cases(rng, pool, pair, n)
    found = meet(pool.shapes(), cases)
    size = np.minimum(pool.extent[cases.a], pool.extent[cases.b])
    way = rng.uniform(-share, share, n) * size - found.distance
    return moved(cases, way[:, None] * found.towards)


@pytest.mark.interpreted
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_points_lie_between_the_surfaces_and_keep_their_features(pair):
    rng = np.random.default_rng(3)
    pool = make_pool(rng, 4, 0.1, 0.5)
    cases = touching(rng, pool, pair, 8, 0.01)
    found = meet(pool.shapes(), cases, 0.01)
    check_points(pool, cases, found, 0.01)
    assert check_stable(pool, cases, found, 0.01, rng) <= 1 / 8


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_points_of_thousands_of_pairs_lie_between_the_surfaces_and_keep_their_features(pair):
    rng = np.random.default_rng(4)
    pool = make_pool(rng, 50, 0.1, 0.5)
    cases = touching(rng, pool, pair, 4000, 0.01)
    found = meet(pool.shapes(), cases, 0.01)
    check_points(pool, cases, found, 0.01)
    # on the brink: two faces, or two corners, are equally good within a millionth; a fraction of
    # about 1e-6 / 1e-2 of the pairs for each of some ten comparisons
    assert check_stable(pool, cases, found, 0.01, rng) <= 0.005


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("top", "shown"),
    [(BRICK, 4), (("hull", CUBE * BRICK[1]), 4), (("cylinder", (0.1, 0.05)), 4)],
    ids=["box", "hull", "cylinder"],
)
def test_features_stay_while_a_shape_slides_and_turns(top, shown):
    seen = set()
    for k in range(30):
        way = np.array([-0.5 + k * 0.03, 0.2 - k * 0.02, 0.55 - 1e-5])
        _, features, points, _ = resting(top, FLOOR, way, turn((0, 0, 1), 0.05 * k))
        assert len(points) == shown
        seen.add(tuple(sorted(features)))
    assert len(seen) == 1


@pytest.mark.interpreted
def test_a_feature_stays_attached_to_its_corner():
    before = None
    for k in range(20):
        x, R = np.array([-0.3 + k * 0.03, 0.1, 0.55]), turn((0, 0, 1), 0.1 * k)
        _, features, points, _ = resting(BRICK, FLOOR, x, R)
        corners = {f: R.T @ (point - x) for f, point in zip(features, points, strict=True)}
        for feature, corner in (before or {}).items():
            assert corners[feature] == pytest.approx(corner, abs=1e-9)
        before = corners
