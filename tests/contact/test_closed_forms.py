"""Contact against closed forms: the targets, scene by scene, for the models named for them.

The scenes and what is measured in them are in `stiction/bench/closed_forms/`; `stiction bench
accuracy` prints the same for all models.
"""

import math

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.bench import accuracy
from stiction.bench.accuracy import EVEN, FOURTH, TARGETS, TIME_STEPS
from stiction.bench.closed_forms import balls, belts, blocks, edges, painleve, rods, sizes
from stiction.bench.closed_forms.engines import engine_contenders
from stiction.bench.closed_forms.models import (
    Contender,
    Material,
    damping_ratio,
    hunt_crossley_ratio,
)
from stiction.bench.closed_forms.scenes import SCENES
from stiction.bench.closed_forms.trial import HEADINGS, Trial, along
from stiction.cli import main
from stiction.errors import InputError

CONTENDERS = {contender.name: contender for contender in accuracy.contenders()}
COULOMB = CONTENDERS["Coulomb"]
# tests of their own, or (stacks) contact of bodies to compile; test_tumbling.py has the tumblers
SLOW = ("rod", "bounce", "stack", "rocking", "tumblers")
QUICK = [scene for scene in SCENES if scene not in SLOW]


def check(scene, name, dt, found):
    """Every target of a scene that a model is named for."""
    for measure, target in TARGETS[scene].items():
        if name in target.named and measure in found:
            limit = target.limits[TIME_STEPS.index(dt)]
            assert found[measure] <= limit, f"{measure}: {found[measure]}, at most {limit}"


def named_for(scene):
    return sorted({name for target in TARGETS[scene].values() for name in target.named})


@pytest.mark.jit
@pytest.mark.parametrize("dt", TIME_STEPS)
@pytest.mark.parametrize(
    ("scene", "name"), [(scene, name) for scene in QUICK for name in named_for(scene)]
)
def test_the_named_models_meet_the_targets(scene, name, dt):
    trial = Trial(CONTENDERS[name], dt)
    found = SCENES[scene](trial)
    assert set(TARGETS[scene]) <= set(found)
    check(scene, name, dt, found)


@pytest.mark.jit
@pytest.mark.parametrize("dt", TIME_STEPS)
@pytest.mark.parametrize("name", accuracy.EXACT)
@pytest.mark.parametrize("e", [0.0, 0.5, 0.9, 1.0])
def test_a_ball_comes_up_to_e_squared_of_its_height_and_gains_no_energy(e, name, dt):
    found = balls.bounce(Trial(CONTENDERS[name], dt), e)
    check("bounce", name, dt, {f"e {e:g}: {measure}": value for measure, value in found.items()})


@pytest.mark.jit
@pytest.mark.parametrize("dt", TIME_STEPS)
@pytest.mark.parametrize("name", [FOURTH[0], pytest.param(FOURTH[1], marks=pytest.mark.slow)])
@pytest.mark.parametrize("e", [0.0, 0.8, 1.0])
def test_a_rod_on_its_end_gains_no_energy(e, name, dt):
    # points are carried on through a step to second order
    limit = {0.001: 2e-6, 0.004: 1e-4}[dt]
    assert rods.rod_gain(Trial(CONTENDERS[name], dt), e) <= limit


@pytest.mark.jit
@pytest.mark.parametrize("name", [FOURTH[0], pytest.param(FOURTH[1], marks=pytest.mark.slow)])
def test_newtons_law_of_restitution_gains_energy_with_friction(name):
    """Kane's paradox: so it is no default."""
    trial = Trial(CONTENDERS[name], 0.001)
    assert rods.rod_gain(trial, 0.9, newton_impacts=1.0) > 0.01
    assert rods.rod_gain(trial, 1.0, newton_impacts=1.0) > 0.1


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", CONTENDERS)
def test_every_model_gets_through_every_scene(name):
    """No exception, and measures for all that apply; the bench says which models are exact."""
    trial = Trial(CONTENDERS[name], 0.001)
    for scene in (*QUICK, "bounce"):
        found = SCENES[scene](trial)
        assert all(value is None or not math.isnan(value) for value in found.values())


# ------------------------------------------------------------------- also without the compiler


def test_a_block_slides_its_way_and_rests():
    dt, v0 = 0.004, 0.5
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:2] = v0 * along(HEADINGS[1])
    trial = Trial(COULOMB, dt)
    motion = trial.simulate(world, state, fewer(100, 40) * dt)
    way = float(np.linalg.norm(motion.q[-1, :2]))
    assert abs(way / (v0**2 / (2 * 0.5 * 9.81)) - 1) <= 5e-4
    assert trial.unsolved == 0 and trial.criteria["primal"] < 1e-12


