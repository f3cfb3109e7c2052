"""A dictionary over actors, beside one in this process."""

import time
from pathlib import Path
from types import SimpleNamespace

import gpu_lsm.ray
import numpy as np
import pytest
import ray
from conftest import Start
from gpu_lsm.errors import (
    DeviceError,
    FencedError,
    NoStoreError,
    OtherBatchError,
    OtherTypesError,
    OutOfOrderError,
    UrlError,
)
from gpu_lsm.ray.names import log_actor, shard_actor
from gpu_lsm.ray.start import NAMESPACE

KEYS = 1 << 12
TYPES = [("uint64", "float32"), ("int32", "int64"), ("float64", None), ("pair", "uint32"), ("point", "uint32")]


def random_keys(chance: np.random.Generator, key: str, count: int) -> np.ndarray:
    if key in ("pair", "point"):
        return chance.integers(0, 60, (count, 2), dtype=np.uint32)
    return (chance.integers(-KEYS, KEYS, count) if key != "uint64" else chance.integers(0, KEYS, count)).astype(key)


@pytest.mark.parametrize("types", TYPES)
def test_it_answers_as_one_dictionary_does(start: Start, types: tuple[str, str | None]) -> None:
    chance = np.random.default_rng(1)
    key, value = types
    there = start(key, value, name=f"same-{key}", shards=3, sample=random_keys(chance, key, 1000))
    here = gpu_lsm.Dictionary(key, value, device="host")
    for _ in range(4):
        keys, gone = random_keys(chance, key, 500), random_keys(chance, key, 50)
        values = None if value is None else chance.integers(0, 1000, len(keys)).astype(value)
        for dictionary in (there, here):
            dictionary.update(keys, values, deletes=gone)
    asked = random_keys(chance, key, 300)
    lower, upper = asked[:100], asked[100:200]
    assert len(there) == len(here)
    same(there.lookup(asked), here.lookup(asked))
    same(there.count(lower, upper), here.count(lower, upper))
    same(there.range(lower, upper), here.range(lower, upper))
    same(there.range(lower, upper, limit=3), here.range(lower, upper, limit=3))
    same(there.successor(asked), here.successor(asked))
    same(there.predecessor(asked), here.predecessor(asked))
    same(np.concatenate([keys for keys, _ in there.scan(97)]), here.range()[1])
    same(there.first(), here.first())
    same(there.last(), here.last())
    if key == "point":
        same(there.rectangles([[0, 0]], [[30, 9]]), here.rectangles([[0, 0]], [[30, 9]]))
    there.delete_range(lower[:5], upper[:5])
    here.delete_range(lower[:5], upper[:5])
    same(there.range(), here.range())
    there.clear()
    assert len(there) == 0


def test_it_says_its_sizes_and_writes_parquet_files(start: Start, tmp_path: Path) -> None:
    events = start("point", "float32", shards=2, batch_size=1 << 10, byte_budget=1 << 24)
    points = random_keys(np.random.default_rng(1), "point", 500)
    events.insert(points, 0.5)
    here = gpu_lsm.Dictionary.build(points, np.full(500, 0.5, np.float32), key="point", device="host")
    here.to_parquet(tmp_path / "here.parquet", ("at", "weight"))
    for asked in (events, events.snapshot()):
        assert (asked.batch_size, asked.byte_budget) == (1 << 10, 1 << 24)
        assert asked.to_parquet(tmp_path / "there.parquet", ("at", "weight")) == len(here)
        assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
        with pytest.raises(DeviceError, match="other processes"):
            asked.on_device()


def test_what_it_lacks_is_what_the_guide_says(start: Start) -> None:
    lacking = {name for name in dir(gpu_lsm.Dictionary) if not name.startswith("_")} - set(dir(gpu_lsm.ray.Dictionary))
    made_and_closed_otherwise = {"build", "from_arrow", "from_parquet", "close"}
    assert lacking - made_and_closed_otherwise == {"cleanup", "set_byte_budget", "fork"}
    events = start("uint64", "float32")
    there = gpu_lsm.Dictionary("uint64", "float32", device="host").on_device()
    keys = there.keys([1, 2, 3])
    events.update(keys, there.values([0.5, 1.5, 2.5]), deletes=there.keys([2]))
    assert events.lookup(keys)[0].tolist() == [0.5, 0.0, 2.5]
    assert events.count(keys, keys).tolist() == [1, 0, 1]


