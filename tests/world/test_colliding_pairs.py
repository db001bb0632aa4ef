"""Which shapes may collide: against MuJoCo's rule, and against the contacts that MuJoCo makes."""

import itertools

import numpy as np
import pytest

from conftest import data_file
from stiction import Robot, World, robots
from stiction.collision.pair_filter import may_collide
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.description.mjcf import _description, read_mjcf_text
from stiction.description.mjcf_model import names_of
from stiction.description.reading import STRICT
from stiction.description.urdf import read_urdf_text
from stiction.world.colliding_pairs import SOLID, colliding_shapes, pair_filter_of

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.interpreted

SOLID_GEOMS = (2, 3, 5, 6, 7)  # mjtGeom: sphere, capsule, cylinder, box, mesh
MENAGERIE = [
    ("unitree_go2", "go2_nomesh.xml"),
    ("unitree_g1", "g1_mjx_nomesh.xml"),
    ("booster_t1", "scene.xml"),
    ("agility_cassie", "scene.xml"),
    ("robotiq_2f85", "scene.xml"),
]


def candidates(robots, self_collision=True):
    """Pairs of shapes that may collide, by the numbers of robots and the names of shapes."""
    chosen = [robot.name for robot in robots] if self_collision else []
    filters, shapes = pair_filter_of(robots, chosen), colliding_shapes(robots)
    names = [(s.robot, str(robots[s.robot].shape_name[s.shape])) for s in shapes]
    numbers = itertools.combinations(range(len(names)), 2)
    found = {frozenset((names[a], names[b])) for a, b in numbers if may_collide(filters, a, b)}
    for a, b in itertools.combinations(range(len(names)), 2):
        assert may_collide(filters, a, b) == may_collide(filters, b, a)
    return found


def of_one(robot, self_collision=True):
    """The same for one robot, by names alone."""
    return {frozenset(name for _, name in pair) for pair in candidates([robot], self_collision)}


def rule_of_mujoco(model):
    """Pairs of solid geoms that MuJoCo would test, from the fields of its model."""
    names, weld = names_of(model).geom, model.body_weldid
    excluded = set(model.exclude_signature.tolist())
    demanded = {
        frozenset(pair)
        for pair in zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
    }
    found = set()
    for a, b in itertools.combinations(range(model.ngeom), 2):
        if not {int(model.geom_type[a]), int(model.geom_type[b])} <= set(SOLID_GEOMS):
            continue
        bodies = model.geom_bodyid[a], model.geom_bodyid[b]
        one, other = (int(weld[body]) for body in bodies)
        if one == other:
            continue
        above = [int(weld[model.body_parentid[body]]) for body in (one, other)]
        parents = 0 not in (one, other) and (one == above[1] or other == above[0])
        masks = (model.geom_contype[a] & model.geom_conaffinity[b]) | (
            model.geom_contype[b] & model.geom_conaffinity[a]
        )
        signature = (int(min(bodies)) << 16) + int(max(bodies))
        filtered = parents or masks == 0 or signature in excluded
        if not filtered or frozenset((a, b)) in demanded:
            found.add(frozenset((names[a], names[b])))
    return found


def contacts_of_mujoco(model):
    """Pairs of solid geoms for which MuJoCo makes contacts when all reach each other.

    All solids become spheres: MuJoCo finds no contact between boxes that are far apart, whatever
    the margin.
    """
    solid = np.isin(model.geom_type, SOLID_GEOMS)
    model.geom_type[solid] = int(mujoco.mjtGeom.mjGEOM_SPHERE)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    model.opt.o_margin = 100.0  # [m]
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    assert not any(warning.number for warning in data.warning)
    names = names_of(model).geom
    return {
        frozenset((names[a], names[b]))
        for a, b in data.contact.geom.tolist()
        if solid[a] and solid[b]
    }


# --------------------------------------------------------------------------- small files, by hand

