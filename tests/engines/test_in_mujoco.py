"""MuJoCo on our worlds: closed forms, our dynamics, our order of joints."""

import numpy as np
import pytest

import stiction as st
from stiction.engines import Servos, Task, engine_by_name
from stiction.engines.in_mujoco import ENGINE, elastic, model_of, returned
from stiction.engines.mujoco_model import connecting_links

pytestmark = pytest.mark.interpreted
G = 9.81


def task(world, state=None, steps=100, dt=1e-3, mu=0.5, **others):
    return Task(world, world.standing() if state is None else state, dt, steps, mu, **others)


def single_joints(world):
    return tuple(world.joint_names[k] for k in np.unique(world.tree.dof_link) if _single(world, k))


def _single(world, link):
    return world.tree.joint_type[link] in (1, 2)


# ------------------------------------------------------------------------------------ closed forms


def test_a_free_ball_falls_as_semi_implicit_euler_has_it():
    world = st.World(st.robots.ball())
    ran = ENGINE.run(task(world, world.standing(above=1.0)))
    n = np.arange(101)
    assert ran.q[:, 2] == pytest.approx(1.05 - 0.5 * G * 1e-6 * n * (n + 1), abs=1e-12)
    assert ran.v[-1, 2] == pytest.approx(-G * 0.1, abs=1e-12)
    assert not ran.force.any() and not ran.depth.any()


@pytest.mark.parametrize("setting, error", [("tuned", 0.003), ("elliptic", 0.003)])
def test_a_brick_stops_where_coulomb_says_in_every_heading(setting, error):
    """Within the v0 dt / 2 of a first-order step, 0.25 %, and what soft contact adds."""
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:2] = 1.0, 1.0
    ran = ENGINE.run(task(world, state, steps=400), setting)
    gone = np.hypot(*(ran.q[-1, :2] - ran.q[0, :2]))
    assert gone == pytest.approx(2.0 / (2 * 0.5 * G), rel=error)
    assert np.abs(ran.v[-1, :2]).max() < 1e-3  # it rocks a little on soft contact


def test_the_default_pyramid_is_too_weak_along_the_diagonal():
    """The reason for the other settings: the stopping distance is 41 % too long."""
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:2] = 1.0, 1.0
    ran = ENGINE.run(task(world, state, steps=600))
    gone = np.hypot(*(ran.q[-1, :2] - ran.q[0, :2]))
    assert gone == pytest.approx(np.sqrt(2) * 2.0 / (2 * 0.5 * G), rel=0.01)


def test_forces_and_moments_carry_the_weight_of_a_brick():
    world = st.World(st.robots.brick().at((0.3, 0.2, 0.03)))
    ran = ENGINE.run(task(world, world.home(), steps=300))
    weight = 2.0 * G
    assert ran.force[-1, 1] == pytest.approx([0, 0, weight], abs=1e-3 * weight)
    assert ran.force[-1, 0] == pytest.approx(-ran.force[-1, 1], abs=1e-12)
    assert ran.moment[-1, 1, :2] / weight == pytest.approx([0.2, -0.3], abs=1e-4)
    assert 0 < ran.depth[-1] < 1e-4


def test_a_push_gives_its_impulse_even_within_a_step():
    world = st.World(st.robots.brick(), gravity=(0, 0, 0), ground=None)
    push = st.Push("brick", (0, 0, 0), (3.0, 0, 0), 0.0102, 0.0207)
    ran = ENGINE.run(task(world, world.home(), pushes=(push,)))
    assert ran.v[-1, 0] == pytest.approx(3.0 * 0.0105 / 2.0, abs=1e-12)
    assert np.abs(ran.v[-1, 1:]).max() < 1e-12


def test_a_push_off_the_centre_turns_as_well():
    world = st.World(st.robots.brick(), gravity=(0, 0, 0), ground=None)
    push = st.Push("brick", (0, 0.05, 0), (1.0, 0, 0), 0.0, 0.01)
    ran = ENGINE.run(task(world, world.home(), steps=10, pushes=(push,)))
    turning = -0.05 * 0.01 / (2.0 * (0.2**2 + 0.1**2) / 12)
    assert ran.v[-1, 5] == pytest.approx(turning, rel=1e-3)  # the arm turns by 1e-4 rad


