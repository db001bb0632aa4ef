"""Random pairs of shapes, what `meet_shapes` says of them, and what MuJoCo and Coal say."""

from itertools import combinations_with_replacement
from typing import NamedTuple

import coal
import mujoco
import numpy as np

from stiction.collision.pairs.hulls import make_shapes
from stiction.collision.pairs.meet import Pose, make_manifold, make_scratch, meet_shapes
from stiction.compiler.compiled import routine
from stiction.kernels.vectors import load_matrix, load_vector

KINDS = ("sphere", "capsule", "cylinder", "box", "hull")
PAIRS = tuple(combinations_with_replacement(KINDS, 2))
GEOMS = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "hull": 0}


class Pool(NamedTuple):
    """Shapes to take pairs from."""

    kinds: list
    sizes: list
    vertices: list  # of hulls, else None
    extent: np.ndarray

    def shapes(self):
        return make_shapes(self.kinds, self.sizes, [v for v in self.vertices if v is not None])


class Cases(NamedTuple):
    """Pairs of shapes of a pool, in poses."""

    a: np.ndarray
    b: np.ndarray
    position_a: np.ndarray
    rotation_a: np.ndarray
    position_b: np.ndarray
    rotation_b: np.ndarray


class Found(NamedTuple):
    """What `meet_shapes` wrote, one row per pair."""

    status: np.ndarray
    distance: np.ndarray
    towards: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    count: np.ndarray  # type: ignore[assignment]
    point: np.ndarray
    normal: np.ndarray
    depth: np.ndarray
    feature: np.ndarray


def make_pool(rng, each, smallest=0.05, largest=0.5, corners=20):
    """Shapes of all kinds with dimensions between bounds, `each` of a kind."""
    kinds, sizes, vertices = [], [], []
    for kind in KINDS:
        for _ in range(each):
            size = np.exp(rng.uniform(np.log(smallest), np.log(largest), 3))
            outwards = rng.normal(size=(corners, 3))
            outwards /= np.linalg.norm(outwards, axis=1)[:, None]
            kinds.append(kind)
            sizes.append(tuple(size[: SIZES[kind]]))
            vertices.append(outwards * size if kind == "hull" else None)
    extent = [max(s) if s else abs(v).max() for s, v in zip(sizes, vertices, strict=True)]
    return Pool(kinds, sizes, vertices, np.array(extent))


def random_rotations(rng, n):
    q = rng.normal(size=(n, 4))
    matrices = np.zeros((n, 9))
    for quaternion, matrix in zip(q, matrices, strict=True):
        mujoco.mju_quat2Mat(matrix, quaternion / np.linalg.norm(quaternion))
    return matrices.reshape(n, 3, 3)


def random_cases(rng, pool, pair, n):
    """Pairs of two kinds, from deep overlap to 60 % of their extent apart."""
    of = [np.flatnonzero(np.array(pool.kinds) == kind) for kind in pair]
    half = len(of[0]) // 2  # A and B are different geoms of MuJoCo
    a, b = rng.choice(of[0][:half], n), rng.choice(of[1][half:], n)
    away = rng.normal(size=(n, 3))
    away *= (rng.uniform(0.0, 1.6, n) / np.linalg.norm(away, axis=1))[:, None]
    away *= (pool.extent[a] + pool.extent[b])[:, None]
    position = rng.normal(size=(n, 3))
    return Cases(
        a, b, position + away, random_rotations(rng, n), position, random_rotations(rng, n)
    )


def moved(cases, way):
    """The same with every A moved."""
    return cases._replace(position_a=cases.position_a + way)


# --------------------------------------------------------------------------------------------- ours


@routine
def meet_all(shapes, cases, reach, scratch, manifold, found):
    for i in range(len(cases.a)):
        pose_a = Pose(load_vector(cases.position_a, i), load_matrix(cases.rotation_a, i))
        pose_b = Pose(load_vector(cases.position_b, i), load_matrix(cases.rotation_b, i))
        found.status[i] = meet_shapes(
            shapes, cases.a[i], pose_a, cases.b[i], pose_b, reach, scratch, manifold
        )
        found.distance[i] = manifold.distance[0]
        found.count[i] = manifold.count[0]
        for k in range(3):
            found.towards[i, k] = manifold.towards[k]
            found.point_a[i, k] = manifold.point_a[k]
            found.point_b[i, k] = manifold.point_b[k]
        for j in range(manifold.count[0]):
            found.depth[i, j] = manifold.depth[j]
            found.feature[i, j] = manifold.feature[j]
            for k in range(3):
                found.point[i, j, k] = manifold.point[j, k]
                found.normal[i, j, k] = manifold.normal[j, k]


