"""OpenSim models to be spoilt: two formats, and a grammar of joints, functions and forces."""

from __future__ import annotations

from random import Random


def _body(name: str) -> str:
    return (
        f'<Body name="{name}"><mass>2</mass><mass_center>0 -0.2 0</mass_center>'
        "<inertia>0.02 0.01 0.02 0.001 0 0</inertia></Body>"
    )


def _frame(name: str, parent: str, at: str = "0 0 0") -> str:
    inside = f"<socket_parent>{parent}</socket_parent><translation>{at}</translation>"
    return (
        f'<PhysicalOffsetFrame name="{name}">{inside}<orientation>0 0 0.1</orientation>'
        "</PhysicalOffsetFrame>"
    )


def _coordinate(name: str) -> str:
    return (
        f'<Coordinate name="{name}"><default_value>0.1</default_value><range>-2 2</range>'
        "<clamped>true</clamped><locked>false</locked></Coordinate>"
    )


def _joint(kind: str, name: str, parent: str, child: str, inside: str) -> str:
    sockets = "<socket_parent_frame>p</socket_parent_frame>"
    sockets += "<socket_child_frame>c</socket_child_frame>"
    frames = _frame("p", parent, "0 -0.4 0") + _frame("c", f"/bodyset/{child}")
    return f'<{kind} name="{name}">{sockets}<frames>{frames}</frames>{inside}</{kind}>'


LINE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
FUNCTIONS = (
    LINE,
    "<Constant><value>0.1</value></Constant>",
    "<PolynomialFunction><coefficients>0.1 0 0.2</coefficients></PolynomialFunction>",
    "<SimmSpline><x>-2 0 1 2</x><y>0 0.01 0 -0.02</y></SimmSpline>",
    "<MultiplierFunction><function><Constant><value>2</value></Constant></function>"
    "<scale>0.5</scale></MultiplierFunction>",
)


def _axis(name: str, direction: str, function: str, moved: str = "") -> str:
    return (
        f'<TransformAxis name="{name}"><coordinates>{moved}</coordinates>'
        f"<axis>{direction}</axis>{function}</TransformAxis>"
    )


def _spatial(function: str) -> str:
    axes = _axis("rotation1", "0 0 1", LINE, "knee") + _axis("translation1", "1 0 0", function)
    return f"<SpatialTransform>{axes}</SpatialTransform>"


def _model(joints: str, rest: str = "") -> str:
    bodies = _body("thigh") + _body("shank")
    return (
        '<OpenSimDocument Version="40000"><Model name="leg"><gravity>0 -9.81 0</gravity>'
        f"<BodySet><objects>{bodies}</objects></BodySet>"
        f"<JointSet><objects>{joints}</objects></JointSet>{rest}</Model></OpenSimDocument>"
    )


HIP = _joint(
    "PinJoint", "hip", "/ground", "thigh", f"<coordinates>{_coordinate('hip')}</coordinates>"
)
KNEE = _joint(
    "CustomJoint",
    "knee_r",
    "/bodyset/thigh",
    "shank",
    f"<coordinates>{_coordinate('knee')}</coordinates>{_spatial(FUNCTIONS[1])}",
)
REST = (
    "<ConstraintSet><objects><CoordinateCouplerConstraint name='k'>"
    "<coupled_coordinates_function>" + LINE + "</coupled_coordinates_function>"
    "<independent_coordinate_names>hip</independent_coordinate_names>"
    "<dependent_coordinate_name>knee</dependent_coordinate_name>"
    "</CoordinateCouplerConstraint></objects></ConstraintSet>"
    "<ForceSet><objects><SpringGeneralizedForce name='s'><coordinate>hip</coordinate>"
    "<stiffness>1</stiffness><rest_length>0</rest_length><viscosity>1</viscosity>"
    "</SpringGeneralizedForce><CoordinateActuator name='a'><coordinate>knee</coordinate>"
    "<optimal_force>10</optimal_force></CoordinateActuator></objects></ForceSet>"
    "<MarkerSet><objects><Marker name='toe'><socket_parent_frame>/bodyset/shank"
    "</socket_parent_frame><location>0 0 0</location></Marker></objects></MarkerSet>"
    "<ContactGeometrySet><objects><ContactSphere name='b'><socket_frame>/bodyset/shank"
    "</socket_frame><location>0 0 0</location><radius>0.1</radius></ContactSphere></objects>"
    "</ContactGeometrySet>"
)
OLDER = (
    '<OpenSimDocument Version="30000"><Model name="leg"><gravity>0 -9.81 0</gravity><BodySet>'
    '<objects><Body name="ground"><mass>0</mass></Body><Body name="thigh"><mass>2</mass>'
    "<mass_center>0 -0.2 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.1</inertia_yy>"
    "<inertia_zz>0.1</inertia_zz><inertia_xy>0</inertia_xy><inertia_xz>0</inertia_xz>"
    '<inertia_yz>0</inertia_yz><Joint><PinJoint name="hip"><parent_body>ground</parent_body>'
    "<location_in_parent>0 1 0</location_in_parent><orientation_in_parent>0 0 0"
    "</orientation_in_parent><location>0 0 0</location><orientation>0 0 0</orientation>"
    f"<CoordinateSet><objects>{_coordinate('hip')}</objects></CoordinateSet></PinJoint></Joint>"
    "</Body></objects></BodySet></Model></OpenSimDocument>"
)
OSIM_SEEDS = [_model(HIP + KNEE, REST), _model(HIP + KNEE), OLDER]
OSIM_WORDS = (
    "<objects> </objects> <Body> </Body> <coordinates> </coordinates> /ground /bodyset/thigh knee "
    "<!-- --> <![CDATA[ ]]> &lt; <mass>0</mass> nan inf -1 1e308 <isDisabled>true</isDisabled>"
)
KINDS = (
    *("WeldJoint", "PinJoint", "SliderJoint", "UniversalJoint", "GimbalJoint", "PlanarJoint"),
    *(
        "BallJoint",
        "FreeJoint",
        "CustomJoint",
        "ScrewJoint",
        "EllipsoidJoint",
        "ScapulothoracicJoint",
    ),
)


def grammar_osim(random: Random) -> str:
    """A leg whose knee is any joint with any number of coordinates, and any functions."""
    kind, count = random.choice(KINDS), random.choice((0, 1, 1, 2, 3, 6))
    names = [random.choice(("knee", "hip", f"k{k}", "")) for k in range(count)]
    inside = "".join(_coordinate(name) for name in names)
    inside = f"<coordinates>{inside}</coordinates>"
    if kind == "CustomJoint" or random.random() < 0.2:
        moved = random.choice([*names, "", "nothing"])
        axes = "".join(
            _axis(
                random.choice(("rotation", "translation")) + str(random.randrange(5)),
                random.choice(("1 0 0", "0 1 0", "0 0 1", "0 0 0", "1 1", "nan 0 0")),
                random.choice(FUNCTIONS),
                moved,
            )
            for _ in range(random.randrange(8))
        )
        inside += f"<SpatialTransform>{axes}</SpatialTransform>"
    parent = random.choice(("/bodyset/thigh", "/ground", "/bodyset/shank", "thigh", "", "p"))
    return _model(HIP + _joint(kind, "knee_r", parent, "shank", inside), random.choice((REST, "")))
