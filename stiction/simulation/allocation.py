"""Arrays of a simulation: scratch, record, and the contact points of the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.collision.belt import VELOCITY
from stiction.collision.bodies import POINTS, Bodies, NoBodies
from stiction.collision.points import ContactPoints
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    Memory,
    NoContact,
    Workspace,
)
from stiction.contact.scratch import allocate_scratch
from stiction.contact.surface import Surface, allocate_impact
from stiction.kernels.islands import Islands, OneIsland, allocate_islands
from stiction.kernels.response import allocate_response
from stiction.kernels.touching_links import allocate_links
from stiction.step.flight import NoFlight, allocate_flight
from stiction.step.record import BETWEEN, Record
from stiction.step.system import Work
from stiction.world.bodies import (
    body_material_pairs,
    capacity_of,
    make_bodies,
    most_touching,
)
from stiction.world.contact_points import allocate_contact, contact_points_of, untouchable
from stiction.world.ground import LEVEL
from stiction.world.loops import joined_trees
from stiction.world.materials import check_named, pair_table
from stiction.world.world import World

WHOLE = (IMPULSE_LAW, ACCELERATION_LAW)  # families whose methods need the response whole


def allocate_work(world: World, contact_points: int, between: int = 0) -> Work:
    """Return scratch for the steps of a world, all zero; between: contact points of bodies."""
    nq, nv = world.nq, world.nv
    shapes: dict[str, Any] = {"q": nq, "v": nv, "q_rate": nq, "q_sum": nq, "v_sum": nv}
    shapes |= {"wanted": 1, "share": 1, "torque": nv, "passive": nv, "first_q": nq, "first_v": nv}
    shapes |= {"total_torque": nv, "total_passive": nv}
    shapes |= {"impulse": (contact_points, 3), "depth": contact_points, "slip": (contact_points, 3)}
    shapes |= {"contact_velocity": (contact_points, 3)}
    shapes |= {"contact_state": contact_points, "total_state": contact_points}
    shapes |= {"total_impulse": (contact_points, 3), "total_solver": 3}
    shapes |= {"between": (between, BETWEEN), "total_between": (between, BETWEEN)}
    shapes |= {"contact_work": 1, "total_work": 1}
    counts = {"first_mode": nv, "rows": between, "row_count": 1}
    counts |= {"total_rows": between, "total_row_count": 1}
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    integers = {name: np.zeros(count, np.int64) for name, count in counts.items()}
    flight = allocate_flight(len(world.tree.parent), nq) if between else NoFlight()
    return Work(**arrays, **integers, flight=flight)


def allocate_record(
    world: World,
    contact_points: int,
    rows: int,
    channels: tuple[str, ...] = Record._fields,
    between: int = 0,
) -> Record:
    """Return arrays for a record of `rows` rows; channels not listed get no rows."""
    shapes: dict[str, tuple[int, ...]] = {
        "q": (world.nq,),
        "depth": (contact_points,),
        "contact_state": (contact_points,),
        "solver": (3,),
        "between": (between, BETWEEN),
    }
    shapes |= dict.fromkeys(("v", "torque", "passive"), (world.nv,))
    shapes |= dict.fromkeys(("force", "slip", "contact_velocity"), (contact_points, 3))
    counts = {name: rows if name in channels else 0 for name in Record._fields}
    return Record(**{name: np.zeros((counts[name], *shapes[name])) for name in Record._fields})


def make_surface(world: World, model: Any) -> tuple[Surface, list[str], list[str]]:
    """Return the contact surface of a world, the names of its contact points, and notes."""
    declared = MODELS[type(model)]
    meet_ground = world.ground is not None and not isinstance(model, NoContact)
    contact_points, names, pairs = contact_points_of(world)
    first_of_bodies = len(pairs)
    pairs = [*pairs, *body_material_pairs(world)]
    if not meet_ground:
        sizes = {"extent": contact_points.extent, "size": contact_points.size}
        none = ContactPoints(*(array[:0] for array in contact_points))
        contact_points, names = none._replace(**sizes), []
    unmet = check_named(world.materials, (own for own, _ in pairs), (u for _, u in pairs))
    table, notes = pair_table(model, pairs, world.materials, world.declared_friction())
    notes = [*world.notes, *unmet, *notes, *_notes_of_shapes(world)] if meet_ground else []
    count, groups = len(names), len(set(contact_points.group.tolist()))
    bodies: Bodies | NoBodies = NoBodies()
    if not isinstance(model, NoContact):
        bodies = make_bodies(world, count, groups, first_of_bodies)
    slots, whole = capacity_of(bodies), declared.family in WHOLE
    count, touching = count + POINTS * slots, groups + most_touching(bodies, whole)
    memory = Memory(
        *(np.zeros((count, declared.point_memory)) for _ in range(2)),
        *(np.zeros((groups + slots, declared.group_memory)) for _ in range(2)),
    )
    solved = declared.family != FORCE_LAW
    links = allocate_links(
        joined_trees(world.robots, world.tree),
        links_that_touch(contact_points, bodies),
        touching,
        world.nv,
        solved,
        isinstance(bodies, NoBodies),
    )
    response = allocate_response(touching, links, solved, whole)
    islands: Islands | OneIsland = OneIsland()
    if not isinstance(bodies, NoBodies) and declared.family == IMPULSE_SOLVER:
        islands = allocate_islands(count, touching, links)
    scratch = allocate_scratch(declared.scratch, count, touching, declared.unknowns(model, count))
    surface = Surface(
        contact_points,
        (world.ground or LEVEL).bind(),
        allocate_contact(count, groups, table, touching, slots),
        memory,
        Workspace(scratch, np.zeros(2), np.zeros(1), response, islands),
        impact=allocate_impact(),
        bodies=bodies,
    )
    surface.contact.belt[VELOCITY] = surface.ground.belt.velocity[0]
    return surface, names, notes


def _notes_of_shapes(world: World) -> list[str]:
    """Notes of the shapes that do not touch the ground."""
    return [
        f"{name} is an ellipsoid or plane and has no contact points; it passes through the ground"
        for name in untouchable(world)
    ]


def links_that_touch(contact_points: ContactPoints, bodies: Bodies | NoBodies) -> np.ndarray:
    """Return the moving links that may touch the ground or each other."""
    shapes = np.zeros(0, np.int64) if isinstance(bodies, NoBodies) else bodies.link
    links = np.union1d(contact_points.group_link, shapes)
    return links[links > 0]
