"""Friction between bodies of files: MuJoCo's rule, asked of MuJoCo itself."""

import numpy as np
import pytest

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Material, Shape
from stiction.description.mjcf import read_mjcf_text
from stiction.errors import DescriptionError, InputError

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.interpreted

FLOOR = '<geom name="floor" type="plane" size="1 1 1" friction="0.9"/>'
BODY = '<body name="{0}" pos="{1} 0 5"><freejoint/><geom name="{0}" size="0.1" {2}/></body>'


def text_of(floor, geoms, contact):
    bodies = "".join(BODY.format(f"g{k}", 0.15 * k, geom) for k, geom in enumerate(geoms))
    return (
        f"<mujoco model='m'><worldbody>{floor}{bodies}</worldbody>"
        f"<contact>{contact}</contact></mujoco>"
    )


def of_mujoco(text):
    """Sliding friction of every two geoms that touch, by their names."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {
        frozenset(model.geom(int(geom)).name for geom in contact.geom): contact.friction[0]
        for contact in data.contact
    }


def of_simulation(text, **given):
    """The same from the contacts of a simulation."""
    robot = st.Robot.from_description(read_mjcf_text(text, "m.xml"))
    world = st.World(robot, gravity=(0, 0, 0), **given)
    simulation = st.Simulation(world, st.Coulomb(), 1e-4)
    simulation.step()
    contact = simulation._system.surface.contact
    mu = st.Coulomb._fields.index("mu_kinetic")
    names = [str(name) for name in robot.shape_name if name != "floor"]
    return {
        frozenset(names[k] for k in contact.shape[i]): contact.table[contact.pair[i], mu]
        for i in range(contact.count[0])
    }


@pytest.mark.parametrize("floor", ["", FLOOR], ids=["no floor", "floor"])
@pytest.mark.parametrize(
    ("geoms", "contact"),
    [
        (['friction="0.3"', 'friction="0.6"', 'friction="0.2"'], ""),
        (['friction="0.3" priority="1"', 'friction="0.6"', 'friction="0.2" priority="1"'], ""),
        (['friction="0.3" priority="1"', 'friction="0.6" priority="2"', 'friction="0.7"'], ""),
        (
            ['friction="0.3"', 'friction="0.6"', 'friction="0.6"'],
            '<pair geom1="g0" geom2="g1" friction="0.1 0.1 0 0 0"/><pair geom1="g1" geom2="g2"/>',
        ),
        (
            ['friction="0.5"'] * 4,
            '<pair geom1="g2" geom2="g1" friction="1.5 1.5 0 0 0"/>',
        ),
    ],
    ids=["larger", "priority", "priorities", "pair", "one pair of equal geoms"],
)
def test_friction_of_bodies_is_what_mujoco_takes(floor, geoms, contact):
    text = text_of(floor, geoms, contact)
    expected = of_mujoco(text)
    assert len(expected) == len(geoms) - 1
    assert of_simulation(text) == expected


def test_the_table_of_the_world_wins_over_the_files():
    text = text_of("", ['friction="0.3"', 'friction="0.6"'], "")
    table = {("friction 0.3", "friction 0.6"): {"mu_kinetic": 0.25, "mu_static": 0.4}}
    assert of_simulation(text, materials=table) == {frozenset(("g0", "g1")): 0.25}


def ball(material, name="ball", **more):
    link = Link(name, 1.0, (0.0, 0.0, 0.0), (0.004, 0.0, 0.0, 0.004, 0.0, 0.004))
    shape = Shape(name, name, "sphere", (0.1,), material=material)
    joint = Joint("free", "free", WORLD, name)
    return st.Robot.from_description(
        Description(name, "tests", (link,), (joint,), (shape,), **more)
    )


def friction_between(one, other, model=None):
    world = st.World(one, other.at((0.19, 0.0, 0.0)), ground=None)
    (row,) = (
        row
        for row in st.Simulation(world, model or st.Coulomb()).parameters()["pairs"]
        if len(set(row["pair"]) - {""}) == 2
    )
    return row["mu_static"], row["mu_kinetic"]


def test_two_files_follow_the_same_rule_and_one_alone_decides():
    rubber = ball("rubber", materials=(Material("rubber", 0.9, 0.8),))
    steel = ball("steel", "other", materials=(Material("steel", 0.95, 0.3, priority=0),))
    plain = ball("default", "plain")
    assert friction_between(rubber, steel) == (0.95, 0.8)  # each coefficient the larger one
    assert friction_between(rubber, plain) == friction_between(plain, rubber) == (0.9, 0.8)
    assert friction_between(rubber, steel, st.Coulomb(mu_static=0.7)) == (0.7, 0.5)
    first = ball("wax", "wax", materials=(Material("wax", 0.2, 0.1, 0.05, priority=1),))
    assert friction_between(rubber, first) == (0.05, 0.05)


def test_one_pair_of_names_with_two_frictions_is_refused():
    materials = (Material("a", 0.5, 0.5), Material("b", 0.5, 0.5))
    robots = [
        ball("a", f"ball{k}", materials=materials, friction_pairs=(("a", "b", mu),))
        for k, mu in enumerate((0.1, 0.2))
    ]
    with pytest.raises(InputError, match="materials 'a' and 'b' have friction 0.2, but 0.1"):
        st.World(robots[0], robots[1].at((1, 0, 0))).declared_friction()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"materials": (Material("a", 0.5, 0.5, -0.1),)}, "'a' has mu_bodies"),
        (
            {"materials": (Material("a", 0.5, 0.5),), "friction_pairs": (("a", "a", np.nan),)},
            "'a' and 'a' have friction",
        ),
    ],
)
def test_impossible_friction_is_refused(more, told):
    with pytest.raises(DescriptionError, match=told):
        ball("a", **more)


def test_a_robot_file_keeps_the_friction_of_bodies(tmp_path):
    text = text_of(
        FLOOR, ['friction="0.3" priority="1"'] * 2, '<pair geom1="g0" geom2="g1" friction="0.1"/>'
    )
    robot = st.Robot.from_description(read_mjcf_text(text, "m.xml"))
    robot.save(tmp_path / "m.npz")
    loaded = st.Robot.load(tmp_path / "m.npz")
    assert loaded.digest() == robot.digest()
    assert st.World(loaded).declared_friction() == st.World(robot).declared_friction()
    assert list(st.World(loaded).declared_friction().pair.values()) == [0.1]
