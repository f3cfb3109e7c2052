"""What callers hand over: where it lies, how it is laid out, and what is refused."""

import gpu_lsm
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from gpu_lsm.columns import column
from gpu_lsm.errors import DtypeError, LengthError, LossyCastError
from gpu_lsm.types import key_type, value_type


def address(array):
    return array.__array_interface__["data"][0]


def words(data, type):
    """The words that the extension is given."""
    return type.to_words(column(data, type, "keys"))


@pytest.mark.parametrize("name", ["uint32", "int32", "float32", "uint64", "int64", "float64", "datetime64[ns]"])
def test_contiguous_columns_are_not_copied(name):
    type = key_type(name)
    array = np.arange(1, 1001).astype(type.dtype)
    assert address(words(array, type)) == address(array)
    arrow = pyarrow.array(array)
    assert address(words(arrow, type)) == arrow.buffers()[1].address
    part = arrow.slice(100, 50)
    assert address(words(part, type)) == arrow.buffers()[1].address + 100 * type.dtype.itemsize
    assert words(part, type).tolist() == words(array[100:150], type).tolist()
    chunked = pyarrow.chunked_array([arrow])
    assert address(words(chunked, type)) == arrow.buffers()[1].address
    series = polars.Series(array)
    assert address(words(series, type)) == address(series.to_numpy(allow_copy=False))
    frame = pandas.Series(array)
    assert address(words(frame, type)) == address(frame.to_numpy())


def test_pairs_and_values_are_not_copied():
    pairs = np.arange(20, dtype="uint32").reshape(10, 2)
    assert address(words(pairs, key_type("pair"))) == address(pairs)
    lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(pairs.reshape(-1)), 2)
    assert address(words(lists, key_type("pair"))) == lists.values.buffers()[1].address
    assert column(lists.slice(3, 2), key_type("pair"), "keys").tolist() == pairs[3:5].tolist()
    structures = np.zeros(10, [("a", "f8"), ("b", "i8")])
    assert address(words(structures, value_type(structures.dtype))) == address(structures)


def test_results_own_their_memory():
    d = gpu_lsm.Dictionary.build(np.arange(1000), np.arange(1000.0))
    results = [*d.range(), *d.lookup([1]), d.count([0], [9]), *d.successor([5])]
    starts = [address(result) for result in results]
    assert len(set(starts)) == len(starts)
    copies = [result.copy() for result in results]
    del d
    for result, copy in zip(results, copies, strict=True):
        assert result.flags.writeable
        assert (result == copy).all()
        result[:] = 0


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(np.arange(20)[::2], id="strides"),
        pytest.param(np.arange(19)[::-1][::2][::-1], id="reversed twice"),
        pytest.param(np.arange(0, 20, 2).astype(">i8"), id="big-endian"),
        pytest.param(np.arange(0, 20, 2).astype("int16"), id="narrower"),
        pytest.param(np.arange(0, 20, 2).astype("float64"), id="whole floats"),
        pytest.param(np.frombuffer(b"x" + np.arange(0, 20, 2).tobytes(), "u1")[1:].view("int64"), id="unaligned"),
        pytest.param(list(range(0, 20, 2)), id="list"),
        pytest.param(tuple(range(0, 20, 2)), id="tuple"),
        pytest.param(range(0, 20, 2), id="range"),
        pytest.param(pyarrow.chunked_array([[0, 2, 4], [6, 8], [], [10, 12, 14, 16, 18]]), id="chunks"),
        pytest.param(pyarrow.array(range(0, 20, 2), "int32"), id="narrower Arrow"),
        pytest.param(polars.Series(range(0, 20, 2)), id="polars"),
        pytest.param(pandas.Series(range(0, 20, 2)), id="pandas"),
        pytest.param(pandas.Series(range(0, 20, 2), dtype="int64[pyarrow]"), id="pandas with Arrow"),
        pytest.param(pandas.Index(range(0, 20, 2)), id="index"),
    ],
)
def test_every_layout_is_read_right(keys, device):
    d = gpu_lsm.Dictionary("int64", "int64", device=device)
    d.insert(keys, keys)
    assert d.range()[1].tolist() == list(range(0, 20, 2))
    assert d.range()[2].tolist() == list(range(0, 20, 2))
    assert d.lookup(keys)[1].all()


