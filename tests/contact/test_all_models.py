"""Laws that every contact model obeys, each for what it promises."""

import numpy as np
import pytest

import stiction as st
from contact.problems import plate, thrown
from mechanisms import fewer, turned
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    MODELS,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
    NoContact,
)
from stiction.step.impacts import MOMENT, MOST

FRICTION = 0.4
BOTH = {"mu_static": FRICTION, "mu_kinetic": FRICTION}
LAWS = [
    st.SpringDamper(mu_kinetic=FRICTION),
    st.ImplicitSpringDamper(mu_kinetic=FRICTION),
    st.HuntCrossley(mu_kinetic=FRICTION),
    st.HuntCrossley(mu_kinetic=FRICTION, alpha=1.0, beta=0.0, stiffness=5e4, damping=500.0),
    st.Distributed(**BOTH, damping=200.0, tangential_damping=100.0),  # for a brick of 2 kg
    st.Coulomb(**BOTH),
    st.Coulomb(**BOTH, restitution=0.5),
    st.GaussSeidel(**BOTH, tolerance=1e-8),
    st.GaussSeidel(**BOTH, restitution=0.5, least_norm=1.0, tolerance=1e-8),
    st.Bilateral(),
    st.Multipoint(**BOTH),
    st.Multipoint(**BOTH, restitution=0.5),
    st.Feedback(mu_kinetic=FRICTION),
    st.Balanced(**BOTH),
    st.Balanced(**BOTH, relaxation=1e-3, relative=1.0, reference_mass=0.0, spring_beyond=0.0),
]


# Where more than three rigid points touch a plane, rounding of where they are decides how they
# share the load, beside the solvers' compliance; friction of a plate that spins changes with it.
HYPERSTATIC = 1e4


def promising(*promises):
    """The laws that promise all of this."""
    return [law for law in LAWS if all(promise(law, what) for what in promises)]


def for_each(laws):
    """Run a test for each of some laws."""
    return pytest.mark.parametrize("model", laws, ids=lambda model: type(model).__name__)


def promise(model, what):
    return what in MODELS[type(model)].promises


def touch(
    model,
    *,
    depth=0.001,
    velocity=(0.0, 0.0, 0.0),
    ground=None,
    robot=None,
    dt=1e-3,
    gravity=(0.0, 0.0, -9.81),
):
    """Forces on a brick that is `depth` in the ground and moves; (points, 3)."""
    world = st.World(robot or st.robots.brick(), ground=ground or st.Plane(), gravity=gravity)
    state = world.standing(above=-depth)
    state.v[:3] = velocity
    motion = st.simulate(world, model, duration=dt, dt=dt, state=state)
    return motion.force[0]


def test_every_model_of_ours_is_in_the_list():
    ours = {kind for kind in MODELS if kind.__module__.startswith("stiction.")}
    assert {type(law) for law in LAWS} | {NoContact} == ours


# --------------------------------------------------------------------------------- cone and pulling


def check_cone(model, force):
    """Forces on level ground are in the cone and do not pull, as far as the model says so."""
    normal, tangential = force[..., 2], np.hypot(force[..., 0], force[..., 1])
    if promise(model, NO_PULL):
        assert (normal >= 0.0).all()
    if promise(model, CONE_PER_POINT):
        assert (tangential <= FRICTION * normal * (1 + 1e-12)).all()


