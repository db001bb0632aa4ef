"""Virtual force plates against statics, and against what a foot says of itself."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from recorded import LOWER, corner, recorded
from stiction.errors import InputError

WIDE = st.ForcePlate("wide", centre=(0.0, 0.0), size=(1.0, 1.0))


def standing(weights, state=None):
    """A brick whose lower corners carry these forces [N]."""
    forces = np.zeros((1, 8, 3))
    forces[0, LOWER] = weights
    return recorded(forces, state=state)


def test_a_load_off_centre_is_read_at_its_place():
    motion = standing([(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4)])
    reading = WIDE.read(motion)
    np.testing.assert_array_equal(reading.force[0], (0, 0, 10))
    centre = sum(w * corner(motion, i) for w, i in zip((1, 2, 3, 4), LOWER, strict=True)) / 10
    np.testing.assert_allclose(reading.centre_of_pressure[0], [*centre[:2], 0.0], atol=1e-15)
    np.testing.assert_allclose(
        reading.moment[0], (10 * centre[1], -10 * centre[0], 0.0), atol=1e-15
    )
    assert reading.free_moment[0] == pytest.approx(0.0, abs=1e-15)
    for values in reading:
        assert np.isnan(values[1]).all()  # the last row of a run has no forces


def test_a_couple_along_the_ground_is_a_free_moment():
    """Two corners 0.2 m apart along x pull 3 N each to the sides: 0.6 N m about z."""
    pull = {0: (0, -3, 5), 2: (0, -3, 5), 4: (0, 3, 5), 6: (0, 3, 5)}
    motion = standing([pull[i] for i in LOWER])
    assert corner(motion, 4)[0] - corner(motion, 0)[0] == pytest.approx(0.2)
    reading = motion.force_plate(WIDE)
    assert reading.free_moment[0] == pytest.approx(2 * 3 * 0.2, rel=1e-12)
    np.testing.assert_allclose(reading.force[0], (0, 0, 20), atol=1e-15)
    np.testing.assert_allclose(reading.centre_of_pressure[0], 0.0, atol=1e-15)


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.0])
def test_force_at_the_centre_of_pressure_and_free_moment_replace_all_forces(heading):
    rng = np.random.default_rng(11)
    weights = rng.normal(size=(4, 3))
    weights[:, 2] = np.abs(weights[:, 2])
    plate = st.ForcePlate("turned", centre=(0.05, -0.02), size=(2.0, 2.0), heading=heading)
    motion = standing(weights)
    reading = plate.read(motion)
    force = reading.force[0] @ plate.axes
    point = plate.origin + reading.centre_of_pressure[0] @ plate.axes
    wrench = motion.foot_wrench("brick", about=point)
    np.testing.assert_allclose(force, wrench.force[0], atol=1e-14)  # rounding
    np.testing.assert_allclose(wrench.moment[0], (0, 0, reading.free_moment[0]), atol=1e-14)
    moment = reading.moment[0] @ plate.axes
    about_plate = motion.foot_wrench("brick", about=plate.origin).moment[0]
    np.testing.assert_allclose(moment, about_plate, atol=1e-14)


def test_axes_are_length_then_width_to_the_left_then_up():
    plate = st.ForcePlate("across", centre=(1, 2), size=(0.6, 0.4), heading=np.pi / 2, height=0.1)
    np.testing.assert_allclose(plate.axes, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_array_equal(plate.origin, (1.0, 2.0, 0.1))
    state = st.World(st.robots.brick()).standing()
    state.q[:2] = (1.0, 2.0)
    reading = plate.read(standing([(1, 0, 5)] * 4, state=state))
    np.testing.assert_allclose(reading.force[0], (0, -4, 20), atol=1e-14)


def test_only_places_over_the_plate_count():
    left = st.ForcePlate("left", centre=(-0.5, 0.0), size=(1.0, 1.0))
    right = st.ForcePlate("right", centre=(0.5, 0.0), size=(1.0, 1.0))
    beyond = st.ForcePlate("beyond", centre=(5.0, 0.0), size=(1.0, 1.0))
    motion = standing([(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4)])
    assert left.read(motion).force[0, 2] == 3.0
    assert right.read(motion).force[0, 2] == 7.0
    nothing = beyond.read(motion)
    assert (nothing.force[0] == 0).all() and (nothing.moment[0] == 0).all()
    assert np.isnan(nothing.centre_of_pressure[0]).all() and np.isnan(nothing.free_moment[0])


def test_a_narrow_turned_plate_holds_what_is_within_its_own_sides():
    """Corners of the brick are 0.1 and 0.05 m off: on the diagonal plate only two of them are."""
    heading = np.arctan2(0.05, 0.1)
    plate = st.ForcePlate("diagonal", centre=(0, 0), size=(0.3, 0.02), heading=heading)
    motion = standing([(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4)])
    on_it = [corner(motion, i)[0] * corner(motion, i)[1] > 0 for i in LOWER]
    expected = sum(w for w, on in zip((1, 2, 3, 4), on_it, strict=True) if on)
    assert plate.read(motion).force[0, 2] == expected
    assert sum(on_it) == 2


@pytest.mark.interpreted
def test_a_plate_under_each_foot_reads_what_the_foot_feels():
    world = st.World(st.robots.biped10())
    floor = st.SpringDamper(stiffness=3e4, damping=300.0)
    hold = st.PDTracking(st.Reference([0, 1], [world.home().q] * 2), stiffness=200.0, damping=4.0)
    state = world.standing(above=-1e-3)
    motion = st.simulate(
        world, floor, duration=fewer(0.5, 0.005), dt=5e-4, state=state, controller=hold
    )
    total = 0.0
    for side, y in (("left", 0.06), ("right", -0.06)):
        plate = st.ForcePlate(side, centre=(0.02, y), size=(0.3, 0.11))
        reading = motion.force_plate(plate)
        wrench = motion.foot_wrench(f"{side}_foot", about=plate.origin)
        np.testing.assert_allclose(reading.force[:-1], wrench.force[:-1], atol=1e-12)
        np.testing.assert_allclose(reading.moment[:-1], wrench.moment[:-1], atol=1e-12)
        # the plate's surface is above the contact points by their depth, 1 mm, times mu 0.5
        pressed = motion.centre_of_pressure(f"{side}_foot")[:-1, :2] - plate.origin[:2]
        assert np.nanmax(np.abs(reading.centre_of_pressure[:-1, :2] - pressed)) < 1e-3
        total += reading.force[:-1, 2]
    np.testing.assert_allclose(total, motion.force[:-1, :, 2].sum(axis=1), atol=1e-10)
    if len(motion) > 100:
        assert total[-1] == pytest.approx(8.0 * 9.81, rel=0.01)  # it stands


@pytest.mark.parametrize(
    "wrong, complaint",
    [
        ({"centre": (0, 0, 0)}, r"'p': centre is \(0, 0, 0\); give two finite numbers"),
        ({"centre": "here"}, "'p': centre is 'here'"),
        ({"size": (1.0, 0.0)}, "'p': size is .*positive length and width"),
        ({"size": (1.0, np.inf)}, "'p': size is .*two finite numbers"),
        ({"size": 0.5}, "'p': size is 0.5; give two finite numbers"),
        ({"heading": np.nan}, "'p': heading is nan; give a finite number"),
        ({"height": (0, 1)}, r"'p': height is \(0, 1\); give a finite number"),
    ],
)
def test_a_plate_of_wrong_numbers_is_refused_by_name(wrong, complaint):
    with pytest.raises(InputError, match=complaint):
        st.ForcePlate(**{"name": "p", "centre": (0, 0), "size": (1, 1), **wrong})


def test_plates_want_contact_and_a_motion_wants_plates():
    with pytest.raises(InputError, match="without contact"):
        WIDE.read(st.simulate(st.World(st.robots.ball()), contact=None, duration=0.002))
    with pytest.raises(InputError, match="force_plate: found str; give a ForcePlate"):
        recorded(np.zeros((1, 8, 3))).force_plate("wide")
