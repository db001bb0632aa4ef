"""Impossible inertias are refused, or repaired with the least change that makes them possible."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.optimize import minimize

import stiction as st
from stiction.description.checks import check, complaints
from stiction.description.description import WORLD, Description, Joint, Link
from stiction.description.mjcf import read_mjcf_text
from stiction.description.reading import Reading
from stiction.description.repair import LEAST_MASS, LEAST_MOMENT, nearest_inertia, repaired
from stiction.description.rotation import six, symmetric
from stiction.description.urdf import read_urdf_text
from stiction.errors import DescriptionError, InputError, ModelFileError

pytestmark = pytest.mark.interpreted
REPAIR = Reading("repair")
ROUND = (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
NO_INERTIA = (0.0,) * 6
TRUNK = Link("trunk", 2.0, (0.0, 0.0, 0.1), ROUND)
FREE = Joint("base", "free", WORLD, "trunk")
ABOUT_Y = Joint("hip", "revolute", "trunk", "leg", axis=(0.0, 1.0, 0.0))


def robot_of(links, joints):
    return Description("hopper", "hopper.xml", tuple(links), tuple(joints))


def with_leg(mass, inertia, **changes):
    leg = Link("leg", mass, (0.0, 0.0, 0.0), inertia)
    return robot_of([TRUNK, leg], [FREE, replace(ABOUT_Y, **changes)])


def inertia_of(description, name):
    [link] = [link for link in description.links if link.name == name]
    return symmetric(link.inertia)


# ---------------------------------------------------------------------------------- nearest inertia


@pytest.mark.parametrize(
    "moments, nearest",
    [
        ((1, 1, 3), (4 / 3, 4 / 3, 8 / 3)),  # a plate: the plane z = x + y is 1/sqrt(3) away
        ((-1, 1, 1), (0, 1, 1)),  # a rod
        ((0, 0, 3), (1, 1, 2)),
        ((-1, -1, -1), (0, 0, 0)),
        ((2, 3, 4), (2, 3, 4)),  # possible, and so its own nearest
    ],
)
def test_nearest_moments(moments, nearest):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    found = nearest_inertia(turn @ np.diag(np.array(moments, float)) @ turn.T)
    np.testing.assert_allclose(found, turn @ np.diag(nearest) @ turn.T, atol=1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_no_possible_inertia_is_nearer(seed):
    """An inertia is possible if it comes from second moments B B^T: then it is tr(B B^T) - B B^T.

    SciPy minimises over B, which also lets the axes turn.
    """
    rng = np.random.default_rng(seed)
    wanted = rng.normal(size=(3, 3))
    wanted += wanted.T

    def apart(numbers):
        B = numbers.reshape(3, 3)
        return np.linalg.norm(np.trace(B @ B.T) * np.eye(3) - B @ B.T - wanted) ** 2

    best = min(minimize(apart, rng.normal(size=9), tol=1e-14).fun for _ in range(5))
    found = np.linalg.norm(nearest_inertia(wanted) - wanted) ** 2
    assert found == pytest.approx(best, rel=1e-6, abs=1e-9)


# ------------------------------------------------------------------------------------- descriptions


@pytest.mark.parametrize("inertia", [(1.0, 0, 0, 1.0, 0, 3.0), (-1.0, 0, 0, 1.0, 0, 1.0)])
def test_a_strict_reader_names_the_option_that_repairs(inertia):
    with pytest.raises(DescriptionError, match="link 'leg' .*inertia='repair'"):
        check(with_leg(1.0, inertia))


def test_a_repaired_description_passes_and_tells_what_was_changed():
    mended = repaired(with_leg(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 3.0)))
    check(mended)
    np.testing.assert_allclose(inertia_of(mended, "leg"), np.diag([4, 4, 8]) / 3, rtol=1e-12)
    assert mended.links[0] == TRUNK
    [note] = mended.notes
    assert "link 'leg'" in note
    assert "1 1 3 kg m2 are impossible, now 1.333 1.333 2.667" in note


def test_a_good_description_is_left_alone():
    good = with_leg(1.0, ROUND)
    assert repaired(good) == good


def test_inertia_without_mass_is_dropped():
    mended = repaired(with_leg(0.0, ROUND, type="fixed"))
    check(mended)
    assert mended.links[1].inertia == NO_INERTIA
    assert "link 'leg', which has no mass, dropped" in mended.notes[0]


def test_a_massless_link_behind_a_joint_gets_a_little_inertia():
    broken = with_leg(0.0, NO_INERTIA)
    with pytest.raises(DescriptionError, match="neither the link nor its descendants have mass"):
        check(broken)
    mended = repaired(broken)
    check(mended)
    given = LEAST_MOMENT * 0.15  # the sum of m r^2 of the trunk is half its trace of 0.3
    np.testing.assert_allclose(inertia_of(mended, "leg"), given * np.eye(3), rtol=1e-12)
    assert mended.links[1].mass == pytest.approx(LEAST_MASS * 2.0)
    assert "link 'leg' increased by 0.0002 kg and 1.5e-07 kg m2" in mended.notes[0]


def test_a_massless_root_that_could_turn_by_itself_is_refused_and_repaired():
    """The inertia of the whole robot is there, but not for a turn of the root about the hinge."""
    root = Link("root", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)
    rod = Link("rod", 3.0, (0.0, 0.0, -1.0), ROUND)
    joints = [replace(FREE, child="root"), replace(ABOUT_Y, parent="root", child="rod")]
    broken = robot_of([root, rod], joints)
    [complaint] = complaints(broken)
    assert "moves link 'root', which has no inertia of its own" in complaint
    assert "base='fixed'" in complaint
    mended = repaired(broken)
    check(mended)
    assert [link.mass > 0.0 for link in mended.links] == [True, True]


def test_massless_links_between_crossed_hinges_need_nothing():
    cross = Link("cross", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)
    leg = Link("leg", 1.0, (0.0, 0.0, -0.3), ROUND)
    first = Joint("roll", "revolute", "trunk", "cross", axis=(1.0, 0.0, 0.0))
    second = replace(ABOUT_Y, parent="cross")
    check(robot_of([TRUNK, cross, leg], [FREE, first, second]))
    parallel = replace(second, axis=(1.0, 0.0, 0.0))  # the cross turns by itself
    with pytest.raises(DescriptionError, match="moves link 'cross'"):
        check(robot_of([TRUNK, cross, leg], [FREE, first, parallel]))
    check(robot_of([TRUNK, cross, leg], [FREE, replace(first, armature=0.01), parallel]))


@pytest.mark.parametrize("seed", range(20))
def test_the_check_agrees_with_the_smallest_eigenvalue_of_the_joint_space_inertia(seed):
    """Random trees with massless links: MuJoCo's inertia matrix is singular where we complain."""
    rng = np.random.default_rng(seed)
    bodies, closing = [], 0
    for i in range(6):
        axis = ["1 0 0", "0 1 0", "0 0 1"][rng.integers(3)]
        massless = rng.random() < 0.5
        mass, moment = (1e-13, 1e-13) if massless else (1.0, 0.1)
        place = " ".join(f"{x:.3f}" for x in rng.integers(-1, 2, 3))
        joint = "<freejoint/>" if i == 0 else f'<joint type="hinge" axis="{axis}"/>'
        moments = f'diaginertia="{moment} {moment} {moment}"'
        inertial = f'<inertial pos="{place}" mass="{mass}" {moments}/>'
        bodies.append(f'<body name="b{i}">{joint}{inertial}')
        closing += 1
        while closing and rng.random() < 0.3 and i:
            bodies.append("</body>")
            closing -= 1
        if not closing:
            break
    text = f"<mujoco><worldbody>{''.join(bodies)}{'</body>' * closing}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    H = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, H)
    singular = np.linalg.eigvalsh(H)[0] < 1e-9
    try:
        read_mjcf_text(text, "tree.xml")
        refused = False
    except DescriptionError:
        refused = True
    assert refused == singular


