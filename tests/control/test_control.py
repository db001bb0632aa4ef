"""Torques, tracking, actuators and prescribed motion against what each one says it does."""

import warnings

import mujoco
import numpy as np
import pytest

import stiction as st
from conftest import data_folder
from linkages import robot_of
from mechanisms import chain, fewer, pendulum
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

ROBOTS = ["unitree_g1/g1_mjx_nomesh.xml", "unitree_go2/go2_nomesh.xml"]
RK4 = st.RungeKutta4()


def menagerie(name: str):
    return data_folder() / "robots/mujoco_menagerie" / name


# ------------------------------------------------------------------------------------------ torques


def test_a_table_of_torques_is_held_between_its_times():
    world = st.World(pendulum(), gravity=(0, 0, 0))
    torques = st.Torques([[1.0], [-2.0]], time=[0.01, 0.02])
    motion = st.simulate(world, contact=None, duration=0.03, dt=0.001, controller=torques)
    wanted = np.select([motion.time < 0.01 - 1e-9, motion.time < 0.02 - 1e-9], [0.0, 1.0], -2.0)
    assert (motion.torque[:-1, 0] == wanted[:-1]).all()


@pytest.mark.parametrize("kind", ["torques", "actuators"])
@pytest.mark.parametrize("integrator", [st.Midpoint(), st.Leapfrog(), st.SemiImplicitEuler(), RK4])
def test_a_row_of_a_table_acts_in_whole_steps_under_every_integrator(kind, integrator):
    """The times of the rows are late by a rounding error; forces on a slider add up exactly."""
    mass, dt = 2.0, 0.001
    text = f"""<mujoco><worldbody><body><joint name="slide" type="slide" axis="0 1 0"/>
    <geom type="sphere" size=".1" mass="{mass}"/></body></worldbody>
    <actuator><motor joint="slide"/></actuator></mujoco>"""
    world = st.World(robot_of(text), ground=None)
    force = np.array([3.0, -5.0, 2.0, 8.0, -1.0])
    time = np.nextafter(0.3 + 0.005 * np.arange(5), 1.0)
    table = st.Torques if kind == "torques" else st.Actuators
    motion = st.simulate(
        world, None, state=st.State(np.zeros(1), np.zeros(1), 0.3), dt=dt, duration=0.025,
        controller=table(force[:, None], time), integrator=integrator,
    )  # fmt: skip
    acts = np.repeat(force, 5)
    np.testing.assert_array_equal(motion.torque[:-1, 0], acts)
    np.testing.assert_allclose(motion.v[1:, 0], np.cumsum(acts) * dt / mass, rtol=0, atol=1e-15)


def test_controllers_given_together_add_up():
    world = st.World(pendulum(), gravity=(0, 0, 0))
    both = (st.Torques([1.0]), st.Torques([0.5]))
    motion = st.simulate(world, contact=None, duration=0.01, dt=0.001, controller=both)
    assert (motion.torque[:-1] == 1.5).all()


# ----------------------------------------------------------------------------------------- tracking


def test_tracking_gives_the_torque_of_its_formula():
    world = st.World(chain(3))
    time = np.linspace(0, 1, 11)
    q = np.stack([np.sin(time), np.cos(time), time**2], axis=1)
    v = np.stack([np.cos(time), -np.sin(time), 2 * time], axis=1)
    extra = np.outer(time, [1.0, 2.0, 3.0])
    control = st.PDTracking(
        st.Reference(time, q, v), [10.0, 20.0, 30.0], [1.0, 2.0, 3.0], feedforward=extra
    )
    motion = st.simulate(
        world,
        contact=None,
        duration=0.35,
        dt=0.05,
        controller=control,
        integrator=st.SemiImplicitEuler(),
    )
    k = 6  # at t = 0.3 s, a sample of the reference, where the spline has the given values
    wanted = extra[3] + np.array([10, 20, 30]) * (q[3] - motion.q[k])
    wanted += np.array([1, 2, 3]) * (v[3] - motion.v[k + 1])  # damping acts at the end of the step
    assert np.allclose(motion.torque[k], wanted, rtol=1e-9)


