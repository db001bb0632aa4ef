"""What the contact benchmark times: `simulate` under a contact model, and MuJoCo."""

from __future__ import annotations

import time
import warnings
from typing import Any, Protocol

import numpy as np

import stiction as st
from stiction.bench.contact.cases import DT, Case
from stiction.bench.dynamics import servo_targets
from stiction.errors import SimulationError, StabilityWarning

FALLEN = 0.9  # of its initial height: a lower robot does not stand
UNSOLVED = 9  # stage of a step in which our solver gave up
TOUCHING = 0.99  # of its points must touch on average, or the robot does not stand


class Contender(Protocol):
    """A contact model, or MuJoCo, in a case."""

    failure: str | None

    @property
    def name(self) -> str:
        """Name in the report."""

    def race(self) -> None:
        """Take all steps once, timed."""

    def seconds(self) -> float:
        """Best time of all steps."""

    def found(self) -> dict[str, Any]:
        """What happened in a run, for the report."""


class Ours:
    """The world of a case under one of our contact models."""

    def __init__(self, case: Case, contact: Any) -> None:
        """Compile, and let the robot settle."""
        self.case, self.contact = case, contact
        self.best = self.setup = np.inf  # [s]
        self.failure: str | None = None
        self.state = case.state
        self.simulate(1)
        self.state = self.simulate(case.settling)

    @property
    def name(self) -> str:
        """Name of the contact model."""
        return type(self.contact).__name__

    @property
    def notes(self) -> list[str]:
        """Notes of the run."""
        return [] if self.failure else self.motion.parameters["notes"]

    def simulate(self, steps: int) -> st.State:
        """Take steps from the state; returns the last state, keeps the motion."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", StabilityWarning)  # the report has it once
                self.motion = st.simulate(
                    self.case.world,
                    self.contact,
                    duration=steps * DT,
                    dt=DT,
                    state=self.state,
                    controller=controllers(self.case),
                )
        except SimulationError as error:
            self.failure = str(error)
            return self.state
        return self.motion.state()

    def race(self) -> None:
        """Time a run of one step and one of all."""
        if self.failure is None:
            begun = time.perf_counter()
            self.simulate(1)
            ready = time.perf_counter()
            self.simulate(self.case.steps)
            self.setup = min(self.setup, ready - begun)
            self.best = min(self.best, time.perf_counter() - ready)

    def seconds(self) -> float:
        """Best time of all steps, from those after the first, which `setup` holds."""
        later = self.best - min(self.setup, 0.5 * self.best)  # noise must not make it fast
        return later * self.case.steps / max(self.case.steps - 1, 1)

    def found(self) -> dict[str, Any]:
        """What happened in the last run."""
        motion = self.motion
        touching = (motion.depth[:-1] > 0) | (motion.force[:-1] != 0).any(axis=2)
        found = happened(self.case, touching.sum(axis=1), motion.q[[0, -1], 2])
        iterations, residual, stage = motion.solver[:-1].T
        if iterations.any():
            found["iterations"] = round(float(iterations.mean()), 2)
            found["later stages"] = int((stage > 0).sum())
            found["unsolved"] = int((stage == UNSOLVED).sum())
            found["residual"] = float(residual.max())
        return found


def controllers(case: Case) -> tuple[Any, ...]:
    """Servos that hold the home configuration and, if the joints are driven, torques."""
    servos = st.Actuators(servo_targets(case.world))
    if case.torque is None:
        return (servos,)
    return servos, st.Torques(
        case.torque, case.state.time + case.held * DT * np.arange(len(case.torque))
    )


class MuJoCo:
    """The same world in MuJoCo."""

    name = "mujoco"

    def __init__(self, case: Case) -> None:
        """Let the robot settle."""
        import mujoco

        self.case = case
        self.failure: str | None = None
        self.best = np.inf  # [s]
        self.begin = mujoco.MjData(case.model)
        self.begin.qpos[:], self.begin.qvel[:] = case.state.q, case.state.v
        self.begin.ctrl[:] = servo_targets(case.world)
        if case.settling:
            mujoco.mj_step(case.model, self.begin, case.settling)

    def copy(self) -> Any:
        """Data to restart from the initial state."""
        import mujoco

        data = mujoco.MjData(self.case.model)
        mujoco.mj_copyData(data, self.case.model, self.begin)
        return data

    def race(self) -> None:
        """Time a run of all steps."""
        import mujoco

        data = self.copy()
        begun = time.perf_counter()
        if self.case.torque is None:
            mujoco.mj_step(self.case.model, data, self.case.steps)
        else:
            held = self.case.held
            for k in range(0, self.case.steps, held):
                data.qfrc_applied[:] = self.case.torque[k // held]
                mujoco.mj_step(self.case.model, data, min(held, self.case.steps - k))
        self.best = min(self.best, time.perf_counter() - begun)

    def seconds(self) -> float:
        """Best time of all steps."""
        return self.best

    def found(self) -> dict[str, Any]:
        """What happens in a run, inspected step by step."""
        import mujoco

        data = self.copy()
        first = float(data.qpos[2])
        points = np.zeros(self.case.steps)
        iterations = np.zeros(self.case.steps)
        for k in range(self.case.steps):
            if self.case.torque is not None:
                data.qfrc_applied[:] = self.case.torque[k // self.case.held]
            mujoco.mj_step(self.case.model, data)
            points[k] = data.ncon
            iterations[k] = data.solver_niter[: max(1, data.nisland)].sum()
        found = happened(self.case, points, np.array([first, data.qpos[2]]))
        found["iterations"] = round(float(iterations.mean()), 2)
        found["unsolved"] = int((iterations >= self.case.model.opt.iterations).sum())
        return found


def happened(case: Case, points: np.ndarray, height: np.ndarray) -> dict[str, Any]:
    """What is reported of a run, apart from the solver.

    points: number that touch in every step; height: of the base at the start and the end [m].
    """
    upright = height[1] >= FALLEN * height[0] and points.mean() >= TOUCHING * case.points
    return {
        "points": round(float(points.mean()), 2),
        "fewest": int(points.min()),
        "base [m]": round(float(height[1]), 4),
        "stands": bool(upright) if case.stands else None,
        **dict.fromkeys(("iterations", "later stages", "unsolved", "residual")),
    }
