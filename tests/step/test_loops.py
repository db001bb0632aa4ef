"""Linkages in motion: closed, with the right energy; friction, stops, contact and control."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stiction as st
from conftest import data_file, jit_is_off
from linkages import body, four_bar, hinge, leg, mjcf, robot_of
from stiction.description.description import WORLD, Loop
from stiction.description.mjcf import read_mjcf
from stiction.description.urdf import read_urdf_text
from stiction.robot.robot import Robot
from stiction.world.loops import closed, loop_errors

CLOSED = 1e-6  # [m or rad]
MOTORS = ("hip-roll", "hip-yaw", "hip-pitch", "knee", "foot")  # of a leg of Cassie
INTEGRATORS = (st.Midpoint(), st.Leapfrog(), st.SemiImplicitEuler(), st.RungeKutta4())


def opening(world, q):
    """Largest error of the loops in any of these configurations."""
    return max(max(loop_errors(world.robots, world.tree, one).values()) for one in np.atleast_2d(q))


def energies(world, motion):
    """Kinetic and potential energy in each row of a motion."""
    states = zip(motion.q, motion.v, strict=True)
    return np.array([sum(st.mechanics.energy(world, q, v)) for q, v in states])


def moving(world, **speeds):
    """Home, with some velocities."""
    state = world.home()
    for name, speed in speeds.items():
        state.v[world.tree.v_index[world.joint(name)]] = speed
    return state


# ---------------------------------------------------------------------------- against closed forms

SPEED, LENGTH = 4.0, 0.3


def parallelogram():
    """Crank and rocker of equal length: the coupler translates, and all is one pendulum."""
    inner = body("coupler", "0 0 -.3", hinge("b"), ".4 0 0", 1.0)
    outer = body("crank", "0 0 1", hinge("a"), "0 0 -.3", 0.5, inner)
    other = body("rocker", ".4 0 1", hinge("c"), "0 0 -.3", 0.5)
    return mjcf(outer + other, '<connect body1="coupler" body2="rocker" anchor=".4 0 0"/>')


@pytest.mark.interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_a_parallelogram_is_a_pendulum(integrator):
    world = st.World(robot_of(parallelogram()), ground=None)
    crank, inertia = world.robots[0], world.robots[0].inertia
    turned = crank.mass * LENGTH / 2 * np.array([1, 2, 1])  # first moments, per length of the swing
    both = [inertia[i, 3] + crank.mass[i] * (LENGTH / 2) ** 2 for i in (0, 2)]
    I = sum(both) + crank.mass[1] * LENGTH**2  # noqa: E741
    duration = 0.1 if jit_is_off() else 1.0
    state = moving(world, a=SPEED, b=-SPEED, c=SPEED)
    motion = st.simulate(world, contact=None, duration=duration, state=state, integrator=integrator)
    exact = solve_ivp(
        lambda _, y: (y[1], -9.81 * turned.sum() / I * np.sin(y[0])),
        (0.0, duration), (0.0, SPEED), t_eval=[duration], rtol=1e-11, atol=1e-12,
    ).y[0, -1]  # fmt: skip
    order = {st.SemiImplicitEuler: 4e-3, st.RungeKutta4: 1e-9}  # else: second order, dt^2 v^3
    assert motion.q[-1, 0] == pytest.approx(exact, abs=order.get(type(integrator), 2e-5))
    assert opening(world, motion.q) < CLOSED
    np.testing.assert_allclose(motion.q[:, 1], -motion.q[:, 0], atol=CLOSED / LENGTH)


@pytest.mark.interpreted
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda kind: type(kind).__name__)
def test_a_prescribed_crank_moves_the_rocker_as_geometry_says(integrator):
    world = st.World(robot_of(four_bar()), ground=None)
    time = np.linspace(0.0, 0.2, 41)
    angle = 5.0 * time**2
    reference = st.Reference(time=time, q=angle[:, None], v=(10.0 * time)[:, None], joints=("a",))
    motion = st.simulate(
        world,
        contact=None,
        duration=0.1,
        controller=st.Prescribed(reference, joints=("a",)),
        integrator=integrator,
    )
    a = motion.q[-1, 0]

    def apart(c):
        """Distance of the ends of crank and rocker, less the length of the coupler."""
        end = np.array([-0.2 * np.sin(a), -0.2 * np.cos(a)])
        other = np.array([0.4 - 0.3 * np.sin(c), -0.3 * np.cos(c)])
        return np.linalg.norm(other - end) - np.hypot(0.4, 0.1)

    assert a == pytest.approx(5.0 * motion.time[-1] ** 2, abs=1e-9)
    assert motion.q[-1, 2] == pytest.approx(brentq(apart, -0.1, 0.3), abs=CLOSED / 0.3)


INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="{}" iyz="0" izz="1"/></inertial>"""
HAND = f"""<robot name="hand"><link name="palm">{INERTIAL.format(1)}</link>
<link name="a">{INERTIAL.format(0.5)}</link><link name="b">{INERTIAL.format(0.8)}</link>
<joint name="to_a" type="continuous"><parent link="palm"/><child link="a"/><axis xyz="0 1 0"/>
</joint><joint name="to_b" type="continuous"><parent link="palm"/><child link="b"/>
<axis xyz="0 1 0"/>
<mimic joint="to_a" multiplier="-2" offset="0.3"/></joint></robot>"""


