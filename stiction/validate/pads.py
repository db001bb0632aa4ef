"""An elastic sole as part of a body: pads under a foot, each on a spring and a damper.

A rigid contact model does not give way, and neither do prescribed joints: a foot that comes down a
millimetre too low would be pressed into the ground with any force. A shoe gives way. Each row of
contact points becomes a light link that slides up and back against the foot, with the stiffness and
damping that a force law would have there, so that all models meet the same sole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import stiction as st
from stiction.description.description import Description, Joint, Link, Shape
from stiction.robot.described import description_of
from stiction.validate.walk_fit import SIDES

MASS = 0.02  # of a pad [kg]; twelve of them are 0.3 % of the subject
NO_INERTIA = (0.0,) * 6
ACROSS, UP = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def with_pads(robot: st.Robot, sole: st.Distributed) -> st.Robot:
    """The robot with a pad in place of each row of points under its feet.

    sole: values of one point; a pad has those of its row, at a depth of 1 cm if alpha is not 1.
    """
    if not np.allclose(robot.joint_rotation, np.eye(3)):
        raise st.StictionError(f"robot '{robot.name}': pads need joints without rotations")
    description = description_of(robot)
    links, joints, shapes = list(description.links), list(description.joints), []
    for shape in description.shapes:
        foot = shape.link if shape.link in [f"{side}_foot" for side in SIDES] else ""
        if not foot or not shape.collides:
            shapes.append(shape)
            continue
        for k, x in enumerate(sorted({round(vertex[0], 9) for vertex in shape.vertices})):
            row = [vertex for vertex in shape.vertices if round(vertex[0], 9) == x]
            pad, slid = f"{foot}/pad{k}", f"{foot}/pad{k}_x"
            links += [
                Link(slid, 0.0, (0.0, 0.0, 0.0), NO_INERTIA),
                Link(pad, MASS, (0.0, 0.0, 0.0), NO_INERTIA),
            ]
            joints += _slides(foot, slid, pad, len(row), sole)
            shapes.append(replace(shape, name=pad, link=pad, vertices=tuple(row)))
    return st.Robot.from_description(_made(description, links, joints, shapes))


def _slides(foot: str, slid: str, pad: str, points: int, sole: st.Distributed) -> list[Joint]:
    stiffness = sole.stiffness * 0.01 ** (sole.alpha - 1.0)
    return [
        Joint(
            slid,
            "prismatic",
            foot,
            slid,
            axis=ACROSS,
            stiffness=points * sole.tangential_stiffness,
            damping=points * sole.tangential_damping,
        ),
        Joint(
            pad,
            "prismatic",
            slid,
            pad,
            axis=UP,
            stiffness=points * stiffness,
            damping=points * sole.damping,
        ),
    ]


def _made(
    description: Description, links: list[Link], joints: list[Joint], shapes: list[Shape]
) -> Description:
    return replace(
        description,
        source=f"{description.name} on pads",
        links=tuple(links),
        joints=tuple(joints),
        shapes=tuple(shapes),
        keyframes=(),
    )
