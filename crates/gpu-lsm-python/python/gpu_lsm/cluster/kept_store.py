"""The log and the shards in stores."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..durable import Durable, Receipt
from ..errors import NoStoreError
from ..queries import Queries
from ..store import Store, WriteOptions, open
from ..typing import Array
from .layout import Catalog, Shard
from .operations import ROW_BYTES, Operations
from .sequencer import Entry, Last, Recovered

# Keys of the log: a batch number and the place of a row in it; or a place in the catalog; or a caller.
_ROW_BITS = 24
_CATALOG = 1 << 62
_CALLERS = 1 << 63
_LAST = (1 << 64) - 1

# The types of the rows of the log, whatever those of the dictionary are.
_KEY, _VALUE = "uint64", "(4,)u4"


def has_log(url: str, settings: Mapping[str, str]) -> bool:
    """Whether there is a log. To open one would make it."""
    return Store(f"{url}/log", settings=settings).exists()


def kept_catalog(url: str, settings: Mapping[str, str]) -> Catalog | None:
    """The catalog of a log, if there is one. It is only read, because to open a log takes it from whoever writes it."""
    try:
        with open(f"{url}/log", settings=settings, key=_KEY, value=_VALUE, device="host") as rows:
            return _catalog_of(rows)
    except NoStoreError:
        return None


class StoreTape:
    """The log as a dictionary in a store: rows of 16 bytes by number and place. One update is one record there."""

    def __init__(self, url: str, settings: Mapping[str, str], options: WriteOptions) -> None:
        self._rows: Durable = open(
            f"{url}/log", mode="a", settings=settings, key=_KEY, value=_VALUE, device="host", options=options
        )

    def caller_id(self, caller: str) -> int:
        """62 bits of a hash."""
        return int.from_bytes(hashlib.blake2b(caller.encode(), digest_size=8).digest()) >> 2

    def load(self) -> Recovered:
        """Reads all rows."""
        return Recovered(self._entries(), self._callers(), self.catalog())

    def catalog(self) -> Catalog | None:
        """The catalog, if one was written."""
        return _catalog_of(self._rows)

    def write(self, entries: Sequence[Entry]) -> None:
        """Writes entries, what they say of their callers, and the last catalog."""
        pieces = [_rows_of(entry.number << _ROW_BITS, entry.encoded) for entry in entries]
        pieces += [self._caller_rows(entry) for entry in entries]
        catalogs = [entry.catalog for entry in entries if entry.catalog is not None]
        pieces += [_rows_of(_CATALOG, _bytes(catalog.to_json())) for catalog in catalogs[-1:]]
        keys, values = zip(*pieces, strict=True)
        self._rows.insert(np.concatenate(keys), np.concatenate(values))

    def trim(self, below: int) -> None:
        """Deletes the rows of entries."""
        self._rows.delete_range(0, (below << _ROW_BITS) - 1)

    def _entries(self) -> list[Entry]:
        _, keys, rows = self._rows.range(0, _CATALOG - 1)
        numbers = keys >> np.uint64(_ROW_BITS)
        starts = np.flatnonzero(np.diff(numbers, prepend=np.uint64(0)))
        found = pairwise([*starts, len(keys)])
        return [Entry(int(numbers[start]), _bytes_of(rows[start:end])) for start, end in found]

    def _callers(self) -> dict[int, Last]:
        _, keys, rows = self._rows.range(_CALLERS, _LAST)
        last = {}
        for key, counts, digest in zip(keys[::2], rows[::2], rows[1::2], strict=True):
            number, commit = counts.view(np.uint64)
            last[(int(key) - _CALLERS) >> 1] = Last(int(number), int(commit), digest.tobytes())
        return last

    def _caller_rows(self, entry: Entry) -> tuple[Array, Array]:
        if entry.caller is None or entry.last is None:
            return np.empty(0, np.uint64), np.empty((0, 4), np.uint32)
        key = _CALLERS + (self.caller_id(entry.caller) << 1)
        counts = np.array([entry.last.number, entry.last.commit], np.uint64).view(np.uint32)
        rows = np.stack([counts, np.frombuffer(entry.last.digest, np.uint32)])
        return np.array([key, key + 1], np.uint64), rows


def _catalog_of(rows: Queries) -> Catalog | None:
    _, _, found = rows.range(_CATALOG, _CALLERS - 1)
    return Catalog.from_json(_bytes_of(found).tobytes().decode()) if len(found) else None


def _rows_of(first: int, encoded: Array) -> tuple[Array, Array]:
    """Keys and rows of bytes: the first row has their number, since a shorter catalog does not delete a longer one."""
    padded = np.concatenate([encoded, np.zeros(-len(encoded) % ROW_BYTES, np.uint8)])
    rows = padded.view(np.uint32).reshape(-1, 4)
    length = np.array([[len(encoded), 0]], np.uint64).view(np.uint32)
    keys = np.uint64(first) + np.arange(len(rows) + 1, dtype=np.uint64)
    return keys, np.concatenate([length, rows])


def _bytes_of(rows: Array) -> Array:
    length = int(rows[0].view(np.uint64)[0])
    return np.ascontiguousarray(rows[1:]).reshape(-1).view(np.uint8)[:length]


def _bytes(text: str) -> Array:
    return np.frombuffer(text.encode(), np.uint8)


class StoreShard:
    """A shard's dictionary in a store."""

    def __init__(self, url: str, settings: Mapping[str, str], shard: Shard, catalog: Catalog, **options: Any) -> None:
        self._durable: Durable = open(
            f"{url}/{shard.name}",
            mode="a",
            settings=settings,
            key=catalog.key,
            value=catalog.value,
            device=shard.place.device,
            **options,
        )

    def last_of(self, caller: str) -> int:
        """The number of a caller's last batch."""
        return self._durable.last_of(caller)

    def submit(self, operations: Operations, caller: str, number: int) -> Receipt:
        """Applies a batch once. Keys of intervals are deleted one by one, because only such batches have numbers."""
        if operations.uppers is not None:
            operations = self._deletes(operations.keys, operations.uppers)
        columns = operations.keys, operations.values, operations.deletes
        return Receipt(self._durable._open().submit(*columns, caller, number))

    def state(self) -> Any:
        """The current state."""
        return self._durable._now()

    def copy(self, keys: Array, values: Array) -> Receipt:
        """Inserts entries of another shard."""
        return Receipt(self._durable._open().submit(keys, values, np.zeros(len(keys), np.uint32), None, None))

    def _deletes(self, lower: Array, upper: Array) -> Operations:
        _, keys, values = self._durable._now().range(lower, upper, None, False)
        return Operations(keys, np.zeros_like(values), np.ones(len(keys), np.uint32))
