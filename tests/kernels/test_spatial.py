"""The formulas of spatial algebra against dense matrices and laws of physics."""

from math import inf

import numpy as np
import pytest

from kernels.dense import (
    ROUNDING,
    TURNS,
    close,
    dense_cross,
    dense_symmetric,
    matrix,
    rng,
    symmetric,
    vector,
)
from stiction.kernels import spatial, vectors
from stiction.kernels.spatial import ArticulatedInertia, Inertia, Twist, Wrench


def dense_articulated(I: ArticulatedInertia) -> np.ndarray:
    """6x6 matrix, linear part first."""
    coupling = np.array(I.coupling)
    return np.block(
        [
            [dense_symmetric(I.linear), coupling.T],
            [coupling, dense_symmetric(I.rotational)],
        ]
    )


def twist(values: np.ndarray) -> Twist:
    return Twist(vector(values[:3]), vector(values[3:]))


def wrench(values: np.ndarray) -> Wrench:
    return Wrench(vector(values[:3]), vector(values[3:]))


def six(a: Twist | Wrench) -> np.ndarray:
    return np.concatenate(a)


def random_articulated(random: np.random.Generator) -> tuple[ArticulatedInertia, np.ndarray]:
    A = random.normal(size=(6, 6))
    A = A @ A.T
    return ArticulatedInertia(symmetric(A[3:, 3:]), matrix(A[3:, :3]), symmetric(A[:3, :3])), A


