"""Inertias of the solids against integrals over their volume."""

import numpy as np
import pytest

from stiction.description.rotation import matrix
from stiction.errors import InputError
from stiction.robots.solids import INERTIAS, Solid, body_of, shape_of

SIZES = {
    "box": (0.1, 0.2, 0.3),
    "ellipsoid": (0.1, 0.2, 0.3),
    "sphere": (0.2,),
    "column": (0.1, 0.2, 0.3),
    "cylinder": (0.1, 0.3),
    "capsule": (0.1, 0.3),
    "frustum": (0.2, 0.1, 0.5),
}


def half_axes(kind, size, z):
    """Half axes of the section at a height, of a body whose sections are ellipses."""
    if kind in ("ellipsoid", "sphere"):
        a, b, c = size if kind == "ellipsoid" else size * 3
        shrink = np.sqrt(np.maximum(1 - (z / c) ** 2, 0.0))
        return a * shrink, b * shrink
    if kind == "capsule":
        over = np.maximum(np.abs(z) - size[1], 0.0)
        radius = np.sqrt(np.maximum(size[0] ** 2 - over**2, 0.0))
        return radius, radius
    if kind == "frustum":
        radius = size[0] + (size[1] - size[0]) * z / size[2]
        return radius, radius
    a, b = size[:2] if kind == "column" else (size[0], size[0])
    return np.full_like(z, a), np.full_like(z, b)


def ends(kind, size):
    return {
        "ellipsoid": (-size[-1], size[-1]),
        "sphere": (-size[0], size[0]),
        "capsule": (-size[-1] - size[0], size[-1] + size[0]),
        "frustum": (0.0, size[-1]),
    }.get(kind, (-size[-1], size[-1]))


def integrated(kind, size):
    """Centre along z and moments about it of 1 kg, by slices whose own moments are known."""
    low, high = ends(kind, size)
    edges = np.linspace(low, high, 200_001)
    z = (edges[1:] + edges[:-1]) / 2
    if kind == "box":
        weight, own_x, own_y = np.ones_like(z), size[1] ** 2 / 3, size[0] ** 2 / 3
    else:
        a, b = half_axes(kind, size, z)
        weight, own_x, own_y = a * b, b**2 / 4, a**2 / 4
    weight = weight / weight.sum()
    centre = (weight * z).sum()
    along = (z - centre) ** 2
    moments = [(weight * (own_x + along)).sum(), (weight * (own_y + along)).sum()]
    return centre, [*moments, (weight * (own_x + own_y)).sum()]


@pytest.mark.parametrize("kind", INERTIAS)
def test_moments_are_those_of_the_integral_over_slices(kind):
    centre, moments = INERTIAS[kind](*SIZES[kind])
    expected_centre, expected = integrated(kind, SIZES[kind])
    assert centre == pytest.approx(expected_centre, abs=1e-9)  # 200 000 slices: error below 1e-9
    np.testing.assert_allclose(moments, expected, rtol=1e-7)


def test_a_frustum_with_equal_ends_is_a_cylinder_and_a_cone_is_a_cone():
    centre, moments = INERTIAS["frustum"](0.1, 0.1, 0.6)
    assert centre == pytest.approx(0.3)
    np.testing.assert_allclose(moments, INERTIAS["cylinder"](0.1, 0.3)[1], rtol=1e-14)
    centre, moments = INERTIAS["frustum"](0.2, 0.0, 0.4)
    assert centre == pytest.approx(0.1)  # a quarter of its height
    assert moments[2] == pytest.approx(0.3 * 0.2**2)


def test_a_turned_and_moved_solid_takes_its_inertia_along():
    quaternion = (0.5, 0.5, 0.5, 0.5)
    mass, centre, inertia = body_of(Solid("frustum", (0.2, 0.1, 0.5), 3.0, (1, 2, 3), quaternion))
    along, moments = INERTIAS["frustum"](0.2, 0.1, 0.5)
    R = matrix(quaternion)
    assert mass == 3.0
    np.testing.assert_allclose(centre, [1, 2, 3] + R @ [0, 0, along])
    np.testing.assert_allclose(inertia, 3.0 * R @ np.diag(moments) @ R.T, atol=1e-15)


def test_a_mirrored_solid_has_its_points_mirrored():
    solid = Solid("frustum", (0.2, 0.1, 0.5), 1.0, (1.0, 2.0, 3.0), (0.5, 0.1, -0.7, 0.5))

    def points(one):
        R = matrix(one.quaternion)
        return np.array(shape_of(one)[2]) @ R.T + one.position

    expected = points(solid) * [1, -1, 1]
    found = points(solid.mirrored())
    distance = np.linalg.norm(expected[:, None] - found[None], axis=2).min(axis=1)
    assert distance.max() < 1e-14  # the same points, in another order


def test_an_unknown_solid_is_told():
    with pytest.raises(InputError, match="a solid is a 'torus'; known are box"):
        body_of(Solid("torus", (1.0,), 1.0))
