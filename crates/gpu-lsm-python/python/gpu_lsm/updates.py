"""The columns of updates."""

from typing import Any

import numpy as np

from .batch import Batch
from .columns import check_flags, column, flags_of, is_single, single
from .errors import DtypeError, LengthError
from .queries import Queries
from .typing import Array, Column


class Updates(Queries):
    """What makes words of the columns that updates are given."""

    def _of_batch(self, batch: Batch) -> tuple[Array, Array, Array]:
        """Keys, values and flags of mixed operations."""
        no_keys, no_values = np.empty(0, self._key.word), np.empty(0, np.uint32)
        return batch._columns(self._keys, self._given, no_keys, no_values)

    def _of_columns(self, keys: Column, values: Any, deletes: Any) -> tuple[Array, Array, Array]:
        """Keys, values and flags of operations in their order."""
        words, flags = self._keys(keys), flags_of(deletes)
        check_flags(len(words), len(flags))
        return words, self._given(values, len(words)), flags

    def _given(self, values: Any, count: int, is_delete: bool = False) -> Array:
        """Words of values: one for each key, or one for all."""
        if self._value is None:
            if values is not None:
                raise DtypeError("a set has no values; give keys only, or make the dictionary with a type of values")
            return np.empty(0, np.uint32)
        if is_delete:
            return np.zeros(count * self._value.words, np.uint32)
        if values is None:
            raise DtypeError(f"values of type {self._value.name} are missing; give one for each key, or one for all")
        if is_single(values, self._value):
            one = self._value.to_words(single(values, self._value, "the value"))
            return np.tile(one, count)
        given = column(values, self._value, "values")
        if len(given) != count:
            raise LengthError(f"{count} keys came with {len(given)} values; give one value for each key")
        return self._value.to_words(given)
