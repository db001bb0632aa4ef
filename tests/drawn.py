"""Motions made by hand that pictures are drawn of: a brick comes down and slides on the ground."""

import numpy as np

import stiction as st
from stiction.world.contact_points import contact_points_of

DT = 0.02
FALLS, SLIDES = 10, 11  # samples
HEIGHT = 0.5  # at the start [m]
LOWER = (0, 2, 4, 6)  # corners of the lower face
CONTACT = {"model": "Coulomb", "mu_static": 0.5, "mu_kinetic": 0.5}


def fallen_brick(robot=None, ground=None) -> st.Motion:
    """A brick that comes down at constant speed, then slides along x at 1 m/s; without a step."""
    world = st.World(robot or st.robots.brick(), ground=ground or st.Plane())
    standing = world.standing().q
    n = FALLS + SLIDES
    q = np.tile(standing, (n, 1))
    q[:FALLS, 2] += np.linspace(HEIGHT, 0.0, FALLS, endpoint=False)
    q[FALLS:, 0] += DT * np.arange(SLIDES)
    points = len(contact_points_of(world)[1])
    force, velocity = np.zeros((n, points, 3)), np.zeros((n, points, 3))
    if points >= len(LOWER):
        share = world.total_mass * 9.81 / len(LOWER)
        force[FALLS:, LOWER] = [-0.5 * share, 0.0, share]
        velocity[FALLS:, LOWER] = [1.0, 0.0, 0.0]
    zeros = np.zeros((n, world.nv))
    return st.Motion(
        world,
        DT * np.arange(n),
        q,
        zeros,
        zeros,
        zeros,
        force,
        np.zeros((n, points)),
        velocity,
        contact_velocity=velocity,
        parameters={"contact": CONTACT, "dt": DT},
    )


def still(world: st.World) -> st.Motion:
    """A world at home, as a motion of one sample without contact."""
    state, zeros, points = world.home(), np.zeros((1, world.nv)), np.zeros((1, 0, 3))
    arrays = (zeros, zeros, points, points[..., 0], points)
    return st.Motion(world, np.zeros(1), state.q[None], state.v[None], *arrays)
