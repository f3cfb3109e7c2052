"""The log's rules, without Ray and without a store: numbers, callers, who has read how far.

A batch gets the next commit number and is written as one record, whichever shards it concerns. A caller numbers its
batches; the last number of each, and what it was, are written with the batch. Shards read the records of their keys.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..errors import DamagedError, OtherBatchError, OutOfOrderError
from .errors import ReshapeError
from .layout import Catalog, Place, Shard
from .operations import Bytes, Divided, Operations, decode, nothing


@dataclass(frozen=True)
class Last:
    """The last batch of a caller."""

    number: int
    commit: int
    digest: bytes


@dataclass(frozen=True)
class Entry:
    """A batch in the log. One that changes the layout has a catalog instead of a caller."""

    number: int
    encoded: Bytes
    caller: str | None = None
    last: Last | None = None
    catalog: Catalog | None = None


@dataclass(frozen=True)
class Recovered:
    """What a tape has."""

    entries: Sequence[Entry]
    callers: dict[int, Last]
    catalog: Catalog | None


class Tape(Protocol):
    """Where the log is kept. Whoever opens a tape takes it over from whoever had it."""

    def load(self) -> Recovered:
        """Everything that was written and not trimmed."""

    def caller_id(self, caller: str) -> int:
        """A number for the name of a caller."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Writes all of them or none. If it fails, only a new opening tells which."""

    def trim(self, below: int) -> None:
        """Forgets the entries with lower numbers."""


@dataclass(frozen=True)
class Moment:
    """A commit number, and the shards that answer as of it."""

    number: int
    shards: tuple[Shard, ...]


@dataclass(frozen=True)
class Parts:
    """What a shard is to apply next, each with its number. A retired shard gets nothing more."""

    parts: list[tuple[int, Operations]]
    is_retired: bool = False


