"""Islands: who belongs to which, and each as a problem of its own."""

import numpy as np
import pytest

import stiction as st
from contact.test_prescribed import press
from stiction.contact.scratch import allocate_scratch
from stiction.contact.solvers.friction_cases import FrictionCases
from stiction.errors import UnsolvedWarning
from stiction.kernels.islands import OneIsland, allocate_islands, count_islands, show_island
from stiction.kernels.response import NONE, allocate_response
from stiction.kernels.touching_links import allocate_links
from stiction.world.contact_points import allocate_contact
from structures import stack

pytestmark = pytest.mark.interpreted

DT = 1e-3


def random_problem(rng, trees, pairs, points=3):
    """Trees of one or two links, pairs of links or of a link and the ground; random numbers."""
    sizes = rng.integers(1, 3, trees)
    rows = int(sizes.sum())
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    root = np.concatenate([[0], 1 + first])
    links = allocate_links(root, np.arange(1, rows + 1), pairs, 6 * rows, True)
    links.count[0], links.first[:], links.end[:] = rows, first, first + np.repeat(sizes, sizes)
    response = allocate_response(pairs, links, True, False)
    contact = allocate_contact(points * pairs, pairs, np.zeros((1, 1)))
    contact.count[0], contact.touching_count[0] = points * pairs, pairs
    contact.touching[:] = np.repeat(np.arange(pairs), points)
    cases = allocate_scratch(FrictionCases, points * pairs, pairs)
    for pair in range(pairs):
        a, b = rng.choice(rows, 2, replace=False) if rows > 1 else (0, 0)
        ground = a == b or rng.random() < 0.5
        response.first[pair], response.second[pair] = a, NONE if ground else b
        contact.touched_link[pair] = 0 if ground else 1 + b
    arrays = (contact.arm, contact.normal, contact.velocity, contact.least_velocity)
    arrays += (
        contact.impulse,
        cases.mu,
        cases.start,
        response.centre,
        response.first_arm,
        response.second_arm,
    )
    arrays += (response.compliance, response.wrench, links.free, links.twist)
    for array in (*arrays, links.inverse_inertia):
        array[:] = rng.normal(size=array.shape)
    return contact, response, cases, allocate_islands(points * pairs, pairs, links)


def expected_islands(response):
    """Sets of links, by joining those that have a link in common until none have."""
    links = response.links
    joined = [set(range(a, b)) for a, b in zip(links.first, links.end, strict=True)]
    for a, b in zip(response.first, response.second, strict=True):
        joined.append({int(a), int(b)} - {NONE})
    merged = []
    for one in joined:
        apart = [other for other in merged if not one & other]
        merged = [*apart, one.union(*(other for other in merged if one & other))]
    return {frozenset(one) for one in merged}


@pytest.mark.parametrize("seed", range(20))
def test_links_that_contacts_connect_are_an_island(seed):
    rng = np.random.default_rng(seed)
    contact, response, _, islands = random_problem(rng, int(rng.integers(2, 9)), 5)
    number = count_islands(contact, response, islands)
    found = {frozenset(np.flatnonzero(islands.island == k).tolist()) for k in range(number)}
    assert found == expected_islands(response)


