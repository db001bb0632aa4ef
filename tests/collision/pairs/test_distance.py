"""Distance, normal and closest points: certificates of their own, MuJoCo, Coal.

A direction n separates two shapes by -overlap_along(n) at least, and no two of their points are
closer than their distance. So a distance is proved if the normal separates by it and the closest
points, inside their shapes, are as far apart. A depth is proved from above only: A leaves B when
it moves that far along the normal. That it is the least is checked by the directions that MuJoCo
and Coal find. Both engines miss some pairs, never by directions that are better than ours.
"""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from collision.pairs.random_pairs import (
    PAIRS,
    Coal,
    Mujoco,
    height_above,
    make_pool,
    meet,
    meet_all,
    moved,
    overlap_along,
    random_cases,
)
from stiction.collision.pairs.meet import SOLVED, make_manifold, make_scratch

EXACT = 1e-12  # rounding of sums of a dozen products, over the extent of the shapes
ROUND = 2e-6  # cylinders: iterations end at 1e-6 of the smaller extent


def tolerance_of(pair):
    """Accuracy over the smaller extent: iterations on polytopes end at 1e-9 of it."""
    return ROUND if "cylinder" in pair else 2e-9


def check_certificates(pool, cases, found, pair):
    planes = [None if v is None else ConvexHull(v).equations for v in pool.vertices]
    for i in range(len(cases.a)):
        extent = pool.extent[[cases.a[i], cases.b[i]]]
        n, d, close = found.towards[i], found.distance[i], tolerance_of(pair) * extent.min()
        assert found.status[i] == SOLVED
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=EXACT)
        assert overlap_along(pool, cases, i, n) == pytest.approx(-d, abs=EXACT * extent.max())
        way = found.point_a[i] - found.point_b[i]
        assert np.linalg.norm(way) == pytest.approx(abs(d), abs=50 * close)
        if abs(d) > 1e-3 * extent.min():  # the way between the points separates as well
            along = np.sign(d) * way / np.linalg.norm(way)
            assert overlap_along(pool, cases, i, along) == pytest.approx(-d, abs=50 * close)
        for point, shape, x, R in (
            (found.point_a[i], cases.a[i], cases.position_a[i], cases.rotation_a[i]),
            (found.point_b[i], cases.b[i], cases.position_b[i], cases.rotation_b[i]),
        ):
            height = height_above(pool, shape, R.T @ (point - x), planes)
            # corners that overhang a face of a box by 1e-5 of the extent count as above it
            slack = 1e-5 * extent.min() if pair == ("box", "box") else close
            assert height < slack + EXACT * extent.max()
        if d > 0:
            length = np.linalg.norm(found.point_a[i] - found.point_b[i])
            assert length == pytest.approx(d, abs=close)


def check_against(oracle, pool, cases, found, pair, may_miss):
    """No direction of the oracle is better; where distances agree, so do normals, or both will do.

    `may_miss` is the fraction of pairs for which the oracle may find a worse direction.
    """
    missed = 0
    for i in range(len(cases.a)):
        size = pool.extent[[cases.a[i], cases.b[i]]].min()
        close = tolerance_of(pair) * size
        distance, normal = oracle.distance(cases, i)
        if not np.linalg.norm(normal) > 0.5:  # NaN or zero: it gave up
            missed += 1
            continue
        depth = overlap_along(pool, cases, i, normal)
        assert depth >= -found.distance[i] - close
        if abs(distance - found.distance[i]) > 1e-5 * size:  # MuJoCo's accuracy is 1e-6 to 1e-7 m
            missed += 1
        elif depth > -found.distance[i] + 1e-6 * size:  # else the normal is not unique
            assert normal @ found.towards[i] > 1 - 1e-6
    assert missed <= may_miss * len(cases.a) + 1


# fractions of random pairs for which the engines' directions are not the best
MISSES = {
    "Mujoco": {("capsule", "box"): 0.5},  # its depth of deep overlap is not that of its normal
    "Coal": {
        ("sphere", "cylinder"): 0.2,  # overlap: its closed form takes the nearest side only
        ("cylinder", "cylinder"): 0.1,  # its iteration ends without a normal
    },
}


def check_pairs(pair, each, n, seed, smallest=0.05, largest=0.5):
    rng = np.random.default_rng(seed)
    pool = make_pool(rng, each, smallest, largest)
    cases = random_cases(rng, pool, pair, n)
    found = meet(pool.shapes(), cases)
    assert n < 100 or 0.1 < np.mean(found.distance < 0) < 0.9  # both overlapping and apart
    check_certificates(pool, cases, found, pair)
    for oracle in (Mujoco(pool), Coal(pool)):
        may_miss = MISSES[type(oracle).__name__].get(pair, 0.05 if "cylinder" in pair else 0.002)
        check_against(oracle, pool, cases, found, pair, may_miss)
    return pool, cases, found


