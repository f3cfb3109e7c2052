"""The parts of the cluster's protocol, with real stores and without Ray."""

import random
import uuid
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import gpu_lsm
import numpy as np
import pytest
from cluster_places import applied
from gpu_lsm.cluster.codes import codes, highest, words
from gpu_lsm.cluster.errors import BatchTooLargeError, MomentGoneError
from gpu_lsm.cluster.follower import Follower
from gpu_lsm.cluster.kept_store import StoreShard, StoreTape, has_log, kept_catalog
from gpu_lsm.cluster.layout import Catalog, Place, Shard, even_boundaries, ranges, sampled_boundaries
from gpu_lsm.cluster.operations import MOST_ROWS, ROW_BYTES, Divided, Operations, decode, digest
from gpu_lsm.cluster.sequencer import Sequencer
from gpu_lsm.errors import DamagedError, FencedError, LengthError, OptionError, OtherBatchError, OutOfOrderError
from gpu_lsm.types import key_type, value_type
from gpu_lsm.typing import Array
from gpu_lsm.updates import Updates

KINDS = ["uint32", "uint64", "int32", "int64", "float32", "float64", "datetime64[s]", "pair", "point"]
HALF = 1 << 31
SHARDS = (Shard(0, 0, HALF - 1, 0, Place("host"), "x"), Shard(1, HALF, (1 << 32) - 1, 0, Place("host"), "x"))
CATALOG = Catalog("u32", "u32", SHARDS, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_codes_have_the_order_of_keys_and_lead_back(kind: str) -> None:
    key = key_type(kind)
    some = np.random.default_rng(1).integers(0, np.iinfo(key.word).max, 1000, dtype=key.word, endpoint=True)
    ends = np.concatenate(key.ends)
    assert np.array_equal(words(key, codes(key, some)), some)
    assert codes(key, ends).tolist() == [0, highest(key)]
    dictionary = gpu_lsm.Dictionary(key, device="host")
    dictionary.insert(key.from_words(some))
    assert (np.diff(codes(key, key.to_words(dictionary.range()[1])).astype(object)) > 0).all()


def test_boundaries_divide_all_codes() -> None:
    key = key_type("int32")
    top = highest(key)
    assert ranges(even_boundaries(key, 4), top) == [(i << 30, ((i + 1) << 30) - 1) for i in range(4)]
    sample = key.to_words(np.arange(-100, 100, dtype=np.int32))
    cuts = words(key, sampled_boundaries(key, sample, 4)).view(np.int32)
    assert cuts.tolist() == [-50, 0, 50]
    assert ranges(np.array([0, 5, 5], np.uint64), 9) == [(0, 4), (5, 9)]


def test_a_sample_without_keys_has_no_quantiles() -> None:
    key, nothing = key_type("uint64"), np.empty(0, np.uint64)
    assert len(sampled_boundaries(key, nothing, 1)) == 0
    with pytest.raises(OptionError, match="the sample has no keys"):
        sampled_boundaries(key, nothing, 2)


def test_operations_survive_and_are_divided() -> None:
    key = key_type("uint32")
    batch = operations([1, HALF, HALF + 1], [10, 20, 30], [False, True, False])
    read = decode(batch.encode(), key.word)
    halves = [Divided(read, key).within(shard.lower, shard.upper) for shard in SHARDS]
    assert [half.keys.tolist() for half in halves] == [[1], [HALF, HALF + 1]]
    assert [half.values.tolist() for half in halves] == [[10], [20, 30]]
    assert [half.deletes.tolist() for half in halves] == [[0], [1, 0]]
    interval = Operations(batch.keys[:1], batch.values[:0], batch.deletes[:0], batch.keys[1:2])
    read = decode(interval.encode(), key.word)
    assert [len(Divided(read, key).within(shard.lower, shard.upper)) for shard in SHARDS] == [1, 1]
    many = np.zeros(MOST_ROWS * ROW_BYTES // 8, np.uint32)
    with pytest.raises(BatchTooLargeError):
        Operations(many, u(), u(), many).encode()


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        (lambda: Operations(u(1, 2, 3), u(), u(), u(5, 6)), "3 lower bounds came with 2 upper ones"),
        (lambda: Operations(u(1, 2, 3), u(1, 2, 3), u(1)), "3 keys came with 1 flags"),
        (lambda: Operations(u(1, 2, 3), u(1, 2), u(0, 0, 0)), "3 keys came with 2 words"),
        (lambda: Operations(u(), u(1), u()), "0 keys came with 1 words"),
    ],
)
def test_columns_of_different_lengths_never_reach_the_log(batch: Callable[[], Operations], text: str) -> None:
    with pytest.raises(LengthError, match=text):
        batch().encode()