def same(these: object, those: object) -> None:
    if isinstance(these, tuple | list):
        assert len(these) == len(those)
        for this, that in zip(these, those, strict=True):
            same(this, that)
    elif these is None or those is None:
        assert these is those
    else:
        assert np.array_equal(these, those)


def test_a_repeated_batch_counts_once(start: Start) -> None:
    events = start("uint64", "uint32", shards=2)
    loader = events.as_caller("loader")
    loader.insert([1, 2], [10, 20], number=1)
    events.delete([1])
    loader.insert([1, 2], [10, 20], number=1)
    assert events.contains([1, 2]).tolist() == [False, True]
    with pytest.raises(OtherBatchError):
        loader.insert([3], [30], number=1)
    with pytest.raises(OutOfOrderError):
        loader.insert([3], [30], number=3)
    loader.insert([3], [30])
    assert events.as_caller("loader").last_number() == 2


def test_a_killed_part_comes_back_and_nothing_is_lost(start: Start) -> None:
    waits: list[gpu_lsm.ray.Wait] = []
    patience = gpu_lsm.ray.Patience(seconds=60, on_wait=waits.append)
    events = start("uint64", "uint64", shards=2, sample=np.arange(1000), patience=patience)
    for i in range(5):
        events.insert(np.arange(i * 100, i * 100 + 100), np.full(100, i))
        part = [log_actor(events._config), *(shard_actor(events._config, s.name) for s in events.shards())][i % 3]
        ray.kill(part, no_restart=False)
        assert len(events) == i * 100 + 100
    assert waits
    assert {wait.part for wait in waits} <= {"log", *(shard.name for shard in events.shards())}
    values, found = events.lookup(np.arange(500))
    assert found.all()
    assert np.array_equal(values, np.repeat(np.arange(5), 100))


def test_a_wait_that_takes_too_long_is_an_error_and_the_batch_is_finished_later(start: Start) -> None:
    events = start("uint64", shards=1)
    events.insert([1])
    events.patience = gpu_lsm.ray.Patience(seconds=0.0)
    ray.kill(log_actor(events._config), no_restart=False)
    with pytest.raises(gpu_lsm.ray.WaitingError):
        events.insert([2])
    with pytest.raises(gpu_lsm.ray.UnfinishedError):
        events.insert([3])
    events.patience = gpu_lsm.ray.Patience()
    events.resume()
    events.insert([3])
    assert events.contains([1, 2, 3]).all()


