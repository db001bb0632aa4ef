"""Robots in the sagittal plane: three coordinates of the base, and no way out of the plane."""

import numpy as np
import pytest

import stiction as st
from mechanisms import held, pendulum
from stiction.kernels.planar import planar_bases
from stiction.metrics import link_positions, point_positions

pytestmark = pytest.mark.interpreted

FLAT = st.robots.hoap1(planar=True)
FLOOR = st.GaussSeidel(mu_static=0.8, mu_kinetic=0.6)


def pushed(planar, force, ground=None, duration=0.25):
    robot = held(st.robots.hoap1(planar=planar), 30.0, 0.6, base=3 if planar else 6)
    world = st.World(robot, ground=ground or st.Plane())
    push = st.Push("trunk", (0.0, 0.0, 0.1), force, 0.02, 0.12)
    return st.simulate(
        world,
        FLOOR,
        duration=duration,
        dt=0.001,
        state=world.standing(),
        forces=[push],
        integrator=st.SemiImplicitEuler(),  # the default extrapolates other coordinates
    )


def test_the_base_has_three_coordinates_found_in_the_forest():
    world = st.World(FLAT, pendulum(), st.robots.ball())
    (base,) = planar_bases(world.tree)
    assert [world.joint_names[link].split("/")[-1] for link in base.links] == [
        "trunk_x",
        "trunk_z",
        "trunk_turn",
    ]
    assert FLAT.home[0] == FLAT.home[2] == 0.0 and FLAT.home[1] > 0.2
    assert not planar_bases(st.World(st.robots.hoap1()).tree)


@pytest.mark.parametrize("ground", [st.Plane(height=0.3), st.Slope(0.2), st.Steps(0.05, 0.2, 3)])
@pytest.mark.parametrize("above", [0.0, 0.04])
def test_standing_lifts_it_as_far_as_the_free_one(ground, above):
    flat = st.World(FLAT, ground=ground).standing(above=above)
    free = st.World(st.robots.hoap1(), ground=ground).standing(above=above)
    assert flat.q[1] == pytest.approx(free.q[2], abs=1e-8)  # found by halving on steps
    assert flat.q[0] == 0.0


def test_a_planar_robot_can_be_placed_like_any_other():
    world = st.World(FLAT.at((1.0, 0.5, 0.0)))
    motion = st.simulate(world, contact=None, duration=0.0, state=world.standing())
    np.testing.assert_allclose(
        link_positions(motion, "left_sole")[0], [1.01, 0.539, 0.0], atol=1e-12
    )


def test_controllers_drive_joints_and_never_the_base():
    world = st.World(FLAT)
    reference = st.Reference([0.0, 1.0], [world.home().q] * 2)
    hold = st.PDTracking(reference, stiffness=30.0, damping=0.6)
    assert hold.bind(world).dof.tolist() == list(range(3, world.nv))
    prescribed = {
        base: st.Prescribed(reference, base=base).bind(world).dof.tolist()
        for base in ("free", "pitch", "all")
    }
    joints = list(range(3, world.nv))
    assert prescribed == {"free": joints, "pitch": [*joints, 2], "all": [*joints, 0, 1, 2]}


@pytest.mark.jit
def test_under_a_push_in_the_plane_it_moves_like_the_free_one():
    flat, free = pushed(True, (6.0, 0.0, 0.0)), pushed(False, (6.0, 0.0, 0.0))
    assert np.ptp(flat.q[:, 0]) > 0.003  # it was pushed
    # the free one stays in the plane up to rounding, which contact lets grow a little
    np.testing.assert_allclose(flat.q[:, :2], free.q[:, [0, 2]], atol=1e-9)
    np.testing.assert_allclose(np.sin(flat.q[:, 2] / 2), free.q[:, 5], atol=1e-9)
    for joint in FLAT.joint_name[3:]:
        np.testing.assert_allclose(flat.joint(joint), free.joint(joint), atol=1e-8)
    for foot in ("left_foot", "right_foot"):
        along = [motion.foot_force(foot)[:-1, [0, 2]] for motion in (flat, free)]
        np.testing.assert_allclose(*along, atol=1e-4 * 5 * 9.81)


@pytest.mark.jit
def test_pushes_and_slopes_across_the_plane_move_nothing_across_it():
    motion = pushed(True, (2.0, 20.0, 0.0), ground=st.Slope(0.1, heading=np.pi / 2), duration=0.1)
    home = point_positions(motion)[0, :, 1]
    assert (np.abs(point_positions(motion)[:, :, 1] - home) < 1e-15).all()
    assert (link_positions(motion, "trunk")[:, 1] == 0.0).all()
    assert np.ptp(motion.q[:, 0]) > 1e-5  # while it does move in the plane


def test_prescribed_with_its_base_it_is_carried_by_a_residual_force():
    world = st.World(FLAT, ground=None)
    reference = st.Reference([0.0, 1.0], [world.home().q] * 2)
    carried = st.Prescribed(reference, base="all")
    motion = st.simulate(world, contact=None, duration=0.003, dt=0.001, controller=carried)
    np.testing.assert_array_equal(motion.q, np.tile(world.home().q, (len(motion), 1)))
    np.testing.assert_allclose(motion.torque[:-1, 1], 5.0 * 9.81, rtol=1e-12)
