"""Scene files: what is read, and errors that name the key and its line."""

import math

import numpy as np
import pytest

import stiction as st
from stiction.errors import InputError, SceneFileError, StictionError
from stiction.scenes import read_scene, rough
from stiction.scenes.toml_lines import Lines

pytestmark = pytest.mark.interpreted


SCENE = """# a comment
name = "two bipeds"
shows = "Two of them, and a ball"
duration = 0.5
dt = 0.002
expect = "upright"

[[robot]]
model = "biped10"
name = "ann"
position = [0.0, 1.0]
heading = 1.5

[[robot]]
model = "biped10"
name = "bob"
position = [0.0, -1.0, 0.6]
velocity = [0.1, 0.0, 0.0]

[robot.joints]
left_knee = 0.7

[[object]]
model = "ball"
options = { radius = 0.1, mass = 2.0 }
position = [1.0, 0.0]
above = 0.25

[ground]
kind = "slope"
angle = 0.0
material = "ice"

[contact]
model = "Coulomb"
mu_static = 0.3
mu_kinetic = 0.2

[[material]]
pair = ["ice", "ground"]
mu_static = 0.9

[[controller]]
kind = "hold"
robot = "bob"
stiffness = 100
damping = 5.0

[[push]]
body = "bob/trunk"
force = [1.0, 0.0, 0.0]
start = 0.1
stop = 0.2

[[force]]
body = "ann/trunk"
time = [
  0.0,
  0.5, # [s]
]
force = [[0, 0, 0], [1, 0, 0]]
"""


def read(tmp_path, text):
    path = tmp_path / "scene.toml"
    path.write_text(text)
    return read_scene(path)


def line_of(text, words):
    """Number of the line that holds some words."""
    return next(k for k, line in enumerate(text.splitlines(), start=1) if words in line)


def test_a_whole_scene_is_read(tmp_path):
    scene = read(tmp_path, SCENE)
    assert (scene.name, scene.duration, scene.dt, scene.expect) == (
        "two bipeds",
        0.5,
        0.002,
        "upright",
    )
    assert scene.contact == st.Coulomb(mu_static=0.3, mu_kinetic=0.2)
    assert scene.materials == {("ice", "ground"): {"mu_static": 0.9}}
    assert scene.ground == st.Slope(0.0, material="ice")
    assert scene.forces[0] == st.Push("bob/trunk", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.1, 0.2)
    world = scene.world()
    assert [robot.name for robot in world.robots] == ["ann", "bob", "ball"]
    assert world.robots[2].total_mass == pytest.approx(2.0)


def test_bodies_start_where_the_scene_has_them(tmp_path):
    scene = read(tmp_path, SCENE)
    world, state = scene.world(), scene.start()
    standing = st.World(st.robots.biped10()).standing().q
    ann, bob, ball = state.q[:17], state.q[17:34], state.q[34:]
    np.testing.assert_allclose(ann[:3], [0.0, 1.0, standing[2]], atol=1e-12)
    assert 2 * math.atan2(ann[6], ann[3]) == pytest.approx(1.5)
    np.testing.assert_allclose(bob[:3], [0.0, -1.0, 0.6])
    assert bob[7 + 2] == 0.7  # left_knee, the third joint
    np.testing.assert_allclose(ball[:3], [1.0, 0.0, 0.35])  # its radius, and so far above
    assert state.v[16] == 0.1 and np.count_nonzero(state.v) == 1
    assert len(scene.controller(world)) == 1


def test_a_scene_needs_only_what_it_shows_its_robot_and_a_duration(tmp_path):
    scene = read(tmp_path, 'shows = "a ball"\nduration = 1\n[robot]\nmodel = "ball"\n')
    assert scene.name == "scene" and scene.ground == st.Plane()
    assert scene.contact == st.GaussSeidel() and scene.controller(scene.world()) is None