def test_a_block_stays_on_a_slope_that_it_could_just_not_stay_on():
    dt = 0.004
    world = blocks.tilted_world(math.atan(0.99 * 0.5), HEADINGS[2])
    trial = Trial(CONTENDERS["GaussSeidel"], dt)
    motion = trial.simulate(world, world.standing(), fewer(250, 25) * dt)
    half = len(motion) // 2
    moved = np.linalg.norm(motion.q[-1, :3] - motion.q[half, :3])
    assert moved <= fewer(1, 10_000) * 1e-15 * (motion.time[-1] - motion.time[half])


@pytest.mark.parametrize("name", EVEN)
def test_eight_points_carry_the_same(name):
    brick = st.robots.brick().with_sole_points("brick", 4, 2)
    world = st.World(brick)
    trial = Trial(CONTENDERS[name], 0.001)
    motion = trial.simulate(world, world.standing(), fewer(100, 10) * 0.001, points=8)
    assert np.allclose(motion.force[:-1, :, 2], 2.0 * 9.81 / 8, rtol=1e-6)


def test_a_rod_that_is_fixed_where_it_lands_stays_slow():
    world = st.World(st.robots.rod())
    _, state = list(rods.rod_states(world))[53]  # its end comes down tumbling
    motion = Trial(CONTENDERS["Bilateral"], 0.004).simulate(world, state, 0.06)
    assert np.abs(motion.v[:, :3]).max() < 10.0


def test_housners_block_loses_too_much_where_its_impact_is_spread_over_steps():
    """Any restitution splits the step at the impact; the scene's own limits are 0.14 and 1 %."""
    trial = Trial(COULOMB, 0.004)
    world, steps = st.World(st.robots.box(edges.ROCKED, edges.MASS)), fewer(375, 80)
    state = world.home()
    b, _, h = (edge / 2 for edge in edges.ROCKED)
    alpha, reach = math.atan2(b, h), math.hypot(b, h)
    theta = 0.3 * alpha
    state.q[:3] = [b - reach * math.sin(alpha - theta), 0.0, reach * math.cos(alpha - theta)]
    state.q[3:7] = [math.cos(theta / 2), 0.0, math.sin(theta / 2), 0.0]

    def spin_after(material):
        motion = trial.simulate(world, state, steps * trial.dt, material)
        tilt = 2 * np.arctan2(motion.q[:, 5], motion.q[:, 3])
        landed = int(np.argmax(tilt < 0))
        assert landed > 2
        before, after = motion.v[landed - 3, 4], motion.v[landed + 2, 4]
        return after / before

    kept = 1 - 1.5 * math.sin(alpha) ** 2
    assert spin_after(edges.SPLIT) == pytest.approx(kept, abs=0.03)  # gravity, in five steps
    assert spin_after(edges.STUCK) < spin_after(edges.SPLIT)


def test_a_rod_that_is_pushed_like_chalk_jams_in_one_step():
    angle, mu, speed = 0.8, 2.5, 1.5
    trial = Trial(COULOMB, 0.001)
    world, state = painleve.chalk(angle, -speed)
    motion = trial.simulate(world, state, 0.002, Material(mu, mu))
    assert np.linalg.norm(motion.contact_velocity[0, 0]) <= 1e-9 * speed
    h, r = painleve.LENGTH / 2 - painleve.RADIUS, painleve.RADIUS
    thin = 0.75 * speed * (h * math.sin(angle) + r) / (h + r) ** 2  # of a rod without thickness
    # gravity slows it by up to 14 rad/s2 for a step, and the radius counts for 1 %
    assert -motion.v[1, 4] == pytest.approx(thin, abs=trial.dt * 14 + 0.01 * thin)
    assert trial.unsolved == 0


def test_a_rod_falls_alike_in_any_size():
    dt, k = 0.004, sizes.DROPS[0]
    one = sizes.fallen(Trial(COULOMB, dt), 1.0, k)
    for s in sizes.SIZES.values():
        other = sizes.fallen(Trial(COULOMB, dt * math.sqrt(s)), s, k)
        assert np.linalg.norm(one - other) < 1e-4  # the accuracy scene's own limit


# ---------------------------------------------------------------------------- exact solutions


