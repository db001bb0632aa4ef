"""The closed loops of all robots of a world, as arrays of its forest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stiction.compiler.compiled import routine
from stiction.description.description import LOOP_KINDS
from stiction.kernels.articulated import move_links
from stiction.kernels.kinematics import advance
from stiction.kernels.loop_rows import measure_rows
from stiction.kernels.loops import Loops, NoLoops
from stiction.kernels.tree import Dynamics, Tree, allocate
from stiction.robot.robot import Robot

CLOSED = 1e-12  # [m or rad] error that is rounding
STEPS = 20  # at most, to close loops; three usually suffice
INDEPENDENT = 1e-6  # singular values smaller than this fraction of the largest are redundant rows
POINTS = {"connect": 3, "line": 2, "plane": 1, "weld": 3, "joint": 0}  # directions
TURNS = {"weld": 3}


def make_loops(robots: Sequence[Robot], tree: Tree, touching: int) -> Loops | NoLoops:
    """The loops of the robots of a forest, for contact models with some touching links."""
    chosen = [(robot, i) for robot in robots for i in range(len(robot.loop_name))]
    if not chosen:
        return NoLoops()
    kinds, ends = [LOOP_KINDS[robot.loop_kind[i]] for robot, i in chosen], _ends(robots)
    coupled = np.array([kind == "joint" for kind in kinds])
    coordinate = np.where(coupled[:, None] & (ends > 0), tree.v_index[ends], -1)
    points = np.array([POINTS[kind] for kind in kinds])
    turns = np.array([TURNS.get(kind, 0) for kind in kinds])
    rows = points + turns + coupled
    terms = max(robot.loop_coefficients.shape[1] for robot, _ in chosen)
    group = _groups(tree, ends)

    def stacked(name: str) -> np.ndarray:
        return np.array([getattr(robot, f"loop_{name}")[i] for robot, i in chosen], float)

    coefficients = [robot.loop_coefficients[i] for robot, i in chosen]
    n, count = len(chosen), int(rows.sum())
    nv = len(tree.dof_parent)
    return Loops(
        link=ends,
        position=stacked("position"),
        rotation=stacked("rotation"),
        direction=np.array(
            [
                _directions(kind, robot.loop_axis[i])
                for kind, (robot, i) in zip(kinds, chosen, strict=True)
            ]
        ),
        points=points,
        turns=turns,
        coordinate=coordinate,
        coefficients=np.array([[*c, *[0.0] * (terms - len(c))] for c in coefficients], float),
        reference=stacked("reference"),
        slope=np.zeros(n),
        first_row=np.concatenate([[0], np.cumsum(rows)]),
        row_group=np.repeat(group[ends.max(axis=1)], rows),
        link_group=group,
        moved=_moved(tree, ends),
        **{name: np.zeros(count) for name in ("error", "rate", "drift", "driven", "correction")},
        step=np.zeros(1),
        ends=np.zeros((2, nv, 6)),
        basis=np.zeros((count, nv)),
        **{name: np.zeros(count) for name in ("aim", "scale", "size", "push")},
        kept=np.zeros(count, np.int64),
        touching=np.zeros((touching, 6, count)),
    )


def joined_trees(robots: Sequence[Robot], tree: Tree) -> np.ndarray:
    """Return for every link of a forest a root that stands for all trees that loops join to its."""
    group = _groups(tree, _ends(robots))
    return np.where(group >= 0, group, tree.root)


def joined_to_world(robots: Sequence[Robot]) -> np.ndarray:
    """The links of the forest that loops join to the world; a loop of one joint does not."""
    ends, kinds = _ends(robots), [kind for robot in robots for kind in robot.loop_kind]
    of_bodies = np.array([LOOP_KINDS[kind] != "joint" for kind in kinds], bool)
    return ends[(ends == 0).any(axis=1) & of_bodies].max(axis=1)


def loop_errors(robots: Sequence[Robot], tree: Tree, q: np.ndarray) -> dict[str, float]:
    """How far each loop is from being closed at q, by "robot/loop": its largest row [m or rad]."""
    loops = make_loops(robots, tree, 0)
    if isinstance(loops, NoLoops):
        return {}
    _measure(loops, allocate(tree), q, np.zeros(len(tree.dof_parent)))
    names = [f"{robot.name}/{name}" for robot in robots for name in robot.loop_name]
    rows = np.split(np.abs(loops.error), loops.first_row[1:-1])
    return {name: float(part.max()) for name, part in zip(names, rows, strict=True)}


def closed(robots: Sequence[Robot], tree: Tree, q: np.ndarray) -> np.ndarray:
    """The configuration near q in which the loops are closed, as far as they can be.

    Files round their positions. Gauss-Newton steps, each the smallest change of coordinates.
    """
    loops = make_loops(robots, tree, 0)
    if isinstance(loops, NoLoops):
        return q
    dynamics, q = allocate(tree), q.copy()
    for _ in range(STEPS):
        rates = []
        for unit in np.eye(len(tree.dof_parent)):
            _measure(loops, dynamics, q, unit)
            rates.append(loops.rate.copy())
        if np.abs(loops.error).max() < CLOSED:
            break
        J = np.transpose(rates)
        advance(tree, q, -np.linalg.pinv(J, rcond=INDEPENDENT) @ loops.error, 1.0)
    return q


@routine
def _measure(loops: Loops, dynamics: Dynamics, q: np.ndarray, v: np.ndarray) -> None:
    """Errors and rates of all rows."""
    move_links(dynamics, q, v)
    measure_rows(loops, dynamics, q, v, v)


def _ends(robots: Sequence[Robot]) -> np.ndarray:
    """The links of the forest that each loop joins, (loops, 2)."""
    ends, first = [np.zeros((0, 2), np.int64)], 1
    for robot in robots:
        links = robot.loop_link.reshape(-1, 2)
        ends.append(np.where(links < 0, 0, links + first))
        first += len(robot.link_name)
    return np.concatenate(ends)


def _directions(kind: str, axis: np.ndarray) -> np.ndarray:
    """Unit vectors along which points stay together, in the first rows; those left are not used."""
    if kind not in ("line", "plane"):
        return np.eye(3)
    across = np.linalg.svd(axis[None])[2][1:]
    return np.array([*across, axis] if kind == "line" else [axis, *across])


def _groups(tree: Tree, ends: np.ndarray) -> np.ndarray:
    """For every link the root that stands for all trees joined by loops, -1 without loops."""
    joined = np.arange(len(tree.parent))
    for a, b in tree.root[ends]:
        if a > 0 and b > 0:
            joined[joined == joined[a]] = joined[b]
    looped = np.unique(joined[tree.root[ends[ends > 0]]])
    group = joined[tree.root]
    return np.where(np.isin(group, looped) & (group > 0), group, -1)


def _moved(tree: Tree, ends: np.ndarray) -> np.ndarray:
    """The coordinates between the links of loops and the world."""
    found: set[int] = set()
    for link in ends[ends > 0]:
        d = int(tree.v_index[link + 1]) - 1
        while d >= 0:
            found.add(d)
            d = int(tree.dof_parent[d])
    return np.array(sorted(found), np.int64)
