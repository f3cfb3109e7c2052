"""Shards whose devices are lost. The host can't be, so tests put in its place what the extension raises then."""

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpu_lsm.ray
import numpy as np
import pytest
import ray
from conftest import Start
from gpu_lsm.errors import DeviceLostError, NoDeviceError, OutOfMemoryError
from gpu_lsm.ray.names import shard_actor
from gpu_lsm.ray.process import opened
from ray.exceptions import ActorDiedError


def lose_device(actor: Any, what: str) -> int:
    """Lets all queries or all updates of a shard's present process fail. Returns that process."""

    # Ray sends it to the actor, which could not import it from here.
    def lose(shard: Any) -> int:
        def fail(*_: object) -> None:
            raise DeviceLostError("the device is lost")

        if what == "queries":
            shard._follower.at = lambda _: SimpleNamespace(lookup=fail)
        else:
            shard._store.submit = fail
        return os.getpid()

    process: int = ray.get(actor.__ray_call__.remote(lose))
    return process


@pytest.mark.parametrize("what", ["queries", "updates"])
def test_a_shard_that_has_lost_its_device_comes_back_with_everything(start: Start, what: str) -> None:
    waits: list[gpu_lsm.ray.Wait] = []
    patience = gpu_lsm.ray.Patience(seconds=60, on_wait=waits.append)
    events = start("uint64", "uint64", name=f"lost-{what}", shards=2, sample=np.arange(100), patience=patience)
    events.insert(np.arange(100), np.arange(100))
    assert len(events) == 100
    loser, other = events.shards()
    actor = shard_actor(events._config, loser.name)
    before = lose_device(actor, what)
    if what == "updates":
        events.insert([0], [7])
    expected = np.arange(100) + 7 * (np.arange(100) == 0) * (what == "updates")
    assert events.lookup(np.arange(100))[0].tolist() == expected.tolist()
    assert ray.get(actor.__ray_call__.remote(lambda _: os.getpid())) != before
    deadline = time.monotonic() + 60
    # It answers before it says that it was started.
    while (restarts := events.status()["restarts"])[loser.name] == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert restarts == {loser.name: 1, other.name: 0}
    assert loser.name in {wait.part for wait in waits}


def test_a_query_without_a_device_is_answered_so_that_ray_does_not_repeat_it(start: Start) -> None:
    events = start("uint64")
    events.insert([1])
    assert len(events) == 1
    (shard,) = events.shards()
    actor = shard_actor(events._config, shard.name)
    lose_device(actor, "queries")
    with pytest.raises(gpu_lsm.ray.WaitingError, match="has lost its device"):
        ray.get(actor.ask.remote(events.snapshot().number, "lookup", np.array([1], np.uint64)))


class Part:
    """Opens a device as shards do. Each start leaves a file, and raises the error that is meant for it."""

    def __init__(self, folder: Path, errors: list[Exception | None]) -> None:
        self._folder = folder
        opened("part", lambda: self._open(errors))

    def starts(self) -> int:
        """How often it was started."""
        return len(list(self._folder.iterdir()))

    def _open(self, errors: list[Exception | None]) -> None:
        start = self.starts()
        (self._folder / str(start)).touch()
        error = errors[start]
        if error is not None:
            raise error


def started(folder: Path, errors: list[Exception | None]) -> Any:
    """Such a part. Ray sends the class to it, which could not import it from here."""
    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Part)
    return actor.remote(folder, errors)


def test_a_part_waits_until_its_device_is_there_again(cluster: None, tmp_path: Path) -> None:
    errors = [NoDeviceError("none"), OutOfMemoryError("still held by the process before"), DeviceLostError("lost")]
    part = started(tmp_path, [None, *errors, None])
    assert ray.get(part.starts.remote()) == 1
    ray.kill(part, no_restart=False)
    deadline = time.monotonic() + 60
    # It may answer once more before it is killed.
    while (starts := ray.get(part.starts.remote(), timeout=60)) == 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert starts == 5


def test_a_part_that_never_had_its_device_ends(cluster: None, tmp_path: Path) -> None:
    part = started(tmp_path, [NoDeviceError("none"), None])
    with pytest.raises(ActorDiedError, match="NoDeviceError"):
        ray.get(part.starts.remote(), timeout=60)
