"""The robots of the papers: HOAP-1, HRP-2 and a biped of 14 joints. docs/robots.md tells the rest.

What a paper prints is kept exactly: how many joints, height, mass and, of HRP-2, thigh and shank.
All other dimensions, masses, limits and drives are our choice.
"""

from __future__ import annotations

from stiction.robot import Robot
from stiction.robots.humanoid import bent_legs, humanoid
from stiction.robots.segments import Drive, Segment, Turn
from stiction.robots.solids import Solid


def hoap1(height: float = 0.48, mass: float = 5.0, planar: bool = False) -> Robot:
    """HOAP-1 of Sugihara & Nakamura: 20 joints, 6 per leg and 4 per arm; 0.48 m, 5 kg.

    planar: in the sagittal plane, with its joints of pitch alone.
    """
    leg, arm = Drive(0.002, 0.02, 12.0), Drive(0.0005, 0.01, 4.0)
    segments = [
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
            leg,
            (Solid("capsule", (0.020, 0.034), 0.40, (0.0, 0.0, -0.050)),),
            paired=True,
        ),
        Segment(
            "shank",
            "thigh",
            (0.0, 0.0, -0.100),
            (Turn("knee_pitch", 0.0, 140.0),),
            leg,
            (Solid("capsule", (0.018, 0.036), 0.30, (0.0, 0.0, -0.050)),),
            paired=True,
        ),
        Segment(
            "foot",
            "shank",
            (0.0, 0.0, -0.100),
            (Turn("ankle_pitch", -70.0, 60.0, 0.10, 0.014), Turn("ankle_roll", -40.0, 40.0)),
            leg,
            (Solid("box", (0.050, 0.031, 0.008), 0.20, (0.010, 0.0, -0.029)),),
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
            arm,
            (Solid("capsule", (0.014, 0.034), 0.10, (0.0, 0.0, -0.045)),),
            paired=True,
        ),
        Segment(
            "forearm",
            "upper_arm",
            (0.0, 0.0, -0.090),
            (Turn("elbow_pitch", -120.0, 0.0),),
            arm,
            (Solid("capsule", (0.012, 0.045), 0.09, (0.0, 0.0, -0.050)),),
            paired=True,
        ),
    ]
    home = bent_legs(0.1, 0.1, 0.6) | {"elbow_pitch": -0.3}
    return Robot.from_description(
        humanoid("hoap1", segments, height=height, mass=mass, home=home, planar=planar)
    )
