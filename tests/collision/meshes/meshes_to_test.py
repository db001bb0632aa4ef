"""Meshes, convex shapes above them, what `meet_mesh` says, and what Coal says of the distance."""

from typing import NamedTuple

import coal
import numpy as np

from collision.pairs.random_pairs import Coal, Pool, random_rotations
from stiction.collision.meshes.meet_mesh import meet
from stiction.collision.meshes.meshes import SIDES, Triangles
from stiction.collision.pairs.clip import make_manifold
from stiction.collision.pairs.hulls import make_shapes
from stiction.collision.pairs.manifold import make_scratch
from stiction.collision.pairs.shapes import Pose
from stiction.compiler.compiled import routine
from stiction.kernels.vectors import load_matrix, load_vector


def grid(x, y, height):
    """A mesh over a grid that faces up; height(x, y)."""
    X, Y = np.meshgrid(x, y, indexing="ij")
    vertices = np.stack([X, Y, height(X, Y)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(len(x) - 1), np.arange(len(y) - 1), indexing="ij")
    a = (i * len(y) + j).ravel()
    b, c, d = a + len(y), a + len(y) + 1, a + 1
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return Triangles(vertices, triangles)


def floor(size=1.0, cells=4):
    """A square at z = 0, in triangles."""
    line = np.linspace(-size, size, cells + 1)
    return grid(line, line, lambda x, y: 0.0 * x)


def terrain(rng, cells, size=1.0, rough=0.1):
    """Random heights over a square."""
    line = np.linspace(-size, size, cells + 1)
    heights = rng.uniform(-rough, rough, (cells + 1, cells + 1))
    return grid(line, line, lambda x, y: heights)


def prism(outline, half):
    """A closed mesh: a polygon in x and z between y = -half and y = half.

    The polygon runs counterclockwise seen from -y, and its first corner sees all others.
    """
    n, outline = len(outline), np.asarray(outline, float)
    front = np.stack([outline[:, 0], np.full(n, -half), outline[:, 1]], axis=1)
    back = front * [1.0, -1.0, 1.0]
    fan = np.stack([np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    i, j = np.arange(n), (np.arange(n) + 1) % n
    around = np.concatenate([np.stack([i, i + n, j], 1), np.stack([j, i + n, j + n], 1)])
    triangles = np.concatenate([fan, fan[:, ::-1] + n, around])
    return Triangles(np.concatenate([front, back]), triangles)


def corner_block(size=1.0, thick=0.4):
    """An L: a floor along x, and a wall along z, of one thickness."""
    return prism(
        [(0, 0), (size, 0), (size, thick), (thick, thick), (thick, size), (0, size)], size / 2
    )


def stairs(steps=3, rise=0.15, run=0.3, half=0.5):
    """Stairs that rise along x from x = 0, solid down to z = 0."""
    outline = [(steps * run, 0.0), (steps * run, steps * rise)]
    for k in range(steps, 0, -1):
        outline += [((k - 1) * run, k * rise), ((k - 1) * run, (k - 1) * rise)]
    return prism(outline, half)


# --------------------------------------------------------------------------------------------- ours


class Placed(NamedTuple):
    """Convex shapes of a pool at poses, over a mesh at a pose of its own."""

    shape: np.ndarray
    position: np.ndarray
    rotation: np.ndarray


class Met(NamedTuple):
    """What `meet` wrote, one row per placement; points of all sides follow each other."""

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


@routine
def meet_all(shapes, side, placed, position, rotation, reach, scratch, manifold, met):
    pose_b = Pose(load_vector(position, 0), load_matrix(rotation, 0))
    for i in range(len(placed.shape)):
        pose = Pose(load_vector(placed.position, i), load_matrix(placed.rotation, i))
        met.count[i] = 0
        for s in range(SIDES):
            status = meet(shapes, placed.shape[i], pose, side + s, pose_b, reach, scratch, manifold)
            met.status[i] = max(met.status[i], status)
            for j in range(manifold.count[0]):
                row = met.count[i]
                met.count[i] = row + 1
                met.depth[i, row], met.feature[i, row] = manifold.depth[j], manifold.feature[j]
                for k in range(3):
                    met.point[i, row, k] = manifold.point[j, k]
                    met.normal[i, row, k] = manifold.normal[j, k]
        met.distance[i] = manifold.distance[0]
        for k in range(3):
            met.towards[i, k] = manifold.towards[k]
            met.point_a[i, k], met.point_b[i, k] = manifold.point_a[k], manifold.point_b[k]


def meet_placed(pool, mesh, placed, reach, position=(0.0, 0.0, 0.0), rotation=None):
    """What a mesh and shapes of a pool have in common."""
    kinds, sizes = [*pool.kinds, *["mesh"] * SIDES], [*pool.sizes, *[()] * SIDES]
    clouds = [v for v in pool.vertices if v is not None]
    shapes = make_shapes(kinds, sizes, clouds, meshes=[mesh])
    n, most = len(placed.shape), 4 * SIDES
    met = Met(
        np.zeros(n, int),
        np.zeros(n),
        *(np.zeros((n, 3)) for _ in range(3)),
        np.zeros(n, int),
        np.zeros((n, most, 3)),
        np.zeros((n, most, 3)),
        np.zeros((n, most)),
        np.zeros((n, most), int),
    )
    turned = np.eye(3) if rotation is None else rotation
    scratch, manifold = make_scratch(shapes.hulls, meshes=True), make_manifold()
    arrays = (np.array([position], float), np.array([turned], float))
    meet_all(shapes, len(pool.kinds), placed, *arrays, float(reach), scratch, manifold, met)
    return met


def one(kind, size, mesh, position, rotation=None, reach=0.01, vertices=None):
    """Points of one shape on a mesh: (n, 3), normals (n, 3), depths (n), features (n)."""
    pool = Pool([kind], [size], [vertices], np.ones(1))
    turned = np.eye(3) if rotation is None else rotation
    placed = Placed(np.zeros(1, int), np.array([position], float), np.array([turned], float))
    met = meet_placed(pool, mesh, placed, reach)
    n = met.count[0]
    return met.point[0, :n], met.normal[0, :n], met.depth[0, :n], met.feature[0, :n]


def place_over(rng, pool, kind, low, high, n):
    """Shapes of a kind at random in a box."""
    of_kind = np.flatnonzero(np.array(pool.kinds) == kind)
    position = rng.uniform(low, high, (n, 3))
    return Placed(rng.choice(of_kind, n), position, random_rotations(rng, n))


# --------------------------------------------------------------------------------------------- Coal


def coal_mesh(mesh):
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    points = coal.StdVec_Vec3s()
    for vertex in mesh.vertices:
        points.append(vertex)
    faces = coal.StdVec_Triangle()
    for triangle in mesh.triangles:
        faces.append(coal.Triangle(*map(int, triangle)))
    model.addSubModel(points, faces)
    model.endModel()
    return model


def coal_distances(pool, mesh, placed):
    """Distance of every shape from the triangles, zero or less where one cuts the shape."""
    model, still = coal_mesh(mesh), coal.Transform3s()
    geometries = Coal(pool).shapes
    distances = np.zeros(len(placed.shape))
    request = coal.DistanceRequest(True, 0.0, 0.0)
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    for i, shape in enumerate(placed.shape):
        pose = coal.Transform3s(placed.rotation[i], placed.position[i])
        result = coal.DistanceResult()
        coal.distance(geometries[shape], pose, model, still, request, result)
        distances[i] = result.min_distance
    return distances
