"""Laws that every contact model obeys, each for what it promises: those of `check_promises`."""

import pytest

import stiction as st
from mechanisms import JIT
from stiction.contact.contact_model import MODELS, UNIQUE_FORCES, NoContact
from stiction.promises.check import check_law
from stiction.promises.law import LAWS, Law, Setting

FRICTION = {"mu_static": 0.4, "mu_kinetic": 0.4}
OURS = [
    st.SpringDamper(),
    st.ImplicitSpringDamper(),
    st.HuntCrossley(),
    st.HuntCrossley(alpha=1.0, beta=0.0, stiffness=5e4, damping=500.0),
    st.Distributed(**FRICTION, damping=200.0, tangential_damping=100.0),  # for a brick of 2 kg
    st.Coulomb(**FRICTION),
    st.Coulomb(**FRICTION, restitution=0.5),
    st.GaussSeidel(**FRICTION, tolerance=1e-8),
    st.GaussSeidel(**FRICTION, restitution=0.5, least_norm=1.0, tolerance=1e-8),
    st.FacetedLCP(**FRICTION, facets=6.0, restitution=0.5),
    st.Bilateral(),
    st.Multipoint(**FRICTION),
    st.Multipoint(**FRICTION, restitution=0.5),
    st.Feedback(),
    st.Balanced(**FRICTION),
    st.Balanced(**FRICTION, relaxation=1e-3, relative=1.0, reference_mass=0.0, spring_beyond=0.0),
]
SETTING = Setting(brief=not JIT)  # without the compiler kernels are a hundred times slower
BETWEEN = Setting(brief=not JIT, bodies=True)


def marks_of(model, law):
    """`interpreted` where the law takes a compiled step that no other test needs.

    Forces as a function of the state are checked with `SemiImplicitEuler`. Compiled, `FacetedLCP`
    runs in `test_faceted_lcp.py`.
    """
    rare = st.Balanced | st.Feedback | st.Multipoint
    alone = law.promise == UNIQUE_FORCES and isinstance(model, rare)
    return [pytest.mark.interpreted] * (alone or isinstance(model, st.FacetedLCP))


def test_every_model_of_ours_is_in_the_list():
    ours = {kind for kind in MODELS if kind.__module__.startswith("stiction.")}
    assert {type(model) for model in OURS} | {NoContact} == ours


@pytest.mark.parametrize(
    ("model", "law"),
    [
        pytest.param(model, law, marks=marks_of(model, law))
        for model in OURS
        for law in LAWS
        if law.concerns(model, SETTING)
    ],
    ids=lambda one: one.name.replace(" ", "_") if isinstance(one, Law) else type(one).__name__,
)
def test_the_model_obeys_the_law(model, law):
    found = check_law(law, model, SETTING)
    assert found.holds, str(found)


@pytest.mark.interpreted  # the compiler needs a minute for each model
@pytest.mark.parametrize(
    ("model", "law"),
    [(model, law) for model in OURS for law in LAWS if law.bodies and law.concerns(model, BETWEEN)],
    ids=lambda one: one.name.replace(" ", "_") if isinstance(one, Law) else type(one).__name__,
)
def test_the_model_obeys_the_law_between_two_moving_bodies(model, law):
    found = check_law(law, model, BETWEEN)
    assert found.holds, str(found)
