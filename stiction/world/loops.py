"""The closed loops of all robots of a world, as arrays of its forest."""

from __future__ import annotations

import numpy as np

from stiction.description.description import LOOP_KINDS
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.loop_rows import measure_rows
from stiction.kernels.loops import Loops, NoLoops
from stiction.kernels.tree import Tree, allocate
from stiction.robot.robot import Robot

POINTS = {"connect": 3, "line": 2, "plane": 1, "weld": 3, "joint": 0}  # directions
TURNS = {"weld": 3}


def make_loops(robots: tuple[Robot, ...], tree: Tree, touching: int) -> Loops | NoLoops:
    """The loops of the robots of a forest, for contact models with some touching links."""
    firsts = np.cumsum([0, *(len(robot.link_name) for robot in robots)])[:-1]
    chosen = [(robot, i) for robot in robots for i in range(len(robot.loop_name))]
    if not chosen:
        return NoLoops()
    offset = {id(robot): 1 + first for robot, first in zip(robots, firsts, strict=True)}
    kinds = [LOOP_KINDS[robot.loop_kind[i]] for robot, i in chosen]
    ends = np.array([_forest(robot.loop_link[i], offset[id(robot)]) for robot, i in chosen])
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
        **{name: np.zeros(count) for name in ("error", "rate", "drift", "correction")},
        step=np.zeros(1),
        ends=np.zeros((2, nv, 6)),
        basis=np.zeros((count, nv)),
        **{name: np.zeros(count) for name in ("aim", "scale", "size", "push")},
        kept=np.zeros(count, np.int64),
        touching=np.zeros((touching, 6, count)),
    )


def loop_errors(robots: tuple[Robot, ...], tree: Tree, q: np.ndarray) -> dict[str, float]:
    """How far each loop is from closed at q, by name: the largest of its rows [m or rad]."""
    loops = make_loops(robots, tree, 0)
    if isinstance(loops, NoLoops):
        return {}
    dynamics, still = allocate(tree), np.zeros(len(tree.dof_parent))
    forward_kinematics(dynamics, q)
    measure_rows(loops, dynamics, q, still, still)
    names = [str(name) for robot in robots for name in robot.loop_name]
    rows = np.split(np.abs(loops.error), loops.first_row[1:-1])
    return {name: float(part.max()) for name, part in zip(names, rows, strict=True)}


def _forest(links: np.ndarray, first: int) -> np.ndarray:
    """Links of a robot as links of the forest."""
    return np.where(links < 0, 0, links + first)


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
