"""Rods and boxes that tumble over the ground never gain energy; every step is solved."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.bench.closed_forms.tumblers import energy_gains, tumbler


def gains(model, dt, count, duration):
    """Largest gain of energy over the start, and over any earlier moment, of so many tumblers."""
    rng, over_start, over_any = np.random.default_rng(0), [], []
    for _ in range(count):
        world, state, mu, restitution = tumbler(rng)
        contact = model(mu_static=mu, mu_kinetic=mu, restitution=restitution)
        motion = st.simulate(world, contact, state=state, duration=duration, dt=dt)
        assert motion.unsolved.count == 0
        start, moment = energy_gains(motion, dt)
        over_start.append(start)
        over_any += [] if moment is None else [moment]
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
