"""Ground reactions: forces and moments under a foot, centre of pressure, zero-moment point."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.collision.terrain import FlatGround
from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.metrics.points import (
    link_positions,
    links_of,
    momentum_of,
    point_links,
    point_positions,
    points_under,
    require_contact,
    world_points,
)

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

IN_FLIGHT = 1e-3  # in flight if the ground force over the weight is below this


class FootWrench(NamedTuple):
    """Contact force [N] and moment [N m] on a link in world axes, (n, 3) each."""

    force: np.ndarray
    moment: np.ndarray


def foot_force(motion: Motion, foot: str) -> np.ndarray:
    """Contact force on a link in world axes [N], (n, 3)."""
    return motion.total_force(points_under(motion, foot))


def foot_wrench(motion: Motion, foot: str, about: ArrayLike | None = None) -> FootWrench:
    """Contact force on a link and its moment, in world axes.

    about: reference point of the moment in the world, (3) or (n, 3) [m]; default the moving origin
    of the named link or frame.
    """
    under = points_under(motion, foot)
    if about is None:
        centre = link_positions(motion, foot)
    else:
        centre = world_points("foot_wrench(about)", about, len(motion))
    return _wrench(motion.force[:, under], point_positions(motion)[:, under], centre)


def centre_of_pressure(motion: Motion, foot: str) -> np.ndarray:
    """Centre of pressure under a link in world axes [m], (n, 3); NaN in flight."""
    return _pressure_centre(motion, points_under(motion, foot))


def zmp(motion: Motion, definition: str = "forces", robot: str | None = None) -> np.ndarray:
    """Zero-moment point on the ground in world axes [m], (n, 3); NaN in flight.

    The point of the ground plane about which the moment of the ground reaction has no component
    along the plane (Vukobratovic & Borovac 2004). On flat ground it is the centre of pressure of
    all feet together, and always inside their hull (Sardain & Bessonnet 2004), apart from the
    moment of friction at points below the surface. On other grounds the plane is the level one
    through the centre of pressure.

    definition: "forces" uses the recorded contact forces. "motion" uses the rates of change of
    linear and angular momentum, by finite differences, minus gravity, and no contact force: any
    other external force (a push, a joint to the world) counts as a ground reaction. Both agree, up
    to the error of the differences, if only the ground and gravity act.

    robot: only this robot; all together by default.
    """
    if not isinstance(definition, str):
        raise InputError(f"zmp: definition is {shown(definition)}; it can be 'forces' or 'motion'")
    require_contact(motion)
    first, last = links_of(motion, robot)
    links = point_links(motion)
    ours = (links >= first) & (links < last)
    if definition == "forces":
        position = point_positions(motion)[:, ours]
        force, moment = _wrench(motion.force[:, ours], position, np.zeros(3))
        least = 0.0
    elif definition == "motion":
        force, moment, weight = _from_momentum(motion, robot)
        least = IN_FLIGHT * weight
    else:
        raise InputError(f"zmp: definition is {definition!r}; it can be 'forces' or 'motion'")
    normal, origin = _plane(motion, ours)
    return _point_without_moment(normal, origin, FootWrench(force, moment), least)


def _from_momentum(motion: Motion, robot: str | None) -> tuple[np.ndarray, np.ndarray, float]:
    """Force and moment about the origin on a robot other than gravity, and its weight."""
    mass, weighted, total = momentum_of(motion, robot)
    gravity = motion.world.gravity
    rate = np.full_like(total, np.nan)
    rate[:-1] = np.diff(total, axis=0) / np.diff(motion.time)[:, None]
    force = rate[:, :3] - mass * gravity
    moment = rate[:, 3:] - np.cross(weighted, gravity)
    return force, moment, mass * float(np.linalg.norm(gravity))


def _point_without_moment(
    normal: np.ndarray, origin: np.ndarray, wrench: FootWrench, least: float
) -> np.ndarray:
    """Point P of a plane with n x (moment about P) = 0; NaN where n . F is at most `least`.

    With a point O of the plane and M the moment about it, P = O + n x M / (n . F).
    """
    about_origin = wrench.moment - np.cross(origin, wrench.force)
    pressing = wrench.force @ normal
    with np.errstate(invalid="ignore", divide="ignore"):
        point = origin + np.cross(normal, about_origin) / pressing[:, None]
    point[~(pressing > least)] = np.nan
    return point


def _plane(motion: Motion, under: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normal (3) and a point, (3) or (n, 3), of the plane of zero-moment points."""
    ground = motion.world.ground
    bound = ground.bind()  # type: ignore[union-attr]
    if isinstance(bound, FlatGround):
        return bound.normal, bound.point
    return ground.normal(), _pressure_centre(motion, under)  # type: ignore[union-attr]


def _pressure_centre(motion: Motion, under: np.ndarray) -> np.ndarray:
    """Mean position of contact points weighted by pressure [m], (n, 3); NaN in flight.

    Pressure is the force along the normal of flat ground; on uneven ground, the vertical force.
    """
    pressure = motion.force[:, under] @ motion.world.ground.normal()  # type: ignore[union-attr]
    total = pressure.sum(axis=1)
    weighted = (pressure[:, :, None] * point_positions(motion)[:, under]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = weighted / total[:, None]
    centre[~(total > 0)] = np.nan
    return centre


def _wrench(force: np.ndarray, position: np.ndarray, about: np.ndarray) -> FootWrench:
    """Sum of forces at positions (n, points, 3), and of their moments about a point."""
    arm = position - about[..., None, :]
    return FootWrench(force.sum(axis=1), np.cross(arm, force).sum(axis=1))
