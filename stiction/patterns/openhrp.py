"""Motions of OpenHRP: columns of joint angles in the order of the joint numbers.

OpenHRP's samples store a motion in text files, angle.dat and vel.dat: a time and then one number
for each joint; PDgain.dat has the gains. An archive of several motions (.npz) holds, for a motion
NAME, NAME_q and, if known, NAME_t, NAME_dq, NAME_ZMP, kp_NAME and kd_NAME, besides joint_names and
dt.

Velocities are obtained in one of three ways, recorded in `Recorded.notes`:

* The file has velocities, and their integral follows the angles: frequencies below 2 Hz come from
  the angles and the rest from the velocities (`smoothing.reconciled`), so that both agree.
  Differencing angles of three digits, 2 ms apart, would give noise of 0.1 rad/s and more.
* The file has velocities, and their integral departs from the angles: they belong to another
  motion and are not used.
* Without usable velocities the angles are differentiated: the cubic spline through them or, with
  a `cutoff`, through the low-passed angles (`smoothing.low_pass`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stiction.control.reference import smooth_slopes
from stiction.errors import InputError, MotionFileError
from stiction.patterns.recorded import (
    Recorded,
    arrays_of,
    checked_path,
    equal_steps,
    text_of,
    text_table,
)
from stiction.patterns.smoothing import disagreeing, reconciled, smoothed

SR1_JOINTS = tuple(
    f"{side}{name}"
    for side, names in (
        ("RLEG_", "HIP_R HIP_P HIP_Y KNEE ANKLE_P ANKLE_R"),
        ("RARM_", "SHOULDER_P SHOULDER_R SHOULDER_Y ELBOW WRIST_Y WRIST_P WRIST_R"),
        ("LLEG_", "HIP_R HIP_P HIP_Y KNEE ANKLE_P ANKLE_R"),
        ("LARM_", "SHOULDER_P SHOULDER_R SHOULDER_Y ELBOW WRIST_Y WRIST_P WRIST_R"),
        ("", "WAIST_P WAIST_R CHEST"),
    )
    for name in names.split()
)  # joints of OpenHRP's sample robot, in the order of their numbers
SLOW = 2.0  # lower frequencies come from the angles even if velocities are known [Hz]


def read_openhrp(
    path: str | Path, motion: str | None = None, cutoff: float | None = None
) -> Recorded:
    """Read one motion of an archive (.npz); `motion` may be omitted if it holds only one.

    cutoff: low-pass before angles are differentiated [Hz]; None: no filter.
    """
    path = checked_path(path)
    arrays = arrays_of(path)
    known = [name.removesuffix("_q") for name in arrays if name.endswith("_q")]
    if motion is None and len(known) == 1:
        motion = known[0]
    if motion not in known:
        raise InputError(
            f"{path}: no motion {motion!r}; it has {', '.join(known) or 'none (NAME_q)'}"
        )
    source = f"{path}, {motion}"
    if "joint_names" not in arrays:
        raise MotionFileError(f"{path}: has no joint_names, one for each column")
    joints = tuple(str(name) for name in arrays["joint_names"])
    q = _floats(source, arrays, f"{motion}_q", (None, len(joints)))
    n = len(q)
    if f"{motion}_t" in arrays:
        time = _floats(source, arrays, f"{motion}_t", (n,))
    else:
        time = np.arange(n) * float(_floats(source, arrays, "dt", ()))
    optional = {
        "v": (f"{motion}_dq", (n, len(joints))),
        "zmp": (f"{motion}_ZMP", (n, 3)),
        "stiffness": (f"kp_{motion}", (len(joints),)),
        "damping": (f"kd_{motion}", (len(joints),)),
    }
    found = {
        field: _floats(source, arrays, name, shape)
        for field, (name, shape) in optional.items()
        if name in arrays
    }
    return _recorded(source, time, joints, q, found.pop("v", None), cutoff, **found)


def read_openhrp_text(
    angles: str | Path,
    velocities: str | Path | None = None,
    joints: Sequence[str] = SR1_JOINTS,
    cutoff: float | None = None,
) -> Recorded:
    """Read a motion in text files: a time and one column for each joint, in the order of `joints`.

    cutoff: as in `read_openhrp`.
    """
    table = _text_columns(Path(angles), joints)
    time, q, v = table[:, 0], table[:, 1:], None
    if velocities is not None:
        rates = _text_columns(Path(velocities), joints)
        if len(rates) != len(table) or np.abs(rates[:, 0] - time).max() > 1e-6:
            raise MotionFileError(
                f"{velocities}: has {len(rates)} samples up to {rates[-1, 0]:g} s, but {angles} "
                f"has {len(table)} up to {time[-1]:g} s; the times must be the same"
            )
        v = rates[:, 1:]
    return _recorded(str(angles), time, tuple(joints), q, v, cutoff)


def _recorded(
    source: str,
    time: np.ndarray,
    joints: tuple[str, ...],
    q: np.ndarray,
    given: np.ndarray | None,
    cutoff: float | None,
    **rest: np.ndarray,
) -> Recorded:
    """Consistent positions and velocities, and notes on how they were obtained."""
    dt = equal_steps(source, time)
    wrong = np.arange(len(joints)) if given is None else disagreeing(q, given, dt)
    right = np.setdiff1d(np.arange(len(joints)), wrong)
    positions, rates, notes = q.copy(), np.zeros_like(q), []
    if given is not None and len(right):
        positions[:, right], rates[:, right] = reconciled(q[:, right], given[:, right], dt, SLOW)
        notes.append(f"velocities of the file above {SLOW:g} Hz, angles below: {len(right)} joints")
    if given is not None and len(wrong):
        names = ", ".join(joints[i] for i in wrong)
        notes.append(f"velocities in the file do not match its angles and are not used: {names}")
    if len(wrong):
        if cutoff is None:
            rates[:, wrong] = smooth_slopes(time, q[:, wrong])
        else:
            positions[:, wrong], rates[:, wrong] = smoothed(q[:, wrong], dt, cutoff)
        how = "as they are" if cutoff is None else f"below {cutoff:g} Hz"
        notes.append(f"angles differentiated {how}: {len(wrong)} joints")
    return Recorded(source, time, joints, positions, rates, tuple(notes), **rest)


def _text_columns(path: Path, joints: Sequence[str]) -> np.ndarray:
    """Time and columns of a text file."""
    table = text_table(path, text_of(path).splitlines(), 1)
    if table.shape[1] != len(joints) + 1:
        raise MotionFileError(
            f"{path}: has {table.shape[1]} columns; expected a time and {len(joints)} joints "
            f"({joints[0]} ... {joints[-1]})"
        )
    return table


def _floats(
    source: str, arrays: dict[str, np.ndarray], name: str, shape: tuple[int | None, ...]
) -> np.ndarray:
    """An array of an archive as numbers, after checking its shape."""
    if name not in arrays:
        raise MotionFileError(f"{source}: has no array '{name}'")
    found = arrays[name]
    fits = len(found.shape) == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, found.shape, strict=True)
    )
    if not fits or found.dtype.kind not in "fiu" or not np.isfinite(found).all():
        wanted = " x ".join("n" if size is None else str(size) for size in shape) or "one number"
        raise MotionFileError(
            f"{source}: '{name}' is {found.dtype} of shape {found.shape}; "
            f"expected finite numbers, {wanted}"
        )
    return found.astype(float)
