"""Bruneau & Ouezdou's distributed contact, a test per equation or claim.

`Driven` moves a brick as a test says and asks the law; the rest is simulated.
"""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer, held, turned
from stiction.collision.belt import move_belt
from stiction.collision.detection import detect
from stiction.contact.contact_model import MODELS, checked_model
from stiction.contact.distributed import (
    ANCHOR,
    BEGUN,
    F_N,
    F_T,
    FREE,
    PHASE,
    SLIDING,
    SLIP,
    STICK,
    TO_SLIP,
    TO_STICK,
)
from stiction.contact.hunt_crossley import DEPTH
from stiction.contact.spring_damper import bearable_step
from stiction.kernels.kinematics import forward_kinematics, velocities
from stiction.kernels.tree import allocate
from stiction.simulation.allocation import make_surface
from stiction.simulation.stability import longest_step

pytestmark = pytest.mark.interpreted

PAPER = st.Distributed()
INTEGRATORS = [
    pytest.param(st.SemiImplicitEuler(), marks=pytest.mark.slow),  # no other test compiles it
    st.Leapfrog(),
    st.RungeKutta4(),
]
HEADINGS = np.arange(8) * np.pi / 4 + 0.1
BOTTOM = 4  # corners of the brick that touch

# For a brick of 2 kg: smooth where points land, since beta = 1; it sinks 0.25 mm.
SMOOTH = st.Distributed(
    stiffness=2e4,
    damping=4e5,
    alpha=1.0,
    beta=1.0,
    tangential_stiffness=2e4,
    tangential_damping=100.0,
)


class Driven:
    """A brick whose motion is given; each call asks the law and commits what it remembers."""

    def __init__(self, law, ground=None, robot=None):
        self.world = st.World(robot or st.robots.brick(), ground=ground or st.Plane())
        self.law = checked_model(law)
        self.surface = make_surface(self.world, self.law)[0]
        self.dynamics = allocate(self.world.tree)
        self.memory = self.surface.memory

    def in_single_precision(self):
        """The same with all numbers in single precision."""
        self.law = type(self.law)(*(np.float32(value) for value in self.law))
        self.surface = single(self.surface)
        self.dynamics = allocate(single(self.world.tree))
        self.memory = self.surface.memory
        return self

    def __call__(self, time, at=(0.0, 0.0), depth=1e-3, velocity=(0, 0, 0), tilt=0.0, spin=0.0):
        """Forces of the touching points, (n, 3). tilt: about y, the front goes down."""
        q, v = self.world.standing().q, np.zeros(self.world.nv)
        q[:3] += [*at, -depth]
        q[3:7] = turned((0.0, 1.0, 0.0), tilt)
        v[:3], v[5] = velocity, spin
        surface, contact = self.surface, self.surface.contact
        real = contact.depth.dtype.type
        forward_kinematics(self.dynamics, q.astype(real))
        velocities(self.dynamics, v.astype(real))
        move_belt(surface.ground, contact.belt, real(time), real(time))
        detect(surface.points, surface.ground, self.dynamics, contact, real(0.0))
        surface.work.clock[:] = time
        kernel = MODELS[type(self.law)].kernel
        kernel(self.law, self.dynamics, contact, self.memory, surface.work, real(1e-3))
        self.memory.now[:] = self.memory.trial
        self.memory.group_now[:] = self.memory.group_trial
        return contact.force[: contact.count[0]].copy()

    @property
    def phases(self):
        """Phases of the points that touched."""
        contact = self.surface.contact
        return self.memory.now[contact.point[: contact.count[0]], PHASE]


