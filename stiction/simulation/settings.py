"""How a world is simulated, as plain values and as a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.contact.contact_model import NoContact
from stiction.world.bodies import body_material_pairs
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


def parameters_of(simulation: Simulation) -> dict[str, Any]:
    """The settings of a simulation for the motion file."""
    system = simulation._system
    model = None
    if not isinstance(system.model, NoContact):
        model = {"model": type(system.model).__name__, **system.model._asdict()}
    return {
        "contact": model,
        "dt": simulation.dt,
        "integrator": type(simulation._integrator).__name__,
        "method": type(system.method).__name__,
        "controllers": [type(one).__name__ for one in system.controllers],
        "external forces": len(system.forces.link),
        "contact_points": simulation.point_names,
        "pairs": _pairs(simulation),
        "notes": simulation.notes,
    }


def _pairs(simulation: Simulation) -> list[dict[str, Any]]:
    """The parameters used for each pair of materials, whatever their source."""
    system, world = simulation._system, simulation.world
    if isinstance(system.model, NoContact):
        return []
    _, _, pairs = contact_points_of(world)
    pairs = [*pairs, *body_material_pairs(world)]
    rows = system.surface.contact.table.tolist()
    return [
        {"pair": list(pair), **dict(zip(system.model._fields, row, strict=True))}
        for pair, row in zip(pairs, rows, strict=True)
    ]


def digest_of(simulation: Simulation) -> str:
    """Hash of all that the motion depends on besides the state, 16 hexadecimal digits."""
    system = simulation._system
    settings = (simulation._integrator, system.method, system.controllers, system.forces)
    parts = [repr(simulation._identity).encode(), *_leaves(settings)]
    return hashlib.sha256(b" ".join(parts)).hexdigest()[:16]


def _leaves(value: Any) -> Iterator[bytes]:
    """Bytes of the names and numbers in nested tuples."""
    yield type(value).__name__.encode()
    if isinstance(value, tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield np.asarray(value).tobytes()
