"""The benchmark of touching bodies: both engines simulate the same scenes."""

import mujoco
import numpy as np
import pytest

from conftest import data_file
from stiction.bench.bodies import Case, contenders, make_cases, report, scene, stacked
from stiction.bench.data import G1

pytestmark = pytest.mark.interpreted


def test_both_engines_hold_a_stack():
    case = Case("stack of 2", scene(stacked(2)), settling=5, steps=5)
    ours, theirs = contenders(case)
    ours.race()
    theirs.race()
    row = report(case, ours, theirs)
    assert row["points"] == row["mujoco points"] == 8
    assert row["unsolved"] == 0 and row["deepest [mm]"] < 1e-3
    assert row["ratio"] > 0 and row["holds"] == (row["ratio"] <= 1.0)


def test_nothing_overlaps_at_the_start():
    for case in make_cases(data_file(G1), steps=1):
        model = mujoco.MjModel.from_xml_string(case.text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        assert min(data.contact.dist, default=0.0) > -1e-6, case.name
        assert model.opt.timestep == 0.001 and model.nq == len(data.qpos)
        assert np.isfinite(data.qacc).all()
