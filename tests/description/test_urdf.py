"""URDF texts, good and broken; meshes; whole robots against Pinocchio's own reader."""

import struct
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from math import inf, pi
from pathlib import Path

import numpy as np
import pytest

from conftest import data_file, jit_is_off, missing
from mechanisms import calls_of
from stiction.description.checks import check
from stiction.description.description import WORLD
from stiction.description.mesh import read_hull
from stiction.description.rotation import matrix, symmetric
from stiction.description.urdf import read_urdf, read_urdf_text
from stiction.errors import DescriptionError, InputError, ModelFileError, StictionError

pytestmark = pytest.mark.interpreted

MASS = '<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
BODY = f"<inertial>{MASS}</inertial>"
LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
ENDS = '<parent link="trunk"/><child link="arm"/>'
JOINT = f'<joint name="elbow" type="revolute">{ENDS}{LIMIT}</joint>'


def urdf(joint=JOINT, trunk=BODY, arm=BODY, rest=""):
    links = f'<link name="trunk">{trunk}</link><link name="arm">{arm}</link>'
    return f'<robot name="toy">{links}{joint}{rest}</robot>'


def read(joint=JOINT, trunk=BODY, arm=BODY, rest="", **options):
    return read_urdf_text(urdf(joint, trunk, arm, rest), "toy.urdf", **options)


def refusal(*arguments, error=ModelFileError, **options):
    with pytest.raises(error) as caught:
        read(*arguments, **options)
    return told(caught)


def text_refusal(text, error=ModelFileError, **options):
    with pytest.raises(error) as caught:
        read_urdf_text(text, "toy.urdf", **options)
    return told(caught)


def told(caught):
    message = str(caught.value)
    assert message.startswith("toy.urdf")
    assert ";" in message  # what was found; what would do
    return message


def elbow(kind="revolute", inside=LIMIT, ends=ENDS):
    return f'<joint name="elbow" type="{kind}">{ends}{inside}</joint>'


def named(elements):
    return {element.name: element for element in elements}


# ------------------------------------------------------------------------------ links and joints


