"""The error of each integrator falls with dt as its order says."""

import numpy as np
import pytest

import stiction as st

DURATION = 0.1


def tumbling_biped() -> tuple[st.World, st.State]:
    robot = st.robots.biped10().with_joints(
        friction=0.0,
        lower=-np.inf,
        upper=np.inf,
        damping=0.2,
        stiffness=np.r_[np.zeros(6), np.full(10, 2.0)],
    )
    world = st.World(robot)
    state = world.home()
    rng = np.random.default_rng(3)
    state.v[:] = rng.normal(size=world.nv)
    state.v[3:6] = [3.0, -2.0, 4.0]
    return world, state


def final_state(integrator, steps: int) -> np.ndarray:
    world, state = tumbling_biped()
    motion = st.simulate(
        world,
        contact=None,
        duration=DURATION,
        dt=DURATION / steps,
        state=state,
        integrator=integrator,
    )
    return np.concatenate([motion.q[-1], motion.v[-1]])


@pytest.mark.jit
@pytest.mark.parametrize(
    ("integrator", "order", "steps"),
    [
        (st.SemiImplicitEuler(), 1, 64),
        (st.Midpoint(), 2, 64),
        (st.Leapfrog(), 2, 64),
        (st.RungeKutta4(), 4, 64),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "_fields") else "",
)
def test_error_falls_as_the_published_order(integrator, order, steps):
    exact = final_state(st.RungeKutta4(), 1600)
    coarse, fine = (np.abs(final_state(integrator, n) - exact).max() for n in (steps // 2, steps))
    measured = np.log2(coarse / fine)
    name = type(integrator).__name__
    print(f"{name}: measured order {measured:.3f}, error {fine:.2e} at {steps} steps")
    assert abs(measured - order) < 0.15  # the next power of dt is still felt at these steps
