"""What is fixed in a world: scenery, the fixed shapes of files, and their planes as ground."""

import warnings
from math import cos, pi, sin

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from docs.blocks import blocks
from mechanisms import fewer, turned
from stiction import Plane, Robot, Slope, World, robots
from stiction.description.description import SHAPE_KINDS, WORLD, Description, Shape
from stiction.description.mjcf import read_mjcf_text
from stiction.description.openhrp import read_openhrp_text
from stiction.description.rotation import matrix
from stiction.description.urdf import read_urdf_text
from stiction.errors import InputError
from stiction.world.contact_points import contact_points_of
from stiction.world.materials import pair_table

BALL = '<body name="ball" pos="0 0 {}"><freejoint/><geom name="skin" size="0.1"/></body>'
FLOOR = '<geom name="floor" type="plane" size="5 5 1" {}/>'
TABLE = """
<body name="table" pos="1 0 0.7" euler="0 0 90">
  <geom name="top" type="box" size="0.6 0.35 0.02" friction="0.3" contype="2" conaffinity="5"/>
  <geom name="cloth" type="box" size="0.6 0.35 0.01" pos="0 0 0.03" contype="0" conaffinity="0"/>
</body>
"""


def mjcf(*parts: str, name: str = "scene") -> Robot:
    text = f'<mujoco model="{name}"><worldbody>{"".join(parts)}</worldbody></mujoco>'
    return Robot.from_description(read_mjcf_text(text, f"{name}.xml"))


def post(name: str = "post", at=(0.0, 0.0, 0.0)) -> Robot:
    shape = Shape("pole", WORLD, "cylinder", (0.05, 1.0), at)
    return Robot.from_description(Description(name, "tests", (), (), (shape,)))


# ------------------------------------------------------------------------------------------ arrays


def test_scenery_is_fixed_where_it_is_at_home():
    table = robots.table().at((1.0, 2.0, 0.0), turn=pi / 2)
    world = World(robots.ball(), scenery=table)
    assert [robot.name for robot in world.robots] == ["ball", "table"]
    assert [robot.name for robot in world.moving] == ["ball"]
    assert (world.nq, world.nv, world.total_mass) == (7, 6, 0.5)
    scenery = world.scenery
    assert scenery.name[0] == "table/table_top" and len(scenery.name) == 5
    assert {SHAPE_KINDS[kind] for kind in scenery.kind} == {"box"}
    np.testing.assert_allclose(scenery.position[0], [1.0, 2.0, 0.73])
    np.testing.assert_allclose(scenery.rotation[0], matrix(turned((0, 0, 1), pi / 2)), atol=1e-15)
    np.testing.assert_array_equal(scenery.size, table.shape_size)
    assert scenery.collides.all() and set(scenery.material) == {"default"}
    np.testing.assert_array_equal(scenery.mask, np.ones((5, 2)))


def test_joints_of_scenery_are_held_at_home():
    """The soles of the biped at home are on the ground, up to the five digits of its keyframe."""
    world = World(robots.ball(), scenery=[robots.biped10()])
    for name in ("left_sole", "right_sole"):
        sole = world.place(name)
        assert sole.link == 0
        assert sole.position[2] == pytest.approx(0.0, abs=5e-6)
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=5e-6)


def test_hulls_of_scenery_keep_their_vertices():
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    shapes = (
        Shape("ramp", WORLD, "hull", (), (1.0, 0.0, 0.0), vertices=corners),
        Shape("ball", WORLD, "sphere", (0.1,)),
        Shape("wedge", WORLD, "hull", (), vertices=corners[::-1]),
    )
    yard = Robot.from_description(Description("yard", "tests", (), (), shapes))
    scenery = World(robots.ball(), scenery=yard).scenery
    np.testing.assert_array_equal(scenery.vertex, [0, 4, 4, 8])
    np.testing.assert_array_equal(scenery.vertices, [*corners, *corners[::-1]])


def test_a_world_without_scenery_has_empty_arrays():
    scenery = World(robots.ball()).scenery
    assert [array.shape for array in scenery] == [
        (0,), (0,), (0, 3), (0, 3), (0, 3, 3), (0,), (0,), (0, 2), (1,), (0, 3),
    ]  # fmt: skip


