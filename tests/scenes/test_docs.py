"""What docs/scenes.md shows is read and runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stiction.cli import main
from stiction.scenes.control import KINDS
from stiction.scenes.grounds import KEYS
from stiction.scenes.reader import BODY, TOP, parse_scene

TEXT = (Path(__file__).parents[2] / "docs/scenes.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_file_of_the_docs_is_a_scene():
    text, *_ = blocks("toml")
    scene = parse_scene(text, Path("docs.toml"))
    world = scene.world()
    assert [robot.name for robot in world.robots] == ["biped10", "ball"]
    assert scene.controls[0].parameters == {"steps": 4}
    world.place(scene.forces[0].body)


def test_every_key_and_kind_is_in_the_docs():
    for word in [*TOP, *BODY, *KINDS, *KEYS, *(key for keys in KEYS.values() for key in keys)]:
        assert f"`{word}`" in TEXT or f'"{word}"' in TEXT, word


@pytest.mark.jit
@pytest.mark.slow
def test_the_program_of_the_docs_runs(tmp_path):
    (program,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "upright=True" in done.stdout


def test_the_commands_of_the_docs_are_there(capsys):
    assert main(["scenes", "walk-on-ice"]) == 0
    assert "stiction scenes walk-on-ice" in TEXT
