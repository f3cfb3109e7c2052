"""Metrics, through Ray's own. `docs/ray/grafana.json` shows them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ray.util.metrics import Counter, Gauge, Histogram

from ..statistics import Statistics

_TAGS = ("dictionary", "part")
_BOUNDARIES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]


class Metrics:
    """The metrics of the log or of a shard."""

    def __init__(self, dictionary: str, part: str) -> None:
        tags = {"dictionary": dictionary, "part": part}
        asked = (*_TAGS, "kind")
        self._requests = Counter("gpu_lsm_requests", "Requests that were answered", asked)
        self._failures = Counter("gpu_lsm_failures", "Requests that failed", asked)
        self._seconds = Histogram("gpu_lsm_request_seconds", "Time to answer a request", _BOUNDARIES, asked)
        self._gauges = {
            name: Gauge(f"gpu_lsm_{name}", description, _TAGS)
            for name, description in (
                ("entries", "Entries in all levels, stale ones included"),
                ("bytes", "Bytes of memory"),
                ("levels", "Occupied levels"),
                ("commit", "The last batch that was written or applied"),
                ("bytes_in_flight", "Bytes of batches that have not reached all shards"),
                ("restarts", "Starts since the log's start, without the first"),
            )
        }
        for metric in (self._requests, self._failures, self._seconds, *self._gauges.values()):
            metric.set_default_tags(tags)

    @contextmanager
    def request(self, kind: str) -> Iterator[None]:
        """Counts and times a request."""
        tags, start = {"kind": kind}, time.perf_counter()
        try:
            yield
        except BaseException:
            self._failures.inc(tags=tags)
            raise
        self._requests.inc(tags=tags)
        self._seconds.observe(time.perf_counter() - start, tags=tags)

    def set(self, name: str, number: float, part: str | None = None) -> None:
        """Sets a gauge, of another part if one is named."""
        self._gauges[name].set(number, tags=None if part is None else {"part": part})

    def describe(self, statistics: Statistics) -> None:
        """Sets the gauges of a dictionary's size."""
        self.set("entries", statistics.entries)
        self.set("bytes", statistics.bytes)
        self.set("levels", len(statistics.levels))
