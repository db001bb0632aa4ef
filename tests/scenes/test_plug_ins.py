"""Contact models, integrators and controllers of a user's own in scene files, as module:Name."""

import sys

import numpy as np
import pytest

import stiction as st
from stiction.contact.contact_model import MODELS
from stiction.control.controller import CONTROLLERS
from stiction.errors import InputError, SceneFileError
from stiction.scenes import read_scene
from stiction.step.integrator import INTEGRATORS

OWN = """from typing import Annotated, NamedTuple

import numpy as np

from stiction.extend import (
    NO_PULL, OK, Parameter, contact_model, controller, integrator, scale, store_vector, vector,
)


class Sponge(NamedTuple):
    stiffness: Annotated[float, Parameter("N/m", low=0, high=1e5)]
    softness: float = 1.0
    mu_kinetic: float = 0.5


@contact_model(Sponge, promises=(NO_PULL,))
def sponge(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        f = scale(params.stiffness * contact.depth[i], vector(contact.normal, i))
        store_vector(contact.force, i, f)
    return OK


class Drift(NamedTuple):
    speed: float = 0.5


@integrator(Drift)
def drift(params, system, state, work, time, dt):
    state.q[2] += dt * params.speed
    return OK


class Lift(NamedTuple):
    force: float
    direction: np.ndarray


@controller(Lift)
def lift(params, dynamics, time, q, v):
    for k in range(3):
        dynamics.control[k] += params.force * params.direction[k]
"""

SCENE = """shows = "A ball under rules of its owner's own"
duration = 0.02
dt = 0.001
dt_force_law = 0.001

[robot]
model = "ball"
above = -0.001

[contact]
model = "own_rules:Sponge"
stiffness = 1000

[[material]]
pair = ["ground", "default"]
softness = 2.0

[controller]
kind = "own_rules:Lift"
force = 3
direction = [1, 0, 0.0]

[integrator]
kind = "own_rules:Drift"
speed = 0.25
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a scene and a module beside it, in which nobody is."""
    (tmp_path / "own_rules.py").write_text(OWN)
    (tmp_path / "never_named.py").write_text("raise RuntimeError('nobody named this module')\n")
    yield tmp_path
    for registry in (MODELS, INTEGRATORS, CONTROLLERS):
        for kind in [kind for kind in registry if kind.__module__ == "own_rules"]:
            del registry[kind]
    sys.modules.pop("own_rules", None)


def read(folder, text):
    path = folder / "scene.toml"
    path.write_text(text)
    return read_scene(path)


def test_a_scene_takes_all_three_from_a_module_beside_it(folder):
    before = list(sys.path)
    scene = read(folder, SCENE)
    assert sys.path == before
    own = sys.modules["own_rules"]
    assert scene.contact == own.Sponge(1000.0)
    assert scene.materials == {("ground", "default"): {"softness": 2.0}}
    assert scene.integrator == own.Drift(0.25)
    (lift,) = scene.controller(scene.world())
    assert type(lift) is own.Lift and lift.force == 3.0
    assert lift.direction.tolist() == [1.0, 0.0, 0.0]


def test_the_module_may_be_given_by_its_path(folder):
    (folder / "rules").mkdir()
    (folder / "own_rules.py").rename(folder / "rules/own_rules.py")
    scene = read(folder, SCENE.replace("own_rules:", "rules/own_rules.py:"))
    assert type(scene.contact).__module__ == "own_rules"


@pytest.mark.interpreted
def test_a_scene_runs_with_all_three(folder):
    motion = read(folder, SCENE).simulate()
    assert motion.q[-1, 2] - motion.q[0, 2] == pytest.approx(0.02 * 0.25, rel=1e-12)
    assert motion.parameters["contact"]["model"] == "Sponge"
    motion = read(folder, SCENE).simulate(integrator=st.Midpoint())
    mass = st.robots.ball().total_mass
    assert motion.momentum().linear[-1, 0] == pytest.approx(3.0 * 0.02, rel=1e-12)
    upwards = motion.force[:-1, 0, 2].sum() * 0.001 - mass * 9.81 * 0.02
    assert motion.momentum().linear[-1, 2] == pytest.approx(upwards, rel=1e-9)


