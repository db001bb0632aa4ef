"""Pictures: what they show, and what is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest

import stiction as st
from drawn import FALLS, fallen_brick

pytestmark = pytest.mark.plain


SMALL = {"size": (128, 96), "legend": False}
RED = """<mujoco><worldbody><body><freejoint/><geom type="box" size=".2 .2 .2" rgba="1 0 0 1"/>
  </body></worldbody></mujoco>"""


def reddish(pixels):
    """Which pixels are much redder than green and blue."""
    red, green, blue = pixels.astype(int).transpose(2, 0, 1)
    return (red > green + 60) & (red > blue + 60)


def red_box():
    from stiction.description.mjcf import read_mjcf_text
    from stiction.robot.robot import Robot

    return fallen_brick(Robot.from_description(read_mjcf_text(RED, "test")))


def test_a_visual_mesh_is_seen_in_its_colour_and_comes_down():
    motion = red_box()
    first, last = (
        motion.image(times=[motion.time[k]], view="side", follow=False, marks=(), **SMALL)
        for k in (0, FALLS)
    )
    height = [float(np.nonzero(reddish(picture))[0].mean()) for picture in (first, last)]
    assert reddish(first).sum() > 50 < reddish(last).sum()
    assert height[1] == pytest.approx(height[0], abs=2.0)  # each is the middle of its own picture


def test_the_picture_of_a_strip_shows_the_box_lower_and_lower():
    strip = red_box().image(times=3, view="side", follow=False, marks=(), **SMALL)
    assert strip.shape == (96, 3 * 128, 3)
    panels = np.split(reddish(strip), 3, axis=1)
    heights = [float(np.nonzero(panel)[0].mean()) for panel in panels]
    assert heights[0] < heights[1] - 3 and heights[1] <= heights[2] + 1


def test_forces_are_drawn_where_the_brick_touches_and_not_in_the_air():
    motion = fallen_brick()
    air, ground = (
        reddish(motion.image(times=[motion.time[k]], marks=("forces",), **SMALL)).sum()
        for k in (0, FALLS)
    )
    assert air == 0 and ground > 10


def test_nothing_of_a_standing_brick_is_below_the_ground():
    """From just above the ground, the brick's lower edge is where its shadowless ground begins."""
    motion = red_box()
    picture = motion.image(times=[motion.time[FALLS]], view="side", marks=(), **SMALL)
    rows = np.nonzero(reddish(picture).any(axis=1))[0]
    assert rows.max() - rows.min() > 20  # a whole side is seen
    assert picture[rows.max() + 3, 64].min() > 100  # ground below it, not sky or nothing


def test_several_motions_have_a_panel_each_or_one_together():
    motions = {"one": fallen_brick(), "two": fallen_brick()}
    from stiction.render import image

    assert image(motions, **SMALL).shape == (96, 256, 3)
    assert image(motions, columns=1, **SMALL).shape == (192, 128, 3)
    assert image(motions, layout="ghosts", **SMALL).shape == (96, 128, 3)


@pytest.mark.parametrize(
    "ground",
    [
        st.Slope(angle=0.2),
        st.Steps(rise=0.1),
        st.HeightField(np.zeros((4, 4)), 0.5),
        st.Plane(velocity=(1.0, 0.0, 0.0)),
    ],
    ids=lambda ground: type(ground).__name__,
)
def test_every_ground_is_drawn(ground):
    picture = fallen_brick(ground=ground).image(marks=(), **SMALL)
    lower = picture[-10:].reshape(-1, 3).astype(int)
    assert lower.mean() > 150  # light ground, not black
    assert np.ptp(lower, axis=1).max() < 120


def test_files_are_written_with_a_legend(tmp_path):
    motion = fallen_brick()
    pixels = motion.image(tmp_path / "brick.png", size=(320, 200))
    from PIL import Image

    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "brick.png")), pixels)
    assert pixels.shape[0] > 200


@pytest.mark.parametrize(
    "options, told",
    [
        ({"view": "above"}, "side, front"),
        ({"size": (10, 10)}, "64 to 4096"),
        ({"marks": ("arrows",)}, "forces, points"),
        ({"layout": "stacked"}, "ghosts"),
        ({"colour": "red"}, "no option 'colour'"),
        ({"times": [99.0]}, "from 0 to"),
    ],
)
def test_wrong_options_are_named(options, told):
    with pytest.raises(st.StictionError, match=told):
        fallen_brick().image(**options)


def test_files_that_cannot_be_written_are_refused_first(tmp_path):
    with pytest.raises(st.StictionError, match="folder .* does not exist"):
        fallen_brick().image(tmp_path / "nowhere" / "a.png")
    for path in (tmp_path / "a.mp3", 3):
        with pytest.raises(st.StictionError, match=r"ends in \.png, \.jpg, \.jpeg or \.webp; give"):
            fallen_brick().image(path)


def test_without_egl_one_line_says_what_to_install():
    code = "from stiction.render.canvas import opened_context; opened_context(16, 16)"
    environment = {**os.environ, "PYOPENGL_PLATFORM": "osmesa"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    last = done.stderr.strip().splitlines()[-1]
    assert "ViewError: pictures need EGL" in last and "apt install libegl1" in last
