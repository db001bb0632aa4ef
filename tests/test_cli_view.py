"""`stiction view` and `stiction render`: what they write, and what they refuse."""

import json

import pytest

from drawn import fallen_brick
from stiction.cli import main

pytestmark = pytest.mark.plain


@pytest.fixture
def motion_file(tmp_path):
    fallen_brick().save(tmp_path / "brick.h5")
    return tmp_path / "brick.h5"


def test_view_writes_a_page(motion_file, tmp_path, capsys):
    page = tmp_path / "brick.html"
    assert main(["view", str(motion_file), "--html", str(page), "--fps", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"] == str(page)
    assert "stiction-legend" in page.read_text()


def test_render_writes_a_strip_and_a_video(motion_file, tmp_path, egl):
    from PIL import Image

    small = ["--size", "96x64", "--marks", ""]
    strip, film = tmp_path / "brick.png", tmp_path / "brick.gif"
    assert main(["render", str(motion_file), "--output", str(strip), "--times", "3", *small]) == 0
    assert Image.open(strip).width == 3 * 96
    assert main(["render", str(motion_file), "--output", str(film), "--fps", "10", *small]) == 0
    assert Image.open(film).n_frames == 5


@pytest.mark.parametrize(
    "words, told, status",
    [
        (["view", "nothing.h5"], "nothing.h5: no such file", 1),
        (["view", "walk", "stand"], "found 2 scenes or robots", 2),
        (["view", "walk", "a.h5"], "not both", 2),
        (["view", "walk", "--html", "a.html"], "only for motion files", 2),
        (["view", "MOTION", "--html", "a.txt"], "--html: 'a.txt' is no name of a file", 2),
        (["view", "no_such_robot"], "no robot 'no_such_robot'", 1),
        (["render", "walk", "--output", "a.avi"], "ends in", 1),
        (["render", "walk", "--output", "nowhere/a.png"], "folder nowhere does not exist", 1),
        (["render", "walk", "--output", "a.gif", "--times", "2"], "only for pictures", 1),
    ],
)
def test_wrong_use_is_told_in_one_line(words, told, status, motion_file, capsys):
    words = [str(motion_file) if word == "MOTION" else word for word in words]
    assert main(words) == status
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and told in lines[0]


def test_a_file_that_is_no_motion_is_named(tmp_path, capsys):
    (tmp_path / "text.h5").write_text("no")
    assert main(["view", str(tmp_path / "text.h5")]) == 1
    assert "not a motion file" in capsys.readouterr().err