def test_a_reference_between_samples_is_the_cubic_with_the_given_slopes():
    from stiction.control.reference import Spline, spline_at

    time = np.array([0.0, 0.4, 1.0])
    coefficients = np.array([2.0, -1.0, 0.5, 0.3])
    value, slope = np.polyval(coefficients, time), np.polyval(np.polyder(coefficients), time)
    spline = Spline(time, value[:, None], slope[:, None])
    for t in (0.1, 0.4, 0.77):
        derivatives = [np.polyval(np.polyder(coefficients, k), t) for k in range(3)]
        assert np.allclose(spline_at(spline, 0, t), derivatives, rtol=1e-12)
    assert spline_at(spline, 0, 2.0) == (value[-1], 0.0, 0.0)
    assert spline_at(spline, 0, -1.0) == (value[0], 0.0, 0.0)


def test_tracking_stays_within_its_torque_limits():
    world = st.World(pendulum(effort_lower=-2.0, effort_upper=1.0))
    far = st.Reference([0.0, 1.0], [[3.0], [3.0]])
    motion = st.simulate(
        world, contact=None, duration=0.01, dt=0.001, controller=st.PDTracking(far, 100.0, 1.0)
    )
    assert (motion.torque[:-1] == 1.0).all()
    motion = st.simulate(
        world,
        contact=None,
        duration=0.01,
        dt=0.001,
        controller=st.PDTracking(far, 100.0, 1.0, limits=0.5),
    )
    assert (motion.torque[:-1] == 0.5).all()


def test_stiff_damping_is_stable_at_a_long_step_because_it_is_implicit():
    """Damping 50 N m s on 0.3 kg m2 at 20 ms: explicitly a factor of 1 - 3.3 a step."""
    world = st.World(pendulum())
    still = st.Reference([0.0, 1.0], [[0.5], [0.5]])
    for integrator in (st.SemiImplicitEuler(), st.Leapfrog()):
        motion = st.simulate(
            world,
            contact=None,
            duration=4.0,
            dt=0.02,
            controller=st.PDTracking(still, 200.0, 50.0),
            integrator=integrator,
        )
        rest = 200.0 * (0.5 - motion.q[-1, 0]) - 1.2 * 9.81 * 0.5 * np.sin(motion.q[-1, 0])
        assert abs(rest) < 1e-4 and abs(motion.v[-1, 0]) < 1e-5


def test_a_joint_table_is_tracked_by_name():
    world = st.World(st.robots.biped10(), gravity=(0, 0, 0))
    names = ("right_knee", "left_knee")
    bend = st.Reference([0.0, 0.2], [[0.6, 0.6], [1.0, 0.8]], joints=names)
    hold = st.Reference([0.0, 1.0], np.tile(world.home().q, (2, 1)))
    others = tuple(name for name in world.joint_names[2:] if name not in names)
    control = (st.PDTracking(bend, 400.0, 10.0), st.PDTracking(hold, 400.0, 10.0, joints=others))
    motion = st.simulate(world, contact=None, duration=0.6, dt=0.002, controller=control)
    assert abs(motion.joint("right_knee")[-1] - 1.0) < 0.01
    assert abs(motion.joint("left_knee")[-1] - 0.8) < 0.01


def test_a_reference_in_degrees_is_told_with_its_joint_time_and_limits():
    """The robot pressed its joints into their stops without a word."""
    robot = st.robots.biped10()
    world = st.World(robot)
    bend = [[0.0, 0.0], [60.0, 20.0]]
    names = ("left_knee", "right_knee")
    with pytest.warns(UserWarning, match="Give angles in rad") as warned:
        st.PDTracking(st.Reference([0.0, 0.2], bend, joints=names), 400.0, 10.0).bind(world)
    (message,) = {str(one.message) for one in warned}
    upper = robot.upper[list(robot.joint_name).index("left_knee") + 5]
    assert message.startswith("PDTracking: the reference of 'left_knee' is 60 rad at t = 0.2 s; ")
    assert f"{upper:.4g} rad" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_rad = st.Reference([0.0, 0.2], np.radians(bend), joints=names)
        st.PDTracking(in_rad, 400.0, 10.0).bind(world)


