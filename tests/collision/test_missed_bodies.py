"""Bodies that start out of each other's reach, and that accelerations bring together in a step."""

import numpy as np
import pytest

import stiction as st

pytestmark = pytest.mark.interpreted
DT, RADIUS, MASS = 1e-3, 0.05, 0.5


def balls(apart, gravity=(0.0, 0.0, 0.0)):
    ball = st.robots.ball(RADIUS, MASS)
    second = ball.at((2 * RADIUS + apart, 0.0, 0.0))
    return st.World(ball.at((0.0, 0.0, 0.0)), second, ground=None, gravity=gravity)


def push(body, force):
    return st.Push(f"{body}/ball", (0.0, 0.0, 0.0), (force, 0.0, 0.0), 0.0, 1.0)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
@pytest.mark.parametrize(
    "integrator", [st.Midpoint(), st.Leapfrog(), st.SemiImplicitEuler()], ids=lambda i: type(i)
)
def test_balls_that_a_push_drives_into_each_other_do_not_overlap(integrator, gravity):
    """A force of 2 kN on each accelerates them by 4 km/s2: 4 mm in a step of 1 ms."""
    world = balls(2e-3, gravity)
    forces = [push("ball", 2e3), push("ball_2", -2e3)]
    motion = st.simulate(
        world, st.Coulomb(), duration=DT, dt=DT, forces=forces, integrator=integrator
    )
    gap = motion.q[-1, 7] - motion.q[-1, 0] - 2 * RADIUS
    assert gap > -1e-9  # without the check they would overlap by up to 6 mm
    assert gap < 2e-3
    assert np.abs(motion.force_between("ball", "ball_2")[0]).max() > 100
    assert motion.unsolved.count == 0


def test_balls_beyond_the_broad_phase_are_found():
    """Apart by 15 mm: the boxes of the first search do not overlap, and each moves by 10 mm."""
    world = balls(15e-3)
    forces = [push("ball", 1e4), push("ball_2", -1e4)]
    motion = st.simulate(world, st.Coulomb(), duration=DT, dt=DT, forces=forces)
    assert motion.q[-1, 7] - motion.q[-1, 0] - 2 * RADIUS > -1e-9


def test_balls_that_stay_apart_are_no_contact():
    world = balls(30e-3)
    forces = [push("ball", 2e3), push("ball_2", -2e3)]
    simulation = st.Simulation(world, st.Coulomb(), DT, forces=forces)
    simulation.step()
    assert simulation.contacts == []
    apart = [push("ball", -2e3), push("ball_2", 2e3)]
    simulation = st.Simulation(balls(2e-3), st.Coulomb(), DT, forces=apart)
    simulation.step()
    assert simulation.contacts == []


def test_a_ball_is_not_pushed_into_scenery():
    wall = st.robots.plate().at((0.0, 0.0, 0.0))
    top = wall.shape_position[0, 2] + wall.shape_size[0, 2]
    ball = st.robots.ball(RADIUS, MASS).at((0.0, 0.0, top + RADIUS + 2e-3))
    down = st.Push("ball", (0.0, 0.0, 0.0), (0.0, 0.0, -4e3), 0.0, 1.0)
    world = st.World(ball, scenery=wall, ground=None)
    motion = st.simulate(world, st.Coulomb(), duration=3 * DT, dt=DT, forces=[down])
    assert motion.q[:, 2].min() > top + RADIUS - 1e-6