def single(values):
    """A tuple of arrays, or of tuples of arrays, in single precision."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float32) if values.dtype == np.float64 else values
    return type(values)(*(single(value) for value in values))


def slid(law, velocity, duration=0.02, **options):
    """A brick that was driven at a velocity until it slides, and the time."""
    foot = Driven(law, **options)
    for time in (0.0, duration):
        foot(time, at=np.array(velocity[:2]) * time, velocity=velocity)
    assert (foot.phases == SLIP).all()
    return foot, duration


def stick_force(law, way, velocity):
    """Eqs. (17), (18)."""
    return -law.tangential_stiffness * np.array(way) - law.tangential_damping * np.array(velocity)


# ------------------------------------------------------------------------------------- normal force


@pytest.mark.parametrize("sinking", [0.0, 0.1, -0.005])
def test_eq_16_with_the_numbers_of_the_paper(sinking):
    force = Driven(PAPER)(0.0, depth=5e-3, velocity=(0, 0, -sinking))
    wanted = 9950 * 0.005**1.2 + 450 * 0.005**0.02 * sinking
    assert len(force) == BOTTOM
    assert force[:, 2] == pytest.approx(wanted, rel=1e-9)


def test_signs_of_eqs_5_and_13_to_15_would_pull_and_eq_16_does_not():
    """They print f = -k y - mu y' with y the depth: a foot at rest in the ground is pulled down."""
    for alpha, beta in ((1.0, 0.0), (1.5, 0.0), (1.2, 1.2)):
        printed = -9950 * 0.005**alpha - 450 * 0.005**beta * 0.1
        ours = Driven(PAPER._replace(alpha=alpha, beta=beta))
        force = ours(0.0, depth=5e-3, velocity=(0, 0, -0.1))
        assert printed < 0
        assert force[:, 2] == pytest.approx(-printed, rel=1e-9)


def test_eq_16_pulls_a_point_that_leaves_fast_and_unilateral_does_not():
    leaving = {"depth": 1e-3, "velocity": (0, 0, 1.0)}
    assert (Driven(PAPER)(0.0, **leaving)[:, 2] == 0).all()
    assert (Driven(PAPER._replace(unilateral=0.0))(0.0, **leaving)[:, 2] < -300).all()


def test_a_small_beta_is_a_jump_at_any_practical_step():
    """(1 micrometre)^0.02 is 0.76: three quarters of the damper act at once."""
    force = Driven(PAPER)(0.0, depth=1e-6, velocity=(0, 0, -1.0))
    assert 1e-6**0.02 == pytest.approx(0.76, abs=0.002)
    assert force[:, 2] == pytest.approx(0.76 * 450, rel=0.003)
    smooth = Driven(PAPER._replace(beta=1.0))(0.0, depth=1e-6, velocity=(0, 0, -1.0))
    assert (smooth[:, 2] < 2e-3).all()


# ----------------------------------------------------------------------------------------- sticking


def test_eqs_17_to_19_hold_a_point_by_the_way_since_it_touched():
    foot = Driven(PAPER)
    foot(0.0, at=(0.3, 0.2), depth=5e-3)
    velocity = np.array([3e-3, -2e-3])
    force = foot(0.1, at=(0.301, 0.198), depth=5e-3, velocity=(*velocity, 0.0))
    wanted = -90 * np.array([1e-3, -2e-3]) - 950 * velocity
    assert np.allclose(force[:, :2], wanted, rtol=1e-9)
    assert np.allclose(np.linalg.norm(force[:, :2], axis=1), np.hypot(*wanted), rtol=1e-9)
    assert (foot.phases == STICK).all()


def test_a_belt_takes_the_anchor_along():
    law, belt = PAPER, np.array([0.5, -0.2])
    foot = Driven(law, ground=st.Plane(velocity=(*belt, 0.0)))
    foot(2.0, at=(0.0, 0.0), depth=5e-3, velocity=(*belt, 0.0))
    still = foot(3.0, at=belt, depth=5e-3, velocity=(*belt, 0.0))
    assert np.abs(still[:, :2]).max() < 1e-9
    way = np.array([1e-3, 2e-3])
    moved = foot(4.0, at=2 * belt + way, depth=5e-3, velocity=(*belt, 0.0))
    assert np.allclose(moved[:, :2], stick_force(law, way, (0, 0)), rtol=1e-6)