def meet(shapes, cases, reach=np.inf):
    """Distance and manifold of every pair."""
    n = len(cases.a)
    one, three, ints = np.zeros(n), np.zeros((n, 3)), np.zeros(n, int)
    found = Found(
        ints,
        one,
        three,
        three.copy(),
        three.copy(),
        ints.copy(),
        np.zeros((n, 4, 3)),
        np.zeros((n, 4, 3)),
        np.zeros((n, 4)),
        np.zeros((n, 4), int),
    )
    meet_all(shapes, cases, float(reach), make_scratch(shapes.hulls), make_manifold(), found)
    return found


# ------------------------------------------------------------------------------------------ oracles


def extreme_point(pool, i, direction):
    """Point of shape i furthest in a direction, in its own axes."""
    kind, size = pool.kinds[i], pool.sizes[i]
    if kind == "sphere":
        return size[0] * direction
    if kind == "capsule":
        return size[0] * direction + np.array([0, 0, size[1] * np.sign(direction[2])])
    if kind == "box":
        return np.sign(direction) * size
    if kind == "hull":
        return pool.vertices[i][np.argmax(pool.vertices[i] @ direction)]
    across = np.hypot(direction[0], direction[1]) or 1.0
    return np.array([*(size[0] / across * direction[:2]), size[1] * np.sign(direction[2])])


def overlap_along(pool, cases, i, n):
    """How far A of case i must move along n to leave B; negative if it is out already."""
    R, S = cases.rotation_a[i], cases.rotation_b[i]
    low = cases.position_a[i] + R @ extreme_point(pool, cases.a[i], -(R.T @ n))
    high = cases.position_b[i] + S @ extreme_point(pool, cases.b[i], S.T @ n)
    return (high - low) @ n


def height_above(pool, i, x, planes):
    """How far a point is outside shape i: at most its distance, and negative inside."""
    kind, size = pool.kinds[i], pool.sizes[i]
    if kind == "sphere":
        return np.linalg.norm(x) - size[0]
    if kind == "capsule":
        return np.linalg.norm(x - [0, 0, np.clip(x[2], -size[1], size[1])]) - size[0]
    if kind == "box":
        return np.max(abs(x) - size)
    if kind == "hull":
        return np.max(planes[i][:, :3] @ x + planes[i][:, 3])
    return max(np.hypot(x[0], x[1]) - size[0], abs(x[2]) - size[1])


class Mujoco:
    """mj_geomDistance on the shapes of a pool, with its iterations made precise."""

    def __init__(self, pool):
        spec = mujoco.MjSpec()
        for i, (kind, size) in enumerate(zip(pool.kinds, pool.sizes, strict=True)):
            options = {"size": (*size, 0, 0, 0)[:3]}
            if kind == "hull":
                spec.add_mesh(name=f"mesh{i}", uservert=pool.vertices[i].ravel())
                options = {"meshname": f"mesh{i}"}
            spec.worldbody.add_geom(name=f"geom{i}", type=GEOMS[kind], **options)
        self.model = spec.compile()
        self.model.opt.ccd_tolerance, self.model.opt.ccd_iterations = 1e-9, 500
        self.data = mujoco.MjData(self.model)
        self.local = []
        for quaternion in self.model.geom_quat:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, quaternion)
            self.local.append(R.reshape(3, 3))

    def _place(self, geom, position, rotation):
        self.data.geom_xpos[geom] = position + rotation @ self.model.geom_pos[geom]
        self.data.geom_xmat[geom] = (rotation @ self.local[geom]).ravel()

    def distance(self, cases, i):
        """Distance and normal from B to A."""
        a, b = int(cases.a[i]), int(cases.b[i])
        self._place(a, cases.position_a[i], cases.rotation_a[i])
        self._place(b, cases.position_b[i], cases.rotation_b[i])
        ends = np.zeros(6)
        distance = mujoco.mj_geomDistance(self.model, self.data, a, b, 1e3, ends)
        way = ends[:3] - ends[3:]
        return distance, np.sign(distance) * way / (np.linalg.norm(way) or 1.0)


class Coal:
    """Coal's distance on the shapes of a pool, with its iterations made precise."""

    def __init__(self, pool):
        self.shapes = [
            self._shape(*row) for row in zip(pool.kinds, pool.sizes, pool.vertices, strict=True)
        ]
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-9
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    def _shape(self, kind, size, vertices):
        if kind == "hull":
            points = coal.StdVec_Vec3s()
            for vertex in vertices:
                points.append(vertex)
            return coal.Convex.convexHull(points, False, "Qt")
        if kind == "box":
            return coal.Box(*(2 * np.array(size)))
        if kind == "sphere":
            return coal.Sphere(size[0])
        return (coal.Capsule if kind == "capsule" else coal.Cylinder)(size[0], 2 * size[1])

    def distance(self, cases, i):
        """Distance and normal from B to A."""
        result = coal.DistanceResult()
        distance = coal.distance(
            self.shapes[cases.a[i]],
            coal.Transform3s(cases.rotation_a[i], cases.position_a[i]),
            self.shapes[cases.b[i]],
            coal.Transform3s(cases.rotation_b[i], cases.position_b[i]),
            self.request,
            result,
        )
        return distance, -result.normal
