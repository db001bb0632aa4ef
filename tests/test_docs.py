"""What README, docs and examples say runs as they say it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import stiction as st

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
# compile what no other test needs, or take long
SLOW = (
    *("control_loop", "linearise_balance", "push_and_hold", "survival_map"),
    *("friction_angle", "jump", "squat", "stopping_distance", "treadmill", "tumbling_rod"),
    *("force_plates", "two_floors", "sweep_of_a_billion", "walk_and_forces"),
)
TABLES = ("sweep_of_a_billion", "touching_bodies", "what_holds")  # they draw nothing


def run(arguments: list[str], folder: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def python_blocks(file: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.DOTALL)


@pytest.mark.jit
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in SLOW))
        for path in EXAMPLES
    ],
)
def test_the_example_runs(example, tmp_path):
    assert run([str(example)], tmp_path, MPLBACKEND="Agg").strip()
    picture = tmp_path / f"{example.stem}.png"
    assert example.stem in TABLES or 1000 < picture.stat().st_size < 60_000


@pytest.mark.jit
@pytest.mark.parametrize(
    "notebook",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in SLOW))
        for path in NOTEBOOKS
    ],
)
def test_the_notebook_runs_and_draws(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cells = nbformat.read(notebook, as_version=4)
    NotebookClient(cells, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any("image/png" in output.get("data", {}) for output in cells.cells[-1].outputs)
    assert 1000 < (tmp_path / f"{notebook.stem}.png").stat().st_size < 60_000


@pytest.mark.jit
def test_the_program_of_the_readme_runs_and_saves_its_motion(tmp_path):
    (program,) = python_blocks("README.md")
    assert run(["-c", program], tmp_path).strip()
    assert (tmp_path / "motion.h5").stat().st_size > 1000


@pytest.mark.plain
@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("control.md", "0.2 ["),
        ("gym.md", "(42,)"),
        ("interchange.md", "'trunk_tz', 'left_hip_roll') (21, 16)"),
        ("learning.md", "(4, 42)"),
        ("robots.md", "0.4 ['ice', 'rubber']\nRobot 'hammer': 1 link, nq 7"),
    ],
)
def test_the_program_of_the_page_runs_without_the_compiler(page, told, tmp_path):
    """Compiled, they would need steps that no other test needs."""
    program = "\n".join(python_blocks(f"docs/{page}"))
    assert told in run(["-c", program], tmp_path, NUMBA_DISABLE_JIT="1")


@pytest.mark.plain
def test_the_sweep_of_the_docs_runs_and_is_drawn(tmp_path):
    _, program = python_blocks("docs/sweeps.md")
    assert "6 points, 0 failed" in run(["-c", program], tmp_path)
    assert (tmp_path / "stopping.html").exists()


@pytest.mark.jit
@pytest.mark.slow
def test_the_batch_of_the_docs_runs(tmp_path):
    program, _ = python_blocks("docs/batches.md")
    assert "True" in run(["-c", program], tmp_path)


def test_the_scene_of_the_docs_for_a_batch_is_saved(tmp_path):
    _, program = python_blocks("docs/batches.md")
    run(["-c", f"import stiction as st\n{program}"], tmp_path)
    assert st.World(st.Robot.load(tmp_path / "stack.npz")).nv == 60


@pytest.mark.interpreted
def test_the_derivative_of_the_docs_is_that_of_friction(tmp_path):
    (program,) = python_blocks("docs/linearise.md")
    printed = run(["-c", program], tmp_path).split()
    assert float(printed[0]) == pytest.approx(-9.81 * 0.001, rel=1e-6)


@pytest.mark.interpreted
def test_the_sensors_of_the_docs_are_read(tmp_path):
    (program,) = python_blocks("docs/sensors.md")
    printed = run(["-c", program], tmp_path)
    assert "nan" not in printed and "(11, 1)" in printed


def test_the_kinds_of_sensors_of_the_docs_are_those_of_the_sources():
    table = (ROOT / "docs/sensors.md").read_text().split("## Kinds")[1].split("* **Frames.")[0]
    rows = re.findall(r"^\| (`.*?`) \| (\w+) \| (\d+) \|", table, re.MULTILINE)
    found = {
        name: (at, int(size)) for names, at, size in rows for name in re.findall(r"`(\w+)`", names)
    }
    assert found == {name: (kind.at, kind.size) for name, kind in st.SENSOR_KINDS.items()}


@pytest.mark.interpreted
def test_the_controller_of_the_docs_pulls_the_joints(tmp_path):
    module, program, _, _ = python_blocks("docs/adding_a_controller.md")
    (tmp_path / "springs.py").write_text(module)
    check = "print(abs(motion.joint('left_knee')[0]) > abs(motion.joint('left_knee')[-1]))"
    assert run(["-c", program + check], tmp_path).strip() == "True"


@pytest.mark.interpreted
def test_the_integral_term_of_the_docs_removes_the_error(tmp_path):
    _, _, module, program = python_blocks("docs/adding_a_controller.md")
    (tmp_path / "pid.py").write_text(module)
    program += "print(motion.joint('right_ankle_roll')[-1])"
    assert abs(float(run(["-c", program], tmp_path)) - 0.3) < 1e-3


def depth_and_state(folder: Path, module: str) -> tuple[float, float]:
    """How deep the contact law of the docs lets a brick sink, and the state that it tells."""
    _, program, states, _, _ = python_blocks("docs/adding_a_contact_model.md")
    (folder / "sponge.py").write_text(module + states)
    program += "print(motion.depth[-2].max(), motion.contact_state[-2].max())"
    depth, state = map(float, run(["-B", "-c", program], folder).split())
    return depth, state


SPONGE_AT_REST = (2.0 * 9.81 / 4 / 1e7) ** 0.5  # four corners carry the weight


@pytest.mark.jit
def test_the_contact_law_of_the_docs_carries_a_brick(tmp_path):
    depth, state = depth_and_state(tmp_path, python_blocks("docs/adding_a_contact_model.md")[0])
    assert depth == pytest.approx(SPONGE_AT_REST, rel=0.2)
    assert state == 1  # deeper than 0.1 mm a point sticks, it says


@pytest.mark.slow  # two compilations; in CI, test_cache.py tells that an edited file is noticed
@pytest.mark.jit
def test_the_contact_law_of_the_docs_is_edited_and_runs_again(tmp_path):
    module = python_blocks("docs/adding_a_contact_model.md")[0]
    for factor, rest in (("1.0", SPONGE_AT_REST), ("4.0", SPONGE_AT_REST / 2)):
        edited = module.replace("p.stiffness *", f"{factor} * p.stiffness *")
        assert depth_and_state(tmp_path, edited)[0] == pytest.approx(rest, rel=0.2)


@pytest.mark.jit
def test_the_impulse_solver_of_the_docs_stops_a_brick_where_it_should(tmp_path):
    _, _, _, module, program = python_blocks("docs/adding_a_contact_model.md")
    (tmp_path / "sweeping.py").write_text(module)
    program += (
        "print(motion.q[-1, 0], motion.depth[:-1].max(), motion.criteria().primal[:-1].max())"
    )
    way, depth, outside = map(float, run(["-c", program], tmp_path).split())
    expected = 1.0 / (2 * 0.5 * 9.81)
    assert way == pytest.approx(expected, abs=1e-5)
    assert depth < 1e-6 and outside < 1e-12


def test_the_numbers_of_the_docs_are_those_of_the_sources():
    import importlib

    text = (ROOT / "docs/contact.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)\.([A-Z_]+)` \| ([\d.e-]+)", text, re.MULTILINE)
    assert len(rows) >= 7
    for module, name, value in rows:
        assert getattr(importlib.import_module(f"stiction.{module}"), name) == float(value), name


@pytest.mark.jit
def test_the_integrator_of_the_docs_is_explicit_eulers(tmp_path):
    module, program = python_blocks("docs/adding_an_integrator.md")
    (tmp_path / "explicit_euler.py").write_text(module)
    check = "print(motion.q[-1, 2] + 9.81 * (motion.time[-1] ** 2 - 0.01 * motion.time[-1]) / 2)"
    assert abs(float(run(["-c", program + check], tmp_path))) < 1e-12


def test_an_integrator_with_other_arguments_is_refused():
    import stiction as st

    with pytest.raises(st.StictionError, match="'step' takes .*must take"):

        @st.integrator(tuple)
        def step(params, state):
            return 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)]+)\)", page.read_text())
    assert links or page.stem not in ("README", "contact", "conventions")
    for link in (one for one in links if not one.startswith("https://")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), link


def headings(file):
    """Anchors of the headings of a page."""
    found = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found}


def test_every_model_is_in_the_readme_and_in_the_table_of_contact():
    from stiction.bench.demo import our_models

    for file in ("README.md", "docs/contact.md"):
        text = (ROOT / file).read_text()
        assert [kind.__name__ for kind in our_models() if f"`{kind.__name__}`" not in text] == []
