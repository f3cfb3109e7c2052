"""Stores pickle by their URL."""

import multiprocessing
import pickle

import gpu_lsm
import numpy as np
import pytest


def total(reader):
    return int(reader.range()[2].sum())


def test_a_reader_is_opened_again(folder):
    with folder.open("a", key="datetime64[s]", value="int64") as d:
        d.insert(np.arange(10).astype("datetime64[s]"), np.arange(10))
        version = d.checkpoint()
        d.clear()
        newest, old = (
            pickle.loads(pickle.dumps(folder.open())),
            pickle.loads(pickle.dumps(folder.open(version=version))),
        )
        assert (len(newest), total(old), old.version, old.key_type) == (0, 45, version, "datetime64[s]")


def test_a_writer_becomes_a_reader(folder):
    with folder.open("a", key="int64", value="int64") as d:
        batch = gpu_lsm.Batch()
        batch.insert(np.arange(5), np.arange(5))
        d.submit(batch)
        reader = pickle.loads(pickle.dumps(d))
        assert isinstance(reader, gpu_lsm.Reader)
        assert total(reader) == 10
        d.insert([9], [9])  # it is still the writer
        with pytest.raises(TypeError, match="belongs to the process"):
            pickle.dumps(d.submit(batch))


def test_a_sharded_store_is_opened_on_the_same_devices(folder):
    with folder.open("a", key="int64", value="int64", devices=[folder.device] * 2, boundaries=[3]) as d:
        d.insert(np.arange(6), np.arange(6))
    again = pickle.loads(pickle.dumps(folder.open(devices=[folder.device], boundaries=[2, 4])))
    assert (total(again), len(again.statistics().sections)) == (15, 3)


def test_other_processes_read_the_store(folder, monkeypatch):
    with folder.open("a", key="int64", value="int64") as d:
        d.insert(np.arange(100), np.arange(100))
        reader = folder.open(device="host")
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            assert pool.map(total, [reader, reader]) == [4950, 4950]
    monkeypatch.chdir(folder.url)
    here = gpu_lsm.Store(".")
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(here)).exists()
    assert repr(here).startswith("<gpu_lsm.Store file:///")


def test_settings_stay_behind():
    settings = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "do not tell", "AWS_REGION": "any"}
    secret = gpu_lsm.Store("s3://bucket/path", settings=settings)
    assert b"do not tell" not in pickle.dumps(secret)
    assert "do not tell" not in repr(secret)
