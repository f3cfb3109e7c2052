"""Stores: what survives, who may write, and what is refused."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import gpu_lsm
import numpy as np
import polars
import pytest
from gpu_lsm import errors


def entries(state):
    """All entries of a dictionary, a snapshot or a store."""
    _, keys, values = state.range()
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


def test_updates_survive(place):
    d = place.open("a", key="int64", value="float64")
    d.insert([3, -1, 2, 9], [0.3, 0.1, 0.2, 0.9])
    d.delete([2])
    d.update([4, 5], 0.5, deletes=[5])
    batch = gpu_lsm.Batch()
    batch.insert([6, 7], [0.6, 0.7])
    batch.delete([6])
    d.apply(batch)
    d.apply_columns([8, 8], [0.8, 0.0], [False, True])
    d.delete_range(9, 20)
    del d  # as if the process died
    d = place.open("a")
    assert entries(d) == {-1: 0.1, 3: 0.3, 4: 0.5, 7: 0.7}
    d.clear()
    d.insert([1], [1.0])
    d.cleanup()
    d.close()
    with place.open() as reader:
        assert entries(reader) == {1: 1.0}
        assert (reader.key_type, reader.value_type) == ("int64", np.dtype("float64"))
    with pytest.raises(errors.ClosedError, match="open it again"):
        d.insert([1], [1.0])


COLUMNS = [
    ("uint32", [1, 2**32 - 1], "uint32", [1, 2]),
    ("int32", [-5, 5], "int64", [-1, 1]),
    ("float32", [-1.5, float("inf")], "float32", [0.5, -0.5]),
    ("uint64", [0, 2**64 - 1], "uint64", [2**64 - 1, 0]),
    ("int64", [-(2**63), 2**63 - 1], "int32", [-1, 1]),
    ("float64", [-0.0, 0.0], "float64", [1.0, 2.0]),
    ("datetime64[ns]", ["2026-01-01", "2026-01-02"], "timedelta64[s]", np.array([1, 2], "timedelta64[s]")),
    ("datetime64[D]", ["1969-01-01", "2026-01-02"], "datetime64[us]", np.array([1, 2], "datetime64[us]")),
    ("timedelta64[25s]", np.array([-1, 3], "timedelta64[25s]"), None, None),
    ("pair", [(0, 5), (1, 0)], "(4,)f4", [[1, 2, 3, 4], [5, 6, 7, 8]]),
    ("point", [(3, 4), (9, 9)], [("to", "u4"), ("cost", "f4")], [(1, 0.5), (2, 1.5)]),
    ("uint32", [1, 2], "complex128", [1 + 2j, 3j]),
    ("uint32", [1, 2], "S8", [b"one", b"two"]),
    ("uint32", [1, 2], "(2,2)i2", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
]


@pytest.mark.parametrize(("key", "keys", "value", "values"), COLUMNS)
@pytest.mark.parametrize("how", ["log", "run"])
def test_every_type_returns(folder, key, keys, value, values, how):
    with folder.open("a", key=key, value=value) as d:
        d.insert(keys, values)
        if how == "run":
            d.checkpoint()
        expected = d.range()
    found = folder.open()
    assert (found.key_type, found.value_type) == (d.key_type, d.value_type)
    for one, other in zip(found.range(), expected, strict=True):
        assert (one is None and other is None) or one.tobytes() == other.tobytes()
    assert (value is None) == (found.value_type is None)


def test_a_reader_sees_one_moment_and_disturbs_nobody(place):
    writer = place.open("a", key="uint32", value="uint32")
    writer.insert([1], [10])
    reader = place.open()
    writer.insert([2], [20])
    assert entries(reader) == {1: 10}
    assert not hasattr(reader, "insert")
    reader.refresh()
    assert entries(reader) == {1: 10, 2: 20}
    fork = reader.fork()
    fork.insert([3], [30])
    assert (len(fork), len(reader), len(writer)) == (3, 2, 2)
    reader.close()
    with pytest.raises(errors.ClosedError):
        reader.refresh()


def test_a_numbered_batch_counts_once(place):
    d = place.open("a", key="int64", value="int64")
    for _ in range(3):
        d.insert([1], [10], caller="a", number=1)
    d.delete([1], caller="a", number=2)
    d.insert([1], [11], caller="b", number=1)
    with pytest.raises(errors.OtherBatchError, match="already written another batch 2"):
        d.insert([1], [12], caller="a", number=2)
    with pytest.raises(errors.OutOfOrderError, match="3 is next"):
        d.insert([1], [12], caller="a", number=4)
    with pytest.raises(errors.OptionError, match="both caller= and number="):
        d.insert([1], [12], caller="a")
    assert (d.last_of("a"), d.last_of("b"), d.last_of("c")) == (2, 1, 0)
    d.checkpoint()
    d.update([5], [50], [6], caller="b", number=2)
    del d
    d = place.open("a")
    assert (d.last_of("a"), d.last_of("b")) == (2, 2)
    d.update([5], [50], [6], caller="b", number=2)
    d.apply_columns([7], [70], [False], caller="b", number=3)
    batch = gpu_lsm.Batch()
    batch.delete([7])
    d.apply(batch, caller="b", number=4)
    d.submit(batch, caller="b", number=4).wait()
    assert entries(d) == {1: 11, 5: 50}


def test_one_writer_at_a_time(place):
    first = place.open("a", key="uint32", value="uint32")
    first.insert([1], [1])
    second = place.open("a")
    second.insert([2], [2])
    with pytest.raises(errors.FencedError, match="open it again"):
        first.insert([3], [3])
    assert entries(first) == {1: 1}
    assert entries(second) == {1: 1, 2: 2}
    with pytest.raises(errors.FencedError):
        first.checkpoint()

    place.store().save(gpu_lsm.Dictionary.build(np.array([7], "uint32"), np.array([7], "uint32")))
    with pytest.raises(errors.FencedError):
        second.insert([4], [4])
    assert entries(place.open()) == {7: 7}


def test_a_failure_says_if_memory_could_not_go_back(folder):
    d = folder.open("a", key="int64", value="int64")
    d.insert([1], [1])
    there = Path(folder.url)
    away = there.rename(there.with_name("away"))
    there.write_text("no folder")
    with pytest.raises(errors.StoreError) as caught:
        d.insert([2], [2])
    (note,) = caught.value.__notes__
    assert note.startswith("Going back to what is durable failed, too: ")
    there.unlink()
    away.rename(there)
    d.insert([3], [3])
    assert entries(d) == entries(folder.open())
    assert entries(d).keys() >= {1, 3}


def test_versions_are_kept_and_collected(place):
    d = place.open("a", key="int64", value="int64", options=gpu_lsm.WriteOptions(versions=2))
    numbers = []
    for i in range(3):
        d.insert([i], [i])
        numbers.append(d.checkpoint())
    d.insert([9], [9])
    kept = d.versions()
    assert [version.version for version in kept] == numbers[1:]
    assert [version.entries for version in kept] == [2, 3]
    assert [len(place.open(version=number)) for number in numbers[1:]] == [2, 3]
    old = place.open(version=numbers[1])
    assert (old.version, old.versions()) == (numbers[1], kept)
    with pytest.raises(errors.NoSuchVersionError, match="list its versions"):
        place.open(version=numbers[0])
    with pytest.raises(errors.OptionError, match="only be read"):
        place.open("a", version=numbers[1])
    assert d.collect().bytes == 0
    d.close()
    collected = place.store().collect(1)
    assert (collected.manifests > 0, len(place.store().versions())) == (True, 1)
    assert len(place.open()) == 4


def test_receipts_come_before_the_store_has_the_batch(place):
    d = place.open("a", key="int64", value="int64")
    receipts = []
    for i in range(20):
        batch = gpu_lsm.Batch()
        batch.insert([i], [i])
        receipts.append(d.submit(batch))
    assert len(d) == 20
    numbers = [receipt.wait() for receipt in receipts]
    assert numbers == sorted(numbers)
    assert all(receipt.done() for receipt in receipts)
    assert len(d.durable()) == 20

    async def insert():
        batch = gpu_lsm.Batch()
        batch.insert([99], [99])
        return await d.submit(batch)

    assert asyncio.run(insert()) > numbers[-1]
    d.flush()
    with d.snapshot() as before:
        d.clear()
        assert (len(before), len(d)) == (21, 0)


def test_a_mixed_batch_is_one_object(folder):
    d = folder.open("a", key="uint32", value="uint32")

    def records():
        return len(list((Path(folder.url) / "log").iterdir()))

    before = records()
    batch = gpu_lsm.Batch()
    for i in range(10):
        batch.insert([i, i + 1], [i, i])
        batch.delete([i])
    d.apply(batch)
    assert (records(), entries(d)) == (before + 1, {10: 9})


def test_saving_writes_only_what_is_new(place):
    store = place.store()
    assert not store.exists()
    d = gpu_lsm.Dictionary("int64", "float64", device=place.device, batch_size=4)
    d.insert(np.arange(1000), np.arange(1000.0))
    first = store.save(d)
    runs = store.info().objects[0]
    d.insert([5000], [1.0])
    second = store.save(d)
    assert store.exists()
    assert store.info().objects[0] < runs + 8
    assert [version.version for version in store.versions()] == [first, second]
    assert (len(store.open()), len(store.open(version=first))) == (1001, 1000)
    with d.snapshot() as state:
        store.save(state, versions=1)
    assert len(store.versions()) == 1
    other = gpu_lsm.Dictionary.build([1])
    with pytest.raises(errors.OtherTypesError, match="the store has i64 keys with f64 values"):
        store.save(other)
    with pytest.raises(errors.OtherTypesError):
        store.open(key="int64")


def test_a_store_says_what_it_has(place):
    with place.open("a", key="datetime64[us]", value="float32", batch_size=16) as d:
        d.insert(["2026-01-01", "2026-01-02"], [1.0, 2.0])
        d.checkpoint()
        d.delete(["2026-01-01"])
    store, steps = place.store(), []
    info = store.info()
    assert (info.key, info.value, info.batch_size, info.shards) == ("datetime64[us]", "f32", 16, 1)
    assert info.log[0] == 1
    verified = store.verify(lambda done, total: steps.append((done, total)))
    assert (verified.versions, verified.files) == (1, 1)
    assert steps[-1][0] == steps[-1][1]
    with pytest.raises(ZeroDivisionError):
        store.verify(lambda done, total: 1 // 0)


def test_shards_are_stored_and_divided_again(place):
    plain = gpu_lsm.Dictionary("int64", "int64", device=place.device)
    keys = np.random.default_rng(1).integers(-10_000, 10_000, 5000)
    d = place.open("a", key="int64", value="int64", devices=[place.device] * 2, boundaries=[0, 500], batch_size=64)
    for some in np.split(keys, 10):
        d.insert(some, some * 2)
        plain.insert(some, some * 2)
    d.checkpoint()
    d.delete_range(100, 200)
    plain.delete_range(100, 200)
    assert len(d.statistics().sections) > 2
    d.close()
    expected = entries(plain)
    again = place.open()
    assert entries(again) == expected
    assert len(again.statistics().sections) > 1
    divided = place.open(boundaries=[-5000, 5000], devices=[place.device])
    assert entries(divided) == expected
    with place.open("a", devices=[place.device], shards=4) as d:
        d.insert([99_999], [1])
    assert entries(place.open()) == expected | {99_999: 1}
    saved = gpu_lsm.Store(place.url + "-saved", settings=place.settings)
    saved.save(divided)
    assert entries(saved.open(device=place.device)) == expected


def test_stores_are_lazy_frames(place):
    with place.open("a", key="int64", value="float64") as d:
        d.insert(np.arange(1000), np.arange(1000) / 2)
        for state in (d, place.open()):
            frame = state.scan_polars().filter(polars.col("key").is_between(10, 12))
            assert frame.collect().rows() == [(10, 5.0), (11, 5.5), (12, 6.0)]
            assert state.to_arrow().num_rows == 1000
            assert state.to_polars().height == 1000


def test_threads_share_a_writer(place):
    d = place.open("a", key="uint32", value="uint32")

    def write(i):
        for j in range(5):
            d.insert(np.arange(10, dtype="uint32") + np.uint32(10 * (5 * i + j)), i)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(d), len(place.open())) == (400, 400)


KILLED = """
import sys, gpu_lsm
d = gpu_lsm.open(sys.argv[1], mode="a", key="int64", value="int64", device="host")
for i in range(10**6):
    d.insert([i], [i], caller="me", number=i + 1)
    print(i, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(folder):
    with subprocess.Popen([sys.executable, "-c", KILLED, folder.url], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) == 30:
                process.kill()
        acknowledged = int(line)
    d = folder.open("a")
    assert acknowledged >= 30
    assert d.last_of("me") in (acknowledged + 1, acknowledged + 2)
    assert entries(d) == {i: i for i in range(d.last_of("me"))}


def test_a_child_of_a_fork_opens_stores_anew(folder):
    writer = folder.open("a", key="int64", value="int64")
    writer.insert([1], [1])
    store, reader = folder.store(), folder.open()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        outcome = []
        for call in (lambda: writer.insert([2], [2]), store.versions, lambda: len(reader)):
            try:
                call()
            except errors.ForkError:
                outcome.append("forked")
        outcome.append(str(len(gpu_lsm.open(folder.url, device="host"))))
        os.write(write, ",".join(outcome).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"forked,forked,forked,1"
    writer.insert([2], [2])
    assert len(folder.open()) == 2


def test_what_is_wrong_is_said(folder):
    with pytest.raises(errors.NoStoreError, match="there is no store at"):
        folder.open()
    with pytest.raises(errors.DtypeError, match="key= and value="):
        folder.open("a")
    with pytest.raises(errors.OptionError, match="take 'r' to read"):
        folder.open("w")
    with pytest.raises(errors.OptionError, match="for writing"):
        folder.open(batch_size=4)
    with pytest.raises(errors.UrlError, match="can't be used") as caught:
        gpu_lsm.Store("ftp://name:secret@host/path")
    half_made = caught.traceback[-1].frame.f_locals["self"]
    assert repr(half_made) == "<gpu_lsm.Store without a place>"
    with folder.open("a", key="int64", value="int64") as d:
        d.insert([1, 2, 3], [1, 2, 3])
        d.checkpoint()
        with pytest.raises(errors.LengthError):
            d.insert([1, 2], [1])
        with pytest.raises(errors.DtypeError, match="values of type int64 are missing"):
            d.insert([1])
        for mode in ("r", "a"):
            with pytest.raises(errors.OtherTypesError, match="open it with its own types"):
                folder.open(mode, key="uint64", value="int64")
        d.insert([3], [3])  # It was not taken over.
        assert entries(d) == {1: 1, 2: 2, 3: 3}
    with pytest.raises(errors.DtypeError, match="both types or neither"):
        folder.open(value="int64")
    (run,) = (Path(folder.url) / "runs").iterdir()
    run.write_bytes(run.read_bytes()[:-1] + b"x")
    for call in (folder.open, folder.store().verify):
        with pytest.raises(errors.DamagedError, match=r"is damaged: .*restore it from a backup"):
            call()
    run.unlink()
    for call in (folder.open, folder.store().verify):
        with pytest.raises(errors.DamagedError, match="is missing; restore it from a backup"):
            call()
