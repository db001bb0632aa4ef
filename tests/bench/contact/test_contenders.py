"""Both engines do the same work."""

import numpy as np
import pytest

from conftest import data_file
from stiction.bench.contact.cases import TORQUE, Case, loaded, random_torques, robot_on_points
from stiction.bench.contact.contenders import MuJoCo, Ours
from stiction.bench.data import G1


@pytest.mark.interpreted
def test_driven_joints_get_the_same_torques_in_both_engines(tmp_path):
    """In the air both engines turn the joints alike, to 10 % of all their speeds.

    MuJoCo's joint friction is soft, ours is not, which alone makes 4 %. A row of torques that
    comes one step late makes 35 %. With the damping of SERVO, saturated wrists would jump from
    limit to limit in MuJoCo, which clips their torque by the velocity before the step.
    """
    world, model = loaded(robot_on_points(data_file(*G1.split("/")), 8, (50.0, 1.0)), tmp_path)
    torque = random_torques(world, 10, held=4)
    assert torque.shape == (3, world.nv) and not torque[:, :6].any()
    assert 0.9 * TORQUE < abs(torque).max() <= TORQUE
    state = world.standing(above=1.0)
    case = Case("drive 8", 8, world, model, state, settling=0, steps=10, torque=torque, held=4)
    ours, theirs = Ours(case, None), MuJoCo(case)
    ours.simulate(10)
    end = theirs.copy()
    theirs.copy = lambda: end
    theirs.race()
    difference = np.linalg.norm(ours.motion.v[-1, 6:] - end.qvel[6:])
    assert difference < 0.1 * np.linalg.norm(end.qvel[6:])
