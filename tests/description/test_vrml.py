"""VRML97 texts, good and broken: nodes out, or a message with file, line, finding and remedy."""

import os

import pytest

from mechanisms import calls_of
from stiction.description import vrml
from stiction.description.vrml import parse
from stiction.description.vrml_files import parse_vrml, read_vrml
from stiction.errors import ModelFileError

pytestmark = pytest.mark.interpreted


HEADER = "#VRML V2.0 utf8\n"
SMALL = (
    HEADER
    + """
# a comment with { [ " in it
PROTO Joint [
  exposedField MFNode children []
  exposedField MFFloat ulimit [ 1, 2 ]
  exposedField SFString name "nobody"
  exposedField SFNode inside Group { children [ Shape { } ] }
  eventIn SFBool turn
] { Transform { children IS children PROTO Inner [ ] { Group { } } } }
DEF TOP Joint {
  children [
    DEF BOLT Shape { geometry Box { size 1, 2 ,3 } appearance NULL }
    Transform { translation -1e-3 .5 +2. children USE BOLT }
    Script { url "javascript: {" field SFInt32 n 3 }
  ]
  name "a \\"quoted\\" \\\\ name"
}
NavigationInfo { headlight TRUE type [ "EXAMINE", "ANY" ] }
ROUTE TOP.translation TO BOLT.set_size
"""
)


def refusal(text, **options):
    with pytest.raises(ModelFileError) as caught:
        parse(HEADER + text, "robot.wrl", **options)
    message = str(caught.value)
    assert message.startswith("robot.wrl, line ")
    return message


def test_nodes_and_fields_are_those_of_the_text():
    joint, info = parse(SMALL, "small.wrl").nodes
    assert (joint.type, joint.name, info.type) == ("Joint", "TOP", "NavigationInfo")
    shape, transform, script = joint.field("children").values
    assert list(shape.field("geometry").values[0].field("size").values) == [1.0, 2.0, 3.0]
    assert list(transform.field("translation").values) == [-0.001, 0.5, 2.0]
    assert shape.field("appearance").values == []
    assert (script.type, script.fields) == ("Script", {})
    assert joint.field("name").values == ['a "quoted" \\ name']
    assert info.field("headlight").values == [True]
    assert info.field("type").values == ["EXAMINE", "ANY"]


def test_a_used_node_is_the_node_itself():
    shape, transform, _ = parse(SMALL, "small.wrl").nodes[0].field("children").values
    assert transform.field("children").values[0] is shape


def test_a_field_that_is_not_given_has_the_default_of_the_proto():
    joint = parse(SMALL, "small.wrl").nodes[0]
    assert list(joint.field("ulimit").values) == [1.0, 2.0]
    assert joint.field("inside").values[0].type == "Group"
    assert joint.field("unheard") is None


def test_single_values_and_lists_of_one_are_the_same():
    both = "Group { children Shape { } } Group { children [ Shape { } ] }"
    one, other = parse(HEADER + both, "robot.wrl").nodes
    assert [node.type for node in one.field("children").values] == ["Shape"]
    assert [node.type for node in other.field("children").values] == ["Shape"]


def test_line_ends_of_any_kind_count_and_end_comments():
    for end in ("\n", "\r\n", "\r"):
        text = (HEADER + "# comment {\nGroup { }\nGrup { }").replace("\n", end)
        with pytest.raises(ModelFileError, match="line 4: unknown node 'Grup'"):
            parse(text, "robot.wrl")


def test_many_numbers_are_read_as_they_are():
    numbers = [str(i * 0.37 - 5.0) for i in range(30_000)]
    text = "Coordinate { point [ " + ", ".join(numbers) + " # the end\n ] }"
    values = parse(HEADER + text, "robot.wrl").nodes[0].field("point").values
    assert list(values) == [float(word) for word in numbers]


def test_a_node_cut_anywhere_is_refused():
    start, end = SMALL.index("DEF TOP"), SMALL.index("NavigationInfo")
    parse(SMALL[:start], "small.wrl")
    for cut in range(start + 1, end - 1):
        with pytest.raises(ModelFileError, match=r"^small.wrl, line \d+: .*"):
            parse(SMALL[:cut], "small.wrl")


def test_a_header_cut_anywhere_is_refused():
    for cut in range(len(HEADER) - 1):
        with pytest.raises(ModelFileError, match="a VRML97 file begins with '#VRML V2.0 utf8'"):
            parse(HEADER[:cut], "small.wrl")


