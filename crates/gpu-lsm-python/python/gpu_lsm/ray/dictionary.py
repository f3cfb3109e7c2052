"""The dictionary as callers see it."""

import time
import uuid
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, cast

import numpy as np
import ray

from .. import _gpu_lsm
from .. import dictionary as local
from ..batch import Batch
from ..buffers import OnDevice
from ..cluster.errors import BatchTooLargeError, UnfinishedError
from ..cluster.layout import Catalog, Shard
from ..cluster.operations import Operations, digest
from ..cluster.sequencer import Moment
from ..errors import DeviceError, LengthError, OtherBatchError, OutOfOrderError
from ..options import check_if_given
from ..queries import Queries
from ..typing import Column
from ..updates import Updates
from .calls import Call, Patience, Wait, answer, check
from .config import Config
from .names import log_actor
from .state import State

NO_ROOM = "too many bytes are in flight"


class OverShards(Queries):
    """What differs because entries are in other processes. `batch_size` and `byte_budget` are those of each shard."""

    def on_device(self) -> OnDevice:
        """Raises `DeviceError`: shards answer through Ray's memory."""
        raise DeviceError("the entries are on the devices of other processes; ask with columns of numpy or Arrow")

    def to_parquet(self, path: str | PathLike[str], names: Sequence[str] = ("key", "value")) -> int:
        """Writes all entries as one Parquet file, in ascending order of keys, and returns their number.

        They pass through this process, which must have memory for them. Like those of a snapshot, they are of one
        moment: it raises `MomentGoneError` if that is gone before all are read.
        """
        copy = local.Dictionary(self._key, self._value, device="host")
        for keys, values in self.scan():
            copy.insert(keys, values)
        return copy.to_parquet(path, names)


class Snapshot(OverShards):
    """The state of all shards after one batch. Shards keep those of the last batches (`Config.history`), and none
    across a restart: a query of a moment that is gone raises `MomentGoneError`."""

    def __init__(self, catalog: Catalog, state: State, number: int) -> None:
        self._key, self._value, self._state = catalog.key, catalog.value, state
        self.number = number

    def _now(self) -> _gpu_lsm.Snapshot:
        # It has the same calls, all but those for columns on a device.
        return cast(_gpu_lsm.Snapshot, self._state)


