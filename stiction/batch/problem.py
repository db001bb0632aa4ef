"""The checked arguments of a batch: one world, and what differs between its copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.batch.leaves import map_arrays, map_leaves
from stiction.batch.variations import each_variation
from stiction.contact.contact_model import MODELS, checked_parameter
from stiction.contact.effort import WHOLE, Effort, quick_effort_of
from stiction.contact.surface import Surface
from stiction.description.arguments import count, numbers, shown
from stiction.errors import InputError
from stiction.kernels.forces import Forces
from stiction.kernels.loops import Loops, NoLoops
from stiction.kernels.response import ENDLESS
from stiction.simulation.allocation import make_surface
from stiction.simulation.arguments import (
    bound_controllers,
    checked_dt,
    checked_integrator,
    checked_method,
    chosen_model,
)
from stiction.simulation.warn import warn_of_huge_step, warn_of_long_step, warn_of_outlook
from stiction.world.bodies import body_material_pairs
from stiction.world.contact_points import contact_points_of
from stiction.world.external import bind_forces
from stiction.world.forest import SLACK
from stiction.world.loops import make_loops
from stiction.world.materials import FRICTION, pair_table
from stiction.world.world import State, World, checked_world

MOST_WORLDS = 10_000_000
PRECISIONS = {"float64": np.float64, "float32": np.float32}
FINEST = {"float64": 0.0, "float32": 1e-5}  # tolerance of a solver that a precision can reach


class Arguments(NamedTuple):
    """The unchecked arguments of a `BatchSimulation`, whose docstring explains them."""

    world: Any
    worlds: Any
    contact: Any
    dt: Any
    states: Any
    parameters: Mapping[str, ArrayLike] | None
    controls: Any
    forces: Any
    torque: ArrayLike | None
    integrator: Any
    method: Any
    precision: Any
    effort: Any = None
    device: str = "cpu"
    variations: Mapping[str, ArrayLike] | None = None


@dataclass(frozen=True)
class Problem:
    """Everything that the engines need; arrays over worlds have them along the first axis."""

    world: World
    worlds: int
    dt: float
    precision: str
    integrator: Any
    method: Any
    model: Any  # parameters of the contact model, unless a world has its own
    values: np.ndarray  # (worlds or 1, fields) of the model
    table: np.ndarray  # (worlds or 1, pairs, fields)
    controllers: list[tuple]  # one for all or one for each world
    forces: list[Forces]  # one for all or one for each world
    torque: np.ndarray  # (worlds, nv) forces along the coordinates, added to those of controllers
    q: np.ndarray  # (worlds, nq)
    v: np.ndarray  # (worlds, nv)
    start: float  # start time of all worlds [s]
    surface: Surface  # of one world
    loops: Loops | NoLoops
    point_names: list[str]
    notes: list[str]
    varied: dict[str, np.ndarray]  # arrays of the tree and the ground that differ, by path

    @property
    def real(self) -> Any:
        """The floating-point type."""
        return PRECISIONS[self.precision]


def make_problem(given: Arguments) -> Problem:
    """Check the arguments of a batch."""
    world, worlds = given.world, given.worlds
    check_kinds(given)
    model, told = chosen_model(world, given.contact)
    surface, names, notes = make_surface(world, model)
    bound = surface.work.response.effort
    bound.tries[0], bound.iterations[0] = checked_effort(given, type(model))
    notes = [*(world.moved_aside() if given.states is None else []), *told, *notes]
    values, table, more = each_parameter(model, surface, world, given.parameters or {}, worlds)
    values, coarser = reachable(model, values, table, given.precision)
    q, v, start = each_state(world, given.states, worlds)
    torque = np.zeros((worlds, world.nv)) if given.torque is None else given.torque
    dt, first = checked_dt(given.dt), State(q[0], v[0], start)
    return Problem(
        world=world,
        worlds=worlds,
        dt=dt,
        precision=given.precision,
        integrator=checked_integrator(given.integrator),
        method=checked_method(given.method),
        model=model,
        values=values,
        table=table,
        controllers=each_controller(world, given.controls, worlds),
        forces=each_force(world, given.forces, worlds),
        torque=checked_torque(world, torque, worlds),
        q=q,
        v=v,
        start=start,
        surface=surface,
        loops=make_loops(world.robots, world.tree, len(surface.work.response.links.link)),
        point_names=names,
        notes=[*notes, *more, *coarser, *_warnings(world, model, surface, dt, first)],
        varied=each_variation(world, given.variations, worlds),
    )


def check_kinds(given: Arguments) -> None:
    """Raise InputError for an invalid world, number of worlds or precision."""
    checked_world(given.world)
    count("worlds", given.worlds, MOST_WORLDS)
    if not isinstance(given.precision, str) or given.precision not in PRECISIONS:
        raise InputError(f"precision: found {shown(given.precision)}; give 'float64' or 'float32'")
    if not (given.parameters is None or isinstance(given.parameters, Mapping)):
        raise InputError(
            f"parameters: found {shown(given.parameters)}; give a dictionary with the values of "
            "each parameter, one for each world"
        )


def checked_effort(given: Arguments, kind: type) -> Effort:
    """Return the effort of a batch; by default all that is needed, less on a GPU in float32."""
    effort = given.effort
    if effort is None:
        quick = given.device == "cuda" and given.precision == "float32"
        return quick_effort_of(kind) if quick else WHOLE
    if not isinstance(effort, Effort):
        raise InputError(f"effort: found {shown(effort)}; give an Effort(tries, iterations)")
    return Effort(
        count("effort: tries", effort.tries, ENDLESS),
        count("effort: iterations", effort.iterations, ENDLESS),
    )


# ------------------------------------------------------------------------------------- parameters


def each_parameter(
    model: Any, surface: Surface, world: World, given: Mapping[str, ArrayLike], worlds: int
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the model's values and its table for each world; one row for all if none differ.

    As elsewhere, entries of the world's materials take precedence over these parameters.
    """
    kind, fields = type(model), MODELS[type(model)].fields
    rows = worlds if given else 1
    values = np.tile(np.array(model, float), (rows, 1))
    _, _, pairs = contact_points_of(world)
    pairs = [*pairs, *body_material_pairs(world)]
    one_table = surface.contact.table
    if any(name in FRICTION for name in given):  # then that of the robots' files is not used
        one_table, _ = pair_table(model, pairs, world.materials)
    table = np.tile(one_table, (rows, 1, 1))
    notes = []
    for name, one_each in given.items():
        if name not in fields:
            raise InputError(
                f"parameters: {kind.__name__} has no '{name}'; it has {', '.join(fields)}"
            )
        column, numbers_given = list(fields).index(name), numbers(one_each)
        if numbers_given.shape != (worlds,):
            raise InputError(
                f"parameters: {name} has shape {numbers_given.shape}; give one value for each "
                f"of {worlds} worlds"
            )
        for extreme in (numbers_given.min(), numbers_given.max()):
            checked_parameter(kind.__name__, name, fields[name], float(extreme))
        entries = [world.materials.get(frozenset(pair), {}) for pair in pairs]
        free = np.array([name not in entry for entry in entries], bool)
        values[:, column] = numbers_given
        table[:, free, column] = numbers_given[:, None]
        if not free.all():
            notes.append(
                f"parameters: materials of the world take precedence over {name} for some pairs"
            )
    check_each_friction(kind, fields, table)
    return values, table, notes


