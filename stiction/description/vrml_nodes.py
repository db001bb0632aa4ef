"""Parsed VRML97: nodes and their fields, and the table of standard nodes."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from dataclasses import field as default
from typing import NoReturn

from stiction.description.plain import with_article
from stiction.errors import ModelFileError

_TABLE = """
Anchor: children description parameter url bboxCenter bboxSize
Appearance: material texture textureTransform
AudioClip: description loop pitch startTime stopTime url
Background: groundAngle groundColor backUrl bottomUrl frontUrl leftUrl rightUrl topUrl skyAngle
  skyColor
Billboard: axisOfRotation children bboxCenter bboxSize
Box: size
Collision: children collide bboxCenter bboxSize proxy
Color: color
ColorInterpolator: key keyValue
Cone: bottomRadius height side bottom
Coordinate: point
CoordinateInterpolator: key keyValue
Cylinder: bottom height radius side top
CylinderSensor: autoOffset diskAngle enabled maxAngle minAngle offset
DirectionalLight: ambientIntensity color direction intensity on
ElevationGrid: color normal texCoord height ccw colorPerVertex creaseAngle normalPerVertex solid
  xDimension xSpacing zDimension zSpacing
Extrusion: beginCap ccw convex creaseAngle crossSection endCap orientation scale solid spine
Fog: color fogType visibilityRange
FontStyle: family horizontal justify language leftToRight size spacing style topToBottom
Group: children bboxCenter bboxSize
ImageTexture: url repeatS repeatT
IndexedFaceSet: color coord normal texCoord ccw colorIndex colorPerVertex convex coordIndex
  creaseAngle normalIndex normalPerVertex solid texCoordIndex
IndexedLineSet: color coord colorIndex colorPerVertex coordIndex
Inline: url bboxCenter bboxSize
LOD: level center range
Material: ambientIntensity diffuseColor emissiveColor shininess specularColor transparency
MovieTexture: loop speed startTime stopTime url repeatS repeatT
NavigationInfo: avatarSize headlight speed type visibilityLimit
Normal: vector
NormalInterpolator: key keyValue
OrientationInterpolator: key keyValue
PixelTexture: image repeatS repeatT
PlaneSensor: autoOffset enabled maxPosition minPosition offset
PointLight: ambientIntensity attenuation color intensity location on radius
PointSet: color coord
PositionInterpolator: key keyValue
ProximitySensor: center size enabled
ScalarInterpolator: key keyValue
Script:
Shape: appearance geometry
Sound: direction intensity location maxBack maxFront minBack minFront priority source spatialize
Sphere: radius
SphereSensor: autoOffset enabled offset
SpotLight: ambientIntensity attenuation beamWidth color cutOffAngle direction intensity location
  on radius
Switch: choice whichChoice
Text: string fontStyle length maxExtent
TextureCoordinate: point
TextureTransform: center rotation scale translation
TimeSensor: cycleInterval enabled loop startTime stopTime
TouchSensor: enabled
Transform: center children rotation scale scaleOrientation translation bboxCenter bboxSize
Viewpoint: fieldOfView jump orientation position description
VisibilitySensor: center enabled size
WorldInfo: info title
"""
FIELD_TYPES = frozenset(
    "SFBool SFColor SFFloat SFImage SFInt32 SFNode SFRotation SFString SFTime SFVec2f SFVec3f "
    "MFColor MFFloat MFInt32 MFNode MFRotation MFString MFTime MFVec2f MFVec3f".split()
)


def node_table(text: str) -> dict[str, frozenset[str]]:
    """Fields of each node from lines `Node: field field`; an indented line continues."""
    table: dict[str, frozenset[str]] = {}
    for line in text.replace("\n  ", " ").strip().splitlines():
        name, fields = line.split(":")
        table[name] = frozenset(fields.split())
    return table


VRML97 = node_table(_TABLE)  # ISO/IEC 14772-1, chapter 6; events left out


class Text:
    """The text of one file, with its line numbers."""

    def __init__(self, source: str, text: str) -> None:
        """Store the text, and the name of its file for messages."""
        self.source, self.text = source, text

    def at(self, position: int, complaint: str) -> str:
        """A complaint with the file and the line."""
        line = self.text.count("\n", 0, position) + 1
        return f"{self.source}, line {line}: {complaint}"

    def refuse(self, position: int, complaint: str) -> NoReturn:
        """Raise ModelFileError with the file and the line."""
        raise ModelFileError(self.at(position, complaint))


@dataclass(slots=True)
class Field:
    """The value of a field; a single value and a list of one are the same."""

    position: int
    values: array | list  # numbers as an array; strings, truth values or nodes as a list

    @property
    def kind(self) -> str:
        """Kind of the values, for messages."""
        if not self.values:
            return "nothing"
        names = {float: "numbers", str: "strings", bool: "TRUE or FALSE", Node: "nodes"}
        return names[type(self.values[0])]


@dataclass(slots=True)
class Proto:
    """The interface of a PROTO: its fields with their defaults, and its events."""

    name: str
    fields: dict[str, Field] = default(default_factory=dict)
    events: set[str] = default(default_factory=set)


@dataclass(slots=True)
class Node:
    """A node; `fields` holds those given in the file."""

    type: str
    name: str  # its DEF, or ""
    text: Text
    position: int
    proto: Proto | None = None
    fields: dict[str, Field] = default(default_factory=dict)
    inlined: list[Node] = default(default_factory=list)  # of an Inline, the nodes of its file

    def field(self, name: str) -> Field | None:
        """The field, as given or as the default of the node's PROTO."""
        found = self.fields.get(name)
        return self.proto.fields.get(name) if found is None and self.proto is not None else found

    @property
    def title(self) -> str:
        """Name of the node in messages."""
        return (
            f"{self.type} '{self.name}'" if self.name else f"{with_article(self.type)} without DEF"
        )

    def complaint(self, complaint: str, field: str = "") -> str:
        """A complaint with the line of the node, or of one of its own fields."""
        position = self.fields[field].position if field in self.fields else self.position
        return self.text.at(position, f"{self.title} {complaint}")

    def refuse(self, complaint: str, field: str = "") -> NoReturn:
        """Raise ModelFileError at the line of the node, or of one of its own fields."""
        raise ModelFileError(self.complaint(complaint, field))


def nodes_in(field: Field | None) -> list[Node]:
    """The nodes of a field that may be absent; other values are ignored."""
    return [value for value in field.values if isinstance(value, Node)] if field else []
