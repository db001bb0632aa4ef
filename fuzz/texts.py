"""Texts for the fuzzer: good seeds of each format, ways to spoil them, and texts from grammars."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from osim_texts import OSIM_SEEDS, OSIM_WORDS, grammar_osim

TOKEN = re.compile(r"[A-Za-z_][\w:.-]*|[-+]?[\d.]+(?:[eE][-+]?\d+)?|\s+|.", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
NUMBERS = (
    "nan inf -inf 1e308 -1e308 1e200 1e-320 1e15 -1 0 -0 0.5 2 3 7 1e9 65536 4294967296 1e400 0x10 "
    "1e 1..2 --1 NaN 1,5 1_0 ٣ nan(7)"
).split() + ["", " ", "1 1", "0 0 0"]
LONGEST = 20_000  # characters of a text

MJCF_SEEDS = [
    """<mujoco model="toy">
  <compiler angle="degree" autolimits="true" meshdir="."/>
  <option timestep="0.002" gravity="0 0 -9.81"><flag contact="enable"/></option>
  <default><geom friction="0.8" rgba="1 0 0 1"/><default class="leg"><joint damping="1"/></default>
  </default>
  <asset><material name="grey" rgba="1 1 1 1"/>
    <mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <light pos="0 0 3"/><camera name="eye" pos="1 1 1"/>
    <body name="trunk" pos="0 0 1" quat="1 0 0 0">
      <freejoint name="root"/>
      <inertial pos="0 0 0.1" mass="2" diaginertia="1 1 1.5"/>
      <geom name="chest" type="box" size=".1 .2 .3" contype="1" conaffinity="1"/>
      <site name="imu" pos="0 0 .1"/>
      <body name="arm" pos="0 0 -1" euler="0 90 0">
        <joint name="elbow" class="leg" axis="0 1 0" range="-90 90" armature=".01" stiffness="1"
          frictionloss=".1" ref="0" springref="5" actuatorfrcrange="-5 5"/>
        <joint name="slider" type="slide" axis="1 0 0" range="-1 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05" mass="1"/>
        <geom type="mesh" mesh="tet" material="grey" mass=".1"/>
        <body name="hand" pos="0 0 -.5"><joint name="wrist" type="ball" pos="0 0 .01"/>
          <geom type="ellipsoid" size=".1 .05 .02" density="500"/></body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="trunk" body2="hand"/><pair geom1="floor" geom2="chest"/></contact>
  <actuator><motor name="m" joint="elbow" gear="10" ctrlrange="-1 1"/>
    <position name="p" joint="slider" kp="5" kv="1"/></actuator>
  <sensor><gyro name="g" site="imu" noise=".1"/><jointpos name="jp" joint="elbow"/>
    <force name="f" site="imu" cutoff="9"/></sensor>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0 0 1 0 0 0"/></keyframe>
</mujoco>
""",
    '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>',
    """<mujoco>
  <worldbody><body name="a"><freejoint/><geom name="s" type="sphere" size=".1" pos="0 0 1"/>
    <body name="b" pos="1 0 0"><joint type="hinge" axis="1 0 0"/><geom type="cylinder" size="1 2"/>
    </body></body><frame pos="0 1 0"><body name="c"><geom size="1"/></body></frame></worldbody>
  <equality><weld active="false" body1="a" body2="c"/></equality>
  <tendon><fixed name="t"/></tendon>
</mujoco>
""",
    """<mujoco>
  <size nkey="2" nuser_body="1" nuserdata="3"/>
  <asset><hfield name="h" nrow="3" ncol="4" size="1 1 1 1"/>
    <texture name="t" type="2d" builtin="checker" width="8" height="8"/></asset>
  <worldbody><body name="a"><freejoint/><geom size=".1"/>
    <replicate count="3" offset="0 0 1"><replicate count="2" euler="0 0 9"><body>
      <joint/><geom size="1"/></body></replicate></replicate></body>
    <geom type="hfield" hfield="h" contype="0" conaffinity="0"/></worldbody>
  <sensor><user name="u" dim="3" objtype="body" objname="a"/></sensor>
