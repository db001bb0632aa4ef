"""Each rule of checks.py, broken once by hand."""

from dataclasses import replace
from functools import partial
from math import inf, nan

import pytest

from mechanisms import calls_of
from stiction.description.checks import check
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
from stiction.errors import DescriptionError

pytestmark = pytest.mark.interpreted


ROUND = (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
NO_INERTIA = (0.0,) * 6
TRUNK = Link("trunk", 2.0, (0.0, 0.0, 0.0), ROUND)
LEG = Link("leg", 1.0, (0.0, 0.0, -0.1), ROUND)
BASE = Joint("base", "free", WORLD, "trunk")
HIP = Joint("hip", "revolute", "trunk", "leg", axis=(0.0, 1.0, 0.0), lower=-1.0, upper=1.0)
FOOT = Shape("foot", "leg", "sphere", (0.05,), material="rubber")
MOTOR = Actuator("motor", "hip", control_lower=-1.0, control_upper=1.0)
HOME = Keyframe("home", (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.3), (0.0,) * 7, (0.1,))
GOOD = Description(
    name="hopper",
    source="hopper.xml",
    links=(TRUNK, LEG),
    joints=(BASE, HIP),
    shapes=(FOOT,),
    frames=(Frame("sole", "leg"),),
    actuators=(MOTOR,),
    sensors=(Sensor("imu", "gyro", "sole", "frame"),),
    materials=(Material("rubber", 0.8, 0.6),),
    keyframes=(HOME,),
    contact_pairs=(("foot", "foot"),),
    contact_excludes=(("trunk", "leg"), (WORLD, "trunk")),
)


def complaint(description):
    with pytest.raises(DescriptionError) as caught:
        check(description)
    message = str(caught.value)
    assert message.startswith("hopper.xml: ")
    return message


def with_leg(**changes):
    return replace(GOOD, links=(TRUNK, replace(LEG, **changes)))


def with_hip(**changes):
    return replace(GOOD, joints=(BASE, replace(HIP, **changes)))


def with_foot(**changes):
    return replace(GOOD, shapes=(replace(FOOT, **changes),))


def with_motor(**changes):
    return replace(GOOD, actuators=(replace(MOTOR, **changes),))


def with_home(**changes):
    return replace(GOOD, keyframes=(replace(HOME, **changes),))


def one_joint(kind, link, **changes):
    joint = Joint("only", kind, WORLD, link.name, **changes)
    return Description("hopper", "hopper.xml", (link,), (joint,))


def test_a_good_description_passes():
    check(GOOD)


def test_no_links():
    empty = Description("hopper", "hopper.xml", (), ())
    assert "'hopper' has no links and no shapes" in complaint(empty)


def test_shapes_alone_are_a_description():
    check(Description("wall", "wall.xml", (), (), (replace(FOOT, link=WORLD, material="default"),)))


def test_too_many_links():
    assert "10001 links" in complaint(replace(GOOD, links=(TRUNK,) * 10_001))


@pytest.mark.parametrize(
    "field",
    ["links", "joints", "shapes", "frames", "actuators", "sensors", "materials", "keyframes"],
)
def test_names_are_unique(field):
    first = getattr(GOOD, field)[0]
    message = complaint(replace(GOOD, **{field: (*getattr(GOOD, field), first)}))
    assert f"2 {field} are named '{first.name}'" in message


def test_a_name_is_not_empty():
    assert "a frame is named ''" in complaint(replace(GOOD, frames=(Frame("", "leg"),)))


def test_no_link_is_called_world():
    assert "a link is named 'world'" in complaint(with_leg(name=WORLD))


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (with_hip(parent="nose"), "joint 'hip' has the parent link 'nose'"),
        (with_hip(child="nose"), "joint 'hip' has the child link 'nose'"),
        (with_hip(child=WORLD), "joint 'hip' has the child link 'world'"),
        (with_foot(link="nose"), "shape 'foot' is on link 'nose'"),
        (with_foot(material="gum"), "shape 'foot' has the material 'gum'"),
        (replace(GOOD, frames=(Frame("sole", "nose"),)), "frame 'sole' is on link 'nose'"),
        (with_motor(joint="knee"), "actuator 'motor' drives joint 'knee'"),
        (replace(GOOD, sensors=(Sensor("imu", "gyro", "x", "frame"),)), "sensor 'imu' is at frame"),
        (replace(GOOD, sensors=(Sensor("imu", "gyro", "x", "geom"),)), "sensor 'imu' has target"),
        (replace(GOOD, contact_pairs=(("foot", "ear"),)), "names shape 'ear'"),
        (replace(GOOD, contact_excludes=(("leg", "ear"),)), "names link 'ear'"),
    ],
)
def test_every_name_that_is_referred_to_exists(broken, words):
    assert words in complaint(broken)