@pytest.mark.interpreted
def test_a_mimic_joint_adds_its_inertia_times_the_square_of_its_ratio():
    world = st.World(
        Robot.from_description(read_urdf_text(HAND, "hand.urdf", base="fixed")), ground=None
    )
    simulation = st.Simulation(world, contact=None, integrator=st.RungeKutta4())
    assert simulation.state.q == pytest.approx([0.12, 0.06])  # closed by the smallest change
    start = simulation.state.q[0]
    simulation.step([1.0, 0.0], n=20)
    state = simulation.state
    assert state.v[0] == pytest.approx(0.02 / (0.5 + 4 * 0.8), rel=1e-9)
    assert state.q[1] == pytest.approx(0.3 - 2 * state.q[0], abs=1e-12)
    assert state.q[0] > start


@pytest.mark.interpreted
def test_two_bodies_welded_in_flight_are_one():
    """Their momenta stay, and their distance does."""
    one = body("one", "0 0 1", "<freejoint/>", ".2 .1 0", 1.0)
    other = body("other", ".5 0 1", "<freejoint/>", "0 .1 .3", 0.4)
    world = st.World(robot_of(mjcf(one + other, '<weld body1="one" body2="other"/>')), ground=None)
    state = world.home()
    state.v[:] = np.tile([0.5, 0.0, 1.0, 3.0, 2.0, -4.0], 2)
    state.v[6:9] += np.cross(state.v[3:6], [0.5, 0.0, 0.0])
    before = st.mechanics.momentum(world, state.q, state.v)
    motion = st.simulate(world, contact=None, duration=0.1, state=state)
    after = st.mechanics.momentum(world, motion.q[-1], motion.v[-1])
    fallen = before.linear + np.array([0.0, 0.0, -9.81 * 1.4 * motion.time[-1]])
    np.testing.assert_allclose(after.linear, fallen, atol=1e-5)  # dt^2 v^3, as of any robot
    np.testing.assert_allclose(after.angular, before.angular, atol=1e-5)
    assert opening(world, motion.q) < CLOSED
    distance = np.linalg.norm(motion.q[:, 7:10] - motion.q[:, :3], axis=1)
    np.testing.assert_allclose(distance, 0.5, atol=CLOSED)


# -------------------------------------------------------------- beside friction, stops and contact


@pytest.mark.interpreted
@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()], ids=str)
def test_friction_in_a_loop_holds_it_or_slows_it(method):
    """Two joints stick in a linkage with one degree of freedom; either could hold it."""
    for friction, rests in ((1.5, True), (0.05, False)):
        text = four_bar(*[f'frictionloss="{friction}"'] * 3)
        world = st.World(robot_of(text), ground=None)
        q = world.home().q
        q[0] += 0.5
        start = st.State(closed(world.robots, world.tree, q), np.zeros(3))
        motion = st.simulate(world, contact=None, duration=0.1, state=start, method=method)
        assert opening(world, motion.q) < CLOSED
        assert (np.abs(motion.q[-1] - start.q).max() < 1e-9) == rests
        assert motion.unsolved.count == 0
        assert (np.diff(energies(world, motion)) < 1e-9).all()