</mujoco>
""",
]

_INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1.5"/>'
_INERTIAL = f'<inertial><origin xyz="0 0 .1" rpy="0 .1 0"/><mass value="2"/>{_INERTIA}</inertial>'
URDF_SEEDS = [
    f"""<?xml version="1.0"?>
<robot name="toy" xmlns:xacro="x">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="trunk">{_INERTIAL}
    <collision name="c"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision>
    <visual><geometry><sphere radius=".1"/></geometry><material name="blue"/></visual>
  </link>
  <link name="arm">{_INERTIAL}
    <collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
    <collision><geometry><capsule radius="1" length="2"/></geometry></collision>
    <visual><geometry><mesh filename="package://toy/a.stl" scale="1 1 1"/></geometry></visual>
  </link>
  <link name="hand">{_INERTIAL}</link>
  <link name="tool"/>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 -1" rpy="0 0 1.5"/><parent link="trunk"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="30" velocity="4"/><dynamics damping=".1" friction=".2"/>
  </joint>
  <joint name="wrist" type="prismatic"><parent link="arm"/><child link="hand"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/>
    <safety_controller k_velocity="1"/></joint>
  <joint name="grip" type="fixed"><parent link="hand"/><child link="tool"/></joint>
  <transmission name="t"><type>x</type><joint name="elbow"/><actuator name="m">
    <mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-4</rotorInertia></actuator>
  </transmission>
  <gazebo reference="arm"><mu1>0.5</mu1><sensor name="i" type="imu"><pose>0 0 1 0 0 1</pose>
    </sensor></gazebo>
  <gazebo reference="grip"><sensor name="ft" type="force_torque"/></gazebo>
</robot>
""",
    f"""<robot name="a"><link name="b">{_INERTIAL}</link></robot>""",
    f"""<robot name="a"><link name="WORLD"/><link name="b">{_INERTIAL}</link>
<joint name="f" type="floating"><parent link="WORLD"/><child link="b"/></joint></robot>
""",
    f"""<robot name="a"><link name="b">{_INERTIAL}</link><link name="c">{_INERTIAL}</link>
<joint name="m" type="continuous"><parent link="b"/><child link="c"/>
<mimic joint="m" multiplier="1" offset="0"/></joint></robot>
""",
]

_MOMENTS = "momentsOfInertia [ 1 0 0 0 1 0 0 0 1.5 ]"
VRML_SEEDS = [
    f"""#VRML V2.0 utf8
# a toy
PROTO Joint [ exposedField SFVec3f center 0 0 0 exposedField MFNode children []
  exposedField MFFloat llimit [] exposedField MFFloat ulimit [] exposedField SFRotation rotation
  0 0 1 0 exposedField SFVec3f translation 0 0 0 exposedField SFString jointType ""
  exposedField SFInt32 jointId -1 exposedField SFVec3f jointAxis 0 0 1 field SFFloat gearRatio 1
  field SFFloat rotorInertia 0.0 exposedField MFFloat uvlimit [] exposedField MFFloat lvlimit []
  exposedField SFString name "" eventIn SFBool on ] {{ Transform {{ children IS children }} }}
