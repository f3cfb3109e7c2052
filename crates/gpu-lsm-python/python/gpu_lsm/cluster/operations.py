"""Batches: the bytes that the log has of them, and the part of each shard."""

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..columns import check_bounds, check_flags
from ..errors import LengthError
from ..types import KeyType
from ..typing import Array, Flags
from .codes import Codes, codes
from .errors import BatchTooLargeError

Bytes = npt.NDArray[np.uint8]

# The log keeps bytes in values of this size.
ROW_BYTES = 16
MOST_ROWS = 1 << 24
_HEADER = struct.Struct("<4Q")
_APPLY, _DELETE_RANGE = 0, 1


@dataclass(frozen=True)
class Operations:
    """Inserts and deletes in their order, as words; or intervals to delete: `keys` to `uppers`, both inclusive."""

    keys: Array
    values: Array
    deletes: Array
    uppers: Array | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def check(self, words: int | None = None) -> None:
        """Refuses columns of different lengths: no shard can apply such a batch, and none can skip what the log has.

        `words` is the number of words in a value, if it is known.
        """
        if self.uppers is not None:
            check_bounds(len(self.keys), len(self.uppers))
            return
        check_flags(len(self.keys), len(self.deletes))
        if words is None:
            words = len(self.values) // max(len(self), 1)
        if len(self.values) != len(self) * words:
            raise LengthError(f"{len(self)} keys came with {len(self.values)} words; give {words} for each value")

    def encode(self) -> Bytes:
        """The operations as bytes, in whole rows."""
        self.check()
        columns = [self.keys, self.values, self.deletes if self.uppers is None else self.uppers]
        kind = _APPLY if self.uppers is None else _DELETE_RANGE
        header = _HEADER.pack(kind, *(column.nbytes for column in columns))
        pieces = [np.frombuffer(header, np.uint8), *(column.view(np.uint8) for column in columns)]
        size = sum(len(piece) for piece in pieces)
        if size > (MOST_ROWS - 1) * ROW_BYTES:
            raise BatchTooLargeError(f"the batch has {size} bytes; divide it, for instance into batches of 2^20")
        return np.concatenate([*pieces, np.zeros(-size % ROW_BYTES, np.uint8)])


def decode(encoded: Bytes, word: np.dtype[np.unsignedinteger]) -> Operations:
    """The operations with these bytes, in the same memory."""
    kind, *sizes = _HEADER.unpack_from(encoded.data)
    ends = _HEADER.size + np.cumsum([0, *sizes])
    first, second, third = (encoded[start:end] for start, end in pairwise(ends))
    if kind == _DELETE_RANGE:
        nothing = np.empty(0, np.uint32)
        return Operations(first.view(word), nothing, nothing, third.view(word))
    return Operations(first.view(word), second.view(np.uint32), third.view(np.uint32))


def digest(encoded: Bytes) -> bytes:
    """Tells batches apart."""
    return hashlib.blake2b(encoded.data, digest_size=ROW_BYTES).digest()


def nothing(key: KeyType) -> Operations:
    """No operations."""
    no_words = np.empty(0, np.uint32)
    return Operations(np.empty(0, key.word), no_words, no_words)


class Divided:
    """Operations that are divided by the codes of their keys."""

    def __init__(self, operations: Operations, key: KeyType) -> None:
        self._operations, self._key = operations, key

    @cached_property
    def _codes(self) -> Codes:
        return codes(self._key, self._operations.keys)

    @cached_property
    def _uppers(self) -> Codes:
        uppers = self._operations.uppers
        return self._codes if uppers is None else codes(self._key, uppers)

    def within(self, lower: int, upper: int) -> Operations:
        """Those that concern codes from `lower` to `upper`, both inclusive."""
        chosen: Flags = (self._uppers >= np.uint64(lower)) & (self._codes <= np.uint64(upper))
        if chosen.all():
            return self._operations
        whole = self._operations
        if whole.uppers is not None:
            return Operations(whole.keys[chosen], whole.values, whole.deletes, whole.uppers[chosen])
        values = whole.values.reshape(len(whole), -1)[chosen].reshape(-1) if len(whole) else whole.values
        return Operations(whole.keys[chosen], values, whole.deletes[chosen])
