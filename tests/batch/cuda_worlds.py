"""Batches on CUDA against the CPU, every contact model; a program of its own.

Run with the number of worlds and of steps, on a device or, with NUMBA_ENABLE_CUDASIM=1 and
NUMBA_DISABLE_JIT=1, in Numba's simulator of one; prints a line for each case.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from numba import config

sys.path.insert(0, str(Path(__file__).parents[1]))
import stiction as st
from gives_up import GivesUp
from linkages import leg, robot_of
from remembering import PID, Tally
from stiction.batch.packed import LANES
from stiction.contact.contact_model import MODELS, NoContact
from stiction.contact.effort import WHOLE

SPRINGS = st.ImplicitSpringDamper(stiffness=2e4)
SUITED = {
    st.SpringDamper: {"stiffness": 2e4, "damping": 100.0},
    st.ImplicitSpringDamper: {"stiffness": 2e4, "damping": 100.0},
    st.Distributed: {"damping": 100.0, "tangential_damping": 50.0},
}


def cases(plane, field, stairs):
    """World, integrator, method and contact model of every case."""
    euler, body = st.SemiImplicitEuler(), st.ArticulatedBody()
    yield plane, euler, body, None
    yield plane, st.RungeKutta4(), st.JointSpace(), None
    yield plane, st.Leapfrog(), st.JointSpace(), SPRINGS
    yield field, euler, body, SPRINGS
    yield stairs, euler, body, SPRINGS
    yield plane, st.RungeKutta4(), body, st.Feedback()
    yield plane, st.Leapfrog(), body, st.Coulomb()
    for kind in MODELS:
        if kind not in (NoContact, st.FacetedLCP) and kind.__module__.startswith("stiction."):
            # half a step on, where the biped's legs are straight, what is fixed yields too much in
            # single precision
            integrator = euler if kind is st.Bilateral else st.Midpoint()
            yield plane, integrator, body, kind(**SUITED.get(kind, {}))


def compare(world, integrator, method, model, precision, states, steps):
    """Largest difference of q and v from the CPU in double precision, and steps a second.

    The simulator of a device has no rate: it is None.
    """
    worlds = len(states[0])
    options = {"states": states, "integrator": integrator, "method": method, "effort": WHOLE}
    ours = st.BatchSimulation(world, worlds, model, device="cuda", precision=precision, **options)
    ours.step(steps)
    q, v = ours.q, ours.v
    rate = None
    if not config.ENABLE_CUDASIM:
        begun = time.perf_counter()
        ours.step(steps)
        ours._engine.cuda.synchronize()
        rate = worlds * steps / (time.perf_counter() - begun)
    few = min(worlds, 4)
    options["states"] = (states[0][:few], states[1][:few])
    theirs = st.BatchSimulation(world, few, model, **options)
    theirs.step(steps)
    off = max(np.abs(theirs.q - q[:few]).max(), np.abs(theirs.v - v[:few]).max())
    return float(off), rate


def compare_faceted(precision, steps):
    """Largest difference from the CPU of a box: larger problems take the simulator minutes."""
    world = st.World(st.robots.box())
    state = world.standing(above=-1e-4)
    states = (
        np.tile(state.q, (2, 1)),
        np.array([[0.3, 0.1, -0.1, 0, 0, 0], [0, 0, -0.5, 1, 2, 3.0]]),
    )
    method, model = st.ArticulatedBody(), st.FacetedLCP(facets=4.0)
    return compare(world, st.Midpoint(), method, model, precision, states, steps)[0]


def compare_loops(precision, steps):
    """Largest difference from the CPU of a leg with closed loops."""
    world = st.World(robot_of(leg()))
    state = world.standing(above=-1e-5)
    states = np.tile(state.q, (2, 1)), np.zeros((2, world.nv))
    states[1][1, :2] = -0.3, 0.5
    method, model = st.ArticulatedBody(), st.Coulomb()
    return compare(world, st.Midpoint(), method, model, precision, states, steps)[0]


def compare_bodies(model, precision, steps):
    """Largest difference from the CPU of three bricks on each other, in one world pushed apart."""
    height = 2 * st.robots.brick().shape_size[0, 2]
    world = st.World(*(st.robots.brick().at((0.01 * k, 0.0, height * (k + 0.5))) for k in range(3)))
    q, v = np.tile(world.home().q, (2, 1)), np.zeros((2, world.nv))
    v[1, 6:9] = 0.3, 0.1, 0.0
    method = st.ArticulatedBody()
    return compare(world, st.Midpoint(), method, model, precision, (q, v), steps)[0]


def compare_differing(world, states, steps):
    """Largest difference from the CPU where all that may differ does, and some begin again."""
    worlds = len(states[0])
    some = np.arange(worlds) % 3 == 1
    reference = st.Reference([0.0, 1.0], [world.home().q] * 2)
    options = {
        "states": states,
        "parameters": {"mu_kinetic": 0.3 + 0.01 * np.arange(worlds)},
        "controls": [st.PDTracking(reference, 50.0 + k, 2.0, limits=0.5) for k in range(worlds)],
        "forces": [
            [st.Push("trunk", (0.0, 0.0, 0.1), (float(k), 0.0, 0.0), start=0.0, stop=1.0)]
            for k in range(worlds)
        ],
        "torque": 0.1 * np.arange(worlds)[:, None] * np.ones(world.nv),
    }
    again = states[0][: some.sum()], states[1][: some.sum()]
    ends = []
    for device in ("cuda", "cpu"):
        batch = st.BatchSimulation(world, worlds, st.Coulomb(), device=device, **options)
        batch.step(steps)
        batch.reset(some, again)
        batch.set_torque(0.5 * options["torque"])
        batch.step(steps)
        ends.append(np.hstack([batch.q, batch.v]))
    return float(np.abs(ends[0] - ends[1]).max())


def compare_blocks(steps):
    """Largest difference from the CPU where worlds fill more than a block of memory."""
    world, worlds = st.World(st.robots.ball()), 2 * LANES + 7
    states = np.tile(world.standing().q, (worlds, 1)), 0.01 * np.arange(6.0 * worlds)
    states = states[0], states[1].reshape(worlds, 6)
    ends = []
    for device in ("cuda", "cpu"):
        batch = st.BatchSimulation(world, worlds, st.Coulomb(), states=states, device=device)
        batch.step(steps)
        batch.reset([LANES, 2 * LANES + 1])
        batch.step(steps)
        ends.append(np.hstack([batch.q, batch.v]))
    return float(np.abs(ends[0] - ends[1]).max())


def compare_states(steps):
    """Largest difference from the CPU of recorded contact states; inf if none slips."""
    world = st.World(st.robots.brick())
    at_rest, sliding = world.standing(above=-1e-4), world.standing(above=-1e-4)
    sliding.v[0] = 1.0
    record, worst = st.BatchRecording(("contact_state",)), 0.0
    for model, needed in ((st.Coulomb(), 2.0), (st.Distributed(**SUITED[st.Distributed]), 3.0)):
        found = [
            st.simulate_batch(
                world, 2, model, duration=1e-3 * steps, states=[at_rest, sliding], record=record,
                device=device,
            ).record["contact_state"]
            for device in ("cuda", "cpu")
        ]  # fmt: skip
        if not (found[1] == needed).any():
            return np.inf
        worst = max(worst, float(np.abs(found[0] - found[1]).max()))
    return worst


def compare_remembering(steps):
    """Largest difference from the CPU where controllers remember, and one world begins again."""
    world, worlds = st.World(st.robots.biped10(), gravity=(0.0, 0.0, 0.0)), 3
    controls = [
        (PID(0.1 * k, 20.0, 1.0, 50.0), st.Torques([0.1] * world.nv), Tally(9.0))
        for k in range(worlds)
    ]
    options = {"controls": controls, "integrator": st.RungeKutta4()}
    ends = []
    for device in ("cuda", "cpu"):
        batch = st.BatchSimulation(world, worlds, None, device=device, **options)
        batch.step(steps)
        batch.reset([1])
        batch.step(steps)
        ends.append(np.hstack([batch.q, batch.v]))
    return float(np.abs(ends[0] - ends[1]).max())


def compare_varied(steps):
    """Largest difference from the CPU where robots, grounds and set-points written there differ."""
    field = st.HeightField(np.zeros((5, 5)), 0.5)
    world, worlds = st.World(st.robots.biped10(), ground=field), 3
    names = tuple(world.dof_name(d) for d in range(6, world.nv))
    still = st.Reference([1e12, 2e12], np.tile(world.home().q[7:], (2, 1)), joints=names)
    some, random = np.array([1, 0, 1], np.uint8), np.random.default_rng(2)
    targets = world.home().q[7:] + random.uniform(-0.1, 0.1, (worlds, world.nv - 6))
    options = {
        "states": world.standing(),
        "controls": [st.PDTracking(still, 30.0, 1.0, joints=names)] * worlds,
        "variations": {
            "mass": np.array([0.9, 1.0, 1.2]),
            "centre_of_mass": 0.01 * random.normal(size=(worlds, *world.tree.centre.shape)),
            "heights": 1e-3 * random.uniform(size=(worlds, 5, 5)),
        },
    }
    ends = []
    for device in ("cuda", "cpu"):
        batch = st.BatchSimulation(world, worlds, SPRINGS, device=device, **options)
        if device == "cuda":
            (table,) = batch.on_device()["controllers"]
            value = table.reference.value.copy_to_host()
            value[0] = targets.T
            table.reference.value.copy_to_device(value)
            mask = batch._engine.cuda.to_device(some)
        else:
            for k in range(worlds):
                batch.controllers(k)[0].reference.value[0] = targets[k]
            mask = some.astype(bool)
        batch.step(steps)
        batch.forget(mask)
        batch.step(steps)
        ends.append(np.hstack([batch.q, batch.v]))
    off = float(np.abs(ends[0] - ends[1]).max())
    return off if np.ptp(ends[1][:, 2]) > 0 else np.inf


def compare_bounded(world, states, steps):
    """Largest difference from the CPU with a bounded effort; inf if no step used it up."""
    options = {"states": states, "effort": st.Effort(tries=1, iterations=2)}
    ends = []
    for device in ("cuda", "cpu"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", st.UnsolvedWarning)
            batch = st.BatchSimulation(
                world, len(states[0]), st.Coulomb(), device=device, **options
            )
            batch.step(steps)
        ends.append(np.hstack([batch.q, batch.v, batch.unfinished[:, None]]))
    return float(np.abs(ends[0] - ends[1]).max()) if ends[1][:, -1].any() else np.inf


def compare_unsolved(steps):
    """Largest difference from the CPU of the counts of unsolved steps; inf if there are none."""
    world, worlds = st.World(st.robots.ball()), 3
    options = {
        "states": world.standing(),
        "integrator": st.Leapfrog(),
        "parameters": {"start": np.array([0.002, 1.0, 0.003])},
    }
    counts = []
    for device in ("cuda", "cpu"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", st.UnsolvedWarning)
            batch = st.BatchSimulation(world, worlds, GivesUp(), device=device, **options)
            batch.step(steps)
        counts.append(batch.unsolved)
    return float(np.abs(counts[0] - counts[1]).max()) if counts[1].any() else np.inf


def main(worlds: int, steps: int) -> None:
    robots = st.robots.biped10(), st.robots.box().at((1.0, 0.0, 0.199))
    hills = np.random.default_rng(5).uniform(0.0, 0.002, (9, 9))
    grounds = (
        st.World(*robots, ground=ground)
        for ground in (st.Plane(), st.HeightField(hills, 0.5), st.Steps(start=0.05, rise=0.0005))
    )
    home = st.World(*robots).standing(above=-1e-4)
    v = 0.3 * np.random.default_rng(4).normal(size=(worlds, len(home.v)))
    states = np.tile(home.q, (worlds, 1)), v
    for world, integrator, method, model in cases(*grounds):
        for precision in ("float64", "float32"):
            off, rate = compare(world, integrator, method, model, precision, states, steps)
            names = [type(value).__name__ for value in (world.ground, integrator, method, model)]
            row = dict(zip(("ground", "integrator", "method", "contact"), names, strict=True))
            row |= {"precision": precision, "worst": off, "steps a second": rate}
            print(json.dumps(row), flush=True)
    for precision in ("float64", "float32"):
        off = compare_faceted(precision, steps)
        row = {"contact": "FacetedLCP", "precision": precision, "worst": off}
        print(json.dumps(row), flush=True)
    for precision in ("float64", "float32"):
        off = compare_loops(precision, steps)
        print(json.dumps({"contact": "loops", "precision": precision, "worst": off}), flush=True)
    for model in (SPRINGS, st.Coulomb(), st.GaussSeidel()):
        for precision in ("float64", "float32"):
            row = {"contact": f"bodies, {type(model).__name__}", "precision": precision}
            row["worst"] = compare_bodies(model, precision, steps)
            print(json.dumps(row), flush=True)
    off = compare_differing(st.World(*robots), states, steps)
    print(json.dumps({"contact": "all differs", "precision": "float64", "worst": off}), flush=True)
    off = compare_blocks(steps)
    print(json.dumps({"contact": "blocks", "precision": "float64", "worst": off}), flush=True)
    off = compare_states(steps)
    print(json.dumps({"contact": "states", "precision": "float64", "worst": off}), flush=True)
    off = compare_remembering(steps)
    print(json.dumps({"contact": "remembering", "precision": "float64", "worst": off}), flush=True)
    off = compare_varied(steps)
    print(json.dumps({"contact": "varied", "precision": "float64", "worst": off}), flush=True)
    off = compare_bounded(st.World(*robots), states, steps)
    print(json.dumps({"contact": "bounded", "precision": "float64", "worst": off}), flush=True)
    off = compare_unsolved(steps)
    print(json.dumps({"contact": "unsolved", "precision": "float64", "worst": off}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
