"""Scenes, papers and messages that the docs print."""

import subprocess
import sys

import pytest

import stiction as st
from docs.blocks import BLOCKS, blocks
from stiction.errors import StabilityWarning

SCENES = blocks("docs/scenes.md", "toml")
A_ROBOT = 'shows = "As the docs say"\nduration = 0.01\n[robot]\nmodel = "{}"\n'


@pytest.mark.interpreted
def test_the_scene_of_the_docs_is_read_and_begins(tmp_path):
    (tmp_path / "mine.toml").write_text(SCENES[0])
    scene = st.scenes.read_scene(tmp_path / "mine.toml")
    assert scene.duration == 6.0 and len(scene.world().robots) == 2


@pytest.mark.plain
def test_the_poses_of_the_docs_are_those_of_a_scene(tmp_path):
    (tmp_path / "posed.toml").write_text(A_ROBOT.format("hrp2") + SCENES[1])
    scene = st.scenes.read_scene(tmp_path / "posed.toml")
    assert [pose["time"] for pose in scene.controls[0].parameters["pose"]] == [0.9, 1.4]


@pytest.mark.plain
def test_the_plug_ins_of_the_docs_are_those_of_a_scene(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for page in ("a_contact_model", "a_controller", "an_integrator"):
        for block in BLOCKS[f"docs/adding_{page}.md"]:
            if block.saved_as:
                (tmp_path / block.saved_as).write_text(block.text)
    (tmp_path / "mine.toml").write_text(A_ROBOT.format("biped10") + SCENES[2])
    scene = st.scenes.read_scene(tmp_path / "mine.toml")
    assert repr(scene.contact).startswith("Sponge(stiffness=10000000.0, loss=3.0")
    assert repr(scene.controllers) == "(Spring(stiffness=50.0, damping=2.0),)"
    assert repr(scene.integrator) == "ExplicitEuler()"


@pytest.mark.interpreted
def test_the_warnings_of_the_docs_are_those_of_the_models():
    (printed,) = blocks("docs/long_runs.md", "text")
    world = st.World(st.robots.brick())
    creeping = st.SpringDamper(sticking=0.0, mu_kinetic=0.6)
    with pytest.warns(StabilityWarning):
        creeps = st.Simulation(world, creeping, dt=1e-4).notes[-1]
    with pytest.warns(StabilityWarning):
        sinks = st.Simulation(world, st.Bilateral(), dt=0.05, state=world.standing(above=0.3)).notes
    assert " ".join(printed.split()) == f"{creeps} {sinks[-1]}"


@pytest.mark.slow  # in CI, tests/papers/ reproduces a paper that needs no simulation
@pytest.mark.jit
def test_the_paper_of_the_docs_is_reproduced(tmp_path):
    folder = tmp_path / "papers" / "ball"
    folder.mkdir(parents=True)
    (figure,), (claims,) = blocks("docs/papers.md", "python"), blocks("docs/papers.md", "toml")
    for name, text in {
        "fig01.py": figure,
        "claims.toml": claims,
        "README.md": "# A ball\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "__init__.py").write_text("")
    words = ["reproduce", "--papers", str(tmp_path / "papers"), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-m", "stiction", *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "it-comes-to-rest" in done.stdout