def test_inertia_is_turned_into_the_axes_of_the_link():
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.5 0.7"/>'
    arm = named(read(arm=f"<inertial>{origin}{MASS}</inertial>").links)["arm"]
    a, b, c = 0.3, -0.5, 0.7  # fixed axes: first about x, then y, then z
    Rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    Rz = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    R = Rz @ Ry @ Rx
    assert (arm.mass, arm.centre) == (2.0, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(
        symmetric(arm.inertia), R @ np.diag([1, 2, 2.5]) @ R.T, atol=1e-15
    )  # rounding


def test_a_link_without_inertial_has_no_mass():
    links = named(read(elbow("fixed", ""), arm="").links)
    assert (links["arm"].mass, links["arm"].inertia) == (0.0, (0.0,) * 6)
    assert "descendants have mass" in refusal(arm="", error=DescriptionError)


def test_a_joint_has_its_place_limits_and_dynamics():
    origin = f'<origin xyz="1 2 3" rpy="0 {pi / 2} 0"/><axis xyz="0 1 0"/>'
    inside = f'{origin}{LIMIT}<dynamics damping="0.5" friction="0.25"/>'
    joint = named(read(elbow("revolute", inside)).joints)["elbow"]
    assert (joint.type, joint.parent, joint.child) == ("revolute", "trunk", "arm")
    assert joint.position == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(matrix(joint.quaternion)[:, 2], [1, 0, 0], atol=1e-15)
    assert joint.axis == (0.0, 1.0, 0.0)
    assert (joint.lower, joint.upper) == (-1.0, 2.0)
    assert (joint.effort_lower, joint.effort_upper, joint.speed_limit) == (-30.0, 30.0, 4.0)
    assert (joint.damping, joint.friction, joint.armature) == (0.5, 0.25, 0.0)


def test_the_axis_is_x_unless_given():
    assert named(read().joints)["elbow"].axis == (1.0, 0.0, 0.0)


def test_a_continuous_joint_has_no_limits():
    inside = '<limit lower="-1" upper="1" effort="3" velocity="4"/>'
    joint = named(read(elbow("continuous", inside)).joints)["elbow"]
    assert (joint.type, joint.lower, joint.upper) == ("revolute", -inf, inf)
    assert joint.effort_upper == 3.0
    assert named(read(elbow("continuous", "")).joints)["elbow"].effort_upper == inf


def test_an_axis_of_another_length_is_brought_to_one_with_a_note():
    description = read(elbow(inside=f'<axis xyz="0 0 2"/>{LIMIT}'))
    assert named(description.joints)["elbow"].axis == (0.0, 0.0, 1.0)
    assert any("unit length" in note and "elbow" in note for note in description.notes)
    assert not read(elbow(inside=f'<axis xyz="0.70711 0 0.70711"/>{LIMIT}')).notes


def test_joints_come_parents_first_in_the_order_of_the_file():
    ends = [("c", "d"), ("a", "x"), ("a", "b"), ("b", "c"), ("x", "y")]
    links = "".join(f'<link name="{name}">{BODY}</link>' for name in "dxbcay")
    joints = "".join(
        f'<joint name="{a}{b}" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>'
        for a, b in ends
    )
    description = read_urdf_text(f'<robot name="r">{links}{joints}</robot>', "r.urdf", base="fixed")
    assert [joint.name for joint in description.joints] == "a_fixed ax xy ab bc cd".split()
    assert [link.name for link in description.links] == list("axybcd")


def test_the_limit_not_given_is_zero_with_a_note():
    description = read(elbow("prismatic", '<limit upper="0.04" effort="1" velocity="1"/>'))
    joint = named(description.joints)["elbow"]
    assert (joint.lower, joint.upper) == (0.0, 0.04)
    assert any("elbow" in note for note in description.notes)


def test_what_is_not_read_is_noted_once():
    rest = '<gazebo reference="arm"><mu1>0.5</mu1></gazebo>' * 3
    inside = f'{LIMIT}<safety_controller k_velocity="3"/><calibration rising="1"/>'
    description = read(elbow(inside=inside), rest=rest + '<material name="red"/>')
    [note] = description.notes
    assert note.startswith("ignored elements and attributes: <gazebo> (3)") or "(3)" in note
    assert "<safety_controller> of <joint> (1)" in note and "<calibration>" in note
    assert "material" not in note
    assert "xzy of <origin>" in str(read(elbow(inside='<origin xzy="1 0 0"/>' + LIMIT)).notes)


# ------------------------------------------------------------------------------------- the base


def test_a_floating_base_hangs_on_a_free_joint():
    first = read().joints[0]
    assert (first.name, first.type, first.parent, first.child) == (
        "trunk_free", "free", WORLD, "trunk")  # fmt: skip


def test_a_fixed_base_hangs_on_a_fixed_joint():
    first = read(base="fixed").joints[0]
    assert (first.name, first.type, first.parent) == ("trunk_fixed", "fixed", WORLD)


def test_a_planar_base_slides_along_x_and_z_and_turns_about_y():
    description = read(base="planar")
    first = description.joints[:3]
    assert [joint.type for joint in first] == ["prismatic", "prismatic", "revolute"]
    assert [joint.axis for joint in first] == [(1, 0, 0), (0, 0, 1), (0, 1, 0)]
    assert [joint.child for joint in first] == ["trunk/x", "trunk/z", "trunk"]
    assert all(named(description.links)[name].mass == 0.0 for name in ("trunk/x", "trunk/z"))


def test_another_base_is_refused():
    with pytest.raises(InputError, match="known are floating, fixed, planar"):
        read(base="flying")


def test_a_floating_joint_on_the_root_is_a_free_joint_of_a_fixed_base():
    joint = named(read(elbow("floating", ""), trunk="", base="fixed").joints)["elbow"]
    assert (joint.type, joint.parent) == ("free", WORLD)
    assert "base='fixed'" in refusal(elbow("floating", ""))


def test_a_root_link_called_world_is_space():
    text = urdf(elbow("prismatic"), trunk="").replace("trunk", "world")
    description = read_urdf_text(text, "toy.urdf")
    assert [link.name for link in description.links] == ["arm"]
    assert [joint.parent for joint in description.joints] == [WORLD]
    assert any("'world' is the fixed world" in note for note in description.notes)
    message = text_refusal(urdf().replace("trunk", "world"))
    assert "reserved for the fixed world, and has a mass" in message


# ------------------------------------------------------------------------------------- rotors


def transmission(actuator, joints='<joint name="elbow"/>'):
    driven = f'{joints}<actuator name="m">{actuator}</actuator>'
    return f'<transmission name="drive">{driven}</transmission>'


RATIO, ROTOR = (
    "<mechanicalReduction>-100</mechanicalReduction>",
    "<rotorInertia>2e-4</rotorInertia>",
)


@pytest.mark.parametrize(
    ("actuator", "armature"),
    [
        (RATIO + ROTOR, 2.0),
        (ROTOR, 2e-4),
        (RATIO, 0.0),
        ('<drake:rotor_inertia value="3e-4"/><drake:gear_ratio value="10"/>', 0.03),
    ],
)
def test_armature_is_rotor_inertia_times_the_square_of_the_gear_ratio(actuator, armature):
    joint = named(read(rest=transmission(actuator)).joints)["elbow"]
    assert joint.armature == pytest.approx(armature, rel=1e-15)


def test_armature_may_be_given_at_the_joint():
    joint = read(elbow(inside=f'{LIMIT}<dynamics armature="0.3"/>')).joints[1]
    assert joint.armature == 0.3


def test_a_rotor_that_drives_two_joints_is_noted():
    two = '<joint name="elbow"/><joint name="other"/>'
    assert any("drive" in note for note in read(rest=transmission(ROTOR, two)).notes)
    assert "which is not a joint" in refusal(rest=transmission(ROTOR, '<joint name="other"/>'))


# ------------------------------------------------------------------------------------- refusals

ONE = '<robot name="r"><link name="a">{}</link></robot>'
GEOMETRY = "<collision><geometry>{}</geometry></collision>"


@pytest.mark.parametrize(
    ("joint", "finding"),
    [
        (elbow("planar"), "joint 'elbow' is planar, which is not simulated"),
        (elbow("screw"), "joint 'elbow' has type 'screw'; this reader knows revolute"),
        (elbow(inside=""), "joint 'elbow' is revolute and has no <limit>"),
        (elbow("prismatic", ""), "joint 'elbow' is prismatic and has no <limit>"),
        (elbow(inside='<limit lower="0" upper="1"/>'), "<limit> of joint 'elbow' has no effort"),
        (elbow(inside='<axis xyz="0 0 0"/>' + LIMIT), "joint 'elbow' has axis 0 0 0"),
        (elbow(inside='<axis xyz="1 0"/>' + LIMIT), 'has xyz "1 0"; expected 3 numbers'),
        (elbow(inside='<axis xyz="1 0 nan"/>' + LIMIT), "write finite numbers"),
        (elbow(inside='<axis xyz="1e999 0 0"/>' + LIMIT), "write finite numbers"),
        (elbow(inside='<axis xyz="1_0 0 0"/>' + LIMIT), "write finite numbers"),
        (elbow(inside='<axis xyz="1,0,0"/>' + LIMIT), "expected 3 numbers"),
        (elbow(inside='<origin xyz="1e300 0 0"/>' + LIMIT), "the maximum is 1e+15"),
        (elbow(inside=LIMIT + LIMIT), "joint 'elbow' has 2 elements <limit>; keep one"),
        (elbow(ends='<parent link="trunk"/>'), "joint 'elbow' has no <child>"),
        (
            elbow(ends='<parent link="a"/><child link="arm"/>'),
            "the parent 'a', which is not a link",
        ),
        (elbow(ends='<parent link="arm"/><child link="arm"/>'), "attaches link 'arm' to itself"),
        (JOINT + JOINT, "joint 'elbow' is already defined in line 1"),
        (JOINT + JOINT.replace("elbow", "b"), "link 'arm' is the child of joints 'elbow' and 'b'"),
        ("", "2 links have no parent, 'trunk', 'arm'; connect them"),
        ('<joint type="fixed">' + ENDS + "</joint>", "a <joint> has no name"),
        ('<joint name="j">' + ENDS + "</joint>", "joint 'j' has no type"),
        ("<xacro:macro/>", "turn xacro into URDF first"),
    ],
)
def test_joints_are_refused_by_name(joint, finding):
    assert finding in refusal(joint)


@pytest.mark.parametrize(
    ("inside", "finding"),
    [
        ('<inertial><mass value="1"/></inertial>', "of link 'a' has no <inertia>"),
        (BODY.replace('izz="2.5"', ""), "<inertia> of link 'a' has no izz"),
        (BODY.replace('value="2"', 'value="nan"'), "<mass> of link 'a' has value \"nan\""),
        (BODY.replace('value="2"', 'value=""'), "<mass> of link 'a' has no value"),
        (BODY + BODY, "link 'a' has 2 elements <inertial>"),
        ("<inertial><mas/>" + MASS + "</inertial>", "<inertial> of link 'a' has <mas>"),
        (BODY + GEOMETRY.format('<cone radius="1"/>'), "link 'a' has <cone>; known are box"),
        (BODY + GEOMETRY.format(""), "holds 0 shapes; expected one of box"),
        (BODY + GEOMETRY.format('<sphere radius="1"/><sphere radius="2"/>'), "2 elements <sphere>"),
        (BODY + "<collision/>", "<collision> of link 'a' has no <geometry>"),
        (BODY + GEOMETRY.format('<box size="1 1"/>'), "expected 3 numbers"),
        (BODY + GEOMETRY.format('<mesh filename="a.stl" scale="1 0 1"/>'), "does not exist"),
    ],
)
def test_links_are_refused_by_name(inside, finding):
    assert finding in text_refusal(ONE.format(inside))


@pytest.mark.parametrize(
    ("inside", "finding"),
    [
        (BODY.replace('value="2"', 'value="-2"'), "link 'a' has mass -2.0 kg"),
        (BODY.replace('ixx="1"', 'ixx="-1"'), "none may be negative"),
        (BODY.replace('izz="2.5"', 'izz="9"'), "none may exceed the sum of the other two"),
        (BODY.replace('value="2"', 'value="0"'), "link 'a' has mass 0 and inertia"),
        (BODY + GEOMETRY.format('<sphere radius="-1"/>'), "sizes must be positive"),
    ],
)
def test_impossible_numbers_reach_the_checks_as_they_are(inside, finding):
    assert finding in text_refusal(ONE.format(inside), error=DescriptionError)


def test_limits_in_the_wrong_order_are_refused():
    inside = '<limit lower="2" upper="-1" effort="1" velocity="1"/>'
    assert "has limits 2.0 to -1.0" in refusal(elbow(inside=inside), error=DescriptionError)


def test_a_cycle_is_refused_with_its_links():
    back = '<joint name="back" type="fixed"><parent link="arm"/><child link="trunk"/></joint>'
    message = refusal(JOINT + back)
    assert "form a cycle, trunk -> arm -> trunk" in message
    other = (
        '<link name="c"/><joint name="c" type="fixed"><parent link="arm"/><child link="c"/></joint>'
    )
    assert "form a cycle" in refusal(JOINT + back + other)


def test_two_links_of_one_name_are_refused_with_their_lines():
    text = f'<robot name="r">\n<link name="a">{BODY}</link>\n<link name="a"/></robot>'
    assert "line 3: link 'a' is already defined in line 2" in text_refusal(text)


def test_mimic_joints_move_by_themselves_or_are_held_if_asked():
    mimicking = elbow(inside=LIMIT + '<mimic joint="knee" multiplier="2"/>')
    for choice, kind in (("free", "revolute"), ("fixed", "fixed")):
        description = read(mimicking, mimic=choice)
        assert named(description.joints)["elbow"].type == kind
        assert f"mimic joints are {choice}: elbow" in description.notes
    with pytest.raises(InputError, match="known are followed, free, fixed"):
        read(mimicking, mimic="honoured")


def test_the_mimic_of_a_fixed_joint_is_ignored():
    description = read(elbow("fixed", '<mimic joint="knee"/>'))
    assert named(description.joints)["elbow"].type == "fixed"
    assert not description.loops
    assert "mimic ignored, because the joint is fixed: joints elbow" in description.notes


def test_a_limit_without_lower_and_upper_bounds_only_effort_and_speed():
    description = read(elbow(inside='<limit effort="2" velocity="3"/>'))
    joint = named(description.joints)["elbow"]
    assert (joint.lower, joint.upper) == (-inf, inf)
    assert (joint.effort_upper, joint.speed_limit) == (2.0, 3.0)
    note = "no limits, because <limit> has neither lower nor upper: joints elbow"
    assert note in description.notes


def test_a_sphere_of_radius_0_is_a_contact_point():
    [shape] = read(arm=BODY + GEOMETRY.format('<sphere radius="0"/>')).shapes
    assert shape.collides
    assert (shape.kind, shape.vertices) == ("points", ((0.0, 0.0, 0.0),))
    assert refusal(arm=BODY + GEOMETRY.format('<box size="0 1 1"/>'), error=DescriptionError)


def test_visual_shapes_of_size_0_are_left_out():
    seen = GEOMETRY.format('<box size="0 0 0"/>').replace("collision", "visual")
    description = read(arm=BODY + seen)
    assert not description.shapes
    assert not description.visuals
    assert "visual shapes of size 0 left out: those of link 'arm'" in description.notes


def test_a_floating_joint_further_down_is_refused():
    hand = (
        f'<link name="hand">{BODY}</link><joint name="wrist" type="floating">'
        '<parent link="arm"/><child link="hand"/></joint>'
    )
    assert "'wrist' is floating and attached to 'arm'" in refusal(rest=hand, base="fixed")


# --------------------------------------------------------------------------- texts that are broken

BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
XXE = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
CHAIN = "".join(
    f'<link name="l{i}">{BODY}</link><joint name="j{i}" type="continuous">'
    f'<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
    for i in range(5000)
)
BROKEN = {
    "empty": ("", "is empty; a URDF file has a <robot>"),
    "blank": (" \n", "is empty"),
    "no links": ('<robot name="r"/>', "has no <link>"),
    "no name": ("<robot/>", "a <robot> has no name"),
    "another root": ("<mujoco/>", "line 1: the root element is <mujoco>"),
    "truncated": (urdf()[:-20], "is not XML"),
    "truncated tag": (urdf()[:200], "is not XML"),
    "garbage": ("\x7fELF\x02\x01\x01" + "\x00\x8f" * 100, "is not XML"),
    "lone surrogate": ("<robot name='\ud800'/>", "is not text"),
    "entity bomb": (BOMB + '<robot name="&b;"/>', "declares the XML entity 'a'"),
    "external entity": (XXE + '<robot name="&x;"/>', "declares the XML entity 'x'"),
    "deep": ('<robot name="r">' + "<a>" * 100_000, "nested deeper than 500"),
    "deep link": (
        '<robot name="r"><link name="a">' + "<visual>" * 100_000,
        "<visual> of link 'a' has no <geometry>|nested deeper than 500",
    ),
    "long comment": (f"<!--{'x' * 8_000_000}-->" + urdf(), "a URDF file may have at most 8000000"),
    "chain": (
        f'<robot name="r">{CHAIN}<link name="l5000">{BODY}</link></robot>',
        "the maximum is 1000",
    ),
    "many links": (
        '<robot name="r">' + "".join(f'<link name="{i}"/>' for i in range(10_001)),
        "more than 10000 links",
    ),
    "many shapes": (
        ONE.format(GEOMETRY.format('<sphere radius="1"/>') * 34_000),
        "more than 100000 elements",
    ),
    "many attributes": (
        '<robot name="r" ' + " ".join(f'a{i}="1"' for i in range(200_000)) + "/>",
        "has no <link>",
    ),
}


MOST_CALLS = 10_000_000  # texts have up to 10 MB


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_text_is_answered_with_little_work(name):
    text, findings = BROKEN[name]
    messages = []

    def read():
        with pytest.raises((ModelFileError, DescriptionError)) as caught:
            read_urdf_text(text, "toy.urdf")
        messages.append(str(caught.value))

    assert calls_of(read) < MOST_CALLS
    message = messages[0]
    assert message.startswith("toy.urdf")
    assert any(finding in message for finding in findings.split("|")), message


def test_a_file_that_is_not_there_or_large_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_urdf(tmp_path)
    large = tmp_path / "large.urdf"
    with large.open("wb") as file:
        file.truncate(120_000_000)
    with pytest.raises(ModelFileError, match="has 120000000 bytes"):
        read_urdf(large)


def test_comments_and_declared_encodings_are_read():
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><!-- -- -->' + urdf().replace("arm", "Ärm")
    assert [link.name for link in read_urdf_text(text, "toy.urdf").links] == ["trunk", "Ärm"]


def test_broken_pieces_of_a_file_raise_only_our_errors():
    """Every prefix, and every file without one of its characters."""
    text = urdf(rest=transmission(RATIO + ROTOR), arm=BODY + GEOMETRY.format('<box size="1 1 1"/>'))
    for i in range(0, len(text), 3):
        for broken in (text[:i], text[:i] + text[i + 1 :], text[:i] + "9" + text[i + 1 :]):
            try:
                check(read_urdf_text(broken, "toy.urdf"))
            except StictionError as error:
                assert str(error).startswith("toy.urdf")


def test_bad_files_take_little_memory(tmp_path):
    """The worst of them, one after the other in one process; 500 MB were promised."""
    names = ("deep", "chain", "many links", "many shapes", "many attributes")
    for name in names:
        (tmp_path / f"{name}.urdf").write_text(BROKEN[name][0])
    (tmp_path / "faces.stl").write_bytes(bytes(80) + b"\xff\xff\xff\xff" + bytes(100))
    (tmp_path / "faces.urdf").write_text(ONE.format(BODY + mesh("faces.stl")))
    script = """
import sys
from pathlib import Path
from stiction.description.urdf import read_urdf
from stiction.errors import StictionError
for path in sorted(Path(sys.argv[1]).glob("*.urdf")):
    try:
        read_urdf(path)
        sys.exit(f"{path} was read")
    except StictionError:
        pass
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(peak[0].split()[1])  # not ru_maxrss, which begins with that of the parent
"""
    run = [sys.executable, "-c", script, str(tmp_path)]
    out = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True).stdout
    assert int(out) < 500_000  # [kB]