def test_the_default_material_need_not_be_listed():
    check(with_foot(material="default"))


def test_a_link_has_one_joint():
    again = replace(HIP, name="hip2")
    message = complaint(replace(GOOD, joints=(BASE, HIP, again)))
    assert "link 'leg' has two joints, one of them 'hip2'" in message


def test_a_link_without_a_joint():
    assert "link 'leg' has no joint" in complaint(
        replace(GOOD, joints=(BASE,), actuators=(), keyframes=())
    )


def test_a_link_is_not_its_own_parent():
    assert "joint 'hip' attaches link 'leg' to itself" in complaint(with_hip(parent="leg"))


def test_links_do_not_hang_on_each_other():
    base = replace(BASE, type="fixed", parent="leg")
    message = complaint(replace(GOOD, joints=(base, HIP)))
    assert "link 'trunk' is not reached from WORLD" in message
    assert "trunk -> leg -> trunk" in message


def chain(count):
    links = tuple(replace(LEG, name=f"link{i}") for i in range(count))
    parents = [WORLD, *(link.name for link in links)]
    joints = tuple(
        replace(HIP, name=f"joint{i}", parent=parents[i], child=link.name)
        for i, link in enumerate(links)
    )
    return Description("chain", "hopper.xml", links, joints)


def test_the_tree_is_not_too_deep():
    check(chain(1000))
    assert "link 'link1000' is 1001 joints from WORLD" in complaint(chain(1001))


def bush(count):
    """A robot of so many links, up to seven at the same depth."""
    links = tuple(replace(LEG, name=f"link{i}") for i in range(count))
    parents = [WORLD, *(links[max(i - 7, 0)].name for i in range(1, count))]
    joints = tuple(
        replace(HIP, name=f"joint{i}", parent=parents[i], child=links[i].name) for i in range(count)
    )
    shapes = tuple(replace(FOOT, name=f"s{i}", link=links[i].name) for i in range(count))
    return replace(chain(1), links=links, joints=joints, shapes=shapes, materials=GOOD.materials)


def test_the_work_of_checking_grows_with_the_number_of_links():
    few, many = (calls_of(partial(check, bush(count))) for count in (500, 2000))
    assert few < many < 4.4 * few


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (with_leg(mass=nan), "link 'leg' has mass nan"),
        (with_leg(mass=inf), "link 'leg' has mass inf"),
        (with_leg(mass="1"), "link 'leg' has mass '1'"),
        (with_leg(mass=1e200), "link 'leg' has mass 1e+200; give finite numbers, smaller"),
        (with_leg(centre=(0.0, nan, 0.0)), "link 'leg' has its centre at"),
        (with_leg(centre=(0.0, 0.0)), "of 2 numbers; expected 3"),
        (with_leg(inertia=(inf, *ROUND[1:])), "link 'leg' has inertia"),
        (with_hip(position=(nan, 0.0, 0.0)), "joint 'hip' has position"),
        (with_hip(quaternion=(nan, 0.0, 0.0, 0.0)), "joint 'hip' has quaternion"),
        (with_hip(axis=(0.0, inf, 0.0)), "joint 'hip' has axis"),
        (with_hip(lower=nan), "joint 'hip' has limits nan"),
        (with_hip(effort_upper=nan), "joint 'hip' has effort limits"),
        (with_hip(armature=inf), "joint 'hip' has armature"),
        (with_hip(spring_reference=nan), "joint 'hip' has spring reference"),
        (with_hip(speed_limit=nan), "joint 'hip' has speed limit"),
        (with_foot(position=(nan, 0.0, 0.0)), "shape 'foot' of link 'leg' has position"),
        (with_foot(size=(nan,)), "shape 'foot' of link 'leg', a sphere, has size"),
        (with_motor(gear=nan), "actuator 'motor' has gear"),
        (with_motor(gain=(nan, 0.0, 0.0)), "actuator 'motor' has gain"),
        (with_motor(bias=(0.0, inf, 0.0)), "actuator 'motor' has bias"),
        (with_motor(force_upper=nan), "actuator 'motor' has force range"),
        (with_home(q=(*HOME.q[:7], nan)), "keyframe 'home' has q"),
        (with_home(v=(nan, *HOME.v[1:])), "keyframe 'home' has v"),
        (with_home(control=(inf,)), "keyframe 'home' has control"),
        (replace(GOOD, frames=(Frame("sole", "leg", (inf, 0.0, 0.0)),)), "frame 'sole'"),
        (replace(GOOD, materials=(Material("rubber", nan, 0.6),)), "material 'rubber' has mu_stat"),
    ],
)
def test_every_number_is_finite(broken, words):
    assert words in complaint(broken)


