"""Criteria of contact against the solutions, and the mistakes, that can be written down by hand."""

from typing import NamedTuple

import numpy as np
import pytest

import stiction as st
from recorded import DT, LOWER, MU, one_point, recorded
from stiction.contact.contact_model import MODELS, Model
from stiction.errors import InputError
from stiction.metrics.contact_criteria import cone_distance, friction_coefficients

STEEP = np.hypot(1.0, MU)
ROUNDING = 1e-15  # of products of numbers of size 1


class Rubber(NamedTuple):
    """Sticks better than it slides."""

    mu_static: float = 0.8
    mu_kinetic: float = 0.4


class Glue(NamedTuple):
    """Tells below which speed it sticks."""

    mu_static: float = 0.8
    mu_kinetic: float = 0.4
    stick_speed: float = 0.02


class Felt(NamedTuple):
    """Asks as the step begins whether a point rests."""

    mu_static: float = 0.8
    mu_kinetic: float = 0.4
    eps: float = 0.02


class Ice(NamedTuple):
    """Has no friction to speak of."""

    stiffness: float = 1e4


@pytest.fixture
def other_models(monkeypatch):
    for kind in (Rubber, Glue, Felt, Ice):
        monkeypatch.setitem(MODELS, kind, Model(kind, lambda: 0, **declared()))


def declared():
    """Whatever a model declares besides its parameters, as NoContact does."""
    like = next(model for kind, model in MODELS.items() if kind.__name__ == "NoContact")
    fields = {**vars(like)}
    return {name: value for name, value in fields.items() if name not in ("kind", "kernel")}


def at_corner(motion, **options):
    """The six numbers of the touching corner; everything else must be zero."""
    found = motion.criteria(**options)
    for values in found:
        assert values.shape == (2, 8)
        assert np.isnan(values[-1]).all()
        assert (values[0, 1:] == 0).all()
    return {name: values[0, 0] for name, values in found._asdict().items()}


# ----------------------------------------------------------------------------------------- criteria


@pytest.mark.parametrize(
    "force, velocity",
    [
        ((0, 0, 0), (0, 0, 0)),  # nothing
        ((0, 0, 0), (1, 0, 0.3)),  # leaves
        ((0, 0, 2), (0, 0, 0)),  # rests
        ((0.6, -0.8, 2), (0, 0, 0)),  # sticks on the edge of its cone
        ((-0.6, 0.8, 2), (0.3, -0.4, 0)),  # slides
    ],
)
def test_solutions_have_no_error_but_sliding_a_conic_one(force, velocity):
    found = at_corner(one_point(force, velocity))
    slid = MU * force[2] * DT * np.hypot(velocity[0], velocity[1])
    assert found.pop("conic") == pytest.approx(slid if force[2] else 0.0, abs=ROUNDING)
    for name, value in found.items():
        assert value == pytest.approx(0.0, abs=ROUNDING), name


def test_the_same_holds_on_a_slope_in_its_own_axes():
    slope = st.Slope(0.4, heading=0.7)
    n = slope.normal()
    along = np.cross(n, [1.0, 0.0, 0.0])
    along /= np.linalg.norm(along)
    world = st.World(st.robots.brick(), ground=slope)
    found = at_corner(one_point(2 * n - along, 0.3 * along, world=world))
    assert found.pop("conic") == pytest.approx(0.3 * DT, rel=1e-12)
    assert max(found.values()) < ROUNDING


def test_a_convex_relaxation_takes_off_with_a_conic_error_of_zero():
    """A sliding point with normal velocity mu |c_t| solves the relaxed problem, not the real."""
    found = at_corner(one_point((-1, 0, 2), (0.3, 0, MU * 0.3)))
    assert found["conic"] == pytest.approx(0.0, abs=ROUNDING)
    assert found["signorini"] == pytest.approx(2 * DT * MU * 0.3, rel=1e-12)
    assert found["complementarity"] == pytest.approx(2 * DT * MU * 0.3, rel=1e-12)
    assert found["primal"] == found["dual"] == 0.0


def test_too_little_friction_is_a_lack_of_dissipation():
    found = at_corner(one_point((-0.4, 0, 2), (0.3, 0, 0)))
    assert found["dissipation"] == pytest.approx((MU * 2 - 0.4) * DT * 0.3, rel=1e-12)
    assert found["complementarity"] == pytest.approx((MU * 2 - 0.4) * DT * 0.3, rel=1e-12)
    assert found["primal"] == found["dual"] == found["signorini"] == 0.0


@pytest.mark.parametrize(
    "force, distance",
    [
        ((2, 0, 2), 1.0 / STEEP),  # beside the cone
        ((0, 0, -3), 3.0),  # pulls: the tip is nearest
        ((0, 3, 0), 3.0 / STEEP),
        ((0.3, 0.4, -2), np.hypot(0.5, 2)),
        ((1, 0, 2), 0.0),  # on the cone
    ],
)
def test_primal_error_and_cone_violation_are_the_distance_to_the_cone(force, distance):
    motion = one_point(force, (0, 0, 0.1))
    assert at_corner(motion)["primal"] == pytest.approx(distance * DT, abs=ROUNDING)
    violation = motion.cone_violation()
    assert violation[0, 0] == pytest.approx(distance, abs=ROUNDING)
    assert (violation[0, 1:] == 0).all() and np.isnan(violation[1]).all()


