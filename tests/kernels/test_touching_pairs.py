"""Pairs of links that touch each other, against Jacobians and the dense inertia of the world."""

import numpy as np
import pytest

import stiction as st
from stiction.kernels.articulated import move_links_at
from stiction.kernels.forward_dynamics import (
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
    touching_unit_responses,
)
from stiction.kernels.joint_space import dense_inertia, joint_space_inertia
from stiction.kernels.response import (
    add_wrenches,
    allocate_response,
)
from stiction.kernels.touching_pairs import (
    add_drift,
    free_twists,
    touching_inverse_inertia,
    twists_of_accelerations,
)
from stiction.kernels.tree import allocate
from stiction.world.contact_points import allocate_contact

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
        self.contact.touching_count[0] = len(pairs)
        self.contact.touching_link[:], self.contact.touched_link[:] = np.transpose(pairs)
        self.response = allocate_response(len(pairs), world.nv, True)
        self.response.unit_responses[:] = np.nan  # of another step: must not be read
        self.response.centre[:] = rng.normal(size=(len(pairs), 3))
        self.response.wrench[:] = rng.normal(size=(len(pairs), 6))
        touching_unit_responses(method, self.dynamics, self.contact, self.response)
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
    touching_inverse_inertia(pairs.dynamics, pairs.contact, pairs.response)
    n = len(pairs.J)
    found = pairs.response.inverse_inertia.reshape(n, n).T
    expected = pairs.J @ np.linalg.solve(pairs.H, pairs.J.T)
    np.testing.assert_allclose(found, expected, atol=ROUNDING * np.abs(expected).max())


def test_free_twists_are_those_of_the_accelerations(method):
    pairs = Pairs(method, 7)
    free_twists(pairs.dynamics, pairs.contact, pairs.response, 0.5)
    expected = 0.5 * pairs.J @ pairs.accelerations(method)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(pairs.response.free.ravel(), expected, atol=ROUNDING * scale)
    twists_of_accelerations(pairs.dynamics, pairs.contact, pairs.response, 0.5)
    np.testing.assert_allclose(pairs.response.twist.ravel(), expected, atol=ROUNDING * scale)


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
    pairs.response.free[:] = 0
    add_drift(pairs.dynamics, pairs.contact, pairs.response)
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
        np.testing.assert_allclose(pairs.response.free[k], expected, atol=ROUNDING)
