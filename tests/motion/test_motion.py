"""`Motion`: its file, good and broken, and what is computed and drawn from it."""

import json
from dataclasses import replace

import h5py
import numpy as np
import pytest

from mechanisms import pendulum, top
from older import save_older
from stiction import (
    Motion,
    Plane,
    Push,
    Recording,
    State,
    Torques,
    World,
    mechanics,
    robots,
    simulate,
)
from stiction.errors import InputError, MotionFileError
from stiction.motion.arrays import BODIES, DENSE, GROUND, LATER, STATES
from stiction.motion.file import FORMAT, SEAL
from stiction.motion.touched import CHANNELS, OF_BODIES

WORLD = World(
    pendulum(friction=0.05),
    robots.ball().named("egg").at((0, 0, 1)),
    top(),
    gravity=(0, 0.1, -9.81),
    ground=Plane(-0.2),
)


def swung() -> Motion:
    """A short motion of three bodies in which every array has something."""
    rng = np.random.default_rng(4)
    state = State(WORLD.home().q, rng.uniform(-1, 1, WORLD.nv), time=0.5)
    push = Push("egg/ball", (0, 0, 0.01), (1.0, 2.0, 3.0), start=0.5, stop=0.51)
    motor = Torques(np.full(WORLD.nv, 0.01))
    return simulate(
        WORLD, contact=None, duration=0.02, dt=0.002, state=state, controller=motor, forces=[push]
    )


@pytest.fixture(scope="module")
def motion():
    return swung()


@pytest.fixture
def saved(motion, tmp_path):
    path = tmp_path / "motion.h5"
    motion.save(path)
    return path


# ------------------------------------------------------------------------------------------ file


def test_what_was_saved_is_loaded_exactly(motion, saved):
    loaded = Motion.load(saved)
    for name in (*DENSE, *LATER, "contact_state"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(motion, name), strict=True)
    assert len(loaded) == 11
    assert loaded.parameters == motion.parameters
    assert loaded.parameters["dt"] == 0.002
    assert loaded.versions == motion.versions
    assert set(loaded.versions) == {"python", "stiction", "numpy", "numba"}


def test_the_world_of_a_loaded_motion_is_the_same(motion, saved):
    world = Motion.load(str(saved)).world
    assert world.digest() == WORLD.digest()
    assert [robot.name for robot in world.robots] == ["mechanism", "egg", "top"]
    assert world.ground == Plane(-0.2)
    again = simulate(world, contact=None, duration=0.02, dt=0.002, state=motion.state(0))
    here = simulate(WORLD, contact=None, duration=0.02, dt=0.002, state=motion.state(0))
    np.testing.assert_array_equal(again.q, here.q)


def test_contact_velocities_and_solver_rows_are_kept(motion, tmp_path):
    rng = np.random.default_rng(8)
    points = 1  # of the ball
    parameters = motion.parameters | {"contact_points": ["egg"]}
    touching = replace(
        motion,
        force=rng.normal(size=(11, points, 3)),
        depth=rng.normal(size=(11, points)),
        slip=rng.normal(size=(11, points, 3)),
        contact_velocity=rng.normal(size=(11, points, 3)),
        contact_state=rng.integers(5, size=(11, points)).astype(float),
        solver=rng.normal(size=(11, 3)),
        parameters=parameters,
    )
    touching.save(tmp_path / "m.h5")
    loaded = Motion.load(tmp_path / "m.h5")
    for name in (*DENSE, *LATER, "contact_state"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(touching, name), strict=True)


def test_what_was_not_recorded_is_zero(motion):
    arrays = {name: getattr(motion, name) for name in DENSE}
    arrays |= {"force": np.ones((11, 2, 3)), "slip": np.ones((11, 2, 3))}
    plain = Motion(motion.world, **{**arrays, "depth": np.ones((11, 2))})
    np.testing.assert_array_equal(plain.contact_velocity, np.zeros((11, 2, 3)), strict=True)
    np.testing.assert_array_equal(plain.solver, np.zeros((11, 3)), strict=True)


