"""Which robots with legs load: the table of docs/legged_robots.md still holds."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

import stiction as st
from conftest import data_file, missing
from stiction.bench.robots import table, trial
from stiction.bench.robots.legged import legged
from stiction.errors import InputError, MissingRobot, StictionError

PAGE = Path(__file__).parents[2] / "docs" / "legged_robots.md"
SMALL = {  # of example-robot-data: those that are read within a second
    *("bolt", "human", "hyq_no_sensors", "laikago", "quadruped", "romeo_laas_small"),
    *("simple_humanoid", "simple_humanoid_classical", "solo", "solo12"),
}


def rows(collection):
    """The rows of a collection in the page: name, loads, with or why not."""
    part = PAGE.read_text().partition(f"\n## {collection}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([^`]+)` \| (yes|no) \|.*\| ([^|]*) \|$", part, re.MULTILINE)
    assert found
    return found


def loads(name):
    try:
        trial.loaded(name, asked := [])
    except MissingRobot:
        raise
    except StictionError:
        return "no", []
    return "yes", asked


@pytest.mark.plain
def test_robots_of_menagerie_load_as_the_table_says(monkeypatch):
    monkeypatch.setenv("MUJOCO_MENAGERIE", str(data_file("robots", "mujoco_menagerie")))
    listed = dict((name, (does, said)) for name, does, said in rows("mujoco_menagerie"))
    for name in ("agility_cassie", "booster_t1"):
        does, asked = loads(f"mujoco_menagerie:{name}")
        assert does == listed[name][0]
        assert all(option in listed[name][1] for option in asked)


@pytest.mark.plain
def test_small_robots_of_example_robot_data_load_as_the_table_says():
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        missing("robots", "pip install stiction[robots] brings example-robot-data")
    listed = {name: (does, said) for name, does, said in rows("example-robot-data")}
    for name in sorted(SMALL):
        does, asked = loads(f"example-robot-data:{name}")
        assert does == listed[name][0], name
        assert all(option in listed[name][1] for option in asked), name


@pytest.mark.plain
def test_the_page_has_all_robots_and_its_shares_hold():
    text = PAGE.read_text()
    for one in legged():
        assert f"`{one.name}`" in text, one.full_name
    for what, least in table.LEAST.items():
        does = re.search(rf"^\| {what[:-1]} \| (\d+) \| (\d+) \|", text, re.MULTILINE)
        assert int(does[1]) >= least * int(does[2])


@pytest.mark.jit
def test_a_humanoid_stands_and_walks(monkeypatch):
    monkeypatch.setattr(trial, "load", lambda name: st.robots.hoap1())
    monkeypatch.setattr(trial, "STANDS_FOR", 0.5)
    monkeypatch.setattr(trial, "STEPS", 2)
    row = trial.trial("hoap1", two_feet=True)
    assert row == {"loads": True, "stands": True, "walks": True, "with": [], "reason": ""}


@pytest.mark.jit
def test_a_robot_that_falls_is_told(monkeypatch):
    monkeypatch.setattr(trial, "load", lambda name: st.robots.hoap1().with_joints(effort_upper=0))
    row = trial.trial("limp", two_feet=False)
    assert (row["loads"], row["stands"], row["walks"]) == (True, False, None)
    assert re.fullmatch(r"standing: tilts by 10 degrees at \d\.\d\d s", row["reason"])


@pytest.mark.plain
def test_shares_count_what_was_tried(monkeypatch, tmp_path):
    does = {
        "loads": True,
        "stands": True,
        "walks": True,
        "with": ['inertia="repair"'],
        "reason": "",
    }

    def tried(name, two_feet):
        if "cassie" in name:
            raise MissingRobot("none")
        if "apollo" in name:
            return does | {"stands": False, "walks": False, "reason": "/tmp/a/b.xml: falls | far"}
        return does | ({} if two_feet else {"walks": None})

    monkeypatch.setattr(table, "trial", tried)
    result = table.bench("mujoco_menagerie:a", table=tmp_path / "table.md")
    assert result["not on this machine"] == ["mujoco_menagerie:agility_cassie"]
    assert [(row["what"], row["robots"], row["of"]) for row in result["shares"]] == [
        *(("loads", 3, 3), ("stands", 2, 3), ("walks", 0, 1)),
    ]
    assert not result["holds"]
    lines = (tmp_path / "table.md").read_text().splitlines()
    assert "| stand | 2 | 3 | 67 % |" in lines
    assert (
        '| `apptronik_apollo` | yes | no | no | inertia="repair"; b.xml: falls \\| far |' in lines
    )
    with pytest.raises(InputError, match="no robot with legs is named 'toaster'"):
        table.bench("toaster")
