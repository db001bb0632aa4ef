"""The kernels in single precision."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.contact.contact_model import NoContact
from stiction.kernels.loops import NoLoops
from stiction.kernels.tree import OK, Tree, allocate
from stiction.motion.unsolved import allocate_report
from stiction.simulation.allocation import allocate_work, make_surface
from stiction.simulation.native import NativeLoop, moving_of
from stiction.simulation.simulation import Simulation
from stiction.step.loop import Clock
from stiction.step.system import StepState, System
from stiction.world.external import bind_forces

pytestmark = pytest.mark.interpreted


def single(values):
    """A tuple of arrays, or of tuples of arrays, in single precision."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float32) if values.dtype == np.float64 else values
    return type(values)(*(single(value) for value in values))


@pytest.mark.parametrize(
    ("integrator", "method"),
    [
        (st.SemiImplicitEuler(), st.ArticulatedBody()),
        (st.Leapfrog(), st.JointSpace()),
        (st.RungeKutta4(), st.ArticulatedBody()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_single_precision_follows_double(integrator, method):
    world = st.World(st.robots.biped10(), st.robots.box())
    state = world.home()
    state.v[:] = np.random.default_rng(4).normal(size=world.nv)
    steps = fewer(20, 2)
    exact = st.simulate(
        world,
        contact=None,
        duration=steps * 1e-3,
        state=state,
        integrator=integrator,
        method=method,
    )
    tree = single(world.tree)
    assert isinstance(tree, Tree)
    mine = single(StepState(state.q, state.v))
    small = np.float32
    surface, _, _ = make_surface(world, NoContact())
    moving = moving_of(
        type(integrator)(*(small(x) for x in integrator)),
        System(
            allocate(tree),
            type(method)(*(small(x) for x in method)),
            (),
            (),
            single(bind_forces(world, [])),
            NoContact(),
            single(surface),
            NoLoops(),
        ),
        mine,
        single(allocate_work(world, 0)),
        allocate_report(small),
    )
    record = single(Simulation(world, contact=None).allocate_record(0))
    status = NativeLoop(moving)(record, Clock(small(0), small(1e-3), 1, 0), 0, steps)
    assert status == OK
    assert mine.q.dtype == np.float32
    assert np.abs(mine.q - exact.q[-1]).max() < 1e-5  # 20 steps of rounding at 6e-8
    assert np.abs(mine.v - exact.v[-1]).max() < 1e-3
