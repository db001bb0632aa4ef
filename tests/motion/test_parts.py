"""A run that is recorded to a file: the file holds the same, and survives being killed."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import stiction as st
from mechanisms import pendulum
from small_disk import mounted
from stiction.errors import DivergenceError, Interrupted, MotionFileError, UnfinishedWarning
from stiction.motion.parts import END, HEADER, MAGIC, has_parts, parts_of
from stiction.motion.touched import CHANNELS
from stiction.simulation import recording

pytestmark = pytest.mark.interpreted

ROOT = Path(__file__).parents[2]
ARRAYS = ("time", "q", "v", "torque", "passive", "solver", "between", *CHANNELS)
SAMPLES = (7, 7, 6, 1)  # of the parts of `parted`, between the world and the end
PATIENCE = 60.0  # [s] for a process of its own


def landing(**options):
    """A brick falls on a box."""
    world = st.World(st.robots.box().at((0.0, 0.0, 0.2)), st.robots.brick())
    state = world.standing(above=0.001)
    state.q[7:10] = 0.05, 0.02, 0.4315
    return st.simulate(world, st.Coulomb(), duration=0.04, dt=0.002, state=state, **options)


def swing(duration=0.2, **options):
    return st.simulate(
        st.World(pendulum(), ground=None), contact=None, duration=duration, dt=0.001, **options
    )


@pytest.fixture
def in_small_parts(monkeypatch):
    monkeypatch.setattr(recording, "BLOCK_ROWS", 7)
    monkeypatch.setattr(recording, "PART_BYTES", 1.0)


def check_equal(found, expected, rows=slice(None)):
    for name in ARRAYS:
        array = getattr(expected, name)[rows]
        np.testing.assert_array_equal(getattr(found, name), array, err_msg=name)


def complete_parts(path):
    """The number of complete parts of a file that another process writes."""
    try:
        return len(parts_of(path)) if path.exists() and has_parts(path) else 0
    except MotionFileError:  # not even the world
        return 0


def refusal(path):
    with pytest.raises(MotionFileError) as caught:
        st.Motion.load(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


@pytest.fixture
def parted(tmp_path, in_small_parts):
    """A file of several parts."""
    path = tmp_path / "run.h5"
    swing(duration=0.02, record=st.Recording(to=path))
    assert len(parts_of(path)) == 2 + len(SAMPLES)
    return path


# --------------------------------------------------------------------------------- what is recorded


@pytest.mark.parametrize("every", [1, 5])
def test_a_file_holds_what_memory_would(every, tmp_path, in_small_parts):
    path = tmp_path / "run.h5"
    last = landing(record=st.Recording(every=every, to=path))
    whole, loaded = landing(record=st.Recording(every=every)), st.Motion.load(path)
    assert (whole.force[:-1] != 0).any() and (whole.between[:-1, :, 0] > 0).any()
    check_equal(loaded, whole)
    assert loaded.parameters == whole.parameters
    assert loaded.versions == whole.versions
    assert loaded.world.digest() == whole.world.digest()
    check_equal(last, whole, slice(-1, None))


def test_one_part_is_enough_for_a_short_run(tmp_path):
    path = tmp_path / "run.h5"
    swing(duration=0.0, record=st.Recording(to=path))
    assert len(st.Motion.load(path)) == 1


def test_a_run_that_takes_long_is_written_while_it_goes_on(tmp_path, monkeypatch):
    path, counts = tmp_path / "run.h5", []
    monkeypatch.setattr(recording, "PART_SECONDS", 0.0)
    swing(record=st.Recording(to=path), progress=lambda _: counts.append(len(parts_of(path))))
    assert counts == list(range(2, 2 + len(counts))) and len(counts) > 1
    check_equal(st.Motion.load(path), swing())


def test_a_file_that_was_there_is_replaced(tmp_path):
    path = tmp_path / "run.h5"
    swing(duration=0.01).save(path)
    swing(duration=0.02, record=st.Recording(to=path))
    assert len(st.Motion.load(path)) == 21
    assert os.listdir(tmp_path) == ["run.h5"]


@pytest.mark.parametrize("to", ["", "nowhere/run.h5", ".", 3, b"run.h5"])
def test_a_target_that_cannot_be_is_refused_before_the_run(to, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(st.Simulation, "advance", None)
    with pytest.raises(st.StictionError):
        swing(record=st.Recording(to=to))
    assert os.listdir(tmp_path) == []


def test_ctrl_c_keeps_what_was_recorded(tmp_path):
    path = tmp_path / "run.h5"
    stop = {"progress": lambda _: signal.raise_signal(signal.SIGINT)}
    with pytest.raises(Interrupted, match="after 10 steps") as caught:
        swing(record=st.Recording(to=path), **stop)
    loaded = st.Motion.load(path)
    check_equal(loaded, swing(), slice(10))
    check_equal(caught.value.motion, loaded, slice(-1, None))


def test_a_run_that_fails_keeps_what_was_recorded(tmp_path):
    path, world = tmp_path / "run.h5", st.World(pendulum(), ground=None)
    options = {"contact": None, "duration": 0.1, "controller": st.Torques([1e8])}
    with pytest.raises(DivergenceError) as in_memory:
        st.simulate(world, **options)
    with pytest.raises(DivergenceError) as to_file:
        st.simulate(world, **options, record=st.Recording(to=path))
    check_equal(st.Motion.load(path), in_memory.value.motion)
    check_equal(to_file.value.motion, in_memory.value.motion, slice(-1, None))


def test_a_full_disk_keeps_what_was_written(tmp_path, in_small_parts):
    with mounted(tmp_path / "disk", 128_000) as disk:
        path = disk / "run.h5"
        with pytest.raises(MotionFileError, match="cannot be written .*is in the file and loads"):
            swing(duration=2.0, record=st.Recording(to=path))
        with pytest.warns(UnfinishedWarning):
            loaded = st.Motion.load(path)
    assert len(loaded) > 20
    check_equal(loaded, swing(), slice(len(loaded)))


# ------------------------------------------------------------------------------------------- killed


def test_a_killed_run_loads_up_to_its_last_part(tmp_path):
    path = tmp_path / "run.h5"
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import stiction as st
from mechanisms import pendulum
from stiction.simulation import recording
recording.PART_SECONDS = 0.2
world = st.World(pendulum(), ground=None)
record = st.Recording(every=3, to={str(path)!r})
st.simulate(world, contact=None, duration=1e6, dt=0.001, record=record)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment)
    try:
        deadline = time.monotonic() + PATIENCE
        while complete_parts(path) < 4:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    with pytest.warns(UnfinishedWarning, match=r"the run was not completed; it was recorded until"):
        loaded = st.Motion.load(path)
    assert "the run was not completed" in loaded.parameters["notes"][-1]
    assert len(loaded) > 10
    whole = swing(duration=float(loaded.time[-1]) + 0.001, record=st.Recording(every=3))
    check_equal(loaded, whole, slice(len(loaded)))
    loaded.save(tmp_path / "kept.h5")  # as any other motion
    assert len(st.Motion.load(tmp_path / "kept.h5")) == len(loaded)


def test_a_file_cut_anywhere_loads_its_complete_parts_or_is_refused(parted):
    data, parts = parted.read_bytes(), parts_of(parted)
    whole = st.Motion.load(parted)
    first = parts[1].begin + parts[1].length  # the first samples are complete
    rng = np.random.default_rng(3)
    for cut in [*rng.integers(len(MAGIC), len(data), size=30), first - 1, first, len(data) - 1]:
        parted.write_bytes(data[:cut])
        if cut < first:
            assert "a motion has at least one sample" in refusal(
                parted
            ) or "ends before" in refusal(parted)
            continue
        with pytest.warns(UnfinishedWarning):
            loaded = st.Motion.load(parted)
        complete = [part for part in parts if part.begin + part.length <= cut]
        assert len(loaded) == sum(SAMPLES[: len(complete) - 1])
        check_equal(loaded, whole, slice(len(loaded)))


# ------------------------------------------------------------------------------------------ damaged


def test_no_flipped_bit_is_loaded(parted):
    data = parted.read_bytes()
    rng = np.random.default_rng(4)
    headers = [part.begin - 1 - k for part in parts_of(parted) for k in (3, 40, HEADER - 6)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for place in [*rng.integers(len(data), size=40), *headers]:
            flipped = bytearray(data)
            flipped[place] ^= 1 << int(rng.integers(8))
            parted.write_bytes(flipped)
            refusal(parted)


def test_parts_that_are_missing_doubled_or_exchanged_are_refused(parted):
    data, parts = parted.read_bytes(), parts_of(parted)
    pieces = [data[part.begin - HEADER : part.begin + part.length] for part in parts]
    assert parts[-1].kind == END
    for order in ((1, 2, 5), (0, 2, 3, 4, 5), (0, 1, 1, 2), (0, 2, 1, 3, 5), (0, 1, 5, 2, 3)):
        parted.write_bytes(MAGIC + b"".join(pieces[k] for k in order))
        assert "part" in refusal(parted)
    parted.write_bytes(data + b"x")
    assert "something follows its last part" in refusal(parted)
    parted.write_bytes(MAGIC + pieces[0])
    assert "a motion has at least one sample" in refusal(parted)
