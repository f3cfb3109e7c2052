"""Ray Data in and out."""

import time
from pathlib import Path
from typing import Any

import gpu_lsm.ray
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import ray
from conftest import Start
from gpu_lsm.ray import data
from gpu_lsm.ray.names import shard_actor
from pyarrow.fs import LocalFileSystem

ROWS = 20_000


@pytest.fixture(autouse=True)
def _quiet() -> None:
    ray.data.DataContext.get_current().enable_progress_bars = False


def test_a_dataset_goes_in_and_a_lookup_is_joined_to_another(start: Start) -> None:
    prices = start("int64", "float64", shards=2, sample=np.arange(ROWS))
    dataset = ray.data.range(ROWS).map_batches(lambda batch: {"id": batch["id"], "price": batch["id"] * 0.5})
    rows = gpu_lsm.ray.insert_dataset(prices, dataset, key="id", value="price", batch_size=3000)
    assert rows == len(prices) == ROWS
    orders = ray.data.from_numpy(np.arange(0, 2 * ROWS, 100))
    joined = gpu_lsm.ray.lookup_dataset(prices, orders, key="data", value="price", batch_size=64)
    table = joined.to_pandas().sort_values("data")
    assert np.array_equal(table["found"], table["data"] < ROWS)
    assert np.array_equal(table["price"], np.where(table["found"], table["data"] * 0.5, 0.0))


def test_a_job_goes_on_where_it_was(start: Start) -> None:
    events = start("int64", shards=1)
    dataset = ray.data.range(1000)
    assert gpu_lsm.ray.insert_dataset(events, dataset.limit(500), key="id", job="nightly", batch_size=100) == 500
    events.delete([7])
    assert gpu_lsm.ray.insert_dataset(events, dataset, key="id", job="nightly", batch_size=100) == 1000
    assert len(events) == 999
    commit = events.status()["commit"]
    gpu_lsm.ray.insert_dataset(events, dataset, key="id", job="nightly", batch_size=100)
    assert events.status()["commit"] == commit


def test_a_job_with_another_batch_size_skips_no_rows(start: Start) -> None:
    events = start("int64", shards=1)
    dataset = ray.data.range(1000)
    gpu_lsm.ray.insert_dataset(events, dataset.limit(500), key="id", job="nightly", batch_size=100)
    assert gpu_lsm.ray.insert_dataset(events, dataset, key="id", job="nightly", batch_size=250) == len(events) == 1000


