"""The stores of `testdata/stores`, which Rust and Python have written, and which both open."""

import shutil
from pathlib import Path

import gpu_lsm
import numpy as np
import pytest

STORES = Path(__file__).parents[3] / "testdata" / "stores" / "1"


def test_a_store_of_rust_is_read(device):
    d = gpu_lsm.open(STORES / "u64-u32", device=device)
    assert (d.key_type, d.value_type, d.batch_size, len(d)) == ("uint64", np.dtype("uint32"), 8, 79)
    assert d.lookup([0, 3, 60, 70, 1039])[1].tolist() == [True, False, False, True, True]
    assert [len(gpu_lsm.open(STORES / "u64-u32", version=each.version, device=device)) for each in d.versions()] == [
        50,
        49,
    ]
    set_of_rust = gpu_lsm.open(STORES / "i32-set", device=device)
    assert [int(key) for key in set_of_rust] == [-(2**31), 7]


def test_a_store_of_rust_is_written_on(tmp_path, device):
    shutil.copytree(STORES / "u64-u32", tmp_path / "copy")
    with gpu_lsm.open(tmp_path / "copy", mode="a", device=device) as d:
        assert d.last_of("golden") == 1
        d.insert([2000], [1])
        d.checkpoint()
    assert len(gpu_lsm.open(tmp_path / "copy", device=device)) == 80


def test_types_of_rust_are_types_of_python(device):
    shards = gpu_lsm.open(STORES / "i64-f64-shards", device=device)
    assert (shards.key_type, shards.value_type) == ("int64", np.dtype("float64"))
    assert [int(key) for key in shards] == list(range(-20, 20))
    assert shards.range()[2].tolist() == [key / 4 for key in range(-20, 20)]
    assert gpu_lsm.Store(STORES / "i64-f64-shards").info().shards == 3
    floats = gpu_lsm.open(STORES / "f32-u16x4", device=device)
    assert (floats.key_type, floats.value_type) == ("float32", np.dtype(("uint16", (4,))))
    assert floats.range()[1].tolist() == [float("-inf"), -1.5, 0.0, 2.5]
    assert floats.range()[2].tolist() == [[i, 0, 0, i] for i in range(4)]
    points = gpu_lsm.open(STORES / "morton-i64", device=device)
    assert points.rectangles((0, 0), (4, 4))[1].tolist() == [[1, 2], [3, 4]]


def test_a_type_that_rust_declared_needs_its_layout(device):
    edge = np.dtype([("target", "u4"), ("weight", "f4")])
    with pytest.raises(gpu_lsm.errors.DtypeError, match="value_name='edge'"):
        gpu_lsm.open(STORES / "pair-edge")
    edges = gpu_lsm.open(STORES / "pair-edge", value=edge, value_name="edge", device=device)
    assert edges.key_type == "pair"
    assert edges[(1, 2)].tolist() == (3, 0.5)


def test_a_store_of_python_is_read(device):
    d = gpu_lsm.open(STORES / "datetime64-struct", device=device)
    assert (d.key_type, d.value_type.names) == ("datetime64[ms]", ("to", "cost"))
    _, keys, values = d.range()
    assert keys.tolist() == np.array(["1969-12-31T23:59", "2026-01-01"], "datetime64[ms]").tolist()
    assert values.tolist() == [(1, 0.5), (3, 2.5)]
