"""A very long run in portions: drift, energy, memory, unsolved steps, depth and time per step.

The run is divided into tenths, and every portion adds to sums, so that a day needs no more memory
than a minute. Drift is the distance of each link's centre of mass from where it was once the robots
had settled, and the angle by which it has turned since. The energy balance of every step is that of
`Motion.energy_balance`, with the work of contact, also between bodies, as the compiled loop counts
it.

A checkpoint holds the state of the simulation and these sums. A run that is resumed from it
continues bitwise, and its report covers the whole run.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.files.written import check_target
from stiction.motion.motion import Motion
from stiction.simulation.arguments import is_real
from stiction.simulation.portions import Portions
from stiction.simulation.saved_state import SavedState, read_state, write_state
from stiction.simulation.simulation import Simulation
from stiction.simulation.warn import weight_times_size
from stiction.step.record import DEPTH
from stiction.visual.poses import link_poses
from stiction.world.external import Push, TabulatedForce

TENTHS = 10
SETTLE = 10.0  # drift counts from here [s], or from the first tenth of a shorter run
CHECKPOINT_SECONDS = 60.0  # wall time between two checkpoints
WARM = 20  # portions after which resident memory should not grow
WORK = ("torque", "joints", "damping", "external")  # parts of the energy balance besides contact


class Limits(NamedTuple):
    """What a run may do and still hold."""

    drift: float = 1e-3  # of any link after settling [m]
    turn: float = 0.01  # of any link after settling [rad]
    energy: float = 0.01  # gained from contact, or unexplained; fraction of all work, see `report`
    memory: float = 16e6  # growth of resident memory [bytes]
    unsolved: float = 1e-3  # fraction of the steps


LIMITS = Limits()


def soak(
    simulation: Simulation,
    duration: float,
    forces: Iterable[Push | TabulatedForce] = (),
    limits: Limits = LIMITS,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Simulate for `duration` [s]; returns what was measured, and whether it holds.

    forces: those given to the simulation, for its energy balance. checkpoint: a file written every
    minute, at the end and after Ctrl-C. resume: a checkpoint to continue from.
    """
    if not (is_real(duration) and duration > 0):
        raise InputError(f"soak: duration is {duration!r}; give a positive time in s")
    if checkpoint is not None:
        check_target(Path(checkpoint).absolute(), InputError)
    run = Soak(simulation, duration, tuple(forces))
    if resume is not None:
        run.resume(resume)
    run.compile()
    kept = run.kept()
    try:
        written = time.monotonic()
        while run.left():
            run.take_portion()
            kept = run.kept()
            if progress is not None:
                progress(1 - run.left() / run.total)
            if checkpoint is not None and time.monotonic() > written + CHECKPOINT_SECONDS:
                write_state(checkpoint, *kept)
                written = time.monotonic()
    finally:  # also after Ctrl-C or a step that failed: the last complete portion
        if checkpoint is not None:
            write_state(checkpoint, *kept)
    simulation.warn_once(stacklevel=2)
    return run.report(limits)


