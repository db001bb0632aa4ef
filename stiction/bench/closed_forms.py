"""Scenes whose motion is known in closed form, and how far one contact model is from it.

Each scene is a function of a `Trial`, one contact model with one integrator and time step; it
returns the worst of each of its measures over all of its cases. A measure is None where the model
has no such parameter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.contact.contact_model import FORCE_LAW, MODELS

Measures = dict[str, float | None]

GRAVITY = 9.81  # [m/s2]
FRICTION = 0.5
HEADINGS = tuple(math.radians(degrees) for degrees in (0.0, 30.0, 45.0, 77.0))
SETTLING = 0.5  # before a block at rest is measured [s]

SPEEDS = (0.5, 1.0, 3.0, 4.0)  # of a block that slides [m/s]
AFTER = 0.2  # what is simulated after it stopped [s]
ABOVE_ANGLE, BELOW_ANGLE = 1.01, 0.99  # slope over coefficient of friction
STATIC, KINETIC = 1.0, 0.4
RAMP = 4.0  # [N/s]
BLOCK = 1.0  # mass of the block that a force pulls [kg]
AT_REST = 1e-6  # [m/s]
NEARLY = 1e-3  # of its first speed: faster, a block still slides
BOUNCES, DROP = 5, 1.0  # height of the drop [m]
ROLLING = ((1.0, 0.0), (4.0, 0.0), (4.0, HEADINGS[3]))  # speed [m/s], heading
ROD_RESTITUTIONS = (0.0, 0.5, 0.8, 0.9, 1.0)
ROD_ANGLES = tuple(math.radians(degrees) for degrees in (5.0, 15.0, 30.0, 45.0, 60.0, 80.0))
ROD_FRICTIONS = (0.0, 0.2, 0.5, 1.0)
ROD_SPEEDS = (-2.0, 0.0, 2.0)  # along the ground [m/s]
ROD_SPINS = ((0.0, 0.0, 0.0), (0.0, 8.0, 0.0), (3.0, -8.0, 20.0))  # in its own axes [rad/s]
ROD_IMPACT = 5.0  # about the fastest of an end [m/s]
ROD_HEADING = 0.3  # of the speed along the ground; it leans in the direction x [rad]


class Contender(NamedTuple):
    """A contact model, parameters that are always given to it, and an integrator."""

    name: str
    kind: Any
    always: dict[str, float]
    integrator: Any

    def has(self, parameter: str) -> bool:
        """Whether the model has a parameter of this name."""
        return parameter in self.kind._fields

    @property
    def slides(self) -> bool:
        """Whether the model knows friction."""
        return any(self.has(name) for name in ("mu", "mu_kinetic", "mu_static"))

    @property
    def is_law(self) -> bool:
        """Whether it is a force law."""
        return MODELS[self.kind].family == FORCE_LAW


class Material(NamedTuple):
    """What a scene asks of a contact, whatever the model calls it."""

    mu_static: float = FRICTION
    mu_kinetic: float = FRICTION
    restitution: float = 0.0
    speed: float = 0.0  # of the impact that restitution is chosen for, 0 for none [m/s]
    newton_impacts: float = 0.0


# ---------------------------------------------------------------------------- parameters of a model

# Force laws are as stiff as a time step bears: the body on its points swings by this angle a step.
# Between a body and the mass on one of its points lies a factor of about three, which this leaves.
ANGLE = 0.2  # [rad]
REST_DAMPING = 0.7  # of the critical one, where nothing is to bounce
SOFT = 2.0  # the same of Hunt and Crossley's law at an impact: its damping times the speed


def model_for(contender: Contender, material: Material, mass: float, points: int, dt: float) -> Any:
    """Return the contender's parameters for a body of a mass [kg] that stands on some points.

    Force laws have no coefficient of restitution: their damping is chosen for the first impact.
    Feedback has the paper's gains at 1 ms, and such that a step does as much at others.
    """
    values = {**material._asdict(), "mu": material.mu_kinetic}
    omega = ANGLE / dt  # [rad/s]
    load, sag = mass / points, GRAVITY / omega**2
    if contender.kind in (st.SpringDamper, st.ImplicitSpringDamper):
        values["stiffness"] = load * omega**2
        values["damping"] = 2 * _damping_ratio(material.restitution) * load * omega
    if contender.kind is st.HuntCrossley:
        values["stiffness"] = load * GRAVITY / sag**1.5
        values["damping"] = values["stiffness"] * _hunt_crossley_ratio(material, omega)
    if contender.kind is st.Distributed:
        spring, damper = load * omega**2, 2 * REST_DAMPING * load * omega
        values |= {"stiffness": spring, "alpha": 1.0, "damping": damper, "beta": 0.0}
        values |= {"tangential_stiffness": spring, "tangential_damping": damper}
    if contender.kind is st.Feedback:
        values |= {"velocity_gain": 0.25 / dt, "position_gain": 5e-4 / dt**2}
        values["steady_depth"] = 10 * GRAVITY * dt**2
    if contender.kind in (st.Multipoint, st.Balanced):
        values["eps"] = 0.0  # derived from the step
    if contender.kind is st.Balanced:  # nearly rigid beyond the membrane
        values |= {"relaxation": 1e-4, "relative": 1.0, "spring_beyond": 0.0}
    chosen = {name: value for name, value in values.items() if contender.has(name)}
    return contender.kind(**{**chosen, **contender.always})


def _damping_ratio(e: float) -> float:
    """Of a spring whose damper acts only while it is compressed, for a restitution e above 0.

    e = exp(-zeta / s * atan(s / zeta)) with s = sqrt(1 - zeta^2).
    """
    if e == 0:
        return REST_DAMPING
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(60):
        zeta = 0.5 * (low + high)
        s = math.sqrt(1 - zeta**2)
        more = math.exp(-zeta / s * math.atan2(s, zeta)) > e
        low, high = (zeta, high) if more else (low, zeta)
    return low


def _hunt_crossley_ratio(material: Material, omega: float) -> float:
    """Damping over stiffness a [s/m]: a v (1 + e) = log((1 + a v) / (1 - a v e)) for e above 0."""
    e, v = material.restitution, material.speed
    if e == 0:
        return min(omega / GRAVITY, SOFT / v) if v > 0 else omega / GRAVITY
    if e == 1:
        return 0.0
    low, high = 0.0, (1 - 1e-12) / e  # of a v
    for _ in range(60):
        x = 0.5 * (low + high)
        more = math.log((1 + x) / (1 - x * e)) < x * (1 + e)
        low, high = (x, high) if more else (low, x)
    return low / v


# ------------------------------------------------------------------------------------------- trials


class Trial:
    """One contender with one time step; keeps the worst criteria of its motions."""

    def __init__(self, contender: Contender, dt: float) -> None:
        """Nothing was simulated yet."""
        self.contender, self.dt = contender, dt
        self.criteria: dict[str, float] = {}
        self.unsolved = 0  # steps that the solver gave up on

    def simulate(
        self,
        world: st.World,
        state: st.State,
        duration: float,
        material: Material = Material(),  # noqa: B008  a tuple
        forces: Iterable[st.TabulatedForce] = (),
        points: int = 4,
    ) -> st.Motion:
        """Simulate and look at the criteria of contact. points: how many carry the body."""
        mass = world.robots[0].total_mass
        motion = st.simulate(
            world,
            model_for(self.contender, material, mass, points, self.dt),
            duration=duration,
            dt=self.dt,
            state=state,
            forces=forces,
            integrator=self.contender.integrator,
        )
        self.unsolved += motion.solver_summary().failures
        if self.contender.slides and material.restitution == 0:
            worst = motion.criteria().worst()
            self.criteria = {
                name: max(value, self.criteria.get(name, 0.0)) for name, value in worst.items()
            }
        return motion

    def told(self) -> dict[str, float]:
        """Worst criteria and steps that were not solved, by name, where they apply."""
        units = ("N s", "m/s", "J", "J", "J")  # of all but the last, which exact models do not meet
        named = {
            f"{name} [{unit}]": value
            for (name, value), unit in zip(self.criteria.items(), units, strict=False)
        }
        return named if self.contender.is_law else {**named, "steps not solved": self.unsolved}

    def settled(
        self,
        world: st.World,
        material: Material = Material(),  # noqa: B008  a tuple
        points: int = 4,
    ) -> st.State:
        """Return the state after some time at rest, at time 0."""
        motion = self.simulate(world, world.standing(), SETTLING, material, points=points)
        return st.State(motion.q[-1].copy(), motion.v[-1].copy())


def along(heading: float) -> np.ndarray:
    """Unit vector (2) of a heading."""
    return np.array([math.cos(heading), math.sin(heading)])


def time_to_stop(motion: st.Motion, speed: np.ndarray) -> float:
    """When an evenly falling speed (n) reaches zero, told from when it is nearly there [s]."""
    moving = np.flatnonzero(speed > NEARLY * speed[0])
    if len(moving) < 2 or moving[-1] == len(speed) - 1:
        return math.inf
    k = int(moving[-1])
    deceleration = (speed[k - 1] - speed[k]) / (motion.time[k] - motion.time[k - 1])
    if deceleration <= 0:
        return math.inf
    return float(motion.time[k] - motion.time[0] + speed[k] / deceleration)


def percent(found: float, exact: float) -> float:
    """Relative error."""
    return 100 * abs(found / exact - 1)


# ------------------------------------------------------------------------------------------- scenes


def stopping(trial: Trial) -> Measures:
    """A block slides to rest: way v0^2 / (2 mu g), in the direction it began with."""
    distance, duration, creep = 0.0, 0.0, 0.0
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.brick())
    rest = trial.settled(world)
    for heading in HEADINGS:
        for v0 in SPEEDS:
            way, time = v0**2 / (2 * FRICTION * GRAVITY), v0 / (FRICTION * GRAVITY)
            state = st.State(rest.q, rest.v.copy())
            state.v[:2] += v0 * along(heading)
            motion = trial.simulate(world, state, time + AFTER)
            off = motion.q[-1, :2] - rest.q[:2] - way * along(heading)
            distance = max(distance, 100 * float(np.linalg.norm(off)) / way)
            stopped = time_to_stop(motion, motion.v[:, :2] @ along(heading))
            duration = max(duration, percent(stopped, time))
            last = motion.time > time + AFTER / 2
            creep = max(creep, 1000 * float(np.linalg.norm(motion.v[last, :3], axis=1).max()))
    return {"distance [%]": distance, "time [%]": duration, "speed at rest [mm/s]": creep}


def tilted_world(angle: float, heading: float) -> st.World:
    """Return a brick flat on a slope that rises in the direction `heading`."""
    x, y = along(heading)
    quaternion = [math.cos(angle / 2), *(math.sin(angle / 2) * np.array([y, -x, 0.0]))]
    return st.World(
        st.robots.brick().at((0.0, 0.0, 0.0), quaternion), ground=st.Slope(angle, heading)
    )


def slope_below(trial: Trial) -> Measures:
    """A block on a slope at 99 % of the friction angle does not move."""
    angle = math.atan(BELOW_ANGLE * FRICTION)
    mean, largest, duration = 0.0, 0.0, 2.0
    for heading in HEADINGS:
        world = tilted_world(angle, heading)
        motion = trial.simulate(world, world.standing(), SETTLING + duration)
        settled = motion.time >= SETTLING
        q, v = motion.q[settled, :3], motion.v[settled, :3]
        mean = max(mean, 1000 * float(np.linalg.norm(q[-1] - q[0])) / duration)
        largest = max(largest, 1000 * float(np.linalg.norm(v, axis=1).max()))
    return {"drift [mm/s]": mean, "largest speed [mm/s]": largest}


def slope_above(trial: Trial) -> Measures:
    """At 101 % it slides with g (sin - mu cos), and all four corners always touch."""
    if not trial.contender.slides:
        return {}
    angle = math.atan(ABOVE_ANGLE * FRICTION)
    exact = GRAVITY * (math.sin(angle) - FRICTION * math.cos(angle))
    error, lost = 0.0, 0.0
    for heading in HEADINGS:
        world = tilted_world(angle, heading)
        motion = trial.simulate(world, world.standing(), 1.0)
        down = -np.array([*(math.cos(angle) * along(heading)), math.sin(angle)])
        half = len(motion) // 2
        gained = (motion.v[-1, :3] - motion.v[half, :3]) @ down
        error = max(error, percent(gained / (motion.time[-1] - motion.time[half]), exact))
        carrying = (np.linalg.norm(motion.force[:-1], axis=2) > 0).sum(axis=1)
        lost = max(lost, 100 * float((carrying < 4).mean()))
    return {"acceleration [%]": error, "steps with a corner lifted [%]": lost}


def break_away(trial: Trial) -> Measures:
    """A force in the plane of contact grows by 4 N/s until the block breaks away and slides.

    The block moves forwards from some moment on; the force in the middle of the step before that is
    compared with mu_s m g. A fixed step knows the moment to one step only, so what the force grows
    in one step is taken off. From then on the gain of speed over 0.5 s is compared with that under
    mu_k. Without the step taken off: the same speed against that of a break-away at the exact
    moment.
    """
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.brick(mass=BLOCK))
    height = -float(world.standing().q[2])
    weight = BLOCK * GRAVITY
    moment, after = STATIC * weight / RAMP, 0.5  # [s]
    material = Material(STATIC, KINETIC)
    rest = trial.settled(world, material)
    force_error = speed_error = whole_error = 0.0
    for heading in (HEADINGS[0], HEADINGS[1]):
        end = moment + after + 0.1
        pull = [[0.0, 0.0, 0.0], [*(RAMP * end * along(heading)), 0.0]]
        ramp = st.TabulatedForce("brick", (0.0, 0.0, height), [0.0, end], pull)
        motion = trial.simulate(world, rest, moment + after, material, [ramp])
        speed = motion.v[:, :2] @ along(heading)
        k = int(np.flatnonzero(speed <= AT_REST)[-1])  # at rest for the last time
        if k >= len(motion) - 2:
            return {"force less one step [%]": math.inf, "then gain of speed [%]": math.inf}
        force = RAMP * (motion.time[k] + trial.dt / 2)
        off = max(0.0, abs(force - STATIC * weight) - RAMP * trial.dt)
        force_error = max(force_error, 100 * off / (STATIC * weight))

        def gain(t0: float, t1: float) -> float:
            return (RAMP * (t1**2 - t0**2) / 2 - KINETIC * weight * (t1 - t0)) / BLOCK

        t1 = float(motion.time[-1])
        error = percent(float(speed[-1] - speed[k + 1]), gain(float(motion.time[k + 1]), t1))
        speed_error = max(speed_error, error)
        whole_error = max(whole_error, percent(float(speed[-1]), gain(moment, t1)))
    return {
        "force less one step [%]": force_error,
        "then gain of speed [%]": speed_error,
        "speed, no step taken off [%]": whole_error,
    }


def bounce_world() -> tuple[st.World, st.State]:
    """Return a ball 1 m above the ground."""
    world = st.World(st.robots.ball())
    return world, world.standing(above=DROP)


def flights(motion: st.Motion) -> Iterator[slice]:
    """Moments of free flight between two impacts; at least three."""
    touched = np.linalg.norm(motion.force[:-1], axis=2).any(axis=1) | (motion.depth[:-1] > 0).any(1)
    edges = np.flatnonzero(np.diff(np.concatenate([[True], touched, [True]]).astype(int)))
    for first, last in edges.reshape(-1, 2):  # free steps: first .. last - 1, moments first .. last
        if last - first >= 2:
            yield slice(int(first), int(last) + 1)


def apex(motion: st.Motion, flight: slice) -> float:
    """Height of the ball above the ground at the top of the parabola through a flight [m]."""
    t, z = motion.time[flight], motion.q[flight, 2]
    middle = t[len(t) // 2]
    a, b, c = np.polyfit(t - middle, z, 2)
    return float(c - b**2 / (4 * a)) - motion.world.robots[0].shape_size[0, 0]


def bounce(trial: Trial, e: float) -> Measures:
    """A ball dropped from 1 m comes up to e^2 of its height each of five times."""
    contender = trial.contender
    if e > 0 and not (contender.has("restitution") or contender.is_law):
        return {}
    world, state = bounce_world()
    material = Material(restitution=e, speed=math.sqrt(2 * GRAVITY * DROP))
    duration = math.sqrt(2 * DROP / GRAVITY) * (1 + 2 * BOUNCES) + 0.1
    motion = trial.simulate(world, state, duration, material, points=1)
    tops = [apex(motion, flight) for flight in flights(motion)]
    if e == 0:
        lowest = motion.q[:, 2] - world.robots[0].shape_size[0, 0]
        hit = int(np.argmax(motion.force[:, 0, 2] > 0))  # the step in which it first touches
        after = lowest[hit + 1 :]  # it may come down the rest of its way in the next step
        rebound = float((after - np.minimum.accumulate(after)).max()) if hit else math.inf
        return {
            "rebound [mm]": 1000 * max(rebound, 0.0),
            "deepest [mm]": max(0.0, -1000 * lowest.min()),
        }
    ratios = np.array(tops[1:]) / np.array(tops[:-1])
    if len(ratios) < BOUNCES:
        return {"height a bounce [%]": math.inf, "energy gained": growth(motion)}
    worst = max(percent(float(ratio), e**2) for ratio in ratios[:BOUNCES])
    return {"height a bounce [%]": worst, "energy gained": growth(motion)}


def growth(motion: st.Motion) -> float:
    """Most that the energy in flight rises above what it was in flight before, over the first."""
    energy = motion.energy().total - motion.energy().potential.min()
    energy = np.concatenate([energy[flight] for flight in flights(motion)])
    return float((energy - np.minimum.accumulate(energy)).max() / energy[0])


def bounces(trial: Trial) -> Measures:
    """All coefficients of restitution."""
    found: Measures = {}
    for e in (0.0, 0.5, 0.9, 1.0):
        found |= {f"e {e:g}: {name}": value for name, value in bounce(trial, e).items()}
    return found


def rolling(trial: Trial) -> Measures:
    """A ball slides until it rolls, after 2 v0 / (7 mu g), with 5/7 v0, for good."""
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.ball())
    radius = world.robots[0].shape_size[0, 0]
    rest = trial.settled(world, points=1)
    speed_error = time_error = kept = 0.0
    for v0, heading in ROLLING:
        state = st.State(rest.q, rest.v.copy())
        state.v[:2] += v0 * along(heading)
        exact = 2 * v0 / (7 * FRICTION * GRAVITY)
        motion = trial.simulate(world, state, exact + 5.0, points=1)
        speed = motion.v[:, :2] @ along(heading)
        slip = speed - radius * spin_over_ground(motion) @ [-along(heading)[1], along(heading)[0]]
        early = motion.time <= exact + 1.0
        time_error = max(time_error, percent(time_to_stop(motion, slip), exact))
        speed_error = max(speed_error, percent(float(speed[-1]), 5 / 7 * v0))
        kept = max(kept, percent(float(speed[-1]), float(speed[early][-1])))
    return {"speed [%]": speed_error, "time [%]": time_error, "lost in 4 s [%]": kept}


def spin_over_ground(motion: st.Motion) -> np.ndarray:
    """Angular velocity of a free body about x and y of the world [rad/s], (n, 2)."""
    w, u = motion.q[:, 3:4], motion.q[:, 4:7]
    omega = motion.v[:, 3:6]
    turned = omega + 2 * np.cross(u, np.cross(u, omega) + w * omega)
    return turned[:, :2]


def rod_states(world: st.World) -> Iterator[tuple[float, st.State]]:
    """Return 72 ways to drop a rod on its end: coefficient of friction and state."""
    robot = world.robots[0]
    radius, half = robot.shape_size[0, :2]
    for k, (angle, mu) in enumerate(itertools.product(ROD_ANGLES, ROD_FRICTIONS)):
        for speed in ROD_SPEEDS:
            state = world.home()
            state.q[2] = 0.1 + radius + half * math.cos(angle)
            state.q[3:7] = [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]
            state.v[:3] = [*(speed * along(ROD_HEADING)), -2.0]
            state.v[3:6] = ROD_SPINS[k % len(ROD_SPINS)]
            yield mu, state


def rod_gain(trial: Trial, e: float, newton_impacts: float = 0.0) -> float:
    """Most that the energy of a rod exceeds that at the start, over the latter, of 72 drops."""
    world = st.World(st.robots.rod())
    robot, gain = world.robots[0], -math.inf
    lying = robot.total_mass * GRAVITY * robot.shape_size[0, 0]
    for mu, state in rod_states(world):
        material = Material(mu, mu, e, ROD_IMPACT, newton_impacts)
        # the end of a rod, moved alone, weighs a quarter of it: as one point out of four
        motion = trial.simulate(world, state, 0.6, material, points=4)
        energy = motion.energy().total - lying
        gain = max(gain, float(energy.max() / energy[0]) - 1)
    return gain


def rods(trial: Trial) -> Measures:
    """A rod falls on its end 72 times, with speed along the ground and spin; no gain of energy."""
    found: Measures = {}
    contender = trial.contender
    bounces = contender.has("restitution") or contender.is_law
    for e in ROD_RESTITUTIONS:
        found[f"e {e:g}: energy gained"] = rod_gain(trial, e) if bounces or e == 0 else None
    if contender.has("newton_impacts"):
        for e in ROD_RESTITUTIONS[2:]:
            found[f"e {e:g}: with newton_impacts"] = rod_gain(trial, e, newton_impacts=1.0)
    return found


def corners(trial: Trial, points: int) -> Measures:
    """A block at rest: every point carries the same, always."""
    brick = st.robots.brick()
    world = st.World(brick if points == 4 else brick.with_sole_points("brick", points // 2, 2))
    motion = trial.simulate(world, world.standing(), SETTLING + 0.5, points=points)
    force = motion.force[:-1][motion.time[:-1] >= SETTLING]
    weight = world.robots[0].total_mass * GRAVITY
    carrying = force[:, np.linalg.norm(force, axis=2).max(axis=0) > 0]
    share = weight / points
    if carrying.shape[1] != points:
        return {"a point": math.inf, "sum": math.inf, "over time": math.inf}
    off = np.linalg.norm(carrying - [0.0, 0.0, share], axis=2).max() / share
    total = np.linalg.norm(force.sum(axis=1) - [0.0, 0.0, weight], axis=1).max() / weight
    deviation = carrying.std(axis=0).max() / share
    return {"a point": float(off), "sum": float(total), "over time": float(deviation)}


def rest(trial: Trial) -> Measures:
    """A block on 4 corners and on 8 points."""
    return {
        f"{points} points: {name}": value
        for points in (4, 8)
        for name, value in corners(trial, points).items()
    }


SCENES = {
    "stopping": stopping,
    "slope 99 %": slope_below,
    "slope 101 %": slope_above,
    "break-away": break_away,
    "bounce": bounces,
    "rolling": rolling,
    "rod": rods,
    "rest": rest,
}
