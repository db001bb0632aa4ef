"""`linearise` by differences, against closed forms."""

import numpy as np
import pytest

import stiction as st
from mechanisms import pendulum
from stiction.errors import CaseWarning, InputError, LinearisationError

pytestmark = pytest.mark.interpreted

DT, G = 0.001, 9.81
# rounding 1e-16 of a state of size 1, divided by a perturbation of 1e-6, or of 3e-9 for the
# positions of a body that lies on the ground
SHARP, BLUNT = 1e-9, 3e-7


def brick_at(vx: float = 0.0, spin: float = 0.0) -> tuple[st.World, st.State]:
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[0], state.v[5] = vx, spin
    return world, state


def swing(angle: float, speed: float, torque: float = 0.0, **joint: float) -> st.Linearisation:
    world = st.World(pendulum(**joint), ground=None)
    state = st.State(np.array([angle]), np.array([speed]))
    return st.linearise(world, state, None, torque=[torque])


def test_a_ball_in_flight_moves_on_and_turns_with_its_axes():
    world = st.World(st.robots.ball(), ground=None)
    state = world.home()
    state.v[:] = 0.3, 0.2, -0.1, 0.0, 0.0, 2.0
    found = st.linearise(world, state, None)
    expected = np.eye(12)
    expected[:6, 6:] = DT * np.eye(6)
    turn = 2.0 * np.arctan(DT)  # of Cayley's map
    c, s = np.cos(turn), np.sin(turn)
    expected[3:5, 3:5] = [[c, s], [-s, c]]  # a rotation before the step, seen from the axes after
    assert found.A == pytest.approx(expected, abs=2e-6)  # its velocity rows: terms of dt^2
    mass, inertia = world.tree.mass[1], world.tree.inertia[1, 0]
    push = np.diag(found.B[6:])
    assert push == pytest.approx(DT / np.array([mass] * 3 + [inertia] * 3), rel=1e-6)
    assert found.C.shape == (12, 0) and found.parameters == ()
    assert found.margin == np.inf and found.crossed == ()


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi])
def test_a_pendulum_falls_back_or_away(angle):
    length, mass = 0.5, 1.2
    found = swing(angle, 0.7)
    a = -G / length * np.cos(angle + 0.35 * DT)  # slope of the acceleration, half a step ahead
    expected = [[1 + a * DT**2 / 2, DT + a * DT**3 / 4], [a * DT, 1 + a * DT**2 / 2]]
    assert found.A == pytest.approx(np.array(expected), abs=SHARP)
    inertia = mass * length**2
    assert found.B == pytest.approx(np.array([[DT**2 / 2], [DT]]) / inertia, abs=SHARP)
    assert found.error < SHARP


def test_a_brick_at_rest_stays_whatever_pushes_it_gently():
    world, state = brick_at()
    found = st.linearise(world, state, st.Coulomb(mu_static=0.5, mu_kinetic=0.4))
    assert found.A[6:] == pytest.approx(np.zeros((6, 12)), abs=BLUNT)
    assert found.A[:6, :6] == pytest.approx(np.eye(6), abs=BLUNT)
    assert found.B == pytest.approx(np.zeros((12, 6)), abs=SHARP)
    assert found.C == pytest.approx(np.zeros((12, 5)), abs=SHARP)
    assert set(found.contact_state) == {0.0, 1.0}


def test_friction_slows_a_sliding_brick_in_proportion_to_its_coefficient():
    world, state = brick_at(vx=0.5)
    found = st.linearise(world, state, st.Coulomb(mu_static=0.5, mu_kinetic=0.4))
    expected = np.zeros(12)
    expected[0], expected[6] = -G * DT**2 / 2, -G * DT
    kinetic = found.C[:, found.parameters.index("mu_kinetic")]
    assert kinetic == pytest.approx(expected, abs=SHARP)
    assert not found.C[:, found.parameters.index("mu_static")].any()
    assert found.A[6, 6] == pytest.approx(1.0, abs=BLUNT)  # friction does not depend on the speed
    sideways = 1 - 0.4 * G * DT / 0.5  # it turns against the slip, by v_y / v_x
    assert found.A[7, 7] == pytest.approx(sideways, rel=0.01)  # the slip slows within the step
    assert found.B[6, 2] == pytest.approx(0.4 * -DT / world.total_mass * -1.0, rel=1e-6)
    assert {0.0, 2.0} == set(found.contact_state)


