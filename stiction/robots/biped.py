"""A small biped for tests and examples: a trunk on two legs of five joints."""

from __future__ import annotations

from stiction.description.description import WORLD, Description, Frame, Joint, Keyframe, Link, Shape
from stiction.robot.robot import Robot

HIP_HEIGHT = 0.44  # of the hip axes above the sole with straight legs [m]
THIGH, SHANK, ANKLE = 0.20, 0.20, 0.04  # lengths [m]
HIP_OFFSET = 0.06  # of the hips from the middle [m]
SOLE = (0.16, 0.08, 0.02)  # [m]


def biped10() -> Robot:
    """Biped of 10 joints, 0.69 m, 8 kg: hip roll and pitch, knee, ankle pitch and roll per leg."""
    trunk = Link("trunk", 4.0, (0.0, 0.0, 0.12), _cuboid(4.0, 0.12, 0.16, 0.25))
    links, joints = [trunk], [Joint("base", "free", WORLD, "trunk")]
    shapes = [Shape("trunk_box", "trunk", "box", (0.06, 0.08, 0.125), (0.0, 0.0, 0.125))]
    frames = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        links += _leg_links(side)
        joints += _leg_joints(side, sign)
        shapes += _leg_shapes(side)
        frames.append(Frame(f"{side}_sole", f"{side}_foot", (0.02, 0.0, -ANKLE)))
    crouch = (0.0, -0.3, 0.6, -0.3, 0.0)
    home = Keyframe("home", (0.0, 0.0, 0.42213, 1.0, 0.0, 0.0, 0.0, *crouch, *crouch), (0.0,) * 16)
    return Robot.from_description(
        Description(
            name="biped10",
            source="stiction.robots.biped10",
            links=tuple(links),
            joints=tuple(joints),
            shapes=tuple(shapes),
            frames=tuple(frames),
            keyframes=(home,),
        )
    )


def _leg_links(side: str) -> list[Link]:
    return [
        Link(f"{side}_hip", 0.2, (0.0, 0.0, 0.0), _cuboid(0.2, 0.05, 0.05, 0.05)),
        Link(f"{side}_thigh", 0.8, (0.0, 0.0, -THIGH / 2), _cuboid(0.8, 0.06, 0.06, THIGH)),
        Link(f"{side}_shank", 0.6, (0.0, 0.0, -SHANK / 2), _cuboid(0.6, 0.05, 0.05, SHANK)),
        Link(f"{side}_ankle", 0.1, (0.0, 0.0, 0.0), _cuboid(0.1, 0.04, 0.04, 0.04)),
        Link(f"{side}_foot", 0.3, (0.02, 0.0, -ANKLE + SOLE[2] / 2), _cuboid(0.3, *SOLE)),
    ]


def _leg_joints(side: str, sign: float) -> list[Joint]:
    def joint(
        name: str, parent: str, child: str, axis: tuple, position: tuple, limits: tuple
    ) -> Joint:
        return Joint(
            f"{side}_{name}",
            "revolute",
            parent if parent == "trunk" else f"{side}_{parent}",
            f"{side}_{child}",
            position=position,
            axis=axis,
            lower=limits[0],
            upper=limits[1],
            armature=0.002,
            damping=0.05,
            friction=0.05,
            effort_lower=-40.0,
            effort_upper=40.0,
        )

    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    return [
        joint("hip_roll", "trunk", "hip", x, (0.0, sign * HIP_OFFSET, 0.0), (-0.5, 0.5)),
        joint("hip_pitch", "hip", "thigh", y, (0.0, 0.0, 0.0), (-1.8, 0.8)),
        joint("knee", "thigh", "shank", y, (0.0, 0.0, -THIGH), (0.0, 2.4)),
        joint("ankle_pitch", "shank", "ankle", y, (0.0, 0.0, -SHANK), (-0.9, 0.9)),
        joint("ankle_roll", "ankle", "foot", x, (0.0, 0.0, 0.0), (-0.5, 0.5)),
    ]


def _leg_shapes(side: str) -> list[Shape]:
    half = (SOLE[0] / 2, SOLE[1] / 2, SOLE[2] / 2)
    middle = (0.02, 0.0, -ANKLE + SOLE[2] / 2)
    return [
        Shape(
            f"{side}_thigh_capsule",
            f"{side}_thigh",
            "capsule",
            (0.03, 0.07),
            (0.0, 0.0, -THIGH / 2),
        ),
        Shape(
            f"{side}_shank_capsule",
            f"{side}_shank",
            "capsule",
            (0.025, 0.075),
            (0.0, 0.0, -SHANK / 2),
        ),
        Shape(f"{side}_foot_box", f"{side}_foot", "box", half, middle),
    ]


def _cuboid(
    mass: float, x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float]:
    """Inertia of a homogeneous cuboid about its centre."""
    k = mass / 12
    return (k * (y * y + z * z), 0.0, 0.0, k * (x * x + z * z), 0.0, k * (x * x + y * y))
