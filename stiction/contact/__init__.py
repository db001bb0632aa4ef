"""Contact models; importing any of them declares all of ours, so that they are known by name."""

from stiction.contact import (
    balanced,
    bilateral,
    coulomb,
    distributed,
    faceted_lcp,
    feedback,
    gauss_seidel,
    hunt_crossley,
    multipoint,
    spring_damper,
)

__all__ = [
    "balanced",
    "bilateral",
    "coulomb",
    "distributed",
    "faceted_lcp",
    "feedback",
    "gauss_seidel",
    "hunt_crossley",
    "multipoint",
    "spring_damper",
]