def check_each_friction(kind: type, fields: Any, table: np.ndarray) -> None:
    """Raise InputError for worlds whose static friction is below kinetic friction, but not zero."""
    if "mu_static" not in fields or "mu_kinetic" not in fields:
        return
    static = table[..., list(fields).index("mu_static")]
    kinetic = table[..., list(fields).index("mu_kinetic")]
    wrong = np.argwhere((static > 0) & (static < kinetic))
    if len(wrong):
        raise InputError(
            f"parameters: world {wrong[0][0]} has mu_static {static[tuple(wrong[0])]} below "
            f"mu_kinetic {kinetic[tuple(wrong[0])]} ({kind.__name__}); give a mu_static of at "
            "least mu_kinetic, or 0 for no static friction"
        )


def reachable(
    model: Any, values: np.ndarray, table: np.ndarray, precision: str
) -> tuple[np.ndarray, list[str]]:
    """Raise tolerances to what the precision can reach, in place; returns a note if it did."""
    finest = FINEST[precision]
    if "tolerance" not in model._fields:
        return values, []
    column = model._fields.index("tolerance")
    if (values[:, column] >= finest).all():
        return values, []
    values[:, column] = np.maximum(values[:, column], finest)
    table[..., column] = np.maximum(table[..., column], finest)
    return values, [f"{precision}: tolerance raised to {finest:g}, the smallest that it can reach"]


# ------------------------------------------------------------------------- states, control, forces


