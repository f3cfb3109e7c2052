"""Dictionaries in range shards."""

import gpu_lsm
import numpy as np
import pytest


def test_shards_give_the_answers_of_a_plain_dictionary(device):
    rng = np.random.default_rng(5)
    plain = gpu_lsm.Dictionary("int64", "float64", device=device, batch_size=512)
    sharded = gpu_lsm.Dictionary("int64", "float64", devices=[device, device], shards=4, batch_size=512)
    for _ in range(20):
        keys, values = rng.integers(-5000, 5000, 1000), rng.random(1000)
        deletes = rng.integers(-5000, 5000, 300)
        for d in (plain, sharded):
            d.update(keys, values, deletes)
    asked = rng.integers(-6000, 6000, 2000)
    calls = [
        lambda d: d.lookup(asked),
        lambda d: d.range(asked, asked + 20),
        lambda d: d.range(asked, asked + 500, limit=3),
        lambda d: d.successor(asked),
        lambda d: d.predecessor(asked),
        lambda d: (d.count(asked, asked + 100),),
        lambda d: d.range(),
    ]
    for call in calls:
        for one, other in zip(call(plain), call(sharded), strict=True):
            assert one.tobytes() == other.tobytes()
    assert len(plain) == len(sharded)
    assert len(sharded.statistics().sections) > 1
    assert "shards" in repr(sharded)
    sharded.verify()
    with sharded.snapshot() as before:
        fork = sharded.fork()
        fork.clear()
        assert len(before) == len(plain)
        assert len(fork) == 0


def test_points_are_found_across_shards(device):
    points = np.random.default_rng(6).integers(0, 1000, (3000, 2), "uint32")
    plain = gpu_lsm.Dictionary.build(points, key="point", device=device)
    sharded = gpu_lsm.Dictionary.build(points, key="point", devices=[device], shards=5)
    for one, other in zip(
        plain.rectangles((10, 20), (500, 300)), sharded.rectangles((10, 20), (500, 300)), strict=True
    ):
        assert (one is None and other is None) or one.tobytes() == other.tobytes()


def test_shards_need_devices():
    for devices in ("host", "host,host"):
        with pytest.raises(gpu_lsm.errors.OptionError, match="give a list of names, or one name by device="):
            gpu_lsm.Dictionary("uint64", devices=devices)
        with pytest.raises(gpu_lsm.errors.OptionError, match="give a list of names, or one name by device="):
            gpu_lsm.open("memory:///letters", mode="a", key="uint64", devices=devices)
    with pytest.raises(gpu_lsm.errors.OptionError, match="at least one device"):
        gpu_lsm.Dictionary("int64", devices=[])
    with pytest.raises(gpu_lsm.errors.NoDeviceError):
        gpu_lsm.Dictionary("int64", devices=["host", "no such card"])
