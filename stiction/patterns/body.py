"""A two-legged robot as planners need it: soles, legs, and Jacobians of their targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import routine
from stiction.description.rotation import matrix
from stiction.errors import InputError
from stiction.kernels.articulated import move_links
from stiction.kernels.joint_space import dense_inertia, joint_space_inertia
from stiction.kernels.kinematics import forward_kinematics, frame_jacobian
from stiction.kernels.quantities import centre_of_mass
from stiction.kernels.tree import FREE, SPHERICAL, Dynamics, allocate
from stiction.kernels.vectors import store_vector
from stiction.patterns.soles import Sole, find_soles
from stiction.robot.robot import Robot
from stiction.world.world import World

MIDDLE = 0.8  # the knee is farther than this from hip and ankle, over the largest such distance
STRETCHED = 0.95  # largest distance from hip to ankle over the length of the leg, by default


@dataclass(frozen=True, eq=False)
class Leg:
    """The joints between the base and a sole."""

    links: tuple[int, ...]  # of the robot, from the hip to the foot
    knee: int  # link that moves at the knee
    length: float  # from hip to knee to ankle [m]


class Placement(NamedTuple):
    """One configuration of a body, in world axes."""

    soles: np.ndarray  # (2, 3) centres [m]
    axes: np.ndarray  # (2, 3, 3)
    centre: np.ndarray  # (3) of mass [m]
    sole_jacobians: np.ndarray  # (2, 6, nv) velocity of the centre, then angular velocity
    centre_jacobian: np.ndarray  # (3, nv)


@routine
def _measure_body(dynamics, q, at_rest, links, places, J, dense, centre):  # type: ignore[no-untyped-def]
    """Jacobians of points of links; inertia, whose first rows give the momentum; centre of mass."""
    move_links(dynamics, q, at_rest)
    joint_space_inertia(dynamics)
    dense_inertia(dynamics.tree, dynamics.H, dense)
    c, _ = centre_of_mass(dynamics)
    store_vector(centre, 0, c)
    for i in range(len(links)):
        frame_jacobian(dynamics, links[i], (places[i, 0], places[i, 1], places[i, 2]), J[i])


class Body:
    """A robot with a free base and two soles, alone in a world."""

    def __init__(self, robot: Robot, feet: tuple[str, str] | None = None) -> None:
        """Find soles and legs; `feet` as in `find_soles`."""
        if not isinstance(robot, Robot):
            raise InputError(f"expected a robot, found {type(robot).__name__}")
        if len(robot.joint_type) == 0 or robot.joint_type[0] != FREE:
            raise InputError(f"robot '{robot.name}' has no free base; a pattern needs one")
        self.robot, self.world = robot, World(robot)
        self.soles: tuple[Sole, Sole] = find_soles(robot, feet)
        self.mass = robot.total_mass
        self._dynamics: Dynamics = allocate(self.world.tree)
        self._links = np.array([sole.link + 1 for sole in self.soles])
        self._places = np.array([sole.position for sole in self.soles])
        self._turns = np.array([sole.rotation for sole in self.soles])
        self.legs = (self._leg(self.soles[0]), self._leg(self.soles[1]))

    def chain(self, link: int) -> tuple[int, ...]:
        """Links from the base (excluded) to a link."""
        links: list[int] = []
        while link > 0:
            links.append(link)
            link = int(self.robot.parent[link])
        return tuple(links[::-1])

    def arm(self, hand: str) -> tuple[int, ...]:
        """Links from where an arm branches off (excluded) to the hand."""
        links = self.chain(self.world.place(hand).link - 1)
        parents = self.robot.parent.tolist()
        branching = [k for k, link in enumerate(links) if parents.count(link) > 1]
        return links[branching[-1] + 1 :] if branching else links

    def dofs(self, links: tuple[int, ...]) -> list[int]:
        """Velocity coordinates of the joints of links."""
        index = self.world.tree.v_index
        return [d for link in links for d in range(index[link + 1], index[link + 2])]

    def _leg(self, sole: Sole) -> Leg:
        """Find the knee: far from hip and ankle, its axis is the nearest to the lateral axis."""
        links = self.chain(sole.link)
        if len(links) < 3:
            raise InputError(
                f"robot '{self.robot.name}': the {sole.side} leg has {len(links)} joints; "
                "a leg has at least hip, knee and ankle"
            )
        forward_kinematics(self._dynamics, self.robot.home)
        origins = self._dynamics.position[[link + 1 for link in links]]
        hip = np.linalg.norm(origins - origins[0], axis=1)
        ankle = np.linalg.norm(origins - origins[-1], axis=1)
        far = np.minimum(hip, ankle)
        first = self.world.tree.v_index[[link + 1 for link in links]]
        sideways = np.abs(self._dynamics.S[first, 3:] @ self._dynamics.rotation[1][:, 1])
        k = int(np.argmax(np.where(far > MIDDLE * far.max(), sideways, -1.0)))
        return Leg(links, links[k], float(hip[k] + ankle[k]))

    @property
    def leg_length(self) -> float:
        """Length of the shorter leg from hip to ankle [m]."""
        return min(leg.length for leg in self.legs)

    @property
    def gravity(self) -> float:
        """Magnitude of gravity [m/s2]."""
        return float(-self.world.gravity[2])

    # ----------------------------------------------------------------------- where everything is

    def at(self, q: np.ndarray) -> Placement:
        """Poses of the soles, centre of mass, and their Jacobians."""
        d, nv = self._dynamics, self.world.nv
        J, dense, centre = np.zeros((2, 6, nv)), np.zeros((nv, nv)), np.zeros((1, 3))
        at_rest = np.zeros(self.world.nv)
        _measure_body(d, q, at_rest, self._links, self._places, J, dense, centre)
        links = self._links
        rotations = d.rotation[links] @ self._turns
        arms = (d.rotation[links] @ self._places[:, :, None])[:, :, 0]
        positions = d.origin[1] + d.position[links] + arms
        return Placement(positions, rotations, centre[0], J, dense[:3] / self.mass)

    def sole_pose(self, q: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Centre and axes of a sole in the world."""
        placed = self.at(q)
        return placed.soles[side], placed.axes[side]

    def base_rotation(self, q: np.ndarray) -> np.ndarray:
        """Axes of the base in the world."""
        return matrix(q[3:7])

    def point(self, q: np.ndarray, name: str) -> np.ndarray:
        """Position of a link or frame in the world [m]."""
        place = self.world.place(name)
        forward_kinematics(self._dynamics, q)
        origin = self._dynamics.origin[1] + self._dynamics.position[place.link]
        return origin + self._dynamics.rotation[place.link] @ place.position

    # ------------------------------------------------------------------------------ starting poses

    @cached_property
    def single(self) -> list[tuple[int, int]]:
        """Index in q and in v of every revolute and prismatic joint, in the robot's order."""
        types, tree = self.robot.joint_type, self.world.tree
        return [
            (int(tree.q_index[link + 1]), int(tree.v_index[link + 1]))
            for link in range(len(types))
            if types[link] not in (FREE, SPHERICAL)
        ]

    def standing(self) -> np.ndarray:
        """Home configuration with bent knees and the midpoint of the soles at the origin."""
        q = self.robot.home.copy()
        for leg in self.legs:
            self._bend(q, leg)
        middle = (self.sole_pose(q, 0)[0] + self.sole_pose(q, 1)[0]) / 2
        q[:3] -= middle
        return q

    def _bend(self, q: np.ndarray, leg: Leg) -> None:
        """Bend a nearly straight knee by half a radian, in the direction with the larger range."""
        hip, ankle = (self._origin(q, link) for link in (leg.links[0], leg.links[-1]))
        if np.linalg.norm(hip - ankle) <= STRETCHED * leg.length:
            return
        tree = self.world.tree
        k, d = tree.q_index[leg.knee + 1], tree.v_index[leg.knee + 1]
        room = self.robot.upper[d] - q[k] - (q[k] - self.robot.lower[d])
        q[k] += 0.5 if not room < 0 else -0.5

    def _origin(self, q: np.ndarray, link: int) -> np.ndarray:
        forward_kinematics(self._dynamics, q)
        return self._dynamics.origin[1] + self._dynamics.position[link + 1]

    def home_width(self) -> float:
        """Lateral distance between the centres of the soles at home [m]."""
        left, right = self.sole_pose(self.robot.home, 0), self.sole_pose(self.robot.home, 1)
        return abs(float((left[0] - right[0]) @ left[1][:, 1]))

    def hip_height(self, q: np.ndarray) -> float:
        """Smallest height of a hip above its ankle [m]."""
        rises = [
            self._origin(q, leg.links[0])[2] - self._origin(q, leg.links[-1])[2]
            for leg in self.legs
        ]
        return float(min(rises))

    def height_for(self, stride: float) -> float:
        """Height of the centre of mass at home [m], lowered to bend the legs enough for a stride.

        stride: distance of the feet along the walk while both are on the ground [m].
        """
        home = self.robot.home.copy()
        ground = min(float(self.sole_pose(home, side)[0][2]) for side in (0, 1))
        height = self.at(home).centre[2] - ground
        reach = max((STRETCHED * self.leg_length) ** 2 - (stride / 2) ** 2, 0.0) ** 0.5
        return float(height - max(self.hip_height(home) - reach, 0.0))
