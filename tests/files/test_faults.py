"""Full disks, kills and interruptions lose nothing that was there; see tests/faults.py."""

import pytest

import faults

pytestmark = pytest.mark.interpreted
FEW, MANY = 5, 50


def test_a_few_kills_leave_the_old_motion_or_the_new_one(tmp_path):
    found = faults.killed(tmp_path, FEW)
    assert found["the old motion"] + found["the new motion"] == FEW


def test_a_few_interruptions_leave_the_old_motion_or_the_new_one(tmp_path):
    found = faults.interrupted(tmp_path, FEW, longest=0.3)
    assert found["unfinished files beside it"] == 0
    assert sum(found.values()) == FEW


def test_disks_that_fill_up_leave_the_old_motion_or_the_new_one(tmp_path):
    found = faults.filled(tmp_path, FEW)
    assert found["the new motion"] > 0 and found["the old motion, and an error"] > 0
    assert found["unfinished files beside it"] == 0


@pytest.mark.slow
def test_fifty_of_each_lose_nothing():
    found = faults.numbers(MANY)
    for name in found:
        counted = found[name]
        left = counted.pop("unfinished files beside it")
        assert name == "killed" or left == 0
        assert sum(counted.values()) == MANY
        assert len(counted) > 1, "every outcome was the same: the moments were not random"