def check_touching(pool, cases, found, pair):
    """Moved along the normal to a gap, shapes are that far apart; to a depth, no deeper."""
    size = np.minimum(pool.extent[cases.a], pool.extent[cases.b])
    # corners that overhang a face of a box by 1e-5 count as above it, which shortens a gap g by
    # at most g; the edge of a cylinder that just touches an edge has a normal good to 1e-3
    close = max(1e-6, 5 * tolerance_of(pair)) * size.max()
    for gap in (0.0, 1e-9, 1e-6, 1e-3):
        for wanted in (gap * size, -gap * size):
            way = (wanted - found.distance)[:, None] * found.towards
            near = meet(pool.shapes(), moved(cases, way))
            assert np.all(near.distance >= wanted - close)
            if wanted.max() > 0 or gap < 1e-5:  # else sharp corners may come out on the far side
                assert np.all(near.distance <= np.maximum(wanted, 0) + close)


@pytest.mark.interpreted
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_a_few_pairs_of_all_kinds_have_certificates_and_agree_with_mujoco_and_coal(pair):
    found = check_pairs(pair, 4, 8, seed=5)
    check_touching(*found, pair)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_ten_thousand_pairs_of_all_kinds_agree_with_mujoco_and_coal(pair):
    found = check_pairs(pair, 100, 10_000, seed=6)
    check_touching(*found, pair)


@pytest.mark.interpreted
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_exchanging_a_and_b_turns_the_normal(pair):
    rng = np.random.default_rng(7)
    pool = make_pool(rng, 4)
    cases = random_cases(rng, pool, pair, 4)
    there = meet(pool.shapes(), cases)
    back = meet(
        pool.shapes(),
        cases._make((cases.b, cases.a, *cases[4:], *cases[2:4])),
    )
    close = tolerance_of(pair) * pool.extent.min()
    assert back.distance == pytest.approx(there.distance, abs=close)
    assert back.towards == pytest.approx(-there.towards, abs=2 * np.sqrt(tolerance_of(pair)))


@pytest.mark.interpreted
def test_beyond_reach_there_is_no_point():
    rng = np.random.default_rng(8)
    pool = make_pool(rng, 4)
    for pair in PAIRS:
        cases = random_cases(rng, pool, pair, 3)
        exact = meet(pool.shapes(), cases).distance
        for reach in (0.0, 0.05, 0.2):
            found = meet(pool.shapes(), cases, reach)
            assert np.array_equal(found.count > 0, exact <= reach)
            assert np.all(found.distance[exact > reach] > reach)
        far = meet(pool.shapes(), moved(cases, np.array([9.0, 0, 0])), 2.0)
        assert np.all(far.count == 0)
        assert np.all(far.distance > 2.0)


@pytest.mark.interpreted
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_sizes_from_a_tenth_of_a_millimetre_to_a_hundred_metres(pair):
    rng = np.random.default_rng(9)
    pool = make_pool(rng, 8, 1e-4, 100.0)
    cases = random_cases(rng, pool, pair, 6)
    check_certificates(pool, cases, meet(pool.shapes(), cases), pair)


def in_single(values):
    """Tuples of arrays in single precision."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float32) if values.dtype == np.float64 else values
    return type(values)(*(in_single(value) for value in values))


@pytest.mark.slow
@pytest.mark.jit
def test_single_precision_follows_double():
    rng = np.random.default_rng(10)
    pool = make_pool(rng, 20)
    for pair in PAIRS:
        cases = random_cases(rng, pool, pair, 1000)
        exact = meet(pool.shapes(), cases)
        found = in_single(exact._replace(distance=np.zeros(1000)))
        shapes = in_single(pool.shapes())
        manifold, scratch = in_single(make_manifold()), in_single(make_scratch(shapes.hulls))
        meet_all(shapes, in_single(cases), np.float32(np.inf), scratch, manifold, found)
        error = abs(found.distance - exact.distance) / np.minimum(
            pool.extent[cases.a], pool.extent[cases.b]
        )
        # positions of some 2 m, rounded to 1e-7 m, over extents from 0.05 m; iterations end at 1e-5
        assert np.quantile(error, 0.99) < 1e-4
        assert np.mean(found.status != SOLVED) < 0.01
