"""Parameters of a scene are keys of its file."""

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError, SceneFileError
from stiction.sweeps.scene_runs import read_scene_run

WALK = read_scene_run("walk")
BOUNCE = read_scene_run("gauss-seidel-bounce")


@pytest.mark.plain
def test_values_of_the_file_are_changed():
    scene = BOUNCE.scene({"contact.restitution": 0.25, "robot.above": 0.5, "gravity": (0, 0, -1.6)})
    assert scene.contact.restitution == 0.25 and scene.robots[0].above == 0.5
    assert tuple(scene.gravity) == (0, 0, -1.6)
    assert BOUNCE.scene({}).contact.restitution == 0.5


@pytest.mark.plain
def test_another_contact_model_inherits_the_friction_of_the_scene():
    scene = BOUNCE.scene({"contact": "Coulomb", "contact.mu_kinetic": 0.1})
    assert type(scene.contact) is st.Coulomb
    assert scene.contact[:2] == (0.4, 0.1) and scene.contact.restitution == 0.5
    given = st.HuntCrossley(mu_kinetic=0.3)
    assert BOUNCE.scene({"contact": given}).contact == given


@pytest.mark.plain
def test_what_is_varied_of_a_model_or_a_robot_is_kept_if_the_whole_is_named_after_it():
    scene = BOUNCE.scene({"contact.mu_kinetic": 0.1, "contact": "Coulomb"})
    assert type(scene.contact) is st.Coulomb and scene.contact.mu_kinetic == 0.1
    scene = BOUNCE.scene({"robot.options.mass": 3.0, "robot": "brick"})
    assert scene.robots[0].model == "brick" and scene.robots[0].options == {"mass": 3.0}


@pytest.mark.plain
def test_a_push_is_added_and_changed_part_by_part():
    push = {"push.body": "trunk", "push.start": 1.0, "push.stop": 1.1}
    push |= {"push.force": [0.0, 0.0, 0.0], "push.force.1": 5.0}
    (force,) = WALK.scene(push).forces
    assert tuple(force.force) == (0.0, 5.0, 0.0) and force.stop == 1.1


@pytest.mark.plain
def test_another_robot_takes_the_place_of_the_first():
    assert BOUNCE.scene({"robot": "brick"}).robots[0].model == "brick"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contact.mu": 1.0}, "contact.mu: unknown key"),
        ({"contact": "None"}, "contact=None: no such contact model"),
        ({"push.force.0": 1.0}, "'push.force.0': the scene has no 'push'; it has shows, .*robot"),
        ({"push.body": "brick", "push.force.0": 1.0}, "'push' of the scene has no 'force'; it has"),
        ({"robt.options.mass": 1.0}, "has no 'robt'; .*; did you mean 'robot'"),
        ({"robot.options.inertia.0": 1.0}, "'robot.options' .* has no 'inertia'; it has nothing"),
        ({"contact": 3}, "give a contact model or its name"),
        ({"robot": "robbie"}, "robbie"),
        ({"robot.above.0": 1.0}, "before its last part"),
        ({"gravity.3": 1.0}, "give 3 numbers"),
    ],
)
def test_what_the_scene_does_not_have_is_refused(changes, words):
    with pytest.raises((InputError, SceneFileError), match=words):
        BOUNCE.scene(changes)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"height": 1.0, "steps": 2, "own": 3}, "'height', 'steps', which the verdict has"),
        (1.0, "measure returned float; return numbers"),
    ],
)
def test_a_measurement_replaces_nothing_of_the_verdict(measured, words):
    run = read_scene_run("gauss-seidel-bounce", lambda motion: measured)
    with pytest.raises(InputError, match=words):
        run(duration=0.003)


@pytest.mark.interpreted
def test_a_scene_is_swept_and_a_point_that_diverges_is_recorded(tmp_path):
    over = [
        {"contact": "GaussSeidel", "dt": 1e-3, "robot.above": 0.001},
        {"contact": "GaussSeidel", "dt": 2e-3, "robot.above": 0.001},
        {"contact": st.SpringDamper(stiffness=1e14), "dt": 1e-3, "robot.above": 0.001},
    ]
    over = [point | {"duration": 0.03} for point in over]
    table = st.sweep(
        "gauss-seidel-bounce", over, tmp_path / "sweep.h5", measure=last_height, jobs=1
    )
    assert table.failed.tolist() == [False, False, True]
    assert table["error"][2].startswith("DivergenceError: ")
    assert table["steps"][:2].tolist() == [30, 15] and np.isnan(table["steps"][2])
    assert (table["height_m"][:2] > 0.04).all() and (table["unsolved"][:2] == 0).all()


def last_height(motion):
    return {"height_m": motion.q[-1, 2]}


last_height.__module__ = "__main__"  # so that it travels with its code