def test_coefficients_of_friction_that_are_equal_are_perturbed_on_the_side_that_is_allowed():
    world, state = brick_at(vx=0.5)
    found = st.linearise(world, state, st.Coulomb(mu_static=0.4, mu_kinetic=0.4))
    kinetic = found.C[6, found.parameters.index("mu_kinetic")]
    assert kinetic == pytest.approx(-G * DT, abs=SHARP)


def test_the_push_of_a_spring_follows_from_its_stiffness():
    world = st.World(st.robots.brick())
    state = world.standing(above=-0.001)
    model = st.SpringDamper(stiffness=2e4, damping=0.0)
    found = st.linearise(world, state, model, wrt=("state", "parameters"))
    stiffness = found.C[8, found.parameters.index("stiffness")]
    assert stiffness == pytest.approx(4 * 0.001 * DT / world.total_mass, rel=1e-6)
    assert found.A[8, 2] == pytest.approx(-4 * 2e4 * DT / world.total_mass, rel=1e-6)
    assert found.B.shape == (12, 0)


def test_a_stuck_joint_does_not_move_and_a_sliding_one_feels_no_slope():
    stuck = swing(0.3, 0.0, friction=5.0)
    assert stuck.A[1] == pytest.approx(np.zeros(2), abs=SHARP)
    assert stuck.B == pytest.approx(np.zeros((2, 1)), abs=SHARP)
    left = 5.0 - 1.2 * G * 0.5 * np.sin(0.3)
    assert stuck.margin == pytest.approx(left * DT / 0.3, rel=1e-6)
    assert "stuck joint 'joint' slides" in stuck.nearest
    assert swing(0.3, 0.7, friction=0.5).A == pytest.approx(swing(0.3, 0.7).A, abs=2 * SHARP)


def test_a_joint_at_its_stop_is_given_back_to_it():
    found = swing(0.3, 0.7, upper=0.3)
    assert found.B == pytest.approx(np.zeros((2, 1)), abs=SHARP)
    assert found.A[1] == pytest.approx([-0.1 / DT, -0.1 / 2], abs=1e-6)  # RECOVERY of joints.py


