"""Linkages with closed loops, as MJCF text."""

from stiction.description.mjcf import read_mjcf_text
from stiction.robot.robot import Robot


def body(name, at, joint, end, mass, inside=""):
    """A link with a capsule, of its mass, from its origin to `end`."""
    shape = f'<geom type="capsule" fromto="0 0 0 {end}" size=".02" mass="{mass}"'
    shape += ' contype="0" conaffinity="0"/>'
    return f'<body name="{name}" pos="{at}">{joint}{shape}{inside}</body>'


def hinge(name, axis="0 1 0", rest=""):
    """A hinge."""
    return f'<joint name="{name}" axis="{axis}" {rest}/>'


def mjcf(bodies, equality=""):
    """A file."""
    return f"<mujoco><worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>"


def robot_of(text):
    """The robot in MJCF text."""
    return Robot.from_description(read_mjcf_text(text, "text"))


def four_bar(crank="", coupler="", rocker=""):
    """Crank 0.2 m, coupler 0.41 m, rocker 0.3 m, base 0.4 m; attributes of the joints a, b, c."""
    inner = body("coupler", "0 0 -.2", hinge("b", rest=coupler), ".4 0 -.1", 1.0)
    outer = body("crank", "0 0 1", hinge("a", rest=crank), "0 0 -.2", 0.5, inner)
    other = body("rocker", ".4 0 1", hinge("c", rest=rocker), "0 0 -.3", 0.7)
    pin = '<connect name="pin" body1="coupler" body2="rocker" anchor=".4 0 -.1"/>'
    return mjcf(outer + other, pin)


def leg():
    """One leg in the manner of Cassie's, its pelvis on a vertical slide.

    A rod from the thigh to a leaf spring at the heel keeps the tarsus parallel to the thigh; a
    second rod moves the foot. The knee has a leaf spring in series. Rods have ball joints.
    """
    foot = body(
        "foot",
        ".05 0 -.4",
        hinge("toe", rest='damping=".1"'),
        ".06 0 0",
        0.2,
        """<geom name="front" type="sphere" size=".02" pos=".12 0 -.02" mass=".05"/>
        <geom name="back" type="sphere" size=".02" pos="-.08 0 -.02" mass=".05"/>""",
    )
    rod = body("foot_rod", ".06 0 0", '<joint name="foot_rod" type="ball"/>', ".05 0 -.4", 0.1)
    crank = body("crank", "0 0 0", hinge("crank", rest='armature=".01"'), ".06 0 0", 0.1, rod)
    heel_spring = 'stiffness="1250" damping="2" armature=".01"'
    heel = body("heel", "0 0 0", hinge("heel", rest=heel_spring), "-.08 0 .02", 0.15)
    tarsus = body("tarsus", "-.1 0 -.35", hinge("tarsus"), ".05 0 -.4", 0.6, foot + crank + heel)
    knee_spring = hinge("knee_spring", rest='stiffness="1500" damping="2" armature=".01"')
    shin = body("shin", "0 0 0", knee_spring, "-.1 0 -.35", 0.6, tarsus)
    knee = body("knee", ".1 0 -.35", hinge("knee", rest='armature=".05"'), "0 0 -.03", 0.3, shin)
    long_rod = body("rod", ".02 0 -.33", '<joint name="rod" type="ball"/>', "-.1 0 -.35", 0.15)
    thigh = body(
        "thigh", "0 0 0", hinge("hip", rest='armature=".05"'), ".1 0 -.35", 2.0, knee + long_rod
    )
    pelvis = body(
        "pelvis", "0 0 1.15", '<joint name="lift" type="slide" axis="0 0 1"/>', "0 0 .2", 8.0, thigh
    )
    loops = """<connect name="achilles" body1="rod" body2="heel" anchor="-.1 0 -.35"/>
    <connect name="plantar" body1="foot_rod" body2="foot" anchor=".05 0 -.4"/>"""
    return mjcf(pelvis, loops)
