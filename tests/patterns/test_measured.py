"""Markers (.trc) and ground forces (.mot) of gait laboratories."""

import numpy as np
import pytest

from stiction.errors import InputError, MotionFileError
from stiction.patterns import read_ground_forces, read_trc

pytestmark = pytest.mark.interpreted

TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
    "60\t60\t3\t2\tmm\n"
    "Frame#\tTime\tHEEL\t\t\tTOE\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.0\t100\t50\t-20\t300\t40\t-25\n"
    "2\t0.1\t110\t60\t-20\t\t\t\n"
    "3\t0.2\t120\t70\t-20\t320\t40\t-25\n"
)


def written(tmp_path, text, name="walk.trc"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_markers_are_in_metres_with_z_up_and_unseen_ones_are_nan(tmp_path):
    markers = read_trc(written(tmp_path, TRC))
    assert markers.names == ("HEEL", "TOE")
    assert np.allclose(
        markers.of("HEEL"), [[0.10, 0.02, 0.05], [0.11, 0.02, 0.06], [0.12, 0.02, 0.07]]
    )
    assert np.isnan(markers.of("TOE")[1]).all() and np.isfinite(markers.of("TOE")[2]).all()
    assert np.allclose(read_trc(written(tmp_path, TRC), up="z").of("HEEL")[0], [0.1, 0.05, -0.02])
    with pytest.raises(InputError, match="no marker 'HAND'; it has HEEL, TOE"):
        markers.of("HAND")


BAD_TRC = {
    "another file": ("nothing\n" * 8, "PathFileType"),
    "unit": (TRC.replace("\tmm", "\tfeet"), "known are mm"),
    "count": (TRC.replace("3\t2\tmm", "3\t5\tmm"), "NumMarkers is 5"),
    "text": (TRC.replace("110", "abc"), "line 8"),
    "columns": (TRC.replace("-25\n", "-25\t1\t2\n"), "line 7: has 10 columns"),
    "time": (TRC.replace("2\t0.1", "2\t0.0"), "increase"),
    "twice": (TRC.replace("TOE", "HEEL"), "each once"),
}


@pytest.mark.parametrize("defect", BAD_TRC)
def test_a_bad_marker_file_is_refused_with_its_line(tmp_path, defect):
    text, words = BAD_TRC[defect]
    with pytest.raises(MotionFileError, match=words):
        read_trc(written(tmp_path, text))


def forces(prefixes=("", "1_")):
    columns = ["time"]
    for prefix in prefixes:
        columns += [f"{prefix}ground_force_{kind}{axis}" for kind in "vp" for axis in "xyz"]
        columns += [f"{prefix}ground_torque_{axis}" for axis in "xyz"]
    row = [10.0, 700.0, -5.0, 0.6, -0.01, 0.1, 0.0, 2.0, 0.0]
    rows = [[t, *row, *[0.0] * 9] for t in (0.0, 0.01, 0.02)]
    lines = "\n".join("\t".join(map(str, one)) for one in rows)
    return "forces\nnRows=3\nendheader\n" + "\t".join(columns) + "\n" + lines + "\n"


def test_forces_become_readings_of_plates_with_z_up(tmp_path):
    found = read_ground_forces(written(tmp_path, forces(), "grf.mot"), floor=-0.01)
    assert list(found.plates) == ["ground_force", "1_ground_force"]
    plate, empty = found.plates.values()
    assert np.allclose(plate.force, [10.0, 5.0, 700.0])
    assert np.allclose(plate.centre_of_pressure, [0.6, -0.1, 0.0])
    assert np.allclose(plate.free_moment, 2.0)
    assert np.isnan(empty.centre_of_pressure).all() and np.allclose(found.total()[:, 2], 700.0)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (
            forces().replace("1_ground_torque_z", "other"),
            "grf.mot",
            "no column '1_ground_torque_z'",
        ),
        (forces().replace("vx", "a"), "grf.mot", "no column ends with 'vx'"),
        (forces(), "grf.txt", "known are .mot and .sto"),
        (forces().replace("700.0", "nan"), "grf.mot", "finite"),
        (forces(("", "")), "grf.mot", "2 columns have the name 'ground_force_vx'"),
        (forces().replace("0.02\t", "0.005\t"), "grf.mot", "0.005 s follows 0.01 s"),
        (forces().replace("0.02\t", "0.01\t"), "grf.mot", "the times must increase"),
    ],
)
def test_a_bad_force_file_is_refused(tmp_path, text, name, words):
    with pytest.raises(MotionFileError, match=words):
        read_ground_forces(written(tmp_path, text, name))
