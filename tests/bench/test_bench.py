"""The benchmark of the dynamics runs and says what it found; speed itself is not tested."""

import pytest

from conftest import data_file
from stiction.bench.data import G1, MENAGERIE
from stiction.bench.data import data_file as bench_data_file
from stiction.bench.dynamics import METHODS, bench
from stiction.errors import InputError


@pytest.mark.interpreted
def test_the_benchmark_of_the_dynamics_measures_all_contenders():
    result = bench(data_file(*G1.split("/")), repeats=1, steps=20)
    for flight in ("hold", "swing"):
        times = result["microseconds a step"][flight]
        assert set(times) == {*METHODS, "mujoco"} and min(times.values()) > 0
    assert result["mujoco options"]["dt"] == 0.001


@pytest.mark.parametrize("folder", [None, "nowhere"])
def test_missing_data_is_named_with_its_origin(folder, monkeypatch, tmp_path):
    if folder is None:
        monkeypatch.delenv("STICTION_DATA", raising=False)
    else:
        monkeypatch.setenv("STICTION_DATA", str(tmp_path / folder))
    with pytest.raises(InputError, match="g1_mjx_nomesh.xml.*mujoco_menagerie"):
        bench_data_file(G1, MENAGERIE)