BROKEN = {
    "USE NOBODY": "no DEF before it has this name",
    "DEF A Group { children USE A }": "is inside DEF A",
    "DEF A Group { children [ Group { children [ USE A ] } ] }": "is inside DEF A",
    'Group { children [ Shape { appearance "open } ] }': "a string is not closed",
    "Group { children [ ": "the children of a Group without DEF is not closed",
    "DEF A Group { ": "Group 'A' is not closed; the file ends before its '}'",
    "Group { chidlren [ ] }": "has no field 'chidlren'; a Group has bboxCenter, bboxSize, children",
    "Box { size 1 1 1 size 1 1 1 }": "twice",
    "Box { size 1 nan 1 }": "'nan'",
    "Box { size nan 1 1 }": "has size 'nan'; give finite numbers",
    "Box { size 1 1 inf }": "'inf'",
    "Box { size 1 1 1e999 }": "'1e999' is not finite",
    "Box { size -1e999 1 1 }": "'-1e999' is not finite",
    "Box { size 1 1 1..2 }": "is not a number",
    "Box { size 1 - 2 }": "'-' is not a number",
    "Box { size 1 1x 2 }": "'1x' is not a number",
    "Box { size [ 1 [ 2 ] ] }": "has size followed by '['",
    "Box { size }": "has size followed by '}'",
    "Box { 1 }": "where a field name is expected",
    "Box [ ]": "is followed by '['; write '{'",
    'Switch { choice [ 1 "two" ] }': "has numbers and strings in choice",
    "Grup { }": "unknown node 'Grup'; declare its PROTO or remove it",
    "Group { children [ Shap { } ] }": "unknown node 'Shap'",
    "EXTERNPROTO Joint [ ] [ ]": "EXTERNPROTO 'Joint' is in another file",
    "PROTO Joint { }": "PROTO Joint is followed by '{'",
    "PROTO Joint [ field SFLoat x 0 ] { }": "a field of type 'SFLoat'",
    "PROTO Joint [ feild SFFloat x 0 ] { }": "has 'feild' in its interface",
    "PROTO J [ field SFFloat x 0 field SFFloat x 1 ] { }": "declares 'x' twice",
    "PROTO Joint [ ] { Group { }": "PROTO 'Joint' is not closed",
    "Group { } ]": "is outside any node",
    "DEF Group": "DEF Group is followed by the end of the file",
    "\x00": "is not VRML97",
    "'": "is not VRML97",
}


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_broken_is_named_with_its_line(text):
    message = refusal("\n\n" + text)
    assert BROKEN[text] in message
    assert message.startswith("robot.wrl, line 4: ")


@pytest.mark.parametrize(
    "opening", ["Group { children [ ", "Group { children ", "{", "[", "PROTO A [ "]
)
def test_deep_nesting_is_refused_at_once(opening):
    text = opening * 100_000
    assert calls_of(lambda: refusal(text)) < 20_000  # for 100,000 openings


def test_nesting_up_to_the_limit_is_read():
    deep = "Group { children " * 199 + "Group { }" + " }" * 199
    assert parse(HEADER + deep, "robot.wrl").count == 200
    assert "nested deeper than 200 nodes" in refusal(f"Group {{ children {deep} }}")


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(vrml, "MOST_NODES", 100)
    parse(HEADER + "Group { }" * 100, "robot.wrl")
    assert "more than 100 nodes" in refusal("Group { }" * 101)


def test_a_script_and_a_proto_with_unclosed_braces_are_refused():
    assert "is not closed" in refusal("Script { { }")
    assert "is followed by" in refusal("PROTO A [ ] [ ]")


def folder_with(tmp_path, **files):
    for name, text in files.items():
        (tmp_path / f"{name}.wrl").write_text(HEADER + text)
    return tmp_path


def file_refusal(path, roots=()):
    with pytest.raises(ModelFileError) as caught:
        read_vrml(path, roots, {})
    return str(caught.value)


