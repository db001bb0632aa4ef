"""Grounds: what they refuse, what a file keeps of them, how robots stand on them."""

import numpy as np
import pytest

import stiction as st
from mechanisms import detected, fewer, turned
from stiction.errors import InputError
from stiction.metrics import point_positions
from stiction.world.ground import GROUNDS

pytestmark = pytest.mark.interpreted

FLOOR = st.SpringDamper(stiffness=1e5, damping=800.0)
HILLS = np.random.default_rng(3).uniform(0.0, 0.1, (9, 11))
ROCK = {("rock", "default"): {"mu_kinetic": 0.1}}
CELLS = np.random.default_rng(4).choice(["grass", "rock", "mud"], (8, 10))
EACH = {
    "plane": st.Plane(np.float64(-0.2), velocity=[0.1, 0, 0], material="belt"),
    "slope": st.Slope(np.arctan(0.2), 0.3),
    "swinging": st.Plane(velocity=np.eye(3)[[0, 1, 0]], time=np.arange(3)),
    "steps": st.Steps(),
    "platform": st.Steps(rise=[0.15, -0.15], run=np.array([0.4]), start=-0.2, heading=0.4),
    "field": st.HeightField(HILLS, 0.3),
    "cells": st.HeightField(HILLS, (0.3, 0.2), origin=(-2, -1), materials=CELLS),
}
on_each = pytest.mark.parametrize("ground", EACH.values(), ids=EACH)


def test_every_kind_of_ground_is_among_the_examples():
    assert {type(ground).__name__ for ground in EACH.values()} == set(GROUNDS)


# ------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"heights": 1.0}, "heights: found 1.0; give rows x columns numbers, 2 x 2 or more"),
        ({"heights": "hills"}, "heights: found 'hills'; give rows x columns"),
        ({"heights": [0.0, 1.0]}, r"heights: found shape \(2,\); give rows x columns"),
        ({"heights": [[0.0, 1.0]]}, r"heights: found shape \(1, 2\); give rows x columns"),
        ({"heights": np.zeros((2, 2, 2))}, r"heights: found shape \(2, 2, 2\)"),
        ({"heights": [[0.0, 1.0], [0.0, np.nan]]}, r"heights\[1, 1\] is nan; give finite"),
        ({"heights": [[0.0, np.inf], [0.0, 1.0]]}, r"heights\[0, 1\] is inf; give finite"),
        ({"spacing": 0.0}, "spacing is 0.0; give positive lengths in m"),
        ({"spacing": (0.1, -0.1)}, r"spacing is \(0.1, -0.1\); give positive lengths"),
        ({"spacing": (0.1, 0.1, 0.1)}, "spacing is .*; give two finite numbers in m"),
        ({"spacing": np.nan}, "spacing is .*; give two finite numbers in m"),
        ({"spacing": "fine"}, "spacing is .*; give two finite numbers in m"),
        ({"origin": 0.0}, "origin is 0.0; give two finite numbers in m"),
        ({"origin": (0.0, np.inf)}, "origin is .*; give two finite numbers in m"),
        ({"material": None}, "material is None; give the name of a material"),
        ({"materials": "ice"}, r"materials: found shape \(\); give 1 x 2 names, one for each cell"),
        ({"materials": [["ice", "mud", "ice"]]}, r"materials: found shape \(1, 3\); give 1 x 2"),
        (
            {"materials": [["ice"], ["mud", "ice"]]},
            r"materials: found shape \(\); give 1 x 2 names",
        ),
        ({"materials": [[1, 2]]}, "materials: found 1; give 1 x 2 names"),
        ({"materials": [["ice", None]]}, "materials: found None; give 1 x 2 names"),
    ],
)
def test_a_bad_height_field_is_refused_by_what_was_found(values, says):
    good = {"heights": np.zeros((2, 3)), "spacing": 0.5}
    with pytest.raises(InputError, match="HeightField: " + says):
        st.HeightField(**{**good, **values})


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"rise": np.nan}, "rise is nan; give one finite number in m, or one for each riser"),
        ({"rise": "high"}, "rise is 'high'; give one finite number"),
        ({"run": [[0.3]]}, r"run is \(\(0.3,\),\); give one finite number"),
        ({"run": 0.0}, "run 0.0 m; no rise may be 0, and each run must be positive"),
        ({"rise": 0.0}, "rise is 0.0 m .*no rise may be 0"),
        ({"count": 0}, "count is 0; give a positive integer"),
        ({"count": 2.5}, "count is 2.5; give a positive integer"),
        ({"rise": ()}, "found 0 rises, 0 runs and count None; give as many rises as risers"),
        ({"rise": (0.1, 0.2), "count": 3}, "found 2 rises, 1 runs and count 3"),
        ({"rise": (0.1, 0.2), "run": (0.3, 0.3)}, "found 2 rises, 2 runs and count None"),
        ({"start": np.inf}, "start is inf; give a finite number"),
        ({"heading": "north"}, "heading is 'north'; give a finite number"),
        ({"height": (0.0, 1.0)}, r"height is \(0.0, 1.0\); give a finite number"),
        ({"material": 3}, "material is 3; give the name of a material"),
    ],
)
def test_bad_steps_are_refused_by_what_was_found(values, says):
    with pytest.raises(InputError, match="Steps: .*" + says):
        st.Steps(**values)