BALL = '<geom name="{}" size="0.1" pos="{} 0 0"/>'
ARM = (
    '<body name="arm"><joint type="hinge"/>'
    f"{BALL.format('arm_1', 1)}{BALL.format('arm_2', 1.3)}"
    '<body name="wrist" pos="0.1 0 0"><geom name="wrist" size="0.1"/>'
    '<body name="hand" pos="0.1 0 0"><joint type="hinge"/><joint type="hinge" axis="0 1 0"/>'
    '<geom name="hand" size="0.1"/>'
    '<body name="finger" pos="0.1 0 0"><joint type="hinge"/><geom name="finger" size="0.1"/>'
    "</body></body></body></body>"
)
CUBE = (
    '<body name="{0}" pos="3 {1} 0"><freejoint/>'
    '<geom name="{0}" type="box" size="0.1 0.1 0.1" {2}/></body>'
)
TABLE = (
    '<geom name="wall" type="box" size="1 1 1"/>'
    '<body name="table" pos="0 0 2"><geom name="top" type="box" size="1 1 0.1"/></body>'
)
FILES = {
    "parents and children": (ARM, ""),
    "fixed bodies are nobody's neighbours": (TABLE + ARM, ""),
    "excludes": (
        TABLE + ARM + CUBE.format("cube", 0, ""),
        '<exclude body1="arm" body2="finger"/><exclude body1="wrist" body2="finger"/>'
        '<exclude body1="table" body2="hand"/><exclude body1="cube" body2="world"/>',
    ),
    "the exclude of a body that is welded to another": (
        ARM,
        '<exclude body1="wrist" body2="finger"/>',
    ),
    "pairs win over parents, masks and excludes": (
        TABLE + ARM + CUBE.format("cube", 0, 'contype="0" conaffinity="0"'),
        '<exclude body1="arm" body2="finger"/><pair geom1="finger" geom2="hand"/>'
        '<pair geom1="finger" geom2="arm_2"/><pair geom1="cube" geom2="top"/>',
    ),
    "masks": (
        TABLE
        + CUBE.format("a", 0, 'contype="1" conaffinity="0"')
        + CUBE.format("b", 1, 'contype="2" conaffinity="1"')
        + CUBE.format("c", 2, 'contype="6" conaffinity="4"')
        + CUBE.format("d", 3, 'contype="-2147483648" conaffinity="2"')
        + CUBE.format("e", 4, 'contype="0" conaffinity="-2147483648"'),
        "",
    ),
    "masks of geoms of one body": (
        ARM.replace('name="arm_1"', 'name="arm_1" contype="4" conaffinity="8"')
        + CUBE.format("a", 0, 'contype="8" conaffinity="0"')
        + CUBE.format("b", 1, ""),
        "",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_candidates_of_a_small_file_are_those_of_mujoco(name):
    world, contact = FILES[name]
    text = f"<mujoco><worldbody>{world}</worldbody><contact>{contact}</contact></mujoco>"
    robot = Robot.from_description(read_mjcf_text(text, "file.xml"))
    model = mujoco.MjModel.from_xml_string(text)
    found = of_one(robot)
    assert found == rule_of_mujoco(model) == contacts_of_mujoco(model)
    assert found


def test_the_parts_of_one_body_never_collide_even_if_a_pair_demands_it():
    text = (
        f"<mujoco><worldbody>{ARM}</worldbody>"
        '<contact><pair geom1="arm_1" geom2="wrist"/></contact></mujoco>'
    )
    robot = Robot.from_description(read_mjcf_text(text, "file.xml"))
    assert frozenset(("arm_1", "wrist")) not in of_one(robot)


# -------------------------------------------------------------------------------- Menagerie


def from_menagerie(parts, rng=None):
    """A model of the Menagerie and its robot; with random masks if there is a generator.

    Closed loops and tendons, which the reader refuses, have nothing to do with filters.
    """
    model = mujoco.MjModel.from_xml_path(str(data_file("robots", "mujoco_menagerie", *parts)))
    if rng is not None:
        model.geom_contype[:] = rng.integers(8, size=model.ngeom)
        model.geom_conaffinity[:] = rng.integers(8, size=model.ngeom)
    return model, Robot.from_description(_description(model, names_of(model), parts[1], STRICT))


@pytest.mark.parametrize("parts", MENAGERIE, ids=lambda parts: parts[0])
def test_candidates_of_the_menagerie_are_those_of_mujoco(parts):
    model, robot = from_menagerie(parts)
    found = of_one(robot)
    assert found == rule_of_mujoco(model) == contacts_of_mujoco(model)
    assert found or parts[0] == "unitree_g1"  # no geom of this file collides


@pytest.mark.parametrize("parts", MENAGERIE, ids=lambda parts: parts[0])
def test_candidates_with_other_masks_are_those_of_mujoco(parts):
    model, robot = from_menagerie(parts, np.random.default_rng(1))
    found = of_one(robot)
    assert found == rule_of_mujoco(model)
    assert len(found) > 20


# --------------------------------------------------------------------------- robots of a world


def test_a_tree_collides_with_itself_only_on_request():
    text = f"<mujoco><worldbody>{TABLE}{ARM}{CUBE.format('cube', 0, '')}</worldbody></mujoco>"
    robot = Robot.from_description(read_mjcf_text(text, "file.xml"))
    every, others = of_one(robot, True), of_one(robot, False)
    arm = {"arm_1", "arm_2", "wrist", "hand", "finger"}
    assert others == {pair for pair in every if not pair <= arm}
    assert frozenset(("cube", "hand")) in others  # other trees of the same file
    assert frozenset(("top", "hand")) in others  # and its scenery
    pair = '<contact><pair geom1="finger" geom2="arm_1"/></contact></mujoco>'
    demanding = read_mjcf_text(text.replace("</mujoco>", pair), "file.xml")
    assert of_one(Robot.from_description(demanding), False) == others


def body(name, *shapes):
    link = Link("body", 1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    free = Joint("free", "free", WORLD, "body")
    return Robot.from_description(Description(name, "test", (link,), (free,), shapes))


def test_robots_collide_with_each_other_if_their_masks_match():
    plain = Shape("skin", "body", "sphere", (0.1,))
    shy = Shape("skin", "body", "sphere", (0.1,), mask=(0, 2))
    bold = Shape("skin", "body", "sphere", (0.1,), mask=(2, 1))
    wall = Shape("wall", WORLD, "box", (0.1, 0.1, 0.1))
    unseen = Shape("cover", "body", "box", (0.1, 0.1, 0.1), collides=False)
    several = [body("a", plain, wall), body("b", shy, unseen), body("c", bold), body("d", wall)]
    expected = {((0, "skin"), (0, "wall")), ((0, "skin"), (2, "skin")), ((1, "skin"), (2, "skin"))}
    expected |= {((2, "skin"), (0, "wall")), ((0, "skin"), (3, "wall")), ((2, "skin"), (3, "wall"))}
    assert candidates(several, False) == set(map(frozenset, expected))


def test_kinds_without_volume_do_not_collide_with_other_shapes():
    vertices = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    sizes = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
    kinds = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "plane", "points")
    shapes = [
        Shape(
            kind,
            "body",
            kind,
            (0.1,) * sizes.get(kind, 0),
            vertices=vertices if kind in ("hull", "points") else (),
        )
        for kind in kinds
    ]
    mesh = Shape("mesh", WORLD, "mesh", (), vertices=vertices[:3], triangles=((0, 1, 2),))
    robot = body("all", *shapes, mesh)
    found = colliding_shapes([robot])
    assert len(found) == len(SOLID) + 2  # a mesh counts once for each of its three sides
    assert {str(robot.shape_name[s.shape]) for s in found} == set(SOLID)


def test_a_user_who_chooses_what_collides_is_obeyed_between_robots():
    blind = Shape("skin", "body", "sphere", (0.1,), mask=(0, 0))
    one, other = body("a", blind), body("b", blind)
    assert candidates([one, other]) == set()
    chosen = [one.with_colliding("skin"), other.with_colliding("skin")]
    assert candidates(chosen) == {frozenset({(0, "skin"), (1, "skin")})}


LIMB = (
    '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
    'iyz="0"/></inertial><collision name="{0}"><geometry><sphere radius="0.1"/></geometry>'
    "</collision></link>"
)
HINGE = (
    '<joint name="{0}_{1}" type="{2}"><parent link="{0}"/><child link="{1}"/><axis xyz="0 0 1"/>'
    "</joint>"
)


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_neighbours_in_a_urdf_never_collide_also_where_the_base_is_fixed(base):
    parts = [LIMB.format(name) for name in ("foot", "trunk", "arm", "glove", "hand")]
    parts += [HINGE.format("foot", "trunk", "fixed"), HINGE.format("trunk", "arm", "continuous")]
    parts += [HINGE.format("arm", "glove", "fixed"), HINGE.format("arm", "hand", "continuous")]
    description = read_urdf_text(f'<robot name="r">{"".join(parts)}</robot>', "r.urdf", base=base)
    found = of_one(Robot.from_description(description))
    assert found == {frozenset(("foot", "hand")), frozenset(("trunk", "hand"))}


def test_numbers_of_links_are_those_of_the_forest():
    world = World(robots.ball(), robots.biped10())
    shapes, filters = colliding_shapes(world.robots), pair_filter_of(world.robots)
    for number, shape in enumerate(shapes):
        robot = world.robots[shape.robot]
        name = str(robot.link_name[robot.shape_link[shape.shape]])
        assert world.link_names[shape.link].split("/")[-1] == name
        assert filters.tree[number] == world.tree.root[shape.link]
