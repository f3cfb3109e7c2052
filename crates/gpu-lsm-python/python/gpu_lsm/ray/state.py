"""The state of a dictionary over shards, with the calls that the extension's snapshots have."""

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from ..cluster.codes import codes, words
from ..cluster.errors import MomentGoneError
from ..cluster.layout import Layout, Shard
from ..cluster.sequencer import Moment
from ..types import KeyType, ValueType
from ..typing import Array, Flags
from .calls import AGAIN_SECONDS, Call, Patience, answers
from .config import Config
from .names import shard_actor

T = TypeVar("T")
Entries = tuple[Array, Array, Array]


class State:
    """Asks shards as of one batch. If `refresh` is given, a moment that is gone is replaced by a newer one."""

    def __init__(
        self,
        config: Config,
        types: tuple[KeyType, ValueType | None],
        moment: Moment,
        patience: Patience,
        refresh: Callable[[], Moment] | None,
    ) -> None:
        self._config, self._patience, self._refresh = config, patience, refresh
        self._key, self._words = types[0], 0 if types[1] is None else types[1].words
        self._at(moment)

    def lookup(self, keys: Array) -> tuple[Array, Flags]:
        """The values of keys, and whether they are there."""
        return self._steadily(lambda: self._lookup(keys))

    def count(self, lower: Array, upper: Array) -> Array:
        """The number of entries in each interval."""
        return self._steadily(lambda: self._count(lower, upper))

    def range(self, lower: Array, upper: Array, limit: int | None, after: bool) -> Entries:
        """The entries in each interval: offsets, keys and values."""
        return self._steadily(lambda: self._range("range", lower, upper, limit, after))

    def rectangles(self, lower: Array, upper: Array) -> Entries:
        """The points in each rectangle: offsets, keys and values."""
        return self._steadily(lambda: self._range("rectangles", lower, upper, None))

    def successor(self, keys: Array) -> Entries:
        """The first entry at or after each key."""
        return self._steadily(lambda: self._nearest("successor", keys, 1))

    def predecessor(self, keys: Array) -> Entries:
        """The last entry at or before each key."""
        return self._steadily(lambda: self._nearest("predecessor", keys, -1))

    def scan(self, chunk: int) -> "Scan":
        """All entries in chunks."""
        return Scan(self._pages(chunk))

    def len(self) -> int:
        """The number of entries."""
        return self._steadily(lambda: int(sum(self._of_all("len"))))

    def verify(self) -> None:
        """Checks every rule in every shard."""
        self._steadily(lambda: self._of_all("verify"))

    def sections(self) -> list[Any]:
        """The levels of every shard."""
        return self._steadily(lambda: [section for part in self._of_all("sections") for section in part])

    def config(self) -> tuple[int, int | None]:
        """The batch size and the byte budget of a shard. All have the same."""
        return self._steadily(lambda: tuple(self._ask([(0, "config", ())])[0]))

    def _at(self, moment: Moment) -> None:
        self._number, self._layout = moment.number, Layout(moment.shards)

    def _steadily(self, query: Callable[[], T]) -> T:
        start = time.monotonic()
        while True:
            try:
                return query()
            except MomentGoneError:
                if self._refresh is None or time.monotonic() - start > self._patience.seconds:
                    raise
                time.sleep(AGAIN_SECONDS)
                self._at(self._refresh())

    def _call(self, shard: Shard, what: str, *arguments: Any) -> Call:
        def make() -> Any:
            return shard_actor(self._config, shard.name).ask.remote(self._number, what, *arguments)

        return Call(shard.name, make, may_be_replaced=True)

    def _ask(self, questions: Iterable[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        shards = self._layout.shards
        return answers([self._call(shards[i], what, *given) for i, what, given in questions], self._patience)

    def _of_all(self, what: str) -> list[Any]:
        return self._ask((i, what, ()) for i in range(len(self._layout.shards)))

    def _lookup(self, keys: Array) -> tuple[Array, Flags]:
        chosen = self._by_owner(self._layout.owners(codes(self._key, keys)))
        found = np.zeros(len(keys), bool)
        values = np.zeros((len(keys), self._words), np.uint32)
        parts = self._ask((i, "lookup", (keys[places],)) for i, places in chosen)
        for (_, places), (theirs, there) in zip(chosen, parts, strict=True):
            values[places], found[places] = theirs.reshape(len(places), self._words), there
        return values.reshape(-1), found

    def _count(self, lower: Array, upper: Array) -> Array:
        counts = np.zeros(len(lower), np.uint64)
        chosen = self._by_overlap(lower, upper)
        questions = ((i, "count", (lower[places], upper[places])) for i, places in chosen)
        for (_, places), part in zip(chosen, self._ask(questions), strict=True):
            counts[places] += part
        return counts

    def _range(self, what: str, lower: Array, upper: Array, limit: int | None, *more: Any) -> Entries:
        # Points of a rectangle may be in any shard.
        everything = [(i, np.arange(len(lower))) for i in range(len(self._layout.shards))]
        chosen = self._by_overlap(lower, upper) if what == "range" else everything
        given = (limit, *more) if what == "range" else ()
        parts = self._ask((i, what, (lower[places], upper[places], *given)) for i, places in chosen)
        pieces = [(places, *part) for (_, places), part in zip(chosen, parts, strict=True)]
        return joined(len(lower), pieces, limit, self._key, self._words)

    def _nearest(self, what: str, keys: Array, step: int) -> Entries:
        owners = self._layout.owners(codes(self._key, keys))
        found = np.zeros(len(keys), bool)
        nearest, values = np.zeros_like(keys), np.zeros((len(keys), self._words), np.uint32)
        open_ones = np.arange(len(keys))
        while len(open_ones) > 0:
            chosen = [(i, open_ones[at]) for i, at in self._by_owner(owners[open_ones])]
            parts = self._ask((i, what, (keys[places],)) for i, places in chosen)
            for (_, places), (near, theirs, there) in zip(chosen, parts, strict=True):
                nearest[places], found[places] = near, there
                values[places] = theirs.reshape(len(places), self._words)
            # Whoever found nothing asks the next shard.
            owners[open_ones] += step
            missing = ~found[open_ones] & (owners[open_ones] >= 0) & (owners[open_ones] < len(self._layout.shards))
            open_ones = open_ones[missing]
        return nearest, values.reshape(-1), found

    def _pages(self, chunk: int) -> Iterable[tuple[Array, Array]]:
        chunk = max(chunk, 1)
        for i, shard in enumerate(self._layout.shards):
            ends = words(self._key, np.array([shard.lower, shard.upper], np.uint64))
            lower, is_after = ends[:1], False
            while True:
                ((_, keys, values),) = self._ask([(i, "range", (lower, ends[1:], chunk, is_after))])
                if len(keys) > 0:
                    yield keys, values
                if len(keys) < chunk:
                    break
                lower, is_after = keys[-1:], True

    def _by_owner(self, owners: Array) -> list[tuple[int, Array]]:
        """The shards that have some of the keys, and the places of these."""
        return [(int(i), np.flatnonzero(owners == i)) for i in np.unique(owners)]

    def _by_overlap(self, lower: Array, upper: Array) -> list[tuple[int, Array]]:
        """The shards that have keys of some intervals, and the places of these."""
        lows, highs = codes(self._key, lower), codes(self._key, upper)
        chosen = []
        for i, (first, last) in enumerate(zip(self._layout.lowers, self._layout.uppers, strict=True)):
            places = np.flatnonzero((lows <= last) & (highs >= first) & (lows <= highs))
            if len(places) > 0:
                chosen.append((i, places))
        return chosen


class Scan:
    """Chunks of entries, one after the other."""

    def __init__(self, pages: Iterable[tuple[Array, Array]]) -> None:
        self._pages = iter(pages)

    def next(self) -> tuple[Array, Array] | None:
        """The next chunk; nothing after the last."""
        return next(self._pages, None)


def joined(count: int, pieces: list[Any], limit: int | None, key: KeyType, width: int) -> Entries:
    """The entries of intervals, each from several shards in the order of their keys."""
    found: list[tuple[Array, Array, Array]] = [
        (np.repeat(places, np.diff(offsets.astype(np.int64))), keys, values.reshape(len(keys), width))
        for places, offsets, keys, values in pieces
    ]
    owners = np.concatenate([np.empty(0, np.int64), *(owner for owner, _, _ in found)])
    keys = np.concatenate([np.empty(0, key.word), *(keys for _, keys, _ in found)])
    values = np.concatenate([np.empty((0, width), np.uint32), *(values for *_, values in found)])
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=count)
    if limit is not None:
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        order = order[np.arange(len(order)) - starts < limit]
        counts = np.minimum(counts, limit)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    return offsets, keys[order], values[order].reshape(-1)
