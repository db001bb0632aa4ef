"""The simulated scheduler agrees with what can be computed by hand."""

import pytest

from stiction.errors import InputError
from stiction.sweeps.scheduler import Load, forecast

pytestmark = pytest.mark.plain


def test_few_long_runs_take_the_time_of_their_rounds():
    found = forecast(Load(40, 10, mean=100.0, spread=0.0, dispatch=0.0, result=0.0))
    assert found.seconds == pytest.approx(400.0)
    assert found.efficiency == pytest.approx(1.0) and found.portions == 40


def test_short_runs_one_at_a_time_take_the_time_of_the_driver():
    load = Load(20_000, 1000, mean=0.1, dispatch=1e-3, result=5e-5)
    found = forecast(load)
    assert found.seconds == pytest.approx(20_000 * 1.05e-3, rel=0.02)
    assert found.driver > 0.98


def test_portions_relieve_the_driver_until_results_are_the_limit():
    loads = [Load(200_000, 1000, mean=0.1, portion=size) for size in (1, 10, 100)]
    seconds = [forecast(load).seconds for load in loads]
    assert seconds[0] > 3 * seconds[1] and seconds[2] <= seconds[1]
    limit = 1_000_000 * 5e-5  # a million results, whatever the cores
    found = forecast(Load(1_000_000, 10_000, mean=0.1, portion=100))
    assert found.seconds > limit and found.driver > 0.9


def test_portions_that_shrink_shorten_the_tail():
    fixed, guided = (
        forecast(Load(100_000, 100, mean=0.1, portion=500, guided=guided))
        for guided in (False, True)
    )
    assert guided.tail < fixed.tail / 4 and guided.efficiency > fixed.efficiency


def test_failures_repeat_portions_and_lose_no_run():
    found = forecast(Load(200_000, 100, mean=1.0, portion=20, guided=False, failures=1e-3))
    # a portion of 20 s is lost with probability 2 %
    assert found.repeated == pytest.approx(0.02, rel=0.3)  # 200 of them
    assert found.portions * 20 >= 200_000 * (1 + found.repeated)


def test_drivers_share_the_work():
    one = forecast(Load(200_000, 2000, mean=0.1, portion=20))
    ten = forecast(Load(200_000, 2000, mean=0.1, portion=20, drivers=10))
    assert ten.seconds < one.seconds and ten.driver < one.driver


def test_an_impossible_load_is_refused():
    with pytest.raises(InputError, match="must be positive"):
        Load(0, 1, mean=1.0)