def each_state(world: World, states: Any, worlds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return q (worlds, nq), v (worlds, nv) and the start time of all worlds."""
    if states is None or isinstance(states, State):
        state = world.check_state(states)
        return np.tile(state.q, (worlds, 1)), np.tile(state.v, (worlds, 1)), state.time
    if isinstance(states, tuple) and len(states) == 2 and not isinstance(states[0], State):
        q, v = numbers(states[0]), numbers(states[1])
        if q.shape != (worlds, world.nq) or v.shape != (worlds, world.nv):
            raise InputError(
                f"states: found shapes {q.shape} and {v.shape}; give q ({worlds}, {world.nq}) and "
                f"v ({worlds}, {world.nv})"
            )
        states = [State(one_q, one_v) for one_q, one_v in zip(q, v, strict=True)]
    listed = list(states) if isinstance(states, Iterable) else []
    if len(listed) != worlds:
        raise InputError(
            f"states: found {len(listed) or type(states).__name__}; give one State for all, "
            f"{worlds} of them, or a tuple of arrays (q, v)"
        )
    checked = []
    for k, state in enumerate(listed):
        try:
            checked.append(world.check_state(state))
        except InputError as error:
            raise InputError(f"states, world {k}: {error}") from None
    if len({state.time for state in checked}) > 1:
        raise InputError(
            "states: they start at different times; give one time, as all worlds share one clock"
        )
    q, v = np.stack([state.q for state in checked]), np.stack([state.v for state in checked])
    return q, v, checked[0].time


def checked_torque(world: World, torque: ArrayLike, worlds: int) -> np.ndarray:
    """Return forces along the coordinates of all worlds, (worlds, nv)."""
    found, shape = numbers(torque), (worlds, world.nv)
    if found.shape != shape or not np.isfinite(found).all():
        raise InputError(f"torque: found shape {found.shape}; give finite numbers of shape {shape}")
    return found


def each_controller(world: World, controls: Any, worlds: int) -> list[tuple]:
    """Return bound controllers, one tuple for all worlds or one for each.

    A list holds one for each world; a tuple holds controllers that act together in one world.
    """
    if not isinstance(controls, list):
        return [bound_controllers(world, controls)]
    if len(controls) != worlds:
        raise InputError(
            f"controls: found a list of {len(controls)}; give one for each of {worlds} worlds, or "
            "one for all (a tuple if several act together)"
        )
    first = {id(one): bound_controllers(world, one) for one in controls}  # each is bound once
    check_alike("controls", list(first.values()))
    return [map_arrays(np.ndarray.copy, first[id(one)]) for one in controls]


def each_force(world: World, forces: Any, worlds: int) -> list[Forces]:
    """Return bound forces, one for all worlds or one for each."""
    several = isinstance(forces, Sequence) and forces and isinstance(forces[0], list | tuple)
    if not several:
        return [bind_forces(world, forces)]
    if len(forces) != worlds:
        raise InputError(
            f"forces: found lists for {len(forces)} worlds; give one for each of {worlds}, or one "
            "list for all"
        )
    bound = [bind_forces(world, one) for one in forces]
    check_alike("forces", bound)
    return bound


def check_alike(what: str, bound: Sequence[Any]) -> None:
    """Raise InputError for tuples of arrays that differ in more than their values."""
    first = shape_of(bound[0])
    for k, one in enumerate(bound):
        if shape_of(one) != first:
            raise InputError(
                f"{what}: world {k} has {shape_of(one)}, world 0 has {first}; values may differ "
                "between worlds, types and lengths may not"
            )


def shape_of(values: Any) -> Any:
    """Return what must be equal in all worlds: names of types and shapes of arrays."""
    if isinstance(values, tuple):
        return (type(values).__name__, *(shape_of(value) for value in values))
    return values.shape if isinstance(values, np.ndarray) else type(values).__name__


def in_precision(values: Any, real: Any) -> Any:
    """Return nested tuples with arrays and numbers in a precision; integers stay."""

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return leaf.astype(real) if leaf.dtype == np.float64 else leaf
        return real(leaf) if isinstance(leaf, float) else leaf

    return map_leaves(convert, values)


def tree_in_precision(tree: Any, real: Any) -> Any:
    """Return the tree with the slack that its precision needs."""
    return in_precision(tree, real)._replace(slack=np.array(SLACK[np.dtype(real)], real))


def _warnings(world: World, model: Any, surface: Any, dt: float, first: State) -> list[str]:
    """Warnings about a run that are known before its first step."""
    run = world, model, surface, dt, first
    return [*warn_of_long_step(*run), *warn_of_outlook(*run), *warn_of_huge_step(dt)]
