"""Sugihara & Nakamura's springs and the family of Hunt-Crossley, a test per equation or claim."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

K, C = 4410.0, 282.0  # the paper's floor, section IV-B


def normal_force(model, depth, sinking, dt=1e-3):
    """Normal force on a ball that is `depth` in the ground and sinks at a speed."""
    world = st.World(st.robots.ball(radius=0.1))
    state = world.standing(above=-depth)
    state.v[2] = -sinking
    return st.simulate(
        world, model, duration=dt, dt=dt, state=state, integrator=st.SemiImplicitEuler()
    ).force[0, 0, 2]


@pytest.mark.parametrize("depth", [1e-4, 1e-2])
def test_eq_13_damps_only_while_the_point_sinks(depth):
    floor = st.SpringDamper(stiffness=K, damping=C)
    assert normal_force(floor, depth, 0.2) == pytest.approx(K * depth + C * 0.2, rel=1e-9)
    assert normal_force(floor, depth, -0.2) == pytest.approx(K * depth, rel=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 2.5e-3])
def test_eq_14_adds_a_damping_that_grows_with_the_step(dt):
    floor = st.ImplicitSpringDamper(stiffness=K, damping=C)
    sinking = normal_force(floor, 0.01, 0.2, dt)
    assert sinking == pytest.approx(K * (0.01 + 0.2 * dt) + C * 0.2, rel=1e-9)  # = Eq. (15)
    assert normal_force(floor, 0.01, -0.2, dt) == pytest.approx(K * (0.01 - 0.2 * dt), rel=1e-9)


def test_eq_14_as_printed_pulls_a_point_that_leaves_fast_and_unilateral_does_not():
    fast = {"depth": 1e-5, "sinking": -5.0}
    printed = st.ImplicitSpringDamper(stiffness=K, damping=C, unilateral=0.0)
    assert normal_force(printed, **fast) == pytest.approx(K * (1e-5 - 5e-3), rel=1e-6)
    assert normal_force(st.ImplicitSpringDamper(stiffness=K, damping=C), **fast) == 0.0


def test_eq_7_gives_no_friction_below_eps():
    world = st.World(st.robots.ball())
    state = world.standing(above=-0.001)
    for speed, slides in ((0.5e-4, False), (2e-4, True)):
        state.v[0] = speed
        printed = st.SpringDamper(sticking=0.0)
        force = st.simulate(world, printed, duration=1e-3, state=state).force[0, 0]
        assert (force[0] < 0) == slides


STICKING = [st.SpringDamper(), st.ImplicitSpringDamper(), st.HuntCrossley()]
NAMES = [type(model).__name__ for model in STICKING]


@pytest.mark.jit
@pytest.mark.parametrize("model", STICKING, ids=NAMES)
def test_a_brick_that_was_pushed_comes_to_rest_for_good(model):
    """With Eq. (7) as printed friction throws it to and fro with +-9.81 N; by a spring it rests."""
    world = st.World(st.robots.brick(mass=2.0))
    state = world.standing()
    state.v[0] = 0.5
    motion = st.simulate(world, model, duration=3.0, dt=4e-4, state=state)
    force = motion.force[-1000:-1].sum(axis=1)
    assert np.abs(force[:, 0]).max() < 1e-3 * 9.81  # what is left of a decaying vibration
    assert force[-1, 2] == pytest.approx(2.0 * 9.81, rel=1e-4)
    # v^2 / (2 mu g), less what friction does while the brick sinks in, and what springs give back
    assert motion.q[-1, 0] == pytest.approx(0.5**2 / (2 * 0.5 * 9.81), rel=0.03)
    printed = st.simulate(
        world, model._replace(sticking=0.0), duration=3.0, dt=4e-4, state=state
    ).force[-1000:-1]
    assert np.abs(printed.sum(axis=1)[:, 0]).max() > 1.0


@pytest.mark.jit
@pytest.mark.parametrize("model", STICKING, ids=NAMES)
def test_a_brick_holds_on_a_slope_below_the_friction_angle_and_slides_above(model):
    for slope, holds in ((0.9, True), (1.1, False)):
        world = st.World(st.robots.brick(), ground=st.Slope(np.arctan(slope * 0.5)))
        motion = st.simulate(world, model, duration=2.0, dt=4e-4, state=world.standing())
        moved = np.linalg.norm(motion.q[-1, :2] - motion.q[len(motion.q) // 2, :2])
        if holds:
            assert moved < 1e-5  # vibrations of the springs, 0.1 mm long, die out
        else:
            a = 9.81 * np.sin(np.arctan(slope * 0.5)) * (1 - 1 / slope)
            gained = np.linalg.norm(motion.v[-1, :3] - motion.v[len(motion.q) // 2, :3])
            assert gained == pytest.approx(1.0 * a, rel=0.02)  # in one second


@pytest.mark.jit
def test_a_ball_rolls_without_winding_the_spring_up():
    """The stretch follows the velocity of what touches, which is none, and not the ball."""
    world = st.World(st.robots.ball(radius=0.1))
    state = world.standing(above=-1e-4)
    state.v[0], state.v[4] = 1.0, 10.0
    motion = st.simulate(world, st.SpringDamper(), duration=2.0, dt=2e-4, state=state)
    assert motion.v[-1, 0] == pytest.approx(1.0, rel=1e-3)  # sunk in, its radius is shorter
    assert motion.q[-1, 0] == pytest.approx(2.0, rel=1e-3)


def test_many_points_of_a_side_share_the_stiffness_of_eight():
    """A box on a grid of n points sinks as on 8, on 4 corners as on 4."""
    law = st.SpringDamper(stiffness=1e4, damping=200.0)
    for along, points in ((2, 4), (10, 8)):
        robot = st.robots.box((0.2, 0.1, 0.1), 2.0)
        robot = robot.with_sole_points("box", along, along)
        world = st.World(robot)
        depth = 2.0 * 9.81 / (points * 1e4)
        state = world.standing(above=-depth)
        motion = st.simulate(world, law, duration=1e-3, dt=1e-3, state=state)
        assert motion.force[0].sum(axis=0)[2] == pytest.approx(2.0 * 9.81, rel=1e-9)


@pytest.mark.jit
def test_a_ball_rests_where_the_spring_carries_its_weight():
    world = st.World(st.robots.ball(mass=0.5))
    motion = st.simulate(
        world,
        st.SpringDamper(stiffness=1e4, damping=50.0),
        duration=1.0,
        dt=1e-4,
        state=world.standing(),
    )
    assert motion.depth[-2, 0] == pytest.approx(0.5 * 9.81 / 1e4, rel=1e-3)


@pytest.mark.parametrize(
    ("alpha", "beta", "damping"),
    [(1.0, 0.0, 300.0), (1.5, 0.0, 0.0), (1.5, 0.0, 300.0), (1.5, 1.5, 3e5)],
)
def test_the_family_of_eq_16_by_its_exponents(alpha, beta, damping):
    """Linear Eq. (5), Hertz Eq. (13), Kelvin-Voigt Eq. (14), Hunt-Crossley Eq. (15)."""
    law = st.HuntCrossley(stiffness=1e5, damping=damping, alpha=alpha, beta=beta)
    for depth, sinking in ((1e-3, 0.0), (2e-3, 0.1), (2e-3, -0.01)):
        wanted = max(0.0, 1e5 * depth**alpha + damping * depth**beta * sinking)
        assert normal_force(law, depth, sinking) == pytest.approx(wanted, rel=1e-9)


def test_hunt_crossley_starts_at_zero_force_where_a_linear_damper_jumps():
    """Section 2.3.1: "the contact force is discontinuous at the moment of impact"."""
    linear = st.HuntCrossley(stiffness=1e5, damping=300.0, alpha=1.0, beta=0.0)
    assert normal_force(linear, 1e-9, 1.0) > 299.0
    assert normal_force(st.HuntCrossley(), 1e-9, 1.0) < 1e-3


@pytest.mark.jit
def test_hertz_gives_back_the_energy_and_hunt_crossley_does_not():
    world = st.World(st.robots.ball(mass=0.5))
    rebounds = {}
    for name, damping in (("hertz", 0.0), ("hunt-crossley", 1e6)):
        law = st.HuntCrossley(stiffness=1e6, damping=damping, alpha=1.5, beta=1.5)
        motion = st.simulate(
            world,
            law,
            duration=0.4,
            dt=1e-5,
            state=world.standing(above=0.2),
        )
        rebounds[name] = motion.v[:, 2].max()
    assert rebounds["hertz"] == pytest.approx(np.sqrt(2 * 9.81 * 0.2), rel=2e-3)
    assert rebounds["hunt-crossley"] < 0.8 * rebounds["hertz"]


def test_a_cylinder_stands_on_both_rims_and_lies_on_its_side():
    from stiction.description.description import WORLD, Description, Joint, Link, Shape

    can = st.Robot.from_description(
        Description(
            "can",
            "tests",
            (Link("can", 1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)),),
            (Joint("free", "free", WORLD, "can"),),
            (Shape("side", "can", "cylinder", (0.05, 0.1)),),
        )
    )
    for quaternion, meet_ground in (((1, 0, 0, 0), 3), ((0.5**0.5, 0.5**0.5, 0, 0), 2)):
        world = st.World(can.at((0, 0, 0), quaternion))
        motion = st.simulate(
            world, st.SpringDamper(), duration=1e-3, state=world.standing(above=-1e-3)
        )
        assert (motion.depth[0] > 0).sum() == meet_ground
        assert motion.depth[0].max() == pytest.approx(1e-3, rel=1e-9)


# -------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("contact", "says"),
    [
        (
            st.SpringDamper(stiffness=-1.0),
            "SpringDamper: stiffness is -1.0; give a finite number of at least 0 N/m",
        ),
        (st.SpringDamper(damping=float("nan")), "damping is nan"),
        (st.SpringDamper(mu_kinetic="high"), "mu_kinetic is 'high'"),
        (st.SpringDamper(unilateral=2.0), "unilateral is 2.0; give a number from 0 to 1"),
        (st.SpringDamper, r"contact: found <class .*such as Coulomb\(\)"),
        (
            "spring",
            r"contact: found 'spring'; give None or an instance of .*\(Balanced, .*Bilateral",
        ),
    ],
)
def test_bad_parameters_are_named(contact, says):
    with pytest.raises(InputError, match=says):
        st.simulate(st.World(st.robots.ball()), contact, duration=0.01)


def test_a_pair_of_materials_wins_over_the_value_given_to_the_model():
    ball = st.robots.ball()
    world = st.World(ball, materials={("ground", "default"): {"stiffness": 2e4, "alpha": 1.0}})
    motion = st.simulate(
        world,
        st.SpringDamper(stiffness=1e4),
        duration=1e-3,
        dt=5e-4,
        state=world.standing(above=-1e-3),
    )
    assert motion.force[0, 0, 2] == pytest.approx(20.0, rel=1e-9)
    assert motion.parameters["notes"] == [
        "SpringDamper does not use 'alpha' of the pair ('default', 'ground')"
    ]


@pytest.mark.parametrize(
    ("materials", "says"),
    [
        ({("ground", "default"): {"bounce": 1.0}}, "no model has 'bounce'"),
        ({"ground": {"stiffness": 1.0}}, "give a pair of names"),
        ({("a", "b"): {}, ("b", "a"): {}}, "given twice"),
        ({("ground", "default"): {"stiffness": -1.0}}, "stiffness is -1.0"),
    ],
)
def test_bad_materials_are_named(materials, says):
    with pytest.raises(InputError, match=says):
        world = st.World(st.robots.ball(), materials=materials)
        st.simulate(world, st.SpringDamper(), duration=1e-3)