def test_the_log_refuses_what_no_shard_could_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    log = opened(f"memory:///{uuid.uuid4()}")
    with pytest.raises(LengthError, match="2 keys came with 4 words; give 1 for each value"):
        write(log, "one", 1, Operations(u(1, 2), u(1, 2, 3, 4), u(0, 0)))
    with monkeypatch.context() as unchecked:
        unchecked.setattr(Operations, "check", lambda _: None)
        encoded = Operations(u(1, 2, 3), u(), u(), u(5, 6)).encode()
    with pytest.raises(LengthError, match="3 lower bounds"):
        log.accept("one", 1, digest(encoded), encoded)
    assert log.last("one").number == 0
    assert write(log, "one", 1, operations([1], [10], [False])) == 2
    assert [len(log.parts(shard.name, 1, 1000).parts) for shard in SHARDS] == [1, 1]


def test_a_state_of_shards_is_never_asked_with_columns_of_different_lengths() -> None:
    cluster = Anything()
    for ask in (cluster.count, cluster.range, cluster._bounds):
        with pytest.raises(LengthError, match="2 lower bounds came with 1 upper ones"):
            ask([0, 100], [50])
    with pytest.raises(LengthError, match="3 keys came with 1 flags for deletes"):
        cluster._of_columns([1, 2, 3], [1, 2, 3], [True])
    with pytest.raises(LengthError, match="3 keys came with 2 values"):
        cluster._of_columns([1, 2, 3], [1, 2], [True, False, False])


def test_a_catalog_survives_as_text() -> None:
    assert Catalog.from_json(CATALOG.to_json()) == CATALOG
    with pytest.raises(ValueError, match="shard-1-x"):
        CATALOG.with_shards([SHARDS[0].name], [])


def test_the_log_survives_and_whoever_opens_it_takes_it_over() -> None:
    url = f"memory:///{uuid.uuid4()}"
    log = opened(url)
    write(log, "one", 1, operations([1], [10], [False]))
    write(log, "two", 1, operations([2], [20], [False]))
    assert write(log, "one", 1, operations([1], [10], [False])) == 2
    again = opened(url)
    assert again.now().number == 3
    assert again.now().shards == SHARDS
    assert [again.last(caller).number for caller in ("one", "three")] == [1, 0]
    assert write(again, "two", 1, operations([2], [20], [False])) == 3
    with pytest.raises(OtherBatchError):
        write(again, "two", 1, operations([2], [21], [False]))
    with pytest.raises(OutOfOrderError):
        write(again, "two", 3, operations([2], [21], [False]))
    with pytest.raises(FencedError):
        write(log, "one", 2, operations([3], [30], [False]))


def test_the_catalog_is_read_without_taking_the_log_over() -> None:
    url = f"memory:///{uuid.uuid4()}"
    assert kept_catalog(url, {}) is None
    assert not has_log(url, {})
    log = opened(url)
    assert kept_catalog(url, {}) == CATALOG
    assert write(log, "one", 1, operations([1], [10], [False])) == 2


