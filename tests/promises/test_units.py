"""Parameters in other units, from the units that a model declares."""

from typing import Annotated, NamedTuple

import pytest

import stiction as st
from stiction.contact.contact_model import MODELS, Parameter
from stiction.errors import InputError
from stiction.promises.units import dimension, in_other_units


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("", (0, 0, 0)),
        ("0 or 1", (0, 0, 0)),
        ("m/s", (1, 0, -1)),
        ("1/s2", (0, 0, -2)),
        ("1/s^2", (0, 0, -2)),
        ("kg^-2", (0, -2, 0)),
        ("N/m", (0, 1, -2)),
        ("N s/m", (0, 1, -1)),
        ("N/m2", (-1, 1, -2)),
        ("N/m^1.5", (-0.5, 1, -2)),
        ("m^-0.5", (-0.5, 0, 0)),
        ("Pa s", (-1, 1, -1)),
        ("N/m^alpha", (-0.5, 1, -2)),
        ("N s/m^(1+beta)", (-2, 1, -1)),
        ("kg^(2*beta-alpha)", (0, 2.5, 0)),
        ("m^(-beta)", (-2, 0, 0)),
    ],
)
def test_units_are_products_of_powers(unit, powers):
    assert dimension(unit, {"alpha": 1.5, "beta": 2.0}) == powers


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("furlong", "'furlong' is not known; write it with m, kg, s"),
        ("m/", "give something after '/'"),
        ("m/s/s", "'s/s' is not known"),
        ("m^gamma", "exponent 'gamma': give numbers, parameters"),
        ("m^(alpha**2)", "give numbers, parameters"),
        ("m^(1+)", "give numbers, parameters"),
        ("m^(print(1))", "is not known"),
    ],
)
def test_what_is_no_unit_is_told(unit, words):
    with pytest.raises(ValueError) as error:
        dimension(unit, {"alpha": 1.5})
    assert words in str(error.value)


def test_an_error_names_the_model_and_the_parameter():
    class Long(NamedTuple):
        reach: Annotated[float, Parameter("furlong")] = 1.0

    with pytest.raises(InputError, match="Long: the unit of reach is 'furlong'; .* is not known"):
        in_other_units(Long(), 2.0, 1.0, 1.0)


def test_a_spring_in_centimetres_grams_and_milliseconds():
    law = st.HuntCrossley(stiffness=1e6, alpha=1.5, damping=300.0, beta=1.0, eps=0.5)
    other = in_other_units(law, 0.01, 1e-3, 1e-3)
    force = 1e-3 * 0.01 / 1e-6  # of the new unit [N]
    assert other.stiffness == pytest.approx(1e6 * 0.01**1.5 / force, rel=1e-12)
    assert other.damping == pytest.approx(300.0 * 0.01**2 / (force * 1e-3), rel=1e-12)
    assert other.eps == pytest.approx(0.5 * 1e-3 / 0.01, rel=1e-12)
    assert (other.alpha, other.mu_kinetic, other.sticking) == (1.5, law.mu_kinetic, law.sticking)


def test_a_switch_may_decide_a_unit():
    absolute, relative = (st.Balanced(relaxation=3.0, relative=switch) for switch in (0.0, 1.0))
    assert in_other_units(absolute, 1.0, 2.0, 1.0).relaxation == 12.0
    assert in_other_units(relative, 1.0, 2.0, 1.0).relaxation == 3.0


def test_the_units_of_all_our_models_are_known():
    for kind in [kind for kind in MODELS if kind.__module__.startswith("stiction.")]:
        assert in_other_units(kind(), 1.0, 1.0, 1.0) == kind()
