"""Tables of Arrow, Polars, pandas and DuckDB."""

import duckdb
import gpu_lsm
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from gpu_lsm.errors import DtypeError, LengthError, LossyCastError

DATA = {"id": [3, 1, 2], "price": [0.5, 1.5, 2.5], "name": ["c", "a", "b"]}
TABLES = {
    "pyarrow": lambda: pyarrow.table(DATA),
    "reader": lambda: pyarrow.table(DATA).to_reader(max_chunksize=2),
    "batch": lambda: pyarrow.RecordBatch.from_pydict(DATA),
    "polars": lambda: polars.DataFrame(DATA),
    "pandas": lambda: pandas.DataFrame(DATA),
    "duckdb": lambda: duckdb.sql("select * from (values (3, 0.5::double), (1, 1.5), (2, 2.5)) as t(id, price)"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_dictionary_is_made_of_a_table(name, device):
    d = gpu_lsm.Dictionary.from_arrow(TABLES[name](), key="id", value="price", device=device)
    assert d.range()[1].tolist() == [1, 2, 3]
    assert d.range()[2].tolist() == [1.5, 2.5, 0.5]
    assert d.value_type == "float64"
    keys = gpu_lsm.Dictionary.from_arrow(TABLES[name](), key="id", device=device)
    assert keys.value_type is None
    assert len(keys) == 3


def test_a_table_must_have_the_columns():
    with pytest.raises(gpu_lsm.errors.NoColumnError, match=r'^no column is called "age"; there are: id, price, name$'):
        gpu_lsm.Dictionary.from_arrow(pyarrow.table(DATA), key="age")
    assert issubclass(gpu_lsm.errors.NoColumnError, KeyError)
    with pytest.raises(gpu_lsm.errors.DtypeError, match="Utf8"):
        gpu_lsm.Dictionary.from_arrow(pyarrow.table(DATA), key="name")
    with pytest.raises(gpu_lsm.errors.DtypeError, match="3 columns"):
        gpu_lsm.Dictionary.from_arrow(pyarrow.table({"a": [1], "b": [2], "c": [3]}))
    empty = gpu_lsm.Dictionary.from_arrow(pyarrow.schema([("a", "int64"), ("b", "float32")]).empty_table())
    assert (len(empty), empty.value_type) == (0, "float32")


def test_entries_leave_as_tables(device):
    d = gpu_lsm.Dictionary.build(np.array([3, 1, 2], "uint32"), np.array([0.5, 1.5, 2.5], "float32"), device=device)
    assert d.to_arrow(["id", "price"]).to_pydict() == {"id": [1, 2, 3], "price": [1.5, 2.5, 0.5]}
    assert d.to_arrow().schema.types == [pyarrow.uint32(), pyarrow.float32()]
    assert d.to_polars().schema == {"key": polars.UInt32, "value": polars.Float32}
    assert duckdb.sql("select sum(key), max(value) from d").fetchall() == [(6, 2.5)]
    assert polars.DataFrame(d).rows() == [(1, 1.5), (2, 2.5), (3, 0.5)]
    assert pyarrow.table(d.snapshot()).num_rows == 3
    assert gpu_lsm.Dictionary.build([2, 1]).to_arrow().to_pydict() == {"key": [1, 2]}


def test_dates_pairs_and_structures_leave_too(device):
    days = np.array(["2026-01-02", "2026-01-01"], "datetime64[D]")
    d = gpu_lsm.Dictionary.build(days, np.array([(1, 2.5), (3, 4.5)], "u4,f4"), device=device)
    frame = d.to_polars()
    assert frame["key"].dtype == polars.Date
    assert frame["value"].struct.field("f1").to_list() == [4.5, 2.5]
    table = d.to_arrow()
    assert table["key"].type == pyarrow.timestamp("s")
    assert table["value"].type == pyarrow.binary(8)
    again = gpu_lsm.Dictionary.from_arrow(table, device=device)
    assert again.range()[2].tobytes() == d.range()[2].tobytes()
    pairs = gpu_lsm.Dictionary.build([(1, 2), (0, 9)], key="pair", device=device)
    assert pairs.to_arrow()["key"].to_pylist() == [[0, 9], [1, 2]]
    dates = pyarrow.array([20_000, 3], pyarrow.date32())
    assert gpu_lsm.Dictionary.build(dates, device=device).range()[1].astype(int).tolist() == [3, 20_000]
    with pytest.raises(gpu_lsm.errors.DtypeError, match="to_arrow"):
        gpu_lsm.Dictionary.build([1], np.array([1j]), device=device).to_polars()


@pytest.mark.parametrize(
    ("name", "number"),
    [("timedelta64[ps]", 1), ("timedelta64[as]", 10**9 - 1), ("datetime64[h]", 2**62), ("datetime64[25s]", 2**60)],
)
def test_dates_that_a_table_cannot_hold_are_refused(name, number, device):
    d = gpu_lsm.Dictionary.build(np.array([number]).view(name), device=device)
    for leave in (d.to_arrow, d.to_polars, d.__arrow_c_stream__):
        with pytest.raises(LossyCastError, match="the table: element 0"):
            leave()


@pytest.mark.parametrize("unit", ["M", "Y"])
def test_months_and_years_have_no_length_in_a_table(unit, device):
    d = gpu_lsm.Dictionary.build(np.array([1, 13], f"timedelta64[{unit}]"), device=device)
    for leave in (d.to_arrow, d.to_polars, d.__arrow_c_stream__):
        with pytest.raises(DtypeError, match=rf"the table: timedelta64\[{unit}\]"):
            leave()


def test_days_past_32_bits_are_refused_where_days_have_so_many(device):
    days = np.array([-(2**63), -(2**31), 2**31 - 1]).view("datetime64[D]")
    d = gpu_lsm.Dictionary.build(days, device=device)
    assert d.to_polars()["key"].to_physical().to_list() == [None, -(2**31), 2**31 - 1]
    d.insert(np.array([2**31]).view("datetime64[D]"))
    with pytest.raises(LossyCastError, match="days since 1970: element 3 is 2147483648"):
        d.to_polars()
    assert d.to_arrow()["key"].to_numpy()[3] == np.datetime64(2**31, "D")
    rows = gpu_lsm.Dictionary.build([1], np.array([[1, 2**40]]).view("datetime64[D]"), device=device)
    assert rows.to_arrow()["value"].combine_chunks().values.to_numpy()[1] == np.datetime64(2**40, "D")


@pytest.mark.parametrize("name", ["datetime64[25s]", "timedelta64[10us]", "datetime64[2D]", "timedelta64[D]"])
def test_units_that_tables_lack_become_others(name, device):
    keys = np.array([1, 2, 300]).view(name)
    d = gpu_lsm.Dictionary.build(keys, device=device)
    assert (d.to_arrow()["key"].to_numpy() == keys).all()
    table = d.to_polars()
    assert (table["key"].to_numpy() == keys).all()
    condition = polars.col("key") >= table["key"][1]
    assert d.scan_polars().filter(condition).collect().equals(table.tail(2))
    finer = gpu_lsm.Dictionary.build(np.array([5000, 7000], "timedelta64[ps]"), device=device)
    assert finer.to_polars()["key"].to_physical().to_list() == [5, 7]


def test_rows_of_bytes_leave_as_rows(device):
    values = np.array([[b"ab", b"cd"], [b"ef", b"gh"]])
    d = gpu_lsm.Dictionary.build([1, 2], values, device=device)
    assert d.to_arrow()["value"].to_pylist() == values.tolist()


def test_a_lazy_frame_reads_only_the_keys_that_it_needs(device, monkeypatch):
    d = gpu_lsm.Dictionary.build(np.arange(-5000, 5000), np.arange(10_000.0), device=device)
    frame, key = d.scan_polars(["k", "v"]), polars.col("k")
    read = []
    pages = gpu_lsm.Dictionary._pages
    monkeypatch.setattr(
        gpu_lsm.Dictionary, "_pages", lambda *args: (read.append(len(page[0])) or page for page in pages(*args))
    )
    cases = [
        (key.is_between(-3, 4), 8),
        ((key > 10) & (key <= 20), 11),
        ((key >= 10) & (polars.col("v") > 5015), 4990),
        ((key == 7) | (key == 9), 10_000),
        (polars.lit(5) > key, 5006),
        (key == 4, 1),
        (key > 2**40, 0),
        (key * 2 == 8, 10_000),
    ]
    table = d.to_polars(["k", "v"])
    for condition, rows in cases:
        read.clear()
        assert frame.filter(condition).collect().equals(table.filter(condition)), condition
        assert sum(read) == rows, condition
    assert frame.head(3).collect().equals(table.head(3))
    assert frame.head(20).filter(key > 0).collect().equals(table.head(20).filter(key > 0))
    assert frame.select("v").sum().collect().item() == table["v"].sum()
    d.clear()
    assert frame.collect().equals(table)


@pytest.mark.parametrize(
    "name", ["uint32", "int32", "uint64", "float64", "datetime64[ns]", "datetime64[s]", "timedelta64[ms]"]
)
def test_a_lazy_frame_has_every_key(name, device):
    whole = np.array([0, 1, 5, 7], "int64")
    keys = whole.view(name) if "64[" in name else whole.astype(name)
    d = gpu_lsm.Dictionary.build(keys, whole, device=device)
    table = d.to_polars()
    middle = table["key"][2]
    for condition in (polars.col("key") >= middle, polars.col("key") < middle, polars.col("key") == middle):
        assert d.scan_polars().filter(condition).collect().equals(table.filter(condition))


def test_lazy_floats_have_the_nan_of_polars(device):
    keys = np.array([0xFFC00000, 0x80000000, 0, 0x3F800000, 0x7FC00000], "uint32").view("float32")
    d = gpu_lsm.Dictionary.build(keys, device=device)
    for condition in (polars.col("key") > 0.5, polars.col("key") >= 0.0, polars.col("key") < 0.5):
        assert d.scan_polars().filter(condition).collect().height == d.to_polars().filter(condition).height


def test_columns_are_neither_guessed_nor_lost(device, tmp_path):
    table = pyarrow.table({"price": [10, 20], "id": [1, 2]})
    polars.DataFrame(table).write_parquet(tmp_path / "table.parquet")
    for make in (
        lambda: gpu_lsm.Dictionary.from_arrow(table, value="price", device=device),
        lambda: gpu_lsm.Dictionary.from_parquet(tmp_path / "table.parquet", value="price", device=device),
    ):
        with pytest.raises(DtypeError, match="value='price' needs key="):
            make()
    d = gpu_lsm.Dictionary.build([1, 2], [10, 20], device=device)
    calls = (d.to_arrow, d.to_polars, d.scan_polars, lambda names: d.to_parquet(tmp_path / "new.parquet", names))
    for call in calls:
        for names in (["id"], ["id", "id"], "id", []):
            with pytest.raises(LengthError, match="for 2 columns"):
                call(names)
    assert not (tmp_path / "new.parquet").exists()
    s = gpu_lsm.Dictionary.build([1, 2], device=device)
    assert s.to_polars(["id"]).columns == s.to_arrow(["id", "rest"]).column_names == ["id"]
    assert s.to_parquet(tmp_path / "new.parquet", ["id"]) == 2


def test_structures_in_structures_leave_too(device):
    edge = np.dtype([("edge", [("source", "u4"), ("target", "u4")]), ("when", "M8[s]")])
    d = gpu_lsm.Dictionary.build([1], np.array([((2, 3), 4)], edge), device=device)
    assert d.to_polars()["value"].struct.field("edge").to_list() == [{"source": 2, "target": 3}]
    numbers = gpu_lsm.Dictionary.build([1], np.array([(1, 2j)], "f8,c8"), device=device)
    with pytest.raises(DtypeError, match="to_arrow"):
        numbers.to_polars()
