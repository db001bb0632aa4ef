"""Hanavan's human: solids from body measurements, masses from the body weight.

    E. P. Hanavan, "A mathematical model of the human body", AMRL-TR-64-102, 1964

From the report: the measurements; an ellipsoid for the head, elliptical columns for the two parts
of the trunk, frusta of circular cones for the limbs and the foot, a ball for the hand; the masses
by Barter's regressions on the weight, with the rest of the weight distributed in proportion. The
segments and joints are those of Bruneau & Ouezdou: pelvis, trunk with the head, two arms, two legs.
Our choice: the positions of the joints in the solids, the mass fractions of head and chest, the
taper of the foot, the sole and its points, limits and drives. docs/robots.md lists all numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from stiction.description.arguments import number, shown
from stiction.errors import InputError
from stiction.robot.robot import Robot
from stiction.robots.humanoid import bent_legs, humanoid
from stiction.robots.segments import Drive, Segment, Turn
from stiction.robots.solids import Solid

POUND = 0.45359237  # [kg]
# Barter's regressions, both sides together: fraction of the weight, and constant term [lb]
HEAD_AND_TRUNK, UPPER_ARMS, FOREARMS, HANDS = (0.47, 12.0), (0.08, -2.9), (0.04, -0.5), (0.01, 0.7)
THIGHS, SHANKS, FEET = (0.18, 3.2), (0.11, -1.9), (0.02, 1.5)
HEAD = 0.079  # of the weight: head and neck (Dempster 1955)
CHEST, BELLY = 920.0, 1010.0  # densities that divide the trunk's mass [kg/m3] (Dempster 1955)
FOOT_CENTRE = 0.429  # distance of its centre of mass from the heel, over the foot's length
HEEL = 0.25  # distance of the heel behind the ankle, over the foot's length
FORWARD = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)  # turns z to x
DOWN = (0.0, 0.0, 1.0, 0.0)  # turns z to -z


@dataclass(frozen=True)
class Measurements:
    """Measurements of a human body [m]; the defaults are our choice, a man of average build."""

    stature: float = 1.755
    shoulder_height: float = 1.435
    substernale_height: float = 1.240
    trochanteric_height: float = 0.930
    tibiale_height: float = 0.460
    sphyrion_height: float = 0.085
    upper_arm_length: float = 0.330
    forearm_length: float = 0.265
    foot_length: float = 0.265
    foot_breadth: float = 0.095
    chest_breadth: float = 0.310
    chest_depth: float = 0.230
    waist_depth: float = 0.205
    hip_breadth: float = 0.335
    buttock_depth: float = 0.225
    head_circumference: float = 0.570
    axillary_arm_circumference: float = 0.318
    elbow_circumference: float = 0.275
    wrist_circumference: float = 0.172
    fist_circumference: float = 0.295
    thigh_circumference: float = 0.560
    knee_circumference: float = 0.370
    ankle_circumference: float = 0.225

    def checked(self) -> Measurements:
        """Return itself; raise InputError if no body can have these measurements."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"Measurements: {field.name} is {value}; give a length in m")
        heights = ("stature", "shoulder_height", "substernale_height", "trochanteric_height")
        falling = (*heights, "tibiale_height", "sphyrion_height")
        for above, below in zip(falling, falling[1:], strict=False):
            if getattr(self, above) <= getattr(self, below):
                raise InputError(
                    f"Measurements: {above} {getattr(self, above)} m is not above {below} "
                    f"{getattr(self, below)} m"
                )
        return self


def hanavan(
    planar: bool = False, mass: float = 75.0, measurements: Measurements | None = None
) -> Robot:
    """Human of 75 kg in Hanavan's solids, 18 points under each foot.

    In space it has three joints each at waist, shoulders, elbows, hips, knees and ankles: 33.
    Planar, as in Fig. 12 of Bruneau & Ouezdou, it has 2 joints per arm and 3 per leg; the trunk is
    fixed to the pelvis, which moves along x and z and turns about y.
    """
    if not (measurements is None or isinstance(measurements, Measurements)):
        raise InputError(f"hanavan: measurements is {shown(measurements)}; give Measurements")
    if not isinstance(planar, bool):
        raise InputError(f"hanavan: planar is {shown(planar)}; give True or False")
    number("hanavan: mass", mass, "kg", positive=True)
    body = (measurements or Measurements()).checked()
    segments = hanavan_segments(body, mass)
    if planar:
        segments = [
            Segment(s.name, s.parent, s.position, solids=s.solids) if s.name == "trunk" else s
            for s in segments
        ]
    thigh = body.trochanteric_height - body.tibiale_height
    shank = body.tibiale_height - body.sphyrion_height
    home = bent_legs(thigh, shank, 0.3) | {"elbow_pitch": -0.2}
    return Robot.from_description(
        humanoid("hanavan", segments, height=body.stature, mass=mass, home=home, planar=planar)
    )


def hanavan_segments(body: Measurements, mass: float) -> list[Segment]:
    """The table of segments; masses before the rest of the weight is distributed."""
    return [*_trunk(body, mass), *_leg(body, mass), *_arm(body, mass)]


def _regression(mass: float, line: tuple[float, float]) -> float:
    """Mass that Barter's regression gives for a body of this mass [kg]."""
    share, added = line
    return share * mass + added * POUND


def _round(circumference: float) -> float:
    return circumference / (2 * math.pi)


def _three(joint: str, pitch: tuple[float, float], other: float) -> tuple[Turn, Turn, Turn]:
    """Yaw, roll and pitch through one point, without mass between them."""
    yaw, roll = (Turn(f"{joint}_{way}", -other, other) for way in ("yaw", "roll"))
    return yaw, roll, Turn(f"{joint}_pitch", *pitch)


def _trunk(body: Measurements, mass: float) -> list[Segment]:
    chest_height = body.shoulder_height - body.substernale_height
    belly_height = body.substernale_height - body.trochanteric_height
    chest = (
        (body.chest_depth + body.waist_depth) / 4,
        body.chest_breadth / 2,
        chest_height / 2,
    )
    belly = ((body.waist_depth + body.buttock_depth) / 4, body.hip_breadth / 2, belly_height / 2)
    neck = body.stature - body.shoulder_height
    round_head = _round(body.head_circumference)
    trunk = _regression(mass, HEAD_AND_TRUNK) - HEAD * mass
    parts = CHEST * math.prod(chest), BELLY * math.prod(belly)
    drive = Drive(0.01, 2.0, 300.0)
    pelvis = Segment(
        "pelvis",
        solids=(
            Solid("column", belly, trunk * parts[1] / sum(parts), (0.0, 0.0, belly_height / 2)),
        ),
    )
    upper = Segment(
        "trunk",
        "pelvis",
        (0.0, 0.0, belly_height),
        _three("waist", (-30.0, 90.0), 40.0),
        drive,
        (
            Solid("column", chest, trunk * parts[0] / sum(parts), (0.0, 0.0, chest_height / 2)),
            Solid(
                "ellipsoid",
                (round_head, round_head, neck / 2),
                HEAD * mass,
                (0.0, 0.0, chest_height + neck / 2),
                touches=False,
            ),
            Solid("sphere", (round_head,), 0.0, (0.0, 0.0, chest_height + neck - round_head)),
        ),
    )
    return [pelvis, upper]


def _leg(body: Measurements, mass: float) -> list[Segment]:
    thigh = body.trochanteric_height - body.tibiale_height
    shank = body.tibiale_height - body.sphyrion_height
    hip, knee = _round(body.thigh_circumference), _round(body.knee_circumference)
    ankle = _round(body.ankle_circumference)
    drive = Drive(0.01, 1.0, 300.0)
    return [
        Segment(
            "thigh",
            "pelvis",
            (0.0, hip, 0.0),
            _three("hip", (-120.0, 30.0), 40.0),
            drive,
            (_limb(hip, knee, thigh, _regression(mass, THIGHS) / 2), _end(knee, thigh)),
            paired=True,
        ),
        Segment(
            "shank",
            "thigh",
            (0.0, 0.0, -thigh),
            _three("knee", (0.0, 140.0), 15.0),
            drive,
            (_limb(knee, ankle, shank, _regression(mass, SHANKS) / 2),),
            paired=True,
        ),
        _foot(body, shank, _regression(mass, FEET) / 2),
    ]


def _foot(body: Measurements, shank: float, mass: float) -> Segment:
    """A frustum along x whose radius at the heel reaches from the ground to the ankle."""
    heel, length, floor = body.sphyrion_height / 2, body.foot_length, -body.sphyrion_height
    a, b, c = 3 - 4 * FOOT_CENTRE, 2 - 4 * FOOT_CENTRE, 1 - 4 * FOOT_CENTRE
    taper = (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a)  # the centre is at FOOT_CENTRE
    back = -HEEL * length
    points = tuple(
        (back + i * length / 5, j * body.foot_breadth / 2, floor)
        for i in range(6)
        for j in (-1.0, 0.0, 1.0)
    )
    return Segment(
        "foot",
        "shank",
        (0.0, 0.0, -shank),
        _three("ankle", (-50.0, 30.0), 25.0),
        Drive(0.01, 1.0, 200.0),
        (
            Solid(
                "frustum",
                (heel, taper * heel, length),
                mass,
                (back, 0.0, -heel),
                FORWARD,
                touches=False,
            ),
        ),
        paired=True,
        sole=(back + length / 2, 0.0, floor),
        sole_points=points,
    )


def _arm(body: Measurements, mass: float) -> list[Segment]:
    shoulder = _round(body.axillary_arm_circumference)
    elbow, wrist = _round(body.elbow_circumference), _round(body.wrist_circumference)
    fist = _round(body.fist_circumference)
    drive, length = Drive(0.01, 0.5, 80.0), body.forearm_length
    height = body.shoulder_height - body.substernale_height - shoulder
    hand = Solid("sphere", (fist,), _regression(mass, HANDS) / 2, (0.0, 0.0, -length - fist))
    return [
        Segment(
            "upper_arm",
            "trunk",
            (0.0, body.chest_breadth / 2 + shoulder, height),
            _three("shoulder", (-180.0, 60.0), 90.0),
            drive,
            (
                _limb(shoulder, elbow, body.upper_arm_length, _regression(mass, UPPER_ARMS) / 2),
                _end(elbow, body.upper_arm_length),
            ),
            paired=True,
        ),
        Segment(
            "forearm",
            "upper_arm",
            (0.0, 0.0, -body.upper_arm_length),
            _three("elbow", (-145.0, 0.0), 80.0),
            drive,
            (_limb(elbow, wrist, length, _regression(mass, FOREARMS) / 2), hand),
            paired=True,
        ),
    ]


def _limb(near: float, far: float, length: float, mass: float) -> Solid:
    """A frustum that hangs down from its joint."""
    return Solid("frustum", (near, far, length), mass, quaternion=DOWN, touches=False)


def _end(radius: float, length: float) -> Solid:
    """A massless ball at the far end of a limb, which touches the ground."""
    return Solid("sphere", (radius,), 0.0, (0.0, 0.0, -length))