@pytest.mark.parametrize("kind", [st.Steps, lambda **values: st.HeightField(HILLS, 0.3, **values)])
def test_only_flat_ground_moves_like_a_belt(kind):
    with pytest.raises(TypeError, match="velocity"):
        kind(velocity=(1.0, 0.0, 0.0))


def test_a_field_is_a_copy_that_cannot_be_written():
    heights = HILLS.copy()
    field = st.HeightField(heights, 0.3)
    heights[:] = 7.0
    assert field == st.HeightField(HILLS, 0.3)
    with pytest.raises(ValueError, match="read-only"):
        field.heights[0, 0] = 1.0


def test_the_middle_of_a_field_is_the_origin_unless_told_otherwise():
    assert st.HeightField(HILLS, (0.3, 0.2)).origin == (-1.5, -0.8)
    assert st.HeightField(HILLS, (0.3, 0.2), origin=(1, 2)).origin == (1.0, 2.0)


# -------------------------------------------------------------------------------------------- files


@on_each
def test_a_motion_keeps_its_ground(ground, tmp_path):
    named = "rock" in ground.material_names()
    world = st.World(st.robots.ball(), ground=ground, materials=ROCK if named else None)
    st.simulate(world, contact=None, duration=0.0).save(tmp_path / "motion.h5")
    loaded = st.Motion.load(tmp_path / "motion.h5").world
    assert loaded.ground == ground
    assert loaded.digest() == world.digest()
    assert repr(loaded.ground.bind()) == repr(ground.bind())


def test_a_large_field_fits_into_the_file(tmp_path):
    heights = np.random.default_rng(5).normal(size=(300, 200))
    cells = np.random.default_rng(6).choice(["grass", "rock"], (299, 199))
    world = st.World(st.robots.ball(), ground=st.HeightField(heights, 0.05, materials=cells))
    st.simulate(world, contact=None, duration=0.0).save(tmp_path / "motion.h5")
    loaded = st.Motion.load(tmp_path / "motion.h5").world.ground
    np.testing.assert_array_equal(loaded.heights, heights)
    np.testing.assert_array_equal(loaded.materials, cells)


def test_worlds_on_different_grounds_have_different_hashes():
    other = HILLS.copy()
    other[4, 4] += 1e-9
    grounds = [
        *EACH.values(),
        st.HeightField(other, 0.3),
        st.HeightField(HILLS, 0.3, material="mud"),
        st.Steps(count=4),
        st.Steps(rise=0.16),
    ]
    digests = {st.World(st.robots.ball(), ground=ground).digest() for ground in grounds}
    assert len(digests) == len(grounds)
    assert len(set(grounds)) == len(grounds)


# ----------------------------------------------------------------------------------------- standing


TILT = tuple(turned((1.0, 0.4, 0.2), 0.9))


@on_each
@pytest.mark.parametrize(
    "robot",
    [
        st.robots.ball().at((0.31, 0.22, 5.0)),
        st.robots.box().at((0.1, -0.2, -3.0), TILT),
        st.robots.rod().at((-0.4, 0.5, 0.0), TILT),
        st.robots.biped10(),
    ],
    ids=["ball", "box", "rod", "biped"],
)
def test_a_standing_robot_touches_the_ground_and_no_more(ground, robot):
    world = st.World(robot, ground=ground)
    assert len(detected(world, world.standing(above=1e-6).q)["depth"]) == 0
    assert 0.0 < detected(world, world.standing(above=-1e-6).q)["depth"].max() < 1.1e-6
    np.testing.assert_array_equal(np.delete(world.standing(0.1).q, 2), np.delete(robot.home, 2))


