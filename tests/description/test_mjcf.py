"""MJCF texts, good and broken, against MuJoCo's own numbers."""

from math import inf

import mujoco
import numpy as np
import pytest

from conftest import data_file
from stiction.description.description import WORLD
from stiction.description.mjcf import read_mjcf, read_mjcf_text
from stiction.description.reading import Reading
from stiction.errors import DescriptionError, ModelFileError

pytestmark = pytest.mark.interpreted


TANGLE = """
<mujoco model="tangle">
  <compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.3"/>
    <site name="corner" pos="1 2 3" quat="1 2 3 4"/>
    <body name="trunk" pos="0.1 0.2 1.3" quat="0.9 0.1 -0.3 0.2">
      <freejoint name="float"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.02 0 0" quat="1 0.3 0 0.1"/>
      <body name="arm" pos="0.1 0.4 0.2" quat="1 1 0 0.5">
        <joint name="shoulder" axis="1 2 3" pos="0.05 0.06 0.07" ref="0.4"/>
        <geom type="capsule" size="0.05 0.2" pos="0 0.1 0.2" euler="0.3 0.2 0.1"/>
        <site name="elbow" pos="0.3 0.1 0"/>
        <body name="wrist" pos="0 0 0.4" euler="0.1 0.5 0.2">
          <joint name="out" type="slide" axis="0 1 1" pos="1 1 1" ref="0.2"/>
          <joint name="twist" axis="0 0 1" pos="0.1 -0.2 0.3" ref="-0.7"/>
          <joint name="nod" axis="1 0 1" pos="-0.1 0.2 0.1"/>
          <geom type="ellipsoid" size="0.05 0.06 0.1" pos="0.1 0 0"/>
          <body name="palm" pos="0.2 0 0.1" euler="0 0.4 0">
            <geom name="pad" type="cylinder" size="0.05 0.02" pos="0 0.1 0"/>
            <site name="grip" pos="0 0 0.1" euler="1 0 0"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-0.3 0 0" quat="1 0 1 0">
        <joint name="swing" type="ball" pos="0.1 0 0.2"/>
        <geom type="sphere" size="0.1" pos="0.2 0.1 0"/>
        <body name="tip" pos="0.4 0 0">
          <joint name="flick" type="slide" axis="1 0 0" ref="-0.1"/>
          <geom type="sphere" size="0.05" pos="0.1 0.2 0.3"/>
        </body>
      </body>
    </body>
    <body name="door" pos="3 0 0" euler="0 0 1">
      <joint name="hinge" pos="0.5 0 0" ref="0.3"/>
      <geom type="box" size="0.5 0.02 1"/>
    </body>
    <body name="post" pos="5 0 0"><geom size="0.3"/></body>
  </worldbody>
</mujoco>
"""
BALL = '<body name="ball"><freejoint/><geom name="skin" size="0.1"/></body>'
HINGE = '<body name="bar"><joint name="pin"/><geom name="steel" size="0.1" pos="0.2 0 0"/></body>'


def mjcf(world=HINGE, rest=""):
    return f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>"


def read(world=HINGE, rest=""):
    return read_mjcf_text(mjcf(world, rest), "robot.xml")


def refusal(world=HINGE, rest=""):
    with pytest.raises(ModelFileError) as caught:
        read(world, rest)
    message = str(caught.value)
    assert message.startswith("robot.xml")
    return message


def named(elements):
    return {element.name: element for element in elements}


def rotation(quaternion):
    """The matrix of a quaternion, by turning the unit vectors: v + 2 w (u x v) + 2 u x (u x v)."""
    w, u = quaternion[0], np.array(quaternion[1:])
    columns = [v + 2 * w * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v)) for v in np.eye(3)]
    return np.array(columns).T


def pose(position, quaternion):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(quaternion), position
    return matrix


def motion(joint, q):
    if joint.type == "free":
        return pose(q[:3], q[3:])
    if joint.type == "spherical":
        return pose((0, 0, 0), q)
    if joint.type == "prismatic":
        return pose(q * np.array(joint.axis), (1, 0, 0, 0))
    if joint.type == "revolute":
        return pose((0, 0, 0), np.r_[np.cos(q / 2), np.sin(q / 2) * np.array(joint.axis)])
    return np.eye(4)


