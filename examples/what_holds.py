"""Robots walk, jump and drop under every contact model; prints the tables of docs/patterns.md.

python what_holds.py walk [robot ...] : planned motions, how far off the plan they end
python what_holds.py drop [robot ...] : robots without control fall 0.1 m

Solvers, impulse laws and `Feedback` take steps of 1 ms. Force laws are as stiff as those of
`stiction demo`: on one foot a robot sinks 0.2 mm. Their step is 0.2 ms, halved until it is stable.
G1 and Go2 are read from the folder that STICTION_DATA names.
"""

import os
import sys
import warnings
from functools import partial

import numpy as np

import stiction as st
from stiction.description.rotation import matrix
from stiction.errors import SimulationError

FORCE_LAWS = (st.SpringDamper, st.ImplicitSpringDamper, st.HuntCrossley, st.Distributed)
LAWS = (st.Multipoint, st.Balanced, st.Feedback, *FORCE_LAWS)
MODELS = (st.Coulomb, st.GaussSeidel, st.FacetedLCP, st.Bilateral, *LAWS)
MENAGERIE = f"{os.environ.get('STICTION_DATA')}/robots/mujoco_menagerie"
FEET = ("left_foot_box_collision", "right_foot_box_collision")  # G1's file lets nothing collide
ROBOTS = {name: getattr(st.robots, name) for name in ("hoap1", "biped10", "biped14", "hrp2")} | {
    "G1": lambda: st.load(f"{MENAGERIE}/unitree_g1/g1_mjx_nomesh.xml").with_colliding(*FEET),
    "hanavan": st.robots.hanavan,
    "Go2": lambda: st.load(f"{MENAGERIE}/unitree_go2/go2_nomesh.xml"),
}
SINKS = 2e-4  # [m]
DAMPING = 30.0  # of four points, by the robot's mass: 0.27 of critical damping [1/s]
HIGH = 0.1  # from which robots drop [m]


def floor(kind, robot):
    """A contact model with friction 0.8 / 0.6; a force law has the stiffness for the robot."""
    points = 4
    if robot.name == "hanavan":  # 18 under a sole; all laws but one share stiffness among eight
        points = 18 if kind is st.Distributed else 8
    k, c = robot.total_mass * 9.81 / points / SINKS, DAMPING * robot.total_mass * 4 / points
    values = {"mu_static": 0.8, "mu_kinetic": 0.8 if kind is st.Feedback else 0.6}
    if kind is st.HuntCrossley:  # the same force at the same depth
        values |= {"stiffness": k * SINKS**-0.5, "damping": k * SINKS**-0.5}
    elif kind in FORCE_LAWS:
        values |= {"stiffness": k, "damping": c, "alpha": 1.0, "beta": 0.0}
        values |= {"tangential_stiffness": k, "tangential_damping": c}
    elif kind is st.Bilateral:
        values |= {"release": 0.0}  # lets go of what is pulled
    return kind(**{name: value for name, value in values.items() if name in kind._fields})


def longest_step(world, model, state):
    """The step for a model [s]."""
    dt = 2e-4 if type(model) in FORCE_LAWS else 1e-3
    while type(model) in FORCE_LAWS:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            st.Simulation(world, model, dt, state)
        if not told:
            break
        dt /= 2
    return dt


def run(world, model, dt=None, **how):
    """A motion, one moment a millisecond, or None if it diverged; and marks of its warnings."""
    dt = longest_step(world, model, how["state"]) if dt is None else dt
    with warnings.catch_warnings(record=True):
        try:
            motion = st.simulate(world, model, dt=dt, record=st.Recording(round(1e-3 / dt)), **how)
        except SimulationError as error:
            print(error, file=sys.stderr)
            return None, ""
    notes = " ".join(motion.parameters["notes"])
    marks = f" u{motion.unsolved.count}" if motion.unsolved.count else ""
    marks += " e" if "contact added" in notes else ""
    return motion, marks + (" d" if " penetrated by " in notes else "")


def follow(pattern, controller, model, **how):
    """Largest angle of the base off the plan [degrees] / distance off the planned end [mm]."""
    how |= {"state": pattern.state, "controller": controller, "duration": pattern.duration}
    motion, marks = run(st.World(pattern.robot), model, **how)
    if motion is None:
        return "diverges"
    planned = pattern.q[np.searchsorted(pattern.time, motion.time[::10] - 1e-9)]
    pairs = zip(planned, motion.q[::10], strict=True)
    cosines = [np.trace(matrix(p[3:7]).T @ matrix(q[3:7])) / 2 - 0.5 for p, q in pairs]
    angle = np.degrees(np.arccos(np.clip(cosines, -1, 1))).max()
    end, goal = motion.q[-1, :3], pattern.q[-1, :3]
    if angle > 45 or end[2] < goal[2] / 2:
        return f"falls{marks}"
    return f"{angle:.2g} / {1000 * np.linalg.norm(end - goal):.2g}{marks}"


def drop(robot, model, **how):
    """Largest depth [mm] of a limp robot, and the energy that it gained by that of its fall."""
    world = st.World(robot)
    motion, marks = run(world, model, state=world.standing(above=HIGH), duration=2.0, **how)
    if motion is None:
        return "diverges"
    energy = motion.energy().total
    gain = 100 * (energy.max() - energy[0]) / (robot.total_mass * 9.81 * HIGH)
    gained = f", gain {gain:.2g} %" if gain > 0.1 else ""
    return f"{1000 * np.nanmax(motion.depth):.2g}{gained}{marks}"


def plans(name, robot):
    """Name, plan and controller of the motions of a robot."""
    walk = st.patterns.walk(robot, steps=6 if name == "hanavan" else 10)
    yield "walks", walk, walk.tracking()
    if name == "hanavan":
        yield "walks, joints prescribed", walk, st.Prescribed(walk.reference)
        return
    jump = st.patterns.jump(robot)
    yield "jumps", jump, jump.tracking()
    if name == "G1":
        yield "walks, own servos and `balance()`", walk, (walk.servos(), walk.balance())
        yield "jumps, own servos and `balance()`", jump, (jump.servos(), jump.balance())
    if name in ("hoap1", "hrp2"):
        lean = st.patterns.lean(robot)
        yield "leans", lean, lean.tracking()


def table(what, names):
    """Print a row for each motion, a cell as soon as it is known."""
    print("| |", " | ".join(f"`{kind.__name__}`" for kind in MODELS), "|")
    print("|---" * (len(MODELS) + 1) + "|")
    for name in names or [name for name in ROBOTS if what == "drop" or name != "Go2"]:
        robot = ROBOTS[name]()
        cells = (
            [(name, partial(drop, robot))]
            if what == "drop"
            else (
                (f"{name} {does} ({1000 * plan.zmp_margin:.0f})", partial(follow, plan, control))
                for does, plan, control in plans(name, robot)
            )
        )
        for label, cell in cells:
            print(f"| {label} |", end="", flush=True)
            for kind in MODELS:
                print(f" {cell(floor(kind, robot))} |", end="", flush=True)
            print(flush=True)


if __name__ == "__main__":
    table(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else print(__doc__)
