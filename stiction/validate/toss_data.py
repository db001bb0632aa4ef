"""The cube tosses of ContactNets: an acrylic cube thrown on a board, tracked at 148 Hz.

S. Pfrommer, M. Halm, M. Posa, "ContactNets: Learning Discontinuous Contact Dynamics with Smooth,
Implicit Representations", CoRL 2020. `docs/validation.md` lists the arrays of the file.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from stiction.errors import InputError
from stiction.scenes.data import data_file

FILE = "cube_tosses/cube_tosses.npz"
ORIGIN = (
    "github.com/DAIRLab/contact-nets, data/tosses_processed/*.pt, with the arrays joined as "
    "docs/validation.md describes"
)
COLUMNS = {
    "position": 3,
    "quaternion_wxyz": 4,
    "linear_velocity": 3,
    "angular_velocity_body": 3,
}
NUMBERS = ("dt", "side", "mass")


@dataclass(frozen=True)
class Tosses:
    """Tracked motions of a cube; toss i is rows first[i] to first[i + 1] - 1."""

    first: np.ndarray  # (tosses + 1)
    position: np.ndarray  # (rows, 3) centre of the cube, z up from the board [m]
    quaternion: np.ndarray  # (rows, 4) w x y z, cube to world
    velocity: np.ndarray  # (rows, 3) world axes, smeared over two samples [m/s]
    angular_velocity: np.ndarray  # (rows, 3) axes of the cube, smeared too [rad/s]
    dt: float  # between samples [s]
    side: float  # [m]
    mass: float  # [kg]
    inertia: np.ndarray  # (3, 3) about the centre of mass [kg m2]

    def __len__(self) -> int:
        """The number of tosses."""
        return len(self.first) - 1

    def rows(self, i: int) -> slice:
        """Rows of toss i."""
        return slice(int(self.first[i]), int(self.first[i + 1]))

    @property
    def samples(self) -> np.ndarray:
        """Number of samples of each toss."""
        return np.diff(self.first)

    def some(self, chosen: np.ndarray) -> Tosses:
        """Return some of the tosses, by number."""
        numbers = np.asarray(chosen, int)
        rows = np.concatenate(
            [np.arange(*self.rows(i).indices(len(self.position))) for i in numbers]
        )
        first = np.concatenate([[0], np.cumsum(self.samples[numbers])])
        names = ("position", "quaternion", "velocity", "angular_velocity")
        return replace(self, first=first, **{name: getattr(self, name)[rows] for name in names})

    def scaled(self, scale: float) -> Tosses:
        """Return the tosses with all tracked lengths multiplied by a number."""
        return replace(self, position=scale * self.position, velocity=scale * self.velocity)


def load_tosses(path: Path | None = None) -> Tosses:
    """Read the tosses from a file, by default that of the folder which STICTION_DATA names."""
    file = data_file(FILE, ORIGIN) if path is None else path
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: np.asarray(stored[name]) for name in stored.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{file}: not a file of tosses ({error}); it comes from {ORIGIN}"
        ) from None
    check_arrays(str(file), arrays)
    return Tosses(
        first=arrays["offsets"].astype(int),
        position=arrays["position"].astype(float),
        quaternion=arrays["quaternion_wxyz"].astype(float),
        velocity=arrays["linear_velocity"].astype(float),
        angular_velocity=arrays["angular_velocity_body"].astype(float),
        inertia=arrays["inertia"].astype(float),
        **{name: float(arrays[name]) for name in NUMBERS},
    )


def check_arrays(file: str, arrays: dict[str, np.ndarray]) -> None:
    """Raise InputError if arrays are missing or cannot be those of tosses."""
    wanted = ["offsets", *COLUMNS, *NUMBERS, "inertia"]
    missing = [name for name in wanted if name not in arrays]
    if missing:
        raise InputError(f"{file}: has no {', '.join(missing)}; it comes from {ORIGIN}")
    wrong = [name for name in wanted if arrays[name].dtype.kind not in "fiu"]
    if wrong:
        raise InputError(f"{file}: {wrong[0]} holds {arrays[wrong[0]].dtype}; numbers are needed")
    offsets, rows = arrays["offsets"], len(np.atleast_1d(arrays["position"]))
    if (
        offsets.ndim != 1
        or len(offsets) < 2
        or offsets[0] != 0
        or offsets[-1] != rows
        or (np.diff(offsets) < 1).any()
    ):
        raise InputError(f"{file}: offsets must rise from 0 to the {rows} rows of position")
    shapes: dict[str, tuple[int, ...]] = {name: (rows, n) for name, n in COLUMNS.items()}
    shapes |= {**dict.fromkeys(NUMBERS, ()), "inertia": (3, 3)}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise InputError(f"{file}: {name} has shape {arrays[name].shape}; it must be {shape}")
        if not np.isfinite(arrays[name]).all():
            raise InputError(f"{file}: {name} has numbers that are not finite")
    if not all(arrays[name] > 0 for name in NUMBERS):
        raise InputError(f"{file}: dt, side and mass must be positive")
    if (abs(np.linalg.norm(arrays["quaternion_wxyz"], axis=1) - 1) > 1e-6).any():
        raise InputError(f"{file}: quaternion_wxyz has rows that are not of unit length")
