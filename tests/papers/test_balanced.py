"""Claims of the balanced micro/macro paper: a fast part always, the rest if slow tests run."""

import numpy as np
import pytest

import stiction as st
from papers.judged import check_claims
from stiction.papers.balanced.drops import Case, contrasts, floor, robot_with
from stiction.papers.balanced.lump import EQ13, EQ14, Law, land
from stiction.papers.balanced.measured import above_frequency, chatter
from stiction.papers.claims import FOLDER, read_claims
from stiction.scenes import scene, scene_names

KEY = "balanced"
SLOW = ("fig06", "fig07", "fig08", "fig09", "fig10", "fig11", "fig12", "parts", "across")


@pytest.mark.parametrize(
    "figure",
    [
        pytest.param("fig03", marks=pytest.mark.interpreted),  # single steps
        *(pytest.param(name, marks=[pytest.mark.slow, pytest.mark.jit]) for name in SLOW),
    ],
)
def test_every_claim_of_a_figure_holds_or_fails_as_explained(figure):
    check_claims(KEY, figure, untested=("time-of-a-cycle",))  # tests do not measure time


@pytest.mark.interpreted
def test_there_are_enough_claims_and_every_figure_of_the_paper_has_some():
    claims = read_claims(KEY)
    assert len(claims) >= 15
    assert {claim.figure for claim in claims} == {"fig03", "parts", *SLOW} - {"across"}


@pytest.mark.interpreted
def test_every_scene_of_the_paper_has_its_floor_and_is_named_in_the_readme():
    told = (FOLDER / KEY / "README.md").read_text()
    names = [name for name in scene_names() if name.startswith("balanced-")]
    assert len(names) == 9
    for name in names:
        one = scene(name)
        assert f"`{name}`" in told
        assert isinstance(one.integrator, st.SemiImplicitEuler)
        if isinstance(one.contact, st.Balanced):
            printed = (5512.0, 158.0, 5e-4, 1.0, 0.4, 0.0)
            fields = "stiffness damping thickness relaxation mu_kinetic restitution".split()
            assert tuple(getattr(one.contact, field) for field in fields) == printed
        else:
            assert one.contact[:3] == (4410.0, 282.0, 0.4) and one.dt == 0.0025


# -------------------------------------------------------------------------------------------- lumps


@pytest.mark.interpreted
def test_a_damper_alone_reverses_a_lump_that_it_more_than_stops():
    """v (1 - c dt/m): above 2, it leaves faster than it came."""
    beta = np.array([1.5, 2.0, 3.0])
    assert land(EQ13, 0 * beta, beta).energy == pytest.approx((1 - beta) ** 2, rel=1e-12)


@pytest.mark.interpreted
def test_a_spring_alone_gives_all_energy_back_where_the_step_ends_on_the_surface():
    """k dt^2/m = 1 and 2 return any phase to the surface after whole steps."""
    alpha = np.array([1.0, 2.0])
    assert land(EQ13, alpha, 0 * alpha).energy == pytest.approx(1.0, rel=1e-12)


@pytest.mark.interpreted
def test_with_explicit_euler_eq_13_gains_far_more_energy_than_eq_14():
    """Fig. 2: the force of a step is too small on the way in and too large on the way out."""
    alpha = np.array([0.01, 0.05])
    usual, proposed = (land(Law(one, True), alpha, 0 * alpha).energy for one in (False, True))
    assert (proposed < 1 + 1.1 * alpha).all()  # of the first and the last step, partly in the air
    assert (usual - 1 > 10 * (proposed - 1)).all()


@pytest.mark.interpreted
def test_eq_14_sinks_and_rebounds_less_where_it_does_not_reverse_a_lump_in_one_step():
    rng = np.random.default_rng(1)
    total, part = rng.uniform(0.02, 0.98, 200), rng.uniform(0.05, 0.95, 200)
    alpha, beta = total * part, total * (1 - part)
    usual, proposed = land(EQ13, alpha, beta), land(EQ14, alpha, beta)
    assert (proposed.depth < usual.depth).all()
    assert (proposed.energy < usual.energy).all()
    usual, proposed = (land(law, np.array([0.05]), np.array([1.2])) for law in (EQ13, EQ14))
    assert proposed.energy[0] > usual.energy[0]  # and beyond it throws higher


# ------------------------------------------------------------------------------------------- pieces


@pytest.mark.interpreted
def test_each_vertex_has_the_whole_stiffness_however_many_there_are():
    """Of more than eight vertices on a side each gets a share; the floor makes up for it."""
    for vertices in (4, 8, 16):
        case = Case(vertices)
        world = st.World(robot_with(vertices))
        model = floor("Eq. (13)", scene("balanced-drop"), case)
        depth = 1e-3
        state = world.standing(above=-depth)
        motion = st.simulate(
            world, model, duration=1e-4, dt=1e-4, state=state, integrator=st.SemiImplicitEuler()
        )
        wanted = 2 * vertices * case.stiffness * depth
        assert motion.force[0, :, 2].sum() == pytest.approx(wanted, rel=1e-9)


@pytest.mark.interpreted
def test_a_contrast_is_a_leap_that_eq_14_halves():
    rows = [(Case(4), 0.02, 0.01), (Case(8), 0.02, 0.011), (Case(16), 0.009, 0.0)]
    assert contrasts(rows) == [Case(4)]


@pytest.mark.interpreted
def test_only_the_fast_part_of_a_signal_is_kept():
    time = np.arange(1000) / 1000
    slow, fast = np.sin(2 * np.pi * 5 * time), 0.3 * np.sin(2 * np.pi * 50 * time)
    kept = above_frequency(np.stack([slow, slow + fast], axis=1), 1e-3, 20.0)
    assert np.allclose(kept, np.stack([0 * slow, fast], axis=1), atol=1e-12)
    assert chatter(np.array([0.0, 3.0, -1.0])) == pytest.approx(np.sqrt(12.5))
