"""Changes of shards that are interrupted, and what the log makes of those that nobody wants any more."""

import time
from pathlib import Path

import gpu_lsm.ray
import numpy as np
import pytest
from conftest import Start
from gpu_lsm.ray import log_actor, reshape
from gpu_lsm.ray.start import _catalog, parts_of
from gpu_lsm.types import key_type

PLACE = gpu_lsm.ray.Place("host")


@pytest.fixture
def log(cluster: None, tmp_path: Path) -> log_actor.Log:
    """A log of one shard, in this process."""
    catalog = _catalog(key_type("uint64"), None, 1, None, None, PLACE)
    return log_actor.Log(gpu_lsm.ray.Config("alone", f"file://{tmp_path}"), catalog)


def test_a_shard_that_follows_is_given_up_unless_somebody_cares(
    log: log_actor.Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_actor, "JOIN_SECONDS", 0.5)
    cared, forgotten = log.join([(0, 9), (10, (1 << 64) - 1)], [PLACE, PLACE])
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        log.care([cared.name])
        parts = {shard.name: log.pull(shard.name, shard.base, shard.base, 0.01) for shard in (cared, forgotten)}
    assert log.status()["joining"] == [cared.name]
    assert parts[forgotten.name].is_retired
    assert not parts[cared.name].is_retired


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_change_leaves_nothing(
    start: Start, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    events = start("uint64", name=f"interrupted-{error.__name__}")
    events.insert(np.arange(100))
    prepare = reshape._prepare

    def interrupted(*arguments: object) -> None:
        prepare(*arguments)  # type: ignore[arg-type]
        raise error

    monkeypatch.setattr(reshape, "_prepare", interrupted)
    with pytest.raises(error):
        gpu_lsm.ray.split(events, events.shards()[0])
    assert events.status()["joining"] == []
    assert len(parts_of(events.name)) == 2
    assert len(events) == 100


def test_a_change_whose_answer_is_lost_has_happened(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    events = start("uint64")
    events.insert(np.arange(100))
    ask = events._log

    def lossy(what: str, *arguments: object) -> object:
        answer = ask(what, *arguments)
        if what == "replace":
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(events, "_log", lossy)
    with pytest.raises(KeyboardInterrupt):
        gpu_lsm.ray.split(events, events.shards()[0], at=50)
    assert len(events.shards()) == 2
    assert len(events) == 100
    assert len(parts_of(events.name)) == 4
    gpu_lsm.ray.tidy(events)
    assert len(parts_of(events.name)) == 3
    assert len(events) == 100