def test_a_file_from_before_these_were_recorded_loads_with_zeros(motion, saved):
    save_older(motion, saved, number=1)
    with h5py.File(saved, "a") as file:
        for name in LATER:
            del file[name]
    loaded = Motion.load(saved)
    assert loaded.contact_velocity.shape == motion.force.shape and not loaded.contact_velocity.any()
    assert loaded.solver.shape == (11, 3) and not loaded.solver.any()


def test_a_world_without_ground_comes_back_without(tmp_path):
    world = World(pendulum(), ground=None)
    simulate(world, contact=None, duration=0.0).save(tmp_path / "m.h5")
    assert Motion.load(tmp_path / "m.h5").world.ground is None


def test_the_last_row_of_a_whole_run_has_a_state_and_no_forces(motion):
    assert np.isfinite(motion.q).all()
    assert np.isfinite(motion.v).all()
    for forces in (motion.torque, motion.passive):
        assert np.isfinite(forces[:-1]).all()
        assert forces[:-1].any()
        assert np.isnan(forces[-1]).all()
    assert motion.state().time == pytest.approx(0.52)
    np.testing.assert_array_equal(motion.state(0).q, WORLD.home().q)


def test_recording_every_third_step_keeps_every_third_row(motion):
    sparse = simulate(
        WORLD,
        contact=None,
        duration=0.018,
        dt=0.002,
        state=motion.state(0),
        record=Recording(every=3),
    )
    dense = simulate(WORLD, contact=None, duration=0.018, dt=0.002, state=motion.state(0))
    np.testing.assert_array_equal(sparse.q, dense.q[::3])
    np.testing.assert_allclose(sparse.time, dense.time[::3], rtol=1e-15)  # one rounding of k * dt


# ------------------------------------------------------------------------------------------ broken


def test_a_newer_format_says_so(saved):
    with h5py.File(saved, "a") as file:
        file.attrs["format"] = FORMAT + 1
        file.attrs["versions"] = json.dumps({"stiction": "9.9"})
        del file["q"]  # a newer format may look quite different
    with pytest.raises(
        MotionFileError,
        match=r"motion\.h5: motion format 4, written by stiction 9\.9; .*reads up to 3.*newer",
    ):
        Motion.load(saved)


@pytest.mark.parametrize("part", [0.0, 0.001, 0.03, 0.25, 0.5, 0.75, 0.99, 0.9999])
def test_a_file_cut_short_is_refused_by_name(part, saved):
    data = saved.read_bytes()
    data = data[: data.rindex(SEAL)]  # without it the file is whole
    length = int(part * len(data))
    assert length < len(data)
    saved.write_bytes(data[:length])
    with pytest.raises(MotionFileError, match=r"motion\.h5: not a motion file, or cut short"):
        Motion.load(saved)


def test_a_file_with_one_wrong_byte_is_refused_or_read_right(motion, saved):
    """Much of an HDF5 file is empty room; a wrong byte elsewhere must not pass unseen."""
    data = saved.read_bytes()
    refused = 0
    for place in np.random.default_rng(5).integers(len(data), size=100):
        saved.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            loaded = Motion.load(saved)
        except MotionFileError as error:
            assert "motion.h5" in str(error)
            refused += 1
        else:
            for name in (*DENSE, *LATER, "contact_state"):
                np.testing.assert_array_equal(getattr(loaded, name), getattr(motion, name))
            assert loaded.parameters == motion.parameters
            assert loaded.versions == motion.versions
    assert refused > 20


@pytest.mark.parametrize("content", [b"garbage", b"PK\x03\x04", b"\x89HDF\r\n\x1a\n" + b"\0" * 500])
def test_what_is_not_hdf5_is_refused_by_name(content, tmp_path):
    path = tmp_path / "garbage.h5"
    path.write_bytes(content)
    with pytest.raises(MotionFileError, match=r"garbage\.h5: not a motion file"):
        Motion.load(path)


