"""The files that a scene may name: those of its folder, and of the roots that the user gives."""

import os

import pytest

from stiction import robots
from stiction.cli.entry import main
from stiction.errors import InputError, SceneFileError
from stiction.scenes import read_scene
from stiction.scenes.data import data_file

pytestmark = pytest.mark.interpreted

SCENE = 'shows = "a"\nduration = 0.001\n[robot]\nfile = "{}"\n'
PLAYED = SCENE.replace("[robot]", '[controller]\nkind = "play"\nfile = "{}"\n[robot]')


@pytest.fixture
def folder(tmp_path):
    """A folder of scenes beside another one with a robot."""
    for name in ("scenes", "elsewhere"):
        (tmp_path / name).mkdir()
    robots.ball().save(tmp_path / "elsewhere" / "ball.npz")
    robots.ball().save(tmp_path / "scenes" / "own.npz")
    return tmp_path / "scenes"


def scene_with(folder, text):
    path = folder / "scene.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "name", ["../elsewhere/ball.npz", "{above}/elsewhere/ball.npz", "link.npz"]
)
def test_a_file_outside_the_folder_of_the_scene_is_refused_without_a_root(name, folder):
    (folder / "link.npz").symlink_to(folder.parent / "elsewhere" / "ball.npz")
    path = scene_with(folder, SCENE.format(name.format(above=folder.parent)))
    with pytest.raises(SceneFileError, match=r"scene.toml, line 4: robot.file: is '.*outside"):
        read_scene(path)
    assert read_scene(path, roots=[folder.parent]).world().robots[0].name == "ball"


def test_a_file_is_found_in_a_root(folder):
    path = scene_with(folder, SCENE.format("ball.npz"))
    with pytest.raises(SceneFileError, match="there is no file"):
        read_scene(path)
    assert read_scene(path, roots=[folder.parent / "elsewhere"]).world().robots[0].name == "ball"


@pytest.mark.parametrize("file", ["/etc/passwd", "../elsewhere/ball.npz"])
def test_a_motion_outside_the_folder_is_refused(file, folder):
    path = scene_with(folder, PLAYED.format(file, "own.npz"))
    with pytest.raises(SceneFileError, match="outside the folders that may be read"):
        read_scene(path)


@pytest.mark.parametrize("name", ["x" * 5000, "a\\u0000b"])
def test_a_name_that_no_file_can_have_is_refused(name, folder):
    with pytest.raises(SceneFileError, match="robot.file"):
        read_scene(scene_with(folder, SCENE.format(name)))


def test_a_plug_in_in_a_file_outside_the_folder_is_not_imported(folder):
    evil = folder.parent / "elsewhere" / "evil.py"
    evil.write_text("raise SystemExit('imported')")
    text = SCENE.format("own.npz") + '[contact]\nmodel = "../elsewhere/evil.py:Law"\n'
    with pytest.raises(SceneFileError, match="outside the folders that may be read"):
        read_scene(scene_with(folder, text))


def test_data_stay_in_their_folder(folder, monkeypatch):
    monkeypatch.setenv("STICTION_DATA", str(folder))
    assert data_file("own.npz", "here") == folder / "own.npz"
    for name in ("../elsewhere/ball.npz", "/etc/passwd", "a\0b"):
        with pytest.raises(InputError):
            data_file(name, "here")


def test_the_command_line_gives_roots(folder, capsys):
    path = scene_with(folder, SCENE.format("../elsewhere/ball.npz") + "[contact]\nmodel = 'none'\n")
    assert main(["run", str(path)]) == 1
    assert "add a root" in capsys.readouterr().err
    assert main(["run", str(path), "--root", str(folder.parent)]) == 0


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "scene.toml")
    with pytest.raises(SceneFileError, match="no such file"):
        read_scene(tmp_path / "scene.toml")
