"""Dictionaries whose updates are in a store when they return."""

import asyncio
from collections.abc import Generator
from typing import Any, NoReturn

import numpy as np

from . import _gpu_lsm
from .batch import Batch
from .closing import Closing
from .dictionary import Snapshot
from .options import check_if_given
from .reader import Opened, reopen
from .reports import Collected, Version
from .typing import Array, Column
from .updates import Updates


class Receipt:
    """Stands for a batch that was accepted and may not be durable yet. It can be awaited, too."""

    def __init__(self, receipt: _gpu_lsm.Receipt) -> None:
        self._receipt = receipt

    def wait(self) -> int:
        """Waits until the batch is durable, and returns the number of the log record that has it.

        Raises `NotWrittenError` or `FencedError` if the batch is not in the store and never will be; another error
        if that is not known.
        """
        return self._receipt.wait()

    def done(self) -> bool:
        """Whether `wait` would return or raise at once."""
        return self._receipt.done()

    def __await__(self) -> Generator[Any, None, int]:
        return asyncio.to_thread(self.wait).__await__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a receipt belongs to the process that wrote the batch; wait for it there")


class Durable(Updates, Closing[_gpu_lsm.Durable]):
    """A dictionary whose updates are in a store when they return. `gpu_lsm.open(url, mode="a")` makes one.

    >>> import gpu_lsm
    >>> with gpu_lsm.open("memory:///ages", mode="a", key="uint64", value="uint32") as ages:
    ...     ages.insert([10, 20, 30], [1, 2, 3])
    ...     ages.delete([20])
    >>> gpu_lsm.open("memory:///ages").lookup([10, 20, 30], default=0).tolist()
    [1, 0, 3]

    - An update that returned survives whatever happens to this process and machine, as long as the store keeps its
      objects. After a crash everything acknowledged is there, followed by a gapless prefix of what was in flight.
    - A failed update has changed nothing, in memory and in the store, unless the error is `UnavailableError` or
      `DamagedError`: then it is not known whether the batch is in the store. The next call asks again; if it raises
      `FencedError`, only the store can tell.
    - There is one writer. Whoever opens the store for writing takes it over: the other gets `FencedError` at its next
      update, and its queries go on to answer from memory.
    - Threads may update it together; batches that wait share a log record. Queries see a batch once it is accepted.

    Pickled, it becomes a `Reader` of its store, because a second writer would take the store over.
    """

    _closed = "the store was closed; open it again"

    def __init__(self, opened: Opened, core: _gpu_lsm.Durable, store: _gpu_lsm.Store) -> None:
        self._key, self._value = opened.key, opened.value
        self._opened, self._store = opened, store
        self._core = core

    @property
    def url(self) -> str:
        """Where the store is, without what may be secret."""
        return self._store.url()

    def insert(self, keys: Column, values: Any = None, *, caller: str | None = None, number: int | None = None) -> None:
        """Inserts entries, or gives present keys new values. One value may serve all keys.

        >>> import gpu_lsm
        >>> d = gpu_lsm.open("memory:///once", mode="a", key="int64", value="int64")
        >>> d.insert([1], [10], caller="loader", number=1)
        >>> d.insert([1], [10], caller="loader", number=1)  # a retry changes nothing
        >>> d.last_of("loader")
        1

        A `caller` numbers its batches from 1 on, so that each counts once, however often it is repeated. Any number
        but the last and the next raises `OutOfOrderError`; the last one with another batch, `OtherBatchError`.
        `delete`, `update`, `apply`, `apply_columns` and `submit` take numbers, too.
        """
        self.update(keys, values, caller=caller, number=number)

    def delete(self, keys: Column, *, caller: str | None = None, number: int | None = None) -> None:
        """Deletes keys. Keys that are not there change nothing."""
        words = self._keys(keys)
        self._perform((words, self._given(None, len(words), True), np.ones(len(words), np.uint32)), caller, number)

    def update(
        self,
        keys: Column,
        values: Any = None,
        deletes: Column = (),
        *,
        caller: str | None = None,
        number: int | None = None,
    ) -> None:
        """Inserts entries and deletes keys as one batch. A key in both is deleted."""
        inserts, gone = self._keys(keys), self._keys(deletes, "deletes")
        given = self._given(values, len(inserts))
        if len(gone) > 0:
            given = np.concatenate([given, self._given(None, len(gone), True)])
        flags = np.repeat(np.array([0, 1], np.uint32), [len(inserts), len(gone)])
        self._perform((np.concatenate([inserts, gone]), given, flags), caller, number)

    def apply(self, batch: Batch, *, caller: str | None = None, number: int | None = None) -> None:
        """Applies a `Batch` of mixed operations in their order."""
        self._perform(self._of_batch(batch), caller, number)

    def apply_columns(
        self,
        keys: Column,
        values: Any,
        deletes: Any,
        *,
        caller: str | None = None,
        number: int | None = None,
    ) -> None:
        """Applies mixed operations in their order: where `deletes` is not zero a key is deleted, else inserted."""
        self._perform(self._of_columns(keys, values, deletes), caller, number)

    def delete_range(self, lower: Any = None, upper: Any = None) -> None:
        """Deletes all entries in each interval from `lower` to `upper`, both inclusive."""
        self._open().delete_range(*self._bounds(lower, upper))

    def clear(self) -> None:
        """Deletes all entries."""
        self._open().clear()

    def cleanup(self) -> None:
        """Merges all levels into one."""
        self._open().cleanup()

    def submit(self, batch: Batch, *, caller: str | None = None, number: int | None = None) -> Receipt:
        """Applies a batch and returns before it is durable. Queries see it at once.

        >>> import gpu_lsm
        >>> d = gpu_lsm.open("memory:///submit", mode="a", key="int64")
        >>> receipts = []
        >>> for start in range(0, 30, 10):
        ...     batch = Batch()
        ...     batch.insert(range(start, start + 10))
        ...     receipts.append(d.submit(batch))
        >>> numbers = [receipt.wait() for receipt in receipts]
        >>> len(d), sorted(numbers) == numbers
        (30, True)

        Waits only if too much is in flight. If a batch fails, those after it fail too, and the next call that changes
        the dictionary first goes back to what is durable; `flush` does just that.
        """
        check_if_given(number=number)
        return Receipt(self._open().submit(*self._of_batch(batch), caller, number))

    def last_of(self, caller: str) -> int:
        """The number of a caller's last batch, also after a crash; 0 if there is none. It may be in flight."""
        return self._open().last_of(caller)

    def flush(self) -> None:
        """Waits until everything is durable. If something failed, goes back to what is durable, and raises."""
        self._open().flush()

    def durable(self) -> Snapshot:
        """The state that is durable."""
        return Snapshot(self._key, self._value, self._open().durable())

    def snapshot(self) -> Snapshot:
        """The current state, which later updates don't change. Copies nothing."""
        return Snapshot(self._key, self._value, self._now())

    def checkpoint(self) -> int:
        """Publishes the current state as a version, and returns its number.

        Checkpoints also happen by themselves, after `WriteOptions.checkpoint_bytes` of log.
        """
        return self._open().checkpoint()

    def versions(self) -> list[Version]:
        """The versions that are kept, oldest first. `open(url, version=number)` reads one."""
        return [Version(*version) for version in self._store.versions()]

    def collect(self) -> Collected:
        """Deletes everything that no version needs, also what interrupted collections left."""
        return Collected(*self._open().collect())

    def close(self) -> None:
        """Waits until everything is durable, and gives up the store. Raises if something is not."""
        core, self._core = self._core, None
        if core is not None:
            core.flush()

    def __reduce__(self) -> tuple[Any, ...]:
        self.flush()
        return reopen, (self._opened,)

    def _perform(self, columns: tuple[Array, Array, Array], caller: str | None, number: int | None) -> None:
        check_if_given(number=number)
        self._open().perform(*columns, caller, number)

    def _now(self) -> _gpu_lsm.Snapshot:
        return self._open().snapshot()
