"""Totals of a step in parts: points between bodies whose normals turn, and whose slots change."""

import numpy as np
import pytest

import stiction as st
from stiction.kernels.tree import OK, TOO_MANY_PAIRS
from stiction.promises.law import Setting, run, with_friction
from stiction.promises.pairs import bricks_in_space, meeting, pressed
from stiction.simulation.allocation import allocate_work
from stiction.step.record import (
    BETWEEN,
    DEPTH,
    FORCE,
    NORMAL,
    POSITION,
    SHAPES,
    SLIP,
    STATE,
    add_row,
)

pytestmark = pytest.mark.interpreted

MU = 0.4
UP, ASIDE = (0.0, 0.0, 1.0), (0.6, 0.0, 0.8)


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (2.0, -3.0, 5.0)], ids=["straight", "spinning"])
@pytest.mark.parametrize("kind", [st.Coulomb, st.GaussSeidel], ids=lambda kind: kind.__name__)
def test_a_normal_that_turns_after_an_impact_is_that_of_the_force(kind, spin):
    """Bricks that meet at 140 m/s move by half their length in a step.

    The impact happens at its start. In the rest of it their edges meet, and carry nothing.
    """
    world = bricks_in_space(Setting())
    velocity = (100 * np.cos(0.7), 100 * np.sin(0.7), -100.0)
    state = meeting(world, 0.02, velocity, spin=spin)
    motion = run(world, with_friction(kind(), MU), state, 1e-3)
    normal, force = pressed(motion)
    assert len(force) == 4
    np.testing.assert_allclose(normal, np.tile(UP, (4, 1)), atol=1e-6)  # 5 rad/s for a millionth
    along = np.einsum("nk,nk->n", normal, force)
    across = np.linalg.norm(force - along[:, None] * normal, axis=1)
    np.testing.assert_allclose(across, MU * along, rtol=1e-12)  # rounding
    depth = motion.between[0, :4, DEPTH]
    np.testing.assert_allclose(depth, 0.02, rtol=1e-3)  # where the force acts, not later


def work_with(rows):
    """Scratch of a world with room for so many points between bodies."""
    return allocate_work(st.World(st.robots.ball()), 1, rows)


def add(work, row, shapes=(1, 2), **values):
    """Add a part with one point; the values of its columns are given by name."""
    work.between[:] = 0.0
    columns = {"normal": NORMAL, "force": FORCE, "position": POSITION, "slip": SLIP}
    work.between[row, SHAPES : SHAPES + 2] = shapes
    work.between[row, DEPTH] = values.pop("depth", 0.0)
    work.between[row, STATE] = values.pop("state", 0.0)
    for name, value in values.items():
        work.between[row, columns[name] : columns[name] + 3] = value
    return add_row(work, row)


def test_where_a_point_is_counts_by_its_normal_impulse():
    work = work_with(4)
    add(work, 1, normal=UP, force=(0.5, 0.0, 3.0), position=(1.0, 0.0, 0.0), slip=(1.0, 0.0, 0.0))
    add(work, 1, normal=ASIDE, force=np.multiply(1.0, ASIDE), position=(5.0, 0.0, 0.0), depth=0.1)
    add(work, 1, normal=ASIDE, position=(9.0, 0.0, 0.0), slip=(7.0, 0.0, 0.0))  # no impulse
    total = work.total_between[1]
    np.testing.assert_allclose(total[FORCE : FORCE + 3], (1.1, 0.0, 3.8))
    mean = np.multiply(3, UP) + ASIDE
    np.testing.assert_allclose(total[NORMAL : NORMAL + 3], mean / np.linalg.norm(mean))
    np.testing.assert_allclose(total[POSITION : POSITION + 3], (2.0, 0.0, 0.0))
    np.testing.assert_allclose(total[SLIP : SLIP + 3], (1.0, 0.0, 0.0))
    assert total[DEPTH] == 0.1
    assert list(work.total_rows[: work.total_row_count[0]]) == [1]


def test_a_pair_that_takes_the_slot_of_another_within_a_step_is_recorded_beside_it():
    work = work_with(4)
    assert add(work, 0, (1, 2), normal=UP, force=(0.0, 0.0, 1.0), state=1) == OK
    assert add(work, 0, (1, 3), normal=ASIDE, force=(0.0, 0.0, 2.0), state=2) == OK
    first, other = work.total_between[0], work.total_between[3]
    assert tuple(first[SHAPES : SHAPES + 2]) == (1, 2) and first[FORCE + 2] == 1.0
    assert tuple(other[SHAPES : SHAPES + 2]) == (1, 3) and other[FORCE + 2] == 2.0
    assert (first[STATE], other[STATE]) == (1, 2)
    assert sorted(work.total_rows[: work.total_row_count[0]]) == [0, 3]


def test_no_row_left_is_an_error():
    work = work_with(1)
    assert add(work, 0, (1, 2), normal=UP, force=(0.0, 0.0, 1.0)) == OK
    assert add(work, 0, (1, 3), normal=UP, force=(0.0, 0.0, 2.0)) == TOO_MANY_PAIRS
    assert work.total_between.shape == (1, BETWEEN)
    assert work.total_between[0, FORCE + 2] == 1.0  # not added to another pair's