def test_bytes_are_read_from_anywhere(device):
    for type, values in (
        ("S4", np.frombuffer(b"\0abcdefgh", "S4", offset=1)),
        ("(4,)u1", np.frombuffer(b"\0abcdefgh", "u1", offset=1).reshape(2, 4)),
    ):
        d = gpu_lsm.Dictionary("int64", type, device=device)
        d.insert([1, 2], values)
        d.insert(d.on_device().keys([3, 4]), values)
        assert d.lookup([1, 2, 3, 4])[0].tobytes() == b"abcdefgh" * 2


def test_read_only_columns_are_read(device):
    keys = np.arange(10)
    keys.flags.writeable = False
    d = gpu_lsm.Dictionary.build(keys, keys, device=device)
    assert d.lookup(keys)[0].tolist() == keys.tolist()
    assert not keys.flags.writeable


@pytest.mark.parametrize("empty", [[], (), np.empty(0, "int64"), np.empty(0), pyarrow.array([], "int64")])
def test_nothing_is_a_column_too(empty, device):
    d = gpu_lsm.Dictionary("int64", "float32", device=device)
    d.insert(empty, np.empty(0, "float32"))
    d.insert(empty, 1.5)
    d.delete(empty)
    d.update(empty, [], empty)
    d.delete_range(empty, empty)
    assert len(d) == 0
    assert not d
    assert [len(part) for part in d.range(empty, empty)] == [1, 0, 0]
    assert [len(part) for part in d.lookup(empty)] == [0, 0]
    assert len(d.count(empty, empty)) == 0
    assert [len(part) for part in d.successor(empty)] == [0, 0, 0]
    assert list(d.scan()) == []
    pairs = gpu_lsm.Dictionary("pair", device=device)
    pairs.insert([])
    assert pairs.range()[1].shape == (0, 2)


def test_bounds_may_be_one_for_all_or_open(device):
    d = gpu_lsm.Dictionary.build(np.arange(-5, 5), np.arange(10), device=device)
    assert d.count([-3, 0], 2).tolist() == [6, 3]
    assert d.count(None, [-3, 2]).tolist() == [3, 8]
    assert d.count(lower=3) == 2
    assert d.count() == 10
    assert d.count(4, -4) == 0
    assert d.range(3)[1].tolist() == [3, 4]
    d.delete_range(upper=3)
    assert d.range()[1].tolist() == [4]