@pytest.mark.interpreted
def test_loops_do_no_work():
    """What damping and friction of the joints take is all that the energy loses."""
    attributes = 'damping=".05"', 'frictionloss=".02"', 'stiffness="2"'
    world = st.World(robot_of(four_bar(*attributes)), ground=None)
    state = moving(world, a=8.0, b=-8.0, c=16.0 / 3.0)
    balance = st.simulate(world, contact=None, duration=0.2, state=state).energy_balance()
    lost = np.nansum(balance.joints + balance.damping)
    assert lost < -0.2
    assert abs(np.nansum(balance.remainder)) < 1e-3 * abs(lost)  # dt^2


@pytest.mark.interpreted
def test_a_stop_in_a_loop_is_not_passed():
    world = st.World(robot_of(four_bar(rocker='range="-10 10" limited="true"')), ground=None)
    state = moving(world, a=3.0, b=-3.0, c=2.0)
    motion = st.simulate(world, contact=None, duration=0.3, state=state)
    assert motion.q[:, 2].max() == pytest.approx(np.deg2rad(10.0), abs=1e-6)
    assert opening(world, motion.q) < CLOSED
    assert motion.unsolved.count == 0


def leg_in_motion(world, duration):
    """A start and a controller: hip and knee of the leg go up and down at 1.5 Hz."""
    state = world.standing()
    time = np.arange(0.0, duration + 0.1, 0.05)
    sway = 0.1 * (1.0 - np.cos(3.0 * np.pi * time))
    q = np.stack([-sway, 3.0 * sway, 0.0 * sway], axis=1)
    reference = st.Reference(time=time, q=q, joints=("hip", "knee", "crank"))
    return state, st.PDTracking(
        reference, stiffness=(400.0, 400.0, 60.0), damping=(10.0, 10.0, 2.0)
    )


