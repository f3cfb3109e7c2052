"""Dictionaries and their snapshots."""

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any, NoReturn, Self

import numpy as np

from . import _gpu_lsm
from .batch import Batch
from .buffers import Buffer
from .closing import Closing
from .columns import array_of
from .devices import names_of
from .errors import DtypeError
from .options import check_if_given
from .queries import Queries
from .stored_types import stored_names
from .tables import arrow_columns, asked_names, parquet_columns
from .types import KeyLike, KeyType, ValueLike, ValueType, key_type, value_type
from .typing import Array, Column
from .updates import Updates


class Dictionary(Updates, Closing[_gpu_lsm.Dictionary]):
    """An ordered dictionary from keys to values, on the host or on a GPU.

    >>> d = Dictionary("uint64", "float32")
    >>> d.insert([3, 1, 2], [0.3, 0.1, 0.2])
    >>> d.delete([2])
    >>> d.count(0, 10)
    2

    `key` is a numpy type (uint32, uint64, int32, int64, float32, float64, datetime64, timedelta64), 'pair' for two
    uint32 in their order, or 'point' for two uint32 in the order of the Z-curve. `value` is any numpy type of 4, 8
    or 16 bytes, or `None` for a set. `device` is 'auto', 'host', 'gpu' or a name from `devices()`.
    `devices` is a list of them: then the dictionary is divided into range shards, `shards` of them if it is given or
    one from each of the `boundaries` on. On one device, it is one shard as long as it fits into the device's largest
    array; only then `on_device` works.

    An update is one batch: it is applied completely or not at all. Queries from other threads wait for an update in
    progress; those of a snapshot don't.
    """

    _closed = "the dictionary was closed; make another"

    def __init__(
        self,
        key: KeyLike,
        value: ValueLike = None,
        *,
        device: str = "auto",
        devices: Sequence[str] | None = None,
        shards: int | None = None,
        boundaries: Column | None = None,
        batch_size: int | None = None,
        byte_budget: int | None = None,
    ) -> None:
        check_if_given(1, shards=shards, batch_size=batch_size)
        check_if_given(byte_budget=byte_budget)
        self._key, self._value = key_type(key), value_type(value)
        words = 0 if self._value is None else self._value.words
        places = names_of(device, devices)
        bounds = None if boundaries is None else self._keys(boundaries, "boundaries")
        self._core = _gpu_lsm.Dictionary(self._key.kind, words, (places, shards, bounds), (batch_size, byte_budget))

    @classmethod
    def build(
        cls,
        keys: Column,
        values: Any = None,
        *,
        key: KeyLike | None = None,
        value: ValueLike = None,
        **options: Any,
    ) -> Self:
        """Makes a dictionary of entries, with the types of the columns. Of equal keys, the last entry wins.

        >>> Dictionary.build(np.array([2, 1], "uint32"), np.array([0.5, 0.25])).value_type
        dtype('float64')
        """
        # If the type is known, numbers and dates of Python mean what `insert` makes of them. Buffers may be anywhere.
        if key is None or isinstance(keys, Buffer):
            keys, _ = array_of(keys, "keys")
        key = _only_type(np.asarray(keys)) if key is None else key
        if values is not None and value is None:
            values, _ = array_of(values, "values")
            value = np.dtype((values.dtype, values.shape[1:]))
        dictionary = cls(key, value, **options)
        dictionary.insert(keys, values)
        return dictionary

    @classmethod
    def from_arrow(cls, table: object, key: str | None = None, value: str | None = None, **options: Any) -> Self:
        """Makes a dictionary of two columns of anything with Arrow's interface; of one column, a set.

        >>> import pyarrow
        >>> d = Dictionary.from_arrow(pyarrow.table({"id": [1, 2], "price": [0.5, 1.5]}))
        >>> float(d[2])
        1.5
        """
        keys, values = arrow_columns(table, key, value)
        return cls.build(keys, values, **options)

    @classmethod
    def from_parquet(
        cls,
        path: str | PathLike[str],
        key: str | None = None,
        value: str | None = None,
        *,
        key_type: KeyLike | None = None,
        value_type: ValueLike = None,
        **options: Any,
    ) -> Self:
        """Makes a dictionary of two columns of a Parquet file, with their types; of one column, a set.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "squares.parquet")
        >>> Dictionary.build([3, 1, 2], [9, 1, 4]).to_parquet(path, ("n", "square"))
        3
        >>> int(Dictionary.from_parquet(path, key="n", value="square")[3])
        9

        Of rows with equal keys, the last wins. The file is read in pieces, and other columns are not read. `key_type`
        and `value_type` see the columns as other types of the same bytes: a file of points has their codes, uint64.
        A set has no `value_type`.
        """
        columns = parquet_columns(fspath(path), asked_names(key, value))
        if value_type is not None and len(columns) == 1:
            raise DtypeError("value_type was given, but no column of values; say which it is by key= and value=")
        types = [type for _, type in columns]
        if key_type is not None:
            types[0] = key_type
        if value_type is not None:
            types[1:] = [value_type]
        dictionary = cls(*types, **options)
        names = [name for name, _ in columns]
        stored = stored_names(dictionary._key, dictionary._value)
        dictionary._open().read_parquet(fspath(path), stored, (names[0], names[-1]))
        return dictionary

    def insert(self, keys: Column, values: Any = None) -> None:
        """Inserts entries, or gives present keys new values. One value may serve all keys.

        >>> d = Dictionary("int64", "int64")
        >>> d.insert([1, 2], [10, 20])
        >>> d.insert([2, 3], 0)
        >>> d.lookup([1, 2, 3])[0].tolist()
        [10, 0, 0]
        """
        self.update(keys, values)

    def delete(self, keys: Column) -> None:
        """Deletes keys. Keys that are not there change nothing.

        >>> d = Dictionary.build([1, 2, 3])
        >>> d.delete([2, 9])
        >>> len(d)
        2
        """
        if isinstance(keys, Buffer):
            self._update_there((), None, keys)
        else:
            self._open().delete(self._keys(keys))

    def update(self, keys: Column, values: Any = None, deletes: Column = ()) -> None:
        """Inserts entries and deletes keys as one batch. A key in both is deleted.

        >>> d = Dictionary.build([1, 2], [10, 20])
        >>> d.update([3, 4], [30, 40], deletes=[1, 4])
        >>> [int(key) for key in d]
        [2, 3]
        """
        if any(isinstance(given, Buffer) for given in (keys, values, deletes)):
            self._update_there(keys, values, deletes)
            return
        words = self._keys(keys)
        self._open().update(words, self._given(values, len(words)), self._keys(deletes, "deletes"))

    def apply(self, batch: Batch) -> None:
        """Applies a `Batch` of mixed operations in their order."""
        self._open().apply(*self._of_batch(batch))

    def apply_columns(self, keys: Column, values: Any, deletes: Any) -> None:
        """Applies mixed operations in their order: where `deletes` is not zero a key is deleted, else inserted.

        >>> d = Dictionary.build([1, 2], [10, 20])
        >>> d.apply_columns([2, 3, 3], [0, 30, 31], [True, False, False])
        >>> d.lookup([1, 2, 3])[0].tolist()
        [10, 0, 31]
        """
        self._open().apply(*self._of_columns(keys, values, deletes))

    def delete_range(self, lower: Any = None, upper: Any = None) -> None:
        """Deletes all entries in each interval from `lower` to `upper`, both inclusive.

        >>> d = Dictionary.build([10, 20, 30, 40])
        >>> d.delete_range([0, 35], [20, 99])
        >>> [int(key) for key in d]
        [30]
        """
        self._open().delete_range(*self._bounds(lower, upper))

    def clear(self) -> None:
        """Deletes all entries."""
        self._open().clear()

    def cleanup(self) -> None:
        """Merges all levels into one. Queries are fastest after that; it is never needed to limit space."""
        self._open().cleanup()

    def set_byte_budget(self, byte_budget: int | None) -> None:
        """Sets the most bytes that the dictionary may use from now on; `None` removes the limit."""
        check_if_given(byte_budget=byte_budget)
        self._open().set_byte_budget(byte_budget)

    def snapshot(self) -> "Snapshot":
        """The current state, which later updates don't change. Copies nothing.

        >>> d = Dictionary.build([1, 2, 3])
        >>> with d.snapshot() as before:
        ...     d.clear()
        ...     len(before), len(d)
        (3, 0)
        """
        return Snapshot(self._key, self._value, self._now())

    def fork(self) -> Self:
        """A dictionary that starts with the current state and goes its own way. Copies nothing.

        >>> d = Dictionary.build([1, 2, 3])
        >>> other = d.fork()
        >>> other.delete([1])
        >>> len(d), len(other)
        (3, 2)
        """
        return self._of(self._key, self._value, self._open().fork())

    @classmethod
    def _of(cls, key: KeyType, value: ValueType | None, core: _gpu_lsm.Dictionary) -> Self:
        """The dictionary with types around one of words."""
        made = object.__new__(cls)
        made._key, made._value, made._core = key, value, core
        return made

    def __copy__(self) -> Self:
        return self.fork()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a dictionary lives in the memory of one process; send its entries, for instance to_arrow()")

    def _now(self) -> _gpu_lsm.Snapshot:
        return self._open().snapshot()

    def _update_there(self, keys: Any, values: Any, deletes: Any) -> None:
        """An update of which a column is on the device: the others go there too."""
        there = self.on_device()
        inserts = there.keys(keys)
        if self._value is None and values is None:
            given = there._no_values(len(inserts))
        elif self._value is None or isinstance(values, Buffer):
            given = there.values(values)
        else:
            words = self._given([] if values is None and len(inserts) == 0 else values, len(inserts))
            given = there.values(self._value.from_words(words))
        self._open().update_there(inserts._held, given._held, there.keys(deletes)._held)


class Snapshot(Queries, Closing[_gpu_lsm.Snapshot]):
    """The state of a dictionary at one moment. It has all queries; `close` it, or leave its `with` block, when done."""

    _closed = "the snapshot was closed; take another"

    def __init__(self, key: KeyType, value: ValueType | None, state: _gpu_lsm.Snapshot) -> None:
        self._key, self._value = key, value
        self._core = state

    def __reduce__(self) -> NoReturn:
        raise TypeError("a snapshot lives in the memory of one process; send its entries, for instance to_arrow()")

    def _now(self) -> _gpu_lsm.Snapshot:
        return self._open()


def _only_type(keys: Array) -> np.dtype[Any]:
    if keys.ndim == 2 or keys.dtype.names:
        raise DtypeError("rows of two numbers can be pairs or points; say which by key='pair' or key='point'")
    return keys.dtype
