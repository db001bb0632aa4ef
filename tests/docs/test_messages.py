"""What the pages for authors of plug-ins say about mistakes is what an author sees."""

import os
import re
import subprocess
import sys

import pytest

from docs.blocks import BLOCKS, ROOT, blocks

CHECKED = "duration=0.001, dt=0.0005, state=world.standing(), checked=True)"
MODEL, CONTROLLER, INTEGRATOR = (
    f"docs/adding_{name}.md" for name in ("a_contact_model", "a_controller", "an_integrator")
)


def program_of(page, folder, saved=1):
    """Save the first modules of a page; returns its first program."""
    modules = [block for block in BLOCKS[page] if block.saved_as][:saved]
    for block in modules:
        (folder / block.saved_as).write_text(block.text)
    return next(block.text for block in BLOCKS[page] if block.runs)


def said(program, folder, module, right, wrong):
    """What a program writes to stderr once a module has a mistake."""
    text = (folder / module).read_text()
    assert text.count(right) == 1
    (folder / module).write_text(text.replace(right, wrong))
    paths = f"{ROOT}{os.pathsep}{folder}"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.slow  # in CI, tests/compiler/ has such mistakes in laws that compile faster
@pytest.mark.jit
@pytest.mark.parametrize(
    ("page", "module", "right", "wrong"),
    [
        (MODEL, "sponge.py", "contact.depth[i]", "contact.deph[i]"),
        (CONTROLLER, "springs.py", "dynamics.control[d]", "dynamics.contrl[d]"),
        (INTEGRATOR, "explicit_euler.py", "dynamics.acceleration", "dynamics.acceleratoin"),
    ],
)
def test_a_mistake_is_explained_as_the_page_says(page, module, right, wrong, tmp_path):
    program = program_of(page, tmp_path)
    message = said(program, tmp_path, module, right, wrong)
    assert message.strip().endswith(blocks(page, "text")[0].strip())


@pytest.mark.plain
def test_a_wrong_index_is_found_as_the_page_says(tmp_path):
    program = program_of(MODEL, tmp_path)
    head, _, _ = program.partition("duration=")
    right = "store_vector(contact.force, i, "
    message = said(head + CHECKED, tmp_path, "sponge.py", right, right.replace("i,", "i + 1,"))
    assert message.strip().endswith(blocks(MODEL, "text")[1].strip())


@pytest.mark.slow
@pytest.mark.jit
def test_the_promises_are_told_as_the_page_says(tmp_path):
    program_of(MODEL, tmp_path)
    program = "import stiction as st\nfrom sponge import Sponge\nprint(st.check_promises(Sponge()))"
    paths = f"{ROOT}{os.pathsep}{tmp_path}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    rounding = re.compile(r"\d\S*e-1\d")  # errors that differ from machine to machine
    printed = rounding.sub("#", done.stdout).splitlines()
    told = [line.removesuffix("...").rstrip() for line in blocks(MODEL, "text")[2].splitlines()]
    assert len(printed) == len(told) > 9
    for line, begins in zip(printed, told, strict=True):
        assert line.startswith(rounding.sub("#", begins))
