"""A sweep loses nothing and repeats nothing, whatever happens to it."""

import linecache
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import stiction as st
import swept
from small_disk import mounted
from stiction.errors import InputError, SweepFileError
from stiction.sweeps.journal import journal_of
from stiction.sweeps.outcome import run_point

pytestmark = pytest.mark.plain


def points(folder, count=20):
    return {"log": [str(folder / "log")], "x": list(range(count))}


def run(function, folder, count=20, **options):
    options = {"jobs": 2, **options}
    return st.sweep(function, points(folder, count), folder / "sweep.h5", **options)


def test_results_are_those_of_the_function_in_the_order_of_the_points(tmp_path):
    table = run(swept.square, tmp_path)
    x = np.arange(20)
    assert (table["x"] == x).all() and (table["square"] == x * x).all()
    assert table["parity"][:2].tolist() == ["even", "odd"]
    assert table["large"].dtype == bool and (table["large"] == (x > 5)).all()
    assert table.parameters == ("log", "x") and table.results == ("square", "parity", "large")
    assert swept.noted(tmp_path / "log") == dict.fromkeys(range(20), 1)
    assert not journal_of(tmp_path / "sweep.h5").exists()


def test_a_second_call_runs_nothing_and_a_larger_one_only_what_is_new(tmp_path):
    run(swept.square, tmp_path, 5)
    told = []
    run(swept.square, tmp_path, 5, progress=lambda *what: told.append(what))
    assert told == []
    table = run(swept.square, tmp_path, 8)
    assert len(table) == 8
    assert swept.noted(tmp_path / "log") == dict.fromkeys(range(8), 1)
    assert len(run(swept.square, tmp_path, 3)) == 8  # nothing is thrown away


@pytest.mark.parametrize("values", [[1, 2.5, "auto", "1"], [None, 0.5], [True, False, 1, 0.0]])
def test_values_of_several_types_come_back_and_run_once(values, tmp_path):
    over = {"log": [str(tmp_path / "log")], "x": values}
    told = ["none" if value is None else value for value in values]
    for _ in range(2):
        table = st.sweep(swept.of_any, over, tmp_path / "sweep.h5", jobs=1)
        loaded = st.SweepTable.load(tmp_path / "sweep.h5")
        for found in (table["x"].tolist(), loaded["x"].tolist()):
            assert found == told and [*map(type, found)] == [*map(type, told)]
        assert table["type"].tolist() == [type(value).__name__ for value in values]
    assert swept.noted(tmp_path / "log") == {0: len(values)}
    assert len(table.where(x=values[1])) == 1 + (values[1] is False)  # which is equal to 0.0


def test_a_function_of_a_script_needs_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import stiction as st\n"
        "factor = 3\n"
        "table = st.sweep(lambda x: factor * x, {'x': [1, 2]}, 'sweep.h5')\n"
        "print(table['value'].tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(st.__file__).parents[1])},
    )  # fmt: skip
    assert done.stdout == "[3, 6]\n", done.stderr


def test_points_of_a_killed_worker_run_again_and_others_do_not(tmp_path):
    table = run(swept.kills_its_worker_once, tmp_path)
    assert (table["square"] == np.arange(20) ** 2).all() and not table.failed.any()
    assert swept.noted(tmp_path / "log") == dict.fromkeys(range(20), 1)
    assert table["attempts"][[3, 13]].tolist() == [2, 2]


def test_a_point_that_kills_every_worker_is_recorded_and_the_others_run(tmp_path):
    table = run(swept.kills_every_worker, tmp_path, 8)
    assert table.failed.tolist() == [k == 3 for k in range(8)]
    assert table["error"][3] == "it ended 3 workers; the last ended by SIGKILL"
    assert np.isnan(table["square"][3]) and table["square"][7] == 49
    assert swept.noted(tmp_path / "log") == {k: 1 for k in range(8) if k != 3}


def test_a_failure_is_recorded_and_not_repeated_unless_asked_for(tmp_path):
    table = run(swept.fails_at_three, tmp_path, 6)
    assert table.failed.tolist() == [False, False, False, True, True, False]
    assert table["error"][3].startswith("ZeroDivisionError: three is not allowed (swept.py, line ")
    assert "returned list for 'square'" in table["error"][4]
    again = run(swept.fails_at_three, tmp_path, 6)
    assert again["error"].tolist() == table["error"].tolist()


def test_a_function_that_returns_nothing_has_failed():
    assert "the function returned nothing; return a number" in run_point(print, {}).error
    missing = run_point(lambda: {"found": None, "value": 2.0}, {})
    assert not missing.error and np.isnan(missing.values["found"])


def test_failed_points_run_again_if_asked_for(tmp_path):
    assert run(swept.fails_the_first_time, tmp_path, 4).failed.all()
    assert run(swept.fails_the_first_time, tmp_path, 4).failed.all()
    table = run(swept.fails_the_first_time, tmp_path, 4, retry=True)
    assert not table.failed.any() and table["square"].tolist() == [0, 1, 4, 9]


def test_attempts_are_those_of_all_calls(tmp_path):
    for retry, attempts in (False, 1), (True, 2), (False, 2), (True, 3), (True, 4):
        table = run(swept.fails_at_three, tmp_path, 4, retry=retry)
        assert table["attempts"].tolist() == [1, 1, 1, attempts]


