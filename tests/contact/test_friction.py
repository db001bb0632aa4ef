"""Static and kinetic friction: which values may be given, and which coefficient holds when."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError

SOLVERS = [st.Coulomb, st.GaussSeidel]
FALL = 9.81 * 1e-3  # what gravity gives in a step [m/s]


def exactness(model):
    """Return how exactly a solver finds velocities, in falls."""
    return max(model.tolerance, 1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_sliding_may_not_take_more_force_than_breaking_away(solver):
    world = st.World(st.robots.brick())
    with pytest.raises(InputError, match=r"mu_kinetic is 0\.6 and mu_static 0\.5; give a mu_stat"):
        st.Simulation(world, solver(mu_static=0.5, mu_kinetic=0.6))
    material = str(world.robots[0].shape_material[0])
    world = st.World(st.robots.brick(), materials={(material, "ground"): {"mu_static": 0.3}})
    with pytest.raises(InputError, match=r"mu_kinetic is 0\.5 and mu_static 0\.3"):
        st.Simulation(world, solver())
    st.Simulation(st.World(st.robots.brick()), solver(mu_static=0.0, mu_kinetic=0.4))


@pytest.mark.parametrize("value", [-0.1, float("nan"), "rough", True])
def test_bad_coefficients_are_named(value):
    with pytest.raises(InputError, match="Coulomb: mu_static is"):
        st.Simulation(st.World(st.robots.brick()), st.Coulomb(mu_static=value))


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_restitution_is_between_0_and_1(value):
    with pytest.raises(InputError, match="restitution is .* from 0 to 1"):
        st.Simulation(st.World(st.robots.brick()), st.Coulomb(restitution=value))


@pytest.mark.jit
@pytest.mark.parametrize("solver", SOLVERS)
def test_without_static_friction_a_brick_at_rest_yields_to_any_force(solver):
    """One step without friction, then kinetic friction stops it again."""
    world = st.World(st.robots.brick(mass=2.0))
    push = st.Push("brick", (0, 0, -0.03), (1.0, 0.0, 0.0), 0.0, 1.0)
    model = solver(mu_static=0.0, mu_kinetic=0.4)
    motion = st.simulate(world, model, duration=0.01, state=world.standing(), forces=[push])
    friction = motion.force[:-1, :, 0].sum(axis=1)
    assert friction[0] == pytest.approx(0.0, abs=1e-9)  # at rest
    assert motion.v[1, 0] == pytest.approx(0.5 * 1e-3, rel=1e-6)
    # stops it: the push and its momentum
    assert friction[1] == pytest.approx(-2.0, rel=exactness(model))
    assert np.abs(motion.v[2, 0]) < exactness(model) * FALL


@pytest.mark.jit
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_slides_has_kinetic_friction_until_it_stops(solver):
    world = st.World(st.robots.brick(mass=2.0))
    state = world.standing()
    state.v[0] = 0.1
    model = solver(mu_static=0.9, mu_kinetic=0.2)
    motion = st.simulate(world, model, duration=0.1, state=state)
    friction = motion.force[:-1, :, 0].sum(axis=1) / (2.0 * 9.81)
    stops = int(0.1 / (0.2 * 9.81) / 1e-3)
    assert np.allclose(friction[: stops - 1], -0.2, rtol=1e-6)
    assert np.abs(motion.v[stops + 2 :]).max() < exactness(model) * FALL


@pytest.mark.jit
@pytest.mark.parametrize("dt", [3e-6, 1e-3, 3e-2])
@pytest.mark.parametrize("solver", SOLVERS)
def test_steps_of_any_length_tell_what_holds_from_what_slides(solver, dt):
    """Errors of a solution are relative to what gravity gives in a step; so is what breaks away.

    A brick on a slope: 2 % below the limit of static friction it holds, 4 % above it slides with
    kinetic friction.
    """
    model, steps = solver(mu_static=0.5, mu_kinetic=0.4), 200
    ways = []
    for slope in (0.49, 0.52):
        angle = np.arctan(slope)
        along = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
        brick = st.robots.brick().at((0.0, 0.0, 0.0), along)
        world = st.World(brick, ground=st.Slope(angle))
        motion = st.simulate(world, model, duration=steps * dt, dt=dt, state=world.standing())
        slides = 9.81 * np.cos(angle) * (slope - 0.4) * (steps * dt) ** 2 / 2
        ways.append(np.linalg.norm(motion.q[-1, :3] - motion.q[0, :3]) / slides)
    assert ways[0] < 1e-6  # what solvers leave in the first steps
    assert ways[1] == pytest.approx(1.0, abs=1e-6)