def test_another_hdf5_file_is_refused_by_name(tmp_path):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["measurements"] = np.zeros(3)
    with pytest.raises(MotionFileError, match=r"other\.h5: not a motion file"):
        Motion.load(path)


def test_missing_files_and_folders_are_told(motion, tmp_path):
    with pytest.raises(MotionFileError, match=r"nowhere\.h5: no such file"):
        Motion.load(tmp_path / "nowhere.h5")
    with pytest.raises(MotionFileError, match="no such file"):
        Motion.load(tmp_path)
    with pytest.raises(MotionFileError, match="the folder .*nowhere does not exist"):
        motion.save(tmp_path / "nowhere" / "motion.h5")


@pytest.mark.parametrize(
    "name", [*STATES, *GROUND, *BODIES, *CHANNELS, *OF_BODIES, "robots", "robots/1"]
)
def test_a_missing_part_is_refused(name, saved):
    with h5py.File(saved, "a") as file:
        del file[name]
    with pytest.raises(MotionFileError, match=r"motion\.h5: not a motion file"):
        Motion.load(saved)


@pytest.mark.parametrize("name", ["format", "model_hash", "parameters", "gravity", "ground"])
def test_a_missing_attribute_is_refused(name, saved):
    with h5py.File(saved, "a") as file:
        del file.attrs[name]
    with pytest.raises(MotionFileError, match=rf"motion\.h5: not a motion file.*{name}"):
        Motion.load(saved)


@pytest.mark.parametrize(
    "name, shape",
    [
        ("time", (11, 1)),
        ("q", (11, 3)),
        ("q", (10, 12)),
        ("v", (11,)),
        ("passive", (12, 10)),
        ("solver", (11, 2)),
        ("begin", (11,)),
    ],
)
def test_an_array_of_a_wrong_shape_is_told(name, shape, saved):
    with h5py.File(saved, "a") as file:
        del file[name]
        file[name] = np.zeros(shape)
    told = rf"'{name}' has shape \({shape[0]},.*; expected \(1[12]"
    with pytest.raises(MotionFileError, match=told):
        Motion.load(saved)


def test_an_array_of_something_else_is_refused(saved):
    with h5py.File(saved, "a") as file:
        del file["q"]
        file["q"] = np.array([[b"left", b"right"]])
    with pytest.raises(MotionFileError, match=r"motion\.h5"):
        Motion.load(saved)


@pytest.mark.parametrize(
    "name, value",
    [
        ("gravity", np.array([0.0, 0.0, -1.62])),
        ("gravity", np.array([0.0, 0.0])),
        ("ground", "null"),
        ("ground", '{"slope": 1}'),
        ("ground", "{"),
        ("model_hash", "0123456789abcdef"),
    ],
)
def test_a_model_that_was_tampered_with_is_refused(name, value, saved):
    with h5py.File(saved, "a") as file:
        file.attrs[name] = value
    with pytest.raises(MotionFileError, match=r"motion\.h5"):
        Motion.load(saved)


