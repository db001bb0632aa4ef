"""OpenSim models, good and broken; dynamics against the same mechanism written as MJCF."""

import json

import numpy as np
import pytest

import stiction as st
from conftest import data_file
from stiction.description.osim import OsimOptions, read_osim_text
from stiction.description.osim_functions import Function
from stiction.description.osim_scale import scale_factors
from stiction.errors import DescriptionError, InputError, ModelFileError
from stiction.metrics.points import link_positions

pytestmark = pytest.mark.interpreted

LOOSE = OsimOptions(forces="ignored", moving_axes="coupled")


def coordinate(name, default=0.0, low=-2.0, high=2.0, flags="<clamped>false</clamped>"):
    values = f"<default_value>{default}</default_value><range>{low} {high}</range>{flags}"
    return f'<Coordinate name="{name}">{values}</Coordinate>'


def body(name, mass=2.0, centre="0 -0.2 0", inertia="0.02 0.01 0.02 0.001 0 0"):
    inside = f"<mass>{mass}</mass><mass_center>{centre}</mass_center><inertia>{inertia}</inertia>"
    return f'<Body name="{name}">{inside}</Body>'


def frame(name, parent, at="0 0 0", turned="0 0 0"):
    inside = f"<socket_parent>{parent}</socket_parent><translation>{at}</translation>"
    inside += f"<orientation>{turned}</orientation>"
    return f'<PhysicalOffsetFrame name="{name}">{inside}</PhysicalOffsetFrame>'


def joint(kind, name, parent, child, coordinates="", at="0 0 0", on_child="0 0 0", more=""):
    frames = frame("p", f"/bodyset/{parent}" if parent != "ground" else "/ground", *at.split("|"))
    frames += frame("c", f"/bodyset/{child}", *on_child.split("|"))
    inside = (
        "<socket_parent_frame>p</socket_parent_frame><socket_child_frame>c</socket_child_frame>"
    )
    inside += f"<coordinates>{coordinates}</coordinates><frames>{frames}</frames>{more}"
    return f'<{kind} name="{name}">{inside}</{kind}>'


def axis(name, direction, function, moved=""):
    inside = f"<coordinates>{moved}</coordinates><axis>{direction}</axis>{function}"
    return f'<TransformAxis name="{name}">{inside}</TransformAxis>'


LINE = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'
ZERO = '<Constant name="function"><value>0</value></Constant>'
KNOTS = "<x>-2 -1 -0.5 0 1 2</x><y>0 0.01 0.012 0.01 0 -0.02</y>"
SPLINE = f'<SimmSpline name="function">{KNOTS}</SimmSpline>'


def knee(along=SPLINE, flags="<clamped>true</clamped>"):
    axes = axis("rotation1", "0 0 1", LINE, "knee") + axis("rotation2", "0 1 0", ZERO)
    axes += axis("translation1", "1 0 0", along, "knee" if along != ZERO else "")
    more = f"<SpatialTransform>{axes}</SpatialTransform>"
    return joint(
        "CustomJoint",
        "knee_r",
        "thigh",
        "shank",
        coordinate("knee", flags=flags),
        "0 -0.4 0",
        more=more,
    )


def model(joints, bodies=("thigh", "shank"), rest="", version=40000):
    inside = "<gravity>0 -9.81 0</gravity><BodySet><objects>"
    inside += "".join(one if one.startswith("<") else body(one) for one in bodies)
    inside += f"</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>{rest}"
    return (
        f'<OpenSimDocument Version="{version}"><Model name="leg">{inside}</Model></OpenSimDocument>'
    )


HIP = joint("PinJoint", "hip_r", "ground", "thigh", coordinate("hip", 0.3), "0 1 0")


def read(text, **options):
    return read_osim_text(text, "leg.osim", **options)


def robot(text, base="coordinates", **options):
    return st.Robot.from_description(read(text, base=base, options=OsimOptions(**options)))


def refusal(text, error=ModelFileError, **options):
    with pytest.raises(error) as caught:
        read(text, **options)
    message = str(caught.value)
    assert "leg.osim" in message and ";" in message  # what was found; what would do
    return message


