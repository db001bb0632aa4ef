"""Claims of Bruneau & Ouezdou: a fast part always, the other figures if slow tests run."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from papers.judged import check_claims
from stiction.metrics.points import link_positions, point_positions, points_under
from stiction.papers.claims import FOLDER, read_claims
from stiction.papers.distributed import gait
from stiction.papers.distributed.runs import extrema, humps, shared, stances, with_points
from stiction.papers.figures import figure_names
from stiction.validate import subject as recorded
from stiction.validate import walk_fit as fit

KEY = "distributed"
SLOW = "fig13 fig14 fig15 fig16 fig17 fig18 fig19 fig20 interference points".split()


@pytest.mark.jit
@pytest.mark.filterwarnings("ignore:Distributed")
@pytest.mark.parametrize(
    "figure",
    ["laws", *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)],
)
def test_every_claim_of_a_figure_holds_or_fails_as_explained(figure):
    check_claims(KEY, figure)


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Distributed")
def test_every_claim_about_the_recorded_walk_holds_or_fails_as_explained():
    data_file("human_walking", "walk_planar.npz")
    check_claims(KEY, "human_walk")


@pytest.mark.interpreted
def test_there_are_enough_claims_and_every_claim_has_its_figure():
    claims = read_claims(KEY)
    assert len(claims) >= 15
    figures = figure_names(FOLDER / KEY)
    assert {claim.figure for claim in claims} == {*figures} - {"across"}


# ------------------------------------------------------------------------------------------- curves


@pytest.mark.interpreted
def test_two_maxima_and_the_minimum_between_them_are_found():
    x = np.linspace(0.0, 1.0, 500)
    curve = np.sin(np.pi * x) + 0.6 * np.sin(3 * np.pi * x)
    first, least, second = humps(curve)
    assert first == pytest.approx(second, abs=1e-3)
    assert least == pytest.approx(0.4, abs=1e-3)  # in the middle, 1 - 0.6
    assert first == pytest.approx(curve.max(), abs=1e-9)
    assert np.isnan(humps(np.sin(np.pi * x))).all()


@pytest.mark.interpreted
@pytest.mark.parametrize(("waves", "count"), [(1, 2), (3, 6), (5, 10)])
def test_extrema_are_counted_and_small_ones_are_not(waves, count):
    x = np.linspace(0.0, 1.0, 2000)
    curve = np.sin(2 * np.pi * waves * x) + 1e-3 * np.sin(2 * np.pi * 200 * x)
    assert extrema(curve, 0.05) == count


@pytest.mark.interpreted
def test_stances_are_complete_and_long():
    time = np.arange(0.0, 4.0, 0.01)
    on = ((time % 1.0) < 0.6) | ((time > 2.7) & (time < 2.75))
    found = stances(time, 700.0 * on, 10.0, after=0.5)
    assert [round(float(time[a]), 2) for a, _ in found] == [1.0, 2.0, 3.0]
    assert [round(float(time[b]), 2) for _, b in found] == [1.59, 2.59, 3.59]


@pytest.mark.interpreted
def test_a_foot_is_as_stiff_on_any_number_of_points():
    robot = with_points(st.robots.hanavan(planar=True), 11)
    points = [robot.vertices_of(k) for k in np.flatnonzero(robot.shape_collides)]
    assert sum(len(one) == 33 for one in points) == 2
    law, finer = st.Distributed(), shared(st.Distributed(), 33)
    assert 33 * finer.stiffness == pytest.approx(18 * law.stiffness)
    assert 33 * finer.tangential_damping == pytest.approx(18 * law.tangential_damping)


# ----------------------------------------------------------------------------------- fit of a walk


def random_motion(seed=3):
    """A motion of the planar body as the fit has it, (20, 9)."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.5, 0.5, (20, fit.COLUMNS)) + [0, 0.9, 0, 0, 0.6, 0, 0, 0.6, 0]


