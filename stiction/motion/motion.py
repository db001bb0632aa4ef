"""`Motion`: what a run recorded."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import count
from stiction.errors import InputError
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.tree import allocate
from stiction.motion import file
from stiction.motion.pictures import Pictures
from stiction.motion.sensed import sensor_readings
from stiction.motion.tables import Tables
from stiction.motion.touched import CHANNELS, OF_BODIES, Touched, touched_of
from stiction.motion.unsolved import UnsolvedSteps
from stiction.step.record import BETWEEN
from stiction.world.external import Push, TabulatedForce
from stiction.world.mechanics import Energy, Momentum, measure
from stiction.world.world import State, World

if TYPE_CHECKING:
    from stiction.metrics import (
        Creep,
        Criteria,
        EnergyBalance,
        FootWrench,
        ForcePlate,
        PlateReading,
        SolverSummary,
    )
    from stiction.metrics.points import Followed


ON_REQUEST: Any = None  # in place of an array that is made when it is first asked for


@dataclass(frozen=True, eq=False, repr=False)
class Motion(Pictures, Tables):
    """Recorded arrays at n samples, and the world that they belong to.

    Forces, depths and slips in row k are those of the step that starts at time k; in the last row
    of a complete run they are NaN. Contact points are all points that may touch;
    `parameters["contact_points"]` names the shape of each. A run keeps only those that touched, in
    `touched`; `force` and the other arrays over points are built from it on first access.
    """

    world: World
    time: np.ndarray  # (n) [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    torque: np.ndarray  # (n, nv) of controllers and of prescribed motion [N m or N]
    passive: np.ndarray  # (n, nv) joint friction and stops [N m or N]
    force: np.ndarray  # (n, points, 3) contact force on the robots [N]
    depth: np.ndarray  # (n, points) penetration [m]
    slip: np.ndarray  # (n, points, 3) velocity along the ground of touching points [m/s]
    # (n, points, 3) of touching points relative to the ground at the end of the step, minus the
    # least velocity along the normal [m/s]; zeros if not recorded
    contact_velocity: np.ndarray = field(default_factory=lambda: np.zeros(0))
    # (n, points) `metrics.ContactState` in the step: 0 open, 1 stick, 2 slip; under `Distributed`
    # also 3, begins to slip, and 4, comes to rest
    contact_state: np.ndarray = field(default_factory=lambda: np.zeros(0))
    # (n, 3) of the contact solver: iterations of all solutions tried in the step, and the largest
    # residual and stage (0: first method, 9: not solved) of the solutions that were used
    solver: np.ndarray = field(default_factory=lambda: np.zeros(0))
    # (n, points between bodies, 16): points at which bodies touch each other, see `step/record.py`
    between: np.ndarray = field(default_factory=lambda: np.zeros(0))
    parameters: dict[str, Any] = field(default_factory=dict)  # settings of the simulation
    versions: dict[str, str] = field(default_factory=lambda: versions())

    def __post_init__(self) -> None:
        """Fill in zeros for arrays that were not recorded; contact states are derived."""
        if self.force is ON_REQUEST:
            for name in (*CHANNELS, *OF_BODIES):
                object.__delattr__(self, name)
            return
        absent = {"contact_velocity": self.force.shape, "solver": (len(self), 3)}
        for name, shape in (absent | {"between": (len(self), 0, BETWEEN)}).items():
            if getattr(self, name).shape == (0,):
                object.__setattr__(self, name, np.zeros(shape))
        if self.contact_state.shape == (0,):
            object.__delattr__(self, "contact_state")

    def __getattr__(self, name: str) -> np.ndarray:
        """Arrays over contact points, built on first access.

        They are built from those that touched; contact states of an older file are derived.
        """
        own = vars(self)
        if name in CHANNELS and "_touched" in own:
            found = own["_touched"].dense(name)
        elif name in OF_BODIES and "_touched_between" in own:
            found = own["_touched_between"].dense(name)
        elif name == "contact_state":
            from stiction.metrics.contact_state import derived_states

            found = derived_states(self)
        else:
            raise AttributeError(f"'Motion' object has no attribute '{name}'")
        object.__setattr__(self, name, found)
        return found

    @classmethod
    def of_touched(cls, world: World, touched: Touched, between: Touched, **others: Any) -> Motion:
        """A motion of which only the points that touched are kept, on the ground and on bodies."""
        made = cls(world, **others, **dict.fromkeys((*CHANNELS, *OF_BODIES), ON_REQUEST))
        object.__setattr__(made, "_touched", touched)
        object.__setattr__(made, "_touched_between", between)
        return made

    @property
    def is_compact(self) -> bool:
        """Whether only the points that touched are kept."""
        return "_touched" in vars(self) and "_touched_between" in vars(self)

    @property
    def touched(self) -> Touched:
        """Forces, depths, velocities and states of the points that touched the ground."""
        if "_touched" not in vars(self):
            dense = {name: getattr(self, name) for name in CHANNELS}
            object.__setattr__(self, "_touched", touched_of(dense))
        found: Touched = vars(self)["_touched"]
        return found

    @property
    def touched_between(self) -> Touched:
        """The points at which bodies touched each other."""
        if "_touched_between" not in vars(self):
            dense = {name: getattr(self, name) for name in OF_BODIES}
            object.__setattr__(self, "_touched_between", touched_of(dense))
        found: Touched = vars(self)["_touched_between"]
        return found

    def total_force(self, points: np.ndarray | None = None) -> np.ndarray:
        """Sum of the contact forces of all points, or of some by number [N], (n, 3)."""
        if "_touched" in vars(self):
            return vars(self)["_touched"].total("force", points)
        return self.force[:, slice(None) if points is None else points].sum(axis=1)

    def pushed_points(self) -> np.ndarray:
        """Numbers of the points that had a force at any time."""
        if "_touched" in vars(self):
            kept = vars(self)["_touched"]
            felt = (np.nan_to_num(kept.values["force"]) != 0).any(axis=1)
            return np.unique(kept.point[felt])
        return np.flatnonzero((np.nan_to_num(self.force) != 0).any(axis=(0, 2)))

    def deepest(self) -> np.ndarray:
        """Depth of the deepest point [m], (n)."""
        if "_touched" in vars(self):
            return vars(self)["_touched"].largest("depth")
        return self.depth.max(axis=1, initial=0.0)

    @property
    def point_count(self) -> int:
        """The number of contact points, touching or not."""
        own = vars(self)
        return int(own["_touched"].points if "_touched" in own else self.depth.shape[1])

    def __len__(self) -> int:
        """The number of samples."""
        return len(self.time)

    @property
    def unsolved(self) -> UnsolvedSteps:
        """Unsolved steps, recorded or not; in older files only those recorded."""
        counted = self.parameters.get("unsolved")
        if counted is not None:
            return UnsolvedSteps(**counted)
        rows = np.flatnonzero(np.isfinite(self.solver[:, 2]))
        bad = rows[self.solver[rows, 2] >= NOT_CONVERGED]
        if not len(bad):
            return UnsolvedSteps(0, len(rows), 0.0, None)
        worst = bad[np.argmax(self.solver[bad, 1])]
        residual, time = float(self.solver[worst, 1]), float(self.time[worst])
        return UnsolvedSteps(len(bad), len(rows), residual, time)

    def state(self, k: int = -1) -> State:
        """State at sample k, the last by default."""
        k = count("state(): k", k, len(self) - 1, -len(self))
        return State(self.q[k].copy(), self.v[k].copy(), float(self.time[k]))

    @cached_property
    def _measured(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centre of mass, momentum about the world's origin and energies at every sample."""
        n = len(self.time)
        centre, momenta, energies = np.zeros((n, 3)), np.zeros((n, 6)), np.zeros((n, 2))
        measure(allocate(self.world.tree), self.q, self.v, centre, momenta, energies)
        return centre, momenta, energies

    def rows(self, chosen: ArrayLike) -> Motion:
        """The motion at some of its samples, by number; negative ones count from the end."""
        rows = np.arange(len(self))[np.asarray(chosen)]
        along = ("time", "q", "v", "torque", "passive", "solver")
        others: dict[str, Any] = {name: getattr(self, name)[rows] for name in along}
        others |= {"parameters": self.parameters, "versions": self.versions}
        if self.is_compact:
            between = self.touched_between.at(rows)
            return Motion.of_touched(self.world, self.touched.at(rows), between, **others)
        recorded = [name for name in (*CHANNELS, *OF_BODIES) if name in vars(self)]
        return Motion(self.world, **others, **{name: vars(self)[name][rows] for name in recorded})

    def with_parameters(self, parameters: dict[str, Any]) -> Motion:
        """The same motion with other settings of its simulation."""
        made = copy(self)
        object.__setattr__(made, "parameters", parameters)
        return made

    def centre_of_mass(self) -> np.ndarray:
        """Centre of mass of everything that moves [m], (n, 3)."""
        return self._measured[0]

    def momentum(self) -> Momentum:
        """Linear momentum and angular momentum about the centre of mass, (n, 3) each."""
        centre, momenta, _ = self._measured
        return Momentum(momenta[:, :3], momenta[:, 3:] - np.cross(centre, momenta[:, :3]))

    def energy(self) -> Energy:
        """Kinetic and potential energy [J], (n) each."""
        return Energy(self._measured[2][:, 0], self._measured[2][:, 1])

    @cached_property
    def contact_points(self) -> Followed:
        """Position, velocity, normal, pair and depth of all contact points at every sample.

        They are computed once, from the recorded states, and are read-only.
        """
        from stiction.metrics.points import followed_points

        followed = followed_points(self, self.q, self.v)
        for array in followed:
            array.flags.writeable = False
        return followed

    def force_between(self, first: str, second: str) -> np.ndarray:
        """Force of the second body on the first [N], (n, 3); a body is a robot or a link."""
        from stiction.metrics.between import force_between

        return force_between(self, first, second)

    def joint(self, name: str) -> np.ndarray:
        """Position of a revolute or prismatic joint [rad or m], (n)."""
        d = int(self.world.tree.v_index[self.world.joint(name)])
        k = int(self.world.tree.dof_q[d])
        if k < 0:
            raise InputError(
                f"joint '{name}' is free or spherical; its coordinates are in motion.q"
            )
        return self.q[:, k]

    # ------------------------------------------------------------------------------------- sensors

    def sensors(
        self,
        seed: int = 0,
        errors: bool = True,
        forces: Iterable[Push | TabulatedForce] | None = None,
    ) -> dict[str, np.ndarray]:
        """What the sensors read at every sample, by name, (n, size); docs/sensors.md.

        errors: whether with noise, which depends on the seed, bias, delay and cutoff. forces: as in
        simulate, for sensors of forces in joints. Last row: no accelerations and forces, NaN.
        """
        return sensor_readings(self, None, seed, errors, forces)

    def sensor(self, name: str, seed: int = 0, errors: bool = True) -> np.ndarray:
        """What one sensor reads at every sample, (n, size); see `sensors`."""
        return sensor_readings(self, [name], seed, errors, None)[name]

    # ----------------------------------------------------------------------------- ground reactions

    def foot_force(self, foot: str) -> np.ndarray:
        """Contact force on a link in world axes [N], (n, 3)."""
        from stiction.metrics import foot_force

        return foot_force(self, foot)

    def foot_wrench(self, foot: str, about: ArrayLike | None = None) -> FootWrench:
        """Contact force on a link, and its moment about a point, by default the link's origin."""
        from stiction.metrics import foot_wrench

        return foot_wrench(self, foot, about)

    def centre_of_pressure(self, foot: str) -> np.ndarray:
        """Centre of pressure under a link in world axes [m], (n, 3); NaN in flight."""
        from stiction.metrics import centre_of_pressure

        return centre_of_pressure(self, foot)

    def zmp(self, definition: str = "forces", robot: str | None = None) -> np.ndarray:
        """Zero-moment point [m], (n, 3), from contact "forces" or from the "motion" alone."""
        from stiction.metrics import zmp

        return zmp(self, definition, robot)

    def contact_phases(self, foot: str) -> np.ndarray:
        """Flight 0, heel 1, flat 2 or toe 3 (`metrics.ContactPhase`) of a foot, (n)."""
        from stiction.metrics import contact_phases

        return contact_phases(self, foot)

    def force_plate(self, plate: ForcePlate) -> PlateReading:
        """Return what a force plate measures, in its axes."""
        from stiction.metrics import force_plate

        return force_plate(self, plate)

    # --------------------------------------------------------------------------- quality of contact

    def criteria(self, mu: ArrayLike | None = None) -> Criteria:
        """Errors of Signorini's condition and Coulomb's law, (n, points) each (Le Lidec et al.)."""
        from stiction.metrics import criteria

        return criteria(self, mu)

    def cone_violation(self, mu: ArrayLike | None = None) -> np.ndarray:
        """Distance of the contact forces to their friction cones [N], (n, points)."""
        from stiction.metrics import cone_violation

        return cone_violation(self, mu)

    def creep(self, margin: float = 1e-3) -> Creep:
        """Speed along the ground of points that should stick [m/s]."""
        from stiction.metrics import creep

        return creep(self, margin)

    def force_spread(self, foot: str) -> np.ndarray:
        """Standard deviation over mean of the normal forces of a foot's touching points, (n)."""
        from stiction.metrics import force_spread

        return force_spread(self, foot)

    def solver_summary(self) -> SolverSummary:
        """Iterations, residuals and failures of the contact solver over all steps."""
        from stiction.metrics import solver_summary

        return solver_summary(self)

    def quality(self) -> dict[str, float]:
        """Largest depth, cone violation, creep, criteria and solver effort, by name."""
        from stiction.metrics import quality

        return quality(self)

    def energy_balance(
        self, forces: Iterable[Push | TabulatedForce] | None = None
    ) -> EnergyBalance:
        """Change of energy and work of every force in each step [J]; `forces` as in simulate."""
        from stiction.metrics import energy_balance

        return energy_balance(self, forces)

    # ---------------------------------------------------------------------------------------- files

    def save(self, path: str | Path) -> None:
        """Write one HDF5 file: arrays, robots, parameters, versions and the hash of the model.

        If that fails, for example because the disk is full, the file that was there stays.
        """
        file.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Motion:
        """Read a motion that `save` wrote, or what a run recorded to a file so far."""
        found = file.load(path)
        return cls.of_touched(**found) if "touched" in found else cls(**found)


def versions() -> dict[str, str]:
    """Versions of the packages that a result depends on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("stiction", "numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
