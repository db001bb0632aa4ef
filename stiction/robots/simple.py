"""Free homogeneous objects of one link: ball, brick, box, rod."""

from __future__ import annotations

from stiction.description.arguments import number, vector
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import InputError
from stiction.robot.robot import Robot


def ball(radius: float = 0.05, mass: float = 0.5) -> Robot:
    """Solid ball, radius [m], mass [kg]."""
    check_positive("ball", radius=radius, mass=mass)
    moment = 0.4 * mass * radius**2
    return _object("ball", mass, (moment, moment, moment), "sphere", (radius,))


def box(size: tuple[float, float, float] = (0.4, 0.4, 0.4), mass: float = 5.0) -> Robot:
    """Solid box, edge lengths [m], mass [kg]."""
    return _cuboid("box", size, mass)


def brick(size: tuple[float, float, float] = (0.2, 0.1, 0.06), mass: float = 2.0) -> Robot:
    """Solid brick lying flat, edge lengths [m], mass [kg]."""
    return _cuboid("brick", size, mass)


def rod(length: float = 0.5, radius: float = 0.01, mass: float = 0.5) -> Robot:
    """Rod along z with round ends, overall length [m], inertia of a solid cylinder; mass [kg]."""
    check_positive("rod", length=length, radius=radius, mass=mass)
    if length <= 2 * radius:
        raise InputError(f"rod: length {length} m must exceed twice the radius {radius} m")
    across = mass * (3 * radius**2 + length**2) / 12
    along = mass * radius**2 / 2
    return _object("rod", mass, (across, across, along), "capsule", (radius, length / 2 - radius))


def _cuboid(name: str, size: tuple[float, float, float], mass: float) -> Robot:
    x, y, z = edges(name, size)
    check_positive(name, mass=mass)
    moments = (
        mass * (y * y + z * z) / 12,
        mass * (x * x + z * z) / 12,
        mass * (x * x + y * y) / 12,
    )
    return _object(name, mass, moments, "box", (x / 2, y / 2, z / 2))


def _object(
    name: str, mass: float, moments: tuple[float, float, float], kind: str, size: tuple[float, ...]
) -> Robot:
    """One free link with one shape centred in it."""
    inertia = (moments[0], 0.0, 0.0, moments[1], 0.0, moments[2])
    return Robot.from_description(
        Description(
            name=name,
            source=f"stiction.robots.{name}",
            links=(Link(name, mass, (0.0, 0.0, 0.0), inertia),),
            joints=(Joint(f"{name}_free", "free", WORLD, name),),
            shapes=(Shape(f"{name}_shape", name, kind, size),),
        )
    )


def check_positive(what: str, **values: float) -> None:
    """Raise InputError if a size or mass of an object is not a positive number."""
    for name, value in values.items():
        number(f"{what}: {name}", value, "kg" if name == "mass" else "m", positive=True)


def edges(what: str, size: tuple[float, float, float]) -> tuple[float, float, float]:
    """Three edge lengths of an object [m]; raises InputError if they are not positive numbers."""
    x, y, z = vector(f"{what}: size", size, 3, "m").tolist()
    check_positive(what, x=x, y=y, z=z)
    return x, y, z