class Dictionary(OverShards, Updates):
    """A dictionary over the shards of a cluster. `gpu_lsm.ray.start` and `connect` make one.

    It has the queries and updates of `gpu_lsm.Dictionary`, but for `on_device`, `cleanup`, `set_byte_budget` and
    `fork`. It takes columns that are on a device, and copies them to the host. An update returns once it is durable; it
    is applied completely or not at all, over all shards. A query sees everything that was acknowledged to anybody
    before it, as of one moment.

    Each object is a caller of its own and has one batch on its way at a time; threads that write need one each. A
    caller with a name (`as_caller`) goes on after a crash: `last_number` tells where.

    While a part is on its way back, calls wait for it and repeat themselves, for up to `patience.seconds`. Every half
    second `patience.on_wait` is called with a `Wait`. Then `WaitingError` is raised: a query can be repeated, and a
    batch that may have been written or not is finished by `resume`.
    """

    def __init__(self, config: Config, *, caller: str | None = None, patience: Patience | None = None) -> None:
        self._config, self.patience = config, patience or Patience()
        self.caller = caller or uuid.uuid4().hex
        self._catalog: Catalog = self._log("catalog")
        self._key, self._value = self._catalog.key, self._catalog.value
        self._number = 0 if caller is None else self.last_number()
        self._unfinished: tuple[int, Any, bytes] | None = None
        # The last batch that was acknowledged.
        self.commit = 0

    @property
    def name(self) -> str:
        """The name of the dictionary."""
        return self._config.name

    @property
    def url(self) -> str:
        """Where its stores are."""
        return self._config.url

    def as_caller(self, caller: str) -> "Dictionary":
        """The same dictionary for another caller, which goes on after its last batch."""
        return Dictionary(self._config, caller=caller, patience=self.patience)

    def last_number(self) -> int:
        """The number of this caller's last batch that was written, by whatever process."""
        return cast(int, self._log("last_of", self.caller))

    def insert(self, keys: Column, values: Any = None, *, number: int | None = None) -> None:
        """Inserts entries, or gives present keys new values. One value may serve all keys.

        `number` is for callers that repeat batches after a crash: the last one again changes nothing.
        """
        self.update(keys, values, number=number)

    def delete(self, keys: Column, *, number: int | None = None) -> None:
        """Deletes keys. Keys that are not there change nothing."""
        words = self._keys(keys)
        gone = np.ones(len(words), np.uint32)
        self._write(Operations(words, self._given(None, len(words), True), gone), number)

    def update(self, keys: Column, values: Any = None, deletes: Column = (), *, number: int | None = None) -> None:
        """Inserts entries and deletes keys as one batch. A key in both is deleted."""
        batch = Batch()
        batch.insert(keys, values)
        if len(gone := self._key.from_words(self._keys(deletes, "deletes"))) > 0:
            batch.delete(gone)
        self.apply(batch, number=number)

    def apply(self, batch: Batch, *, number: int | None = None) -> None:
        """Applies a `Batch` of mixed operations in their order."""
        self._write(Operations(*self._of_batch(batch)), number)

    def apply_columns(self, keys: Column, values: Any, deletes: Any, *, number: int | None = None) -> None:
        """Applies mixed operations in their order: where `deletes` is not zero a key is deleted, else inserted."""
        self._write(Operations(*self._of_columns(keys, values, deletes)), number)

    def delete_range(self, lower: Any = None, upper: Any = None, *, number: int | None = None) -> None:
        """Deletes all entries in each interval from `lower` to `upper`, both inclusive."""
        lowers, uppers = self._bounds(lower, upper)
        nothing = np.empty(0, np.uint32)
        self._write(Operations(lowers, nothing, nothing, uppers), number)

    def clear(self, *, number: int | None = None) -> None:
        """Deletes all entries."""
        self.delete_range(number=number)

    def resume(self) -> None:
        """Finishes the batch whose outcome is not known, by sending it again."""
        if self._unfinished is None:
            return
        number, encoded, fingerprint = self._unfinished
        try:
            self.commit = self._append(number, encoded, fingerprint)
        except (OtherBatchError, OutOfOrderError, LengthError):
            # It was refused, so its outcome is known.
            self._unfinished = None
            raise
        self._number, self._unfinished = number, None

    def snapshot(self) -> Snapshot:
        """The current state, which later updates don't change. Copies nothing."""
        moment: Moment = self._log("now")
        types = self._key, self._value
        return Snapshot(self._catalog, State(self._config, types, moment, self.patience, None), moment.number)

    def scan_polars(self, names: Sequence[str] = ("key", "value")) -> Any:
        """A lazy frame of Polars over the entries of this moment. Like a snapshot, it raises once that is gone."""
        return self.snapshot().scan_polars(names)

    def shards(self) -> tuple[Shard, ...]:
        """The shards of this moment, in the order of their keys."""
        return cast(Moment, self._log("now")).shards

    def status(self) -> Mapping[str, Any]:
        """How far the log and the shards are."""
        return cast(Mapping[str, Any], self._log("status"))

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process is another caller.
        return Dictionary, (self._config,)

    def _write(self, operations: Operations, number: int | None) -> None:
        if self._unfinished is not None:
            raise UnfinishedError(
                f"it is not known whether batch {self._unfinished[0]} was written; call resume() first"
            )
        check_if_given(number=number)
        encoded = operations.encode()
        if len(encoded) > self._config.bytes_in_flight:
            raise BatchTooLargeError(f"the batch has {len(encoded)} bytes, more than bytes_in_flight; divide it")
        # The next number may not fit the type of a number of numpy.
        number = self._number + 1 if number is None else int(number)
        self._unfinished = number, ray.put(encoded), digest(encoded)
        self.resume()

    def _append(self, number: int, encoded: Any, fingerprint: bytes) -> int:
        def make() -> Any:
            return log_actor(self._config).append.remote(self.caller, number, fingerprint, encoded)

        call, start = Call("log", make), time.monotonic()
        while (commit := answer(call, self.patience, start)) is None:
            # The log says so after a while, in which it does not answer.
            call = Call("log", make, reason=NO_ROOM)
            wait = Wait("log", time.monotonic() - start, NO_ROOM)
            check(wait, self.patience)
            self.patience.on_wait(wait)
        return cast(int, commit)

    def _log(self, what: str, *arguments: Any) -> Any:
        def make() -> Any:
            return getattr(log_actor(self._config), what).remote(*arguments)

        return answer(Call("log", make), self.patience)

    def _now(self) -> _gpu_lsm.Snapshot:
        def now() -> Moment:
            return cast(Moment, self._log("now"))

        state = State(self._config, (self._key, self._value), now(), self.patience, now)
        return cast(_gpu_lsm.Snapshot, state)
