"""Near pairs against all pairs compared, and the slots that they keep."""

import itertools

import numba
import numpy as np
import pytest

from scattered import broad_phase, instant, placed, scattered
from stiction.collision.bounds import reach_within, update_boxes
from stiction.collision.broad_phase import BroadPhase, find_near_pairs
from stiction.collision.pair_slots import (
    PairSlots,
    allocate_slots,
    begin_search,
    clear_fresh,
    end_search,
    note_near,
)
from stiction.collision.sorting import sort_pairs
from stiction.description.description import SHAPE_KINDS
from stiction.kernels.kinematics import advance, velocities
from stiction.world.colliding_pairs import colliding_shapes
from stiction.world.outlines import link_origin, reach

pytestmark = pytest.mark.interpreted
MOST = 30 if numba.config.DISABLE_JIT else 300  # shapes; compiled code can do more


def in_slots(slots: PairSlots) -> dict[tuple[int, int], int]:
    """Slot of each near pair."""
    taken = slots.taken[: slots.count[0]].tolist()
    assert taken == sorted(set(taken))
    assert np.flatnonzero(slots.first >= 0).tolist() == taken
    return {(int(slots.first[s]), int(slots.second[s])): s for s in taken}


def all_pairs_compared(broad: BroadPhase) -> set[tuple[int, int]]:
    """Pairs with overlapping boxes, of two bodies, not both fixed, and with matching masks."""
    low, high = broad.boxes.low, broad.boxes.high
    near = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)
    near &= broad.filters.link[:, None] != broad.filters.link
    masks = broad.filters.contype[:, None] & broad.filters.conaffinity
    near &= (masks | masks.T) != 0
    return {(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(near)), strict=True)}


