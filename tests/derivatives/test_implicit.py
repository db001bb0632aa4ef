"""Implicit derivatives against differences, away from changes of case."""

import warnings

import numpy as np
import pytest

import stiction as st
from mechanisms import chain, held, pendulum, top
from stiction.derivatives.tangent import displaced, displacement
from stiction.errors import CaseWarning
from stiction.world.contact_points import contact_points_of

# differences of positions of a body on the ground are of perturbations down to 3e-9: rounding of
# 1e-16 gives 1e-7, and slopes by positions are up to 100 times as large as those by velocities
AGREE = 1e-7
MU = st.Coulomb(mu_static=0.5, mu_kinetic=0.4)


def agree(world, state, contact, within=AGREE, **options):
    """Check that both methods agree, relative to the largest entry; returns the differences."""
    found = st.linearise(world, state, contact, **options)
    implicit = st.linearise(world, state, contact, method="implicit", **options)
    assert found.crossed == ()
    for name in ("A", "B", "B_actuators", "C"):
        one, other = getattr(found, name), getattr(implicit, name)
        assert one.shape == other.shape
        scale = max(np.abs(one).max(initial=0.0), 1e-3)
        assert np.abs(one - other).max(initial=0.0) <= within * scale, name
    return found


@pytest.mark.interpreted
@pytest.mark.parametrize("integrator", [st.Midpoint(), st.SemiImplicitEuler()])
@pytest.mark.parametrize("v", [(0.5, 0, 0, 0, 0, 0), (0.5, 0.2, 0, 0, 0, 2.0), (0,) * 6])
def test_a_brick_that_slides_turns_or_rests(v, integrator):
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:] = v
    # the mean spin is solved to 1e-6, `SPIN_ERROR` of the integrator
    found = agree(world, state, MU, within=1e-6 if v[5] else AGREE, integrator=integrator)
    assert found.contact_state.max() == (2.0 if any(v) else 1.0)


@pytest.mark.interpreted
@pytest.mark.parametrize("slip", [0.0, 0.3])
def test_a_ball_that_rolls_or_slides(slip):
    world = st.World(st.robots.ball())
    state = world.standing()
    radius = state.q[2]
    state.v[0], state.v[4] = 0.5 + slip, 0.5 / radius
    found = agree(world, state, MU)
    assert found.contact_state[0] == (2.0 if slip else 1.0)


@pytest.mark.interpreted
def test_a_brick_that_tilts_on_two_corners_with_a_gap_under_the_others():
    world = st.World(st.robots.brick())
    state = world.standing()
    state.q[3:7] = np.cos(0.05), 0.0, np.sin(0.05), 0.0
    world.put_on_ground(state.q)
    state.q[2] += 2e-6  # it closes this gap in the step
    found = agree(world, state, MU)
    assert np.count_nonzero(found.contact_state) == 2


@pytest.mark.interpreted
def test_a_point_that_has_just_closed_its_gap_touches():
    world = st.World(st.robots.brick())
    state = world.standing()
    state.q[2] += 1e-7 * contact_points_of(world)[0].size[0]  # SKIN of contact/surface.py
    with pytest.warns(CaseWarning, match="at the edge of its gap"):
        found = st.linearise(world, state, MU, method="implicit", wrt=("state",))
    assert np.abs(found.A[6:]).max() < 1e-9  # it sticks; further up it would fall back in a step


@pytest.mark.interpreted
def test_a_brick_on_a_slope():
    slope = st.World(st.robots.brick(), ground=st.Slope(angle=0.3))
    state = slope.standing()
    state.q[3:7] = np.cos(0.15), 0.0, -np.sin(0.15), 0.0
    slope.put_on_ground(state.q, 0.0)
    state.v[1] = 0.2
    agree(slope, state, MU, within=1e-6)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("robot", "q", "v"),
    [
        (pendulum(damping=0.4, stiffness=3.0), [0.3], [0.7]),
        (pendulum(friction=5.0), [0.3], [0.0]),
        (pendulum(friction=0.5), [0.3], [0.7]),
        (pendulum(upper=0.3), [0.3], [0.7]),
        (chain(3, friction=0.01, damping=0.02), [0.3, 0.2, 0.1], [0.7, 0.0, -0.3]),
        (chain(2, damping=400.0), [0.3, 0.2], [0.7, 0.1]),  # dampers that act late
        (top(), [1.0, 0.0, 0.0, 0.0], [0.3, 0.2, 20.0]),
    ],
    ids=["springy", "stuck", "sliding", "stopped", "chain", "overdamped", "top"],
)
def test_joints_without_contact(robot, q, v):
    world = st.World(robot, ground=None)
    agree(world, st.State(np.array(q), np.array(v)), None)


@pytest.mark.interpreted
def test_a_brick_in_flight_keeps_turning():
    world = st.World(st.robots.brick(), ground=None)
    state = world.home()
    state.v[:] = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
    agree(world, state, None)


@pytest.mark.jit
def test_a_humanoid_that_stands():
    world = st.World(held(st.robots.hoap1(), stiffness=50.0, damping=1.0))
    simulation = st.Simulation(world, MU, state=world.standing())
    simulation.step(n=1000)  # until it is at rest
    found = agree(world, simulation.save_state(), MU)
    assert np.count_nonzero(found.contact_state == 1.0) == 8
    q, sides = found.next_state.q, ("left", "right")
    feet = np.vstack([st.mechanics.jacobian(world, q, f"{side}_foot") for side in sides])
    # feet that stick move neither by a change of the velocities nor by torques, except that their
    # Jacobian is that of the middle of the step, and legs that still sway change it
    sway = 0.001 * np.abs(found.state.v).sum() + 1e-8
    assert np.abs(feet @ found.A[world.nv :, world.nv :]).max() < sway < 1e-3
    assert np.abs(feet @ found.B[world.nv :]).max() < 1e-6


@pytest.mark.jit
@pytest.mark.slow
def test_a_humanoid_that_walks():
    walk = st.patterns.walk(st.robots.hoap1(), steps=2)
    world, control, far = st.World(walk.robot, ground=st.Plane()), walk.tracking(), 0
    simulation = st.Simulation(world, MU, state=walk.state, controller=control)
    while simulation.time < walk.duration:
        saved = simulation.save_state()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", CaseWarning)
            st.linearise(world, saved, MU, controller=control, wrt=("torque",))
        if not told:
            # feet that land and turn: positions are perturbed by as little as 1e-9
            agree(world, saved, MU, within=1e-6, controller=control, wrt=("state", "torque"))
            far += 1
        simulation.step(n=97)
    assert far >= 10


@pytest.mark.interpreted
def test_a_displacement_leads_from_one_configuration_to_the_other():
    world = st.World(st.robots.biped10(), ground=None)
    rng = np.random.default_rng(1)
    q = world.home().q
    for size in (1e-9, 0.1, 1.0):
        x = size * rng.normal(size=world.nv)
        back = displacement(world.tree, q, displaced(world.tree, q, x))
        assert back == pytest.approx(x, rel=1e-6, abs=1e-15)
