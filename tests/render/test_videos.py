"""Videos: as many pictures as the motion lasts, in files that other programs read."""

import sys

import imageio_ffmpeg
import pytest
from PIL import Image

import small_disk
import stiction as st
from drawn import DT, fallen_brick

pytestmark = pytest.mark.plain


SMALL = {"size": (96, 64), "legend": False, "marks": ()}


def test_an_mp4_has_the_pictures_of_its_motion(tmp_path):
    motion = fallen_brick()
    path = motion.video(tmp_path / "brick.mp4", fps=0.5 / DT, **SMALL)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == 11
    assert seconds == pytest.approx(11 * 2 * DT, rel=0.05)


def test_a_webm_has_them_too(tmp_path):
    path = fallen_brick().video(tmp_path / "brick.webm", fps=0.5 / DT, **SMALL)
    assert imageio_ffmpeg.count_frames_and_secs(str(path))[0] == 11


@pytest.mark.parametrize("name", ["brick.mp4", "brick.gif", "brick.png"])
def test_a_film_or_picture_that_does_not_fit_on_the_disk_keeps_the_old_file(name, tmp_path):
    with small_disk.mounted(tmp_path / "full", 4096) as disk:
        (disk / name).write_text("old")
        draw = st.Motion.image if name.endswith(".png") else st.Motion.video
        with pytest.raises(st.StictionError, match=f"{name}: cannot be written .*No space left"):
            draw(fallen_brick(), disk / name, size=(320, 240))
        assert (disk / name).read_text() == "old"
        assert [path.name for path in disk.iterdir()] == [name]


def test_a_machine_without_ffmpeg_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(st.StictionError, match=r"pip install 'stiction\[video\]'"):
        fallen_brick().video(tmp_path / "brick.mp4", **SMALL)
    (tmp_path / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    assert fallen_brick().video(tmp_path / "brick.mp4", **SMALL).stat().st_size > 0


def test_slow_motion_has_more_pictures(tmp_path):
    path = fallen_brick().video(tmp_path / "slow.mp4", fps=0.5 / DT, speed=0.5, **SMALL)
    assert imageio_ffmpeg.count_frames_and_secs(str(path))[0] == 21


def test_a_gif_plays_at_its_rate(tmp_path):
    motion = fallen_brick()
    told = []
    path = motion.video(tmp_path / "b.gif", motion, fps=10, progress=told.append, **SMALL)
    with Image.open(path) as picture:
        assert picture.size == (192, 64)
        assert picture.n_frames == 5
        assert picture.info["duration"] == 100
    assert told[0] == 0.0 and told[-1] == 1.0


def test_unknown_kinds_of_files_are_refused(tmp_path):
    for path in (tmp_path / "b.avi", 3, None):
        with pytest.raises(st.StictionError, match=r"video: .* \.mp4, \.webm or \.gif; give"):
            fallen_brick().video(path)