@pytest.mark.parametrize("seed", range(20))
def test_an_island_in_front_is_the_same_problem(seed):
    """Its pairs have the same links, arms and points; afterwards everything is as before."""
    rng = np.random.default_rng(100 + seed)
    contact, response, cases, islands = random_problem(rng, int(rng.integers(2, 9)), 6)
    links = response.links
    whole = [
        a.copy() for part in (contact, response, links, cases) for a in part if hasattr(a, "copy")
    ]
    touching, arm, first = contact.touching.copy(), contact.arm.copy(), response.first.copy()
    L, tree_first, seen = links.inverse_inertia.copy(), links.first.copy(), 0
    number = count_islands(contact, response, islands)
    for k in range(number):
        rows = np.flatnonzero(islands.island == k)
        show_island(contact, response, cases, islands, number, k)
        assert links.count[0] == len(rows)
        pairs = [pair for pair in range(6) if first[pair] in rows]
        points = np.flatnonzero(np.isin(touching, pairs))
        assert contact.touching_count[0] == len(pairs)
        assert contact.count[0] == len(points)
        seen += len(points)
        np.testing.assert_array_equal(contact.arm[: len(points)], arm[points])
        np.testing.assert_array_equal(rows[response.first[: len(pairs)]], first[pairs])
        for new, old in enumerate(rows):
            assert rows[links.first[new]] == tree_first[old]
            size = links.end[new] - links.first[new]
            front = links.inverse_inertia[6 * new : 6 * new + 6, :size]
            np.testing.assert_array_equal(front, L[6 * old : 6 * old + 6, :size])
    show_island(contact, response, cases, islands, number, number)
    assert seen == contact.count[0]
    for row in range(links.count[0]):  # where no link of its tree is, anything may remain
        unused = slice(6 * row, 6 * row + 6), slice(links.end[row] - links.first[row], None)
        links.inverse_inertia[unused] = L[unused]
    after = [a for part in (contact, response, links, cases) for a in part if hasattr(a, "copy")]
    for one, other in zip(whole, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_robot_needs_no_scratch_for_islands():
    surface = st.Simulation(st.World(st.robots.biped10()), st.Coulomb())._system.surface
    assert isinstance(surface.work.islands, OneIsland)
    itself = st.World(st.robots.biped10(), self_collision=True)
    islands = st.Simulation(itself, st.Coulomb())._system.surface.work.islands
    assert isinstance(islands, OneIsland) or sum(array.nbytes for array in islands) <= 24
    two = st.World(st.robots.brick(), st.robots.brick().at((1.0, 0.0, 0.0)))
    assert len(st.Simulation(two, st.Coulomb())._system.surface.work.islands.island) == 2


def test_robots_apart_move_as_in_worlds_of_their_own():
    """A stack, a brick that slides and one that falls on its edge."""
    tilted = (0.0, 0.0, 0.08), (np.cos(0.3), np.sin(0.3), 0.0, 0.0)
    bricks = st.robots.brick(), st.robots.brick().at(*tilted)
    lower, upper = stack(2, (0.1, 0.1, 0.1), 1.0).robots
    alone = [st.World(lower, upper), st.World(bricks[0]), st.World(bricks[1])]
    shifted = [one.at((3.0, 0.0, 0.0)) for one in (lower,)]
    together = st.World(*shifted, upper, *bricks)
    speed, places = 0.5, [(0, 0.0), (0, 0.0), (2, 5.0), (3, -5.0)]
    states = [world.home() for world in alone]
    states[1].q[2], states[1].v[0] = 0.03, speed
    state = together.home()
    state.q[:] = np.concatenate([one.q for one in states])
    state.v[:] = np.concatenate([one.v for one in states])
    for k, (_, x) in enumerate(places):
        state.q[7 * k] += x
    motion = st.simulate(together, st.Coulomb(), duration=20 * DT, dt=DT, state=state)
    motions = [
        st.simulate(world, st.Coulomb(), duration=20 * DT, dt=DT, state=one)
        for world, one in zip(alone, states, strict=True)
    ]
    expected = np.hstack([one.v for one in motions])
    np.testing.assert_allclose(motion.v, expected, atol=1e-9)
    assert motion.unsolved.count == 0


def test_an_island_without_solution_does_not_spoil_the_others():
    """A press is driven into the ground; a brick, far away, stands still and bears its weight."""
    far = st.robots.brick().named("far").at((2.0, 0.0, 0.03))
    world = st.World(press(), far)
    state = world.home()
    state.q[0] = 0.05
    down = st.Prescribed(st.Reference([0.0, 1.0], [[0.05], [-0.05]], joints=("slide",)))
    with pytest.warns(UnsolvedWarning):
        motion = st.simulate(
            world, st.Coulomb(), duration=2 * DT, dt=DT, state=state, controller=down
        )
    np.testing.assert_allclose(motion.v[:, -6:], 0.0, atol=1e-12)
    weight = motion.force[:-1, :, 2].sum(axis=1)  # the press bears nothing
    np.testing.assert_allclose(weight, 2.0 * 9.81, rtol=1e-9)
