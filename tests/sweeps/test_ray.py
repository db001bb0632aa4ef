"""A sweep on a cluster of two nodes, of which workers and then a node are killed."""

import numpy as np
import pytest

import stiction as st
import swept
from clusters import ray_cluster
from stiction.errors import InputError

pytestmark = pytest.mark.plain
ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    with ray_cluster() as cluster:
        yield cluster


@pytest.mark.slow
def test_a_worker_and_a_node_are_killed_and_nothing_is_lost_or_finished_twice(cluster, tmp_path):
    """The results are those of local cores."""
    node = cluster.add_node(num_cpus=1)
    over = {"log": [str(tmp_path / "log")], "x": list(range(1000))}
    nodes, finished = [], set()

    def tell(fraction, doing):
        if fraction > 0.5 and not nodes:
            nodes.append(node)
            finished.update(st.SweepTable.load(tmp_path / "ray.h5")["x"].tolist())
            cluster.remove_node(node, allow_graceful=False)

    table = st.sweep(
        swept.kills_its_worker_once_of_a_thousand,
        over,
        tmp_path / "ray.h5",
        ray=cluster.address,
        progress=tell,
    )
    assert nodes and not table.failed.any()
    assert len(set(table["worker"])) >= 2  # at least one on each node
    assert (tmp_path / "log.103").exists()  # its first worker was killed
    ran = swept.noted(tmp_path / "log")
    assert set(ran) == set(range(1000))
    assert len(finished) > 500 and all(ran[x] == 1 for x in finished if x > 103 + 125)
    assert sum(ran.values()) - 1000 <= 2 * 125  # two portions of 0.25 s were lost
    here = st.sweep(swept.square, over | {"log": [str(tmp_path / "here")]}, tmp_path / "here.h5")
    for name in ("x", "square", "parity", "large", "status"):
        assert np.array_equal(table[name], here[name])
    again = st.sweep(
        swept.kills_its_worker_once_of_a_thousand, over, tmp_path / "ray.h5", ray=cluster.address
    )
    assert len(again) == 1000 and swept.noted(tmp_path / "log") == ran


def test_a_cluster_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="no Ray cluster answers at '127.0.0.1:1'"):
        st.sweep(swept.with_defaults, {"x": [1]}, tmp_path / "sweep.h5", ray="127.0.0.1:1")
