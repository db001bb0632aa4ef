"""Wrong files and command lines are refused; `python tests/tried.py` counts all of them."""

import pytest

import wrong_files
from tried import of_answer, of_file
from wrong_commands import answer, wrong_lines

pytestmark = pytest.mark.interpreted
KINDS = wrong_files.kinds()


@pytest.mark.parametrize("kind", KINDS)
def test_some_wrong_files_of_every_kind_are_refused(kind, tmp_path):
    for k, wrong in enumerate(list(KINDS[kind]())[::17]):
        folder = tmp_path / "a" / "b" / str(k)
        folder.mkdir(parents=True)
        assert of_file(wrong, folder) == "refused", wrong.name


def test_there_are_enough_of_them():
    assert sum(len(list(wrong())) for wrong in KINDS.values()) > 1000


def test_some_wrong_command_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = list(wrong_lines(tmp_path))
    assert len(lines) > 900
    for line in lines[::13]:
        assert of_answer(answer(line)) == "refused", line


@pytest.mark.parametrize("option", ["--unsolved", "--contact", "--dt"])
def test_two_dashes_are_no_value(option):
    found = answer(["run", "ball", f"{option}=--"])
    assert found.status == 2 and f"argument {option}: expected a value" in found.error
