"""A file with several problems is refused once, with all of them."""

from dataclasses import replace

import numpy as np
import pytest

from description.bad_inputs import mjcf
from description.test_checks import GOOD, HIP, LEG, TRUNK
from description.test_openhrp import HEADER
from description.test_urdf import mesh, stl
from stiction.description.checks import check
from stiction.description.mjcf import read_mjcf_text
from stiction.description.openhrp import read_openhrp_text
from stiction.description.plain import MOST_LISTED
from stiction.description.reading import Reading
from stiction.description.urdf import read_urdf, read_urdf_text
from stiction.errors import DescriptionError, ModelFileError

pytestmark = pytest.mark.interpreted


def told(kind, read, *arguments, **options):
    """The lines of the message."""
    with pytest.raises(kind) as caught:
        read(*arguments, **options)
    return str(caught.value).splitlines()


def test_everything_that_mujoco_simulates_and_we_do_not_is_listed():
    rest = """<equality><weld body1="trunk" body2="arm"/>
      <tendon name="taut" tendon1="string"/></equality>
      <tendon><fixed name="string" stiffness="1"><joint joint="elbow" coef="1"/></fixed></tendon>
      <actuator><muscle name="biceps" joint="elbow"/><motor name="pull" tendon="string"/></actuator>
      <worldbody><body name="hand" mocap="true"/></worldbody>
      <option density="1.2"/>"""
    first, *lines = told(ModelFileError, read_mjcf_text, mjcf(rest=rest), "arm.xml")
    assert first == f"arm.xml: {len(lines)} problems:"
    wanted = ["constraint 'taut' of kind tendon", "tendon 'string'", "mocap body 'hand'",
              "density is 1.2", "'biceps' has dyntype", "'pull' has trntype"]  # fmt: skip
    for words in wanted:
        [line] = [line for line in lines if words in line]
        assert "; remove it from the file" in line


def test_tendons_and_the_resistance_of_free_joints_are_ignored_if_asked():
    loose = """<mujoco model="loose"><default><joint damping="1" armature="0.1"/></default>
      <worldbody><body name="trunk"><joint name="float" type="free"/><geom size="0.1"/>
        <body><joint name="elbow" damping="2"/><geom size="0.1"/></body></body></worldbody>
      <tendon><fixed name="string" range="0 1"><joint joint="elbow" coef="1"/></fixed></tendon>
    </mujoco>"""
    _, *lines = told(ModelFileError, read_mjcf_text, loose, "loose.xml")
    assert len(lines) == 3
    assert all(line.endswith("or load with unsimulated='ignored'") for line in lines)
    description = read_mjcf_text(loose, "loose.xml", Reading(unsimulated="ignored"))
    assert description.joints[0].damping == description.joints[0].armature == 0.0
    assert description.joints[1].damping == 2.0
    what = "tendon 'string', damping on free joint 'float', armature on free joint 'float'"
    assert f"ignored, because not simulated: {what}" in description.notes
    pulled = loose.replace("</mujoco>", '<actuator><motor tendon="string"/></actuator></mujoco>')
    with pytest.raises(ModelFileError, match="trntype"):
        read_mjcf_text(pulled, "loose.xml", Reading(unsimulated="ignored"))


def test_all_bad_links_and_joints_of_a_description_are_listed():
    links = (replace(TRUNK, mass=-1.0), replace(LEG, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 9.0)))
    broken = replace(GOOD, links=links, joints=(GOOD.joints[0], replace(HIP, damping=-1.0)))
    first, *lines = told(DescriptionError, check, broken)
    assert first == "hopper.xml: 3 problems:"
    assert "link 'trunk' has mass -1.0" in lines[0]
    assert "link 'leg' has principal moments" in lines[1]
    assert "joint 'hip' has damping -1.0" in lines[2]


def test_a_long_list_ends_with_a_count():
    links = tuple(replace(LEG, name=f"leg{i}", mass=-1.0) for i in range(MOST_LISTED + 20))
    joints = tuple(replace(HIP, name=f"hip{i}", child=f"leg{i}") for i in range(len(links)))
    broken = replace(GOOD, links=(TRUNK, *links), joints=(GOOD.joints[0], *joints))
    broken = replace(broken, shapes=(), frames=(), sensors=(), actuators=(), keyframes=())
    broken = replace(broken, contact_pairs=(), contact_excludes=())
    lines = told(DescriptionError, check, broken)
    assert lines[0] == f"hopper.xml: {MOST_LISTED + 20} problems:"
    assert (len(lines), lines[-1]) == (MOST_LISTED + 2, "  and 20 more")


INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{}"/></inertial>"""


def urdf_link(name, largest=1, rest=""):
    return f'<link name="{name}">{INERTIAL.format(largest)}{rest}</link>'


def urdf_joint(child, kind, rest=""):
    return f"""<joint name="to_{child}" type="{kind}"><parent link="trunk"/><child link="{child}"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/>{rest}</joint>"""


def test_joints_inertias_and_meshes_of_a_urdf_are_listed_together(tmp_path):
    (tmp_path / "cut.stl").write_bytes(b"\0" * 100)
    cube = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    outwards = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5),
               (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 7, 3), (1, 5, 7)]  # fmt: skip
    inwards = [(a, c, b) for a, b, c in outwards]
    (tmp_path / "inside.stl").write_bytes(stl(cube, inwards))
    (tmp_path / "good.stl").write_bytes(stl(cube, outwards))
    meshes = "".join(map(mesh, ("lost.stl", "cut.stl", "inside.stl", "good.stl")))
    text = f"""<robot name="toy">{urdf_link("trunk", 9, meshes)}
    {urdf_link("a")}{urdf_link("b")}{urdf_link("c", 7)}
    {urdf_joint("a", "planar")}{urdf_joint("b", "revolute", '<mimic joint="to_c"/>')}
    {urdf_joint("c", "revolute")}</robot>"""
    path = tmp_path / "toy.urdf"
    path.write_text(text)
    first, *lines = told(ModelFileError, read_urdf, path)
    assert first == f"{path}: 5 problems:"
    wanted = ["'to_a' is planar", "'lost.stl' does not exist", "cut.stl: has 100 bytes",
              "'trunk' has principal moments", "'c' has principal moments"]  # fmt: skip
    for words, line in zip(wanted, lines, strict=True):
        assert words in line
    path.write_text(text.replace("lost", "good").replace("cut", "good").replace("inside", "good"))
    assert len(told(ModelFileError, read_urdf, path)) == 4


def test_a_mesh_whose_hull_is_used_may_be_inside_out(tmp_path):
    tetrahedron = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    inwards = [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]
    (tmp_path / "part.stl").write_bytes(stl(tetrahedron, inwards))
    seen = mesh("part.stl").replace("collision", "visual")
    text = f'<robot name="toy">{urdf_link("trunk", 1, seen)}</robot>'
    [shape] = read_urdf_text(text, "toy.urdf", folder=tmp_path).shapes
    assert not shape.collides
    touched = read_urdf_text(text.replace("visual", "collision"), "toy.urdf", folder=tmp_path)
    assert [shape.kind for shape in touched.shapes] == ["hull"]
    assert "meshes inside out, of which the hull is used: part.stl" in touched.notes


def test_a_flat_mesh_may_be_seen_but_not_touched(tmp_path):
    square = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    (tmp_path / "part.stl").write_bytes(stl(square, [(0, 1, 2), (1, 3, 2)]))
    text = f'<robot name="toy">{urdf_link("trunk", 1, mesh("part.stl"))}</robot>'
    with pytest.raises(DescriptionError, match="is a flat hull.*; give it a thickness"):
        read_urdf_text(text, "toy.urdf", folder=tmp_path)
    text = text.replace("collision", "visual")
    [shape] = read_urdf_text(text, "toy.urdf", folder=tmp_path).shapes
    assert np.ptp(shape.vertices, axis=0).tolist() == [1.0, 1.0, 0.0]


def test_all_tracks_of_a_vrml_file_are_listed():
    body = "Segment { mass 1 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] }"
    track = 'DEF {} Joint {{ jointType "crawler" jointAxis 0 1 0 children [ {} ] }}'
    tracks = f"{track.format('LEFT', body)}\n{track.format('RIGHT', body)}"
    root = f'DEF W Joint {{ jointType "free" children [ {body} {tracks} ] }}'
    text = f"{HEADER}DEF toy Humanoid {{ humanoidBody [ {root} ] }}"
    first, *lines = told(ModelFileError, read_openhrp_text, text, "toy.wrl")
    assert first == "toy.wrl: 2 problems:"
    for words, line in zip(("'LEFT' has", "'RIGHT' has"), lines, strict=True):
        assert words in line
        assert line.lstrip().startswith("toy.wrl, line ")
