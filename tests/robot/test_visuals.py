"""Visual meshes of robots: in files, in other places, and not in the hash of the model."""

import dataclasses

import numpy as np
import pytest

import stiction as st
from stiction.description.mjcf import read_mjcf_text
from stiction.robot.robot import Robot
from stiction.robot.visuals import FIELDS, no_visuals, visual_meshes

CART = """<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 -.1" rgba="0 1 0 1"/>
  <body name="cart" pos="0 0 1"><joint type="slide" axis="1 0 0"/>
    <geom type="box" size=".1 .2 .3" rgba="1 0 0 1"/>
    <body name="mast" pos="0 0 2"><geom type="sphere" size=".1" rgba="0 0 1 1"/></body>
  </body></worldbody></mujoco>"""


def cart():
    return Robot.from_description(read_mjcf_text(CART, "test"))


def test_a_saved_robot_carries_its_visuals(tmp_path):
    cart().save(tmp_path / "cart.npz")
    loaded = st.load(tmp_path / "cart.npz")
    for mine, theirs in zip(visual_meshes(cart()), visual_meshes(loaded), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_visuals_of_merged_links_are_where_these_were():
    fixed, box, ball = visual_meshes(cart())
    assert (fixed.link, box.link, ball.link) == (-1, 0, 0)
    assert ball.vertices[:, 2].mean() == pytest.approx(2.0, abs=1e-6)


def test_what_is_drawn_does_not_change_the_hash():
    robot = cart()
    assert dataclasses.replace(robot, **no_visuals()).digest() == robot.digest()


def test_placed_robots_and_scenery_carry_their_visuals():
    moved = cart().at((1.0, 2.0, 3.0))
    assert visual_meshes(moved)[0].vertices[:, 0].mean() == pytest.approx(1.0, abs=1e-6)
    scenery = st.World(st.robots.ball(), scenery=cart()).robots[-1]
    heights = [mesh.vertices[:, 2].mean() for mesh in visual_meshes(scenery)]
    assert {mesh.link for mesh in visual_meshes(scenery)} == {-1}
    assert heights == pytest.approx([-0.1, 1.0, 3.0], abs=1e-6)


def test_older_files_have_none(tmp_path):
    cart().save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        older = {name: file[name] for name in file.files if name not in FIELDS}
    np.savez_compressed(tmp_path / "old.npz", **older)
    assert visual_meshes(st.load(tmp_path / "old.npz")) == []


@pytest.mark.parametrize(
    "name, damaged",
    [
        ("visual_triangles", lambda array: array + 1000),
        ("visual_vertex", lambda array: array[::-1]),
        ("visual_colour", lambda array: array[:, :2]),
        ("visual_link", lambda array: array + 7),
    ],
)
def test_damaged_visuals_are_refused(tmp_path, name, damaged):
    robot = cart()
    wrong = dataclasses.replace(robot, **{name: damaged(getattr(robot, name))})
    wrong.save(tmp_path / "wrong.npz")
    with pytest.raises(st.StictionError, match="damaged"):
        st.load(tmp_path / "wrong.npz")
