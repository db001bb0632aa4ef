"""Tiny and huge bodies move like those of ordinary size: no length, mass or time is built in.

Units of length, mass and time are powers of two, so all products of them are exact.
"""

import numpy as np
import pytest

import stiction as st
from stiction.promises.units import in_other_units
from stiction.world.contact_points import contact_points_of

MODELS = [st.Coulomb(restitution=0.3), st.GaussSeidel(restitution=0.3)]
SIZES = {
    "0.2 mm": (2.0**-10, 2.0**-30, 2.0**-6),
    "50 m": (2.0**8, 2.0**24, 2.0**4),
    "a brick of lead": (1.0, 2.0**10, 1.0),
}


def tumbled(model, seed, length, mass, time):
    """Positions and velocities of a brick that lands nearly flat and tumbles, in these units."""
    size = tuple(length * edge for edge in (0.2, 0.1, 0.06))
    brick = st.robots.brick(size, 2.0 * mass)
    world = st.World(brick, gravity=(0.0, 0.0, -9.81 * length / time**2))
    state = world.standing(above=0.01 * length)
    units = np.array([length, length, length, 1.0, 1.0, 1.0]) / time
    state.v[:] = units * np.random.default_rng(seed).normal(scale=0.3, size=6)
    other = in_other_units(model, 1.0 / length, 1.0 / mass, 1.0 / time)
    duration, dt = 0.15 * time, 1e-3 * time
    motion = st.simulate(world, other, state=state, duration=duration, dt=dt)
    assert motion.unsolved.count == 0
    return motion.q / [length, length, length, 1.0, 1.0, 1.0, 1.0], motion.v / units


@pytest.mark.jit
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_brick_of_any_size_tumbles_alike(model, size, seed):
    """Exchanges of rows in linear systems depend on units, so rounding may differ, but no more."""
    q, v = tumbled(model, seed, 1.0, 1.0, 1.0)
    other_q, other_v = tumbled(model, seed, *SIZES[size])
    assert np.abs(np.diff(v[:, 2])).max() > 0.05  # it landed
    np.testing.assert_allclose(other_q, q, atol=1e-12)
    np.testing.assert_allclose(other_v, v, atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_points_of_a_link_share_stiffness_by_its_sides_whatever_its_size(size, tmp_path):
    """A side of two boxes on each other has eight of their sixteen corners, or four."""
    file = tmp_path / "boxes.xml"
    a, b = 0.1 * size, 0.05 * size
    file.write_text(
        f"""<mujoco><worldbody><body><freejoint/><geom type='box' size='{a} {a} {b}' mass='1'/>
        <geom type='box' size='{a} {a} {b}' pos='0 0 {2 * b}' mass='1'/></body></worldbody>
        </mujoco>"""
    )
    contact_points, _, _ = contact_points_of(st.World(st.load(file)))
    np.testing.assert_array_equal(contact_points.share, np.ones(16))
