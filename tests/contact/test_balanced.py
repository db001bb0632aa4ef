"""Sugihara & Nakamura, "Balanced Micro/Macro Contact Model": a test per equation or claim."""

import numpy as np
import pytest

import stiction as st
from contact.problems import DT, UP, plate, point_jacobians, thrown
from contact.test_gauss_seidel import loose_biped
from mechanisms import fewer, held, turned
from stiction.contact.balanced import bearable_in_membrane
from stiction.contact.spring_damper import implicit_bearable_step
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted

K, C = 5512.0, 158.0  # of the membrane, section IV-C
STIFF = {"relaxation": 1e-9, "relative": 1.0}  # macro impulses miss what is asked by 1e-9
RIGID = {"thickness": 0.0, **STIFF}  # the macro model alone
SOFT = {"thickness": 1.0}  # the micro model alone
# Values as they are, a constant threshold, nothing capped, the macro model alone when it is deeper.
PRINTED = {"reference_mass": 0.0, "eps": 0.01, "capped": 0.0, "spring_beyond": 0.0}
LITTLE = {"relaxation": 1e-4, "relative": 1.0}


def printed(**values):
    """The model to the letter of the paper but for some values."""
    return st.Balanced(**PRINTED | ({} if "relaxation" in values else LITTLE) | values)


def simulate(*arguments, **options):
    """A motion by the first-order symplectic method of the paper."""
    return st.simulate(*arguments, integrator=st.SemiImplicitEuler(), **options)


def first_force(model, body, *, depth=1e-3, velocity=(0.0,) * 6, dt=DT, **options):
    """Forces (points, 3) on a body that is in the ground and moves, and its velocity afterwards."""
    world = st.World(body, **options)
    state = world.standing(above=-depth)
    state.v[:] = velocity
    motion = simulate(world, model, duration=dt, dt=dt, state=state)
    return motion.force[0], motion.v[1]


def on_ball(model, depth, sinking, **options):
    """Normal force on a ball, and its velocity along the normal afterwards."""
    velocity = (0.0, 0.0, -sinking, 0.0, 0.0, 0.0)
    force, v = first_force(
        model, st.robots.ball(radius=0.1), depth=depth, velocity=velocity, **options
    )
    return force[0, 2], v[2]


# ------------------------------------------------------------------------------------- micro, III-A


@pytest.mark.parametrize("dt", [1e-3, 2.5e-3])
def test_eq_14_and_15_push_out_and_damp_more_at_longer_steps(dt):
    """Printed with the other sign, with which the ground would pull."""
    model = printed(**SOFT)
    sinking, _ = on_ball(model, 4e-4, 0.2, dt=dt)
    assert sinking == pytest.approx(K * (4e-4 + 0.2 * dt) + C * 0.2, rel=1e-9)
    assert sinking == pytest.approx(K * 4e-4 + (C + K * dt) * 0.2, rel=1e-9)  # Eq. (15)
    rising, _ = on_ball(model, 4e-4, -0.1, dt=dt)
    assert rising == pytest.approx(K * (4e-4 - 0.1 * dt), rel=1e-9)


