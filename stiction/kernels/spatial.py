"""Spatial vector algebra by value: twists, wrenches and inertias, linear part first.

Notation follows R. Featherstone, "Rigid Body Dynamics Algorithms" (Springer 2008), chapter 2, cited
as [RBDA]. All spatial quantities of one tree use world axes and ONE common origin O, the current
position of the root link. Twists of different bodies may then simply be added: the coordinate
transforms between bodies are identities.
"""

from typing import NamedTuple

from stiction.compiler.compiled import formula
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    scale,
    skew,
    sub,
    symmetric_add,
    symmetric_outer,
    symmetric_transform,
    transform,
    transform_transposed,
    zero_vector,
)


class Twist(NamedTuple):
    """Velocity, acceleration or joint axis: `linear` is that of the point of the body at O."""

    linear: tuple
    angular: tuple


class Wrench(NamedTuple):
    """Force, momentum or impulse: `moment` is taken about O."""

    force: tuple
    moment: tuple


class Inertia(NamedTuple):
    """Rigid-body inertia about O: ten numbers instead of a 6x6 matrix."""

    mass: float
    first_moment: tuple  # mass times centre of mass
    rotational: tuple  # symmetric, about O


class ArticulatedInertia(NamedTuple):
    """Symmetric matrix [[linear, coupling'], [coupling, rotational]], 21 numbers [RBDA ch. 7]."""

    rotational: tuple  # symmetric
    coupling: tuple  # matrix, moment per linear acceleration
    linear: tuple  # symmetric


# --------------------------------------------------------------------------------- motion and force


@formula
def twist_add(a, b):
    """Return a + b."""
    return Twist(add(a.linear, b.linear), add(a.angular, b.angular))


@formula
def twist_sub(a, b):
    """Return a - b."""
    return Twist(sub(a.linear, b.linear), sub(a.angular, b.angular))


@formula
def twist_scale(k, a):
    """Return k a."""
    return Twist(scale(k, a.linear), scale(k, a.angular))


@formula
def twist_cross(v, m):
    """Return v x m, the rate of change of a twist m fixed in a body moving with v [RBDA ch. 2]."""
    return Twist(
        add(cross(v.angular, m.linear), cross(v.linear, m.angular)),
        cross(v.angular, m.angular),
    )


@formula
def wrench_add(a, b):
    """Return a + b."""
    return Wrench(add(a.force, b.force), add(a.moment, b.moment))


@formula
def wrench_sub(a, b):
    """Return a - b."""
    return Wrench(sub(a.force, b.force), sub(a.moment, b.moment))


@formula
def wrench_scale(k, f):
    """Return k f."""
    return Wrench(scale(k, f.force), scale(k, f.moment))


@formula
def wrench_cross(v, f):
    """Return v x* f, the rate of change of a wrench f fixed in a body with twist v [RBDA ch. 2]."""
    return Wrench(
        cross(v.angular, f.force),
        add(cross(v.angular, f.moment), cross(v.linear, f.force)),
    )


@formula
def power(m, f):
    """Return m . f, the scalar product of a twist and a wrench [RBDA ch. 2]."""
    return dot(m.linear, f.force) + dot(m.angular, f.moment)


@formula
def point_velocity(v, r):
    """Velocity of the point at r of a body moving with v."""
    return add(v.linear, cross(v.angular, r))


@formula
def point_acceleration(a, v, r):
    """Acceleration of the point at r of a body with spatial acceleration a and velocity v."""
    return add(
        add(a.linear, cross(a.angular, r)),
        cross(v.angular, point_velocity(v, r)),
    )


@formula
def wrench_at_point(f, r):
    """Wrench of a pure force f acting at the point r."""
    return Wrench(f, cross(r, f))


# ----------------------------------------------------------------------------------------- inertias


@formula
def rigid_inertia(mass, centre, about_centre):
    """Inertia about O of a body with centre of mass `centre` (parallel axes) [RBDA ch. 2]."""
    h = scale(mass, centre)
    xx, xy, xz, yy, yz, zz = symmetric_outer(h, centre)
    shift = (yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)
    return Inertia(mass, h, symmetric_add(about_centre, shift))


@formula
def massless_body(x):
    """Return a zero inertia, in the precision of x."""
    zero = like(x, 0)
    return Inertia(zero, zero_vector(x), (zero, zero, zero, zero, zero, zero))


