"""A motion as a table of pandas, a data set of xarray, and as CSV."""

import csv

import numpy as np
import pytest

import stiction as st

pytestmark = pytest.mark.interpreted


@pytest.fixture(scope="module")
def motion():
    world = st.World(st.robots.biped10())
    return st.simulate(world, st.ImplicitSpringDamper(2e3, 20.0), duration=0.005)


def test_every_number_has_its_own_name(motion):
    frame = motion.to_pandas()
    assert frame.columns.is_unique and not (frame.columns == "").any()
    assert frame.index.name == "time"
    names = [name for name in frame.columns if name.startswith("q ")]
    assert len(names) == motion.world.nq
    np.testing.assert_array_equal(frame[names], motion.q)
    knee = next(name for name in motion.world.joint_names if "knee" in name)
    link = motion.world.joint(knee)
    column = motion.q[:, motion.world.tree.q_index[link]]
    np.testing.assert_array_equal(frame[f"q {knee}"], column)
    np.testing.assert_array_equal(frame["force z"], motion.total_force()[:, 2])


def test_a_data_set_has_named_coordinates(motion):
    data = motion.to_xarray()
    np.testing.assert_array_equal(data.v, motion.v)
    np.testing.assert_array_equal(data.force.sel(axis="z"), motion.force[..., 2])
    assert data.sizes["position"] == motion.world.nq
    assert len(set(data.point.values)) == motion.depth.shape[1]


def test_tables_have_units(motion):
    units = motion.to_pandas().attrs["units"]
    assert list(units) == ["time", *motion.to_pandas().columns]
    base, hinge = str(motion.world.joint_names[1]), str(motion.world.joint_names[2])
    told = {f"q {base} x": "m", f"q {base} qw": "1", f"v {base} (turn x)": "rad/s"}
    told |= {f"torque {base} (x)": "N", f"q {hinge}": "rad", f"passive {hinge}": "N m"}
    assert {name: units[name] for name in told} == told
    assert units["time"] == "s" and units["force z"] == "N"
    data = motion.to_xarray()
    assert all("units" in variable.attrs for variable in data.data_vars.values())
    assert data.depth.attrs["units"] == "m" and data.time.attrs["units"] == "s"


@pytest.mark.parametrize("path", ["motion.xyz", "motion", 3])
def test_another_kind_of_file_than_csv_is_refused(motion, path):
    with pytest.raises(st.StictionError, match=r"save_csv: .* ends in \.csv; give one"):
        motion.save_csv(path)


def test_csv_keeps_all_digits(motion, tmp_path):
    path = motion.save_csv(tmp_path / "motion.csv")
    with path.open() as file:
        head, *rows = csv.reader(file)
    assert head[0] == "time" and head[1:] == list(motion.to_pandas().columns)
    found = np.array(rows, float)
    np.testing.assert_array_equal(found[:, 1 : 1 + motion.world.nq], motion.q)