def random_body(random: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass, inertia about it."""
    points = random.normal(size=(5, 3))
    points -= points.mean(axis=0)
    return 2.5, random.normal(size=3), np.trace(points.T @ points) * np.eye(3) - points.T @ points


def dense_twist_cross(v: np.ndarray) -> np.ndarray:
    w = dense_cross(v[3:])
    return np.block([[w, dense_cross(v[:3])], [np.zeros((3, 3)), w]])


def test_twists_and_wrenches_add_and_scale_like_vectors():
    a, b = rng().normal(size=(2, 6))
    close(six(spatial.twist_add(twist(a), twist(b))), a + b)
    close(six(spatial.twist_scale(-0.3, twist(a))), -0.3 * a)
    close(six(spatial.wrench_add(wrench(a), wrench(b))), a + b)
    close(six(spatial.wrench_sub(wrench(a), wrench(b))), a - b)
    close(six(spatial.wrench_scale(-0.3, wrench(a))), -0.3 * a)
    close(spatial.power(twist(a), wrench(b)), a @ b)


def test_cross_products_are_those_of_six_by_six_matrices():
    v, m, f = rng().normal(size=(3, 6))
    X = dense_twist_cross(v)
    close(six(spatial.twist_cross(twist(v), twist(m))), X @ m)
    close(six(spatial.wrench_cross(twist(v), wrench(f))), -X.T @ f)


def test_power_of_a_twist_and_a_wrench_that_move_together_is_constant():
    v, m, f = rng().normal(size=(3, 6))
    change = spatial.power(spatial.twist_cross(twist(v), twist(m)), wrench(f))
    change += spatial.power(twist(m), spatial.wrench_cross(twist(v), wrench(f)))
    close(change, 0.0)


def test_velocity_and_acceleration_of_a_point_are_its_derivatives():
    """A body moves by the screw of a constant twist; a point of it is followed by differences."""
    v, r = rng().normal(size=6), rng().normal(size=3)
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = dense_cross(v[3:]), v[:3]
    velocity = generator @ [*r, 1.0]
    acceleration = generator @ velocity
    still = twist(np.zeros(6))
    close(spatial.point_velocity(twist(v), vector(r)), velocity[:3])
    close(spatial.point_acceleration(still, twist(v), vector(r)), acceleration[:3])
    a = rng().normal(size=6)
    more = np.array(spatial.point_acceleration(twist(a), twist(v), vector(r))) - acceleration[:3]
    close(more, spatial.point_velocity(twist(a), vector(r)))


def test_power_of_a_force_is_force_times_velocity_of_its_point():
    v, (f, r) = rng().normal(size=6), rng().normal(size=(2, 3))
    acting = spatial.wrench_at_point(vector(f), vector(r))
    close(spatial.power(twist(v), acting), f @ spatial.point_velocity(twist(v), vector(r)))


def test_rigid_inertia_is_the_parallel_axis_theorem():
    mass, centre, about_centre = random_body(rng())
    I = spatial.rigid_inertia(mass, vector(centre), symmetric(about_centre))
    assert I.mass == mass
    close(I.first_moment, mass * centre)
    shift = mass * ((centre @ centre) * np.eye(3) - np.outer(centre, centre))
    close(dense_symmetric(I.rotational), about_centre + shift)


def dense_rigid(mass: float, centre: np.ndarray, about_centre: np.ndarray) -> np.ndarray:
    """[RBDA] Eq. (2.63), linear part first."""
    c = dense_cross(centre)
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, about_centre - mass * c @ c]])


def test_momentum_is_inertia_times_twist():
    mass, centre, about_centre = random_body(rng())
    v = rng().normal(size=6)
    I = spatial.rigid_inertia(mass, vector(centre), symmetric(about_centre))
    close(six(spatial.momentum(I, twist(v))), dense_rigid(mass, centre, about_centre) @ v)


def test_momenta_of_two_bodies_add_up_to_that_of_their_sum():
    random = rng()
    bodies = [random_body(random) for _ in range(2)]
    v = twist(random.normal(size=6))
    I, J = (spatial.rigid_inertia(m, vector(c), symmetric(about)) for m, c, about in bodies)
    both = spatial.inertia_add(I, J)
    assert isinstance(both, Inertia)
    apart = six(spatial.momentum(I, v)) + six(spatial.momentum(J, v))
    close(six(spatial.momentum(both, v)), apart)


@pytest.mark.parametrize("turn", TURNS)
def test_kinetic_energy_depends_on_neither_origin_nor_axes(turn):
    mass, centre, about_centre = random_body(rng())
    v, shift, R = rng().normal(size=6), np.array([0.3, -2.0, 0.7]), turn.as_matrix()

    I = spatial.rigid_inertia(mass, vector(centre), symmetric(about_centre))
    energy = spatial.power(twist(v), spatial.momentum(I, twist(v))) / 2
    at_centre = np.array(spatial.point_velocity(twist(v), vector(centre)))
    close(energy, mass * at_centre @ at_centre / 2 + v[3:] @ about_centre @ v[3:] / 2)

    turned = vectors.symmetric_rotate(matrix(R), symmetric(about_centre))
    moved = spatial.rigid_inertia(mass, vector(R @ centre + shift), turned)
    linear = R @ v[:3] - np.cross(R @ v[3:], shift)  # of the point that is now at the origin
    seen = twist(np.concatenate([linear, R @ v[3:]]))
    again = spatial.power(seen, spatial.momentum(moved, seen)) / 2
    # sums of terms up to twenty times the result
    np.testing.assert_allclose(again, energy, rtol=20 * ROUNDING)


def test_articulated_body_of_one_link_is_the_link():
    mass, centre, about_centre = random_body(rng())
    I = spatial.rigid_inertia(mass, vector(centre), symmetric(about_centre))
    close(dense_articulated(spatial.articulated(I)), dense_rigid(mass, centre, about_centre))


def test_articulated_formulas_agree_with_six_by_six_matrices():
    random = rng()
    (I, A), (J, B) = random_articulated(random), random_articulated(random)
    a, f = random.normal(size=(2, 6))
    close(dense_articulated(I), A)
    close(six(spatial.articulated_transform(I, twist(a))), A @ a)
    close(dense_articulated(spatial.articulated_add(I, J)), A + B)
    reduced = spatial.minus_outer(I, wrench(f), 0.7)
    close(dense_articulated(reduced), A - 0.7 * np.outer(f, f))


def test_eliminating_a_joint_axis_leaves_no_force_along_it():
    """(I - U U' / D) S = 0 with U = I S, D = S . U: the step of the articulated-body algorithm."""
    I, _ = random_articulated(rng())
    S = twist(rng().normal(size=6))
    U = spatial.articulated_transform(I, S)
    left = spatial.minus_outer(I, U, 1.0 / spatial.power(S, U))
    close(six(spatial.articulated_transform(left, S)), np.zeros(6))


@pytest.mark.parametrize(
    ("module", "kind", "shape"),
    [
        (vectors, "vector", (3,)),
        (vectors, "matrix", (3, 3)),
        (spatial, "twist", (6,)),
        (spatial, "wrench", (6,)),
        (spatial, "inertia", (10,)),
        (spatial, "articulated", (21,)),
    ],
)
def test_what_is_stored_in_a_row_is_loaded_from_it(module, kind, shape):
    load, store = getattr(module, f"load_{kind}"), getattr(module, f"store_{kind}")
    A = rng().normal(size=(3, *shape))
    B = np.full_like(A, inf)
    store(B, 2, load(A, 1))
    assert np.array_equal(B[2], A[1])
    assert np.all(B[:2] == inf)
