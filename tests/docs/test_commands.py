"""Every command of README and docs runs as printed; long ones with the changes of shorter.py."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from clusters import ray_cluster
from docs.blocks import BLOCKS, COMMANDS, INLINE, ROOT, blocks
from docs.shorter import SHORTER, shorter
from drawn import fallen_brick
from stiction.cli.entry import build_parser, main
from stiction.sweeps.table import SweepTable

A_MOTION = """
import stiction as st
world = st.World(st.robots.brick())
state = world.standing(above=0.05)
state.v[0] = 1.0
st.simulate(world, state=state, duration=0.2, dt=0.005).save("{}")
"""
A_ROBOT = """
<robot name="box"><link name="box">
  <inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
</link></robot>
"""
# what commands need that is not everywhere; what trains needs PyTorch, with or without a GPU
NEEDS = {
    "stiction bench accuracy": "engines",
    "stiction bench lelidec": "engines",
    "stiction compare g1-stand": "data",
    "stiction fit cube-tosses": "data",
    "stiction soak g1-stand": "data",
    "stiction render": "egl",
}
# these compile nothing of a step: every run of the tests runs them
QUICK = (
    "stiction robots",
    "stiction scenes",
    "stiction view a.h5",
    "stiction render a.h5 --output",
)
WRITTEN = ("--out", "--output", "--page", "--html", "--markdown", "--checkpoint")


def begins(words, *these):
    """Whether a command begins like one of these."""
    return " ".join(words).startswith(these)


def waits(words):
    """Whether a command shows something until it is interrupted."""
    return begins(words, "stiction view") and "--html" not in words


def is_on_its_own(words):
    """Whether a test below runs a command by itself."""
    elsewhere = ("make", "pip", "stiction train")
    return begins(words, *elsewhere) or waits(words) or "--ray" in words


ORDINARY = [
    (page, list(words))
    for page, words in dict.fromkeys(
        (page, tuple(words)) for page, words in COMMANDS if not is_on_its_own(words)
    )
]  # each once
LONG = [(page, words) for page, words in ORDINARY if not begins(words, *QUICK)]


def need_of(words):
    """What a command needs that is not everywhere, or an empty string."""
    return next((need for begin, need in NEEDS.items() if begins(words, begin)), "")


@pytest.mark.plain
def test_every_change_and_every_need_is_that_of_a_command():
    commands = [" ".join(words) for _, words in COMMANDS]
    for begin in [*(one.begins for one in SHORTER), *NEEDS, *QUICK]:
        assert any(text.startswith(begin) for text in commands), begin
    for _, words in COMMANDS:
        shorter(words)
    trained, _ = shorter(["stiction", "train", "exact.npz"])
    assert trained == ["stiction", "train", "exact.npz", "--worlds", "256", "--iterations", "2"]


# -------------------------------------------------------------------------------------------- words


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


# ----------------------------------------------------------------------------------------- stiction


def give_files(folder, compiled):
    """What the commands of the docs take: motions, scenes, policies, plug-ins of other pages."""
    for name in ("a.h5", "b.h5"):
        if compiled:
            program = A_MOTION.format(name)
            subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
        else:
            fallen_brick().save(folder / name)
    (folder / "robot.urdf").write_text(A_ROBOT)
    (folder / "mine.toml").write_text(blocks("docs/scenes.md", "toml")[0])
    (folder / "exact.npz").write_bytes((ROOT / "examples/policies/exact.npz").read_bytes())
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder.parent / "robots").mkdir(exist_ok=True)
    for page in BLOCKS:
        for block in BLOCKS[page]:
            if block.saved_as:
                (folder / block.saved_as).write_text(block.text)
    paper = folder / "papers" / "ball"
    paper.mkdir(parents=True)
    (paper / "fig01.py").write_text(blocks("docs/papers.md", "python")[0])
    (paper / "claims.toml").write_text(blocks("docs/papers.md", "toml")[0])
    (paper / "README.md").write_text("# A ball\n")
    (paper / "__init__.py").touch()


@pytest.fixture
def folder(tmp_path):
    """A folder of its own, with what the commands take."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def environment(folder):
    """In which `stiction` is this one, and modules of a folder are found."""
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "BROWSER": "true"}
    return os.environ | {"STICTION_PROGRESS": "0"} | paths


def command_runs(words, folder, *more):
    """Run a command of stiction, shorter where it is long; it ends well and writes its files."""
    words, status = shorter(words)
    words = [*words, *more]
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    print("$", *words, f"\n{done.stdout}{done.stderr}")
    assert done.returncode == status, f"{words}: {done.stderr}"
    assert_written(words, folder)


def assert_written(words, folder):
    """Fail unless the files that a command names are there."""
    for option, name in zip(words, words[1:], strict=False):
        if option in WRITTEN:
            assert (folder / name).exists(), words


