"""MuJoCo gets the files that were judged, from memory, and opens none itself."""

import os
import struct

import numpy as np
import pytest

from stiction.description.mjcf import read_mjcf, read_mjcf_text
from stiction.description.mjcf_text import scan
from stiction.description.xml_text import without_comments
from stiction.errors import ModelFileError

pytestmark = pytest.mark.interpreted

BODY = '<body name="{}"><joint/><geom size="0.1" mass="1"/></body>'
# everything between the two texts is a comment to whoever looks for <!-- in the bytes
HIDDEN = "<mujoco><custom><text name='x' data='<!--'/></custom>{}<custom><text name='y' data='-->'/></custom><worldbody>{}</worldbody></mujoco>"  # noqa: E501


def hidden(content):
    return HIDDEN.format(content, BODY.format("shown"))


def tetrahedron(size):
    """A binary STL file."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * size
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    rows = [struct.pack("<12fH", 0, 0, 0, *corners[face].ravel(), 0) for face in faces]
    return b"\0" * 80 + struct.pack("<I", 4) + b"".join(rows)


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "robots" / "one"
    inner.mkdir(parents=True)
    return inner


def refusal(path, text):
    path.write_text(text)
    with pytest.raises(ModelFileError) as caught:
        read_mjcf(path)
    return str(caught.value)


@pytest.mark.parametrize("begin", ["<!--", "&lt;!--"])  # as MuJoCo allows, and as XML does
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<include file='{secret}'/>", "outside the folders that may be read"),
        ("<asset><mesh file='{secret}'/></asset>", "outside the folders that may be read"),
        ("<asset><hfield nrow='65536' ncol='65536'/></asset>", 'nrow="65536"; the maximum is 4096'),
        ("<worldbody>" + "<body/>" * 60_000 + "</worldbody>", "more than 20000 elements"),
        ("<include file='pipe.xml'/>", "which is not a file"),
        ("<asset><texture file='pipe.xml'/></asset>", "which is not a file"),
    ],
    ids=["include", "mesh", "field", "bodies", "pipe", "texture"],
)
def test_what_stands_between_texts_that_look_like_a_comment_is_judged(
    begin, content, words, folder, tmp_path
):
    secret = tmp_path / "secret.xml"
    secret.write_text("<mujoco><worldbody>" + BODY.format("secret") + "</worldbody></mujoco>")
    os.mkfifo(folder / "pipe.xml")
    text = hidden(content.format(secret=secret)).replace("<!--", begin)
    message = refusal(folder / "robot.xml", text)
    assert ("is not XML" if begin == "<!--" else words) in message


def test_comments_that_other_readers_allow_are_still_allowed():
    text = f"<mujoco>\n<!-- a -- b\n -->\n<worldbody>{BODY.format('bar')}</worldbody></mujoco>"
    assert read_mjcf_text(text, "robot.xml").links[0].name == "bar"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (b"<a><!-- x -->\n</a>", b"<a>\n</a>"),
        (b"<a><!-- x\n\ny --></a>", b"<a>\n\n</a>"),
        (b"<a b='<!--'/><c d='-->'/>", b"<a b='<!--'/><c d='-->'/>"),
        (b"<a b='>' c='<!--'/><d e='-->'/>", b"<a b='>' c='<!--'/><d e='-->'/>"),
        (b'<a b="\'<!--"/><!-- x --><c/>', b'<a b="\'<!--"/><c/>'),
        (b"<![CDATA[<!--]]><b/><!-- x -->", b"<![CDATA[<!--]]><b/>"),
        (b"<?p <!-- ?><b/><!-- ?> -->", b"<?p <!-- ?><b/>"),
        (b"<a><!-- unfinished", b"<a><!-- unfinished"),
        (b"<a b='<!-- unfinished -->", b"<a b='<!-- unfinished -->"),
    ],
)
def test_comments_are_found_outside_tags_only(text, left):
    assert without_comments(text) == left


def test_mujoco_gets_the_elements_that_were_judged_on_their_lines():
    text = "<mujoco>\n<!-- <x/> -->\n <custom>\n  <text name='q'\n data='a&lt;b&amp;&quot;'/>\n</custom></mujoco>"  # noqa: E501
    scanned = scan(text.encode(), "robot.xml", top=True)
    written = scanned.text()
    assert written.splitlines()[3].startswith("<text ")
    assert "<x" not in written
    again = scan(written.encode(), "robot.xml", top=True)
    assert [event[1:] for event in again.events] == [event[1:] for event in scanned.events]


def test_what_is_outside_elements_does_not_reach_mujoco():
    text = f"<mujoco><worldbody>{BODY.format('bar')}</worldbody></mujoco>"
    assert scan(f"{text}<?p x?>".encode(), "robot.xml", top=True).text() == text.replace(
        "/>", "></{}>"
    ).format("joint", "geom")


def test_files_of_one_name_in_two_folders_are_told_apart(folder):
    for name, size in (("small", 1.0), ("large", 2.0)):
        (folder / name).mkdir()
        (folder / name / "part.stl").write_bytes(tetrahedron(size))
    meshes = "<mesh name='a' file='small/part.stl'/><mesh file='large/part.stl'/>"
    bodies = "".join(
        f"<body name='{name}'><joint/><geom type='mesh' mesh='{name}'/></body>"
        for name in ("a", "part")  # a mesh without a name has that of its file
    )
    path = folder / "robot.xml"
    path.write_text(f"<mujoco><asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>")
    small, large = (link.mass for link in read_mjcf(path).links)
    assert large == pytest.approx(8.0 * small)


def test_files_may_be_named_from_the_folder_of_the_included_file(folder):
    (folder / "parts").mkdir()
    (folder / "meshes").mkdir()
    (folder / "meshes" / "body.stl").write_bytes(tetrahedron(0.1))
    assets = "<mujoco><asset><mesh file='../meshes/body.stl'/></asset></mujoco>"
    (folder / "parts" / "assets.xml").write_text(assets)
    body = '<body name="b"><joint/><geom type="mesh" mesh="body" mass="1"/></body>'
    text = f"<mujoco><include file='parts/assets.xml'/><worldbody>{body}</worldbody></mujoco>"
    (folder / "toy.xml").write_text(text)
    [shape] = read_mjcf(folder / "toy.xml").shapes
    assert shape.kind == "hull"


def test_settings_of_folders_apply_to_meshes_of_included_files(folder):
    (folder / "parts").mkdir()
    (folder / "meshes").mkdir()
    (folder / "meshes" / "m.stl").write_bytes(tetrahedron(1.0))
    geom = "<worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>"
    (folder / "parts" / "part.xml").write_text(
        f"<mujoco><asset><mesh file='elsewhere/m.stl'/></asset>{geom}</mujoco>"
    )
    (folder / "robot.xml").write_text(
        "<mujoco><compiler meshdir='meshes' strippath='true'/><include file='parts/part.xml'/>"
        "</mujoco>"
    )
    assert read_mjcf(folder / "robot.xml").links[0].mass > 0.0


def test_attached_models_have_their_own_folders(folder):
    for name in ("arm", "leg"):
        (folder / name / "meshes").mkdir(parents=True)
        (folder / name / "meshes" / "m.stl").write_bytes(tetrahedron(1.0 + (name == "leg")))
        (folder / name / f"{name}.xml").write_text(
            f"<mujoco model='{name}'><compiler meshdir='meshes'/><asset><mesh file='m.stl'/>"
            "</asset><worldbody><body name='b'><joint/><geom type='mesh' mesh='m'/></body>"
            "</worldbody></mujoco>"
        )
    models = "".join(f"<model name='{name}' file='{name}/{name}.xml'/>" for name in ("arm", "leg"))
    attached = "".join(
        f"<frame><attach model='{name}' body='b' prefix='{name}_'/></frame>"
        for name in ("arm", "leg")
    )
    path = folder / "robot.xml"
    path.write_text(f"<mujoco><asset>{models}</asset><worldbody>{attached}</worldbody></mujoco>")
    masses = {link.name: link.mass for link in read_mjcf(path).links}
    assert masses["leg_b"] == pytest.approx(8.0 * masses["arm_b"])
    again = "<mujoco><asset><model file='arm.xml'/></asset></mujoco>"
    (folder / "arm" / "arm.xml").write_text(again)
    with pytest.raises(ModelFileError, match="more than 500 files"):
        read_mjcf(path)


def test_a_message_of_mujoco_has_the_names_of_the_file(folder):
    (folder / "broken.stl").write_bytes(b"nothing")
    asset = "<asset><mesh name='m' file='broken.stl'/></asset>"
    message = refusal(folder / "robot.xml", f"<mujoco>{asset}</mujoco>")
    assert "broken.stl" in message
    assert "stiction0" not in message
