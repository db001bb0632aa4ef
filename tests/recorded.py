"""Motions made by hand: a brick on the ground, with whatever forces and velocities a test wants."""

import numpy as np

import stiction as st
from stiction.metrics import point_positions

DT = 0.01
MU = 0.5
LOWER = (0, 2, 4, 6)  # corners of the lower face


def recorded(
    force,
    contact_velocity=None,
    slip=None,
    solver=None,
    contact=None,
    world=None,
    state=None,
) -> st.Motion:
    """A motion of a brick at rest; arrays (n, 8, 3), a last row without forces is added.

    contact: the model as a motion's parameters tell it.
    """
    world = world or st.World(st.robots.brick())
    state = state or world.standing()
    force = np.asarray(force, float)
    n, contact_points = len(force) + 1, force.shape[1]

    def rows(array, *shape):
        filled = np.zeros((n, *shape)) if array is None else np.asarray(array, float)
        return filled if array is None else np.concatenate([filled, np.full((1, *shape), np.nan)])

    return st.Motion(
        world,
        time=np.arange(n) * DT,
        q=np.tile(state.q, (n, 1)),
        v=np.tile(state.v, (n, 1)),
        torque=np.zeros((n, world.nv)),
        passive=np.zeros((n, world.nv)),
        force=rows(force, contact_points, 3),
        depth=np.zeros((n, contact_points)),
        slip=rows(slip, contact_points, 3),
        contact_velocity=rows(contact_velocity, contact_points, 3),
        solver=rows(solver, 3),
        parameters={
            "dt": DT,
            "contact": contact or {"model": "SpringDamper", "mu_kinetic": MU},
        },
    )


def one_point(force, velocity, **options) -> st.Motion:
    """A motion of one step in which only corner 0 touches."""
    forces, velocities = np.zeros((1, 8, 3)), np.zeros((1, 8, 3))
    forces[0, 0], velocities[0, 0] = force, velocity
    return recorded(forces, velocities, **options)


def corner(motion: st.Motion, i: int) -> np.ndarray:
    """Position of a corner."""
    return point_positions(motion)[0, i]
