"""The calls of dictionaries, snapshots and batches."""

import copy
import pickle

import gpu_lsm
import numpy as np
import pytest


def test_updates_and_queries_in_order(device):
    d = gpu_lsm.Dictionary("uint64", "float32", device=device, batch_size=4)
    d.insert([10, 20, 30], [1, 2, 3])
    d.update([20, 40], [22, 44], deletes=[10, 40])
    assert d.lookup([10, 20, 30, 40])[0].tolist() == [0, 22, 3, 0]
    assert d.lookup([10, 20], default=np.nan)[1] == 22
    assert np.isnan(d.lookup([10, 20], default=np.nan)[0])
    assert len(d) == 2
    assert (20 in d, 10 in d) == (True, False)
    assert d.get(10) is None
    assert d.get(10, 7) == 7
    with pytest.raises(KeyError, match="10"):
        d[10]
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="the key"):
        d[-1]
    assert [int(key) for key in d] == [20, 30]
    d.cleanup()
    assert len(d.statistics().levels) == 1
    d.clear()
    assert len(d) == 0


def test_a_default_must_fit(device):
    d = gpu_lsm.Dictionary.build([1], np.array([5]), device=device)
    assert d.lookup([1, 2], default=-1).tolist() == [5, -1]
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="the default"):
        d.lookup([1, 2], default=np.nan)


def test_a_batch_is_applied_in_its_order(device):
    batch = gpu_lsm.Batch()
    batch.insert([1, 2, 3], 10)
    batch.delete([2, 3])
    batch.insert([3], [30])
    d = gpu_lsm.Dictionary("int32", "int64", device=device)
    d.apply(batch)
    assert d.lookup([1, 2, 3])[0].tolist() == [10, 0, 30]
    assert len(batch) == 3
    batch.clear()
    d.apply(batch)
    assert len(d) == 2
    keys = gpu_lsm.Batch()
    keys.insert([5, 6])
    keys.delete([5])
    s = gpu_lsm.Dictionary("int32", device=device)
    s.apply(keys)
    assert s.range()[1].tolist() == [6]


def test_pages_of_a_range(device):
    d = gpu_lsm.Dictionary.build(np.arange(0, 100, 2), np.arange(50), device=device)
    pages, start, after = [], 0, False
    while True:
        _, keys, _ = d.range(start, 99, limit=7, after=after)
        if len(keys) == 0:
            break
        pages.extend(keys.tolist())
        start, after = keys[-1], True
    assert pages == list(range(0, 100, 2))


def test_a_snapshot_stays_as_it_was(device):
    d = gpu_lsm.Dictionary.build([1, 2, 3], [1.0, 2.0, 3.0], device=device)
    with d.snapshot() as before:
        d.delete([1, 2])
        assert len(before) == 3
        assert before.lookup([1])[1].all()
        assert before.key_type == "int64"
    with pytest.raises(gpu_lsm.errors.ClosedError, match="take another"):
        before.lookup([1])
    assert len(d) == 1


def test_a_scan_sees_the_moment_when_it_was_asked_for(device):
    d = gpu_lsm.Dictionary.build(np.arange(10), device=device)
    scan = d.scan(4)
    next(scan)
    d.clear()
    assert [keys.tolist() for keys, _ in scan] == [[4, 5, 6, 7], [8, 9]]


def test_a_closed_dictionary_says_so(device):
    with gpu_lsm.Dictionary.build([1], device=device) as d:
        assert 1 in d
    for call in (d.statistics, lambda: len(d), lambda: d.insert([2]), d.snapshot):
        with pytest.raises(gpu_lsm.errors.ClosedError, match="make another"):
            call()
    assert repr(d) == "<gpu_lsm.Dictionary int64: the dictionary was closed>"
    assert d._repr_html_() is None


def test_forks_go_their_own_ways(device):
    d = gpu_lsm.Dictionary.build([1, 2], [1, 2], device=device)
    other = copy.copy(d)
    other.insert([1], [11])
    assert (d[1], other[1]) == (1, 11)
    with pytest.raises(TypeError, match="one process"):
        pickle.dumps(d)
    with pytest.raises(TypeError, match="one process"):
        pickle.dumps(d.snapshot())


def test_it_says_what_it_holds(device):
    d = gpu_lsm.Dictionary("int64", "float32", device=device, batch_size=1000)
    d.insert(np.arange(1000), 1.5)
    d.delete(np.arange(10))
    d.insert(np.arange(2000, 2100), 2.5)
    statistics = d.statistics()
    assert statistics.entries == sum(level.entries for level in statistics.levels)
    assert statistics.tombstones == sum(level.tombstones for level in statistics.levels)
    assert 0 < statistics.bytes <= statistics.bytes_in_use <= statistics.peak_bytes
    assert d.batch_size == 1000
    assert d.byte_budget is None
    text = repr(d)
    assert "int64 -> float32" in text
    assert f"{statistics.entries:,} entries" in text
    assert "KiB" in text
    html = d._repr_html_()
    assert html.count("<tr>") == 1 + len(statistics.levels)
    assert "Snapshot" in repr(d.snapshot())


def test_many_queries_are_answered_in_steps(device):
    n = (1 << 20) + 17
    d = gpu_lsm.Dictionary.build(np.arange(0, 2 * n, 2, dtype="int64"), np.arange(n, dtype="int64"), device=device)
    asked = np.arange(-1, n - 1)
    values, found = d.lookup(asked)
    assert len(values) == n
    assert (found == (asked >= 0) & (asked % 2 == 0)).all()
    assert (values[found] == asked[found] // 2).all()
    assert (d.count(asked, asked + 1)[1:] == 1).all()
    offsets, keys, values = d.range(asked, asked)
    assert offsets[-1] == len(keys) == len(values) == found.sum()
    assert (keys == asked[found]).all()
    nearest, values, found = d.successor(asked)
    assert found.all()
    assert (nearest == (asked + 1) // 2 * 2).all()
    assert (values == nearest // 2).all()


def test_devices_and_the_self_test(device):
    assert gpu_lsm.devices()[0].selector == "host"
    steps = []
    gpu_lsm.self_test(device, lambda done, total, step: steps.append((done, total, step)))
    assert steps[0][0] == 0
    assert steps[-1][0] == steps[-1][1]

    def stop(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gpu_lsm.self_test(device, stop)


def test_what_it_is_built_of_means_what_it_means_to_insert(device):
    d = gpu_lsm.Dictionary.build([0.1, 0.2], [0.3, 0.4], key="float32", value="float32", device=device)
    assert d[0.1] == np.float32(0.3)
    days = gpu_lsm.Dictionary.build(["2026-01-06", "2026-01-05"], [1, 2], key="datetime64[s]", device=device)
    assert days.range()[2].tolist() == [2, 1]
    assert len(gpu_lsm.Dictionary.build([2**63, 2**64 - 1], key="uint64", device=device)) == 2
    with pytest.raises(gpu_lsm.errors.LossyCastError):
        gpu_lsm.Dictionary.build(np.array([0.1]), key="float32", device=device)
    buffer = d.on_device().keys([0.1])
    assert 0.1 in gpu_lsm.Dictionary.build(buffer, key="float32", device="host")


def test_keys_are_no_places(device):
    d = gpu_lsm.Dictionary.build([0, 1, 2], [10, 11, 12], device=device)
    with pytest.raises(TypeError, match="not reversible"):
        reversed(d)
