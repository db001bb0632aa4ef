"""Pairs of links that touch each other, against Jacobians and the dense inertia of the world."""

import numpy as np
import pytest
from scipy.linalg import block_diag

import stiction as st
from stiction.contact.solvers.pair_system import choose_unknowns
from stiction.contact.solvers.wrench_system import factor_wrench_system, solve_wrench_system
from stiction.kernels.articulated import move_links_at
from stiction.kernels.forward_dynamics import (
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
)
from stiction.kernels.joint_space import dense_inertia, joint_space_inertia
from stiction.kernels.response import (
    add_wrenches,
    allocate_response,
    apply_impulse,
    delassus,
    free_twist,
    pair_twist,
    respond_to_wrenches,
)
from stiction.kernels.touching_links import (
    add_drift,
    allocate_links,
    free_twists,
    inverse_inertia,
    list_links,
    touching_unit_responses,
    twists_of_accelerations,
)
from stiction.kernels.touching_pairs import LEVER, compliances, join_pairs, whole_response
from stiction.kernels.tree import allocate
from stiction.world.contact_points import allocate_contact

pytestmark = pytest.mark.interpreted  # compiled, these are parts of every step with bodies
ROUNDING = 1e-10  # of numbers of about 1e3, after some hundred operations


def jacobian(dynamics, link, r):
    """Twist of a link, about the point at the arm r, per coordinate velocity."""
    tree = dynamics.tree
    J, d = np.zeros((6, len(tree.dof_parent))), tree.v_index[link + 1] - 1 if link > 0 else -1
    while d >= 0:
        linear, angular = dynamics.S[d, :3], dynamics.S[d, 3:]
        J[:3, d], J[3:, d] = linear + np.cross(angular, r), angular
        d = tree.dof_parent[d]
    return J


