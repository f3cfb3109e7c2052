"""Places for the log and for shards that lose, delay and fence, for the test of the cluster's protocol."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gpu_lsm.cluster.layout import Catalog
from gpu_lsm.cluster.operations import Operations
from gpu_lsm.cluster.sequencer import Entry, Last, Recovered
from gpu_lsm.errors import FencedError, OtherBatchError, OutOfOrderError, UnavailableError

Content = dict[int, int]


def applied(content: Content, operations: Operations) -> Content:
    """What is there after a batch."""
    after = dict(content)
    if operations.uppers is not None:
        for lower, upper in zip(operations.keys.tolist(), operations.uppers.tolist(), strict=True):
            after = {key: value for key, value in after.items() if not lower <= key <= upper}
        return after
    columns = operations.keys.tolist(), operations.values.tolist(), operations.deletes.tolist()
    for key, value, is_delete in zip(*columns, strict=True):
        if is_delete:
            after.pop(key, None)
        else:
            after[key] = value
    return after


@dataclass
class LogPlace:
    """What is durable of the log, and everything that ever was in it."""

    epoch: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    callers: dict[int, Last] = field(default_factory=dict)
    catalog: Catalog | None = None
    history: list[Entry] = field(default_factory=list)


class UnreliableTape:
    """A log whose writes may fail before or after they took effect."""

    def __init__(self, place: LogPlace, chance: random.Random, failures: float) -> None:
        place.epoch += 1
        self._place, self._epoch = place, place.epoch
        self._chance, self._failures = chance, failures

    def caller_id(self, caller: str) -> int:
        return int(caller)

    def load(self) -> Recovered:
        place = self._place
        # What was read back knows its bytes only.
        entries = [replace(entry, caller=None, last=None, catalog=None) for entry in place.entries.values()]
        return Recovered(entries, dict(place.callers), place.catalog)

    def write(self, entries: Sequence[Entry]) -> None:
        self._check()
        place, fate = self._place, self._chance.random()
        if fate < self._failures / 2:
            raise UnavailableError("lost before it was written")
        for entry in entries:
            place.entries[entry.number] = entry
            place.history.append(entry)
            if entry.caller is not None and entry.last is not None:
                place.callers[self.caller_id(entry.caller)] = entry.last
            place.catalog = entry.catalog or place.catalog
        if fate < self._failures:
            raise UnavailableError("lost after it was written")

    def trim(self, below: int) -> None:
        self._check()
        for number in [number for number in self._place.entries if number < below]:
            del self._place.entries[number]

    def _check(self) -> None:
        if self._epoch != self._place.epoch:
            raise FencedError("the log has another writer")


@dataclass
class ShardPlace:
    """What is durable of a shard."""

    epoch: int = 0
    content: Content = field(default_factory=dict)
    callers: dict[str, int] = field(default_factory=dict)


@dataclass
class Pending:
    """A receipt: durable once somebody makes it so."""

    is_durable: bool = False

    def done(self) -> bool:
        return self.is_durable

    def wait(self) -> int:
        return 0


class UnreliableShard:
    """A shard's dictionary. What was submitted is durable later, in order, or lost."""

    def __init__(self, place: ShardPlace) -> None:
        place.epoch += 1
        self._place, self._epoch = place, place.epoch
        self._content, self._callers = place.content, dict(place.callers)
        self._queue: list[tuple[Content, str, int, Pending]] = []

    def last_of(self, caller: str) -> int:
        return self._callers.get(caller, 0)

    def submit(self, operations: Operations, caller: str, number: int) -> Pending:
        if number <= self.last_of(caller):
            raise OtherBatchError(f"batch {number} came again")
        if number != self.last_of(caller) + 1:
            raise OutOfOrderError(f"batch {number} came after {self.last_of(caller)}")
        self._content, receipt = applied(self._content, operations), Pending()
        self._callers[caller] = number
        self._queue.append((self._content, caller, number, receipt))
        return receipt

    def state(self) -> Content:
        return self._content

    def copy(self, entries: Content) -> None:
        """Inserts entries of another shard, durably."""
        self._content = self._place.content = self._place.content | entries

    def write_some(self, count: int) -> None:
        """Makes the next batches durable."""
        if self._epoch != self._place.epoch:
            raise FencedError("the shard has another writer")
        for content, caller, number, receipt in self._queue[:count]:
            self._place.content, self._place.callers[caller] = content, number
            receipt.is_durable = True
        del self._queue[:count]