@pytest.mark.parametrize(
    ("name", "data", "error", "text"),
    [
        ("uint32", [-1], LossyCastError, "element 0 is -1, which uint32"),
        ("uint32", np.array([1, 2**32]), LossyCastError, "element 1 is 4294967296"),
        ("uint64", np.array([5, -1]), LossyCastError, "element 1 is -1"),
        ("int64", np.array([2**63], "uint64"), LossyCastError, "element 0"),
        ("int64", [2**64], LossyCastError, "18446744073709551616"),
        ("int32", [1.5], LossyCastError, r"element 0 is 1.5"),
        ("int64", [np.nan], LossyCastError, "nan"),
        ("int64", np.array([2.0**63]), LossyCastError, "e\\+18"),
        ("uint64", np.array([2.0**64]), LossyCastError, "e\\+19"),
        ("int64", np.array([-np.inf], "float16"), LossyCastError, "element 0 is -inf"),
        ("uint32", np.array([1, np.inf], "float16"), LossyCastError, "element 1 is inf"),
        ("int32", np.array([-np.inf], "float32"), LossyCastError, "element 0 is -inf"),
        ("float32", np.array([0.1]), LossyCastError, "element 0 is 0.1"),
        ("float32", [1e300], LossyCastError, "1e\\+300"),
        ("float64", np.array([2**53 + 1]), LossyCastError, "9007199254740993"),
        ("float64", np.array([2**63 - 1]), LossyCastError, "9223372036854775807"),
        ("float64", np.array([2**64 - 1], "uint64"), LossyCastError, "18446744073709551615"),
        ("datetime64[D]", np.array(["2026-01-01T01"], "datetime64[h]"), LossyCastError, "2026-01-01T01"),
        ("datetime64[ns]", np.array(["9999-01-01"], "datetime64[D]"), LossyCastError, "9999"),
        ("timedelta64[D]", np.array([1], "timedelta64[M]"), DtypeError, r"timedelta64\[M\] was given"),
        ("timedelta64[s]", np.array([1], "timedelta64[Y]"), DtypeError, r"timedelta64\[Y\] was given"),
        ("timedelta64[M]", np.array([0], "timedelta64[s]"), DtypeError, r"timedelta64\[s\] was given"),
        ("int64", [1, None], DtypeError, "element 1 is None"),
        ("int64", np.array([1, "x"], "O"), DtypeError, "Python objects"),
        ("int64", ["1", "2"], DtypeError, "<U1 was given"),
        ("int64", np.array(["2026"], "datetime64[D]"), DtypeError, r"view\('int64'\)"),
        ("datetime64[ns]", [1], DtypeError, "datetime64"),
        ("int64", 5, LengthError, "a single key goes into a list"),
        ("int64", [[1, 2]], LengthError, r"shape \(1, 2\)"),
        ("int64", [[1], [2, 3]], LengthError, "equal length"),
        ("pair", [1, 2], LengthError, r"shape \(n, 2\)"),
        ("pair", [[1, 2, 3]], LengthError, r"shape \(n, 2\)"),
        ("pair", [[1, -2]], LossyCastError, r"element \(0, 1\) is -2"),
        ("int64", pyarrow.array([1, None]), DtypeError, "1 of 2 rows are null"),
        ("int64", pyarrow.array(["a"]), DtypeError, "Utf8"),
        ("int64", polars.Series([1, None]), DtypeError, "null"),
        ("int64", pandas.Series([1, None], dtype="Int64"), DtypeError, "null"),
        ("int64", object(), LengthError, "a single key"),
        ("int64", np.ma.array([1, 2], mask=[False, True]), DtypeError, "masked"),
        ("datetime64[us]", [pandas.Timestamp("2026-01-01T00:00:00.123456789")], LossyCastError, "element 0"),
        ("int64", {1, 2}, LengthError, "one dimension"),
        ("int64", pyarrow.array([1]).dictionary_encode(), DtypeError, "cast it to numbers"),
    ],
)
def test_what_does_not_fit_is_refused_with_advice(name, data, error, text, device):
    d = gpu_lsm.Dictionary(name, device=device)
    for call in (d.insert, d.delete, d.lookup, d.successor):
        with pytest.raises(error, match=text):
            call(data)
    assert len(d) == 0


def test_what_fits_exactly_is_taken(device):
    d = gpu_lsm.Dictionary("float32", "float32", device=device)
    d.insert([0.1], [0.1])
    assert np.float32(0.1) in d
    assert 0.1 in d
    d.insert(np.array([0.5]), np.array([0.25]))
    assert d[0.5] == 0.25
    wide = gpu_lsm.Dictionary("uint64", "int32", device=device)
    wide.insert([2**64 - 1, True], [-1, 5])
    assert wide[2**64 - 1] == -1
    assert wide[1] == 5


def test_whole_numbers_beside_floats_are_not_rounded():
    for given in ([2**53 + 1, 0.0], [np.int64(2**53 + 1), np.float64(0)]):
        assert column(given, key_type("int64"), "keys").tolist() == [2**53 + 1, 0]
    assert column([[2**64 - 1, 0.0]], value_type("(2,)u8"), "values").tolist() == [[2**64 - 1, 0]]
    for given in ([2**53 + 1, 0.5], [2**63, 0.0], [1, np.nan]):
        with pytest.raises(LossyCastError):
            column(given, key_type("int64"), "keys")