class Pairs:
    """Random pairs of links of a humanoid and two bricks, everything moving."""

    def __init__(self, method, seed):
        rng = np.random.default_rng(seed)
        world = st.World(st.robots.biped10(), st.robots.brick(), st.robots.brick())
        self.dynamics, self.nv = allocate(world.tree), world.nv
        q, v = world.home().q, rng.normal(size=world.nv)
        q[7 : world.robots[0].nq] += 0.3 * rng.normal(size=world.robots[0].nq - 7)
        move_links_at(self.dynamics, q, v, v)
        self.dynamics.known[:] = self.dynamics.tau[:] = rng.normal(size=world.nv)
        prepare_method(method, self.dynamics)
        eliminate_coordinates(method, self.dynamics)
        links = len(world.tree.parent)
        ground, bricks, same = (3, 0), (links - 2, links - 1), (5, 10)
        random = [tuple(map(int, rng.choice(np.arange(1, links), 2, False))) for _ in range(3)]
        pairs = [ground, bricks, same, *random]
        self.contact = allocate_contact(len(pairs), len(pairs), np.zeros((1, 1)))
        self.contact.count[0], self.contact.touching[:] = len(pairs), np.arange(len(pairs))
        self.contact.touching_count[0] = len(pairs)
        self.contact.touching_link[:], self.contact.touched_link[:] = np.transpose(pairs)
        carriers = np.arange(1, links)
        self.links = allocate_links(world.tree.root, carriers, len(pairs), world.nv, True)
        self.links.unit_responses[:] = np.nan  # of another step: must not be read
        self.response = allocate_response(len(pairs), self.links, True, True)
        self.response.centre[:] = rng.normal(size=(len(pairs), 3))
        self.response.wrench[:] = rng.normal(size=(len(pairs), 6))
        list_links(self.contact, self.links)
        join_pairs(self.dynamics, self.contact, self.response)
        touching_unit_responses(method, self.dynamics, self.links)
        joint_space_inertia(self.dynamics)
        self.H = np.zeros((world.nv, world.nv))
        dense_inertia(world.tree, self.dynamics.H, self.H)
        self.J = np.vstack(
            [self.relative(*pair, r) for pair, r in zip(pairs, self.response.centre, strict=True)]
        )

    def relative(self, a, b, r):
        """Jacobian of a pair's twist about its centre."""
        origin, root = self.dynamics.origin, self.dynamics.tree.root
        return jacobian(self.dynamics, a, r) - jacobian(
            self.dynamics, b, r + origin[root[a]] - origin[root[b]]
        )

    def inverse_inertia(self):
        """L of the pairs, from the Jacobians."""
        return self.J @ np.linalg.solve(self.H, self.J.T)

    def twists(self, twist):
        """Those of all pairs, as `pair_twist` or `free_twist` has them."""
        return np.array([np.ravel(twist(self.response, k)) for k in range(len(self.J) // 6)])

    def accelerations(self, method):
        """Accelerations for the forces in u."""
        accelerate_coordinates(method, self.dynamics)
        return self.dynamics.acceleration.copy()


@pytest.fixture(params=[st.ArticulatedBody(), st.JointSpace()], ids=lambda one: type(one).__name__)
def method(request):
    return request.param


@pytest.mark.parametrize("seed", range(3))
def test_inverse_inertia_is_that_of_the_jacobians(method, seed):
    pairs = Pairs(method, seed)
    inverse_inertia(pairs.dynamics, pairs.links)
    whole_response(pairs.contact, pairs.response)
    n, expected = len(pairs.J), pairs.inverse_inertia()
    found = pairs.response.inverse_inertia.reshape(n, n).T
    np.testing.assert_allclose(found, expected, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_points_respond_to_impulses_as_the_jacobians_say(method, seed):
    """One point of each pair, at its own arm: 3x3 blocks, one impulse, and all wrenches."""
    pairs, rng = Pairs(method, seed), np.random.default_rng(seed)
    contact, response, links = pairs.contact, pairs.response, pairs.links
    contact.arm[:] = response.centre + rng.normal(size=response.centre.shape)
    inverse_inertia(pairs.dynamics, links)
    L, count = pairs.inverse_inertia(), len(response.centre)
    scale = np.abs(L).max()
    P = np.zeros((3 * count, 6 * count))
    for i, r in enumerate(contact.arm - response.centre):
        P[3 * i : 3 * i + 3, 6 * i : 6 * i + 3] = np.eye(3)
        P[3 * i : 3 * i + 3, 6 * i + 3 : 6 * i + 6] = np.cross(np.eye(3), r).T
    W = P @ L @ P.T
    for i in range(count):
        for j in range(count):
            block = W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
            np.testing.assert_allclose(
                delassus(contact, response, i, j), block, atol=10 * ROUNDING * scale
            )
    links.free[:] = links.twist[:] = 0.0
    p, r = rng.normal(size=3), contact.arm[1] - response.centre[1]
    apply_impulse(contact, response, 1, r, tuple(p))
    expected = (L @ P.T[:, 3:6] @ p).reshape(-1, 6)
    np.testing.assert_allclose(pairs.twists(pair_twist), expected, atol=10 * ROUNDING * scale)
    respond_to_wrenches(contact, response)
    expected = (L @ response.wrench.ravel()).reshape(-1, 6)
    np.testing.assert_allclose(pairs.twists(pair_twist), expected, atol=10 * ROUNDING * scale)


def test_compliance_is_that_of_the_centre(method):
    pairs = Pairs(method, 5)
    inverse_inertia(pairs.dynamics, pairs.links)
    compliances(pairs.contact, pairs.response, 0.5)
    blocks = np.diagonal(pairs.inverse_inertia()).reshape(-1, 6)
    expected = (blocks[:, :3].sum(axis=1) + (0.5 * LEVER) ** 2 * blocks[:, 3:].sum(axis=1)) / 3
    np.testing.assert_allclose(pairs.response.compliance, expected, rtol=ROUNDING * 1e3)


@pytest.mark.parametrize("by_pairs", [False, True])
@pytest.mark.parametrize("open_pair", range(-1, 6))
def test_systems_for_wrenches_are_solved(method, by_pairs, open_pair):
    """(1 + S L) x = r: of the pairs, by way of the links or directly; one pair may be open."""
    pairs, rng = Pairs(method, 17), np.random.default_rng(17)
    response, count = pairs.response, len(pairs.response.centre)
    inverse_inertia(pairs.dynamics, pairs.links)
    root = rng.normal(size=(count, 6, 6))
    response.tangent[:] = root @ root.transpose(0, 2, 1)
    points = rng.integers(1, 3, count)
    response.tangent[points == 1, 3:] = response.tangent[points == 1, :, 3:] = 0.0  # no moments
    if open_pair >= 0:
        response.tangent[open_pair] = 0.0
    contact = allocate_contact(points.sum(), count, np.zeros((1, 1)))
    contact.count[0], contact.touching[:] = points.sum(), np.repeat(np.arange(count), points)
    contact.touching_count[0] = count
    if by_pairs:
        assert 1 in points and 2 in points
        choose_unknowns(contact, response)
        assert response.rows.used[0] == 1
        response.linear.matrix[:] = np.nan  # of another system: must not be read
    r = response.unbalance[:] = rng.normal(size=(count, 6))
    factor_wrench_system(contact, response)
    solve_wrench_system(contact, response)
    n = 6 * count
    A = np.eye(n) + block_diag(*response.tangent) @ pairs.inverse_inertia()
    expected = np.linalg.solve(A, r.ravel()).reshape(-1, 6)
    scale = np.linalg.cond(A) * np.abs(expected).max()
    np.testing.assert_allclose(response.unbalance, expected, atol=ROUNDING * scale)


def test_free_twists_are_those_of_the_accelerations(method):
    pairs = Pairs(method, 7)
    free_twists(pairs.dynamics, pairs.links, 0.5)
    expected = (0.5 * pairs.J @ pairs.accelerations(method)).reshape(-1, 6)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(pairs.twists(free_twist), expected, atol=ROUNDING * scale)
    twists_of_accelerations(pairs.dynamics, pairs.links, 0.5)
    np.testing.assert_allclose(pairs.twists(pair_twist), expected, atol=ROUNDING * scale)


def test_a_wrench_acts_on_one_link_and_its_opposite_on_the_other(method):
    pairs = Pairs(method, 11)
    before = pairs.accelerations(method)
    add_wrenches(pairs.dynamics, pairs.contact, pairs.response, 2.0)
    gained = pairs.accelerations(method) - before
    expected = 2.0 * np.linalg.solve(pairs.H, pairs.J.T @ pairs.response.wrench.ravel())
    np.testing.assert_allclose(gained, expected, atol=ROUNDING * np.abs(expected).max())


def test_drift_is_relative(method):
    """J_dot v of a pair: that of the first link minus that of the second, about the centre."""
    pairs = Pairs(method, 13)
    pairs.links.free[:] = 0
    add_drift(pairs.dynamics, pairs.links)
    dynamics, contact = pairs.dynamics, pairs.contact
    gravity = np.append(dynamics.tree.gravity, np.zeros(3))

    def drift(link, r):
        if link == 0:
            return np.zeros(6)
        linear, angular = np.split(dynamics.drift[link] + gravity, 2)
        return np.append(linear + np.cross(angular, r), angular)

    for k, r in enumerate(pairs.response.centre):
        a, b = contact.touching_link[k], contact.touched_link[k]
        there = r + dynamics.origin[dynamics.tree.root[a]] - dynamics.origin[dynamics.tree.root[b]]
        expected = drift(a, r) - drift(b, there)
        found = pairs.twists(free_twist)[k]
        np.testing.assert_allclose(found, expected, atol=ROUNDING)
