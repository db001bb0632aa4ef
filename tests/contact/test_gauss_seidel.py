"""Chardonnet et al., "Dynamic simulator for humanoids ...": what the paper says, by equation."""

import dataclasses

import numpy as np
import pytest

import stiction as st
from contact.problems import DT, MU, UP, plate, take_step, thrown
from mechanisms import fewer, turned
from stiction.kernels.response import NOT_CONVERGED, delassus, free_velocity

PATIENT = {"newton": 0.0, "sweeps": fewer(20000.0, 300.0), "tolerance": 1e-10}
FLOATING = {"gravity": (0.0, 0.0, 0.0)}  # nothing but impacts changes velocities


def loose_biped():
    """The biped without friction of its joints, so that H is that of all coordinates."""
    robot = st.robots.biped10()
    robot = dataclasses.replace(robot, friction=np.zeros_like(robot.friction))
    return dataclasses.replace(
        robot, lower=np.full_like(robot.lower, -np.inf), upper=np.full_like(robot.upper, np.inf)
    )


# ------------------------------------------------------------------------------------- the problem


@pytest.mark.interpreted
@pytest.mark.parametrize("method", [st.ArticulatedBody(), st.JointSpace()])
def test_eq_10_16_17_velocities_per_unit_impulse(method):
    """Lambda_c^-1 = J A^-1 J', and v_c^k + B_c T_e, point by point, against H and Jacobians."""
    world, rng = st.World(loose_biped(), st.robots.brick().at((1, 0, 0))), np.random.default_rng(1)
    for _ in range(fewer(5, 1)):
        state = thrown(world, rng, tilt=0.05, speed=1.0, sinking=1.0, spin=2.0)
        state.v[6:16] = rng.uniform(-2, 2, 10)
        simulation = st.Simulation(
            world,
            st.GaussSeidel(),
            dt=DT,
            state=state,
            method=method,
            integrator=st.SemiImplicitEuler(),
        )
        simulation.step()
        surface = simulation._system.surface
        contact, response = surface.contact, surface.work.response
        step = take_step(world, st.GaussSeidel(), state)
        rows = [int(np.flatnonzero(step.points == p)[0]) for p in contact.point[: contact.count[0]]]
        assert len(rows) > 1
        G, free = step.G, (step.J @ step.v_free).reshape(-1, 3)
        for i, a in enumerate(rows):
            assert np.allclose(free_velocity(contact, response, i), free[a], atol=1e-11)
            for j, b in enumerate(rows):
                block = G[3 * a : 3 * a + 3, 3 * b : 3 * b + 3]
                assert np.allclose(delassus(contact, response, i, j), block, atol=1e-10)


def test_eq_10_velocities_at_the_end_of_the_step():
    """v_c^{k+1} = Lambda_c^-1 f T_e + (B_c T_e + v_c^k), as recorded."""
    world, rng = st.World(plate(4)), np.random.default_rng(3)
    for _ in range(fewer(10, 2)):
        state = thrown(world, rng, tilt=0.02, speed=1.0, sinking=0.5, spin=2.0, above=-1e-4)
        step = take_step(world, st.GaussSeidel(), state)
        after = (step.G @ step.p.ravel()).reshape(-1, 3) + step.c_free
        recorded = step.motion.contact_velocity[0][step.points]
        pressed = np.abs(step.p).max(axis=1) > 0
        assert np.allclose(recorded[pressed], after[pressed], atol=1e-12)


# -------------------------------------------------------------------------------------- Algorithm 1