def test_a_belt_that_speeds_up_takes_the_anchor_along():
    speed, a = np.array([0.5, -0.2]), 0.3  # v = speed (1 + a t)
    ends = [(*speed, 0.0), (*(speed * (1 + 10 * a)), 0.0)]
    foot = Driven(PAPER, ground=st.Plane(velocity=ends, time=(0.0, 10.0)))
    for time in (2.0, 3.0):
        way, velocity = speed * (time + a * time**2 / 2), speed * (1 + a * time)
        force = foot(time, at=way, depth=5e-3, velocity=(*velocity, 0.0))
        assert np.abs(force[:, :2]).max() < 1e-9


# ------------------------------------------------------------------------------------------ sliding


@pytest.mark.parametrize("heading", HEADINGS)
def test_eqs_22_25_26_as_corrected_are_alike_in_any_heading(heading):
    law, speed = PAPER._replace(sliding_damping=10.0), 0.5
    along = np.array([np.cos(heading), np.sin(heading)])
    foot, time = slid(law, (*(speed * along), 0.0))
    force = foot(time, velocity=(*(speed * along), 0.0))
    normal = force[:, 2:]
    assert np.allclose(force[:, :2], -(0.4 * normal + 10.0 * speed) * along, rtol=1e-9)
    ratio = np.linalg.norm(force[:, :2].sum(axis=0)) / normal.sum()
    assert ratio == pytest.approx(0.4 + BOTTOM * 10.0 * speed / normal.sum(), rel=1e-9)


def test_eqs_22_25_26_as_printed_reduce_friction_and_depend_on_the_heading():
    """With V_t < 0 and x' = V_t cos(theta); in numbers, beside the corrected law."""
    f_n, mu, V_t, sizes = 100.0, 10.0, -0.5, []
    assert 0.4 * f_n - mu * abs(V_t) < 0.4 * f_n  # Eq. (22)
    for theta in (0.0, np.pi / 4):
        t = np.array([np.cos(theta), np.sin(theta)])
        sizes.append(np.linalg.norm((0.4 * f_n - mu * V_t * t) * t))  # Eqs. (25), (26)
    assert sizes[0] == pytest.approx(45.0)
    assert sizes[1] == pytest.approx(43.54, abs=0.01)


def test_eq_20_keeps_the_direction_that_the_force_had_when_sliding_began():
    foot, time = slid(PAPER, (0.5, 0.0, 0.0))
    for turned_by in (0.3, 1.2):
        velocity = (0.5 * np.cos(turned_by), 0.5 * np.sin(turned_by), 0.0)
        force = foot(time, velocity=velocity)
        V_t = -velocity[0]
        assert (foot.phases == SLIP).all()
        assert np.allclose(force[:, 1], 0.0, atol=1e-9)
        assert np.allclose(force[:, 0], -(0.4 * force[:, 2] - 1.0 * V_t), rtol=1e-9)


# -------------------------------------------------------------------------------------- transitions


def test_eq_27_goes_from_sticking_to_sliding_in_a_straight_line():
    law, velocity = PAPER, np.array([0.3, 0.0])
    foot, starts = Driven(law), 1.0
    first = foot(starts, velocity=(*velocity, 0.0))
    assert (foot.phases == TO_SLIP).all()
    assert np.allclose(first[:, :2], stick_force(law, (0, 0), velocity), rtol=1e-9)
    for elapsed in (1e-4, 0.003, 0.007, 0.00999, 0.011):
        force = foot(starts + elapsed, at=velocity * elapsed, velocity=(*velocity, 0.0))
        stick = stick_force(law, velocity * elapsed, velocity)
        slip = -(0.4 * force[:, 2:] + 1.0 * 0.3) * [1.0, 0.0]
        share = min(elapsed / 0.01, 1.0)
        assert np.allclose(force[:, :2], stick + (slip - stick) * share, rtol=1e-6, atol=1e-9)
    assert (foot.phases == SLIP).all()  # Eq. (34)


