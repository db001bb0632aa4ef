"""Sugihara & Nakamura's multipoint rigid contact, a test per equation or claim."""

import numpy as np
import pytest

import stiction as st
from contact.problems import plate, point_jacobians, thrown
from mechanisms import fewer, held, turned

pytestmark = pytest.mark.interpreted

DT = 1e-3
MU = 0.4
PAPER = {"eps": 0.01, "capped": 0.0}  # a constant threshold, friction put right and left so


def simulate(*arguments, **options):
    """A motion by the first-order symplectic method of the papers."""
    return st.simulate(*arguments, integrator=st.SemiImplicitEuler(), **options)


def one_step(world, model, state, dt=DT):
    """Velocities after a step, and impulses of all contact points."""
    motion = simulate(world, model, duration=dt, dt=dt, state=state)
    return motion.v[1], dt * motion.force[0]


def moving(world, velocity, depth=1e-4):
    """A state with the lowest points in the ground."""
    state = world.standing(above=-depth)
    state.v[: len(velocity)] = velocity
    return state


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_eq_11_a_point_bounces_along_the_normal(e):
    world = st.World(st.robots.ball())
    v, _ = one_step(world, st.Multipoint(restitution=e), moving(world, (0.0, 0.0, -2.0)))
    assert v[2] == pytest.approx(2.0 * e, abs=1e-12)


