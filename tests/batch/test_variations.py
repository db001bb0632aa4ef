"""Robots and grounds that differ between the worlds of a batch, against closed forms."""

import numpy as np
import pytest

import stiction as st
from linkages import robot_of
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

PENDULUM = """<mujoco><worldbody><body>
  <joint name="hinge" axis="0 1 0" damping="0.3" frictionloss="0.2" armature="0.05"/>
  <geom type="sphere" size="0.05" pos="0 0 -0.5" mass="2"/>
</body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def swinging(tmp_path_factory):
    path = tmp_path_factory.mktemp("variations") / "pendulum.xml"
    path.write_text(PENDULUM)
    return st.World(st.load(path), ground=None, gravity=(0, 0, 0))


def speed_after_a_push(world, torque, **variations):
    """Velocities of all worlds after one short step."""
    worlds = len(next(iter(variations.values())))
    batch = st.BatchSimulation(
        world, worlds, None, dt=1e-6, torque=np.full((worlds, 1), torque), variations=variations
    )
    batch.step()
    return batch.v[:, 0] / 1e-6


def test_a_heavier_pendulum_is_accelerated_less(swinging):
    factors = np.array([0.5, 1.0, 3.0])
    inertia = factors * (2 * 0.5**2 + 0.4 * 2 * 0.05**2) + 0.05
    found = speed_after_a_push(swinging, 5.0, mass=factors)
    # the damping of the first microsecond is of the order of 1e-6
    np.testing.assert_allclose(found, (5.0 - 0.2) / inertia, rtol=1e-5)


def test_friction_and_armature_of_joints_differ(swinging):
    inertia = 2 * 0.5**2 + 0.4 * 2 * 0.05**2
    found = speed_after_a_push(swinging, 5.0, joint_friction=np.array([0.0, 2.0]))
    np.testing.assert_allclose(found, (5.0 - np.array([0.0, 0.4])) / (inertia + 0.05), rtol=1e-5)
    found = speed_after_a_push(swinging, 5.0, armature=np.array([[0.0], [10.0]]))
    np.testing.assert_allclose(found, 4.8 / (inertia + np.array([0.0, 0.5])), rtol=1e-5)


def test_damping_of_joints_differs(swinging):
    factors = np.array([0.0, 1.0, 2.0])
    state = swinging.home()
    state.v[0] = 1.0
    batch = st.BatchSimulation(
        swinging, 3, None, dt=1e-6, states=state,
        variations={"joint_damping": factors, "joint_friction": np.zeros(3)},
    )  # fmt: skip
    batch.step()
    inertia = 2 * 0.5**2 + 0.4 * 2 * 0.05**2 + 0.05
    np.testing.assert_allclose((batch.v[:, 0] - 1) / 1e-6, -0.3 * factors / inertia, atol=1e-5)


def test_a_displaced_centre_of_mass_turns_a_body_that_is_pushed():
    """A force at the centre of the shape, which is d below the centre of mass: moment F d."""
    world = st.World(st.robots.ball(), ground=None, gravity=(0, 0, 0))
    moved = np.zeros((2, len(world.tree.parent), 3))
    moved[1, 1, 2] = 0.02
    force = np.zeros((2, world.nv))
    force[:, 0] = 1.0
    batch = st.BatchSimulation(
        world, 2, None, dt=1e-6, torque=force, variations={"centre_of_mass": moved}
    )
    batch.step()
    inertia = world.tree.inertia[1, 0]
    np.testing.assert_allclose(batch.v[:, 4] / 1e-6, [0.0, -0.02 / inertia], atol=1e-4)


def test_bricks_lie_on_grounds_of_different_heights():
    field = st.HeightField(np.zeros((4, 4)), 1.0)
    world = st.World(st.robots.brick(), ground=field)
    levels = np.array([0.0, 0.01, -0.02])
    motion = st.simulate_batch(
        world, 3, st.ImplicitSpringDamper(2e4, 200.0), duration=0.15, dt=1e-3,
        states=[placed(world, level) for level in levels],
        variations={"heights": levels[:, None, None] * np.ones((4, 4))},
    )  # fmt: skip
    heights = motion.q[:, 2] - levels
    assert np.ptp(heights) < 1e-6  # they sink alike
    assert abs(heights[0] - world.standing().q[2]) < 1e-3  # by the depth of the springs


def placed(world, level):
    state = world.standing()
    state.q[2] += level
    return state


def test_worlds_without_variations_are_those_of_a_batch_with_factors_of_one(swinging):
    state = swinging.home()
    state.v[0] = 2.0
    plain = st.BatchSimulation(swinging, 2, None, states=state)
    same = st.BatchSimulation(swinging, 2, None, states=state, variations={"mass": np.ones(2)})
    for batch in (plain, same):
        batch.step(5)
    np.testing.assert_array_equal(plain.q, same.q)


def test_worlds_forget_their_history_and_keep_their_states():
    robot = robot_of("""<mujoco><worldbody><body><joint type="slide" axis="1 0 0"/>
        <geom size="0.1" mass="1"/></body></worldbody></mujoco>""")
    world = st.World(robot, ground=None)
    batch = st.BatchSimulation(world, 2, None, dt=1e-3, torque=np.ones((2, 1)))
    batch.step(3)
    q = batch.q
    batch.forget([True, False])
    np.testing.assert_array_equal(batch.q, q)
    with pytest.raises(InputError, match=r"forget\(\): found \[2\]; give distinct integers from 0"):
        batch.forget([2])


@pytest.mark.parametrize(
    "variations, words",
    [
        ({"weight": np.ones(2)}, "what can differ: mass"),
        ({"mass": np.ones(3)}, "each of 2 worlds"),
        ({"mass": np.array([1.0, -1.0])}, "at least 1e-06"),
        ({"mass": np.array([1.0, np.nan])}, "finite"),
        ({"armature": np.ones((2, 5))}, r"has shape \(2, 5\); give .* for each of 1"),
        ({"joint_friction": np.ones((2, 0))}, r"joint_friction has shape \(2, 0\)"),
        ({"joint_friction": [1.0, -2.0]}, "joint_friction is as low as -2; give a factor"),
        ({"centre_of_mass": np.ones((2, 3))}, "for each link"),
        ({"heights": np.ones((2, 3, 3))}, "HeightField"),
        ("mass", "a dictionary"),
        (3, "a dictionary"),
    ],
)
def test_wrong_variations_are_refused(swinging, variations, words):
    with pytest.raises(InputError, match=words):
        st.BatchSimulation(swinging, 2, None, variations=variations)


def test_sensors_of_varied_robots_are_refused(swinging):
    with pytest.raises(InputError, match="sensors=True with variations"):
        st.BatchSimulation(swinging, 2, None, sensors=True, variations={"mass": np.ones(2)})
