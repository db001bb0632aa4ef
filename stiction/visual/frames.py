"""A motion at the rate of pictures, with everything that is drawn of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.description.arguments import is_number, shown
from stiction.errors import InputError
from stiction.metrics.contact_criteria import friction_coefficients, has_friction_cone
from stiction.metrics.contact_state import ContactState
from stiction.metrics.points import point_links
from stiction.plot.quantities import base_link, touched_links
from stiction.step.record import FORCE, NORMAL, POSITION, STATE
from stiction.visual.meshes import Mesh, meshes_of
from stiction.visual.poses import Poses, link_poses
from stiction.world.outlines import convex_outline

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

FASTEST = 240.0  # pictures a second
SLOWEST = 1e-3  # the same; also the least speed
WEIGHT = 0.8  # length of the arrow of the weight of everything that moves, over its size
MOST_ARROWS = 32  # points that touch at once; with more, a foot has one arrow
PER_STEP = ("torque", "passive", "solver")
PER_POINT = ("force", "depth", "slip", "contact_velocity", "contact_state", "between")


class Contacts(NamedTuple):
    """What is drawn of contact in one picture."""

    points: np.ndarray  # (k, 3) that touch [m]
    states: np.ndarray  # (k) `ContactState`
    arrows: np.ndarray  # (m, 2, 3) tail and tip of forces [m]
    cones: np.ndarray  # (k, 7) apex, axis times height, radius of the base [m]
    pressure: np.ndarray  # (feet, 3) centres of pressure [m]
    zmp: np.ndarray  # (0 or 1, 3) zero-moment point [m]
    polygon: np.ndarray  # (corners, 3) of the support polygon [m]


def rows_at(motion: Motion, rate: float, speed: float = 1.0) -> np.ndarray:
    """Samples nearest to the times of pictures at `rate` a second, shown at `speed`."""
    if not (is_number(rate) and SLOWEST <= rate <= FASTEST):
        raise InputError(
            f"fps is {shown(rate)}; give a number of pictures a second, {SLOWEST:g} to {FASTEST:g}"
        )
    if not (is_number(speed) and speed >= SLOWEST):
        raise InputError(f"speed is {shown(speed)}; give {SLOWEST:g} or more, 1 for real time")
    if len(motion) == 0:
        raise InputError("this motion has no samples; there is nothing to draw")
    times = np.arange(motion.time[0], motion.time[-1] + 0.5 * speed / rate, speed / rate)
    after = np.clip(np.searchsorted(motion.time, times), 1, len(motion) - 1)
    if len(motion) == 1:
        return np.zeros(1, int)
    nearer = times - motion.time[after - 1] < motion.time[after] - times
    return np.where(nearer, after - 1, after)


def sampled(motion: Motion, rows: np.ndarray) -> Motion:
    """The motion at some of its samples; the last one, which has no forces, gets those before."""
    steps = np.array(rows)
    if len(motion) > 1 and np.isnan(motion.solver[-1]).any():
        steps = np.minimum(steps, len(motion) - 2)
    made, moments = motion.rows(steps), motion.rows(rows)
    values: dict[str, Any] = {name: getattr(moments, name) for name in ("time", "q", "v")}
    values |= {name: np.nan_to_num(getattr(made, name)) for name in PER_STEP}
    values |= {"parameters": motion.parameters, "versions": motion.versions}
    if made.is_compact:
        parts = (made.touched, made.touched_between)
        ground, bodies = (replace(each, unknown=np.zeros_like(each.unknown)) for each in parts)
        return type(motion).of_touched(motion.world, ground, bodies, **values)
    given = [name for name in PER_POINT if name in vars(made)]
    values |= {name: np.nan_to_num(getattr(made, name)) for name in given}
    return type(motion)(motion.world, **values)


class Film:
    """Pictures of a motion: poses of all links, and contact, in each."""

    def __init__(self, motion: Motion, rows: np.ndarray, name: str = "") -> None:
        """Of these samples; the name is shown if there are several films."""
        self.name = name or model_name(motion)
        self.motion = sampled(motion, rows)
        self.world = motion.world
        self.poses: Poses = link_poses(self.world, self.motion.q)
        self.meshes: list[Mesh] = meshes_of(self.world)
        if not self.meshes:
            raise InputError("this world has no visual meshes and no shapes; nothing can be drawn")

    def __len__(self) -> int:
        """The number of pictures."""
        return len(self.motion)

    @cached_property
    def base(self) -> np.ndarray:
        """Position of the first robot's base [m], (n, 3)."""
        return self.poses.position[:, base_link(self.world) if self.world.nv else 0]

    @cached_property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of the box around everything that moves in the first picture [m], (3) each."""
        corners = [self.base[0]]
        for mesh in self.meshes:
            if mesh.link:
                turned = mesh.vertices @ self.poses.rotation[0, mesh.link].T
                corners.append(turned + self.poses.position[0, mesh.link])
        points = np.vstack(corners)
        return points.min(axis=0), points.max(axis=0)

    @cached_property
    def size(self) -> float:
        """Largest extent of that box [m]."""
        low, high = self.box
        return max(float((high - low).max()), 1e-3)

    @cached_property
    def newton(self) -> float:
        """Length of the arrow of one newton [m]."""
        weight = self.world.total_mass * float(np.linalg.norm(self.world.gravity))
        return WEIGHT * self.size / weight if weight > 0 else 0.0

    @cached_property
    def _touching(self) -> np.ndarray:
        """`ContactState` of the points on the ground, then of those between bodies, (n, points)."""
        between = self.motion.between[..., STATE]
        return np.hstack([self.motion.contact_state, between]).astype(int)

    @property
    def has_transitions(self) -> bool:
        """Whether points may be between sticking and slipping, as under `Distributed`."""
        known = model_name(self.motion) == "Distributed"
        return known or bool((self._touching > ContactState.SLIP).any())

    @cached_property
    def _feet(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Centre of pressure and force of each link that the ground touched, (n, 3) each."""
        motion = self.motion
        if motion.point_count == 0 or self.world.ground is None:
            return {}
        links = touched_links(motion)
        return {link: (motion.centre_of_pressure(link), motion.foot_force(link)) for link in links}

    @cached_property
    def _zmp(self) -> np.ndarray:
        if not self._feet:
            return np.full((len(self), 3), np.nan)
        return self.motion.zmp()

    @cached_property
    def _slope(self) -> np.ndarray:
        """Coefficient of friction of the points on the ground, (n, points); 0 if unknown."""
        motion = self.motion
        if not (motion.parameters.get("contact") and has_friction_cone(motion)):
            return np.zeros(motion.depth.shape)
        return friction_coefficients(motion).static

    @cached_property
    def _of_first(self) -> np.ndarray:
        """Contact points of the first robot, by number."""
        links = point_links(self.motion)[: self.motion.point_count]
        return np.flatnonzero(links <= len(self.world.robots[0].link_name))

    @cached_property
    def few_points(self) -> bool:
        """Whether every touching point has its own arrow."""
        counts = (self._touching != ContactState.OPEN).sum(axis=1)
        return bool(counts.max(initial=0) <= MOST_ARROWS)

    def contacts(self, k: int) -> Contacts:
        """What is drawn of contact in picture k."""
        motion = self.motion
        ground, between = motion.force[k], motion.between[k]
        position = np.vstack([motion.contact_points.position[k], between[:, POSITION:NORMAL]])
        normal = np.vstack([motion.contact_points.normal[k], between[:, NORMAL:FORCE]])
        force = np.vstack([ground, between[:, FORCE : FORCE + 3]])
        slope = np.append(self._slope[k], np.zeros(len(between)))
        touching = np.flatnonzero(self._touching[k] != ContactState.OPEN)
        points, own = position[touching], self.newton * force[touching]
        feet = [(point[k], self.newton * total[k]) for point, total in self._feet.values()]
        feet = [(point, total) for point, total in feet if np.isfinite(point).all()]
        arrows = np.stack([points, points + own], axis=1)
        if not self.few_points:
            arrows = np.array([[point, point + total] for point, total in feet]).reshape(-1, 2, 3)
        axis = normal[touching] * np.maximum((own * normal[touching]).sum(axis=1), 0.0)[:, None]
        radius = slope[touching] * np.linalg.norm(axis, axis=1)
        zmp = self._zmp[k : k + 1]
        return Contacts(
            points,
            self._touching[k, touching],
            arrows,
            np.column_stack([points, axis, radius])[radius > 0],
            np.array([point for point, _ in feet]).reshape(-1, 3),
            zmp[np.isfinite(zmp).all(axis=1)],
            support_polygon(points[np.isin(touching, self._of_first)]),
        )


def support_polygon(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull, seen from above, of points on the ground, (corners, 3)."""
    if len(points) < 3:
        return points
    corners = convex_outline(points[:, :2])
    nearest = [int(np.argmin(((points[:, :2] - corner) ** 2).sum(axis=1))) for corner in corners]
    return points[nearest]


def model_name(motion: Motion) -> str:
    """The name of the contact model of a motion."""
    return str((motion.parameters.get("contact") or {}).get("model", "no contact"))
