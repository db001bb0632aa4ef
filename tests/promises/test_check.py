"""`check_promises`: laws that keep their promises pass, and every way to cheat is found."""

import importlib.util
import re
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest

import stiction as st
from promises.cheats import BETWEEN_BODIES, CHEATS, HONEST, Trampoline, cheating
from stiction.errors import InputError
from stiction.extend import CONE_PER_POINT, OK, Parameter, contact_model
from stiction.promises.law import LAWS, Measured

DOCS = Path(__file__).parents[2] / "docs/adding_a_contact_model.md"


PROMISED = (
    "friction stays in the cone at every point",
    "the ground never pulls",
    "forces are a function of the state alone",
)


@pytest.fixture(scope="module")
def honest():
    return st.check_promises(HONEST, brief=True)


@pytest.mark.interpreted
def test_an_honest_law_passes(honest):
    assert honest, str(honest)
    assert {one.law for one in honest if one.promised} == {
        law.name for law in LAWS if law.promise in PROMISED and not (law.long or law.bodies)
    }


@pytest.mark.jit
def test_bodies_land_with_short_steps_too():
    found = st.check_promises(st.SpringDamper(), dt=1e-4, brief=True)
    assert found, str(found)


@pytest.mark.interpreted
def test_an_honest_law_passes_between_bodies():
    found = st.check_promises(HONEST, brief=True, bodies=True)
    assert found, str(found)
    assert {law.name for law in LAWS if law.bodies} & {one.law for one in found} >= {
        "bodies never pull each other",
        "bodies that touch change their momenta by opposite amounts",
    }


@pytest.mark.interpreted
@pytest.mark.parametrize("cheat", BETWEEN_BODIES)
def test_a_law_that_cheats_between_bodies_is_found(cheat):
    found = st.check_promises(cheating(cheat), brief=True, bodies=True)
    assert BETWEEN_BODIES[cheat] in [one.law for one in found.broken], str(found)


@pytest.mark.slow
@pytest.mark.jit
def test_a_law_that_gives_back_more_than_it_took_is_found_by_all_trials():
    found = st.check_promises(Trampoline())
    assert "contact adds no energy" in [one.law for one in found.broken]
    assert "the ground never pulls" not in [one.law for one in found.broken]


@pytest.mark.interpreted
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_law_that_cheats_is_found(cheat):
    found = st.check_promises(cheating(cheat), brief=True)
    assert not found
    assert CHEATS[cheat] in [one.law for one in found.broken], str(found)


@pytest.mark.interpreted
def test_only_what_is_broken_is_told():
    found = st.check_promises(cheating("half friction"), brief=True)
    assert [one.law for one in found.broken] == [CHEATS["half friction"]]
    assert found.broken[0].worst == pytest.approx(0.2, rel=1e-6)  # of 0.4
    assert "0.3 m/s" in found.broken[0].where


@pytest.mark.interpreted
def test_the_table_has_a_line_for_each_law_with_number_bound_and_scene(honest):
    head, names, *rows, last = str(honest).splitlines()
    assert head == f"Honest: {len(honest.found)} of {len(honest.found)} laws hold"
    assert names.split() == ["holds", "law", "worst", "bound", "where"]
    assert len(rows) == len(honest.found)
    for row, one in zip(rows, honest, strict=True):
        assert row.startswith("yes") and one.law in row and one.where in row
    assert "difference [m]: a tripod lands, units" in str(honest)
    assert last.startswith("not promised: ") and "contact adds no energy" in last


@pytest.mark.interpreted
@pytest.mark.parametrize(("block", "name"), [(0, "Sponge"), (3, "Sweeping")])
def test_the_laws_of_the_docs_keep_their_promises(block, name, tmp_path):
    text = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)[block]
    path = tmp_path / f"{name.lower()}_of_docs.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = st.check_promises(getattr(module, name)(), brief=True)
    assert found, str(found)


class Unmarked(NamedTuple):
    mu: Annotated[float, Parameter("", low=0)] = 0.5


@contact_model(Unmarked, promises=(CONE_PER_POINT,))
def unmarked(params, dynamics, contact, memory, work, dt):
    return OK


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"model": None}, "takes a contact model; found none"),
        ({"model": st.Coulomb}, "give None or an instance of a contact model"),
        ({"model": HONEST, "mass": 0.0}, r"mass=0.0\): give a positive number"),
        ({"model": HONEST, "dt": float("inf")}, r"dt=inf\): give a positive number"),
        ({"model": HONEST._replace(stiffness=-1.0)}, "stiffness is -1.0"),
        ({"model": Unmarked()}, "annotate one as Friction from stiction.extend"),
    ],
)
def test_what_cannot_be_checked_is_told(arguments, words):
    with pytest.raises(InputError, match=words):
        st.check_promises(**arguments, brief=True)


def test_worse_is_what_exceeds_its_bound_by_more():
    nan, inf = float("nan"), float("inf")
    ordered = [(-1.0, 1.0), (0.0, 1.0), (1e-3, 1.0), (1e-9, 1e-9), (3.0, 2.0), (1e-6, 1e-9)]
    excesses = [Measured(value, bound, "").excess for value, bound in ordered]
    assert excesses == sorted(excesses)
    assert Measured(0.0, 0.0, "").excess == 0.0
    assert Measured(nan, 1.0, "").excess == Measured(1e-30, 0.0, "").excess == inf