def test_a_point_that_kills_workers_may_do_so_in_each_call(tmp_path):
    for attempts in 3, 6:
        table = run(swept.kills_every_worker, tmp_path, 4, retry=True, jobs=1)
        assert table["error"][3] == "it ended 3 workers; the last ended by SIGKILL"
        assert table["attempts"].tolist() == [1, 1, 1, attempts]


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    program = (
        "import stiction as st, swept\n"
        f"over = {points(tmp_path, 200)!r}\n"
        f"st.sweep(swept.slow_square, over, {str(tmp_path / 'sweep.h5')!r}, jobs=2)\n"
    )
    paths = os.pathsep.join([str(Path(st.__file__).parents[1]), str(Path(swept.__file__).parent)])
    child = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": paths}
    )
    journal = journal_of(tmp_path / "sweep.h5")
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert child.poll() is None
        time.sleep(0.01)
    with pytest.raises(SweepFileError, match="another process runs this sweep"):
        run(swept.slow_square, tmp_path, 200)
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = st.SweepTable.load(tmp_path / "sweep.h5")  # of what is finished
    assert 0 < len(before) < 200
    table = run(swept.slow_square, tmp_path, 200)
    assert (table["square"] == np.arange(200) ** 2).all()
    ran = swept.noted(tmp_path / "log")
    twice = {x for x, count in ran.items() if count > 1}
    assert set(ran) == set(range(200)) and max(ran.values()) <= 2
    assert not twice & set(before["x"].tolist())


def test_what_was_cut_short_or_damaged_runs_again(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run(swept.square, tmp_path, 6, progress=lambda done, _: 1 / (1.0 - done))  # at its end
    journal = journal_of(tmp_path / "sweep.h5")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"attempts": 1', b'"attempts": 9')
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    assert len(st.SweepTable.load(tmp_path / "sweep.h5")) == len(lines) - 3
    table = run(swept.square, tmp_path, 6)
    assert table["square"].tolist() == [0, 1, 4, 9, 16, 25]
    assert sum(swept.noted(tmp_path / "log").values()) == 6 + 2


def test_a_full_disk_stops_the_sweep_and_loses_nothing(tmp_path):
    with mounted(tmp_path / "disk", 16384) as disk:
        path = disk / "sweep.h5"
        over = points(tmp_path, 300)
        with pytest.raises(SweepFileError, match="make space and run the same sweep again"):
            st.sweep(swept.square, over, path, jobs=1)
        kept = st.SweepTable.load(path)
        assert 0 < len(kept) < 300 and (kept["square"] == kept["x"] ** 2).all()
        subprocess.run(["mount", "-o", "remount,size=1m", str(disk)], check=True)
        table = st.sweep(swept.square, over, path, jobs=1)
        assert (table["square"] == np.arange(300) ** 2).all()
        ran = swept.noted(tmp_path / "log")
        assert all(ran[x] == 1 for x in kept["x"].tolist())


def test_results_of_another_sweep_are_not_mixed_in(tmp_path):
    run(swept.square, tmp_path, 2)
    with pytest.raises(SweepFileError, match="holds another sweep: what is swept:square, now it"):
        run(swept.slow_square, tmp_path, 2)
    with pytest.raises(SweepFileError, match="parameters is"):
        st.sweep(swept.square, [{"x": 1, "log": "a"}], tmp_path / "sweep.h5")


def test_results_of_a_function_before_it_was_edited_are_not_mixed_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("return x", "return 2 * x"):
        (tmp_path / "edited.py").write_text(f"def f(x):\n    {text}\n")
        sys.modules.pop("edited", None)
        linecache.checkcache()
        if text == "return x":
            assert st.sweep("edited.py:f", {"x": [1]}, "sweep.h5", jobs=1)["value"] == [1]
    with pytest.raises(SweepFileError, match="holds results of edited:f before it was edited"):
        st.sweep("edited.py:f", {"x": [1]}, "sweep.h5", jobs=1)


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        (3, {}, "found 3; give a scene"),
        ("nothing", {}, "no scene 'nothing'"),
        ("swept:nothing", {}, "has no function 'nothing'"),
        (swept.with_defaults, {"over": {"z": [1]}}, "cannot be called with z"),
        (swept.with_defaults, {"measure": swept.square}, "measure is for scenes"),
        (swept.with_defaults, {"jobs": 0}, "jobs is 0"),
        (swept.with_defaults, {"jobs": 1, "ray": "auto"}, "jobs and ray are given"),
        (lambda x, held=sys.stderr: x, {}, "cannot be sent to other processes"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(what, options, words, tmp_path):
    options = {"over": {"x": [1]}, **options}
    with pytest.raises(InputError, match=words):
        st.sweep(what, file=tmp_path / "sweep.h5", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(tmp_path):
    with pytest.raises(SweepFileError, match="the folder .* does not exist"):
        st.sweep(swept.with_defaults, {"x": [1]}, tmp_path / "none" / "sweep.h5")


def test_progress_tells_the_points_and_the_time_left(tmp_path):
    told = []
    run(swept.fails_at_three, tmp_path, 6, progress=lambda *what: told.append(what))
    fraction, text = told[-1]
    assert fraction == 1.0 and text == "6 of 6 done, 2 failed"
    assert any(text.endswith(" left") for _, text in told) or len(told) == 1
