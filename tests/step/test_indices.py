"""Compiled kernels take indices as they are: a negative one would reach outside of its array."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import stiction as st

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="compiled code does not look"),
]
MODELS = [
    st.Coulomb(),
    st.GaussSeidel(restitution=0.6, least_norm=1.0),
    st.FacetedLCP(facets=4.0),
    st.Balanced(),
    st.Multipoint(),
    st.Bilateral(),
    st.SpringDamper(),
    st.HuntCrossley(),
    st.Distributed(),
    st.Feedback(),
    None,
]


class Watched(np.ndarray):
    """An array that refuses to count from its end."""

    def __getitem__(self, index):
        refuse_negative(index)
        return super().__getitem__(index)

    def __setitem__(self, index, value):
        refuse_negative(index)
        super().__setitem__(index, value)


def refuse_negative(index):
    for k in index if isinstance(index, tuple) else (index,):
        if isinstance(k, int | np.integer):
            assert k >= 0


def watched(bundle):
    """Arrays of a nested bundle, watched."""
    if isinstance(bundle, np.ndarray):
        return bundle.view(Watched)
    if isinstance(bundle, tuple):
        parts = [watched(part) for part in bundle]
        return type(bundle)(*parts) if hasattr(bundle, "_fields") else tuple(parts)
    return bundle


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_no_kernel_counts_from_the_end(model):
    world = st.World(st.robots.biped10())
    landing = world.standing(above=0.002)
    landing.v[2] = -1.0
    for method in (st.ArticulatedBody(), st.JointSpace()):
        simulation = st.Simulation(world, model, dt=1e-3, state=landing, method=method)
        simulation._system = watched(simulation._system)
        simulation._work = watched(simulation._work)
        simulation.step(n=4)
        assert np.isfinite(simulation.state.q).all()


def test_the_watch_sees_a_negative_index():
    with pytest.raises(AssertionError):
        watched((np.zeros(3),))[0][-1]