def test_eq_12_without_friction_a_point_keeps_on_along_the_ground():
    world = st.World(st.robots.brick())
    floor = st.Multipoint(mu_static=0.0, mu_kinetic=0.0)
    v, _ = one_step(world, floor, moving(world, (0.7, -0.3, -1.0)))
    assert np.allclose(v, [0.7, -0.3, 0.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_eq_6_a_point_that_comes_down_straight_does_not_slide():
    """As printed, with its cases swapped, it would divide zero by zero, and sliding ones stick."""
    world = st.World(st.robots.brick())
    v, p = one_step(world, st.Multipoint(), moving(world, (0.0, 0.0, -1.0)))
    assert np.abs(p[:, :2]).max() <= 1e-12
    assert np.abs(v).max() <= 1e-12


def test_eq_13_to_18_points_end_with_the_velocities_of_the_rigid_law():
    """A tripod that lands turning and sticks: three points decide the motion of a body."""
    world = st.World(plate(3))
    state = moving(world, (0.0, 0.0, -0.3, 0.2, -0.1, 0.05))
    J, gap = point_jacobians(world, state.q)
    lowest = np.flatnonzero(gap < 0)
    sticky = st.Multipoint(mu_static=1e6, mu_kinetic=1e6, restitution=0.5)
    v, p = one_step(world, sticky, state)
    assert len(lowest) == 3 and (p[lowest, 2] > 0).all()
    before, after = J[lowest] @ state.v, J[lowest] @ v
    # the tripod is rigid, so it can obey where the wanted velocities are those of a rigid body
    assert np.allclose(after[:, 2], -0.5 * before[:, 2], atol=1e-12)


def expected(world, state, model, friction=0.0):
    """Impulses by the steps of section 3.3 with numpy's pseudo-inverse; friction: of the joints."""
    J, gap = point_jacobians(world, state.q)
    damping = world.tree.damping
    H = st.mechanics.inertia(world, state.q) + DT * np.diag(damping)
    forces = friction - damping * state.v - st.mechanics.bias_force(world, state.q, state.v)
    v_free = state.v + DT * np.linalg.solve(H, forces)
    meet_ground = np.flatnonzero(gap < 0)
    v = J @ state.v
    slides = np.linalg.norm(v[:, :2], axis=1) > model.eps
    v_plus = np.column_stack([np.where(slides[:, None], v[:, :2], 0), -model.restitution * v[:, 2]])
    p = np.zeros((len(gap), 3))
    while len(meet_ground):
        rows = J[meet_ground].reshape(-1, world.nv)
        M = rows @ np.linalg.solve(H, rows.T)
        delta_a = v_plus[meet_ground].ravel() - rows @ v_free
        p[:] = 0
        p[meet_ground] = (
            np.linalg.pinv(M, rcond=model.rank_tolerance, hermitian=True) @ delta_a
        ).reshape(-1, 3)
        pulled = p[meet_ground, 2] < 0
        if not pulled.any():
            break
        meet_ground = meet_ground[~pulled]
    if not len(meet_ground):
        p[:] = 0
    for i in meet_ground:
        size, normal = np.linalg.norm(p[i, :2]), p[i, 2]
        if slides[i]:
            p[i, :2] = -model.mu_kinetic * normal * v[i, :2] / np.linalg.norm(v[i, :2])
        elif size > model.mu_static * normal:
            p[i, :2] *= model.mu_kinetic * normal / size
    return p


@pytest.mark.parametrize("points", [1, 2, 3, 4, 8, 16])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_the_whole_procedure_is_that_of_section_3_3(points, restitution):
    """Against numpy's pseudo-inverse: hyperstatic, sliding, sticking, pulling, contradicting."""
    world, rng = st.World(plate(points)), np.random.default_rng(points)
    model = st.Multipoint(0.6, 0.3, restitution, rank_tolerance=1e-9, **PAPER)
    dropped = broken = 0
    for k in range(fewer(40, 8)):
        speed, sinking = (0.005, 0.05) if k % 2 else (1.0, 0.5)
        state = thrown(world, rng, tilt=1e-3, speed=speed, sinking=sinking, spin=1.0, above=-1e-3)
        _, p = one_step(world, model, state)
        wanted = expected(world, state, model)
        assert np.allclose(p, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
        _, gap = point_jacobians(world, state.q)
        dropped += int(((gap < 0) & (p[:, 2] == 0)).sum())
        size = np.linalg.norm(p[:, :2], axis=1)
        broken += int((np.abs(size - 0.3 * p[:, 2]) < 1e-9 * p[:, 2]).sum())
    assert broken > 0
    assert dropped > 0 or points < 4


def test_a_robot_with_two_feet_is_solved_as_a_whole():
    """Landings in which all joints slide, so that their friction is known beforehand.

    The legs have no joint about the vertical: one direction moves 1e-7 of the most movable one, all
    others 0.1 and more. Both leave it out; what is left of it differs by as much as it moves.
    """
    world, rng = st.World(st.robots.biped10()), np.random.default_rng(2)
    model = st.Multipoint(mu_static=0.6, mu_kinetic=0.3, rank_tolerance=1e-4, **PAPER)
    checked = both = 0
    for _ in range(fewer(20, 3)):
        state = thrown(world, rng, tilt=1e-3, speed=0.5, sinking=0.5, spin=0.5, above=-2e-3)
        state.q[7:] += rng.uniform(0.0, 0.003, world.nq - 7)
        motion = simulate(world, model, duration=DT, dt=DT, state=state)
        passive = motion.passive[0]
        if not np.allclose(np.abs(passive), world.tree.friction, rtol=0, atol=1e-12):
            continue
        wanted = expected(world, state, model, passive)
        p = DT * motion.force[0]
        np.testing.assert_allclose(p, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())
        checked += 1
        both += all(np.any(motion.foot_force(f)[0]) for f in ("left_foot", "right_foot"))
    assert checked >= fewer(15, 2) and both >= fewer(5, 1)


def test_eq_19_picking_independent_rows_depends_on_the_order_of_points():
    """The reason for least squares: corners whose wanted velocities are not of a rigid body."""
    rng = np.random.default_rng(4)
    arms = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]]) * 0.1
    P = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), r)]) for r in arms])
    M, a = P @ P.T, rng.normal(size=12)

    def picked(order):
        rows = [r for i in order for r in range(3 * i, 3 * i + 3)]
        kept: list[int] = []
        for r in rows:
            if np.linalg.matrix_rank(M[[*kept, r]]) > len(kept):
                kept.append(r)
        return np.linalg.pinv(M[kept]) @ a[kept]

    assert np.abs(picked([0, 1, 2, 3]) - picked([3, 2, 1, 0])).max() > 0.1


