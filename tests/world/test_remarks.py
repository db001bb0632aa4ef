"""Remarks: what `stiction robots FILE` points a human to."""

import dataclasses

import stiction as st
from stiction.world.checkup import remarks


def test_our_own_robots_leave_nothing_to_remark():
    for name in st.robots.__all__:
        assert remarks(getattr(st.robots, name)()) == []


def changed(**values):
    robot = st.robots.biped10()
    arrays = {name: getattr(robot, name).copy() for name in values}
    for name, (link, value) in values.items():
        arrays[name][list(robot.link_name).index(link)] = value
    return dataclasses.replace(robot, **arrays)


def test_unit_inertias_are_remarked():
    (first, second) = remarks(changed(inertia=("left_foot", [1, 0, 0, 1, 0, 1])))
    assert first.startswith("left_foot has an inertia of 1 kg m2")
    assert second.startswith("left_foot has an inertia too large")


def test_a_centre_outside_the_shapes_is_remarked():
    (remark,) = remarks(changed(centre=("trunk", [0.4, 0.0, 0.1])))
    assert remark == "trunk has a centre of mass outside the shapes"


def test_a_tiny_mass_at_the_end_of_a_chain_is_remarked():
    robot = changed(mass=("left_foot", 1e-5), inertia=("left_foot", [1e-9, 0, 0, 1e-9, 0, 1e-9]))
    assert remarks(robot) == []  # the armature of its joint helps
    (remark,) = remarks(robot.with_joints(armature=0.0))
    assert remark.startswith("left_foot has less than 0.0001 of the robot's mass")
