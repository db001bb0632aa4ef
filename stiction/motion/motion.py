"""`Motion`: what a run recorded, and its file format."""

from __future__ import annotations

import io
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.errors import InputError, MotionFileError, StictionError
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.tree import allocate
from stiction.motion.unsolved import UnsolvedSteps
from stiction.robot.robot import Robot
from stiction.step.record import BETWEEN
from stiction.world.external import Push, TabulatedForce
from stiction.world.ground import ground_from, ground_values
from stiction.world.mechanics import Energy, Momentum, measure
from stiction.world.world import State, World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

FORMAT = 1  # of the motion file
RENAMED = {"places": "contact_points"}  # parameters with another name in earlier files
ARRAYS = ("time", "q", "v", "torque", "passive", "force", "depth", "slip")
LATER = ("contact_velocity", "solver", "between")  # not in the first files of this format


@dataclass(frozen=True, eq=False)
class Motion:
    """Recorded arrays at n samples, and the world that they belong to.

    Forces, depths and slips in row k are those of the step that starts at time k; in the last row
    of a complete run they are NaN. Contact points are all points that may touch;
    `parameters["contact_points"]` names the shape of each.
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
    # (n, 3) of the contact solver: iterations of all solutions tried in the step, and the largest
    # residual and stage (0: first method, 9: not solved) of the solutions that were used
    solver: np.ndarray = field(default_factory=lambda: np.zeros(0))
    # (n, points between bodies, 15): points at which bodies touch each other, see `step/record.py`
    between: np.ndarray = field(default_factory=lambda: np.zeros(0))
    parameters: dict[str, Any] = field(default_factory=dict)  # settings of the simulation
    versions: dict[str, str] = field(default_factory=lambda: versions())

    def __post_init__(self) -> None:
        """Fill in zeros for arrays that were not recorded."""
        absent = {"contact_velocity": self.force.shape, "solver": (len(self), 3)}
        for name, shape in (absent | {"between": (len(self), 0, BETWEEN)}).items():
            if getattr(self, name).shape == (0,):
                object.__setattr__(self, name, np.zeros(shape))

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
        return State(self.q[k].copy(), self.v[k].copy(), float(self.time[k]))

    @cached_property
    def _measured(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centre of mass, momentum about the world's origin and energies at every sample."""
        n = len(self.time)
        centre, momenta, energies = np.zeros((n, 3)), np.zeros((n, 6)), np.zeros((n, 2))
        measure(allocate(self.world.tree), self.q, self.v, centre, momenta, energies)
        return centre, momenta, energies

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

    def plot(self, *what: str) -> Figure:
        """Draw items over time: joints by name, or those of `stiction.plot.ITEMS`.

        Default: "energy", "momentum" and "centre of mass".
        """
        from stiction.plot import plot

        return plot(self, *what)

    # ---------------------------------------------------------------------------------------- files

    def save(self, path: str | Path) -> None:
        """Write one HDF5 file: arrays, robots, parameters, versions and the hash of the model."""
        import h5py

        path = Path(path)
        if not path.parent.is_dir():
            raise MotionFileError(f"{path}: the folder {path.parent} does not exist")
        try:
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                unfinished = Path(folder) / path.name
                # since this version HDF5 stores checksums of its own tables
                with h5py.File(unfinished, "w", libver="v110") as file:
                    self._write(file)
                os.replace(unfinished, path)
        except OSError as error:
            raise MotionFileError(f"{path}: cannot be written ({error})") from None

    def _write(self, file: Any) -> None:
        file.attrs["format"] = FORMAT
        file.attrs["model_hash"] = self.world.digest()
        file.attrs["parameters"] = json.dumps(self.parameters)
        file.attrs["versions"] = json.dumps(self.versions)
        file.attrs["gravity"] = self.world.gravity
        file.attrs["ground"] = json.dumps(ground_values(self.world.ground))
        materials = [[sorted(pair), row] for pair, row in self.world.materials.items()]
        file.attrs["materials"] = json.dumps(materials)
        file.attrs["self_collision"] = json.dumps(self.world.self_collision)
        for name in (*ARRAYS, *LATER):
            data = getattr(self, name)
            file.create_dataset(name, data=data, compression="gzip", shuffle=True, fletcher32=True)
        for k, robot in enumerate(self.world.robots):
            buffer = io.BytesIO()
            robot.write(buffer)
            file.create_dataset(f"robots/{k}", data=np.frombuffer(buffer.getvalue(), np.uint8))

    @classmethod
    def load(cls, path: str | Path) -> Motion:
        """Read a motion that `save` wrote."""
        import h5py

        path = Path(path)
        if not path.is_file():
            raise MotionFileError(f"{path}: no such file")
        try:
            with h5py.File(path, "r") as file:
                return cls._read(file, path)
        except MotionFileError:
            raise
        except (OSError, KeyError, RuntimeError, TypeError, ValueError, StictionError) as error:
            raise MotionFileError(f"{path}: not a motion file, or cut short ({error})") from None

    @classmethod
    def _read(cls, file: Any, path: Path) -> Motion:
        number = int(file.attrs["format"])
        if number > FORMAT:
            made_by = json.loads(file.attrs.get("versions", "{}")).get("stiction", "unknown")
            raise MotionFileError(
                f"{path}: motion format {number}, written by stiction {made_by}; "
                f"this version reads up to {FORMAT}: install a newer stiction"
            )
        stored = file["robots"]
        robots = [Robot.load(io.BytesIO(stored[str(k)][()].tobytes())) for k in range(len(stored))]
        world = World(
            *robots,
            ground=ground_from(json.loads(file.attrs["ground"])),
            materials=_materials(json.loads(file.attrs["materials"])),
            gravity=file.attrs["gravity"],
            self_collision=json.loads(file.attrs.get("self_collision", "[]")),
        )
        if world.digest() != file.attrs["model_hash"]:
            raise MotionFileError(
                f"{path}: the model in the file does not have the hash that was stored with it"
            )
        names = [*ARRAYS, *(name for name in LATER if name in file)]
        arrays = {name: np.array(file[name][()], float) for name in names}
        n, nv = len(arrays["time"]), world.nv
        contact_points = arrays["depth"].shape[-1]
        shapes = {"time": (n,), "q": (n, world.nq), "depth": (n, contact_points)}
        between = arrays["between"].shape[1] if "between" in arrays else 0
        shapes |= {"solver": (n, 3), "between": (n, between, BETWEEN)}
        shapes |= {name: (n, contact_points, 3) for name in ("force", "slip", "contact_velocity")}
        for name in names:
            found, expected = arrays[name].shape, shapes.get(name, (n, nv))
            if found != expected:
                raise MotionFileError(f"{path}: '{name}' has shape {found}; expected {expected}")
        return cls(
            world,
            **arrays,
            parameters=_parameters(json.loads(file.attrs["parameters"])),
            versions=json.loads(file.attrs["versions"]),
        )


def _materials(rows: list) -> dict[tuple[str, str], dict[str, float]]:
    """Return the table of materials in a file; a pair of equal names is stored as one name."""
    return {(names[0], names[-1]): row for names, row in rows}


def _parameters(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters in a file, under their current names."""
    return {RENAMED.get(name, name): value for name, value in stored.items()}


def versions() -> dict[str, str]:
    """Versions of the packages that a result depends on."""
    found = {"python": platform.python_version()}
    for package in ("stiction", "numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
