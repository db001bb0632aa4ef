"""Ground reactions of a motion against statics and the textbooks' zero-moment points."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer, turned
from recorded import LOWER, corner, recorded
from stiction.errors import InputError
from stiction.metrics import link_positions, normals, point_positions, point_velocities

FLOOR = st.SpringDamper(stiffness=1e5, damping=800.0, mu_kinetic=0.0)


def resting_brick(forces=(), duration=0.4):
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.06), mass=2.0))
    state = world.standing(above=-2.0 * 9.81 / 4 / 1e5)
    return st.simulate(
        world, FLOOR, duration=fewer(duration, 0.002), dt=2e-4, state=state, forces=forces
    )


# ------------------------------------------------------------------------------------------- points


def test_places_are_where_the_corners_are():
    motion = resting_brick()
    corners = point_positions(motion)[0]
    assert np.allclose(np.abs(corners[:, 0]), 0.1) and np.allclose(np.abs(corners[:, 1]), 0.05)
    assert np.allclose(np.ptp(corners[:, 2]), 0.06)


def test_places_move_with_their_link():
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.06)))
    state = world.standing(above=1.0)
    state.v[:] = (1.0, 2.0, 3.0, 0.0, 0.0, 5.0)
    motion = recorded(np.zeros((1, 8, 3)), world=world, state=state)
    arm = point_positions(motion)[0] - state.q[:3]
    moving = state.v[:3] + np.cross([0.0, 0.0, 5.0], arm)
    np.testing.assert_allclose(point_velocities(motion)[0], moving, atol=1e-14)  # rounding


def test_normals_are_those_of_the_ground():
    slope = st.Slope(0.3, heading=0.5)
    motion = recorded(np.zeros((1, 8, 3)), world=st.World(st.robots.brick(), ground=slope))
    assert (normals(motion) == slope.normal()).all() and normals(motion).shape == (2, 8, 3)
    flying = st.simulate(st.World(st.robots.ball(), ground=None), contact=None, duration=0.0)
    with pytest.raises(InputError, match="this world has no ground"):
        normals(flying)


# ----------------------------------------------------------------------- forces, wrenches, pressure


def test_the_force_under_a_resting_brick_is_its_weight_at_its_centre():
    motion = resting_brick()
    assert np.allclose(motion.foot_force("brick")[-2], [0, 0, 2.0 * 9.81], atol=1e-6)
    assert np.allclose(motion.centre_of_pressure("brick")[-2, :2], 0.0, atol=1e-9)


@pytest.mark.jit
def test_an_upright_couple_moves_the_centre_of_pressure_by_moment_over_weight():
    table = np.array([[0, 0, 0], [0, 0, 0]]), np.array([[0, 0.3, 0], [0, 0.3, 0]])
    couple = st.TabulatedForce("brick", (0, 0, 0), [0.0, 10.0], *table)
    motion = resting_brick([couple], duration=1.0)
    centre = motion.centre_of_pressure("brick")[-1000:-1].mean(axis=0)
    assert centre[0] == pytest.approx(0.3 / (2.0 * 9.81), rel=1e-3)
    assert centre[1] == pytest.approx(0.0, abs=1e-9)


def test_a_brick_in_flight_has_no_centre_of_pressure():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, FLOOR, duration=0.002, state=world.standing(above=1.0))
    assert np.isnan(motion.centre_of_pressure("brick")).all()
    assert (motion.foot_force("brick")[:-1] == 0).all()


def test_feet_are_asked_for_by_name():
    world = st.World(st.robots.biped10())
    motion = st.simulate(world, FLOOR, duration=0.001, state=world.standing(above=-1e-4))
    both = motion.foot_force("left_foot")[0] + motion.foot_force("right_foot")[0]
    assert np.allclose(both, motion.force[0].sum(axis=0))
    for ask in (motion.foot_force, motion.foot_wrench, motion.force_spread):
        with pytest.raises(InputError, match="'left_hip' has no colliding shape; links with one"):
            ask("left_hip")
    with pytest.raises(InputError, match="no link or frame 'hand' in this world; it has: "):
        motion.foot_wrench("hand")
    for ask in ("foot_force", "foot_wrench", "centre_of_pressure", "force_spread"):
        with pytest.raises(InputError, match="simulated without contact"):
            getattr(st.simulate(world, contact=None, duration=0.001), ask)("left_foot")


def test_a_wrench_is_the_force_and_its_arm_crossed():
    forces = np.zeros((1, 8, 3))
    forces[0, 2] = (1.0, 2.0, 3.0)
    state = st.World(st.robots.brick()).standing()
    state.q[:2] = (4.0, 5.0)
    motion = recorded(forces, state=state)
    p = corner(motion, 2)
    wrench = motion.foot_wrench("brick")
    np.testing.assert_array_equal(wrench.force[0], (1.0, 2.0, 3.0))
    # rounding of arms of a few metres
    np.testing.assert_allclose(
        wrench.moment[0], np.cross(p - state.q[:3], forces[0, 2]), atol=1e-14
    )
    about = motion.foot_wrench("brick", about=(1.0, 1.0, 0.0))
    np.testing.assert_allclose(
        about.moment[0], np.cross(p - [1.0, 1.0, 0.0], forces[0, 2]), atol=1e-14
    )
    moving = motion.foot_wrench("brick", about=np.tile(p, (2, 1)))
    np.testing.assert_array_equal(moving.moment[0], 0.0)
    assert np.isnan(wrench.force[1]).all() and np.isnan(wrench.moment[1]).all()
    for wrong in ((1.0, 2.0), (1.0, 2.0, np.nan), "heel"):
        with pytest.raises(InputError, match=r"foot_wrench\(about\).*point \(3\) or \(2, 3\)"):
            motion.foot_wrench("brick", about=wrong)


def test_the_moment_under_a_foot_can_be_about_a_frame_of_it():
    world = st.World(st.robots.biped10())
    motion = st.simulate(world, FLOOR, duration=0.001, state=world.standing(above=-1e-4))
    sole, foot = link_positions(motion, "left_sole"), link_positions(motion, "left_foot")
    arm = np.array([0.02, 0.0, -0.04])  # the home configuration has level feet
    np.testing.assert_allclose(sole[0] - foot[0], arm, atol=1e-12)
    at_sole, at_foot = motion.foot_wrench("left_sole"), motion.foot_wrench("left_foot")
    np.testing.assert_allclose(
        at_foot.moment[0], at_sole.moment[0] + np.cross(arm, at_foot.force[0]), atol=1e-12
    )


# -------------------------------------------------------------------------------- zero-moment point


def test_zmp_from_forces_has_no_moment_along_the_ground():
    forces = np.random.default_rng(7).normal(size=(3, 8, 3))
    forces[:, :, 2] = np.abs(forces[:, :, 2])
    for ground in (st.Plane(0.3), st.Slope(0.3, heading=1.0)):
        motion = recorded(forces, world=st.World(st.robots.brick(), ground=ground))
        point = motion.zmp()
        moment = motion.foot_wrench("brick", about=np.nan_to_num(point)).moment[:-1]
        n = ground.normal()
        np.testing.assert_allclose(np.cross(n, moment), 0.0, atol=1e-13)  # rounding
        above = (point[:-1] - ground.bind().point) @ n
        np.testing.assert_allclose(above, 0.0, atol=1e-15)
        assert np.isnan(point[-1]).all()


@pytest.mark.parametrize("ground", [st.Plane(0.2), st.Slope(0.2, heading=0.4)])
def test_zmp_of_a_body_at_rest_is_below_its_centre_of_mass(ground):
    world = st.World(st.robots.brick(), ground=ground)
    state = world.standing()
    state.q[:2] = (0.4, 0.3)
    state.q[3:7] = turned((1.0, 2.0, 3.0), 0.5)
    below = state.q[:3].copy()
    n, point = ground.normal(), ground.bind().point
    below[2] = point[2] - (below[:2] @ n[:2]) / n[2]
    motion = recorded(np.zeros((1, 8, 3)), world=world, state=state)
    np.testing.assert_allclose(motion.zmp("motion")[0], below, atol=1e-14)  # rounding


def test_zmp_of_a_sliding_brick_leads_by_height_times_mu():
    """Cart and table: x = c_x - h a_x / g with a_x = -mu g."""
    mu, half = 0.4, 0.03
    floor = st.SpringDamper(stiffness=1e6, damping=2000.0, mu_kinetic=mu)
    world = st.World(st.robots.brick(size=(0.2, 0.1, 2 * half), mass=2.0))
    state = world.standing(above=-2.0 * 9.81 / 4 / 1e6)
    state.v[0] = 1.0
    motion = st.simulate(world, floor, duration=fewer(0.1, 0.01), dt=1e-4, state=state)
    lead = {}
    for definition in ("forces", "motion"):
        point = motion.zmp(definition)[:-1]
        lead[definition] = (point - motion.centre_of_mass()[:-1])[:, 0].mean()
        np.testing.assert_allclose(point[:, 1:], 0.0, atol=1e-9)  # it slides along x
    # it pitches onto its front edge by springs of 5 um, and oscillates about this mean
    assert lead["forces"] == pytest.approx(mu * half, rel=fewer(0.01, 0.05))
    assert lead["motion"] == pytest.approx(lead["forces"], rel=1e-3)


def swaying_biped(dt):
    """Hips and ankles roll and pitch while it stands."""
    world = st.World(st.robots.biped10())
    time = np.linspace(0, 4, 401)
    q = np.tile(world.home().q, (len(time), 1))
    roll, pitch = (
        0.05 * np.sin(2 * np.pi * f * time) * np.minimum(time / 0.3, 1) for f in (1, 0.7)
    )
    for first in (7, 12):
        q[:, first] += roll
        q[:, first + 4] -= roll
        q[:, first + 1] += pitch
    follow = st.PDTracking(st.Reference(time, q), stiffness=200.0, damping=4.0)
    floor = st.SpringDamper(stiffness=3e4, damping=300.0, mu_kinetic=0.6)
    state = world.standing(above=-8.0 * 9.81 / 8 / 3e4)
    return st.simulate(
        world, floor, duration=fewer(1.0, 0.01), dt=dt, state=state, controller=follow
    )


def test_both_definitions_agree_for_a_swaying_robot():
    largest = []
    for dt in fewer((1e-3, 5e-4), (1e-3,)):
        motion = swaying_biped(dt)
        by_forces, by_motion = motion.zmp("forces")[:-1], motion.zmp("motion")[:-1]
        largest.append(np.abs(by_forces - by_motion).max())
        reach = np.abs(by_forces).max()
    print(f"zmp moves over {reach:.3f} m; the definitions differ by {largest} m")
    assert largest[-1] < 2e-4  # of steps of 1 ms: rates are differences over a step
    if len(largest) > 1:
        assert reach > 0.05  # it does sway
        assert np.log2(largest[0] / largest[1]) > 0.8  # first order, or better


def test_zmp_is_the_centre_of_pressure_of_all_feet():
    motion = swaying_biped(1e-3)
    parts = [
        (motion.foot_force(foot)[:-1, 2:], motion.centre_of_pressure(foot)[:-1])
        for foot in ("left_foot", "right_foot")
    ]
    both = sum(f * np.nan_to_num(p) for f, p in parts) / sum(f for f, _ in parts)
    # forces along the ground act at the depth of the contact points, and move the zmp by mu * depth
    sunk = 0.6 * np.nanmax(motion.depth)
    np.testing.assert_allclose(motion.zmp()[:-1, :2], both[:, :2], atol=sunk)


def test_on_stairs_the_plane_is_level_through_the_centre_of_pressure():
    stairs = st.Steps(rise=0.1, run=5.0, start=-2.0)
    world = st.World(st.robots.brick(), ground=stairs)
    forces = np.zeros((1, 8, 3))
    forces[0, LOWER] = (1.0, 0.0, 5.0)
    motion = recorded(forces, world=world)  # on the first step
    # nothing moves, so the weight is carried below the centre; friction acts in the plane
    for definition in ("forces", "motion"):
        np.testing.assert_allclose(motion.zmp(definition)[0], (0.0, 0.0, 0.1), atol=1e-14)
    assert motion.force_spread("brick")[0] == pytest.approx(0.0, abs=1e-14)


def test_there_is_no_zmp_in_flight():
    world = st.World(st.robots.brick())
    state = world.standing(above=1.0)
    state.v[:] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    motion = st.simulate(world, FLOOR, duration=0.01, state=state)
    assert np.isnan(motion.zmp("forces")).all() and np.isnan(motion.zmp("motion")).all()


def test_zmp_of_one_robot_out_of_two():
    near, far = st.robots.brick(mass=2.0), st.robots.brick(mass=3.0).named("far")
    world = st.World(near, far)
    state = world.standing()
    state.q[7:9] = (5.0, 1.0)
    forces = np.zeros((1, 16, 3))
    forces[0, LOWER, 2] = 2.0 * 9.81 / 4
    forces[0, [8 + i for i in LOWER], 2] = 3.0 * 9.81 / 4
    motion = recorded(forces, world=world, state=state)
    for definition in ("forces", "motion"):
        # rounding of positions of 5 m
        np.testing.assert_allclose(motion.zmp(definition, "brick")[0], (0, 0, 0), atol=1e-14)
        np.testing.assert_allclose(motion.zmp(definition, "far")[0], (5, 1, 0), atol=1e-14)
        np.testing.assert_allclose(motion.zmp(definition)[0], (3, 0.6, 0), atol=1e-14)
        with pytest.raises(InputError, match="no robot 'third' in this world; it has: brick, far"):
            motion.zmp(definition, "third")


def test_zmp_wants_a_definition_that_it_knows_and_contact():
    motion = recorded(np.zeros((1, 8, 3)))
    with pytest.raises(InputError, match="definition is 'inertia'; it can be 'forces' or 'motion'"):
        motion.zmp("inertia")
    with pytest.raises(InputError, match="without contact"):
        st.simulate(st.World(st.robots.ball()), contact=None, duration=0.002).zmp()


def test_the_centre_of_pressure_is_weighted_by_the_normal_force():
    """Friction, and which way it points, does not move it."""
    world = st.World(st.robots.brick())
    motion = st.simulate(world, duration=0.002, state=world.standing())
    force = np.zeros_like(motion.force)
    low = np.argsort(motion.contact_points.position[0, :, 2])[:3]
    normal = np.array([1.0, 2.0, 5.0])
    force[:, low, 2] = normal
    force[:, low, 0] = [9.0, -4.0, 2.0]
    found = replace(motion, force=force).centre_of_pressure("brick")[0]
    wanted = normal @ motion.contact_points.position[0, low] / normal.sum()
    np.testing.assert_allclose(found[:2], wanted[:2], atol=1e-12)