def brute_force(G, c, mu):
    """Impulses of one contact that obey Coulomb's law, by trying everything: open, stick, slip.

    A slip of direction d has p = p_n (n - mu d); its d is where the velocity has no part across d.
    """
    from scipy.optimize import brentq

    if c[2] >= 0:
        return np.zeros(3)
    stick = np.linalg.solve(G, -c)
    if stick[2] >= 0 and np.hypot(stick[0], stick[1]) <= mu * stick[2]:
        return stick

    def slip(angle):
        d = np.array([np.cos(angle), np.sin(angle), 0.0])
        along = UP - mu * d
        p = -c[2] / (G[2] @ along) * along
        after = G @ p + c
        return p, after[:2] @ [-d[1], d[0]], after[:2] @ d[:2]

    angles = np.linspace(0, 2 * np.pi, 721)
    for a, b in zip(angles[:-1], angles[1:], strict=True):
        if slip(a)[1] * slip(b)[1] <= 0:
            p, _, speed = slip(brentq(lambda x: slip(x)[1], a, b, xtol=1e-14))
            if speed >= 0 and p[2] >= 0:
                return p
    raise AssertionError("no direction of slip")


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
def test_algorithm_1_solves_one_contact_exactly(mu):
    """Open, stick and slip, with G that couples normal and tangential: a rod touched off centre."""
    rng, kinds = np.random.default_rng(7), set()
    model = st.GaussSeidel(mu_static=mu, mu_kinetic=mu, **PATIENT)
    for _ in range(fewer(60, 25)):
        quaternion = rng.normal(size=4)
        rod = st.robots.rod(length=0.3, radius=0.02)
        world = st.World(rod.at((0, 0, 0), quaternion / np.linalg.norm(quaternion)))
        state = world.standing(above=-1e-4)
        state.v[:] = rng.choice([0.0, 0.3, 3.0]) * rng.uniform(-1, 1, 6)
        step = take_step(world, model, state)
        if len(step.points) == 1:
            expected = brute_force(step.G, step.c_free[0], mu)
            size = np.abs(np.linalg.solve(step.G, step.c_free[0])).max()
            assert np.allclose(step.p[0], expected, rtol=0, atol=1e-8 * size)
            slides = np.hypot(*expected[:2]) >= mu * expected[2] * (1 - 1e-9)
            kinds.add("open" if expected[2] == 0 else "slip" if slides else "stick")
    assert kinds == ({"open", "slip", "stick"} if mu > 0 else {"open", "slip"})


def test_the_cone_is_exact_in_every_direction():
    """Faceted cones brake more along their edges: up to 8 % for eight facets."""
    world, braked = st.World(plate(4)), []
    for heading in np.linspace(0, 2 * np.pi, fewer(37, 5)):
        state = world.standing(above=-1e-6)
        state.v[:2] = np.cos(heading), np.sin(heading)
        motion = st.simulate(world, st.GaussSeidel(), duration=DT, dt=DT, state=state)
        braked.append(1.0 - np.linalg.norm(motion.v[1, :2]))
    assert np.allclose(braked, MU * 9.81 * DT, rtol=1e-9)


def test_sweeps_and_residual_are_reported():
    world = st.World(plate(16))
    state = world.standing(above=-1e-6)
    state.v[:] = [0.5, 0.2, -0.5, 1.0, -2.0, 3.0]
    few = take_step(world, st.GaussSeidel(newton=0.0, sweeps=2.0), state).motion.solver[0]
    assert few[0] == 2 and few[1] > 1e-5 and few[2] == NOT_CONVERGED
    for tolerance in (1e-2, 1e-5):
        model = st.GaussSeidel(newton=0.0, sweeps=5000.0, tolerance=tolerance)
        sweeps, residual, stage = take_step(world, model, state).motion.solver[0]
        assert 2 < sweeps < 5000 and residual <= tolerance and stage == 0


def test_a_tighter_tolerance_takes_more_sweeps_and_is_nearer():
    world = st.World(plate(4))
    state = world.standing(above=-1e-6)
    state.v[:] = [0.5, 0.2, -0.5, 1.0, -2.0, 3.0]
    steps = [
        take_step(world, st.GaussSeidel(newton=0.0, sweeps=1e4, tolerance=tolerance), state)
        for tolerance in (0.1, 1e-4, 1e-10)
    ]
    sweeps = [step.motion.solver[0, 0] for step in steps]
    assert sweeps == sorted(set(sweeps))
    off = [np.abs(step.v_next - steps[-1].v_next).max() for step in steps]
    assert off[0] > off[1] and off[1] < 1e-4


def dropped_and_pushed():
    """World, servos and push of a biped; it has no hip yaw, so its feet close a rigid chain."""
    world = st.World(st.robots.biped10())
    home = st.Reference([0.0, 1.0], [world.home().q] * 2)
    push = st.Push("trunk", (0.0, 0.0, 0.2), (16.0, 8.0, 0.0), start=1.0, stop=1.1)
    return world, st.PDTracking(home, 200.0, 5.0), push


