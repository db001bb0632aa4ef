"""The formulas of spatial algebra against dense matrices, SciPy's rotations and laws of physics."""

from itertools import pairwise
from math import cos, inf, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from stiction.kernels import spatial
from stiction.kernels.spatial import ArticulatedInertia, Inertia, Twist, Wrench

# A few dozen operations on numbers near 1, each rounded to 1.1e-16.
ROUNDING = 1e-14
TURNS = list(Rotation.random(5, rng=np.random.default_rng(3)))
SMALL_AND_LARGE = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1.999e-4, 2e-4, 2.001e-4, 1e-2, 1.0, 3.1, 50.0]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def vector(values: np.ndarray) -> tuple:
    return tuple(float(value) for value in values)


def matrix(A: np.ndarray) -> tuple:
    return tuple(vector(row) for row in A)


def symmetric(A: np.ndarray) -> tuple:
    return vector(A[np.triu_indices(len(A))])


def quaternion(turn: Rotation) -> tuple:
    return vector(turn.as_quat(scalar_first=True))


def dense_symmetric(a: tuple) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = a
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def dense_cross(a: np.ndarray) -> np.ndarray:
    """The matrix of a x, from the cross product of NumPy."""
    return np.cross(a, np.eye(3)).T


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


def close(ours: object, theirs: object) -> None:
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=ROUNDING, atol=ROUNDING)


# ---------------------------------------------------------------------------- vectors and matrices


def test_vector_formulas_agree_with_numpy():
    a, b = rng().normal(size=(2, 3))
    u, v = vector(a), vector(b)
    close(spatial.add(u, v), a + b)
    close(spatial.sub(u, v), a - b)
    close(spatial.scale(1.7, u), 1.7 * a)
    close(spatial.dot(u, v), a @ b)
    close(spatial.cross(u, v), np.cross(a, b))
    assert spatial.zero_vector(1.5) == (0.0, 0.0, 0.0)


def test_matrix_formulas_agree_with_numpy():
    A, B = rng().normal(size=(2, 3, 3))
    x, p = rng().normal(size=(2, 3))
    close(spatial.transform(matrix(A), vector(x)), A @ x)
    close(spatial.transform_transposed(matrix(A), vector(x)), A.T @ x)
    close(spatial.compose(matrix(A), matrix(B)), A @ B)
    close([spatial.column(matrix(A), k) for k in range(3)], A.T)
    close(spatial.point_of_frame(vector(p), matrix(A), vector(x)), p + A @ x)
    close(spatial.skew(vector(x)), dense_cross(x))


def test_symmetric_formulas_agree_with_dense_matrices():
    A, B = rng().normal(size=(2, 3, 3))
    A, B, x = A + A.T, B + B.T, rng().normal(size=3)
    close(spatial.symmetric_transform(symmetric(A), vector(x)), A @ x)
    close(dense_symmetric(spatial.symmetric_add(symmetric(A), symmetric(B))), A + B)
    parallel = spatial.symmetric_outer(vector(2.0 * x), vector(x))
    close(dense_symmetric(parallel), 2.0 * np.outer(x, x))


@pytest.mark.parametrize("turn", TURNS)
def test_symmetric_rotate_is_a_change_of_axes(turn):
    A = rng().normal(size=(3, 3))
    A, R = A + A.T, turn.as_matrix()
    close(dense_symmetric(spatial.symmetric_rotate(matrix(R), symmetric(A))), R @ A @ R.T)


@pytest.mark.jit  # plain Python computes every square root in double precision
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_constants_take_the_precision_of_the_numbers(real):
    """One double precision literal would promote a whole kernel on a graphics card."""
    q = tuple(np.array([0.5, 0.5, -0.5, 0.5], real))
    for value in (spatial.like(q[0], 2), *spatial.quaternion_exp(q[:3]), *spatial.skew(q[:3])[0]):
        assert np.float64(value) == np.float64(real(value))


# -------------------------------------------------------------------------------------- rotations


