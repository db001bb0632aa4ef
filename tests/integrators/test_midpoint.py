"""The default integrator: spin, slides, bounces as mechanics says, and damping that only damps."""

import numpy as np
import pytest

import stiction as st

GRAVITY = 9.81
SPINS = {  # a rod of half a metre, and a pencil that spins about its length
    "rod": (st.robots.rod(), (3.0, -8.0, 20.0)),
    "pencil": (st.robots.rod(0.18, 0.004, 0.01), (5.0, 0.0, 100.0)),
}


@pytest.mark.jit
@pytest.mark.parametrize("dt", [0.001, 0.004])
@pytest.mark.parametrize("name", SPINS)
def test_a_body_that_spins_freely_keeps_energy_and_angular_momentum(name, dt):
    """Exact but for rounding, which adds up over 4000 steps."""
    robot, spin = SPINS[name]
    world = st.World(robot, ground=None)
    state = world.home()
    state.v[3:6] = spin
    motion = st.simulate(world, duration=4.0, dt=dt, state=state)
    energy = motion.energy().kinetic - world.total_mass * (motion.v[:, :3] ** 2).sum(axis=1) / 2
    momentum = motion.momentum().angular
    assert np.abs(energy / energy[0] - 1).max() < 1e-10
    drift = np.linalg.norm(momentum - momentum[0], axis=1).max()
    assert drift < 1e-12 * np.linalg.norm(momentum[0])


@pytest.mark.jit
def test_a_tumbling_chain_gains_a_thousand_times_less_than_with_euler():
    """Accelerations of the last step make velocity products second order in chains too."""
    robot = st.robots.biped10().with_joints(
        friction=0.0, damping=0.0, lower=-np.inf, upper=np.inf, stiffness=0.0
    )
    world = st.World(robot, ground=None, gravity=(0.0, 0.0, 0.0))
    state = world.home()
    state.v[:] = np.random.default_rng(0).normal(size=world.nv)
    gain = {}
    for integrator in (st.Midpoint(), st.SemiImplicitEuler()):
        energy = st.simulate(
            world, duration=2.0, dt=0.001, state=state, integrator=integrator
        ).energy()
        gain[type(integrator).__name__] = (energy.kinetic / energy.kinetic[0] - 1).max()
    assert gain["Midpoint"] < 1e-3
    assert gain["Midpoint"] < 0.05 * gain["SemiImplicitEuler"]


@pytest.mark.jit
@pytest.mark.parametrize("model", [st.Coulomb, st.GaussSeidel])
@pytest.mark.parametrize("dt", [0.001, 0.004])
def test_a_sliding_brick_stops_where_constant_friction_stops_it(model, dt):
    """Also within a step: it slows down until it rests, not until the step ends."""
    world = st.World(st.robots.brick())
    for mu, speed, heading in [(0.81, 0.3, 1.1), (0.5, 0.5, 0.0), (0.5, 1.7, 2.5), (0.3, 4.0, 4.0)]:
        state = world.standing()
        state.v[:2] = speed * np.cos(heading), speed * np.sin(heading)
        motion = st.simulate(
            world,
            model(mu_static=mu, mu_kinetic=mu),
            duration=speed / (mu * GRAVITY) + 0.02,
            dt=dt,
            state=state,
        )
        distance = np.linalg.norm(motion.q[-1, :2] - motion.q[0, :2])
        # the solvers' tolerance is 1e-8 (Coulomb) and 1e-6 (GaussSeidel) of the speed
        assert distance == pytest.approx(speed**2 / (2 * mu * GRAVITY), rel=1e-5)


@pytest.mark.jit
@pytest.mark.parametrize("restitution", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("dt", [0.001, 0.004])
def test_a_ball_bounces_to_the_height_that_restitution_says(restitution, dt):
    world = st.World(st.robots.ball())
    motion = st.simulate(
        world,
        st.Coulomb(restitution=restitution),
        duration=2.0,
        dt=dt,
        state=world.standing(above=1.0),
    )
    energy = motion.energy().total - world.total_mass * GRAVITY * 0.05  # its radius
    levels = [energy[0]]
    for value in energy:
        if abs(value - levels[-1]) > 1e-9 * energy[0]:
            levels.append(value)
    wanted = energy[0] * restitution ** (2.0 * np.arange(4))
    for level, height in zip(levels, wanted, strict=False):
        assert level == pytest.approx(height, rel=1e-5)
    assert len(levels) >= (1 if restitution == 1 else 3)


@pytest.mark.jit
@pytest.mark.parametrize("damping", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(
    "method", [st.ArticulatedBody(), pytest.param(st.JointSpace(), marks=pytest.mark.slow)]
)
def test_a_damper_brings_a_joint_to_rest_and_never_turns_it_round(damping, method):
    """However stiff: the midpoint rule alone would make the velocity alternate."""
    robot = st.robots.biped10().with_joints(
        friction=0.0, stiffness=0.0, lower=-np.inf, upper=np.inf, damping=damping
    )
    world = st.World(robot, ground=None, gravity=(0.0, 0.0, 0.0))
    state = world.home()
    state.v[6:] = 1.0
    motion = st.simulate(world, duration=0.2, dt=0.002, state=state, method=method)
    left_ankle = motion.v[:, 10]
    assert (left_ankle > -1e-3).all() if damping == 100.0 else np.isfinite(left_ankle).all()
    kinetic = motion.energy().kinetic
    assert (np.diff(kinetic) <= 1e-9 * kinetic[0]).all()
