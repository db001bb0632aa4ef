"""Every block of code of README and docs runs as printed, or a reason says why it does not."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
from following import follow, shown
from transcript import same

from docs.blocks import BLOCKS, COMMANDS, INLINE, PAGES, ROOT, blocks
from stiction.cli.entry import build_parser
from stiction.contact.contact_model import MODELS as KINDS

LANGUAGES = ("python", "sh", "text", "toml")
# whose blocks of Python other tests run, which also look at what comes out
ELSEWHERE = {
    **dict.fromkeys(
        (
            *("README.md", "docs/adding_a_contact_model.md", "docs/adding_a_controller.md"),
            *("docs/adding_an_integrator.md", "docs/batches.md", "docs/control.md", "docs/gym.md"),
            *("docs/learning.md", "docs/linearise.md", "docs/sensors.md", "docs/sweeps.md"),
        ),
        "tests/test_docs.py",
    ),
    "docs/papers.md": "tests/docs/test_files.py",
}
REST = [page for page in PAGES if page not in ELSEWHERE and blocks(page, "python")]
MODELS = [page for page in REST if page.startswith("docs/models/")]  # they only make a model
INTERPRETED = ["docs/grounds.md"]  # without the compiler, in every run of the tests
COMPILED = [page for page in REST if page not in (*MODELS, *INTERPRETED)]
# files that a page says are there
GIVEN = {"docs/viewing.md": ["demo/motion_Coulomb.h5"]}
A_MOTION = """
import stiction as st
world = st.World(st.robots.brick())
st.simulate(world, state=world.standing(above=0.05), duration=0.2, dt=0.005).save("{}")
"""
# commands that are not run, by how they begin; their words are checked all the same
NOT_RUN = {
    "pip install": "installs; the transcript of the tutorials begins with it",
    "make": "the tests run in it, or it takes many minutes: `make demo` all models",
    "stiction train": "needs a GPU",
    "stiction soak": "takes an hour of simulation; tests/bench/ runs soaks of seconds",
    "stiction reproduce": "14 minutes; tests/papers/ runs parts of it",
    "stiction fit": "many minutes, or needs recorded data; tests/fit/ runs short ones",
    "stiction compare": "all models, many minutes; tests/compare/ compares a few",
    "stiction bench": "times machines and engines for many minutes; tests/bench/ runs short ones",
    "stiction judge": "walks under all models, many minutes; tests/learn/ judges a walk",
    "stiction view": "stays until it is interrupted; tests/test_cli_view.py opens it",
    "stiction sweep walk": "200 walks; tests/sweeps/ runs scenes",
    "stiction sweep mine.py:fall": "needs a cluster at `head`; tests/sweeps/ has one",
    "stiction run mine.toml --root": "the folder ../robots is only an example",
}


def program_runs(page, folder, **variables):
    """Follow a page, and hold what it prints to what the page says."""
    for name in GIVEN.get(page, []):
        (folder / name).parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-c", A_MOTION.format(name)], cwd=folder, check=True)
    # as at a prompt, where `show` does not wait
    (folder / "sitecustomize.py").write_text("import sys\nsys.ps1 = '>>> '\n")
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "BROWSER": "true"}
    followed = dict(follow(PAGES[page], folder, sys.executable, **paths, **variables))
    printed = {block.text: output for block, output in followed.items()}
    for block, output in shown(PAGES[page]):
        assert same(printed[block], output), printed[block]
    drawn = re.findall(r"\.savefig\(\"(\w+\.png)\"|, \"(\w+\.png)\"", PAGES[page])
    for name in (one or other for one, other in drawn):
        assert (folder / name).stat().st_size > 1000


@pytest.mark.plain
def test_every_block_has_a_language_that_some_test_runs():
    languages = {block.language for found in BLOCKS.values() for block in found}
    assert languages <= set(LANGUAGES)
    for page, test in ELSEWHERE.items():
        assert page.removeprefix("docs/") in (ROOT / test).read_text()


@pytest.mark.plain
@pytest.mark.parametrize("page", MODELS)
def test_the_program_of_the_page_of_a_model_makes_one(page):
    made = {}
    for program in blocks(page, "python"):
        exec(program, made)
    assert any(type(value) in KINDS for value in made.values())


@pytest.mark.plain
@pytest.mark.parametrize("page", INTERPRETED)
def test_the_program_of_a_page_runs_without_the_compiler(page, tmp_path, egl):
    program_runs(page, tmp_path, NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("page", COMPILED)
def test_the_program_of_a_page_runs(page, tmp_path):
    program_runs(page, tmp_path)


@pytest.mark.plain
def test_every_reason_not_to_run_something_is_needed():
    commands = [" ".join(words) for _, words in COMMANDS]
    assert [one for one in NOT_RUN if not any(text.startswith(one) for text in commands)] == []


def is_run(words):
    """Whether a command is run; `stiction view` that writes a page does not wait."""
    return "--html" in words or not any(" ".join(words).startswith(one) for one in NOT_RUN)


def check_words(words, capsys):
    """Fail if a command of stiction or make, an option of it, or an extra to install is unknown."""
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets, words
    elif words[0] == "stiction":
        try:
            build_parser().parse_args([word for word in words[1:] if word != "..."])
        except SystemExit as ended:
            told = capsys.readouterr().err
            assert ended.code == 0 or "are required" in told or "expected one" in told, told
    else:
        assert words[:2] == ["pip", "install"], words
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for extra in re.findall(r"\[(\w+)\]", words[-1]):
            assert extra in extras["optional-dependencies"], words


@pytest.mark.plain
@pytest.mark.parametrize("page", sorted({page for page, _ in COMMANDS + INLINE}))
def test_every_command_of_a_page_is_known_with_its_options(page, capsys):
    for words in (words for where, words in COMMANDS + INLINE if where == page):
        check_words(words, capsys)


def given_files(folder):
    """What the commands of the docs take: motions, a scene, plug-ins of other pages."""
    for name in ("a.h5", "b.h5"):
        subprocess.run([sys.executable, "-c", A_MOTION.format(name)], cwd=folder, check=True)
    (folder / "mine.toml").write_text(blocks("docs/scenes.md", "toml")[0])
    for page in (page for page in BLOCKS if page.startswith("docs/adding_")):
        for block in BLOCKS[page]:
            if block.saved_as:
                (folder / block.saved_as).write_text(block.text)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("page", sorted({page for page, words in COMMANDS if is_run(words)}))
def test_the_commands_of_a_page_run(page, tmp_path):
    given_files(tmp_path)
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    for words in (words for where, words in COMMANDS if where == page and is_run(words)):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