@pytest.mark.parametrize("turn", TURNS)
def test_quaternions_are_the_rotations_of_scipy(turn):
    other, w = TURNS[0], rng().normal(size=3)
    q = quaternion(turn)
    close(spatial.quaternion_to_matrix(q), turn.as_matrix())
    twice = spatial.quaternion_product(q, quaternion(other))
    close(spatial.quaternion_to_matrix(twice), (turn * other).as_matrix())
    back = spatial.quaternion_conjugate(q)
    close(spatial.quaternion_to_matrix(back), turn.inv().as_matrix())
    close(spatial.quaternion_product(q, back), [1.0, 0.0, 0.0, 0.0])
    rate = spatial.quaternion_rate(q, vector(w))
    close(spatial.quaternion_dot(q, rate), 0.0)
    close(spatial.quaternion_product(back, rate), [0.0, *(w / 2)])


@pytest.mark.parametrize("length", [0.9, 1.0, 1.3])
def test_length_of_a_quaternion_does_not_matter(length):
    q = quaternion(TURNS[1])
    scaled = vector(length * np.array(q))
    close(spatial.quaternion_to_matrix(scaled), TURNS[1].as_matrix())
    close(spatial.quaternion_normalized(scaled), q)


@pytest.mark.parametrize("angle", [-2.0, 0.0, 1e-9, 0.7, 4.0])
def test_rotate_about_is_a_product_with_a_rotation(angle):
    A, axis = rng().normal(size=(3, 3)), rng().normal(size=3)
    axis /= np.linalg.norm(axis)
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    close(spatial.rotate_about(matrix(A), vector(axis), angle), A @ R)
    close(spatial.turn(vector(A[0]), vector(axis), sin(angle), cos(angle)), R @ A[0])


@pytest.mark.parametrize("angle", SMALL_AND_LARGE)
def test_quaternion_exp_is_exact_at_every_angle(angle):
    """The series takes over below half an angle of 1e-4, where its error is 1e-17 of the value."""
    axis = np.array([0.6, -0.48, 0.64])
    q = spatial.quaternion_exp(vector(angle * axis))
    exact = [cos(angle / 2), *(sin(angle / 2) * axis)]
    np.testing.assert_allclose(q, exact, rtol=5e-16, atol=5e-16)  # a few last digits
    if 0.0 < angle < 1.0:
        np.testing.assert_allclose(q[1:], exact[1:], rtol=1e-15)  # the small part, to itself
    assert abs(np.linalg.norm(q) - 1.0) <= 5e-16


def test_quaternion_exp_grows_steadily_across_the_change_to_its_series():
    angles = np.linspace(1.99e-4, 2.01e-4, 201)
    parts = [spatial.quaternion_exp((float(angle), 0.0, 0.0))[1] for angle in angles]
    assert all(before < after for before, after in pairwise(parts))


def test_quaternion_rate_is_the_derivative_of_the_exponential_map():
    q, w, dt = quaternion(TURNS[2]), vector(rng().normal(size=3)), 1e-5
    ahead, behind = (
        np.array(spatial.quaternion_product(q, spatial.quaternion_exp(spatial.scale(step, w))))
        for step in (dt, -dt)
    )
    slope = (ahead - behind) / (2 * dt)
    # central difference: dt^2 times a third derivative below 10, and rounding over dt
    np.testing.assert_allclose(spatial.quaternion_rate(q, w), slope, atol=1e-9)


# ------------------------------------------------------------------------- spatial motion and force


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


# --------------------------------------------------------------------------------------- inertias


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

    turned = spatial.symmetric_rotate(matrix(R), symmetric(about_centre))
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


# ------------------------------------------------------------------------------ loading and storing


@pytest.mark.parametrize("kind", ["vector", "matrix", "twist", "wrench", "inertia", "articulated"])
def test_what_is_stored_in_a_row_is_loaded_from_it(kind):
    shape = {"vector": (3,), "matrix": (3, 3), "inertia": (10,), "articulated": (21,)}.get(
        kind, (6,)
    )
    load, store = getattr(spatial, f"load_{kind}"), getattr(spatial, f"store_{kind}")
    A = rng().normal(size=(3, *shape))
    B = np.full_like(A, inf)
    store(B, 2, load(A, 1))
    assert np.array_equal(B[2], A[1])
    assert np.all(B[:2] == inf)


def test_quaternions_are_stored_where_they_begin():
    q = rng().normal(size=9)
    moved = np.zeros(9)
    spatial.store_quaternion(moved, 5, spatial.load_quaternion(q, 2))
    assert np.array_equal(moved, [0, 0, 0, 0, 0, *q[2:6]])


def test_symmetric_rows_hold_the_upper_triangle():
    A = rng().normal(size=(2, 6))
    assert spatial.load_symmetric(A, 1) == vector(A[1])
