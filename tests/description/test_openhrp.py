"""OpenHRP models: tiny ones, good and broken, and the sample humanoid against its tables."""

import json
from collections import Counter
from math import inf

import numpy as np
import pinocchio as pin
import pytest

from conftest import data_file
from kernels.pinocchio_oracle import Oracle
from mechanisms import fewer
from stiction.description.description import WORLD
from stiction.description.openhrp import read_openhrp, read_openhrp_text
from stiction.description.rotation import matrix, symmetric
from stiction.errors import DescriptionError, InputError, ModelFileError
from stiction.robot.robot import Robot
from stiction.world.mechanics import bias_force, centre_of_mass, forward_dynamics, inertia, jacobian
from stiction.world.world import World

pytestmark = pytest.mark.interpreted


SAMPLE = ("robots", "openhrp3_sample")
HEADER = "#VRML V2.0 utf8\n"
UNIT = "momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ]"
BODY = f"DEF BODY Segment {{ mass 2 {UNIT} }}"
TURN = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]  # a quarter about y


def arm(joint="", children=BODY, kind="rotate"):
    hinge = f'DEF ARM Joint {{ jointType "{kind}" {joint} children [ {children} ] }}'
    root = f'DEF BASE Joint {{ jointType "fixed" translation 1 2 3 children [ {hinge} ] }}'
    return f"{HEADER}DEF ROBOT Humanoid {{ humanoidBody {root} }}"


def read(text, **options):
    return read_openhrp_text(text, "robot.wrl", **options)


def the_arm(joint="", children=BODY, kind="rotate"):
    description = read(arm(joint, children, kind))
    return description.joints[1], description.links[1], description


def the_shape(geometry, around="{}"):
    shape = around.format(f"Shape {{ geometry {geometry} }}")
    description = read(arm(children=f"DEF BODY Segment {{ mass 2 {UNIT} children [ {shape} ] }}"))
    (found,) = description.shapes
    return found, description.notes


def refusal(text, **options):
    with pytest.raises(ModelFileError) as caught:
        read(text, **options)
    message = str(caught.value)
    assert message.startswith("robot.wrl")
    return message


def named(elements):
    return {element.name: element for element in elements}


# ------------------------------------------------------------------------------ the sample humanoid


def table(name):
    return {joint["name"]: joint for joint in json.loads(_text(f"{name}_links.json"))["joints"]}


def _text(name):
    return data_file(*SAMPLE, name).read_text()


def sample(name):
    return read_openhrp(data_file(*SAMPLE, f"{name}.wrl"))


def patterns():
    return np.load(data_file(*SAMPLE, "walk_patterns.npz"))


@pytest.mark.parametrize("name, boxes", [("sample", 18), ("sample1", 21)])
def test_sample_has_the_golden_counts(name, boxes):
    """Golden numbers of sample.wrl; sample1.wrl has three more boxes, as its table says."""
    description = sample(name)
    kinds = Counter(shape.kind for shape in description.shapes)
    assert (len(description.joints), len(description.links)) == (30, 30)
    assert Counter(joint.type for joint in description.joints) == {"free": 1, "revolute": 29}
    assert kinds == {"box": boxes, "cylinder": 31}
    assert sum(link.mass for link in description.links) == pytest.approx(130.8, abs=1e-10)
    assert description.notes == ()


@pytest.mark.parametrize(
    "name, centre, sole",
    [("sample", (0.0382, 0.0, 0.0463), -0.708), ("sample1", (0.009, 0.0, 0.076), -0.723)],
)
def test_sample_stands_as_the_golden_numbers_say(name, centre, sole):
    """At the first row of the walking pattern, whose angles have three digits."""
    description = sample(name)
    robot = Robot.from_description(description)
    world = World(robot)
    angles = dict(zip(patterns()["joint_names"], patterns()["walkA_q"][0], strict=True))
    q = np.array([0.0, 0, 0, 1, 0, 0, 0, *(angles[j.name] for j in description.joints[1:])])
    np.testing.assert_allclose(centre_of_mass(world, q), centre, rtol=0, atol=5.1e-5)
    lowest = min(corner[2] for corner in _corners(description, q))
    assert lowest == pytest.approx(sole, abs=1e-5)