DEF ROBOT Humanoid {{ version "1.1" info [ "a" "b" ]
  humanoidBody [ DEF WAIST Joint {{ jointType "free" translation 0 0 0.7 rotation 1 0 0 0.5
    children [
      DEF WAIST_LINK Segment {{ mass 2 centerOfMass 0 0 .1 {_MOMENTS} children [
        Shape {{ appearance Appearance {{ material Material {{ diffuseColor 1 0 0 }} }}
          geometry DEF BOX Box {{ size .1 .2 .3 }} }}
        Transform {{ translation 0 0 1 rotation 0 1 0 1.57 scale 1 1 2 children [
          Shape {{ geometry USE BOX }}
          Shape {{ geometry Cylinder {{ radius 1 height 2 }} }} ] }} ] }}
      AccelerationSensor {{ sensorId 0 }}
      DEF ARM Joint {{ jointType "rotate" jointId 1 jointAxis 0 1 0 translation 0 .1 0
        llimit [ -1 ] ulimit [ 1 ] lvlimit [-4] uvlimit [4] gearRatio 50 rotorInertia 1e-4
        children [
          DEF ARM_LINK Segment {{ mass 1 {_MOMENTS} children [
            Shape {{ geometry IndexedFaceSet {{ coord Coordinate {{ point [ 0 0 0, 1 0 0, 0 1 0,
              0 0 1 ] }} coordIndex [ 0 1 2 -1, 0 1 3 -1, 1 2 3 -1 ] }} }}
            Shape {{ geometry Extrusion {{ crossSection [ 1 1, 1 -1, -1 -1 ] spine [ 0 0 0, 0 1 0,
              0 2 1 ] scale [ 1 1 ] orientation [ 0 0 1 0 ] }} }}
            Shape {{ geometry ElevationGrid {{ xDimension 2 zDimension 2 xSpacing 1 zSpacing 1
              height [ 0 1 1 0 ] }} }} ] }}
          DEF HAND Joint {{ jointType "slide" jointAxis "X" children [
            DEF HAND_LINK Segment {{ mass 1 {_MOMENTS} children [
              DEF F ForceSensor {{ translation 0 0 0 }} Group {{ children [ Shape {{ geometry
              Sphere {{ radius 0.1 }} }} Switch {{ whichChoice 0 choice [ Shape {{ geometry Cone
              {{ bottomRadius 1 height 2 }} }} ] }} ] }} ] }} ] }} ] }} ] }} ]
  joints [ USE WAIST USE ARM USE HAND ] segments [ USE WAIST_LINK ]
}}
NavigationInfo {{ avatarSize 0.5 headlight TRUE type [ "WALK", "FLY" ] }}
ROUTE a.b TO c.d
""",
    f"""#VRML V2.0 utf8
DEF R Humanoid {{ humanoidBody DEF J Joint {{ jointType "fixed" children [
  Transform {{ children [ DEF K Joint {{ jointType "rotate" jointAxis "Y"
    children Segment {{ mass 1 {_MOMENTS} }} }} ] }}
  Surface {{ visual [ Shape {{ geometry Plane {{ size 1 1 1 }} }} ] collision [ Shape {{ geometry
    Box {{ }} }} ] }}
  Collision {{ collide FALSE children [ ] }} LOD {{ level [ Group {{ }} ] }} ] }} }}
""",
]
SEEDS = {"mjcf": MJCF_SEEDS, "urdf": URDF_SEEDS, "vrml": VRML_SEEDS, "osim": OSIM_SEEDS}
WORDS = {
    "mjcf": '<body> </body> <joint/> <freejoint/> <geom size="1"/> <!-- --> <![CDATA[ ]]> &lt; "/>',
    "urdf": '<link name="x"> </link> <joint> </joint> <origin/> <!-- --> <![CDATA[ ]]> &lt; "/>',
    "vrml": 'DEF USE PROTO EXTERNPROTO ROUTE IS NULL TRUE FALSE { } [ ] " # , Joint Segment Inline',
    "osim": OSIM_WORDS,
}


def spoilt(text: str, words: list[str], other: str, random: Random) -> str:
    """The text after one to six small changes."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        text = random.choice(CHANGES)(text, words, other, random)[:LONGEST]
    return text


