"""The scenes of the library: all are read and built, some run, and end as they expect."""

import dataclasses
import os

import numpy as np
import pytest

import stiction as st
from conftest import data_folder
from stiction.errors import InputError
from stiction.papers.claims import paper_keys
from stiction.scenes import Body, Control, Scene, scene, scene_names, scene_text, verdict

pytestmark = pytest.mark.interpreted


NAMES = (
    "drop g1-stand g1-walk human-stand human-walk jump push-until-it-falls sliding-biped "
    "sr1-walk-a sr1-walk-c stand walk walk-on-ice walk-on-rough-ground"
).split()
PREFIXES = tuple(f"{key.replace('_', '-')}-" for key in paper_keys())
OF_PAPERS = [name for name in scene_names() if name.startswith(PREFIXES)]
OURS = [name for name in NAMES if not name.startswith(("g1", "sr1"))]


def built(name):
    one = scene(name)
    if one.needs:
        data_folder()
    return one


def test_the_library_has_the_scenes_of_the_plan_and_those_of_the_papers():
    assert [name for name in scene_names() if name not in OF_PAPERS] == NAMES


@pytest.mark.parametrize("name", OF_PAPERS)
def test_every_scene_of_a_paper_is_read_and_its_world_is_built(name):
    one = built(name)
    assert one.name == name and one.shows and one.world().nv > 0


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_is_read_and_its_world_is_built(name):
    one = built(name)
    assert one.name == name and one.shows and one.expect is not None
    world = one.world()
    assert len(world.robots) == len(one.robots) + len(one.objects)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OURS])
def test_a_scene_that_needs_data_tells_which_and_where_they_come_from(name, monkeypatch):
    monkeypatch.delenv("STICTION_DATA", raising=False)
    one = scene(name)
    assert one.needs[0].startswith("robots/")
    with pytest.raises(InputError, match=rf"{one.needs[0]} is missing.*from .*github.com"):
        one.world()


def test_an_unknown_scene_is_told_what_there_is():
    with pytest.raises(
        InputError, match="no scene 'wakl'; known are .*drop,.* did you mean 'walk'?"
    ):
        scene_text("wakl")


def test_every_file_is_installed_with_the_package():
    import tomllib
    from pathlib import Path

    project = Path(__file__).parents[2] / "pyproject.toml"
    with project.open("rb") as file:
        globs = tomllib.load(file)["tool"]["setuptools"]["package-data"]["stiction"]
    package = Path(st.__file__).parent
    found = {path.stem for glob in globs for path in package.glob(glob)}
    assert set(NAMES) <= found


@pytest.mark.jit
@pytest.mark.parametrize("name", ["stand", "push-until-it-falls", "walk-on-ice", "jump"])
def test_a_scene_ends_as_it_expects(name):
    one = scene(name)
    motion = one.simulate()
    assert motion.time[-1] == pytest.approx(one.lasts(), abs=one.dt)
    found = one.verdict(motion)
    assert found.meets(one.expect), found
    assert motion.unsolved.count == 0


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("model", ["Coulomb", "GaussSeidel"])
@pytest.mark.parametrize("name", NAMES)
def test_solvers_solve_every_step_of_every_scene(name, model):
    assert built(name).simulate(contact=model).unsolved.count == 0


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("name", NAMES + [name for name in OF_PAPERS if scene(name).expect])
def test_every_scene_ends_as_it_expects(name):
    one = built(name)
    found = one.verdict(one.simulate(record=st.Recording(every=10)))
    assert found.meets(one.expect), found


@pytest.mark.jit
def test_a_walk_goes_as_far_as_it_is_planned_and_on_ice_less_far():
    firm, ice = scene("walk"), scene("walk-on-ice")
    ways = [one.simulate().q[[0, -1], 0] for one in (firm, ice)]
    planned = firm.plans[0]
    assert planned is not ice.plans[0]
    firm_way, ice_way = (float(b - a) for a, b in ways)
    leg = 9 * 0.15 * 0.195  # nine steps of 15 % of a leg of 195 mm, about
    assert firm_way == pytest.approx(leg, rel=0.05)
    assert ice_way < 0.9 * firm_way