@pytest.mark.jit
def test_newton_solves_what_sweeps_do_not_and_leaves_the_motion_as_it_is():
    """823 of 2500 steps ended at the limit of sweeps when these were all there was."""
    world, servos, push = dropped_and_pushed()
    ends = {}
    for newton in (1.0, 0.0):
        motion = st.simulate(
            world,
            st.GaussSeidel(newton=newton),
            duration=2.5,
            dt=DT,
            state=world.standing(above=0.03),
            controller=servos,
            forces=[push],
        )
        unsolved = (motion.solver[:, 2] == NOT_CONVERGED).sum()
        assert (unsolved == 0) == (newton > 0)
        ends[newton] = motion.q[-1]
    # velocities of 1e-7 m/s, for 2.5 s, if they all added up; and a push that tells them apart
    assert np.abs(ends[1.0] - ends[0.0]).max() < 1e-4


@pytest.mark.jit
def test_a_settled_start_keeps_its_impulses():
    """The first step finds impulses anew, later ones take them over: one sweep finds them right."""
    world, servos, _ = dropped_and_pushed()
    options = {"dt": DT, "controller": servos}
    settled = st.simulate(world, st.GaussSeidel(), duration=2.0, state=world.standing(), **options)
    again = st.simulate(world, st.GaussSeidel(), duration=0.2, state=settled.state(), **options)
    assert not (again.solver[:, 2] == NOT_CONVERGED).any()
    late = again.solver[20:-1, 0]
    assert late.max() <= 4 and (late == 1).mean() > 0.8  # rounding now and then asks for more
    force = again.force[20:-1]
    assert np.abs(np.diff(force, axis=0)).max() < 1e-3 * np.abs(force).max()


# --------------------------------------------------------------------------------------- least norm


def test_least_norm_evens_forces_out_and_leaves_the_motion_as_it_is():
    world = st.World(plate(fewer(16, 4)))
    state = world.standing(above=-1e-6)
    state.v[2] = -0.1
    plain = take_step(world, st.GaussSeidel(**PATIENT), state)
    even = take_step(world, st.GaussSeidel(**PATIENT, least_norm=1.0), state)
    assert np.abs(even.v_next - plain.v_next).max() < 1e-9
    assert np.allclose(even.p.sum(axis=0), plain.p.sum(axis=0), atol=1e-9)
    assert np.linalg.norm(even.p) < np.linalg.norm(plain.p)
    assert np.allclose(even.p[:, 2], even.p[0, 2], rtol=1e-6)
    assert np.abs(even.p[:, :2]).max() < 1e-7 * even.p[0, 2]


def test_least_norm_keeps_to_the_cones():
    """Pushed along the ground with nearly all that friction can hold, and above it."""
    world = st.World(plate(fewer(16, 4)))
    for share in (0.99, 1.01):
        push = st.Push("plate", (0, 0, 0), (share * MU * 2 * 9.81, 0, 0), start=0.0, stop=1.0)
        motion = st.simulate(
            world,
            st.GaussSeidel(**PATIENT, least_norm=1.0),
            duration=3 * DT,
            dt=DT,
            state=world.standing(above=-1e-6),
            forces=[push],
        )
        force = motion.force[1]
        across = np.hypot(force[:, 0], force[:, 1])
        assert (across <= MU * force[:, 2] * (1 + 1e-12)).all()
        assert (np.abs(motion.v[-1, 0]) > 1e-6) == (share > 1)


# ------------------------------------------------------------------------------------------ impacts


def bounced(robot, velocity, model, spin=(0.0, 0.0, 0.0)):
    """Normal velocity of the lowest point before and after an impact, and energies, no gravity."""
    world = st.World(robot, **FLOATING)
    state = world.standing(above=0.0)
    state.v[:3], state.v[3:6] = velocity, spin
    step = take_step(world, model, state)
    lowest = np.argmin(step.J[2::3] @ state.v)
    normal = step.J[3 * lowest + 2]
    energy = step.motion.energy().kinetic
    return normal @ state.v, normal @ step.v_next, energy[0], energy[1]


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.9, 1.0])
def test_eq_4_a_point_leaves_with_epsilon_times_the_speed_that_it_came_with(restitution):
    model = st.GaussSeidel(restitution=restitution)
    before, after, _, _ = bounced(st.robots.ball(), (0.2, 0.1, -2.0), model)
    assert after == pytest.approx(-restitution * before, rel=1e-9, abs=1e-9)


