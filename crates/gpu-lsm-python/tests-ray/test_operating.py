"""Metrics, the dashboard that shows them, and the manifest."""

import json
import logging
import re
import time
import urllib.request
from pathlib import Path

import gpu_lsm.ray
import kubernetes_validate
import numpy as np
import pytest
import ray
import yaml
from conftest import Start
from gpu_lsm.ray.names import shard_actor

DOCS = Path(__file__).parents[3] / "docs" / "ray"


def scraped() -> str:
    """What Prometheus would get of all nodes."""
    ports = [(node["NodeManagerAddress"], node["MetricsExportPort"]) for node in ray.nodes()]
    pages = [urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=10).read() for host, port in ports]
    return "\n".join(page.decode() for page in pages)


def test_the_dashboard_shows_metrics_that_exist(start: Start) -> None:
    events = start("uint64", "uint32", shards=2, sample=np.arange(1000))
    dashboard = json.loads((DOCS / "grafana.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    shown = set(re.findall(r"\bray_gpu_lsm_\w+", " ".join(queries)))
    assert len(shown) >= 8
    shard = shard_actor(events._config, events.shards()[0].name)
    expected = {"log", *(shard.name for shard in events.shards())}
    deadline = time.monotonic() + 60
    missing, silent = set(shown), set(expected)
    while (missing or silent) and time.monotonic() < deadline:
        events.insert(np.arange(1000), 1)
        events.lookup([1, 999])
        # Ray shows no count of failures before the first one.
        with pytest.raises(TypeError):
            ray.get(shard.ask.remote(ray.get(shard.position.remote()), "lookup"))
        time.sleep(1)
        page = scraped()
        missing -= {name for name in missing if re.search(rf"^{name}{{", page, re.MULTILINE)}
        silent -= set(re.findall(r'gpu_lsm_commit\{[^}]*part="([^"]+)"', page))
    assert not missing
    assert not silent


def test_logs_name_the_shard_and_the_batch(start: Start) -> None:
    events = start("uint64", shards=2)
    events.insert([1])
    written = "".join(path.read_text() for path in Path("/tmp/ray/session_latest/logs").glob("worker-*.err"))
    assert "log: goes on after batch 1" in written
    for shard in events.shards():
        assert f"{shard.name}: goes on after batch " in written


def test_starting_warns_of_nothing(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    # Ray's loggers do not pass on what they are told.
    logging.getLogger("ray.actor").addHandler(caplog.handler)
    start("uint64")
    assert [record.getMessage() for record in caplog.records if record.name == "ray.actor"] == []


def test_errors_that_nobody_waits_for_are_not_written(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    # Ray's loggers do not pass on what they are told.
    logging.getLogger("ray._private.worker").addHandler(caplog.handler)
    events = start("uint64", shards=3, sample=np.arange(1000), history=1)
    before = events.snapshot()
    events.insert(np.arange(1000))
    assert len(events) == 1000
    # All shards say so, of which the first is enough.
    with pytest.raises(gpu_lsm.ray.MomentGoneError):
        len(before)
    time.sleep(2)
    assert [record.getMessage() for record in caplog.records if "nhandled" in record.getMessage()] == []


def test_pods_of_the_manifest_are_valid() -> None:
    cluster = yaml.safe_load((DOCS / "kuberay.yaml").read_text())
    assert cluster["kind"] == "RayCluster"
    groups = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    for group in groups:
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, **group["template"]}
        kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)
