"""Bad inputs by format, and what is said to each; run as a script, writes docs/bad_inputs.md.

The rows are those of a comparison of simulators: 24 inputs of which each simulator crashed at some,
or went on in silence. To these come inputs that only one format can have, and hostile files.
"""

import contextlib
import json
import os
import re
import resource
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import stiction as st
from stiction.errors import StictionError
from stiction.robot.load import load

DOCUMENT = Path(__file__).parents[2] / "docs" / "bad_inputs.md"
LARGEST = 500_000_000  # [bytes] of memory beside what the interpreter and the readers take
SUFFIXES = {"MJCF": ".xml", "URDF": ".urdf", "VRML": ".wrl"}
DEEP, LONG, HUGE = 100_000, 5000, 100_000_000

Maker = Callable[[Path], object]  # writes the file, and others beside it


class Case(NamedTuple):
    """A file that must be refused."""

    name: str
    format: str
    content: str | bytes | Maker
    words: str  # that the message must contain, separated by " | "
    heavy: bool = False  # loaded in another process, under a limit of memory

    def write(self, folder: Path) -> Path:
        path = folder / f"robot{SUFFIXES[self.format]}"
        if isinstance(self.content, str):
            path.write_text(self.content)
        elif isinstance(self.content, bytes):
            path.write_bytes(self.content)
        else:
            self.content(path)
        return path


def corrupt_stl() -> bytes:
    """A binary STL file whose header promises four thousand million triangles."""
    return b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50


def with_file(text: str, name: str, content: str | bytes) -> Maker:
    """Write the robot, and another file beside it."""

    def write(path: Path) -> None:
        path.write_text(text)
        beside = path.parent / name
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write


def with_pipe(text: str, name: str) -> Maker:
    """Write the robot, and make a named pipe beside it."""

    def write(path: Path) -> None:
        path.write_text(text)
        os.mkfifo(path.parent / name)

    return write


