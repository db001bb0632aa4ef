"""The file of a motion from a stranger: it reads no other file, and nothing wrong passes."""

import json
import os

import h5py
import numpy as np
import pytest

from mechanisms import pendulum
from older import save_older
from stiction import Motion, SweepTable, World, robots, simulate
from stiction.errors import MotionFileError, SweepFileError
from stiction.motion.hdf5 import checksum
from stiction.sweeps.file import columns_of, write_table
from stiction.sweeps.journal import Head

pytestmark = pytest.mark.interpreted

WORLD = World(robots.ball().at((0.0, 0.0, 0.2)), pendulum())


@pytest.fixture(scope="module")
def motion():
    return simulate(WORLD, duration=0.004, dt=0.001)


@pytest.fixture
def saved(motion, tmp_path):
    path = tmp_path / "motion.h5"
    motion.save(path)
    return path


@pytest.fixture(scope="module")
def landed():
    world = World(robots.box())
    return simulate(world, duration=0.003, dt=0.001, state=world.standing(above=-1e-6))


@pytest.fixture
def boxed(landed, tmp_path):
    """A file in which four corners of a box touch."""
    path = tmp_path / "box.h5"
    landed.save(path)
    return path


def signed(path):
    """Store the checksum of what is in the file now, as a forger would."""
    with h5py.File(path, "r+") as file:
        attributes = {name: file.attrs[name] for name in file.attrs if name != "checksum"}
        arrays = {name: file[name][()] for name in file if name != "robots"}
        stored = [file[f"robots/{k}"][()].tobytes() for k in range(len(file["robots"]))]
        file.attrs["checksum"] = checksum(attributes, arrays, stored)


def replaced(path, name, data):
    with h5py.File(path, "r+") as file:
        del file[name]
        file[name] = data
    signed(path)


