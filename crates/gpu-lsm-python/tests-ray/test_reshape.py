"""Changes of shards that are interrupted."""

from typing import Any

import gpu_lsm.ray
import numpy as np
import pytest
from conftest import Start
from gpu_lsm.ray import reshape
from gpu_lsm.ray.start import parts_of


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


def test_the_state_to_be_copied_is_kept_while_a_new_shard_is_waited_for(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, ask = start("uint64"), reshape._ask
    pins: list[tuple[object, ...]] = []

    def watched(dictionary: Any, patience: Any, shard: gpu_lsm.ray.Shard, what: str, *arguments: object) -> object:
        if what == "pin":
            pins.append((shard.name, *arguments))
        if len(pins) > 1:
            raise KeyboardInterrupt  # It has been seen.
        return ask(dictionary, patience, shard, what, *arguments)

    monkeypatch.setattr(reshape, "_ask", watched)
    moment, (shard,) = events.snapshot().number, events.shards()
    events.patience = gpu_lsm.ray.Patience(seconds=60)
    with pytest.raises(KeyboardInterrupt):
        gpu_lsm.ray.move(events, shard, resources={"no such thing": 1})
    assert pins == [(shard.name, moment)] * 2


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
