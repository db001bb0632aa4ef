"""The state of every contact point is recorded: open, stick, slip, and the five phases."""

from typing import NamedTuple

import numpy as np
import pytest

import stiction as st
from stiction.contact.distributed import PHASE
from stiction.extend import (
    OK,
    SLIP,
    TO_STICK,
    contact_model,
    contact_state,
    parameters,
    scale,
    store_vector,
    vector,
)
from stiction.metrics import ContactState
from stiction.step.record import SHAPES, STATE

pytestmark = pytest.mark.interpreted

FRICTION = {"mu_static": 0.5, "mu_kinetic": 0.5}
LAWS = [
    st.Coulomb(),
    st.GaussSeidel(),
    st.FacetedLCP(facets=4.0),
    st.Multipoint(),
    st.Multipoint(eps=1e-3),
    st.Balanced(**FRICTION, reference_mass=2.0),
    st.SpringDamper(stiffness=2e4, damping=100.0),
    st.SpringDamper(stiffness=2e4, damping=100.0, sticking=0.0),
    st.ImplicitSpringDamper(stiffness=2e4, damping=100.0),
    st.HuntCrossley(),
    st.Feedback(),
]


def named(law):
    return type(law).__name__


def brick(law, speed, heading=0.7, steps=30, depth=1e-5):
    """The states of a brick's loaded corners in the last steps; it starts with a speed."""
    world = st.World(st.robots.brick())
    state = world.standing(above=-depth)
    state.v[:2] = speed * np.cos(heading), speed * np.sin(heading)
    motion = st.simulate(world, law, duration=1e-3 * steps, dt=1e-3, state=state)
    loaded, states = (motion.force[-11:-1] != 0).any(axis=2), motion.contact_state[-11:-1]
    assert loaded.sum() >= 2
    np.testing.assert_array_equal(states[~loaded], ContactState.OPEN)
    return states[loaded]


@pytest.mark.parametrize("law", LAWS, ids=named)
def test_a_brick_that_slides_slips(law):
    assert (brick(law, speed=1.0) == ContactState.SLIP).all()


@pytest.mark.parametrize("law", [law for law in LAWS if getattr(law, "sticking", 1)], ids=named)
def test_a_brick_at_rest_sticks(law):
    assert (brick(law, speed=0.0) == ContactState.STICK).all()


def test_what_is_fixed_sticks():
    assert (brick(st.Bilateral(), speed=0.0, depth=1e-7) == ContactState.STICK).all()


def test_a_brick_in_the_air_is_open_and_the_last_sample_has_no_state():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, duration=0.003, state=world.standing(above=0.1))
    assert (motion.contact_state[:-1] == ContactState.OPEN).all()
    assert np.isnan(motion.contact_state[-1]).all()


def test_without_friction_a_brick_that_moves_slips_and_one_that_does_not_sticks():
    smooth = st.Coulomb(mu_static=0.0, mu_kinetic=0.0)
    assert (brick(smooth, speed=1.0) == ContactState.SLIP).all()
    assert (brick(smooth, speed=0.0) == ContactState.STICK).all()


def test_a_ball_that_rolls_sticks_although_it_moves():
    world = st.World(st.robots.ball())
    state = world.standing(above=-1e-9)
    radius = state.q[2]
    state.v[0], state.v[4] = 1.0, 1.0 / radius
    motion = st.simulate(world, st.Coulomb(), duration=0.02, state=state)
    assert motion.state().v[0] == pytest.approx(1.0, abs=1e-6)
    assert (motion.contact_state[1:-1] == ContactState.STICK).all()


def test_a_point_that_bounced_within_the_step_is_not_open():
    """Its force acted in a part of the step, in the last part of which it is above the ground."""
    world = st.World(st.robots.ball())
    law = st.Coulomb(restitution=0.8)
    motion = st.simulate(world, law, duration=0.3, state=world.standing(above=0.2))
    hit = np.flatnonzero(motion.force[:-1, 0, 2] > 0)
    assert len(hit) >= 1
    assert (motion.contact_state[hit, 0] == ContactState.STICK).all()
    others = np.delete(np.arange(len(motion) - 1), hit)
    assert (motion.contact_state[others, 0] == ContactState.OPEN).all()


