"""Parquet files of other programs, and for them."""

import duckdb
import gpu_lsm
import numpy as np
import polars
import pyarrow
import pyarrow.parquet
import pytest
from gpu_lsm import errors


def test_other_programs_read_what_is_written(tmp_path, device):
    path = tmp_path / "all.parquet"
    keys = np.arange(-500, 500)
    d = gpu_lsm.Dictionary.build(keys, keys / 4, device=device)
    d.delete(keys[:10])
    assert d.to_parquet(path, ("n", "quarter")) == 990
    assert polars.read_parquet(path).rows()[0] == (-490, -122.5)
    assert pyarrow.parquet.read_table(path)["quarter"].to_numpy().sum() == (keys[10:] / 4).sum()
    assert duckdb.sql(f"select count(*), min(n) from '{path}'").fetchall()[0] == (990, -490)
    again = gpu_lsm.Dictionary.from_parquet(path, key="n", value="quarter", device=device)
    assert again.range()[2].tobytes() == d.range()[2].tobytes()
    with again.snapshot() as state:
        assert state.to_parquet(tmp_path / "again.parquet", ("n", "quarter")) == 990
    assert path.read_bytes() == (tmp_path / "again.parquet").read_bytes()


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed"])
def test_files_of_polars_are_read(tmp_path, device, compression):
    frame = polars.DataFrame(
        {
            "when": polars.datetime_range(polars.date(2026, 1, 1), polars.date(2026, 1, 2), "1m", eager=True),
            "name": "not read",
        }
    ).with_columns(number=polars.int_range(polars.len()).cast(polars.Float32))
    frame.write_parquet(tmp_path / "events.parquet", compression=compression)
    d = gpu_lsm.Dictionary.from_parquet(tmp_path / "events.parquet", key="when", value="number", device=device)
    assert (d.key_type, d.value_type, len(d)) == ("datetime64[us]", np.dtype("float32"), 1441)
    assert d.lookup(["2026-01-01T01:00"])[0].tolist() == [60.0]
    whens = gpu_lsm.Dictionary.from_parquet(tmp_path / "events.parquet", key="when", device=device)
    assert (whens.value_type, len(whens)) == (None, 1441)


def test_the_last_of_equal_keys_wins_across_pieces(tmp_path, device):
    keys = np.arange(700_000, dtype="uint32") % 300_000
    table = pyarrow.table({"key": keys, "value": np.arange(700_000, dtype="uint32")})
    pyarrow.parquet.write_table(table, tmp_path / "long.parquet")
    d = gpu_lsm.Dictionary.from_parquet(tmp_path / "long.parquet", devices=[device], shards=3)
    assert len(d) == 300_000
    assert d.lookup([0, 99_999, 299_999])[0].tolist() == [600_000, 699_999, 599_999]


def test_points_and_structures_pass_through_their_bytes(tmp_path, device):
    value = np.dtype([("to", "u4"), ("cost", "f4")])
    d = gpu_lsm.Dictionary("point", value, device=device)
    d.insert([(3, 4), (5, 6)], np.array([(1, 0.5), (2, 1.5)], value))
    d.to_parquet(tmp_path / "points.parquet")
    again = gpu_lsm.Dictionary.from_parquet(
        tmp_path / "points.parquet", key_type="point", value_type=value, device=device
    )
    assert again.range()[1].tolist() == d.range()[1].tolist()
    assert again[(5, 6)] == np.array((2, 1.5), value)
    plain = gpu_lsm.Dictionary.from_parquet(tmp_path / "points.parquet", device=device)
    assert (plain.key_type, plain.value_type) == ("uint64", np.dtype("V8"))


def test_keys_are_never_taken_for_values(tmp_path, device):
    path = tmp_path / "two.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2], "v": [10, 20]}), path)
    with pytest.raises(errors.DtypeError, match="no column of values; say which it is by key= and value="):
        gpu_lsm.Dictionary.from_parquet(path, key="n", value_type="int64", device=device)
    d = gpu_lsm.Dictionary.from_parquet(path, key="n", value="v", value_type="int64", device=device)
    assert d.range()[2].tolist() == [10, 20]
    gpu_lsm.Dictionary.build([1, 2]).to_parquet(tmp_path / "set.parquet")
    with pytest.raises(errors.DtypeError, match="no column of values"):
        gpu_lsm.Dictionary.from_parquet(tmp_path / "set.parquet", value_type="int64", device=device)


def test_what_is_wrong_with_a_file_is_said(tmp_path, device):
    path = tmp_path / "bad.parquet"
    with pytest.raises(errors.FileError, match=r"bad\.parquet"):
        gpu_lsm.Dictionary.from_parquet(path)
    with pytest.raises(OSError, match="nowhere"):
        gpu_lsm.Dictionary.build([1]).to_parquet(tmp_path / "nowhere" / "file.parquet")
    path.write_bytes(b"no parquet")
    with pytest.raises(errors.TableError, match="can't be used"):
        gpu_lsm.Dictionary.from_parquet(path)
    pyarrow.parquet.write_table(pyarrow.table({"a": [1, None], "b": [1.0, 2.0], "c": ["x", "y"]}), path)
    with pytest.raises(errors.DtypeError, match="say which are keys and values"):
        gpu_lsm.Dictionary.from_parquet(path)
    with pytest.raises(errors.TableError, match='no column is called "d"; there are: a, b, c'):
        gpu_lsm.Dictionary.from_parquet(path, key="d")
    with pytest.raises(errors.DtypeError, match="cast it to numbers"):
        gpu_lsm.Dictionary.from_parquet(path, key="b", value="c")
    with pytest.raises(errors.TableError, match="nulls"):
        gpu_lsm.Dictionary.from_parquet(path, key="a", value="b", device=device)