def test_above_steps_and_fields_is_upwards():
    for ground in (EACH["steps"], EACH["field"]):
        world = st.World(st.robots.biped10(), ground=ground)
        assert world.standing(0.25).q[2] == pytest.approx(world.standing().q[2] + 0.25, abs=1e-12)


@pytest.mark.parametrize(("x", "height"), [(0.399, 0.03), (0.4, 0.03), (0.402, 0.18), (0.7, 0.18)])
def test_a_brick_stands_before_a_riser_until_its_edge_is_over_the_tread(x, height):
    world = st.World(st.robots.brick().at((x, 0.0, 9.0)), ground=st.Steps())
    assert world.standing().q[2] == pytest.approx(height, abs=1e-8)


def test_what_cannot_touch_cannot_stand_on_uneven_ground():
    ball = st.robots.ball()
    ghost = ball.with_colliding()
    with pytest.raises(InputError, match="'ball' and its links have no colliding shape"):
        st.World(ghost, ground=st.Steps()).standing()


# ---------------------------------------------------------------------------------------- reactions


def test_pressure_on_uneven_ground_is_what_it_carries():
    """A ball in a valley: the forces on its two sides do not matter, what they carry does."""
    x = np.linspace(-1, 1, 3)
    valley = st.HeightField(np.abs(x)[None].repeat(2, axis=0), 1.0)
    rail = st.robots.brick(size=(0.4, 0.1, 0.06), mass=2.0).at((0.0, 0.0, 1.0))
    world = st.World(rail, ground=valley)
    state = world.standing(above=-1e-4)
    motion = st.simulate(world, FLOOR, duration=fewer(20, 2) * 1e-4, dt=1e-4, state=state)
    force = motion.foot_force("brick")[0]
    assert force[2] > 1.0 and abs(force[0]) < 1e-9
    pressed = motion.force[0, :, 2]
    positions = point_positions(motion)[0]
    centre = (pressed[:, None] * positions).sum(axis=0) / pressed.sum()
    assert np.allclose(motion.centre_of_pressure("brick")[0], centre, atol=1e-12)
    assert np.allclose(motion.centre_of_pressure("brick")[0, :2], 0.0, atol=1e-9)
    assert np.allclose(motion.zmp()[0], motion.centre_of_pressure("brick")[0], atol=1e-9)


@pytest.mark.jit  # the one height field that is compiled in CI
def test_a_block_on_a_tilted_field_slides_as_on_a_slope():
    x, y = np.meshgrid(np.linspace(-3, 3, 25), np.linspace(-3, 3, 25))
    tilted = st.HeightField(0.3 * x + 0.1 * y, 0.25)
    slope = st.Slope(np.arctan(np.hypot(0.3, 0.1)), np.arctan2(0.1, 0.3))
    brick = st.robots.brick().at(
        (0.0, 0.0, 0.0), turned(np.cross((0, 0, 1), slope.normal()), 0.3062)
    )
    floor = st.SpringDamper(stiffness=1e5, damping=800.0, mu_kinetic=0.2)
    motions = []
    for ground in (slope, tilted):
        world = st.World(brick, ground=ground)
        state = st.World(brick, ground=slope).standing(1e-3)
        motions.append(st.simulate(world, floor, duration=0.5, dt=5e-4, state=state))
    assert np.abs(motions[0].q[-1, :3]).max() > 0.05
    assert np.allclose(motions[0].q, motions[1].q, atol=1e-7)
    assert np.allclose(motions[0].force[:-1], motions[1].force[:-1], atol=1e-3)


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", ["field", "steps"])
def test_a_box_that_falls_on_uneven_ground_comes_to_rest_on_it(name):
    robot = st.robots.box((0.2, 0.2, 0.2)).at((0.3, 0.1, 0))
    world = st.World(robot, ground=EACH[name])
    state = world.standing(0.1)
    motion = st.simulate(world, st.Coulomb(), duration=2.0, dt=5e-4, state=state)
    assert np.allclose(motion.force[-2].sum(axis=0), [0, 0, 5.0 * 9.81], atol=1e-3)
    assert np.abs(motion.v[-1]).max() < 1e-6
    assert motion.depth[-2].max() < 2e-3


@pytest.mark.parametrize("angle", [np.pi / 2, -np.pi / 2, 2.0, 100.0])
def test_a_slope_beyond_the_vertical_is_refused(angle):
    with pytest.raises(InputError, match="Slope: angle is .* rad; its magnitude must be below"):
        st.Slope(angle)
