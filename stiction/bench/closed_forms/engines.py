"""Other engines in the same scenes: an engine with a setting is one more contender."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import Material
from stiction.bench.closed_forms.trial import Trial
from stiction.engines import Engine, Ran, Task, engine_by_name
from stiction.errors import InputError
from stiction.kernels.tree import allocate
from stiction.world.mechanics import Energy, measure

SAME_PLACE = 1e-4  # contact points are ordered by their places, rounded to this [m]


class EngineContender(NamedTuple):
    """An engine and a setting of it."""

    name: str
    engine: Engine
    setting: str
    bounces: bool  # whether it has restitution

    def has(self, parameter: str) -> bool:
        """Whether it has a parameter of a contact model of ours."""
        return parameter == "restitution" and self.bounces

    @property
    def slides(self) -> bool:
        """Engines have friction."""
        return True

    @property
    def tells_static_friction(self) -> bool:
        """None of these engines has static next to kinetic friction in discrete steps."""
        return False

    @property
    def point_counts(self) -> tuple[int, ...]:
        """Shapes of engines have no points between their corners."""
        return (4,)

    @property
    def throws(self) -> int:
        """Fewer than models of ours: engines are slower."""
        return 10

    @property
    def every(self) -> int:
        """For the same reason, of the cases of a scene with many."""
        return 6

    @property
    def reports_unsolved(self) -> bool:
        """Engines do not say whether they solved a step."""
        return False

    @property
    def is_law(self) -> bool:
        """Engines choose their own parameters."""
        return False


def engine_contenders(names: Iterable[str]) -> list[EngineContender]:
    """Every setting of the named engines, or one of them ("mujoco:tuned")."""
    found = []
    for told in names:
        name, _, setting = told.partition(":")
        engine = engine_by_name(name)
        if setting and setting not in engine.settings:
            raise InputError(
                f"engine '{name}': no setting '{setting}'; it has {', '.join(engine.settings)}"
            )
        bounces = _bounces(engine)
        found += [
            EngineContender(f"{engine.name} {one}", engine, one, bounces)
            for one in ([setting] if setting else engine.settings)
        ]
    return found


def _bounces(engine: Engine) -> bool:
    """Whether an engine accepts a coefficient of restitution."""
    world = st.World(st.robots.ball())
    try:
        engine.run(Task(world, world.standing(above=1.0), 1e-3, 1, mu=0.5, restitution=0.5))
    except InputError:
        return False
    return True


@dataclass(frozen=True)
class EngineMotion:
    """What scenes read of a `Motion`, as an engine reported it."""

    world: st.World
    time: np.ndarray  # (n)
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    force: np.ndarray  # (n, points, 3) of contact [N]; the last row is NaN
    depth: np.ndarray  # (n, 1) of the deepest contact [m]

    def __len__(self) -> int:
        """The number of samples."""
        return len(self.time)

    def energy(self) -> Energy:
        """Kinetic and potential energy [J], (n) each."""
        n = len(self)
        energies = np.zeros((n, 2))
        scratch = np.zeros((n, 3)), np.zeros((n, 6))
        measure(allocate(self.world.tree), self.q, self.v, *scratch, energies)
        return Energy(energies[:, 0], energies[:, 1])


class EngineTrial(Trial):
    """One engine with one setting and time step."""

    def simulate(
        self,
        world: st.World,
        state: st.State,
        duration: float,
        material: Material = Material(),  # noqa: B008  a tuple
        forces: Iterable[Any] = (),
        points: int = 4,
    ) -> Any:
        """Simulate in the engine."""
        steps = round(duration / self.dt)
        task = Task(
            world,
            state,
            self.dt,
            steps,
            mu=material.mu_kinetic,
            restitution=material.restitution,
            pushes=tuple(forces),
        )
        ran = self.contender.engine.run(task, self.contender.setting)
        self.timed(ran.seconds, steps)
        time = state.time + self.dt * np.arange(steps + 1)
        nothing = np.full((1, 1), math.nan)
        depth = np.concatenate([ran.depth[:, None], nothing])
        return EngineMotion(world, time, ran.q, ran.v, point_forces(ran), depth)

    def told(self) -> dict[str, float]:
        """Engines report no criteria here."""
        return {}


def point_forces(ran: Ran) -> np.ndarray:
    """Forces of the contact points of each step, ordered by place, (steps + 1, points, 3)."""
    steps = len(ran.depth)
    if ran.contacts is None:
        force = ran.force[:, 1:]
        return np.concatenate([force, np.full((1, *force.shape[1:]), math.nan)])
    step, place = ran.contacts.step, np.round(ran.contacts.position / SAME_PLACE)
    order = np.lexsort((place[:, 2], place[:, 1], place[:, 0], step))
    counts = np.bincount(step, minlength=steps)
    slot = np.arange(len(step)) - np.repeat(np.cumsum(counts) - counts, counts)
    # forces between two bodies are reported once, on the first of them
    first_fixed = ran.contacts.link[:, 0] == 0
    on_body = np.where(first_fixed[:, None], -ran.contacts.force, ran.contacts.force)
    force = np.zeros((steps + 1, max(int(counts.max(initial=0)), 1), 3))
    force[step[order], slot] = on_body[order]
    force[steps] = math.nan
    return force
