"""The end of a slide is put right by moving positions a little, never by more than the step."""

import numpy as np

import stiction as st
from mechanisms import fewer


def test_no_joint_jumps_where_feet_come_to_rest():
    """A biped with random velocities, near the pose in which its legs cannot move its feet apart.

    Joints move by the mean of both velocities of a step, half a change of velocity more or less,
    and by what lifts points out of the ground: they sink by some 0.1 mm in the first steps, and a
    nearly straight leg turns that into a milliradian.
    """
    world, dt = st.World(st.robots.biped10(), ground=st.Plane()), 1e-3
    for seed in range(fewer(100, 8)):
        state = world.standing(above=-1e-4)
        state.v[:] = 0.3 * np.random.default_rng(seed).normal(size=world.nv)
        motion = st.simulate(world, st.Coulomb(), state=state, duration=20 * dt, dt=dt)
        q, v = motion.q[:, 7:], motion.v[:, 6:]
        jump = np.abs(np.diff(q, axis=0) - dt * (v[1:] + v[:-1]) / 2)
        change = dt * np.abs(np.diff(v, axis=0)).max() / 2
        assert jump.max() <= change + 2e-3
