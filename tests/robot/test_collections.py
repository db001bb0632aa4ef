"""Robots by name: found where a collection is on this machine, and never downloaded."""

import json
import sys

import pytest

import stiction as st
from robot.test_load import MJCF, URDF
from stiction.cli import main
from stiction.errors import InputError, MissingRobot, ModelFileError
from stiction.robot import collections

pytestmark = pytest.mark.plain

DESCRIPTION = """
from os import path as _path
from ._cache import clone_to_cache as _clone_to_cache
REPOSITORY_PATH = _clone_to_cache("{repository}")
PACKAGE_PATH = _path.join(REPOSITORY_PATH, "clock")
{kind} = _path.join(PACKAGE_PATH, "clock.urdf")
"""
CACHE = """
from types import SimpleNamespace
REPOSITORIES = {"here": SimpleNamespace(cache_path="clocks"),
                "there": SimpleNamespace(cache_path="watches")}
def clone_to_cache(description_name, commit=None):
    raise AssertionError("downloads")
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No collection but those that a test makes."""
    monkeypatch.delenv("MUJOCO_MENAGERIE", raising=False)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr("importlib.metadata.distribution", not_installed)


def not_installed(name):
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


def made(folder, **files):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("_xml", ".xml").replace("_urdf", ".urdf")).write_text(text)


@pytest.fixture
def menagerie(tmp_path, monkeypatch):
    folder = tmp_path / "menagerie"
    scene = '<mujoco><include file="clock.xml"/></mujoco>'
    made(folder / "old_clock", clock_xml=MJCF, clock_mjx_xml=MJCF, scene_xml=scene)
    made(folder / "two_clocks", left_xml=MJCF, right_xml=MJCF, scene_left_xml=scene)
    monkeypatch.setenv("MUJOCO_MENAGERIE", str(folder))
    return folder


def test_a_folder_of_menagerie_is_the_robot_that_its_scene_includes(menagerie):
    robot = st.load("mujoco_menagerie:old_clock")
    assert robot.source == str(menagerie / "old_clock" / "clock.xml")
    assert st.load("mujoco_menagerie:old_clock/clock_mjx").source.endswith("clock_mjx.xml")
    names = collections.COLLECTIONS["mujoco_menagerie"].names()
    assert names == ["old_clock", "two_clocks/left", "two_clocks/right"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("two_clocks", "near it are two_clocks/left, two_clocks/right"),
        ("old_clok", "near it are old_clock"),
        ("x", "no robot 'x' in mujoco_menagerie; `stiction robots mujoco_menagerie:` lists all"),
        ("../menagerie/old_clock/clock", "no robot"),
    ],
)
def test_a_name_that_is_not_in_the_collection_gets_those_near_it(menagerie, name, told):
    with pytest.raises(InputError) as caught:
        st.load(f"mujoco_menagerie:{name}")
    assert told in str(caught.value)


def test_menagerie_is_found_where_robot_descriptions_keeps_it(tmp_path, monkeypatch):
    with pytest.raises(MissingRobot, match="let MUJOCO_MENAGERIE name its folder"):
        st.load("mujoco_menagerie:clock")
    made(tmp_path / "cache" / "mujoco_menagerie" / "clock", clock_xml=MJCF)
    assert st.load("mujoco_menagerie:clock").total_mass == 3.0
    monkeypatch.setenv("MUJOCO_MENAGERIE", str(tmp_path / "none"))
    with pytest.raises(InputError, match="is not a folder; let it name mujoco_menagerie"):
        st.load("mujoco_menagerie:clock")


def test_a_file_of_example_robot_data_is_named_by_its_stem(tmp_path):
    with pytest.raises(MissingRobot, match=r"pip install 'stiction\[robots\]'"):
        st.load("example-robot-data:clock")
    robots = tmp_path / "prefix" / collections.SHARED
    made(robots / "clock_description" / "urdf", clock_urdf=URDF, small_urdf=URDF)
    made(robots / "watch_description" / "robots", small_urdf=URDF)
    assert st.load("example-robot-data:clock", base="fixed").total_mass == 3.0
    with pytest.raises(InputError, match="near it are clock_description/small, watch_desc"):
        st.load("example-robot-data:small")
    assert st.load("example-robot-data:watch_description/small", base="fixed").total_mass == 3.0


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package robot_descriptions whose downloads fail, with one robot in the cache."""
    package = tmp_path / "packages" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "_cache.py").write_text(CACHE)
    for name, repository, kind in (
        ("clock", "here", "URDF_PATH"),
        ("watch", "there", "URDF_PATH"),
        ("plan", "here", "XACRO_PATH"),
    ):
        text = DESCRIPTION.format(repository=repository, kind=kind)
        (package / f"{name}_description.py").write_text(text)
    made(tmp_path / "cache" / "clocks" / "clock", clock_urdf=URDF)
    monkeypatch.syspath_prepend(package.parent)
    for name in [one for one in sys.modules if one.partition(".")[0] == package.name]:
        monkeypatch.delitem(sys.modules, name)
    yield
    for name in [one for one in sys.modules if one.partition(".")[0] == package.name]:
        monkeypatch.delitem(sys.modules, name)


def test_a_description_is_loaded_from_the_cache_and_nothing_is_cloned(descriptions):
    assert st.load("robot_descriptions:clock_description", base="fixed").total_mass == 3.0
    with pytest.raises(MissingRobot, match="import robot_descriptions.watch_description' downl"):
        st.load("robot_descriptions:watch_description")
    with pytest.raises(InputError, match="is a template"):
        st.load("robot_descriptions:plan_description")
    with pytest.raises(InputError, match="near it are clock_description"):
        st.load("robot_descriptions:clock")
    import robot_descriptions._cache

    with pytest.raises(AssertionError, match="downloads"):  # its own function is back
        robot_descriptions._cache.clone_to_cache("here")


def test_robot_descriptions_that_is_not_installed_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    monkeypatch.delitem(sys.modules, "robot_descriptions._cache", raising=False)
    with pytest.raises(MissingRobot, match="pip install robot_descriptions"):
        st.load("robot_descriptions:clock_description")


def test_only_the_three_collections_are_names():
    with pytest.raises(ModelFileError, match="menagerie:old_clock: no such file"):
        st.load("menagerie:old_clock")


def test_the_command_lists_collections_and_their_robots(menagerie, capsys):
    assert main(["robots", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["collections"]}
    assert rows["mujoco_menagerie"] == {
        "name": "mujoco_menagerie",
        "robots": 3,
        "where": str(menagerie),
    }
    assert rows["example-robot-data"]["robots"] is None
    assert "pip install" in rows["example-robot-data"]["where"]
    assert main(["robots", "mujoco_menagerie:"]) == 0
    assert "mujoco_menagerie:two_clocks/left" in capsys.readouterr().out
    assert main(["robots", "mujoco_menagerie:old_clock"]) == 0
    assert "clock.xml" in capsys.readouterr().out
    assert main(["robots", "example-robot-data:clock"]) == 1
