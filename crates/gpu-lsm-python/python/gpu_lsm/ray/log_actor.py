"""The actor that writes the log. There is one for each dictionary."""

import logging
import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import ray

from ..cluster.errors import ReshapeError, WaitingError
from ..cluster.kept_store import StoreTape, has_log, kept_catalog
from ..cluster.layout import Catalog, Place, Shard
from ..cluster.operations import Bytes
from ..cluster.sequencer import Moment, Parts, Sequencer
from ..errors import Error, NoStoreError, OtherTypesError, UrlError
from .config import Config
from .metrics import Metrics
from .process import begin, end, give_memory_back, opened

logger = logging.getLogger("gpu_lsm.ray")

# How long a batch waits for room before its caller is told to ask again.
ROOM_SECONDS = 2.0
# How long a caller that asks for its last batch waits until that is durable, before it is told to ask again.
DURABLE_SECONDS = 2.0
# A shard that is to join is given up if nobody has cared for it for so long. That it follows the log does not count: it
# goes on when the program that wanted it is gone.
JOIN_SECONDS = 60.0
# Batches that nobody needs are forgotten once there are so many of them, or of their bytes.
TRIM_BATCHES = 64
TRIM_BYTES = 32 << 20


class Log:
    """Gives batches their numbers, writes them, and hands them to shards. All calls may be repeated."""

    def __init__(self, config: Config, new: Catalog | None) -> None:
        begin()
        give_memory_back()
        self._config = config
        self._refusal: Error | None = None
        self._metrics = Metrics(config.name, "log")
        try:
            # First, because opening the log takes it from whoever runs it.
            _check_asked(config, new)
            self._tape = opened("log", lambda: StoreTape(config.url, config.settings, config.log_options))
            self._sequencer = _sequencer(self._tape, new, config.url)
        except (NoStoreError, OtherTypesError, UrlError) as error:
            # An actor that fails here would only say that it has died.
            self._refusal = error
            return
        # Guards the sequencer, and is notified of whatever happens to it.
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        # Held while shards take over or are given up, so that whoever asks afterwards knows which of these it was.
        self._reshaping = threading.Lock()
        self._starts: dict[str, int] = {}
        self._cared: dict[str, float] = {}
        self._trimmed = 0
        self._write_up_to(1)
        logger.info("log: goes on after batch %d", self._sequencer.committed)

    @ray.method(concurrency_group="control")
    def config(self) -> Config:
        """How the dictionary is run. Raises if it can't be."""
        if self._refusal is not None:
            raise self._refusal
        return self._config

    @ray.method(concurrency_group="append")
    def append(self, caller: str, number: int, digest: bytes, encoded: Bytes) -> int | None:
        """The commit number of a batch that is durable now; `None` if there is no room for it yet."""
        with self._metrics.request("append"):
            with self._changed:
                if self._sequencer.last(caller).number < number and not self._wait_for_room(len(encoded)):
                    return None
                commit = self._sequencer.accept(caller, number, digest, encoded)
            self._write_up_to(commit)
        logger.debug("log: batch %d is number %d of caller %s", commit, number, caller)
        return commit

    @ray.method(concurrency_group="control")
    def last_of(self, caller: str) -> int:
        """The number of a caller's last batch that is durable. Waits a while for one that is being written: whoever
        hears of a batch may go on without it."""
        with self._changed:
            last = self._sequencer.last(caller)
            if not self._changed.wait_for(lambda: self._sequencer.committed >= last.commit, DURABLE_SECONDS):
                raise WaitingError(f"batch {last.number} of caller {caller!r} is being written")
            return last.number

    @ray.method(concurrency_group="control")
    def now(self) -> Moment:
        """The last moment that is durable."""
        with self._changed:
            return self._sequencer.now()

    @ray.method(concurrency_group="control")
    def catalog(self) -> Catalog:
        """The types and the shards."""
        with self._changed:
            return self._sequencer.catalog

    @ray.method(concurrency_group="pull")
    def pull(self, shard: str, after: int, durable: int, patience: float) -> Parts:
        """What a shard is to apply after a number. Waits a while for it."""
        with self._changed:
            self._sequencer.report(shard, durable)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._sequencer.committed > after, patience)
        # Entries that a shard has not read are neither changed nor trimmed, so nobody waits while they are divided.
        parts = self._sequencer.parts(shard, after, self._config.pull_bytes)
        self._look_after()
        return parts

    @ray.method(concurrency_group="control")
    def started(self, shard: str) -> None:
        """A shard says that it was started."""
        with self._changed:
            self._starts[shard] = self._starts.get(shard, -1) + 1

    @ray.method(concurrency_group="control")
    def join(self, ranges: Sequence[tuple[int, int]], places: Sequence[Place]) -> list[Shard]:
        """Makes shards that follow from now on and answer nobody yet."""
        with self._changed:
            shards = self._sequencer.join(ranges, places)
            self._cared |= {shard.name: time.monotonic() for shard in shards}
            return shards

    @ray.method(concurrency_group="control")
    def care(self, shards: Sequence[str]) -> None:
        """Says that somebody still wants shards to join. Raises if they can't any more."""
        with self._changed:
            if missing := [shard for shard in shards if shard not in self._sequencer.joining]:
                raise ReshapeError(f"the log was restarted or has given up on {', '.join(missing)}")
            self._cared |= {shard: time.monotonic() for shard in shards}

    @ray.method(concurrency_group="control")
    def leave(self, shards: Sequence[str]) -> None:
        """Gives up shards that were to join."""
        with self._reshaping, self._changed:
            self._sequencer.leave(shards)
            self._changed.notify_all()

    @ray.method(concurrency_group="control")
    def replace(self, gone: Sequence[str], joined: Sequence[str]) -> int:
        """Gives the places of shards to others, and returns the number of the first batch that they answer for."""
        with self._reshaping:
            with self._changed:
                commit = self._sequencer.replace(gone, joined)
                # They are needed from now on, however long it takes to write this.
                self._cared |= dict.fromkeys(joined, math.inf)
            self._write_up_to(commit)
        logger.info("log: from batch %d on, %s instead of %s", commit, ", ".join(joined), ", ".join(gone))
        return commit

    @ray.method(concurrency_group="control")
    def status(self) -> dict[str, Any]:
        """How far everything is."""
        with self._changed:
            sequencer = self._sequencer
            return {
                "commit": sequencer.committed,
                "durable_everywhere": sequencer.everywhere,
                "bytes_in_flight": sequencer.bytes_in_flight,
                "restarts": dict(self._starts),
                "joining": sequencer.joining,
            }

    def _wait_for_room(self, size: int) -> bool:
        def has_room() -> bool:
            used = self._sequencer.bytes_in_flight
            return used == 0 or used + size <= self._config.bytes_in_flight

        return self._changed.wait_for(has_room, ROOM_SECONDS)

    def _write_up_to(self, commit: int) -> None:
        """Writes what was accepted. Batches that wait for each other share a record."""
        with self._writing:
            with self._changed:
                if self._sequencer.committed >= commit:
                    return
                entries = self._sequencer.take()
            try:
                self._tape.write(entries)
            except Exception:
                end(f"log: batches up to {commit} could not be written, or it is not known")
            with self._changed:
                self._sequencer.commit(entries)
                self._changed.notify_all()

    def _look_after(self) -> None:
        """Forgets what nobody needs, and sets gauges: Ray tells only what was set since it told last."""
        with self._changed:
            idle = time.monotonic() - JOIN_SECONDS
            self._sequencer.leave([name for name in self._sequencer.joining if self._cared[name] < idle])
            below = self._sequencer.trimmable()
            is_worth_it = self._is_worth_trimming(below)
            self._metrics.set("commit", self._sequencer.committed)
            self._metrics.set("bytes_in_flight", self._sequencer.bytes_in_flight)
            for shard, starts in self._starts.items():
                self._metrics.set("restarts", starts, shard)
        if is_worth_it and self._writing.acquire(blocking=False):
            try:
                self._tape.trim(below)
            except Exception:
                end("log: old batches could not be deleted, or it is not known")
            finally:
                self._writing.release()
            with self._changed:
                self._trimmed = below
                self._sequencer.trim(below)

    def _is_worth_trimming(self, below: int) -> bool:
        return below - self._trimmed >= TRIM_BATCHES or self._sequencer.bytes_below(below) >= TRIM_BYTES


LogActor: Any = ray.remote(concurrency_groups={"append": 16, "pull": 64, "control": 4})(Log)


def _nowhere(url: str) -> NoStoreError:
    return NoStoreError(f"there is no dictionary at {url} yet; say the types of its keys and values")


def _check_asked(config: Config, new: Catalog | None) -> None:
    """Raises if there is nothing to run, or only a dictionary of other types, and leaves the log to whoever runs it."""
    if new is None:
        if not opened("log", lambda: has_log(config.url, config.settings)):
            raise _nowhere(config.url)
        return
    kept = opened("log", lambda: kept_catalog(config.url, config.settings))
    if kept is not None:
        kept.check_types(new, config.url)


def _sequencer(tape: StoreTape, new: Catalog | None, url: str) -> Sequencer:
    # Again, since somebody else may have made the log after it was looked at.
    kept = tape.catalog()
    if kept is None and new is None:
        raise _nowhere(url)
    if kept is not None and new is not None:
        kept.check_types(new, url)
    catalog = kept or new
    assert catalog is not None
    return Sequencer(tape, catalog)