@formula
def inertia_add(a, b):
    """Return a + b."""
    return Inertia(
        a.mass + b.mass,
        add(a.first_moment, b.first_moment),
        symmetric_add(a.rotational, b.rotational),
    )


@formula
def momentum(I, v):
    """Return I v for a rigid body."""
    return Wrench(
        sub(scale(I.mass, v.linear), cross(I.first_moment, v.angular)),
        add(symmetric_transform(I.rotational, v.angular), cross(I.first_moment, v.linear)),
    )


@formula
def articulated(I):
    """Articulated-body inertia of a single rigid body."""
    m, zero = I.mass, like(I.mass, 0)
    return ArticulatedInertia(I.rotational, skew(I.first_moment), (m, zero, zero, m, zero, m))


@formula
def articulated_transform(I, a):
    """Return I a for an articulated-body inertia."""
    return Wrench(
        add(transform_transposed(I.coupling, a.angular), symmetric_transform(I.linear, a.linear)),
        add(symmetric_transform(I.rotational, a.angular), transform(I.coupling, a.linear)),
    )


@formula
def articulated_add(a, b):
    """Return a + b."""
    return ArticulatedInertia(
        symmetric_add(a.rotational, b.rotational),
        (
            add(a.coupling[0], b.coupling[0]),
            add(a.coupling[1], b.coupling[1]),
            add(a.coupling[2], b.coupling[2]),
        ),
        symmetric_add(a.linear, b.linear),
    )


@formula
def minus_outer(I, U, k):
    """Return I - k U U'."""
    n, f = U.moment, U.force
    kn, kf = scale(-k, n), scale(-k, f)
    return ArticulatedInertia(
        symmetric_add(I.rotational, symmetric_outer(kn, n)),
        (
            add(I.coupling[0], scale(kn[0], f)),
            add(I.coupling[1], scale(kn[1], f)),
            add(I.coupling[2], scale(kn[2], f)),
        ),
        symmetric_add(I.linear, symmetric_outer(kf, f)),
    )


# --------------------------------------------------------- loading and storing one item of an array


@formula
def load_twist(A, i):
    """Row i of A as a twist."""
    return Twist((A[i, 0], A[i, 1], A[i, 2]), (A[i, 3], A[i, 4], A[i, 5]))


@formula
def store_twist(A, i, m):
    """Write a twist into row i of A."""
    A[i, 0], A[i, 1], A[i, 2] = m.linear
    A[i, 3], A[i, 4], A[i, 5] = m.angular


@formula
def load_wrench(A, i):
    """Row i of A as a wrench."""
    return Wrench((A[i, 0], A[i, 1], A[i, 2]), (A[i, 3], A[i, 4], A[i, 5]))


@formula
def store_wrench(A, i, f):
    """Write a wrench into row i of A."""
    A[i, 0], A[i, 1], A[i, 2] = f.force
    A[i, 3], A[i, 4], A[i, 5] = f.moment


@formula
def load_inertia(A, i):
    """Row i of A as a rigid-body inertia."""
    return Inertia(
        A[i, 0],
        (A[i, 1], A[i, 2], A[i, 3]),
        (A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8], A[i, 9]),
    )


@formula
def store_inertia(A, i, I):
    """Write a rigid-body inertia into row i of A."""
    A[i, 0] = I.mass
    A[i, 1], A[i, 2], A[i, 3] = I.first_moment
    A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8], A[i, 9] = I.rotational


@formula
def load_articulated(A, i):
    """Row i of A as an articulated-body inertia."""
    return ArticulatedInertia(
        (A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5]),
        (
            (A[i, 6], A[i, 7], A[i, 8]),
            (A[i, 9], A[i, 10], A[i, 11]),
            (A[i, 12], A[i, 13], A[i, 14]),
        ),
        (A[i, 15], A[i, 16], A[i, 17], A[i, 18], A[i, 19], A[i, 20]),
    )


@formula
def store_articulated(A, i, I):
    """Write an articulated-body inertia into row i of A."""
    A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5] = I.rotational
    A[i, 6], A[i, 7], A[i, 8] = I.coupling[0]
    A[i, 9], A[i, 10], A[i, 11] = I.coupling[1]
    A[i, 12], A[i, 13], A[i, 14] = I.coupling[2]
    A[i, 15], A[i, 16], A[i, 17], A[i, 18], A[i, 19], A[i, 20] = I.linear