def refusal(path):
    with pytest.raises(MotionFileError) as caught:
        Motion.load(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


# ------------------------------------------------------------------------------------- other files


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(os.urandom(8 * 1000))
    return path


def test_a_dataset_stored_in_another_file_is_refused(saved, motion, secret):
    shape = motion.q.shape
    with h5py.File(saved, "r+") as file:
        del file["q"]
        file.create_dataset("q", shape, float, external=[(str(secret), 0, motion.q.nbytes)])
    assert "'q' is stored in another file" in refusal(saved)


def test_a_virtual_dataset_is_refused(saved, motion, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = np.ones(motion.q.shape)
    layout = h5py.VirtualLayout(motion.q.shape, float)
    layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "x", motion.q.shape)
    with h5py.File(saved, "r+", libver="latest") as file:
        del file["q"]
        file.create_virtual_dataset("q", layout)
    assert "'q' is stored in another file" in refusal(saved)


@pytest.mark.parametrize("name", ["q", "robots", "robots/0"])
def test_links_to_other_files_and_places_are_refused(name, saved, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = np.ones(3)
    for link in (h5py.ExternalLink(tmp_path / "other.h5", "/x"), h5py.SoftLink("/v")):
        with h5py.File(saved, "r+") as file:
            del file[name]
            file[name] = link
        assert "is a link" in refusal(saved) or "is missing" in refusal(saved)


def test_a_filter_that_would_load_code_is_refused(saved, motion):
    with h5py.File(saved, "r+") as file:
        del file["q"]
        file.create_dataset("q", data=motion.q, scaleoffset=3)
    assert "'q' is compressed in an unknown way" in refusal(saved)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.h5")
    with pytest.raises(MotionFileError, match="no such file"):
        Motion.load(tmp_path / "pipe.h5")


def test_a_relative_path_is_that_of_the_current_folder(saved, motion, monkeypatch):
    Motion.load(saved)  # starts the child process here
    monkeypatch.chdir(saved.parent)
    assert len(Motion.load("motion.h5")) == len(motion)
    with pytest.raises(MotionFileError, match="^other.h5: no such file"):
        Motion.load("other.h5")


# ------------------------------------------------------------------------------------ sizes, shapes


def test_declared_terabytes_are_refused_unread(saved, motion):
    n = 10**11
    with h5py.File(saved, "r+") as file:
        for name in [name for name in file if name != "robots"]:
            shape = (n, *file[name].shape[1:])
            del file[name]
            file.create_dataset(name, shape, float, chunks=None if 0 in shape else True)
    assert "of which 0 are stored" in refusal(saved)


@pytest.mark.parametrize("points", [0, 1, 7])
def test_the_number_of_contact_points_is_that_of_the_world(points, tmp_path):
    """A file with fewer made compiled code write past the end of its arrays."""
    world = World(robots.box().at((0.0, 0.0, 0.1)))
    path, n = tmp_path / "box.h5", 3
    simulate(world, duration=0.002, dt=0.001).save(path)
    save_older(Motion.load(path), path)
    for name in ("force", "slip", "contact_velocity"):
        replaced(path, name, np.zeros((n, points, 3)))
    replaced(path, "depth", np.zeros((n, points)))
    if points:
        assert f"'force' has shape (3, {points}, 3); expected (3, 8, 3)" in refusal(path)
    else:  # as if without a contact model, which the parameters contradict
        assert "the parameter 'contact_points'" in refusal(path)


@pytest.mark.parametrize("points", [1, 7, 9, -1, 0.5, np.nan])
def test_the_number_of_points_that_may_touch_is_that_of_the_world(points, boxed):
    with h5py.File(boxed, "r+") as file:
        file.attrs["points"] = points
    signed(boxed)
    assert "this world has 8" in refusal(boxed) or "points" in refusal(boxed)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("point", lambda x: x + 8), ("point", lambda x: x - 100), ("point", lambda x: x + 0.5),
        ("point", lambda x: x * np.nan), ("point", lambda x: x[::-1]), ("point", lambda x: x * 0),
        ("begin", lambda x: x + 1), ("begin", lambda x: x[::-1]), ("begin", lambda x: x * np.inf),
        ("begin", lambda x: x * 0.5), ("unknown", lambda x: x + 1), ("unknown", lambda x: x - 0.5),
    ],
)  # fmt: skip
def test_points_of_samples_are_those_of_the_world_in_order(name, change, boxed):
    with h5py.File(boxed, "r") as file, np.errstate(invalid="ignore"):
        changed = change(file[name][()])
    replaced(boxed, name, changed)
    assert "do not number the points" in refusal(boxed)


def test_a_state_that_no_point_has_is_refused(boxed):
    with h5py.File(boxed, "r") as file:
        states = file["contact_state"][()]
    replaced(boxed, "contact_state", states + 4)
    assert "'contact_state' has a number that is not a state" in refusal(boxed)


def test_an_older_file_loads_with_derived_states(boxed):
    motion = Motion.load(boxed)
    save_older(motion, boxed)
    loaded = Motion.load(boxed)
    for name in ("force", "depth", "slip", "contact_velocity", "between"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(motion, name), strict=True)
    np.testing.assert_array_equal(loaded.contact_state, motion.contact_state, strict=True)
    assert (loaded.contact_state[:-1] == 1).any()


# ------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t * 0.0, "'time' does not increase"),
        (lambda t: -t, "'time' does not increase"),
        (lambda t: t * np.nan, "'time' has numbers that are not finite"),
    ],
)
def test_time_increases(change, words, saved, motion):
    replaced(saved, "time", change(motion.time))
    assert words in refusal(saved)


@pytest.mark.parametrize("length", [0.0, 1.1])
def test_quaternions_have_unit_length(length, saved, motion):
    q = motion.q.copy()
    q[2, 3:7] *= length
    replaced(saved, "q", q)
    assert f"a quaternion of length {length:g} for joint" in refusal(saved)


@pytest.mark.parametrize("name", ["q", "v"])
def test_states_are_finite(name, saved, motion):
    data = getattr(motion, name).copy()
    data[1, 0] = np.inf
    replaced(saved, name, data)
    assert f"'{name}' has numbers that are not finite" in refusal(saved)