def test_eqs_29_30_go_from_sliding_to_sticking_where_the_point_turns_back():
    law, back = PAPER, np.array([-1e-3, 0.0])
    foot, starts = slid(law, (0.3, 0.0, 0.0))
    stopped = np.array([0.006, 0.0])
    foot(starts, at=stopped, velocity=(1e-9, 0.0, 0.0))
    assert (foot.phases == SLIP).all()
    for elapsed in (0.0, 1e-4, 0.003, 0.0099, 0.011):
        at = stopped + back * elapsed
        force = foot(starts + elapsed, at=at, velocity=(*back, 0.0))
        slip = -(0.4 * force[:, 2:] - 1.0 * 1e-3) * [1.0, 0.0]
        stick = stick_force(law, back * elapsed, back)  # the anchor is where it stopped
        share = min(elapsed / 0.01, 1.0)
        assert np.allclose(force[:, :2], slip + (stick - slip) * share, rtol=1e-6, atol=1e-9)
        assert (foot.phases == (TO_STICK if elapsed < 0.01 else STICK)).all()  # Eq. (33)


@pytest.mark.parametrize("fast_first", [True, False])
def test_a_transition_cut_short_blends_from_the_force_that_it_had(fast_first):
    law, fast, back = PAPER, np.array([0.3, 0.0]), np.array([-0.2, 0.0])
    if fast_first:  # on the way to sliding, it turns back
        foot, time, before, after = Driven(law), 0.005, fast, np.array([-0.001, 0.0])
        foot(0.0, velocity=(*before, 0.0))
    else:  # on the way to sticking, it is torn off the other way
        foot, time = slid(law, (*fast, 0.0))
        before, after = np.array([-0.001, 0.0]), back
        foot(time, velocity=(*before, 0.0))
        time += 0.005
    held = foot(time, velocity=(*before, 0.0))
    cut = foot(time, velocity=(*after, 0.0))
    assert (foot.phases == (TO_STICK if fast_first else TO_SLIP)).all()
    way = after * 0.004
    force = foot(time + 0.004, at=way, velocity=(*after, 0.0))
    last = stick_force(law, way, after) if fast_first else None
    if last is None:
        last = (0.4 * force[:, 2:] + 1.0 * 0.2) * [1.0, 0.0]
    assert np.allclose(force[:, :2], cut[:, :2] + 0.4 * (last - cut[:, :2]), rtol=1e-6)
    assert np.abs(held).max() > 0
    foot(time + 0.011, at=after * 0.011, velocity=(*after, 0.0))
    assert (foot.phases == (STICK if fast_first else SLIP)).all()


def test_transitions_of_no_time_change_at_once():
    law = PAPER._replace(sliding_time=0.0, sticking_time=0.0)
    foot = Driven(law)
    force = foot(0.0, velocity=(0.3, 0.0, 0.0))
    assert np.allclose(force[:, 0], -(0.4 * force[:, 2] + 0.3), rtol=1e-9)
    foot(0.001, velocity=(0.3, 0.0, 0.0))
    assert (foot.phases == SLIP).all()
    force = foot(0.002, velocity=(-1e-3, 0.0, 0.0))
    assert np.allclose(force[:, 0], 950 * 1e-3, rtol=1e-9)
    foot(0.003)
    assert (foot.phases == STICK).all()


# ------------------------------------------------------------------------------- macroscopic, local


def test_eqs_35_to_40_all_points_begin_to_slide_at_the_same_instant():
    """On a foot that leans, points reach lambda_s f_n one by one, and wait for the foot."""
    law, foot = PAPER._replace(tangential_stiffness=2e4), Driven(PAPER)
    foot.law = checked_model(law)
    foot.surface.contact.table[:] = law
    waited = False
    for k in range(2000):
        force = foot(1e-3 * k, at=(1e-6 * k, 0.0), velocity=(1e-3, 0.0, 0.0), tilt=0.005)
        ratio = np.linalg.norm(force[:, :2].sum(axis=0)) / force[:, 2].sum()  # Eq. (37)
        assert np.allclose(foot.memory.group_now[0, F_N], force[:, 2].sum(), rtol=1e-9)
        assert np.allclose(foot.memory.group_now[0, F_T], force[:, 0].sum(), rtol=1e-9)
        if ratio >= 0.7:
            break
        local = np.linalg.norm(force[:, :2], axis=1) / force[:, 2]
        waited = waited or local.max() > 0.8
        assert (foot.phases == STICK).all()
    assert waited and k < 1999
    assert (foot.phases == TO_SLIP).all()  # Eqs. (38), (39)
    assert np.ptp(foot.memory.now[foot.memory.now[:, PHASE] > 0, BEGUN]) == 0.0
    assert foot.memory.group_now[0, SLIDING] == BOTTOM