def test_a_step_at_a_change_of_case_warns():
    with pytest.warns(CaseWarning, match="perturbing position of 'joint' and 2 more"):
        found = swing(0.0, 0.0, torque=0.5, friction=0.5)
    assert found.margin == 0.0
    assert len(found.crossed) == 3
    world, state = brick_at()
    push = [0.5 * G * world.total_mass, 0.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.warns(CaseWarning, match="change of case"):
        st.linearise(world, state, st.Coulomb(), torque=push, wrt=("torque",))


def test_a_saved_state_brings_its_history():
    world, state = brick_at(vx=0.5, spin=1.0)
    simulation = st.Simulation(world, st.Coulomb(), state=state)
    simulation.step(n=3)
    saved = simulation.save_state()
    simulation.step()
    found = st.linearise(world, saved, st.Coulomb(), wrt=("torque",))
    assert np.array_equal(found.next_state.q, simulation.state.q)
    assert np.array_equal(found.next_state.v, simulation.state.v)
    assert found.state.time == pytest.approx(0.003)


def test_the_linear_step_predicts_the_next_state_of_a_neighbour():
    world, state = brick_at(vx=0.5, spin=1.0)
    found = st.linearise(world, state, st.Coulomb(), wrt=("state",))
    near = st.State(state.q.copy(), state.v + 1e-4 * np.array([1.0, 2.0, 0.0, 0.0, 0.0, 3.0]))
    simulation = st.Simulation(world, st.Coulomb(), state=near)
    simulation.step()
    predicted = found.next_state.v + (found.A @ found.deviation(near))[6:]
    off = simulation.state.v - found.next_state.v
    assert np.abs(simulation.state.v - predicted).max() < 1e-3 * np.abs(off).max()  # second order


def test_without_static_friction_a_body_at_rest_begins_to_slide_without_friction():
    world, state = brick_at()
    push = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    ice = st.Coulomb(mu_static=0.0, mu_kinetic=0.3)
    for method in ("differences", "implicit"):
        found = st.linearise(world, state, ice, torque=push, method=method)
        assert found.parameters[0] == "mu_kinetic"
        assert found.C == pytest.approx(np.zeros((12, 4)), abs=SHARP)
        assert found.B[6, 0] == pytest.approx(DT / world.total_mass, rel=1e-6)


def test_bodies_that_touch_each_other_are_differentiated_by_differences():
    world = st.World(st.robots.brick(), st.robots.brick().at((0.0, 0.0, 0.3)), ground=st.Plane())
    state, low = world.home(), st.World(st.robots.brick()).standing().q[2]
    state.q[2], state.q[9] = low, 3 * low  # one on the other
    found = st.linearise(world, state, st.Coulomb(), wrt=("torque",))
    assert found.B == pytest.approx(np.zeros((24, 12)), abs=1e-6)  # nothing begins to slide
    with pytest.raises(LinearisationError, match="bodies touch each other"):
        st.linearise(world, state, st.Coulomb(), method="implicit")


def test_actuators_have_columns_of_their_own(tmp_path):
    servo = tmp_path / "servo.xml"
    servo.write_text("""<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/>
      <inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/></body></worldbody>
      <actuator><position joint="hinge" name="servo" kp="20" ctrlrange="-1 1"/>
      <motor joint="hinge" name="motor" gear="3"/></actuator></mujoco>""")
    world = st.World(st.load(servo), ground=None)
    state = st.State(np.array([0.2]), np.zeros(1))
    found = st.linearise(world, state, None, controller=st.Actuators([0.5, 0.1]))
    assert found.B_actuators[1] == pytest.approx(np.array([20.0, 3.0]) * DT / 0.1, rel=1e-6)
    assert found.A[1, 0] == pytest.approx(-20.0 * DT / 0.1, rel=1e-6)
    edge = st.linearise(world, state, None, controller=st.Actuators([1.0, 0.1]))
    assert edge.B_actuators[1, 0] == pytest.approx(20.0 * DT / 0.1, rel=1e-6)  # inside its range
    implicit = st.linearise(
        world, state, None, controller=st.Actuators([0.5, 0.1]), method="implicit"
    )
    assert implicit.B_actuators == pytest.approx(found.B_actuators, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"wrt": ("velocity",)}, "wrt is"),
        ({"wrt": "state"}, "wrt is"),
        ({"wrt": ()}, "wrt is"),
        ({"method": "adjoint"}, "give 'differences' or 'implicit'"),
        ({"torque": [1.0]}, "torque: found shape"),
        ({"dt": 0.0}, "dt: found"),
        ({"method": "implicit", "integrator": st.RungeKutta4()}, "Midpoint"),
        ({"method": "implicit", "contact": st.SpringDamper()}, "is for Coulomb"),
        ({"method": "implicit", "contact": st.Coulomb(unique=0.0)}, "needs unique=1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    world, state = brick_at()
    with pytest.raises(InputError, match=message):
        st.linearise(world, state, **arguments)


def test_what_has_no_implicit_derivative_is_refused_by_name():
    world = st.World(st.robots.ball())
    falling = world.standing(above=0.001)
    falling.v[2] = -3.0
    with pytest.raises(LinearisationError, match="time of impact"):
        st.linearise(world, falling, st.Coulomb(restitution=0.5), method="implicit")
    deep = world.standing(above=-0.001)
    with pytest.raises(LinearisationError, match="corrects positions"):
        st.linearise(world, deep, method="implicit")
    assert np.isnan(st.linearise(world, falling, st.Coulomb(restitution=0.5)).margin)