def test_what_does_not_move_may_stand_among_the_robots():
    given, among = (
        World(robots.ball(), robots.box().at((2, 0, 0)), scenery=post()),
        World(robots.ball(), post(), robots.box().at((2, 0, 0))),
    )
    assert [robot.name for robot in among.robots] == ["ball", "box", "post"]
    assert given.digest() == among.digest()


@pytest.mark.parametrize(
    "bodies, scenery, complaint",
    [
        ((), (), "got no robot; give at least one"),
        ((post(),), (), r"no robot that moves \('post'\); give at least one"),
        ((), robots.table(), r"no robot that moves \('table'\)"),
        ((robots.ball(),), "table.xml", "takes robots, found str"),
        ((robots.ball(),), [robots.table], "takes robots, found function"),
    ],
)
def test_a_world_needs_something_that_moves(bodies, scenery, complaint):
    with pytest.raises(InputError, match=complaint):
        World(*bodies, scenery=scenery)


def test_names_in_a_world_with_scenery_are_those_without():
    world = World(robots.biped10(), scenery=[post(), post()])
    assert world.link_names == World(robots.biped10()).link_names
    assert [robot.name for robot in world.robots] == ["biped10", "post", "post_2"]


def test_the_digest_covers_scenery():
    worlds = [
        World(robots.ball()),
        World(robots.ball(), scenery=post()),
        World(robots.ball(), scenery=post(at=(0.0, 0.0, 0.1))),
        World(robots.ball(), scenery=post().with_material("steel")),
        World(robots.ball(), scenery=[post(), post()]),
    ]
    assert len({world.digest() for world in worlds}) == len(worlds)


@pytest.mark.interpreted
def test_the_motion_does_not_depend_on_scenery_out_of_reach():
    alone = World(robots.brick(), robots.ball().at((1.0, 0.0, 0.0)))
    beside = World(
        robots.brick(), robots.ball().at((1.0, 0.0, 0.0)), scenery=post().at((9.0, 9.0, 1.0))
    )
    run = {"duration": fewer(0.1, 0.01), "dt": 0.001}
    one = st.simulate(alone, state=alone.standing(above=0.01), **run)
    other = st.simulate(beside, state=beside.standing(above=0.01), **run)
    np.testing.assert_array_equal(other.q, one.q)
    np.testing.assert_array_equal(other.force, one.force)


def test_a_motion_file_holds_the_scenery(tmp_path):
    floor = mjcf(FLOOR.format('pos="0 0 -0.2" euler="5 0 0"'), TABLE)
    world = World(robots.ball(), robots.box().at((2, 0, 0)), scenery=[floor, robots.table()])
    motion = st.simulate(world, None, duration=0.002)
    motion.save(tmp_path / "motion.h5")
    loaded = st.Motion.load(tmp_path / "motion.h5").world
    assert loaded.digest() == world.digest()
    assert loaded.ground == world.ground and isinstance(loaded.ground, Slope)
    assert loaded.notes == []  # its ground is that of the file
    for name, array in world.scenery._asdict().items():
        np.testing.assert_array_equal(getattr(loaded.scenery, name), array)


def test_the_world_of_the_docs_can_be_made(tmp_path, monkeypatch):
    (program,) = (block for block in blocks("docs/grounds.md", "python") if "hall.xml" in block)
    monkeypatch.chdir(tmp_path)
    names = {"st": st}
    exec(program, names)
    assert len(names["world"].scenery.name) == 6
    assert names["world"].ground == Plane(material="friction 1.0")


# ------------------------------------------------------------------------------------------- files


def test_the_fixed_geoms_of_an_mjcf_file_are_scenery_with_friction_and_mask():
    world = World(mjcf(FLOOR.format('friction="0.9"'), TABLE, BALL.format(0.1)))
    scenery = world.scenery
    assert scenery.name.tolist() == ["scene/top", "scene/cloth"]
    assert scenery.collides.tolist() == [True, False]
    assert scenery.mask.tolist() == [[2, 5], [0, 0]]
    np.testing.assert_allclose(scenery.position, [[1.0, 0.0, 0.7], [1.0, 0.0, 0.73]])
    np.testing.assert_allclose(scenery.rotation[0], matrix(turned((0, 0, 1), pi / 2)), atol=1e-15)
    assert world.declared_friction().material[scenery.material[0]].ground == (
        0.3,
        0.3,
    )  # not that of the floor