@pytest.mark.interpreted
def test_a_controller_of_ones_own_acts_beside_a_planned_motion(folder):
    text = SCENE.replace('model = "ball"', 'model = "biped10"').replace("[controller]", "")
    planned = '[[controller]]\nkind = "hold"\nstiffness = 10\ndamping = 1\n'
    scene = read(
        folder, text.replace('kind = "own_rules:L', f'{planned}[[controller]]\nkind = "own_rules:L')
    )
    controllers = scene.controller(scene.world())
    assert [type(one).__name__ for one in controllers] == ["PDTracking", "Lift"]


def test_another_model_takes_over_friction_and_one_of_ones_own_too(folder):
    scene = read(folder, SCENE.replace("stiffness = 1000", "stiffness = 1000\nmu_kinetic = 0.3"))
    assert scene.contact_of(st.SpringDamper) == st.SpringDamper(mu_kinetic=0.3)
    ours = read(folder, 'shows = "x"\nduration = 1\n[robot]\nmodel = "ball"\n')
    sponge = sys.modules["own_rules"].Sponge
    assert ours.contact_values(sponge) == {"mu_kinetic": 0.5}
    with pytest.raises(InputError, match="Sponge has no default for stiffness"):
        ours.contact_of(sponge)
    with pytest.raises(InputError, match="contact: found 'Colomb'; no such .* mean 'Coulomb'"):
        ours.simulate(contact="Colomb")


ERRORS = [
    ("own_rules:Sponge", "no_rules:Sponge", "model: is 'no_rules:Sponge'; there is no module"),
    ("own_rules:Sponge", "never_named:A", "RuntimeError: nobody named this module"),
    ("own_rules:Sponge", "own_rules:Spong", "module 'own_rules' has no 'Spong'; give Sponge"),
    ("own_rules:Sponge", "own_rules:Drift", "is not declared with @contact_model; give Sponge"),
    ("own_rules:Sponge", "a.py:Sponge", "there is no file"),
    ("own_rules:Lift", "own_rules:Sponge", "is not declared with @controller; give Lift"),
    ("own_rules:Drift", "own_rules:Lift", "is not declared with @integrator; give Drift"),
    ("own_rules:Drift", "Midpint", "did you mean 'Midpoint'?"),
    ("stiffness = 1000", "stiffness = 1e6", "give a number from 0 to 100000 N/m"),
    ("speed = 0.25", "sped = 0.25", "integrator.sped: unknown key; did you mean 'speed'?"),
    ("speed = 0.25", "speed = true", "Drift: speed is True; give a finite number"),
    ("direction = [1, 0, 0.0]", "direction = 1", "direction is 1; give a list of numbers"),
    ("direction = [1, 0, 0.0]", 'direction = ["x"]', "give a list of numbers"),
    ("force = 3", "force = [3]", "Lift: force is [3]; give a finite number"),
]


@pytest.mark.parametrize(("before", "after", "words"), ERRORS)
def test_an_error_names_the_file_and_the_line(folder, before, after, words):
    line = next(k for k, row in enumerate(SCENE.splitlines(), start=1) if before in row)
    with pytest.raises(SceneFileError) as error:
        read(folder, SCENE.replace(before, after))
    assert words in str(error.value)
    assert f"scene.toml, line {line}: " in str(error.value)


def test_a_parameter_without_a_default_is_missed(folder):
    with pytest.raises(SceneFileError, match="line 10: contact.stiffness: is missing"):
        read(folder, SCENE.replace("stiffness = 1000\n", ""))


def test_nothing_is_imported_that_the_file_does_not_name(folder):
    read(folder, SCENE[: SCENE.index("[contact]")])
    assert "own_rules" not in sys.modules and "never_named" not in sys.modules


def test_a_module_of_the_same_name_from_another_folder_is_not_taken_for_it(folder, tmp_path):
    read(folder, SCENE)
    other = tmp_path / "other"
    other.mkdir()
    (other / "own_rules.py").write_text(OWN.replace("0.5", "0.6"))
    with pytest.raises(SceneFileError, match="another module 'own_rules' is in use.*; rename"):
        read(other, SCENE)
    (other / "json.py").write_text(OWN)
    with pytest.raises(SceneFileError, match="another module 'json' is in use"):
        read(other, SCENE.replace("own_rules:Sponge", "json:Sponge"))


def test_arrays_reach_the_kernel_as_floats(folder):
    (lift,) = read(folder, SCENE).controllers
    assert lift.direction.dtype == np.float64 and lift.direction.flags.c_contiguous
