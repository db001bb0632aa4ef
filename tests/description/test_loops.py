"""Loop closures of the three formats as plain data."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from conftest import data_file
from description.test_checks import GOOD
from description.test_openhrp import HEADER
from stiction.description.checks import complaints
from stiction.description.description import WORLD, Loop
from stiction.description.mjcf import read_mjcf, read_mjcf_text
from stiction.description.mjcf_tree import offsets_of
from stiction.description.openhrp import read_openhrp_text
from stiction.description.rotation import matrix
from stiction.description.urdf import read_urdf_text
from stiction.errors import DescriptionError, ModelFileError

pytestmark = pytest.mark.interpreted
CHAIN = """<mujoco><worldbody><body name="a" pos="0 0 1" euler="10 20 30"><freejoint/>
<geom size="0.1"/><site name="s" pos="0.1 0.2 0.3" euler="40 0 0"/>
<body name="b" pos="0.3 0 0" euler="0 50 0"><joint name="u" pos="0.1 0.1 0" axis="0 1 0" ref="20"/>
<geom size="0.1"/>
<body name="c" pos="0 0.4 0"><joint name="v" pos="0 0.2 0.1" axis="1 0 0"/><geom size="0.1"/>
<site name="t" pos="0.3 0.2 0.1" euler="0 0 70"/></body></body></body></worldbody>
<equality>{}</equality></mujoco>"""
CLOSURES = {
    "connect": '<connect name="k" body1="a" body2="c" anchor="0.1 -0.2 0.3"/>',
    "connect to the world": '<connect name="k" body1="c" anchor="0.1 -0.2 0.3"/>',
    "connect of sites": '<connect name="k" site1="s" site2="t"/>',
    "weld": '<weld name="k" body1="a" body2="c" anchor="0.1 0.2 0.5"/>',
    "weld at a pose": '<weld name="k" body1="a" body2="c" relpose="0 0.2 0.3 0.5 0.5 0.5 -0.5"/>',
    "weld of sites": '<weld name="k" site1="s" site2="t"/>',
}


@pytest.mark.parametrize("equality", CLOSURES.values(), ids=CLOSURES)
def test_the_residual_of_a_closure_is_that_of_mujoco(equality):
    """In a configuration that does not fulfil it: the distance, and for welds the rotation."""
    text = CHAIN.format(equality)
    [loop] = read_mjcf_text(text, "chain.xml").loops
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = np.random.default_rng(7).normal(size=model.nq)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_forward(model, data)
    offsets = offsets_of(model)
    points, turns = [], []
    for link, point, turn in zip(
        (loop.first, loop.second), loop.positions, loop.quaternions, strict=True
    ):
        body = 0 if link == WORLD else model.body(link).id
        R = data.xmat[body].reshape(3, 3)
        points.append(data.xpos[body] + R @ (offsets[body] + point))
        turns.append(R @ matrix(turn))
    residual = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    np.testing.assert_allclose(points[0] - points[1], residual[:3], atol=1e-12)
    assert np.linalg.norm(residual[:3]) > 0.01
    assert loop.kind == equality[1:].split()[0]
    if loop.kind == "weld":
        cosine = (np.trace(turns[1].T @ turns[0]) - 1.0) / 2.0
        sine = np.sqrt((1.0 - cosine) / 2.0)  # of half the angle; MuJoCo's residual, torquescale 1
        assert np.linalg.norm(residual[3:]) == pytest.approx(sine, abs=1e-12)


def test_the_polynomial_of_two_joints_is_that_of_mujoco():
    text = CHAIN.format('<joint joint1="u" joint2="v" polycoef="0.1 0.2 0.3 0.4 0.5"/>')
    [loop] = read_mjcf_text(text, "chain.xml").loops
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[7:] = 0.7, -0.4
    mujoco.mj_forward(model, data)
    u, v = np.array((0.7, -0.4)) - loop.references
    wanted = u - np.polynomial.polynomial.polyval(v, loop.coefficients)
    assert (loop.kind, loop.first, loop.second) == ("joint", "u", "v")
    assert loop.references[0] == pytest.approx(np.deg2rad(20.0))
    assert data.efc_pos[0] == pytest.approx(wanted, abs=1e-12)


def test_cassie_has_four_closures():
    """Two rods of each leg."""
    path = data_file("robots", "mujoco_menagerie", "agility_cassie", "cassie.xml")
    description = read_mjcf(path)
    assert [loop.kind for loop in description.loops] == ["connect"] * 4


def test_a_joint_that_is_held_has_no_second_one():
    [loop] = read_mjcf_text(CHAIN.format('<joint joint1="u"/>'), "chain.xml").loops
    assert (loop.first, loop.second) == ("u", "")


def test_an_inactive_constraint_is_no_loop_and_a_tendon_stays_refused():
    inactive = '<connect body1="a" body2="c" anchor="0 0 0" active="false"/>'
    assert read_mjcf_text(CHAIN.format(inactive), "chain.xml").loops == ()
    tendon = (
        '<tendon><fixed name="string" stiffness="1"><joint joint="u" coef="1"/></fixed></tendon>'
    )
    text = CHAIN.format(f"{CLOSURES['weld']}</equality>{tendon}<equality>")
    with pytest.raises(ModelFileError, match="^chain.xml: tendon 'string'"):
        read_mjcf_text(text, "chain.xml")


GRIPPER = """<mujoco><worldbody>
<body name="a"><joint name="p" axis="0 1 0"/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><joint name="q" axis="0 1 0"/><geom size=".1"/></body></worldbody>
<tendon><fixed name="split" {}><joint joint="p" coef=".5"/><joint joint="q" coef=".25"/></fixed>
</tendon><equality><joint joint1="p" joint2="q" polycoef="{}"/></equality>
<actuator><position name="close" tendon="split" kp="10" gear="3"/></actuator></mujoco>"""


def test_a_tendon_over_coupled_joints_is_a_gear():
    """MuJoCo's force along both joints does the same work."""
    text = GRIPPER.format("", "0 2 0 0 0")
    [motor] = read_mjcf_text(text, "gripper.xml").actuators
    assert (motor.joint, motor.gear) == ("p", 3.0 * (0.5 + 0.25 / 2.0))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.ctrl[:] = (0.4, 0.2), 0.7
    mujoco.mj_forward(model, data)
    force = motor.gear * (10.0 * 0.7 - 10.0 * motor.gear * 0.4)
    assert force == pytest.approx(data.qfrc_actuator @ (1.0, 0.5), abs=1e-12)


