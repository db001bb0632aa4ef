"""A push on a link as forces along the coordinates, by virtual work."""

import numpy as np

import stiction as st
from stiction.kernels.kinematics import advance
from stiction.viewer.pushing import push_torque
from stiction.visual.poses import link_poses


def test_a_push_does_the_work_of_its_force():
    """Force times the way of its point is torque times the coordinates, for any small motion."""
    world = st.World(st.robots.hoap1())
    random = np.random.default_rng(7)
    q = world.home().q + np.r_[np.zeros(7), random.normal(scale=0.3, size=world.nq - 7)]
    own, force = random.normal(size=3), random.normal(size=3)
    link = len(world.tree.parent) - 1
    poses = link_poses(world, q[None])
    point = poses.position[0, link] + poses.rotation[0, link] @ own
    torque = push_torque(world, poses, link, point, force)
    for _ in range(5):
        v, dt = random.normal(size=world.nv), 1e-6
        there, back = q.copy(), q.copy()
        advance(world.tree, there, v, dt)
        advance(world.tree, back, v, -dt)
        ends = link_poses(world, np.stack([there, back]))
        places = ends.position[:, link] + ends.rotation[:, link] @ own
        np.testing.assert_allclose(
            force @ (places[0] - places[1]) / (2 * dt), torque @ v, rtol=1e-6, atol=1e-6
        )