def test_a_wait_for_room_ends_too(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    events, waits = start("uint64"), []
    # The log looks for room for a while, and says that there is none. Then it looks again, longer than anybody waits.
    never = ray.remote(resources={"no such thing": 1})(lambda: None).remote()
    answers = iter([ray.put(None), never])
    full = SimpleNamespace(append=SimpleNamespace(remote=lambda *_: next(answers)))
    events.patience = gpu_lsm.ray.Patience(2.0, waits.append)
    with monkeypatch.context() as patched:
        patched.setattr("gpu_lsm.ray.dictionary.log_actor", lambda _: full)
        with pytest.raises(gpu_lsm.ray.WaitingError, match="in flight"):
            events.insert([1])
    ray.cancel(never)
    assert "in flight" in waits[-1].reason
    assert 0 < waits[0].seconds <= waits[-1].seconds <= 2.0
    events.patience = gpu_lsm.ray.Patience()
    events.resume()
    assert events.contains([1]).all()


def test_a_batch_that_is_refused_later_is_forgotten_too(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise gpu_lsm.errors.LengthError("refused")

    events = start("uint64")
    events.patience = gpu_lsm.ray.Patience(0.1)
    with monkeypatch.context() as patched:
        patched.setattr("gpu_lsm.ray.dictionary.answer", lambda *_: time.sleep(0.01))  # There is no room.
        with pytest.raises(gpu_lsm.ray.WaitingError):
            events.insert([1])
        patched.setattr("gpu_lsm.ray.dictionary.answer", refuse)
        with pytest.raises(gpu_lsm.errors.LengthError):
            events.resume()
    events.patience = gpu_lsm.ray.Patience()
    events.insert([2])
    assert events.contains([1, 2]).tolist() == [False, True]


def test_a_snapshot_is_of_one_moment(start: Start) -> None:
    events = start("uint64", "uint64", shards=3, sample=np.arange(300))
    events.insert(np.arange(300), np.zeros(300, np.uint64))
    before = events.snapshot()
    for i in range(1, 6):
        events.insert(np.arange(300), np.full(300, i))
        assert not before.lookup(np.arange(300))[0].any()
    later = events.snapshot()
    # What is not durable in the shard by then, it applies again, and has the moments before.
    settle(events)
    ray.kill(shard_actor(events._config, events.shards()[0].name), no_restart=False)
    events.insert([1], [1])
    assert len(events) == 300
    with pytest.raises(gpu_lsm.ray.MomentGoneError):
        before.lookup([1])
    assert later.number > before.number


def test_a_lazy_frame_is_of_one_moment(start: Start) -> None:
    events = start("uint64", history=2)
    events.insert(np.arange(10))
    frame = events.scan_polars()
    assert len(frame.collect()) == 10
    for i in range(10, 15):
        events.insert([i])
    # An insertion waits only for the log; this waits until the shard has applied all, and forgotten the moment.
    assert len(events) == 15
    with pytest.raises(gpu_lsm.ray.MomentGoneError):
        frame.collect()


def test_shards_are_split_moved_and_merged_while_it_serves(start: Start) -> None:
    events = start("uint64", "uint64", shards=1)
    model = {int(key): 0 for key in range(1000)}
    events.insert(list(model), 0)

    def change(i: int) -> None:
        keys = list(range(i, 1000, 7))
        events.insert(keys, i)
        model.update(dict.fromkeys(keys, i))
        found, there = events.lookup(np.arange(1000))
        assert there.all()
        assert found.tolist() == list(model.values())

    left, right = gpu_lsm.ray.split(events, events.shards()[0])
    assert left.upper + 1 == right.lower == 500
    change(1)
    gpu_lsm.ray.split(events, right, at=800)
    change(2)
    gpu_lsm.ray.move(events, events.shards()[1], resources={"CPU": 0.1})
    change(3)
    assert events.shards()[1].place.resources == {"CPU": 0.1}
    gpu_lsm.ray.merge(events, events.shards()[:2])
    change(4)
    gpu_lsm.ray.add(events)
    gpu_lsm.ray.remove(events, events.shards()[0])
    change(5)
    assert len(events.shards()) == 2
    gpu_lsm.ray.tidy(events)
    running = [actor["name"] for actor in ray.util.list_named_actors(all_namespaces=True)]
    assert len([name for name in running if name.startswith(f"{events.name}/")]) == 3


def test_a_reshape_that_fails_changes_nothing(start: Start) -> None:
    events = start("uint64", shards=1)
    events.insert(np.arange(100))
    before = events.shards()
    assert len(events) == 100
    events.patience = gpu_lsm.ray.Patience(seconds=3)
    with pytest.raises(gpu_lsm.ray.ReshapeError):
        gpu_lsm.ray.move(events, before[0], resources={"no such thing": 1})
    events.patience = gpu_lsm.ray.Patience()
    assert events.shards() == before
    assert len(events) == 100


def test_it_goes_on_from_its_stores(start: Start) -> None:
    name = "again"
    events = start("int64", "float64", name=name, shards=2)
    events.insert([-5, 5], [0.5, 1.5])
    with pytest.raises(gpu_lsm.errors.OptionError):
        gpu_lsm.ray.start(name, "file:///elsewhere")
    with pytest.raises(OtherTypesError):
        start("int64", "float32", name=name)
    gpu_lsm.ray.stop(name)
    with pytest.raises(gpu_lsm.ray.NotRunningError):
        gpu_lsm.ray.connect(name)
    with pytest.raises(OtherTypesError):
        start("int32", name=name)
    events = start(name=name)
    assert events.lookup([-5, 5])[0].tolist() == [0.5, 1.5]
    assert gpu_lsm.ray.connect(name).key_type == events.key_type
    with pytest.raises(NoStoreError):
        start(name="nowhere")


def test_a_relative_path_begins_where_the_program_is(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    events = start("uint64", name="relative", url="stores/events")
    events.insert([1, 2])
    assert len(events) == 2
    assert events.url == str(tmp_path / "stores" / "events")
    assert sorted(path.name for path in Path("stores/events").iterdir()) == ["log", events.shards()[0].name]
    # The same place, by a path from elsewhere and by one of another type.
    monkeypatch.chdir("stores")
    assert len(start(name="relative", url=Path("events"))) == 2
    with pytest.raises(gpu_lsm.errors.OptionError, match="is running with the stores at"):
        start(name="relative", url="stores/events")


def test_a_url_that_no_actor_can_use_is_refused_at_once(start: Start) -> None:
    waits: list[gpu_lsm.ray.Wait] = []
    patience = gpu_lsm.ray.Patience(on_wait=waits.append)
    for url in ("memory:///events", "ftp://host/events"):
        with pytest.raises(UrlError, match="; give "):
            start("uint64", name="nowhere", url=url, patience=patience)
        with pytest.raises(gpu_lsm.ray.NotRunningError):
            gpu_lsm.ray.connect("nowhere")
    # Those of an actor that starts.
    assert all(wait.reason == "it does not answer yet" for wait in waits)


def test_other_types_under_another_name_disturb_nobody(start: Start) -> None:
    events = start("int64", "float64", name="undisturbed", shards=2)
    log = gpu_lsm.Store(f"{events.url}/log")
    events.insert([-5, 5], [0.5, 1.5])
    epoch = log.info().epoch
    for key, value in (("int64", "float32"), ("int32", "float64")):
        with pytest.raises(OtherTypesError):
            gpu_lsm.ray.start(f"other-{key}-{value}", events.url, key, value)
    events.insert([6], [2.5])
    # The batch alone would not tell: a log that was taken over is started again, and takes itself back.
    assert log.info().epoch == epoch
    assert events.lookup([-5, 5, 6])[0].tolist() == [0.5, 1.5, 2.5]


def test_a_writer_waits_while_too_much_is_in_flight(start: Start) -> None:
    events = start("uint64", "uint64", shards=1, bytes_in_flight=1 << 16)
    batch = np.arange(3000, dtype=np.uint64)
    for i in range(8):
        events.insert(batch + np.uint64(i * 3000), batch)
        assert events.status()["bytes_in_flight"] <= 1 << 16
    assert len(events) == 24000
    with pytest.raises(gpu_lsm.ray.BatchTooLargeError, match="divide it"):
        events.insert(np.arange(1 << 14), np.zeros(1 << 14))


def test_the_log_forgets_what_all_shards_have_and_little_is_replayed(start: Start) -> None:
    events = start("uint64", shards=2, checkpoint_bytes=1 << 14)
    for i in range(200):
        events.insert([i])
    settle(events)
    for part in ("log", *(shard.name for shard in events.shards())):
        records, _ = gpu_lsm.Store(f"{events.url}/{part}").info().log
        assert records < 100
    ray.kill(ray.get_actor(events._config.log_name, NAMESPACE), no_restart=False)
    events.insert([200])
    assert len(events) == 201


def test_who_was_replaced_can_write_no_more_and_whoever_is_needed_comes_back(start: Start) -> None:
    events = start("uint64", "uint32", shards=2, sample=np.arange(100))
    events.insert(np.arange(100), 1)
    for part in ("log", events.shards()[1].name):
        # The actor is now what a process would be that goes on although Ray has started another.
        other = gpu_lsm.open(f"{events.url}/{part}", mode="a", device="host")
        events.insert(np.arange(100), 2)
        assert (events.lookup(np.arange(100))[0] == 2).all()
        settle(events)
        with pytest.raises(FencedError):
            other.delete([1])
        assert len(events) == 100


def settle(events: gpu_lsm.ray.Dictionary) -> None:
    """Waits until everything is durable everywhere."""
    deadline = time.monotonic() + 30
    while (status := events.status())["durable_everywhere"] < status["commit"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert status["durable_everywhere"] == status["commit"]
