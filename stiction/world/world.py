"""Robots and free objects -> one forest of arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.collision.pair_filter import PairFilter
from stiction.collision.terrain import FlatGround
from stiction.description.arguments import number, shown, vector
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.planar import planar_bases
from stiction.kernels.tree import FREE, Q_SIZE, SPHERICAL, allocate
from stiction.robot.robot import Robot
from stiction.world.apart import Apart, Overlap, boxes_of, first_overlap, side_by_side
from stiction.world.bodies import slots_for
from stiction.world.colliding_pairs import pair_filter_of
from stiction.world.forest import forest_of
from stiction.world.ground import GROUNDS, Ground
from stiction.world.lifts import lifted_together, lifts_out_of, lifts_to_plane
from stiction.world.loops import closed
from stiction.world.materials import (
    DeclaredFriction,
    Materials,
    checked_materials,
    declared_by,
)
from stiction.world.names import Names, Place
from stiction.world.scenery import (
    Scenery,
    ground_of_files,
    moving_then_fixed,
    notes_on_given,
    scenery_of,
)
from stiction.world.self_collision import (
    HomeOverlap,
    overlaps_at_home,
    robots_that_touch_themselves,
)

GRAVITY = (0.0, 0.0, -9.81)  # [m/s2]
UPRIGHT = 0.999999  # least cosine of the angle to the vertical of a slide that lifts a planar base


class _OfFiles:
    """The default of `ground`."""

    def __repr__(self) -> str:
        return "the plane of the robots' files, or Plane()"


OF_FILES: Any = _OfFiles()


@dataclass
class State:
    """State of a world: time [s], positions q (nq) and velocities v (nv).

    docs/conventions.md defines their order.
    """

    q: np.ndarray
    v: np.ndarray
    time: float = 0.0


class World:
    """A forest of robots and free objects on a ground.

    `robots` are those that move, then those that do not: the scenery. A link, joint or frame is
    found by its plain name if that is unique in the world, otherwise by "robot/name". A second
    robot of the same name is called "name_2", and so on. `notes` are remarks for the user.
    """

    def __init__(
        self,
        *robots: Robot,
        ground: Ground | None = OF_FILES,
        scenery: Robot | Iterable[Robot] = (),
        materials: Materials | None = None,
        gravity: ArrayLike = GRAVITY,
        self_collision: bool | str | Iterable[str] = False,
    ) -> None:
        """Combine robots into one forest, in this order; gravity in m/s2.

        ground: by default the plane of the robots' files that faces up, or `Plane()` if there is
        none. scenery: robots or objects that do not move; they are fixed in their home
        configuration. self_collision: whether links of one robot touch each other; True for all
        robots, or the names of some. Links that a joint connects, and shapes that overlap at home,
        never do.
        """
        self.robots = distinct(moving_then_fixed(robots, scenery))
        if ground is OF_FILES:
            ground, self.notes = ground_of_files(self.robots)
        else:
            self.notes = notes_on_given(ground, self.robots)
        if not (ground is None or isinstance(ground, Ground)):
            raise InputError(
                f"World(ground=...) takes {', '.join(GROUNDS)} or None, "
                f"found {type(ground).__name__}"
            )
        self.ground = ground
        self.materials = checked_materials(materials)
        self.gravity = vector("World: gravity", gravity, 3, "m/s2")
        self.self_collision = robots_that_touch_themselves(self_collision, self.robots)
        self.tree = forest_of(self.robots, self.gravity, np.dtype(np.float64))
        self._names = Names(self.robots)

    def __repr__(self) -> str:
        """Robots, scenery and ground, in three lines."""
        moving = [robot.name for robot in self.moving]
        fixed = [robot.name for robot in self.robots if robot.nv == 0]
        shown = [f"{len(names)}: {', '.join(names[:4])}" for names in (moving, fixed) if names]
        return (
            f"World of {' with scenery '.join(shown)}\n"
            f"  nq {self.nq}, nv {self.nv}, {self.total_mass:.4g} kg\n  on {self.ground!r:.90}"
        )

    def _repr_html_(self) -> str:
        from stiction.viewer.notebook import world_table

        return world_table(self)

    @property
    def nq(self) -> int:
        """Number of positions."""
        return sum(robot.nq for robot in self.robots)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.tree.dof_parent)

    @property
    def total_mass(self) -> float:
        """Mass of everything that moves [kg]."""
        return float(self.tree.mass.sum())

    @property
    def link_names(self) -> list[str]:
        """Names of the links of the forest, the world first."""
        return self._names.links

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, one per link of the forest, '' for the world."""
        return self._names.joints

    def dof_name(self, d: int) -> str:
        """Name of a velocity coordinate: its joint, and its direction if the joint has several."""
        link = self.tree.dof_link[d]
        directions = {
            FREE: ("x", "y", "z", "turn x", "turn y", "turn z"),
            SPHERICAL: ("x", "y", "z"),
        }
        kind = int(self.tree.joint_type[link])
        part = d - self.tree.v_index[link]
        suffix = f" ({directions[kind][part]})" if kind in directions else ""
        return self.joint_names[link] + suffix

    def place(self, name: str) -> Place:
        """Return the link or frame of that name."""
        return self._names.place(name)

    def joint(self, name: str) -> int:
        """Return the link, as an index into the forest, that the named joint moves."""
        return self._names.joint(name)

    def home(self) -> State:
        """Every robot in its home configuration, at rest, at time 0, with its loops closed.

        A free robot that would overlap an earlier one is moved along y, unless it was placed with
        `Robot.at`; see `moved_aside`.
        """
        return State(self._home.q.copy(), np.zeros(self.nv))

    def moved_aside(self) -> list[str]:
        """One sentence on each robot that `home` moves along y because it overlaps an earlier one.

        It then starts `apart.CLEARANCE` to the left of all earlier ones. A robot that was placed
        with `Robot.at`, or that overlaps scenery, stays, and the sentence says so. Overlap is
        judged by the bounding boxes of the shapes.
        """
        return list(self._home.notes)

    @cached_property
    def _home(self) -> Apart:
        q = np.concatenate([robot.home for robot in self.robots])
        q = closed(self.robots, self.tree, q)
        if len(self.robots) == 1:
            return Apart(q, [], set())
        return side_by_side(self.robots, allocate(self.tree), q)

    @property
    def moving(self) -> tuple[Robot, ...]:
        """The robots that move."""
        return tuple(robot for robot in self.robots if robot.nv > 0)

    @cached_property
    def scenery(self) -> Scenery:
        """The shapes that are fixed in the world, of robots' files and of scenery; no ground."""
        return scenery_of(self.robots)

    def overlap(self, state: State) -> Overlap | None:
        """The first robot that overlaps an earlier one; None if none does."""
        if len(self.robots) == 1:
            return None
        dynamics = allocate(self.tree)
        forward_kinematics(dynamics, state.q)
        return first_overlap(self.robots, boxes_of(self.robots, dynamics))

    @cached_property
    def near_pairs(self) -> int:
        """How many pairs of shapes may be near each other at once; 0 if none can ever meet."""
        return slots_for(self.pair_filter)

    @cached_property
    def pair_filter(self) -> PairFilter:
        """Which pairs of shapes may collide."""
        pairs = [(overlap.one, overlap.other) for overlap in self.home_overlaps]
        return pair_filter_of(self.robots, self.self_collision, pairs)

    @cached_property
    def home_overlaps(self) -> list[HomeOverlap]:
        """Shapes that would touch by self-collision, but do not because they overlap at home."""
        if not self.self_collision:
            return []
        filters = pair_filter_of(self.robots, self.self_collision)
        return overlaps_at_home(self.robots, filters, allocate(self.tree), self._home.q)

    def standing(self, above: float = 0.0) -> State:
        """Home, with every free robot or object moved vertically to `above` the ground [m].

        What one file joins by loops, or has above one another, moves together. On steps and height
        fields, `above` is measured from the height at which it just touches. Free robots that would
        then overlap an earlier one are moved along y, even those placed with `Robot.at`, unless
        they also overlap at home.
        """
        if self.ground is None:
            raise InputError("standing() needs a ground; this world has none")
        above = number("standing(): above", above, "m")
        state = self.home()
        self.put_on_ground(state.q, above)
        if len(self.robots) > 1:
            apart = side_by_side(self.robots, allocate(self.tree), state.q, self._home.kept)
            if not np.array_equal(apart.q, state.q):
                state.q[:] = apart.q
                self.put_on_ground(state.q, above)
        return state

    def put_on_ground(self, q: np.ndarray, above: float = 0.0) -> None:
        """Change q: move every free robot or object vertically to `above` the ground [m]."""
        dynamics = allocate(self.tree)
        forward_kinematics(dynamics, q)
        together = lifted_together(self, dynamics)
        ground = self.ground.bind()  # type: ignore[union-attr]
        if isinstance(ground, FlatGround):
            lifts = lifts_to_plane(self, dynamics, ground)
            lifts = {root: lift + above / ground.normal[2] for root, lift in lifts.items()}
        else:
            lifts = lifts_out_of(self, dynamics, ground)
            lifts = {root: lift + above for root, lift in lifts.items()}
        rising = self.lifted()
        for root in rising:
            if root not in lifts:
                raise InputError(
                    f"standing(): '{self.link_names[root]}' and its links have no colliding shape"
                )
        for trees in together:
            if all(root in rising for root in trees):
                lift = max(lifts[root] for root in trees)
                for k, share in (rising[root] for root in trees):
                    q[k] += lift / share

    def lifted(self) -> dict[int, tuple[int, float]]:
        """For each root link that can rise: the index in q that lifts it, and the lift per unit."""
        tree = self.tree
        free = np.flatnonzero((tree.parent == 0) & (tree.joint_type == FREE))
        rises = {int(root): (int(tree.q_index[root]) + 2, 1.0) for root in free if root > 0}
        for base in planar_bases(tree):
            rotation = np.eye(3)
            for link in base.slides:
                rotation = rotation @ tree.joint_rotation[link]
                share = float((rotation @ tree.joint_axis[link])[2])
                if abs(share) > UPRIGHT:
                    rises[base.slides[0]] = (int(tree.q_index[link]), share)
        return rises

    def declared_friction(self) -> DeclaredFriction:
        """Friction that the robots' files declare."""
        return declared_by(self.robots)

    def digest(self) -> str:
        """Hash of everything that affects the motion of the world, 16 hexadecimal digits."""
        parts = [robot.digest() for robot in self.robots] + [
            repr(self.gravity.tolist()),
            repr(self.ground),
            repr(
                sorted((sorted(pair), sorted(row.items())) for pair, row in self.materials.items())
            ),
        ]
        if self.self_collision:
            parts.append(f"self collision of {self.self_collision}")
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]

    def check_state(self, state: State | None) -> State:
        """Return a copy of a state after checking it; the home state for None."""
        if state is None:
            return self.home()
        if not isinstance(state, State):
            raise InputError(
                f"state: found {type(state).__name__}; "
                "use stiction.State(q, v), world.home() or world.standing()"
            )
        q = checked_vector("state.q", state.q, self.nq, "position", lambda k: f"q[{k}]")
        v = checked_vector("state.v", state.v, self.nv, "velocity", self.dof_name)
        time = number("state.time", state.time, "s")
        for link in range(1, len(self.tree.parent)):
            if self.tree.joint_type[link] in (FREE, SPHERICAL):
                last = self.tree.q_index[link] + Q_SIZE[self.tree.joint_type[link]]
                length = np.linalg.norm(q[last - 4 : last])
                if abs(length - 1.0) > 1e-3:
                    raise InputError(
                        f"state.q: the quaternion of joint '{self.joint_names[link]}' "
                        f"has length {length:.6g}; give a unit quaternion w x y z"
                    )
                q[last - 4 : last] /= length
        return State(q, v, time)


def checked_vector(
    what: str, value: ArrayLike, size: int, unit: str, name: Callable[[int], str]
) -> np.ndarray:
    """Copy of a vector as float64, after checking its size and that it is finite."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: found {shown(value)}; give {size} numbers") from None
    if array.shape != (size,):
        raise InputError(
            f"{what}: found shape {array.shape}; "
            f"this world has {size} {unit} coordinates, shape ({size},)"
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise InputError(
            f"{what}: {name(int(bad[0]))} is {array[bad[0]]}; all {size} numbers must be finite"
        )
    return array


def checked_world(world: World) -> World:
    """Return a world; raises InputError for anything else."""
    if not isinstance(world, World):
        raise InputError(f"expected a World, found {type(world).__name__}; wrap it: World(robot)")
    return world


def distinct(robots: Sequence[Robot]) -> tuple[Robot, ...]:
    """Return the robots with unique names."""
    taken: set[str] = set()
    distinct = []
    for robot in robots:
        name, number = robot.name, 2
        while name in taken:
            name, number = f"{robot.name}_{number}", number + 1
        taken.add(name)
        distinct.append(robot if name == robot.name else robot.named(name))
    return tuple(distinct)