def test_a_block_on_a_belt_that_accelerates_too_fast_slides_with_constant_friction():
    """Until the speeds first meet; the belt accelerates by 5 mu g cos(w t)."""
    time, place = belts.place_on_belt(5.0)
    t = time[time < 0.1]
    mu_g = 0.5 * 9.81
    belt = 5 * mu_g / belts.OMEGA**2 * (1 - np.cos(belts.OMEGA * t))
    assert np.allclose(place[: len(t)], 0.5 * mu_g * t**2 - belt, rtol=0, atol=2e-6)  # mu g h t
    assert np.ptp(belts.place_on_belt(0.9)[1]) < 1e-12  # rounding


def test_a_rod_slides_or_jams_by_the_sign_of_p():
    """Painleve's condition for a thin rod: it can jam only above mu = 4/3."""
    h, inertia = painleve._rod()
    m, r = painleve.MASS, painleve.RADIUS
    for cases, sign in ((painleve.SLIDES, 1), (painleve.JAMS, -1)):
        for angle, mu, _ in cases:
            c, s = math.cos(angle), math.sin(angle)
            p = 1 + m * h * c * (h * c - mu * (h * s + r)) / inertia
            assert sign * p > 0


# ------------------------------------------------------------------------------- the bench itself


@pytest.mark.parametrize("e", [0.3701, 0.5, 0.9, 0.999])
def test_the_damper_of_a_spring_is_chosen_for_a_restitution(e):
    """Down under damping and up without: integrated in small steps."""
    zeta, dt = damping_ratio(e), 1e-4
    x, v = 0.0, -1.0
    while x <= 0.0:
        v += dt * (-x - (2 * zeta * v if v < 0 else 0.0))
        x += dt * v
    assert v == pytest.approx(e, rel=2e-3)


def test_hunt_crossleys_damping_is_chosen_for_the_restitution_at_a_speed():
    speed, e, dt = 2.0, 0.7, 1e-5
    a = hunt_crossley_ratio(Material(restitution=e, speed=speed), 100.0)
    d, d_dot = 0.0, speed
    while d >= 0.0:
        d_dot -= dt * 1000.0 * max(d, 0.0) ** 1.5 * (1 + a * d_dot)
        d += dt * d_dot
    assert -d_dot / speed == pytest.approx(e, rel=1e-3)


def test_a_target_holds_only_if_all_models_named_for_it_meet_it():
    def row(**values):
        found = {name: {"distance [%]": value} for name, value in values.items()}
        return accuracy.measured("stopping", 0.001, found)[0]

    assert row(Coulomb=0.001, GaussSeidel=0.01)["holds"] is True
    assert row(Coulomb=0.001, GaussSeidel=0.011)["holds"] is False
    assert row(Coulomb=0.001)["holds"] is False  # it did not run
    assert row(Coulomb=0.001, GaussSeidel=math.inf)["GaussSeidel"] == "inf"
    assert row(Coulomb=0.001, GaussSeidel=0.5)["met by"] == "Coulomb"
    assert row(Coulomb=0.001, GaussSeidel=None, Bilateral=None)["Bilateral"] is None


def test_every_target_is_of_a_scene_and_named_for_a_contender():
    assert set(TARGETS) == set(SCENES)
    assert {name for scene in SCENES for name in named_for(scene)} <= set(CONTENDERS)


def test_all_our_contact_models_take_part():
    from stiction.contact.contact_model import MODELS, NoContact

    ours = {kind for kind in MODELS if kind.__module__.startswith("stiction.")} - {NoContact}
    assert {contender.kind for contender in CONTENDERS.values()} == ours


def test_a_model_without_friction_is_left_out_where_things_slide():
    fixed = Contender("Bilateral", st.Bilateral, {}, st.Leapfrog())
    for scene in ("stopping", "slope 101 %", "break-away", "rolling"):
        assert SCENES[scene](Trial(fixed, 0.001)) == {}


def test_an_engine_takes_part_with_one_setting_or_with_all():
    names = [one.name for one in engine_contenders(["mujoco:tuned"])]
    assert names == ["MuJoCo tuned"]
    assert len(engine_contenders(["mujoco"])) == 3
    with pytest.raises(InputError, match="engine 'mujoco': no setting 'best'; it has default, "):
        engine_contenders(["mujoco:best"])


def test_an_unknown_scene_is_refused(capsys):
    with pytest.raises(InputError, match="unknown scene 'cliff'; scenes: stopping, "):
        accuracy.bench(["cliff"])
    assert main(["bench", "accuracy", "--scene", "cliff"]) == 1
    assert "unknown scene 'cliff'" in capsys.readouterr().err
