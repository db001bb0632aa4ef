"""One foot on ice: friction of parts of a robot by name, under every contact model."""

import pytest

import stiction as st
from stiction.contact.contact_model import MODELS
from stiction.world.contact_points import contact_points_of
from stiction.world.materials import pair_table

LOW, HIGH = {"mu_static": 0.3, "mu_kinetic": 0.3}, {"mu_static": 0.8, "mu_kinetic": 0.8}
WITH_FRICTION = [
    kind
    for kind in MODELS
    if kind.__module__.startswith("stiction.contact.") and "mu_kinetic" in kind._fields
]


def iced() -> st.World:
    robot = st.robots.biped10().with_material("rubber").with_material("ice", "left_foot")
    return st.World(robot, materials={("ice", "ground"): LOW, ("rubber", "ground"): HIGH})


@pytest.mark.plain
@pytest.mark.parametrize("kind", WITH_FRICTION, ids=lambda kind: kind.__name__)
def test_the_left_foot_has_its_own_friction_under_every_model(kind):
    world = iced()
    points, _, pairs = contact_points_of(world)
    table, _ = pair_table(kind(), pairs, world.materials, world.declared_friction())
    left = world.place("left_foot").link
    found = {True: set(), False: set()}
    for name in LOW:
        if name in kind._fields:
            column = table[points.pair, kind._fields.index(name)]
            for link, mu in zip(points.link, column, strict=True):
                found[link == left].add(float(mu))
    assert found == {True: {0.3}, False: {0.8}}


@pytest.mark.plain
def test_every_model_of_ours_but_one_is_asked():
    """The feet of `Bilateral` are fixed to the ground, `NoContact` has none."""
    assert len(WITH_FRICTION) == 10


@pytest.mark.interpreted
def test_the_rest_of_the_robot_has_the_friction_of_the_model():
    robot = st.robots.biped10().with_material("ice", "left_foot")
    world = st.World(robot, materials={("ice", "ground"): LOW})
    floor = st.Coulomb(mu_static=0.8, mu_kinetic=0.7)
    rows = st.Simulation(world, floor).parameters()["pairs"]
    found = {tuple(row["pair"]): (row["mu_static"], row["mu_kinetic"]) for row in rows}
    assert found == {("ice", "ground"): (0.3, 0.3), ("default", "ground"): (0.8, 0.7)}