def test_objects_that_do_not_move_are_scenery(tmp_path):
    text = """
shows = "a ball in a room, on stairs"
duration = 1
[robot]
model = "ball"
position = [1.0, 0.0]
[[object]]
model = "room"
[[object]]
model = "box"
position = [0.0, 1.0]
above = 0.1
[[object]]
model = "stairs"
options = { count = 2 }
position = [-1.0, 0.0, 0.2]
heading = 1.5
[[object]]
model = "table"
position = [0.0, -1.0]
fixed = true
"""
    scene = read(tmp_path, text)
    world, state = scene.world(), scene.start()
    assert [robot.name for robot in world.robots] == ["ball", "box", "room", "stairs", "table"]
    np.testing.assert_allclose(state.q[:3], [1.0, 0.0, 0.05], atol=1e-12)
    np.testing.assert_allclose(state.q[7:10], [0.0, 1.0, 0.3], atol=1e-12)
    place = world.scenery.name.tolist().index("stairs/step_1")
    turned = [0.5 * math.cos(1.5) * 1.3, 0.5 * math.sin(1.5) * 1.3]  # its middle is at 0.65 m
    np.testing.assert_allclose(
        world.scenery.position[place], [turned[0] - 1.0, turned[1], 0.2 + 0.075], atol=1e-12
    )
    place = world.scenery.name.tolist().index("table/table_top")
    np.testing.assert_allclose(world.scenery.position[place], [0.0, -1.0, 0.73], atol=1e-12)


def test_what_is_fixed_has_no_velocity_and_is_fixed_or_not(tmp_path):
    text = 'shows = "a"\nduration = 1\n[robot]\nmodel = "ball"\n[[object]]\nmodel = "table"\n'
    scene = read(tmp_path, text + "position = [2, 0]\nfixed = true\nvelocity = [1, 0, 0]\n")
    with pytest.raises(InputError, match="velocity and turning are only for free bases"):
        scene.start()
    with pytest.raises(SceneFileError, match="line 7: .*fixed: is 1; give true or false"):
        read(tmp_path, text + "fixed = 1\n")


def test_a_robot_that_does_not_move_is_refused(tmp_path):
    scene = read(tmp_path, 'shows = "walls"\nduration = 1\n[robot]\nmodel = "room"\n')
    with pytest.raises(
        InputError, match="line 3: robot: 'room' has no moving joint; give it as an"
    ):
        scene.world()


