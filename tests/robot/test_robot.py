"""`Robot`: its file, and changed copies."""

import dataclasses
import hashlib
import io
from math import inf, nan

import numpy as np
import pytest

from mechanisms import chain, top
from stiction import Robot, World, load, robots
from stiction.description.description import (
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Material,
    Sensor,
    Shape,
)
from stiction.errors import InputError, ModelFileError
from stiction.robot.loops import no_loops
from stiction.robot.sensors import undisturbed
from stiction.robot.visuals import no_visuals

FIELDS = [field.name for field in dataclasses.fields(Robot)]
CENTRED = (0.0, 0.0, 0.0)
TETRAHEDRON = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
ARM = Link("arm", 1.2, (0.0, 0.0, -0.1), (0.02, 0.0, 0.0, 0.02, 0.0, 0.01))


def everything() -> Robot:
    """A robot with something in every field."""
    inertia = (0.01, 0.001, 0.0, 0.01, 0.0, 0.01)
    return Robot.from_description(
        Description(
            "everything",
            "tests",
            links=(Link("arm", 1.0, (0.0, 0.0, 0.1), inertia), Link("tool", 0.5, CENTRED, inertia)),
            joints=(
                Joint("shoulder", "revolute", WORLD, "arm", lower=-1.0, friction=0.1),
                Joint("flange", "fixed", "arm", "tool", (0.0, 0.0, 0.2)),
            ),
            shapes=(
                Shape("ball", "tool", "sphere", (0.05,), material="rubber", mask=(6, 1)),
                Shape("wedge", "arm", "hull", (), vertices=TETRAHEDRON),
            ),
            frames=(Frame("tip", "tool", (0.0, 0.0, 0.1)),),
            actuators=(Actuator("motor", "shoulder", gear=3.0, control_upper=2.0),),
            sensors=(Sensor("encoder", "jointpos", "shoulder", "joint"),),
            materials=(Material("rubber", 0.9, 0.8),),
            keyframes=(Keyframe("home", (0.3,), (0.0,), (0.1,)), Keyframe("up", (1.0,), (0.0,))),
            contact_pairs=(("ball", "wedge"),),
            contact_excludes=(("arm", "tool"),),
            notes=("made by hand",),
        )
    )


# ------------------------------------------------------------------------------------------ file


@pytest.mark.parametrize("robot", [everything(), robots.biped10(), robots.ball(), top()])
def test_what_was_saved_is_loaded_exactly(robot, tmp_path):
    path = tmp_path / "robot.npz"
    robot.save(path)
    for loaded in (Robot.load(path), load(path)):
        assert loaded.digest() == robot.digest()
        assert (loaded.name, loaded.source) == (robot.name, robot.source)
        assert isinstance(loaded.name, str)
        for name in set(FIELDS) - {"name", "source"}:
            before, after = getattr(robot, name), getattr(loaded, name)
            assert before.dtype == after.dtype, name
            np.testing.assert_array_equal(before, after, err_msg=name, strict=True)


def test_numpy_alone_reads_the_file(tmp_path):
    path = tmp_path / "robot.npz"
    robots.biped10().save(path)
    with np.load(path, allow_pickle=False) as file:
        assert set(file.files) == {"format", *FIELDS}
        assert str(file["name"]) == "biped10"
        assert file["mass"].sum() == pytest.approx(8.0)


def changed_file(path, **changes) -> None:
    """Save a robot again with other entries; None takes one out."""
    everything().save(path)
    with np.load(path) as file:
        values = {**{key: file[key] for key in file.files}, **changes}
    np.savez(path, **{key: value for key, value in values.items() if value is not None})


@pytest.mark.parametrize("version", [2, 0, "one", [1, 1]])
def test_a_file_of_another_format_is_refused_by_its_number(version, tmp_path):
    path = tmp_path / "future.npz"
    changed_file(path, format=version)
    with pytest.raises(ModelFileError, match=r"future\.npz: robot format .*reads 1") as error:
        Robot.load(path)
    assert str(np.array(version)) in str(error.value)


LATER = (  # not in the first files of this format
    *("placed", "shape_body", "shape_mask"),
    *("material_bodies", "friction_pairs", "friction_pairs_mu"),
    *("shape_face", "face_normal", "face_corner", "corner_vertex"),
    *no_loops(),
    *no_visuals(),
    *undisturbed(0),
)


def test_an_older_file_is_read_and_keeps_its_digest(tmp_path):
    """Motion files store the digest of their robots."""
    path = tmp_path / "old.npz"
    changed_file(path, **dict.fromkeys(LATER))
    robot = Robot.load(path)
    assert robot.shape_body.tolist() == ["arm", "arm"]  # links were named after merging
    before = hashlib.sha256()
    for name in FIELDS:
        if name not in ("name", "source", "notes", "shape_error", *LATER):
            value = getattr(robot, name)
            before.update(name.encode() + str(value.shape).encode() + value.tobytes())
    assert robot.digest() == before.hexdigest()[:16] != everything().digest()


@pytest.mark.parametrize("changes", [{"shape_link": None}, {"shape_link": [0, 7]}])
def test_a_damaged_older_file_is_refused_by_name(changes, tmp_path):
    path = tmp_path / "odd.npz"
    changed_file(path, **dict.fromkeys(LATER), **changes)
    with pytest.raises(ModelFileError, match=r"odd\.npz"):
        Robot.load(path)


