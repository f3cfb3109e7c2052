"""Codes: unsigned numbers in the order of the keys, by which shards are divided.

They are those of the extension, so shards divide keys in the order in which dictionaries sort them.
"""

import numpy as np
import numpy.typing as npt

from ..types import KeyType
from ..typing import Array

Codes = npt.NDArray[np.uint64]

_HIGHEST_BIT = {4: np.uint64(1 << 31), 8: np.uint64(1 << 63)}
# The steps by which 32 bits are spread over the even places of 64, and their distances.
_SPREAD = tuple(
    (np.uint64(mask), np.uint64(distance))
    for mask, distance in (
        (0x0000FFFF0000FFFF, 16),
        (0x00FF00FF00FF00FF, 8),
        (0x0F0F0F0F0F0F0F0F, 4),
        (0x3333333333333333, 2),
        (0x5555555555555555, 1),
    )
)
_LOW_HALF = np.uint64((1 << 32) - 1)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


def highest(key: KeyType) -> int:
    """The largest code."""
    return int(np.iinfo(key.word).max)


def codes(key: KeyType, words: Array) -> Codes:
    """The codes of words that stand for keys.

    >>> from gpu_lsm.types import key_type
    >>> floats = key_type("float64")
    >>> ordered = codes(floats, floats.to_words(np.array([-2.0, -1.0, 0.5])))
    >>> bool((np.diff(ordered.astype(object)) > 0).all())
    True
    """
    wide = words.astype(np.uint64, copy=False)
    sign = _HIGHEST_BIT[words.dtype.itemsize]
    if key.kind in ("int32", "int64"):
        return wide ^ sign
    if key.kind in ("float32", "float64"):
        return np.where(wide & sign, wide ^ np.uint64(highest(key)), wide | sign)
    if key.kind == "pair":
        return (wide << _HALF) | (wide >> _HALF)
    if key.kind == "point":
        return _spread(wide & _LOW_HALF) | (_spread(wide >> _HALF) << _ONE)
    return wide


def words(key: KeyType, codes: Codes) -> Array:
    """The words of codes."""
    sign = _HIGHEST_BIT[key.word.itemsize]
    wide = codes
    if key.kind in ("int32", "int64"):
        wide = codes ^ sign
    elif key.kind in ("float32", "float64"):
        wide = np.where(codes & sign, codes ^ sign, codes ^ np.uint64(highest(key)))
    elif key.kind == "pair":
        wide = (codes << _HALF) | (codes >> _HALF)
    elif key.kind == "point":
        wide = _gathered(codes) | (_gathered(codes >> _ONE) << _HALF)
    return wide.astype(key.word, copy=False)


def _spread(numbers: Codes) -> Codes:
    for mask, distance in _SPREAD:
        numbers = (numbers | (numbers << distance)) & mask
    return numbers


def _gathered(numbers: Codes) -> Codes:
    numbers = numbers & _SPREAD[-1][0]
    for (_, distance), (mask, _) in zip(_SPREAD[::-1], [*_SPREAD[-2::-1], (_LOW_HALF, None)], strict=True):
        numbers = (numbers | (numbers >> distance)) & mask
    return numbers