@pytest.mark.parametrize("restitution", [0.05, 0.5, 0.9])
def test_a_ball_bounces_with_its_restitution(restitution):
    """A contact of twenty steps and a solver that lets 0.1 to 1 % of the free motion through."""
    world = st.World(st.robots.ball())
    start = world.standing(above=0.1)
    ran = ENGINE.run(task(world, start, steps=400, dt=5e-4, restitution=restitution), "tuned")
    lands = np.sqrt(2 * G * 0.1)
    assert ran.v[:, 2].max() == pytest.approx(restitution * lands, abs=0.05 * lands)


def test_the_spring_that_does_not_pull_returns_what_was_asked():
    assert returned(1.0) == pytest.approx(returned(1.0 - 1e-9), rel=1e-6)
    assert returned(1.0) == pytest.approx(returned(1.0 + 1e-9), rel=1e-6)
    stiffness, damping = elastic(0.5, 0.01)
    assert returned(-damping / (2 * np.sqrt(-stiffness))) == pytest.approx(0.5, rel=1e-9)


def test_a_belt_carries_a_brick_and_the_answer_is_in_our_frame():
    world = st.World(st.robots.brick(), ground=st.Plane(velocity=(0.2, 0, 0)))
    ran = ENGINE.run(task(world, steps=200), "tuned")
    slid = 0.2**2 / (2 * 0.5 * G)
    assert ran.v[-1, 0] == pytest.approx(0.2, abs=1e-6)
    assert ran.q[-1, 0] == pytest.approx(0.2 * 0.2 - slid, rel=0.02)


# ---------------------------------------------------------------------------- dynamics and servos


@pytest.mark.parametrize(
    "robot",
    [st.robots.hoap1(), st.robots.biped14(), st.robots.hanavan(planar=True)],
    ids=lambda robot: robot.name,
)
def test_one_step_in_flight_has_our_accelerations(robot):
    """Order of joints, inertias and massless links: all of H a + b = u, without gravity."""
    robot = robot.with_joints(friction=0, damping=0, lower=-np.inf, upper=np.inf, stiffness=0)
    world = st.World(robot, ground=None)
    state, random = world.home(), np.random.default_rng(3)
    joints = world.tree.dof_q[world.tree.dof_q >= 0]
    state.q[joints] += random.uniform(-0.3, 0.3, len(joints))
    state.v[:] = random.uniform(-1, 1, world.nv)
    ran = ENGINE.run(task(world, state, steps=1, dt=1e-7))
    ours = st.mechanics.forward_dynamics(world, state.q, state.v, np.zeros(world.nv))
    theirs = (ran.v[1] - ran.v[0]) / 1e-7
    assert theirs == pytest.approx(ours, rel=1e-4, abs=1e-4 * np.abs(ours).max())
    assert ran.q[0] == pytest.approx(state.q, abs=0) and ran.v[0] == pytest.approx(state.v, abs=0)


def test_inertia_and_limits_of_a_bent_robot_are_ours():
    import mujoco

    world = st.World(st.robots.hoap1())
    q = world.standing().q
    q[7:] += np.random.default_rng(3).uniform(-0.2, 0.2, len(q) - 7)
    one, none = np.ones(1), np.zeros((100, 1))
    servos = Servos(("left_knee_pitch",), none, none, none, one, 2.0 * one)
    built = model_of(task(world, servos=servos))
    data = mujoco.MjData(built.model)
    data.qpos[built.q] = q
    mujoco.mj_forward(built.model, data)
    H = np.zeros((built.model.nv, built.model.nv))
    mujoco.mj_fullM(built.model, data, H)
    ours = st.mechanics.inertia(world, q)
    assert np.allclose(H[np.ix_(built.v, built.v)][6:, 6:], ours[6:, 6:], rtol=0, atol=1e-12)
    assert np.allclose(data.subtree_com[0], st.mechanics.centre_of_mass(world, q), atol=1e-12)
    knee = built.model.joint(f"joint{world.joint('left_knee_pitch')}")
    assert knee.range == pytest.approx(np.radians([0.0, 140.0]))
    assert built.model.dof_damping[knee.dofadr[0]] == pytest.approx(2.0 + 0.02)


