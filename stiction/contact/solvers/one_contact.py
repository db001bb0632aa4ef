"""One contact by itself, exactly: the impulse that obeys the law of Coulomb and Signorini.

    v = G p + c       velocity of the point, relative to the least velocity, for the impulse p

    open   p = 0                      c_n >= 0
    stick  p = -G^-1 c                inside the friction cone
    slip   p = p_n (n - mu d)         v = s d, s >= 0: friction acts against the slip d

A slip has v_n = 0, so p_n = -c_n / (G_nn - mu G_nt . d), and no velocity perpendicular to d. With
d = a cos(x) + b sin(x) in the plane of contact the latter is an equation of second degree in cos(x)
and sin(x): a quartic in z = tan(x / 2). Its roots are bracketed, each between two neighbouring
roots of its derivative, so none is missed. z in [-1, 1] covers one half of all directions; with a
and b reversed it covers the other half. G is positive definite, so a solution always exists; of
several slips the fastest would be taken.
"""

import math

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.response import delassus, free_velocity
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    transform,
    zero_vector,
)

BISECTIONS = 60  # most steps to a root; more than the bits of a number
STIFF = 1e-9  # determinant of G over its mean cubed; below this, some direction cannot move


@kernel
def solve_alone(contact, response, mu):
    """Write the impulse if only one point touches and can move anywhere; returns whether it did."""
    return contact.count[0] == 1 and solve_only_point(contact, response, mu[0])


@subroutine
def solve_only_point(contact, response, mu):
    """Write the impulse of the first point if it can move anywhere; returns whether it did."""
    G, n = delassus(contact, response, 0, 0), load_vector(contact.normal, 0)
    c = sub(free_velocity(contact, response, 0), scale(contact.least_velocity[0], n))
    xx, xy, xz = cross(G[1], G[2]), cross(G[2], G[0]), cross(G[0], G[1])
    determinant, mean = dot(G[0], xx), (G[0][0] + G[1][1] + G[2][2]) / like(mu, 3)
    if determinant <= like(mu, STIFF) * mean * mean * mean:
        return False
    p = zero_vector(mu)
    if dot(n, c) < 0:
        p = scale(like(mu, -1) / determinant, transform((xx, xy, xz), c))  # sticks
        p_n = dot(n, p)
        if p_n <= 0 or dot(p, p) > (like(mu, 1) + mu * mu) * p_n * p_n:
            slip, speed = slip_impulse(G, n, c, mu)
            if speed >= 0:
                p = slip
    store_vector(contact.impulse, 0, p)
    return True


@kernel
def slip_impulse(G, n, c, mu):
    """Impulse of a contact that slips, for c_n < 0, and the speed of the slip.

    The speed is negative if no direction of slip exists: up to rounding, the contact then sticks.
    """
    a = tangent(n)
    b = cross(n, a)
    G_n, G_a, G_b = transform(G, n), transform(G, a), transform(G, b)
    c_n, c_a, c_b = dot(n, c), dot(a, c), dot(b, c)
    g_n, g_a, g_b = dot(n, G_n), dot(a, G_n), dot(b, G_n)
    # cos, sin, cos^2, cos sin and sin^2 in (velocity perpendicular to d) (G_nn - mu G_nt . d) = 0
    cos = g_n * c_b - c_n * g_b
    sin = c_n * g_a - g_n * c_a
    cos_cos = mu * (c_n * dot(a, G_b) - c_b * g_a)
    cos_sin = mu * (c_n * (dot(b, G_b) - dot(a, G_a)) + c_a * g_a - c_b * g_b)
    sin_sin = mu * (c_a * g_b - c_n * dot(a, G_b))
    fastest, best = like(mu, -1), n
    for half in range(2):
        sign = like(mu, 1 - 2 * half)
        quartic = (
            cos_cos + sign * cos,
            like(mu, 2) * (cos_sin + sign * sin),
            like(mu, 4) * sin_sin - like(mu, 2) * cos_cos,
            like(mu, 2) * (sign * sin - cos_sin),
            cos_cos - sign * cos,
        )
        for z in roots_in_unit_interval(quartic):
            if z <= 1:
                share = sign / (like(mu, 1) + z * z)
                d = add(scale(share * (like(mu, 1) - z * z), a), scale(share * (z + z), b))
                along = sub(n, scale(mu, d))
                push = transform(G, along)
                p_n = -c_n / dot(n, push)
                speed = dot(d, add(c, scale(p_n, push)))
                if p_n > 0 and speed > fastest:
                    fastest, best = speed, scale(p_n, along)
    return best, fastest


