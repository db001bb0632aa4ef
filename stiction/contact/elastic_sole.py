"""Sole parameters from Young's modulus and Poisson's ratio, left open in the paper's section 4.2.

Bruneau & Ouezdou do not say how their parameters follow from the material. Here they follow from
K. L. Johnson, "Contact Mechanics" (1985), for a sole of a soft material on hard ground:

    Sole            Normal spring                         Tangential spring
    pad (4.3, 5.8)  k_n = M A / h, alpha = 1              k_t = G A / h
    studs (4.2)     k_n = 4/3 E* sqrt(R), alpha = 3/2     k_t = 8 G* sqrt(R d) (Mindlin, 7.2)

    E, nu           Young's modulus [Pa], Poisson's ratio
    G               E / (2 (1 + nu)), shear modulus
    M               E (1 - nu) / ((1 + nu) (1 - 2 nu)), of a pad that cannot spread sideways
    E*, G*          E / (1 - nu^2), G / (2 - nu)
    A, h            area that one testing point stands for, thickness of the pad
    R, d            radius of the studs; depth at which the circle of contact is taken

Damping follows from a restitution e at an impact speed v after K. H. Hunt and F. R. E. Crossley
(1975): e = 1 - a v, and f_n = k_n d^alpha (1 + 3/2 a d_dot), so mu_n = 3/2 a k_n and beta = alpha,
for any alpha. This is the loss to first order: a specified e = 0.9 gives a rebound of 0.909, 0.5
gives 0.66. The tangential damper has the same time constant as the normal one at depth d:
mu_t = 3/2 a d k_t.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from stiction.errors import InputError

SOLES = "give either thickness and area (a pad) or radius (studs)"


def sole_parameters(
    fields: Iterable[str], given: Mapping[str, Any], others: Mapping[str, float]
) -> dict[str, float]:
    """Return parameters of `Distributed` for a material, after checking its values."""
    values = _checked(given)
    a = (1.0 - values["restitution"]) / values["impact_speed"]
    k_n, alpha, k_t = _pad(values) if values["radius"] is None else _studs(values)
    found = {
        "stiffness": k_n,
        "damping": 1.5 * a * k_n,
        "alpha": alpha,
        "beta": alpha,
        "tangential_stiffness": k_t,
        "tangential_damping": 1.5 * a * values["depth"] * k_t,
    }
    free = [name for name in fields if name not in found]
    for name in others:
        if name not in free:
            raise InputError(
                f"from_material: unexpected parameter '{name}'; besides the material, "
                f"from_material accepts {', '.join(free)}"
            )
    return {**found, **others}


def _pad(values: Mapping[str, float]) -> tuple[float, float, float]:
    """k_n, alpha and k_t of a pad: a bed of springs, each with its part of the area."""
    E, nu = values["young_modulus"], values["poisson_ratio"]
    confined = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu))
    shear = E / (2 * (1 + nu))
    slenderness = values["area"] / values["thickness"]
    return confined * slenderness, 1.0, shear * slenderness


def _studs(values: Mapping[str, float]) -> tuple[float, float, float]:
    """k_n, alpha and k_t of rounded studs: Hertz and Mindlin."""
    E, nu, R = values["young_modulus"], values["poisson_ratio"], values["radius"]
    shear = E / (2 * (1 + nu))
    circle = math.sqrt(R * values["depth"])
    return 4 / 3 * E / (1 - nu**2) * math.sqrt(R), 1.5, 8 * shear / (2 - nu) * circle


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values given after checking them; those left out stay None."""
    pad = given["thickness"] is not None or given["area"] is not None
    if pad == (given["radius"] is not None):
        found = {name: given[name] for name in ("thickness", "area", "radius")}
        raise InputError(f"from_material: found {found}; {SOLES}")
    for name, value in given.items():
        if value is None and (name == "radius") == pad:
            continue
        high = {"poisson_ratio": 0.5, "restitution": 1.0}.get(name, math.inf)
        real = isinstance(value, int | float) and not isinstance(value, bool)
        low = real and (value > 0 or (value == 0 and name in ("poisson_ratio", "restitution")))
        inside = low and (value < high or (name == "restitution" and value == high))
        if not (inside and math.isfinite(value)):
            wanted = "a positive number" if high == math.inf else f"a number from 0 to {high:g}"
            if name == "poisson_ratio":
                wanted = f"a number of at least 0 and less than {high:g}"
            raise InputError(f"from_material: {name} is {value!r}; give {wanted}")
    if not pad and given["depth"] >= given["radius"]:
        raise InputError(
            f"from_material: depth is {given['depth']!r} and radius {given['radius']!r}; "
            "Hertz's theory requires a depth smaller than the radius of the studs"
        )
    return dict(given)
