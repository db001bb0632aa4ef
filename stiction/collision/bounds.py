"""Axis-aligned boxes around shapes at one instant."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.detection import REACH
from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to, world_point
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.vectors import compose, dot, like, load_matrix, load_vector


class Bounds(NamedTuple):
    """Constant: what encloses each shape, in its link.

    Each shape lies in the Minkowski sum of a box, a disc normal to the z axis and a ball. For
    sphere, capsule, cylinder and box the sum is the shape itself; a hull lies in its box.
    """

    link: np.ndarray  # (shapes) link of the forest, 0 for fixed shapes
    centre: np.ndarray  # (shapes, 3) of box, disc and ball, in the link [m]
    rotation: np.ndarray  # (shapes, 3, 3) axes of box and disc in the link
    half: np.ndarray  # (shapes, 3) half extents of the box [m]
    disc: np.ndarray  # (shapes) radius of the disc [m]
    ball: np.ndarray  # (shapes) radius of the ball [m]
    radius: np.ndarray  # (shapes) of a sphere around the sum [m]


class Boxes(NamedTuple):
    """Axis-aligned boxes in the world, each enlarged by the reach of its shape."""

    reach: np.ndarray  # (shapes) [m]
    low: np.ndarray  # (shapes, 3) [m]
    high: np.ndarray  # (shapes, 3) [m]


def allocate_boxes(bounds: Bounds) -> Boxes:
    """Return boxes for the shapes, with no reach, in the precision of their bounds."""
    n, real = len(bounds.link), bounds.centre.dtype
    return Boxes(np.zeros(n, real), np.zeros((n, 3), real), np.zeros((n, 3), real))


@kernel
def reach_within(bounds, dynamics, boxes, time):
    """Set the reach of each shape to how far it may move within a time.

    That is its fastest point at its present speed, plus the travel at REACH times gravity. The
    reach of fixed shapes is 0.
    """
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    fall = like(time, REACH / 2) * math.sqrt(dot(g, g)) * time * time
    for i in range(len(bounds.link)):
        boxes.reach[i] = 0
        if bounds.link[i] > 0:
            boxes.reach[i] = fall + time * largest_speed(bounds, dynamics, i)


@kernel
def largest_speed(bounds, dynamics, i):
    """Upper bound of the speed of all points of shape i [m/s]."""
    twist = load_twist(dynamics.velocity, bounds.link[i])
    v = point_velocity(twist, arm_to(dynamics, bounds.link[i], load_vector(bounds.centre, i)))
    return math.sqrt(dot(v, v)) + bounds.radius[i] * math.sqrt(dot(twist.angular, twist.angular))


@kernel
def update_boxes(bounds, dynamics, boxes):
    """Write the boxes of all shapes at the poses in `dynamics`."""
    for i in range(len(bounds.link)):
        link = bounds.link[i]
        R = compose(load_matrix(dynamics.rotation, link), load_matrix(bounds.rotation, i))
        centre = world_point(dynamics, link, load_vector(bounds.centre, i))
        for k in range(3):
            half = boxes.reach[i] + extent(bounds, i, R[k])
            boxes.low[i, k] = centre[k] - half
            boxes.high[i, k] = centre[k] + half


@kernel
def extent(bounds, i, direction):
    """How far shape i extends from its centre along a unit direction in its own axes [m]."""
    x, y, z = abs(direction[0]), abs(direction[1]), abs(direction[2])
    box = x * bounds.half[i, 0] + y * bounds.half[i, 1] + z * bounds.half[i, 2]
    across = math.sqrt(max(like(z, 1) - z * z, like(z, 0)))
    return box + across * bounds.disc[i] + bounds.ball[i]