def test_eq_24_points_that_would_be_pulled_are_dropped():
    """A brick that tips over its front edge: the rear corners leave, the front ones carry on."""
    world = st.World(st.robots.brick())
    state = moving(world, (0.0, 0.0, 0.0, 0.0, 2.0, 0.0))
    _, p = one_step(world, st.Multipoint(), state)
    J, gap = point_jacobians(world, state.q)
    low = gap < 0
    rises = (J @ state.v)[:, 2] > 0
    assert (p[low & rises, 2] == 0).all()
    assert (p[low & ~rises, 2] > 0).all()


@pytest.mark.parametrize("heading", [0.0, 1.0, 2.5, 4.0])
def test_eq_26_a_sliding_point_is_slowed_not_driven(heading):
    """f = f_nu nu + f_sigma sigma, as printed, points along the sliding."""
    world, along = st.World(st.robots.brick()), np.array([np.cos(heading), np.sin(heading)])
    v, p = one_step(world, st.Multipoint(mu_kinetic=MU), moving(world, 0.5 * along))
    pressed = p[:, 2] > 0
    assert np.allclose(p[pressed, :2], -MU * p[pressed, 2:] * along, rtol=1e-12)
    assert v[:2] @ along == pytest.approx(0.5 - MU * 9.81 * DT, rel=1e-9)


@pytest.mark.parametrize("pull", [0.55, 0.65])
def test_eq_25_27_28_a_point_at_rest_holds_up_to_the_static_limit(pull):
    """Static 0.6, kinetic 0.3: pulled with 0.55 weights it holds, with 0.65 it slides with 0.3."""
    world = st.World(st.robots.brick())
    weight = 2.0 * 9.81
    push = st.Push("brick", (0.0, 0.0, -0.03), (pull * weight, 0.0, 0.0), start=0.0, stop=1.0)
    model = st.Multipoint(mu_static=0.6, mu_kinetic=0.3)
    state = moving(world, (0.0, 0.0, 0.0))
    motion = simulate(world, model, duration=DT, dt=DT, state=state, forces=[push])
    friction = -motion.force[0, :, 0].sum()
    assert friction == pytest.approx(pull * weight if pull < 0.6 else 0.3 * weight, rel=1e-6)


def test_without_static_friction_everything_slides():
    """Fig. 9 of the later paper: mu_static = 0 with mu_kinetic = 0.4 is a legal floor."""
    world = st.World(st.robots.brick())
    push = st.Push("brick", (0.0, 0.0, -0.03), (1.0, 0.0, 0.0), start=0.0, stop=1.0)
    model = st.Multipoint(mu_static=0.0, mu_kinetic=0.4)
    motion = simulate(world, model, duration=DT, dt=DT, state=moving(world, ()), forces=[push])
    assert motion.force[0, :, 0].sum() == pytest.approx(-0.4 * 2.0 * 9.81, rel=1e-6)


@pytest.mark.interpreted
@pytest.mark.parametrize(("eps", "stops"), [(0.0, True), (0.01, True), (1e-4, False)])
def test_a_threshold_below_what_friction_takes_in_a_step_lets_feet_dither(eps, stops):
    """Friction of 0.4 takes 4 mm/s in a step of 1 ms: a slower brick is thrown back and forth."""
    world = st.World(st.robots.brick())
    model = st.Multipoint(mu_static=MU, mu_kinetic=MU, eps=eps, capped=0.0)
    state = moving(world, (0.5017, 0.0, 0.0))
    motion = simulate(world, model, duration=0.3, dt=DT, state=state)
    v = motion.v[:, 0]
    reversals = np.count_nonzero(v[1:] * v[:-1] < -1e-8)
    assert (np.abs(v[-50:]).max() < 1e-12 and reversals == 0) if stops else reversals > 20
    assert motion.q[-1, 0] == pytest.approx(0.5017**2 / (2 * MU * 9.81), rel=0.02)


