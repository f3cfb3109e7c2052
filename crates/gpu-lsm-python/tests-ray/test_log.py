"""What the log forgets and gives up. It runs in this process, because its limits are made small."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import gpu_lsm.ray
import numpy as np
import pytest
from gpu_lsm.cluster.operations import Operations, digest
from gpu_lsm.cluster.sequencer import Entry
from gpu_lsm.errors import NoStoreError, OtherTypesError
from gpu_lsm.ray import log_actor
from gpu_lsm.ray.start import _catalog
from gpu_lsm.types import key_type

PLACE = gpu_lsm.ray.Place("host")
ROWS = 1 << 13
LARGE = Operations(np.arange(ROWS, dtype=np.uint64), np.empty(0, np.uint32), np.zeros(ROWS, np.uint32)).encode()


@pytest.fixture
def log(cluster: None, tmp_path: Path) -> log_actor.Log:
    """A log of one shard, in this process."""
    catalog = _catalog(key_type("uint64"), None, 1, None, None, PLACE)
    return log_actor.Log(gpu_lsm.ray.Config("alone", f"file://{tmp_path}"), catalog)


def test_a_shard_that_follows_is_given_up_unless_somebody_cares(log: log_actor.Log) -> None:
    cared, forgotten = log.join([(0, 9), (10, (1 << 64) - 1)], [PLACE, PLACE])
    for shard in (cared, forgotten):
        # As if the time had passed since they joined.
        log._cared[shard.name] -= log_actor.JOIN_SECONDS + 1
    log.care([cared.name])
    for _ in range(2):
        parts = {shard.name: log.pull(shard.name, shard.base, shard.base, 0.0) for shard in (cared, forgotten)}
    assert log.status()["joining"] == [cared.name]
    assert parts[forgotten.name].is_retired
    assert not parts[cared.name].is_retired


def test_large_batches_that_all_shards_have_are_forgotten_soon(
    log: log_actor.Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_actor, "TRIM_BYTES", 1 << 16)
    (shard,) = log.now().shards
    for number in range(1, 4):
        commit = log.append("one", number, digest(LARGE), LARGE)
        log.pull(shard.name, commit - 1, commit - 1, 0.0)
        # One that a shard does not have yet stays, and so does the last, which has the number.
        assert list(log._sequencer._entries) == ([commit] if number > 1 else [1, commit])


def test_large_batches_that_were_there_before_a_restart_are_forgotten_too(
    log: log_actor.Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_actor, "TRIM_BYTES", 1 << 16)
    (shard,) = log.now().shards
    for number in (1, 2):
        commit = log.append("one", number, digest(LARGE), LARGE)
    again = log_actor.Log(log.config(), None)
    assert list(again._sequencer._entries) == [1, commit - 1, commit]
    again.pull(shard.name, commit, commit, 0.0)
    assert list(again._sequencer._entries) == [commit]


def test_a_callers_last_batch_is_one_that_is_durable(log: log_actor.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_actor, "DURABLE_SECONDS", 0.1)
    write, may_write = log._tape.write, threading.Event()

    def late(entries: Sequence[Entry]) -> None:
        may_write.wait()
        write(entries)

    monkeypatch.setattr(log._tape, "write", late)
    writer = threading.Thread(target=log.append, args=("one", 1, digest(LARGE), LARGE), daemon=True)
    writer.start()
    while log._sequencer.last("one").number == 0:
        time.sleep(0.01)
    with pytest.raises(gpu_lsm.ray.WaitingError, match="batch 1 of caller 'one'"):
        log.last_of("one")
    assert log.last_of("two") == 0
    may_write.set()
    writer.join()
    assert log.last_of("one") == 1


def test_a_log_that_is_not_there_is_not_made(cluster: None, tmp_path: Path) -> None:
    log = log_actor.Log(gpu_lsm.ray.Config("nowhere", f"file://{tmp_path}/nowhere"), None)
    with pytest.raises(NoStoreError, match="no dictionary"):
        log.config()
    assert not list(tmp_path.iterdir())


def test_a_log_of_other_types_is_refused_before_it_is_taken_over(log: log_actor.Log) -> None:
    url = log.config().url
    store = gpu_lsm.Store(f"{url}/log")
    epoch = store.info().epoch
    for key, value in (("uint64", "uint32"), ("int64", None)):
        other = _catalog(key_type(key), value, 1, None, None, PLACE)
        refused = log_actor.Log(gpu_lsm.ray.Config("other", url), other)
        with pytest.raises(OtherTypesError, match="has the types"):
            refused.config()
    # A log that was taken over ends its process when it writes: this one.
    assert store.info().epoch == epoch
    assert log.append("one", 1, digest(LARGE), LARGE) == 2