def test_joints_of_a_planar_base_share_a_body():
    world = st.World(st.robots.hanavan(planar=True))
    assert connecting_links(world) == {1, 2}


def test_a_servo_holds_a_joint_where_its_spring_meets_the_load():
    world = st.World(st.robots.hoap1(), gravity=(0, 0, 0), ground=None)
    state, joints = world.home(), single_joints(world)
    k = [world.tree.q_index[world.joint(name)] for name in joints]
    n, still = 400, np.zeros((400, len(joints)))
    torque = still.copy()
    torque[:, 0] = 0.5
    stiff, damp = np.full(len(joints), 20.0), np.full(len(joints), 1.0)
    servos = Servos(joints, np.tile(state.q[k], (n, 1)), still, torque, stiff, damp)
    limited = servos._replace(lower=np.full(len(joints), -0.2), upper=np.full(len(joints), 0.2))
    free, bounded = (
        ENGINE.run(task(world, state, steps=n, servos=one)).q[-1, k[0]] - state.q[k[0]]
        for one in (servos, limited)
    )
    assert free == pytest.approx(0.5 / 20.0, rel=0.05)  # joint friction holds it a little short
    assert 0 < bounded < free  # 0.2 N m accelerate it less than 0.5 N m


# ------------------------------------------------------------------------------------ translations


@pytest.mark.parametrize(
    "ground",
    [
        st.Slope(0.1),
        st.Steps(rise=0.1, start=0.5),
        st.HeightField(np.zeros((5, 5)), 0.5),
        st.Plane(height=0.3),
    ],
    ids=lambda ground: type(ground).__name__,
)
def test_a_brick_rests_on_every_ground(ground):
    world = st.World(st.robots.brick(), ground=ground)
    ran = ENGINE.run(task(world, steps=300, mu=0.8), "tuned")
    assert np.abs(ran.v[-1]).max() < 2e-3
    assert ran.force[-1, 1, 2] == pytest.approx(2.0 * G, rel=1e-2)


def test_bodies_rest_on_each_other_and_on_scenery():
    table = st.robots.box((0.5, 0.5, 0.1), 1.0).at((0, 0, 0.05))
    world = st.World(
        st.robots.brick().at((0, 0, 0.13)), st.robots.ball().at((0, 0, 0.21)), scenery=table
    )
    ran = ENGINE.run(task(world, world.home(), steps=300))
    assert ran.force[-1, 1, 2] == pytest.approx(2.0 * G, rel=1e-2)
    assert ran.force[-1, 2, 2] == pytest.approx(0.5 * G, rel=1e-2)
    assert ran.force[-1, 0, 2] == pytest.approx(-2.5 * G, rel=1e-2)


def test_links_of_a_robot_touch_each_other_only_where_ours_do():
    robot = st.robots.hoap1()
    free, touching = (
        model_of(task(st.World(robot, self_collision=chosen))).model.npair
        for chosen in (False, True)
    )
    assert touching > free


def test_contact_points_carry_a_foot_of_points():
    robot = st.robots.hoap1().with_sole_points("left_foot", 4, 3)
    world = st.World(robot.with_sole_points("right_foot", 4, 3))
    ran = ENGINE.run(task(world, steps=20))
    assert ran.force[-1, 1:, 2].sum() > 0.5 * world.total_mass * G


def test_what_mujoco_cannot_do_is_named():
    world = st.World(st.robots.brick(), ground=st.Plane(velocity=(0.1, 0, 0)),
                     scenery=st.robots.box().at((2, 0, 0.2)))  # fmt: skip
    with pytest.raises(st.StictionError, match="ground moves.*fixed in space"):
        ENGINE.run(task(world))
    with pytest.raises(st.StictionError, match="no setting 'best'"):
        ENGINE.run(task(st.World(st.robots.brick())), "best")
    with pytest.raises(st.StictionError, match="choose among mujoco"):
        engine_by_name("odd")


def test_the_engine_is_found_by_name():
    assert engine_by_name("mujoco") is ENGINE
    assert ENGINE.version().count(".") >= 1 and ENGINE.settings["default"] == {}
