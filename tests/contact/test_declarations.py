"""What is wrong in the declaration of a contact model is told where it is declared."""

import math
from typing import NamedTuple

import pytest

import stiction as st
from stiction.errors import InputError
from stiction.extend import (
    ACCELERATION_LAW,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    NO_PULL,
    OK,
    contact_model,
    delassus,
    free_velocity,
    kernel,
    scale,
    store_vector,
    vector,
)


def pad(params, dynamics, contact, memory, work, dt):
    """A force law without a mistake."""
    for i in range(contact.count[0]):
        f_n = params.stiffness * contact.depth[i]
        store_vector(contact.force, i, scale(f_n, vector(contact.normal, i)))
    return OK


def writes_impulses(params, dynamics, contact, memory, work, dt):
    """Write impulses only."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, vector(contact.normal, i)))
    return OK


@kernel
def store_impulse(contact, i, p):
    """Write one impulse."""
    store_vector(contact.impulse, i, p)


def writes_impulses_elsewhere(params, dynamics, contact, memory, work, dt):
    """Write impulses in a kernel of its own, of which there may be others that read forces."""
    for i in range(contact.count[0]):
        store_impulse(contact, i, scale(dt, vector(contact.normal, i)))
    return OK


@kernel
def mobility(contact, work, i):
    """Response of one point."""
    return delassus(contact, work.response, i, i)


def responds(params, dynamics, contact, memory, work, dt):
    """Use the response of the links."""
    for i in range(contact.count[0]):
        store_vector(contact.force, i, free_velocity(contact, work.response, i))
    return OK


def responds_elsewhere(params, dynamics, contact, memory, work, dt):
    """Use the response of the links in a kernel of its own."""
    for i in range(contact.count[0]):
        G = mobility(contact, work, i)
        store_vector(contact.force, i, G[0])
    return OK


def refusal(function, **declared):
    """Words of the refusal of a declaration."""

    class Mine(NamedTuple):
        stiffness: float = 1.0

    with pytest.raises(InputError) as caught:
        contact_model(Mine, **declared)(function)
    return str(caught.value)


@pytest.mark.parametrize("family", [IMPULSE_LAW, IMPULSE_SOLVER])
def test_a_law_of_impulses_that_writes_forces_is_refused(family):
    """Nobody would read them, and the robot would fall through the ground."""
    told = refusal(pad, family=family)
    assert "test_declarations.py:" in told
    assert "contact model 'pad' uses contact.force" in told
    assert f"its family is {family}; write contact.impulse" in told


@pytest.mark.parametrize("family", [FORCE_LAW, ACCELERATION_LAW])
@pytest.mark.parametrize("function", [writes_impulses, writes_impulses_elsewhere])
def test_a_law_of_forces_that_writes_impulses_is_refused(function, family):
    told = refusal(function, family=family)
    assert "uses contact.impulse" in told
    assert "write contact.force" in told


@pytest.mark.parametrize(
    ("function", "name"), [(responds, "free_velocity"), (responds_elsewhere, "delassus")]
)
def test_a_force_law_that_uses_the_response_of_the_links_is_refused(function, name):
    """It does not exist yet: compiled code would read outside its arrays."""
    told = refusal(function)
    assert f"is a force law and calls {name}" in told
    assert "family=ACCELERATION_LAW" in told


@pytest.mark.parametrize("promises", [("no pull",), NO_PULL, (NO_PULL, 3)])
def test_a_promise_that_no_check_knows_is_refused(promises):
    """It would never be checked."""
    told = refusal(pad, promises=promises)
    assert "give a tuple of CONE_PER_POINT, NO_PULL" in told


@pytest.mark.parametrize("name", ["point_memory", "group_memory"])
@pytest.mark.parametrize("size", [-1, 2.5, True, "3", None])
def test_a_memory_that_is_no_whole_number_is_refused(name, size):
    assert f"'pad': {name} is {size!r}; give a whole number" in refusal(pad, **{name: size})


@pytest.mark.parametrize("bound", [1e-3, lambda p: 1e-3, lambda p, mass, depth, more: 1e-3])
def test_a_longest_step_with_other_arguments_is_refused(bound):
    told = refusal(pad, longest_step=bound)
    assert "longest_step must be a function of (params, mass) or of (params, mass, depth)" in told


def test_a_landing_depth_with_other_arguments_is_refused():
    told = refusal(pad, landing_depth=lambda p, mass: 1e-3)
    assert "landing_depth must be a function of (params, mass, speed, gravity)" in told


@pytest.mark.parametrize("bound", [math.nan, -1.0])
def test_a_longest_step_that_is_no_time_is_refused(bound):
    """NaN was warned of in every run: "stable only up to nan s"."""

    class Mine(NamedTuple):
        stiffness: float = 1.0

    contact_model(Mine, longest_step=lambda p, mass: bound)(pad)
    world = st.World(st.robots.brick())
    with pytest.raises(InputError, match=f"Mine: longest_step gives {bound!r} for a point with"):
        st.simulate(world, Mine(), duration=0.001)
