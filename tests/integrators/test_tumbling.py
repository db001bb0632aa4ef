"""Rods and boxes that tumble over the ground never gain energy; every step is solved."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer


def tumbler(rng):
    """A rod or a box, thrown; returns the world, its state, friction and restitution."""
    mass = rng.uniform(0.1, 3.0)
    if rng.random() < 0.5:
        thrown = st.robots.rod(rng.uniform(0.1, 1.0), rng.uniform(0.004, 0.03), mass)
    else:
        thrown = st.robots.box(tuple(float(side) for side in rng.uniform(0.05, 0.5, 3)), mass)
    world = st.World(thrown, ground=st.Plane())
    state = world.standing(above=rng.uniform(1.0, 2.0))
    turn = rng.normal(size=4)
    state.q[3:7] = turn / np.linalg.norm(turn)
    state.v[:3], state.v[3:] = 2.0 * rng.normal(size=3), 8.0 * rng.normal(size=3)
    restitution = float(rng.integers(2)) if rng.random() < 0.2 else rng.uniform(0, 1)
    return world, state, rng.uniform(0, 1), restitution


def gains(model, dt, count, duration):
    """Largest gain of energy over the start, and over any earlier moment, of so many tumblers.

    The latter of those that turn by less than half a radian in a step: a thin rod can spin about
    its axis by two, and nothing follows its contact then.
    """
    rng, over_start, over_any = np.random.default_rng(0), [], []
    for _ in range(count):
        world, state, mu, restitution = tumbler(rng)
        contact = model(mu_static=mu, mu_kinetic=mu, restitution=restitution)
        motion = st.simulate(world, contact, state=state, duration=duration, dt=dt)
        assert motion.unsolved.count == 0
        energy = motion.energy().total
        over_start.append((energy.max() - energy[0]) / energy[0])
        if dt * np.linalg.norm(motion.v[:, 3:], axis=1).max() < 0.5:
            over_any.append((energy - np.minimum.accumulate(energy)).max() / energy[0])
    assert len(over_any) >= 0.5 * count
    return max(over_start), max(over_any)


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_a_few_tumblers_gain_no_energy(dt):
    over_start, over_any = gains(st.Coulomb, dt, fewer(12, 3), fewer(4.0, 0.6))
    assert over_start <= 1e-12
    assert over_any <= 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("model", [st.Coulomb, st.GaussSeidel])
@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_two_hundred_tumblers_gain_no_energy(model, dt):
    over_start, over_any = gains(model, dt, 200, 4.0)
    assert over_start <= 1e-12
    assert over_any <= 1e-3
