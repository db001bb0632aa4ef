"""A robot that swings its legs as it falls keeps the momentum that mechanics says."""

import numpy as np
import pytest

import stiction as st

DURATION, DT = 2.0, 0.001  # [s]


def leg_swing():
    """Hips and knees that swing at 1.5 Hz, the legs in turn; the other joints are held."""
    t = np.linspace(0.0, DURATION, 201)
    swing = np.sin(2 * np.pi * 1.5 * t) * np.minimum(t / 0.3, 1.0)
    still = np.zeros_like(t)
    columns = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        columns[f"{side}_hip_roll"] = still
        columns[f"{side}_hip_pitch"] = -0.3 + 0.5 * sign * swing
        columns[f"{side}_knee"] = 0.8 + 0.4 * sign * swing
        columns[f"{side}_ankle_pitch"] = still - 0.3
        columns[f"{side}_ankle_roll"] = still
    return st.Reference(t, np.stack(list(columns.values()), axis=1), joints=tuple(columns))


@pytest.fixture(scope="module")
def motion():
    world = st.World(st.robots.biped10(), ground=None)
    state = world.home()
    state.v[:6] = [0.4, 0.0, 4.0, 0.3, 1.5, 0.2]  # thrown up with a slow somersault
    return st.simulate(
        world,
        contact=None,
        duration=DURATION,
        dt=DT,
        state=state,
        controller=st.PDTracking(leg_swing(), stiffness=60.0, damping=2.0),
        integrator=st.RungeKutta4(),
    )


@pytest.mark.jit
def test_linear_momentum_is_the_impulse_of_the_weight(motion):
    momentum = motion.momentum().linear
    fallen = np.outer(motion.time, motion.world.gravity) * motion.world.total_mass
    assert np.abs(momentum - momentum[0] - fallen).max() < 1e-6 * np.abs(fallen).max()


@pytest.mark.jit
def test_angular_momentum_about_the_centre_of_mass_stays(motion):
    momentum = motion.momentum().angular
    change = np.linalg.norm(momentum - momentum[0], axis=1).max()
    assert change < 1e-6 * np.linalg.norm(momentum[0])


@pytest.mark.jit
def test_energy_changes_by_the_work_of_the_joints(motion):
    parts = motion.energy_balance().cumulative()
    assert abs(parts.torque[-1]) > 5.0
    assert np.abs(parts.remainder).max() < 0.05  # 1 ms, of 12 J