# ----------------------------------------------------------------------------------------- dynamics


MJCF = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="thigh" pos="0 0 1" quat="0.70710678118654752 0.70710678118654752 0 0">
    <joint name="hip" type="hinge" axis="0 0 1"/>
    <inertial pos="0 -0.2 0" mass="2" fullinertia="0.02 0.01 0.02 0.001 0 0"/>
    <body name="shank" pos="0.05 -0.4 0" euler="0.1 0.2 0.3">
      <joint name="x" type="hinge" axis="1 0 0"/>
      <joint name="y" type="hinge" axis="0 1 0"/>
      <inertial pos="-0.03 -0.2 0.01" mass="2" fullinertia="0.02 0.01 0.02 0.001 0 0"/>
    </body>
  </body></worldbody></mujoco>"""


def test_dynamics_are_those_of_the_same_mechanism_in_mjcf(tmp_path):
    """A pin and a universal joint, with offset frames on both bodies; bias and inertia."""
    universal = joint(
        "UniversalJoint",
        "knee_r",
        "thigh",
        "shank",
        coordinate("x") + coordinate("y"),
        "0.05 -0.4 0|0.1 0.2 0.3",
        "0.03 0 -0.01",
    )
    path, other = tmp_path / "leg.osim", tmp_path / "leg.xml"
    path.write_text(model(HIP + universal))
    other.write_text(MJCF)
    ours, theirs = (st.World(st.load(one), ground=None) for one in (path, other))
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, v = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
        for quantity in (st.mechanics.inertia, st.mechanics.centre_of_mass):
            # MJCF has 17 digits of the rotation by 90 degrees
            assert np.allclose(quantity(ours, q), quantity(theirs, q), atol=1e-12)
        one, two = (st.mechanics.bias_force(world, q, v) for world in (ours, theirs))
        assert np.allclose(one, two, atol=1e-11)


def test_a_spline_is_refused_by_name_and_can_be_fixed_or_coupled():
    message = refusal(model(HIP + knee()))
    assert "'knee_r': translation1" in message and "SimmSpline" in message
    fixed = robot(model(HIP + knee()), moving_axes="fixed")
    assert fixed.nq == 2 and not len(fixed.loop_name)
    assert np.allclose(fixed.joint_position[1], [0.01, -0.4, 0.0])
    coupled = robot(model(HIP + knee()), moving_axes="coupled")
    assert coupled.nq == 3 and coupled.loop_name.tolist() == ["knee/translation1"]
    assert any("knee/translation1 by at most" in note for note in coupled.notes)


def test_a_spline_passes_its_points_and_ends_as_simm_does():
    x, y = np.array([-2.0, -1, -0.5, 0, 1, 2]), np.array([0.0, 0.01, 0.012, 0.01, 0, -0.02])
    simm, natural = (Function((), kind, x, y) for kind in ("SimmSpline", "NaturalCubicSpline"))
    for one in (simm, natural):
        assert np.allclose(one.at(x), y, atol=1e-15)
        outer = one.at(np.array([2.0, 2.5, 3.0]))
        assert outer[2] - outer[1] == pytest.approx(outer[1] - outer[0])  # straight beyond
    h = 1e-3
    ends = natural.at(-2 + h * np.arange(3))
    assert abs(ends @ [1, -2, 1]) / h**2 < 1e-4  # no bend, apart from h times the third derivative
    cubic = x**3 - x  # four points decide a cubic, so all of it is found
    assert np.allclose(Function((), "SimmSpline", x, cubic).at(0.7), 0.7**3 - 0.7)


def test_lengths_and_limits_of_coordinates():
    found = read(model(HIP + knee(ZERO)))
    hip, bend = found.joints
    assert (hip.lower, hip.upper) == (-np.inf, np.inf) and (bend.lower, bend.upper) == (-2.0, 2.0)
    assert any("not clamped" in note and "hip" in note for note in found.notes)
    assert found.keyframes[0].q == (0.3, 0.0)
    locked = read(model(HIP + knee(ZERO, "<locked>true</locked>")))
    assert locked.joints[1].type == "fixed"


@pytest.mark.parametrize("base", ["coordinates", "floating"])
def test_a_base_of_six_coordinates_stands_upright(base):
    names = ("rx", "ry", "rz", "tx", "ty", "tz")
    coordinates = "".join(coordinate(name, 0.9 if name == "ty" else 0.0) for name in names)
    turns = [
        axis(f"rotation{k + 1}", d, LINE, names[k])
        for k, d in enumerate(("1 0 0", "0 1 0", "0 0 1"))
    ]
    slides = [
        axis(f"translation{k + 1}", d, LINE, names[3 + k])
        for k, d in enumerate(("1 0 0", "0 1 0", "0 0 1"))
    ]
    transform = f"<SpatialTransform>{''.join(turns + slides)}</SpatialTransform>"
    free = joint("CustomJoint", "base", "ground", "thigh", coordinates, more=transform)
    one = robot(model(free, ("thigh",)), base=base)
    world = st.World(one, ground=None)
    assert one.nq == (7 if base == "floating" else 6)
    # y of the file is up: 0.9 m, and the centre of mass 0.2 m below
    assert np.allclose(st.mechanics.centre_of_mass(world, one.home), [0, 0, 0.7], atol=1e-12)


def test_format_3_reads_like_format_4():
    old = "<Joint><PinJoint name='hip_r'><parent_body>ground</parent_body>"
    old += "<location_in_parent>0 1 0</location_in_parent><CoordinateSet><objects>"
    old += coordinate("hip", 0.3) + "</objects></CoordinateSet></PinJoint></Joint>"
    inertia = "<mass>2</mass><mass_center>0 -0.2 0</mass_center><inertia_xx>0.02</inertia_xx>"
    inertia += (
        "<inertia_yy>0.01</inertia_yy><inertia_zz>0.02</inertia_zz><inertia_xy>0.001</inertia_xy>"
    )
    ground = '<Body name="ground"><mass>0</mass><Joint/></Body>'
    thigh = f'<Body name="thigh">{inertia}{old}</Body>'
    older = read(model("", (ground, thigh), version=30000))
    newer = read(model(HIP, ("thigh",)))
    assert older.links == newer.links and older.joints == newer.joints


# ------------------------------------------------------------------------------------------ scaling


def test_a_scaled_body_has_the_inertia_of_the_stretched_body():
    """A box of 1 x 2 x 3 m, stretched to 2 x 2 x 1.5 m at the same mass."""
    a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 1.5])
    moments, wanted = (((side @ side) - side**2) * 12.0 / 12.0 for side in (a, b))
    box = body("thigh", 12.0, "0 -1 0", " ".join(map(str, moments)) + " 0 0 0")
    found = read(model(HIP, (box,)), options=OsimOptions(scale={"thigh": tuple(b / a)}))
    link = found.links[0]
    assert np.allclose(np.array(link.inertia)[[0, 3, 5]], wanted) and link.centre == (0, -1, 0)
    heavier = read(model(HIP, (box,)), options=OsimOptions(scale=2.0, mass=24.0)).links[0]
    assert heavier.mass == 24.0 and heavier.centre == (0, -2, 0)
    assert np.allclose(np.array(heavier.inertia)[[0, 3, 5]], 8 * moments)


def test_scale_sets_are_read(tmp_path):
    path = tmp_path / "scale.xml"
    one = "<Scale><scales>1.1 1.2 1.3</scales><segment>thigh</segment><apply>true</apply></Scale>"
    path.write_text(
        f"<OpenSimDocument Version='40000'><ScaleSet>{one}</ScaleSet></OpenSimDocument>"
    )
    assert scale_factors(path) == {"thigh": (1.1, 1.2, 1.3)}
    with pytest.raises(InputError, match="no body 'arm'"):
        read(model(HIP, ("thigh",)), options=OsimOptions(scale={"arm": 1.0}))


# ------------------------------------------------------------------------------------- other parts


def test_muscles_are_refused_by_name_unless_ignored():
    forces = '<ForceSet><objects><Thelen2003Muscle name="soleus"/></objects></ForceSet>'
    text = model(HIP, ("thigh",), forces)
    assert "<Thelen2003Muscle> 'soleus'" in refusal(text)
    assert any("soleus" in note for note in read(text, options=LOOSE).notes)


def test_springs_actuators_markers_and_contact_are_read():
    spring = '<SpringGeneralizedForce name="s"><coordinate>hip</coordinate>'
    spring += "<stiffness>30</stiffness><rest_length>0.1</rest_length><viscosity>2</viscosity>"
    motor = (
        '<CoordinateActuator name="m"><min_control>-Inf</min_control><coordinate>hip</coordinate>'
    )
    motor += "<optimal_force>7</optimal_force></CoordinateActuator>"
    rest = f"<ForceSet><objects>{spring}</SpringGeneralizedForce>{motor}</objects></ForceSet>"
    sphere = '<ContactSphere name="heel"><socket_frame>/bodyset/thigh</socket_frame>'
    sphere += "<location>0 -0.4 0</location><radius>0.05</radius></ContactSphere>"
    floor = '<ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame>'
    floor += "<orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>"
    rest += f"<ContactGeometrySet><objects>{sphere}{floor}</objects></ContactGeometrySet>"
    marker = '<Marker name="KNEE"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>'
    marker += "<location>0.1 0 0</location></Marker>"
    rest += f"<MarkerSet><objects>{marker}</objects></MarkerSet>"
    found = read(model(HIP, ("thigh",), rest))
    [hip] = found.joints
    assert (hip.stiffness, hip.damping, hip.spring_reference) == (30.0, 2.0, 0.1)
    assert found.actuators[0].gain == (7.0, 0.0, 0.0)
    assert found.frames[0].name == "KNEE" and found.frames[0].position == (0.1, 0.0, 0.0)
    one = st.Robot.from_description(found)
    assert one.shape_is_ground.tolist() == [False, True]  # OpenSim's half space faces up here


def test_couplings_of_coordinates_become_loops():
    inner = "<LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction>"
    names = "<independent_coordinate_names>hip</independent_coordinate_names>"
    names += "<dependent_coordinate_name>knee</dependent_coordinate_name>"
    coupler = f'<CoordinateCouplerConstraint name="c">{names}<coupled_coordinates_function>{inner}'
    coupler += "</coupled_coordinates_function></CoordinateCouplerConstraint>"
    rest = f"<ConstraintSet><objects>{coupler}</objects></ConstraintSet>"
    [loop] = read(model(HIP + knee(ZERO), rest=rest)).loops
    assert (loop.first, loop.second, loop.coefficients) == ("knee", "hip", (0.1, 0.5))


BAD = {
    "unknown joint": (
        model(joint("ScapulaJoint", "hip_r", "ground", "thigh"), ("thigh",)),
        "ScapulaJoint",
    ),
    "unknown parent": (model(HIP.replace("/ground", "/bodyset/moon"), ("thigh",)), "moon"),
    "no joint": (model(HIP), "no chain of joints leads from the ground to 'shank'"),
    "mass nan": (model(HIP, (body("thigh", "nan"),)), "finite numbers"),
    "two numbers": (model(HIP, (body("thigh", "1 2"),)), "expected 1 number"),
    "prescribed": (
        model(HIP.replace("<clamped>", "<prescribed>true</prescribed><clamped>"), ("thigh",)),
        "prescribed",
    ),
    "units": (model(HIP, ("thigh",), "<length_units>feet</length_units>"), "feet"),
    "not XML": ("<OpenSimDocument", "is not XML"),
    "entity": ('<!DOCTYPE a [<!ENTITY b "c">]><OpenSimDocument/>', "entity"),
    "other root": ("<robot/>", "<OpenSimDocument>"),
    "old": (model(HIP, ("thigh",), version=10000), "OpenSim 3"),
    "deep": ("<OpenSimDocument>" + "<a>" * 600, "nested"),
    "slope": (
        model(HIP + knee(ZERO).replace("<coefficients>1 0", "<coefficients>2 0")),
        "slope 1 or -1",
    ),
    "two parents": (model(HIP + HIP.replace("hip", "hip2"), ("thigh",)), "one parent"),
    "frames in a circle": (
        model(
            HIP.replace("<socket_parent>/ground", "<socket_parent>/jointset/hip_r/p"), ("thigh",)
        ),
        "does not exist",
    ),
}


@pytest.mark.parametrize("defect", BAD)
def test_a_bad_model_is_refused_with_its_element(defect):
    text, words = BAD[defect]
    assert words in refusal(text)


def test_an_impossible_inertia_is_refused():
    assert "inertia" in refusal(
        model(HIP, (body("thigh", inertia="1 1 3 0 0 0"),)), DescriptionError
    )


# --------------------------------------------------------------------- the subject of the recording


def function_text(given):
    """A function of the .json model as an element."""
    if given["type"] == "constant":
        return f'<Constant name="function"><value>{given["value"]}</value></Constant>'
    if given["type"] == "linear":
        return LINE
    x, y = (" ".join(map(str, given[axis])) for axis in "xy")
    inner = f"<SimmSpline><x>{x}</x><y>{y}</y></SimmSpline>"
    scale = f"<scale>{given['scale']}</scale>"
    inside = f"<function>{inner}</function>{scale}"
    return f'<MultiplierFunction name="function">{inside}</MultiplierFunction>'


def words(numbers):
    return " ".join(map(str, numbers))


def subject_text(given):
    """The planar model of the recording as an .osim file."""
    bodies = [
        body(one["name"], one["mass"], words(one["com"]), words(one[INERTIA]))
        for one in given["bodies"]
    ]
    joints = ""
    for one in given["joints"]:
        coordinates = "".join(
            coordinate(c["name"], c["default"], *c["range"]) for c in one.get("coordinates", ())
        )
        axes = "".join(
            axis(a["name"], words(a["axis"]), function_text(a["function"]), a["coordinate"] or "")
            for a in one.get("spatial_transform", ())
        )
        more = f"<SpatialTransform>{axes}</SpatialTransform>" if axes else ""
        kind = "CustomJoint" if axes else one["type"]
        at = words(one["parent_offset"])
        joints += joint(kind, one["name"], one["parent"], one["child"], coordinates, at, more=more)
    return model(joints, bodies)


INERTIA = "inertia_about_com_xx_yy_zz_xy_xz_yz"


def test_the_subject_walks_where_forward_kinematics_was_computed_elsewhere(tmp_path):
    """Bodies of the planar subject, from a file written here, at places from another program."""
    with data_file("human_walking", "model_planar.json").open() as file:
        given = json.load(file)
    path = tmp_path / "subject.osim"
    path.write_text(subject_text(given))
    one = st.load(path, osim=LOOSE)
    with np.load(data_file("human_walking", "walk_planar.npz")) as file:
        rows = slice(0, None, 30)
        q, names = file["q"][rows], [str(name) for name in file["coordinate_names"]]
        place, bodies = file["body_origin_position"][rows], [str(n) for n in file["body_names"]]
    world = st.World(one, ground=None)
    loops = {str(n): c for n, c in zip(one.loop_name, one.loop_coefficients, strict=True)}
    for k, row in enumerate(q):
        value = dict(zip(names, row, strict=True))
        for name, powers in loops.items():
            value[name] = np.polyval(powers[::-1], value[name.partition("/")[0]])
        at = st.State(np.array([value[str(n)] for n in one.joint_name]), np.zeros(world.nv))
        still = st.simulate(world, None, duration=0.0, state=at)
        for name in ("calcn_r", "toes_l", "torso", "tibia_r"):
            x, y, z = place[k, bodies.index(name)]
            # 0.12 mm: what the polynomials of the knee err
            assert np.allclose(link_positions(still, name)[0], [x, -z, y], atol=2.5e-4), name