def filled(begin: str, end: str) -> Maker:
    """A file of HUGE bytes, most of them spaces between `begin` and `end`."""

    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.write(begin.encode())
            for _ in range(HUGE // 1_000_000):
                file.write(b" " * 1_000_000)
            file.write(end.encode())

    return write


GARBAGE = bytes((7 * i * i + 3 * i) % 251 for i in range(5000))
BOMB = "\n".join(f'<!ENTITY b{i + 1} "{f"&b{i};" * 10}">' for i in range(12))
HEADS = {
    "entity bomb": f'<!DOCTYPE r [<!ENTITY b0 "ha">\n{BOMB}]>\n',
    "external entity": '<!DOCTYPE r [<!ENTITY secret SYSTEM "file:///etc/passwd">]>\n',
}

# --------------------------------------------------------------------------------------------- MJCF

INERTIAL = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'


def mjcf(arm: str = INERTIAL, joint: str = 'axis="0 1 0"', rest: str = "", head: str = "") -> str:
    return f"""<mujoco model="toy">{head}
  <worldbody>
    <body name="trunk">
      <freejoint name="root"/>
      {INERTIAL}
      <body name="arm" pos="0 0 -1">
        <joint name="elbow" {joint}/>
        {arm}
      </body>
    </body>
  </worldbody>
{rest}</mujoco>
"""


def mjcf_mesh(file: str) -> str:
    asset = f'\n  <asset>\n    <mesh name="shin" file="{file}"/>\n  </asset>'
    return mjcf(INERTIAL + '<geom type="mesh" mesh="shin"/>', head=asset)


def mjcf_chain(count: int) -> str:
    links = [
        f'<body name="link{i}" pos="0 0 -.1"><joint axis="0 1 0"/>{INERTIAL}\n'
        for i in range(count)
    ]
    return f"<mujoco><worldbody>{''.join(links)}{'</body>' * count}</worldbody></mujoco>"


def mjcf_cases() -> Iterator[Case]:
    def inertial(mass: str = "2", inertia: str = 'diaginertia="1 1 1"') -> str:
        return mjcf(f'<inertial pos="0 0 0" mass="{mass}" {inertia}/>')

    twice = mjcf(rest=f'<worldbody><body name="arm">{INERTIAL}</body></worldbody>\n')
    cases = {
        "zero mass of a moving link": (inertial("0", 'diaginertia="0 0 0"'), "arm"),
        "negative mass": (inertial("-2"), "arm"),
        "inertia not positive definite": (
            inertial("2", 'fullinertia="1 1 1 2 0 0"'),
            "arm",
        ),
        "inertia violates the triangle inequality": (inertial("2", 'diaginertia="1 1 3"'), "arm"),
        "mass nan": (inertial("nan"), 'line 8 | <inertial> | mass="nan" | finite'),
        "zero joint axis": (mjcf(joint='axis="0 0 0"'), "elbow | line 7"),
        "missing mesh": (mjcf_mesh("shin.stl"), "shin"),
        "corrupt mesh (4e9 triangles)": (
            with_file(mjcf_mesh("shin.stl"), "shin.stl", corrupt_stl()),
            "shin",
        ),
        "cycle": (
            with_file(
                mjcf(rest='<include file="again.xml"/>\n'),
                "again.xml",
                '<mujoco><include file="again.xml"/></mujoco>',
            ),
            "again.xml",
        ),
        "link that is its own parent": (mjcf(rest='<include file="robot.xml"/>\n'), "robot.xml"),
        "duplicate names": (twice, "arm"),
        "truncated file": (mjcf()[:250], "line"),
        "empty file": ("", "empty | <mujoco>"),
        "entity bomb": (HEADS["entity bomb"] + mjcf("&b12;"), "line 1 | entity 'b0'"),
        "external entity": (
            HEADS["external entity"] + mjcf("&secret;"),
            "line 1 | entity 'secret'",
        ),
        "100 000 nested elements": (
            f"<mujoco><worldbody>{'<body>' * DEEP}{'</body>' * DEEP}</worldbody></mujoco>",
            "<body> | deeper than 500",
        ),
        "100 MB comment": (filled("<mujoco><!--", "--></mujoco>"), "bytes | may have"),
        "chain of 5000 links": (mjcf_chain(LONG), "deeper than 500 | reduce"),
        "path outside its root": (mjcf(rest='<include file="../../etc/passwd"/>'), "passwd"),
        "mesh path outside its root": (mjcf_mesh("../../../../../../etc/passwd"), "passwd"),
        "binary garbage": (GARBAGE, "not XML | <mujoco>"),
        "garbage after a valid start": (mjcf()[:200].encode() + GARBAGE, "not XML"),
        "root element of another format": ("<sdf version='1.9'/>", "<sdf> | <mujoco>"),
        "included file outside its folder": (
            with_file(mjcf(rest='<include file="../part.xml"/>\n'), "../part.xml", mjcf()),
            "line 12 | ../part.xml | outside | roots",
        ),
        "named pipe as a mesh": (with_pipe(mjcf_mesh("shin.stl"), "shin.stl"), "line 3 | shin.stl"),
        "a million copies (replicate)": (
            mjcf('<replicate count="1000000"><geom size="1"/></replicate>'),
            "line 8 | <replicate> | more than 20000 elements",
        ),
        "100 000 bodies": (
            mjcf(INERTIAL + "<body><geom size='1'/></body>\n" * 100_000),
            "more than 20000 elements",
        ),
        "height field of 65536 x 65536": (
            mjcf(head='<asset><hfield nrow="65536" ncol="65536" size="1 1 1 1"/></asset>'),
            "line 1 | <hfield> | 4096",
        ),
        "model without a file": (
            mjcf(head="<asset><model name='leg'/></asset>"),
            "line 1 | <model> has no file",
        ),
        "ten million keyframes": (
            mjcf(rest='<size nkey="10000000"/>\n'),
            "line 12 | <size> | nkey",
        ),
        "unknown joint type": (mjcf(joint='type="screw"'), "screw | line 7"),
        "unknown attribute": (mjcf(joint='axes="0 1 0"'), "axes | line 7"),
        "lower limit above upper limit": (
            mjcf(joint='axis="0 1 0" range="1 -1"'),
            "line 7 | 'elbow' | lower",
        ),
        "actuator on a missing joint": (
            mjcf(rest='<actuator><motor name="m" joint="knee"/></actuator>\n'),
            "knee",
        ),
    }
    yield from in_format("MJCF", cases)


# --------------------------------------------------------------------------------------------- URDF

UNIT = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
BODY = f'<inertial><mass value="2"/>{UNIT}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="30" velocity="4"/>'


def urdf(arm: str = BODY, joint: str = LIMIT, ends: str = "trunk arm", rest: str = "") -> str:
    parent, child = ends.split()
    return f"""<robot name="toy">
  <link name="trunk">{BODY}</link>
  <link name="arm">
    {arm}
  </link>
  <joint name="elbow" type="revolute">
    <parent link="{parent}"/><child link="{child}"/>
    {joint}
  </joint>
{rest}</robot>
"""


def urdf_mesh(file: str) -> str:
    mesh = f'<geometry><mesh filename="{file}"/></geometry>'
    return urdf(f"{BODY}\n    <collision>{mesh}</collision>")


def urdf_joint(name: str, parent: str, child: str, kind: str = "continuous") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'  <joint name="{name}" type="{kind}">{ends}</joint>\n'


def urdf_chain(count: int) -> str:
    links = [f'<link name="link{i}">{BODY}</link>\n' for i in range(count)]
    joints = [urdf_joint(f"joint{i}", f"link{i - 1}", f"link{i}") for i in range(1, count)]
    return f'<robot name="chain">{"".join(links + joints)}</robot>'


def urdf_cases() -> Iterator[Case]:
    def inertial(mass: str = "2", xx: str = "1") -> str:
        inertia = UNIT.replace('ixx="1"', f'ixx="{xx}"')
        return urdf(f'<inertial><mass value="{mass}"/>{inertia}</inertial>')

    weightless = '<inertial><mass value="0"/>' + UNIT.replace('"1"', '"0"') + "</inertial>"
    third = f'  <link name="third">{BODY}</link>\n'
    cases = {
        "zero mass of a moving link": (urdf(weightless), "'elbow' | 'arm' | mass | give"),
        "negative mass": (inertial("-2"), "'arm' | mass -2 | positive"),
        "inertia not positive definite": (inertial(xx="-1"), "'arm' | moments | negative"),
        "inertia violates the triangle inequality": (inertial(xx="3"), "'arm' | sum of the other"),
        "mass nan": (inertial("nan"), "line 4 | <mass> of link 'arm' | \"nan\" | finite"),
        "zero joint axis": (urdf(joint=LIMIT + '<axis xyz="0 0 0"/>'), "line 6 | 'elbow' | 0 0 0"),
        "missing mesh": (urdf_mesh("shin.stl"), "line 5 | link 'arm' | 'shin.stl' | roots"),
        "corrupt mesh (4e9 triangles)": (
            with_file(urdf_mesh("shin.stl"), "shin.stl", corrupt_stl()),
            "line 5 | link 'arm' | shin.stl | 4000000000 triangles | export",
        ),
        "cycle": (
            urdf(rest=third + urdf_joint("a", "arm", "third") + urdf_joint("b", "third", "trunk")),
            "trunk | form a cycle | tree",
        ),
        "link that is its own parent": (urdf(ends="arm arm"), "'elbow' | 'arm' to itself | name"),
        "two roots": (urdf(rest=third), "'trunk', 'third' | join"),
        "duplicate names": (
            urdf(rest=f'  <link name="arm">{BODY}</link>\n'),
            "line 10 | link 'arm' | line 3",
        ),
        "truncated file": (urdf()[:250], "not XML | line"),
        "empty file": ("", "empty | <robot>"),
        "entity bomb": (HEADS["entity bomb"] + urdf("&b12;"), "line 1 | entity 'b0'"),
        "external entity": (
            HEADS["external entity"] + urdf("&secret;"),
            "line 1 | entity 'secret'",
        ),
        "100 000 nested elements": (
            f'<robot name="deep">{"<link>" * DEEP}{"</link>" * DEEP}</robot>'.replace(
                "<link>", '<link name="a">', 1
            ),
            "<link> | deeper than 500",
        ),
        "100 MB comment": (filled('<robot name="a"><!--', "--></robot>"), "bytes | may have"),
        "chain of 5000 links": (urdf_chain(LONG), "'link1000' | the maximum is 1000"),
        "path outside its root": (
            urdf_mesh("../../etc/passwd"),
            "line 5 | link 'arm' | passwd | outside | roots",
        ),
        "absolute path outside its root": (
            urdf_mesh("file:///etc/passwd"),
            "line 5 | link 'arm' | passwd | outside | roots",
        ),
        "binary garbage": (GARBAGE, "not XML | <robot>"),
        "garbage after a valid start": (urdf()[:200].encode() + GARBAGE, "not XML"),
        "root element of another format": ("<sdf version='1.9'/>", "<sdf> | <robot>"),
        "unknown joint type": (
            urdf().replace("revolute", "screw"),
            "line 6 | 'elbow' | screw | knows",
        ),
        "joint with a missing link": (urdf(ends="trunk leg"), "line 6 | 'elbow' | 'leg'"),
        "link with two parents": (
            urdf(rest=third + urdf_joint("a", "third", "arm")),
            "line 11 | 'arm' | 'elbow' and 'a'",
        ),
        "lower limit above upper limit": (
            urdf(joint=LIMIT.replace('"-1"', '"2"')),
            "'elbow' | 2.0 to 1.0 | lower",
        ),
    }
    yield from in_format("URDF", cases)


# --------------------------------------------------------------------------------------------- VRML

HEADER = "#VRML V2.0 utf8\n"
MOMENTS = "1 0 0  0 1 0  0 0 1"


def segment(mass: str = "2", moments: str = MOMENTS, children: str = "") -> str:
    return f"""DEF ARM_LINK Segment {{
          mass {mass}
          momentsOfInertia [ {moments} ]
          children [ {children} ]
        }}"""


def vrml(arm: str = "", joint: str = 'jointAxis "Y"', rest: str = "", outside: str = "") -> str:
    return f"""{HEADER}DEF ROBOT Humanoid {{
  humanoidBody [ DEF TRUNK Joint {{
    jointType "free"
    children [
      DEF TRUNK_LINK Segment {{ mass 2 momentsOfInertia [ {MOMENTS} ] }}
      DEF ARM Joint {{
        jointType "rotate"
        {joint}
        children {arm or segment()}
      }}
    ]
  }} {rest} ]
}}
{outside}"""


def vrml_inline(url: str) -> str:
    return vrml(segment(children=f'Inline {{ url "{url}" }}'))


def vrml_chain(count: int) -> str:
    links = [
        f'DEF J{i} Joint {{ jointType "rotate" jointAxis "Y" children [ {segment()}\n'
        for i in range(count)
    ]
    return f"{HEADER}DEF R Humanoid {{ humanoidBody [ {''.join(links)} {'] }' * count} ] }}"


def vrml_cases() -> Iterator[Case]:
    groups = [f"DEF G{i + 1} Group {{ children [ {f'USE G{i} ' * 10}] }}" for i in range(12)]
    bomb = vrml(segment(children="\n".join(["DEF G0 Group { }", *groups])))
    faces = "geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 ] } coordIndex [ 4e9 ] }"
    empty_joint = 'DEF {} Joint {{ jointType "fixed" jointAxis "Y" }}'
    cases = {
        "zero mass of a moving link": (
            vrml(segment("0", "0 0 0 0 0 0 0 0 0")),
            "'ARM' | mass | give",
        ),
        "negative mass": (vrml(segment("-2")), "line 11 | 'ARM_LINK' | mass -2 | negative"),
        "inertia not positive definite": (
            vrml(segment(moments="-1 0 0  0 1 0  0 0 1")),
            "'ARM' | moments | negative",
        ),
        "inertia violates the triangle inequality": (
            vrml(segment(moments="1 0 0  0 1 0  0 0 3")),
            "'ARM' | sum of the other",
        ),
        "mass nan": (vrml(segment("nan")), "line 11 | 'ARM_LINK' | mass 'nan' | finite"),
        "zero joint axis": (vrml(joint="jointAxis 0 0 0"), "line 9 | 'ARM' | jointAxis"),
        "missing mesh": (vrml_inline("shin.wrl"), "line 13 | Inline | 'shin.wrl' | not a file in"),
        "corrupt mesh (4e9 triangles)": (
            vrml(segment(children=f"Shape {{ {faces} }}")),
            "line 13 | IndexedFaceSet | coordIndex | expected",
        ),
        "cycle": (
            with_file(vrml_inline("a.wrl"), "a.wrl", f'{HEADER}Inline {{ url "robot.wrl" }}'),
            "Inline | inlines this file again | remove one",
        ),
        "link that is its own parent": (
            vrml_inline("robot.wrl"),
            "line 13 | Inline | again | remove one",
        ),
        "two roots": (vrml(rest=empty_joint.format("SECOND")), "'ROBOT' | 'SECOND' | one Joint"),
        "two robots": (
            vrml(outside="DEF OTHER Humanoid { humanoidBody [ ] }\n"),
            "'OTHER' | one robot",
        ),
        "duplicate names": (
            vrml(f"[ {segment()} {empty_joint.format('TRUNK')} ]"),
            "'TRUNK' | twice | unique name",
        ),
        "truncated file": (vrml().split("children DEF")[0], "line 7 | 'ARM' | not closed"),
        "empty file": ("", "begins with | #VRML V2.0 utf8"),
        "entity bomb": (bomb, "Group 'G0' | nodes, counting each USE | fewer"),
        "external entity": (vrml_inline("file:///etc/passwd"), "line 13 | Inline | passwd | give"),
        "100 000 nested elements": (
            f"{HEADER}{'Group { children [ ' * DEEP}{'] } ' * DEEP}",
            "line 2 | Group | deeper than",
        ),
        "100 MB comment": (filled(HEADER + "#", "\n" + vrml()), "bytes | may have"),
        "chain of 5000 links": (vrml_chain(LONG), "'ARM_LINK' | deeper than | reduce"),
        "recursive DEF": (
            vrml("DEF LOOP Segment { children [ USE LOOP ] }"),
            "line 10 | USE LOOP | remove it",
        ),
        "path outside its root": (
            vrml_inline("../../etc/passwd"),
            "line 13 | Inline | passwd | outside | root",
        ),
        "binary garbage": (GARBAGE, "begins with | #VRML V2.0 utf8"),
        "garbage after a valid start": (vrml()[:200].encode() + GARBAGE, "line"),
        "root element of another format": (
            f"{HEADER}Shape {{ geometry Box {{ }} }}",
            "no Humanoid | has one",
        ),
        "unknown joint type": (
            vrml().replace('"rotate"', '"screw"'),
            "line 8 | 'ARM' | screw | knows",
        ),
        "USE of an undefined node": (vrml("USE LEG"), "line 10 | LEG | DEF it first"),
        "unknown field": (vrml(joint="jointAxes 0 1 0"), "line 9 | 'ARM' | jointAxes | has"),
        "unknown node": (vrml("Leg { }"), "line 10 | 'Leg' | PROTO"),
        "closed loop (ExtraJoint) of an unknown link": (
            vrml(outside='DEF LOOP ExtraJoint { link1Name "ARM" link2Name "B" }\n'),
            "loop 'LOOP' | 'B' | does not exist",
        ),
        "lower limit above upper limit": (
            vrml(joint='jointAxis "Y" llimit 1 ulimit -1'),
            "line 9 | 'ARM' | llimit | ulimit",
        ),
    }
    yield from in_format("VRML", cases)


# ------------------------------------------------------------------------------------------- states


class StateCase(NamedTuple):
    """A state, force or step that must be refused, or must end the run."""

    name: str
    run: Callable[[st.World], object]
    words: str


def state_cases() -> list[StateCase]:
    def simulate(world: st.World, **options: object) -> st.Motion:
        return st.simulate(world, None, **{"duration": 0.003, "dt": 0.001, **options})

    def at(world: st.World, part: str, value: float) -> st.State:
        numbers = getattr(world.home(), part).copy()
        numbers[-1] = value
        return replace(world.home(), **{part: numbers})

    def push(force: float) -> st.Push:
        return st.Push("arm", (0, 0, -1), (force, 0, 0), start=0.0, stop=1.0)

    nan, many = float("nan"), 1e300
    return [
        StateCase(
            "nan in the state (q)", lambda w: simulate(w, state=at(w, "q", nan)), "q[0] is nan"
        ),
        StateCase("nan in the state (v)", lambda w: simulate(w, state=at(w, "v", nan)), "elbow"),
        StateCase("force 1e300", lambda w: simulate(w, forces=[push(many)]), "diverged | smaller"),
        StateCase("velocity 1e200", lambda w: simulate(w, state=at(w, "v", 1e200)), "elbow"),
        StateCase("dt = 0", lambda w: simulate(w, dt=0.0), "dt | 0.0 | positive"),
        StateCase("dt = -1 ms", lambda w: simulate(w, dt=-0.001), "dt | -0.001 | positive"),
    ]


def toy_world(free: bool = False) -> st.World:
    """A trunk and an arm, of which every input above is a spoilt version."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(mjcf() if free else mjcf().replace('<freejoint name="root"/>', ""))
        return st.World(load(path))


# ------------------------------------------------------------------------------ cases and answers

HEAVY = {"entity bomb", "100 000 nested elements", "100 MB comment", "chain of 5000 links"}


def in_format(kind: str, cases: dict[str, tuple[str | bytes | Maker, str]]) -> Iterator[Case]:
    for name, (content, words) in cases.items():
        yield Case(name, kind, content, words, name in HEAVY)


CASES = (*mjcf_cases(), *urdf_cases(), *vrml_cases())
GOOD = {"MJCF": mjcf(), "URDF": urdf(), "VRML": vrml()}


class Answer(NamedTuple):
    """What came of loading a file."""

    message: str
    memory: int  # [bytes] that the process grew by at most meanwhile


def answer(path: Path) -> Answer:
    """Load a bad file; anything but a StictionError passes through.

    Memory is the highest resident size since the call began (VmHWM, set back through
    /proc/self/clear_refs) beyond the size then; 0 where there is no /proc.
    """
    before = mark_memory()
    try:
        with contextlib.chdir(path.parent):  # where MuJoCo may leave its log
            load(path)
    except StictionError as error:
        message = str(error)
    else:
        raise AssertionError(f"{path} was loaded without complaint")
    return Answer(message, peak_memory() - before)


def mark_memory() -> int:
    """Forget the highest resident size so far; returns the one now [bytes]."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak_memory()
    return _status("VmRSS")


def peak_memory() -> int:
    """Highest resident size [bytes]."""
    return _status("VmHWM")


def _status(field: str) -> int:
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"{field}:\s*(\d+) kB", text)
    return 1024 * int(found[1]) if found else 0


