"""A Ray cluster on this machine."""

import contextlib
import os
from pathlib import Path

import stiction as st


@contextlib.contextmanager
def ray_cluster():
    """A cluster with one node, to which a test adds others; stiction is installed on all."""
    from ray.cluster_utils import Cluster

    before = dict(os.environ)
    os.environ |= {"RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ["PYTHONPATH"] = str(Path(st.__file__).parents[1])
    options = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=options)
    try:
        yield cluster
    finally:
        cluster.shutdown()
        os.environ.clear()
        os.environ.update(before)