STIFF, BENT, SHIFTED = ('stiffness="1"', "0 2 0 0 0"), ("", "0 2 1 0 0"), ("", "1 2 0 0 0")


@pytest.mark.parametrize("given", [STIFF, BENT, SHIFTED])
def test_another_tendon_is_refused(given):
    with pytest.raises(ModelFileError, match="tendon 'split'"):
        read_mjcf_text(GRIPPER.format(*given), "gripper.xml")


MIMIC = """<robot name="hand"><link name="palm">{0}</link><link name="a">{0}</link>
<link name="b">{0}</link>{1}{2}</robot>"""
INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""


def finger(name, rest=""):
    return f"""<joint name="to_{name}" type="continuous"><parent link="palm"/>
    <child link="{name}"/><axis xyz="0 1 0"/>{rest}</joint>"""


@pytest.mark.parametrize(
    "given, coefficients", [("", (0.0, 1.0)), ('multiplier="-2" offset="0.3"', (0.3, -2.0))]
)
def test_a_mimic_joint_follows_a_line(given, coefficients):
    mimic = f'<mimic joint="to_a" {given}/>'
    text = MIMIC.format(INERTIAL, finger("a"), finger("b", mimic))
    description = read_urdf_text(text, "hand.urdf")
    [loop] = description.loops
    assert (loop.kind, loop.first, loop.second) == ("joint", "to_b", "to_a")
    assert loop.coefficients == coefficients
    assert [joint.type for joint in description.joints] == ["free", "revolute", "revolute"]
    assert read_urdf_text(text, "hand.urdf", mimic="free").loops == ()
    with pytest.raises(DescriptionError, match="names joint 'to_c', which does not exist"):
        read_urdf_text(text.replace('mimic joint="to_a"', 'mimic joint="to_c"'), "hand.urdf")


def test_an_extra_joint_holds_points_of_two_links_together():
    body = "Segment { mass 1 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] }"
    arm = f'DEF ARM Joint {{ jointType "rotate" jointAxis 0 1 0 children {body} }}'
    root = f'DEF W Joint {{ jointType "free" children [ {body} {arm} ] }}'
    extra = """DEF PIN ExtraJoint { link1Name "W" link2Name "ARM" link1LocalPos 1 2 3
    link2LocalPos 4 5 6 jointType "xy" jointAxis 0 0 2 }"""
    text = f"{HEADER}DEF toy Humanoid {{ humanoidBody [ {root} ] }}\n{extra}"
    [loop] = read_openhrp_text(text, "toy.wrl").loops
    points = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert loop == Loop("PIN", "line", "W", "ARM", points, axis=(0.0, 0.0, 1.0))
    with pytest.raises(DescriptionError, match="loop 'PIN' names link 'LEG'"):
        read_openhrp_text(text.replace('"ARM" l', '"LEG" l'), "toy.wrl")


@pytest.mark.parametrize(
    "loop, words",
    [
        (Loop("pin", "glue", "trunk", "leg"), "'pin' is of kind 'glue'"),
        (Loop("pin", "weld", "trunk", "arm"), "names link 'arm'"),
        (Loop("pin", "joint", "hip", "knee", coefficients=(0.0, 1.0)), "names joint 'knee'"),
        (Loop("pin", "joint", "hip", "hip", coefficients=(0.0, 1.0)), "couples joint 'hip'"),
        (Loop("pin", "connect", "trunk", "leg", axis=(2.0, 0.0, 0.0)), "unit length"),
        (Loop("pin", "joint", "hip", "", coefficients=(np.nan,)), "not finite"),
        (Loop("pin", "joint", "base", "", coefficients=(0.0,)), "free joint 'base'"),
    ],
)
def test_a_bad_loop_is_named(loop, words):
    [complaint] = complaints(replace(GOOD, loops=(loop,)))
    assert words in complaint
