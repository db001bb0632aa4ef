"""Tosses replayed open loop under contact models, in batches, and their errors.

The convention is that of ContactNets and dair_pll: the simulation starts at the first sample of a
toss and runs to its last one without correction. The error of a toss is the mean over all its
samples of the distance of the centres, in widths of the cube, and of the angle of the rotation from
the tracked to the simulated orientation.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stiction.batch.simulate_batch import BatchRecording, simulate_batch
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import InputError
from stiction.fit.recorded_motions import turned
from stiction.robot.robot import Robot
from stiction.validate.toss_data import Tosses
from stiction.validate.toss_flight import (
    GRAVITY,
    Calibration,
    calibrate,
    flight_states,
    recorded_states,
)
from stiction.world.world import World

FLIGHT, RECORDED = "flight", "recorded"
STARTS = (FLIGHT, RECORDED)
SUBSTEPS = 10  # steps per sample, as in the published comparisons
GROUPED = 8  # tosses whose numbers of samples differ by less are simulated together
LEVER = 0.5  # distance from the centre at which a rotation counts as a displacement [widths]
WORST = (100.0, 180.0)  # errors of a diverged replay [% of the width, degrees]


class TossErrors(NamedTuple):
    """Errors of each toss under each model, (models, tosses)."""

    position: np.ndarray  # [% of the width]
    angle: np.ndarray  # [degrees]
    diverged: np.ndarray  # (models) tosses whose replay diverged


class TossReplay:
    """Tosses with a calibrated cube and their start states, ready to be replayed."""

    def __init__(
        self,
        tosses: Tosses,
        calibration: Calibration | None = None,
        start: str = FLIGHT,
        substeps: int = SUBSTEPS,
    ) -> None:
        """Calibrate by the tosses themselves unless a calibration is given."""
        if start not in STARTS:
            raise InputError(f"start: found {start!r}; give one of {', '.join(STARTS)}")
        found = calibrate(tosses) if calibration is None else calibration
        self.calibration, self.substeps = found, substeps
        self.tosses = tosses.scaled(found.scale)
        self.world = World(cube(self.tosses, found.centre), gravity=(0.0, 0.0, -GRAVITY))
        if start == FLIGHT:
            self.q, self.v = flight_states(self.tosses, found.centre)
        else:
            self.q, self.v = recorded_states(self.tosses)

    @property
    def names(self) -> list[str]:
        """Name of each toss."""
        return [f"toss {i}" for i in range(len(self.tosses))]

    def differences(
        self, models: Sequence[Any], chosen: np.ndarray, states: Any = None
    ) -> list[np.ndarray]:
        """Simulated minus tracked, a list over tosses of (models, samples, 6).

        Columns are displacements [widths] and rotation vectors [rad]; NaN where it diverged.
        states: q and v of the chosen tosses, if not those of the data.
        """
        q, v = (self.q[chosen], self.v[chosen]) if states is None else states
        samples = self.tosses.samples[chosen]
        groups = -(-samples // GROUPED)
        made: list[np.ndarray] = [np.zeros(0)] * len(chosen)
        for group in np.unique(groups):
            members = np.flatnonzero(groups == group)
            found = self._simulated(models, q[members], v[members], int(samples[members].max()))
            for k, member in enumerate(members):
                made[member] = self._compared(found[:, k], int(chosen[member]))
        return made

    def _simulated(
        self, models: Sequence[Any], q: np.ndarray, v: np.ndarray, samples: int
    ) -> np.ndarray:
        """Coordinates at the samples, (models, tosses, samples, 7)."""
        count, dt = len(q), self.tosses.dt / self.substeps
        given = {
            name: np.repeat([getattr(one, name) for one in models], count)
            for name in models[0]._fields
        }
        with warnings.catch_warnings():  # of long steps and unsolved ones, told once per model
            warnings.simplefilter("ignore")
            done = simulate_batch(
                self.world,
                count * len(models),
                models[0],
                duration=((samples - 1) * self.substeps + 1) * dt,
                dt=dt,
                states=(np.tile(q, (len(models), 1)), np.tile(v, (len(models), 1))),
                parameters=given,
                record=BatchRecording(("q",), self.substeps),
            )
        return done.record["q"].reshape(len(models), count, -1, 7)

    def _compared(self, q: np.ndarray, toss: int) -> np.ndarray:
        rows = self.tosses.rows(toss)
        count = rows.stop - rows.start
        moved = (q[:, :count, :3] - self.tosses.position[rows]) / self.tosses.side
        return np.concatenate([moved, turned(q[:, :count, 3:], self.tosses.quaternion[rows])], 2)

    def errors(self, models: Sequence[Any], chosen: np.ndarray, states: Any = None) -> TossErrors:
        """Errors of tosses, by number, under models of one type."""
        differences = self.differences(models, chosen, states)
        shape = (len(models), len(chosen))
        position, angle, lost = np.zeros(shape), np.zeros(shape), np.zeros(shape, bool)
        for k, one in enumerate(differences):
            lost[:, k] = ~np.isfinite(one).all(axis=(1, 2))
            position[:, k] = 100 * np.linalg.norm(one[..., :3], axis=2).mean(axis=1)
            angle[:, k] = np.degrees(np.linalg.norm(one[..., 3:], axis=2)).mean(axis=1)
        position[lost], angle[lost] = WORST
        return TossErrors(position, angle, lost.sum(axis=1))

    def residuals(self, models: Sequence[Any], chosen: np.ndarray) -> np.ndarray:
        """Differences as `fit_contact` takes them [widths]; angles act at half a width."""
        weights = np.array([1.0, 1.0, 1.0, LEVER, LEVER, LEVER])
        differences = [weights * one for one in self.differences(models, chosen)]
        longest = max(one.shape[1] for one in differences)
        made = np.zeros((len(models), len(chosen), longest * 6))
        for k, one in enumerate(differences):
            values = one.reshape(len(models), -1) / np.sqrt(one.shape[1])
            made[:, k, : values.shape[1]] = values
        return made


def cube(tosses: Tosses, centre: np.ndarray) -> Robot:
    """The tossed cube, with its centre of mass in its axes [m]."""
    half, inertia = tosses.side / 2, tosses.inertia
    upper = tuple(float(inertia[i, k]) for i, k in zip(*np.triu_indices(3), strict=True))
    x, y, z = (float(one) for one in centre)
    link = Link("cube", tosses.mass, (x, y, z), upper)  # type: ignore[arg-type]
    return Robot.from_description(
        Description(
            name="cube",
            source="the tossed cube",
            links=(link,),
            joints=(Joint("cube_free", "free", WORLD, "cube"),),
            shapes=(Shape("cube_shape", "cube", "box", (half, half, half)),),
        )
    )