class Sequencer:
    """Gives batches their commit numbers. They become durable by `take`, `Tape.write` and `commit`, in this order."""

    def __init__(self, tape: Tape, new: Catalog) -> None:
        self._tape = tape
        recovered = tape.load()
        self.catalog = self._planned = recovered.catalog or new
        self._key = self.catalog.key
        self._words = 0 if self.catalog.value is None else self.catalog.value.words
        self._callers = dict(recovered.callers)
        self._entries = {entry.number: entry for entry in recovered.entries}
        self._divided: dict[int, Divided] = {}
        self.committed = max(self._entries, default=0)
        self._assigned = self.committed
        self._pending: list[Entry] = []
        self._joining: dict[str, Shard] = {}
        self._next_id = self.catalog.next_id
        self._positions = {shard.name: shard.base for shard in self.catalog.shards}
        if recovered.catalog is None:
            self._append_catalog(new)

    @property
    def bytes_in_flight(self) -> int:
        """The bytes of batches that some shard has not made durable. Nobody waits for shards that are joining."""
        read = min((self._positions[shard.name] for shard in self.catalog.shards), default=self.committed)
        unread = sum(len(entry.encoded) for number, entry in self._entries.items() if number > read)
        return unread + sum(len(entry.encoded) for entry in self._pending)

    @property
    def everywhere(self) -> int:
        """The number up to which all shards have made everything durable."""
        followed = [*self.catalog.shards, *self._joining.values()]
        return min((self._positions[shard.name] for shard in followed), default=self.committed)

    @property
    def joining(self) -> list[str]:
        """The shards that follow and answer nobody yet."""
        return list(self._joining)

    def last(self, caller: str) -> Last:
        """A caller's last batch, which may not be durable yet. Before the first it has the number 0."""
        return self._callers.get(self._tape.caller_id(caller)) or Last(0, 0, b"")

    def accept(self, caller: str, number: int, digest: bytes, encoded: Bytes) -> int:
        """The commit number of a caller's batch. A repeated one keeps its own."""
        id, last = self._tape.caller_id(caller), self.last(caller)
        if number == last.number and number > 0:
            if digest != last.digest:
                raise OtherBatchError(f"caller {caller!r} has already written another batch {number}")
            return last.commit
        if number != last.number + 1:
            raise OutOfOrderError(f"batch {number} of caller {caller!r} is out of order: {last.number + 1} is next")
        # Once a batch has a number every shard must apply it, so one that none can apply is refused here.
        decode(encoded, self._key.word).check(self._words)
        self._assigned += 1
        self._callers[id] = Last(number, self._assigned, digest)
        self._pending.append(Entry(self._assigned, encoded, caller, self._callers[id]))
        return self._assigned

    def take(self) -> list[Entry]:
        """The batches that are to be written next, all in one record."""
        taken, self._pending = self._pending, []
        return taken

    def commit(self, entries: Sequence[Entry]) -> None:
        """Says that batches are written, and makes them visible."""
        for entry in entries:
            self._entries[entry.number] = entry
            self.committed = entry.number
            if entry.catalog is not None:
                self._change_layout(entry.catalog)

    def now(self) -> Moment:
        """The last moment that is durable."""
        return Moment(self.committed, self.catalog.shards)

    def parts(self, name: str, after: int, most_bytes: int) -> Parts:
        """What a shard is to apply after a number: at least one batch, if there is any, and up to so many bytes."""
        shard = self._followed(name)
        if shard is None:
            return Parts([], is_retired=True)
        if after < self.committed and after + 1 not in self._entries:
            raise DamagedError(f"{shard.name} is at batch {after}, but the log no longer has the next one")
        parts: list[tuple[int, Operations]] = []
        for number in range(after + 1, self.committed + 1):
            part = self._part(number, shard)
            most_bytes -= part.keys.nbytes + part.values.nbytes
            parts.append((number, part))
            if most_bytes <= 0:
                break
        return Parts(parts)

    def report(self, name: str, durable: int) -> None:
        """A shard says how far it is durable."""
        if name in self._positions:
            self._positions[name] = max(self._positions[name], durable)

    def trimmable(self) -> int:
        """The number below which nobody needs entries. The last one stays: it has the number."""
        return min(self.everywhere + 1, self.committed)

    def bytes_below(self, number: int) -> int:
        """The bytes of the entries with lower numbers."""
        return sum(len(entry.encoded) for other, entry in self._entries.items() if other < number)

    def trim(self, below: int) -> None:
        """Forgets entries, which the tape has forgotten."""
        for number in [number for number in self._entries if number < below]:
            del self._entries[number]
            self._divided.pop(number, None)

    def join(self, ranges: Sequence[tuple[int, int]], places: Sequence[Place]) -> list[Shard]:
        """Makes shards that follow from now on and answer nobody yet. A restart forgets them."""
        made = []
        for (lower, upper), place in zip(ranges, places, strict=True):
            shard = Shard(self._next_id, lower, upper, self.committed, place, secrets.token_hex(4))
            self._next_id += 1
            self._joining[shard.name] = shard
            self._positions[shard.name] = shard.base
            made.append(shard)
        return made

    def leave(self, names: Sequence[str]) -> None:
        """Gives up shards that were to join."""
        for name in names:
            if self._joining.pop(name, None) is not None:
                del self._positions[name]

    def replace(self, gone: Sequence[str], joined: Sequence[str]) -> int:
        """Gives the places of shards to others that have joined, from the batch on whose number is returned."""
        if missing := [name for name in joined if name not in self._joining]:
            raise ReshapeError(f"{', '.join(missing)} can't join: the log was restarted or has given up on them")
        present = {shard.name for shard in self._planned.shards}
        if missing := [name for name in gone if name not in present]:
            raise ReshapeError(f"{', '.join(missing)} have been replaced by others")
        return self._append_catalog(self._planned.with_shards(gone, [self._joining[name] for name in joined]))

    def _append_catalog(self, catalog: Catalog) -> int:
        self._assigned += 1
        self._planned = catalog
        self._pending.append(Entry(self._assigned, nothing(self._key).encode(), catalog=catalog))
        return self._assigned

    def _change_layout(self, catalog: Catalog) -> None:
        self.catalog = catalog
        present = {shard.name for shard in catalog.shards}
        self._joining = {name: shard for name, shard in self._joining.items() if name not in present}
        followed = present | set(self._joining)
        self._positions = {name: position for name, position in self._positions.items() if name in followed}

    def _followed(self, name: str) -> Shard | None:
        present = (shard for shard in self.catalog.shards if shard.name == name)
        return next(present, None) or self._joining.get(name)

    def _part(self, number: int, shard: Shard) -> Operations:
        divided = self._divided.get(number)
        if divided is None:
            operations = decode(self._entries[number].encoded, self._key.word)
            divided = self._divided[number] = Divided(operations, self._key)
        return divided.within(shard.lower, shard.upper)