def test_units_that_contain_each_other_are_exact(device):
    months = gpu_lsm.Dictionary("timedelta64[M]", device=device)
    months.insert(np.array([1, 2], "timedelta64[Y]"))
    assert months.range()[1].astype(int).tolist() == [12, 24]
    days = gpu_lsm.Dictionary("datetime64[D]", device=device)
    days.insert(np.array(["2026-02", "2024-01"], "datetime64[M]"))
    assert days.range()[1].astype(str).tolist() == ["2024-01-01", "2026-02-01"]


def test_the_end_of_a_type_is_no_infinity(device):
    d = gpu_lsm.Dictionary("int64", "(2,)f2", device=device)
    for number in (-(2**63), 2**63 - 1, 65536, 65519):
        with pytest.raises(LossyCastError, match=f"is {number}, which float16"):
            d.insert([1], np.array([[0, number]]))
    with pytest.raises(LossyCastError, match="is 18446744073709551615"):
        d.insert([1], np.array([[0, 2**64 - 1]], "uint64"))
    d.insert(np.array([-65504], "float16"), np.array([[-65504, 2048]]))
    assert d[-65504].tolist() == [-65504, 2048]
    d.insert([1], np.array([[-np.inf, np.inf]]))
    assert d[1].tolist() == [-np.inf, np.inf]


def test_columns_of_different_lengths_are_refused(device):
    d = gpu_lsm.Dictionary("int64", "int64", device=device)
    with pytest.raises(LengthError, match="3 keys came with 2 values; give one value for each key"):
        d.insert([1, 2, 3], [1, 2])
    with pytest.raises(LengthError, match="3 keys came with 1 values"):
        d.insert([1, 2, 3], [1])
    with pytest.raises(LengthError, match="2 lower bounds came with 3 upper ones"):
        d.count([1, 2], [1, 2, 3])
    with pytest.raises(LengthError, match="flags for deletes"):
        d.apply_columns([1, 2], [1, 2], [True])
    with pytest.raises(DtypeError, match="values of type int64 are missing"):
        d.insert([1])
    with pytest.raises(LengthError, match="give a limit too"):
        d.range(after=True)
    assert len(d) == 0


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(gpu_lsm.errors.OptionError, match="batch_size is 0; give a whole number from 1 to"):
        gpu_lsm.Dictionary("int64", batch_size=0)
    with pytest.raises(gpu_lsm.errors.NoDeviceError, match="no such card"):
        gpu_lsm.Dictionary("int64", device="no such card")
    d = gpu_lsm.Dictionary("int64", device="host", batch_size=64, byte_budget=10_000)
    with pytest.raises(gpu_lsm.errors.OverBudgetError, match="raise the budget"):
        d.insert(np.arange(10_000))
    assert len(d) == 0
    d.set_byte_budget(None)
    d.insert(np.arange(10_000))
    assert len(d) == 10_000


def test_errors_are_those_that_python_programs_catch():
    errors = gpu_lsm.errors
    assert issubclass(errors.LossyCastError, ValueError)
    assert issubclass(errors.DtypeError, TypeError)
    assert issubclass(errors.OverBudgetError, MemoryError)
    classes = [item for item in vars(errors).values() if isinstance(item, type)]
    assert all(issubclass(each, errors.Error) for each in classes)


EDGE = np.dtype([("source", "u4"), ("target", "u4")])


def test_pairs_of_structures_are_in_the_order_of_the_fields():
    edges = np.array([(1, 2), (3, 4)], EDGE)
    padded = np.array([(1, 9, 2), (3, 9, 4)], [("source", "u4"), ("weight", "u4"), ("target", "u4")])
    for given, expected in [
        (edges, [[1, 2], [3, 4]]),
        (edges[["target", "source"]], [[2, 1], [4, 3]]),
        (padded[["source", "target"]], [[1, 2], [3, 4]]),
        (padded[["target", "weight"]], [[2, 9], [4, 9]]),
    ]:
        assert column(given, key_type("pair"), "keys").tolist() == expected