def stays_closed(model, duration):
    world = st.World(robot_of(leg()))
    state, controller = leg_in_motion(world, duration)
    motion = st.simulate(
        world, contact=model, duration=duration, state=state, controller=controller
    )
    assert motion.unsolved.count == 0
    assert opening(world, motion.q[:: max(1, len(motion.q) // 2000)]) < CLOSED
    return world, motion


@pytest.mark.interpreted
@pytest.mark.parametrize("model", [st.Coulomb(), st.HuntCrossley()], ids=lambda m: type(m).__name__)
def test_a_leg_with_rods_stands_closed(model):
    world, motion = stays_closed(model, 0.02 if jit_is_off() else 1.0)
    if not jit_is_off():  # it carries its weight, give or take its motion
        lifted = motion.force[300:-1, :, 2].sum(axis=1).mean()
        assert lifted == pytest.approx(9.81 * world.total_mass, rel=0.05)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize(
    "model",
    [st.Coulomb(), st.GaussSeidel(), st.HuntCrossley(), st.Feedback(), st.Multipoint()],
    ids=lambda m: type(m).__name__,
)
def test_a_leg_stays_closed_for_a_minute(model):
    stays_closed(model, 60.0)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_a_four_bar_stays_closed_for_a_minute(integrator):
    """It swings at up to 11 rad/s; the energy stays."""
    world = st.World(robot_of(four_bar()), ground=None)
    state = moving(world, a=8.0, b=-8.0, c=16.0 / 3.0)
    motion = st.simulate(world, contact=None, duration=60.0, state=state, integrator=integrator)
    assert opening(world, motion.q[::30]) < CLOSED
    energy = energies(world, motion)[1::30]
    gained = 2e-2 if isinstance(integrator, st.SemiImplicitEuler) else 1e-3  # of what swings
    swing = energy[0] - energies(world, st.simulate(world, contact=None, duration=1e-3))[0]
    assert (energy - energy[0]).max() < gained * swing
    assert np.ptp(energy) < 0.1 * swing


# ------------------------------------------------------------------------ robots of the Menagerie


def menagerie(*parts):
    return data_file("robots", "mujoco_menagerie", *parts)


@pytest.mark.slow
def test_a_gripper_closes_as_in_mujoco():
    """Robotiq 2F-85: two pins, coupled drivers, and a tendon that drives both."""
    path, steps = menagerie("robotiq_2f85", "2f85.xml"), 3 if jit_is_off() else 1000
    world = st.World(st.load(path), ground=None)
    simulation = st.Simulation(world, contact=None, controller=st.Actuators([120.0]))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    model.opt.timestep, data.ctrl[:] = 1e-3, 120.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    simulation.step(n=steps)
    mujoco.mj_step(model, data, steps)
    if not jit_is_off():  # at rest; its pins yield
        np.testing.assert_allclose(simulation.state.q, data.qpos, atol=5e-4)
    assert opening(world, simulation.state.q) < CLOSED


@pytest.mark.slow
@pytest.mark.parametrize("model", [st.Coulomb(), st.HuntCrossley()], ids=lambda m: type(m).__name__)
def test_cassie_stands_closed(model):
    """Its motors hold the joints; without balance it stands for some seconds."""
    world = st.World(st.load(menagerie("agility_cassie", "cassie.xml")))
    start, duration = world.standing(), 0.005 if jit_is_off() else 1.0
    sides = [f"{side}-{joint}" for side in ("left", "right") for joint in MOTORS]
    reference = st.Reference([0.0, 1.0], np.tile(start.q, (2, 1)))
    stiffness, damping = (800.0, 800.0, 800.0, 1500.0, 400.0), (20.0, 20.0, 20.0, 30.0, 8.0)
    motors = st.PDTracking(reference, stiffness * 2, damping * 2, joints=tuple(sides), limits=1e3)
    motion = st.simulate(world, contact=model, duration=duration, state=start, controller=motors)
    assert opening(world, motion.q[::10]) < CLOSED
    assert motion.unsolved.count == 0
    assert motion.q[-1, 2] > 0.95


@pytest.mark.slow
def test_cassie_hangs_closed():
    """By its pelvis, welded to the world; the legs swing."""
    description = read_mjcf(menagerie("agility_cassie", "cassie.xml"))
    home = description.keyframes[0].q
    hook = Loop("hook", "weld", "cassie-pelvis", WORLD, positions=((0.0, 0.0, 0.0), home[:3]))
    closed_by = replace(description, loops=(*description.loops, hook))
    world = st.World(Robot.from_description(closed_by), ground=None)
    motion = st.simulate(world, contact=None, duration=0.005 if jit_is_off() else 5.0)
    assert opening(world, motion.q[::20]) < CLOSED
    np.testing.assert_allclose(motion.q[:, :3], np.tile(home[:3], (len(motion.q), 1)), atol=CLOSED)
    if not jit_is_off():
        energy = energies(world, motion)[[0, -1]]
        assert energy[1] < energy[0]  # joint damping


# ------------------------------------------------------------------------------------- continuation


def test_a_restored_simulation_continues_bitwise():
    world = st.World(robot_of(four_bar('frictionloss=".1"')), ground=None)
    simulation = st.Simulation(world, contact=None, state=moving(world, a=3.0))
    simulation.step(n=7)
    saved = simulation.save_state()
    simulation.step(n=9)
    once = simulation.state
    simulation.restore_state(saved)
    simulation.step(n=9)
    np.testing.assert_array_equal(simulation.state.q, once.q)
    np.testing.assert_array_equal(simulation.state.v, once.v)


@pytest.mark.interpreted
def test_a_batch_is_equal_to_single_runs():
    world = st.World(robot_of(leg()))
    state, steps = world.standing(above=-1e-5), 2 if jit_is_off() else 50
    states = np.tile(state.q, (2, 1)), np.zeros((2, world.nv))
    states[1][1, :2] = -0.3, 0.5
    batch = st.BatchSimulation(world, 2, st.Coulomb(), states=states)
    batch.step(steps)
    for k, (q, v) in enumerate(zip(*states, strict=True)):
        alone = st.Simulation(world, st.Coulomb(), state=st.State(q, v))
        alone.step(n=steps)
        np.testing.assert_array_equal(batch.q[k], alone.state.q)
        np.testing.assert_array_equal(batch.v[k], alone.state.v)


@pytest.mark.interpreted
def test_an_open_loop_closes_slowly():
    """At half a metre a second, and with the speed gone once it is closed."""
    world = st.World(robot_of(four_bar()), ground=None, gravity=(0.0, 0.0, 0.0))
    state = world.home()
    state.q[2] += 0.1
    assert opening(world, state.q) == pytest.approx(0.03, rel=0.1)
    motion = st.simulate(world, contact=None, duration=0.15, state=state)
    assert opening(world, motion.q[-1]) < CLOSED
    assert np.abs(motion.v).max() < 0.5 / 0.2
    assert energies(world, motion)[-1] == pytest.approx(energies(world, motion)[0], abs=0.03)