def test_motions_and_tables_of_sweeps_tell_each_other_apart(saved, tmp_path):
    write_table(tmp_path / "sweep.h5", Head("scene", "0", "1", ("x",)), columns_of([], ("x",)))
    with pytest.raises(MotionFileError, match="sweep.h5: is the table of a sweep; open it with"):
        Motion.load(tmp_path / "sweep.h5")
    with pytest.raises(SweepFileError, match=r"motion.h5: is a motion; open it with st.Motion"):
        SweepTable.load(saved)


@pytest.mark.parametrize("number", [-1, 0, 0.5, np.nan])
def test_the_format_is_a_known_number(number, saved):
    with h5py.File(saved, "r+") as file:
        file.attrs["format"] = number
    assert "formats are whole numbers" in refusal(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dt", -1.0), ("dt", "x"), ("record every", 1.5), ("external forces", -1),
        ("integrator", 3), ("notes", "text"), ("notes", [1]), ("contact_points", []),
        ("contact", []), ("contact", {"model": 1}), ("contact", {"model": "Coulomb", "mu": "x"}),
        ("pairs", [1]), ("unsolved", {"count": 1}), ("unsolved", []),
        ("unsolved", {"count": -1, "steps": 1, "residual": 0.0, "time": None}),
    ],
)  # fmt: skip
def test_parameters_that_are_used_are_checked(name, value, saved, motion):
    with h5py.File(saved, "r+") as file:
        file.attrs["parameters"] = json.dumps(motion.parameters | {name: value})
    signed(saved)
    assert f"the parameter '{name}' is" in refusal(saved)


@pytest.mark.parametrize("text", ["[]", "3", "null"])
@pytest.mark.parametrize("name", ["parameters", "versions"])
def test_parameters_and_versions_are_tables(name, text, saved):
    with h5py.File(saved, "r+") as file:
        file.attrs[name] = text
    signed(saved)
    assert f"'{name}' is not a table" in refusal(saved)


def test_deep_nesting_is_refused(saved):
    with h5py.File(saved, "r+") as file:
        file.attrs["parameters"] = "[" * 100_000
    assert "not a motion file" in refusal(saved)


# ----------------------------------------------------------------------------------------- checksum


@pytest.mark.parametrize("name", ["parameters", "versions", "self_collision"])
def test_an_attribute_changed_without_its_checksum_is_refused(name, saved):
    with h5py.File(saved, "r+") as file:
        file.attrs[name] = file.attrs[name].replace(" ", "  ") + " "
    assert "does not have the checksum" in refusal(saved)


def test_a_world_changed_with_its_checksum_is_refused_by_its_hash(saved):
    with h5py.File(saved, "r+") as file:
        file.attrs["gravity"] = np.array([0.0, 0.0, -1.62])
    signed(saved)
    assert "does not have the hash stored with it" in refusal(saved)


@pytest.mark.parametrize("name", ["torque", "solver"])
def test_a_number_changed_without_its_checksum_is_refused(name, saved, motion):
    with h5py.File(saved, "r+") as file:
        file[name][0, 0] = 1.25
    assert "does not have the checksum" in refusal(saved)


def test_no_flipped_bit_changes_anything_unnoticed(saved, motion):
    data, refused = saved.read_bytes(), 0
    begin = data.index(json.dumps(motion.parameters).encode())
    rng = np.random.default_rng(3)
    places = [*rng.integers(begin, begin + 800, size=20), *rng.integers(len(data), size=20)]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        saved.write_bytes(flipped)
        try:
            loaded = Motion.load(saved)
        except MotionFileError:
            refused += 1
            continue
        assert loaded.parameters == motion.parameters
        assert loaded.versions == motion.versions
        assert loaded.world.digest() == motion.world.digest()
        for name in ("time", "q", "v", "torque", "force", "solver"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(motion, name))
    assert refused > 20
