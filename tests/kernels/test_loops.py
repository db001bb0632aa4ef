"""Closed loops against dense equations, finite differences and Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from linkages import body, four_bar, hinge, mjcf, robot_of
from stiction.description.mjcf import read_mjcf_text
from stiction.kernels.articulated import move_links_at
from stiction.kernels.forward_dynamics import (
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
    respond,
)
from stiction.kernels.joint_space import dense_inertia, joint_space_inertia
from stiction.kernels.kinematics import advance, forward_kinematics
from stiction.kernels.loop_basis import KEPT
from stiction.kernels.loop_rows import measure_rows
from stiction.kernels.loops import (
    close_loops,
    constrain_response,
    hold_loops,
    measure_loops,
    respond_loops,
)
from stiction.kernels.touching_links import (
    allocate_links,
    free_twists,
    inverse_inertia,
    list_links,
    touching_unit_responses,
)
from stiction.kernels.tree import STUCK, allocate
from stiction.robot.robot import Robot
from stiction.world.contact_points import allocate_contact
from stiction.world.loops import joined_trees, make_loops

pytestmark = pytest.mark.interpreted

ROUNDING = 1e-9  # of accelerations, relative to the largest
TRUNK = body(
    "trunk",
    "0 0 1",
    "<freejoint/>",
    "0 0 .4",
    5,
    body("thigh", "0 .1 0", hinge("hip", "1 0.2 0"), ".1 0 -.3", 1,
         body("shin", "0 0 -.3", hinge("knee"), "0 0 -.3", 0.5,
              body("foot", "0 0 -.3", '<joint name="ankle" type="ball"/>', ".2 0 0", 0.3)))
    + body("rod", "0 -.1 0", '<joint name="rod" type="ball"/>', "0 0 -.4", 0.2,
           body("tube", "0 0 -.4", '<joint name="slide" type="slide"/>', "0 0 .2", 0.1))
)  # fmt: skip
BOX = body("box", ".3 0 1", "<freejoint/>", ".1 .2 .1", 0.7)
LOOPS = """<connect name="pin" body1="foot" body2="tube" anchor=".02 .01 .03"/>
<weld name="grip" body1="box" body2="shin" anchor="0.01 0.02 0"/>
<joint name="mirror" joint1="knee" joint2="hip" polycoef=".1 .5 .3 -.2 .1"/>
<joint name="lock" joint1="slide" polycoef=".05 1 0 0 0"/>"""
MIXED = mjcf(TRUNK + BOX, LOOPS)


def world_of(given):
    """The world of MJCF text, or of a robot."""
    return st.World(robot_of(given) if isinstance(given, str) else given, ground=None)


class Instant:
    """A world with loops at a random state, under random forces."""

    def __init__(self, text, method, seed, stuck=()):
        rng = np.random.default_rng(seed)
        self.world = world_of(text)
        self.tree, self.method, nv = self.world.tree, method, self.world.nv
        self.loops = make_loops(self.world.robots, self.tree, 8)
        self.q, self.v = self.world.home().q, rng.normal(size=nv)
        advance(self.tree, self.q, 0.4 * rng.normal(size=nv), 1.0)
        self.dynamics = allocate(self.tree)
        self.dynamics.mode[list(stuck)] = STUCK
        self.known, self.tau = rng.normal(size=nv), rng.normal(size=nv)
        self.dynamics.acceleration[:], self.dynamics.tau[:] = self.known, self.tau
        self.free = np.setdiff1d(np.arange(nv), list(stuck))
        self.respond()

    def respond(self):
        """Responses of the loops at q and v."""
        move_links_at(self.dynamics, self.q, self.v, self.v)
        measure_loops(self.loops, self.dynamics, self.q, self.v, self.v)
        prepare_method(self.method, self.dynamics)
        eliminate_coordinates(self.method, self.dynamics)
        respond_loops(self.method, self.loops, self.dynamics)

    def solve(self):
        """Accelerations at q and v."""
        self.respond()
        close_loops(self.loops, self.dynamics)
        accelerate_coordinates(self.method, self.dynamics)

    def errors(self, move):
        """Errors of all rows after a small move along the coordinates."""
        q, dynamics = self.q.copy(), allocate(self.tree)
        advance(self.tree, q, move, 1.0)
        forward_kinematics(dynamics, q)
        loops = make_loops(self.world.robots, self.tree, 0)
        measure_rows(loops, dynamics, q, 0 * move, 0 * move)
        return loops.error

    def jacobian(self):
        """Rates of the errors per coordinate velocity, by central differences."""
        h = 1e-6
        return np.transpose(
            [(self.errors(h * e) - self.errors(-h * e)) / (2 * h) for e in np.eye(self.world.nv)]
        )

    def inertia(self):
        H = np.zeros((self.world.nv, self.world.nv))
        joint_space_inertia(self.dynamics)
        dense_inertia(self.tree, self.dynamics.H, H)
        return H

    def responses(self):
        """Responses of the rows, as a matrix with the metric 1 / D."""
        return self.loops.basis[self.loops.kept == KEPT]


METHODS = pytest.mark.parametrize(
    "method", [st.ArticulatedBody(), st.JointSpace()], ids=lambda one: type(one).__name__
)


def test_rates_and_drifts_are_derivatives_of_the_errors():
    """The numbers of MIXED: three points, a weld, a polynomial, a held joint."""
    here = Instant(MIXED, st.ArticulatedBody(), 0)
    loops, h = here.loops, 1e-4
    ahead, back, now = (here.errors(k * h * here.v) for k in (1, -1, 0))
    turns = slice(6, 9)  # the sine of a large turn is not the integral of its rate
    points = np.delete(np.arange(11), np.arange(11)[turns])
    np.testing.assert_allclose(loops.error, now, atol=1e-15)
    np.testing.assert_allclose(loops.rate[points], ((ahead - back) / (2 * h))[points], atol=1e-6)
    bend = (ahead - 2 * now + back) / h**2
    np.testing.assert_allclose(loops.drift[points], bend[points], atol=1e-5)  # h^2 v^4, 1e-16/h^2


def test_a_turn_is_measured_from_the_second_frame_to_the_first():
    here = Instant(MIXED, st.ArticulatedBody(), 0)
    R = here.dynamics.rotation[here.loops.link[1]] @ here.loops.rotation[1]
    turn = R[0] @ R[1].T
    axial = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    np.testing.assert_allclose(here.loops.error[6:9], axial, atol=1e-14)
    velocity = here.dynamics.velocity[here.loops.link[1], 3:]
    np.testing.assert_allclose(here.loops.rate[6:9], velocity[0] - velocity[1], atol=1e-14)


def exact_rows(here):
    """The Jacobian of all rows; that of turns from angular velocities."""
    J = here.jacobian()
    for d in range(here.world.nv):
        v = np.eye(here.world.nv)[d]
        loops, dynamics = make_loops(here.world.robots, here.tree, 0), allocate(here.tree)
        move_links_at(dynamics, here.q, v, v)
        measure_rows(loops, dynamics, here.q, v, v)
        np.testing.assert_allclose(np.delete(J[:, d], [6, 7, 8]),
                                   np.delete(loops.rate, [6, 7, 8]), atol=1e-8)  # fmt: skip
        J[:, d] = loops.rate
    return J


@METHODS
@pytest.mark.parametrize("stuck", [(), (6, 8), (7, 3)], ids=str)
def test_accelerations_satisfy_the_dense_equations(method, stuck):
    here = Instant(MIXED, method, 1, stuck)
    here.solve()
    a, loops = here.dynamics.acceleration.copy(), here.loops
    H, J, b = here.inertia(), exact_rows(here), st.mechanics.bias_force(here.world, here.q, here.v)
    np.testing.assert_allclose(J @ a, -loops.drift, atol=1e-8 * np.abs(loops.drift).max())
    np.testing.assert_array_equal(a[list(stuck)], here.known[list(stuck)])
    free = here.free
    left = (H @ a + b - here.tau)[free]  # is a combination of the rows
    force = np.linalg.lstsq(J[:, free].T, left, rcond=1e-9)[0]
    np.testing.assert_allclose(J[:, free].T @ force, left, atol=ROUNDING * np.abs(left).max())
    reaction = here.dynamics.reaction[list(stuck)]
    needed = (H @ a + b - here.tau - J.T @ force)[list(stuck)]
    np.testing.assert_allclose(reaction, needed, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind, rows", [("connect", 3), ("line", 2), ("plane", 1)])
def test_points_stay_together_along_directions_of_the_first_link(kind, rows):
    """The errors are those of the points across or along an axis; rates, drifts and rank follow."""
    description = read_mjcf_text(CLOSED_LEG.format("connect"), "text")
    axis = (0.6, 0.0, 0.8)
    [loop] = description.loops
    loops = (replace(loop, kind=kind, axis=axis),)
    here = Instant(Robot.from_description(replace(description, loops=loops)), st.JointSpace(), 10)
    (R, R2), (p, p2) = (getattr(here.dynamics, name)[[4, 3]] for name in ("rotation", "position"))
    apart = R.T @ (p + R @ loop.positions[0] - p2 - R2 @ loop.positions[1])
    along = np.dot(axis, apart)
    wanted = {"plane": along**2, "line": apart @ apart - along**2, "connect": apart @ apart}
    error, h = here.loops.error, 1e-4
    assert error @ error == pytest.approx(wanted[kind], abs=1e-14)
    ahead, back = here.errors(h * here.v), here.errors(-h * here.v)
    np.testing.assert_allclose(here.loops.rate, (ahead - back) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(here.loops.drift, (ahead - 2 * error + back) / h**2, atol=1e-5)
    assert len(here.responses()) == len(error) == rows
    rates = here.jacobian() @ here.v
    np.testing.assert_allclose(here.loops.rate, rates, atol=1e-8)


@METHODS
def test_the_basis_is_orthonormal_and_spans_the_rows(method):
    here = Instant(MIXED, method, 2)
    R, weights = here.responses(), here.dynamics.inverse_D
    np.testing.assert_allclose(R * weights @ R.T, np.eye(len(R)), atol=1e-11)
    assert len(R) == np.linalg.matrix_rank(exact_rows(here), tol=1e-6)


@METHODS
def test_a_planar_linkage_has_two_rows(method):
    """The third keeps the point in the plane of motion, where it is anyway."""
    here = Instant(four_bar(), method, 3)
    assert here.loops.kept.tolist() == [KEPT, 2, KEPT]


@METHODS
def test_touching_links_respond_as_the_dense_equations_do(method):
    here = Instant(MIXED, method, 4)
    touching, dt, nv = np.array([4, 6, 7, 1]), 0.25, here.world.nv
    contact = allocate_contact(len(touching), len(touching), np.zeros((1, 1)))
    contact.touching_count[0], contact.touching_link[:] = len(touching), touching
    roots = joined_trees(here.world.robots, here.tree)
    links = allocate_links(roots, np.sort(touching), len(touching), nv, True)
    list_links(contact, links)
    links.unit_responses[:] = np.nan  # beside the paths of the links: must not be read
    links.centre[:] = np.random.default_rng(5).normal(size=links.centre.shape)
    H, J = here.inertia(), exact_rows(here)
    Jc = np.zeros((6 * len(touching), nv))
    for b, (link, r) in enumerate(zip(links.link, links.centre, strict=True)):
        d = here.tree.v_index[link + 1] - 1
        while d >= 0:
            S = here.dynamics.S[d]
            Jc[6 * b : 6 * b + 6, d] = [*(S[:3] + np.cross(S[3:], r)), *S[3:]]
            d = here.tree.dof_parent[d]
    b_force = st.mechanics.bias_force(here.world, here.q, here.v)
    free = np.linalg.solve(H, here.tau - b_force)
    L = Jc @ np.linalg.solve(H, Jc.T)
    touching_unit_responses(method, here.dynamics, links)
    free_twists(here.dynamics, links, dt)
    inverse_inertia(here.dynamics, links)
    constrain_response(here.loops, here.dynamics, links, dt)
    H_J = np.linalg.solve(H, J.T)
    prevented = H_J @ np.linalg.pinv(J @ H_J, rcond=1e-10)
    closed = Jc @ (np.linalg.inv(H) - prevented @ H_J.T) @ Jc.T
    found = np.zeros_like(L)
    for c in range(len(touching)):
        first, end = links.first[c], links.end[c]
        block = links.inverse_inertia[6 * c : 6 * c + 6, : end - first].reshape(6, -1)
        found[6 * first : 6 * end, 6 * c : 6 * c + 6] = block.T
    np.testing.assert_allclose(found, closed, atol=1e-9 * np.abs(L).max())
    six, seven = (6 * int(links.number[link]) for link in (6, 7))
    assert np.abs(found[six : six + 6, seven : seven + 6]).max() > 1e-3  # only loops join them
    a = free + prevented @ (-here.loops.drift - J @ free)
    scale = np.abs(Jc @ a).max()
    np.testing.assert_allclose(links.free.ravel(), dt * Jc @ a, atol=1e-8 * scale)


@METHODS
def test_a_displacement_keeps_the_loops_as_they_are(method):
    here = Instant(MIXED, method, 6)
    here.dynamics.u[:] = np.random.default_rng(7).normal(size=here.world.nv)
    hold_loops(here.loops, here.dynamics)
    moved = np.zeros(here.world.nv)
    respond(method, here.dynamics, moved)
    np.testing.assert_allclose(exact_rows(here) @ moved, 0.0, atol=1e-10 * np.abs(moved).max())
    assert np.abs(moved).max() > 0.1


def closed_state(world, seed):
    """A configuration in which the loops are closed, and a velocity that they allow."""
    rng = np.random.default_rng(seed)
    q, v, nv = world.home().q, rng.normal(size=world.nv), world.nv
    advance(world.tree, q, 0.1 * rng.normal(size=nv), 1.0)
    for _ in range(20):
        loops, dynamics, J = make_loops(world.robots, world.tree, 0), allocate(world.tree), []
        for e in np.eye(nv):
            move_links_at(dynamics, q, e, e)
            measure_rows(loops, dynamics, q, e, e)
            J.append(loops.rate.copy())
        J = np.transpose(J)
        advance(world.tree, q, -np.linalg.pinv(J, rcond=1e-9) @ loops.error, 1.0)
    return q, v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v)


LEG = body("thigh", "0 .1 0", hinge("hip", "1 0.2 0"), ".1 0 -.3", 1,
           body("shin", "0 0 -.3", hinge("knee"), "0 0 -.3", 0.5))  # fmt: skip
STRUT = body("rod", "0.1 .1 0.1", '<joint name="rod" type="ball"/>', "0 0 -.55", 0.2)
BASE = body("trunk", "0 0 1", "<freejoint/>", "0 0 .4", 5, LEG + STRUT)
CLOSED_LEG = mjcf(BASE, '<{} name="pin" body1="rod" body2="shin" anchor="0 0 -.55"/>')


@METHODS
@pytest.mark.parametrize("kind", ["connect", "weld"])
def test_accelerations_are_those_of_pinocchio(kind, method, tmp_path):
    pin = pytest.importorskip("pinocchio")
    text = CLOSED_LEG.format(kind)
    (tmp_path / "leg.xml").write_text(text)
    model, constraints = pin.buildModelAndLegacyConstraintsFromMJCF(str(tmp_path / "leg.xml"))
    here = Instant(text, method, 0)
    tree = here.tree
    for i in range(1, len(tree.parent)):  # Pinocchio does not weigh geoms
        inertia = tree.inertia[i][np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])]
        model.inertias[i] = pin.Inertia(tree.mass[i], tree.centre[i], inertia)
    here.q, here.v = closed_state(here.world, 8)
    here.solve()
    found = here.dynamics.acceleration.copy()
    x, v, tau = here.q.copy(), here.v.copy(), here.tau.copy()
    for k in (3, 9):  # quaternions of the base and the rod, x y z w
        x[k : k + 4] = np.roll(x[k : k + 4], -1)
    R = here.dynamics.rotation[1]  # the base moves along its own axes
    v[:3], tau[:3], found[:3] = R.T @ v[:3], R.T @ tau[:3], R.T @ found[:3]
    found[:3] -= np.cross(v[3:6], v[:3])
    data, datas = model.createData(), pin.StdVec_RigidConstraintData()
    datas.extend([one.createData() for one in constraints])
    pin.initConstraintDynamics(model, data, constraints, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 100)
    wanted = pin.constraintDynamics(model, data, x, v, tau, constraints, datas, settings)
    np.testing.assert_allclose(found, wanted, atol=ROUNDING * np.abs(wanted).max())
    assert np.abs(wanted - pin.aba(model, data, x, v, tau)).max() > 1.0
