"""Undersides of links in the home configuration."""

import numpy as np
import pytest

import stiction as st
from mechanisms import chain
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.robot.robot import Robot
from stiction.world.soles import at_home, lowest_of, soles, standing_points


def test_the_biped_stands_on_two_soles_of_its_size():
    left, right = soles(st.robots.biped10())
    assert (left.link, right.link) == ("left_foot", "right_foot")
    for sole in (left, right):
        assert sole.length == pytest.approx(0.16) and sole.width == pytest.approx(0.08)
        assert sole.height == pytest.approx(0.0, abs=1e-12)


def test_a_robot_without_shapes_has_no_soles():
    assert soles(chain(3)) == []


def free_link(*shapes: Shape) -> Robot:
    link = Link("link", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    joint = Joint("free", "free", WORLD, "link")
    return Robot.from_description(Description("robot", "tests", (link,), (joint,), shapes))


def test_a_sole_of_spheres_ends_at_their_lowest_points():
    spheres = [
        Shape(f"sphere {x} {y}", "link", "sphere", (0.005,), (x, y, 0.0))
        for x in (-0.1, 0.1)
        for y in (-0.05, 0.05)
    ]
    (sole,) = soles(free_link(*spheres))
    assert (sole.length, sole.width) == pytest.approx((0.2, 0.1))


def test_a_cylinder_stands_on_its_lower_rim():
    robot = free_link(Shape("cylinder", "link", "cylinder", (0.05, 0.25)))
    points = lowest_of(standing_points(robot, at_home(robot), 0), 1e-6)
    assert points[:, 2] == pytest.approx(-0.25)
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(0.05)
    assert np.ptp(points[:, :2], axis=0) == pytest.approx([0.1, 0.1], rel=0.02)