def test_a_mass_is_not_negative():
    assert "link 'leg' has mass -1.0 kg" in complaint(with_leg(mass=-1.0))


def test_an_inertia_without_mass():
    assert "link 'leg' has mass 0" in complaint(with_leg(mass=0.0))


def test_an_inertia_is_not_negative():
    assert "link 'leg'" in complaint(with_leg(inertia=(0.1, 0.0, 0.0, 0.1, 0.0, -0.1)))
    turned = complaint(with_leg(inertia=(0.1, 0.2, 0.0, 0.1, 0.0, 0.2)))  # xx yy < xy^2
    assert "link 'leg'" in turned
    assert "none may be negative" in turned


def test_an_inertia_obeys_the_triangle_inequality():
    message = complaint(with_leg(inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.3)))
    assert "link 'leg'" in message
    assert "sum of the other two" in message


def test_an_inertia_may_miss_the_triangle_inequality_by_rounding():
    check(with_leg(inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.2 * (1.0 + 5e-7))))


@pytest.mark.parametrize("kind", ["free", "revolute", "prismatic", "spherical"])
def test_a_moving_link_needs_mass(kind):
    message = complaint(one_joint(kind, Link("dust", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)))
    assert "joint 'only' moves link 'dust', but neither the link nor its descendants" in message


def test_a_massless_link_may_be_fixed():
    check(one_joint("fixed", Link("camera", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)))


def test_a_massless_link_may_carry_mass():
    cross = Link("cross", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)
    first = Joint("first", "revolute", WORLD, "cross", axis=(1.0, 0.0, 0.0))
    second = Joint("second", "revolute", "cross", "leg", axis=(0.0, 1.0, 0.0))
    check(Description("hopper", "hopper.xml", (cross, LEG), (first, second)))


@pytest.mark.parametrize("kind", ["free", "revolute", "spherical"])
def test_a_point_mass_at_the_joint_does_not_turn(kind):
    message = complaint(one_joint(kind, Link("point", 1.0, (0.0, 0.0, 0.0), NO_INERTIA)))
    assert "joint 'only' moves link 'point', which has no rotational inertia" in message


def test_a_point_mass_may_slide():
    check(one_joint("prismatic", Link("point", 1.0, (0.0, 0.0, 0.0), NO_INERTIA)))


def test_a_point_mass_may_be_a_pendulum():
    check(one_joint("revolute", Link("bob", 1.0, (1.0, 0.0, 0.0), NO_INERTIA)))
    message = complaint(one_joint("spherical", Link("bob", 1.0, (1.0, 0.0, 0.0), NO_INERTIA)))
    assert "link 'bob', which has no rotational inertia" in message  # about the string


def test_armature_is_enough_to_turn():
    check(one_joint("revolute", Link("point", 1.0, (0.0, 0.0, 0.0), NO_INERTIA), armature=0.01))


def test_what_hangs_on_a_turned_joint_counts_where_it_is():
    """A point mass at y = 1 of a child that is turned by 90 degrees about x lies on the z axis."""
    half = 0.5**0.5
    arm = Link("arm", 0.0, (0.0, 0.0, 0.0), NO_INERTIA)
    bob = Link("bob", 1.0, (0.0, 1.0, 0.0), NO_INERTIA)
    weld = Joint("weld", "fixed", "arm", "bob", quaternion=(half, half, 0.0, 0.0))
    about_x = Joint("turn", "revolute", WORLD, "arm", axis=(1.0, 0.0, 0.0))
    about_z = replace(about_x, axis=(0.0, 0.0, 1.0))
    check(Description("hopper", "hopper.xml", (arm, bob), (about_x, weld)))
    message = complaint(Description("hopper", "hopper.xml", (arm, bob), (about_z, weld)))
    assert "joint 'turn' moves link 'arm', which has no rotational inertia" in message


def test_the_joint_type_is_known():
    assert "joint 'hip' has type 'screw'" in complaint(with_hip(type="screw"))


def test_a_quaternion_has_length_one():
    assert "joint 'hip' has quaternion" in complaint(with_hip(quaternion=(1.0, 0.1, 0.0, 0.0)))
    assert "shape 'foot'" in complaint(with_foot(quaternion=(0.0, 0.0, 0.0, 0.0)))
    frame = Frame("sole", "leg", quaternion=(2.0, 0.0, 0.0, 0.0))
    assert "frame 'sole' has quaternion" in complaint(replace(GOOD, frames=(frame,)))


