"""The robots of the papers: HOAP-1, HRP-2 and a biped of 14 joints; see docs/robots.md.

The values that a paper prints are kept exactly: number of joints, height, mass and, for HRP-2,
thigh and shank. All other dimensions, masses, limits and drives are our choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stiction.robot.robot import Robot
from stiction.robots.humanoid import bent_legs, humanoid
from stiction.robots.segments import Drive, Segment, Turn
from stiction.robots.solids import Solid


def _airborne(kind: str, size: tuple[float, ...], mass: float, height: float) -> Solid:
    """A solid on the z axis that does not touch the ground; without mass it is for display only."""
    return Solid(kind, size, mass, (0.0, 0.0, height), touches=False)


HOAP1_LEG, HOAP1_ARM = Drive(0.002, 0.02, 12.0), Drive(0.0005, 0.01, 4.0)
HOAP1 = (
    Segment(
        "trunk",
        solids=(
            Solid("box", (0.040, 0.055, 0.020), 0.5, (0.0, 0.0, 0.030)),
            Solid("box", (0.045, 0.065, 0.055), 1.3, (0.005, 0.0, 0.105)),
            Solid("box", (0.035, 0.035, 0.0375), 0.3, (0.005, 0.0, 0.2055)),
        ),
    ),
    Segment(
        "thigh",
        "trunk",
        (0.0, 0.039, 0.0),
        (
            Turn("hip_yaw", -60.0, 90.0, 0.10, 0.016),
            Turn("hip_roll", -30.0, 45.0, 0.10, 0.016),
            Turn("hip_pitch", -110.0, 60.0),
        ),
        HOAP1_LEG,
        (Solid("capsule", (0.020, 0.034), 0.40, (0.0, 0.0, -0.050)),),
        paired=True,
    ),
    Segment(
        "shank",
        "thigh",
        (0.0, 0.0, -0.100),
        (Turn("knee_pitch", 0.0, 140.0),),
        HOAP1_LEG,
        (Solid("capsule", (0.018, 0.036), 0.30, (0.0, 0.0, -0.050)),),
        paired=True,
    ),
    Segment(
        "foot",
        "shank",
        (0.0, 0.0, -0.100),
        (Turn("ankle_pitch", -70.0, 60.0, 0.10, 0.014), Turn("ankle_roll", -40.0, 40.0)),
        HOAP1_LEG,
        (
            Solid("box", (0.050, 0.031, 0.008), 0.20, (0.010, 0.0, -0.029)),
            _airborne("box", (0.020, 0.016, 0.013), 0.0, -0.011),
        ),
        paired=True,
        sole=(0.010, 0.0, -0.037),
    ),
    Segment(
        "upper_arm",
        "trunk",
        (0.0, 0.090, 0.135),
        (
            Turn("shoulder_pitch", -180.0, 90.0, 0.03, 0.014),
            Turn("shoulder_roll", -5.0, 120.0, 0.03, 0.014),
            Turn("shoulder_yaw", -90.0, 90.0),
        ),
        HOAP1_ARM,
        (Solid("capsule", (0.014, 0.034), 0.10, (0.0, 0.0, -0.045)),),
        paired=True,
    ),
    Segment(
        "forearm",
        "upper_arm",
        (0.0, 0.0, -0.090),
        (Turn("elbow_pitch", -120.0, 0.0),),
        HOAP1_ARM,
        (Solid("capsule", (0.012, 0.045), 0.09, (0.0, 0.0, -0.050)),),
        paired=True,
    ),
)

HRP2_BODY, HRP2_LEG = Drive(0.10, 0.5, 150.0), Drive(0.20, 1.0, 250.0)
HRP2_ARM, HRP2_END = Drive(0.05, 0.3, 60.0), Drive(0.01, 0.1, 20.0)
HRP2 = (
    Segment("pelvis", solids=(Solid("box", (0.090, 0.130, 0.065), 7.0, (-0.010, 0.0, 0.065)),)),
    Segment(
        "chest",
        "pelvis",
        (0.0, 0.0, 0.150),
        (Turn("chest_yaw", -45.0, 45.0, 1.5, 0.06), Turn("chest_pitch", -5.0, 60.0)),
        HRP2_BODY,
        (
            Solid("box", (0.080, 0.150, 0.150), 11.4, (0.015, 0.0, 0.265)),
            Solid("box", (0.060, 0.130, 0.160), 3.0, (-0.130, 0.0, 0.270)),
            _airborne("box", (0.055, 0.080, 0.070), 0.0, 0.055),
            _airborne("box", (0.040, 0.200, 0.040), 0.0, 0.365),
        ),
    ),
    Segment(
        "head",
        "chest",
        (0.0, 0.0, 0.465),
        (Turn("head_yaw", -45.0, 45.0, 0.3, 0.03), Turn("head_pitch", -30.0, 45.0)),
        HRP2_END,
        (Solid("box", (0.085, 0.070, 0.090), 2.0, (0.020, 0.0, 0.130)),),
    ),
    Segment(
        "thigh",
        "pelvis",
        (0.0, 0.060, 0.0),
        (
            Turn("hip_yaw", -30.0, 45.0, 1.0, 0.05),
            Turn("hip_roll", -20.0, 35.0, 1.0, 0.05),
            Turn("hip_pitch", -125.0, 42.0),
        ),
        HRP2_LEG,
        (Solid("capsule", (0.055, 0.105), 4.0, (0.0, 0.0, -0.150)),),
        paired=True,
    ),
    Segment(
        "shank",
        "thigh",
        (0.0, 0.0, -0.300),
        (Turn("knee_pitch", 0.0, 150.0),),
        HRP2_LEG,
        (Solid("capsule", (0.048, 0.110), 3.0, (0.0, 0.0, -0.150)),),
        paired=True,
    ),
    Segment(
        "foot",
        "shank",
        (0.0, 0.0, -0.300),
        (Turn("ankle_pitch", -75.0, 42.0, 0.6, 0.04), Turn("ankle_roll", -35.0, 20.0)),
        HRP2_LEG,
        (
            Solid("box", (0.120, 0.058, 0.020), 1.6, (0.030, 0.0, -0.085)),
            _airborne("box", (0.045, 0.042, 0.036), 0.0, -0.032),
        ),
        paired=True,
        sole=(0.030, 0.0, -0.105),
    ),
    Segment(
        "upper_arm",
        "chest",
        (0.010, 0.230, 0.365),
        (
            Turn("shoulder_pitch", -180.0, 60.0, 0.7, 0.05),
            Turn("shoulder_roll", -10.0, 95.0, 0.7, 0.05),
            Turn("shoulder_yaw", -90.0, 90.0),
        ),
        HRP2_ARM,
        (Solid("capsule", (0.045, 0.090), 1.4, (0.0, 0.0, -0.125)),),
        paired=True,
    ),
    Segment(
        "forearm",
        "upper_arm",
        (0.0, 0.0, -0.250),
        (Turn("elbow_pitch", -135.0, 2.0),),
        HRP2_ARM,
        (Solid("capsule", (0.040, 0.090), 1.2, (0.0, 0.0, -0.125)),),
        paired=True,
    ),
    Segment(
        "palm",
        "forearm",
        (0.0, 0.0, -0.250),
        (Turn("wrist_yaw", -90.0, 90.0, 0.3, 0.03), Turn("wrist_pitch", -90.0, 90.0)),
        HRP2_END,
        (Solid("box", (0.035, 0.020, 0.045), 0.7, (0.0, 0.0, -0.050)),),
        paired=True,
    ),
    Segment(
        "hand",
        "palm",
        (0.020, 0.0, -0.095),
        (Turn("hand_pitch", 0.0, 60.0),),
        HRP2_END,
        (Solid("box", (0.010, 0.020, 0.035), 0.2, (0.0, 0.0, -0.035)),),
        paired=True,
    ),
)

BIPED14_LEG = Drive(0.05, 0.5, 200.0)
BIPED14_SOLE = (0.110, 0.060)  # half its length and width [m]
BIPED14_CORNERS = tuple(
    (0.030 + x * BIPED14_SOLE[0], y * BIPED14_SOLE[1], -0.070)
    for x in (-1.0, 1.0)
    for y in (-1.0, 1.0)
)
BIPED14 = (
    Segment("trunk", solids=(_airborne("box", (0.090, 0.150, 0.300), 29.0, 0.300),)),
    Segment(
        "thigh",
        "trunk",
        (0.0, 0.090, 0.0),
        (
            Turn("hip_yaw", -45.0, 45.0),
            Turn("hip_roll", -30.0, 30.0),
            Turn("hip_pitch", -110.0, 45.0),
        ),
        BIPED14_LEG,
        (_airborne("capsule", (0.060, 0.135), 5.0, -0.195),),
        paired=True,
    ),
    Segment(
        "shank",
        "thigh",
        (0.0, 0.0, -0.390),
        (Turn("knee_pitch", 0.0, 140.0),),
        BIPED14_LEG,
        (_airborne("capsule", (0.045, 0.150), 2.2, -0.195),),
        paired=True,
    ),
    Segment(
        "foot",
        "shank",
        (0.0, 0.0, -0.390),
        (
            Turn("ankle_yaw", -30.0, 30.0),
            Turn("ankle_pitch", -60.0, 45.0),
            Turn("ankle_roll", -30.0, 30.0),
        ),
        BIPED14_LEG,
        (
            Solid("box", (*BIPED14_SOLE, 0.015), 0.8, (0.030, 0.0, -0.055), touches=False),
            _airborne("box", (0.040, 0.040, 0.025), 0.0, -0.020),
        ),
        paired=True,
        sole=(0.030, 0.0, -0.070),
        sole_points=BIPED14_CORNERS,
    ),
)


def hoap1(height: float = 0.48, mass: float = 5.0, planar: bool = False) -> Robot:
    """HOAP-1 of Sugihara & Nakamura: 20 joints, 6 per leg and 4 per arm; 0.48 m, 5 kg.

    planar: in the sagittal plane, with its pitch joints only.
    """
    home = bent_legs(0.1, 0.1, 0.6) | {"elbow_pitch": -0.3}
    return _made("hoap1", HOAP1, home, height, mass, planar)


def hrp2(height: float = 1.54, mass: float = 58.0, planar: bool = False) -> Robot:
    """HRP-2 of Chardonnet et al.: 30 joints; 1.54 m, 58 kg, thigh and shank 0.30 m.

    6 joints per leg, 2 in the chest, 2 in the head, 7 per arm: shoulder 3, elbow 1, wrist 2, and a
    hand that opens. planar: in the sagittal plane, with its pitch joints only.
    """
    home = bent_legs(0.3, 0.3, 0.7) | {"shoulder_roll": 0.15, "elbow_pitch": -0.5}
    return _made("hrp2", HRP2, home, height, mass, planar)


def biped14(height: float = 1.45, mass: float = 45.0, planar: bool = False) -> Robot:
    """The biped of Rengifo et al.: five links and two rectangular feet, 14 joints.

    Hip 3, knee 1, ankle 3 per leg; 1.45 m and 45 kg are our choice. Only the four vertices of each
    sole touch the ground. planar: in the sagittal plane, with its pitch joints only.
    """
    return _made("biped14", BIPED14, bent_legs(0.39, 0.39, 0.6), height, mass, planar)


def _made(
    name: str,
    segments: Sequence[Segment],
    home: Mapping[str, float],
    height: float,
    mass: float,
    planar: bool,
) -> Robot:
    only_pitch = planar is True
    kept = {name: angle for name, angle in home.items() if not only_pitch or name.endswith("pitch")}
    return Robot.from_description(
        humanoid(name, segments, height=height, mass=mass, home=kept, planar=planar)
    )