def test_the_log_forgets_all_but_the_last_number() -> None:
    url = f"memory:///{uuid.uuid4()}"
    log = opened(url)
    for number in range(1, 6):
        write(log, "one", number, operations([number], [number], [False]))
    for shard in SHARDS:
        log.report(shard.name, 6)
    log._tape.trim(log.trimmable())
    log.trim(log.trimmable())
    with pytest.raises(DamagedError):
        log.parts(SHARDS[0].name, 3, 1000)
    again = opened(url)
    assert again.committed == 6
    assert [number for number, _ in again.parts(SHARDS[0].name, 5, 1000).parts] == [6]
    assert write(again, "one", 5, operations([5], [5], [False])) == 6


@pytest.mark.parametrize("seed", range(4))
def test_shards_in_stores_follow_the_log_through_restarts(seed: int) -> None:
    chance, url, model = random.Random(seed), f"memory:///{uuid.uuid4()}", {}
    log = opened(url)
    followers = {shard.name: following(url, shard) for shard in SHARDS}
    for number in range(1, 40):
        batch = random_batch(chance)
        write(log, "one", number, batch)
        model = applied(model, batch)
        if chance.random() < 0.2:
            log = opened(url)
        for shard in SHARDS:
            if chance.random() < 0.2:
                followers[shard.name] = following(url, shard)
            follower = followers[shard.name]
            for commit, part in log.parts(shard.name, follower.applied, 1 << 20).parts:
                follower.apply(commit, part)
            log.report(shard.name, follower.settle())
        assert content(followers, log.committed) == model
    with pytest.raises(MomentGoneError):
        followers[SHARDS[0].name].at(1)


def test_a_state_is_kept_as_long_as_somebody_asks_to_keep_it() -> None:
    follower = following(f"memory:///{uuid.uuid4()}", SHARDS[0])
    for is_renewed in (True, False):
        follower.pin(0)
        asked, state = follower._pins[0]
        follower._pins[0] = asked - 61, state
        if is_renewed:
            follower.pin(0)
        follower.unpin_idle(60)
        assert (0 in follower._pins) is is_renewed


def following(url: str, shard: Shard) -> Follower:
    return Follower(StoreShard(url, {}, shard, CATALOG), shard.base, history=8)


def content(followers: dict[str, Follower], number: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for follower in followers.values():
        _, keys, values = follower.at(number).range(*key_type("uint32").ends, None, False)
        found |= dict(zip(keys.tolist(), values.tolist(), strict=True))
    return found


def random_batch(chance: random.Random) -> Operations:
    keys = [chance.randrange(20) + HALF * chance.randrange(2) for _ in range(chance.randrange(1, 9))]
    if chance.random() < 0.2:
        lower = np.array(keys[:1], np.uint32)
        return Operations(lower, lower[:0], lower[:0], lower + np.uint32(5))
    return operations(keys, range(len(keys)), [chance.random() < 0.3 for _ in keys])


class Anything(Updates):
    """A dictionary whose state takes columns of any lengths, as numpy does that divides them among shards."""

    def __init__(self) -> None:
        self._key, self._value = key_type("uint32"), value_type("uint32")

    def _now(self) -> Any:
        return Mock()


def u(*numbers: int) -> Array:
    return np.array(numbers, np.uint32)


def operations(keys: object, values: object, deletes: object) -> Operations:
    return Operations(*(np.array(list(column), np.uint32) for column in (keys, values, deletes)))


def opened(url: str) -> Sequencer:
    log = Sequencer(StoreTape(url, {}, gpu_lsm.WriteOptions()), CATALOG)
    flush(log)
    return log


def write(log: Sequencer, caller: str, number: int, batch: Operations) -> int:
    encoded = batch.encode()
    commit = log.accept(caller, number, digest(encoded), encoded)
    flush(log)
    return commit


def flush(log: Sequencer) -> None:
    if entries := log.take():
        log._tape.write(entries)
        log.commit(entries)