@pytest.mark.parametrize("changes", [{"mass": None}, {"colour": 3}])
def test_missing_and_unknown_entries_are_named(changes, tmp_path):
    path = tmp_path / "odd.npz"
    changed_file(path, **changes)
    with pytest.raises(ModelFileError, match=rf"odd\.npz: .*{next(iter(changes))}"):
        Robot.load(path)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused_by_name(part, tmp_path):
    path = tmp_path / "cut.npz"
    everything().save(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(ModelFileError, match=r"cut\.npz"):
        Robot.load(path)


def test_a_file_with_one_wrong_byte_is_refused_or_read_right(tmp_path):
    """Some bytes of a zip file mean nothing; a wrong one among the others must not pass unseen."""
    path = tmp_path / "damaged.npz"
    robot = everything()
    robot.save(path)
    data = path.read_bytes()
    refused = 0
    for place in np.random.default_rng(1).integers(len(data), size=200):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            loaded = Robot.load(path)
        except ModelFileError as error:
            assert "damaged.npz" in str(error)
            refused += 1
        else:
            assert loaded.digest() == robot.digest()
    assert refused > 50


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


@pytest.mark.parametrize("content", [b"garbage", b"\x00" * 1000, b"PK\x03\x04 not a zip", npy()])
def test_garbage_is_refused_by_name(content, tmp_path):
    path = tmp_path / "garbage.npz"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"garbage\.npz"):
        Robot.load(path)


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"mass": np.zeros((2, 9))}, "'mass' has shape (2, 9)"),
        ({"mass": np.array([np.nan])}, "'mass' holds a number that is not finite"),
        ({"joint_type": np.array([17])}, "'joint_type'"),
        ({"parent": np.array([0])}, "'parent'"),
        ({"shape_link": np.array([0, 5])}, "'shape_link'"),
        ({"home": np.zeros(3)}, "'home' has shape (3,)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_a_kernel_reads_them(
    changes, complaint, tmp_path
):
    file = tmp_path / "robot.npz"
    dataclasses.replace(everything(), **changes).save(file)
    with pytest.raises(ModelFileError) as caught:
        Robot.load(file)
    assert "robot.npz" in str(caught.value) and complaint in str(caught.value)


@pytest.mark.parametrize("read", [Robot.load, load])
def test_a_missing_file_is_refused_by_name(read, tmp_path):
    with pytest.raises(ModelFileError, match=r"nowhere\.npz"):
        read(tmp_path / "nowhere.npz")


def test_load_tells_the_suffixes_that_it_knows(tmp_path):
    path = tmp_path / "robot.step"
    path.write_text("")
    with pytest.raises(ModelFileError, match=r"'\.step'.*\.xml, \.mjcf.*\.npz"):
        load(path)


# ------------------------------------------------------------------------------------------ copies


def test_named_changes_the_name_and_nothing_that_moves():
    ball = robots.ball()
    assert ball.named("egg").name == "egg"
    assert ball.named("egg").digest() == ball.digest()
    assert ball.name == "ball"


def test_with_joints_takes_one_number_or_one_per_velocity():
    robot = chain(3, friction=1.0)
    changed = robot.with_joints(friction=0, upper=[1.0, 2.0, inf])
    np.testing.assert_array_equal(changed.friction, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(changed.upper, [1.0, 2.0, inf])
    np.testing.assert_array_equal(robot.friction, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(World(changed).tree.upper, [1.0, 2.0, inf])
    assert changed.digest() != robot.digest()


@pytest.mark.parametrize(
    "values, complaint",
    [
        ({"colour": 1}, "no property 'colour'; known are armature, .*speed_limit"),
        ({"friction": [1.0, 2.0]}, r"friction must be a number or 3 of them.*\[1.0, 2.0\]"),
        ({"damping": nan}, "damping must be .* not NaN"),
        ({"armature": [0.0, 0.0, -2.0]}, "armature must not be negative, found -2"),
        ({"lower": 1.0, "upper": -1.0}, "lower limit lies above"),
        ({"effort_lower": 1.0, "effort_upper": 0.0}, "lower limit lies above"),
    ],
)
def test_with_joints_says_what_is_wrong(values, complaint):
    with pytest.raises(InputError, match=complaint):
        chain(3).with_joints(**values)


def test_keyframes_are_found_by_name_and_an_unknown_one_lists_them():
    robot = everything()
    np.testing.assert_array_equal(robot.keyframe("up"), [1.0])
    robot.keyframe("up")[0] = 9.0  # a copy
    np.testing.assert_array_equal(robot.keyframe("up"), [1.0])
    with pytest.raises(InputError, match="'everything' has no keyframe 'down'; it has: home, up"):
        robot.keyframe("down")
    with pytest.raises(InputError, match="it has: none"):
        robots.ball().keyframe("home")


def test_home_is_the_keyframe_of_that_name_or_zero():
    np.testing.assert_array_equal(everything().home, [0.3])
    np.testing.assert_array_equal(top().home, [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(robots.ball().home, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