def _flip(text: str, words: list[str], other: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    kinds = (
        "\0",
        "\x01",
        "\xff",
        "\u2028",
        "\r",
        "\n",
        '"',
        "'",
        "<",
        ">",
        "{",
        "}",
        "é",
        "-",
        "#",
    )
    new = random.choice((*kinds, chr(random.randrange(32, 127))))
    return text[:at] + new + text[at + random.randrange(2) :]


def _span(text: str, random: Random) -> tuple[int, int]:
    begin = random.randrange(len(text) + 1)
    return begin, min(len(text), begin + int(2 ** random.uniform(0, 10)))


def _delete(text: str, words: list[str], other: str, random: Random) -> str:
    begin, end = _span(text, random)
    return text[:begin] + text[end:]


def _duplicate(text: str, words: list[str], other: str, random: Random) -> str:
    begin, end = _span(text, random)
    at = random.randrange(len(text) + 1)
    times = random.choice((1, 1, 2, 20))
    return text[:at] + text[begin:end] * times + text[at:]


def _truncate(text: str, words: list[str], other: str, random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _number(text: str, words: list[str], other: str, random: Random) -> str:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    begin, end = random.choice(found).span()
    return text[:begin] + random.choice(NUMBERS) + text[end:]


def _tokens(text: str, words: list[str], other: str, random: Random) -> str:
    """Swap two tokens, or put a word of the format, or of another text, in the place of one."""
    tokens = TOKEN.findall(text) or [""]
    i = random.randrange(len(tokens))
    source = random.choice((tokens, words, TOKEN.findall(other) or [""]))
    j = random.randrange(len(source))
    if source is tokens:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    else:
        tokens[i] = source[j]
    return "".join(tokens)


def _insert(text: str, words: list[str], other: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(words) + text[at:]


def _nest(text: str, words: list[str], other: str, random: Random) -> str:
    """Open the same thing many times, and close it or not."""
    begin, end = _span(text, random)
    opened, closed = random.choice(
        (("<a>", "</a>"), ("Group { children [ ", "] } "), ("[", "]"), ("{", "}"), ("<!--", "-->"),
         ('<body><joint axis="1 0 0"/>', "</body>"))
    )  # fmt: skip
    times = random.choice((1, 2, 10, 600))
    return text[:begin] + opened * times + text[begin:end] + closed * times + text[end:]


def _splice(text: str, words: list[str], other: str, random: Random) -> str:
    begin, end = _span(other, random)
    at = random.randrange(len(text) + 1)
    return text[:at] + other[begin:end] + text[at:]


def _elements(text: str, words: list[str], other: str, random: Random) -> str:
    """Delete or repeat what is between two brackets that match by their kind."""
    found = list(re.finditer(r"<(\w+)[^<>]*?(?:/>|>.*?</\1>)|\w+ \{[^{}]*\}", text, re.DOTALL))
    if not found:
        return text
    begin, end = random.choice(found).span()
    if random.random() < 0.5:
        return text[:begin] + text[end:]
    at = random.choice(found).start()
    return text[:at] + text[begin:end] + text[at:]


def _numbers(text: str, words: list[str], other: str, random: Random) -> str:
    """Every number larger or smaller by a factor."""
    factor = random.choice((1e-300, 1e-12, -1.0, 1e8, 1e14, 1e150, 1e300))
    return NUMBER.sub(lambda found: f"{float(found[0]) * factor:g}", text)


CHANGES: tuple[Callable[[str, list[str], str, Random], str], ...] = (
    _flip, _delete, _duplicate, _truncate, _number, _number, _number, _tokens, _tokens, _insert,
    _nest, _splice, _elements, _elements, _numbers,
)  # fmt: skip

# ----------------------------------------------------------------------------------------- grammars


def _value(random: Random, names: list[str]) -> str:
    """A value of an attribute: mostly a few harmless numbers."""
    kind = random.random()
    if kind < 0.6:
        count = random.choice((1, 1, 2, 3, 3, 4, 6, 9))
        return " ".join(random.choice(("0", "1", "1", ".5", "2", "-1", "3")) for _ in range(count))
    if kind < 0.7:
        return random.choice(NUMBERS)
    if kind < 0.8:
        return random.choice(("true", "false", "auto", "enable", "disable", "x", ""))
    return random.choice(names)


def grammar_vrml(random: Random) -> str:
    """A robot whose hand holds nodes with fields that exist, and values that may not fit."""
    from stiction.description.openhrp_fields import OPENHRP
    from stiction.description.vrml_nodes import VRML97

    table = {**VRML97, **OPENHRP}
    names = sorted(table)
    useful = ["Shape", "Transform", "Group", "Segment", "Joint", "Switch", "Surface", "Collision"]
    solids = ["Box", "Cylinder", "Cone", "Sphere", "Extrusion", "IndexedFaceSet", "ElevationGrid"]
    defined: list[str] = []

    def node(depth: int) -> str:
        if defined and random.random() < 0.1:
            return f"USE {random.choice(defined)}"
        kind = random.choice((random.choice(useful), random.choice(solids), random.choice(names)))
        name = f"N{len(defined)}" if random.random() < 0.4 else ""
        fields = sorted(table[kind])
        chosen = random.sample(fields, min(len(fields), random.choice((0, 1, 2, 3, 5))))
        inside = " ".join(f"{field} {value(field, depth)}" for field in chosen)
        if name:
            defined.append(name)
        return f"DEF {name} {kind} {{ {inside} }}" if name else f"{kind} {{ {inside} }}"

    def value(field: str, depth: int) -> str:
        holds = ("children", "choice", "level", "visual", "collision", "proxy", "geometry", "coord")
        if field in holds and depth < 4:
            kind = "Coordinate { point [ 0 0 0 1 0 0 0 1 0 0 0 1 ] }"
            return kind if field == "coord" else f"[ {node(depth + 1)} {node(depth + 1)} ]"
        shown = _value(random, ['"rotate"', '"slide"', '"X"', "NULL", "TRUE", "FALSE", '"a" "b"'])
        return f"[ {shown} ]" if random.random() < 0.5 else shown or "[ ]"

    return VRML_SEEDS[1].replace("Collision {", f"{node(0)} {node(0)} Collision {{", 1)


def grammar_urdf(random: Random) -> str:
    """A tree of the elements that the reader knows, with values that may not fit."""
    from stiction.description.urdf_text import RULES

    names = ["trunk", "arm", "hand", "elbow", "revolute", "fixed", "continuous", "a.stl"]

    def element(path: str) -> str:
        rule, tag = RULES[path], path.rpartition("/")[2]
        given = [word.partition(":") for word in f"{rule.required} {rule.optional}".split()]
        shown = ""
        for name, _, count in given:
            fits = " ".join(random.choice(("0", "1", ".5")) for _ in range(int(count or 0)))
            value = fits or random.choice(names)
            shown += f' {name}="{value if random.random() < 0.9 else _value(random, names)}"'
        below = [p for p in RULES if p.rpartition("/")[0] == path]
        wanted = rule.children.split() if random.random() < 0.95 else []
        inside = [element(f"{path}/{tag}") for tag in wanted]
        inside += [element(random.choice(below)) for _ in range(random.randrange(3)) if below]
        return f"<{tag}{shown}>{''.join(inside)}</{tag}>"

    added = "".join(
        element(random.choice(["robot/link", "robot/joint", "robot/transmission"]))
        for _ in range(random.randrange(1, 4))
    )
    return URDF_SEEDS[0].replace("</robot>", f"{added}</robot>")


_SCHEMA: dict[str, tuple[list[str], list[str]]] = {}  # path -> attributes, paths of children


def _schema() -> dict[str, tuple[list[str], list[str]]]:
    """Elements and attributes that MuJoCo's own parser knows."""
    if _SCHEMA:
        return _SCHEMA
    import mujoco

    above: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"( *)([\w]+) \([^)]*\) *(.*)", line)
        if found is None:
            _SCHEMA["/".join(above)][0].extend(line.split())
            continue
        depth = len(found[1]) // 3
        above = [*above[:depth], found[2]]
        _SCHEMA["/".join(above)] = (found[3].split(), [])
        if depth:
            _SCHEMA["/".join(above[:-1])][1].append("/".join(above))
    return _SCHEMA


def grammar_mjcf(random: Random) -> str:
    """Elements and attributes that MuJoCo knows, with values that may not fit."""
    schema = _schema()
    names = "trunk arm hand elbow slider wrist imu chest floor grey tet m leg root".split()

    def element(path: str, depth: int) -> str:
        attributes, below = schema[path]
        tag = path.rpartition("/")[2]
        chosen = random.sample(attributes, min(len(attributes), random.choice((0, 1, 2, 3, 4))))
        shown = "".join(f' {name}="{_value(random, names)}"' for name in chosen)
        few = random.randrange(3) if depth < 4 and below else 0
        inside = "".join(element(random.choice(below), depth + 1) for _ in range(few))
        return f"<{tag}{shown}>{inside}</{tag}>"

    added = "".join(
        element(random.choice(schema["mujoco"][1]), 1) for _ in range(random.choice((1, 1, 2)))
    )
    return MJCF_SEEDS[0].replace("</mujoco>", f"{added}</mujoco>")


GRAMMARS = {
    "mjcf": grammar_mjcf,
    "urdf": grammar_urdf,
    "vrml": grammar_vrml,
    "osim": grammar_osim,
}
