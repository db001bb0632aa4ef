"""The demonstration and the benchmarks run and say what they found; speed itself is not tested."""

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.bench.data import G1, MENAGERIE
from stiction.bench.data import data_file as bench_data_file
from stiction.bench.demo import demo
from stiction.bench.dynamics import METHODS, bench
from stiction.errors import InputError


@pytest.mark.jit
def test_the_demo_keeps_its_balance_and_saves_what_it_shows(tmp_path):
    seen = []
    result = demo(tmp_path / "demo", seen.append)
    assert result["holds"] and seen[-1] == 1.0
    motion = st.Motion.load(tmp_path / "demo" / "motion.h5")
    assert len(motion) == 2001
    assert (tmp_path / "demo" / "motion.png").read_bytes().startswith(b"\x89PNG")
    spent = motion.energy().total[-1] - motion.energy().total[0]
    braked = np.trapezoid((motion.passive * motion.v)[:-1].sum(axis=1), motion.time[:-1])
    damping = np.trapezoid(-(motion.world.tree.damping * motion.v**2).sum(axis=1), motion.time)
    work = result["work of the joint torques [J]"]
    assert spent == pytest.approx(work + braked + damping, abs=0.05)  # trapezoids at 1 ms, of 12 J


@pytest.mark.jit
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
