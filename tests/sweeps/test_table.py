"""The table of a sweep, its file, its page and its command."""

import json
import zlib

import numpy as np
import pytest

import stiction as st
import swept
from browsing import chromium, until
from stiction.cli import main
from stiction.errors import InputError, SweepFileError
from stiction.sweeps.file import write_table
from stiction.sweeps.journal import Head
from stiction.sweeps.page import summary

pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A sweep with two failures, and its file."""
    folder = tmp_path_factory.mktemp("swept")
    over = {"log": [str(folder / "log")], "x": list(range(8))}
    return st.sweep(swept.fails_at_three, over, folder / "sweep.h5", jobs=1), folder / "sweep.h5"


def test_a_loaded_table_is_the_one_that_was_saved(made):
    table, path = made
    loaded = st.SweepTable.load(path)
    assert list(loaded) == list(table) and repr(loaded) == repr(table)
    for name in table:
        assert loaded[name].dtype == table[name].dtype
        np.testing.assert_array_equal(loaded[name], table[name])


def test_rows_are_chosen_by_values_and_functions(made):
    table, _ = made
    odd = table.where(parity="odd", x=lambda x: x > 2)
    assert odd["x"].tolist() == [5, 7] and len(odd) == 2
    with pytest.raises(InputError, match="no column 'depth'; there are log, x, square"):
        table["depth"]


def test_pandas_gets_the_same_columns(made):
    table, _ = made
    frame = table.to_pandas()
    assert list(frame.columns) == list(table) and frame["square"][7] == 49
    assert frame["status"].tolist().count("failed") == 2


def test_a_damaged_file_is_refused(made, tmp_path):
    data = bytearray(made[1].read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "sweep.h5").write_bytes(data)
    with pytest.raises(SweepFileError, match="damaged"):
        st.SweepTable.load(tmp_path / "sweep.h5")
    with pytest.raises(SweepFileError, match="no such file"):
        st.SweepTable.load(tmp_path / "none.h5")


@pytest.mark.parametrize(
    "change",
    [
        lambda head, columns: head._replace(parameters=5),
        lambda head, columns: head._replace(what=None),
        lambda head, columns: columns.pop("x"),
        lambda head, columns: columns.pop("attempts"),
        lambda head, columns: columns.update(worker=np.zeros(8)),
        lambda head, columns: columns.update(square=np.zeros(7)),
    ],
)
def test_a_file_whose_columns_do_not_fit_is_refused(change, made, tmp_path):
    head, columns = made[0].head, {name: made[0][name] for name in made[0]}
    changed = change(head, columns)
    write_table(tmp_path / "s.h5", changed if isinstance(changed, Head) else head, columns)
    with pytest.raises(SweepFileError, match="not the file of a sweep, or damaged"):
        st.SweepTable.load(tmp_path / "s.h5")


@pytest.mark.parametrize(
    "change",
    [{"attempts": "1"}, {"values": []}, {"point": {}}, {"worker": None}, {"seconds": "long"}],
)
def test_a_line_of_the_journal_that_does_not_fit_counts_as_not_run(change, tmp_path):
    head = Head("scene", "0", "1", ("x",))
    good = {"number": 0, "point": {"x": 1}, "values": {"y": 10**400}, "error": "", "seconds": 0}
    good |= {"worker": "here", "attempts": 1}
    lines = [{"format": 1, **head._asdict()}, good, {**good, "point": {"x": 2}, **change}]
    texts = [json.dumps(line).encode() for line in lines]
    data = b"".join(text + f" {zlib.crc32(text):08x}\n".encode() for text in texts)
    (tmp_path / "s.h5.journal").write_bytes(data)
    table = st.SweepTable.load(tmp_path / "s.h5")
    assert table["x"].tolist() == [1] and table["y"].tolist() == [str(10**400)]


def test_the_summary_counts_strings_and_values_of_several_types():
    columns = {"flag": np.array([True, 1, "1"], object), "mode": np.array(["a"] * 3, object)}
    run = {"status": "done", "error": "", "worker": "here"}
    columns |= {name: np.array([value] * 3, object) for name, value in run.items()}
    rows = summary(st.SweepTable(Head("scene", "0", "1", ("flag",)), columns))
    kinds = [row["kind"] for row in rows[:3]]
    assert kinds == ["parameter, 3 values", "result, 1 string", "run, 1 string"]


def test_any_column_is_plotted_against_any_other(made, tmp_path):
    table, _ = made
    table.save_html(tmp_path / "sweep.html")
    with chromium() as page:
        page.page.goto((tmp_path / "sweep.html").as_uri())
        drawn = "document.getElementById('plot').data"
        until(lambda: page.page.evaluate(f"!!{drawn}"))
        page.page.select_option("#x", "x")
        page.page.select_option("#y", "square")
        page.page.select_option("#colour", "parity")
        traces = page.page.evaluate(f"{drawn}.map(t => [t.name, [...t.x], [...t.y]])")
        assert ["odd", [1, 5, 7], [1, 25, 49]] in traces
        assert "three is not allowed" in page.page.inner_text("#failed")
        assert page.errors == [] and page.elsewhere("file://") == []


# -------------------------------------------------------------------------------------- the command


def command(capsys, *words):
    status = main(["sweep", *words, "--json"])
    out, err = capsys.readouterr()
    return status, json.loads(out) if out else {}, err


def test_the_command_writes_the_table_and_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["swept:with_defaults", "--vary", "x=1:3:3", "--vary", "y=1,10", "--page", "s.html"]
    status, result, _ = command(capsys, *words)
    assert status == 0 and result["points"] == 6 and result["holds"] is True
    table = st.SweepTable.load("sweep.h5")
    assert table["value"].tolist() == [1, 10, 2, 20, 3, 30]
    assert (tmp_path / "s.html").stat().st_size > 1e6  # Plotly is in it
    words = ["swept:with_defaults", "--vary", "x=1:100:log", "--sample", "16", "--vary", "y=1"]
    status, result, _ = command(capsys, *words, "--output", "t.h5", "--method", "sobol")
    assert status == 0 and result["points"] == 16


def test_a_failed_point_is_status_1_and_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["swept:fails_at_three", "--vary", "log=log", "--vary", "x=2,3"]
    status, result, _ = command(capsys, *words)
    assert status == 1 and result["failed"] == 1
    assert result["failures"][0].startswith("log log, x 3: ZeroDivisionError")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stand"], "--vary: there is none"),
        (["stand", "--vary", "dt"], "--vary dt: give each parameter once"),
        (["stand", "--vary", "dt=-1:1:3:log"], "--vary dt=-1:1:3:log: LOW and HIGH of a logarith"),
        (["stand", "--vary", "dt=1:2:0"], "--vary dt=1:2:0: COUNT is 0; give a whole number from"),
        (["stand", "--vary", "dt=1:2:2.5:log"], "COUNT is 2.5; give a whole number"),
        (["stand", "--vary", "dt=1:inf:3"], "LOW and HIGH must be finite"),
        (["stand", "--vary", "dt=1:2"], "--vary dt=1:2: give NAME=VALUE"),
        (["stand", "--vary", "contact.mu=1"], "unknown key"),
        (["stand", "--vary", "contact=Colomb"], "error: contact=Colomb: no such contact model;"),
        (["stand", "--vary", "contact=Colomb"], "did you mean 'Coulomb'"),
        (["nothing.toml", "--vary", "dt=1"], "error: nothing.toml: no such file"),
        (["stand", "--vary", "dt=1", "--output", "t.csv"], "--output t.csv: unknown kind of file"),
        (["stand", "--vary", "dt=1", "--page", "t.txt"], "give a name that ends in .html"),
        (["swept:with_defaults", "--vary", "error=1"], "'error' has the name of a column"),
        (["nothing", "--vary", "dt=1"], "no scene 'nothing'"),
        (["swept:none", "--vary", "x=1"], "has no function 'none'"),
        (["swept:square", "--vary", "y=1"], "cannot be called with y"),
        (["stand", "--vary", "dt=0:1:log", "--sample", "4"], "must be positive"),
        (["stand", "--vary", "dt=1", "--jobs", "1", "--ray", "auto"], "not with --ray"),
    ],
)
def test_wrong_use_is_status_2(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    status, _, err = command(capsys, *words)
    assert status == 2 and told in err
    assert list(tmp_path.iterdir()) == []