# ---------------------------------------------------------------------------------------- actuators


@pytest.mark.parametrize("name", ROBOTS)
def test_actuators_give_the_forces_that_mujoco_gives(name):
    model = mujoco.MjModel.from_xml_path(str(menagerie(name)))
    data = mujoco.MjData(model)
    world = st.World(st.load(menagerie(name)))
    rng = np.random.default_rng(7)
    for _ in range(fewer(50, 3)):
        data.qpos[:] = world.home().q
        data.qpos[7:] += rng.normal(size=model.nq - 7)
        data.qvel[:] = rng.normal(size=model.nv) * 5
        data.ctrl[:] = rng.normal(size=model.nu) * 40  # beyond the control and force ranges in part
        mujoco.mj_forward(model, data)
        state = st.State(data.qpos.copy(), data.qvel.copy())
        motion = st.simulate(
            world,
            contact=None,
            duration=1e-3,
            dt=1e-3,
            state=state,
            controller=st.Actuators(data.ctrl),
            integrator=RK4,
        )
        assert np.allclose(motion.torque[0], data.qfrc_actuator, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_step_without_friction_and_limits_is_mujocos(name):
    """MuJoCo's implicitfast treats damping and servos as semi-implicit Euler: equal to rounding."""
    model = mujoco.MjModel.from_xml_path(str(menagerie(name)))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.timestep = 1e-3
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    robot = st.load(menagerie(name)).with_joints(friction=0.0, lower=-np.inf, upper=np.inf)
    world = st.World(robot)
    rng = np.random.default_rng(8)
    data.qpos[:] = world.home().q
    data.qvel[:] = rng.normal(size=model.nv)
    data.ctrl[:] = world.home().q[7:]
    state = st.State(data.qpos.copy(), data.qvel.copy())
    steps = fewer(200, 5)
    mujoco.mj_step(model, data, steps)
    motion = st.simulate(
        world,
        contact=None,
        duration=steps * 1e-3,
        dt=1e-3,
        state=state,
        controller=st.Actuators(data.ctrl),
        integrator=st.SemiImplicitEuler(),
    )
    assert np.abs(motion.q[-1] - data.qpos).max() < 1e-8  # rounding, grown over 200 steps
    assert np.abs(motion.v[-1] - data.qvel).max() < 1e-7


# -------------------------------------------------------------------------------- prescribed motion


def driven_biped(duration: float, dt: float) -> tuple[st.World, st.Motion]:
    """A biped without losses that is driven about by steady torques in free flight."""
    robot = st.robots.biped10().with_joints(friction=0, damping=0, lower=-np.inf, upper=np.inf)
    world = st.World(robot, gravity=(0, 0, -2.0))
    torque = np.r_[np.zeros(6), np.random.default_rng(2).normal(size=10) * 0.3]
    state = world.home()
    state.v[3:6] = [0.5, 1.0, -0.3]
    return world, st.simulate(
        world,
        contact=None,
        duration=duration,
        dt=dt,
        state=state,
        controller=st.Torques(torque),
        integrator=RK4,
    )


def prescribed_again(dt: float, base: str) -> tuple[st.Motion, st.Motion]:
    world, recorded = driven_biped(fewer(200, 20) * 1e-3, dt)
    again = st.simulate(
        world,
        contact=None,
        duration=recorded.time[-1],
        dt=dt,
        state=recorded.state(0),
        controller=st.Prescribed(recorded, base=base),
        integrator=RK4,
    )
    return recorded, again


@pytest.mark.parametrize("base", ["free", "all"])
def test_prescribing_a_recorded_motion_gives_back_its_torques(base):
    errors = []
    for dt in (0.002, 0.001):
        recorded, again = prescribed_again(dt, base)
        errors.append(np.abs(again.torque - recorded.torque)[1:-1, 6:].max())
        assert np.abs(again.q[:, 7:] - recorded.q[:, 7:]).max() < 1e-12
        if base == "free":
            assert np.abs(again.q - recorded.q).max() < 1e-3  # the base follows by dynamics
            assert (again.torque[:-1, :6] == 0).all()
        else:
            assert np.abs(again.q - recorded.q).max() < 1e-9
            residual = np.abs(again.torque[1:-1, :6]).max()
            assert residual < 0.03 * (dt / 1e-3) ** 2  # nothing pushes the base in free flight
    assert (
        errors[1] < 0.02 and errors[1] < errors[0] / 2.5
    )  # the bend of a cubic between samples: dt^2


def test_a_prescribed_swing_takes_the_torque_of_inverse_dynamics():
    world = st.World(chain(4))
    time = np.linspace(0, 0.3, 61)
    q = np.outer(np.sin(4 * time), [1.0, -0.5, 0.8, 0.3])
    v = np.outer(4 * np.cos(4 * time), [1.0, -0.5, 0.8, 0.3])
    motion = st.simulate(
        world,
        contact=None,
        duration=0.2,
        dt=0.005,
        state=st.State(q[0], v[0]),
        controller=st.Prescribed(st.Reference(time, q, v)),
        integrator=st.SemiImplicitEuler(),
    )
    k = 21
    a = -16 * q[k]
    wanted = st.mechanics.inverse_dynamics(world, q[k], v[k], a)
    assert (
        np.abs(motion.torque[k] - wanted).max() < 2e-3 * np.abs(wanted).max()
    )  # a cubic bends by dt^2


@pytest.mark.parametrize("integrator", [st.Midpoint(), st.SemiImplicitEuler(), RK4])
def test_a_prescribed_motion_is_that_of_its_reference_from_the_first_sample_to_the_last(integrator):
    """A double pendulum in free fall, whose first joint then repeats its motion, without torque."""
    world = st.World(chain(2), ground=None)
    state = st.State(world.home().q, np.array([2.0, -1.0]))
    free = st.simulate(world, None, state=state, dt=0.001, duration=0.021, integrator=RK4)
    for end in (0.009, 0.013, 0.021):  # steps add up to these or to a number beside them
        rows = round(end / 0.001) + 1
        reference = st.Reference(free.time[:rows], free.q[:rows], free.v[:rows])
        again = st.simulate(
            world, None, state=state, dt=0.001, duration=end, integrator=integrator,
            controller=st.Prescribed(reference, joints=(world.joint_names[1],)),
        )  # fmt: skip
        assert again.v[-1, 0] == pytest.approx(free.v[rows - 1, 0], rel=1e-12)
        assert np.abs(again.torque[:-1, 0]).max() < 0.02  # dt; 0 for RK4; at rest it takes 3 N m
        if isinstance(integrator, st.RungeKutta4):
            np.testing.assert_allclose(again.v[-1], free.v[rows - 1], atol=1e-7)  # dt^3


@pytest.mark.parametrize("integrator", [st.Midpoint(), st.Leapfrog(), st.SemiImplicitEuler(), RK4])
def test_a_prescribed_acceleration_jumps_where_the_reference_says(integrator):
    """Samples are late by rounding. A slide at 45 degrees on the prescribed one keeps its place."""
    dt, step, start = 0.001, 0.005, 0.3
    text = """<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0"/>
    <geom type="sphere" size=".1" mass="2"/><body><joint name="s" type="slide" axis="1 0 1"/>
    <geom type="sphere" size=".1" mass="1"/></body></body></worldbody></mujoco>"""
    world = st.World(robot_of(text), ground=None, gravity=(0, 0, 0))
    a = np.array([20.0, 0.0, -40.0, 20.0])
    v = np.concatenate([[0.0], np.cumsum(a * step)])
    q = np.concatenate([[0.0], np.cumsum((v[:-1] + v[1:]) * step / 2)])
    time = np.nextafter(start + step * np.arange(5), 1.0)
    reference = st.Reference(time, q[:, None], v[:, None], joints=("x",))
    motion = st.simulate(
        world, None, state=st.State(np.zeros(2), np.zeros(2), start), dt=dt, duration=0.02,
        controller=st.Prescribed(reference), integrator=integrator,
    )  # fmt: skip
    jumps = np.repeat(a, 5)
    np.testing.assert_allclose(motion.v[:, 1], -motion.v[:, 0] / np.sqrt(2), atol=1e-10)
    np.testing.assert_allclose(motion.torque[:-1, 0], (2 + 1 / 2) * jumps, atol=1e-10)


def test_prescribing_half_of_a_chain_leaves_the_rest_to_dynamics():
    """Joints 0, 1 held still: the others move as a chain of their own."""
    whole, rest = st.World(chain(4)), st.World(chain(2))
    q = np.array([0.0, 0.0, 0.7, -0.4])
    still = st.Reference([0.0, 1.0], np.zeros((2, 2)), joints=("joint0", "joint1"))
    both = [
        st.simulate(
            world,
            contact=None,
            duration=0.3,
            dt=0.003,
            state=st.State(x, np.zeros_like(x)),
            controller=c,
            integrator=RK4,
        )
        for world, x, c in ((whole, q, st.Prescribed(still)), (rest, q[2:], None))
    ]
    assert np.abs(both[0].q[:, 2:] - both[1].q).max() < 1e-12
    assert (both[0].q[:, :2] == 0).all()


def test_pitch_alone_is_prescribed_about_the_bases_own_y_axis():
    world = st.World(st.robots.box(), gravity=(0, 0, -9.81))
    time = np.linspace(0, 1, 101)
    q = np.tile(world.home().q, (101, 1))
    pitch = 0.3 * np.sin(5 * time)
    q[:, 3], q[:, 5] = np.cos(pitch / 2), np.sin(pitch / 2)
    motion = st.simulate(
        world,
        contact=None,
        duration=0.5,
        dt=0.005,
        controller=st.Prescribed(st.Reference(time, q), base="pitch"),
        integrator=RK4,
    )
    turned = 2 * np.arctan2(motion.q[:, 5], motion.q[:, 3])
    assert (
        np.abs(turned - 0.3 * np.sin(5 * motion.time)).max() < 1e-5
    )  # a spline through samples at 10 ms
    assert np.abs(motion.q[:, 2] + 9.81 * motion.time**2 / 2).max() < 1e-12  # it falls freely
    inertia = world.robots[0].inertia[0, 3]
    moment = motion.torque[20:-1, 4]  # past what is left of the guess at the end of the spline
    assert (
        np.abs(moment + inertia * 7.5 * np.sin(5 * motion.time[20:-1])).max() < 1e-3 * inertia * 7.5
    )


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: st.Torques([1.0, 2.0]), "expected (3,)"),
        (lambda: st.Torques([[1.0, 2.0, np.nan]], [0.0]), "not finite"),
        (lambda: st.PDTracking(st.Reference([0, 1], np.zeros((2, 2))), 1, 1), "expected (2, 3)"),
        (lambda: st.PDTracking(st.Reference([1, 0], np.zeros((2, 3))), 1, 1), "increasing"),
        (lambda: st.PDTracking(st.Reference([0, 1], np.zeros((2, 3))), -1, 1), "stiffness"),
        (lambda: st.PDTracking(st.Reference([0, 1], np.zeros((2, 3))), 1, [1, 2]), "damping"),
        (
            lambda: st.PDTracking(st.Reference([0, 1], np.zeros((2, 3))), 1, 1, joints=("knee",)),
            "knee",
        ),
        (lambda: st.Actuators([0.0]), "no robot in this world has actuators"),
        (lambda: st.Prescribed(st.Reference([0, 1], np.zeros((2, 3))), base="roll"), "'pitch'"),
    ],
)
def test_bad_controllers_are_refused_with_the_reason(make, says):
    with pytest.raises(InputError, match=says.replace("(", r"\(").replace(")", r"\)")):
        st.simulate(st.World(chain(3)), contact=None, duration=0.01, controller=make())
