"""What touched is kept of arrays over points, and they come back whole."""

import numpy as np
import pytest

import stiction as st
from stiction.motion.touched import CHANNELS, joined, touched_of
from stiction.simulation import recording
from stiction.simulation.recording import Recorder

pytestmark = pytest.mark.interpreted


def sparse(seed=0, n=7, points=5):
    """Two channels of which most values are zero; the last row is not known."""
    rng = np.random.default_rng(seed)
    touches = rng.random((n, points)) < 0.3
    force = np.where(touches[..., None], rng.normal(size=(n, points, 3)), 0.0)
    depth = np.where(touches, rng.random((n, points)), 0.0)
    for array in (force, depth):
        array[-1] = np.nan
    return {"force": force, "depth": depth}


def test_dense_arrays_come_back_exactly():
    dense = sparse()
    kept = touched_of(dense)
    assert len(kept.point) == (dense["depth"][:-1] > 0).sum()
    for name, array in dense.items():
        np.testing.assert_array_equal(kept.dense(name), array, strict=True)


def test_a_value_that_is_not_a_number_is_kept():
    dense = sparse()
    dense["force"][2, 3] = np.nan
    kept = touched_of(dense)
    np.testing.assert_array_equal(kept.dense("force"), dense["force"])
    assert kept.unknown.tolist() == [False] * 6 + [True]


def test_rows_are_chosen_in_any_order():
    dense = sparse()
    rows = np.array([5, 0, 6, 0, 3])
    chosen = touched_of(dense).at(rows)
    for name, array in dense.items():
        np.testing.assert_array_equal(chosen.dense(name), array[rows], strict=True)


def test_runs_are_joined():
    first, second = sparse(1), sparse(2, n=3)
    whole = joined([touched_of(first), touched_of(second)])
    for name in first:
        expected = np.concatenate([first[name], second[name]])
        np.testing.assert_array_equal(whole.dense(name), expected, strict=True)


def test_sums_and_largest_values_are_those_of_the_dense_arrays():
    dense = sparse()
    kept = touched_of(dense)
    np.testing.assert_allclose(kept.total("force"), dense["force"].sum(axis=1))
    some = np.array([1, 4])
    np.testing.assert_allclose(kept.total("force", some), dense["force"][:, some].sum(axis=1))
    np.testing.assert_array_equal(kept.largest("depth"), dense["depth"].max(axis=1))


def test_nothing_touches():
    empty = touched_of({"force": np.zeros((4, 0, 3)), "depth": np.zeros((4, 0))})
    assert empty.dense("force").shape == (4, 0, 3)
    assert not empty.unknown.any()
    none = touched_of({"force": np.zeros((4, 2, 3)), "depth": np.zeros((4, 2))})
    assert len(none.point) == 0
    np.testing.assert_array_equal(none.dense("force"), np.zeros((4, 2, 3)))


# ---------------------------------------------------------------------------------------- recording


def tumble(**options):
    """A brick that lands on a corner and bounces on a box."""
    world = st.World(st.robots.box().at((0.0, 0.0, 0.2)), st.robots.brick())
    state = world.standing(above=0.001)
    state.q[7:10] = 0.05, 0.02, 0.45
    state.v[9:12] = 1.0, 2.0, 0.5
    return st.simulate(world, st.Coulomb(), duration=0.06, dt=0.002, state=state, **options)


@pytest.mark.parametrize("every", [1, 4])
def test_blocks_of_any_length_record_the_same(every, monkeypatch):
    """Scratch is used again for each block, and no row is lost or mixed up."""
    record = st.Recording(every=every)
    whole = tumble(record=record)
    assert (whole.force[:-1] != 0).any() and (whole.between[:-1, :, 0] > 0).any()
    for rows in (1, 3):
        monkeypatch.setattr(recording, "BLOCK_ROWS", rows)
        pieces = tumble(record=record)
        for name in ("time", "q", "v", "torque", "passive", "solver", "between", *CHANNELS):
            expected = getattr(whole, name)
            np.testing.assert_array_equal(getattr(pieces, name), expected, strict=True)


def test_a_run_keeps_what_touched_alone():
    motion = tumble()
    assert not set(vars(motion)) & {*CHANNELS, "between"}  # no dense array was made
    touching = (motion.contact_state[:-1] > 0) | (motion.depth[:-1] > 0)
    assert 0 < touching.sum() < 0.5 * touching.size
    assert len(motion.touched.point) == touching.sum()
    assert len(motion.touched_between.point) == (motion.between[:-1, :, 0] > 0).sum()


def test_rows_counted_from_the_end_keep_their_own_forces():
    motion, dense = tumble(), tumble()
    force, between = dense.force, dense.between
    for rows in ([-3], [-2], [2, -9, -1], np.arange(len(motion)) > 20):
        part = motion.rows(rows)
        np.testing.assert_array_equal(part.time, motion.time[rows])
        np.testing.assert_array_equal(part.force, force[rows])
        np.testing.assert_array_equal(part.between, between[rows])


def test_a_record_that_grows_too_large_ends_the_run_with_the_remedy(monkeypatch):
    monkeypatch.setattr(recording, "BLOCK_ROWS", 2)
    original = Recorder._allocate

    def almost_full(self, one):
        original(self, one)
        self._size = recording.LONGEST_RECORD - 100

    monkeypatch.setattr(Recorder, "_allocate", almost_full)
    with pytest.raises(st.StictionError, match=r"takes more than 16 GB; .*Recording\(to=path\)"):
        tumble()
