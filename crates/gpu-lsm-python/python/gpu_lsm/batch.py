"""Mixed operations in their order."""

from collections.abc import Callable

import numpy as np

from .typing import Array, Column


class Batch:
    """Inserts and deletes in order: of several operations on one key, the last wins.

    >>> batch = Batch()
    >>> batch.insert([1, 2], [10, 20])
    >>> batch.delete([1])
    >>> d = Dictionary("int64", "int64")
    >>> d.apply(batch)
    >>> d.contains([1, 2]).tolist()
    [False, True]

    It keeps the columns that it was given, and does not copy them.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[Column, Column | None, bool]] = []

    def insert(self, keys: Column, values: Column | None = None) -> None:
        """Adds inserts: a value for each key, one value for all, or none for a set."""
        self._steps.append((keys, values, False))

    def delete(self, keys: Column) -> None:
        """Adds deletes."""
        self._steps.append((keys, None, True))

    def clear(self) -> None:
        """Removes all operations."""
        self._steps.clear()

    def __len__(self) -> int:
        """The number of calls that added operations."""
        return len(self._steps)

    def _columns(
        self,
        to_keys: Callable[[Column], Array],
        to_values: Callable[[Column | None, int, bool], Array],
        no_keys: Array,
        no_values: Array,
    ) -> tuple[Array, Array, Array]:
        """Words of keys, words of values, and a flag for each operation."""
        keys, values, flags = [no_keys], [no_values], [np.empty(0, np.uint32)]
        for some, their_values, is_delete in self._steps:
            words = to_keys(some)
            keys.append(words)
            values.append(to_values(None if is_delete else their_values, len(words), is_delete))
            flags.append(np.full(len(words), is_delete, np.uint32))
        return np.concatenate(keys), np.concatenate(values), np.concatenate(flags)
