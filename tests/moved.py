"""Motions made by hand, with joints of every type, for tests of what is written of them."""

import numpy as np

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape

TURNED = (0.8, 0.0, 0.6, 0.0)


def every_joint() -> st.Robot:
    """A free base that carries a ball joint, a slide and a hinge, one after the other."""
    names = ("base", "ball", "slide", "hinge")
    kinds = ("free", "spherical", "prismatic", "revolute")
    links = [Link(name, 1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)) for name in names]
    joints = [
        Joint(f"{name} joint", kind, parent, name, (0.1, 0.2, 0.3), TURNED, (0.0, 0.6, 0.8))
        for name, kind, parent in zip(names, kinds, (WORLD, *names), strict=False)
    ]
    joints[0] = Joint("base joint", "free", WORLD, "base")
    shapes = [Shape(f"{name} shape", name, "box", (0.1, 0.05, 0.02)) for name in names]
    parts = tuple(links), tuple(joints), tuple(shapes)
    return st.Robot.from_description(Description("chain", "tests", *parts))


def moved(samples: int = 41, dt: float = 0.01, world: st.World | None = None) -> st.Motion:
    """A motion without forces; base and ball joint turn through all orientations."""
    world = world or st.World(every_joint(), ground=None)
    time = 0.5 + dt * np.arange(samples)  # it need not start at zero
    q = 0.2 * np.sin(np.outer(5.0 * time, 1.0 + np.arange(world.nq)))
    for first in (3, 7):
        turn = np.cumsum(np.random.default_rng(first).normal(scale=0.2, size=(samples, 4)), axis=0)
        turn += np.array([1.0, 0.0, 0.0, 0.0])
        q[:, first : first + 4] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    zeros, points = np.zeros((samples, world.nv)), np.zeros((samples, 0, 3))
    arrays = (zeros, zeros, zeros, points, points[..., 0], points)
    return st.Motion(world, time, q, *arrays, parameters={"dt": dt, "contact": None})
