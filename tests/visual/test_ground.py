"""Meshes of grounds lie where contact finds the ground."""

import numpy as np
import pytest

import stiction as st
from stiction.collision.terrain import meet
from stiction.visual.ground import area_around, flat_lines, ground_patches

GROUNDS = [
    st.Plane(height=0.3),
    st.Slope(angle=0.3, heading=0.5),
    st.Steps(rise=(0.1, -0.2), run=0.4, heading=0.7),
    st.HeightField(np.random.default_rng(1).normal(scale=0.05, size=(6, 7)), 0.2),
]


def world_on(ground):
    return st.World(st.robots.ball(), ground=ground)


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda ground: type(ground).__name__)
def test_triangles_are_on_the_ground_and_face_up(ground):
    area = area_around(np.zeros((1, 3)), 1.0)
    bound, count = ground.bind(), 0
    for patch in ground_patches(world_on(ground), area):
        corners = patch.vertices[patch.triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        level = np.abs(normal[:, 2]) > 1e-9  # not a riser
        assert (normal[level, 2] > 0).all()
        bent = isinstance(ground, st.HeightField)  # between its corners the ground is curved
        for x, y, z in corners[level, 0] if bent else corners[level].mean(axis=1):
            inside = meet(bound, (x, y, z - 1e-4), 0.0).depth
            outside = meet(bound, (x, y, z + 1e-4), 0.0).depth
            count += 1
            assert inside > 0 > outside
    assert count >= 2


def test_lines_of_a_belt_move_with_it():
    belt = world_on(st.Plane(velocity=(0.3, 0.0, 0.0)))
    area = area_around(np.zeros((1, 3)), 1.0)
    bound = belt.ground.bind()
    before, after = flat_lines(bound, area, 0.0), flat_lines(bound, area, 0.1)
    across = before[:, 0, 0] == before[:, 1, 0]
    moved = np.setdiff1d(after[:, 0, 0].round(6), before[:, 0, 0].round(6))
    assert across.any() and len(moved) > 1
    np.testing.assert_allclose(np.mod(moved - area.low[0], area.spacing), 0.03, atol=1e-6)


def test_no_ground_has_no_mesh():
    assert ground_patches(world_on(None), area_around(np.zeros((1, 3)), 1.0)) == []


@pytest.mark.parametrize("size, spacing", [(1.5, 0.2), (0.5, 0.1), (17.0, 5.0), (2.0, 0.5)])
def test_lines_have_a_round_spacing(size, spacing):
    assert area_around(np.zeros((1, 3)), size).spacing == pytest.approx(spacing)