def test_each_point_stops_by_itself():
    """A foot that slides and turns: those that the turn carries back stop first."""
    foot, time = slid(PAPER, (0.3, 0.0, 0.0))
    foot(time, velocity=(0.1, 0.0, 0.0), spin=3.0)  # at y = +-0.05 the turn adds -+0.15
    assert sorted(foot.phases) == [SLIP, SLIP, TO_STICK, TO_STICK]
    assert foot.memory.group_now[0, SLIDING] == 2
    foot(time + 0.001, velocity=(-1e-4, 0.0, 0.0))
    begun = foot.memory.now[foot.memory.now[:, PHASE] > 0, BEGUN]
    assert (foot.phases == TO_STICK).all()
    assert sorted(begun - time) == pytest.approx([0.0, 0.0, 0.001, 0.001])


def test_a_point_begins_only_if_it_moves_against_its_force():
    """Condition 2 at the start: a foot torn off while one side goes the other way."""
    law = PAPER._replace(tangential_stiffness=5e4, tangential_damping=1.0)
    foot = Driven(law)
    foot(0.0)
    foot(0.001, at=(2e-3, 0.0), velocity=(0.1, 0.0, 0.0), spin=4.0)
    assert sorted(foot.phases) == [STICK, STICK, TO_SLIP, TO_SLIP]


def test_sliding_is_latched_although_the_ratio_falls_below_lambda_s():
    """Eq. (40) without memory would end it at once: 0.4 is less than 0.7."""
    foot, time = slid(PAPER, (0.3, 0.0, 0.0))
    for k in range(20):
        force = foot(time + 0.001 * k, velocity=(0.3, 0.0, 0.0))
        assert np.linalg.norm(force[:, :2].sum(axis=0)) < 0.7 * force[:, 2].sum()
        assert (foot.phases == SLIP).all()


# ------------------------------------------------------------------------------------ missing cases


def test_a_point_that_lands_on_a_sliding_foot_slides_along_its_velocity():
    foot, velocity = Driven(PAPER), np.array([0.3, 0.1])
    for time in (0.0, 0.02):
        foot(time, velocity=(*velocity, 0.0), tilt=0.02)
    assert (foot.phases == SLIP).all() and len(foot.phases) == 2
    force = foot(0.021, velocity=(*velocity, 0.0))
    speed = np.linalg.norm(velocity)
    assert (foot.phases == SLIP).all() and len(foot.phases) == 4
    wanted = -(0.4 * force[:, 2:] + speed) * velocity / speed
    assert np.allclose(force[:, :2], wanted, rtol=1e-9)


def test_a_point_that_lands_on_a_foot_that_sticks_sticks_where_it_landed():
    foot = Driven(PAPER)
    foot(0.0, tilt=0.02)
    force = foot(0.001, at=(1e-3, 0.0))
    assert (foot.phases == STICK).all() and len(foot.phases) == 4
    way = 1e-3 + 0.03 * np.sin(0.02)  # of the others, which were below the leaning brick
    assert sorted(force[:, 0]) == pytest.approx([-90 * way, -90 * way, 0.0, 0.0], abs=0.002)


def test_without_a_tangential_force_a_point_slides_against_its_velocity():
    law = PAPER._replace(tangential_stiffness=0.0, tangential_damping=0.0, mu_static=0.0)
    foot = Driven(law)
    foot(0.0)
    assert (foot.phases == STICK).all()  # no force, no velocity: nowhere to slide
    foot(0.001, velocity=(0.3, 0.4, 0.0))
    assert (foot.phases == TO_SLIP).all()
    force = foot(0.02, velocity=(0.3, 0.4, 0.0))
    assert np.allclose(force[:, :2], -(0.4 * force[:, 2:] + 0.5) * [0.6, 0.8], rtol=1e-9)


