"""Inverse kinematics against forward kinematics."""

import numpy as np
import pytest

import stiction as st
from stiction.description.rotation import about, matrix
from stiction.errors import InputError
from stiction.patterns.body import Body
from stiction.patterns.postures import (
    SETTLED,
    Solver,
    Targets,
    moved,
    rotation_vector,
    solve_all,
    turned,
)
from stiction.world import mechanics

pytestmark = pytest.mark.interpreted


ROBOTS = [st.robots.biped10, st.robots.hoap1, st.robots.biped14]


def targets_for(body, centre, base=(0.0, 0.0)):
    """Both feet side by side, one of them lifted, the centre of mass there."""
    out = body.home_width() / 2
    soles = np.array([[[0.01, out, 0.0, 0.0], [-0.01, -out, 0.01, 0.0]]])
    return Targets(np.zeros(1), np.array([centre]), soles, np.array([base]))


@pytest.mark.parametrize("make", ROBOTS)
def test_solutions_are_where_they_should_be(make):
    body = Body(make())
    centre = [0.01, 0.01, body.height_for(0.0) * 0.98]
    pitch = 0.0 if body.robot.name == "biped10" else 0.05  # pitched, its feet would need yaw
    targets = targets_for(body, centre, (0.0, pitch))
    q = Solver(body, targets).solve(body.standing(), 0, body.standing())
    np.testing.assert_allclose(mechanics.centre_of_mass(body.world, q), centre, atol=1e-9)
    np.testing.assert_allclose(matrix(q[3:7]), turned(0.0, pitch), atol=1e-9)
    for side, sole in enumerate(body.soles):
        place = body.world.place(str(body.robot.link_name[sole.link]))
        position = body.point(q, str(body.robot.link_name[sole.link]))
        position = position + body._dynamics.rotation[place.link] @ sole.position
        np.testing.assert_allclose(position, targets.soles[0, side, :3], atol=1e-9)
        np.testing.assert_allclose(
            body._dynamics.rotation[place.link] @ sole.rotation, np.eye(3), atol=1e-9
        )


def test_feet_that_lack_a_joint_are_told():
    """Without hip yaw a pitched base with the weight on one side would turn the feet."""
    body = Body(st.robots.biped10())
    targets = targets_for(body, [0.01, 0.01, 0.36], (0.0, 0.05))
    with pytest.raises(InputError, match="lack a joint"):
        Solver(body, targets).solve(body.standing(), 0, body.standing())


@pytest.mark.parametrize("by", [(-0.03, 0.15, 0.8), (-0.1, 0.0, 0.9)])
def test_a_hand_that_goes_far_takes_the_nearest_posture(by):
    """Whole steps towards the posture overshoot here and never settle, though the hand is there."""
    body = Body(st.robots.hrp2())
    n, start = 25, body.standing()
    targets = targets_for(body, [0.0, 0.0, body.height_for(0.0)])
    way = body.point(start, "right_hand") + np.linspace(0, 1, n)[:, None] * by
    targets = Targets(
        np.linspace(0, 1, n),
        np.repeat(targets.centre, n, axis=0),
        np.repeat(targets.soles * [0, 1, 0, 0], n, axis=0),
        np.repeat(targets.base, n, axis=0),
        "right_hand",
        way,
    )
    solver = Solver(body, targets)
    q = solve_all(solver, start)
    np.testing.assert_allclose(body.point(q[-1], "right_hand"), way[-1], atol=1e-9)
    J = solver.jacobian(q[-1], body.at(q[-1]))
    pull = solver._towards(start, q[-1])
    pull = pull - solver._least(J, J @ pull)
    assert np.abs(pull).max() < 2 * SETTLED  # `start` is the posture; rounding of J
    assert np.abs(np.diff(q[:, 7:], axis=0)).max() < 0.3  # no jump: 35 mm a sample, arm of 0.25 m


def test_jacobians_are_derivatives():
    body = Body(st.robots.hoap1())
    q, h = body.standing(), 1e-6
    placed = body.at(q)
    for d in range(body.world.nv):
        step = np.zeros(body.world.nv)
        step[d] = h
        ahead, behind = body.at(moved(body, q, step)), body.at(moved(body, q, -step))
        np.testing.assert_allclose(
            (ahead.centre - behind.centre) / (2 * h), placed.centre_jacobian[:, d], atol=1e-8
        )
        np.testing.assert_allclose(
            (ahead.soles - behind.soles) / (2 * h), placed.sole_jacobians[:, :3, d], atol=1e-8
        )


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 3.0])
def test_rotation_vector_inverts_the_rotation(angle):
    axis = np.array([0.6, 0.0, 0.8])
    np.testing.assert_allclose(
        rotation_vector(matrix(about(axis, angle))), angle * axis, atol=1e-12
    )


def test_what_cannot_be_reached_is_told_with_its_distance():
    """Out of reach the legs are straight: singular, so rounding decides the last digits."""
    body = Body(st.robots.biped10())
    targets = targets_for(body, [0.0, 0.0, 2.0])
    with pytest.raises(InputError, match=r"sample 0\): the centre of mass stays 1\.3\d m off"):
        Solver(body, targets).solve(body.standing(), 0, body.standing())


def test_pitching_turns_the_base_alone():
    body = Body(st.robots.hoap1())
    q = body.standing()
    solver = Solver(body, targets_for(body, [0, 0, 0]))
    v = solver.pitching(q)
    rates = solver.jacobian(q, body.at(q)) @ v[solver.dofs]
    np.testing.assert_allclose(rates, [0] * 16 + [1, 0], atol=1e-8)


def test_knees_are_found():
    for make in ROBOTS:
        body = Body(make())
        for leg in body.legs:
            assert "shank" in body.robot.link_name[leg.knee]
    assert Body(st.robots.biped10()).leg_length == pytest.approx(0.4)
