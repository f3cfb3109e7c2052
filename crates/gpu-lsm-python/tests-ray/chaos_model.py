"""What the dictionary must be at every moment: a model of the acknowledged batches, in the order of their commits."""

import heapq
import threading
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


@dataclass(order=True)
class Batch:
    """A batch that was acknowledged."""

    commit: int
    keys: Array = field(compare=False)
    values: Array = field(compare=False)
    deletes: Array = field(compare=False)


@dataclass(order=True)
class Read:
    """All entries that somebody read as of a commit, or the values of some keys."""

    commit: int
    order: int
    keys: Array | None = field(compare=False)
    found: Array = field(compare=False)
    values: Array = field(compare=False)


class Model:
    """Compares reads once it is known which batches came before them."""

    def __init__(self, keys: int, writers: int) -> None:
        self._lock = threading.Lock()
        self._is_there, self._values = np.zeros(keys, bool), np.zeros(keys, np.uint64)
        self._batches: list[Batch] = []
        self._reads: list[Read] = []
        # Up to which commit it is known what each writer wrote.
        self._known = [0] * writers
        self.batches = self.operations = self.compared = self._order = 0

    def wrote(self, writer: int, batch: Batch) -> None:
        """A batch was acknowledged."""
        with self._lock:
            heapq.heappush(self._batches, batch)
            self._known[writer] = batch.commit
            self.batches += 1
            self.operations += len(batch.keys)
            self._compare()

    def read(self, commit: int, keys: Array | None, found: Array, values: Array) -> None:
        """Somebody read."""
        with self._lock:
            self._order += 1
            heapq.heappush(self._reads, Read(commit, self._order, keys, found, values))

    def finish(self) -> None:
        """All writers have ended, so everything is known."""
        with self._lock:
            self._known = [1 << 62] * len(self._known)
            self._compare()
            assert not self._reads

    def _compare(self) -> None:
        while self._reads and self._reads[0].commit <= min(self._known):
            read = heapq.heappop(self._reads)
            while self._batches and self._batches[0].commit <= read.commit:
                self._apply(heapq.heappop(self._batches))
            self._check(read)
            self.compared += 1

    def _apply(self, batch: Batch) -> None:
        # Keys of a batch differ, so their order does not matter.
        self._is_there[batch.keys] = ~batch.deletes
        self._values[batch.keys] = batch.values

    def _check(self, read: Read) -> None:
        if read.keys is None:
            expected = np.flatnonzero(self._is_there)
            assert np.array_equal(read.found, expected), f"other keys at commit {read.commit}"
            assert np.array_equal(read.values, self._values[expected]), f"other values at commit {read.commit}"
            return
        there = self._is_there[read.keys]
        assert np.array_equal(read.found, there), f"other keys at commit {read.commit}"
        assert np.array_equal(read.values[there], self._values[read.keys][there]), f"other values at {read.commit}"
