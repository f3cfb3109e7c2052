"""Calls of a shard that Ray repeats while the first is still on its way. The shard is in this process."""

import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gpu_lsm.cluster.codes import highest
from gpu_lsm.cluster.follower import Follower
from gpu_lsm.cluster.kept_store import StoreShard
from gpu_lsm.cluster.layout import Catalog, Place, Shard
from gpu_lsm.cluster.operations import Operations
from gpu_lsm.ray.shard_actor import ShardProcess
from gpu_lsm.types import key_type

BASE = 5


@pytest.fixture
def process() -> ShardProcess:
    """A shard that is to copy the entries of others, without the rest of the cluster."""
    shard = Shard(1, 0, highest(key_type("uint32")), BASE, Place("host"), "new")
    made: ShardProcess = object.__new__(ShardProcess)
    made._shard, made._catalog = shard, Catalog("u32", "u32", (shard,), 2)
    made._store = StoreShard(f"memory:///{uuid.uuid4()}", {}, shard, made._catalog)
    made._copying, made._follower = threading.Lock(), None
    return made


def test_a_repeated_copy_leaves_alone_what_came_after_the_first(
    process: ShardProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    copying, copied, may_end = [], [], threading.Event()

    def entries_of(*_: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        copying.append(threading.get_ident())
        may_end.wait()
        yield np.array([1, 2], np.uint32), np.array([10, 20], np.uint32)

    def start() -> None:
        process._follower = Follower(process._store, BASE, 64)
        gone = Operations(np.array([1], np.uint32), np.zeros(1, np.uint32), np.ones(1, np.uint32))
        process._follower.apply(BASE + 1, gone)

    monkeypatch.setattr(process, "_entries_of", entries_of)
    monkeypatch.setattr(process, "_start", start)
    calls = [threading.Thread(target=lambda: copied.append(process.copy(["old"], 8)), daemon=True) for _ in range(2)]
    for call in calls:
        call.start()
    while not copying:
        time.sleep(0.01)
    time.sleep(0.2)  # Long enough for the second to begin, if it could.
    may_end.set()
    for call in calls:
        call.join()
    assert sorted(copied) == [0, 2]
    assert len(copying) == 1
    assert process._store._durable.range()[1].tolist() == [2]