BAD_INERTIA = """<robot name="r"><link name="l"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


def test_a_file_is_read_with_the_options_of_the_scene(tmp_path):
    (tmp_path / "r.urdf").write_text(BAD_INERTIA)
    text = 'shows = "a"\nduration = 1\n[robot]\nfile = "r.urdf"\n'
    with pytest.raises(StictionError, match="none may exceed the sum of the other two"):
        read(tmp_path, text).world()
    world = read(tmp_path, text + 'inertia = "repair"\nhull_points = 16\n').world()
    assert world.robots[0].inertia[0, 5] < 5
    scene = read(tmp_path, text + 'inertia = "repair"\nhull_points = 1\n')
    with pytest.raises(InputError, match="line 3: robot: hull_points is 1; give a whole number"):
        scene.world()


def test_a_body_has_the_turn_of_its_scene(tmp_path):
    text = 'shows = "a"\nduration = 1\n[robot]\nmodel = "brick"\nposition = [0, 0, 1]\n'
    scene = read(tmp_path, text + "turn = [0.8, 0.6, 0.0, 0.0]\n")
    np.testing.assert_allclose(scene.start().q, [0, 0, 1, 0.8, 0.6, 0, 0])
    with pytest.raises(SceneFileError, match="turn: is given in addition to heading"):
        read(tmp_path, text + "heading = 1.0\nturn = [1.0, 0.0, 0.0, 0.0]\n")
    with pytest.raises(InputError, match="line 3: robot: .*turn"):
        read(tmp_path, text + "turn = [0.0, 0.0, 0.0, 0.0]\n").world()


def test_bodies_touch_themselves_where_the_scene_says_so(tmp_path):
    robot = '[[robot]]\nmodel = "biped10"\nposition = [{}, 0.0]\n'
    text = 'shows = "a"\nduration = 1\n' + robot.format(0.0) + robot.format(1.0)
    assert read(tmp_path, text).world().self_collision == ()
    world = read(tmp_path, text + "self_collision = true\n").world()
    assert world.self_collision == ("biped10_2",)


# name of the error, what in SCENE is changed into what, words of the message
ERRORS = [
    ("misspelt key", "duration = 0.5", "duraton = 0.5", "did you mean 'duration'?"),
    ("misspelt key of a table", "heading = 1.5", "headin = 1.5", "did you mean 'heading'?"),
    ("text for a number", "dt = 0.002", 'dt = "2 ms"', "is '2 ms'; give a number in s"),
    ("negative time", "dt = 0.002", "dt = -0.002", "give a number in s, more than 0"),
    ("not finite", "above = 0.25", "above = inf", "give a number in m"),
    ("true for a number", "above = 0.25", "above = true", "is True; give a number in m"),
    ("one number too few", "[0.0, 1.0]", "[0.0]", "is [0.0]; give 2 or 3 numbers in m"),
    ("unknown robot", '"ball"', '"bal"', "it can be ball, biped10"),
    ("unknown contact model", '"Coulomb"', '"Columb"', "did you mean 'Coulomb'?"),
    ("unknown parameter", "mu_static = 0.3", "mu_statik = 0.3", "did you mean 'mu_static'?"),
    ("parameter out of range", "mu_kinetic = 0.2", "mu_kinetic = -0.2", "mu_kinetic"),
    ("unknown material parameter", "mu_static = 0.9", "my_static = 0.9", "did you mean"),
    ("unknown ground", '"slope"', '"slop"', "did you mean 'slope'?"),
    ("too steep", "angle = 0.0", "angle = 2.0", "magnitude below pi/2"),
    ("unknown kind of control", '"hold"', '"wakl"', "did you mean 'walk'?"),
    ("parameter of a control", "stiffness = 100", "stifness = 100", "did you mean 'stiffness'?"),
    ("wrong type for a control", "stiffness = 100", 'stiffness = "high"', "give a number"),
    ("unknown robot of a control", 'robot = "bob"', 'robot = "bop"', "did you mean 'bob'?"),
    ("unknown expectation", '"upright"', '"flies"', "it can be upright, falls, slips"),
    ("push that ends too soon", "stop = 0.2", "stop = 0.05", "more than 0.1"),
    ("times of a force", "  0.0,", "  0.7,", "give increasing times"),
    ("rows of a force", "[[0, 0, 0], [1, 0, 0]]", "[[0, 0], [1, 0]]", "rows of 3 numbers in N"),
    ("pair of one", '["ice", "ground"]', '["ice"]', "give two names"),
    ("option of a robot", "radius = 0.1", "raduis = 0.1", "did you mean 'radius'?"),
    ("two sources", 'model = "ball"', 'model = "ball"\nfile = "b.xml"', "has model and file"),
    ("inertia without a file", "heading = 1.5", 'inertia = "repair"', "is only for files"),
    ("hull_points without a file", "heading = 1.5", "hull_points = 32", "is only for files"),
    ("turn of three", "heading = 1.5", "turn = [1, 0, 0]", "is [1, 0, 0]; give 4 numbers"),
    ("half a truth", "heading = 1.5", 'self_collision = "yes"', "give true or false"),
    ("file that is not there", 'model = "ball"', 'file = "b.xml"', "there is no file"),
]


@pytest.mark.parametrize(
    ("before", "after", "words"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS]
)
def test_an_error_names_the_file_the_key_and_its_line(tmp_path, before, after, words):
    text = SCENE.replace(before, after, 1)
    assert text != SCENE
    changed = line_of(text, after.splitlines()[-1])
    if after == "  0.7,":
        changed -= 1  # the key is on the line before
    if "\n" in after:
        changed -= 2  # the table has two of its keys
    if after.startswith("file"):
        text = text.replace("options = { radius = 0.1, mass = 2.0 }\n", "")
    with pytest.raises(SceneFileError) as error:
        read(tmp_path, text)
    assert words in str(error.value)
    assert f"scene.toml, line {changed}: " in str(error.value)
    key = after.strip().partition(" ")[0]
    if "=" in after and "\n" not in after and not after.startswith("radius"):
        assert f"{key}: " in str(error.value) or f".{key}" in str(error.value)


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ('shows = "Two of them, and a ball"\n', "line 1: shows: is missing; give a quoted string"),
        ("duration = 0.5\n", "duration: is missing, and no planned motion has one"),
        ("damping = 5.0\n", "controller[0].damping: is missing; 'hold' needs it"),
        ("start = 0.1\n", "push[0].start: is missing; give a number in s"),
    ],
)
def test_a_missing_key_is_told(tmp_path, gone, words):
    with pytest.raises(SceneFileError) as error:
        read(tmp_path, SCENE.replace(gone, "", 1))
    assert words in str(error.value)


def test_what_is_not_toml_is_told_with_its_line(tmp_path):
    with pytest.raises(SceneFileError, match=r"scene.toml, line 2: not TOML"):
        read(tmp_path, 'shows = "a"\nduration = = 1\n')


def test_a_scene_without_a_robot_is_refused(tmp_path):
    with pytest.raises(SceneFileError, match=r"robot: is missing; give one \[robot\]"):
        read(tmp_path, 'shows = "nothing"\nduration = 1.0\n')


def test_a_second_control_for_a_robot_is_refused(tmp_path):
    text = SCENE + '[[controller]]\nkind = "hold"\nrobot = "bob"\nstiffness = 1\ndamping = 1\n'
    with pytest.raises(SceneFileError, match=r"controller\[1\]: a second one for robot 'bob'"):
        read(tmp_path, text)


def test_what_a_planned_motion_refuses_is_told_with_the_line_of_its_table(tmp_path):
    text = 'shows = "x"\n[robot]\nmodel = "ball"\n[controller]\nkind = "walk"\n'
    scene = read(tmp_path, text)
    with pytest.raises(InputError, match=r"scene.toml, line 4: controller: robot 'ball'"):
        scene.start()


def test_a_joint_that_the_robot_does_not_have_is_told_with_the_line(tmp_path):
    text = SCENE.replace("left_knee = 0.7", "middle_knee = 0.7")
    with pytest.raises(InputError, match=r"line 14: robot\[1\]: robot 'bob' has no joint 'middle"):
        read(tmp_path, text).world()


def test_missing_data_are_told_with_where_they_come_from(tmp_path, monkeypatch):
    text = 'shows = "x"\nduration = 1\n[robot]\ndata = "robots/a.xml"\norigin = "the moon"\n'
    scene = read(tmp_path, text)
    assert scene.needs == ("robots/a.xml",)
    monkeypatch.delenv("STICTION_DATA", raising=False)
    with pytest.raises(InputError, match="set STICTION_DATA to the folder .*from the moon"):
        scene.world()
    monkeypatch.setenv("STICTION_DATA", str(tmp_path))
    with pytest.raises(InputError, match="a.xml is missing; it comes from the moon"):
        scene.world()
    with pytest.raises(SceneFileError, match="line 3: robot.origin: is missing"):
        read(tmp_path, text.replace('origin = "the moon"\n', ""))


def test_rough_ground_is_the_same_for_the_same_seed_and_level_where_told():
    one, two = rough(0.01, 0.1, (1.0, 0.6), 0.2, 3), rough(0.01, 0.1, (1.0, 0.6), 0.2, 3)
    assert one == two and one != rough(0.01, 0.1, (1.0, 0.6), 0.2, 4)
    assert one.heights.shape == (7, 11)
    assert np.abs(one.heights).max() <= 0.01 and (one.heights != 0).sum() > 50
    assert one.heights[3, 5] == 0.0 and one.heights[2, 5] == 0.0


def test_lines_are_found_in_all_ways_to_write_a_key():
    text = "\n".join(
        [
            "a.b = 1",
            '"c d" = """',
            "e = 2",
            '"""',
            "[[f]]",
            "g = [",
            "  # h = 3",
            "  '[',",
            "]",
            "[f.i]",
            "j = { k = 4 }",
            "[[f]]",
            "g = 5",
        ]
    )
    lines = Lines.of(text)
    expected = {
        ("a", "b"): 1,
        ("c d",): 2,
        ("f", 0): 5,
        ("f", 0, "g"): 6,
        ("f", 0, "i", "j"): 11,
        ("f", 0, "i", "j", "k"): 11,
        ("f", 1, "g"): 13,
        ("f", 1, "missing"): 12,
        ("e",): 1,
    }
    assert {path: lines.line(path) for path in expected} == expected


