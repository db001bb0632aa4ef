"""A mistake in a user's law, integrator or controller is told in two lines that name its place."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.errors import TypingError

from stiction import SemiImplicitEuler, Simulation, World, robots, simulate, simulate_batch
from stiction.compiler.compiled import routine
from stiction.contact.contact_model import contact_forces
from stiction.errors import CompileError, InputError
from stiction.kernels.vectors import add

LAW = """
from typing import NamedTuple

import numpy as np

from stiction.extend import OK, contact_model, formula, parameters, scale, store_vector, vector


class Sponge(NamedTuple):
    stiffness: float = 1e4


@formula
def pressure(k, depth):
    return k * depth


@contact_model(Sponge)
def sponge(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        f_n = pressure(p.stiffness, contact.depth[i])
        store_vector(contact.force, i, scale(f_n, vector(contact.normal, i)))
    return OK
"""
INTEGRATOR = """
from typing import NamedTuple

from stiction.extend import Instant, Shares, advance, compute_forces, integrator, solve_motion


class Euler(NamedTuple):
    pass


@integrator(Euler)
def euler(params, system, state, work, time, dt):
    q, v = state.q, state.v
    instant = Instant(time, time, dt, 0.0)
    touched = compute_forces(system, instant, q, v, v)
    solved = solve_motion(system, instant, q, v, Shares(old=0.5, new=0.5, bend=0.5))
    advance(system.dynamics.tree, q, v, dt)
    for d in range(len(v)):
        v[d] += dt * system.dynamics.acceleration[d]
    return max(touched, solved)
"""
CONTROLLER = """
from typing import NamedTuple

from stiction.extend import controller


class Spring(NamedTuple):
    stiffness: float = 1.0


@controller(Spring)
def spring(params, dynamics, time, q, v):
    for d in range(len(v)):
        dynamics.control[d] += -params.stiffness * v[d]
"""
BALL = World(robots.ball())


def module_of(text: str, folder: Path) -> ModuleType:
    """Import a module of the user's from a file."""
    name = f"users_{folder.parent.name}_{folder.name}"
    file = folder / "mine.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def edited(text: str, good: str, bad: str) -> tuple[str, int]:
    """Text with a mistake, and the line that it is in."""
    assert text.count(good) == 1
    begin = text.index(good)
    return text.replace(good, bad), text[:begin].count("\n") + 1


def check_place(error: Exception, folder: Path, line: int) -> str:
    """Text of an error, after checking that it is short and names the line."""
    told = str(error)
    assert f"{folder / 'mine.py'}:{line}, " in told
    assert len(told.splitlines()) <= 3
    assert len(told) < 500
    return told


def mistake_in(text: str, good: str, bad: str, folder: Path, run: Callable) -> str:
    """What a run says to a module with a mistake."""
    text, line = edited(text, good, bad)
    module = module_of(text, folder)
    with pytest.raises(CompileError) as caught:
        run(module)
    assert isinstance(caught.value.numba_error, Exception)
    return check_place(caught.value, folder, line)


@routine
def call(params, dynamics, contact, memory, work, dt):
    return contact_forces(params, dynamics, contact, memory, work, dt)


def call_law(module: ModuleType) -> None:
    """Compile the law of a module alone, which takes a second where a whole step takes ten."""
    simulation = Simulation(BALL, module.Sponge())
    system = simulation._system
    surface = system.surface
    call(system.model, system.dynamics, surface.contact, surface.memory, surface.work, 0.001)


LAWS = [
    ("p.stiffness", "p.stifness", "'p' has no field 'stifness'; did you mean 'stiffness'?"),
    ("contact.depth[i]", "contact.deph[i]", "'contact' has no field 'deph'; did you mean 'depth'?"),
    ("pressure(p.", "presure(p.", "name 'presure' is not defined; did you mean 'pressure'?"),
    ("scale(f_n, ", "scale('soft', ", "scale() cannot take k = a string, a = a vector of 3 num"),
    ("vector(contact.normal", "vector(contact", "vector() cannot take "),
    ("scale(f_n, vector(contact.normal, i))", "f_n", "store_vector() cannot take "),
    ("scale(f_n, vector(", "(f_n * vector(", "'*' does not take a number and a vector of 3"),
    ("pressure(p.stiffness, contact.depth[i])", "np.zeros(3)[0]", "this allocates memory"),
    ("pressure(p.stiffness, contact.depth[i])", "[1.0, dt][i]", "this allocates memory"),
    ("pressure(p.stiffness, contact.depth[i])", "np.heap(dt)", "'numpy' has no attribute 'heap'"),
    ("range(contact.count[0])", "contact.count[0]", "a number cannot be looped over"),
    (
        "p = parameters(params, ",
        "contact.force = p = parameters(params, ",
        "fields cannot be assigned",
    ),
    ("return OK", "raise ValueError(p)", "compiled code cannot raise exceptions; return a status"),
    ("return OK", "import math\n    return OK", "cannot be compiled (Python's IMPORT_NAME)"),
    ("return OK", "return contact.depth", "it returns an array"),
    ("pressure(p.stiffness, ", "pressure(", "a call has wrong arguments: missing"),
]


@pytest.mark.jit
@pytest.mark.parametrize("good, bad, cause", LAWS, ids=[bad for _, bad, _ in LAWS])
def test_a_law_that_does_not_compile_is_told_by_line_and_cause(good, bad, cause, tmp_path):
    told = mistake_in(LAW, good, bad, tmp_path, call_law)
    assert "contact model 'sponge': " in told
    assert cause in told
    assert bad.splitlines()[0] in told.splitlines()[1]  # the source line


@pytest.mark.jit
def test_a_mistake_in_a_formula_is_told_there_and_with_its_caller(tmp_path):
    told = mistake_in(LAW, "k * depth", "k * depht", tmp_path, call_law)
    assert "function 'pressure': name 'depht' is not defined; did you mean 'depth'?" in told
    assert f"called from {tmp_path / 'mine.py'}:22, contact model 'sponge'" in told


@pytest.mark.jit
def test_a_broken_integrator_is_told_by_line_and_cause(tmp_path):
    good, bad = "dynamics.acceleration[d]", "dynamics.acceleratoin[d]"
    told = mistake_in(
        INTEGRATOR,
        good,
        bad,
        tmp_path,
        lambda mine: simulate(BALL, None, duration=0.001, integrator=mine.Euler()),
    )
    assert "integrator 'euler': " in told
    assert "no field 'acceleratoin'; did you mean 'acceleration'?" in told


@pytest.mark.jit
def test_a_broken_controller_is_told_by_line_and_cause(tmp_path):
    good, bad = "params.stiffness", "params.stiffnes"
    told = mistake_in(
        CONTROLLER,
        good,
        bad,
        tmp_path,
        lambda mine: simulate(BALL, None, duration=0.001, controller=mine.Spring()),
    )
    assert "controller 'spring': 'params' has no field 'stiffnes'" in told
    assert "did you mean 'stiffness'? (fields: stiffness)" in told


@pytest.mark.jit
def test_a_law_that_returns_no_status_is_told(tmp_path):
    text, _ = edited(LAW, "return OK", "return (OK, OK)")
    module = module_of(text, tmp_path)
    with pytest.raises(CompileError, match="'sponge' returns a vector of 2 numbers; every"):
        simulate(BALL, module.Sponge(), duration=0.001)


@pytest.mark.jit
def test_the_same_is_told_again_and_by_a_batch_on_several_threads(tmp_path):
    text, line = edited(LAW, "contact.depth[i]", "contact.deph[i]")
    sponge = module_of(text, tmp_path).Sponge()
    for run in (
        lambda: simulate(BALL, sponge, duration=0.001),
        lambda: simulate(BALL, sponge, duration=0.001),
        lambda: simulate(BALL, sponge, duration=0.001, integrator=SemiImplicitEuler()),
        lambda: simulate_batch(BALL, 3, sponge, duration=0.001, threads=2),
    ):
        with pytest.raises(CompileError, match="no field 'deph'") as caught:
            run()
        check_place(caught.value, tmp_path, line)
        assert caught.value.__suppress_context__  # a terminal shows no more than this


@pytest.mark.jit
def test_another_law_with_the_same_mistake_is_told_by_its_own_line(tmp_path):
    """Numba keeps what `scale` failed with, and raises it again."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        text, line = edited(LAW, "scale(f_n, ", "scale((dt,), ")
        text, line = ("\n" * len(name)) + text, line + len(name)
        with pytest.raises(CompileError, match="cannot take k = ") as caught:
            call_law(module_of(text, tmp_path / name))
        check_place(caught.value, tmp_path / name, line)


@pytest.mark.jit
def test_an_error_that_is_not_the_users_stays_numbas():
    with pytest.raises(TypingError):
        add("a", 1)


# ---------------------------------------------------------------------------- without the compiler


@pytest.mark.parametrize(
    "good, bad",
    [
        ("    return OK\n", ""),
        ("    return OK\n", "    return\n"),
        ("    return OK\n", "    if dt > 0:\n        return OK\n"),
    ],
)
def test_a_law_without_a_status_on_some_path_is_refused_where_it_is_declared(good, bad, tmp_path):
    text, _ = edited(LAW, good, bad)
    with pytest.raises(InputError, match="contact model 'sponge' returns nothing") as caught:
        module_of(text, tmp_path)
    line = text.splitlines().index("    for i in range(contact.count[0]):") + 1
    line += {"": 0}.get(bad, 4)  # where the path leaves the loop, or the line of the last statement
    assert "`return OK`" in check_place(caught.value, tmp_path, line)


def test_an_integrator_without_a_status_is_refused_where_it_is_declared(tmp_path):
    text, _ = edited(INTEGRATOR, "    return max(touched, solved)\n", "")
    with pytest.raises(InputError, match="integrator 'euler' returns nothing"):
        module_of(text, tmp_path)


def test_a_law_whose_every_path_has_a_status_is_taken(tmp_path):
    text, _ = edited(
        LAW, "    return OK\n", "    while True:\n        if dt > 0:\n            return OK\n"
    )
    assert module_of(text, tmp_path).Sponge


def test_a_law_that_yields_is_refused_where_it_is_declared(tmp_path):
    text, _ = edited(LAW, "return OK", "yield OK")
    with pytest.raises(InputError, match="contact model 'sponge' is a generator"):
        module_of(text, tmp_path)


def test_a_controller_with_other_arguments_is_refused_where_it_is_declared(tmp_path):
    text, _ = edited(CONTROLLER, "dynamics, time, q, v", "dynamics, q, v")
    with pytest.raises(InputError, match="controller 'spring' takes .*; it must take .*'time'"):
        module_of(text, tmp_path)