def _corners(description, q):
    """Corners of all boxes in the world, by plain products of poses."""
    poses = {WORLD: (np.zeros(3), np.eye(3))}
    for i, joint in enumerate(description.joints):
        p, R = poses[joint.parent]
        R_joint = R @ matrix(joint.quaternion)
        angle = 0.0 if joint.type == "free" else q[6 + i]
        axis = np.array(joint.axis)
        K = np.cross(np.eye(3), axis) * -1.0
        turn = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        poses[joint.child] = (p + R @ np.array(joint.position), R_joint @ turn)
    for shape in description.shapes:
        if shape.kind == "box":
            p, R = poses[shape.link]
            for signs in np.ndindex(2, 2, 2):
                corner = (2 * np.array(signs) - 1) * shape.size
                local = np.array(shape.position) + matrix(shape.quaternion) @ corner
                yield p + R @ local


@pytest.mark.parametrize("name", ["sample", "sample1"])
def test_sample_has_the_links_and_joints_of_its_table(name):
    description, expected = sample(name), table(name)
    assert [joint.name for joint in description.joints] == list(expected)
    for link, joint in zip(description.links, description.joints, strict=True):
        row = expected[joint.name]
        assert (joint.child, joint.parent) == (joint.name, row["parent"] or WORLD)
        assert link.mass == row["mass"]
        assert list(link.centre) == row["com"]
        assert symmetric(link.inertia).tolist() == row["inertia_about_com"]
        assert joint.lower == (-inf if row["llimit"] is None else row["llimit"])
        assert joint.upper == (inf if row["ulimit"] is None else row["ulimit"])
        if joint.type == "free":
            continue
        assert joint.type == {"rotate": "revolute"}[row["type"]]
        assert list(joint.axis) == row["axis"]
        assert list(joint.position) == row["translation"]
        turn = row["rotation_axis_angle"]
        expected_R = pin.exp3(np.array(turn[:3], float) / np.linalg.norm(turn[:3]) * turn[3])
        np.testing.assert_allclose(matrix(joint.quaternion), expected_R, rtol=0, atol=1e-14)
        rotor = row["rotor_inertia"] * row["gear_ratio"] ** 2
        assert joint.armature == pytest.approx(rotor, rel=1e-15)
        assert joint.speed_limit == (inf if row["uvlimit"] is None else row["uvlimit"])


@pytest.mark.parametrize("name", ["sample", "sample1"])
def test_sample_has_the_shapes_of_its_table(name):
    description = sample(name)
    for joint, row in table(name).items():
        ours = [shape for shape in description.shapes if shape.link == joint]
        assert sorted(map(_facts, ours)) == sorted(map(_table_facts, row["shapes"]))


def _facts(shape):
    """Kind, size, position and, as a cylinder and a box look the same upside down, |axes|."""
    R = np.abs(matrix(shape.quaternion))
    axes = R[:, 2:] if shape.kind == "cylinder" else R
    numbers = [*shape.size, *shape.position, *axes.ravel()]
    return (shape.kind, *(round(float(x), 4) + 0.0 for x in numbers))


def _table_facts(row):
    R = np.abs(np.array(row["rotation"]))
    if row["type"] == "Box":
        numbers = [*np.array(row["size"]) / 2, *row["position"], *R.ravel()]
    else:
        numbers = [row["radius"], row["height"] / 2, *row["position"], *R[:, 1]]
    return (row["type"].lower(), *(round(float(x), 4) + 0.0 for x in numbers))


def test_sample_has_the_sensors_of_its_table():
    for name in ("sample", "sample1"):
        description = sample(name)
        frames = named(description.frames)
        expected = {
            sensor["name"]: (sensor["type"], joint, sensor["translation"])
            for joint, row in table(name).items()
            for sensor in row["sensors"]
        }
        found = {
            sensor.name: (sensor.kind, frames[sensor.target].link, _places(frames, sensor))
            for sensor in description.sensors
        }
        assert found == expected


def _places(frames, sensor):
    return list(frames[sensor.target].position)


def test_sample_starts_where_its_root_joint_says():
    for name, height in (("sample", 0.7135), ("sample1", 0.7235)):
        description = sample(name)
        (home,) = description.keyframes
        assert home.name == "home"
        assert home.q == (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0, *(0.0,) * 29)
        assert home.v == (0.0,) * 35
        assert Robot.from_description(description).home.tolist() == list(home.q)


