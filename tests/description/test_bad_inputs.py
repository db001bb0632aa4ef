"""Every bad input is refused with a message that helps, soon, and without much memory."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from description import bad_inputs
from description.bad_inputs import CASES, DOCUMENT, GOOD, LARGEST, SUFFIXES, Answer
from stiction.errors import DivergenceError, StictionError
from stiction.robot.load import load

pytestmark = pytest.mark.interpreted

ROOT = Path(__file__).parents[2]
STATES = bad_inputs.state_cases()
NAMES_A_FILE = re.compile(r"(robot|a|again)\.(xml|urdf|wrl)(, line \d+)?: ")
HELPS = re.compile(r"; [^;]*\w")  # what was found; what would do
MUJOCOS_WORDS = re.compile("(MuJoCo's compiler rejects it: ).*(; correct)")  # of another version
EXECUTIONS = 150  # of each reader


@pytest.fixture
def folder(tmp_path):
    """Deep enough that ../.. stays inside tmp_path."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    return inner


@pytest.fixture(scope="module")
def heavy_answers(tmp_path_factory):
    """A function of a heavy case: the answer of a process that may not take much more memory.

    One process for all heavy cases of a format, each in a folder of its own.
    """

    @cache
    def of_format(kind):
        above = tmp_path_factory.mktemp(kind)
        good = above / f"good{SUFFIXES[kind]}"
        good.write_text(GOOD[kind])
        cases = [case for case in CASES if case.heavy and case.format == kind]
        folders = [above / str(k) for k in range(len(cases))]
        for folder in folders:
            folder.mkdir()
        paths = [case.write(folder) for case, folder in zip(cases, folders, strict=True)]
        command = [sys.executable, bad_inputs.__file__, str(good), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return {
            case.name: Answer(bad_inputs.shortened(message, folder), memory)
            for case, folder, (message, memory) in zip(
                cases, folders, json.loads(done.stdout), strict=True
            )
        }

    return lambda case: of_format(case.format)[case.name]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.format}: {case.name}")
def test_a_bad_file_is_refused_with_file_element_finding_and_remedy(case, folder, heavy_answers):
    answer = heavy_answers(case) if case.heavy else bad_inputs.answer(case.write(folder))
    message = bad_inputs.shortened(answer.message, folder)
    assert NAMES_A_FILE.match(message), message
    assert HELPS.search(message), message
    for words in case.words.split(" | "):
        assert words in message
    assert answer.memory < LARGEST


def test_every_input_of_the_comparison_is_there_in_every_format_that_can_have_it():
    rows = {name: {case.format for case in CASES if case.name == name} for name in
            (case.name for case in CASES)}  # fmt: skip
    everywhere = {name for name, formats in rows.items() if formats == set(SUFFIXES)}
    assert len(everywhere) >= 18
    assert rows["two roots"] == {"URDF", "VRML"}  # in MJCF every body of the world is a root
    assert len(everywhere | {"two roots"}) + len(STATES) >= 24


@pytest.mark.parametrize("kind", SUFFIXES)
def test_the_good_file_that_the_bad_ones_were_made_from_is_loaded(kind, folder):
    path = folder / f"robot{SUFFIXES[kind]}"
    path.write_text(GOOD[kind])
    assert load(path).nv == 7


@pytest.mark.parametrize("kind", SUFFIXES)
def test_a_file_cut_short_anywhere_is_refused(kind, folder):
    path = folder / f"robot{SUFFIXES[kind]}"
    for length in range(len(GOOD[kind].rstrip())):
        path.write_text(GOOD[kind][:length])
        with pytest.raises(StictionError, match=f"{path.name}.*; "):
            load(path)


@pytest.mark.parametrize("case", STATES, ids=lambda case: case.name)
def test_a_bad_state_force_or_step_is_refused_or_ends_the_run(case):
    with pytest.raises(StictionError) as caught:
        case.run(bad_inputs.toy_world())
    assert HELPS.search(str(caught.value))
    for words in case.words.split(" | "):
        assert words in str(caught.value)


@pytest.mark.jit  # in plain Python, the cosine of infinity is a ValueError
def test_an_enormous_force_on_a_floating_robot_ends_the_run():
    force = next(case for case in STATES if case.name == "force 1e300")
    with pytest.raises(DivergenceError, match="diverged"):
        force.run(bad_inputs.toy_world(free=True))


def test_the_table_in_the_documentation_is_up_to_date():
    """To make it again: python tests/description/bad_inputs.py."""
    made, committed = bad_inputs.document(), DOCUMENT.read_text()
    assert MUJOCOS_WORDS.sub(r"\1\2", made) == MUJOCOS_WORDS.sub(r"\1\2", committed)


def test_the_fuzzer_finds_nothing_in_a_few_executions():
    command = [sys.executable, str(ROOT / "fuzz" / "fuzz_readers.py")]
    options = ["--for", "600", "--most", str(EXECUTIONS), "--seed", "20"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # the readers need no kernel
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=900, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    executions = re.findall(r"(\d+) executions", done.stdout)
    assert executions == [str(EXECUTIONS)] * 5  # mjcf, urdf, vrml, osim, checks