def test_eq_14_as_printed_pulls_a_point_that_leaves_fast_and_unilateral_does_not():
    pulling, _ = on_ball(printed(**SOFT, unilateral=0.0), 1e-5, -5.0)
    assert pulling == pytest.approx(K * (1e-5 - 5e-3), rel=1e-6)
    assert on_ball(printed(**SOFT), 1e-5, -5.0)[0] == 0.0


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.0), (1.5, 0.0), (1.5, 1.5), (2.0, 1.0)])
def test_the_membrane_may_be_nonlinear(alpha, beta):
    """Below Eq. (15): other springs may take the point of the linear one."""
    model = printed(stiffness=1e5, damping=1e4, alpha=alpha, beta=beta, **SOFT)
    for depth, sinking in ((1e-3, 0.0), (2e-3, 0.1), (2e-3, -0.5), (2e-3, -3.0)):
        z = max(depth + sinking * DT, 0.0)
        wanted = 1e5 * z**alpha + (1e4 * depth**beta * sinking if sinking > 0 else 0.0)
        assert on_ball(model, depth, sinking)[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_the_micro_model_alone_is_the_implicit_spring_damper():
    """Over a landing that slides and tumbles; to rounding."""
    values = {"stiffness": 2e4, "damping": 100.0, "mu_kinetic": 0.4, "eps": 1e-4}
    world = st.World(st.robots.brick())
    state = world.standing(above=1e-3)
    state.v[:] = [0.4, -0.2, -0.5, 1.0, -2.0, 0.5]
    ours, theirs = (
        simulate(world, law, duration=fewer(300, 20) * 5e-4, dt=5e-4, state=state)
        for law in (printed(**values, **SOFT), st.ImplicitSpringDamper(**values, sticking=0.0))
    )
    assert theirs.force[:-1].any()
    assert np.allclose(ours.q, theirs.q, rtol=0, atol=1e-10)
    assert np.allclose(ours.force[:-1], theirs.force[:-1], rtol=0, atol=1e-6)


def test_the_longest_step_is_that_of_the_membrane():
    assert bearable_in_membrane(printed(), 0.3) == implicit_bearable_step(K, C, 0.3)
    assert bearable_in_membrane(printed(thickness=0.0), 0.3) == np.inf
    assert bearable_in_membrane(st.Balanced(), 0.3) == implicit_bearable_step(K, 0.0, 0.3)  # capped
    beyond = printed(thickness=0.0, spring_beyond=1.0)
    assert bearable_in_membrane(beyond, 0.3) == implicit_bearable_step(K, C, 0.3)
    hertz = printed(stiffness=1e6, damping=0.0, alpha=1.5)
    stiffness = 1.5 * 1e6 * np.sqrt(5e-4)
    assert bearable_in_membrane(hertz, 0.3) == pytest.approx(
        implicit_bearable_step(stiffness, 0.0, 0.3)
    )


# ------------------------------------------------------------------------------------- macro, III-B


def told_again(world, model, state, dt=DT):
    """Impulses (points, 3) on level ground by numpy and quadprog, Eq. (16)-(36) as they stand."""
    import quadprog

    J, gap = point_jacobians(world, state.q)
    depth, v = -gap, J @ state.v
    v_nu, v_sigma = v[:, 2], np.linalg.norm(v[:, :2], axis=1)
    sigma = np.where(v_sigma[:, None] > model.eps, v / np.maximum(v_sigma, 1e-300)[:, None], 0.0)
    sigma[:, 2] = 0.0
    p = np.zeros_like(v)
    for i in np.flatnonzero((depth > 0) & ((depth < model.thickness) | (model.spring_beyond > 0))):
        f_nu = model.stiffness * (depth[i] - v_nu[i] * dt) + model.damping * max(-v_nu[i], 0.0)
        p[i] = dt * max(f_nu, 0.0) * (UP - model.mu_kinetic * sigma[i])
    H = st.mechanics.inertia(world, state.q) + dt * np.diag(world.tree.damping)
    b = st.mechanics.bias_force(world, state.q, state.v) + world.tree.damping * state.v
    v_B = np.linalg.solve(H, np.einsum("ijk,ij->k", J, p) - dt * b)  # (18), (21), (24)
    macro = (depth >= model.thickness) & (depth > 0) & (v_nu <= model.eps)
    rows, columns, wanted, owner = [], [], [], []
    for i in np.flatnonzero(macro):
        target = -model.restitution * min(v_nu[i], 0.0) * UP - v[i] - J[i] @ v_B  # (30), (31)
        stuck = v_sigma[i] <= model.eps
        for axis in range(0 if stuck else 2, 3):
            rows.append(J[i, axis])
            columns.append(J[i, axis] if stuck else (UP - model.mu_kinetic * sigma[i]) @ J[i])
            wanted.append(target[axis])
            owner.append((i, axis, stuck))
    if rows:
        A = np.array(rows) @ np.linalg.solve(H, np.array(columns).T)
        B = np.array(rows) @ np.linalg.solve(H, np.array(rows).T)
        scale = np.trace(B) / len(B)
        price = model.relaxation * (scale**2 if model.relative else 1.0)
        normal = np.eye(len(A))[:, [axis == 2 for _, axis, _ in owner]]
        quadratic = (A.T @ A + price * np.eye(len(A))) / scale**2
        zeros = np.zeros(normal.shape[1])
        x = quadprog.solve_qp(quadratic, A.T @ wanted / scale**2, normal, zeros)[0]  # (33)
        for (i, axis, stuck), value in zip(owner, x, strict=True):
            p[i] += value * (np.eye(3)[axis] if stuck else UP - model.mu_kinetic * sigma[i])
        for i in {i for i, _, stuck in owner if stuck}:
            f_phi = np.hypot(*p[i, :2])  # (35)
            if f_phi > model.mu_static * p[i, 2]:
                p[i, :2] *= model.mu_kinetic * max(p[i, 2], 0.0) / f_phi  # (36)
    return p, macro, v_sigma <= model.eps


MODELS = {
    "paper": printed(relaxation=1.0, relative=0.0),
    "relative": printed(relaxation=1e-2, relative=1.0, mu_static=0.5),
    "beyond": printed(relaxation=0.1, relative=0.0, spring_beyond=1.0, restitution=0.3),
    "macro": printed(thickness=0.0, relaxation=1e-3, relative=1.0, restitution=0.5),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("body", ["plate", "biped"])
def test_eq_16_to_36_a_step_is_that_of_dense_matrices(name, body):
    """Points in the membrane and deeper, sliding, stuck and leaving, on one foot and on two."""
    model, rng, kinds = MODELS[name], np.random.default_rng(8), set()
    world = st.World(plate(16) if body == "plate" else loose_biped())
    for k in range(fewer(20, 4)):
        tilt = 4e-3 if body == "plate" else 1e-2
        slides = k % 2 > 0
        state = thrown(world, rng, tilt=tilt, speed=0.5 * slides, spin=slides, above=-8e-4)
        if body == "biped" and slides:
            state.v[6:] = rng.uniform(-1, 1, world.nv - 6)
        expected, macro, stuck = told_again(world, model, state)
        motion = simulate(world, model, duration=DT, dt=DT, state=state)
        size = np.abs(expected).max()
        assert np.allclose(DT * motion.force[0], expected, rtol=0, atol=1e-7 * size)
        kinds |= {(bool(m), bool(s)) for m, s in zip(macro, stuck, strict=True)}
    assert {(True, True), (True, False)} <= kinds


def test_eq_21_with_gravity_alone_stuck_points_would_creep():
    """b - b^ moves a foot that stands while the joints turn; ours has all of b and holds it."""
    world, rng = st.World(loose_biped()), np.random.default_rng(2)
    state = world.standing(above=-1e-3)
    J, gap = point_jacobians(world, state.q)
    J = J[gap < 0].reshape(-1, world.nv)
    state.v[:] = rng.uniform(-3, 3, world.nv)
    state.v -= np.linalg.pinv(J, rcond=1e-9) @ (J @ state.v)  # the feet are at rest
    state.v[:] *= 3.0 / np.abs(state.v).max()
    H = st.mechanics.inertia(world, state.q) + DT * np.diag(world.tree.damping)
    b = st.mechanics.bias_force(world, state.q, state.v)
    b_hat = st.mechanics.bias_force(world, state.q, np.zeros(world.nv))
    creep = DT * np.abs(J @ np.linalg.solve(H, b - b_hat)).max()
    model = printed(mu_static=1e3, **RIGID)
    motion = simulate(world, model, duration=DT, dt=DT, state=state)
    pressed = motion.force[0, gap < 0, 2] > 0
    assert pressed.all()
    assert np.abs(J @ motion.v[1]).max() < 1e-5 * creep


def test_eq_25_a_vertical_landing_has_static_friction():
    """Stuck is told by |v_sigma|, II-B; by |v|, III-B, this brick would slide down the slope."""
    angle = 0.3
    n = st.Slope(angle).normal()
    along = np.cross([0.0, 1.0, 0.0], n)
    brick = st.robots.brick().at((0, 0, 0), turned((0.0, 1.0, 0.0), np.arctan2(n[0], n[2])))
    force, v = first_force(
        printed(**RIGID), brick, velocity=(*(-0.3 * n), 0, 0, 0), ground=st.Slope(angle)
    )
    assert np.abs(v).max() < 1e-6
    weight = 2.0 * 9.81
    total = force.sum(axis=0)
    assert abs(total @ along) == pytest.approx(weight * np.sin(angle), rel=1e-6)
    assert total @ n == pytest.approx(weight * np.cos(angle) + 2.0 * 0.3 / DT, rel=1e-6)


def test_eq_29_points_that_leave_the_ground_are_left_out():
    """Stopping them would need a pull; those slower than eps are at rest."""
    model = printed(**RIGID)
    force, v = on_ball(model, 1e-3, -0.1)
    assert force == 0.0 and v == pytest.approx(0.1 - 9.81 * DT)
    force, v = on_ball(model, 1e-3, -0.5e-4)
    assert force > 0.0 and abs(v) < 1e-7


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_eq_29_points_bounce_whether_they_stick_or_slide(e):
    """With Eq. (25) to the letter, a ball that comes straight down would never bounce."""
    model = printed(**RIGID, restitution=e)
    assert on_ball(model, 1e-3, 1.0)[1] == pytest.approx(e, abs=1e-6)
    velocity = (2.0, 0.0, -1.0, 0.0, 0.0, 0.0)
    force, v = first_force(model, st.robots.ball(), velocity=velocity)
    assert v[2] == pytest.approx(e, abs=1e-6)
    assert force[0, 0] == pytest.approx(-0.4 * force[0, 2])  # Eq. (26)


def tipping(world, spin):
    """A state in which a sole comes down and tips, and does not move along the ground."""
    state = world.standing(above=-1e-3)
    height = state.q[2] + 1e-3  # over the lowest points
    state.v[:] = [-spin * height, -0.5 * spin * height, -0.3, 0.5 * spin, -spin, 0.0]
    return state


def test_eq_33_a_larger_lambda_misses_more_and_has_smaller_impulses():
    """Fig. 3: the error grows with lambda and the norm falls."""
    world = st.World(plate(8))
    state = tipping(world, 1.0)
    J, _ = point_jacobians(world, state.q)
    errors, norms = [], []
    for relaxation in (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0):
        model = printed(thickness=0.0, relaxation=relaxation, relative=0.0, mu_static=1e3)
        motion = simulate(world, model, duration=DT, dt=DT, state=state)
        errors.append(np.linalg.norm(J @ motion.v[1]))
        norms.append(np.linalg.norm(DT * motion.force[0]))
    assert (np.diff(errors) > 0).all() and (np.diff(norms) < 0).all()
    assert errors[0] < 1e-2 * errors[-1] and norms[-1] < 0.5 * norms[0]


def test_a_larger_lambda_evens_out_the_forces_under_a_tall_body():
    """Fig. 8, "smoothed for lambda = 4.0": loads that stop a tipping body become even.

    lambda takes most from what has small singular values in A, and a tall body is hard to tip.
    Under a flat brick, which is as easy to tip as to lift, loads stay as uneven as they are.
    """
    spread = {}
    for height in (0.6, 0.06):
        world = st.World(plate(8, mass=0.4, size=(0.2, 0.1, height)))
        for relaxation in (0.01, 0.1, 1.0, 4.0):
            model = printed(thickness=0.0, relaxation=relaxation, relative=0.0, mu_static=1e3)
            state = tipping(world, 0.1)
            force = simulate(world, model, duration=DT, dt=DT, state=state).force[0, :, 2]
            spread.setdefault(height, []).append(force.std() / force.mean())
    assert (np.diff(spread[0.6]) < 0).all() and spread[0.6][-1] < 0.02 * spread[0.6][0]
    assert np.allclose(spread[0.06], spread[0.06][0], rtol=0.1)


def test_lambda_must_not_be_zero():
    with pytest.raises(InputError, match="relaxation"):
        on_ball(printed(relaxation=0.0), 1e-3, 0.0)


@pytest.mark.parametrize("relative", [0.0, 1.0])
def test_a_relative_lambda_suits_light_and_heavy_robots_alike(relative):
    """Ten times the mass moves alike; with lambda in kg^-2 it sinks a hundred times faster."""
    speeds = []
    for mass in (1.0, 0.1):
        world = st.World(plate(8, mass=mass))
        model = printed(thickness=0.0, relaxation=0.02, relative=relative)
        state = world.standing(above=-1e-4)
        motion = simulate(world, model, duration=20 * DT, dt=DT, state=state)
        speeds.append(motion.v[-1, 2])
    assert speeds[1] / speeds[0] == pytest.approx(1.0 if relative else 100.0, rel=2e-2)


@pytest.mark.parametrize("relaxation", [0.01, 1.0, 7.0])
def test_beyond_the_membrane_a_robot_sinks_the_faster_the_larger_lambda(relaxation):
    """5 kg on 8 points, at lambda (M / m)^2 g dt: 0.04, 3.8 and 27 mm/s.

    The paper sees its robot sink for lambda = 7 (section IV-C).
    """
    world = st.World(plate(8, mass=0.4))
    state = world.standing(above=-6e-4)
    model = printed(relaxation=relaxation, relative=0.0)
    motion = simulate(world, model, duration=80 * DT, dt=DT, state=state)
    speed = relaxation * (5.0 / 8.0) ** 2 * 9.81 * DT
    assert -motion.v[-1, 2] == pytest.approx(speed, rel=1e-3)
    assert motion.force[-2, :, 2].sum() == pytest.approx(5.0 * 9.81, rel=1e-3)


@pytest.mark.jit
@pytest.mark.slow
def test_a_spring_that_acts_beyond_the_membrane_holds_the_robot():
    world = st.World(plate(8, mass=0.4))
    model = printed(relaxation=1.0, relative=0.0, spring_beyond=1.0)
    motion = st.simulate(world, model, duration=1.0, dt=DT, state=world.standing(above=0.0))
    assert 5e-4 < motion.depth[-2].max() < 5.0 * 9.81 / (8 * K) * 1.01
    assert abs(motion.v[-1, 2]) < 1e-4


# ---------------------------------------------------------------------------------- friction, III-C


def pushed_brick(model, push):
    """Tangential over normal force of a brick at rest that is pushed along the ground [weights]."""
    gravity = (push * 9.81, 0.0, -9.81)
    force, v = first_force(model, st.robots.brick(), gravity=gravity)
    total = force.sum(axis=0)
    assert total[2] == pytest.approx(2.0 * 9.81, rel=1e-6)
    return -total[0] / total[2], v[0]


def test_eq_35_static_friction_holds_up_to_its_limit():
    model = printed(**RIGID, mu_static=0.8, mu_kinetic=0.4)
    for push in (0.1, 0.5, 0.6):  # the push takes load off the corners behind: they slide first
        ratio, speed = pushed_brick(model, push)
        assert ratio == pytest.approx(push, rel=1e-6) and abs(speed) < 1e-7


def test_eq_36_beyond_it_the_kinetic_friction_acts_at_once():
    model = printed(**RIGID, mu_static=0.8, mu_kinetic=0.4)
    ratio, speed = pushed_brick(model, 1.5)
    assert ratio == pytest.approx(0.4, rel=1e-9)
    assert speed == pytest.approx((1.5 - 0.4) * 9.81 * DT, rel=1e-6)


def test_no_static_friction_is_a_legal_setting():
    """Fig. 9, "maximum static friction coefficient 0": what rests has the kinetic, and dithers."""
    model = printed(**RIGID, mu_static=0.0, mu_kinetic=0.4)
    ratio, speed = pushed_brick(model, 0.1)
    assert ratio == pytest.approx(0.4, rel=1e-9)
    assert speed == pytest.approx((0.1 - 0.4) * 9.81 * DT, rel=1e-6)


# ------------------------------------------------------------------------------------------- robots


@pytest.mark.jit
def test_a_biped_lands_and_stands_at_a_millisecond():
    world = st.World(held(st.robots.biped10()))
    model = printed(relaxation=1e-2, relative=1.0, mu_static=0.6, mu_kinetic=0.6, eps=0.02)
    motion = st.simulate(world, model, duration=1.5, dt=DT, state=world.standing(above=0.03))
    weight = world.total_mass * 9.81
    assert motion.depth[:-1].max() < 2e-3
    assert motion.force[-200:-1, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=1e-2)
    assert motion.q[-1, 2] > 0.99 * world.standing().q[2]
    assert motion.solver_summary().failures == 0


# ----------------------------------------------------------------------------------- what we add


@pytest.mark.jit
@pytest.mark.parametrize("thickness", [0.0, 5e-4])
def test_friction_and_damping_stop_a_ball_but_do_not_turn_it_round(thickness):
    """At 5 m/s with 2 m/s of slip; as printed it leaves with more energy, its slip reversed."""
    world = st.World(st.robots.ball())
    state = world.standing(above=1e-3)
    state.v[:3] = (2.0, 0.0, -5.0)
    friction = {"mu_static": 0.8, "mu_kinetic": 0.8, "thickness": thickness}
    motion = st.simulate(world, st.Balanced(**friction), state=state, duration=0.02, dt=DT)
    energy = motion.energy().total
    assert energy.max() <= energy[0] * (1 + 1e-9)
    assert motion.v[-1, 0] - 0.05 * motion.v[-1, 4] > -1e-9  # slip of the lowest point
    if thickness == 0.0:
        motion = st.simulate(world, printed(**friction), state=state, duration=0.02, dt=DT)
        assert motion.energy().total[-1] > 1.2 * energy[0]


@pytest.mark.jit
def test_robots_of_any_mass_move_alike_with_the_defaults():
    """Stiffness and damping grow with the mass, lambda falls with its square; 5 kg is the paper."""
    motions = []
    for mass in (0.4, 0.04):  # bricks of 5 and 50 kg
        world = st.World(plate(8, mass=mass))
        state = world.standing(above=1e-3)
        state.v[:] = [0.3, 0.1, -0.4, 0.5, -1.0, 0.2]
        motions.append(st.simulate(world, st.Balanced(), state=state, duration=0.2, dt=DT))
    light, heavy = motions
    assert np.allclose(light.q, heavy.q, rtol=0, atol=1e-9)  # rounding of 200 steps
    assert np.allclose(10 * light.force[:-1], heavy.force[:-1], rtol=0, atol=1e-5)
    paper = st.Balanced(reference_mass=0.0)
    same = st.simulate(
        st.World(plate(8, mass=0.4)), paper, state=light.state(0), duration=0.2, dt=DT
    )
    assert np.allclose(same.q, light.q, rtol=0, atol=1e-9)


def walked(model):
    """Largest distance of hoap1's base from the plan while it walks four steps [m], and depth."""
    pattern = st.patterns.walk(st.robots.hoap1(), steps=4)
    motion = st.simulate(
        st.World(pattern.robot),
        model,
        duration=pattern.duration,
        dt=DT,
        state=pattern.state,
        controller=pattern.tracking(),
    )
    off = np.linalg.norm(motion.q[-1, :3] - pattern.q[-1, :3])
    return off, np.nanmax(motion.depth)


@pytest.mark.slow  # compiles a step that no other test needs
@pytest.mark.jit
def test_hoap1_walks_with_the_papers_values_which_are_the_defaults():
    """Fig. 10: lambda = 1, mu 1.0 / 0.4, 1 ms. Static: 49 N on 8 springs of 5512 N/m, 1.1 mm."""
    off, depth = walked(st.Balanced(mu_static=1.0, mu_kinetic=0.4))
    assert off < 5e-3
    assert 1e-3 < depth < 6e-3


@pytest.mark.slow
@pytest.mark.jit
def test_without_the_spring_beyond_the_membrane_hoap1_sinks_with_lambda_1():
    """The other reading of the paper: nothing holds the depth."""
    _, depth = walked(st.Balanced(mu_static=1.0, mu_kinetic=0.4, spring_beyond=0.0))
    assert depth > 1e-2