def pinocchio_model():
    """The robot of sample1_links.json, built joint by joint."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.80665])
    for name, row in table("sample1").items():
        parent = model.getJointId(row["parent"]) if row["parent"] else 0
        if row["type"] == "free":
            joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
        else:
            turn = np.array(row["rotation_axis_angle"], float)
            R = pin.exp3(turn[:3] / np.linalg.norm(turn[:3]) * turn[3])
            place = pin.SE3(R, np.array(row["translation"]))
            axis = np.array(row["axis"], float)
            joint = model.addJoint(parent, pin.JointModelRevoluteUnaligned(axis), place, name)
            rotor = row["rotor_inertia"] * row["gear_ratio"] ** 2
            model.armature[model.joints[joint].idx_v] = rotor
        body = pin.Inertia(row["mass"], np.array(row["com"]), np.array(row["inertia_about_com"]))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    return model


def random_states(world, count):
    rng = np.random.default_rng(3)
    for _ in range(count):
        turn = rng.normal(size=4)
        q = np.r_[rng.uniform(-2, 2, 3), turn / np.linalg.norm(turn), rng.uniform(-2, 2, 29)]
        yield q, rng.normal(0.0, 2.0, world.nv), rng.normal(0.0, 20.0, world.nv)


def assert_equal(ours, theirs, tolerance):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


def test_sample1_moves_as_pinocchio_says_with_its_rotors():
    """Rounding: the condition of H, below 1e4 with the rotors, times 1e-16, leaves 1e-12."""
    world = World(Robot.from_description(sample("sample1")))
    model = pinocchio_model()
    model.gravity.linear = np.array(world.tree.gravity)
    oracle = Oracle(model, world)
    assert oracle.model.armature.sum() == pytest.approx(29 * 12.0)
    for q, v, u in random_states(world, fewer(200, 3)):
        assert_equal(inertia(world, q), oracle.inertia(q), 1e-11)
        assert_equal(bias_force(world, q, v), oracle.bias_force(q, v), 1e-11)
        assert_equal(centre_of_mass(world, q), oracle.centre_of_mass(q), 1e-11)
        accelerations = oracle.forward_dynamics(q, v, u)
        assert_equal(forward_dynamics(world, q, v, u), accelerations, 1e-11)


def test_the_same_robot_in_vrml_and_urdf_has_the_same_dynamics():
    """Both print the same numbers; a free joint differs only in its name."""
    urdf = pytest.importorskip("stiction.description.urdf")
    one = sample("sample")
    other = urdf.read_urdf(data_file(*SAMPLE, "SR1.urdf"), base="floating")
    worlds = [World(Robot.from_description(description)) for description in (one, other)]
    assert worlds[0].nv == worlds[1].nv == 35
    names = [[j.name for j in d.joints if j.type == "revolute"] for d in (one, other)]
    order = [names[0].index(name) for name in names[1]]
    q_order = [*range(7), *(7 + i for i in order)]
    v_order = [*range(6), *(6 + i for i in order)]
    for q, v, _ in random_states(worlds[0], fewer(50, 2)):
        H, b = inertia(worlds[0], q), bias_force(worlds[0], q, v)
        assert_equal(inertia(worlds[1], q[q_order]), H[np.ix_(v_order, v_order)], 1e-9)
        assert_equal(bias_force(worlds[1], q[q_order], v[v_order]), b[v_order], 1e-9)


@pytest.mark.parametrize(
    "name, kind, size, mass, position",
    [
        ("box", "box", (0.1, 0.4, 0.1), 0.5, (0.0, 0.0, 0.0)),
        ("box2", "box", (0.1, 0.4, 0.1), 12.8, (0.15, 0.15, 0.3)),
        ("box3", "box", (0.15, 0.15, 0.15), 0.2, (0.55, -0.02, 0.153)),
        ("floor", "box", (2.0, 2.0, 0.1), 0.5, (0.0, 0.0, -0.1)),
        ("longfloor", "hull", (), 0.5, (0.0, 0.0, -0.1)),
    ],
)
def test_objects_beside_the_humanoid_are_read(name, kind, size, mass, position):
    description = sample(name)
    (shape,), (joint,), (link,) = description.shapes, description.joints, description.links
    assert (shape.kind, shape.size, link.mass) == (kind, size, mass)
    q = description.keyframes[0].q
    assert (q[:3] if joint.type == "free" else joint.position) == position
    if name == "longfloor":
        assert np.array(shape.vertices).max(axis=0).tolist() == [5.0, 2.0, 0.1]
        assert np.array(shape.vertices).min(axis=0).tolist() == [-2.0, -2.0, -0.1]
        assert "convex hull: box-FACES" in description.notes[0]


# -------------------------------------------------------------------------------------- tiny models


def test_joints_links_and_poses_are_those_of_the_text():
    joint, link, description = the_arm("translation 1 0 0 rotation 0 2 0 1.5707963267948966")
    assert description.name == "ROBOT"
    assert [j.name for j in description.joints] == ["BASE", "ARM"]
    assert description.joints[0].position == (1.0, 2.0, 3.0)
    assert (joint.type, joint.parent, joint.child) == ("revolute", "BASE", "ARM")
    assert joint.axis == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(matrix(joint.quaternion), TURN, atol=1e-15)
    assert (link.mass, link.inertia) == (2.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    assert (joint.lower, joint.upper, joint.speed_limit) == (-inf, inf, inf)


@pytest.mark.parametrize(
    "given, axis",
    [('"X"', (1, 0, 0)), ('"Y"', (0, 1, 0)), ('"Z"', (0, 0, 1)), ("0 3 4", (0, 0.6, 0.8))],
)
def test_an_axis_is_a_letter_or_three_numbers(given, axis):
    joint, _, _ = the_arm(f"jointAxis {given}", kind="slide")
    assert joint.type == "prismatic"
    np.testing.assert_allclose(joint.axis, axis, atol=1e-15)


def test_limits_are_single_numbers_or_lists_and_none_where_empty():
    joint, _, description = the_arm("llimit -1 ulimit [ 2 ] lvlimit [ -3 ] uvlimit [ ]")
    assert (joint.lower, joint.upper, joint.speed_limit) == (-1.0, 2.0, 3.0)
    joint, _, _ = the_arm("climit [ 5 ] gearRatio 10 torqueConst 0.2")
    assert (joint.effort_lower, joint.effort_upper) == (-10.0, 10.0)


def test_limits_of_zero_hold_the_joint_and_are_noted():
    """OpenHRP takes any number for a limit; only an empty list is none."""
    joint, _, description = the_arm("llimit 0 ulimit 0")
    assert (joint.lower, joint.upper) == (0.0, 0.0)
    assert "held at zero by llimit 0 and ulimit 0, as OpenHRP does: ARM" in description.notes[0]


def test_the_rotor_is_felt_through_the_gear():
    assert the_arm("rotorInertia 3e-4 gearRatio 200")[0].armature == pytest.approx(12.0)
    assert the_arm("equivalentInertia 0.7 gearRatio 200")[0].armature == 0.7
    joint, _, description = the_arm("rotorInertia 0.5 gearRatio 2 equivalentInertia 1")
    assert joint.armature == 2.0
    assert "equivalentInertia is not used" in description.notes[0]


def test_defaults_of_a_proto_apply_where_a_field_is_left_out():
    text = arm("rotorInertia 1", "Segment { }").replace(
        HEADER,
        f"""{HEADER}PROTO Segment [ field SFFloat mass 7 exposedField MFFloat momentsOfInertia
        [ 2 0 0 0 2 0 0 0 2 ] field SFVec3f centerOfMass 1 0 0 ] {{ Group {{ }} }}
        PROTO Joint [ field SFFloat gearRatio 3 field SFString jointType "rotate"
        field MFFloat ulimit 1.5 field SFVec3f jointAxis 0 1 0 ] {{ Group {{ }} }}
        """,
    )
    description = read(text)
    joint, link = description.joints[1], description.links[1]
    assert (link.mass, link.centre) == (7.0, (1.0, 0.0, 0.0))
    assert (joint.armature, joint.upper, joint.axis) == (9.0, 1.5, (0.0, 1.0, 0.0))


def test_segments_of_a_joint_are_summed_through_their_transforms():
    """Two equal bodies at x = +1 and -1: the parallel axes add 2 m to the moments about y, z."""
    body = "Segment {{ mass 2 centerOfMass {} momentsOfInertia [ {} ] }}"
    first = body.format("1 0 0", "1 0 0 0 2 0 0 0 3")
    turned = body.format("0 0 0", "3 0 0 0 2 0 0 0 1")
    quarter = "translation -1 0 0 rotation 0 1 0 1.5707963267948966"
    both = f"{first} Transform {{ {quarter} children {turned} }}"
    _, link, _ = the_arm(children=both)
    assert link.mass == 4.0
    np.testing.assert_allclose(link.centre, (0.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(link.inertia, (2.0, 0.0, 0.0, 8.0, 0.0, 10.0), atol=1e-14)


def test_a_humanoid_that_is_moved_takes_its_root_along():
    root = f'DEF W Joint {{ jointType "free" translation 1 0 0 children {BODY} }}'
    quarter = "rotation 0 0 1 1.5707963267948966"
    text = f"{HEADER}Humanoid {{ translation 0 0 5 {quarter} humanoidBody [ {root} ] }}"
    description = read(text)
    assert description.joints[0].type == "free"
    half = np.sqrt(0.5)
    expected = (0, 1, 5, half, 0, 0, half)
    np.testing.assert_allclose(description.keyframes[0].q, expected, atol=1e-15)
    fixed = read(text, base="fixed").joints[0]
    np.testing.assert_allclose((*fixed.position, *fixed.quaternion), expected, atol=1e-15)
    with pytest.raises(InputError, match="'floating', 'fixed', or None"):
        read(text, base="hovering")


def test_sensors_are_frames_of_their_own():
    sensor = 'DEF EYE VisionSensor { translation 0 1 0 type "COLOR" children Shape { %s } }'
    around = f"{BODY} Transform {{ translation 0 0 2 children {sensor} }}"
    _, _, description = the_arm(children=around % "geometry Sphere { radius 0.1 }")
    (frame,), (found,), (shape,) = description.frames, description.sensors, description.shapes
    assert (frame.name, frame.link, frame.position) == ("EYE", "ARM", (0.0, 1.0, 2.0))
    assert (found.kind, found.target, found.target_type) == ("VisionSensor", "EYE", "frame")
    assert (shape.position, shape.collides) == ((0.0, 1.0, 2.0), False)


# ------------------------------------------------------------------------------------------- shapes


def test_primitives_have_their_sizes_and_axes():
    assert the_shape("Box { size 1 2 3 }")[0].size == (0.5, 1.0, 1.5)
    assert the_shape("Box { }")[0].size == (1.0, 1.0, 1.0)
    assert the_shape("Sphere { radius 0.3 }")[0].size == (0.3,)
    cylinder, _ = the_shape("Cylinder { radius 0.2 height 3 }")
    assert (cylinder.kind, cylinder.size) == ("cylinder", (0.2, 1.5))
    np.testing.assert_allclose(matrix(cylinder.quaternion)[:, 2], (0, 1, 0), atol=1e-15)
    plane, _ = the_shape("Plane { size 10 10 0 }")
    assert (plane.kind, plane.size, plane.quaternion) == ("plane", (), (1.0, 0.0, 0.0, 0.0))


def test_a_cone_is_a_hull_with_its_tip_along_y():
    cone, notes = the_shape("Cone { bottomRadius 2 height 6 }")
    vertices = np.array(cone.vertices)
    assert cone.kind == "hull"
    assert (0.0, 3.0, 0.0) in cone.vertices
    np.testing.assert_allclose(np.hypot(*vertices[vertices[:, 1] < 0][:, [0, 2]].T), 2.0)
    assert "Cone replaced by a pyramid of 24 sides" in notes[0]


SCALED = "Transform {{{{ scale {} children {{}} }}}}"


def test_a_scale_leaves_what_it_can_of_a_primitive():
    assert the_shape("Box { }", SCALED.format("1 2 3"))[0].size == (1.0, 2.0, 3.0)
    assert the_shape("Sphere { }", SCALED.format("2 2 2"))[0].size == (2.0,)
    ellipsoid, _ = the_shape("Sphere { }", SCALED.format("1 2 3"))
    axes = matrix(ellipsoid.quaternion)
    assert ellipsoid.kind == "ellipsoid"
    spread = axes @ np.diag(np.square(ellipsoid.size)) @ axes.T
    np.testing.assert_allclose(spread, np.diag([1.0, 4.0, 9.0]), atol=1e-13)
    assert the_shape("Cylinder { }", SCALED.format("2 3 2"))[0].size == (2.0, 3.0)
    hull, notes = the_shape("Cylinder { }", SCALED.format("2 1 1"))
    assert (hull.kind, np.array(hull.vertices).max(axis=0).tolist()) == ("hull", [2.0, 1.0, 1.0])
    assert "Cylinder not round after scaling: replaced by a hull: ARM_Cylinder" in notes[0]
    mirrored, _ = the_shape("Box { size 1 2 3 }", SCALED.format("-1 1 1"))
    assert (mirrored.kind, mirrored.size) == ("box", (0.5, 1.0, 1.5))


def test_a_skewed_box_is_a_hull():
    """Scaled by two along the diagonal of the x-y plane."""
    around = "Transform {{ scale 2 1 1 scaleOrientation 0 0 1 0.7853981633974483 children {} }}"
    hull, notes = the_shape("Box { }", around)
    assert "skewed by its scale" in notes[0]
    expected = np.array([[1.5, 0.5, 0.0], [0.5, 1.5, 0.0], [0.0, 0.0, 1.0]])
    corners = {tuple(np.round(expected @ (2 * np.array(s) - 1), 9)) for s in np.ndindex(2, 2, 2)}
    assert {tuple(np.round(vertex, 9)) for vertex in hull.vertices} == corners


def test_a_transform_turns_about_its_centre():
    around = """Transform {{ translation 10 0 0 children
        Transform {{ center 1 0 0 rotation 0 0 1 3.141592653589793 children {} }} }}"""
    np.testing.assert_allclose(the_shape("Sphere { }", around)[0].position, (12, 0, 0), atol=1e-14)


TETRAHEDRON = "point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1, 9 9 9 ]"


def test_a_face_set_is_the_hull_of_the_points_it_uses():
    faces = "coordIndex [ 0 1 2 -1 0 1 3 -1 1 2 3 -1 0 3 2 ]"
    hull, notes = the_shape(
        f"DEF TENT IndexedFaceSet {{ coord Coordinate {{ {TETRAHEDRON} }} {faces} }}"
    )
    assert set(hull.vertices) == {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert notes == ("IndexedFaceSet replaced by its convex hull: TENT",)


def test_a_mesh_of_many_points_keeps_its_outermost_ones():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(5000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    listed = " ".join(f"{x:.6f}" for x in points.ravel())
    faces = " ".join(map(str, range(5000)))
    hull, notes = the_shape(
        f"IndexedFaceSet {{ coord Coordinate {{ point [ {listed} ] }} coordIndex [ {faces} ] }}"
    )
    assert len(hull.vertices) == 64
    np.testing.assert_allclose(np.max(hull.vertices, axis=0), points.max(axis=0), atol=1e-6)
    assert 0.0 < hull.error < 0.1  # 64 even caps of a sphere are 14 degrees wide: 0.03 at best
    assert f"at most ARM_IndexedFaceSet by {1e3 * hull.error:.1f} mm" in notes[1]


def test_an_elevation_grid_and_an_extrusion_are_hulls():
    grid = "ElevationGrid { xDimension 3 zDimension 2 xSpacing 2 height [ 0 1 0 0 0 0 ] }"
    hull, _ = the_shape(grid)
    assert (2.0, 1.0, 0.0) in hull.vertices
    assert np.max(hull.vertices, axis=0).tolist() == [4.0, 1.0, 1.0]
    bar, _ = the_shape("Extrusion { spine [ 0 0 0 0 0 4 ] scale [ 1 2 0.5 1 ] }")
    vertices = np.array(bar.vertices)
    assert np.ptp(vertices, axis=0).tolist() == pytest.approx([2.0, 4.0, 4.0])
    assert np.ptp(vertices[vertices[:, 2] > 2], axis=0).tolist() == pytest.approx([1.0, 2.0, 0.0])


def test_a_bent_extrusion_has_its_sections_across_the_spine():
    """A quarter of a turn in the x-y plane: the last section lies in the plane x = 5."""
    spine = "spine [ 0 0 0, 0 5 0, 5 5 0 ] crossSection [ 1 1, 1 -1, -1 -1, -1 1 ]"
    hull, _ = the_shape(f"Extrusion {{ {spine} }}")
    vertices = np.array(hull.vertices)
    last, first = vertices[vertices[:, 0] > 4.5], vertices[np.abs(vertices[:, 1]) < 0.5]
    np.testing.assert_allclose(np.sort(last[:, 1]), [4, 4, 6, 6], atol=1e-12)
    np.testing.assert_allclose(np.sort(first[:, 0]), [-1, -1, 1, 1], atol=1e-12)


def test_what_groups_choose_and_hide_is_what_is_read():
    def sizes(around):
        text = arm(children=f"DEF B Segment {{ mass 2 {UNIT} children [ {around} ] }}")
        return [(shape.size[0], shape.collides) for shape in read(text).shapes]

    one, two = (f"Shape {{ geometry Sphere {{ radius {r} }} }}" for r in (1, 2))
    assert sizes(f"Group {{ children [ {one} {two} ] }}") == [(1.0, True), (2.0, True)]
    assert sizes(f"Switch {{ whichChoice 1 choice [ {one} {two} ] }}") == [(2.0, True)]
    assert sizes(f"Switch {{ choice [ {one} ] }}") == []
    assert sizes(f"LOD {{ level [ {one} {two} ] }}") == [(1.0, True)]
    assert sizes(f"Collision {{ collide FALSE children {one} }}") == [(1.0, False)]
    proxy = f"Collision {{ children {one} proxy {two} }}"
    assert sizes(proxy) == [(1.0, False), (2.0, True)]
    surface = f"Surface {{ visual {one} collision {two} }}"
    assert sizes(f"{surface} {one}") == [(1.0, False), (2.0, True), (1.0, False)]
    assert sizes(f"Viewpoint {{ }} DEF A {one} USE A") == [(1.0, True), (1.0, True)]


def test_inlined_shapes_are_read_from_a_root(tmp_path):
    (tmp_path / "ball.wrl").write_text(f"{HEADER}Shape {{ geometry Sphere {{ }} }}")
    text = arm(children=f'{BODY} Inline {{ url "ball.wrl" }}')
    assert read(text, roots=[tmp_path]).shapes[0].kind == "sphere"
    (tmp_path / "robot.wrl").write_text(text)
    assert read_openhrp(tmp_path / "robot.wrl").shapes[0].kind == "sphere"


def test_nodes_that_are_left_out_are_noted():
    text = arm(children=f"{BODY} Bolt {{ }} Shape {{ geometry Text {{ }} }}")
    text = text.replace(HEADER, HEADER + "PROTO Bolt [ ] { Group { } } Shape { }")
    notes = " | ".join(read(text).notes)
    assert "ignored, because they are outside the Humanoid: Shape" in notes
    assert "PROTOs of which only the children are read: Bolt" in notes
    assert "Text ignored, because it is not solid: ARM_Text" in notes


# ----------------------------------------------------------------------------------------- refusals


def shaped(geometry):
    return arm(children=f"{BODY} Shape {{ geometry {geometry} }}")


BROKEN = {
    HEADER: "has no Humanoid node; an OpenHRP model has one",
    HEADER + "Humanoid { }": "has nothing in humanoidBody; expected one Joint",
    HEADER + "Humanoid { humanoidBody Group { } }": "has a Group without DEF in humanoidBody",
    arm() + " Humanoid { }": "is a second Humanoid",
    arm(kind="crawler"): "Joint 'ARM' has jointType 'crawler', a track, which is not simulated",
    arm(kind="screw"): "has jointType 'screw'; this reader knows free, fixed, rotate, slide",
    arm(kind=""): "has jointType ''",
    arm(kind="free"): "Joint 'ARM' is free; only the root of a robot can be",
    arm("jointAxis 0 0 0"): "has jointAxis 0 0 0; give a direction",
    arm('jointAxis "W"'): "has jointAxis 'W'; it is X, Y, Z or three numbers",
    arm("jointAxis 0 1"): "has 2 numbers in jointAxis; expected 3 numbers",
    arm("rotation 0 0 0 1"): "has rotation by 1 about 0 0 0; give an axis",
    arm(
        "llimit 2 ulimit 1"
    ): "has llimit 2 and ulimit 1; the lower limit must not exceed the upper",
    arm("ulimit [ 1 2 3 ]"): "has 3 numbers in ulimit",
    arm('ulimit "much"'): "has 1 strings in ulimit",
    arm("scale 2 2 2"): "has scale 2 2 2; only shapes can be scaled",
    arm("center 1 0 0 rotation 0 0 1 1"): "remove center",
    arm("jointId 1.5"): "has jointId 1.5; expected a whole number",
    arm("rotorInertia -1"): "has rotorInertia -1",
    arm("rotorInertia 1 gearRatio 1e200"): "infinitely heavy",
    arm("jointTyp 3"): "has no field 'jointTyp'",
    arm().replace("DEF ARM", ""): "a Joint without DEF has no name",
    arm().replace("DEF ARM", "DEF BASE"): "Joint 'BASE' is defined twice",
    arm().replace("DEF ARM", "DEF world"): "reserved for the fixed world; rename it",
    arm(children="Segment { mass -2 }"): "has mass -2; it must not be negative",
    arm(children=f"Segment {{ mass 0 {UNIT} }}"): "has mass 0 and momentsOfInertia",
    arm(children="Segment { mass 2 momentsOfInertia [ 1 0 0 1 0 1 ] }"): "expected 9 numbers",
    arm(children="Segment { mass 2 momentsOfInertia [ 1 1 0 0 1 0 0 0 1 ] }"): "not symmetric",
    arm(children=f"Segment {{ children {BODY} }}"): "is inside Segment 'without DEF'",
    arm(children="DEF S Segment { children DEF J Joint { } }"): "is inside Segment 'S'",
    arm(children=f"Transform {{ scale 2 2 2 children {BODY} }}"): "a Transform with a scale",
    arm(children=f"Transform {{ scale 1 0 1 children {BODY} }}"): "none may be zero",
    arm(children=f"{BODY} Box {{ }}"): "cannot be a child; put geometry into a Shape",
    shaped("Box { size 1 -1 1 }"): "has size 1 -1 1; expected positive numbers",
    shaped("Sphere { radius 0 }"): "has radius 0; expected positive numbers",
    shaped("Sphere { radius TRUE }"): "expected 1 numbers",
    shaped("Material { }"): "is not a geometry",
    shaped("IndexedFaceSet { coord Normal { } }"): "expected a Coordinate",
    shaped(f"IndexedFaceSet {{ coord Coordinate {{ {TETRAHEDRON} }} coordIndex 5 }}"): "5 points",
    shaped(f"IndexedFaceSet {{ coord Coordinate {{ {TETRAHEDRON} }} coordIndex 0.5 }}"): "0.5",
    shaped("IndexedFaceSet { coord Coordinate { point [ 1 2 ] } }"): "a multiple of 3",
    shaped("ElevationGrid { xDimension 2 zDimension 2 height 1 }"): "dimensions 2 x 2",
    shaped("Extrusion { scale [ 1 1 1 1 1 1 ] }"): "has 3 values in scale and 2 spine points",
}


@pytest.mark.parametrize("text", BROKEN, ids=BROKEN.values())
def test_what_is_broken_is_named(text):
    message = refusal(text)
    assert BROKEN[text] in message
    assert message.startswith("robot.wrl, line 2: ") or "no Humanoid" in message


def test_rules_for_all_formats_hold_here_too():
    flat = "Segment { mass 2 momentsOfInertia [ 1 0 0 0 1 0 0 0 5 ] }"
    with pytest.raises(DescriptionError, match="robot.wrl: link 'ARM' has principal moments"):
        read(arm(children=flat))
    with pytest.raises(DescriptionError, match="neither the link nor its descendants have mass"):
        read(arm(children=""))


def test_a_model_cut_anywhere_is_refused():
    text = arm(
        "llimit -1.5 ulimit [ 1.5 ]",
        f"{BODY} DEF F ForceSensor {{ sensorId 0 }} Shape {{ geometry Box {{ size 1 1 1 }} }}",
    )
    read(text)
    for end in range(len(text) - 1):
        refusal(text[:end])


def test_nodes_used_again_and_again_are_counted():
    """Each level uses the one before it twice: 2^40 boxes from a thousand characters."""
    levels = "DEF L0 Shape { geometry Box { } }" + "".join(
        f" DEF L{i + 1} Group {{ children [ USE L{i} USE L{i} ] }}" for i in range(40)
    )
    text = arm(children=BODY).replace(HEADER, f"{HEADER}{levels}")
    text = text.replace(BODY, f"{BODY} USE L40")
    assert "more than 10000 shapes, counting each USE" in refusal(text)
    assert "more than 100000 nodes, counting each USE" in refusal(
        text.replace("Shape { geometry Box { } }", "Group { }")
    )


def test_frames_of_sensors_have_jacobians():
    description = read(arm(children=f"{BODY} DEF TIP ForceSensor {{ translation 0.5 0 0 }}"))
    world = World(Robot.from_description(description))
    np.testing.assert_allclose(
        jacobian(world, [0.0], "TIP")[:, 0], [0, 0.5, 0, 0, 0, 1], atol=1e-15
    )