# -------------------------------------------------------------------------------------------- files


def urdf(base="", arm="", joint='type="continuous"'):
    arm = arm or '<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    return f"""<robot name="toy"><link name="base_link">{base}</link>
    <link name="arm"><inertial>{arm}</inertial></link>
    <joint name="j" {joint}><parent link="base_link"/><child link="arm"/></joint></robot>"""


TINY = "".join(f' i{axes}="1e-6"' for axes in ("xx", "xy", "xz", "yy", "yz", "zz"))
DUMMY = f'<inertial><mass value="1e-6"/><inertia{TINY}/></inertial>'  # of ANYmal, Go1, HyQ, iCub


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_the_dummy_roots_of_well_known_robots_load(kind):
    text = urdf(DUMMY, joint=f'type="{kind}"')
    with pytest.raises(DescriptionError, match="link 'base_link'.*inertia='repair'"):
        read_urdf_text(text, "toy.urdf")
    description = read_urdf_text(text, "toy.urdf", reading=REPAIR)
    free = [joint for joint in description.joints if joint.type == "free"]
    assert len(free) == 1
    assert any("now 1e-06 1e-06 2e-06" in note for note in description.notes)


def test_a_root_without_mass_from_which_the_robot_floats_is_the_world():
    for base in ("", DUMMY.replace(TINY, TINY.replace('ixy="1e-6" ixz', 'ixy="0" ixz'))):
        reading = REPAIR if base else Reading()
        found = read_urdf_text(urdf(base, joint='type="floating"'), "toy.urdf", reading=reading)
        assert [joint.type for joint in found.joints] == ["fixed", "free"]
        assert any(
            "'base_link', a dummy that the robot floats from" in note for note in found.notes
        )
    heavy = DUMMY.replace('"1e-6"/>', '"1"/>', 1)
    with pytest.raises(ModelFileError, match="is floating, and so is the root"):
        read_urdf_text(urdf(heavy, joint='type="floating"'), "toy.urdf", reading=REPAIR)


def test_a_massless_root_on_a_hinge_needs_a_fixed_base_or_repair():
    with pytest.raises(DescriptionError, match="base='fixed'"):
        read_urdf_text(urdf(), "toy.urdf")
    assert len(read_urdf_text(urdf(), "toy.urdf", base="fixed").links) == 2
    notes = read_urdf_text(urdf(), "toy.urdf", reading=REPAIR).notes
    assert any("link 'base_link' increased by 0.0002 kg" in note for note in notes)


BODY = '<body name="arm"><freejoint/><inertial pos="0 0 1" mass="2" {}/>{}</body>'


def mjcf(inertia, inner=""):
    body = BODY.format(inertia, inner)
    return f"<mujoco><worldbody>{body}</worldbody></mujoco>"


@pytest.mark.parametrize(
    "inertia, expected",
    [
        ('diaginertia="1 1 3"', np.diag([4, 4, 8]) / 3.0),
        ('fullinertia="1 1 1 2 0 0"', None),
        ('quat="0.5 0.5 0.5 0.5" diaginertia="1 1 3"', np.diag([8, 4, 4]) / 3.0),  # z turned to x
        ('euler="0 90 0" diaginertia="1 1 3"', np.diag([8, 4, 4]) / 3.0),
    ],
)
def test_an_inertia_that_mujoco_rejects_is_repaired_before_it_sees_it(inertia, expected):
    with pytest.raises(ModelFileError, match="inertia='repair'"):
        read_mjcf_text(mjcf(inertia), "arm.xml")
    description = read_mjcf_text(mjcf(inertia), "arm.xml", REPAIR)
    if expected is None:
        expected = nearest_inertia(np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    least = LEAST_MOMENT * np.trace(expected)  # a rod that floats gets some about its axis
    np.testing.assert_allclose(inertia_of(description, "arm"), expected, atol=least)
    assert any("inertia of link 'arm' repaired" in note for note in description.notes)


def test_a_massless_body_of_mjcf_gets_a_little_inertia():
    text = mjcf('diaginertia="1 1 1"', '<body name="tip"><joint axis="0 1 0"/></body>')
    with pytest.raises(ModelFileError, match="inertia='repair'"):
        read_mjcf_text(text, "arm.xml")
    description = read_mjcf_text(text, "arm.xml", REPAIR)
    [tip] = [link for link in description.links if link.name == "tip"]
    assert tip.mass == pytest.approx(LEAST_MASS * 2.0)
    assert np.array(tip.inertia) == pytest.approx(six(LEAST_MOMENT * 1.5 * np.eye(3)))


def test_a_negative_mass_is_not_repaired():
    with pytest.raises(ModelFileError, match="mass"):
        read_mjcf_text(mjcf('diaginertia="1 1 1"').replace('"2"', '"-2"'), "arm.xml", REPAIR)
    arm = '<mass value="-2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    with pytest.raises(DescriptionError, match="mass -2"):
        read_urdf_text(urdf(arm=arm), "toy.urdf", base="fixed", reading=REPAIR)


def test_load_takes_the_option_and_the_robot_has_the_notes(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(mjcf('diaginertia="1 1 3"'))
    robot = st.load(path, inertia="repair")
    assert any("inertia of link 'arm' repaired" in note for note in robot.notes)
    np.testing.assert_allclose(robot.inertia[0], six(np.diag([4, 4, 8]) / 3.0), atol=1e-9)
    with pytest.raises(InputError, match="inertia is 'mend'; known are strict, repair"):
        st.load(path, inertia="mend")
    for wrong in (3, 64.0, True):
        with pytest.raises(InputError, match="hull_points"):
            st.load(path, hull_points=wrong)
