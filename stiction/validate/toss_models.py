"""Parameters of our contact models for the tossed cube, from even and from odd tosses.

`stiction fit cube-tosses --tosses even --loss mean --contact NAME` finds them; docs/fitting.md has
the command line of `HuntCrossley`. Parameters from one half of the tosses are judged by the other
half. `Bilateral`, which fixes whatever touches the ground, has none that could describe a toss.
"""

from __future__ import annotations

from typing import Any

from stiction.contact.balanced import Balanced
from stiction.contact.coulomb import Coulomb
from stiction.contact.distributed import Distributed
from stiction.contact.faceted_lcp import FacetedLCP
from stiction.contact.feedback import Feedback
from stiction.contact.gauss_seidel import GaussSeidel
from stiction.contact.hunt_crossley import HuntCrossley
from stiction.contact.multipoint import Multipoint
from stiction.contact.spring_damper import ImplicitSpringDamper, SpringDamper

# name: (fitted to even tosses, fitted to odd tosses)
FITTED: dict[str, tuple[Any, Any]] = {
    "HuntCrossley": (
        HuntCrossley(alpha=1.0, beta=1.0, stiffness=1.326e04, damping=7.318e04, mu_kinetic=0.1788),
        HuntCrossley(alpha=1.0, beta=1.0, stiffness=8474, damping=3.475e04, mu_kinetic=0.1804),
    ),
    "Coulomb": (
        Coulomb(mu_static=0.1811, mu_kinetic=0.1811, restitution=0.03949),
        Coulomb(mu_static=0.1851, mu_kinetic=0.1851, restitution=0.2061),
    ),
    "SpringDamper": (
        SpringDamper(stiffness=3226, damping=122.1, mu_kinetic=0.1805),
        SpringDamper(stiffness=9864, damping=126.1, mu_kinetic=0.1824),
    ),
    "ImplicitSpringDamper": (
        ImplicitSpringDamper(stiffness=2888, damping=120.9, mu_kinetic=0.1807),
        ImplicitSpringDamper(stiffness=7820, damping=119.9, mu_kinetic=0.1821),
    ),
    "Feedback": (
        Feedback(position_gain=1e05, velocity_gain=534.8, mu_kinetic=0.2137),
        Feedback(position_gain=1e05, velocity_gain=534.8, mu_kinetic=0.2137),
    ),
    "Distributed": (
        Distributed(
            alpha=1.0,
            beta=1.0,
            tangential_stiffness=1e3,
            tangential_damping=10.0,
            stiffness=1e05,
            damping=8.852e04,
            mu_static=0.1959,
            mu_kinetic=0.1959,
        ),
        Distributed(
            alpha=1.0,
            beta=1.0,
            tangential_stiffness=1e3,
            tangential_damping=10.0,
            stiffness=8.017e04,
            damping=8.24e04,
            mu_static=0.2023,
            mu_kinetic=0.2023,
        ),
    ),
    "Multipoint": (
        Multipoint(mu_static=0.1909, mu_kinetic=0.1909, restitution=0),
        Multipoint(mu_static=0.1909, mu_kinetic=0.1909, restitution=0),
    ),
    "Balanced": (
        Balanced(
            reference_mass=0.0, stiffness=5377, damping=17.94, mu_static=0.1827, mu_kinetic=0.1827
        ),
        Balanced(
            reference_mass=0.0, stiffness=4524, damping=15.55, mu_static=0.1794, mu_kinetic=0.1794
        ),
    ),
    # the same law as `Coulomb`, with its parameters
    "GaussSeidel": (
        GaussSeidel(mu_static=0.1811, mu_kinetic=0.1811, restitution=0.03949),
        GaussSeidel(mu_static=0.1851, mu_kinetic=0.1851, restitution=0.2061),
    ),
    # the same law as `Coulomb`, with its parameters
    "FacetedLCP": (
        FacetedLCP(mu_static=0.1811, mu_kinetic=0.1811, restitution=0.03949),
        FacetedLCP(mu_static=0.1851, mu_kinetic=0.1851, restitution=0.2061),
    ),
}
