"""The actor that has a shard."""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError

from ..cluster.codes import words
from ..cluster.errors import MomentGoneError, WaitingError
from ..cluster.follower import Follower
from ..cluster.kept_store import StoreShard
from ..cluster.layout import Catalog, Shard
from ..cluster.operations import nothing
from ..errors import DeviceLostError
from ..statistics import statistics_of
from ..typing import Array
from .calls import AGAIN_SECONDS
from .config import Config
from .metrics import Metrics
from .names import forget_actors, log_actor, shard_actor
from .process import begin, end, opened

logger = logging.getLogger("gpu_lsm.ray")

# How long a query waits for its batch before its caller is told to ask again.
BEHIND_SECONDS = 5.0
# How long a shard without news waits before it asks for some again.
IDLE_SECONDS = 0.5
# How long one waits that has not told the log yet how far it is durable.
UNSETTLED_SECONDS = 0.1
GAUGE_SECONDS = 2.0
PIN_SECONDS = 60.0
COPIED = "copied"
QUERIES = frozenset(
    ["lookup", "count", "range", "rectangles", "successor", "predecessor", "len", "verify", "config", "sections"]
)


class ShardProcess:
    """Applies the log's batches for its keys, and answers as of a batch. All calls may be repeated."""

    def __init__(self, config: Config, shard: Shard, catalog: Catalog) -> None:
        begin()
        self._config, self._shard, self._catalog = config, shard, catalog
        self._metrics = Metrics(config.name, shard.name)
        self._store = opened(shard.name, self._open)
        self._changed = threading.Condition()
        # A call that Ray repeats may come while the first is still copying. It must not copy again over what follows.
        self._copying = threading.Lock()
        self._follower: Follower | None = None
        self._is_retired = False
        self._loss: DeviceLostError | None = None
        self._described = 0.0
        if shard.base == 0 or self._store.last_of(COPIED) > 0:
            self._start()

    def _open(self) -> StoreShard:
        config = self._config
        return StoreShard(
            config.url,
            config.settings,
            self._shard,
            self._catalog,
            batch_size=config.batch_size,
            byte_budget=config.byte_budget,
            options=config.shard_options,
        )

    @ray.method(concurrency_group="ask")
    def ask(self, number: int, what: str, *arguments: Any) -> Any:
        """The answer to a query as of a batch."""
        if what not in QUERIES:
            raise ValueError(f"{what!r} is no query")
        with self._metrics.request(what):
            try:
                return getattr(self._at(number), what)(*arguments)
            except DeviceLostError as error:
                if self._is_retired:
                    raise MomentGoneError(f"{self._shard.name} was replaced, and has lost its device") from error
                self._loss = error
                raise WaitingError(f"{self._shard.name} has lost its device, and is started again") from error

    @ray.method(concurrency_group="control")
    def position(self) -> int:
        """The last batch that was applied; -1 while the entries of others are being copied."""
        return -1 if self._follower is None else self._follower.applied

    @ray.method(concurrency_group="control")
    def pin(self, number: int) -> None:
        """Keeps the state after a batch for shards that copy it, as long as they go on to ask."""
        self._at(number)
        with self._changed:
            self._following().pin(number)

    @ray.method(concurrency_group="control")
    def unpin(self, number: int) -> None:
        """Gives up a state that was kept."""
        with self._changed:
            self._following().unpin(number)

    @ray.method(concurrency_group="control")
    def copy(self, sources: Sequence[str], chunk: int) -> int:
        """Copies the entries of other shards as of the batch before its own first one, and starts to follow the log."""
        with self._copying:
            return self._copy(sources, chunk) if self._follower is None else 0

    def _copy(self, sources: Sequence[str], chunk: int) -> int:
        copied, written = 0, []
        for keys, values in chain.from_iterable(self._entries_of(source, chunk) for source in sources):
            written.append(self._store.copy(keys, values))
            copied += len(keys)
        # All of them, because whatever comes after one that failed may be written nevertheless.
        for receipt in written:
            receipt.wait()
        self._store.submit(nothing(self._catalog.key), COPIED, 1).wait()
        logger.info("%s: has copied %d entries of %s", self._shard.name, copied, ", ".join(sources))
        self._start()
        return copied

    def _entries_of(self, source: str, chunk: int) -> Iterator[tuple[Array, Array]]:
        """The entries of another shard for its keys, in chunks."""
        actor = shard_actor(self._config, source)
        lower, upper = (
            words(self._catalog.key, np.array([code], np.uint64)) for code in (self._shard.lower, self._shard.upper)
        )
        number, is_after = self._shard.base, False
        while True:
            _, keys, values = ray.get(actor.ask.remote(number, "range", lower, upper, chunk, is_after))
            yield keys, values
            if len(keys) < chunk:
                return
            lower, is_after = keys[-1:], True

    def _at(self, number: int) -> Any:
        """The state after a batch. Waits a while for the batch."""
        with self._changed:
            follower = self._following()
            self._changed.wait_for(lambda: follower.applied >= number or self._is_retired, BEHIND_SECONDS)
            if follower.applied < number and self._is_retired:
                raise MomentGoneError(f"{self._shard.name} was replaced after batch {follower.applied}")
            if follower.applied < number:
                raise WaitingError(f"{self._shard.name} is at batch {follower.applied}, and {number} was asked for")
            return follower.at(number)

    def _following(self) -> Follower:
        if self._follower is None:
            raise WaitingError(f"{self._shard.name} is still copying the entries of others")
        return self._follower

    def _start(self) -> None:
        self._follower = Follower(self._store, self._shard.base, self._config.history)
        logger.info("%s: goes on after batch %d", self._shard.name, self._follower.applied)
        threading.Thread(target=self._follow, args=(self._follower,), daemon=True).start()

    def _follow(self, follower: Follower) -> None:
        try:
            ray.get(log_actor(self._config).started.remote(self._shard.name))
            while not self._is_retired:
                self._pull(follower)
                if self._loss is not None:
                    # The query's answer leaves first: Ray would repeat one whose process ends, over and over.
                    time.sleep(IDLE_SECONDS)
                    raise self._loss
        except Exception:
            end(f"{self._shard.name}: stopped at batch {follower.applied}")

    def _pull(self, follower: Follower) -> None:
        durable = follower.settle()
        patience = IDLE_SECONDS if follower.is_settled else UNSETTLED_SECONDS
        try:
            log = log_actor(self._config)
            parts = ray.get(log.pull.remote(self._shard.name, follower.applied, durable, patience))
        except (RayActorError, WaitingError) as error:
            logger.warning("%s: the log does not answer: %s", self._shard.name, error)
            forget_actors()
            time.sleep(AGAIN_SECONDS)
            return
        for number, operations in parts.parts:
            # Nobody else applies, so queries need not wait for it.
            with self._metrics.request("apply"):
                follower.apply(number, operations)
            with self._changed:
                self._changed.notify_all()
            logger.debug("%s: has applied batch %d of %d operations", self._shard.name, number, len(operations))
        with self._changed:
            self._is_retired = parts.is_retired
            follower.unpin_idle(PIN_SECONDS)
            self._changed.notify_all()
        self._describe(follower)

    def _describe(self, follower: Follower) -> None:
        """Sets gauges, now and then."""
        if time.monotonic() - self._described > GAUGE_SECONDS:
            self._described = time.monotonic()
            self._metrics.describe(statistics_of(self._store.state().sections()))
            self._metrics.set("commit", follower.applied)


ShardActor: Any = ray.remote(concurrency_groups={"ask": 16, "control": 4})(ShardProcess)