def link_poses(description, q):
    """World pose of every link by walking down the joints, which the reader lists parents first."""
    sizes = {"free": 7, "spherical": 4, "revolute": 1, "prismatic": 1, "fixed": 0}
    poses, start = {WORLD: np.eye(4)}, 0
    for joint in description.joints:
        end = start + sizes[joint.type]
        placed = poses[joint.parent] @ pose(joint.position, joint.quaternion)
        poses[joint.child] = placed @ motion(joint, q[start:end])
        start = end
    assert start == len(q)
    return poses


def compare_with_mujoco(text, source, seed):
    """Body, geom and site poses and inertias of the description against mj_forward's."""
    description = read_mjcf_text(text, source)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = np.random.default_rng(seed).uniform(-1.5, 1.5, model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    poses = link_poses(description, data.qpos)
    links, shapes, frames = map(named, (description.links, description.shapes, description.frames))

    for body in range(1, model.nbody):
        name = model.body(body).name
        at = poses[name]
        if f"{name}_origin" in frames:
            frame = frames[f"{name}_origin"]
            at = at @ pose(frame.position, frame.quaternion)
        same(at, data.xpos[body], data.xmat[body])
        link = links[name]
        same(poses[name] @ pose(link.centre, (1, 0, 0, 0)), data.xipos[body], data.xmat[body])
        xx, xy, xz, yy, yz, zz = link.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn, turn_inertial = poses[name][:3, :3], data.ximat[body].reshape(3, 3)
        expected = turn_inertial @ np.diag(model.body_inertia[body]) @ turn_inertial.T
        np.testing.assert_allclose(turn @ inertia @ turn.T, expected, rtol=1e-10, atol=1e-12)
        assert link.mass == model.body_mass[body]
    for i, shape in enumerate(description.shapes):
        at = poses[shape.link] @ pose(shape.position, shape.quaternion)
        same(at, data.geom_xpos[i], data.geom_xmat[i])
    for i in range(model.nsite):
        frame = frames[model.site(i).name]
        at = poses[frame.link] @ pose(frame.position, frame.quaternion)
        same(at, data.site_xpos[i], data.site_xmat[i])
    assert len(shapes) == model.ngeom


def same(at, position, matrix):
    """1e-12 leaves some hundred roundings of lengths of a few metres."""
    np.testing.assert_allclose(at[:3, 3], position, rtol=0, atol=1e-12)
    np.testing.assert_allclose(at[:3, :3].ravel(), matrix, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_anchors_refs_and_joint_chains_place_everything_where_mujoco_does(seed):
    compare_with_mujoco(TANGLE, "tangle.xml", seed)


def test_a_body_with_several_joints_becomes_a_chain():
    description = read_mjcf_text(TANGLE, "tangle.xml")
    links, joints = named(description.links), named(description.joints)
    assert joints["out"].child == joints["twist"].parent == "wrist/out"
    assert joints["twist"].child == joints["nod"].parent == "wrist/twist"
    assert joints["nod"].child == "wrist"
    assert links["wrist/out"].mass == links["wrist/twist"].mass == 0.0
    assert description.name == "tangle"


def test_a_body_without_joint_is_fixed():
    joints = named(read_mjcf_text(TANGLE, "tangle.xml").joints)
    assert joints["palm_fixed"].type == "fixed"
    assert joints["palm_fixed"].parent == "wrist"
    assert joints["post_fixed"].parent == WORLD


def test_only_shifted_bodies_get_an_origin_frame():
    frames = named(read_mjcf_text(TANGLE, "tangle.xml").frames)
    assert {name for name in frames if name.endswith("_origin")} == {
        "arm_origin", "wrist_origin", "tail_origin", "door_origin"
    }  # fmt: skip


def test_elements_without_a_name_are_numbered():
    description = read('<body><joint/><geom size="1"/><site/></body>')
    assert description.links[0].name == "body_1"
    assert description.joints[0].name == "joint_0"
    assert description.shapes[0].name == "geom_0"
    assert description.frames[0].name == "site_0"


def test_a_number_never_collides_with_a_name():
    description = read('<body><joint/><geom size="1"/><geom name="geom_0" size="1"/></body>')
    assert [shape.name for shape in description.shapes] == ["geom_0_", "geom_0"]


def test_joint_constants_are_read():
    description = read(
        '<body><joint name="pin" armature="0.1" damping="0.2" frictionloss="0.3" stiffness="4" '
        'springref="30" range="-90 45" actuatorfrcrange="-5 6"/><geom size="1"/></body>'
    )
    joint = description.joints[0]
    assert (joint.armature, joint.damping, joint.friction, joint.stiffness) == (0.1, 0.2, 0.3, 4.0)
    assert joint.spring_reference == pytest.approx(np.pi / 6)
    assert (joint.lower, joint.upper) == pytest.approx((-np.pi / 2, np.pi / 4))
    assert (joint.effort_lower, joint.effort_upper) == (-5.0, 6.0)


def test_a_joint_without_range_is_unlimited():
    joint = read().joints[0]
    assert (joint.lower, joint.upper, joint.effort_upper) == (-inf, inf, inf)


def test_armature_and_damping_of_actuators_are_felt_at_the_joint():
    """Against MuJoCo's inertia matrix and passive force, with two actuators on one joint."""
    rest = """<actuator><motor joint="pin" gear="3" armature="0.2" damping="0.7"/>
              <motor joint="pin" gear="2"/></actuator>"""
    joint = read(rest=rest).joints[0]
    model = mujoco.MjModel.from_xml_string(mjcf(rest=rest))
    data = mujoco.MjData(model)
    data.qvel[0] = 1.0
    mujoco.mj_forward(model, data)
    assert joint.damping == pytest.approx(-data.qfrc_passive[0])
    bare = mujoco.MjModel.from_xml_string(mjcf())
    assert joint.armature == pytest.approx(model.dof_M0[0] - bare.dof_M0[0])


def test_keyframes_come_in_file_order_and_qpos0_follows():
    rest = '<keyframe><key name="up" qpos="0.1" qvel="0.2"/><key qpos="0.3"/></keyframe>'
    keys = read(rest=rest).keyframes
    assert [key.name for key in keys] == ["up", "key_1", "qpos0"]
    assert (keys[0].q, keys[0].v, keys[0].control) == ((0.1,), (0.2,), ())


def test_a_home_keyframe_makes_qpos0_superfluous():
    keys = read(rest='<keyframe><key name="home" qpos="0.1"/></keyframe>').keyframes
    assert [key.name for key in keys] == ["home"]


def test_qpos0_holds_where_the_file_puts_a_free_body():
    description = read(BALL.replace('name="ball"', 'name="ball" pos="1 2 3"'))
    assert description.joints[0].position == (0.0, 0.0, 0.0)
    assert description.keyframes[0].q == (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0)


def test_actuators_are_read():
    description = read(
        rest="""<actuator>
        <motor name="m" joint="pin" gear="5" ctrlrange="-1 2"/>
        <position name="p" joint="pin" kp="7" kv="3" forcerange="-8 9"/>
        <velocity name="v" jointinparent="pin" kv="4"/></actuator>"""
    )
    actuators = named(description.actuators)
    assert actuators["m"].gear == 5.0
    assert (actuators["m"].gain, actuators["m"].bias) == ((1, 0, 0), (0, 0, 0))
    assert (actuators["m"].control_lower, actuators["m"].control_upper) == (-1.0, 2.0)
    assert actuators["m"].force_upper == inf
    assert (actuators["p"].gain, actuators["p"].bias) == ((7, 0, 0), (0, -7, -3))
    assert (actuators["p"].force_lower, actuators["p"].force_upper) == (-8.0, 9.0)
    assert (actuators["v"].gain, actuators["v"].bias) == ((4, 0, 0), (0, 0, -4))


def test_sensors_are_read_and_others_noted():
    description = read_mjcf_text(
        TANGLE.replace("</mujoco>", """<sensor>
            <gyro name="g" site="grip"/><jointpos name="j" joint="hinge"/>
            <framepos name="f" objtype="xbody" objname="palm"/>
            <framequat name="o" objtype="xbody" objname="arm"/>
            <framepos name="com" objtype="body" objname="arm"/>
            <framepos name="r" objtype="site" objname="grip" reftype="site" refname="elbow"/>
            <clock name="c"/></sensor></mujoco>"""),
        "tangle.xml",
    )  # fmt: skip
    found = [(s.name, s.kind, s.target, s.target_type) for s in description.sensors]
    assert found == [
        ("g", "gyro", "grip", "frame"),
        ("j", "jointpos", "hinge", "joint"),
        ("f", "framepos", "palm", "link"),
        ("o", "framequat", "arm_origin", "frame"),
    ]
    assert any("sensors ignored" in note and "com, r, c" in note for note in description.notes)


def test_one_material_per_friction():
    description = read(
        '<body name="b"><joint/><geom size="1" friction="0.6"/><geom size="1" friction="0.6 1 1"/>'
        '<geom size="1" friction="0.9"/></body>'
    )
    assert [material.name for material in description.materials] == ["friction 0.6", "friction 0.9"]
    assert description.materials[0].mu_static == description.materials[0].mu_kinetic == 0.6
    assert [s.material for s in description.shapes] == ["friction 0.6"] * 2 + ["friction 0.9"]


def test_sizes_are_half_extents_as_in_mujoco():
    shapes = read_mjcf_text(TANGLE, "tangle.xml").shapes
    sizes = {shape.kind: shape.size for shape in shapes if shape.link != "post"}
    assert sizes["plane"] == ()
    assert sizes["box"] == (0.5, 0.02, 1.0)
    assert sizes["capsule"] == (0.05, 0.2)
    assert sizes["cylinder"] == (0.05, 0.02)
    assert sizes["ellipsoid"] == (0.05, 0.06, 0.1)


CUBE = (
    '<asset><mesh name="cube" vertex="0 0 0 1 0 0 0 1 0 0 0 1 1 1 0 1 0 1 0 1 1 1 1 1 '
    '0.5 0.5 0.6"/></asset>'
)


def test_a_mesh_becomes_its_hull():
    world = '<body name="b"><joint/><geom name="g" type="mesh" mesh="cube"/></body>'
    shape = read(world, CUBE).shapes[0]
    assert (shape.kind, shape.size, shape.collides) == ("hull", (), True)
    assert len(shape.vertices) == 8  # without the vertex inside
    corners = [rotation(shape.quaternion) @ v + shape.position for v in shape.vertices]
    np.testing.assert_allclose(np.min(corners, axis=0), 0.0, atol=1e-6)  # MuJoCo keeps float32
    np.testing.assert_allclose(np.max(corners, axis=0), 1.0, atol=1e-6)


def test_a_mesh_that_is_only_seen_does_not_collide():
    world = (
        '<body name="b"><joint/><geom size="1"/>'
        '<geom name="g" type="mesh" mesh="cube" contype="0" conaffinity="0"/></body>'
    )
    shape = named(read(world, CUBE).shapes)["g"]
    assert not shape.collides
    assert len(shape.vertices) == 8


def test_shapes_in_a_pair_collide_with_each_other_only():
    world = "".join(
        f'<body name="b{i}" pos="{i} 0 0"><freejoint/>'
        f'<geom name="g{i}" size="0.1" contype="0" conaffinity="0"/></body>'
        for i in range(4)
    )
    pairs = '<contact><pair geom1="g0" geom2="g1"/><pair geom1="g0" geom2="g2"/></contact>'
    description = read(world, pairs)
    assert [shape.collides for shape in description.shapes] == [True, True, True, False]
    assert description.contact_pairs == (("g0", "g1"), ("g0", "g2"))
    assert description.contact_excludes == ()


def test_contype_and_conaffinity_are_kept():
    geom = '<geom name="g{0}" size="0.1" contype="0" conaffinity="{0}"/>'
    body = '<body name="b{0}" pos="{0} 0 0"><freejoint/>' + geom + "</body>"
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    shapes = read(floor + body.format(1) + body.format(-2147483648)).shapes
    assert [shape.mask for shape in shapes] == [(1, 1), (0, 1), (0, -2147483648)]


def test_excludes_are_read():
    world = BALL + HINGE
    description = read(world, '<contact><exclude body1="bar" body2="ball"/></contact>')
    assert {frozenset(pair) for pair in description.contact_excludes} == {
        frozenset({"ball", "bar"})
    }


def notes_of(world=HINGE, rest=""):
    return " | ".join(read(world, rest).notes)


@pytest.mark.parametrize(
    ("world", "rest", "words"),
    [
        (HINGE, "", "timestep"),
        (HINGE, '<option gravity="0 0 -1.6"/>', "World(gravity=...)"),
        ('<body><joint name="pin" range="0 1" solreflimit="0.1 1"/><geom size="1"/></body>', "",
         "soft limits of the file are simulated as hard stops: pin"),
        (HINGE, '<actuator><motor name="m" joint="pin" delay="0.1" nsample="60"/></actuator>',
         "actuator delays are ignored: m"),
        ('<body><joint/><geom name="g" size="1" condim="1"/></body>', "", "condim 1"),
        ('<body><joint/><geom name="g" size="1" condim="6"/></body>', "", "rolling friction"),
        ('<body><joint/><geom name="g" size="1" margin="0.1"/></body>', "", "margins are ignored"),
        ('<body><joint/><geom size="1" contype="0" conaffinity="0"/></body>', "", "no geom of the"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_noted(world, rest, words):
    assert words in notes_of(world, rest)


def test_a_height_field_that_does_not_collide_is_noted():
    asset = '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset>'
    field = '<geom name="hill" type="hfield" hfield="h" contype="0" conaffinity="0"/>'
    assert "ignored: hill" in notes_of(field + HINGE, asset)


SPHERICAL = '<body name="b"><joint name="cup" type="ball" {}/><geom size="1"/></body>'
FLOATING = '<body name="b"><joint name="float" type="free" {}/><geom size="1"/></body>'
TURNING = '<body name="b"><joint name="pin" {}/><geom name="g" size="1" {}/></body>'
DRIVE = "<actuator><general name='drive' joint='pin' {}/></actuator>"
MUSCLE = '<actuator><muscle name="m" joint="pin" lengthrange="0 1"/></actuator>'
TENDON = '<tendon><fixed name="rope" stiffness="1"><joint joint="pin" coef="1"/></fixed></tendon>'
SITE = '<body name="b"><joint name="pin"/><geom size="1"/><site name="s"/></body>'


@pytest.mark.parametrize(
    ("world", "rest", "words"),
    [
        (
            HINGE,
            TENDON + '<equality><tendon name="taut" tendon1="rope"/></equality>',
            "constraint 'taut' of kind tendon",
        ),
        (HINGE, TENDON, "tendon 'rope'"),
        (HINGE, TENDON + '<actuator><motor tendon="rope"/></actuator>', "tendon 'rope'"),
        ('<body name="hand" mocap="true"/>' + HINGE, "", "mocap body 'hand'"),
        ('<body name="b" gravcomp="1"><joint/><geom size="1"/></body>', "", "body 'b'"),
        (HINGE, '<option density="1.2"/>', "density"),
        (HINGE, '<option viscosity="0.1"/>', "viscosity"),
        (HINGE, '<option wind="1 0 0"/>', "wind"),
        (HINGE, '<option><flag limit="disable"/></option>', '<flag limit="disable">'),
        (HINGE, '<option><flag contact="disable"/></option>', '<flag contact="disable">'),
        (HINGE, '<option><flag override="enable"/></option>', "override"),
        (SPHERICAL.format('range="0 30"'), "", "limit on spherical joint 'cup'"),
        (SPHERICAL.format('frictionloss="1"'), "", "frictionloss on spherical joint 'cup'"),
        (SPHERICAL.format('stiffness="1"'), "", "stiffness on spherical joint 'cup'"),
        (FLOATING.format('frictionloss="1"'), "", "frictionloss on free joint 'float'"),
        (FLOATING.format('stiffness="1"'), "", "stiffness on free joint 'float'"),
        (FLOATING.format('damping="1"'), "", "damping on free joint 'float'"),
        (FLOATING.format('armature="1"'), "", "armature on free joint 'float'"),
        (TURNING.format('stiffness="1 2"', ""), "", "polynomial stiffness or damping of"),
        (TURNING.format('damping="1 2"', ""), "", "polynomial stiffness or damping of"),
        (TURNING.format('stiffness="1" springyield="1"', ""), "", "yielding spring of joint 'pin'"),
        (TURNING.format("", 'adhesion="1"'), "", "adhesion of geom 'g'"),
        (TURNING.format("", 'surfacevel="1 0 0 0 0 0"'), "", "surfacevel of geom 'g'"),
        (HINGE, DRIVE.format("dyntype='filter' dynprm='1'"), "actuator 'drive' has dyntype filter"),
        (HINGE, DRIVE.format("dyntype='integrator'"), "actuator 'drive' has dyntype integrator"),
        (HINGE, MUSCLE, "actuator 'm' has dyntype muscle"),
        (SITE, '<actuator><motor name="m" site="s"/></actuator>', "actuator 'm' has trntype site"),
        (SPHERICAL.format(""), DRIVE.replace("pin", "cup").format(""), "'drive' on joint 'cup'"),
        (HINGE, '<option actuatorgroupdisable="1"/>' + DRIVE.format("group='1'"), "'drive'"),
    ],
)  # fmt: skip
def test_what_is_not_simulated_is_refused_by_name(world, rest, words):
    message = refusal(world, rest)
    assert words in message
    assert "MuJoCo's compiler" not in message


def test_a_colliding_height_field_is_refused():
    asset = '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset>'
    assert "geom 'hill'" in refusal('<geom name="hill" type="hfield" hfield="h"/>' + HINGE, asset)


def test_a_flex_is_refused():
    flex = '<flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" dim="2"/>'
    assert "cloth" in refusal(f'<body name="b"><joint/><geom size="1"/>{flex}</body>')


def test_an_equality_that_is_switched_off_does_no_harm():
    rest = '<equality><joint joint1="pin" active="false"/></equality>'
    assert len(read(rest=rest).joints) == 1


INERTIAL = '<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="{}"/></body>'


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ('<body name="b"><joint/></body>', "mass and inertia of moving bodies"),
        ('<body name="b"><joint/><geom size="1" mass="-1"/></body>', "mass"),
        ('<body><joint axis="0 0 0"/><geom size="1"/></body>', "axis"),
        (INERTIAL.format("1 1 3"), "inertia"),
        (INERTIAL.format("1 1 -1"), "inertia"),
        ('<body name="b"><joint/><geom type="mesh" mesh="none"/></body>', "none"),
        (HINGE + HINGE, "bar"),
        ('<body name="b"><joint type="screw"/><geom size="1"/></body>', "screw"),
        ("<body><joint/><geom size='1'/>", "not XML"),
        ("<bodi/>", "bodi"),
    ],
)  # fmt: skip
def test_what_mujoco_refuses_is_a_model_file_error(world, words):
    assert words in refusal(world)


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "-nan", "inf", "-INF", "Infinity", "1e999", "nan(7)"]
)
def test_a_number_that_is_not_finite_is_refused_with_element_and_attribute(value):
    """MuJoCo reads mass="nan" as a mass that was not given and takes the density instead."""
    message = refusal(f'<body name="b"><joint/>\n<geom name="g" size="1" mass="{value}"/></body>')
    assert "robot.xml, line 2: <geom> 'g' has mass=" in message


def test_nan_in_a_vector_and_in_defaults_is_refused():
    assert 'pos="0 nan 0"' in refusal('<body pos="0 nan 0"><joint/><geom size="1"/></body>')
    assert "<joint> has damping=" in refusal(rest='<default><joint damping="inf"/></default>')


def test_a_range_the_wrong_way_round_is_refused():
    """MuJoCo takes it for no range at all."""
    message = refusal('<body><joint name="pin" range="1 -1"/><geom size="1"/></body>')
    assert "<joint> 'pin' has range=" in message
    assert "lower limit first" in message
    drive = '<actuator><motor name="m" joint="pin" ctrlrange="2 -2"/></actuator>'
    assert "<motor> 'm' has ctrlrange=" in refusal(rest=drive)


def test_an_element_may_be_called_inf():
    numeric = '<custom><numeric name="n" data="inf"/></custom>'  # the user's own, not read
    description = read('<body name="inf"><joint name="nan"/><geom size="1"/></body>', numeric)
    assert description.joints[0].name == "nan"


def test_a_comment_may_hold_two_dashes():
    assert len(read("<!-- left -- right ---->" + HINGE).links) == 1


def test_text_that_is_not_mjcf_is_refused():
    for text, words in [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("hello", "is not XML"),
        ("<mujoco>" + "<!--" * 100_000, "is not XML"),
        ('<robot name="r"><link name="l"/></robot>', "the root element is <robot>"),
        ("<mujoco/>", "no links"),
        ("<mujoco><worldbody>" + "<body>" * 600 + "</body>" * 600, "nested deeper than 500"),
        ("<mujoco>" + "<a>" * 100_000, "nested deeper than 500"),
        ('<!DOCTYPE m [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><mujoco model="&c;"/>', "entity 'a'"),
        ('<!DOCTYPE m [<!ENTITY a SYSTEM "/etc/passwd">]><mujoco model="m"/>', "entity 'a'"),
        ("<mujoco><!--" + "x" * 65_000_000 + "--></mujoco>", "bytes"),
    ]:
        with pytest.raises((ModelFileError, DescriptionError)) as caught:
            read_mjcf_text(text, "robot.xml")
        assert str(caught.value).startswith("robot.xml")
        assert words in str(caught.value)


def test_files_are_read_and_named_in_errors(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(mjcf())
    assert read_mjcf(path).source == str(path)
    assert read_mjcf(str(path)).links[0].name == "bar"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(ModelFileError, match="robot.xml: is not XML"):
        read_mjcf(path)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="robot.xml: is empty"):
        read_mjcf(path)
    path.write_text(mjcf()[:60])
    with pytest.raises(ModelFileError, match="robot.xml: is not XML"):
        read_mjcf(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.xml", tmp_path):
        with pytest.raises(ModelFileError, match="cannot be read") as caught:
            read_mjcf(path)
        assert str(path) in str(caught.value)


def test_a_file_too_large_is_refused_unread(tmp_path):
    path = tmp_path / "large.xml"
    with path.open("wb") as file:
        file.truncate(65_000_000)
    with pytest.raises(ModelFileError, match="65000000 bytes"):
        read_mjcf(path)


def test_a_missing_mesh_and_a_broken_one_are_refused(tmp_path):
    path = tmp_path / "robot.xml"
    asset = '<asset><mesh name="m" file="foot.stl"/></asset>'
    path.write_text(mjcf('<body><joint/><geom type="mesh" mesh="m"/></body>', asset))
    with pytest.raises(ModelFileError, match=r"robot.xml.*foot\.stl"):
        read_mjcf(path)
    (tmp_path / "foot.stl").write_bytes(b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 50)
    with pytest.raises(ModelFileError, match="robot.xml"):
        read_mjcf(path)


def test_included_files_are_scanned_too(tmp_path):
    path, part = tmp_path / "robot.xml", tmp_path / "part.xml"
    path.write_text(mjcf('<include file="part.xml"/>'))
    part.write_text(f"<mujocoinclude>{HINGE}</mujocoinclude>")
    assert read_mjcf(path).links[0].name == "bar"
    part.write_text("<mujocoinclude>" + HINGE.replace("0.2 0 0", "nan 0 0") + "</mujocoinclude>")
    with pytest.raises(ModelFileError, match="part.xml, line 1: <geom> 'steel' has pos="):
        read_mjcf(path)
    part.unlink()
    with pytest.raises(ModelFileError, match="part.xml"):
        read_mjcf(path)


def test_text_cannot_include_files():
    assert "includes 'part.xml'" in refusal('<include file="part.xml"/>')


ROBOTS = [
    "unitree_g1/g1_mjx_nomesh.xml",
    "unitree_go2/go2_mjx_nomesh.xml",
    "unitree_go2/go2_nomesh.xml",
]


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_agree_with_mujoco(name):
    path = data_file("robots", "mujoco_menagerie", name)
    compare_with_mujoco(path.read_text(), str(path), seed=1)
    model = mujoco.MjModel.from_xml_path(str(path))
    description = read_mjcf(path)
    total = sum(link.mass for link in description.links)
    assert total == pytest.approx(model.body_mass.sum(), rel=1e-14)
    assert len(description.actuators) == model.nu


def test_warnings_of_mujoco_become_notes_and_no_file(tmp_path, monkeypatch):
    """Two hinges about one axis make the inertia singular; MuJoCo warns into MUJOCO_LOG.TXT."""
    monkeypatch.chdir(tmp_path)
    text = """<mujoco><worldbody><body name="a"><joint axis="0 0 1"/><joint axis="0 0 1"/>
    <geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
    notes = read_mjcf_text(text, "twice.xml", Reading("repair")).notes
    assert any(note.startswith("MuJoCo warns: Inertia matrix") for note in notes)
    assert not list(tmp_path.iterdir())