# --------------------------------------------------------------------------- shapes and meshes


def mesh(name, rest="", kind="collision"):
    inside = f'<mesh filename="{name}" {rest}/>'
    return f"<{kind}><geometry>{inside}</geometry></{kind}>"


TRIANGLES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
    <unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="s"><float_array id="f" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
      <technique_common><accessor source="#f" count="4" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
    </source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene"><node><translate>0 0 5</translate>
    <instance_geometry url="#g"><bind_material><technique_common>
      <instance_material symbol="gone" target="#gone"/></technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""


def nested_instances(depth, hide=False, target=""):
    """A COLLADA file with nodes that make two instances each of the next one."""
    two = '<instance_node url="{0}"/>' * 2
    nodes = "".join(
        f'<node id="n{k}">{two.format(target or f"#n{k + 1}")}</node>' for k in range(depth)
    )
    nodes += f'<node id="n{depth}"><instance_geometry url="#g"/></node>'
    library = f"<library_nodes>{nodes}</library_nodes>"
    if hide:  # from those who look for comments in the text
        library = f'<extra type="<!--"/>{library}<extra type="-->"/>'
    text = COLLADA.replace("<library_visual", f"{library}<library_visual")
    return text.replace(
        '<instance_geometry url="#g">', f"{two.format('#n0')}<instance_geometry>"
    ).encode()