@pytest.mark.parametrize(
    "velocity, distance",
    [
        ((1, 0, -0.1), 0.1 / STEEP),  # sinks while it slides: c + Phi(c) is beside the dual cone
        ((0, 0, -0.1), 0.1),  # sinks: the tip of the dual cone is nearest
        ((1, 0, 0.1), 0.0),
    ],
)
def test_dual_error_is_the_distance_to_the_dual_cone(velocity, distance):
    found = at_corner(one_point((0, 0, 0), velocity))
    assert found["dual"] == pytest.approx(distance, abs=ROUNDING)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0, 5.0])
def test_distances_to_a_cone_and_its_polar_are_the_sides_of_a_right_triangle(mu):
    """Moreau: x is the sum of its projections on a cone and on its polar, minus its dual."""
    normal, across = np.random.default_rng(1).normal(size=(2, 1000))
    across = np.abs(across)
    squares = (
        cone_distance(normal, across, mu, 1.0) ** 2 + cone_distance(-normal, across, 1.0, mu) ** 2
    )
    np.testing.assert_allclose(squares, normal**2 + across**2, rtol=1e-12)  # rounding


def test_without_friction_the_dual_cone_is_a_half_space():
    found = at_corner(one_point((0, 0, 1), (5, 0, -0.2)), mu=0.0)
    assert found["dual"] == pytest.approx(0.2, rel=1e-12)
    assert found["signorini"] == found["conic"] == pytest.approx(0.2 * DT, rel=1e-12)


def test_worst_is_the_largest_over_steps_and_places():
    forces, velocities = np.zeros((3, 8, 3)), np.zeros((3, 8, 3))
    forces[1, 5] = (2, 0, 2)
    velocities[2, 3] = (0, 0, -0.4)
    worst = recorded(forces, velocities).criteria().worst()
    assert worst["primal"] == pytest.approx(DT / STEEP, rel=1e-12)
    assert worst["dual"] == pytest.approx(0.4, rel=1e-12)
    assert set(worst) == {
        "primal", "dual", "signorini", "dissipation", "complementarity", "conic",
    }  # fmt: skip


@pytest.mark.jit
def test_a_brick_under_an_exact_solver_slides_and_rests_without_error():
    world = st.World(st.robots.brick(mass=2.0))
    state = world.standing()
    state.v[:2] = (0.6, 0.8)
    floor = st.Coulomb(mu_static=0.5, mu_kinetic=0.4)
    motion = st.simulate(world, floor, duration=0.5, state=state)
    worst = motion.criteria().worst()
    # of one step of sliding, shared by four corners: mu m g v dt, the front ones carrying more
    assert worst.pop("conic") == pytest.approx(0.4 * 2.0 * 9.81 * 1e-3 / 4, rel=0.3)
    print("criteria:", {name: f"{value:.1e}" for name, value in worst.items()})
    assert max(worst.values()) < 1e-8  # tolerance of the solver
    assert motion.creep().maximum < 1e-9
    assert motion.energy_balance().cumulative().friction[-1] == pytest.approx(-1.0, rel=1e-9)
    assert motion.force_spread("brick")[-2] < 1e-6
    assert motion.solver_summary().failures == 0


# ----------------------------------------------------------------------------- where mu comes from


def test_a_point_at_rest_has_static_friction_and_a_sliding_one_kinetic(other_models):
    told = {"model": "Rubber", "mu_static": 0.8, "mu_kinetic": 0.4}
    sticks = one_point((1.4, 0, 2), (0, 0, 0), contact=told)
    slides = one_point((-1.4, 0, 2), (0.3, 0, 0), contact=told)
    assert sticks.cone_violation()[0, 0] == 0.0
    assert slides.cone_violation()[0, 0] == pytest.approx((1.4 - 0.8) / np.hypot(1, 0.4), rel=1e-12)
    told = {"model": "Glue", "mu_static": 0.8, "mu_kinetic": 0.4, "stick_speed": 0.02}
    for speed, violation in ((0.019, 0.0), (0.021, 0.6 / np.hypot(1, 0.4))):
        slowly = one_point((-1.4, 0, 2), (speed, 0, 0), contact=told)
        assert slowly.cone_violation()[0, 0] == pytest.approx(violation, rel=1e-12)
    properly = one_point((-0.8, 0, 2), (0.3, 0, 0), contact=told)
    assert at_corner(properly)["dissipation"] == pytest.approx(0.0, abs=ROUNDING)