def test_an_axis_has_length_one():
    message = complaint(with_hip(axis=(0.0, 0.0, 0.0)))
    assert "joint 'hip' has axis" in message
    assert "which is zero" in message
    assert "of length 2" in complaint(with_hip(axis=(0.0, 0.0, 2.0)))


def test_limits_are_ordered():
    assert "joint 'hip' has limits 1.0 to -1.0" in complaint(with_hip(lower=1.0, upper=-1.0))
    assert "joint 'hip' has limits" in complaint(with_hip(lower=inf, upper=inf))
    efforts = with_hip(effort_lower=5.0, effort_upper=-5.0)
    assert "joint 'hip' has effort limits" in complaint(efforts)
    check(with_hip(lower=0.5, upper=0.5))


@pytest.mark.parametrize("field", ["friction", "damping", "armature", "stiffness"])
def test_joint_constants_are_not_negative(field):
    assert f"joint 'hip' has {field} -0.1" in complaint(with_hip(**{field: -0.1}))


def test_a_speed_limit_is_not_negative():
    assert "joint 'hip' has speed limit" in complaint(with_hip(speed_limit=-1.0))


def test_a_free_joint_hangs_on_the_world():
    assert "joint 'hip' is free" in complaint(with_hip(type="free"))


def test_the_shape_kind_is_known():
    assert "shape 'foot' of link 'leg' is a 'torus'" in complaint(with_foot(kind="torus"))


@pytest.mark.parametrize(
    ("kind", "size"),
    [("sphere", ()), ("capsule", (0.1,)), ("box", (0.1, 0.1)), ("plane", (1.0,)), ("hull", (1.0,))],
)
def test_a_shape_has_the_sizes_of_its_kind(kind, size):
    assert "shape 'foot'" in complaint(with_foot(kind=kind, size=size))


@pytest.mark.parametrize("radius", [0.0, -0.1])
def test_sizes_are_positive(radius):
    assert "sizes must be positive" in complaint(with_foot(size=(radius,)))


@pytest.mark.parametrize(
    "mask", [(2**31, 1), (1, -(2**31) - 1), (1.5, 1), (1, None), (1,), (1, 2, 3)]
)
def test_masks_are_two_of_32_bits(mask):
    assert f"has the mask {mask}; give contype and conaffinity" in complaint(with_foot(mask=mask))


def test_a_hull_has_four_finite_vertices():
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    check(with_foot(kind="hull", size=(), vertices=corners))
    few = with_foot(kind="hull", size=(), vertices=corners[:3])
    assert "shape 'foot' of link 'leg' is a hull of 3 vertices" in complaint(few)
    broken = with_foot(kind="hull", size=(), vertices=(*corners, (nan, 0.0, 0.0)))
    assert "shape 'foot'" in complaint(broken)
    flat = with_foot(kind="hull", size=(), vertices=(*corners, (1.0, 1.0)))
    assert "shape 'foot'" in complaint(flat)
    assert "only a hull, a mesh or points have them" in complaint(with_foot(vertices=corners))


def test_points_are_one_or_more():
    check(with_foot(kind="points", size=(), vertices=((0.0, 0.0, 0.0),)))
    none = complaint(with_foot(kind="points", size=()))
    assert "shape 'foot' of link 'leg' is a set of 0 vertices; expected at least 1" in none


def test_friction_of_a_material_is_not_negative():
    broken = replace(GOOD, materials=(Material("rubber", 0.5, -0.5),))
    assert "material 'rubber' has mu_kinetic -0.5" in complaint(broken)


def test_an_actuator_drives_a_joint_with_one_coordinate():
    message = complaint(with_motor(joint="base"))
    assert "actuator 'motor' drives joint 'base' of type 'free'" in message


def test_actuator_ranges_are_ordered():
    assert "'motor' has control range" in complaint(with_motor(control_lower=2.0))
    assert "'motor' has force range" in complaint(with_motor(force_lower=2.0, force_upper=1.0))


@pytest.mark.parametrize("field", ["q", "v", "control"])
def test_a_keyframe_has_the_right_lengths(field):
    message = complaint(with_home(**{field: (*getattr(HOME, field), 0.0)}))
    assert f"keyframe 'home' has {field}" in message


def test_a_keyframe_needs_no_control():
    check(with_home(control=()))


def test_a_keyframe_quaternion_is_not_zero():
    message = complaint(with_home(q=(0.0,) * 8))
    assert "keyframe 'home' has a zero quaternion for joint 'base'" in message