@for_each(promising(CONE_PER_POINT, NO_PULL))
@pytest.mark.parametrize("speed", [0.0, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("sinking", [-100.0, -0.1, 0.0, 0.1, 100.0])
def test_forces_stay_in_the_cone_and_never_pull(model, speed, sinking):
    for heading in (0.0, 0.7, 2.5):
        velocity = [speed * np.cos(heading), speed * np.sin(heading), -sinking]
        for depth in (1e-6, 1e-3, 0.02)[fewer(0, 1) : fewer(3, 2)]:
            check_cone(model, touch(model, depth=depth, velocity=velocity))


@for_each(promising(CONE_PER_POINT, NO_PULL))
@pytest.mark.parametrize("points", [1, 2, 3, 4, 16, 64])
def test_cones_hold_for_any_number_of_points(model, points):
    world, rng = st.World(plate(points)), np.random.default_rng(points)
    touched = 0
    for speed in (0.0, 1.0, 100.0):
        for _ in range(fewer(5, 1)):
            state = thrown(world, rng, tilt=0.3, speed=speed, sinking=3.0, spin=5.0, above=-1e-3)
            motion = st.simulate(world, model, duration=fewer(20, 2) * 1e-4, dt=1e-4, state=state)
            check_cone(model, motion.force[:-1])
            touched += motion.force[:-1].any()
    assert touched > 0


# A point under `Distributed` begins by sticking; `test_distributed.py` has its sliding friction.
SLIDING = [law for law in LAWS if hasattr(law, "mu_kinetic") and not hasattr(law, "sliding_time")]


@for_each(SLIDING)
def test_kinetic_friction_is_against_the_slip_and_of_full_size(model):
    """Friction takes 4 mm/s in the step, so that the brick goes on sliding.

    Feedback would stop it at once, with forces that lift the rear corners off.
    """
    for heading in (0.0, 0.7, 2.5, 4.0):
        along = np.array([np.cos(heading), np.sin(heading)])
        force = touch(model, velocity=[*(0.3 * along), 0.0])
        pressed = force[force[:, 2] > 0]
        assert len(pressed) >= 2 if isinstance(model, st.Feedback) else len(pressed) == 4
        assert np.allclose(pressed[:, :2], -FRICTION * pressed[:, 2:] * along, rtol=1e-12)


# --------------------------------------------------------------------------------------- invariance


def cross_matrix(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@for_each(promising(UNIQUE_FORCES))
def test_turning_the_world_turns_the_forces(model):
    """The same landing on a slope, with everything turned along: the same forces, turned."""
    angle, heading = 0.3, 0.8
    axis = np.array([np.sin(heading), -np.cos(heading), 0.0])
    turn = np.eye(3) + np.sin(angle) * cross_matrix(axis)
    turn += (1 - np.cos(angle)) * cross_matrix(axis) @ cross_matrix(axis)
    velocity = np.array([0.4, -0.2, -0.1])
    level = touch(model, velocity=velocity)
    slope = st.Slope(angle, heading)
    assert np.allclose(turn @ [0, 0, 1], slope.normal(), atol=1e-15)
    force = touch(
        model,
        velocity=turn @ velocity,
        ground=slope,
        robot=st.robots.brick().at((0.0, 0.0, 0.0), turned(axis, angle)),
        gravity=turn @ [0, 0, -9.81],
    )
    assert np.allclose(force, level @ turn.T, rtol=1e-8, atol=1e-8 * np.abs(level).max())


@for_each(LAWS)
def test_turning_the_world_about_the_vertical_turns_the_motion(model):
    """On a tripod, whose points are carried in only one way: see `HYPERSTATIC`."""
    angle, dt = 0.8, 1e-3
    turn = np.array(
        [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0] * 3]
    )
    turn[2, 2] = 1.0
    ends = []
    for turning in (np.eye(3), turn):
        yaw = turned((0, 0, 1), angle if turning is turn else 0.0)
        world = st.World(plate(3).at((0, 0, 0), yaw))
        state = world.standing(above=0.001)
        state.v[:3] = turning @ [0.4, -0.2, -0.5]  # angular velocities are in the plate's axes
        state.v[3:] = [0.3, -0.5, 1.0]
        steps = fewer(20, 4)
        motion = st.simulate(world, model, duration=steps * dt, dt=dt, state=state)
        ends.append((turning.T @ motion.v[-1, :3], motion.v[-1, 3:]))
    for before, after in zip(*ends, strict=True):
        assert np.allclose(before, after, rtol=0, atol=1e-7)  # solvers stop at 1e-8 of impulses


def in_other_units(model, length, mass, time):
    """The same law, its parameters in other units: of so many m, kg and s."""
    force = mass * length / time**2
    units = {
        "": 1.0,
        "0 or 1": 1.0,
        "s": time,
        "N": force,
        "m": length,
        "kg": mass,
        "kg^-2": 1.0 if getattr(model, "relative", 0.0) else mass**-2,
        "m/s": length / time,
        "1/s": 1 / time,
        "1/s2": 1 / time**2,
        "N/m": force / length,
        "N s/m": force * time / length,
    }
    if hasattr(model, "alpha"):
        units["N/m^alpha"] = force / length**model.alpha
        units["N s/m^(1+beta)"] = force * time / length ** (1 + model.beta)
    fields = MODELS[type(model)].fields
    values = zip(fields.items(), model, strict=True)
    return type(model)(**{name: value / units[bounds.unit] for (name, bounds), value in values})


@for_each(LAWS)
@pytest.mark.parametrize("units", [(0.25, 1.0, 1.0), (1.0, 8.0, 1.0), (1.0, 1.0, 2.0), (4, 0.5, 2)])
def test_units_do_not_matter(model, units):
    """A landing on a tripod told in other units of length, mass and time."""
    length, mass, time = units
    dt, motions = 1e-3, []
    for l, m, t in ((1.0, 1.0, 1.0), units):
        world = st.World(plate(3, length=l, mass=m), gravity=(0, 0, -9.81 * t**2 / l))
        state = world.standing(above=0.001 / l)
        state.v[:3] = np.array([0.4, -0.2, -0.5]) * t / l
        state.v[3:] = np.array([0.3, -0.5, 1.0]) * t
        steps = fewer(20, 4)
        law = in_other_units(model, l, m, t)
        motions.append(st.simulate(world, law, duration=steps * dt / t, dt=dt / t, state=state))
    ours, theirs = motions
    assert np.allclose(theirs.q[:, :3] * length, ours.q[:, :3], rtol=0, atol=1e-9)
    force = mass * length / time**2
    impulse = dt * ours.force[:-1].sum(axis=(0, 1))
    other = dt * force * theirs.force[:-1].sum(axis=(0, 1))
    assert np.allclose(impulse, other, rtol=0, atol=1e-6 * impulse[2])
    assert np.allclose(theirs.v[:, 3:] / time, ours.v[:, 3:], rtol=0, atol=1e-7)


@for_each(promising(UNIQUE_FORCES))
@pytest.mark.parametrize("points", [3, fewer(64, 8)])
def test_the_order_of_points_does_not_matter(model, points):
    loose = HYPERSTATIC if points > 3 else 1.0
    rng = np.random.default_rng(points)
    orders = [np.arange(points), rng.permutation(points)]
    motions = []
    for order in orders:
        world = st.World(plate(points, order=order))
        state = world.standing(above=1e-4)
        state.v[:] = [0.4, -0.2, -0.3, 0.2, -0.3, 1.0]
        steps = fewer(30, 3)
        motions.append(st.simulate(world, model, duration=steps * 1e-4, dt=1e-4, state=state))
    ours, theirs = motions
    assert np.allclose(ours.q, theirs.q, rtol=0, atol=1e-11 * loose)
    assert np.allclose(ours.v, theirs.v, rtol=0, atol=1e-8 * loose)
    ours, theirs = ours.force[:-1], theirs.force[:-1]
    total = ours.sum(axis=1)
    assert np.allclose(total, theirs.sum(axis=1), rtol=0, atol=1e-6 * np.abs(total).max())
    if points == 3:
        assert np.allclose(ours[:, orders[1]], theirs, rtol=0, atol=1e-6 * np.abs(ours).max())


@for_each(LAWS)
def test_a_belt_carries_what_lies_on_it(model):
    """On a belt at 0.5 m/s a brick feels what it would feel sliding backwards on still ground."""
    belt = touch(model, ground=st.Plane(velocity=(0.5, 0.0, 0.0)))
    still = touch(model, velocity=(-0.5, 0.0, 0.0))
    assert np.allclose(belt, still, rtol=1e-12)


# ---------------------------------------------------------------------------- momentum and energy


def uncertain(model, impulse, weight):
    """How far impulses may be from the momentum that they give [N s].

    Those of solvers add up to what moves the robot to their tolerance; and while impacts last,
    which take no time but MOMENT of a step, the weight acts on.
    """
    if MODELS[type(model)].family != IMPULSE_SOLVER:
        return 1e-12
    return 1e-7 * np.abs(impulse).max() + MOST * MOMENT * np.abs(weight).max()


@for_each(LAWS)
def test_what_the_forces_do_to_the_motion_is_their_impulse(model):
    """Action on the robot: momentum changes by the recorded forces and the weight."""
    world = st.World(st.robots.brick())
    state = world.standing(above=-0.001)
    state.v[:] = [0.3, 0.1, -0.2, 1.0, -2.0, 0.5]
    dt = 1e-4
    motion = st.simulate(world, model, duration=fewer(200, 20) * dt, dt=dt, state=state)
    weight = 2.0 * world.gravity * dt
    impulse = motion.force[:-1].sum(axis=(0, 1)) * dt + (len(motion) - 1) * weight
    gained = motion.momentum().linear[-1] - motion.momentum().linear[0]
    assert np.allclose(gained, impulse, rtol=1e-10, atol=uncertain(model, impulse, weight))


@for_each(LAWS)
def test_momentum_changes_by_the_forces_in_every_step_of_a_landing(model):
    """With impacts inside the steps, which make solvers take them in parts."""
    world, rng, dt = st.World(plate(8)), np.random.default_rng(3), 1e-3
    for _ in range(fewer(5, 1)):
        state = thrown(world, rng, tilt=0.3, speed=1.0, sinking=2.0, spin=3.0, above=2e-3)
        motion = st.simulate(world, model, duration=fewer(30, 5) * dt, dt=dt, state=state)
        weight = 2.0 * world.gravity * dt
        impulse = motion.force[:-1].sum(axis=1) * dt + weight
        gained = np.diff(motion.momentum().linear, axis=0)
        assert motion.force[:-1].any()
        assert np.allclose(gained, impulse, rtol=1e-10, atol=uncertain(model, impulse, weight))


# the tests choose the restitution themselves
SAFE = [law for law in promising(NO_ENERGY_GAIN) if not getattr(law, "restitution", 0.0)]
CUBE_AND_ROD = {"cube": st.robots.box((0.1,) * 3, 1.0), "rod": st.robots.rod()}


def toss(law, body, rng, gravity):
    """Motion of a cube or a rod thrown at the ground, tilted, with any speed, spin and friction."""
    flat = np.array([1, 1, 1, 1, 1, 1] if body == "cube" else [1, 0, 1, 0, 1, 0])
    axis = rng.normal(size=3) if body == "cube" else [0.0, 1.0, 0.0]
    robot = CUBE_AND_ROD[body].at((0.0, 0.0, 0.0), turned(axis, rng.uniform(-1.5, 1.5)))
    world = st.World(robot, gravity=(0.0, 0.0, -gravity))
    state = world.standing(above=rng.uniform(0, 2e-4))
    speed, spin, friction = rng.choice([0.1, 3.0]), rng.choice([0.0, 1.0, 20.0]), rng.uniform(0, 1)
    state.v[:] = flat * [*(speed * rng.uniform(-1, 1, 3)), *(spin * rng.uniform(-1, 1, 3))]
    state.v[2] = -speed * rng.uniform(0.2, 1)
    law = law._replace(mu_static=friction, mu_kinetic=friction)
    return st.simulate(world, law, duration=fewer(200, 10) * 1e-3, dt=1e-3, state=state)


@for_each(SAFE)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("body", CUBE_AND_ROD)
@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_contact_adds_no_energy(model, restitution, body, gravity):
    """Tosses of bodies whose free flight adds none either: semi-implicit Euler loses m (g dt)^2/2.

    For a cube that holds whatever it does, for a rod as long as it does not turn about its axis.
    Under gravity, points that sank in are lifted out again, which takes a little work.
    """
    law, rng = model._replace(restitution=restitution), np.random.default_rng(17)
    touched = 0
    for _ in range(fewer(25, 1)):
        motion = toss(law, body, rng, gravity)
        energy, kinetic = motion.energy().total, motion.energy().kinetic.max()
        touched += motion.force[:-1].any()
        if gravity == 0.0:
            assert np.diff(energy).max() <= 1e-9 * kinetic
        assert energy.max() <= energy[0] + 1e-6 * kinetic
    assert touched >= fewer(15, 0)


@for_each(SAFE)
def test_contact_does_no_work_on_a_robot_that_lands(model):
    """The work of the recorded forces, at the mean of the velocities before and after each step.

    To second order in dt: points are held where they are as the step ends, and a foot turns.
    """
    world, rng = st.World(st.robots.biped10()), np.random.default_rng(5)
    for _ in range(fewer(10, 1)):
        state = thrown(world, rng, tilt=0.5, speed=1.0, sinking=2.0, spin=3.0, joints=3.0)
        motion = st.simulate(world, model, duration=fewer(50, 2) * 1e-3, dt=1e-3, state=state)
        work = motion.energy_balance().contact[:-1]
        assert motion.force[:-1].any()
        assert work.max() <= 1e-6 * motion.energy().kinetic.max()


# --------------------------------------------------------------------------------------------- rest


@pytest.mark.jit
@for_each(LAWS)
def test_a_brick_comes_to_rest_with_its_weight_on_four_equal_corners(model):
    world = st.World(st.robots.brick())
    state = world.standing(above=0.01)
    motion = st.simulate(world, model, duration=2.0, dt=2e-4, state=state)
    settled = motion.force[-2500:-1].mean(axis=0)  # Hunt-Crossley still trembles a little
    pressed = settled[settled[:, 2] > 0]
    assert len(pressed) == 4
    assert np.allclose(settled.sum(axis=0), [0.0, 0.0, 2.0 * 9.81], rtol=2e-3, atol=1e-6)
    if promise(model, UNIQUE_FORCES) or getattr(model, "least_norm", 0.0):
        assert np.allclose(pressed[:, 2], 2.0 * 9.81 / 4, rtol=2e-3)
        assert np.abs(pressed[:, :2]).max() < 1e-6


@for_each(promising(UNIQUE_FORCES))
def test_forces_are_a_function_of_the_state_alone(model):
    """The same state again, and a state that a run came through, taken up without its past.

    The default integrator has a past of its own, the last acceleration.
    """
    first = touch(model, velocity=(0.2, 0.1, -0.3))
    assert (touch(model, velocity=(0.2, 0.1, -0.3)) == first).all()
    world = st.World(plate(16))
    state = world.standing(above=1e-4)
    state.v[:] = [0.4, -0.2, -0.3, 0.2, -0.3, 1.0]
    steps = fewer(40, 3)
    plain = {"dt": 1e-4, "integrator": st.SemiImplicitEuler()}
    past = st.simulate(world, model, duration=steps * 1e-4, state=state, **plain)
    for k in range(1, steps, fewer(10, 1)):
        again = st.simulate(world, model, duration=1e-4, state=past.state(k), **plain)
        size = np.abs(past.force[k]).max()
        assert np.allclose(again.force[0], past.force[k], rtol=0, atol=1e-6 * size)