def test_folders_with_equal_names_of_files_are_all_loaded(start: Start, tmp_path: Path) -> None:
    events = start("int64", shards=1)
    for i in range(2):
        (folder := tmp_path / f"day{i}").mkdir()
        table = pa.table({"key": np.arange(i * ROWS, (i + 1) * ROWS)})
        pyarrow.parquet.write_table(table, folder / "0.parquet")
        assert gpu_lsm.ray.load_parquet(events, f"file://{folder}", key="key") == ROWS
    assert len(events) == 2 * ROWS
    events.clear()
    for batch_size in (ROWS, ROWS // 2):
        # One job that is given both folders, and each with another size.
        for i in range(2):
            folder = tmp_path / f"day{i}"
            gpu_lsm.ray.load_parquet(events, f"file://{folder}", key="key", job="days", batch_size=batch_size)
        assert len(events) == 2 * ROWS
        events.clear()


def test_a_job_with_other_columns_skips_none_of_them(start: Start, tmp_path: Path) -> None:
    nodes = start("int64", shards=1)
    edges = pa.table({"source": np.arange(10), "target": np.arange(10, 20)})
    pyarrow.parquet.write_table(edges, tmp_path / "0.parquet")
    for column, dataset in (("source", ray.data.from_arrow(edges)), ("target", ray.data.from_arrow(edges))):
        gpu_lsm.ray.insert_dataset(nodes, dataset, key=column, job="nodes")
    assert nodes.range()[1].tolist() == list(range(20))
    nodes.clear()
    for column in ("source", "target"):
        gpu_lsm.ray.load_parquet(nodes, f"file://{tmp_path}", key=column, job="nodes")
    assert nodes.range()[1].tolist() == list(range(20))


def test_credentials_in_a_url_are_told_to_nobody(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events, connect = start("int64"), data.connect
    callers: list[str] = []

    def watched(name: str, *, caller: str, **options: Any) -> gpu_lsm.ray.Dictionary:
        callers.append(caller)
        return connect(name, caller=caller, **options)

    monkeypatch.setattr(data, "connect", watched)
    # pyarrow would ask the server.
    monkeypatch.setattr(data, "_filesystem", lambda folder: (LocalFileSystem(), str(tmp_path)))
    folders = ["s3://key:secret@bucket/day", "s3://key:secret@bucket/day/", "s3://key:secret@other/day"]
    with pytest.raises(gpu_lsm.errors.OptionError) as error:
        gpu_lsm.ray.load_parquet(events, folders[0], key="key")
    pyarrow.parquet.write_table(pa.table({"key": np.arange(3)}), tmp_path / "0.parquet")
    for folder in folders:
        assert data._load_file._function(events.name, events.patience, folder, "0.parquet", "key", None, "job", 2) == 3
    assert not [text for text in (str(error.value), *callers) if "secret" in text]
    # Only the same folder is known again.
    assert callers[0] == callers[1] != callers[2]
    assert len(events) == 3


def test_a_relative_folder_begins_where_the_program_is(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = start("int64")
    (tmp_path / "tables").mkdir()
    pyarrow.parquet.write_table(pa.table({"key": np.arange(3)}), tmp_path / "tables" / "0.parquet")
    monkeypatch.chdir(tmp_path)
    for folder in (Path("tables"), f"file:{tmp_path}/tables"):
        assert gpu_lsm.ray.load_parquet(events, folder, key="key") == 3


def test_no_file_is_loaded_any_more_once_loading_has_failed(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = start("int64")
    for name in ("fails", "stays", "waits"):
        pyarrow.parquet.write_table(pa.table({"key": np.arange(3)}), tmp_path / f"{name}.parquet")

    @ray.remote(num_cpus=0.1, max_retries=-1)
    def load(name: str, patience: object, folder: str, path: str, *_: object) -> int:
        began, deadline = tmp_path / "stays.parquet began", time.monotonic() + 60
        (tmp_path / f"{path} began").touch()
        try:
            while path == "stays.parquet" or not began.exists():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            raise gpu_lsm.ray.WaitingError("a shard is away")
        finally:
            (tmp_path / f"{path} ended").touch()

    monkeypatch.setattr(data, "_load_file", load)
    with pytest.raises(gpu_lsm.ray.WaitingError):
        gpu_lsm.ray.load_parquet(events, f"file://{tmp_path}", key="key", concurrency=2)
    assert (tmp_path / "stays.parquet ended").exists()
    assert not (tmp_path / "waits.parquet began").exists()


def test_a_folder_of_parquet_files_is_loaded_while_a_shard_is_killed(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for i in range(6):
        keys = np.arange(i * ROWS, (i + 1) * ROWS)
        pyarrow.parquet.write_table(pa.table({"key": keys, "value": keys * 2}), folder / f"{i}.parquet")
    events = start("int64", "int64", shards=2, sample=np.arange(6 * ROWS))
    ray.kill(shard_actor(events._config, events.shards()[1].name), no_restart=False)
    loaded = gpu_lsm.ray.load_parquet(events, f"file://{folder}", key="key", value="value", job="bulk", batch_size=4000)
    assert loaded == len(events) == 6 * ROWS
    asked = np.random.default_rng(1).integers(0, 6 * ROWS, 1000)
    assert np.array_equal(events.lookup(asked)[0], asked * 2)
    commit = events.status()["commit"]
    gpu_lsm.ray.load_parquet(events, f"file://{folder}", key="key", value="value", job="bulk", batch_size=4000)
    assert events.status()["commit"] == commit
    with pytest.raises(gpu_lsm.errors.OptionError):
        gpu_lsm.ray.load_parquet(events, f"file://{tmp_path}/stores", key="key")
