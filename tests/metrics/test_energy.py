"""The energy balance against closed forms: who did how much work."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer, held, pendulum, slider
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

FREE = (0.0, 0.0, 0.0)  # no gravity
WORKS = ("torque", "joints", "damping", "normal", "friction", "external")


def total(balance, name):
    """Sum of one part over the motion."""
    return getattr(balance.cumulative(), name)[-1]


def only(balance, *names, size=1e-12):
    """Whether no other force did any work."""
    return all(abs(total(balance, name)) < size for name in WORKS if name not in names)


def at_speed(world, speed, coordinate=0):
    """Home, moving along one coordinate."""
    state = world.home()
    state.v[coordinate] = speed
    return state


# ---------------------------------------------------------------------------------- shape and sense


def test_steps_add_up_and_the_last_row_has_none():
    world = st.World(pendulum(damping=0.1))
    state = world.home()
    state.q[0] = 1.0
    motion = st.simulate(world, contact=None, duration=0.02, state=state)
    balance = motion.energy_balance()
    for part in balance:
        assert part.shape == (21,) and np.isnan(part[-1]) and np.isfinite(part[:-1]).all()
    sums = balance.cumulative()
    np.testing.assert_allclose(
        sums.change, motion.energy().total - motion.energy().total[0], atol=1e-13
    )  # rounding
    works = sum(getattr(sums, name) for name in WORKS)
    np.testing.assert_allclose(works + sums.remainder, sums.change, atol=1e-13)
    assert all(part[0] == 0.0 for part in sums)


def test_a_single_moment_has_no_steps():
    motion = st.simulate(st.World(pendulum()), contact=None, duration=0.0)
    assert np.isnan(motion.energy_balance().change).tolist() == [True]
    assert motion.energy_balance().cumulative().change.tolist() == [0.0]


def test_the_balance_wants_every_step():
    world = st.World(pendulum())
    motion = st.simulate(world, contact=None, duration=0.02, record=st.Recording(every=2))
    with pytest.raises(InputError, match=r"balance needs every step.*Recording\(every=1\)"):
        motion.energy_balance()


@pytest.mark.parametrize("rows", [slice(0, None, 2), [0, 1, 2, 10, 11], [3, 2, 1]])
def test_the_balance_of_chosen_rows_wants_every_step_between_them(rows):
    world = st.World(pendulum())
    state = at_speed(world, 2.0)
    motion = st.simulate(world, contact=None, duration=0.02, state=state)
    whole, part = motion.energy_balance(), motion.rows(np.arange(5, 12)).energy_balance()
    np.testing.assert_array_equal(part.kinetic[:-1], whole.kinetic[5:11])
    with pytest.raises(InputError, match="balance needs every step"):
        motion.rows(np.arange(len(motion))[rows]).energy_balance()


# ------------------------------------------------------------------------------------------- joints


def test_a_constant_force_does_the_work_force_times_distance():
    world = st.World(slider(mass=2.0), gravity=FREE)
    motion = st.simulate(world, contact=None, duration=0.1, dt=0.01, controller=st.Torques([3.0]))
    balance = motion.energy_balance()
    # the mean of the velocities is the mean velocity, so exactly: (F t)^2 / 2 m
    assert total(balance, "torque") == pytest.approx(0.3**2 / 4, rel=1e-12)
    assert only(balance, "torque") and abs(total(balance, "remainder")) < 1e-12


def test_joint_friction_takes_all_kinetic_energy():
    world = st.World(slider(mass=2.0, friction=5.0), gravity=FREE)
    motion = st.simulate(world, contact=None, duration=0.1, dt=0.005, state=at_speed(world, 0.2))
    balance = motion.energy_balance()
    assert motion.v[-1, 0] == 0.0
    assert total(balance, "joints") == pytest.approx(-0.04, rel=1e-12)
    assert only(balance, "joints")


def test_a_stop_takes_all_kinetic_energy():
    world = st.World(slider(mass=2.0, lower=-1.0, upper=0.03), gravity=FREE)
    motion = st.simulate(world, contact=None, duration=0.1, dt=0.01, state=at_speed(world, 1.0))
    balance = motion.energy_balance()
    assert total(balance, "joints") == pytest.approx(-1.0, rel=1e-12)
    assert only(balance, "joints")


@pytest.mark.parametrize("integrator, order", [(st.SemiImplicitEuler(), 1), (st.Leapfrog(), 2)])
def test_damping_takes_what_a_damped_oscillator_loses(integrator, order):
    """With x = exp(-a t) cos(w t + p) the energy is known; all that is lost is damping."""
    m, k, d, x0, t = 2.0, 50.0, 4.0, 0.1, 0.3
    a = d / (2 * m)
    w = np.sqrt(k / m - a**2)
    x = x0 * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    v = -x0 * np.exp(-a * t) * (k / m) / w * np.sin(w * t)
    lost = m * v**2 / 2 + k * x**2 / 2 - k * x0**2 / 2
    world = st.World(slider(m, stiffness=k, damping=d), gravity=FREE)
    state = world.home()
    state.q[0] = x0
    errors, remainders = [], []
    for dt in (0.004, 0.002):
        motion = st.simulate(
            world, contact=None, duration=t, dt=dt, state=state, integrator=integrator
        )
        balance = motion.energy_balance()
        errors.append(abs(total(balance, "damping") / lost - 1))
        remainders.append(np.abs(balance.cumulative().remainder).max())
        assert only(balance, "damping")
    # order of the integrator times the size of its steps, w dt = 0.01
    assert errors[-1] < 2 * (w * dt) ** order
    assert np.log2(remainders[0] / remainders[1]) == pytest.approx(order, abs=0.1)


# ------------------------------------------------------------------------------------------ contact


def test_friction_takes_all_kinetic_energy_of_a_sliding_brick():
    mass, mu, speed = 2.0, 0.5, 0.1
    floor = st.SpringDamper(stiffness=1e6, damping=2000.0, mu_kinetic=mu, sticking=0.0)
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.002), mass=mass))
    state = world.standing(above=-mass * 9.81 / 4 / 1e6)
    state.v[0] = speed
    motion = st.simulate(
        world, floor, duration=0.024, dt=2e-4, state=state, integrator=st.SemiImplicitEuler()
    )
    balance = motion.energy_balance()
    lost = -mass * speed**2 / 2
    # below 0.1 mm/s this law has no friction, so (1 mm/s / 0.1 m/s)^2 of the energy chatters on
    assert total(balance, "friction") == pytest.approx(lost, rel=1e-4)
    # Euler's positions are half a step behind the mean of its velocities
    slid = motion.q[-1, 0] + speed * 2e-4 / 2
    assert total(balance, "friction") == pytest.approx(-mu * mass * 9.81 * slid, rel=1e-3)
    assert only(balance, "friction", size=1e-5 * abs(lost) + 1e-6)
    assert np.abs(balance.cumulative().remainder).max() < 1e-5 * abs(lost)  # it hardly pitches


@pytest.mark.parametrize("on", ["scenery", "a body on the ground"])
def test_friction_between_bodies_takes_all_kinetic_energy_of_a_sliding_brick(on):
    """On a plate that is fixed, and on one that slides along with it on smooth ground."""
    plate = st.robots.box((2.0, 2.0, 0.01), mass=2.0)
    brick = st.robots.brick(mass=2.0).at((0.0, 0.0, 0.035))
    if on == "scenery":
        world, share = st.World(brick, scenery=st.robots.plate((2.0, 2.0, 0.01)), ground=None), 1.0
    else:
        smooth = {("ground", "default"): {"mu_static": 0.0, "mu_kinetic": 0.0}}
        world, share = st.World(brick, plate.at((0.0, 0.0, 0.0)), materials=smooth), 0.5
    state = world.home()
    if on != "scenery":
        state.q[9] = 0.005
        state.q[2] = 0.04
    state.v[0] = 0.2
    model = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)
    balance = st.simulate(world, model, duration=0.1, state=state).energy_balance()
    lost = share * 0.5 * 2.0 * 0.2**2  # equal masses end with half the speed
    assert total(balance, "friction") == pytest.approx(-lost, rel=1e-6)  # tolerance of the solver
    assert abs(total(balance, "normal")) < 1e-6 * lost
    assert abs(total(balance, "remainder")) < 1e-6 * lost


def test_a_collision_in_space_takes_the_energy_that_the_bodies_lose():
    world = st.World(st.robots.brick(), st.robots.brick(), ground=None, gravity=FREE)
    state = world.home()
    state.q[7:10], state.v[6:] = [0.05, 0.03, 0.09], [0.1, -0.2, -1.5, 1.0, 2.0, -0.5]
    motion = st.simulate(world, st.Coulomb(), duration=0.06, state=state)
    balance = motion.energy_balance()
    assert total(balance, "kinetic") < -0.5
    # the impact is not at the middle of its step, and the bodies turn; measured: 4e-4
    assert abs(total(balance, "remainder")) < 1e-3 * abs(total(balance, "kinetic"))


def test_balls_that_collide_lose_the_energy_that_restitution_takes():
    masses, e, speed = (0.5, 1.5), 0.6, 2.0
    world = st.World(
        *(st.robots.ball(mass=m).at((x, 0, 0)) for m, x in zip(masses, (0, 0.12), strict=True)),
        ground=None,
        gravity=FREE,
    )
    motion = st.simulate(
        world, st.Coulomb(restitution=e), state=at_speed(world, speed), duration=0.02
    )
    balance = motion.energy_balance()
    lost = -masses[0] * masses[1] / sum(masses) * (1 - e**2) * speed**2 / 2
    assert total(balance, "normal") == pytest.approx(lost, rel=1e-5)  # an impact takes 1e-6 of dt
    assert only(balance, "normal", size=1e-12)
    assert abs(total(balance, "remainder")) < 1e-5 * abs(lost)


def test_a_sliding_ball_loses_two_sevenths_until_it_rolls():
    mass, mu, speed = 0.5, 0.5, 0.2
    floor = st.SpringDamper(stiffness=1e4, damping=100.0, mu_kinetic=mu, sticking=0.0)
    world = st.World(st.robots.ball(mass=mass))
    state = world.standing(above=-mass * 9.81 / 1e4)
    state.v[0] = speed
    until = 2 * speed / (7 * mu * 9.81)
    motion = st.simulate(
        world, floor, duration=1.2 * until, dt=1e-4, state=state, integrator=st.SemiImplicitEuler()
    )
    assert motion.v[-1, 0] == pytest.approx(5 / 7 * speed, rel=2e-3)
    # the point of contact stops within one step of its deceleration, 1e-4 * 3.5 mu g = 1.7 mm/s;
    # the depth of the spring, 0.5 mm of 50, shortens the arm by 1 %
    lost = -mass * speed**2 / 2 * 2 / 7
    assert total(motion.energy_balance(), "friction") == pytest.approx(lost, rel=0.02)
    assert abs(total(motion.energy_balance(), "remainder")) < 1e-4 * abs(lost)


def test_a_belt_does_work_on_what_it_carries():
    mass, speed = 2.0, 0.1
    floor = st.SpringDamper(stiffness=1e6, damping=2000.0, mu_kinetic=0.5)
    belt = st.Plane(velocity=(0.0, speed, 0.0))
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.002), mass=mass), ground=belt)
    state = world.standing(above=-mass * 9.81 / 4 / 1e6)
    motion = st.simulate(world, floor, duration=0.024, dt=2e-4, state=state)
    gained = mass * motion.v[-1, 1] ** 2 / 2
    assert motion.v[-1, 1] == pytest.approx(speed, rel=0.01)  # chatter, as above
    assert total(motion.energy_balance(), "friction") == pytest.approx(gained, rel=1e-3)


def test_a_spring_takes_half_k_d_squared_and_gives_it_back():
    mass, stiffness, height = 0.5, 1e4, 0.01
    spring = st.SpringDamper(stiffness=stiffness, damping=0.0, mu_kinetic=0.0)
    world = st.World(st.robots.ball(mass=mass))
    state = world.standing(above=height)
    motion = st.simulate(world, spring, duration=0.1, dt=fewer(5e-5, 5e-4), state=state)
    sums = motion.energy_balance().cumulative()
    known = np.isfinite(motion.depth[:, 0])
    stored = stiffness * motion.depth[known, 0] ** 2 / 2
    deepest = (mass * 9.81 + np.sqrt((mass * 9.81) ** 2 + 2 * stiffness * mass * 9.81 * height)) / (
        stiffness
    )
    assert motion.depth[known].max() == pytest.approx(deepest, rel=fewer(5e-3, 0.05))
    # forces are taken at the begin of the step: k d_dot dt d late at most, d_dot = 0.45 m/s
    late = stiffness * 0.45 * motion.parameters["dt"] * deepest
    np.testing.assert_allclose(sums.normal[known], -stored, atol=late)
    assert sums.normal[-1] == pytest.approx(0.0, abs=1e-3 * stored.max() + 0.1 * late)
    assert stored.max() == pytest.approx(mass * 9.81 * (height + deepest), rel=0.1)


@pytest.mark.slow
@pytest.mark.jit
def test_a_dropped_ball_balances_with_the_order_of_the_integrator():
    world = st.World(st.robots.ball())
    floor = st.SpringDamper(stiffness=1e4, damping=5.0)
    for integrator, exact in ((st.SemiImplicitEuler(), False), (st.Leapfrog(), True)):
        left = []
        for dt in (5e-4, 2.5e-4):
            state = world.standing(above=0.1)
            motion = st.simulate(
                world, floor, duration=1.0, dt=dt, state=state, integrator=integrator
            )
            balance = motion.energy_balance()
            left.append(np.abs(balance.cumulative().remainder).max())
        lost = total(balance, "normal")
        print(f"{type(integrator).__name__}: lost {lost:.4f} J, remainder {left[-1]:.2e} J")
        assert lost < -0.1  # of 0.49 J
        assert left[-1] < 0.02 * abs(lost)
        if exact:  # the mean of the velocities times the force of the step is the change of energy
            assert max(left) < 1e-12
        else:
            assert np.log2(left[0] / left[1]) == pytest.approx(1.0, abs=0.15)


# ---------------------------------------------------------------------------------- external forces


def test_work_of_a_push_and_of_a_table_is_that_of_the_textbook():
    ball = st.robots.ball(radius=0.1, mass=2.0)
    world = st.World(ball, gravity=FREE)
    push = st.Push("ball", (0, 0, 0), (3.0, 0.0, 0.0), start=0.013, stop=0.063)
    pushed = st.simulate(world, contact=None, duration=0.1, dt=0.01, forces=[push])
    known = pushed.energy_balance([push])
    # the impulse 0.15 N s is exact, and the mean of the velocities is the mean velocity
    assert total(known, "external") == pytest.approx(0.15**2 / 4, rel=1e-12)
    assert only(known, "external") and abs(total(known, "remainder")) < 1e-12

    moment = np.tile([0.0, 0.0, 0.4], (2, 1))
    twist = st.TabulatedForce("ball", (0, 0, 0), [0.0, 1.0], np.zeros((2, 3)), moment)
    turned = st.simulate(world, contact=None, duration=0.1, dt=0.01, forces=[twist])
    spun = (0.4 * 0.1) ** 2 / 2 / (0.4 * 2.0 * 0.1**2)
    assert total(turned.energy_balance([twist]), "external") == pytest.approx(spun, rel=1e-12)


@pytest.mark.parametrize("integrator", [st.Leapfrog(), st.RungeKutta4()])
def test_a_growing_force_is_accounted_for_at_the_middle_of_the_step(integrator):
    world = st.World(st.robots.ball(mass=2.0), gravity=FREE)
    growing = [[0.0, 0.0, 0.0], [30.0, 0.0, 0.0]]
    ramp = st.TabulatedForce("ball", (0, 0, 0), [0.0, 1.0], growing)
    motion = st.simulate(
        world, contact=None, duration=0.1, dt=0.005, forces=[ramp], integrator=integrator
    )
    balance = motion.energy_balance([ramp])
    # v = 15 t^2 / m
    assert total(balance, "external") == pytest.approx(0.15**2 / 4, rel=1e-3)
    assert abs(total(balance, "remainder")) < 1e-12  # mean force times mean velocity, exactly


def test_work_of_forces_that_are_not_given_remains():
    world = st.World(st.robots.ball(mass=2.0), gravity=FREE)
    push = st.Push("ball", (0, 0, 0), (3.0, 0.0, 0.0), start=0.01, stop=0.06)
    motion = st.simulate(world, contact=None, duration=0.1, dt=0.01, forces=[push])
    balance = motion.energy_balance()
    assert np.isnan(balance.external).all()
    assert total(balance, "remainder") == pytest.approx(0.15**2 / 4, rel=1e-12)
    with pytest.raises(InputError, match="forces: found 0, but this motion was simulated with 1"):
        motion.energy_balance([])
    with pytest.raises(InputError, match="forces: found 1, but this motion was simulated with 0"):
        st.simulate(world, contact=None, duration=0.01).energy_balance([push])
    with pytest.raises(InputError, match="forces: found int"):
        motion.energy_balance([3])


# ------------------------------------------------------------------------------------- whole robots


@pytest.mark.jit
@pytest.mark.parametrize(
    "integrator, order",
    [
        pytest.param(st.SemiImplicitEuler(), 1.0, marks=pytest.mark.slow),
        (st.RungeKutta4(), 2.0),
    ],
)
def test_a_robot_under_torques_balances_with_the_order_of_the_integrator(integrator, order):
    """That of Runge and Kutta is of order 2: work is a mean force times a mean velocity."""
    world = st.World(st.robots.biped10().with_joints(friction=0.0))
    goal = world.home().q
    goal[7:] += np.random.default_rng(3).uniform(-0.2, 0.2, 10)
    hold = st.PDTracking(st.Reference([0, 1], [goal] * 2), stiffness=60.0, damping=2.0)
    left = []
    for dt in (5e-4, 2.5e-4):
        motion = st.simulate(
            world, contact=None, duration=0.4, dt=dt, controller=hold, integrator=integrator
        )
        balance = motion.energy_balance()
        left.append(np.abs(balance.cumulative().remainder).max())
    print(
        f"{type(integrator).__name__}: fell {total(balance, 'potential'):.2f} J, "
        f"torques {total(balance, 'torque'):.4f} J, remainder {left[-1]:.2e} J"
    )
    assert total(balance, "torque") == pytest.approx(0.0975, rel=0.01)  # as all integrators find
    assert only(balance, "torque", "damping")
    assert np.log2(left[0] / left[1]) == pytest.approx(order, abs=0.2)


@pytest.mark.jit
def test_a_standing_robot_balances():
    world = st.World(held(st.robots.biped10(), stiffness=200.0, damping=4.0))
    floor = st.SpringDamper(stiffness=3e4, damping=300.0, mu_kinetic=0.6)
    left = []
    for dt in (5e-4, 2.5e-4):
        state = world.standing(above=0.02)
        motion = st.simulate(world, floor, duration=0.5, dt=dt, state=state)
        balance = motion.energy_balance()
        left.append(abs(total(balance, "remainder")))
    fell = total(balance, "potential")
    shares = {name: round(total(balance, name), 4) for name in WORKS}
    print(f"fell {fell:.3f} J; {shares}; remainder {left[-1]:.2e} J")
    assert left[-1] < 0.05 * abs(fell)  # it lands at 0.6 m/s, where Euler is 8 g dt v / 2 J off
    assert left[-1] < 0.7 * left[0]