def test_fixed_geoms_are_where_mujoco_has_them():
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco>
      <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 0.5  1 0 0.5"/></asset>
      <worldbody>
        <body pos="1 2 0" euler="0 0 40">
          <geom name="post" type="capsule" fromto="0 0 0  0.1 0.2 1" size="0.05"/>
          <body pos="0 0.5 0.3" quat="0.9 0.1 -0.3 0.2">
            <geom name="ramp" type="mesh" mesh="wedge" pos="0.1 0 0" euler="10 20 30"/>
            <geom name="slab" type="box" size="0.3 0.2 0.1" pos="0.1 0 0" euler="30 0 0"/>
          </body>
        </body>
        {BALL.format(1.0)}
      </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    world = World(Robot.from_description(read_mjcf_text(text, "yard.xml")))
    scenery = world.scenery
    assert len(scenery.name) == 3
    for i, name in enumerate(scenery.name):
        theirs = data.geom(name.split("/")[1])
        turned = theirs.xmat.reshape(3, 3)
        np.testing.assert_allclose(scenery.position[i], theirs.xpos, atol=1e-14)
        np.testing.assert_allclose(scenery.rotation[i], turned, atol=1e-14)
        if name.endswith("ramp"):
            ours = scenery.vertices[scenery.vertex[i] : scenery.vertex[i + 1]]
            np.testing.assert_allclose(  # MuJoCo keeps vertices in single precision
                np.sort(ours, axis=0), np.sort(model.mesh_vert, axis=0), atol=1e-7
            )


def test_the_fixed_base_of_a_urdf_file_is_scenery():
    text = """<robot name="arm">
      <link name="base"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/>
        </geometry></collision></link>
      <link name="rod"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint>
    </robot>"""
    robot = Robot.from_description(read_urdf_text(text, "arm.urdf", base="fixed"))
    scenery = World(robot.at((0.0, 1.0, 0.5))).scenery
    assert scenery.name.tolist() == ["arm/base_collision_0"]
    np.testing.assert_allclose(scenery.position, [[0.0, 1.0, 0.55]])
    np.testing.assert_allclose(scenery.size, [[0.1, 0.1, 0.05]])


def test_a_urdf_file_in_which_nothing_moves_is_scenery():
    box = '<collision><geometry><box size="2 2 0.4"/></geometry></collision>'
    text = f'<robot name="block"><link name="block">{box}</link></robot>'
    block = Robot.from_description(read_urdf_text(text, "block.urdf", base="fixed"))
    assert block.nv == 0
    assert World(robots.ball(), scenery=block).scenery.size.tolist() == [[1.0, 1.0, 0.2]]


def test_a_vrml_file_in_which_nothing_moves_is_scenery():
    text = """#VRML V2.0 utf8
    DEF wall Humanoid { humanoidBody [ DEF BASE Joint { jointType "fixed" translation 0 2 1
      children [ DEF LINK Segment { mass 5 children [
        Shape { geometry Box { size 4 0.2 2 } } ] } ] } ] }"""
    wall = Robot.from_description(read_openhrp_text(text, "wall.wrl"))
    scenery = World(robots.ball(), scenery=wall).scenery
    np.testing.assert_allclose(scenery.position, [[0.0, 2.0, 1.0]])
    np.testing.assert_allclose(scenery.size, [[2.0, 0.1, 1.0]])


def test_the_floor_of_openhrp_is_scenery():
    floor = st.load(data_file("robots", "openhrp3_sample", "floor.wrl"))
    world = World(robots.box(), scenery=floor)
    assert world.scenery.size.tolist() == [[2.0, 2.0, 0.1]]


# ------------------------------------------------------------------------------------------ ground


@pytest.mark.parametrize("place", ["", 'pos="1 2 -0.3"', 'pos="0 0 0.1" euler="0 0 30"'])
def test_a_level_plane_of_a_file_is_the_ground(place):
    world = World(mjcf(FLOOR.format(place), BALL.format(2.0)))
    height = {"": 0.0, "1": -0.3, "0": 0.1}[place[5:6]]
    assert world.ground == Plane(height, material="friction 1.0")
    assert world.standing().q[2] == pytest.approx(height + 0.1, abs=1e-15)
    assert world.notes == ["the ground is the plane 'scene/floor' of the file"]
    assert len(world.scenery.name) == 0