def test_no_static_friction_slides_at_any_force():
    foot = Driven(PAPER._replace(mu_static=0.0))
    foot(0.0, velocity=(1e-6, 0.0, 0.0))
    assert (foot.phases == TO_SLIP).all()


def test_lift_off_clears_what_is_remembered():
    foot, time = slid(PAPER, (0.3, 0.0, 0.0))
    foot(time, depth=-1e-3, velocity=(0.3, 0.0, 0.0))
    assert not foot.memory.now.any() and not foot.memory.group_now.any()
    foot(time + 0.001, at=(0.5, 0.0))
    assert (foot.phases == STICK).all()
    anchors = foot.memory.now[foot.memory.now[:, PHASE] == STICK, ANCHOR]
    assert sorted(anchors) == pytest.approx([0.4, 0.4, 0.6, 0.6])


def test_single_precision_follows_double():
    exact, rough = Driven(SMOOTH), Driven(SMOOTH).in_single_precision()
    speeds = (0.0, 0.3, 0.3, 0.3, -1e-3, -1e-3, -1e-3)
    for time, speed in zip((0.0, 0.001, 0.005, 0.02, 0.03, 0.035, 0.05), speeds, strict=True):
        motion = {"at": (0.3 * time, 0.0), "velocity": (speed, 0.0, 0.0)}
        wanted, found = exact(time, **motion), rough(time, **motion)
        assert found.dtype == np.float32
        assert np.allclose(found, wanted, rtol=1e-3, atol=0.05)
        assert (exact.phases == rough.phases).all()


def test_the_longest_step_is_that_of_the_stiffer_direction():
    world = st.World(st.robots.brick())
    surface = make_surface(world, PAPER)[0]
    bound = longest_step(world, PAPER, surface.points, surface.contact.table)
    assert bound.dt == bearable_step(90.0, 950.0, bound.mass)
    hard = PAPER._replace(stiffness=3e7)
    bound = longest_step(world, hard, surface.points, make_surface(world, hard)[0].contact.table)
    wanted = bearable_step(3.6e7 * DEPTH**0.2, 450 * DEPTH**0.02, bound.mass)
    assert bound.dt == pytest.approx(wanted)


# ---------------------------------------------------------------------------------------- simulated

NAMES = {FREE: "free", STICK: "stick", TO_SLIP: "to slip", SLIP: "slip", TO_STICK: "to stick"}


def pull(heading, times, sizes, lift=None):
    """Forces on the middle of the brick along a heading, and upwards."""
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    forces = [st.TabulatedForce("brick", (0, 0, -0.03), times, np.outer(sizes, along))]
    if lift is not None:
        forces.append(st.Push("brick", (0, 0, 0), (0, 0, lift[0]), lift[1], lift[2]))
    return forces


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
def test_phases_follow_each_other_from_landing_to_landing_again(heading):
    """It lands, sticks, is pulled until it slides, stops, sticks, is lifted, and lands again."""
    world, dt = st.World(st.robots.brick()), 5e-4
    forces = pull(heading, [0.2, 0.25, 0.27, 0.3], [0, 18.0, 18.0, 0], lift=(60.0, 0.45, 0.46))
    state = world.standing(above=0.001)
    simulation = st.Simulation(world, SMOOTH, dt=dt, state=state, forces=forces)
    memory, traces = simulation._system.surface.memory, [[] for _ in range(8)]
    for _ in range(1200):
        simulation.step()
        for trace, phase in zip(traces, memory.now[:, PHASE], strict=True):
            if not trace or trace[-1] != NAMES[phase]:
                trace.append(NAMES[phase])
    touched = [trace for trace in traces if len(trace) > 1]
    assert len(touched) == BOTTOM
    for trace in touched:
        assert trace[:6] == ["free", "stick", "to slip", "slip", "to stick", "stick"]
        assert trace[-2:] == ["free", "stick"]
        assert not {"free", "stick"} & set(trace[6:-2])  # unloaded, nothing holds it any more
    slid_by = simulation.state.q[:2]
    assert np.hypot(*slid_by) > 1e-3
    across = slid_by @ [-np.sin(heading), np.cos(heading)]
    assert abs(across) < 0.02 * np.hypot(*slid_by)  # the brick is longer than wide


