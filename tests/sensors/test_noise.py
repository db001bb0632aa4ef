"""The generator of noise."""

import numpy as np
import pytest

from stiction.sensors.history import counters
from stiction.sensors.noise import normal_number

pytestmark = pytest.mark.interpreted

N = 4000


def draw(seed=0, world=0, column=0, step=0):
    return float(normal_number(seed, world, column, step, np.float64(1.0)))


@pytest.mark.parametrize("counter", ["seed", "world", "column", "step"])
def test_numbers_along_every_counter_are_normal_and_independent(counter):
    found = np.array([draw(**{counter: k}) for k in range(N)])
    error = 1 / np.sqrt(N)  # of the mean; that of the variance is sqrt(2) times as large
    assert abs(found.mean()) < 4 * error
    assert abs(found.var() - 1.0) < 4 * np.sqrt(2) * error
    assert abs((np.abs(found) < 1.0).mean() - 0.6827) < 4 * np.sqrt(0.6827 * 0.3173) * error
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 4 * error
    assert np.abs(found).max() <= 6.0


@pytest.mark.parametrize("start", [0.0, 0.0005, 1.0005, 0.0002499999])
def test_every_step_has_a_number_of_its_own(start):
    found = counters(start + 0.001 * np.arange(1000), 0.001)
    np.testing.assert_array_equal(np.diff(found), 1)


def test_the_numbers_stay_what_they_are():
    """Readings can be repeated by later versions and on other machines."""
    found = [draw(), draw(seed=1), draw(world=1, column=2, step=3)]
    assert found == [0.2202911376953125, 0.3106842041015625, 0.028839111328125]
    assert draw(step=2**40) != draw()
