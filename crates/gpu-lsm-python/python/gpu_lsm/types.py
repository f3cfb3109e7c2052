"""Types of keys and values: which words of 4 or 8 bytes stand for them."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import DtypeError
from .typing import Array

KEY_TYPES = "uint32, uint64, int32, int64, float32, float64, datetime64[unit], timedelta64[unit], 'pair' and 'point'"

# The units of dates and of durations that Polars has. The first takes the place of coarser ones.
POLARS_UNITS = {"M": ("ms", "us", "ns", "D"), "m": ("ms", "us", "ns")}


@dataclass(frozen=True)
class KeyType:
    """A type of keys. `kind` is its name inside; dates and durations are int64 there."""

    name: str
    kind: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()

    @property
    def word(self) -> np.dtype[Any]:
        """The type of the words that stand for keys."""
        return np.dtype(np.uint32 if self.kind in ("uint32", "int32", "float32") else np.uint64)

    @property
    def ends(self) -> tuple[Array, Array]:
        """The smallest and the largest key, as words."""
        lowest, highest = {
            "int32": (1 << 31, (1 << 31) - 1),
            "int64": (1 << 63, (1 << 63) - 1),
            "float32": ((1 << 32) - 1, (1 << 31) - 1),
            "float64": ((1 << 64) - 1, (1 << 63) - 1),
        }.get(self.kind, (0, np.iinfo(self.word).max))
        return np.array([lowest], self.word), np.array([highest], self.word)

    @property
    def has_whole_numbers(self) -> bool:
        """Whether Polars has the same whole numbers. To it every NaN is the largest float, and it lacks some units."""
        if self.dtype.kind in "Mm":
            unit, step = np.datetime_data(self.dtype)
            return unit in POLARS_UNITS[self.dtype.kind] and step == 1
        return self.dtype.kind in "iu" and not self.shape

    def words_between(self, lower: int | None, upper: int | None) -> tuple[Array, Array] | None:
        """The ends of an interval of whole numbers, as words; `None` if no key is in it."""
        ends = np.iinfo(self.kind)
        low = ends.min if lower is None else max(lower, ends.min)
        high = ends.max if upper is None else min(upper, ends.max)
        if low > high:
            return None
        return np.array([low], self.kind).view(self.word), np.array([high], self.kind).view(self.word)

    def to_words(self, keys: Array) -> Array:
        """Keys of this type, contiguous, as words in the same memory if they are aligned there."""
        return _aligned(keys.reshape(-1).view(self.word))

    def from_words(self, words: Array) -> Array:
        """Words as keys in the same memory."""
        return words.view(self.dtype).reshape(-1, *self.shape)


@dataclass(frozen=True)
class ValueType:
    """A type of values of 4, 8 or 16 bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the type."""
        return f"{self.dtype}{list(self.shape)}" if self.shape else str(self.dtype)

    @property
    def words(self) -> int:
        """The number of words of 4 bytes in a value."""
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=int)) // 4

    def to_words(self, values: Array) -> Array:
        """Values of this type, contiguous, as words in the same memory if they are aligned there."""
        return _aligned(values.reshape(-1).view(np.uint32))

    def from_words(self, words: Array) -> Array:
        """Words as values in the same memory."""
        return words.view(self.dtype).reshape(-1, *self.shape)


KeyLike: TypeAlias = npt.DTypeLike | KeyType
ValueLike: TypeAlias = npt.DTypeLike | ValueType | None


def key_type(asked: KeyLike) -> KeyType:
    """The type of keys that a name or a numpy type means."""
    if isinstance(asked, KeyType):
        return asked
    if isinstance(asked, str) and asked in ("pair", "point"):
        return KeyType(asked, asked, np.dtype(np.uint32), (2,))
    dtype = _native(asked, "key")
    if dtype.kind in "Mm" and np.datetime_data(dtype)[0] == "generic":
        raise DtypeError(f"{dtype} has no unit; write for instance '{dtype}[ns]'")
    if dtype.kind in "Mm":
        return KeyType(str(dtype), "int64", dtype)
    if dtype.kind in "iuf" and dtype.itemsize in (4, 8):
        return KeyType(str(dtype), str(dtype), dtype)
    raise DtypeError(f"{dtype} can't be a key; keys are {KEY_TYPES}")


def value_type(asked: ValueLike) -> ValueType | None:
    """The type of values that a name or a numpy type means; `None` for a set."""
    if asked is None or isinstance(asked, ValueType):
        return asked
    dtype = _native(asked, "value")
    base, shape = dtype.subdtype or (dtype, ())
    if dtype.hasobject or base.kind in "OUT":
        raise DtypeError(f"{dtype} can't be a value: it has no fixed bytes; store numbers or row numbers instead")
    if base.kind in "Mm" and np.datetime_data(base)[0] == "generic":
        raise DtypeError(f"{base} has no unit; write for instance '{base}[ns]'")
    if dtype.itemsize not in (4, 8, 16):
        raise DtypeError(
            f"{dtype} has {dtype.itemsize} bytes, and values have 4, 8 or 16; take a wider type or pad the structure"
        )
    return ValueType(base, shape)


def _aligned(words: Array) -> Array:
    """Words where the extension can read them: bytes may be anywhere, words may not."""
    return words if words.flags.aligned else words.copy()


def _native(asked: npt.DTypeLike, what: str) -> np.dtype[Any]:
    """A numpy type in the byte order of this machine."""
    if asked is None:
        raise DtypeError(f"the type of a {what} is missing; give a numpy type or its name")
    try:
        dtype = np.dtype(asked)
    except TypeError as error:
        raise DtypeError(f"{asked!r} is no type of a {what}; give a numpy type or its name") from error
    return dtype.newbyteorder("=")
