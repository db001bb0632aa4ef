"""`load` tells formats apart by what is in the file."""

import pytest

import stiction as st
from stiction.errors import DescriptionError, InputError, ModelFileError
from stiction.robot.load import format_of

MJCF = """<?xml version="1.0"?>
<!-- a <robot> in a comment -->
<mujoco model="clock"><worldbody><body name="rod">
<joint axis="0 1 0"/><geom size="0.1" pos="0 0 -1" mass="3"/></body></worldbody></mujoco>
"""
URDF = """<robot name="clock">
<link name="wall"/>
<link name="rod"><inertial><mass value="3"/><origin xyz="0 0 -1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="pin" type="continuous"><axis xyz="0 1 0"/>
<parent link="wall"/><child link="rod"/></joint>
</robot>
"""
INERTIAL = URDF[URDF.index("<inertial>") : URDF.index("</link>\n<joint")]
VRML = """#VRML V2.0 utf8
PROTO Humanoid [ field MFNode humanoidBody [] field SFString name "" ] {}
PROTO Joint [ field SFString jointType "free" field SFInt32 jointId -1 field MFNode children [] ] {}
PROTO Segment [ field SFFloat mass 0 field SFVec3f centerOfMass 0 0 0
  field MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] field MFNode children [] ] {}
DEF clock Humanoid { humanoidBody [ DEF rod Joint { jointType "free" children [
  DEF body Segment { mass 3 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] } ] } ] }
"""


@pytest.mark.parametrize("name", ["clock.xml", "clock.txt", "clock"])
def test_the_content_decides_and_not_the_name(name, tmp_path):
    for text, kind in ((MJCF, "mjcf"), (URDF, "urdf"), (VRML, "vrml")):
        path = tmp_path / name
        path.write_text(text)
        assert format_of(path) == kind
        assert st.load(path, base="fixed" if kind == "urdf" else None).total_mass == 3.0
    st.load(path).save(path)
    assert format_of(path) == "npz"
    assert st.load(path).total_mass == 3.0


def test_a_urdf_stands_as_it_is_told(tmp_path):
    path = tmp_path / "clock.urdf"
    path.write_text(URDF)
    assert st.load(path, base="fixed").nv == 1
    path.write_text(URDF.replace('<link name="wall"/>', f'<link name="wall">{INERTIAL}</link>'))
    assert st.load(path, base="floating").nv == 7
    assert st.load(path, base="planar").nv == 4
    with pytest.raises(InputError, match="base"):
        st.load(path, base="flying")


def test_mimic_joints_are_what_they_are_told_to_be(tmp_path):
    path = tmp_path / "clock.urdf"
    path.write_text(URDF.replace("</joint>", '<mimic joint="pin"/></joint>'))
    with pytest.raises(DescriptionError, match="'pin_mimic' couples joint 'pin' with 'pin'"):
        st.load(path, base="fixed")
    assert st.load(path, base="fixed", mimic="free").nv == 1
    with pytest.raises(InputError, match="mimic"):
        st.load(path, mimic="refused")


def test_a_base_is_only_for_files_that_do_not_say(tmp_path):
    path = tmp_path / "clock.xml"
    path.write_text(MJCF)
    with pytest.raises(
        InputError, match="base='fixed' is only for URDF, VRML and OpenSim files; this is mjcf"
    ):
        st.load(path, base="fixed")


@pytest.mark.parametrize("content", [b"", b"hello", b"<svg/>", bytes(range(256))])
def test_an_unknown_format_lists_the_known_ones(content, tmp_path):
    path = tmp_path / "robot.dat"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"robot\.dat: unknown format.*MJCF.*URDF.*VRML"):
        st.load(path)


def test_a_motion_is_no_robot(tmp_path):
    path = tmp_path / "motion.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n<p>")
    with pytest.raises(ModelFileError, match="is an HDF5 file, such as a motion.*a robot is MJCF"):
        st.load(path)


@pytest.mark.parametrize("suffix", [".xml", ".urdf", ".wrl", ".npz"])
def test_a_known_suffix_lets_its_reader_tell_what_is_wrong(suffix, tmp_path):
    path = tmp_path / f"robot{suffix}"
    path.write_bytes(b"hello")
    with pytest.raises(ModelFileError, match="robot"):
        st.load(path)
