"""Where the tests of Ray keep stores, and the clusters that they run on."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

SERVER = Path(__file__).parents[2] / "gpu-lsm-store" / "tests" / "server.py"
GPUS = 4
MEMORY = 256 << 20


@contextmanager
def seaweedfs() -> Iterator[tuple[str, dict[str, str]]]:
    """A SeaweedFS of its own: the URL for stores, and the settings that open it."""
    with subprocess.Popen(
        [sys.executable, SERVER, "seaweedfs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            started = json.loads(server.stdout.readline())
            yield started["url"], started["environment"]
        finally:
            server.stdin.close()


@contextmanager
def three_nodes() -> Iterator[Cluster]:
    """A cluster of a head without GPUs and three nodes that pretend to have some."""
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "num_gpus": 0, "object_store_memory": MEMORY}
    )
    try:
        for _ in range(3):
            add_node(cluster)
        ray.init(address=cluster.address, log_to_driver=False)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def add_node(cluster: Cluster) -> None:
    """Adds a node with pretended GPUs."""
    cluster.add_node(num_cpus=4, num_gpus=GPUS, object_store_memory=MEMORY)
