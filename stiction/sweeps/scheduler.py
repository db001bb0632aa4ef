"""A simulation of the scheduler of a sweep: what limits many runs on many cores.

One process, the driver, hands out portions of runs and takes their results, one after the other.
Each core runs a portion, asks for the next, and waits until the driver has time for it. Machines
fail; the portions that their cores had are run again.

    dispatch    time of the driver per portion [s]
    result      time of the driver per run: taking its result and writing it down [s]

The sum of n times that are log-normal with mean `mean` and relative deviation `spread` is drawn
itself if n is small, and as a normal number with the same mean and variance if n is large.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from stiction.errors import InputError

EXACT = 32  # runs up to which their times are drawn one by one
GUIDED = 0.5  # share of a fair part of what is left that a guided portion has


@dataclass(frozen=True)
class Load:
    """Runs, cores, and what everything costs."""

    runs: int
    cores: int
    mean: float  # time of a run [s]
    spread: float = 0.5  # standard deviation of that time, over its mean
    portion: int = 1  # runs handed out at a time, at most
    guided: bool = True  # portions shrink towards the end
    drivers: int = 1  # that share the runs and the cores
    dispatch: float = 1e-3  # [s]
    result: float = 5e-5  # [s]
    failures: float = 0.0  # of a core, per second
    seed: int = 0

    def __post_init__(self) -> None:
        """Check everything."""
        if min(self.runs, self.cores, self.portion, self.drivers) < 1 or not self.mean > 0:
            raise InputError("Load: runs, cores, portion, drivers and mean must be positive")


@dataclass(frozen=True)
class Forecast:
    """The outcome of a simulated sweep."""

    seconds: float  # until the last result is written
    efficiency: float  # time of all runs over that of all cores
    driver: float  # share of the time that the busiest driver works
    tail: float  # time during which some cores have nothing left to do [s]
    repeated: float  # runs that were run again, over all runs
    portions: int  # that were handed out


def forecast(load: Load) -> Forecast:
    """Simulate a sweep; several drivers work side by side, each on its part."""
    parts = [
        _one_driver(load, load.runs // load.drivers, max(1, load.cores // load.drivers), k)
        for k in range(min(load.drivers, 4))  # alike; the slowest of some stands for all
    ]
    slowest = max(parts, key=lambda part: part.seconds)
    work = load.mean * (load.runs // load.drivers)
    cores = max(1, load.cores // load.drivers)
    return Forecast(
        slowest.seconds,
        work / (cores * slowest.seconds),
        slowest.driver,
        slowest.tail,
        slowest.repeated,
        slowest.portions * load.drivers,
    )


def _one_driver(load: Load, runs: int, cores: int, part: int) -> Forecast:
    """Simulate the part of a sweep that one driver has."""
    draw = _Times(load, np.random.default_rng([load.seed, part]))
    waiting, busy, free, portions, repeated = runs, 0.0, 0.0, 0, 0
    asking: list[tuple[float, int, bool]] = [(0.0, 0, False)] * cores  # time, runs, lost
    idle, end = math.inf, 0.0  # when the first core has nothing left, and the last result
    while asking:
        now, size, lost = heapq.heappop(asking)
        begun = max(now, free)
        cost = 0.0 if lost else load.result * size
        if lost:
            waiting, repeated = waiting + size, repeated + size
        if waiting:
            size = min(_portion(load, waiting, cores), waiting)
            waiting -= size
            portions += 1
            cost += load.dispatch
            seconds, lost = draw.portion(size)
            heapq.heappush(asking, (begun + cost + seconds, size, lost))
        else:
            idle = min(idle, now)
        free = begun + cost
        busy += cost
        end = max(end, free)
    return Forecast(end, 0.0, busy / end, end - idle, repeated / runs, portions)


def _portion(load: Load, waiting: int, cores: int) -> int:
    """Runs to hand out: the portion asked for, less when few are left for each core."""
    if not load.guided:
        return load.portion
    return max(1, min(load.portion, int(GUIDED * waiting / cores)))


class _Times:
    """Times of portions, drawn in blocks."""

    def __init__(self, load: Load, generator: np.random.Generator) -> None:
        self.load, self.generator = load, generator
        self.sigma = math.sqrt(math.log1p(load.spread**2))  # of the logarithm
        self.mu = math.log(load.mean) - self.sigma**2 / 2

    def portion(self, size: int) -> tuple[float, bool]:
        """Time until a portion ends [s], and whether its core was lost before."""
        load, generator = self.load, self.generator
        if size <= EXACT:
            seconds = float(generator.lognormal(self.mu, self.sigma, size).sum())
        else:
            deviation = math.sqrt(size) * load.mean * load.spread
            seconds = max(0.0, float(generator.normal(size * load.mean, deviation)))
        if load.failures > 0:
            until = float(generator.exponential(1.0 / load.failures))
            if until < seconds:
                return until, True
        return seconds, False