def test_an_inline_holds_the_nodes_of_its_file(tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    folder_with(parts, arm='Inline { url [ "nowhere.wrl" "hand.wrl" ] }', hand="DEF HAND Shape { }")
    folder_with(tmp_path, top='Group { children Inline { url "parts/arm.wrl" } }')
    top = read_vrml(tmp_path / "top.wrl", [], {})
    inner = top[0].field("children").values[0].inlined[0]
    assert [node.name for node in inner.inlined] == ["HAND"]


def test_an_inline_is_found_in_a_root(tmp_path):
    roots = [tmp_path / "meshes"]
    roots[0].mkdir()
    folder_with(roots[0], foot="DEF FOOT Shape { }")
    (node,) = parse_vrml(HEADER + 'Inline { url "foot.wrl" }', "robot.wrl", roots, {})
    assert node.inlined[0].name == "FOOT"
    with pytest.raises(ModelFileError, match=r"robot.wrl, line 2: .* no folder may be read"):
        parse_vrml(HEADER + 'Inline { url "foot.wrl" }', "robot.wrl", [], {})


def test_inlines_that_go_round_are_refused(tmp_path):
    folder_with(
        tmp_path,
        self='Inline { url "self.wrl" }',
        one='Inline { url "two.wrl" } Inline { url "three.wrl" }',
        two='Inline { url "three.wrl" }',
        three='Inline { url "two.wrl" }',
    )
    for name in ("self", "one", "two"):
        assert "inlines this file again" in file_refusal(tmp_path / f"{name}.wrl")


def test_inlines_nested_too_deep_are_refused(tmp_path):
    for i in range(30):
        folder_with(tmp_path, **{f"f{i}": f'Inline {{ url "f{i + 1}.wrl" }}'})
    assert "nested deeper than 20 files" in file_refusal(tmp_path / "f0.wrl")


@pytest.mark.parametrize("url", ["../secret.wrl", "{outside}", "link.wrl", "sub/../../secret.wrl"])
def test_a_path_that_leaves_its_root_is_refused(tmp_path, url):
    (tmp_path / "inside" / "sub").mkdir(parents=True)
    folder_with(tmp_path, secret="Group { }")
    os.symlink(tmp_path / "secret.wrl", tmp_path / "inside" / "link.wrl")
    url = url.format(outside=tmp_path / "secret.wrl")
    folder_with(tmp_path / "inside", top=f'Inline {{ url "{url}" }}')
    assert "which is outside" in file_refusal(tmp_path / "inside" / "top.wrl")
    assert read_vrml(tmp_path / "inside" / "top.wrl", [tmp_path], {})[0].inlined


@pytest.mark.parametrize(
    "url", ["http://example.com/a.wrl", "file:///etc/passwd", "gone.wrl", "a\x00b", "x" * 5000, ""]
)
def test_a_url_that_is_no_file_is_refused(tmp_path, url):
    folder_with(tmp_path, top=f'Inline {{ url "{url}" }}')
    assert "top.wrl, line 2: an Inline without DEF has url" in file_refusal(tmp_path / "top.wrl")


def test_links_that_go_round_are_refused(tmp_path):
    os.symlink(tmp_path / "b.wrl", tmp_path / "a.wrl")
    os.symlink(tmp_path / "a.wrl", tmp_path / "b.wrl")
    folder_with(tmp_path, top='Inline { url "a.wrl" }')
    assert "which is not a file in" in file_refusal(tmp_path / "top.wrl")
    assert "is not a file" in file_refusal(tmp_path / "a.wrl")


FILES = {
    b"": "begins with b''",
    b"#VRML V1.0 ascii\n": "begins with b'#VRML V1.0 ascii'; a VRML97 file begins with",
    b"\x7fELF\x02\x01\x00\xff\xfe": "begins with",
    b"\x1f\x8b\x08\x00": "is compressed; unpack it",
    HEADER.encode() + b"\x00\xff\xfe\x01" * 50: "is not VRML97",
    HEADER.encode() + bytes(range(128, 256)): "is outside any node",
}


@pytest.mark.parametrize("data", FILES, ids=range(len(FILES)))
def test_a_file_that_is_not_vrml97_is_refused(tmp_path, data):
    (tmp_path / "robot.wrl").write_bytes(data)
    message = file_refusal(tmp_path / "robot.wrl")
    assert "robot.wrl" in message
    assert FILES[data] in message


def test_comments_may_be_in_another_encoding_and_a_byte_order_mark_is_passed(tmp_path):
    text = b"\xef\xbb\xbf" + HEADER.encode() + "# 日本語\n".encode("shift_jis") + b"Group { }"
    (tmp_path / "robot.wrl").write_bytes(text)
    assert read_vrml(tmp_path / "robot.wrl", [], {})[0].type == "Group"


def test_a_huge_file_a_folder_and_nothing_are_refused_at_once(tmp_path):
    with open(tmp_path / "huge.wrl", "wb") as file:
        file.write(HEADER.encode())
        file.truncate(120_000_000)  # a hole: no bytes are written
    assert "has 120000000 bytes; a model file may have at most 64000000" in file_refusal(
        tmp_path / "huge.wrl"
    )
    assert "is not a file" in file_refusal(tmp_path)
    assert "is not a file" in file_refusal(tmp_path / "gone.wrl")
    with pytest.raises(ModelFileError, match="characters"):
        parse(HEADER + " " * 64_000_000, "robot.wrl")
