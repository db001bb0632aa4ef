"""Standing poses: a home configuration in which a robot with any number of legs stands."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.quantities import centre_of_mass
from stiction.kernels.tree import FREE, SPHERICAL, allocate
from stiction.patterns.soles import distance_inside
from stiction.robot.robot import Robot
from stiction.world.loops import closed
from stiction.world.outlines import convex_outline, link_origin
from stiction.world.soles import lowest_of, standing_points, touching_links
from stiction.world.world import World

NEAR = 0.2  # feet of a robot whose legs are not posed yet end this near the lowest, over its height
LEVEL = 2e-3  # points this close to the lowest one carry the robot [m]
INSIDE = 0.02  # of the support, over the height of the centre of mass: enough to stand
PULL = 0.003  # weight of the distance of a joint from where it was, in its range, at most a turn
UNDER = 0.01  # weight of the distance of a foot from below its hip
INSET = 0.02  # distance of a posed joint from its limits, over its range
BEYOND = 10.0  # weight of the distance of a joint beyond that
STIFF = 1e-9  # a joint with a smaller range cannot move [rad or m]
DIFFERENCE = 1e-4  # of a joint, relative, for derivatives of robots with loops
FOOT = 0.1  # smaller feet are points, over the height of the centre of mass
FLAT = 0.02  # thickness of an edge or of a plane, over its length
ALIKE = 0.999  # least cosine between the normals of one face


def stance(robot: Robot) -> Robot:
    """The same robot, at home in a configuration in which it can stand on level ground.

    A home configuration that stands is kept: it is within the limits of the joints, and the centre
    of mass is above the support. Otherwise the joints of the legs are moved, as little as possible,
    until all feet are on the ground, flat if they are flat at home, with the centre of mass above
    their middle and the base as it is. The feet are the ends of the lowest legs.
    """
    if not isinstance(robot, Robot):
        raise InputError(f"stance: expected a robot, found {type(robot).__name__}")
    if len(robot.joint_type) == 0 or robot.joint_type[0] != FREE:
        raise InputError(f"robot '{robot.name}' has no free base; only a robot with one can stand")
    if not robot.shape_touches.any():
        raise InputError(
            f"robot '{robot.name}': no shape can touch the ground; use robot.with_colliding(...)"
        )
    legs = Legs(robot)
    return replace(robot, home=legs.start if legs.stands(legs.start) else legs.solved())


class Legs:
    """The joints of a robot between its base and its feet, alone in a world."""

    def __init__(self, robot: Robot) -> None:
        """Find the feet with all joints within their limits."""
        self.robot, self.world = robot, World(robot, ground=None)
        self.dynamics = allocate(self.world.tree)
        types = robot.joint_type
        single = [k for k in range(len(types)) if types[k] not in (FREE, SPHERICAL)]
        self.q_of = {k: int(robot.q_index[k]) for k in single}
        self.v_of = {k: int(robot.v_index[k]) for k in single}
        self.start = self.world.home().q
        for k, q in self.q_of.items():
            d = self.v_of[k]
            self.start[q] = np.clip(self.start[q], robot.lower[d], robot.upper[d])
        self.start = self.closed(self.start)
        self.place(self.start)
        self.feet = self._feet()
        chains = [self.chain(foot) for foot in self.feet]
        shared = set.intersection(*map(set, chains)) if len(chains) > 1 else set()
        self.links = sorted({k for one in chains for k in one} - shared)
        own = [[k for k in one if k not in shared] for one in chains]
        self.hips = [one[0] if one else foot for one, foot in zip(own, self.feet, strict=True)]

    def closed(self, q: np.ndarray) -> np.ndarray:
        """The configuration near q in which the loops of the robot are closed."""
        return closed((self.robot,), self.world.tree, q) if len(self.robot.loop_name) else q

    def chain(self, link: int) -> list[int]:
        """Links with single joints from the base (excluded) to a link."""
        links = []
        while link > 0:
            links.append(link)
            link = int(self.robot.parent[link])
        return [k for k in links[::-1] if k in self.q_of]

    def place(self, q: np.ndarray) -> None:
        """Put all links where a configuration has them."""
        forward_kinematics(self.dynamics, q)

    def points(self, link: int) -> np.ndarray:
        """Points of a link that may stand on the ground [m], (n, 3)."""
        return standing_points(self.robot, self.dynamics, link)

    def centre(self) -> np.ndarray:
        """Centre of mass [m]."""
        return np.array(centre_of_mass(self.dynamics)[0])

    def _feet(self) -> list[int]:
        """The touching links that carry no other one and are among the lowest."""
        touching = [link for link in touching_links(self.robot) if len(self.points(link))]
        carrying = {up for link in touching for up in self._above(link)}
        ends = {link: self.points(link)[:, 2].min() for link in touching if link not in carrying}
        ends.pop(0, None)  # the base is no foot
        if not ends:
            raise InputError(f"robot '{self.robot.name}' has no feet")
        lowest, height = min(ends.values()), self.centre()[2]
        return [link for link, z in ends.items() if z - lowest <= NEAR * abs(height - lowest)]

    def _above(self, link: int) -> list[int]:
        links, link = [], int(self.robot.parent[link])
        while link >= 0:
            links.append(link)
            link = int(self.robot.parent[link])
        return links

    def stands(self, q: np.ndarray) -> bool:
        """Whether the centre of mass is above the points that carry the robot, not its base."""
        self.place(q)
        touching = touching_links(self.robot)
        points = np.concatenate([self.points(link) for link in touching])
        low, centre = lowest_of(points, LEVEL), self.centre()
        if touching[0] == 0 and self.points(0)[:, 2].min(initial=np.inf) <= low[:, 2].max():
            return False
        size = np.ptp(low[:, :2], axis=0)
        if len(low) < 3 or size.min() < LEVEL:
            return False
        margin = distance_inside(centre[:2], convex_outline(low[:, :2]))
        return margin >= INSIDE * (centre[2] - low[:, 2].min())

    # --------------------------------------------------------------------------------------- search

    def solved(self) -> np.ndarray:
        """The nearest configuration with all feet on the ground below the centre of mass."""
        from scipy.optimize import least_squares

        dofs = np.array([self.v_of[k] for k in self.links])
        columns = np.array([self.q_of[k] for k in self.links])
        begin = self.start[columns]
        lower = np.maximum(self.robot.lower[dofs], begin - np.pi)
        room = np.minimum(self.robot.upper[dofs], begin + np.pi) - lower
        columns, lower = columns[room > STIFF], lower[room > STIFF]
        begin, room = begin[room > STIFF], room[room > STIFF]
        if not len(columns):
            raise InputError(f"robot '{self.robot.name}': no joint of its legs can move")
        q = self.start.copy()

        def posed(x: np.ndarray) -> np.ndarray:  # x: from 0 at the lower limit to 1 at the upper
            q[columns] = lower + x * room
            return self.closed(q)

        def errors(x: np.ndarray) -> np.ndarray:
            q = posed(x)
            place = (q[columns] - lower) / room  # x, with the loops closed
            beyond = np.maximum(np.abs(place - 0.5) - (0.5 - INSET), 0.0)
            pulls = np.concatenate([PULL * (x - first), BEYOND * beyond])
            return np.concatenate([*self.errors(q), self.size * pulls])

        first = np.clip((begin - lower) / room, INSET, 1 - INSET)
        change = DIFFERENCE if len(self.robot.loop_name) else None  # loops are closed to rounding
        q = posed(least_squares(errors, first, method="lm", diff_step=change).x)
        q[columns] = np.clip(q[columns], lower, lower + room)
        q = self.closed(q)
        if not self.stands(q):
            heights, middle, *_ = self.errors(q)
            raise InputError(
                f"robot '{self.robot.name}': no standing pose found: in the nearest one its feet "
                f"({', '.join(self.robot.link_name[self.feet])}) are {np.ptp(heights):.3g} m from "
                f"level ground, and the centre of mass {np.linalg.norm(middle):.3g} m from their "
                "middle; pose it yourself"
            )
        return q

    @cached_property
    def size(self) -> float:
        """Height of the centre of mass above the feet [m]."""
        self.place(self.start)
        lowest = min(self.points(foot)[:, 2].min() for foot in self.feet)
        return float(abs(self.centre()[2] - lowest))

    @cached_property
    def undersides(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each foot, in its axes: the middle of its underside, and what is level there, (n, 3).

        Two directions are level under a foot with an underside, one under an edge, none at a point.
        """
        self.place(self.start)
        found = []
        for foot in self.feet:
            points = self.points(foot)
            level, carrying = underside(points, self.size)
            low, high = points[carrying].min(axis=0), points[carrying].max(axis=0)
            R, origin = self.dynamics.rotation[foot + 1], link_origin(self.dynamics, foot + 1)
            found.append((((low + high) / 2 - origin) @ R, level @ R))
        return found

    def errors(self, q: np.ndarray) -> list[np.ndarray]:
        """Heights of the feet, centre of mass, feet below hips, tilts of their undersides [m]."""
        undersides = self.undersides
        self.place(q)
        feet, tilts = np.zeros((len(self.feet), 3)), []
        for k, (foot, (middle, level)) in enumerate(zip(self.feet, undersides, strict=True)):
            R = self.dynamics.rotation[foot + 1]
            points = self.points(foot)
            feet[k] = points[points[:, 2].argmin()]
            if len(level):
                feet[k, :2] = (link_origin(self.dynamics, foot + 1) + R @ middle)[:2]
            tilts.append(self.size * (level @ R[2]))
        hips = np.array([link_origin(self.dynamics, hip + 1)[:2] for hip in self.hips])
        away = feet[:, :2] - hips
        return [
            feet[:, 2] - feet[:, 2].mean(),
            self.centre()[:2] - feet[:, :2].mean(axis=0),
            *tilts,
            UNDER * (away - away.mean(axis=0)).ravel(),
        ]


