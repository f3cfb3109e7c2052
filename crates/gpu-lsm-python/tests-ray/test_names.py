"""Programs that share a dictionary, and what `stop` and `tidy` end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import gpu_lsm.ray
import pytest
import ray
from conftest import Start
from gpu_lsm.ray.names import log_actor, shard_actor
from ray.util.placement_group import placement_group, remove_placement_group

# The module: `gpu_lsm.ray.start` is the function.
START = import_module("gpu_lsm.ray.start")

OTHER = """
import sys
import gpu_lsm.ray, ray

address, namespace, name, url = sys.argv[1:]
ray.init(address=address, namespace=namespace, log_to_driver=False)
gpu_lsm.ray.start(name, url)
rows = [row for row in ray.util.placement_group_table().values() if row["name"].startswith(name)]
print(len([row for row in rows if row["state"] != "REMOVED"]))
gpu_lsm.ray.stop(name)
"""


def groups(name: str) -> list[str]:
    """The placement groups of a dictionary that are still there."""
    rows = ray.util.placement_group_table().values()
    return [row["name"] for row in rows if row["name"].startswith(f"{name}/") and row["state"] != "REMOVED"]


@contextmanager
def killed_at(what: str) -> Iterator[None]:
    """A program that is killed when it comes to something that `gpu_lsm.ray.start` calls."""

    def kill(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(START, what, SimpleNamespace(options=kill) if what == "ShardActor" else kill)
        with pytest.raises(KeyboardInterrupt):
            yield


def test_what_was_never_started_is_not_waited_for(cluster: None) -> None:
    waits: list[gpu_lsm.ray.Wait] = []
    patience = gpu_lsm.ray.Patience(on_wait=waits.append)
    with pytest.raises(
        gpu_lsm.ray.NotRunningError, match=r"'never started' is running .* start it by gpu_lsm.ray.start"
    ):
        gpu_lsm.ray.connect("never started", patience=patience)
    assert not waits


@pytest.mark.parametrize("what", ["log", "shard"])
def test_what_is_on_its_way_back_is_waited_for(start: Start, what: str) -> None:
    events = start("uint64", name=f"back-{what}")
    events.insert([1])
    part = log_actor(events._config) if what == "log" else shard_actor(events._config, events.shards()[0].name)
    before = process_of(part)
    os.kill(before, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while Path(f"/proc/{before}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert gpu_lsm.ray.connect(events.name).contains([1]).all()
    assert process_of(part) != before


def test_what_is_moved_is_found(start: Start) -> None:
    events = start("uint64")
    events.insert([1])
    with ThreadPoolExecutor() as pool:
        moved = pool.submit(gpu_lsm.ray.move, events, events.shards()[0], resources={"CPU": 0.1})
        found = 0
        while not moved.done():
            assert gpu_lsm.ray.connect(events.name).contains([1]).all()
            found += 1
        moved.result()
    assert found > 0


def process_of(actor: Any) -> int:
    """The process that an actor runs in."""
    return ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))


def test_another_program_finds_and_gives_back_what_was_set_aside(start: Start) -> None:
    events = start("uint64", shards=2, name="shared")
    assert len(groups("shared")) == 2
    given = [ray.get_runtime_context().gcs_address, "other", "shared", events.url]
    run = subprocess.run([sys.executable, "-c", OTHER, *given], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["2"]
    assert groups("shared") == []


def test_stop_gives_back_what_killed_programs_had_set_aside(start: Start) -> None:
    others = placement_group([{"CPU": 0.1}], name="killed/shard-1")
    with killed_at("ShardActor"):
        start("uint64", name="killed")
    assert len(groups("killed")) == 2
    gpu_lsm.ray.stop("killed")
    assert groups("killed") == ["killed/shard-1"]
    start("uint64", name="killed")
    with killed_at("remove_placement_group"):
        gpu_lsm.ray.stop("killed")
    assert len(groups("killed")) == 2
    gpu_lsm.ray.stop("killed")
    assert groups("killed") == ["killed/shard-1"]
    remove_placement_group(others)


def test_tidy_gives_back_what_killed_programs_had_set_aside(start: Start) -> None:
    events = start("uint64", name="tidied", shards=2)
    with killed_at("remove_placement_group"):
        gpu_lsm.ray.merge(events, events.shards())
    assert len(groups("tidied")) == 3
    gpu_lsm.ray.tidy(events)
    assert groups("tidied") == [f"tidied/{shard.name}" for shard in events.shards()]


def test_a_dictionary_whose_name_begins_with_another_is_left_alone(start: Start) -> None:
    outer, inner = start("uint64", name="outer"), start("uint64", name="outer/inner")
    inner.insert([1])
    # An actor that is started again would have forgotten this.
    moment = inner.snapshot()
    gpu_lsm.ray.tidy(outer)
    gpu_lsm.ray.stop("outer")
    assert groups("outer/inner")
    assert moment.contains([1]).all()