@pytest.mark.parametrize("turn", [(20.0, 0.0), (0.0, -15.0), (10.0, 25.0), (-30.0, 40.0)])
def test_a_tilted_plane_of_a_file_is_where_mujoco_has_it(turn):
    mujoco = pytest.importorskip("mujoco")
    place = f'pos="0.4 -0.3 0.2" euler="{turn[0]} {turn[1]} 50"'
    text = f"<mujoco><worldbody>{FLOOR.format(place)}{BALL.format(0.3)}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    p, n = data.geom("floor").xpos, data.geom("floor").xmat.reshape(3, 3)[:, 2]
    world = World(mjcf(FLOOR.format(place), BALL.format(0.3)))
    ground = world.ground.bind()
    np.testing.assert_allclose(ground.normal, n, atol=1e-14)
    assert (ground.point - p) @ n == pytest.approx(0.0, abs=1e-14)
    standing = world.standing().q
    assert (standing[:3] - p) @ n == pytest.approx(0.1, abs=1e-14)


def test_a_given_ground_replaces_that_of_the_file_and_says_so():
    robot = mjcf(FLOOR.format('pos="0 0 -0.3"'), BALL.format(2.0))
    for ground in (Plane(), Slope(0.1), st.Steps(), None):
        world = World(robot, ground=ground)
        assert world.ground == ground
        assert world.notes == [
            "World(ground=...) replaces what the files have as ground: 'scene/floor'"
        ]
        assert len(world.scenery.name) == 0
    assert World(robot, ground=Plane(-0.3)).notes == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notes = st.Simulation(World(robot, ground=Plane())).notes
    assert any("replaces what the files have" in note for note in notes)


def test_two_files_with_the_same_floor_have_one_ground():
    one, other = (mjcf(FLOOR.format(""), BALL.format(z), name=f"robot{z}") for z in (1, 3))
    assert World(one, other).ground == Plane(material="friction 1.0")


@pytest.mark.parametrize("place", ['pos="0 0 0.1"', 'euler="1 0 0"', 'friction="0.5"'])
def test_different_floors_are_refused_by_name(place):
    second = FLOOR.format(place).replace("floor", "carpet")
    with pytest.raises(InputError, match="'scene/floor' and 'scene/carpet' differ .*World.ground="):
        World(mjcf(FLOOR.format(""), second, BALL.format(1.0)))
    robot = mjcf(FLOOR.format(""), second, BALL.format(1.0))
    assert World(robot, ground=Plane(0.1)).ground == Plane(0.1)


def test_walls_and_ceilings_and_planes_that_do_not_collide_are_no_ground():
    planes = [
        FLOOR.format("").replace("floor", "ground"),
        FLOOR.format('pos="2 0 0" euler="0 -90 0"').replace("floor", "wall"),
        FLOOR.format('pos="0 0 3" euler="180 0 0"').replace("floor", "ceiling"),
        FLOOR.format('pos="0 0 1" contype="0" conaffinity="0"').replace("floor", "ghost"),
    ]
    world = World(mjcf(*planes, BALL.format(1.0)))
    assert world.ground == Plane(material="friction 1.0")
    assert world.scenery.name.tolist() == ["scene/wall", "scene/ceiling", "scene/ghost"]


def test_the_floor_of_scenery_is_the_ground_of_other_robots_with_its_friction():
    floor = mjcf(FLOOR.format('pos="0 0 0.5" friction="0.35"'), name="hall")
    world = World(robots.brick(), scenery=floor)
    assert world.ground == Plane(0.5, material="friction 0.35")
    _, _, pairs = contact_points_of(world)
    table, notes = pair_table(st.Coulomb(), pairs, {}, world.declared_friction())
    assert table[0, :2].tolist() == [0.35, 0.35]
    assert "uses the friction of 'friction 0.35' in its file" in notes[0]


