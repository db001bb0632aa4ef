"""Joints that rub, beside contact: never more friction than there is, under any model."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.bench.contact.cases import make_cases
from stiction.bench.contact.contenders import Ours
from stiction.bench.contact.models import contact_models
from stiction.bench.data import G1
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS
from stiction.kernels.joints import untried_mode
from stiction.kernels.tree import LOOSE, SLIDING_DOWN, SLIDING_UP, STUCK, allocate

STEPS = 1000
REACH = 0.05  # a joint may come this near to its stop within a step [rad]
NAMES = [type(model).__name__ for model in contact_models(8)]


def away_from_stops(motion, tree):
    """Tell for every step and velocity whether the joint cannot have touched its stop, (n, nv)."""
    away = np.ones(motion.passive[:-1].shape, bool)
    for d, k in enumerate(tree.dof_q):
        if k >= 0:
            near = motion.q[:, k]
            low, high = np.minimum(near[:-1], near[1:]), np.maximum(near[:-1], near[1:])
            away[:, d] = (low > tree.lower[d] + REACH) & (high < tree.upper[d] - REACH)
    return away


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.filterwarnings("ignore::stiction.errors.StabilityWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["stand 8", "drive 8"])
def test_friction_of_joints_never_exceeds_its_limit(kind, name, tmp_path):
    """G1 on its feet: at rest, and with every joint driven by random torques."""
    cases = make_cases(data_file(*G1.split("/")), tmp_path, STEPS)
    case = next(case for case in cases if case.name == kind)
    (model,) = (model for model in contact_models(8) if type(model).__name__ == name)
    ours = Ours(case, model)
    ours.simulate(STEPS)
    assert ours.failure is None
    tree = case.world.tree
    rubs = away_from_stops(ours.motion, tree) & (tree.friction > 0)
    over = np.abs(ours.motion.passive[:-1]) - tree.friction * (1 + 1e-6)
    assert over[rubs].max() <= 0
    if MODELS[type(model)].family == IMPULSE_SOLVER:
        assert ours.motion.unsolved.count == 0


def test_a_joint_that_stuck_again_is_let_go_the_other_way():
    dynamics = allocate(st.World(st.robots.biped10(), ground=None).tree)
    d = 8
    dynamics.mode[d], dynamics.released[d] = STUCK, LOOSE
    assert untried_mode(dynamics, d, SLIDING_UP, True) == SLIDING_UP
    assert untried_mode(dynamics, d, SLIDING_UP, False) == SLIDING_UP  # others are wrong as well
    assert untried_mode(dynamics, d, SLIDING_UP, True) == SLIDING_DOWN
    assert untried_mode(dynamics, d, SLIDING_UP, True) == SLIDING_UP
    dynamics.mode[d] = SLIDING_UP
    assert untried_mode(dynamics, d, STUCK, True) == STUCK
