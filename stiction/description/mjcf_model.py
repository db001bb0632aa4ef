"""Shared by the readers of a compiled MuJoCo model: codes, names, which geoms collide."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.description import WORLD
from stiction.description.plain import unique

if TYPE_CHECKING:
    from mujoco import MjModel

PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = 0, 2, 3, 4, 5, 6, 7  # mjtGeom
KINDS = {
    PLANE: "plane",
    SPHERE: "sphere",
    CAPSULE: "capsule",
    ELLIPSOID: "ellipsoid",
    CYLINDER: "cylinder",
    BOX: "box",
    MESH: "hull",
}
FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
JOINT_NAMES = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


class Names(NamedTuple):
    """The name of every element by id; unnamed elements are named by kind and id."""

    body: list[str]
    joint: list[str]
    geom: list[str]
    site: list[str]
    actuator: list[str]
    sensor: list[str]
    key: list[str]


def names_of(model: MjModel) -> Names:
    """The names of a model."""
    counts = {
        "body": model.nbody,
        "joint": model.njnt,
        "geom": model.ngeom,
        "site": model.nsite,
        "actuator": model.nactuator,
        "sensor": model.nsensor,
        "key": model.nkey,
    }
    every = {}
    for kind, count in counts.items():
        given = [getattr(model, kind)(i).name for i in range(count)]
        taken = set(given)
        every[kind] = [name or unique(f"{kind}_{i}", taken) for i, name in enumerate(given)]
    every["body"][0] = WORLD
    return Names(**every)


def element_name(model: MjModel, kind: str, i: int) -> str:
    """The name of an element of any kind, or its kind and id."""
    import mujoco

    found = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), i)
    return found or f"{kind}_{i}"


def colliding_geoms(model: MjModel) -> np.ndarray:
    """Whether each geom can touch anything, by its mask or by an explicit pair."""
    colliding = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    colliding[model.pair_geom1] = True
    colliding[model.pair_geom2] = True
    return colliding


def fixed_geoms(model: MjModel) -> np.ndarray:
    """Whether each geom is fixed in the world."""
    return model.body_weldid[model.geom_bodyid] == 0


def planes(model: MjModel) -> np.ndarray:
    """Whether each geom is a colliding plane that is fixed in the world: the ground of the file."""
    return (model.geom_type == PLANE) & fixed_geoms(model) & colliding_geoms(model)


def friction_on_ground(model: MjModel) -> np.ndarray:
    """Sliding friction of each geom on the ground.

    MuJoCo's rule: that of the <pair> of both, else that of the geom of higher priority, else the
    larger one. The planes of the file are the ground; without planes the ground has no friction of
    its own, and that of the geom applies. A geom that is fixed in the world has its own friction.
    """
    own = model.geom_friction[:, 0]
    friction = own.copy()
    floors = np.flatnonzero(planes(model))
    if len(floors):
        first = model.geom_priority[floors].max()
        ground = friction[floors[model.geom_priority[floors] == first]].max()
        larger = np.maximum(friction, ground)
        above, below = model.geom_priority > first, model.geom_priority < first
        friction = np.where(above, friction, np.where(below, ground, larger))
    on_floor = np.isin(model.pair_geom1, floors), np.isin(model.pair_geom2, floors)
    friction[model.pair_geom2[on_floor[0]]] = model.pair_friction[on_floor[0], 0]
    friction[model.pair_geom1[on_floor[1]]] = model.pair_friction[on_floor[1], 0]
    return np.where(fixed_geoms(model), own, friction)


def pairs_with_own_friction(model: MjModel) -> list[tuple[int, int, float]]:
    """Geoms of each <pair> whose sliding friction is not that of MuJoCo's rule; no ground."""
    ground, own, priority = planes(model), model.geom_friction[:, 0], model.geom_priority
    found = []
    for a, b, friction in zip(
        model.pair_geom1, model.pair_geom2, model.pair_friction[:, 0], strict=True
    ):
        by_rule = max(own[a], own[b])
        if priority[a] != priority[b]:
            by_rule = own[a] if priority[a] > priority[b] else own[b]
        if friction != by_rule and not (ground[a] or ground[b]):
            found.append((int(a), int(b), float(friction)))
    return found