def test_a_brick_slides_on_the_tilted_floor_of_a_file_with_its_friction():
    angle, mu = 0.5, 0.3
    floor = mjcf(FLOOR.format(f'euler="0 {-angle * 180 / pi} 0" friction="{mu}"'), name="hall")
    brick = robots.brick().at((0.0, 0.0, 0.0), turned((0, 1, 0), -angle))
    world = World(brick, scenery=floor)
    duration = fewer(0.1, 0.005)
    motion = st.simulate(world, state=world.standing(), duration=duration, dt=0.001)
    speed = 9.81 * (sin(angle) - mu * cos(angle)) * duration
    downhill = np.array([-cos(angle), 0.0, -sin(angle)])
    np.testing.assert_allclose(motion.v[-1, :3], speed * downhill, atol=1e-7)  # of the solver


# ------------------------------------------------------------------------------------------- told


def test_shapes_that_nothing_can_touch_are_named():
    egg = '<geom name="egg" type="ellipsoid" size="1 2 3" pos="9 0 0"/>'
    world = World(mjcf(FLOOR.format(""), egg, BALL.format(0.1)))
    found = "robots pass through the fixed scene/egg; scenery of the kinds sphere, capsule, "
    with pytest.warns(UserWarning, match=found):
        simulation = st.Simulation(world)
    assert any(found in note for note in simulation.notes)
    with pytest.warns(UserWarning, match=found):
        assert any(found in note for note in st.BatchSimulation(world, 2).problem.notes)


def test_nothing_is_told_without_contact_or_without_scenery():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Simulation(World(robots.ball(), scenery=post()), None)
        st.Simulation(World(mjcf(FLOOR.format(""), BALL.format(0.1))))


# ------------------------------------------------------------------------------------------- placed


def test_a_robot_that_was_placed_stays_and_its_overlap_is_told():
    world = World(robots.box(), robots.ball().at((0.1, 0.0, 0.0)), robots.ball(radius=0.1))
    starts = world.home().q.reshape(3, 7)[:, :3]
    np.testing.assert_array_equal(starts[:2], [[0, 0, 0], [0.1, 0, 0]])
    assert starts[2, 1] > 0.3
    told = world.moved_aside()
    assert told[0] == (
        "'ball' was placed inside 'box': the boxes around box/box_shape and ball/ball_shape "
        "overlap by 0.1 m"
    )
    assert told[1].startswith("'ball_2' would start inside 'box' and was moved")
    assert told[0] in st.Simulation(world, None).notes
    standing = world.standing().q.reshape(3, 7)[:, :3]
    np.testing.assert_allclose(standing[:2], [[0, 0, 0.2], [0.1, 0, 0.05]], atol=1e-12)


def test_a_base_that_cannot_move_may_be_placed_inside_another():
    arm = st.Robot.from_description(
        read_urdf_text(
            """<robot name="arm"><link name="world"/><link name="rod">
            <inertial><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
            <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
            <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/></joint>
            </robot>""",
            "arm.urdf",
        )
    )
    with pytest.raises(InputError, match="'arm' starts inside 'ball'"):
        World(robots.ball(), arm).home()
    world = World(robots.ball(), arm.at((0.0, 0.0, 0.1)))
    assert "'arm' was placed inside 'ball'" in world.moved_aside()[0]


def test_a_robot_inside_scenery_is_told_and_not_moved():
    world = World(robots.ball(), scenery=[robots.room(), robots.plate((1.0, 1.0, 0.04))])
    np.testing.assert_array_equal(world.home().q[:3], [0.0, 0.0, 0.0])
    (told,) = world.moved_aside()
    assert told.startswith("'ball' starts inside 'plate': the boxes around ball/ball_shape and ")
    placed = World(robots.ball().at((0, 0, 0.07)), scenery=robots.plate((1.0, 1.0, 0.04)))
    assert placed.moved_aside() == []


def test_what_has_only_ellipsoids_falls_through_the_ground_and_a_warning_says_so():
    ellipsoid = '<geom name="egg" type="ellipsoid" size=".1 .2 .1"/>'
    free = '<body pos="{} 0 1"><freejoint/>{}</body>'
    egg, other = free.format(0, ellipsoid), free.format(3, ellipsoid + '<geom size=".1"/>')
    with pytest.warns(UserWarning, match="'?scene/egg'?: ellipsoids .* passes through the ground"):
        st.Simulation(st.World(mjcf(egg, free.format(3, '<geom size=".1"/>'))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Simulation(st.World(mjcf(other)))