def test_structures_are_matched_by_the_names_of_their_fields():
    d = gpu_lsm.Dictionary("uint32", EDGE)
    d.insert([1], np.array([(1, 2)], EDGE))
    for other in (np.array([(2, 1)], EDGE)[["target", "source"]], np.array([(2, 1)], [("a", "u4"), ("b", "u4")])):
        with pytest.raises(DtypeError, match="source"):
            d.insert([1], other)
    assert d.lookup([1])[0].tolist() == [(1, 2)]


def test_tuples_lose_no_more_than_columns_of_their_fields():
    d = gpu_lsm.Dictionary("uint32", [("to", "u4"), ("cost", "f4")])
    d.insert([1, 2], [(1, 0.1), (2**32 - 1, 2)])
    d.insert([3, 4], (5, 0.5))
    assert d.lookup([1, 2, 3, 4])[0]["to"].tolist() == [1, 2**32 - 1, 5, 5]
    d.insert([5], d.lookup([3])[0][0])
    assert d.lookup([5, 9], default=(7, -1.5)).tolist() == [(5, 0.5), (7, -1.5)]
    for wrong, error in [
        ([(1.5, 0.5)], LossyCastError),
        ([(-1, 0.5)], LossyCastError),
        ([(2**32, 0.5)], LossyCastError),
        ([(1, 2, 3)], DtypeError),
        ([7], DtypeError),
        ([((1, 2), 3)], LengthError),
    ]:
        with pytest.raises(error):
            d.insert([1], wrong)
    assert d.lookup([1])[0]["to"].tolist() == [1]


def test_structures_lose_no_more_than_columns_of_their_fields():
    d = gpu_lsm.Dictionary("uint32", [("to", "f8"), ("at", "M8[s]")])
    given = np.array([(2**53 + 1, 7)], [("to", "i8"), ("at", "M8[s]")])
    with pytest.raises(LossyCastError, match="field 'to': element 0 is 9007199254740993"):
        d.insert([1], given)
    given["to"] = 2**53
    d.insert([1], given)
    assert d[1]["to"] == 2.0**53
    nested = gpu_lsm.Dictionary("uint32", [("edge", EDGE)])
    nested.insert([1], np.array([((1, 2),)], [("edge", [("source", "u2"), ("target", ">u4")])]))
    assert nested[1].tolist() == ((1, 2),)
    with pytest.raises(DtypeError, match="field 'edge'"):
        nested.insert([1], np.array([((1, 2),)], [("edge", [("target", "u4"), ("source", "u4")])]))


def test_whole_numbers_become_complex_ones_only_if_they_fit():
    d = gpu_lsm.Dictionary("uint32", "complex128")
    with pytest.raises(LossyCastError, match="element 0 is 9007199254740993"):
        d.insert([1], np.array([2**53 + 1]))
    d.insert([1, 2], [2**53, -0.5])
    assert d.lookup([1, 2])[0].tolist() == [2.0**53, -0.5]
    d.insert([3], [1j])
    assert d[3] == 1j


def test_what_is_between_fields_is_zero():
    padded = np.dtype([("kind", "u1"), ("number", "u4")], align=True)
    dirty = np.full(3, 2**64 - 1, "uint64").view(padded)
    dirty[:] = [(1, 2)] * 3
    other = np.array([(1, 2)] * 3, [("kind", "u1"), ("number", ">u4")])
    for type, given in (
        (padded, [(1, 2)] * 3),
        (padded, dirty),
        (padded, other),
        ([("in", padded)], dirty.view([("in", padded)])),
    ):
        assert column(given, value_type(type), "values").tobytes() == b"\1\0\0\0\2\0\0\0" * 3


def test_structures_are_no_numbers_even_if_there_are_none():
    for count in (0, 1):
        with pytest.raises(DtypeError, match="int64 is needed"):
            column(np.zeros(count, EDGE), key_type("int64"), "keys")
