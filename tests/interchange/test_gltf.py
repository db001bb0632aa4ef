"""glTF files: read by trimesh and by hand, against the motion."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
import trimesh

import stiction as st
from drawn import still
from moved import every_joint, moved
from stiction.errors import InputError
from stiction.interchange.gltf import ROOT
from stiction.visual.meshes import meshes_of
from stiction.visual.poses import link_poses, matrices

pytestmark = pytest.mark.interpreted

KINDS = {5126: np.float32, 5125: np.uint32}
SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # ours to glTF's
SINGLE = 1e-6  # rounding to 32 bits of lengths up to 4 m


def parts_of(path):
    """Document and buffer of a .glb file."""
    data = path.read_bytes()
    kind, version, length = struct.unpack_from("<4sII", data)
    assert (kind, version, length) == (b"glTF", 2, len(data))
    size, name = struct.unpack_from("<I4s", data, 12)
    rest, binary = struct.unpack_from("<I4s", data, 20 + size)
    assert (name, binary) == (b"JSON", b"BIN\0") and size % 4 == rest % 4 == 0
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def array(document, buffer, number):
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    assert view["byteOffset"] % 4 == 0  # the standard wants it
    size = SIZES[accessor["type"]]
    kind = KINDS[accessor["componentType"]]
    found = np.frombuffer(buffer, kind, accessor["count"] * size, view["byteOffset"])
    return found.reshape(-1, size)


def curves_of(path):
    """For each animated node and path: times and values."""
    document, buffer = parts_of(path)
    (animation,) = document["animations"]
    found = {}
    for channel in animation["channels"]:
        sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
        name = document["nodes"][target["node"]]["name"], target["path"]
        found[name] = [array(document, buffer, sampler[one])[:] for one in ("input", "output")]
    return found


def test_every_link_has_key_frames_where_the_motion_has_it(tmp_path):
    motion = moved()
    curves = curves_of(motion.save_gltf(tmp_path / "a.glb", fps=100))
    poses = link_poses(motion.world, motion.q)
    assert len(curves) == 2 * 4
    for link, name in enumerate(motion.world.link_names[1:], start=1):
        time, places = curves[f"chain/{name}", "translation"]
        np.testing.assert_allclose(time[:, 0], motion.time - 0.5, atol=SINGLE)
        np.testing.assert_allclose(places, poses.position[:, link], atol=SINGLE)
        turns = curves[f"chain/{name}", "rotation"][1].astype(float)
        np.testing.assert_allclose(
            matrices(turns[:, [3, 0, 1, 2]]), poses.rotation[:, link], atol=SINGLE
        )
        assert ((turns[1:] * turns[:-1]).sum(axis=1) > 0).all()  # they go the short way


def test_the_centre_of_mass_of_the_nodes_is_that_of_mechanics(tmp_path):
    """All links of the chain have 1 kg, at their origins."""
    motion = moved(samples=3)
    curves = curves_of(motion.save_gltf(tmp_path / "a.glb", fps=100))
    places = [curves[f"chain/{name}", "translation"][1] for name in motion.world.link_names[1:]]
    found = [st.mechanics.centre_of_mass(motion.world, q) for q in motion.q]
    np.testing.assert_allclose(np.mean(places, axis=0), found, atol=SINGLE)


def test_another_reader_finds_the_meshes_in_their_places(tmp_path):
    world = st.World(every_joint(), ground=st.Plane(-2.0), scenery=[st.robots.plate()])
    motion = moved(world=world)
    scene = trimesh.load(motion.save_gltf(tmp_path / "a.glb"))
    assert set(scene.graph.nodes) >= {ROOT, "ground", "scenery", "chain/hinge"}
    poses = link_poses(world, motion.q[:1])
    for mesh in meshes_of(world):
        name = mesh.name if mesh.link else "scenery"
        turn, geometry = scene.graph[name]
        seen = scene.geometry[geometry].vertices @ turn[:3, :3].T + turn[:3, 3]
        there = mesh.vertices @ poses.rotation[0, mesh.link].T + poses.position[0, mesh.link]
        for found in (seen.min(axis=0), seen.max(axis=0)):
            assert np.abs((there @ UP.T) - found).min(axis=0).max() < SINGLE


def test_key_frames_are_no_denser_than_samples(tmp_path):
    motion = moved(samples=5, dt=0.05)
    time, _ = curves_of(motion.save_gltf(tmp_path / "a.glb", fps=200))["chain/base", "rotation"]
    assert len(time) == 5 and (np.diff(time[:, 0]) > 0).all()


def test_colours_are_linear_light_and_clear_ones_are_blended(tmp_path):
    painted = replace(
        st.robots.ball(),
        visual_link=np.zeros(1, int),
        visual_colour=np.array([[0.5, 0.04, 1.0, 0.25]]),
        visual_position=np.zeros((1, 3)),
        visual_rotation=np.eye(3)[None],
        visual_vertex=np.array([0, 3]),
        visual_triangle=np.array([0, 1]),
        visual_vertices=np.eye(3, dtype=np.float32),
        visual_triangles=np.array([[0, 1, 2]]),
    )
    motion = still(st.World(painted, ground=None))
    document, buffer = parts_of(motion.save_gltf(tmp_path / "a.glb"))
    (material,) = document["materials"]
    expected = [0.21404, 0.04 / 12.92, 1.0, 0.25]  # sRGB of IEC 61966-2-1
    found = material["pbrMetallicRoughness"]["baseColorFactor"]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert material["alphaMode"] == "BLEND"
    (mesh,) = document["meshes"]
    normals = array(document, buffer, mesh["primitives"][0]["attributes"]["NORMAL"])
    np.testing.assert_allclose(normals, np.full((3, 3), 3**-0.5), atol=SINGLE)


@pytest.mark.parametrize("path", ["a.gltf", "a", 3, None])
def test_another_name_is_refused(path):
    with pytest.raises(InputError, match="ends in .glb"):
        moved(samples=2).save_gltf(path)


def test_what_cannot_be_drawn_or_written_is_told(tmp_path):
    motion = moved(samples=2)
    with pytest.raises(InputError, match="nowhere does not exist"):
        motion.save_gltf("/nowhere/a.glb")
    with pytest.raises(InputError, match="fps is 0"):
        motion.save_gltf(tmp_path / "a.glb", fps=0)
    motion.q[0, 0] = np.nan
    with pytest.raises(InputError, match="not finite"):
        motion.save_gltf(tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []
