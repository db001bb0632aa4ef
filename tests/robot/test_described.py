"""A saved robot passes the rules of descriptions, and one with a wrong value does not."""

import dataclasses
import io
import os
import zipfile

import numpy as np
import pytest

from linkages import four_bar, robot_of
from stiction import robots
from stiction.errors import ModelFileError
from stiction.robot.described import wrong_values
from stiction.robot.robot import Robot

pytestmark = pytest.mark.interpreted

TURN = np.diag([1.0, -1.0, -1.0])


def loop():
    return robot_of(four_bar())


MADE = {
    "hoap1": robots.hoap1,
    "hrp2 planar": lambda: robots.hrp2(planar=True),
    "hanavan": robots.hanavan,
    "table": robots.table,
    "cart": robots.cart,
    "room": robots.room,
    "loop": loop,
    "points": lambda: robots.brick().with_sole_points("brick", 3, 2),
    "placed": lambda: robots.stairs().at((1.0, 2.0, 0.0), 0.5),
    "colliding": lambda: robots.hoap1().with_colliding("left_foot").with_material("rubber"),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_our_own_robots_pass(make):
    assert wrong_values(make()) == []


def spoilt(name, value, place=0):
    """hoap1 with one value changed."""
    robot = robots.hoap1()
    if name.startswith("loop"):
        robot = loop()
    array = getattr(robot, name).copy()
    if len(array) == 0:
        raise ValueError(f"{name} is empty")
    array[place] = value
    return dataclasses.replace(robot, **{name: array})


WRONG = [
    ("mass", -1.0, "mass -1.0"),
    ("mass", 1e300, "mass 1e+300"),
    ("inertia", [-1, 0, 0, 1, 0, 1], "principal moments"),
    ("inertia", [1, 0, 0, 1, 0, 3], "none may exceed the sum"),
    ("inertia", [1, 9, 0, 1, 0, 1], "principal moments"),
    ("centre", 1e300, "centre"),
    ("joint_axis", 0.0, "axis"),
    ("joint_axis", 2.0, "axis"),
    ("joint_rotation", 2.0 * np.eye(3), "'joint_rotation' 3 is not a rotation"),
    ("joint_rotation", -np.eye(3), "is not a rotation"),
    ("joint_rotation", np.zeros((3, 3)), "is not a rotation"),
    ("joint_position", 1e300, "position"),
    ("lower", 9.0, "'lower' 10 is 9.0"),
    ("lower", np.nan, "'lower' 10 is nan"),
    ("effort_lower", np.inf, "'effort_lower' 10"),
    ("armature", -1.0, "'armature' holds -1.0"),
    ("armature", np.inf, "'armature' holds a number that is not finite"),
    ("damping", -1.0, "'damping' holds"),
    ("damping", np.nan, "'damping' holds"),
    ("friction", -1.0, "'friction' holds"),
    ("stiffness", -1.0, "'stiffness' holds"),
    ("spring_reference", np.nan, "'spring_reference' holds"),
    ("speed_limit", -1.0, "'speed_limit' holds"),
    ("speed_limit", np.nan, "'speed_limit' holds"),
    ("frame_rotation", 2.0 * np.eye(3), "'frame_rotation'"),
    ("frame_position", np.nan, "position"),
    ("shape_rotation", np.full((3, 3), np.nan), "'shape_rotation'"),
    ("shape_position", np.inf, "position"),
    ("shape_size", -1.0, "sizes must be positive"),
    ("shape_size", np.nan, "has size"),
    ("shape_kind", 99, "'shape_kind'"),
    ("shape_kind", -1, "'shape_kind'"),
    ("shape_mask", 2**40, "mask"),
    ("shape_error", np.nan, "'shape_error'"),
    ("shape_vertex", 5, "'shape_vertex'"),
    ("home", 0.0, "zero quaternion"),
    ("home", 1e300, "the home configuration"),
    ("link_name", "", "a link is named ''"),
    ("link_name", "world", "reserved"),
    ("loop_kind", 99, "'loop_kind'"),
    ("loop_axis", 0.0, "unit length"),
    ("loop_position", np.nan, "not finite"),
    ("loop_reference", np.inf, "not finite"),
    ("loop_rotation", 0.0, "'loop_rotation' 0 is not a rotation"),
]
AT = {"shape_vertex": 1, "home": slice(3, 7), "lower": 10, "effort_lower": 10}


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_a_wrong_value_is_refused(name, value, words, tmp_path):
    place = 0 if name.startswith(("loop", "shape", "frame")) else 3
    robot = spoilt(name, value, AT.get(name, place))
    path = tmp_path / "robot.npz"
    robot.save(path)
    with pytest.raises(ModelFileError, match="robot.npz: the robot in it is damaged") as caught:
        Robot.load(path)
    assert words in str(caught.value)


ACTUATED = [
    ("actuator_gear", np.nan, "gear"),
    ("actuator_gain", np.inf, "gain"),
    ("actuator_bias", np.nan, "bias"),
    ("actuator_control", [1.0, -1.0], "control range"),
    ("actuator_force", [np.nan, 1.0], "force range"),
    ("actuator_link", -1, "belongs to no link"),
    ("actuator_link", 0, "can only drive revolute and prismatic joints"),
    ("material_mu", -1.0, "'material_mu'"),
    ("material_mu", np.inf, "'material_mu'"),
    ("material_bodies", [1.0, 1.0, 0.5], "priority"),
    ("material_bodies", [np.nan, 1.0, 0.0], "'material_bodies'"),
    ("keyframe_q", np.nan, "keyframe"),
    ("keyframe_v", np.inf, "keyframe"),
    ("sensor_target", "nowhere", "sensor"),
    ("sensor_target_type", "moon", "target type"),
    ("contact_excludes", "nobody", "'contact_excludes' names link 'nobody'"),
    ("contact_pairs", "nothing", "contact pair"),
]


def actuated():
    """A robot with an actuator, a material, a keyframe, a sensor, an exclude and a pair."""
    from stiction.description.mjcf import read_mjcf_text

    text = """<mujoco><worldbody><body name="a"><freejoint/><geom name="g" size="1"/>
      <body name="b"><joint name="j"/><geom name="h" size="1" pos="2 0 0"/></body></body>
      </worldbody><actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>
      <keyframe><key qpos="0 0 0 1 0 0 0 0"/></keyframe>
      <contact><exclude body1="a" body2="b"/><pair geom1="g" geom2="h"/></contact></mujoco>"""
    return Robot.from_description(read_mjcf_text(text, "robot.xml"))


@pytest.fixture(scope="module")
def with_actuator():
    robot = actuated()
    assert wrong_values(robot) == []
    return robot


@pytest.mark.parametrize(("name", "value", "words"), ACTUATED)
def test_a_wrong_value_of_an_actuator_or_a_name_is_refused(name, value, words, with_actuator):
    array = getattr(with_actuator, name)
    array = array.astype("U20") if array.dtype.kind == "U" else array.copy()
    array[0] = value
    found = wrong_values(dataclasses.replace(with_actuator, **{name: array}))
    assert words in " ".join(found)


# ---------------------------------------------------------------------------------- types and sizes


def refusal(path):
    with pytest.raises(ModelFileError) as caught:
        Robot.load(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("mass", lambda a: a.astype(np.float32), "'mass' has type float32, expected float64"),
        ("mass", lambda a: a.astype(complex), "'mass' has type complex128"),
        ("parent", lambda a: a.astype(float), "'parent' has type float64, expected int64"),
        ("parent", lambda a: a.astype(np.uint64), "'parent' has type uint64"),
        ("placed", lambda a: np.array(7), "'placed' has type int64, expected bool"),
        ("link_name", lambda a: np.arange(len(a)), "'link_name' does not hold names"),
        ("link_name", lambda a: a[:, None], "'link_name' does not hold names"),
        ("contact_excludes", lambda a: np.array([["a", "b", "c"]]), "does not hold pairs"),
        ("name", lambda a: np.array(["a", "b"]), "'name' is not a string"),
        ("format", lambda a: np.array([1]), "robot format"),
    ],
)
def test_arrays_of_another_type_are_refused(name, change, words, tmp_path):
    path = tmp_path / "robot.npz"
    robots.hoap1().save(path)
    with np.load(path) as file:
        values = {key: file[key] for key in file.files}
    values[name] = change(values[name])
    np.savez(path, **values)
    assert words in refusal(path)


def entry_with(header_shape, size=64):
    """An .npy entry whose header declares another shape than it has."""
    buffer = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": header_shape}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + b"\0" * size


def test_a_declared_size_is_compared_with_what_is_stored(tmp_path):
    path = tmp_path / "robot.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mass.npy", entry_with((10**12,)))
    assert "'mass.npy' is not an array of its size" in refusal(path)


def test_a_file_that_expands_too_much_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr("stiction.robot.file.LARGEST", 10_000)
    robots.hoap1().save(tmp_path / "robot.npz")
    assert "more than 500 entries or 10000 bytes" in refusal(tmp_path / "robot.npz")


def test_pickled_objects_are_refused(tmp_path):
    path = tmp_path / "robot.npz"
    np.savez(path, mass=np.array([print], object))
    assert "not a robot file" in refusal(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "robot.npz")
    assert "no such file" in refusal(tmp_path / "robot.npz")
