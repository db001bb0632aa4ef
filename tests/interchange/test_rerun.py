"""Rerun recordings, read back by Rerun itself."""

import sys

import numpy as np
import pytest

from drawn import fallen_brick
from moved import moved
from stiction.errors import InputError
from stiction.visual.frames import Film
from stiction.visual.poses import link_poses

pytestmark = pytest.mark.interpreted


def chunks_of(path):
    """Times [s] and columns of every entity that moves, and the names of those that do not."""
    from rerun.chunk import RrdReader

    moving, fixed = {}, set()
    for chunk in RrdReader(path).stream():
        name = chunk.entity_path.replace("\\", "")
        if chunk.is_static:
            fixed.add(name)
            continue
        batch = chunk.to_record_batch()
        columns = {field.name: batch.column(k) for k, field in enumerate(batch.schema)}
        moving.setdefault(name, []).append(columns)
    return moving, fixed


def joined(parts, name):
    """A column of an entity, from all of its chunks."""
    (key,) = {one for one in parts[0] if one.endswith(name)}
    return np.concatenate([np.array(part[key].to_pylist(), dtype=object) for part in parts])


def seconds(parts):
    found = np.concatenate([part["time"].to_numpy(zero_copy_only=False) for part in parts])
    return found.astype("timedelta64[ns]").astype(float) / 1e9


def test_links_are_where_and_when_the_motion_has_them(tmp_path):
    motion = moved()
    moving, fixed = chunks_of(motion.save_rerun(tmp_path / "a.rrd", fps=100))
    poses = link_poses(motion.world, motion.q)
    for link, name in enumerate(motion.world.link_names[1:], start=1):
        parts = moving[f"/world/chain/{name}"]
        # nanoseconds
        np.testing.assert_allclose(seconds(parts), motion.time, atol=1e-9)
        places = np.array([row[0] for row in joined(parts, "translation")], float)
        np.testing.assert_allclose(places, poses.position[:, link], atol=1e-6)  # single precision
        assert f"/world/chain/{name}/surface 0" in fixed


def test_curves_have_every_sample(tmp_path):
    motion = moved()
    moving, _ = chunks_of(motion.save_rerun(tmp_path / "a.rrd", fps=5))
    parts = moving["/position/hinge joint"]
    values = np.array([row[0] for row in joined(parts, "scalars")], float)
    np.testing.assert_array_equal(values, motion.q[:, 12])
    np.testing.assert_allclose(seconds(parts), motion.time, atol=1e-9)
    assert len(seconds(moving["/world/chain/base"])) == 3


def test_contact_forces_are_arrows(tmp_path):
    motion = fallen_brick()
    moving, fixed = chunks_of(motion.save_rerun(tmp_path / "a.rrd", fps=50))
    parts = moving["/world/contact forces"]
    origins, vectors = joined(parts, "origins"), joined(parts, "vectors")
    film = Film(motion, np.arange(len(motion)))
    assert len(origins) == len(motion)
    for k in range(len(motion)):
        arrows = film.contacts(k).arrows
        found = np.array(origins[k], float).reshape(-1, 3)
        np.testing.assert_allclose(found, arrows[:, 0], atol=1e-6)
        found = np.array(vectors[k], float).reshape(-1, 3)
        np.testing.assert_allclose(found, arrows[:, 1] - arrows[:, 0], atol=1e-6)
    assert max(map(len, origins)) == 4 and min(map(len, origins)) == 0
    assert "/world/ground/surface 0" in fixed


def test_forces_that_are_unknown_are_left_out(tmp_path):
    motion = fallen_brick()
    motion.torque[-1] = np.nan
    moving, _ = chunks_of(motion.save_rerun(tmp_path / "a.rrd"))
    name = next(name for name in moving if name.startswith("/torque"))
    assert len(seconds(moving[name])) == len(motion) - 1


def test_without_rerun_the_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(InputError, match="pip install rerun-sdk"):
        moved(samples=2).save_rerun(tmp_path / "a.rrd")


@pytest.mark.parametrize("path", ["a.rdd", None, "/nowhere/a.rrd"])
def test_another_name_is_refused(path):
    with pytest.raises(InputError, match="ends in .rrd|does not exist"):
        moved(samples=2).save_rerun(path)