def test_a_model_that_asks_as_the_step_begins_is_judged_by_that(other_models):
    """`Multipoint` and `Balanced` do; judged by the end of the step they seemed off by 1.45 N."""
    told = {"model": "Felt", "mu_static": 0.8, "mu_kinetic": 0.4, "eps": 0.02}
    outside = 0.6 / np.hypot(1, 0.4)  # of the kinetic cone, and inside the static one
    for slow, end, violation in ((0.019, 0.3, 0.0), (0.021, 0.0, outside)):
        slip = np.zeros((1, 8, 3))
        slip[0, 0, 1] = slow
        motion = one_point((-1.4, 0, 2), (end, 0, 0), contact=told, slip=slip)
        assert motion.cone_violation()[0, 0] == pytest.approx(violation, rel=1e-12)


def test_a_derived_threshold_is_at_least_what_friction_stops_in_a_step(other_models):
    told = {"model": "Felt", "mu_static": 0.8, "mu_kinetic": 0.4, "eps": 0.0}
    stopped = 0.8 * 9.81 * DT
    for end, violation in ((0.99 * stopped, 0.0), (1.01 * stopped, 0.6 / np.hypot(1, 0.4))):
        motion = one_point((-1.4, 0, 2), (end, 0, 0), contact=told)
        assert motion.cone_violation()[0, 0] == pytest.approx(violation, rel=1e-12)


def test_pairs_of_materials_win_over_the_model():
    world = st.World(st.robots.brick(), materials={("default", "ground"): {"mu_kinetic": 0.2}})
    motion = one_point((1, 0, 2), (0, 0, 0), world=world)
    friction = friction_coefficients(motion)
    assert (friction.static == 0.2).all() and (friction.kinetic == 0.2).all()
    assert friction.static.shape == (len(motion), 8)
    assert motion.cone_violation()[0, 0] == pytest.approx(0.6 / np.hypot(1, 0.2), rel=1e-12)


def test_mu_can_be_given_for_all_places_or_for_each():
    motion = one_point((1, 0, 2), (0, 0, 0))
    each = np.full(8, 0.1)
    each[0] = 0.25
    for mu in (0.25, each):
        assert motion.cone_violation(mu)[0, 0] == pytest.approx(0.5 / np.hypot(1, 0.25), rel=1e-12)
    for mu in (-0.1, np.nan, [0.1, 0.2], "much"):
        with pytest.raises(
            InputError, match="mu: found .*; give one non-negative number, or one for each of the 8"
        ):
            motion.criteria(mu)


def test_a_model_without_friction_is_told_by_name(other_models):
    motion = one_point((1, 0, 2), (0, 0, 0), contact={"model": "Ice", "stiffness": 1e4})
    with pytest.raises(InputError, match="Ice has no mu_static, mu_kinetic or mu.*pass mu="):
        motion.criteria()
    assert motion.criteria(mu=0.5).primal[0, 0] == 0.0


def test_a_model_that_is_not_known_here_is_told_by_name():
    motion = one_point((1, 0, 2), (0, 0, 0), contact={"model": "Slime"})
    with pytest.raises(InputError, match="'Slime' of this motion is not declared.*HuntCrossley"):
        motion.cone_violation()
    wrong = one_point((1, 0, 2), (0, 0, 0), contact={"model": "SpringDamper", "colour": 3})
    with pytest.raises(
        InputError, match="SpringDamper has the parameters .*, but this motion .*colour"
    ):
        wrong.criteria()


def test_motions_without_contact_or_without_its_velocities_have_no_criteria():
    flying = st.simulate(st.World(st.robots.ball()), contact=None, duration=0.002)
    with pytest.raises(InputError, match="without contact"):
        flying.criteria()
    with pytest.raises(InputError, match="without contact"):
        flying.cone_violation()
    forces = np.zeros((1, 8, 3))
    forces[0, LOWER, 2] = 5.0
    with pytest.raises(InputError, match="has no contact velocities"):
        recorded(forces).criteria()


def test_a_model_without_friction_coefficients_has_no_cone_to_violate():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, st.Bilateral(), duration=0.003, state=world.standing())
    found = motion.quality()
    assert found["depth [m]"] == 0.0 and found["failures"] == 0
    assert not any("cone" in name or "creep" in name for name in found)
    with pytest.raises(InputError, match="Bilateral has no mu_static, mu_kinetic or mu"):
        motion.criteria()


def test_of_two_models_with_one_name_the_one_whose_parameters_fit_is_taken(monkeypatch):
    """A user's Coulomb beside ours."""

    class Coulomb(NamedTuple):
        mu: float = 0.25

    monkeypatch.setitem(MODELS, Coulomb, Model(Coulomb, lambda: 0, **declared()))
    for model, mu in ((st.Coulomb(mu_static=0.35, mu_kinetic=0.35), 0.35), (Coulomb(), 0.25)):
        contact = {"model": "Coulomb", **model._asdict()}
        motion = one_point((1, 0, 2), (0, 0, 0), contact=contact)
        assert (friction_coefficients(motion).kinetic == mu).all()
