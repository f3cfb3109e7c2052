"""Columns on a dictionary's device, and queries that leave their answers there."""

from typing import Any

import numpy as np

from . import _gpu_lsm
from .columns import column
from .errors import DtypeError
from .options import MOST_ENTRIES, check_if_given
from .types import KeyType, ValueType
from .typing import Array, Column

COUNT = ValueType(np.dtype(np.uint32), ())


class Buffer:
    """A column on a device. Updates and `OnDevice` queries of a dictionary on the same device take it without a copy.

    Every other call, numpy and everything that reads DLPack get a copy in the host's memory.
    """

    def __init__(self, held: _gpu_lsm.Buffer, type: KeyType | ValueType) -> None:
        self._held, self._type = held, type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of its elements."""
        return self._type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that it has as an array."""
        return (len(self._held), *self._type.shape)

    @property
    def device(self) -> str:
        """The name of its device."""
        return self._held.device()

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._held)

    def numpy(self) -> Array:
        """A copy as an array of numpy."""
        return self._held.read().view(self._type.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """A copy as an array of numpy."""
        if copy is False:
            raise ValueError("a buffer can't be an array without a copy")
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """A copy in the host's memory, for any library that reads DLPack."""
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The host: that is where the copy is."""
        return self.numpy()[:0].__dlpack_device__()

    def __repr__(self) -> str:
        return f"<gpu_lsm.Buffer {self.dtype}{list(self.shape)} on {self.device}>"


class OnDevice:
    """The queries of a dictionary or snapshot with answers that stay on its device. Made by `on_device()`.

    >>> there = Dictionary.build([1, 2, 3], [10, 20, 30]).on_device()
    >>> keys = there.keys([3, 4])
    >>> values, found = there.lookup(keys)
    >>> values.numpy().tolist(), found.numpy().tolist()
    ([30, 0], [1, 0])
    """

    def __init__(self, key: KeyType, value: ValueType | None, state: _gpu_lsm.Snapshot) -> None:
        self._key, self._value, self._state = key, value, state

    def keys(self, keys: Column | Buffer) -> Buffer:
        """Keys on the device. A buffer of their type is returned as it is; any other raises `DtypeError`."""
        if isinstance(keys, Buffer):
            return _of_type(keys, self._key, "keys")
        return Buffer(self._state.upload_keys(self._key.to_words(column(keys, self._key, "keys"))), self._key)

    def values(self, values: Column | Buffer) -> Buffer:
        """Values on the device. A buffer of their type is returned as it is; any other raises `DtypeError`."""
        if self._value is None:
            raise DtypeError("a set has no values; give keys only, or make the dictionary with a type of values")
        if isinstance(values, Buffer):
            return _of_type(values, self._value, "values")
        words = self._value.to_words(column(values, self._value, "values"))
        return Buffer(self._state.upload_values(words, len(words) // self._value.words), self._value)

    def _no_values(self, count: int) -> Buffer:
        """The values of this many keys of a set."""
        return Buffer(self._state.upload_values(np.empty(0, np.uint32), count), COUNT)

    def lookup(self, keys: Column | Buffer) -> tuple[Buffer | None, Buffer]:
        """The value of each key, zero if it is missing; and 1 if it is there, else 0."""
        values, found = self._ask("lookup", keys)
        return self._values(values), Buffer(found, COUNT)

    def count(self, lower: Column | Buffer, upper: Column | Buffer) -> Buffer:
        """The number of entries in each interval."""
        (counts,) = self._ask("count", lower, upper)
        return Buffer(counts, COUNT)

    def range(
        self, lower: Column | Buffer, upper: Column | Buffer, limit: int | None = None
    ) -> tuple[Buffer, Buffer, Buffer | None]:
        """The entries in each interval: offsets, keys and values."""
        check_if_given(most=MOST_ENTRIES, limit=limit)
        offsets, keys, values = self._ask("range", lower, upper, limit)
        return Buffer(offsets, COUNT), Buffer(keys, self._key), self._values(values)

    def successor(self, keys: Column | Buffer) -> tuple[Buffer, Buffer | None, Buffer]:
        """The first entry at or after each key: keys, values, and 1 if there is one, else 0."""
        found, values, is_there = self._ask("successor", keys)
        return Buffer(found, self._key), self._values(values), Buffer(is_there, COUNT)

    def predecessor(self, keys: Column | Buffer) -> tuple[Buffer, Buffer | None, Buffer]:
        """The last entry at or before each key: keys, values, and 1 if there is one, else 0."""
        found, values, is_there = self._ask("predecessor", keys)
        return Buffer(found, self._key), self._values(values), Buffer(is_there, COUNT)

    def _ask(
        self, what: str, first: Column | Buffer, second: Column | Buffer | None = None, limit: int | None = None
    ) -> list[_gpu_lsm.Buffer]:
        other = None if second is None else self.keys(second)._held
        return self._state.ask(what, self.keys(first)._held, other, limit)

    def _values(self, values: _gpu_lsm.Buffer) -> Buffer | None:
        return None if self._value is None else Buffer(values, self._value)


def _of_type(buffer: Buffer, type: KeyType | ValueType, what: str) -> Buffer:
    """The buffer, if it has this type. On the device many types are the same words, which say nothing of theirs."""
    given = buffer._type
    # Pairs and points are the same rows in different orders.
    is_other_kind = isinstance(given, KeyType) and isinstance(type, KeyType) and given.kind != type.kind
    if is_other_kind or (given.dtype, given.shape) != (type.dtype, type.shape):
        raise DtypeError(
            f"{what}: the buffer has elements of another type, {given.name} instead of {type.name}; "
            f"make one by on_device().{what}()"
        )
    return buffer
