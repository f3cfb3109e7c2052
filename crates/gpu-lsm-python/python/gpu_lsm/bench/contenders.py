"""Ordered dictionaries from uint32 to uint32, each with the same four calls.

What is not installed is left out of the table. Every contender keeps its keys in the form that answers its queries
fastest, and is asked whole columns if it can be.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from ..devices import devices
from ..dictionary import Dictionary
from ..typing import Array


class Contender(Protocol):
    """The calls that are measured."""

    def upsert(self, keys: Array, values: Array) -> None:
        """Inserts entries, or replaces their values."""

    def lookup(self, keys: Array) -> Array:
        """The values of keys, all of which are there."""

    def count(self, lower: Array, upper: Array) -> Array:
        """The number of entries in intervals, both bounds inclusive."""

    def range(self, lower: Array, upper: Array) -> Array:
        """The values of all entries in intervals, one interval after the other."""


class Ours:
    """This package on a device."""

    def __init__(self, device: str) -> None:
        self.d = Dictionary("uint32", "uint32", device=device)

    def upsert(self, keys: Array, values: Array) -> None:
        self.d.insert(keys, values)

    def lookup(self, keys: Array) -> Array:
        values: Array = self.d.lookup(keys)[0]
        return values

    def count(self, lower: Array, upper: Array) -> Array:
        counts: Array = self.d.count(lower, upper)
        return counts

    def range(self, lower: Array, upper: Array) -> Array:
        values: Array = self.d.range(lower, upper)[2]
        return values


class Numpy:
    """A sorted array, merged anew for each batch."""

    def __init__(self) -> None:
        self.keys = self.values = np.empty(0, np.uint32)

    def upsert(self, keys: Array, values: Array) -> None:
        keys, values = np.concatenate([self.keys, keys]), np.concatenate([self.values, values])
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        last = np.append(keys[1:] != keys[:-1], True)
        self.keys, self.values = keys[last], values[last]

    def lookup(self, keys: Array) -> Array:
        found: Array = self.values[np.searchsorted(self.keys, keys)]
        return found

    def _ends(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        return np.searchsorted(self.keys, lower), np.searchsorted(self.keys, upper, side="right")

    def count(self, lower: Array, upper: Array) -> Array:
        start, end = self._ends(lower, upper)
        return end - start

    def range(self, lower: Array, upper: Array) -> Array:
        start, end = self._ends(lower, upper)
        offsets = np.cumsum(end - start)
        places = np.arange(offsets[-1]) + np.repeat(end - offsets, end - start)
        found: Array = self.values[places]
        return found


class Pandas(Numpy):
    """A Series with a sorted index. Intervals are those of its index."""

    def __init__(self) -> None:
        import pandas

        super().__init__()
        self.pandas = pandas
        self.series: Any = pandas.Series(self.values, index=self.keys)

    def upsert(self, keys: Array, values: Array) -> None:
        series = self.pandas.concat([self.series, self.pandas.Series(values, index=keys)])
        self.series = series[~series.index.duplicated(keep="last")].sort_index()
        self.keys, self.values = self.series.index.to_numpy(), self.series.to_numpy()

    def lookup(self, keys: Array) -> Array:
        found: Array = self.series.reindex(keys).to_numpy()
        return found


class Polars:
    """A sorted data frame. Lookups are joins, intervals are searches in a sorted column."""

    def __init__(self) -> None:
        import polars

        self.polars = polars
        self.frame: Any = polars.DataFrame({"key": np.empty(0, np.uint32), "value": np.empty(0, np.uint32)})

    def upsert(self, keys: Array, values: Array) -> None:
        frame = self.polars.concat([self.frame, self.polars.DataFrame({"key": keys, "value": values})])
        self.frame = frame.unique("key", keep="last").sort("key")

    def lookup(self, keys: Array) -> Array:
        asked = self.polars.DataFrame({"key": keys})
        found: Array = asked.join(self.frame, on="key", how="left", maintain_order="left")["value"].to_numpy()
        return found

    def _ends(self, lower: Array, upper: Array) -> tuple[Any, Any]:
        column = self.frame["key"]
        return column.search_sorted(self.polars.Series(lower), side="left"), column.search_sorted(
            self.polars.Series(upper), side="right"
        )

    def count(self, lower: Array, upper: Array) -> Array:
        start, end = self._ends(lower, upper)
        counts: Array = (end - start).to_numpy()
        return counts

    def range(self, lower: Array, upper: Array) -> Array:
        start, end = self._ends(lower, upper)
        places = self.polars.DataFrame({"start": start, "end": end}).select(
            self.polars.int_ranges("start", "end").explode()
        )
        found: Array = self.frame["value"].gather(places.to_series()).to_numpy()
        return found


class DuckDB:
    """A table in memory with a primary key."""

    def __init__(self) -> None:
        import duckdb

        self.db: Any = duckdb.connect()
        self.db.execute("create table t (key uinteger primary key, value uinteger)")

    def _ask(self, query: str, **columns: Array) -> Array:
        self.db.register("asked", columns)
        found: Array = self.db.execute(query).fetchnumpy()["answer"]
        return found

    def upsert(self, keys: Array, values: Array) -> None:
        self.db.register("asked", {"key": keys, "value": values})
        self.db.execute("insert or replace into t select key, value from asked")

    def lookup(self, keys: Array) -> Array:
        query = "select value as answer from asked left join t using (key) order by i"
        return self._ask(query, key=keys, i=np.arange(len(keys)))

    def count(self, lower: Array, upper: Array) -> Array:
        query = "select count(key) as answer from asked left join t on key between l and u group by i order by i"
        return self._ask(query, l=lower, u=upper, i=np.arange(len(lower)))

    def range(self, lower: Array, upper: Array) -> Array:
        query = "select value as answer from asked join t on key between l and u order by i, key"
        return self._ask(query, l=lower, u=upper, i=np.arange(len(lower)))


class SortedContainers:
    """A SortedDict, one key at a time."""

    def __init__(self) -> None:
        from sortedcontainers import SortedDict

        self.d: Any = SortedDict()

    def upsert(self, keys: Array, values: Array) -> None:
        self.d.update(zip(keys.tolist(), values.tolist(), strict=True))

    def lookup(self, keys: Array) -> Array:
        return np.array([self.d[key] for key in keys.tolist()], np.uint32)

    def count(self, lower: Array, upper: Array) -> Array:
        bounds = zip(lower.tolist(), upper.tolist(), strict=True)
        return np.array([self.d.bisect_right(high) - self.d.bisect_left(low) for low, high in bounds])

    def range(self, lower: Array, upper: Array) -> Array:
        bounds = zip(lower.tolist(), upper.tolist(), strict=True)
        return np.array([self.d[key] for low, high in bounds for key in self.d.irange(low, high)], np.uint32)


def contenders() -> dict[str, Callable[[], Contender]]:
    """Those that can be made here, by name."""
    ours = [device.selector for device in devices() if device.selector == "host" or "software" not in device.kind]
    made: dict[str, Callable[[], Contender]] = {f"gpu_lsm on {name}": partial(Ours, name) for name in ours}
    others: dict[str, Callable[[], Contender]] = {
        "numpy": Numpy,
        "pandas": Pandas,
        "Polars": Polars,
        "DuckDB": DuckDB,
        "sortedcontainers": SortedContainers,
    }
    for name, make in others.items():
        try:
            make()
        except ImportError:
            continue
        made[name] = make
    return made
