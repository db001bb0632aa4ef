"""Robots on triangle meshes, and worlds with hulls where SciPy is not installed."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import stiction as st
from collision.meshes.meshes_to_test import floor, stairs, terrain
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.robot.robot import Robot

DT = 1e-3  # [s]
G = 9.81  # [m/s2]
MODEL = st.Coulomb(mu_static=0.5, mu_kinetic=0.5)


def scenery(mesh):
    """A mesh as a robot that does not move."""
    shape = Shape(
        "mesh",
        WORLD,
        "mesh",
        (),
        vertices=tuple(map(tuple, mesh.vertices.tolist())),
        triangles=tuple(map(tuple, mesh.triangles.tolist())),
    )
    return Robot.from_description(Description("yard", "tests", (), (), shapes=(shape,)))


def moved(robot, q, v, steps, mesh=None, model=MODEL):
    """Motion of a robot on a mesh, or on level ground."""
    if mesh is None:
        world = st.World(robot, ground=st.Plane())
    else:
        world = st.World(robot, ground=None, scenery=scenery(mesh))
    state = world.home()
    state.q[: len(q)], state.v[:] = q, v
    return st.simulate(world, model, duration=steps * DT, dt=DT, state=state)


@pytest.mark.interpreted
def test_a_ball_rolls_over_triangles_as_over_the_ground():
    """Over edges and vertices, 16 cm over cells of 4 cm."""
    radius = float(st.robots.ball().shape_size[0, 0])
    v = [2.0, 2.0, 0.0, -2.0 / radius, 2.0 / radius, 0.0]
    q = [-0.1, -0.1, radius]
    on_mesh = moved(st.robots.ball(), q, v, 80, floor(0.2, 10))
    on_ground = moved(st.robots.ball(), q, v, 80)
    np.testing.assert_allclose(on_mesh.q, on_ground.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(on_mesh.v, on_ground.v, rtol=0, atol=1e-9)


@pytest.mark.interpreted
def test_a_brick_slides_over_triangles_until_friction_stops_it():
    """To v^2 / (2 mu g), and nothing turns it."""
    brick = st.robots.brick()
    speed, heading = 0.35, np.array([0.8, 0.6])
    q = [0.013, -0.021, float(brick.shape_size[0, 2])]
    motion = moved(brick, q, [*(speed * heading), 0, 0, 0, 0], 80, floor(0.5, 15))
    way = motion.q[-1, :2] - motion.q[0, :2]
    np.testing.assert_allclose(way, speed**2 / (2 * 0.5 * G) * heading, rtol=1e-6)
    assert np.abs(motion.v[-1]).max() < 1e-9
    np.testing.assert_allclose(motion.q[:, 3:], np.tile([1, 0, 0, 0], (81, 1)), atol=1e-9)


@pytest.mark.interpreted
def test_a_brick_on_stairs_is_stopped_by_the_next_riser_as_by_boxes():
    """Treads and risers of a mesh, and of two boxes; it hits a riser at 0.5 m/s."""
    brick, box = st.robots.brick(), st.robots.box()
    a, _, c = brick.shape_size[0]
    q = [0.3 - a - 1e-4, 0.02, 0.15 + c]
    motion = moved(brick, q, [0.5, 0, 0, 0, 0, 0], 12, stairs())
    block = dataclasses.replace(box, shape_size=np.array([[0.3, 0.5, 0.075]]))
    two = [block.at((0.3, 0.0, 0.075)), block.named("upper").at((0.6, 0.0, 0.225))]
    world = st.World(brick, ground=None, scenery=two)
    state = world.home()
    state.q[:3], state.v[0] = q, 0.5
    on_boxes = st.simulate(world, MODEL, duration=12 * DT, dt=DT, state=state)
    np.testing.assert_allclose(motion.q, on_boxes.q, rtol=0, atol=2e-5)  # 1e-5 rad of pitch
    force = motion.force_between("brick", "yard")[:-1]
    assert force[0, 0] == pytest.approx(-brick.total_mass * 0.5 / DT, rel=1e-6)
    assert force[-1, 2] == pytest.approx(brick.total_mass * G, rel=1e-6)
    assert np.abs(motion.v[-1]).max() < 1e-9


@pytest.mark.interpreted
def test_a_robot_above_a_mesh_does_not_start_inside_it():
    """Terrain is hollow where its bounding box is."""
    ground = scenery(terrain(np.random.default_rng(1), 4, 1.0, 0.2))
    world = st.World(st.robots.ball().at((0, 0, 0.1)), ground=None, scenery=ground)
    assert world.moved_aside() == []
    assert world.near_pairs == 3


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("robot", [st.robots.ball(), st.robots.brick(), st.robots.box()])
def test_energy_is_never_gained_on_terrain(robot):
    """Dropped on rough terrain, without restitution.

    Where a ball turns about an edge, the error of a step of 1 ms is 1.2e-6 of what it loses.
    """
    mesh = terrain(np.random.default_rng(3), 24, 2.0, 0.06)
    motion = moved(robot, [0.1, 0.05, 0.4], [0.6, -0.4, 0, 2, 3, -1], 1500, mesh)
    energy = motion.energy().total
    assert np.diff(energy).max() < 3e-6 * np.ptp(energy)
    assert energy[-1] < energy[0]


# ---------------------------------------------------------------------------------- without SciPy

WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None
sys.modules["scipy.spatial"] = None
import stiction as st
robot = st.load(sys.argv[1])
world = st.World(robot.at((0, 0, 0.099)), robot.at((0, 0, 0.298)))
motion = st.simulate(world, duration=0.002, dt=0.001)
print(motion.force_between("block_2", "block")[0, 2])
"""


def block():
    """A cube of 0.2 m as a hull."""
    corners = tuple((x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
    body = Link("body", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    shape = Shape("skin", "body", "hull", (), vertices=corners)
    joint = Joint("root", "free", WORLD, "body")
    return Robot.from_description(Description("block", "tests", (body,), (joint,), (shape,)))


def without_scipy(path):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_SCIPY, str(path)], capture_output=True, text=True
    )


@pytest.mark.interpreted
def test_hulls_of_a_saved_robot_touch_each_other_without_scipy(tmp_path):
    block().save(tmp_path / "block.npz")
    done = without_scipy(tmp_path / "block.npz")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > G / 2  # the lower one carries the upper one


@pytest.mark.interpreted
def test_a_file_without_faces_needs_scipy_once(tmp_path):
    block().save(tmp_path / "new.npz")
    faces = ("shape_face", "face_normal", "face_corner", "corner_vertex")
    with np.load(tmp_path / "new.npz") as file:
        older = {name: file[name] for name in file.files if name not in faces}
    np.savez(tmp_path / "old.npz", **older)
    done = without_scipy(tmp_path / "old.npz")
    assert "saved without the faces of its hulls, and SciPy" in done.stderr
    old = Robot.load(tmp_path / "old.npz")
    assert old.digest() == block().digest()
    world = st.World(old, old.at((0, 0, 0.2)))
    assert world.near_pairs == 1  # here SciPy finds the faces
    st.Simulation(world, st.Coulomb(), dt=DT)