def limited_answers(good: Path, bad: list[Path]) -> list[Answer]:
    """The same under a limit of memory, for a process of its own; a good file is loaded first."""
    load(good)  # brings in the reader's packages
    limit = _status("VmSize") + 3 * LARGEST  # threads reserve more than they use
    if limit > 3 * LARGEST:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return [answer(path) for path in bad]


def shortened(message: str, folder: Path) -> str:
    """The message without the folder that the file was in."""
    for name in (str(folder), os.path.realpath(folder)):
        message = message.replace(f"{name}/", "").replace(name, "FOLDER")
    return message


def document() -> str:
    """A table of input against message for every format."""
    lines = [
        "# Rejected inputs",
        "",
        "The error message for each of these damaged, inconsistent or hostile inputs. All are",
        f"`StictionError`s, raised within {LARGEST // 1_000_000} MB of memory.",
        "",
        "`python tests/description/bad_inputs.py` generates this page. A test checks that it is up",
        "to date.",
    ]
    for kind, suffix in SUFFIXES.items():
        lines += ["", f"## {kind}", "", f"| defect of robot{suffix} | message |", "|---|---|"]
        lines += [_row(case.name, _message(case)) for case in CASES if case.format == kind]
    lines += ["", "## States, forces and steps", "", "| `simulate` with | message |", "|---|---|"]
    world = toy_world()
    for state in state_cases():
        try:
            state.run(world)
        except StictionError as error:
            lines.append(_row(state.name, str(error)))
        else:
            raise AssertionError(f"{state.name} ran without complaint")
    return "\n".join(lines) + "\n"


def _message(case: Case) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "a" / "b"
        folder.mkdir(parents=True)
        return shortened(answer(case.write(folder)).message, folder)


def _row(name: str, message: str) -> str:
    shown = message.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    return f"| {name} | {shown} |"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        good, *bad = map(Path, sys.argv[1:])
        print(json.dumps(limited_answers(good, bad)))
    else:
        DOCUMENT.write_text(document())
        print(f"wrote {DOCUMENT}")
