"""All contact models stand on the same ground."""

from stiction.bench.contact.cases import FRICTION
from stiction.bench.contact.models import FORCE_LAWS, contact_models


def test_all_models_get_the_same_friction_and_laws_share_the_stiffness_of_a_sole():
    models = {type(model).__name__: model for model in contact_models(16)}
    assert {"SpringDamper", "ImplicitSpringDamper", "HuntCrossley"} <= models.keys()
    for model in models.values():
        assert model._asdict().get("mu_kinetic", FRICTION) == FRICTION
        assert model._asdict().get("mu_static", FRICTION) == FRICTION
    assert models["SpringDamper"].stiffness == FORCE_LAWS["SpringDamper"]["stiffness"] / 8


def test_faceted_cones_are_not_raced_on_many_points():
    few, many = ({type(model).__name__ for model in contact_models(n)} for n in (16, 64))
    assert few - many == {"FacetedLCP"}
