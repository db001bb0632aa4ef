"""Every block of Python of README and docs runs as printed; test_commands.py runs commands."""

import os
import re
import subprocess
import sys

import pytest
from following import follow, shown
from transcript import same

from docs.blocks import BLOCKS, PAGES, ROOT, blocks
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
