"""Claims of the Gauss-Seidel paper: a fast part always, the rest if slow tests run."""

import numpy as np
import pytest

import stiction as st
from papers.judged import check_claims
from stiction.papers.claims import read_claims
from stiction.papers.gauss_seidel import (
    fig03,
    fig04,
    fig05,
    fig06,
    friction,
    impacts,
    measured,
    sizes,
)

KEY = "gauss_seidel"
FIGURES = {"fig03", "fig04", "fig05", "fig06", "sizes", "facets", "friction", "impacts"}
# times are measured in fig05: it is no test, and `stiction reproduce` runs it
SLOW = sorted(FIGURES - {"impacts", "fig05"}) + ["across"]


@pytest.mark.jit
@pytest.mark.parametrize(
    "figure", ["impacts", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_every_claim_of_a_figure_holds_or_fails_as_explained(figure):
    check_claims(KEY, figure)


@pytest.mark.interpreted
def test_there_are_enough_claims_and_every_figure_has_some():
    claims = read_claims(KEY)
    assert len(claims) >= 15
    assert {claim.figure for claim in claims} == FIGURES


@pytest.mark.interpreted
@pytest.mark.parametrize("name", [fig03.SCENE, fig04.SCENE, fig06.SCENE])
def test_the_paper_s_friction_and_step_are_in_the_scenes(name):
    scene = st.scenes.scene(name)
    assert scene.dt == 0.001 and (scene.contact.mu_static, scene.contact.mu_kinetic) == (0.4, 0.4)
    assert isinstance(scene.contact, st.GaussSeidel) and scene.robots[0].model == "hrp2"


@pytest.mark.interpreted
def test_the_scenes_of_friction_and_impacts_are_those_of_the_figures():
    slope, bounce = st.scenes.scene(friction.SCENE), st.scenes.scene(impacts.SCENE)
    x, _, z = slope.gravity
    assert -x / z == pytest.approx(friction.HELD * friction.MU, rel=1e-4)  # printed with 5 digits
    assert slope.contact == friction.EXACT
    assert (bounce.contact.restitution, bounce.duration) == (impacts.E, impacts.LONG)
    assert bounce.dt == impacts.DT and bounce.robots[0].above == impacts.DROPS[0]


@pytest.mark.interpreted
def test_the_box_on_the_cart_weighs_3_kg_and_stands_on_the_deck():
    scene = st.scenes.scene(fig04.SCENE)
    (box,) = [body for body in scene.objects if body.model == "box"]
    assert box.options["mass"] == 3.0
    assert box.position[2] - box.options["size"][2] / 2 == pytest.approx(fig04.DECK, abs=1e-12)


@pytest.mark.interpreted
def test_without_the_hand_only_the_left_arm_differs():
    scene = st.scenes.scene(fig03.SCENE)
    plan, other = scene.plans[0], fig03.without_hand(scene).plans[0]
    differs = [name for k, name in enumerate(plan.joints) if (plan.q[:, k] != other.q[:, k]).any()]
    assert set(differs) == set(fig03.RAISED)
    for name, angle in fig03.RAISED.items():
        assert np.ptp(other.q[:, other.joints.index(name)]) < 1e-15
        assert other.q[-1, other.joints.index(name)] == angle


@pytest.mark.interpreted
def test_gaps_and_first_touches_are_those_of_the_forces():
    force = np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 2.0, 0.0])
    assert fig06.longest_gap(force) == 3 and fig06.first_row(force) == 2
    assert measured.first_touch(force, 0.1) == pytest.approx(0.2)
    assert fig06.longest_gap(np.zeros(4)) == 4  # never touched: no claim of no rebound
    assert measured.first_touch(np.zeros(4), 0.1) == np.inf


@pytest.mark.interpreted
def test_ratios_and_shares_are_those_of_the_rows():
    rows = [
        {"contacts": m, "method": name, "microseconds": base * m**power, "solved": won}
        for m in fig05.CONTACTS
        for name, base, power, won in (
            (fig05.PER_POINT, 1.0, 2, 2),
            (fig05.LINKS, 1.0, 1, 3),
            (fig05.COULOMB, 1.0, 1, 3),
            (fig05.LCP, 0.5, 3, 3),
        )
    ]
    found = fig05.measures({"rows": rows, "problems": 3})
    assert found["exponent_per_point"] == 2.0 and found["exponent_lcp"] == 3.0
    assert found["lcp_over_gauss_seidel"] == pytest.approx(6.0)  # at 12 contacts: 0.5 m
    assert found["lcp_over_gauss_seidel_4"] == pytest.approx(2.0)
    assert found["solved_by_sweeps"] == pytest.approx(200 / 3) and found["solved_by_lemke"] == 100


@pytest.mark.interpreted
def test_impacts_at_the_start_of_a_step_lift_the_bounce():
    """By d (1 - e^2), where d, at most a step of travel, is the height at which it happens."""
    for height in (0.2, 0.207, 0.213):
        lifted = impacts.bounce_at_t0(height) - impacts.E**2 * height
        travel = impacts.DT * np.sqrt(2 * impacts.GRAVITY * height)
        assert -1e-6 < lifted < travel * (1 - impacts.E**2) + 5e-6  # samples of 1 ms miss the top


@pytest.mark.interpreted
def test_the_matrix_from_unit_forces_is_that_of_the_jacobians():
    size, error = sizes.from_unit_forces(5)
    assert size == 15
    assert error < 1e-12  # rounding over 31 links
