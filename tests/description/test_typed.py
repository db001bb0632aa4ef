"""Descriptions made in code: plain values, and complaints about all others."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from stiction.description.typed import typed
from stiction.errors import DescriptionError

pytestmark = pytest.mark.plain

d = st.description
LINK = d.Link("hammer", 1.2, (0.0, 0.0, 0.2), (0.012, 0.0, 0.0, 0.012, 0.0, 0.001))
JOINT = d.Joint("free", "free", d.WORLD, "hammer")
CORNERS = tuple((float(x), float(y), float(z)) for x in (0, 1) for y in (0, 1) for z in (0, 1))
HEAD = d.Shape("head", "hammer", "hull", (), vertices=CORNERS)
HAMMER = d.Description("hammer", "my code", (LINK,), (JOINT,), (HEAD,))


def refusal(**changes) -> str:
    with pytest.raises(DescriptionError) as caught:
        st.Robot.from_description(replace(HAMMER, **changes))
    return str(caught.value)


def test_a_body_has_the_mass_centre_inertia_and_shape_that_it_was_given():
    robot = st.Robot.from_description(HAMMER)
    assert robot.mass.tolist() == [1.2]
    assert robot.centre.tolist() == [[0.0, 0.0, 0.2]]
    assert robot.inertia.tolist() == [list(LINK.inertia)]
    np.testing.assert_array_equal(robot.vertices_of(0), CORNERS)


def test_lists_arrays_and_numbers_of_numpy_are_as_good_as_plain_values():
    link = d.Link("hammer", np.float64(1.2), np.array([0, 0, 0.2]), list(LINK.inertia))
    head = replace(HEAD, size=[], vertices=np.array(CORNERS), mask=[np.int64(1), 1])
    made = typed(d.Description("hammer", "my code", [link], [JOINT], [head]))
    assert made == HAMMER
    assert type(made.links[0].mass) is float and type(made.shapes[0].mask[0]) is int
    whole = replace(LINK, mass=1, centre=(0, 0, 0))
    assert type(typed(replace(HAMMER, links=(whole,))).links[0].mass) is float


def test_what_is_plain_already_stays_the_same_object():
    assert typed(HAMMER) is HAMMER
    many = replace(HEAD, vertices=CORNERS * 10)
    assert typed(replace(HAMMER, shapes=(many,))).shapes[0] is many


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"links": (replace(LINK, mass="heavy"),)}, "Link 'hammer': mass is 'heavy'; give a num"),
        ({"links": (replace(LINK, centre=(0.0, 1.0)),)}, "centre is (0.0, 1.0); give 3 values"),
        ({"links": (replace(LINK, inertia=1.0),)}, "inertia is 1.0; give a tuple"),
        ({"links": (replace(LINK, centre=(0.0, "up", 1.0)),)}, "centre[1] is 'up'; give a number"),
        ({"links": LINK}, "my code: links is Link(name='hammer'"),
        ({"links": ("hammer",)}, "links[0] is 'hammer'; give a Link"),
        ({"links": None}, "links is None; give a tuple"),
        ({"shapes": (replace(HEAD, collides=1),)}, "Shape 'head': collides is 1; give True or"),
        ({"shapes": (replace(HEAD, mask=(1.0, 1)),)}, "mask[0] is 1.0; give a whole number"),
        ({"joints": (replace(JOINT, parent=3),)}, "Joint 'free': parent is 3; give a text"),
        ({"shapes": (replace(HEAD, vertices=CORNERS * 5 + ((0.0, 1.0),)),)}, "give 3 values"),
        ({"name": None}, "name is None; give a text"),
    ],
)
def test_a_value_of_another_type_is_told_with_its_element_and_field(changes, words):
    assert words in refusal(**changes)


def test_all_of_them_are_told_at_once():
    told = refusal(links=(replace(LINK, mass=None, centre="here"),))
    assert "2 problems" in told and "mass is None" in told and "centre is 'here'" in told


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (replace(LINK, mass=-1.0), "link 'hammer' has mass -1.0 kg; give a positive number"),
        (replace(LINK, mass=np.nan), "link 'hammer' has mass"),
        (
            replace(LINK, inertia=(0.01, 0.0, 0.0, 0.01, 0.0, 0.05)),
            "none may exceed the sum of the other two",
        ),
        (replace(LINK, inertia=(-0.01, 0.0, 0.0, 0.01, 0.0, 0.01)), "none may be negative"),
    ],
)
def test_a_body_that_cannot_be_is_refused_as_in_a_file(link, words):
    assert words in refusal(links=(link,))


@pytest.mark.parametrize("other", [None, LINK, {"name": "hammer"}])
def test_something_else_is_no_description(other):
    with pytest.raises(DescriptionError, match="give a Description"):
        st.Robot.from_description(other)