def slide(dt, integrator, law=SMOOTH, heading=0.3, duration=0.2):
    """A standing brick that is pulled until it slides, and let go."""
    world = st.World(st.robots.brick())
    state = world.standing(above=-2.0 * 9.81 / 4 / law.stiffness)
    forces = pull(heading, [0.0, 0.05, 0.06, 0.09], [0, 18.0, 18.0, 0])
    return st.simulate(
        world, law, duration=duration, dt=dt, state=state, forces=forces, integrator=integrator
    )


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.jit
def test_forces_are_continuous_their_jumps_shrink_with_the_step(integrator):
    """Largest change of a point's tangential force in a step, through all four transitions."""
    jumps = []
    for dt in (1e-4, 5e-5, 2.5e-5):
        motion = slide(dt, integrator)
        assert motion.slip[:-1].max() > 0.01
        jumps.append(np.abs(np.diff(motion.force[:-1, :, :2], axis=0)).max())
    assert jumps[0] / jumps[1] == pytest.approx(2.0, rel=0.1)
    assert jumps[1] / jumps[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.jit
def test_a_sliding_brick_has_the_ratio_of_phase_d():
    """Section 4.1.3: slightly greater than lambda_d, by the viscous part."""
    law = SMOOTH._replace(sliding_damping=5.0)
    motion = slide(1e-4, st.Leapfrog(), law=law)
    force, speed = motion.force[:-1].sum(axis=1), np.linalg.norm(motion.slip[:-1], axis=2)
    sliding = (motion.time[:-1] > 0.062) & (motion.time[:-1] < 0.068)
    ratio = np.hypot(force[:, 0], force[:, 1])[sliding] / force[sliding, 2]
    wanted = 0.4 + 5.0 * speed.sum(axis=1)[sliding] / force[sliding, 2]
    assert (ratio > 0.401).all()
    assert np.allclose(ratio, wanted, rtol=0.02)


def anchored(world, law, state, dt, integrator, **options):
    """A simulation whose touching points stick from the begin, anchored where they are."""
    simulation = st.Simulation(world, law, dt=dt, state=state, integrator=integrator, **options)
    q, half = state.q, np.array([0.1, 0.05, 0.03])
    memory, contact_points = simulation._system.surface.memory, simulation._system.surface.points
    low = contact_points.centre[:, 2] < 0
    memory.now[low, PHASE] = STICK
    memory.now[low, ANCHOR : ANCHOR + 3] = q[:3] + contact_points.centre[low]
    assert np.allclose(np.abs(contact_points.centre), half)
    return simulation


def orders(ends):
    """Observed orders from the ends of runs, each with half the step of the one before."""
    steps = [np.abs(a - b).max() for a, b in zip(ends, ends[1:], strict=False)]
    return [np.log2(a / b) for a, b in zip(steps, steps[1:], strict=False)]


@pytest.mark.parametrize(("integrator", "order"), [(st.Leapfrog(), 2), (st.RungeKutta4(), 4)])
@pytest.mark.jit
def test_a_smooth_phase_is_integrated_with_the_order_of_the_integrator(integrator, order):
    ends, world = [], st.World(st.robots.brick())
    law = SMOOTH._replace(mu_static=10.0)
    for dt in (4e-4, 2e-4, 1e-4, 5e-5):
        state = world.standing(above=-0.5e-3)
        state.v[:] = [0.02, -0.01, 0.005, 0.02, 0.03, 0.1]
        simulation = anchored(world, law, state, dt, integrator)
        simulation.step(n=round(0.02 / dt))
        ends.append(np.concatenate([simulation.state.q, simulation.state.v]))
    assert orders(ends)[-1] == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("integrator", [st.Leapfrog(), st.RungeKutta4()])
@pytest.mark.jit
def test_across_transitions_errors_are_of_first_order(integrator):
    """A transition begins at an evaluation, up to a step late: the instant is not sought."""
    finest = slide(6.25e-6, integrator)
    for dt in (4e-4, 2e-4, 1e-4, 5e-5):
        error = np.abs(slide(dt, integrator).q[-1, :2] - finest.q[-1, :2]).max()
        assert error < 0.3 * dt  # it slid at up to 0.2 m/s, 5 mm far


def test_a_belt_carries_a_brick_along_without_loading_its_springs():
    world = st.World(st.robots.brick(), ground=st.Plane(velocity=(0.1, 0.05, 0.0)))
    state = world.standing(above=-2.0 * 9.81 / 4 / SMOOTH.stiffness)
    simulation = st.Simulation(world, SMOOTH, dt=5e-4, state=state)
    simulation.step(n=600)
    memory = simulation._system.surface.memory
    assert simulation.state.v[:2] == pytest.approx([0.1, 0.05], rel=1e-3)
    assert (memory.now[memory.now[:, PHASE] > 0, PHASE] == STICK).all()
    assert np.abs(memory.group_now[0, F_T : F_T + 3]).max() < 0.01


@pytest.mark.jit
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_it_does_not_matter_when_a_motion_begins(integrator):
    """Times are remembered as such: that of a transition, and where a belt was."""
    ends, world = [], st.World(st.robots.brick(), ground=st.Plane(velocity=(0.1, 0.0, 0.0)))
    for begin in (0.0, 1000.0):
        state = world.standing(above=-2.5e-4)
        state.time, state.v[0] = begin, 0.3
        motion = st.simulate(
            world, SMOOTH, duration=0.15, dt=2e-4, state=state, integrator=integrator
        )
        assert 0.001 < motion.q[-1, 0] - motion.q[0, 0] < 0.03
        ends.append(motion.q[-1] - motion.q[0])
    assert np.allclose(*ends, rtol=0, atol=1e-8)


def test_eq_41_the_moment_on_a_foot_is_the_sum_over_its_points():
    world = st.World(st.robots.brick())
    state = world.standing(above=-1e-3)
    state.v[:] = [0.2, -0.1, -0.1, 1.0, -0.5, 2.0]
    motion = st.simulate(world, PAPER, duration=2e-3, dt=5e-4, state=state)
    about = np.array([0.02, -0.01, 0.05])
    found = motion.foot_wrench("brick", about=about)
    force, centres = motion.force[0], make_surface(world, PAPER)[0].points.centre
    points = motion.q[0, :3] + centres  # the brick stands upright at first
    wanted = sum(np.cross(p - about, f) for p, f in zip(points, force, strict=True))
    assert (force[:, 2] > 0).sum() == BOTTOM
    assert np.allclose(found.moment[0], wanted, rtol=1e-9)
    assert np.allclose(found.force[0], force.sum(axis=0), rtol=1e-12)


# -------------------------------------------------------------------------------------------- biped

SHARE = 8.0 / 75.0  # of the paper's biped in mass


@pytest.mark.jit
@pytest.mark.parametrize("above", [0.0, 0.03])
def test_a_biped_stands_and_lands_on_eighteen_points_a_foot(above):
    """The paper's grid of 18 points, springs and dampers in proportion to the weight."""
    scaled = ("stiffness", "damping", "tangential_stiffness", "tangential_damping")
    law = PAPER._replace(**{name: SHARE * getattr(PAPER, name) for name in scaled})
    robot = st.robots.biped10()
    for foot in ("left_foot", "right_foot"):
        robot = robot.with_sole_points(foot, 6, 3)
    world = st.World(held(robot))
    motion = st.simulate(world, law, duration=1.0, dt=1e-4, state=world.standing(above=above))
    assert not any("effective mass" in note for note in motion.parameters["notes"])
    weight = world.total_mass * 9.81
    carried = sum(motion.foot_force(foot) for foot in ("left_foot", "right_foot"))
    assert carried[-500:-1, 2].mean() == pytest.approx(weight, rel=0.01)
    assert motion.depth[-2].max() < 0.01
    assert motion.q[-1, 2] == pytest.approx(world.standing().q[2], abs=0.01)
    assert motion.q[-1, 3] > 0.999  # upright
    assert np.abs(motion.slip[-2]).max() < fewer(5e-3, 1)
