"""Every type of keys and values, in the right order and back again."""

import gpu_lsm
import numpy as np
import pytest

NUMBERS = {
    "uint32": [0, 1, 2**31, 2**32 - 1],
    "uint64": [0, 1, 2**63, 2**64 - 1],
    "int32": [-(2**31), -70_000, -1, 0, 1, 2**31 - 1],
    "int64": [-(2**63), -(2**32), -1, 0, 1, 2**63 - 1],
    "float32": [-np.inf, -1.5, -1e-40, -0.0, 0.0, 1e-40, 2.5, np.inf],
    "float64": [-np.inf, -1e300, -0.0, 0.0, 1e-320, 7.0, np.inf],
    "datetime64[ns]": [-(2**63), -1, 0, 1_700_000_000_000_000_000],
    "datetime64[D]": [-1, 0, 20_000],
    "timedelta64[ms]": [-5, 0, 5],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_keys_are_in_order_and_lead_back(name, device):
    base = "int64" if "64[" in name else name
    keys = np.array(NUMBERS[name], base).view(name)
    rng = np.random.default_rng(17)
    shuffled = rng.permutation(len(keys))
    d = gpu_lsm.Dictionary.build(keys[shuffled], shuffled.astype("uint32"), device=device)
    offsets, found, values = d.range()
    assert found.dtype == keys.dtype
    assert found.tobytes() == keys.tobytes()
    assert values.tolist() == list(range(len(keys)))
    assert offsets.tolist() == [0, len(keys)]
    assert d.lookup(keys)[1].all()
    assert d.first()[0].tobytes() == keys[0].tobytes()
    assert d.last()[0].tobytes() == keys[-1].tobytes()
    d.verify()


def test_every_nan_is_a_key_of_its_own(device):
    bits = np.array([0xFFC00000, 0x7FC00000, 0x7FC00001, 0xFFFFFFFF, 0x7FFFFFFF], "uint32")
    d = gpu_lsm.Dictionary.build(bits.view("float32"), bits, device=device)
    assert len(d) == 5
    values, found = d.lookup(bits.view("float32"))
    assert found.all()
    assert (values == bits).all()
    # Negative ones come first, positive ones last.
    assert d.range()[2].tolist() == [0xFFFFFFFF, 0xFFC00000, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF]
    assert np.isnan(d.last()[0])
    d.insert([np.nan], 7)
    assert d[np.nan] == 7


def test_a_missing_neighbour_is_zero(device):
    for name in NUMBERS:
        d = gpu_lsm.Dictionary(name, "uint32", device=device)
        keys, values, found = d.successor(np.array([1], "int64").view(name) if "64[" in name else [1])
        assert keys.view(d._key.word).tolist() == [0]
        assert values.tolist() == [0]
        assert found.tolist() == [False]
        assert d.first() is None
        assert d.last() is None


def test_pairs_have_the_order_of_pairs(device):
    pairs = np.array([[0, 0], [0, 1], [0, 2**32 - 1], [1, 0], [2**32 - 1, 0]], "uint32")
    d = gpu_lsm.Dictionary.build(pairs[::-1], np.arange(5)[::-1], key="pair", device=device)
    assert d.range()[1].tolist() == pairs.tolist()
    assert d.range([(0, 1)], [(1, 0)])[2].tolist() == [1, 2, 3]
    assert d.count((0, 0), (0, 2**32 - 1)) == 3
    assert (1, 0) in d
    assert d[(1, 0)] == 3
    fields = np.array([(1, 0), (9, 9)], [("source", "u4"), ("target", "u4")])
    assert d.contains(fields).tolist() == [True, False]


def test_points_in_rectangles(device):
    rng = np.random.default_rng(1)
    points = rng.integers(0, 1000, (5000, 2), "uint32")
    d = gpu_lsm.Dictionary.build(points, np.arange(5000), key="point", device=device)
    points = d.range()[1]
    lower = rng.integers(0, 900, (50, 2), "uint32")
    offsets, found, values = d.rectangles(lower, lower + np.uint32(99))
    for i, corner in enumerate(lower):
        inside = points[((points >= corner) & (points <= corner + 99)).all(axis=1)]
        mine = found[offsets[i] : offsets[i + 1]]
        assert sorted(map(tuple, mine.tolist())) == sorted(map(tuple, inside.tolist()))
    assert len(values) == len(found) > 0
    with pytest.raises(gpu_lsm.errors.DtypeError, match="only points"):
        gpu_lsm.Dictionary("uint64", device=device).rectangles([1], [2])


STRUCTURE = np.dtype([("id", "u8"), ("weight", "f4"), ("flags", "u4")])
VALUES = {
    "float64": np.array([1.5, -0.0, np.nan]),
    "datetime64[us]": np.array([1, -1, 5], "datetime64[us]"),
    "complex128": np.array([1 + 2j, 0, -1j]),
    "structure": np.array([(1, 0.5, 3), (2, 1.5, 4), (2**64 - 1, -1, 5)], STRUCTURE),
    "rows": np.arange(12, dtype="float32").reshape(3, 4),
    "bytes": np.array([b"abcd", b"\0\0\0\0", b"zzzz"], "V4"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_as_they_were(name, device):
    values = VALUES[name]
    d = gpu_lsm.Dictionary.build([3, 1, 2], values, device=device)
    found, is_there = d.lookup([3, 1, 2, 9])
    assert is_there.tolist() == [True, True, True, False]
    assert found.dtype == values.dtype
    assert found[:3].tobytes() == values.tobytes()
    assert found[3:].tobytes() == bytes(values[:1].nbytes)
    assert d[1].tobytes() == values[1].tobytes()
    d.insert([7, 8], values[0])
    assert d.lookup([7, 8])[0].tobytes() == values[:1].tobytes() * 2
    assert d.value_type == np.dtype((values.dtype, values.shape[1:]))


def test_a_set_has_keys_only(device):
    d = gpu_lsm.Dictionary("int32", device=device)
    d.insert([5, 3, 5])
    values, found = d.lookup([3, 4])
    assert values is None
    assert found.tolist() == [True, False]
    assert d.first() == (3, None)
    assert d.range()[2] is None
    assert [keys.tolist() for keys, _ in d.scan(1)] == [[3], [5]]
    assert d.value_type is None
    assert d[5] is True
    with pytest.raises(gpu_lsm.errors.DtypeError, match="no values"):
        d.insert([1], [2])
    with pytest.raises(gpu_lsm.errors.DtypeError, match="no default"):
        d.lookup([1], default=0)


def test_a_day_of_timestamps_round_trips(device):
    seconds = np.arange("2026-03-29", "2026-03-30", dtype="datetime64[s]")
    assert len(seconds) == 86_400
    keys = seconds.astype("datetime64[ns]")
    d = gpu_lsm.Dictionary.build(keys, np.arange(86_400), device=device)
    assert (d.range()[1] == keys).all()
    hour = d.count(np.datetime64("2026-03-29T12:00"), np.datetime64("2026-03-29T12:59:59"))
    assert hour == 3600
    assert d.to_arrow()["key"].to_numpy().tobytes() == keys.tobytes()
    assert d.to_polars()["key"].to_numpy().tobytes() == keys.tobytes()
    import datetime

    assert d[datetime.datetime(2026, 3, 29, 0, 0, 7)] == 7


def test_dates_of_python_and_pandas_are_keys(device):
    import datetime

    import pandas

    d = gpu_lsm.Dictionary("datetime64[ns]", device=device)
    d.insert([datetime.date(2026, 1, 1), pandas.Timestamp("2026-01-01T00:00:00.123456789"), "2026-01-02T03"])
    d.insert(pandas.Series(pandas.date_range("2026-02-01", periods=2, tz="UTC")))
    days = ["2026-01-01", "2026-01-01T00:00:00.123456789", "2026-01-02T03", "2026-02-01", "2026-02-02"]
    assert d.range()[1].tolist() == np.array(days, "datetime64[ns]").tolist()
    assert pandas.Timestamp("2026-01-01T00:00:00.123456789") in d


@pytest.mark.parametrize("wrong", [None, "int8", "uint16", "complex64", "U4", "O", "datetime64", "no type", "S8"])
def test_types_that_cannot_be_keys(wrong):
    with pytest.raises(gpu_lsm.errors.DtypeError):
        gpu_lsm.Dictionary(wrong)


@pytest.mark.parametrize("wrong", ["int8", "O", "U1", "V12", "datetime64", "3f4", "longdouble,f4"])
def test_types_that_cannot_be_values(wrong):
    with pytest.raises(gpu_lsm.errors.DtypeError):
        gpu_lsm.Dictionary("int64", wrong)


def test_dates_of_several_units_are_those_that_were_given(device):
    import pandas

    fine, far = pandas.Timestamp("2026-01-01").as_unit("ns"), np.datetime64("2300-01-01")
    d = gpu_lsm.Dictionary("datetime64[us]", device=device)
    d.insert([fine, np.datetime64("2200-01-01", "s"), "1960-01-01T00:00:00.5", np.datetime64("NaT")])
    days = ["NaT", "1960-01-01T00:00:00.5", "2026-01-01", "2200-01-01"]
    assert d.range()[1].view("int64").tolist() == np.array(days, "datetime64[us]").view("int64").tolist()
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="2300-01-01T00:00:00 can't be given in ns"):
        d.insert([fine, far])
    durations = gpu_lsm.Dictionary("timedelta64[ms]", device=device)
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="seconds can't be given in ns"):
        durations.insert([np.timedelta64(1, "ns"), np.timedelta64(2**40, "s")])
    finest = gpu_lsm.Dictionary("timedelta64[as]", device=device)
    finest.insert([np.timedelta64(5, "as"), np.timedelta64(7, "as")])
    assert finest.range()[1].view("int64").tolist() == [5, 7]
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="give all in one unit"):
        finest.insert([np.timedelta64(1, "as"), np.timedelta64(1, "s")])
    with pytest.raises(gpu_lsm.errors.LossyCastError, match="give all in one unit"):
        d.insert(["2020-01-01T00:00:00.123456789012345678"])
    for wrong in (["hello"], ["2026-13-01"], [np.timedelta64(1, "s"), np.datetime64("2026")]):
        with pytest.raises(gpu_lsm.errors.DtypeError, match="keys: "):
            d.insert(wrong)
    assert len(d) == 4