def test_points_that_come_down_slowly_do_not_bounce():
    for speed, bounces in ((0.009, False), (0.011, True)):
        model = st.GaussSeidel(restitution=0.5, rest_speed=0.01)
        before, after, _, _ = bounced(st.robots.ball(), (0.0, 0.0, -speed), model)
        assert after == pytest.approx(-0.5 * before if bounces else 0.0, abs=1e-12)


def test_eq_5_does_not_drive_a_leaving_point_back():
    """B_I = (1 + epsilon) J q' would: a ball that leaves would be asked to leave faster."""
    model = st.GaussSeidel(restitution=0.8)
    before, after, _, _ = bounced(st.robots.ball(), (0.0, 0.0, 0.7), model)
    assert after == pytest.approx(before, rel=1e-12)


TILTED = turned((0.0, 1.0, 0.0), 0.6)


@pytest.mark.parametrize("restitution", [0.8, 0.9, 1.0])
def test_newtons_restitution_can_add_energy_and_the_safe_one_does_not(restitution):
    """A slender rod on its end: Eq. (4) as printed gains where friction stops it against W_nt."""
    gains = {}
    for newton in (0.0, 1.0):
        worst = -np.inf
        for mu in (0.2, 0.5, 1.0):
            for speed in np.linspace(-1, 1, fewer(9, 5)):
                model = st.GaussSeidel(
                    tolerance=1e-8,
                    mu_static=mu,
                    mu_kinetic=mu,
                    restitution=restitution,
                    newton_impacts=newton,
                )
                rod = st.robots.rod(length=0.5, radius=0.005).at((0, 0, 0), TILTED)
                before, after, energy, then = bounced(rod, (speed, 0.0, -1.0), model)
                worst = max(worst, then / energy - 1.0)
                if newton:
                    assert after == pytest.approx(-restitution * before, rel=1e-7)
                else:
                    assert after <= -restitution * before * (1 + 1e-7)
        gains[newton] = worst
    assert gains[0.0] <= 1e-9
    assert restitution < 0.85 or gains[1.0] > 0.01


def test_impacts_have_friction_too():
    """A ball that comes down sliding begins to roll: mu (1 + e) m v_n, and not more."""
    for mu, e in ((0.1, 0.0), (0.1, 0.5), (0.3, 1.0)):
        model = st.GaussSeidel(mu_static=mu, mu_kinetic=mu, restitution=e)
        world = st.World(st.robots.ball(), **FLOATING)
        state = world.standing()
        state.v[:3] = 5.0, 0.0, -1.0
        motion = st.simulate(world, model, duration=DT, dt=DT, state=state)
        assert motion.v[1, 0] == pytest.approx(5.0 - mu * (1 + e), rel=1e-9)


@pytest.mark.jit
@pytest.mark.parametrize("restitution", [0.5, 0.9, 1.0])
def test_a_ball_bounces_five_times_to_the_heights_of_its_restitution(restitution):
    """0.1 % a bounce; semi-implicit Euler alone loses g dt of 2 m/s in a flight."""
    world = st.World(st.robots.ball())
    motion = st.simulate(
        world,
        st.GaussSeidel(restitution=restitution),
        duration=2.0,
        dt=1e-4,
        state=world.standing(above=0.2),
    )
    down = np.minimum(motion.v[:-1, 2], 0.0)
    hits = np.flatnonzero((motion.v[1:, 2] > 0) & (motion.v[:-1, 2] <= 0))[:5]
    assert len(hits) >= 2
    speeds = motion.v[hits + 1, 2]
    came = -down[hits]
    assert np.allclose(speeds, restitution * came, rtol=1e-3, atol=2e-3)  # g dt: where in the step
    energy = motion.energy().total
    assert np.diff(energy).max() <= 1e-9