# ---------------------------------------------------------------------------------------- in Python


def falling(**options):
    """A ball that falls."""
    return Scene("fall", "a ball falls", (Body(model="ball", above=0.1),), duration=0.05, **options)


def test_a_scene_is_made_in_python_as_well():
    motion = falling(contact=None).simulate(dt=0.01)
    fallen = motion.q[0, 2] - motion.q[-1, 2]
    assert fallen == pytest.approx(9.81 * 0.05**2 / 2, rel=1e-9)
    assert not verdict(motion).upright  # nothing carries it


def test_another_contact_model_takes_over_the_friction_and_force_laws_a_shorter_step():
    one = falling(contact=st.Coulomb(mu_static=0.31, mu_kinetic=0.21))
    springs = one.contact_of(st.SpringDamper)
    assert springs.mu_kinetic == 0.21
    assert (one.step_for(one.contact), one.step_for(springs)) == (1e-3, 1e-4)
    assert one.contact_of(st.Coulomb) == one.contact
    with pytest.raises(InputError, match="found 'Glue'; no such contact model; known are"):
        one.simulate(contact="Glue")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"robots": ()}, "has no robot"),
        ({"expect": "flies"}, "expect is 'flies'"),
        ({"duration": None}, "no duration"),
        ({"controls": (Control("hold", robot=1),)}, "is for robot 1; there are 1"),
    ],
)
def test_a_scene_that_cannot_be_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        dataclasses.replace(falling(), **changes)


def test_a_planned_motion_turns_and_moves_with_its_robot():
    """A pattern is planned from the origin; the scene puts its begin where the robot is."""
    biped = Body(model="biped10", position=(1.0, 2.0), heading=np.pi / 2)
    squat = Control("squat", {"depth": 0.02, "time": 0.3, "balance": True})
    here = Scene("a", "a", (Body(model="biped10"),), controls=(squat,))
    there = Scene("b", "b", (biped, Body(model="ball", name="b")), controls=(squat,))
    a, b = here.start().q, there.start().q
    np.testing.assert_allclose(b[7:17], a[7:17], atol=1e-9)
    np.testing.assert_allclose(b[:3], [1.0 - a[1], 2.0 + a[0], a[2]], atol=1e-9)
    assert b[6] == pytest.approx(np.sqrt(0.5) * (a[3] + a[6]), abs=1e-9)
    tracking, balance = there.controller(there.world())
    assert tracking.reference.joints[0].startswith("biped10/")
    assert balance.legs[0][0].startswith("biped10/")
    plain = here.controller(here.world())[1]
    turned = np.column_stack([1.0 - plain.centre[:, 1], 2.0 + plain.centre[:, 0]])
    np.testing.assert_allclose(balance.centre, turned, atol=1e-12)


def test_servos_hold_the_home_position():
    if "STICTION_DATA" not in os.environ:
        data_folder()
    one = scene("g1-stand")
    robot = one.robots[0].robot()
    signals = Control("servos").plan(robot).bound("")[0].control
    home = robot.home[robot.q_index[robot.actuator_link]]
    np.testing.assert_allclose(signals, home, atol=1e-12)
    with pytest.raises(InputError, match="'biped10' has no actuators"):
        Control("servos").plan(st.robots.biped10())


@pytest.mark.interpreted
def test_a_recorded_motion_is_played_again(tmp_path):
    one = Scene(
        "a",
        "a",
        (Body(model="biped10"),),
        contact=None,
        controls=(Control("hold", {"stiffness": 100.0, "damping": 5.0}),),
        duration=0.05,
    )
    motion = one.simulate(dt=0.005)
    motion.save(tmp_path / "a.h5")
    again = dataclasses.replace(
        one,
        controls=(Control("play", {"file": tmp_path / "a.h5", "follow": "prescribe"}),),
        duration=None,
    )
    assert again.lasts() == pytest.approx(0.05)
    np.testing.assert_allclose(again.plans[0].q, motion.q[:, 7:])
    track = dataclasses.replace(again, controls=(Control("play", {"file": tmp_path / "a.h5"}),))
    with pytest.raises(InputError, match="a.h5 has no gains; give stiffness and damping"):
        track.start()