JUNK = ["-1", "nan", '"text"', "true", "[]", "{}", "[[1, 2], [3]]", "[1, 2, 3]", "1979-05-27"]


@pytest.mark.parametrize("junk", JUNK)
def test_whatever_stands_in_the_place_of_a_value_no_foreign_error_comes_up(junk, tmp_path):
    lines = SCENE.splitlines()
    refused = 0
    for k, line in enumerate(lines):
        key, equals, value = line.partition(" = ")
        if not equals or value == "[":
            continue
        text = "\n".join([*lines[:k], f"{key} = {junk}", *lines[k + 1 :]])
        try:
            read(tmp_path, text).start()
        except st.StictionError:
            refused += 1
    assert refused >= 20  # of 36 keys


def test_a_force_on_nothing_is_told_with_its_line(tmp_path):
    scene = read(tmp_path, SCENE.replace("bob/trunk", "bob/tail"))
    line = line_of(SCENE, "bob/trunk")
    with pytest.raises(InputError, match=rf"line {line}: push\[0\].body: no link or frame 'bob/ta"):
        scene.simulate()


def test_frictions_that_do_not_go_together_are_told_with_the_line(tmp_path):
    text = SCENE.replace("mu_kinetic = 0.2", "mu_kinetic = 0.4")
    line = line_of(SCENE, "[contact]")
    with pytest.raises(SceneFileError, match=rf"line {line}: contact: .*at least mu_kinetic"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("restitution = 1.5", "Coulomb: restitution is 1.5; give a number from 0 to 1"),
        ("tolerance = 1e-3", "Coulomb has one 'tolerance' for all pairs"),
    ],
)
def test_what_the_model_does_not_take_for_a_pair_is_told_with_the_line(tmp_path, value, words):
    text = SCENE.replace("mu_static = 0.9", value)
    with pytest.raises(SceneFileError) as error:
        read(tmp_path, text)
    assert f"line {line_of(text, value)}: material[0].{value.split()[0]}: " in str(error.value)
    assert words in str(error.value)