def stl(corners=CORNERS, triangles=TRIANGLES):
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in corners[k]), 0)
        for face in triangles
    )
    return bytes(80) + struct.pack("<I", len(triangles)) + rows


def text_stl():
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*CORNERS[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in TRIANGLES
    )
    return f"solid s\n{facets}endsolid s\n".encode()


def obj():
    lines = ["mtllib ../../secret.mtl"]
    lines += ["v {} {} {}".format(*corner) for corner in CORNERS]
    lines += ["f {} {} {}".format(*(k + 1 for k in face)) for face in TRIANGLES]
    return "\n".join(lines).encode()


@pytest.fixture
def folder(tmp_path):
    """A package toy with urdf/ and meshes/, beside a folder that is none of its business."""
    for name in ("toy/urdf", "toy/meshes", "other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "toy/package.xml").write_text("<package/>")
    (tmp_path / "toy/meshes/part.stl").write_bytes(stl())
    (tmp_path / "other/part.stl").write_bytes(stl())
    return tmp_path


def shapes_of(inside, folder, **options):
    text = ONE.format(BODY + inside)
    return read_urdf_text(text, "toy.urdf", folder=folder / "toy/urdf", **options).shapes


def test_plain_shapes_have_half_extents_and_places():
    inside = (
        '<collision name="skin"><origin xyz="1 2 3"/><geometry><box size="2 4 6"/></geometry>'
        '</collision><visual><geometry><cylinder radius="1" length="3"/></geometry></visual>'
        '<visual><geometry><sphere radius="2"/></geometry></visual>'
        '<collision name="skin"><geometry><capsule radius="1" length="3"/></geometry></collision>'
    )
    skin, capsule, cylinder, sphere = shapes_of(inside, Path("/nowhere"))
    assert (skin.name, skin.kind, skin.size) == ("skin", "box", (1.0, 2.0, 3.0))
    assert (skin.position, skin.collides, skin.link) == ((1.0, 2.0, 3.0), True, "a")
    assert (capsule.name, capsule.kind, capsule.size) == ("a_collision_1", "capsule", (1.0, 1.5))
    assert (cylinder.kind, cylinder.size, cylinder.collides) == ("cylinder", (1.0, 1.5), False)
    assert (sphere.kind, sphere.size) == ("sphere", (2.0,))


@pytest.mark.parametrize(
    ("name", "data", "unit", "lift"),
    [
        ("a.stl", stl(), 1.0, 0.0),
        ("a.STL", text_stl(), 1.0, 0.0),
        ("a.obj", obj(), 1.0, 0.0),
        ("a.dae", COLLADA.encode(), 0.01, 5.0),
    ],
)
def test_a_mesh_becomes_the_vertices_of_its_hull(folder, name, data, unit, lift):
    (folder / "toy/meshes" / name).write_bytes(data)
    [shape] = shapes_of(mesh(f"../meshes/{name}", 'scale="1 2 -3"'), folder)
    wanted = (np.array(CORNERS) + [0, 0, lift]) * unit * [1, 2, -3]
    assert (shape.kind, shape.size) == ("hull", ())
    np.testing.assert_allclose(sorted(shape.vertices), sorted(wanted.tolist()), atol=1e-15)


def test_inner_points_are_left_out(tmp_path):
    box = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + [(0, 0, 0)]
    path = tmp_path / "box.stl"
    path.write_bytes(stl(box, [(0, 1, 2), (3, 4, 5), (6, 7, 8)]))
    assert sorted(map(tuple, read_hull(path).vertices)) == sorted(box[:8])


def test_a_flat_mesh_keeps_its_corners(tmp_path):
    square = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    path = tmp_path / "square.stl"
    path.write_bytes(stl(square, [(0, 1, 2), (1, 2, 3)]))
    assert sorted(map(tuple, read_hull(path).vertices)) == sorted(square)
    path.write_bytes(stl(square, [(0, 1, 2)]))
    with pytest.raises(ModelFileError, match="3 corners"):
        read_hull(path)


@pytest.mark.parametrize(
    "name", ["../meshes/part.stl", "package://toy/meshes/part.stl", "file://{toy}/meshes/part.stl"]
)
def test_meshes_of_the_own_package_are_found(folder, name):
    assert shapes_of(mesh(name.format(toy=folder / "toy")), folder)


@pytest.mark.parametrize("root", [".", "other"])
def test_meshes_of_other_packages_are_found_below_the_roots(folder, root):
    inside = mesh("package://other/part.stl")
    assert shapes_of(inside, folder, roots=[folder / root])
    with pytest.raises(ModelFileError, match="does not exist; add its folder"):
        shapes_of(inside, folder)


@pytest.mark.parametrize(
    "name",
    ["../../other/part.stl", "{folder}/other/part.stl", "file://{folder}/other/part.stl",
     "package://toy/../other/part.stl", "../meshes/link.stl", "http://host/part.stl",
     "package://../other/part.stl", "x" * 5000 + ".stl"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["collision", "visual"])
def test_a_path_that_leaves_the_roots_is_refused(folder, name, kind):
    (folder / "toy/meshes/link.stl").symlink_to(folder / "other/part.stl")
    with pytest.raises(ModelFileError, match="toy.urdf, line 1: mesh of link 'a'"):
        shapes_of(mesh(name.format(folder=folder), kind=kind), folder)


def test_a_missing_visual_mesh_is_noted_and_a_missing_collision_mesh_refused(folder):
    text = ONE.format(
        BODY + mesh("gone.stl", kind="visual") + mesh("../package.xml", kind="visual")
    )
    description = read_urdf_text(text, "toy.urdf", folder=folder / "toy/urdf")
    assert description.shapes == ()
    assert any("gone.stl, ../package.xml" in note for note in description.notes)
    with pytest.raises(ModelFileError, match=r"link 'a': '../package.xml' is not supported; known"):
        shapes_of(mesh("../package.xml"), folder)


@pytest.mark.parametrize(
    ("name", "data", "finding"),
    [
        ("a.stl", bytes(80) + b"\xff\xff\xff\xff" + bytes(100), "declares 4294967295 triangles"),
        ("b.stl", stl()[:-1], "declares 4 triangles"),
        ("c.stl", b"", "declares 0 triangles"),
        ("d.stl", b"solid s facet garbage", "cannot read it|holds no triangles"),
        ("e.stl", stl([(np.nan, 0, 0), *CORNERS[1:]]), "not finite"),
        ("f.obj", b"f 1 2 3\nf 99 98 97\n", "cannot read it|holds no triangles"),
        ("f2.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf\n", "cannot read it|holds no triangles"),
        ("g.obj", bytes(range(256)), "cannot read it|holds no triangles"),
        ("h.dae", b"", "is empty"),
        ("i.dae", b"<COLLADA/>", "cannot read it"),
        ("j.dae", COLLADA.encode()[:900], "is not XML"),
        ("k.dae", COLLADA.replace("1 2 3</p>", "1 2 77</p>").encode(), "cannot read it"),
        ("l.dae", (XXE + "<COLLADA/>").encode(), "declares the XML entity"),
        ("m.dae", COLLADA.replace("0.01", "0").encode(), "give its length in metres"),
        ("n.dae", nested_instances(18), "more than 4000000 indices"),
        ("o.dae", nested_instances(18, hide=True), "is not XML"),
        ("p.dae", nested_instances(400), "nodes in more than 100 others"),
        ("q.dae", nested_instances(1, target="#n0"), "or in themselves"),
    ],
)
def test_a_corrupt_mesh_is_refused_with_its_link(folder, name, data, finding):
    (folder / "toy/meshes" / name).write_bytes(data)
    with pytest.raises(ModelFileError) as caught:
        shapes_of(mesh(f"../meshes/{name}"), folder)
    message = str(caught.value)
    assert message.startswith("toy.urdf, line 1: mesh of link 'a':") and name in message
    assert any(each in message for each in finding.split("|")), message


# --------------------------------------------------------------------------- against Pinocchio


def compare_with_pinocchio(description, text):
    """H, b, forward dynamics and centre of mass in random states, each reader reading the text."""
    import pinocchio as pin

    from kernels.pinocchio_oracle import Oracle
    from kernels.test_pinocchio import ROUNDING, relative_error, samples
    from stiction.robot.robot import Robot
    from stiction.world.mechanics import bias_force, centre_of_mass, forward_dynamics, inertia
    from stiction.world.world import World

    world = World(Robot.from_description(description))
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    oracle = Oracle(model, world)
    assert world.nv > 12
    for q, v, u, _ in samples(world, 1 if jit_is_off() else 20):
        pairs = [
            (inertia(world, q), oracle.inertia(q)),
            (bias_force(world, q, v), oracle.bias_force(q, v)),
            (forward_dynamics(world, q, v, u), oracle.forward_dynamics(q, v, u)),
            (centre_of_mass(world, q), oracle.centre_of_mass(q)),
        ]
        for ours, theirs in pairs:
            assert relative_error(ours, theirs) <= ROUNDING


def test_sr1_agrees_with_pinocchio():
    path = data_file("robots", "openhrp3_sample", "SR1.urdf")
    description = read_urdf(path)
    assert sum(link.mass for link in description.links) == pytest.approx(130.8, rel=1e-12)
    compare_with_pinocchio(description, path.read_text())


def example_robot(name):
    """A file of the pip package example-robot-data, which only holds data."""
    try:
        package = distribution("example-robot-data")
    except PackageNotFoundError:
        missing("robots", "pip install stiction[robots] brings example-robot-data")
    path = Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots")) / name
    assert path.is_file(), path
    return path


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("talos_data/robots/talos_reduced.urdf", 60),
        ("solo_description/robots/solo12.urdf", 17),
    ],
)
def test_example_robots_agree_with_pinocchio(name, count):
    path = example_robot(name)
    description = read_urdf(path, mimic="free")  # as Pinocchio does unless told otherwise
    assert len(description.links) == count
    assert any(shape.kind == "hull" and shape.collides for shape in description.shapes)
    compare_with_pinocchio(description, path.read_text())


def test_icub_agrees_with_pinocchio():
    """It has links with mass and an inertia of mere rounding, such as 1.4e-20 kg m2."""
    path = example_robot("icub_description/robots/icub_reduced.urdf")
    compare_with_pinocchio(read_urdf(path), path.read_text())