def test_distributed_records_its_five_phases():
    """A brick lands, is pulled until it slides, and is let go."""
    world, dt = st.World(st.robots.brick()), 1e-3
    law = st.Distributed(
        stiffness=2e4, damping=4e5, alpha=1.0, beta=1.0, tangential_stiffness=2e4,
        tangential_damping=100.0,
    )  # fmt: skip
    times, pulls = [0.0, 0.05, 0.1, 0.12, 0.15, 10.0], [0, 0, 18.0, 18.0, 0, 0]
    pull = st.TabulatedForce("brick", (0, 0, -0.03), times, np.outer(pulls, [1.0, 0.3, 0.0]))
    options = {"state": world.standing(above=0.001), "dt": dt, "forces": [pull]}
    motion = st.simulate(world, law, duration=0.25, **options)
    assert set(np.unique(motion.contact_state[:-1])) == {float(state) for state in ContactState}
    simulation = st.Simulation(world, law, **options)
    phase = simulation._system.surface.memory.now[:, PHASE]
    for k in range(250):
        simulation.step()
        touches = (motion.force[k] != 0).any(axis=1)
        np.testing.assert_array_equal(motion.contact_state[k][touches], phase[touches])


def test_points_between_bodies_have_a_state_too():
    """A box slides on a table that stands."""
    world = st.World(st.robots.box(size=(1.0, 1.0, 0.1), mass=50.0), st.robots.brick())
    state = world.standing(above=0.0)
    state.q[7:10] = 0.0, 0.0, 0.1 + 0.03
    state.v[6] = 0.5
    motion = st.simulate(world, st.Coulomb(), duration=0.01, state=state)
    rows = motion.between[5]
    states = rows[rows[:, SHAPES] > 0, STATE]
    assert len(states) >= 3
    assert (states == ContactState.SLIP).all()
    ground = motion.contact_state[5]
    assert (ground[motion.force[5, :, 2] > 0] == ContactState.STICK).all()


class Sponge(NamedTuple):
    """A law of a user that says what its points do."""

    stiffness: float = 1e4


@contact_model(Sponge)
def sponge(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        force = scale(p.stiffness * contact.depth[i], vector(contact.normal, i))
        store_vector(contact.force, i, force)
    return OK


@contact_state(Sponge)
def state_of_sponge(params, contact, memory, i):
    return TO_STICK if contact.depth[i] > 1e-4 else SLIP


def test_a_law_of_a_user_may_say_what_its_points_do():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, Sponge(), duration=0.05, state=world.standing())
    touching = (motion.force[:-1] != 0).any(axis=2)
    deep = motion.depth[:-1] > 1e-4
    states = motion.contact_state[:-1]
    assert (states[touching & deep] == ContactState.TO_STICK).all()
    assert (states[touching & ~deep] == ContactState.SLIP).all()
    assert (touching & deep).any() and (touching & ~deep).any()


@pytest.mark.parametrize("integrator", [st.RungeKutta4(), st.Leapfrog(), st.Midpoint()])
def test_no_force_is_lost_of_points_that_touch_in_a_later_stage_only(integrator):
    world = st.World(st.robots.brick())
    law = st.SpringDamper(stiffness=2e4, damping=100.0)
    options = {"state": world.standing(above=0.00101), "dt": 0.002, "integrator": integrator}
    options["state"].v[2] = -1.0
    motion = st.simulate(world, law, duration=0.02, **options)
    simulation, depth = st.Simulation(world, law, **options), motion.depth[:-1]
    for force in motion.force[:-1]:
        simulation.step()
        expected = simulation._work.total_impulse / 0.002
        np.testing.assert_allclose(force, expected, rtol=1e-15)  # the record multiplies by 1 / dt
    felt = (motion.force[:-1] != 0).any(axis=2)
    assert (motion.contact_state[:-1][felt] > 0).all()
    assert (felt & (depth == 0)).any() or not isinstance(integrator, st.RungeKutta4)


def test_a_batch_records_the_states_of_single_runs():
    world = st.World(st.robots.brick())
    states = [world.standing(above=-1e-5) for _ in range(2)]
    states[1].v[0] = 1.0
    record = st.BatchRecording(("contact_state",))
    batch = st.simulate_batch(world, 2, st.Coulomb(), duration=0.005, states=states, record=record)
    for k, state in enumerate(states):
        motion = st.simulate(world, st.Coulomb(), duration=0.005, state=state)
        np.testing.assert_array_equal(batch.record["contact_state"][k], motion.contact_state[:-1])