@pytest.mark.jit
def test_depth_is_what_the_last_step_above_the_ground_leaves():
    """A weakness of the paper: velocities are stopped, nothing takes the depth back."""
    world = st.World(st.robots.brick())
    state = world.standing(above=0.0113)
    state.v[2] = -1.0
    motion = simulate(world, st.Multipoint(), duration=0.1, dt=DT, state=state)
    speed = np.hypot(1.0, np.sqrt(2 * 9.81 * 0.0113))
    deepest = np.nanmax(motion.depth)
    assert 0 < deepest <= speed * DT
    assert np.nanmax(motion.depth[-2]) == pytest.approx(deepest, rel=1e-9)


@pytest.mark.jit
def test_the_worst_case_of_solutions_is_the_number_of_points():
    """Section 3.3; in landings of a plate on 64 points it stays far below."""
    world, rng = st.World(plate(64)), np.random.default_rng(9)
    most = 0
    for _ in range(10):
        state = thrown(world, rng, tilt=0.05, speed=1.0, sinking=1.0, spin=3.0, above=-1e-3)
        printed = st.Multipoint(**PAPER)
        motion = simulate(world, printed, duration=0.05, dt=DT, state=state)
        most = max(most, np.nanmax(motion.solver[:, 0]))
    assert 2 <= most <= 12


# -------------------------------------------------------------------- rest, where friction can stop


def oblique(model):
    """A ball that hits the ground at 5 m/s and slides at 2 m/s: its motion."""
    world = st.World(st.robots.ball())
    state = world.standing(above=1e-3)
    state.v[:3] = (2.0, 0.0, -5.0)
    return st.simulate(world, model, state=state, duration=0.02, dt=DT)


def slip_of_ball(motion, radius=0.05):
    """Velocity of the lowest point of a ball along x as the motion ends [m/s]."""
    return motion.v[-1, 0] - radius * motion.v[-1, 4]


@pytest.mark.jit
def test_friction_of_an_impact_stops_the_slip_and_no_more():
    """Friction of 0.8 x 5 m/s could take 14 m/s of slip; as printed it turns the 2 m/s round."""
    ours = oblique(st.Multipoint(mu_static=0.8, mu_kinetic=0.8))
    energy = ours.energy().total
    assert abs(slip_of_ball(ours)) < 1e-9
    assert energy[-1] < energy[0]
    printed = oblique(st.Multipoint(mu_static=0.8, mu_kinetic=0.8, **PAPER))
    energy = printed.energy().total
    assert slip_of_ball(printed) < -2.0
    assert energy[-1] > 1.2 * energy[0]


def tossed_cube(seed):
    """A world with a cube of 0.2 m, tilted, and a state in which it is thrown."""
    rng = np.random.default_rng(seed)
    tilt = turned(rng.normal(size=3), rng.uniform(-1.5, 1.5))
    world = st.World(st.robots.box((0.2,) * 3, 1.0).at((0.0, 0.0, 0.0), tilt))
    state = world.standing(above=0.05)
    state.v[:] = [*rng.uniform(-1, 1, 3), *rng.uniform(-5, 5, 3)]
    return world, state


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(4))
def test_a_tossed_cube_gains_no_energy_and_comes_to_rest(seed):
    """As printed it never stops: friction turns its corners round in every step."""
    world, state = tossed_cube(seed)
    motion = st.simulate(world, st.Multipoint(), state=state, duration=3.0, dt=DT)
    energy, kinetic = motion.energy().total, motion.energy().kinetic
    # points stay as deep as they came in, so the lowest state is below the first by that only
    assert energy.max() <= energy[0] + 1e-9 * kinetic.max()
    assert np.abs(motion.v[-100:]).max() < 1e-3
    if seed == 0:
        printed = st.Multipoint(**PAPER)
        motion = st.simulate(world, printed, state=state, duration=3.0, dt=DT)
        assert np.abs(motion.v[-100:]).max() > 1.0


