"""Pendulum, top, free flight and a tumbling humanoid against what mechanics says of them."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import stiction as st
from conftest import data_folder
from mechanisms import fewer, pendulum, top, turned

pytestmark = pytest.mark.interpreted

INTEGRATORS = [st.SemiImplicitEuler(), st.Leapfrog(), st.RungeKutta4()]


def names(value):
    return type(value).__name__


def test_pendulum_of_large_amplitude_follows_the_elliptic_function():
    length, amplitude, gravity = 0.5, 2.0, 9.81
    world = st.World(pendulum(length))
    state = st.State([amplitude], [0.0])
    motion = st.simulate(
        world,
        contact=None,
        duration=2.0,
        dt=fewer(1, 5) * 1e-3,
        state=state,
        integrator=st.RungeKutta4(),
    )
    k = np.sin(amplitude / 2)
    sn, _, _, _ = ellipj(ellipk(k**2) - np.sqrt(gravity / length) * motion.time, k**2)
    exact = 2 * np.arcsin(k * sn)
    assert (
        np.abs(motion.q[:, 0] - exact).max() < fewer(1, 1000) * 2e-10
    )  # RK4: error ~ dt^4, 2e-10 at 1 ms


def steady_precession(robot: st.Robot, tilt: float, spin: float) -> float:
    """Slow precession of a heavy top: I1 p^2 cos - I3 s p + m g h = 0, s the whole spin."""
    mass, height = robot.mass[0], robot.centre[0, 2]
    across, along = robot.inertia[0, 0] + mass * height**2, robot.inertia[0, 5]
    roots = np.roots([across * np.cos(tilt), -along * spin, mass * 9.81 * height])
    assert np.isreal(roots).all(), "the top spins too slowly to precess steadily"
    return roots.real.min()


def test_heavy_top_precesses_steadily_at_the_rate_of_the_closed_form():
    robot, tilt, spin = top(), 0.5, 200.0
    rate = steady_precession(robot, tilt, spin)
    world = st.World(robot)
    in_body_axes = [
        -rate * np.sin(tilt),
        0.0,
        spin,
    ]  # tilt about y; precession about z seen from the top
    state = st.State(turned((0, 1, 0), tilt), in_body_axes)
    dt, duration = 2e-4, fewer(1000, 100) * 2e-4
    motion = st.simulate(
        world, contact=None, duration=duration, dt=dt, state=state, integrator=st.RungeKutta4()
    )
    axis = motion.centre_of_mass() / robot.centre[0, 2]
    assert (
        np.abs(axis[:, 2] - np.cos(tilt)).max() < 1e-7
    )  # no nutation; RK4 error at 0.04 rad a step
    angle = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    assert abs(angle[-1] / (rate * motion.time[-1]) - 1) < 1e-6


def test_free_symmetric_body_keeps_its_spin_and_turns_its_transverse_velocity():
    rod = st.robots.rod()
    across, along = rod.inertia[0, 0], rod.inertia[0, 5]
    world = st.World(rod, gravity=(0, 0, 0))
    state = world.home()
    state.v[3:] = [0.8, 0.0, 12.0]
    motion = st.simulate(
        world, contact=None, duration=0.5, dt=1e-3, state=state, integrator=st.RungeKutta4()
    )
    phase = (along - across) / across * 12.0 * motion.time
    exact = np.stack([0.8 * np.cos(phase), 0.8 * np.sin(phase), np.full_like(phase, 12.0)], axis=1)
    assert np.abs(motion.v[:, 3:] - exact).max() < 1e-9


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=names)
def test_a_spinning_ball_flies_on_the_parabola(integrator):
    world = st.World(st.robots.ball().at((1.0, 2.0, 3.0)))
    state = world.home()
    state.v[:] = [3.0, -1.0, 5.0, 20.0, -30.0, 10.0]
    dt = 0.01
    motion = st.simulate(
        world, contact=None, duration=1.0, dt=dt, state=state, integrator=integrator
    )
    t = motion.time
    height = 3.0 + 5.0 * t - 9.81 * t * t / 2
    if isinstance(integrator, st.SemiImplicitEuler):
        height -= 9.81 * dt * t / 2  # the first-order error of this integrator, exactly
    flown = np.stack([1.0 + 3.0 * t, 2.0 - t, height], axis=1)
    assert np.abs(motion.q[:, :3] - flown).max() < 1e-12
    assert np.abs(motion.v[:, 3:] - state.v[3:]).max() < 1e-10


@pytest.mark.jit
@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()], ids=names)
def test_tumbling_humanoid_keeps_energy_and_momentum(method):
    """g1, 10 s, RK4 at 1 ms; base 3.7 rad/s, joints about 0.5 rad/s.

    No gravity, friction, damping or limits.
    """
    file = data_folder() / "robots/mujoco_menagerie/unitree_g1/g1_mjx_nomesh.xml"
    robot = st.load(file).with_joints(friction=0, damping=0, lower=-np.inf, upper=np.inf)
    world = st.World(robot, ground=None, gravity=(0, 0, 0))
    state = world.home()
    state.v[:6] = [0.5, -0.3, 0.2, 2.0, 3.0, -1.0]
    state.v[6:] = np.random.default_rng(1).normal(size=29) * 0.5
    motion = st.simulate(
        world,
        contact=None,
        duration=10,
        dt=0.001,
        state=state,
        integrator=st.RungeKutta4(),
        method=method,
    )
    energy, momentum = motion.energy().total, motion.momentum()
    lost = {"energy": np.abs(energy / energy[0] - 1).max()}
    for name, p in momentum._asdict().items():
        lost[name] = np.linalg.norm(p - p[0], axis=1).max() / np.linalg.norm(p[0])
    print(names(method), lost)
    assert max(lost.values()) < 1e-8
