"""Hanavan's human: solids from measurements, masses from Barter's regressions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from stiction import robots
from stiction.errors import InputError
from stiction.robots.hanavan import (
    FOOT_CENTRE,
    POUND,
    Measurements,
    hanavan,
    hanavan_segments,
)
from stiction.robots.solids import INERTIAS

BODY = Measurements()


def solids():
    return {
        f"{segment.name} {solid.kind}": solid
        for segment in hanavan_segments(BODY, 75.0)
        for solid in segment.solids
        if solid.mass > 0
    }


def volume(solid):
    a, b, c = (*solid.size, 0.0, 0.0)[:3]
    return {
        "column": 2 * math.pi * a * b * c,
        "ellipsoid": 4 / 3 * math.pi * a * b * c,
        "sphere": 4 / 3 * math.pi * a**3,
        "frustum": math.pi * c * (a * a + a * b + b * b) / 3,
    }[solid.kind]


def test_masses_are_barters_regressions_and_what_is_missing_is_shared():
    """For 200 lb: trunk and head 106, upper arms 13.1, thighs 39.2, shanks 20.1, feet 5.5 lb."""
    raw = {s.name: s.mass / POUND for s in hanavan_segments(BODY, 200.0 * POUND)}
    assert raw["pelvis"] + raw["trunk"] == pytest.approx(106.0)
    assert 2 * raw["upper_arm"] == pytest.approx(13.1)
    assert 2 * raw["forearm"] == pytest.approx(7.5 + 2.7)  # with the hand
    assert 2 * raw["thigh"] == pytest.approx(39.2)
    assert 2 * raw["shank"] == pytest.approx(20.1)
    assert 2 * raw["foot"] == pytest.approx(5.5)
    robot = hanavan(mass=200.0 * POUND)
    shared = {str(n): m / POUND for n, m in zip(robot.link_name, robot.mass, strict=True)}
    missing = 200.0 / 194.1  # 106 + 13.1 + 7.5 + 2.7 + 39.2 + 20.1 + 5.5
    for name in ("thigh", "shank", "foot"):
        assert shared[f"left_{name}"] == pytest.approx(raw[name] * missing)


def test_densities_are_near_that_of_water():
    """A frustum from knee to ankle leaves out the calf, so that the shank is the densest."""
    densities = {name: solid.mass / volume(solid) for name, solid in solids().items()}
    assert all(900 < density < 1400 for density in densities.values())
    assert max(densities, key=densities.get) == "shank frustum"


def test_the_foot_is_a_frustum_with_its_centre_at_its_place():
    foot = solids()["foot frustum"]
    centre, _ = INERTIAS["frustum"](*foot.size)
    assert centre == pytest.approx(FOOT_CENTRE * BODY.foot_length)
    assert foot.size[0] == BODY.sphyrion_height / 2


def test_limbs_have_the_circumferences_measured():
    thigh = solids()["thigh frustum"]
    assert 2 * math.pi * thigh.size[0] == pytest.approx(BODY.thigh_circumference)
    assert 2 * math.pi * thigh.size[1] == pytest.approx(BODY.knee_circumference)
    assert thigh.size[2] == pytest.approx(BODY.trochanteric_height - BODY.tibiale_height)


def test_the_planar_one_has_the_joints_of_the_papers_figure():
    robot = robots.hanavan(planar=True)
    limbs = ("shoulder", "elbow", "hip", "knee", "ankle")
    wanted = {f"{side}_{limb}_pitch" for side in ("left", "right") for limb in limbs}
    assert set(robot.joint_name) == wanted | {"pelvis_x", "pelvis_z", "pelvis_turn"}
    assert "trunk" in robot.frame_name  # fixed to the pelvis


def test_in_space_and_in_the_plane_the_body_is_the_same():
    free, flat = robots.hanavan(), robots.hanavan(planar=True)
    masses = {str(n): m for n, m in zip(free.link_name, free.mass, strict=True) if m > 0}
    for name, mass in zip(flat.link_name, flat.mass, strict=True):
        if mass > 0:
            whole = masses[str(name)] + (masses["trunk"] if name == "pelvis" else 0.0)
            assert mass == pytest.approx(whole)


def test_a_taller_human_is_as_tall_as_measured():
    tall = hanavan(measurements=replace(BODY, stature=1.90), mass=90.0)
    assert tall.total_mass == pytest.approx(90.0)
    head = tall.shape_size[list(tall.shape_name).index("trunk_ellipsoid_2")]
    assert 2 * head[2] == pytest.approx(1.90 - BODY.shoulder_height)
    np.testing.assert_allclose(tall.home[2], hanavan().home[2])  # the legs are the same


def test_measurements_of_no_body_are_told():
    with pytest.raises(InputError, match="knee_circumference is -1; give a length in m"):
        hanavan(measurements=replace(BODY, knee_circumference=-1))
    with pytest.raises(InputError, match="tibiale_height 0.05 m is not above sphyrion_height"):
        hanavan(measurements=replace(BODY, tibiale_height=0.05))