@pytest.mark.plain
def test_the_quick_commands_run(folder, egl, monkeypatch):
    """In this process, which is faster."""
    give_files(folder, compiled=False)
    monkeypatch.chdir(folder)
    for _, words in ORDINARY:
        if begins(words, *QUICK):
            assert main(words[1:]) == 0
            assert_written(words, folder)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize(
    ("page", "need"), sorted({(page, need_of(words)) for page, words in LONG}), ids=str
)
def test_the_long_commands_of_a_page_run(page, need, folder, request):
    if need:
        request.getfixturevalue(need)
    give_files(folder, compiled=True)
    for where, words in LONG:
        if (where, need_of(words)) == (page, need):
            command_runs(words, folder)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_policies_are_trained(device, folder, torch, request):
    """Without a GPU a few worlds learn on cores."""
    more = ["--device", "cpu", "--worlds", "8"] if device == "cpu" else []
    if device == "cuda":
        request.getfixturevalue("gpu")
    for words in (words for _, words in COMMANDS if begins(words, "stiction train")):
        command_runs(words, folder, *more)
        assert (folder / words[2]).exists()


@pytest.mark.slow
@pytest.mark.jit
def test_a_sweep_runs_on_a_cluster_of_two_nodes(folder):
    pytest.importorskip("ray")
    give_files(folder, compiled=False)
    ((_, words),) = ((page, words) for page, words in COMMANDS if "--ray" in words)
    with ray_cluster() as cluster:
        cluster.add_node(num_cpus=1)
        command_runs([word.replace("head:6379", cluster.address) for word in words], folder)
    table = SweepTable.load(folder / "fall.h5")
    assert (np.diff(table["force"]) > 0).all() and (np.diff(table["depth"]) > 0).all()


def is_served(words, folder, **variables):
    """Start a command that shows a page, open the page, and interrupt the command."""
    with subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment(folder) | variables,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            told = next(line for line in process.stderr if "control-C ends" in line)
            with urllib.request.urlopen(re.search(r"http://\S+", told)[0]) as page:
                assert page.status == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.kill()


SHOWN = [words for _, words in COMMANDS if waits(words)]
A_WALK = ["stiction", "view", "walk"]  # plans a walk, for which it needs the compiler


@pytest.mark.plain
@pytest.mark.parametrize("words", [words for words in SHOWN if words != A_WALK], ids=" ".join)
def test_a_page_is_served_until_it_is_interrupted(words, folder):
    give_files(folder, compiled=False)
    is_served(words, folder, NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
@pytest.mark.jit
def test_a_walk_is_shown_until_it_is_interrupted(folder):
    assert A_WALK in SHOWN
    is_served(A_WALK, folder)


# --------------------------------------------------------------------------------------------- make


def outside_make():
    """The environment without what a `make` that runs these tests hands on."""
    return {name: value for name, value in os.environ.items() if not re.match("M(AKE|FLAGS)", name)}


@pytest.mark.plain
def test_make_knows_how_to_make_what_is_named():
    for target in sorted({words[1] for _, words in COMMANDS + INLINE if words[0] == "make"}):
        done = subprocess.run(
            ["make", "-n", target], cwd=ROOT, env=outside_make(), capture_output=True, text=True
        )
        assert done.returncode == 0 and done.stdout, done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("git tells what belongs to the repository")
    spec = importlib.util.spec_from_file_location("package", ROOT / "tools" / "package.py")
    package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    folder = package.copied(tmp_path_factory.mktemp("checkout"), "")
    (folder / ".gitignore").write_bytes((ROOT / ".gitignore").read_bytes())
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def run_there(words, checkout):
    """Run a command in the copy, with this environment of Python; returns its output."""
    done = subprocess.run(
        words,
        cwd=checkout,
        env=outside_make() | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
    )
    print("$", *words, f"\n{done.stdout}{done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize(
    "target", sorted({words[1] for _, words in COMMANDS if words[0] == "make"})
)
def test_make_makes_it(target, checkout):
    """With the packages that are installed here, whatever the dates of pyproject.toml say."""
    venv = Path(sys.executable).parents[1]
    stamps = [f"--old-file={venv}/{name}" for name in (".installed", ".installed-test")]
    words, _ = shorter(["make", target])
    run_there([*words, *stamps, f"VENV={venv}"], checkout)
    made = {"demo": "demo/comparison.html", "package": "dist"}
    assert (checkout / made.get(target, "Makefile")).exists()
    if target == "format":
        assert not run_there(["git", "diff", "--name-only"], checkout)


@pytest.mark.slow
def test_the_package_can_be_installed(checkout):
    ((_, words),) = ((page, words) for page, words in COMMANDS if words[0] == "pip")
    words, _ = shorter(words)
    assert "stiction" in run_there([sys.executable, "-m", *words], checkout)
