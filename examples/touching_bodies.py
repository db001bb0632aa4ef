"""Bodies that touch each other under every contact model; prints the table of docs/bodies.md.

python touching_bodies.py run [model ...]

    box on box   a brick falls 1 mm onto another one
    cart         hoap1 pushes a cart of 1 kg with both forearms
    table        hoap1 leans with a forearm on a table of 1 kg

Solvers, impulse laws and `Feedback` take steps of 1 ms. Force laws, on whose springs hoap1 sinks
0.2 mm, take steps of 0.2 ms.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np

import stiction as st

FORCE_LAWS = (st.SpringDamper, st.ImplicitSpringDamper, st.HuntCrossley, st.Distributed)
LAWS = (st.Multipoint, st.Balanced, st.Feedback, *FORCE_LAWS)
MODELS = (st.Coulomb, st.GaussSeidel, st.FacetedLCP, st.Bilateral, *LAWS)
FOREARMS = {"shoulder_pitch": 0.0, "elbow_pitch": -np.pi / 2}  # level, they end at x = 0.1 m
TIP, UNDER = 0.1005, 0.2597  # x of their ends and z of their undersides [m]


def model_of(kind, mass=5.0, sinks=2e-4):
    """A contact model with friction; a force law is as stiff as a robot of this mass needs."""
    k, c = mass * 9.81 / 4 / sinks, 15.0 * mass
    values = {"mu_static": 0.8, "mu_kinetic": 0.6}
    if kind is st.HuntCrossley:
        values |= {"stiffness": k * sinks**-0.5, "damping": k * sinks**-0.5}
    elif kind in FORCE_LAWS:
        values |= {"stiffness": k, "damping": c, "alpha": 1.0, "beta": 0.0}
        values |= {"tangential_stiffness": k, "tangential_damping": c}
    return kind(**{name: value for name, value in values.items() if name in kind._fields})


def box_on_box():
    """World, state, controller and the two bodies."""
    lower, upper = st.robots.brick().named("lower"), st.robots.brick().named("upper")
    world = st.World(lower.at((0.0, 0.0, 0.03)), upper.at((0.03, 0.01, 0.091)))
    return world, world.home(), None, ("upper", "lower")


def hoap1_and(body, moves, time):
    """hoap1 with level forearms and another robot; its joints move by so much in this time."""
    plan = st.patterns.squat(st.robots.hoap1(), depth=1e-3)
    joints = tuple(name for name in plan.robot.joint_name.tolist() if name != "trunk_free")
    start = plan.q[0].copy()
    for name, angle in FOREARMS.items():
        start[[7 + joints.index(f"{side}_{name}") for side in ("left", "right")]] = angle
    world = st.World(plan.robot, body)
    state = world.home()
    state.q[: len(start)] = start
    end = start[7:] + [moves.get(name, 0.0) for name in joints]
    reference = st.Reference(
        [0.0, 0.02, 0.02 + time, 5.0],
        [start[7:], start[7:], end, end],
        np.zeros((4, len(joints))),
        joints=joints,
    )
    tracking, arms = plan.tracking(), np.array(["shoulder" in n or "elbow" in n for n in joints])
    firm = np.where(arms, 10.0, 1.0)
    controller = replace(
        tracking,
        reference=reference,
        stiffness=firm * tracking.stiffness,
        damping=np.sqrt(firm) * tracking.damping,
        feedforward=np.tile(tracking.feedforward[0], (4, 1)),
    )
    return world, state, controller, ("hoap1", body.name)


def cart():
    """The arms reach forward by 26 mm."""
    body = st.robots.cart((0.3, 0.3, 0.272), mass=1.0, wheel=0.02)
    moves = {"shoulder_pitch": -0.3, "elbow_pitch": 0.37}
    both = {f"{side}_{name}": angle for name, angle in moves.items() for side in ("left", "right")}
    return hoap1_and(body.at((TIP + 0.002 + 0.15, 0.0, 0.0)), both, 0.15)


def table():
    """The left forearm, 1 mm above the table, goes down."""
    body = st.robots.table((0.2, 0.3, UNDER - 1e-3), mass=1.0, thickness=0.02, leg=0.02)
    return hoap1_and(body.at((0.16, 0.0, 0.0)), {"left_elbow_pitch": 0.1}, 0.1)


SCENES = {"box on box": (box_on_box, 0.1), "cart": (cart, 0.2), "table": (table, 0.2)}


def run(scene, kind, duration=None):
    """The motion of a scene under a model, and the force of the second body on the first."""
    make, normal = SCENES[scene]
    world, state, controller, (first, second) = make()
    model = model_of(kind, 5.0 if controller else 2.0)
    motion = st.simulate(
        world,
        model,
        duration=normal if duration is None else duration,
        dt=2e-4 if kind in FORCE_LAWS else 1e-3,
        state=state,
        controller=controller,
    )
    return motion, motion.force_between(first, second)


def told(scene, kind):
    """What is in the table of docs/bodies.md."""
    motion, force = run(scene, kind)
    size = np.linalg.norm(force[:-1], axis=1)
    last = np.abs(force[-len(force) // 4 : -1].mean(axis=0))
    unsolved = f", {motion.unsolved.count} unsolved" if motion.unsolved.count else ""
    if scene == "cart":
        pushed = motion.q[-1, 27] - motion.q[0, 27]
        return f"{1e3 * pushed:.0f} mm, at most {size.max():.1f} N{unsolved}"
    if scene == "table":
        return f"{last[2]:.2f} N{unsolved}"
    return f"{last[2]:.2f} N, {size.max():.0f} N{unsolved}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit()
    print("| |", " | ".join(SCENES), "|")
    print("|---" * (len(SCENES) + 1) + "|")
    warnings.simplefilter("ignore")
    for kind in MODELS:
        if len(sys.argv) == 2 or kind.__name__ in sys.argv[2:]:
            cells = [told(scene, kind) for scene in SCENES]
            print(f"| `{kind.__name__}` |", " | ".join(cells), "|", flush=True)
