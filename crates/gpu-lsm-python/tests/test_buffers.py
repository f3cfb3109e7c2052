"""Columns that are on the device already."""

import re

import gpu_lsm
import gpu_lsm.types
import numpy as np
import pytest

KEYS = {
    "uint32": np.array([1, 5, 9], "uint32"),
    "int32": np.array([-1, 5, 9], "int32"),
    "float32": np.array([-1.5, 0, 9], "float32"),
    "uint64": np.array([1, 5, 2**63], "uint64"),
    "int64": np.array([-1, 5, 9], "int64"),
    "float64": np.array([-1.5, 0, 9], "float64"),
    "datetime64[ns]": np.array([-1, 5, 9], "datetime64[ns]"),
    "pair": np.array([[1, 2], [1, 3], [9, 0]], "uint32"),
    "point": np.array([[1, 2], [1, 3], [9, 0]], "uint32"),
}
STRUCTURES = np.array([(1, 0.5), (2, 1.5), (3, 2.5)], [("to", "u4"), ("cost", "f4")])
VALUES = [np.array([1, 2, 3], "uint32"), np.array([0.5, 1.5, 2.5]), np.array([1j, 2, 3]), STRUCTURES]


@pytest.mark.parametrize("values", VALUES, ids=["4 bytes", "8 bytes", "16 bytes", "structures"])
@pytest.mark.parametrize("name", KEYS)
def test_buffers_give_the_answers_of_columns(name, values, device):
    keys = KEYS[name]
    d = gpu_lsm.Dictionary(name, values.dtype, device=device)
    there = d.on_device()
    d.insert(there.keys(keys), there.values(values))
    d.verify()
    assert d.lookup(keys)[0].tobytes() == values.tobytes()
    there = d.on_device()
    asked = there.keys(keys)
    assert (asked.dtype, asked.shape) == (keys.dtype, keys.shape)
    assert asked.numpy().tobytes() == keys.tobytes()
    found = [*there.lookup(asked), there.count(asked, asked), *there.range(asked, asked)]
    found += [*there.successor(asked), *there.predecessor(keys), *there.range(keys, keys, limit=1)]
    expected = [*d.lookup(keys), d.count(keys, keys), *d.range(keys, keys)]
    expected += [*d.successor(keys), *d.predecessor(keys), *d.range(keys, keys, limit=1)]
    for mine, other in zip(found, expected, strict=True):
        assert (mine.numpy() == other).all()
    d.delete(asked)
    assert len(d) == 0


def test_buffers_and_columns_go_together(device):
    d = gpu_lsm.Dictionary("int64", "float32", device=device)
    keys = d.on_device().keys(np.arange(-5, 5))
    d.update(keys, 1.5, deletes=[-5])
    d.update([7, 8], d.on_device().values(np.array([7, 8], "float32")), deletes=keys)
    assert d.range()[1].tolist() == [7, 8]
    assert d.lookup(keys)[1].sum() == 0
    assert np.asarray(keys).tolist() == list(range(-5, 5))
    assert np.from_dlpack(keys).tolist() == list(range(-5, 5))
    assert len(keys) == 10
    assert "int64[10] on" in repr(keys)
    s = gpu_lsm.Dictionary("int64", device=device)
    s.insert(keys)
    s.update([50], deletes=keys)
    assert s.range()[1].tolist() == [50]
    assert s.on_device().lookup(keys)[0] is None


@pytest.mark.parametrize(
    ("given", "taken"),
    [("datetime64[s]", "datetime64[ns]"), ("int64", "timedelta64[s]"), ("pair", "point"), ("uint32", "float32")],
)
def test_keys_of_another_type_are_not_taken_for_the_same_words(given, taken, device):
    d = gpu_lsm.Dictionary(taken, "int32", device=device)
    keys = gpu_lsm.Dictionary(given, device=device).on_device().keys(np.empty(0, gpu_lsm.types.key_type(given).dtype))
    there = d.on_device()
    for call in (d.delete, there.keys, there.lookup, there.successor, lambda keys: d.insert(keys, 1)):
        with pytest.raises(gpu_lsm.errors.DtypeError, match=rf"another type, {re.escape(given)} instead of"):
            call(keys)


def test_values_of_another_type_are_not_taken_for_the_same_words(device):
    d = gpu_lsm.Dictionary.build(np.array([1, 2]), np.array([1, 2], "int32"), device=device)
    values, found = d.on_device().lookup([1, 2])
    other = gpu_lsm.Dictionary("int64", "float32", device=device)
    for buffer in (values, found):
        with pytest.raises(gpu_lsm.errors.DtypeError, match="instead of float32"):
            other.insert([1, 2], buffer)
        with pytest.raises(gpu_lsm.errors.DtypeError, match="instead of float32"):
            other.on_device().values(buffer)
    assert len(other) == 0
    d.insert([3, 4], values)
    assert d.lookup([3, 4])[0].tolist() == [1, 2]


def test_a_set_refuses_values_beside_buffers(device):
    d = gpu_lsm.Dictionary("int64", device=device)
    keys = d.on_device().keys([1, 2])
    values = gpu_lsm.Dictionary("int64", "int64", device=device).on_device().values([7, 8])
    for given in ([7, 8], 7, values):
        with pytest.raises(gpu_lsm.errors.DtypeError, match="a set has no values"):
            d.insert(keys, given)
    with pytest.raises(gpu_lsm.errors.DtypeError, match="a set has no values"):
        d.insert([1, 2], values)
    assert len(d) == 0


def test_buffers_that_do_not_belong_are_refused(device):
    d = gpu_lsm.Dictionary("int64", "float32", device=device)
    other = gpu_lsm.Dictionary("int32", "float64", device=device).on_device()
    with pytest.raises(gpu_lsm.errors.DtypeError, match="another type"):
        d.insert(other.keys([1]), 1.0)
    with pytest.raises(gpu_lsm.errors.DtypeError, match="another type"):
        d.insert([1], other.values([1.0]))
    with pytest.raises(gpu_lsm.errors.LengthError, match="2 keys came with 1 values"):
        d.insert(d.on_device().keys([1, 2]), d.on_device().values(np.array([1], "float32")))
    with pytest.raises(ValueError, match="without a copy"):
        np.array(other.keys([1]), copy=False)
    shards = gpu_lsm.Dictionary("int64", "float32", device=device, shards=2)
    with pytest.raises(gpu_lsm.errors.OtherDeviceError, match="host's memory"):
        shards.on_device().keys([1])
    assert len(d) == 0
