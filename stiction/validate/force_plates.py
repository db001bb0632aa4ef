"""Forces of simulated feet compared with those of force plates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import stiction as st
from stiction.metrics.points import link_positions, point_links, point_positions
from stiction.patterns.smoothing import low_pass
from stiction.validate.subject import Fitted
from stiction.validate.walk_fit import SIDES, ankles, legs_of

CUTOFF = 20.0  # above this, gait laboratories remove what is in force curves [Hz]
LOADED = 0.05  # of body weight: with less, a centre of pressure is noise


class Foot(NamedTuple):
    """Both forces of one foot over body weight, and centres of pressure from the ankle."""

    time: np.ndarray  # (n) [s]
    force: np.ndarray  # (n, 3) simulated, low-passed
    plate: np.ndarray  # (n, 3) measured, low-passed
    centre: np.ndarray  # (n) simulated, ahead of the ankle [m]; NaN where lightly loaded
    plate_centre: np.ndarray  # (n) measured


def agreement(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    """Correlation, and RMS difference."""
    r = float(np.corrcoef(ours, theirs)[0, 1])
    return r, float(np.sqrt(np.mean((ours - theirs) ** 2)))


def feet_beside_plates(
    motion: st.Motion, fit: Fitted, between: tuple[float, float]
) -> dict[str, Foot]:
    """Simulated and measured forces of both feet at the times of the plates in a span [s].

    Both are low-passed in the same way. The links of a foot have names that begin with its side.
    """
    plates = fit.plates
    weight = motion.world.total_mass * float(np.linalg.norm(motion.world.gravity))
    chosen = (plates.time > between[0]) & (plates.time < between[1])
    time, dt = plates.time[chosen], float(plates.time[1] - plates.time[0])
    owner = np.array(motion.world.link_names)[point_links(motion)]
    position, recorded = point_positions(motion)[:-1], ankles(fit.recorded, legs_of(fit.robot))[0]
    found = {}
    for k, side in enumerate(SIDES):
        own = np.char.startswith(owner, f"{side}_foot")
        point_force = motion.force[:-1, own]
        known, total = motion.time[:-1], np.nan_to_num(point_force.sum(axis=1))
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = (position[:, own, 0] * point_force[:, :, 2]).sum(axis=1) / total[:, 2]
        centre = centre - link_positions(motion, f"{side}_foot")[:-1, 0]
        sampled = [np.interp(plates.time, known, column) for column in total.T]
        force = low_pass(np.stack(sampled, axis=1) / weight, dt, CUTOFF)[chosen]
        plate = low_pass(plates.force[:, k] / weight, dt, CUTOFF)[chosen]
        ankle = np.interp(time, fit.time, recorded[:, k])
        loaded = (force[:, 2] > LOADED) & (plate[:, 2] > LOADED)
        ahead = np.where(loaded, np.interp(time, known, np.nan_to_num(centre)), np.nan)
        theirs = np.where(loaded, plates.centre[chosen, k] - ankle, np.nan)
        found[side] = Foot(time, force, plate, ahead, theirs)
    return found


def measures(feet: dict[str, Foot]) -> dict[str, float]:
    """Agreement with the plates, the worse foot: forces [% of body weight], centres [mm]."""
    vertical = [agreement(one.force[:, 2], one.plate[:, 2]) for one in feet.values()]
    along = [agreement(one.force[:, 0], one.plate[:, 0]) for one in feet.values()]
    centre = []
    for one in feet.values():
        loaded = ~np.isnan(one.centre)
        centre.append(agreement(one.centre[loaded], one.plate_centre[loaded]))
    return {
        "vertical_r": min(r for r, _ in vertical),
        "vertical_rms": 100 * max(rms for _, rms in vertical),
        "fore_aft_r": min(r for r, _ in along),
        "fore_aft_rms": 100 * max(rms for _, rms in along),
        "centre_r": min(r for r, _ in centre),
        "centre_rms_mm": 1e3 * max(rms for _, rms in centre),
    }
