"""The scenes of examples/touching_bodies.py: every model runs to the end, and bodies do touch."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import stiction as st

PATH = Path(__file__).parents[2] / "examples/touching_bodies.py"
SPEC = importlib.util.spec_from_file_location(PATH.stem, PATH)
EXAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(EXAMPLE)
G = 9.81
CART_X = 27  # in q, after the 27 positions of hoap1


def check_forces(motion, force, first, second):
    """All numbers are finite, and forces are opposite and not zero."""
    assert np.isfinite(motion.q).all() and np.isfinite(motion.v).all()
    np.testing.assert_array_equal(motion.force_between(second, first)[:-1], -force[:-1])
    assert np.abs(force[:-1]).max() > 1.0


def on_ground(motion, robot):
    """Vertical force of the ground on a robot [N], (n)."""
    own = [name.startswith(f"{robot}/") for name in motion.parameters["contact_points"]]
    return motion.force[:, own, 2].sum(axis=1)


@pytest.mark.interpreted
def test_a_humanoid_begins_to_push_a_cart():
    motion, force = EXAMPLE.run("cart", st.Coulomb, 0.075)
    check_forces(motion, force, "hoap1", "cart")
    assert motion.q[-1, CART_X] - motion.q[0, CART_X] > 3e-3
    assert motion.v[-1, 26] > 0.1
    assert motion.unsolved.count == 0


@pytest.mark.interpreted
def test_a_humanoid_begins_to_lean_on_a_table():
    motion, force = EXAMPLE.run("table", st.Coulomb, 0.06)
    check_forces(motion, force, "hoap1", "table")
    assert force[-2, 2] > 2.0  # the table carries a hand
    carried = on_ground(motion, "table")[-2]
    assert carried == pytest.approx(1.0 * G + force[-2, 2], rel=0.02)
    assert np.abs(motion.q[-1, CART_X : CART_X + 3] - motion.q[0, CART_X : CART_X + 3]).max() < 1e-4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", EXAMPLE.MODELS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("scene", EXAMPLE.SCENES)
def test_every_model_runs_every_scene(scene, kind):
    motion, force = EXAMPLE.run(scene, kind)
    *_, (first, second) = EXAMPLE.SCENES[scene][0]()
    check_forces(motion, force, first, second)
    tail = slice(-len(force) // 4, -1)
    if scene == "cart":
        assert motion.q[-1, CART_X] - motion.q[0, CART_X] > 20e-3
    elif scene == "table":
        pressed = force[tail, 2].mean()
        assert 2.0 < pressed < 8.0
        assert on_ground(motion, "table")[tail].mean() == pytest.approx(G + pressed, rel=0.05)
    else:  # some still bounce: what the upper brick gained is what force and weight gave it
        dt = motion.time[1] - motion.time[0]
        given = (force[:-1] - [0.0, 0.0, 2.0 * G]).sum(axis=0) * dt
        gained = 2.0 * (motion.v[-1, 6:9] - motion.v[0, 6:9])
        np.testing.assert_allclose(gained, given, atol=1e-5)
