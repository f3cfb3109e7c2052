"""What the tests of Ray share."""

from collections.abc import Callable, Iterator
from pathlib import Path

import gpu_lsm.ray
import pytest
import ray

Start = Callable[..., gpu_lsm.ray.Dictionary]


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """One node that pretends to have GPUs."""
    ray.init(address="local", num_cpus=8, num_gpus=16, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def start(cluster: None, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts dictionaries on local files, on the host."""
    names: list[str] = []

    def started(
        *types: object, name: str = request.node.name, url: str | Path | None = None, **options: object
    ) -> gpu_lsm.ray.Dictionary:
        names.append(name)
        given = {"device": "host", "resources": {"GPU": 0.1}, **options}
        return gpu_lsm.ray.start(name, url or f"file://{tmp_path}/{name}", *types, **given)  # type: ignore[arg-type]

    yield started
    for name in names:
        gpu_lsm.ray.stop(name)
