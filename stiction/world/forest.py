"""Robots -> the arrays of one forest, link 0 the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.kernels.tree import FREE, Q_SIZE, SPHERICAL, V_SIZE, Tree
from stiction.robot.robot import Robot

SLACK = {
    np.dtype(np.float64): (1e-9, 1e-6),
    np.dtype(np.float32): (1e-4, 1e-1),
}  # `Tree.slack`: well above rounding errors
_DOF_FIELDS = (
    "armature damping friction stiffness spring_reference lower upper effort_lower effort_upper"
).split()


def forest_of(robots: tuple[Robot, ...], gravity: np.ndarray, real: np.dtype) -> Tree:
    """All robots as one forest, link 0 the world."""
    types = np.concatenate([[FREE], *[robot.joint_type for robot in robots]]).astype(np.int64)
    q_sizes = [0, *[Q_SIZE[kind] for kind in types[1:]]]
    v_sizes = [0, *[V_SIZE[kind] for kind in types[1:]]]
    parent, first = [np.zeros(1, int)], 1
    for robot in robots:
        parent.append(np.where(robot.parent < 0, 0, robot.parent + first))
        first += len(robot.parent)
    parents = np.concatenate(parent).astype(np.int64)
    v_index = np.concatenate([[0], np.cumsum(v_sizes)]).astype(np.int64)
    q_index = (np.cumsum(q_sizes) - q_sizes).astype(np.int64)

    def joined(name: str, world: Any) -> np.ndarray:
        rows = [np.asarray(world)[None], *[getattr(robot, name) for robot in robots]]
        return np.ascontiguousarray(np.concatenate(rows), dtype=real)

    def along(name: str) -> np.ndarray:
        return np.concatenate([getattr(robot, name) for robot in robots]).astype(real)

    return Tree(
        parent=parents,
        root=_roots(parents),
        joint_type=types,
        q_index=q_index,
        v_index=v_index,
        joint_axis=joined("joint_axis", [0, 0, 1]),
        joint_rotation=joined("joint_rotation", np.eye(3)),
        joint_position=joined("joint_position", np.zeros(3)),
        mass=joined("mass", 0.0),
        centre=joined("centre", np.zeros(3)),
        inertia=joined("inertia", np.zeros(6)),
        gravity=gravity.astype(real),
        **_chains(parents, v_index, q_index, types),
        **{name: along(name) for name in _DOF_FIELDS},
        slack=np.array(SLACK[real], real),
    )


def _roots(parent: np.ndarray) -> np.ndarray:
    """First link of the tree of every link."""
    root = np.zeros_like(parent)
    for i in range(1, len(parent)):
        root[i] = i if parent[i] == 0 else root[parent[i]]
    return root


def _chains(
    parent: np.ndarray, v_index: np.ndarray, q_index: np.ndarray, types: np.ndarray
) -> dict:
    """For every velocity coordinate, the chain of coordinates from it to the world."""
    nv = v_index[-1]
    dof_parent, dof_link, dof_q = (np.full(nv, -1, np.int64) for _ in range(3))
    depth = np.zeros(nv, np.int64)
    chains: list[list[int]] = []
    for link in range(1, len(parent)):
        for d in range(v_index[link], v_index[link + 1]):
            above = d - 1 if d > v_index[link] else v_index[parent[link] + 1] - 1
            dof_parent[d] = above if parent[link] > 0 or d > v_index[link] else -1
            dof_link[d] = link
            if types[link] not in (FREE, SPHERICAL):
                dof_q[d] = q_index[link]
            chains.append([*(chains[dof_parent[d]] if dof_parent[d] >= 0 else []), d])
            depth[d] = len(chains[d]) - 1
    rows = np.cumsum(depth + 1) - (depth + 1)
    gathers = np.zeros_like(parent)
    for link in range(1, len(parent)):
        gathers[parent[link]] |= parent[link] != link - 1
    return {
        "gathers": gathers,
        "dof_parent": dof_parent,
        "dof_depth": depth,
        "dof_row": rows.astype(np.int64),
        "ancestor": np.array([d for chain in chains for d in chain], np.int64),
        "dof_link": dof_link,
        "dof_q": dof_q,
    }
