"""The queries that dictionaries and snapshots share."""

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import Any, overload

import numpy as np

from . import _gpu_lsm, lazy, tables
from .buffers import OnDevice
from .columns import check_bounds, column, is_single, single
from .errors import ClosedError, DtypeError, ForkError, LengthError
from .options import MOST_ENTRIES, check_if_given, check_whole
from .statistics import Statistics, line, statistics_of, table
from .stored_types import stored_names
from .types import KeyType, ValueType
from .typing import Array, Column, Counts, Flags

_MISSING: Any = object()


class Queries:
    """Everything that can be asked. Calls with columns ask thousands of queries as fast as one."""

    _key: KeyType
    _value: ValueType | None

    def _now(self) -> _gpu_lsm.Snapshot:
        """The state that is asked."""
        raise NotImplementedError

    @property
    def key_type(self) -> str:
        """The name of the type of keys."""
        return self._key.name

    @property
    def value_type(self) -> np.dtype[Any] | None:
        """The numpy type of values; `None` for a set."""
        return None if self._value is None else np.dtype((self._value.dtype, self._value.shape))

    @property
    def batch_size(self) -> int:
        """The capacity of the smallest level."""
        return self._now().config()[0]

    @property
    def byte_budget(self) -> int | None:
        """The most bytes that the dictionary may use; `None` if there is no limit."""
        return self._now().config()[1]

    @overload
    def lookup(self, keys: Column) -> tuple[Any, Flags]: ...

    @overload
    def lookup(self, keys: Column, default: Any) -> Array: ...

    def lookup(self, keys: Column, default: Any = _MISSING) -> tuple[Any, Flags] | Array:
        """The value of each key, and whether it is there; with `default`, only the values.

        >>> d = Dictionary.build(np.array([1, 2, 3]), np.array([10.0, 20.0, 30.0]))
        >>> values, found = d.lookup([3, 4])
        >>> values.tolist(), found.tolist()
        ([30.0, 0.0], [True, False])
        >>> d.lookup([3, 4], default=-1.0).tolist()
        [30.0, -1.0]

        A missing key has the value zero. A set has no values: `None` takes their place.
        """
        words, found = self._now().lookup(self._keys(keys))
        values = self._values(words)
        if default is _MISSING:
            return values, found
        if values is None or self._value is None:
            raise DtypeError("a set has no values, so no default either; ask contains()")
        values[~found] = single(default, self._value, "the default")[0]
        return values

    def contains(self, keys: Column) -> Flags:
        """Whether each key is there.

        >>> Dictionary.build([2, 3, 5]).contains([3, 4]).tolist()
        [True, False]
        """
        return self._now().lookup(self._keys(keys))[1]

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of one key, or `default`.

        >>> d = Dictionary.build([1, 2], [10, 20])
        >>> int(d.get(2)), d.get(3)
        (20, None)
        """
        words, found = self._now().lookup(self._one(key))
        if not found[0]:
            return default
        values = self._values(words)
        return True if values is None else values[0]

    def __getitem__(self, key: Any) -> Any:
        """The value of one key; `True` in a set.

        >>> int(Dictionary.build([1, 2], [10, 20])[2])
        20
        """
        value = self.get(key, _MISSING)
        if value is _MISSING:
            raise KeyError(key)
        return value

    def __contains__(self, key: Any) -> bool:
        """Whether one key is there.

        >>> 3 in Dictionary.build([2, 3, 5])
        True
        """
        return bool(self._now().lookup(self._one(key))[1][0])

    def __len__(self) -> int:
        """The number of entries."""
        return self._now().len()

    def __bool__(self) -> bool:
        """Whether there is any entry."""
        return self.first() is not None

    def __iter__(self) -> Iterator[Any]:
        """The keys in ascending order, one by one.

        >>> [int(key) for key in Dictionary.build([5, 2, 3])]
        [2, 3, 5]
        """
        for keys, _ in self.scan():
            yield from keys

    # Else Python would take keys for places, and go through these backwards.
    __reversed__ = None

    def count(self, lower: Any = None, upper: Any = None) -> Any:
        """The number of entries in each interval from `lower` to `upper`, both inclusive.

        >>> d = Dictionary.build([2, 3, 5, 7])
        >>> d.count([0, 3], [10, 6]).tolist()
        [4, 2]
        >>> d.count(3, 6), d.count(upper=3)
        (2, 2)

        A bound may be one key for all intervals, or `None` for the end of all keys.
        """
        is_one = all(bound is None or is_single(bound, self._key) for bound in (lower, upper))
        counts = self._now().count(*self._bounds(lower, upper)).view(np.int64)
        return int(counts[0]) if is_one else counts

    def range(
        self, lower: Any = None, upper: Any = None, limit: int | None = None, after: bool = False
    ) -> tuple[Counts, Array, Any]:
        """The entries in each interval from `lower` to `upper`, both inclusive: offsets, keys and values.

        >>> d = Dictionary.build([2, 3, 5, 7], [20, 30, 50, 70])
        >>> offsets, keys, values = d.range([0, 5], [4, 9])
        >>> offsets.tolist(), keys.tolist(), values.tolist()
        ([0, 2, 4], [2, 3, 5, 7], [20, 30, 50, 70])
        >>> d.range(0, 9, limit=2)[1].tolist()
        [2, 3]

        Query `i` found the entries from `offsets[i]` to `offsets[i + 1]`. `limit` takes the first entries of
        each interval only; with `after`, intervals start after their lower bounds, for the next page.
        """
        check_if_given(most=MOST_ENTRIES, limit=limit)
        if after and limit is None:
            raise LengthError("after is for pages; give a limit too")
        offsets, keys, values = self._now().range(*self._bounds(lower, upper), limit, after)
        return offsets.view(np.int64), self._key.from_words(keys), self._values(values)

    def rectangles(self, lower: Any, upper: Any) -> tuple[Counts, Array, Any]:
        """The points in each rectangle from the corner `lower` to the corner `upper`: offsets, points and values.

        >>> d = Dictionary.build([(1, 1), (2, 9), (3, 3)], [10, 11, 12], key="point")
        >>> offsets, points, values = d.rectangles([(0, 0)], [(5, 5)])
        >>> points.tolist(), values.tolist()
        ([[1, 1], [3, 3]], [10, 12])
        """
        if self._key.kind != "point":
            raise DtypeError("only points have rectangles; make the dictionary with key='point'")
        offsets, keys, values = self._now().rectangles(*self._bounds(lower, upper))
        return offsets.view(np.int64), self._key.from_words(keys), self._values(values)

    def successor(self, keys: Column) -> tuple[Array, Any, Flags]:
        """The first entry at or after each key: keys, values, and whether there is one.

        >>> d = Dictionary.build([10, 20], [1, 2])
        >>> keys, values, found = d.successor([11, 21])
        >>> keys.tolist(), values.tolist(), found.tolist()
        ([20, 0], [2, 0], [True, False])
        """
        return self._nearest(self._now().successor(self._keys(keys)))

    def predecessor(self, keys: Column) -> tuple[Array, Any, Flags]:
        """The last entry at or before each key: keys, values, and whether there is one.

        >>> Dictionary.build([10, 20], [1, 2]).predecessor([11, 21])[0].tolist()
        [10, 20]
        """
        return self._nearest(self._now().predecessor(self._keys(keys)))

    def first(self) -> tuple[Any, Any] | None:
        """The entry with the smallest key: its key and its value; `None` if there is no entry.

        >>> [int(part) for part in Dictionary.build([10, 20], [1, 2]).first()]
        [10, 1]
        """
        return self._entry(self._now().successor(self._key.ends[0]))

    def last(self) -> tuple[Any, Any] | None:
        """The entry with the largest key: its key and its value; `None` if there is no entry.

        >>> [int(part) for part in Dictionary.build([10, 20], [1, 2]).last()]
        [20, 2]
        """
        return self._entry(self._now().predecessor(self._key.ends[1]))

    def scan(self, chunk: int = 65536) -> Iterator[tuple[Array, Any]]:
        """All entries in ascending order of keys, as chunks of keys and values.

        >>> for keys, values in Dictionary.build([3, 1, 2], [9, 1, 4]).scan(2):
        ...     print(keys.tolist(), values.tolist())
        [1, 2] [1, 4]
        [3] [9]

        The entries are those of the moment when the scan was asked for.
        """
        check_whole(most=MOST_ENTRIES, chunk=chunk)
        chunks = self._now().scan(chunk)
        return self._chunks(chunks)

    def _chunks(self, chunks: _gpu_lsm.Scan) -> Iterator[tuple[Array, Any]]:
        while (found := chunks.next()) is not None:
            keys, values = found
            yield self._key.from_words(keys), self._values(values)

    def statistics(self) -> Statistics:
        """Levels, entries and bytes.

        >>> d = Dictionary.build([1, 2, 3], [10, 20, 30])
        >>> d.statistics().entries, len(d.statistics().levels)
        (3, 1)
        """
        return statistics_of(self._now().sections())

    def on_device(self) -> OnDevice:
        """The queries with columns on the device, and with answers that stay there."""
        return OnDevice(self._key, self._value, self._now())

    def verify(self) -> None:
        """Checks every rule that runs and levels must keep; raises `CorruptError` if one is broken.

        >>> Dictionary.build([1, 2, 3]).verify()
        """
        self._now().verify()

    def to_arrow(self, names: Sequence[str] = ("key", "value")) -> Any:
        """All entries as a table of pyarrow, in ascending order of keys.

        >>> Dictionary.build([2, 1], [20, 10]).to_arrow().to_pydict()
        {'key': [1, 2], 'value': [10, 20]}

        Dates and durations in units that Arrow lacks become seconds, finer ones nanoseconds; raises `LossyCastError`
        if that would change one, and `DtypeError` for durations in months or years.
        """
        return tables.to_arrow(self._all(), names)

    def to_polars(self, names: Sequence[str] = ("key", "value")) -> Any:
        """All entries as a data frame of Polars, in ascending order of keys.

        >>> Dictionary.build([2, 1], [20, 10]).to_polars().rows()
        [(1, 10), (2, 20)]

        Dates and durations in units that Polars lacks become milliseconds, finer ones nanoseconds; raises
        `LossyCastError` if that would change one, and `DtypeError` for durations in months or years.
        """
        return tables.to_polars(self._all(), names)

    def to_parquet(self, path: str | PathLike[str], names: Sequence[str] = ("key", "value")) -> int:
        """Writes all entries as one Parquet file, in ascending order of keys, and returns their number.

        Pairs and points are columns of their codes, structures and small arrays columns of their bytes.
        """
        chosen = tables.column_names(names, 1 if self._value is None else 2)
        return self._now().write_parquet(fspath(path), stored_names(self._key, self._value), (chosen[0], chosen[-1]))

    def scan_polars(self, names: Sequence[str] = ("key", "value")) -> Any:
        """A lazy frame of Polars over the entries of this moment. Conditions on the key become ranges.

        >>> import polars
        >>> frame = Dictionary.build(np.arange(1000), np.arange(1000.0)).scan_polars()
        >>> frame.filter(polars.col("key").is_between(10, 12)).select("value").collect().to_series().to_list()
        [10.0, 11.0, 12.0]
        """
        state, no_keys = self._now(), self._key.from_words(np.empty(0, self._key.word))
        no_values = self._values(np.empty(0, np.uint32))
        empty = [no_keys] if no_values is None else [no_keys, no_values]

        def pages(interval: tuple[int | None, int | None], size: int) -> Iterator[list[Array]]:
            return self._pages(state, interval, size)

        return lazy.scan_polars(pages, empty, names, self._key.has_whole_numbers)

    def _pages(
        self, state: _gpu_lsm.Snapshot, interval: tuple[int | None, int | None], size: int
    ) -> Iterator[list[Array]]:
        """The entries of an interval of whole numbers, or all, in pages."""
        ends = self._key.ends if interval == (None, None) else self._key.words_between(*interval)
        after = False
        while ends is not None:
            _, words, values = state.range(*ends, size, after)
            found = self._values(values)
            if len(words) > 0:
                yield [self._key.from_words(words)] if found is None else [self._key.from_words(words), found]
            ends, after = (words[-1:], ends[1]) if len(words) == size else None, True

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """All entries for anything that reads Arrow: Polars, DuckDB, pyarrow and others."""
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        name, types = type(self).__name__, self._types()
        try:
            return line(name, types, self.statistics())
        except (ClosedError, ForkError) as error:
            # Debuggers and notebooks show it then, too.
            return f"<gpu_lsm.{name} {types}: {str(error).split(';')[0]}>"

    def _repr_html_(self) -> str | None:
        """The levels as a table, for notebooks. They take `repr` if there is none."""
        try:
            return table(type(self).__name__, self._types(), self.statistics())
        except (ClosedError, ForkError):
            return None

    def _all(self) -> list[Array]:
        """The columns of all entries."""
        _, keys, values = self.range()
        return [keys] if values is None else [keys, values]

    def _types(self) -> str:
        return self._key.name if self._value is None else f"{self._key.name} -> {self._value.name}"

    def _keys(self, keys: Any, what: str = "keys") -> Array:
        return self._key.to_words(column(keys, self._key, what))

    def _one(self, key: Any) -> Array:
        return self._key.to_words(single(key, self._key, "the key"))

    def _values(self, words: Array) -> Array | None:
        return None if self._value is None else self._value.from_words(words)

    def _nearest(self, nearest: tuple[Array, Array, Flags]) -> tuple[Array, Any, Flags]:
        keys, values, found = nearest
        return self._key.from_words(keys), self._values(values), found

    def _entry(self, nearest: tuple[Array, Array, Flags]) -> tuple[Any, Any] | None:
        keys, values, found = self._nearest(nearest)
        return (keys[0], None if values is None else values[0]) if found[0] else None

    def _bounds(self, lower: Any, upper: Any) -> tuple[Array, Array]:
        """Both bounds of each interval, as words. One bound serves all intervals."""
        ends = self._key.ends
        bounds: list[Array] = []
        is_one: list[bool] = []
        for bound, end, what in zip((lower, upper), ends, ("lower", "upper"), strict=True):
            is_one.append(bound is None or is_single(bound, self._key))
            if bound is None:
                bounds.append(end)
            elif is_one[-1]:
                bounds.append(self._key.to_words(single(bound, self._key, what)))
            else:
                bounds.append(self._keys(bound, what))
        for this, other in ((0, 1), (1, 0)):
            if is_one[this] and not is_one[other]:
                bounds[this] = np.full(len(bounds[other]), bounds[this][0])
        check_bounds(len(bounds[0]), len(bounds[1]))
        return bounds[0], bounds[1]