def test_a_damaged_robot_is_refused_by_the_name_of_the_motion(saved):
    with h5py.File(saved, "a") as file:
        data = file["robots/0"][()]
        data[len(data) // 3 :][:100] ^= 0xFF  # single bytes of a zip file may mean nothing
        file["robots/0"][...] = data
    with pytest.raises(MotionFileError, match=r"motion\.h5"):
        Motion.load(saved)


def test_saving_again_replaces_the_file(motion, saved):
    short = simulate(World(pendulum()), contact=None, duration=0.004, dt=0.002)
    short.save(saved)
    assert len(Motion.load(saved)) == 3
    assert [path.name for path in saved.parent.iterdir()] == ["motion.h5"]


# --------------------------------------------------------------------------------------- quantities


def test_quantities_over_time_are_those_of_each_state(motion):
    for k in range(len(motion)):
        q, v = motion.q[k], motion.v[k]
        # the same kernel on the same numbers, so exactly
        np.testing.assert_array_equal(
            motion.centre_of_mass()[k], mechanics.centre_of_mass(WORLD, q)
        )
        momentum = mechanics.momentum(WORLD, q, v)
        np.testing.assert_array_equal(motion.momentum().linear[k], momentum.linear)
        np.testing.assert_array_equal(motion.momentum().angular[k], momentum.angular)
        energy = mechanics.energy(WORLD, q, v)
        assert motion.energy().kinetic[k] == energy.kinetic
        assert motion.energy().potential[k] == energy.potential
        assert motion.energy().total[k] == energy.kinetic + energy.potential


def test_energy_and_momentum_of_a_flying_ball_are_the_textbooks():
    world = World(robots.ball(radius=0.1, mass=2.0))
    state = State([0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 5.0, 0.0])
    motion = simulate(world, contact=None, duration=0.0, state=state)
    spin = 2 / 5 * 2.0 * 0.1**2
    # rounding only
    assert motion.energy().kinetic[0] == pytest.approx(0.5 * 2.0 + 0.5 * spin * 25.0, rel=1e-14)
    assert motion.energy().potential[0] == pytest.approx(2.0 * 9.81 * 3.0, rel=1e-14)
    np.testing.assert_allclose(motion.momentum().linear[0], [2.0, 0.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(motion.momentum().angular[0], [0.0, 5.0 * spin, 0.0], atol=1e-14)
    np.testing.assert_allclose(motion.centre_of_mass()[0], [0.0, 0.0, 3.0], atol=1e-14)


def test_joint_is_the_column_of_that_joint(motion):
    np.testing.assert_array_equal(motion.joint("joint"), motion.q[:, 0])
    np.testing.assert_array_equal(motion.joint("mechanism/joint"), motion.q[:, 0])
    biped = simulate(World(robots.biped10()), contact=None, duration=0.0)
    np.testing.assert_array_equal(biped.joint("left_knee"), [0.6])


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("knee", "no joint 'knee' in this world; it has: .*joint"),
        ("tip", "'tip' is free or spherical; its coordinates are in motion.q"),
        ("egg/ball_free", "is free or spherical"),
    ],
)
def test_a_joint_without_a_single_position_is_refused(name, complaint, motion):
    with pytest.raises(InputError, match=complaint):
        motion.joint(name)


# ------------------------------------------------------------------------------------------ plots


@pytest.mark.parametrize(
    "items",
    [("energy",), ("joint", "momentum"), ("energy", "momentum", "centre of mass", "joint")],
)
def test_a_plot_has_one_panel_per_item(items, motion, tmp_path):
    figure = motion.plot(*items)
    assert len(figure.axes) == len(items)
    for item, panel in zip(items, figure.axes, strict=True):
        curves = {"energy": 3, "momentum": 2, "centre of mass": 3}.get(item, 1)
        assert len(panel.lines) == curves
        np.testing.assert_array_equal(panel.lines[0].get_xdata(), motion.time)
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_a_plot_of_nothing_in_particular_has_three_panels(motion):
    assert [panel.get_ylabel() for panel in motion.plot().axes] == [
        "energy [J]",
        "momentum",
        "centre of mass [m]",
    ]


@pytest.mark.parametrize("item", ["energies", "tip"])
def test_an_unknown_item_is_told_what_can_be_drawn(item, motion):
    with pytest.raises(InputError, match=f"'energy', 'momentum', 'centre of mass'.*'{item}'"):
        motion.plot("energy", item)


def test_a_parameter_of_an_earlier_file_loads_under_its_name_of_today(motion, saved):
    save_older(motion, saved, number=1)
    with h5py.File(saved, "r+") as file:
        stored = json.loads(file.attrs["parameters"])
        stored["places"] = stored.pop("contact_points")
        file.attrs["parameters"] = json.dumps(stored)
    loaded = Motion.load(saved).parameters
    assert loaded["contact_points"] == motion.parameters["contact_points"]
    assert "places" not in loaded