class Soak:
    """A long run, and what was measured so far."""

    def __init__(self, simulation: Simulation, duration: float, forces: tuple) -> None:
        """Begin with nothing measured."""
        self.simulation, self.forces = simulation, forces
        self.stepping = Portions(simulation)
        self.total = math.ceil(duration / simulation.dt * (1 - 1e-12))  # [steps]
        settle = math.ceil(SETTLE / simulation.dt)
        self.settle = min(settle, max(self.total // TENTHS, 1))  # [steps]
        self.portions, self.resident_warm = 0, 0.0  # of this process
        tenths = {name: np.zeros(TENTHS) for name in ("seconds", "steps", "resident", "depth")}
        self.sums: dict[str, np.ndarray] = {
            **tenths,
            "drift": np.full(TENTHS, np.nan),  # of the link that moved most, at the end [m]
            "work": np.zeros(len(WORK)),  # [J]
            "handled": np.zeros(1),  # sum of the magnitudes of all work [J]
            "energy": np.zeros(1),  # at the start [J]
            "kinetic": np.zeros(1),  # the largest [J]
            "settled": np.zeros(simulation.world.nq),  # q after settling
        }
        self.sums["energy"][0] = self._energy()

    def left(self) -> int:
        """Steps still to take."""
        return self.total - self.simulation.unsolved.steps

    def compile(self) -> None:
        """Compile the loop: take a step, and go back."""
        saved = self.simulation.save_state()
        if self.left():
            self.stepping.take(1)
        self.simulation.restore_state(saved)

    def _energy(self) -> float:
        return float(self.simulation.snapshot().energy().total[0])

    # ------------------------------------------------------------------------------------- portions

    def take_portion(self) -> None:
        """Take the steps of one portion, and add what they did."""
        done = self.simulation.unsolved.steps
        tenth = done * TENTHS // self.total
        ends = [-(-self.total * (tenth + 1) // TENTHS), self.settle]  # a portion ends at these
        n = min([self.stepping.steps, *(end - done for end in ends if end > done)])
        begun = time.perf_counter()
        motion = self.stepping.take(n)
        self.sums["seconds"][tenth] += time.perf_counter() - begun
        self.sums["steps"][tenth] += n
        self._add_work(motion)
        for depths in (motion.depth[:-1], motion.between[:-1, :, DEPTH]):
            self.sums["depth"][tenth] = max(self.sums["depth"][tenth], depths.max(initial=0.0))
        if done + n == self.settle:
            self.sums["settled"][:] = motion.q[-1]
        if done + n >= self.settle:
            self.sums["drift"][tenth] = self.drifts()[0].max(initial=0.0)
        self.sums["resident"][tenth] = resident_memory()
        self.portions += 1
        if self.portions <= WARM:
            self.resident_warm = resident_memory()

    def _add_work(self, motion: Motion) -> None:
        balance, kinetic = motion.energy_balance(self.forces), motion.energy().kinetic
        self.sums["kinetic"][0] = max(self.sums["kinetic"][0], kinetic.max())
        for k, name in enumerate(WORK):
            self.sums["work"][k] += float(getattr(balance, name)[:-1].sum())
        parts = [getattr(balance, name)[:-1] for name in (*WORK, "normal", "friction")]
        self.sums["handled"] += sum(float(np.abs(part).sum()) for part in parts)

    def drifts(self) -> tuple[np.ndarray, np.ndarray]:
        """How far each link is from where it had settled [m], and turned [rad], (nl) each."""
        world, taken = self.simulation.world, self.simulation.unsolved.steps
        if taken < self.settle:
            return np.zeros(len(world.link_names)), np.zeros(len(world.link_names))
        poses = link_poses(world, np.array([self.sums["settled"], self.simulation.state.q]))
        centre = poses.position + np.einsum("nlij,lj->nli", poses.rotation, world.tree.centre)
        turn = np.einsum("lji,ljk->lik", *poses.rotation)  # from before to now, in link axes
        axis = np.array([turn[:, i, j] - turn[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))])
        sine, cosine = np.linalg.norm(axis, axis=0), np.einsum("lii->l", turn) - 1
        return np.linalg.norm(centre[1] - centre[0], axis=1), np.arctan2(sine, cosine)

    # ---------------------------------------------------------------------------------- checkpoints

    def kept(self) -> tuple[SavedState, dict[str, np.ndarray]]:
        """What a checkpoint holds."""
        sums = {name: array.copy() for name, array in self.sums.items()}
        settings = {"total": np.array(self.total), "settings": np.array(self.simulation.digest())}
        return self.simulation.save_state(), sums | settings

    def resume(self, path: str | Path) -> None:
        """Continue from a checkpoint; raises InputError unless it is one of this run."""
        saved, found = read_state(path)
        wanted = self.kept()[1]
        for name, own in wanted.items():
            array = found.get(name)
            if array is None or (array.shape, array.dtype) != (own.shape, own.dtype):
                raise InputError(f"{path}: not a checkpoint of this run; it has no such '{name}'")
        try:
            self.simulation.restore_state(saved)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        if int(found["total"]) != self.total:
            dt = self.simulation.dt
            raise InputError(
                f"{path}: is a checkpoint of a run of {int(found['total']) * dt:g} s; resume it "
                f"with the same duration, found {self.total * dt:g} s"
            )
        if str(found["settings"]) != str(wanted["settings"]):
            raise InputError(
                f"{path}: is a checkpoint under other controllers, forces or another integrator; "
                "resume it with the same"
            )
        if not 0 <= self.left() <= self.total:
            raise InputError(f"{path}: is past the end of this run; nothing is left to do")
        self.sums = {name: found[name] for name in self.sums}

    # --------------------------------------------------------------------------------------- report

    def report(self, limits: Limits) -> dict[str, Any]:
        """What was measured, in tenths of the run and at its end, and whether it holds.

        Energy is compared with weight times size, the magnitudes of all work done, and the largest
        kinetic energy, together.
        """
        simulation, sums = self.simulation, self.sums
        work = dict(zip(WORK, sums["work"].tolist(), strict=True))
        work["contact"] = simulation.contact_work
        change = self._energy() - float(sums["energy"][0])
        unexplained = change - sum(work.values())
        scale = weight_times_size(simulation) + float(sums["handled"][0] + sums["kinetic"][0])
        grown = resident_memory() - self.resident_warm if self.portions > WARM else 0.0
        drifts, turns = self.drifts()
        held = {
            "drift": float(drifts.max(initial=0.0)) <= limits.drift,
            "turn": float(turns.max(initial=0.0)) <= limits.turn,
            "energy": max(simulation.contact_gain, abs(unexplained)) <= limits.energy * scale,
            "memory": grown <= limits.memory,
            "unsolved": simulation.unsolved.share <= limits.unsolved,
        }
        return {
            "simulated [s]": simulation.unsolved.steps * simulation.dt,
            "steps": simulation.unsolved.steps,
            "tenths": self._tenths(),
            "drift since it settled": self._drift_rows(drifts, turns),
            "energy [J]": {
                "change": change,
                "work": work,
                "unexplained": unexplained,
                "most given by contact": simulation.contact_gain,
                "compared with": scale,
            },
            "resident memory, growth [MB]": grown / 1e6,
            "unsolved steps": asdict(simulation.unsolved),
            "deepest [mm]": 1e3 * float(sums["depth"].max()),
            "limits": limits._asdict(),
            "held": held,
            "holds": all(held.values()),
        }

    def _tenths(self) -> list[dict[str, Any]]:
        rows, sums, dt = [], self.sums, self.simulation.dt
        for k in np.flatnonzero(sums["steps"]):
            steps = float(sums["steps"][k])
            rows.append(
                {
                    "until [s]": float(sums["steps"][: k + 1].sum()) * dt,
                    "us per step": 1e6 * float(sums["seconds"][k]) / steps,
                    "resident [MB]": float(sums["resident"][k]) / 1e6,
                    "deepest [mm]": 1e3 * float(sums["depth"][k]),
                    "drift [mm]": 1e3 * float(sums["drift"][k]),
                }
            )
        return rows

    def _drift_rows(self, drifts: np.ndarray, turns: np.ndarray) -> list[dict[str, Any]]:
        """Of each robot its base, and the link that moved most."""
        world, rows, first = self.simulation.world, [], 1
        for robot in world.moving:
            last = first + len(robot.link_name)
            most = first + int(np.argmax(drifts[first:last]))
            rows.append(
                {
                    "robot": robot.name,
                    "base [mm]": 1e3 * float(drifts[first]),
                    "turned [degrees]": math.degrees(turns[first]),
                    "most [mm]": 1e3 * float(drifts[most]),
                    "link": world.link_names[most],
                }
            )
            first = last
        return rows


def resident_memory() -> float:
    """Memory of this process that is in use now [bytes]; its peak where that is not known."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * float(resource.getpagesize())
    try:
        import resource
    except ImportError:  # Windows
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak * (1 if sys.platform == "darwin" else 1024))