def test_the_centre_of_mass_and_the_feet_are_those_of_the_robot():
    robot = st.robots.hanavan(planar=True)
    world, motion = st.World(robot), random_motion()
    q = fit.coordinates(robot, motion)
    centre, (x, z) = fit.centre_of_mass(robot, q), fit.feet(motion, fit.legs_of(robot))
    for k, row in enumerate(q):
        theirs = st.mechanics.centre_of_mass(world, row)
        assert np.allclose(centre[k], theirs[[0, 2]], atol=1e-12)
    ankles = np.stack(fit.ankles(motion, fit.legs_of(robot))[:2], axis=2)
    still = st.State(q[3], np.zeros(world.nv))
    one = st.simulate(world, st.Distributed(), duration=0.0, state=still)
    for k, side in enumerate(fit.SIDES):
        at = link_positions(one, f"{side}_foot")[0]
        assert np.allclose(ankles[3, k], at[[0, 2]], atol=1e-12)
        points = point_positions(one)[0, points_under(one, f"{side}_foot")]
        assert np.allclose(np.unique(points[:, 0].round(9)), np.sort(x[3, k]), atol=1e-8)
        assert points[:, 2].min() == pytest.approx(z[3, k].min(), abs=1e-12)


@pytest.mark.interpreted
def test_two_links_reach_their_ankle():
    legs = fit.Legs(0.47, 0.375, 0.085, np.zeros(1))
    ankle = np.array([[0.2, -0.3, 0.0], [-0.7, -0.6, -0.8]])
    hip, knee = fit.two_links(ankle, legs)
    motion = np.zeros((3, fit.COLUMNS))
    motion[:, 3], motion[:, 4] = hip, knee
    x, z, _ = fit.ankles(motion, legs)
    assert np.allclose([x[:, 0], z[:, 0]], ankle, atol=1e-12)
    assert (knee > 0).all()


@pytest.mark.interpreted
def test_derivatives_of_the_fit_are_those_of_its_residuals():
    """Coloured differences against differences of one unknown at a time."""
    robot, start = st.robots.hanavan(planar=True), gait.strides(np.arange(12) / 30)
    wanted, law = gait.wanted_at(np.arange(12) / 30), st.Distributed()
    dt = gait.PERIOD / 30
    force = fit.total_force(robot, start, dt, 9.81)
    opposed = fit.against_each_other(robot, start, wanted, 9.81)
    problem = fit.Problem(start, dt, fit.legs_of(robot), wanted, force, opposed, law, robot, 9.81)
    change = np.zeros(start.size)
    left = fit.residuals(change, problem)
    found = fit.slopes(change, left, problem, fit.sparsity(len(start))).toarray()
    for unknown in range(start.size):
        moved = change.copy()
        moved[unknown] += fit.STEP
        wanted_column = (fit.residuals(moved, problem) - left) / fit.STEP
        assert np.allclose(found[:, unknown], wanted_column, atol=1e-6 * np.abs(found).max())


@pytest.mark.interpreted
def test_shares_pass_from_foot_to_foot_and_add_up_to_one():
    wanted = gait.wanted_at(np.linspace(0.0, 3.0, 400))
    assert np.allclose(wanted.share.sum(axis=1), 1.0)
    assert (wanted.clear[wanted.share > 0] == 0).all()


@pytest.mark.slow
def test_the_scene_has_the_curves_of_the_plan():
    scene = st.scenes.scene("distributed-walk")
    (held,) = scene.controllers
    planned = gait.planned()
    for name in gait.Strides._fields:
        # digits of the file, and what linear algebra of another machine may change in the fit
        assert np.allclose(getattr(held, name), getattr(planned, name), atol=1e-3), name


def test_the_recorded_walk_is_read_in_the_axes_of_the_body():
    path = data_file("human_walking", "walk_planar.npz")
    plates = recorded.read_plates(data_file("human_walking", "grf_600hz.csv"))
    robot = st.robots.hanavan(planar=True, mass=recorded.MASS, measurements=recorded.subject())
    time, motion = recorded.read_recorded(path, robot)
    with np.load(path) as file:
        names = [str(name) for name in file["body_names"]]
        talus = file["body_origin_position"][:, names.index("talus_r")]
    x, z, _ = fit.ankles(motion, fit.legs_of(robot))
    # low-passed at 6 Hz, and a leg that is straighter than the hinge allows is cut off
    assert np.abs(x[:, 0] - talus[:, 0])[5:-5].max() < 0.02
    assert np.abs(z[:, 0] - talus[:, 1] + recorded.FLOOR)[5:-5].max() < 0.02
    wanted = recorded.wanted_of(plates, time)
    assert np.allclose(wanted.share.sum(axis=1)[5:-5], 1.0, atol=0.05)
    weight = recorded.MASS * recorded.GRAVITY
    total = plates.force[:, :, 2].sum(axis=1)
    assert total.mean() == pytest.approx(weight, rel=0.03)