@kernel
def tangent(n):
    """Return a unit vector perpendicular to n."""
    one, zero = like(n[0], 1), like(n[0], 0)
    axis = (one, zero, zero) if abs(n[0]) < like(one, 0.7) else (zero, one, zero)
    across = sub(axis, scale(dot(n, axis), n))
    return scale(one / math.sqrt(dot(across, across)), across)


# ------------------------------------------------------------------------------------------- roots


@kernel
def roots_in_unit_interval(quartic):
    """Roots of a polynomial of degree four in [-1, 1], ascending; 2 for each that does not exist.

    quartic: its coefficients, constant term first.
    """
    _, k1, k2, k3, k4 = quartic
    cubic = (k1, (k2 + k2), like(k1, 3) * k3, like(k1, 4) * k4, like(k1, 0))
    low, high = turning_points(cubic)
    one = like(k1, 1)
    x = step_to_root(cubic, -one, low)
    y = step_to_root(cubic, low, high)
    z = step_to_root(cubic, high, one)
    return (
        root_between(quartic, -one, x),
        root_between(quartic, x, y),
        root_between(quartic, y, z),
        root_between(quartic, z, one),
    )


@kernel
def turning_points(cubic):
    """Where a cubic has its extrema, ascending; within [-1, 1], at its ends if there are none."""
    one = like(cubic[0], 1)
    c, b, a = cubic[1], cubic[2], like(one, 3) * cubic[3]  # a z^2 + 2 b z + c = 0
    square = b * b - a * c
    if square <= 0:
        return -one, one
    q = -(b + math.copysign(math.sqrt(square), b))
    first = q / a if abs(q) < abs(a) else math.copysign(one, q * a)
    second = c / q if abs(c) < abs(q) else math.copysign(one, c * q)
    return min(first, second), max(first, second)


@kernel
def step_to_root(polynomial, low, high):
    """Root of a polynomial that is monotone from low to high; high if it has none there."""
    return min(root_between(polynomial, low, high), high)


@kernel
def root_between(polynomial, low, high):
    """Root of a polynomial that is monotone from low to high, 2 if there is none.

    Newton steps, and bisection where these leave the bracket.
    """
    at_low, _ = value_and_slope(polynomial, low)
    at_high, _ = value_and_slope(polynomial, high)
    if at_low == 0:
        return low
    if (at_low < 0) == (at_high < 0):
        return high if at_high == 0 else like(low, 2)
    z = like(low, 0.5) * (low + high)
    for _ in range(BISECTIONS):
        value, slope = value_and_slope(polynomial, z)
        if (value < 0) == (at_low < 0):
            low = z
        else:
            high = z
        step = -value / slope if slope != 0 else like(z, 2)
        if like(z, 1) + step == 1:  # below rounding: directions are known no better
            break
        z += step
        if not low < z < high:
            z = like(low, 0.5) * (low + high)
    return z


@kernel
def value_and_slope(polynomial, z):
    """Value and derivative at z, by Horner's rule."""
    k0, k1, k2, k3, k4 = polynomial
    value = k3 + z * k4
    slope = k4
    slope = value + z * slope
    value = k2 + z * value
    slope = value + z * slope
    value = k1 + z * value
    slope = value + z * slope
    value = k0 + z * value
    return value, slope
