"""Programs that share a dictionary, and what `stop` and `tidy` end."""

import subprocess
import sys

import gpu_lsm.ray
import ray
from conftest import Start

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


def test_another_program_finds_and_gives_back_what_was_set_aside(start: Start) -> None:
    events = start("uint64", shards=2, name="shared")
    assert len(groups("shared")) == 2
    given = [ray.get_runtime_context().gcs_address, "other", "shared", events.url]
    run = subprocess.run([sys.executable, "-c", OTHER, *given], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["2"]
    assert groups("shared") == []


def test_a_dictionary_whose_name_begins_with_another_is_left_alone(start: Start) -> None:
    outer, inner = start("uint64", name="outer"), start("uint64", name="outer/inner")
    inner.insert([1])
    # An actor that is started again would have forgotten this.
    moment = inner.snapshot()
    gpu_lsm.ray.tidy(outer)
    gpu_lsm.ray.stop("outer")
    assert groups("outer/inner")
    assert moment.contains([1]).all()