def test_frictions_of_a_pair_that_do_not_go_together_are_told_with_the_line(tmp_path):
    text = SCENE.replace("mu_static = 0.9", "mu_static = 0.1\nmu_kinetic = 0.2")
    line = line_of(SCENE, "[[material]]")
    with pytest.raises(SceneFileError, match=rf"line {line}: material\[0\]: mu_kinetic is 0.2 and"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('kind = "steps"\nrise = 0.0', "no rise may be 0"),
        ('kind = "steps"\nrise = [0.1, 0.2]\nrun = [0.3, 0.3]', "one run fewer"),
        ('kind = "rough"\namplitude = -1.0', "give a number in m, at least 0"),
        ('kind = "rough"\namplitude = 0.1\nspacing = 0.1', "size: is missing"),
        ('kind = "rough"\namplitude = 0.1\nspacing = 0.1\nsize = [1, 1]\nseed = -1', "seed is -1"),
        ('kind = "heights"\nheights = [[0, 1]]\nspacing = 0.1', "2 x 2 or more"),
    ],
)
def test_a_wrong_ground_is_told(tmp_path, lines, words):
    text = f'shows = "x"\nduration = 1\n[robot]\nmodel = "ball"\n[ground]\n{lines}\n'
    with pytest.raises(SceneFileError, match="line [5-9]: ground") as error:
        read(tmp_path, text)
    assert words in str(error.value)