def places(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Places of n bodies of about 0.1 m."""
    wide = 0.3 * n ** (1 / 3)
    return {
        "cloud": rng.uniform(-wide, wide, (n, 3)),
        "heap on the floor": rng.uniform((-wide, -wide, 0.0), (wide, wide, 0.3), (n, 3)),
        "column": np.column_stack([np.zeros((n, 2)), 0.2 * np.arange(n)]),
        "two clusters": rng.normal(0.0, 0.1, (n, 3)) + rng.choice([-5.0, 5.0], (n, 1)),
        "all in one place": np.zeros((n, 3)),
        "far from the origin": 1e5 + rng.uniform(-wide, wide, (n, 3)),
    }[kind]


KINDS = ["cloud", "heap on the floor", "column", "two clusters", "all in one place"]


@pytest.mark.parametrize("kind", [*KINDS, "far from the origin"])
def test_near_pairs_are_those_that_comparing_all_pairs_finds(kind):
    rng = np.random.default_rng(7)
    world = scattered(rng, MOST, fixed=4)
    broad = broad_phase(world, MOST * (MOST + 5))
    total, last, axes = 0, None, set()
    for step in range(12):
        if step % 4 == 0:  # a jump, sometimes along another axis
            q = placed(world, np.roll(places(kind, MOST, rng), step // 4, axis=1), rng)
        q.reshape(-1, 7)[:, :3] += rng.normal(0.0, 0.02, (MOST, 3))
        broad.boxes.reach[:] = rng.uniform(0.0, 0.02, len(broad.boxes.reach))
        assert find_near_pairs(broad, instant(world, q))
        expected = all_pairs_compared(broad)
        assert set(in_slots(broad.slots)) == expected
        assert broad.search.needed[0] == len(expected)
        total, last = total + len(expected), in_slots(broad.slots)
        axes.add(int(broad.sweep.axis[0]))
    assert total > 12 and last is not None
    if kind == "column":
        assert axes == {0, 1, 2}


@pytest.mark.parametrize("n", [1, 2])
def test_a_world_of_one_or_two_shapes(n):
    rng = np.random.default_rng(3)
    world = scattered(rng, n)
    broad = broad_phase(world, 4)
    assert find_near_pairs(broad, instant(world, placed(world, np.zeros((n, 3)), rng)))
    assert set(in_slots(broad.slots)) == ({(0, 1)} if n == 2 else set())


def test_a_world_without_shapes():
    rng = np.random.default_rng(3)
    world = scattered(rng, 2)
    bare = world.robots[0].with_colliding()
    broad = broad_phase(type(world)(bare), 4)
    assert len(broad.sweep.order) == 0
    assert find_near_pairs(broad, instant(world, world.home().q))
    assert in_slots(broad.slots) == {}


@pytest.mark.jit
def test_thousands_of_shapes():
    """Compiled, on a floor that overlaps all others along the axis of the sweep."""
    rng = np.random.default_rng(5)
    n = 3000
    world = scattered(rng, n, fixed=20)
    broad = broad_phase(world, 20 * n)
    q = placed(world, places("heap on the floor", n, rng), rng)
    for _ in range(3):
        q.reshape(-1, 7)[:, :3] += rng.normal(0.0, 0.005, (n, 3))
        assert find_near_pairs(broad, instant(world, q))
        assert set(in_slots(broad.slots)) == all_pairs_compared(broad)
    assert broad.slots.count[0] > n


# ------------------------------------------------------------------------------------------- boxes


def test_boxes_are_those_of_the_shapes():
    """Exact but for hulls, which lie within the box of a box around them."""
    rng = np.random.default_rng(11)
    world = scattered(rng, MOST, fixed=4)
    robot, broad = world.robots[0], broad_phase(world, 1)
    dynamics = instant(world, placed(world, rng.normal(size=(MOST, 3)), rng))
    broad.boxes.reach[:] = rng.uniform(0.0, 0.1, len(broad.boxes.reach))
    update_boxes(broad.bounds, dynamics, broad.boxes)
    seen = set()
    for i, (_, shape, link) in enumerate(colliding_shapes([robot])):
        turned = dynamics.rotation[link] @ robot.shape_rotation[shape]
        middle = dynamics.rotation[link] @ robot.shape_position[shape]
        middle = middle + link_origin(dynamics, link)
        enlarged = broad.boxes.reach[i]
        low = middle - [reach(robot, shape, -axis) + enlarged for axis in turned]
        high = middle + [reach(robot, shape, axis) + enlarged for axis in turned]
        kind = SHAPE_KINDS[robot.shape_kind[shape]]
        seen.add(kind)
        if kind == "hull":
            ends = robot.vertices_of(shape).min(axis=0), robot.vertices_of(shape).max(axis=0)
            corners = np.array(list(itertools.product(*zip(*ends, strict=True)))) @ turned.T
            low = np.minimum(low, middle + corners.min(axis=0) - enlarged)
            high = np.maximum(high, middle + corners.max(axis=0) + enlarged)
            assert (corners.min(axis=0) <= (robot.vertices_of(shape) @ turned.T).min(axis=0)).all()
        # rounding of a few sums of numbers below 10
        np.testing.assert_allclose(broad.boxes.low[i], low, rtol=0, atol=1e-14)
        np.testing.assert_allclose(broad.boxes.high[i], high, rtol=0, atol=1e-14)
    assert len(seen) == 5


def test_reach_covers_the_motion_of_a_step():
    """Boxes at the end of a step at constant velocity lie in those at its start."""
    rng = np.random.default_rng(13)
    world, dt = scattered(rng, MOST, fixed=2), 0.01
    q, v = placed(world, rng.normal(size=(MOST, 3)), rng), rng.normal(0.0, 1.0, world.nv)
    v.reshape(-1, 6)[:, 3:] *= 10.0  # points of a body accelerate at less than 100 m/s2
    before, after = broad_phase(world, 1), broad_phase(world, 1)
    dynamics = instant(world, q)
    velocities(dynamics, v)
    reach_within(before.bounds, dynamics, before.boxes, dt)
    update_boxes(before.bounds, dynamics, before.boxes)
    advance(world.tree, q, v, dt)
    update_boxes(after.bounds, instant(world, q), after.boxes)
    assert (before.boxes.low <= after.boxes.low).all()
    assert (before.boxes.high >= after.boxes.high).all()
    fixed = before.bounds.link == 0
    assert (before.boxes.reach[fixed] == 0).all() and (before.boxes.reach[~fixed] > 0.01).all()


def test_single_precision_stays_single():
    rng = np.random.default_rng(17)
    world = scattered(rng, MOST, fixed=2)
    dynamics = instant(world, placed(world, places("cloud", MOST, rng), rng))
    double, small = broad_phase(world, MOST**2), single(broad_phase(world, MOST**2))
    update_boxes(double.bounds, dynamics, double.boxes)
    assert find_near_pairs(small, single(dynamics))
    assert small.boxes.low.dtype == small.sweep.start.dtype == np.float32
    # floor of 100 m: rounding of single precision
    np.testing.assert_allclose(small.boxes.low, double.boxes.low, rtol=0, atol=1e-5)
    assert set(in_slots(small.slots)) == all_pairs_compared(small)


def single(values):
    """Nested tuples of arrays in single precision, with integers of the same size, as on a GPU."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float32 if values.dtype == np.float64 else np.int32)
    return type(values)(*(single(value) for value in values))


# ------------------------------------------------------------------------------------------- slots


def wandering(rng, steps=15, n=MOST):
    """A world, and positions that change from step to step so that pairs come and go."""
    world = scattered(rng, n, fixed=3)
    q = placed(world, places("heap on the floor", n, rng), rng)
    path = []
    for _ in range(steps):
        q.reshape(-1, 7)[:, :3] += rng.normal(0.0, 0.03, (n, 3))
        path.append(instant(world, q.copy()))
    return world, path


def test_a_pair_keeps_its_slot_and_new_ones_get_the_lowest_free_slots_in_order():
    world, path = wandering(np.random.default_rng(19))
    broad = broad_phase(world, MOST**2)
    before, came, went = {}, 0, 0
    for dynamics in path:
        assert find_near_pairs(broad, dynamics)
        now = in_slots(broad.slots)
        stay = {pair: slot for pair, slot in before.items() if pair in now}
        free = (slot for slot in itertools.count() if slot not in stay.values())
        new = dict(zip(sorted(now.keys() - before.keys()), free, strict=False))
        assert now == stay | new
        fresh = np.flatnonzero(broad.slots.fresh).tolist()
        assert fresh == sorted(new.values())
        assert find_near_pairs(broad, dynamics)  # again at the same instant: nothing changes
        assert in_slots(broad.slots) == now
        assert np.flatnonzero(broad.slots.fresh).tolist() == fresh
        clear_fresh(broad.slots)
        assert not broad.slots.fresh.any()
        came, went, before = came + len(new), went + len(before) - len(stay), now
    assert came > 20 and went > 10


def test_slots_of_pairs_noted_in_any_order():
    """Against a dictionary; with a table as full as it may be."""
    rng = np.random.default_rng(37)
    every = [*itertools.combinations(range(15), 2), *((0, b) for b in range(15, 400))]
    slots, search = allocate_slots(len(every))
    known: dict[tuple[int, int], int] = {}
    unseen: set[int] = set()
    for step in range(12):
        begin_search(slots, search)
        near = [every[k] for k in rng.permutation(len(every))[: rng.integers(len(every) + 1)]]
        for a, b in near:
            note_near(slots, search, *((a, b) if rng.random() < 0.5 else (b, a)))
        assert end_search(slots, search)
        assert not search.table.any()
        known = {pair: slot for pair, slot in known.items() if pair in near}
        unseen &= set(known.values())
        for pair in sorted(set(near) - known.keys()):
            known[pair] = min(set(range(len(known) + 1)) - set(known.values()))
            unseen.add(known[pair])
        assert in_slots(slots) == known
        assert set(np.flatnonzero(slots.fresh).tolist()) == unseen
        if step % 3 == 0:
            clear_fresh(slots)
            unseen = set()


def test_slots_depend_only_on_poses_and_the_slots_before():
    """Not on the order of the last sweep or its axis: restoring the slots restores everything."""
    rng = np.random.default_rng(23)
    world, path = wandering(rng)
    broad = broad_phase(world, MOST**2)
    for dynamics in path[:7]:
        find_near_pairs(broad, dynamics)
    other = broad_phase(world, MOST**2)
    for mine, saved in zip(other.slots, broad.slots, strict=True):
        mine[:] = saved
    for dynamics in path[7:]:
        rng.shuffle(other.sweep.order)
        other.sweep.axis[0] = rng.integers(3)
        assert find_near_pairs(broad, dynamics) and find_near_pairs(other, dynamics)
        for one, another in zip(broad.slots, other.slots, strict=True):
            np.testing.assert_array_equal(one, another)


def test_too_few_slots_are_reported_and_change_nothing():
    rng = np.random.default_rng(29)
    world = scattered(rng, MOST)
    crowded = instant(world, placed(world, places("all in one place", MOST, rng), rng))
    spread = instant(world, placed(world, places("cloud", MOST, rng), rng))
    plenty = broad_phase(world, MOST**2)
    assert find_near_pairs(plenty, spread)
    few = int(plenty.slots.count[0])
    broad = broad_phase(world, few)
    assert find_near_pairs(broad, spread)  # exactly enough
    before = [array.copy() for array in broad.slots]
    assert not find_near_pairs(broad, crowded)
    assert broad.search.needed[0] == len(all_pairs_compared(broad)) > few
    for now, then in zip(broad.slots, before, strict=True):
        np.testing.assert_array_equal(now, then)
    assert find_near_pairs(broad, spread)
    for now, then in zip(broad.slots, before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_poses_that_are_not_numbers_end_the_search():
    rng = np.random.default_rng(31)
    world = scattered(rng, MOST)
    q = placed(world, places("cloud", MOST, rng), rng)
    q[::5] = np.nan
    broad = broad_phase(world, MOST**2)
    assert find_near_pairs(broad, instant(world, q))
    assert sorted(broad.sweep.order.tolist()) == list(range(MOST))


# ----------------------------------------------------------------------------------------- sorting


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 200])
def test_sorting_whatever_the_order(n):
    rng = np.random.default_rng(n)
    ordered = np.sort(rng.integers(max(n // 2, 1), size=n)).astype(float)
    nearly = ordered.copy()
    nearly[: n // 2 * 2] = nearly[: n // 2 * 2].reshape(-1, 2)[:, ::-1].reshape(-1)
    shuffled = rng.permutation(ordered)
    for keys in (ordered, nearly, ordered[::-1].copy(), shuffled, np.zeros(n)):
        others = rng.permutation(n)
        expected = sorted(zip(keys.tolist(), others.tolist(), strict=True))
        keys, others = np.append(keys, -1.0), np.append(others, -1)  # not part of them
        sort_pairs(keys, others, n)
        assert list(zip(keys[:n].tolist(), others[:n].tolist(), strict=True)) == expected
        assert keys[n] == others[n] == -1
