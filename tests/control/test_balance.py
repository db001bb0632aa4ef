"""Balance feedback: its torques against the formula, and what it refuses."""

import numpy as np
import pytest

import stiction as st
from stiction.control.balance import keep_balance
from stiction.description.rotation import about, matrix
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics, velocities
from stiction.kernels.tree import allocate
from stiction.world import mechanics

pytestmark = pytest.mark.interpreted

LEGS = tuple(
    tuple(
        f"{side}_{joint}"
        for joint in ("hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")
    )
    for side in ("left", "right")
)


def feedback(**change):
    values = {
        "time": [0.0, 1.0],
        "centre": np.zeros((2, 2)),
        "share": [[0.3, 0.7]] * 2,
        "up": np.zeros((2, 2)),
        "legs": LEGS,
        "height": 0.4,
        "reach": 1.0,
    }
    return st.BalanceFeedback(**(values | change))


def torques(controller, world, q, v):
    """What the controller adds, (nv)."""
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    velocities(dynamics, v)
    keep_balance(controller.bind(world), dynamics, 0.5, q, v)
    return dynamics.control


def moving_biped():
    world = st.World(st.robots.biped10())
    rng = np.random.default_rng(3)
    q = world.home().q + np.concatenate([np.zeros(7), rng.normal(0, 0.1, 10)])
    q[:3] = [0.5, -0.3, 0.4]
    q[3:7] = about([1.0, 2.0, 0.5], 0.2)
    return world, q, rng.normal(0, 0.3, world.nv)


def leg_dofs(world, leg):
    return [int(world.tree.v_index[world.joint(name)]) for name in leg]


def test_the_force_at_the_centre_of_mass_is_that_of_the_pendulum():
    """tau = -a . ((c - o) x F) with F = -m omega^2 (1 + gain) (xi - xi_planned)."""
    world, q, v = moving_biped()
    found = torques(feedback(gain=0.5), world, q, v)
    c, momentum = mechanics.centre_of_mass(world, q), mechanics.momentum(world, q, v).linear
    omega2 = 9.81 / 0.4
    xi = c + momentum / world.total_mass / np.sqrt(omega2)
    force = -world.total_mass * omega2 * 1.5 * xi * [1, 1, 0]
    for leg, share in zip(LEGS, (0.3, 0.7), strict=True):
        for name, d in zip(leg, leg_dofs(world, leg), strict=True):
            link = world.link_names[world.joint(name)]
            axis = mechanics.jacobian(world, q, link)[3:, d]
            dynamics = allocate(world.tree)
            forward_kinematics(dynamics, q)
            joint = dynamics.origin[1] + dynamics.position[world.joint(name)]
            wanted = -share * axis @ np.cross(c - joint, force)
            assert found[d] == pytest.approx(np.clip(wanted, -40, 40), abs=1e-9)
    assert not found[:6].any()


def test_the_moment_uprights_the_base():
    world, q, _ = moving_biped()
    plan = np.tile(mechanics.centre_of_mass(world, q)[:2], (2, 1))
    v = np.zeros(world.nv)
    found = torques(feedback(stiffness=10.0, centre=plan), world, q, v)
    moment = 10.0 * np.cross(matrix(q[3:7])[:, 2], [0, 0, matrix(q[3:7])[2, 2]])
    d = leg_dofs(world, LEGS[1])[0]
    axis = mechanics.jacobian(world, q, "right_hip")[3:, d]
    assert found[d] == pytest.approx(-0.7 * axis @ moment, abs=1e-12)


def test_the_zero_moment_point_is_not_put_beyond_its_reach():
    """From one metre away the torques are those from as far as the reach."""
    world, q, _ = moving_biped()
    v = np.zeros(world.nv)
    c = mechanics.centre_of_mass(world, q)[:2]
    far = torques(feedback(centre=np.tile(c + 1.0, (2, 1)), reach=0.01, gain=0.0), world, q, v)
    near = torques(feedback(centre=np.tile(c + 0.01, (2, 1)), reach=1.0, gain=0.0), world, q, v)
    np.testing.assert_allclose(far, near, atol=1e-12)
    assert np.abs(far).max() > 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"centre": np.zeros((3, 2))}, r"centre has shape \(3, 2\)"),
        ({"share": [[np.nan, 1.0]] * 2}, "share has shape"),
        ({"time": [0.0, 0.0]}, "increasing"),
        ({"height": 0.0}, "height is 0.0; give a positive number"),
        ({"gain": -1.0}, "gain is -1.0; give a non-negative number"),
        ({"legs": (("base",), LEGS[1])}, "'base' is free or spherical"),
        ({"legs": (("tail",), LEGS[1])}, "no joint 'tail'"),
    ],
)
def test_wrong_plans_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        feedback(**change).bind(st.World(st.robots.biped10()))


def test_torques_stay_within_both_effort_limits():
    world, q, v = moving_biped()
    free = torques(feedback(gain=0.5), world, q, v)
    tight = st.World(st.robots.biped10().with_joints(effort_lower=-0.4, effort_upper=0.25))
    limited = torques(feedback(gain=0.5), tight, q, v)
    assert free.min() < -0.4 and free.max() > 0.25
    np.testing.assert_allclose(limited, np.clip(free, -0.4, 0.25), atol=1e-12)