def underside(points: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Level directions of a foot that stands flat, (n, 3), and which of its points then carry it.

    points: of the foot, roughly as it stands [m], (n, 3). Only those that are lower than FOOT times
    the size are the foot; the others may be a shank that it is fixed to. It is a point if these are
    closer together than that.
    """
    lowest = points[:, 2] <= points[:, 2].min() + LEVEL
    near = np.flatnonzero(points[:, 2] <= points[:, 2].min() + FOOT * size)
    foot = points[near]
    sizes, axes = np.linalg.svd(foot - foot.mean(axis=0))[1:]
    extent = np.append(sizes, np.zeros(3))[:3] * 2 / np.sqrt(len(foot))
    if extent[0] < FOOT * size:
        return np.zeros((0, 3)), lowest
    carrying = np.zeros(len(points), bool)
    carrying[near] = True
    if extent[1] < FLAT * extent[0]:
        return axes[:1], carrying
    if extent[2] < FLAT * extent[0]:
        return axes[:2], carrying
    plane = _largest_face_below(foot)
    if plane is None:
        return np.zeros((0, 3)), lowest
    carrying &= points @ plane[:3] + plane[3] > -LEVEL
    return np.linalg.svd(plane[None, :3])[2][1:], carrying


def _largest_face_below(points: np.ndarray) -> np.ndarray | None:
    """Plane of the face of the hull of points that is the largest from below; None if it is round.

    The plane is its outward normal, and minus its distance from the origin.
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.simplices]
    sides = corners[:, 1:] - corners[:, :1]
    areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) / 2
    normals = hull.equations[:, :3]
    alike = normals @ normals.T > ALIKE
    seen = (alike @ areas) * np.maximum(-normals[:, 2], 0.0)
    best = int(np.argmax(seen))
    width = np.ptp(points, axis=0)[:2].min()
    return hull.equations[best] if seen[best] > width**2 / 4 else None