def chatter(model, pattern):
    """Root mean square change of the ground's force from step to step [weights]."""
    motion = st.simulate(
        st.World(pattern.robot),
        model,
        duration=pattern.duration,
        dt=DT,
        state=pattern.state,
        controller=pattern.tracking(),
    )
    force = motion.force[:-1, :, 2].sum(axis=1) / (9.81 * motion.world.total_mass)
    off = np.linalg.norm(motion.q[-1, :3] - pattern.q[-1, :3])
    return np.sqrt(np.mean(np.diff(force) ** 2)), off


@pytest.mark.jit
@pytest.mark.slow
def test_the_light_feet_of_a_walking_robot_are_not_turned_round():
    """Friction takes 0.1 m/s from the feet of hoap1 in a step; measured: 6 % against 30 to 90 %."""
    pattern = st.patterns.walk(st.robots.hoap1(), steps=10)
    friction = {"mu_static": 0.8, "mu_kinetic": 0.8}
    calm, off = chatter(st.Multipoint(**friction), pattern)
    assert calm < 0.1 and off < 2e-3
    rough, _ = chatter(st.Multipoint(**friction, **PAPER), pattern)
    assert rough > 2 * calm


@pytest.mark.jit
def test_what_friction_cannot_stop_slides_with_all_of_it():
    """A brick at 0.5 m/s on a threshold that is derived: Eq. (26) at every corner, until it stops.

    The last step takes what is left of the speed. A point that rests again is at rest for good.
    """
    world, speed = st.World(st.robots.brick()), 0.5017
    state = moving(world, (speed, 0.0, 0.0))
    model = st.Multipoint(mu_static=0.9, mu_kinetic=MU)
    motion = simulate(world, model, duration=0.2, dt=DT, state=state)
    steps = int(speed / (MU * 9.81 * DT))
    force = motion.force[:steps].sum(axis=1)
    assert np.allclose(force[:, 0], -MU * force[:, 2], rtol=1e-9)
    assert np.abs(motion.v[steps + 1 :]).max() < 1e-12


@pytest.mark.parametrize("model", [st.Multipoint(), st.Feedback()], ids=["Multipoint", "Feedback"])
def test_a_brick_is_held_up_whatever_light_thing_lies_elsewhere(model):
    """The ball yields 6e5 times as much: more than any `rank_tolerance` takes for movable."""
    brick, ball = st.robots.brick(mass=30.0), st.robots.ball(radius=0.02, mass=5e-5)
    heights = []
    for world in (st.World(brick), st.World(brick, ball.at((2.0, 0.0, 0.02)))):
        motion = simulate(world, model, state=world.standing(), duration=0.05)
        assert motion.force[-2, :8, 2].sum() == pytest.approx(30.0 * 9.81, rel=0.02)
        heights.append(motion.q[-1, 2])
    assert heights[1] == pytest.approx(heights[0], abs=1e-9)


@pytest.mark.jit
def test_a_biped_comes_to_rest_after_a_push_with_the_default_rank_tolerance():
    """Legs without a joint about the vertical: with 1e-12 the ideal impulses have no bounds."""
    world = st.World(held(st.robots.biped10()))
    push = st.Push(world.link_names[1], (0.0, 0.0, 0.0), (30.0, 10.0, 0.0), start=0.5, stop=0.6)
    motion = st.simulate(
        world,
        st.Multipoint(mu_static=0.6, mu_kinetic=0.6),
        duration=2.5,
        dt=DT,
        state=world.standing(above=0.02),
        forces=[push],
    )
    assert np.abs(motion.v[-100:]).max() < 0.02
    assert motion.q[-1, 2] > 0.98 * world.standing().q[2]
