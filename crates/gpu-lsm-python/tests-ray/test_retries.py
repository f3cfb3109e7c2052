"""Ray's own retries, and calls that arrive repeated and in any order, while parts are killed."""

import os
import random

import numpy as np
import pytest
import ray
from conftest import Start
from gpu_lsm.cluster.operations import Operations, digest
from gpu_lsm.errors import OutOfOrderError
from gpu_lsm.ray.names import log_actor, shard_actor

# Each takes ten seconds, of which most are spent waiting for killed actors.
SEEDS = int(os.environ.get("GPU_LSM_SEEDS", "1"))
BATCHES = 12
KEYS = 64


def batch_of(chance: random.Random, number: int) -> Operations:
    keys = np.array(chance.sample(range(KEYS), 8), np.uint64)
    deletes = np.array([chance.randrange(4) == 0 for _ in keys], np.uint32)
    return Operations(keys, np.full(len(keys), number, np.uint32), deletes)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_calls_in_any_order_and_repeated_count_once(start: Start, seed: int) -> None:
    chance = random.Random(seed)
    events = start("uint64", "uint32", name=f"any-order-{seed}", shards=2, sample=np.arange(KEYS))
    log = log_actor(events._config)
    encoded = {number: batch_of(chance, number).encode() for number in range(1, BATCHES + 1)}
    calls: list[tuple[int, object]] = []
    commits: dict[int, set[int]] = {number: set() for number in encoded}
    while events.as_caller("one").last_number() < BATCHES:
        # Each about three times, near its place but in no order.
        sent = sorted(3 * list(encoded), key=lambda number: number + chance.uniform(0, 4))
        calls = [
            (number, log.append.remote("one", number, digest(encoded[number]), encoded[number])) for number in sent
        ]
        parts = [log, *(shard_actor(events._config, shard.name) for shard in events.shards())]
        ray.kill(chance.choice(parts), no_restart=False)
        for number, call in calls:
            try:
                commits[number].add(ray.get(call, timeout=60))
            except OutOfOrderError:
                continue  # Its turn has not come, or is over.
    known = [commit for each in commits.values() for commit in each]
    assert all(len(each) <= 1 for each in commits.values())
    assert known == sorted(set(known))
    assert events.status()["commit"] == BATCHES + 1
    assert content(events) == expected(encoded, random.Random(seed))


def expected(encoded: dict[int, np.ndarray], chance: random.Random) -> dict[int, int]:
    model: dict[int, int] = {}
    for number in encoded:
        batch = batch_of(chance, number)
        for key, value, is_delete in zip(batch.keys.tolist(), batch.values.tolist(), batch.deletes, strict=True):
            if is_delete:
                model.pop(key, None)
            else:
                model[key] = value
    return model


def content(events: object) -> dict[int, int]:
    _, keys, values = events.range()
    return dict(zip(keys.tolist(), values.tolist(), strict=True))
